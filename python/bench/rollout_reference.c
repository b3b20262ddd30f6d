// What a C program needs for the same batch as rollout.py: MEMBERS double pendulums of STEPS steps each, on one thread.
// Prints the processor time of one step in nanoseconds.
//
//   rollout_reference MODEL MEMBERS STEPS

#include <polhode/polhode.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int count, char **arguments)
{
    if (count != 4) return 2;
    const int members = atoi(arguments[2]), steps = atoi(arguments[3]);
    ph_model *model;
    ph_sim *sim;
    const ph_sim_def def = ph_default_sim();
    if (ph_model_read_file(arguments[1], NULL, 0, NULL, &model) != PH_OK) return 1;
    if (ph_sim_create(model, &def, &sim, NULL) != PH_OK) return 1;
    ph_state *state = ph_state_create(model);
    const double began = processor_seconds();
    for (int k = 0; k < members; k++) {
        ph_state_reset(state);
        ph_state_angular_velocities(state)[0].y = 3.0 * k / members;
        ph_state_touch(state);
        for (int i = 0; i < steps; i++)
            if (ph_sim_step(sim, state, 1e-3, NULL) != PH_OK) return 1;
    }
    printf("%.3f\n", 1e9 * (processor_seconds() - began) / ((double)members * steps));
    ph_state_destroy(state);
    ph_sim_destroy(sim);
    ph_model_destroy(model);
}
