// The contact problem of a step, for other solvers and for files.
#include "folder.h"
#include "text_model.h"

#include "polhode/cone.h"

#include <math.h>

#define SCENE                                                                                                          \
    "polhode: 1\ngravity: [0, 0, -9.81]\nbodies:\n"                                                                    \
    "  - {name: floor, fixed: true, shapes: [{type: plane, normal: [0.1, 0, 1], friction: 0.4}]}\n"                    \
    "  - {name: a, position: [0, 0, 0.101], velocity: [0.3, 0, -0.2], angular_velocity: [0.2, 0.5, 0],\n"              \
    "     shapes: [{type: box, size: [0.4, 0.3, 0.2], density: 500, friction: 0.4}]}\n"                                \
    "  - {name: b, position: [0.05, 0.02, 0.281], shapes: [{type: sphere, radius: 0.08, density: 800, friction: "      \
    "0.4}]}\n"                                                                                                         \
    "  - {name: c, position: [0.9, 0, 0.05], mass: 2, inertia: [0.01, 0.02, 0.03],\n"                                  \
    "     shapes: [{type: sphere, radius: 0.09, friction: 0.4}]}\n"

static const char *const joined = SCENE "joints: [{name: arm, type: revolute, bodies: [world, c], anchor: [1.4, 0, "
                                        "0.3], axis: y}]\ncontact: {tolerance: 1e-12}\nrun: {step: 0.004}\n",
                         *const loose = SCENE "contact: {tolerance: 1e-12}\nrun: {step: 0.004}\n",
                         *const limited =
                             SCENE "joints: [{name: arm, type: revolute, bodies: [world, c], anchor: [1.4, "
                                   "0, 0.3], axis: y, friction: 1}]\ncontact: {}\n";

typedef struct made {
    ph_model *model;
    ph_state *state;
    ph_sim *sim;
    ph_fc_problem *fc;
} made;

static made make(const char *text, int steps)
{
    made m = {.model = text_model(text)};
    ph_sim_def def = ph_default_sim();
    ph_error error = {.text = ""};
    def.scheme = "moreau";
    m.state = ph_state_create(m.model);
    CHECK_EQ_INT(ph_sim_create(m.model, &def, &m.sim, &error), PH_OK);
    if (steps > 0) CHECK_EQ_INT(ph_sim_advance(m.sim, m.state, 0.004, steps, NULL), PH_OK);
    CHECK_EQ_INT(ph_sim_contact_problem(m.sim, m.state, 0.004, &m.fc, &error), PH_OK);
    CHECK_STR(error.text, "");
    return m;
}

static void destroy(made *m)
{
    ph_fc_destroy(m->fc);
    ph_sim_destroy(m->sim);
    ph_state_destroy(m->state);
    ph_model_destroy(m->model);
}

// The impulses that solve the problem are those of the step: forces times its length.
static double compare_with_step(made *m)
{
    ph_cone_settings settings = ph_default_cone();
    const ph_cone_problem problem = {m->fc->contacts, m->fc->cones, m->fc->q, ph_cone_matrix_operator(m->fc->matrix)};
    ph_cone_workspace *workspace = ph_cone_workspace_create(NULL);
    ph_cone_report report;
    double g[300], worst = 0.0;
    int count = 0;
    settings.tolerance = 1e-12;
    CHECK_EQ_INT(ph_cone_solve(workspace, &problem, &settings, g, NULL, &report, NULL), PH_OK);
    CHECK_EQ_INT(ph_sim_step(m->sim, m->state, 0.004, NULL), PH_OK);
    const ph_contact *c = ph_state_contacts(m->state, &count);
    CHECK_EQ_INT(count, m->fc->contacts);
    ph_vec3 all = {0, 0, 0}, forces = {0, 0, 0}; // of contacts that share a load only sums are unique
    for (int i = 0; i < count; i++) {
        const double *f = m->fc->frames + 12 * i, *x = g + 3 * i;
        const ph_vec3 p = {x[0] * f[3] + x[1] * f[6] + x[2] * f[9], x[0] * f[4] + x[1] * f[7] + x[2] * f[10],
                           x[0] * f[5] + x[1] * f[8] + x[2] * f[11]};
        all = (ph_vec3){all.x + p.x, all.y + p.y, all.z + p.z};
        forces = (ph_vec3){forces.x + 0.004 * c[i].force.x, forces.y + 0.004 * c[i].force.y,
                           forces.z + 0.004 * c[i].force.z};
        CHECK(c[i].point.x == f[0] && c[i].point.y == f[1] && c[i].point.z == f[2]);
        CHECK(c[i].normal.x == f[3] && c[i].normal.z == f[5]);
    }
    worst = fmax(fabs(all.x - forces.x), fmax(fabs(all.y - forces.y), fabs(all.z - forces.z)));
    ph_cone_workspace_destroy(workspace);
    return worst / (1e-3 + fabs(forces.z));
}

