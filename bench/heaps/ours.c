// A heap of cli/bench_heaps.h on several numbers of threads, window by window: ours HEAP SECONDS THREADS...
//
// The last number of threads steps the heap. Every EVERY steps all of them make the same WINDOW steps from the same state, in turn, and the bits that come
// out are compared. Stops after HEAP_STEPS steps, or after so many seconds. Prints a line of a table for each number: ms a step, ratio, steps that
// missed their tolerance, bits.
#include "bench_heap_model.h"

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
    ph_problems *problems = ph_problems_create();
    ph_model *model = h ? heap_model(h, NULL, problems) : NULL;
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
