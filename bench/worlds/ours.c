// Many worlds of one scene stepped by this engine: ours FILE.scene SCHEME STEP WORLDS THREADS WARM STEPS
//
// Prints one line: world-steps for a second (wall clock, the best of five parts), bytes for a world, worlds that failed, largest
// joint error, how far the bodies of the last world moved after the warm-up; and of 16 steps more, not timed, of every world: largest
// residual of the contact law (m/s), deepest overlap (m), steps that missed the tolerance.
#include "scene.h"

#include <math.h>
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

typedef struct contacts {
    double residual, overlap;
    long long missed;
} contacts;

static contacts contacts_of(const ph_model *model, ph_batch *batch, const ph_sim_def *def, double h)
{
    contacts all = {0};
    ph_sim *sim = NULL;
    ph_step_report report;
    if (ph_sim_create(model, def, &sim, NULL) != PH_OK) return (contacts){.residual = NAN};
    for (int w = 0; w < ph_batch_worlds(batch); w++) {
        ph_sim_advance(sim, ph_batch_state(batch, w), h, 16, &report);
        all.residual = fmax(all.residual, report.contact_residual);
        all.overlap = fmax(all.overlap, report.penetration);
        all.missed += report.contact_missed;
    }
    ph_sim_destroy(sim);
    return all;
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
    ph_batch *batch = NULL;
    ph_batch_def def = ph_default_batch();
    ph_error error = {.text = ""};
    if (argc != 8) return fprintf(stderr, "ours FILE.scene SCHEME STEP WORLDS THREADS WARM STEPS\n"), 2;
    def.sim.scheme = argv[2];
    def.worlds = atoi(argv[4]);
    def.threads = atoi(argv[5]);
    ph_model *model = scene_read(argv[1]);
    if (!model || ph_batch_create(model, &def, &batch, &error) != PH_OK)
        return fprintf(stderr, "%s: %s\n", argv[1], error.text), 1;
    const double h = atof(argv[3]);
    const size_t bytes = (size_t)ph_model_bodies(model) * sizeof(ph_vec3);
    ph_batch_step(batch, NULL, h, atoi(argv[6]));
    ph_vec3 *from = malloc(bytes);
    memcpy(from, ph_state_positions(ph_batch_state(batch, def.worlds - 1)), bytes);
    const double rate = best_rate(batch, h, atoi(argv[7])), gap = joint_error(model, batch),
                 way = moved(model, batch, from);
    const size_t each = ph_batch_bytes(batch) / (size_t)def.worlds;
    const contacts c = contacts_of(model, batch, &def.sim, h);
    printf("%.0f %zu %d %.1e %.1e %.1e %.1e %lld\n", rate, each, ph_batch_failed(batch), gap, way, c.residual,
           c.overlap, c.missed);
    free(from);
    ph_batch_destroy(batch);
    ph_model_destroy(model);
    return 0;
}
