#include "bench_contact.h"

#include "base/clock.h"
#include "bench_heap_model.h"
#include "bench_memory.h"
#include "terminal.h"

#include "polhode/polhode.h"

#include <string.h>

// ---- Measurement ----------------------------------------------------------------------------------------------------

typedef struct heap_timing {
    double step_s;                     // mean
    double penetration;                // m, largest of all steps
    double residual;                   // m/s, likewise
    double contacts, iterations, work; // means by step; work: contacts times iterations
    int missed;                        // steps beyond HEAP_RESIDUAL
    double bytes;                      // held at the end by model, state and simulation
    double alone_s;                    // several threads: mean time of a step with one
} heap_timing;

typedef struct heap_run {
    ph_model *model;
    ph_state *state;
    ph_sim *sim;
    heap_timing t;
} heap_run;

static bool is_alone(const heap_machine *on)
{
    return on->threads < 2 && !on->device;
}

static const char *clock_name(const heap_machine *on)
{
    return is_alone(on) ? "processor time" : "wall clock";
}

// One thread: processor time, which other programs do not spend. More, or a device: what the clock on the wall says.
static double seconds(const heap_machine *on)
{
    return is_alone(on) ? clock_process_seconds() : clock_seconds();
}

// Counts what is allocated in run->t, so that it must stay where it is.
static bool create_run(const heap *h, const heap_machine *on, heap_run *run)
{
    *run = (heap_run){0};
    const ph_allocator allocator = counting_allocator(&run->t.bytes);
    ph_problems *problems = ph_problems_create();
    run->model = heap_model(h, &allocator, problems);
    print_problems(problems);
    ph_problems_destroy(problems);
    run->state = run->model ? ph_state_create(run->model) : NULL;
    ph_sim_def def = ph_default_sim();
    def.scheme = "moreau";
    def.threads = on->threads;
    def.device = on->device;
    ph_error error = {.text = "out of memory"};
    if (run->state && ph_sim_create(run->model, &def, &run->sim, &error) == PH_OK) return true;
    print_error("%s: %s", h->name, error.text);
    return false;
}

// The timing, with the memory that is held.
static heap_timing end_run(heap_run *run)
{
    const heap_timing t = run->t;
    ph_sim_destroy(run->sim);
    ph_state_destroy(run->state);
    ph_model_destroy(run->model);
    return t;
}

// `steps` more of all h->steps, timed by the clock of the machine. A device makes them in one call, as runs do between two
// records; the processor one by one.
static bool run_steps(const heap *h, int steps, const heap_machine *on, heap_run *run)
{
    heap_timing *t = &run->t;
    const int at_once = on->device ? steps : 1;
    const double began = seconds(on);
    for (int i = 0; i < steps; i += at_once) {
        ph_step_report report;
        if (ph_sim_advance(run->sim, run->state, HEAP_STEP, at_once, &report) != PH_OK) {
            print_error("%s: a step failed", h->name);
            return false;
        }
        t->penetration = report.penetration > t->penetration ? report.penetration : t->penetration;
        t->residual = report.contact_residual > t->residual ? report.contact_residual : t->residual;
        t->contacts += (double)report.contacts * at_once / h->steps;
        t->iterations += (double)report.contact_iterations / h->steps;
        t->work += (double)report.contacts * report.contact_iterations / h->steps;
        t->missed += (int)report.contact_missed;
    }
    t->step_s += (seconds(on) - began) / h->steps;
    return true;
}

// Several threads are measured beside one, twenty steps of each in turn: both see the machine in the same mood.
static bool time_heap(const heap *h, const heap_machine *on, heap_timing *t)
{
    enum { TURN = 20 };
    const heap_machine one = {.threads = 1};
    const bool beside = on->threads > 1 && !on->device;
    heap_run run, alone = {0};
    bool good = create_run(h, on, &run) && (!beside || create_run(h, &one, &alone));
    for (int i = 0; good && i < h->steps; i += TURN) {
        const int steps = h->steps - i < TURN ? h->steps - i : TURN;
        good = run_steps(h, steps, on, &run) && (!beside || run_steps(h, steps, on, &alone));
    }
    *t = end_run(&run);
    t->alone_s = end_run(&alone).step_s;
    return good;
}

// ---- Output ---------------------------------------------------------------------------------------------------------

static void print_row(const heap *h, const heap_timing *t)
{
    printf("%-17s %7d %9.3f %9.0f %11.1f %12.2f %12.1e %10.1e %7d %11.0f\n", h->name, h->bodies, 1e3 * t->step_s,
           t->contacts, t->iterations, t->contacts > 0.0 ? 1e6 * t->step_s / t->contacts : 0.0, t->penetration,
           t->residual, t->missed, t->bytes / h->bodies);
    if (t->alone_s > 0.0) {
        printf("%17s %17.3f with one thread, which takes %.2f times as long\n", "", 1e3 * t->alone_s,
               t->alone_s / t->step_s);
    }
    fflush(stdout);
}

static void print_head(const heap_machine *on)
{
    const colours c = colours_of(stdout);
    printf("%s%-17s %7s %9s %9s %11s %12s %12s %10s %7s %11s%s\n", c.bold, "heap", "bodies", "ms/step", "contacts",
           "iterations", "us/contact", "overlap m", "m/s", "missed", "bytes/body", c.off);
    if (on->device)
        printf("(device %s, %s; bytes of the processor's memory)\n", on->device, clock_name(on));
    else
        printf("(%d thread%s, %s)\n", on->threads, on->threads > 1 ? "s" : "", clock_name(on));
}

static void json_row(json *j, const heap *h, const heap_timing *t, const heap_machine *on)
{
    json_object(j, NULL);
    json_string(j, "name", h->name);
    json_string(j, "title", h->title);
    json_integer(j, "bodies", h->bodies);
    json_integer(j, "threads", on->threads);
    json_string(j, "device", on->device ? on->device : "cpu");
    json_string(j, "clock", clock_name(on));
    json_number(j, "step", HEAP_STEP);
    json_integer(j, "steps", h->steps);
    json_number(j, "ms_per_step", 1e3 * t->step_s);
    if (t->alone_s > 0.0) {
        json_number(j, "ms_per_step_of_one_thread", 1e3 * t->alone_s);
        json_number(j, "speedup", t->alone_s / t->step_s);
    }
    json_number(j, "contacts_mean", t->contacts);
    json_number(j, "iterations_mean", t->iterations);
    json_number(j, "ns_per_contact_and_iteration", t->work > 0.0 ? 1e9 * t->step_s / t->work : 0.0);
    json_number(j, "penetration_max", t->penetration);
    json_number(j, "residual_max", t->residual);
    json_integer(j, "missed", t->missed);
    json_number(j, "bytes_per_body", t->bytes / h->bodies);
    json_end_object(j);
}

bool time_heaps(const char *only, const heap_machine *on, tally *done, json *j)
{
    bool good = true;
    int timed = 0;
    for (int i = 0; i < heap_count; i++) {
        heap_timing t;
        if (only ? strcmp(only, heaps[i].name) != 0 : heaps[i].large) continue;
        if (timed++ == 0 && !j) print_head(on);
        tally_begin(done, heaps[i].name);
        const bool measured = time_heap(&heaps[i], on, &t);
        tally_end(done);
        if (!measured)
            good = false;
        else if (j)
            json_row(j, &heaps[i], &t, on);
        else
            print_row(&heaps[i], &t);
    }
    if (timed && !only && !j) printf("\n");
    return good;
}
