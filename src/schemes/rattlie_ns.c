// Nonsmooth RATTLie: RATTLie between impacts, contacts at position level in its first stage and at velocity level, with
// friction, in its second.                                                                   (docs/theory/rattlie-ns.md)
//
// Restitution at the end of a step would cost energy of order h with every impact, as the surfaces do not meet there. So
// contacts with restitution that are open, or open fast, fly: the stages do not see them. When one closes within the
// step at more than v_min, the step is divided: its first part ends where the gap does, g(q(tau)) = 0, the velocities jump
// by the law of impact, and the rest follows. A contact that closes more slowly, and any after the eighth in one step,
// is one without restitution.
#include "dynamics/system.h"
#include "math/mat3.h"
#include "math/trig.h"
#include "model/scales.h"
#include "model/solvers.h"
#include "schemes/nonsmooth.h"
#include "schemes/rattlie.h"

#include <float.h>
#include <math.h>

extern const ph_scheme scheme_rattlie_ns;

enum { EVENTS_MOST = 8, SEARCH_MOST = 60, PARTS_MOST = 64 };

typedef struct rattlie_ns {
    nonsmooth contacts;
    variational *stages;
    ph_state *start; // what a step that fails goes back to ...
    ph_state *begin; // ... and a part of it
    double bounce;
    double size; // of bodies, as far as joints hold them
} rattlie_ns;

// ---- Life -----------------------------------------------------------------------------------------------------------

static void destroy(void *self)
{
    rattlie_ns *s = self;
    nonsmooth_destroy(&s->contacts);
    ph_state_destroy(s->start);
    ph_state_destroy(s->begin);
    variational_destroy(s->stages); // and the memory of all this
}

static ph_status refuse_compliance(const ph_model *model, ph_error *error)
{
    for (int b = 0; b < model->body_count; b++)
        for (int k = 0; k < model->bodies[b].kind->shape_count; k++)
            if (model->has_contact && model->bodies[b].kind->shapes[k].collide &&
                model->bodies[b].kind->shapes[k].compliance > 0.0)
                return error_set(error, PH_NOT_SUPPORTED,
                                 "a shape of body '%s' is compliant, and scheme 'rattlie-ns' has rigid contacts only; "
                                 "use moreau",
                                 model->bodies[b].name);
    return PH_OK;
}

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    void *stages = NULL;
    ph_status status = refuse_compliance(model, error);
    if (status == PH_OK)
        status = variational_create(model, &scheme_rattlie_ns, settings, &rule_rattlie, &stages, error);
    if (status != PH_OK) return status;
    rattlie_ns *s = arena_alloc(((variational *)stages)->memory, sizeof *s);
    if (!s) {
        variational_destroy(stages);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *s = (rattlie_ns){.stages = stages,
                      .start = ph_state_create(model),
                      .begin = ph_state_create(model),
                      .bounce = settings->options[0],
                      .size = mechanism_size(model)};
    status = nonsmooth_create(model, stages, &s->contacts, error);
    if (status == PH_OK && !(s->start && s->begin)) status = error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    if (status != PH_OK) {
        destroy(s);
        return status;
    }
    s->stages->here.motion.exact_friction = s->stages->there.motion.exact_friction = true;
    *self = s;
    return PH_OK;
}

// ---- Events ---------------------------------------------------------------------------------------------------------

static void choose_flying(nonsmooth *c, double slow)
{
    for (int i = 0; i < c->here.detector->found.count; i++) {
        const detected *contact = &c->here.detector->found.list[i];
        c->flies[i] = contacts_surface(&c->here.detector->found, contact).restitution > 0.0 &&
                      (contact->gap > NONSMOOTH_TOUCH || nonsmooth_rate(c, i) > slow);
    }
}

enum { NOBODY = -1, UNFORESEEN = -2 };

// A gap at the end of stage 1, its rate with the velocities of stage 1, and its slope by the length of the stage, which is the speed at which
// it closes: those velocities are the means of the stage, and change half as fast.
typedef struct end_gap {
    double gap, rate, slope;
} end_gap;

