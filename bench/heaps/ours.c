// A heap of cli/bench_heaps.h on several numbers of threads, window by window: ours HEAP SECONDS THREADS...
//
// The last number of threads steps the heap. Every EVERY steps all of them make the same WINDOW steps from the same state, in turn, and the bits that come
// out are compared. Stops after HEAP_STEPS steps, or after so many seconds. Prints a line of a table for each number: ms a step, ratio, steps that
// missed their tolerance, bits.
#include "bench_heaps.h"

#include "polhode/polhode.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EVERY = 50, WINDOW = 8, MOST = 16 };

typedef struct runner {
    int threads;
    long long missed;
    ph_sim *sim;
    ph_state *state;
    double seconds;
} runner;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool add_walls(ph_spec *spec, const heap *h)
{
    static const ph_vec3 normals[] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    ph_body_def bin = ph_default_body();
    bin.name = "bin";
    bin.fixed = true;
    const int body = ph_spec_add_body(spec, &bin);
    for (int k = 0; body >= 0 && k < 5; k++) {
        ph_shape_def wall = ph_default_shape();
        wall.type = "plane";
        wall.size = normals[k];
        wall.position = (ph_vec3){-0.5 * h->width * normals[k].x, -0.5 * h->width * normals[k].y, 0.0};
        wall.friction = HEAP_FRICTION;
        if (ph_spec_add_shape(spec, body, &wall) < 0) return false;
    }
    return body >= 0;
}

static bool add_body(ph_spec *spec, const heap *h, int k)
{
    const heap_body at = heap_place(h, k);
    char name[24];
    snprintf(name, sizeof name, "b%d", k);
    ph_body_def def = ph_default_body();
    def.name = name;
    def.position = (ph_vec3){at.position[0], at.position[1], at.position[2]};
    def.orientation = (ph_quat){at.orientation[0], at.orientation[1], at.orientation[2], at.orientation[3]};
    const int body = ph_spec_add_body(spec, &def);
    ph_shape_def shape = ph_default_shape();
    shape.type = h->kind == HEAP_SPHERES ? "sphere" : "box";
    shape.radius = h->half;
    shape.size = (ph_vec3){2.0 * h->half, 2.0 * h->half, 2.0 * h->half};
    shape.friction = HEAP_FRICTION;
    shape.density = HEAP_DENSITY;
    return body >= 0 && ph_spec_add_shape(spec, body, &shape) >= 0;
}

static ph_model *build_model(const heap *h)
{
    ph_model *model = NULL;
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = ph_spec_create(NULL);
    ph_contact_settings contact = ph_default_contact();
    contact.tolerance = HEAP_RESIDUAL;
    contact.iterations = 5000;
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -HEAP_GRAVITY});
    bool good = ph_spec_set_contact(spec, &contact) == PH_OK && add_walls(spec, h);
    for (int k = 0; k < h->bodies && good; k++) good = add_body(spec, h, k);
    if (good) ph_model_compile(spec, problems, &model);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return model;
}

static bool make_runner(const ph_model *model, int threads, runner *r)
{
    ph_sim_def def = ph_default_sim();
    ph_error error;
    def.scheme = "moreau";
    def.threads = threads;
    *r = (runner){.threads = threads, .state = ph_state_create(model)};
    return r->state && ph_sim_create(model, &def, &r->sim, &error) == PH_OK;
}

static bool same_bits(const ph_model *model, ph_state *a, ph_state *b)
{
    const size_t bytes = sizeof(ph_vec3) * (size_t)ph_model_bodies(model);
    return memcmp(ph_state_positions(a), ph_state_positions(b), bytes) == 0 &&
           memcmp(ph_state_velocities(a), ph_state_velocities(b), bytes) == 0;
}

// WINDOW steps of every runner from one state. Returns whether all find the same bits; *good: all could.
static bool time_window(const ph_model *model, const ph_state *from, runner *runners, int count, bool *good)
{
    bool same = true;
    for (int k = 0; k < count && *good; k++) {
        runner *r = &runners[k];
        ph_state_copy(r->state, from);
        const double begin = now();
        for (int s = 0; s < WINDOW && *good; s++) {
            ph_step_report report;
            *good = ph_sim_step(r->sim, r->state, HEAP_STEP, &report) == PH_OK;
            r->missed += report.contact_missed;
        }
        r->seconds += now() - begin;
        same = same && same_bits(model, runners[0].state, r->state);
    }
    return same;
}

static const heap *find(const char *name)
{
    for (int k = 0; k < heap_count; k++)
        if (strcmp(heaps[k].name, name) == 0) return &heaps[k];
    return NULL;
}

int main(int count, char **arguments)
{
    runner runners[MOST];
    const heap *h = count > 3 ? find(arguments[1]) : NULL;
    const int n = count - 3 < MOST ? count - 3 : MOST;
    ph_model *model = h ? build_model(h) : NULL;
    ph_state *state = model ? ph_state_create(model) : NULL;
    bool good = state != NULL, same = true;
    for (int k = 0; k < n && good; k++) good = make_runner(model, atoi(arguments[3 + k]), &runners[k]);
    const double begin = now();
    int windows = 0, steps = 0;
    for (; good && steps < HEAP_STEPS && now() - begin < atof(arguments[2]); windows++, steps += EVERY) {
        ph_step_report report;
        good = ph_sim_advance(runners[n - 1].sim, state, HEAP_STEP, EVERY, &report) == PH_OK;
        if (good) same = time_window(model, state, runners, n, &good) && same;
    }
    for (int k = 0; k < n && good; k++)
        printf("| %s | %d | %.2f | %.2f | %lld of %d | %s | %d |\n", h->name, runners[k].threads,
               1e3 * runners[k].seconds / (windows * WINDOW), runners[0].seconds / runners[k].seconds,
               runners[k].missed, windows * WINDOW, same ? "same" : "DIFFER", steps);
    if (!good) fprintf(stderr, "usage: ours HEAP SECONDS THREADS...; or a step failed\n");
    return good && same ? 0 : 1;
}
