// A step of `moreau` in parts, where a body turns too far in it or where it leads to overlap.
//
// Directions and arms are those of the beginning of a step. It is made again in parts where
//
//     theta > 1, r theta > thickness     of a body that touches or may, about axes it is not round about: it might pass through
//                                        the other; planes have no other side
//     depth > what is allowed            at the end, whatever moreau_ahead.c has done about it
//
// Halves make these smaller by two and by four. Where they do not, for instance as a problem was not solved, the rest of
// the step is not divided any more.
#include "schemes/moreau.h"

#include <float.h>
#include <math.h>

static const double HELPS = 0.7;      // what a half must leave of the overlap of the whole at the most
enum { ENOUGH = 8, PARTS_MOST = 64 }; // parts after which they must have helped; at the most

// ---- Turning --------------------------------------------------------------------------------------------------------

static double turn_at(const moreau *m, int shape)
{
    const int i = m->detector->shapes.shapes[shape].body, k = m->detector->shapes.moving[i];
    const detector_kind *kind = m->detector->shapes.shapes[shape].kind;
    if (k < 0 || kind->swing == 0.0) return 0.0;
    const ph_vec3 after = ph_tmul(moreau_rotation(m, i), m->bodies.after[k].angular);
    return ph_max(shape_turn(kind, m->now.state->angular_velocity[i], m->now.h), shape_turn(kind, after, m->now.h));
}

// The largest of shapes that touch or may, by what is allowed.
static double largest_turn(const void *user, int from, int to)
{
    const moreau *m = user;
    const contact_set *found = contacts_of(m);
    const detector_shape *shapes = found->shapes->shapes;
    double most = 0.0;
    for (int i = from; i < to; i++) {
        const detected_gap c = contacts_gap_at(found, i);
        const detector_kind *a = shapes[c.shape_a].kind, *b = shapes[c.shape_b].kind;
        most = ph_max(most, turn_at(m, c.shape_a) / shape_turn_most(a, b));
        most = ph_max(most, turn_at(m, c.shape_b) / shape_turn_most(b, a));
    }
    return most;
}

bool moreau_is_kept(moreau *m)
{
    moreau_parts *p = &m->parts;
    if (p->is_last || m->now.h < 0.0) return true;
    p->turn = pool_largest(m->pool, largest_turn, m, contacts_of(m)->count);
    p->impact = moreau_next_impact(m);
    return p->turn <= 1.0 && m->ahead.overlap <= 1.0 && p->impact >= m->now.h;
}

void moreau_parts_destroy(moreau *m)
{
    ph_state_destroy(m->parts.start);
}

// ---- Parts ----------------------------------------------------------------------------------------------------------

static void add_report(ph_step_report *all, const ph_step_report *part)
{
    const ph_step_report before = *all;
    *all = *part;
    all->contacts = part->contacts > before.contacts ? part->contacts : before.contacts;
    all->contact_iterations += before.contact_iterations;
    all->contact_residual = ph_max(part->contact_residual, before.contact_residual);
    all->contact_missed = part->contact_missed || before.contact_missed;
    all->penetration = ph_max(part->penetration, before.penetration);
    if (!part->contact_solver) all->contact_solver = before.contact_solver;
}

// The length of the next part where one of length `tried` was no good; and whether parts help at all.
static double shorter(moreau *m, double h, double tried, double overlap_before)
{
    moreau_parts *p = &m->parts;
    if (p->turn > 1.0) return tried / ceil(fmin(p->turn, PARTS_MOST));
    if (p->impact < tried) {
        p->undo = h; // parts between two impacts may be as short as one likes
        return fmin(p->impact, 0.99 * tried);
    }
    p->gives_up = tried <= h / ENOUGH && overlap_before > 0.0 && m->ahead.overlap > HELPS * overlap_before;
    return 0.5 * tried;
}

// From `left` to the end of the step.
static ph_status go_on(moreau *m, ph_state *state, double h, moreau_part *make, ph_step_report *report)
{
    moreau_parts *p = &m->parts;
    ph_status status = PH_OK;
    int tries = 0;
    double overlap = m->ahead.overlap, part = shorter(m, h, h, 0.0), left = h;
    while (status == PH_OK && left > 4.0 * DBL_EPSILON * h) {
        const double tried = fmin(part, left);
        ph_step_report own = {.time = report->time, .step = report->step, .worst_joint = PH_NONE};
        p->gives_up = p->gives_up || ++tries > 2 * PARTS_MOST;
        p->is_last = p->gives_up || tried <= h / PARTS_MOST;
        status = make(m, state, tried, &own);
        if (status == PH_OK && p->kept) {
            left -= tried;
            part = 2.0 * tried;
            overlap = 0.0;
        } else if (status == PH_OK) {
            part = shorter(m, h, tried, overlap);
            overlap = m->ahead.overlap;
            continue;
        }
        add_report(report, &own);
    }
    return status;
}

static bool keep_start(moreau *m, const ph_state *state)
{
    moreau_parts *p = &m->parts;
    if (!p->start) m->now.growths += 2; // the state and what shows its contacts
    if (!p->start) p->start = ph_state_create(m->model);
    return p->start && ph_state_copy(p->start, state) == PH_OK;
}

ph_status moreau_make_parts(moreau *m, ph_state *state, double h, moreau_part *make, ph_step_report *report)
{
    moreau_parts *p = &m->parts;
    p->is_last = p->gives_up = false;
    p->undo = 0.0;
    ph_status status = make(m, state, h, report);
    if (status != PH_OK || p->kept) return status;
    if (!keep_start(m, state)) return PH_OUT_OF_MEMORY;
    *report = (ph_step_report){.time = report->time, .step = report->step, .worst_joint = PH_NONE};
    status = go_on(m, state, h, make, report);
    if (status != PH_OK) ph_state_copy(state, p->start);
    return status;
}