// The contact that flies, or that nobody saw coming, whose gap is smallest at the end of stage 1.
static int nearest(nonsmooth *c, double h, end_gap *to)
{
    int found = NOBODY;
    const detected *unforeseen = nonsmooth_unforeseen(c, &to->rate);
    to->gap = PH_INF;
    if (unforeseen && to->rate < 0.0) {
        found = UNFORESEEN;
        to->gap = unforeseen->gap + NONSMOOTH_TOUCH;
        to->slope = to->rate;
        c->closing = *unforeseen;
    }
    for (int i = 0; i < c->here.detector->found.count; i++) {
        double speed;
        if (!c->flies[i]) continue;
        const double width = nonsmooth_gap_ahead(c, i, h, &speed);
        if (width < to->gap) found = i, *to = (end_gap){width, speed, 2.0 * speed - nonsmooth_rate(c, i)};
    }
    if (found >= 0) c->closing = c->here.detector->found.list[found];
    c->closing_guessed = found >= 0 && c->ahead[found] < 0;
    if (found == NOBODY) c->closing.shape_a = -1;
    return found;
}

// Stage 1 of length h, with the contacts that close slowly among those it holds.
static ph_status solve(nonsmooth *c, const ph_state *state, double h, double slow, bool last, end_gap *at,
                       ph_step_report *report)
{
    while (true) {
        const ph_status status = nonsmooth_solve(c, state, h, report);
        const int i = status == PH_OK ? nearest(c, h, at) : NOBODY;
        if (i == NOBODY || (i == UNFORESEEN && last)) at->gap = PH_INF;
        if (i < 0 || at->gap > 0.0 || (at->slope < -slow && !last)) return status;
        c->flies[i] = false; // one contact less in every pass
    }
}

// Stage 1 of the length tau at which the first flying contact closes: Newton's method from the end of the step, where a
// contact has closed, within the bracket. From there it stays beyond the root, and does not meet that of a contact which opens from
// nothing, zero. Where it is slow, as the slope is one of first order, the secant of the last two lengths takes its place.
static ph_status find_closing(nonsmooth *c, const ph_state *state, double h, end_gap at, double *tau,
                              ph_step_report *report)
{
    double open = 0.0, closed = h, last_gap = PH_INF, last = h;
    *tau = h;
    for (int k = 0; k < SEARCH_MOST; k++) {
        const bool slowly = fabs(at.gap) > 0.25 * fabs(last_gap);
        const double slope = slowly ? (at.gap - last_gap) / (*tau - last) : at.slope, newton = *tau - at.gap / slope;
        last = *tau, last_gap = at.gap;
        *tau = newton > open && newton < closed ? newton : 0.5 * (open + closed);
        const ph_status status = nonsmooth_solve(c, state, *tau, report);
        if (status != PH_OK) return status;
        const bool none = nearest(c, *tau, &at) == NOBODY;
        *(at.gap > 0.0 ? &open : &closed) = *tau;
        if (none && closed - open <= 1e-12 * h) return PH_OK;
        if (fabs(at.gap) <= 4.0 * DBL_EPSILON * fabs(at.rate) * h || fabs(*tau - last) <= DBL_EPSILON * h) return PH_OK;
    }
    return PH_OK;
}

// ---- The step -------------------------------------------------------------------------------------------------------

static void report_contacts(const nonsmooth *c, ph_step_report *report)
{
    double deepest = 0.0;
    for (int i = 0; i < c->there.detector->found.count; i++)
        deepest = ph_max(deepest, -c->there.detector->found.list[i].gap);
    report->contacts = c->there.detector->found.count;
    report->contact_iterations += c->worst.iterations;
    report->contact_residual = ph_max(report->contact_residual, c->worst.residual);
    report->contact_solver = c->worst.solver;
    report->contact_missed = report->contact_residual > c->contact.tolerance;
    report->penetration = ph_max(report->penetration, deepest);
}

// T + U, less the work of all that is no contact: contacts and stops may only make it smaller.
typedef struct balance {
    double kinetic, total, work; // work: of all that is no contact
} balance;

