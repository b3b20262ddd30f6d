// Stage 2 of nonsmooth RATTLie: velocities at the end of a step, contacts at velocity level, and the new state.
#include "schemes/nonsmooth.h"

#include "contact/impulses.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

// P_1 of contact c of q_n in the axes of contact t of q_{n+1}.
static void carry_contact(const nonsmooth *s, int c, int t)
{
    const contact_rows *from = &s->here.rows.contacts[c], *to = &s->there.rows.contacts[t];
    const double *g = s->here.g + from->first;
    double *carried = s->there.g + to->first;
    const ph_vec3 push = ph_madd(ph_scale(g[1], from->axes[1]), g[2], from->axes[2]);
    carried[0] = g[0], carried[1] = ph_dot(push, to->axes[1]), carried[2] = ph_dot(push, to->axes[2]);
    if (from->rolls) {
        const ph_vec3 roll = ph_madd(ph_scale(g[3], from->axes[1]), g[4], from->axes[2]);
        carried[3] = ph_dot(roll, to->axes[1]), carried[4] = ph_dot(roll, to->axes[2]);
    }
    if (from->count == 4 || from->count == 6) carried[from->count - 1] = g[from->count - 1];
    s->there.closes[t] = s->here.closes[c];
}

// Contacts that close or push, and P_1 carried over to them.
static bool set_rows_there(nonsmooth *s, double h)
{
    const delassus *rows = &s->here.rows;
    bool ok = nonsmooth_begin_rows(s, &s->there);
    for (int t = 0; t < s->there.detector->found.count && ok; t++) {
        const int i = s->before[t];
        if (i >= 0 && s->flies[i]) continue;
        const bool pushes = i >= 0 && !s->late && s->here.g[rows->contacts[s->here.row[i]].first] > 0.0;
        if (pushes || s->there.detector->found.list[t].gap <= NONSMOOTH_TOUCH) ok = nonsmooth_add_contact(&s->there, t);
    }
    ok = ok && nonsmooth_add_stops(s, &s->there, &s->stages->there, NONSMOOTH_TOUCH, h) &&
         nonsmooth_end_rows(s, &s->there);
    for (int t = 0; t < s->there.rows.contact_count && ok; t++) {
        const int i = s->before[s->there.of[t]];
        if (i >= 0 && !s->late) carry_contact(s, s->here.row[i], t);
    }
    for (int t = 0; t < s->there.rows.stop_count && ok; t++) {
        const stop_row *stop = &s->there.rows.stops[t];
        s->there.g[stop->first] = nonsmooth_stop_impulse(&s->here, stop->joint, stop->kind,
                                                         &s->there.closes[s->there.rows.contact_count + t]);
    }
    return ok;
}

// The solution of a system with the mass matrix, as world twists.
static void read_twists(nonsmooth *s, kkt *kkt, const node *at)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const double *v = kkt_body_x(kkt, k);
        const ph_mat3 *R = &at->frames[s->model->moving[k]].R;
        s->twist[k] = (screw){ph_mul(*R, ph_vec(v[0], v[1], v[2])), ph_vec(v[3], v[4], v[5])};
    }
}

// Whether the friction impulses g of a cone are as large as they may be: it slips, in one of its parts.
static bool slips(const ph_cone *c, const double *g)
{
    const double nearly = 1.0 - 1e-6, spin = c->spins ? fabs(g[ph_cone_rows(c) - 1]) : 0.0;
    if (c->kind == PH_CONE_INTERVAL) return !(g[0] > nearly * c->low && g[0] < nearly * c->high);
    if (c->kind != PH_CONE_FRICTION) return false;
    return sqrt(g[1] * g[1] + g[2] * g[2]) >= nearly * c->friction * g[0] ||
           (c->rolls && sqrt(g[3] * g[3] + g[4] * g[4]) >= nearly * c->rolling * g[0]) ||
           (c->spins && spin >= nearly * c->spinning * g[0]);
}

// Work of the impulses g of one stage, part of `whole`, from the velocities u before and w after it. Impulses of contacts that last, and friction
// that holds, are those of constraints, whose work is the scheme's own error; where a contact closes they take energy out.
contact_work nonsmooth_work(const side *side, const double *whole, const double *g, const double *u, const double *w)
{
    const delassus *rows = &side->rows;
    contact_work work = {0.0, 0.0};
    for (int c = 0, r = 0; c < rows->cone_count; c++) {
        const int end = r + ph_cone_rows(&rows->cones[c]);
        const bool has_normal = rows->cones[c].kind != PH_CONE_INTERVAL;
        const bool works = side->closes[c] || slips(&rows->cones[c], whole + r);
        if (has_normal && side->closes[c]) work.impact += 0.5 * g[r] * (u[r] + w[r]);
        for (r += has_normal; r < end; r++) work.friction += works ? 0.5 * g[r] * (u[r] + w[r]) : 0.0;
    }
    return work;
}

// Work of P_1: from v_n to (Omega_+, v_+) at q_n. Contacts that did not push before close now.
static contact_work work_here(nonsmooth *s, const ph_state *state, double h)
{
    const variational *v = s->stages;
    side *here = &s->here;
    impulses_guess(&here->rows, &here->detector->found, here->of, state, h, s->next);
    for (int c = 0, r = 0; c < here->rows.cone_count; r += ph_cone_rows(&here->rows.cones[c++]))
        here->closes[c] = !(s->next[r] > 0.0);
    nonsmooth_set_twists(s, &v->here, v->here.twists);
    delassus_velocities(&here->rows, s->twist, s->u);
    nonsmooth_set_twists(s, &v->here, v->there.twists);
    delassus_velocities(&here->rows, s->twist, s->q);
    return nonsmooth_work(here, here->g, here->g, s->u, s->q);
}

