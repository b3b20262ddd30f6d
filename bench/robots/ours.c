// One scene of bench/robots stepped by this engine: ours FILE SCHEME STEP WARM STEPS THREADS BODY
//
// Prints one line: microseconds for a step (processor time, of several threads wall time; the best tenth of the run, and the mean), contacts, largest residual,
// deepest overlap, how far BODY moved, largest joint error, problems that missed the tolerance.
#include "polhode/io.h"
#include "polhode/polhode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static clockid_t clock_used = CLOCK_PROCESS_CPUTIME_ID;

static double time_now(void)
{
    struct timespec t;
    clock_gettime(clock_used, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct run {
    ph_model *model;
    ph_sim *sim;
    ph_state *state;
    ph_observer *observer;
} run;

static bool open_run(char **argv, run *r)
{
    ph_problems *problems = ph_problems_create();
    ph_sim_def def = ph_default_sim();
    ph_error error = {.text = ""};
    def.scheme = argv[2];
    def.threads = atoi(argv[6]);
    if (def.threads > 1) clock_used = CLOCK_MONOTONIC; // threads that wait take processor time, too
    bool ok = ph_model_read_file(argv[1], NULL, 0, problems, &r->model) == PH_OK;
    for (int k = 0; k < ph_problems_count(problems); k++) fprintf(stderr, "%s\n", ph_problems_get(problems, k)->text);
    ok = ok && ph_sim_create(r->model, &def, &r->sim, &error) == PH_OK;
    if (!ok) fprintf(stderr, "%s: %s\n", argv[1], error.text);
    ph_problems_destroy(problems);
    r->state = ok ? ph_state_create(r->model) : NULL;
    return r->state && ph_observer_create(r->model, &r->observer) == PH_OK;
}

typedef struct tally {
    double best, all; // s for a step
    double contacts;  // mean
    double residual, overlap, joints;
    int missed;
} tally;

static bool step(run *r, double h, ph_step_report *report)
{
    if (ph_sim_step(r->sim, r->state, h, report) == PH_OK) return true;
    char text[512];
    ph_step_report_format(report, r->model, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return false;
}

// In tenths, of which the best counts: the machine has other things to do.
static bool measure(run *r, double h, int steps, tally *t)
{
    ph_step_report report;
    ph_measures measures;
    t->best = HUGE_VAL;
    for (int part = 0; part < 10; part++) {
        const int count = steps / 10 > 0 ? steps / 10 : 1;
        double contacts = 0.0;
        const double begin = time_now();
        for (int k = 0; k < count; k++) {
            if (!step(r, h, &report)) return false;
            contacts += report.contacts;
            t->residual = fmax(t->residual, report.contact_residual);
            t->overlap = fmax(t->overlap, report.penetration);
            t->missed += (int)report.contact_missed;
        }
        const double each = (time_now() - begin) / count;
        t->best = fmin(t->best, each);
        t->all += 0.1 * each;
        t->contacts += 0.1 * contacts / count;
        ph_observer_measure(r->observer, r->state, &measures);
        t->joints = fmax(t->joints, measures.position_violation);
    }
    return true;
}

int main(int argc, char **argv)
{
    run r = {0};
    tally t = {0};
    ph_step_report report;
    if (argc < 8 || !open_run(argv, &r)) return 1;
    const double h = atof(argv[3]);
    const int body = ph_model_find_body(r.model, argv[7]);
    if (body < 0) return 1;
    for (int k = 0; k < atoi(argv[4]); k++)
        if (!step(&r, h, &report)) return 1;
    const ph_vec3 from = ph_state_positions(r.state)[body];
    if (!measure(&r, h, atoi(argv[5]), &t)) return 1;
    const ph_vec3 to = ph_state_positions(r.state)[body];
    const double moved = sqrt(pow(to.x - from.x, 2) + pow(to.y - from.y, 2) + pow(to.z - from.z, 2));
    printf("%.2f %.2f %.1f %.1e %.1e %.1e %.1e %d\n", 1e6 * t.best, 1e6 * t.all, t.contacts, t.residual, t.overlap,
           moved, t.joints, t.missed);
    ph_observer_destroy(r.observer);
    ph_state_destroy(r.state);
    ph_sim_destroy(r.sim);
    ph_model_destroy(r.model);
    return 0;
}
