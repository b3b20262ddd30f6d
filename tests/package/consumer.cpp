// The same from C++: a body that nothing holds flies on.
#include <polhode/polhode.h>

#include <cstdio>

int main()
{
    ph_body_def ball = ph_default_body();
    ball.name = "ball";
    ball.mass = 1.0;
    for (int k = 0; k < 3; k++) ball.inertia.m[k][k] = 0.1;
    ball.velocity.x = 2.0;
    ph_spec *spec = ph_spec_create(nullptr);
    ph_spec_add_body(spec, &ball);
    ph_model *model = nullptr;
    ph_sim *sim = nullptr;
    const ph_sim_def def = ph_default_sim();
    if (ph_model_compile(spec, nullptr, &model) != PH_OK || ph_sim_create(model, &def, &sim, nullptr) != PH_OK) return 1;
    ph_state *state = ph_state_create(model);
    for (int k = 0; k < 10; k++)
        if (ph_sim_step(sim, state, 0.1, nullptr) != PH_OK) return 2;
    std::printf("%.3f m\n", ph_state_positions(state)[0].x);
    const bool far = ph_state_positions(state)[0].x > 1.999;
    ph_state_destroy(state);
    ph_sim_destroy(sim);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
    return far ? 0 : 3;
}