TEST(solution_is_that_of_the_step)
{
    made free_bodies = make(loose, 5), machine = make(joined, 5);
    CHECK(free_bodies.fc->contacts > 3);
    CHECK(compare_with_step(&free_bodies) < 1e-8);
    CHECK(compare_with_step(&machine) < 1e-8);
    destroy(&free_bodies);
    destroy(&machine);
}

// N of a ball that touches alone: 1/m in the normal, 1/m + r^2/J in the tangents.
TEST(matrix_of_one_ball)
{
    made m = make("polhode: 1\nbodies:\n  - {name: floor, fixed: true, shapes: [{type: plane, normal: [0, 0, 1]}]}\n"
                  "  - {name: b, mass: 2, inertia: [0.05, 0.05, 0.05], position: [0, 0, 0.5], velocity: [0.7, 0, -1],\n"
                  "     shapes: [{type: sphere, radius: 0.5}]}\ncontact: {}\n",
                  0);
    const ph_cone_matrix *N = m.fc->matrix;
    CHECK_EQ_INT(m.fc->contacts, 1);
    for (int r = 0; r < 3; r++)
        for (int k = N->start[r]; k < N->start[r + 1]; k++)
            CHECK_NEAR(N->value[k], N->column[k] != r ? 0.0 : r == 0 ? 0.5 : 0.5 + 0.25 / 0.05, 1e-15);
    CHECK_NEAR(m.fc->q[0], -1.0, 1e-15);
    CHECK_NEAR(hypot(m.fc->q[1], m.fc->q[2]), 0.7, 1e-15);
    destroy(&m);
}

static bool same(const double *a, const double *b, int count)
{
    return memcmp(a, b, sizeof *a * (size_t)count) == 0;
}

TEST(files_keep_every_bit)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "step.fc");
    made m = make(joined, 3);
    ph_fc_problem *again = NULL;
    ph_error error = {.text = ""};
    CHECK_EQ_INT(ph_fc_write_file(m.fc, path.text, &error), PH_OK);
    CHECK_EQ_INT(ph_fc_read_file(path.text, NULL, &again), PH_OK);
    if (CHECK(again && again->frames)) {
        const int n = m.fc->contacts, entries = m.fc->matrix->start[3 * n];
        CHECK_EQ_INT(again->contacts, n);
        CHECK(same(again->q, m.fc->q, 3 * n) && same(again->frames, m.fc->frames, 12 * n));
        CHECK_EQ_INT(again->matrix->start[3 * n], entries);
        CHECK(same(again->matrix->value, m.fc->matrix->value, entries));
    }
    CHECK_EQ_INT(ph_fc_write_file(m.fc, "/no/such/folder/x.fc", &error), PH_IO);
    ph_fc_destroy(again);
    destroy(&m);
    folder_remove(&f);
}

// What such a file cannot hold is refused by name; the simulation goes on as if nobody had asked.
TEST(asking_changes_nothing)
{
    made m = make(joined, 3), twin = make(joined, 3);
    for (int k = 0; k < 20; k++) {
        ph_fc_problem *fc = NULL;
        CHECK_EQ_INT(ph_sim_contact_problem(m.sim, m.state, 0.004, &fc, NULL), PH_OK);
        ph_fc_destroy(fc);
        CHECK_EQ_INT(ph_sim_step(m.sim, m.state, 0.004, NULL), PH_OK);
        CHECK_EQ_INT(ph_sim_step(twin.sim, twin.state, 0.004, NULL), PH_OK);
    }
    CHECK(memcmp(ph_state_positions(m.state), ph_state_positions(twin.state), 4 * sizeof(ph_vec3)) == 0);
    destroy(&m);
    destroy(&twin);
}

TEST(strangers_are_named)
{
    ph_model *model = text_model(limited);
    ph_state *state = ph_state_create(model);
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_fc_problem *fc = NULL;
    ph_error error = {.text = ""};
    def.scheme = "moreau";
    CHECK_EQ_INT(ph_sim_create(model, &def, &sim, &error), PH_OK);
    CHECK_EQ_INT(ph_sim_contact_problem(sim, state, 0.004, &fc, &error), PH_NOT_SUPPORTED);
    CHECK(strstr(error.text, "dry friction") != NULL && !fc);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

TEST(other_schemes_have_none)
{
    ph_model *model = text_model("polhode: 1\nbodies: [{name: a, mass: 1, inertia: [1, 1, 1]}]\n");
    ph_state *state = ph_state_create(model);
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_fc_problem *fc = NULL;
    ph_error error = {.text = ""};
    CHECK_EQ_INT(ph_sim_create(model, &def, &sim, &error), PH_OK);
    CHECK_EQ_INT(ph_sim_contact_problem(sim, state, 0.004, &fc, &error), PH_NOT_SUPPORTED);
    CHECK(strstr(error.text, "moreau") != NULL);
    CHECK_EQ_INT(ph_sim_contact_problem(sim, state, -0.004, &fc, &error), PH_BAD_ARGUMENT);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    ph_model_destroy(model);
}