// The work of P - P_1, from (Omega_+, v_+) to the velocities that solve (4); there.g becomes P - P_1.
static void add_work_there(nonsmooth *s, contact_work *work)
{
    variational *v = s->stages;
    side *there = &s->there;
    for (int k = 0; k < s->model->moving_count; k++) {
        const ph_mat3 *R = &v->there.frames[s->model->moving[k]].R;
        s->twist[k] = (screw){ph_mul(*R, v->stage[k].omega), v->stage[k].v};
    }
    delassus_velocities(&there->rows, s->twist, s->q);
    read_twists(s, &v->kkt, &v->there);
    delassus_velocities(&there->rows, s->twist, s->u);
    for (int r = 0; r < there->rows.row_count; r++) there->g[r] = s->next[r] - there->g[r];
    const contact_work second = nonsmooth_work(there, s->next, there->g, s->q, s->u);
    work->friction += second.friction;
    work->impact += second.impact;
}

// P into s->next, from the momenta without P_1; the momenta then hold it. Returns the work of P - P_1.
static ph_status solve_there(nonsmooth *s, const ph_state *state, contact_work *work)
{
    variational *v = s->stages;
    side *there = &s->there;
    const int n = there->rows.row_count;
    kkt *kkt = there->rows.trees ? &v->kkt : there->kkt;
    nonsmooth_push(s, there, &v->there, there->g, -1.0);
    variational_put_momentum(v, state, kkt);
    if (there->rows.trees)
        kkt_solve(kkt);
    else
        delassus_solve(&there->rows);
    read_twists(s, kkt, &v->there);
    delassus_velocities(&there->rows, s->twist, s->q);
    for (int r = 0; r < n; r++) s->next[r] = 2.0 * there->g[r];
    const ph_status status = nonsmooth_solve_cones(s, there, s->next);
    if (status != PH_OK) return status;
    nonsmooth_push(s, there, &v->there, s->next, 1.0);
    variational_project(v, state);
    add_work_there(s, work);
    return PH_OK;
}

// next <- impulses for the velocities v of `there`, which those in `held` have led to and answer to others by N.
static ph_status respond(nonsmooth *s, const double *held)
{
    side *there = &s->there;
    const ph_cone_operator N = delassus_operator(&there->rows);
    nonsmooth_set_twists(s, &s->stages->there, s->stages->there.twists);
    delassus_velocities(&there->rows, s->twist, s->q);
    N.apply(N.self, held, s->u);
    for (int r = 0; r < there->rows.row_count; r++) s->q[r] -= s->u[r];
    return nonsmooth_solve_cones(s, there, s->next);
}

// The same where forces depend on the velocity: (3) with A = M - h/2 dQ/dv, which answers for dampers as they are at v. Where these
// are straight lines along joints one pass is all; else again until the impulses stay.
static ph_status solve_there_damped(nonsmooth *s, const ph_state *state, double h, contact_work *work)
{
    enum { PASSES_MOST = 20 };
    variational *v = s->stages;
    side *there = &s->there;
    const int n = there->rows.row_count;
    const bool once = v->damped.linear && v->damped.other_count + v->damped.strut_count == 0;
    double *held = s->before_impact, *change = s->plastic, moved = INFINITY;
    memcpy(held, there->g, sizeof(double) * (size_t)n);
    for (int r = 0; r < n; r++) s->next[r] = 2.0 * held[r];
    for (int pass = 0; pass < PASSES_MOST && moved > 1e-14 * nonsmooth_largest(s->next, n); pass++) {
        const ph_status status = respond(s, held);
        if (status != PH_OK) return status;
        for (int r = 0; r < n; r++) change[r] = s->next[r] - held[r];
        memcpy(held, s->next, sizeof(double) * (size_t)n);
        nonsmooth_push(s, there, &v->there, change, 1.0);
        if (!variational_damp_again(v, state, h)) return PH_NO_CONVERGENCE;
        moved = once ? 0.0 : nonsmooth_largest(change, n);
    }
    variational_project(v, state);
    add_work_there(s, work);
    return PH_OK;
}

ph_status nonsmooth_finish(nonsmooth *s, ph_state *state, double h, ph_step_report *report)
{
    variational *v = s->stages;
    contact_work work = work_here(s, state, h);
    ph_status status = variational_arrive(v, state, h, report);
    if (!v->needs_velocity) nonsmooth_set_stage_twists(s); // else those that the dampers have left
    if (status == PH_OK) status = variational_check_left_out(v, report);
    if (status == PH_OK) status = nonsmooth_detect_there(s, h);
    if (status != PH_OK) return status;
    if (!nonsmooth_factor(s, &s->there, &v->there, v->position, v->orientation, h)) return PH_SINGULAR;
    if (!set_rows_there(s, h) || !state_reserve_contacts(state, s->there.rows.contact_count)) return PH_OUT_OF_MEMORY;
    if (s->there.rows.row_count == 0)
        variational_project(v, state);
    else
        status = v->needs_velocity ? solve_there_damped(s, state, h, &work) : solve_there(s, state, &work);
    if (status == PH_OK && !variational_finite(v))
        status = variational_fail(v, PH_NOT_FINITE, report, "try a smaller step");
    if (status != PH_OK) return status;
    impulses_keep(&s->there.rows, &s->there.detector->found, s->there.of, s->next, h, 0, state);
    nonsmooth_tell(s, NONSMOOTH_STAGED, state, h);
    variational_leave(v, state, h);
    state_add_work(state, work);
    return PH_OK;
}
