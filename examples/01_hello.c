// A rod on a ball joint falls from the horizontal and swings.
#include <polhode/polhode.h>
#include <stdio.h>

int main(void)
{
    ph_body_def rod = ph_default_body(); // 1 m long, 2 kg, along y; SI units everywhere
    rod.name = "rod";
    rod.mass = 2.0;
    rod.inertia = (ph_mat3){{{0.17, 0.0, 0.0}, {0.0, 0.001, 0.0}, {0.0, 0.0, 0.17}}};
    rod.position = (ph_vec3){0.0, 0.5, 0.0};

    ph_joint_def hook = ph_default_joint(); // between the world and body 0, at the origin
    hook.name = "hook";
    hook.type = "ball";
    hook.body_a = PH_WORLD;
    hook.body_b = 0;
    hook.has_anchor = true;

    ph_spec *spec = ph_spec_create(NULL);
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -9.81});
    ph_spec_add_body(spec, &rod);
    ph_spec_add_joint(spec, &hook);

    ph_model *model; // immutable from here on
    ph_sim *sim;
    const ph_sim_def def = ph_default_sim(); // scheme: rattlie
    if (ph_model_compile(spec, NULL, &model) != PH_OK) return 1;
    if (ph_sim_create(model, &def, &sim, NULL) != PH_OK) return 1;
    ph_state *state = ph_state_create(model);
    for (int step = 1; step <= 1000; step++) {
        if (ph_sim_step(sim, state, 1e-3, NULL) != PH_OK) return 1;
        const ph_vec3 x = ph_state_positions(state)[0]; // of the centre of mass
        if (step % 200 == 0) printf("t = %.1f s: y = %6.3f m, z = %6.3f m\n", ph_state_time(state), x.y, x.z);
    }
    ph_state_destroy(state);
    ph_sim_destroy(sim);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
}
