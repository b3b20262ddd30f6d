// A slider-crank from a file gets a motor that C code controls: an input, set before every step. The loop has more
// constraint rows than it needs; the bearing forces are the smallest that fit.
#include <polhode/polhode.h>
#include <stdio.h>

int main(void)
{
    ph_spec *spec;
    if (ph_spec_read_file("examples/slider_crank.yaml", NULL, 0, NULL, &spec) != PH_OK) return 2;
    ph_force_def motor = ph_default_force();
    motor.type = "wrench";
    motor.body_b = 0;                  // the crank
    motor.torque[1].expression = "-u"; // about -y, the axis of its hinge
    ph_spec_add_input(spec, "u", 0.0);
    ph_spec_add_force(spec, &motor);

    ph_model *model;
    ph_sim *sim;
    ph_observer *observer;
    const ph_sim_def def = ph_default_sim();
    if (ph_model_compile(spec, NULL, &model) != PH_OK || ph_sim_create(model, &def, &sim, NULL) != PH_OK) return 1;
    if (ph_observer_create(model, &observer) != PH_OK) return 1;
    ph_state *state = ph_state_create(model);
    printf("%d rows, %d of them redundant\n", ph_model_rows(model), ph_model_rows(model) - ph_model_rank(model));
    for (int step = 0; step <= 5000; step++) {
        double angle, rate, *u = ph_state_inputs(state);
        ph_wrench reactions[4]; // of all joints; number 0 is the crank's hinge
        ph_observer_joint(observer, state, 0, &angle, &rate);
        *u = 2.0 * (40.0 - rate); // Nm; 40 rad/s are wanted
        if (ph_observer_dynamics(observer, state, NULL, reactions) != PH_OK) return 1;
        if (step % 1000 == 0)
            printf("t = %.1f s: %4.1f turns, %5.2f rad/s, motor %5.2f Nm, bearing %6.1f N along x\n",
                   ph_state_time(state), angle / 6.283185307, rate, *u, reactions[0].force.x);
        if (ph_sim_step(sim, state, 2e-4, NULL) != PH_OK) return 1;
    }
    ph_state_destroy(state), ph_observer_destroy(observer), ph_sim_destroy(sim);
    ph_model_destroy(model), ph_spec_destroy(spec);
}
