// Many worlds of one scene stepped by this engine: ours FILE SCHEME STEP WORLDS THREADS WARM STEPS
//
// Prints one line: world-steps for a second (wall clock, the best of five parts), bytes for a world, worlds that failed, largest
// joint error, how far the bodies of the last world moved after the warm-up.
#include "polhode/io.h"
#include "polhode/polhode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PARTS = 5 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double joint_error(const ph_model *model, ph_batch *batch)
{
    ph_observer *observer = NULL;
    double worst = 0.0;
    if (ph_observer_create(model, &observer) != PH_OK) return NAN;
    for (int w = 0; w < ph_batch_worlds(batch); w++) {
        ph_measures m;
        ph_observer_measure(observer, ph_batch_state(batch, w), &m);
        worst = fmax(worst, m.position_violation);
    }
    ph_observer_destroy(observer);
    return worst;
}

static double moved(const ph_model *model, ph_batch *batch, const ph_vec3 *from)
{
    const ph_vec3 *to = ph_state_positions(ph_batch_state(batch, ph_batch_worlds(batch) - 1));
    double most = 0.0;
    for (int i = 0; i < ph_model_bodies(model); i++)
        most = fmax(most, hypot(hypot(to[i].x - from[i].x, to[i].y - from[i].y), to[i].z - from[i].z));
    return most;
}

static double best_rate(ph_batch *batch, double h, int steps)
{
    double best = 0.0;
    for (int part = 0; part < PARTS; part++) {
        const double start = now();
        ph_batch_step(batch, NULL, h, steps / PARTS);
        best = fmax(best, ph_batch_worlds(batch) * (double)(steps / PARTS) / (now() - start));
    }
    return best;
}

int main(int argc, char **argv)
{
    ph_model *model = NULL;
    ph_batch *batch = NULL;
    ph_batch_def def = ph_default_batch();
    ph_error error = {.text = ""};
    if (argc != 8) return fprintf(stderr, "ours FILE SCHEME STEP WORLDS THREADS WARM STEPS\n"), 2;
    def.sim.scheme = argv[2];
    def.worlds = atoi(argv[4]);
    def.threads = atoi(argv[5]);
    if (ph_model_read_file(argv[1], NULL, 0, NULL, &model) != PH_OK ||
        ph_batch_create(model, &def, &batch, &error) != PH_OK)
        return fprintf(stderr, "%s: %s\n", argv[1], error.text), 1;
    const double h = atof(argv[3]);
    const size_t bytes = (size_t)ph_model_bodies(model) * sizeof(ph_vec3);
    ph_batch_step(batch, NULL, h, atoi(argv[6]));
    ph_vec3 *from = malloc(bytes);
    memcpy(from, ph_state_positions(ph_batch_state(batch, def.worlds - 1)), bytes);
    const double rate = best_rate(batch, h, atoi(argv[7]));
    printf("%.0f %zu %d %.1e %.1e\n", rate, ph_batch_bytes(batch) / (size_t)def.worlds, ph_batch_failed(batch),
           joint_error(model, batch), moved(model, batch, from));
    free(from);
    ph_batch_destroy(batch);
    ph_model_destroy(model);
    return 0;
}
