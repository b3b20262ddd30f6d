// A program that was compiled with older headers (older/): definitions come from a library that knows more members than it does.
// Prints the sizes that both must agree on, and with an argument a motion.
#include "polhode/sim.h"

#include <stdio.h>
#include <string.h>

#define GUARD 0x5a5a5a5a5a5a5a5aULL

// What a library that returns or fills in more than there is room for would write over.
static struct {
    ph_body_def body;
    uint64_t after_body;
    ph_shape_def shape;
    uint64_t after_shape;
    ph_joint_def joint;
    uint64_t after_joint;
    ph_sim_def sim;
    uint64_t after_sim;
    ph_step_report report;
    uint64_t after_report;
} all = {.after_body = GUARD, .after_shape = GUARD, .after_joint = GUARD, .after_sim = GUARD, .after_report = GUARD};

static int whole(void)
{
    return all.after_body == GUARD && all.after_shape == GUARD && all.after_joint == GUARD && all.after_sim == GUARD &&
           all.after_report == GUARD;
}

static ph_model *make_model(void)
{
    ph_model *model = NULL;
    ph_spec *spec = ph_spec_create(NULL);
    all.body = ph_default_body();
    all.body.name = "rod";
    all.body.mass = 2.0;
    all.body.inertia = (ph_mat3){{{0.17, 0.0, 0.0}, {0.0, 0.001, 0.0}, {0.0, 0.0, 0.17}}};
    all.body.position = (ph_vec3){0.0, 0.5, 0.0};
    all.shape = ph_default_shape();
    all.shape.type = "sphere";
    all.shape.radius = 0.1;
    all.joint = ph_default_joint();
    all.joint.name = "hook";
    all.joint.type = "ball";
    all.joint.body_a = PH_WORLD;
    all.joint.body_b = 0;
    all.joint.has_anchor = true;
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -9.81});
    ph_spec_add_body(spec, &all.body);
    ph_spec_add_shape(spec, 0, &all.shape);
    ph_spec_add_joint(spec, &all.joint);
    if (ph_model_compile(spec, NULL, &model) != PH_OK) model = NULL;
    ph_spec_destroy(spec);
    return model;
}

static int move(void)
{
    ph_sim *sim = NULL;
    ph_model *model = make_model();
    if (!model) return 1;
    all.sim = ph_default_sim();
    if (ph_sim_create(model, &all.sim, &sim, NULL) != PH_OK) return 2;
    ph_state *state = ph_state_create(model);
    for (int k = 0; k < 100; k++)
        if (ph_sim_step(sim, state, 1e-3, &all.report) != PH_OK) return 3;
    printf("%.17g %lld\n", ph_state_positions(state)[0].z, all.report.steps);
    ph_state_destroy(state);
    ph_sim_destroy(sim);
    ph_model_destroy(model);
    return whole() ? 0 : 4;
}

int main(int count, char **arguments)
{
    (void)arguments;
    if (count > 1) return move();
    printf("%d %zu %zu %zu %zu %zu %zu %zu\n", PH_VERSION_NUMBER, sizeof(ph_body_def), sizeof(ph_shape_def),
           sizeof(ph_joint_def), sizeof(ph_force_def), sizeof(ph_contact_settings), sizeof(ph_sim_def),
           sizeof(ph_step_report));
    return ph_version_number() >= PH_VERSION_NUMBER ? 0 : 5;
}