static balance balance_of(rattlie_ns *s, const ph_state *state)
{
    variational *v = s->stages;
    node_set_twists(v->model, state->angular_velocity, state->velocity, &v->here);
    const double T = system_kinetic(v->model, v->here.twists), U = system_potential(v->model, &v->here.motion);
    const double work = state->work - state->contact_work.friction - state->contact_work.impact;
    return (balance){T, T + U - work, work};
}

// What rounding of places alone makes of T + U in a step h: forces do work along it, and it is a velocity when divided by h. The
// energies themselves do not tell: those of a mechanism that hangs at rest about the origin are both nought.
static double rounding(const rattlie_ns *s, double h)
{
    const variational *v = s->stages;
    const double gravity = ph_norm(v->model->gravity), rate = 64.0 * DBL_EPSILON / h;
    double energy = 0.0;
    for (int k = 0; k < v->model->moving_count; k++) {
        const int b = v->model->moving[k];
        const body_kind *kind = v->model->bodies[b].kind;
        const double far = ph_norm(v->here.frames[b].x) + s->size;
        const double force = kind->mass * gravity + ph_norm(v->here.Q[b].force);
        energy += 1e-12 * (force * far + ph_norm(v->here.Q[b].torque));
        energy += 0.5 * (kind->mass * far * far + ph_trace(kind->J)) * rate * rate;
    }
    return energy;
}

// Contacts have put energy in: more than the error of a step that knows where it is, and than lifting bodies out of others.
static bool gains(balance before, balance after, double lifted)
{
    const double most = 1e-4, paid = 1e-2 * fabs(after.work - before.work); // the work is a sum, with its own error
    return after.total - before.total > most * ph_max(before.kinetic, after.kinetic) + paid + lifted +
                                            1e-12 * (fabs(before.total) + fabs(after.total));
}

typedef struct trial {
    double length; // of what was done
    int events;    // so far in the step
    double lifted; // energy that undoing the overlap with which it began may take
    double turn;   // of shapes that touch or may, by what they may turn
    bool gained;
    ph_step_report report;
} trial;

// One part of the step: to the next impact, or to the end.
static ph_status part(rattlie_ns *s, ph_state *state, double h, double slow, trial *t)
{
    nonsmooth *c = &s->contacts;
    const bool last = t->events == EVENTS_MOST || c->late;
    end_gap at = {PH_INF, 0.0, 0.0};
    t->length = h;
    ph_status status = nonsmooth_enter(c, state, h);
    if (status != PH_OK) return variational_fail(s->stages, status, &t->report, "the constraints are singular here");
    t->lifted = nonsmooth_lift(c, h);
    if (!last) choose_flying(c, slow);
    status = solve(c, state, h, slow, last, &at, &t->report);
    if (status != PH_OK) return status;
    const bool closes = at.gap <= 0.0;
    if (closes) status = find_closing(c, state, h, at, &t->length, &t->report);
    const bool moves = t->length > 1e-9 * h; // else the impact is where the part begins
    if (!moves) t->length = 0.0;
    t->turn = nonsmooth_turn(c, t->length);
    if (status == PH_OK && moves) status = nonsmooth_finish(c, state, t->length, &t->report);
    if (status == PH_OK) report_contacts(c, &t->report);
    if (status == PH_OK && closes) status = nonsmooth_impact(c, state, h, slow);
    t->events += closes;
    return status;
}

// A part of length h.
static ph_status try_part(rattlie_ns *s, ph_state *state, double h, double slow, trial *t)
{
    if (!variational_enter(s->stages, state, h)) return PH_SINGULAR;
    const balance before = balance_of(s, state);
    const long long so_far = t->report.iterations;
    t->report.iterations = 0;
    t->lifted = t->turn = 0.0;
    const ph_status status = part(s, state, h, slow, t);
    t->report.iterations += so_far;
    const bool acts = s->contacts.here.rows.row_count + s->contacts.there.rows.row_count > 0;
    t->gained = status == PH_OK && acts && gains(before, balance_of(s, state), t->lifted + rounding(s, h));
    return status;
}

static length_law scaled(length_law law, double by)
{
    return (length_law){by * law.left, by * law.most};
}

