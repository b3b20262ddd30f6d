// Random machines with motors, limits and contact under `moreau`: do they gain energy, do the forces on each body balance, and does
// the step by trees agree with that by the one matrix of bodies and rows?
//
// POLHODE_ROBOTS and POLHODE_ROBOTS_FIRST choose how many and where to begin; bench/robots/random sets them.

#include "test.h"

#include "random_machine.h"
#include "rig.h"

#include <stdlib.h>

static long setting(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtol(text, NULL, 10) : otherwise;
}

static void tell(const machine *m, const char *what, double size)
{
    printf("  seed %llu (%d bodies, ratio %.0f%s%s%s%s%s%s%s%s, ground %d, %d loops, %d motors): %s %.3g\n",
           (unsigned long long)m->seed, m->bodies, m->ratio, m->on_world ? ", on world" : "", m->drives ? ", drives" : "",
           m->stops ? ", stops" : "", m->bounces ? ", bounces" : "", m->rolls ? ", rolls" : "",
           m->springs ? ", springs" : "", m->collides ? ", collides" : "", m->flies ? ", flies" : "", (int)m->ground,
           m->loops, m->motors, what, size);
}

static ph_model *compile(const machine *m, double tolerance)
{
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    ph_spec *spec = machine_spec(m, tolerance);
    if (ph_model_compile(spec, problems, &model) != PH_OK && setting("POLHODE_ROBOTS_SHOW", 0))
        for (int k = 0; k < ph_problems_count(problems); k++) printf("  %s\n", ph_problems_get(problems, k)->text);
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    return model;
}

typedef struct outcome {
    const char *failed; // NULL: nothing
    double kinetic;     // at the most
    double gain;        // of T + U - W above its start, at the most
    double start, fall;  // T + U at the start, and the least of U
    double friction, impact;     // largest work of contacts in a step
    int missed, steps;
} outcome;

static outcome run(const machine *m, rig *r, double h, int steps)
{
    outcome o = {0};
    ph_step_report report = {0};
    ph_measures last = rig_measure(r);
    const double first = last.total;
    o.start = last.kinetic + last.potential;
    for (int k = 0; k < steps; k++) {
        if (ph_sim_step(r->sim, r->state, h, &report) != PH_OK) {
            static char text[512];
            ph_step_report_format(&report, r->model, text, sizeof text);
            o.failed = text;
            return o;
        }
        const ph_measures now = rig_measure(r);
        o.missed += (int)report.contact_missed;
        o.steps++;
        o.kinetic = ph_max(o.kinetic, now.kinetic);
        o.gain = ph_max(o.gain, now.total - first);
        o.friction = ph_max(o.friction, now.friction_work - last.friction_work);
        o.impact = ph_max(o.impact, now.impact_work - last.impact_work);
        if (setting("POLHODE_ROBOTS_SHOW", 0))
            printf("%4d T %.4g U %.5g W %.4g E %.6g fr %.3g im %.3g n %d res %.2g pen %.2g it %d\n", k, now.kinetic,
                   now.potential, now.work, now.total, now.friction_work, now.impact_work, report.contacts,
                   report.contact_residual, report.penetration, report.contact_iterations);
        last = now;
    }
    (void)m;
    return o;
}

TEST(machines)
{
    const long count = setting("POLHODE_ROBOTS", 40), first = setting("POLHODE_ROBOTS_FIRST", 1);
    int failed = 0, missed = 0, steps = 0, refused = 0;
    for (long seed = first; seed < first + count; seed++) {
        const machine m = machine_of((uint64_t)seed);
        ph_model *model = compile(&m, 1e-10);
        if (!model) {
            tell(&m, "refused", 0);
            refused++;
            continue;
        }
        rig r = rig_open(model, "moreau");
        if (!r.sim) { rig_close(&r); continue; }
        const outcome o = run(&m, &r, 0.002, (int)setting("POLHODE_ROBOTS_STEPS", 150));
        if (o.failed) {
            tell(&m, o.failed, o.steps);
            failed++;
        }
        if (o.gain > 0.1 * (o.kinetic + 1e-3)) tell(&m, "gain relative", o.gain / o.kinetic);
        if (o.friction > 1e-6 * (o.kinetic + 1e-3)) tell(&m, "friction", o.friction/ o.kinetic);
        if (o.impact > 1e-6 * (o.kinetic + 1e-3)) tell(&m, "impact", o.impact/ o.kinetic);
        if (o.missed) tell(&m, "missed", o.missed);
        if (o.kinetic > 1e5) tell(&m, "kinetic", o.kinetic);
        missed += o.missed;
        steps += o.steps;
        rig_close(&r);
    }
    printf("%d failed, %d refused, %d of %d missed\n", failed, refused, missed, steps);
}
