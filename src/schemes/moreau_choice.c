// Which path solves the contacts of a step, and with which solver.
//
// Models with joints go by trees, but for large islands without any (moreau_both.c). Where the model says `auto`, problems of free bodies that are large, or need not be exact,
// go to the heap and all others by rows to `apgd`; a solver that it names is used whatever the problem, by rows. What the
// heap leaves unsolved the exact solvers finish where somebody counts digits, or where it takes no
// longer than sweeps did; in larger problems it would take seconds to minutes, and the report says that the tolerance was
// missed. Where it is missed by far, as where tonnes fall on grams, overlap and energy would follow: those are finished, too.
#include "schemes/moreau.h"

#include <string.h>

static const double LOOSE = 1e-5;  // m/s: a tolerance from which on nobody counts digits
static const double NEARLY = 1e-6; // m/s: a residual that sweeps do not make smaller
static const double FAR_OFF = 100; // tolerances: a residual that is not rough but wrong

enum {
    EXACT_MOST = 500,        // contacts that go by rows, unless the tolerance is loose
    FINISH_MOST = 2000,      // contacts that are finished by rows ...
    FINISH_LOOSE_MOST = 300, // ... where the tolerance is loose
    NEAR_MOST = 60,          // iterations: what they leave of a problem that was nearly solved, 500 leave too
    FAR_MOST = 100,          // iterations where the tolerance is loose: they solve most of what can be solved
};

// The model leaves the choice to us; else its solver is used whatever the problem.
static bool is_auto(const moreau *m)
{
    return strcmp(m->contact.solver, "auto") == 0;
}

ph_cone_settings moreau_cone_settings(const moreau *m)
{
    ph_cone_settings settings = ph_default_cone();
    settings.solver = is_auto(m) ? "apgd" : m->contact.solver;
    settings.law = m->contact.law;
    settings.tolerance = m->contact.tolerance;
    if (settings.tolerance < LOOSE) settings.tolerance *= 0.3; // forces of a heap at rest sum up what is left
    settings.iterations = m->contact.iterations;
    return settings;
}

bool moreau_suits_heap(const moreau *m, int count)
{
    return count > (m->contact.tolerance >= LOOSE ? 0 : EXACT_MOST);
}

bool moreau_is_far_off(const moreau *m, double residual)
{
    return residual > FAR_OFF * m->contact.tolerance;
}

bool moreau_may_finish(const moreau *m, int count, double residual)
{
    const bool rough = m->contact.tolerance >= LOOSE && !moreau_is_far_off(m, residual);
    return count <= (rough ? FINISH_LOOSE_MOST : FINISH_MOST);
}

static bool goes_to_heap(const moreau *m)
{
    return m->traits->may_use_heap && is_auto(m) && m->now.h > 0.0 && moreau_suits_heap(m, contacts_of(m)->count) &&
           plain_is(contacts_of(m));
}

static ph_status run_path(moreau *m, const moreau_path *path, const ph_cone_settings *settings, ph_cone_report *report)
{
    m->now.path = path;
    const ph_status status = path->begin(m);
    return status == PH_OK ? path->solve(m, settings, report) : status;
}

// One sweep first: more of them do not help where the impulses of the last step are nearly right already. They move the
// redundant forces of a wall at rest about, and leave the exact solvers a worse start than they had.
static ph_status try_one_sweep(moreau *m, const ph_cone_settings *settings, ph_cone_report *report, bool *near)
{
    ph_cone_settings once = *settings;
    once.iterations = 1;
    const ph_status status = run_path(m, &moreau_path_heap, &once, report);
    *near = report->residual <= NEARLY;
    if (status != PH_OK || *near) return status;
    moreau_set_free(m);
    return moreau_path_heap.solve(m, settings, report);
}

static ph_status finish_by_rows(moreau *m, bool near, ph_cone_report *report)
{
    ph_cone_settings settings = moreau_cone_settings(m);
    settings.solver = "newton";
    settings.tolerance = m->contact.tolerance;
    const bool far_off = settings.tolerance >= LOOSE && contacts_of(m)->count > FINISH_LOOSE_MOST;
    const int most = near ? NEAR_MOST : far_off ? FAR_MOST : settings.iterations;
    if (settings.iterations > most) settings.iterations = most;
    m->rows.start_from_heap = !near;
    return run_path(m, &moreau_path_rows, &settings, report);
}

static ph_status solve_by_heap(moreau *m, const ph_cone_settings *settings, ph_cone_report *report)
{
    const bool loose = settings->tolerance >= LOOSE;
    const int count = contacts_of(m)->count;
    bool near = false;
    const ph_status status = !loose && moreau_may_finish(m, count, 0.0)
                                 ? try_one_sweep(m, settings, report, &near)
                                 : run_path(m, &moreau_path_heap, settings, report);
    if (status != PH_OK || !(report->residual > m->contact.tolerance)) return status;
    return moreau_may_finish(m, count, report->residual) ? finish_by_rows(m, near, report) : status;
}

ph_status moreau_solve_contacts(moreau *m, ph_step_report *report, ph_cone_report *cone_report)
{
    const ph_cone_settings settings = moreau_cone_settings(m);
    m->rows.start_from_heap = false;
    m->both.far_off = false;
    const ph_status status = m->both.parted    ? run_path(m, &moreau_path_both, &settings, cone_report)
                             : m->trees        ? run_path(m, &moreau_path_trees, &settings, cone_report)
                             : goes_to_heap(m) ? solve_by_heap(m, &settings, cone_report)
                                               : run_path(m, &moreau_path_rows, &settings, cone_report);
    report->contacts = contacts_of(m)->count;
    report->contact_solver = m->now.solver = cone_report->solver;
    report->contact_iterations = cone_report->iterations;
    report->contact_residual = cone_report->residual;
    report->contact_missed = !(cone_report->residual <= m->contact.tolerance);
    return status;
}