// The next part, as long as it can be, up to `most`: where it fails, or gains energy, it is tried again without undoing overlap
// and then in halves; where a body turns too far beside another, by as much shorter. In the shortest part contacts act on velocities alone: without P_1 stage 2 is an impact, which can only
// take energy out.
static ph_status advance(rattlie_ns *s, ph_state *state, double h, double left, double *most, trial *done)
{
    const double slow = s->bounce * h * ph_norm(s->stages->model->gravity);
    if (ph_state_copy(s->begin, state) != PH_OK) return PH_OUT_OF_MEMORY;
    length_law law = {0.0, 1.0}; // of *most
    s->contacts.recovers = true;
    s->contacts.fixed_length = false;
    nonsmooth_tell(&s->contacts, NONSMOOTH_KEEPS, state, 0.0);
    while (true) {
        const double tried = fmin(left, *most);
        trial t = *done;
        s->contacts.late = tried <= h / PARTS_MOST;
        s->contacts.length = left <= *most ? (length_law){1.0, 0.0} : law;
        s->contacts.next_most = scaled(law, 2.0 * *most < h ? 2.0 : 0.0);
        nonsmooth_tell(&s->contacts, NONSMOOTH_TRIES, state, 0.0);
        const ph_status status = try_part(s, state, tried, slow, &t);
        const bool turns = status == PH_OK && t.turn > 1.0;
        if (status == PH_OUT_OF_MEMORY || s->contacts.late || (status == PH_OK && !t.gained && !turns)) {
            *done = t;
            *most = fmin(2.0 * *most, h);
            return status;
        }
        ph_state_copy(state, s->begin);
        s->stages->here_valid = false;
        if (!turns && status == PH_OK && t.lifted > 0.0 && s->contacts.recovers) {
            s->contacts.recovers = false;
            continue;
        }
        *most = turns ? fmin(0.5 * tried, t.length / ceil(fmin(t.turn, PARTS_MOST))) : 0.5 * tried;
        law = scaled(s->contacts.length, *most / tried);
        s->contacts.fixed_length = s->contacts.fixed_length || (turns && t.length < tried);
    }
}

static ph_status make_step(rattlie_ns *s, ph_state *state, double h, ph_step_report *report)
{
    const double time = state->time;
    ph_status status = PH_OK;
    trial done = {.report = *report};
    done.report.iterations = 0;
    report->advice = "rattlie-ns goes forward only: give a positive step";
    if (h < 0.0) return PH_BAD_ARGUMENT;
    if (!state_reserve_history(state) || !state_reserve_history(s->begin) || ph_state_copy(s->start, state) != PH_OK)
        return PH_OUT_OF_MEMORY;
    for (double left = h, most = h; status == PH_OK && left > 4.0 * DBL_EPSILON * h; left -= done.length)
        status = advance(s, state, h, left, &most, &done);
    *report = done.report;
    if (status != PH_OK) {
        ph_state_copy(state, s->start);
        s->stages->here_valid = false;
        if (!report->advice) report->advice = "try a smaller step";
        return status;
    }
    state->contact_solver = contact_solver_index(report->contact_solver);
    state->time = time + h;
    return PH_OK;
}

nonsmooth *rattlie_ns_contacts(void *self)
{
    return &((rattlie_ns *)self)->contacts;
}

static int growths_so_far(const rattlie_ns *s, const ph_state *state)
{
    return nonsmooth_growths(&s->contacts) + s->start->growths + s->begin->growths + state->growths;
}

static ph_status step(void *self, ph_state *state, double h, ph_step_report *report)
{
    rattlie_ns *s = self;
    const int before = growths_so_far(s, state);
    const ph_status status = make_step(s, state, h, report);
    report->growths = growths_so_far(s, state) - before;
    return status;
}

const ph_scheme scheme_rattlie_ns = {
    .name = "rattlie-ns",
    .title = "nonsmooth RATTLie: variational between impacts, contact and friction at both levels",
    .reference = "docs/theory/rattlie-ns.md; after Hante and Arnold 2021 and Capobianco and others 2021",
    .order = 2,
    .traits = PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT | PH_KEEPS_MOMENTUM | PH_HAS_CONTACT,
    .options = {{"bounce", "steps of gravity below which a bounce is not resolved", 0.1, 0.0, 1e6}},
    .create = create,
    .step = step,
    .destroy = destroy,
};
