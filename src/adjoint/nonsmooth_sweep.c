// Backwards over a step of `rattlie-ns`. Letters and numbers of equations: docs/adjoint.md, docs/theory/rattlie-ns.md.
//
// Stage 2 has W (P - P_1) among its momenta and the cone problem of u = W^T V_{n+1}; stage 1 has W_n P_1 and that of
//
//     w_N = (g(q_{n+1}) - floor)/h,     w_T = W_T(q_n)^T V_+
//
// so that (18) holds with the operators W^T (M - h/2 Q_V)^-1 W and L^T N^-1 W_n, L the derivative of w by V_+. y of the first joins a_V, y
// of the second the right-hand side of (9). What is left are the gradients of
//
//     (P - P_1) . W^T beta + y . W^T V_{n+1}      at q_{n+1},        P_1 . W_n^T kappa + y_T . W_T^T V_+ - y_N floor/h      at q_n
//
// and y_N/h by the gap at q_{n+1}. An impact is (18) with u = W^T V' + e W_N^T V. The length tau of the stages before it is an unknown, the
// gap g(q(tau)) = 0 its equation: with the gradient T by tau, all else being fixed, -T/g' is the gradient by that gap.
#include "adjoint/nonsmooth_sweep.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

// ---- Life -----------------------------------------------------------------------------------------------------------

static size_t saved_size(const sweep *s)
{
    return (size_t)(s->numbers.count + s->model->input_count + s->model->target_count) + 1;
}

static void begin_side(const nonsmooth_sweep *w, contact_sweep *c)
{
    *c = (contact_sweep){.s = w->s, .shapes = &w->n->here.detector->shapes, .memory = w->memory, .report = w->report};
}

bool nonsmooth_sweep_create(sweep *s, const nonsmooth *n, ph_adjoint_report *report, arena *memory, nonsmooth_sweep *w)
{
    const size_t places = model_places(s->model), rows = (size_t)s->model->row_count + 1;
    *w = (nonsmooth_sweep){.s = s, .n = n, .memory = memory, .report = report};
    begin_side(w, &w->here), begin_side(w, &w->there), begin_side(w, &w->ahead);
    w->twist = arena_alloc_array(memory, places, sizeof *w->twist);
    w->change = arena_alloc_array(memory, places, sizeof *w->change);
    w->scratch = arena_alloc_array(memory, places, sizeof *w->scratch);
    w->a_q = arena_alloc_array(memory, places, sizeof *w->a_q);
    w->a_v = arena_alloc_array(memory, places, sizeof *w->a_v);
    w->psi = arena_alloc_array(memory, places, sizeof *w->psi);
    w->mu = arena_alloc_array(memory, rows, sizeof *w->mu);
    w->rhs = arena_alloc_array(memory, (size_t)s->kkt.lu.x_count + 1, sizeof *w->rhs);
    w->base = arena_alloc_array(memory, (size_t)s->kkt.lu.x_count + 1, sizeof *w->base);
    w->saved = arena_alloc_array(memory, saved_size(s), sizeof *w->saved);
    s->here.motion.exact_friction = s->there.motion.exact_friction = true;
    return w->twist && w->change && w->scratch && w->a_q && w->a_v && w->psi && w->mu && w->rhs && w->base && w->saved;
}

void nonsmooth_sweep_destroy(nonsmooth_sweep *w)
{
    if (!w->s) return;
    contact_sweep_destroy(&w->here);
    contact_sweep_destroy(&w->there);
    contact_sweep_destroy(&w->ahead);
    mem_free(&w->s->model->allocator, w->p1);
    mem_free(&w->s->model->allocator, w->normal);
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

// Rows are those of the node `here` of the sweep: at the end of stages both nodes change places for a while.
static void swap_nodes(sweep *s)
{
    const node swap = s->here;
    s->here = s->there;
    s->there = swap;
}

bool ns_make_rows(const nonsmooth_sweep *w, contact_sweep *c, const nonsmooth_list *list, bool ahead)
{
    const ph_model *model = w->s->model;
    if (!contact_rows_begin(c, list->contacts, list->stops)) return false;
    for (int i = 0; i < list->contacts; i++) {
        const nonsmooth_item *it = ns_item_at(w, list, i);
        contact_rows_put(c, ahead && it->has_ahead ? &it->ahead : &it->contact.at, it->contact.g, 0.0);
        c->by[i] = (contact_cotangent){0};
    }
    for (int i = 0; i < list->stops; i++) {
        const nonsmooth_item *it = ns_item_at(w, list, list->contacts + i);
        contact_rows_put_stop(c, it->joint, it->kind, w->part->h * model->joints[it->joint].def->friction,
                              it->contact.g[0]);
    }
    return true;
}

static void clear(const nonsmooth_sweep *w, ph_wrench *a)
{
    memset(a, 0, sizeof *a * model_places(w->s->model));
}

void ns_add_shifts(const nonsmooth_sweep *w, contact_sweep *c)
{
    for (int i = 0; i < c->cone_count && w->n->contact.law == PH_LAW_COULOMB; i++)
        if (c->cones[i].kind == PH_CONE_FRICTION)
            c->u[c->cones[i].first] += cone_shift(&c->cones[i], c->u + c->cones[i].first);
}

// (18), with N, u and g_bar as they stand
void ns_solve_cones(const nonsmooth_sweep *w, contact_sweep *c)
{
    cone_point p = contact_cone_point(c, w->n->contact.law);
    if (c->row_count > 0) cone_point_pull(&p);
    w->report->kinks += p.kinks;
    w->report->fixed += p.shared;
}

// (twist, multipliers) for the right-hand side (a, 0)
void ns_solve(nonsmooth_sweep *w, kkt *m, const ph_wrench *a, ph_twist *twist, double *multipliers)
{
    sweep_put_wrenches(w->s, m, a);
    kkt_solve(m);
    sweep_take_solution(w->s, m, twist, multipliers);
}

// Rows of N, whose matrix is transposed: W_i . m^-1 W_j; and g_bar = W^T m^-1 a.
void ns_find_operator(nonsmooth_sweep *w, contact_sweep *c, kkt *m, const ph_wrench *a)
{
    const int n = c->row_count;
    for (int j = 0; j < n; j++) {
        clear(w, w->scratch);
        ns_add_row(&c->rows[j], 1.0, w->scratch);
        ns_solve(w, m, w->scratch, w->twist, w->mu);
        for (int i = 0; i < n; i++) c->N[j * n + i] = ns_along_row(&c->rows[i], w->twist);
    }
    ns_solve(w, m, a, w->twist, w->mu);
    for (int i = 0; i < n; i++) c->g_bar[i] = ns_along_row(&c->rows[i], w->twist);
}

// ---- Contacts and stops ---------------------------------------------------------------------------------------------

void ns_pull_surface(const contact_sweep *c, const nonsmooth_item *it, int i, double by_restitution)
{
    const contact_rows *r = &c->contacts[i];
    const double *by = c->coefficients + CONE_PARTS_MAX * i;
    const bool spins = r->count == 4 || r->count == 6;
    const pair_gradient all = {.friction = by[0],
                               .restitution = by_restitution,
                               .rolling = r->rolls ? by[1] : 0.0,
                               .spinning = spins ? by[r->rolls ? 2 : 1] : 0.0};
    contact_rows_surface(c, &it->contact.at, &all);
}

static double sign_of(stop_kind kind)
{
    return kind == STOP_HIGH ? -1.0 : 1.0;
}

// The gradient of g w_g . W^T + y w_y . W^T + by_distance times its distance, of a stop
void ns_pull_stop(const contact_sweep *c, const nonsmooth_item *it, double g, const ph_twist *w_g, double y,
                  const ph_twist *w_y, double by_distance)
{
    const joint *j = &c->s->model->joints[it->joint];
    const pull_to to = sweep_joints_to(c->s, c->s->a_q);
    const double sign = sign_of(it->kind);
    if (w_g) joint_pull_coordinate(j, c->s->here.frames, w_g, 0, 0.0, sign * g, &to);
    if (w_y) joint_pull_coordinate(j, c->s->here.frames, w_y, 0, sign * by_distance, sign * y, &to);
    if (to.numbers && it->kind == STOP_LOW) to.numbers[it->joint].limit_low -= by_distance;
    if (to.numbers && it->kind == STOP_HIGH) to.numbers[it->joint].limit_high += by_distance;
}

static double by_bound(const contact_sweep *c, int cone)
{
    const double *by = c->coefficients + CONE_PARTS_MAX * cone;
    return by[1] - by[0];
}

// Dry friction: its bounds are h F. Returns what it adds to the gradient by h.
static double pull_bound(const nonsmooth_sweep *w, const contact_sweep *c, const nonsmooth_item *it, int cone)
{
    sweep *s = w->s;
    const joint *j = &s->model->joints[it->joint];
    const int k = numbers_drive(&s->numbers, j);
    if (it->kind != STOP_FRICTION) return 0.0;
    if (s->gradient && k >= 0) numbers_forces(&s->numbers, s->gradient)[k].friction += w->part->h * by_bound(c, cone);
    return j->def->friction * by_bound(c, cone);
}

// ---- Stage 2 --------------------------------------------------------------------------------------------------------

// Before it is solved: a_V += W y
static bool enter_stage_2(void *user, const tape_record *r, kkt *m)
{
    nonsmooth_sweep *w = user;
    sweep *s = w->s;
    contact_sweep *c = &w->there;
    (void)r;
    swap_nodes(s);
    const bool ok = ns_make_rows(w, c, &w->part->there, false);
    for (int i = 0; i < c->row_count && ok; i++) c->u[i] = ns_along_row(&c->rows[i], s->here.twists);
    if (ok && c->row_count > 0) {
        ns_add_shifts(w, c);
        ns_find_operator(w, c, m, s->a_v);
        ns_solve_cones(w, c);
        for (int i = 0; i < c->row_count; i++) ns_add_row(&c->rows[i], c->y[i], s->a_v);
    }
    swap_nodes(s);
    return ok;
}

// P_1 in the axes of contact i at q_{n+1}, backwards: rho is the gradient by it. Tangents follow their normals.
static void carry_back(nonsmooth_sweep *w, int i, const double *rho)
{
    const contact_rows *then = &w->there.contacts[i];
    const nonsmooth_item *it = ns_item_at(w, &w->part->there, i), *from = ns_item_at(w, &w->part->here, it->other);
    const double *g = from->contact.g;
    double *to = w->p1 + CONTACT_ROWS_MAX * it->other;
    const ph_vec3 n = from->contact.at.normal, t1 = ph_any_perpendicular(n), t2 = ph_cross(n, t1);
    to[0] += rho[0];
    for (int k = 1; k + 1 < then->count; k += 2) {
        const ph_vec3 push = ph_madd(ph_scale(g[k], t1), g[k + 1], t2);
        const ph_vec3 R = ph_madd(ph_scale(rho[k], then->axes[1]), rho[k + 1], then->axes[2]);
        to[k] += ph_dot(R, t1), to[k + 1] += ph_dot(R, t2);
        w->normal[it->other] = ph_madd(w->normal[it->other], -ph_dot(R, n), push);
        w->there.by[i].normal = ph_madd(w->there.by[i].normal, -ph_dot(then->axes[0], push), R);
    }
    if (then->count == 4 || then->count == 6) to[then->count - 1] += rho[then->count - 1];
}

static void clear_carried(nonsmooth_sweep *w)
{
    const nonsmooth_list *here = &w->part->here;
    const size_t count = (size_t)(here->contacts + here->stops);
    memset(w->p1, 0, sizeof *w->p1 * CONTACT_ROWS_MAX * count);
    memset(w->normal, 0, sizeof *w->normal * count);
}

// Once beta is known.
static void leave_stage_2(void *user, const tape_record *r)
{
    nonsmooth_sweep *w = user;
    sweep *s = w->s;
    contact_sweep *c = &w->there;
    const nonsmooth_list *list = &w->part->there;
    (void)r;
    clear_carried(w);
    w->by_length = 0.0;
    swap_nodes(s);
    for (int i = 0; i < list->contacts; i++) {
        const nonsmooth_item *it = ns_item_at(w, list, i);
        const contact_rows *rows = &c->contacts[i];
        double rho[CONTACT_ROWS_MAX];
        for (int k = 0; k < rows->count; k++) rho[k] = -ns_along_row(&c->rows[rows->first + k], s->beta);
        contact_rows_field(c, i, it->extra, s->beta);
        contact_rows_field(c, i, c->y + rows->first, s->here.twists);
        ns_pull_surface(c, it, i, 0.0);
        if (it->other >= 0) carry_back(w, i, rho);
    }
    for (int i = 0; i < list->stops; i++) {
        const nonsmooth_item *it = ns_item_at(w, list, list->contacts + i);
        const int cone = list->contacts + i, row = c->cones[cone].first;
        ns_pull_stop(c, it, it->extra[0], s->beta, c->y[row], s->here.twists, 0.0);
        w->by_length += pull_bound(w, c, it, cone);
        if (it->other >= 0) w->p1[CONTACT_ROWS_MAX * it->other] -= ns_along_row(&c->rows[row], s->beta);
    }
    contact_rows_pairs(c, &w->tape->items[list->first].contact, list->contacts, sizeof(nonsmooth_item));
    swap_nodes(s);
}

// ---- Stage 1 --------------------------------------------------------------------------------------------------------

static bool is_at_end(const contact_sweep *c, const nonsmooth_list *list, const nonsmooth_tape *t, int row)
{
    for (int i = 0; i < list->contacts + list->stops; i++) {
        const nonsmooth_item *it = &t->items[list->first + i];
        if (c->cones[i].first == row) return i < list->contacts ? it->has_ahead : it->kind != STOP_FRICTION;
    }
    return false;
}

// L_j on the right-hand side of N^T; of a tree the rows are in axes of q_{n+1}, else those of q_n turned with T.
static void put_line(nonsmooth_sweep *w, int j)
{
    sweep *s = w->s;
    const bool ahead = is_at_end(&w->here, &w->part->here, w->tape, j);
    clear(w, w->scratch);
    ns_add_row(&(ahead ? &w->ahead : &w->here)->rows[j], 1.0, w->scratch);
    for (int k = 0; k < s->model->moving_count; k++) {
        ph_wrench *a = &w->scratch[s->model->moving[k]];
        if (ahead && !s->kkt.by_tree) a->torque = ph_tmul(s->turns[k].T, a->torque);
        if (!ahead && s->kkt.by_tree) a->torque = ph_tmul(ph_inverse(s->turns[k].T), a->torque);
    }
    sweep_put_wrenches(s, &s->kkt, w->scratch);
}

// Velocities of stage 1: w, and gradients of gaps and distances by h and by those of the beginning
static void find_velocities(nonsmooth_sweep *w)
{
    sweep *s = w->s;
    contact_sweep *c = &w->here;
    const nonsmooth_list *list = &w->part->here;
    const double h = w->part->h;
    for (int k = 0; k < s->model->moving_count; k++) w->change[s->model->moving[k]] = w->plus[k];
    for (int i = 0; i < c->row_count; i++) c->u[i] = ns_along_row(&c->rows[i], w->change);
    for (int i = 0; i < list->contacts; i++) {
        const nonsmooth_item *it = ns_item_at(w, list, i);
        const double now = it->contact.at.gap, floor = ns_least_of(w, now).value;
        double *u = &c->u[c->contacts[i].first];
        *u = it->has_ahead ? (it->ahead.gap - floor) / h : *u + (now - floor) / h;
    }
    for (int i = 0; i < list->stops; i++) {
        const nonsmooth_item *it = ns_item_at(w, list, list->contacts + i);
        if (it->kind == STOP_FRICTION) continue;
        const double floor = ns_least_of(w, ns_distance_of(s, &s->here, it)).value;
        c->u[c->cones[list->contacts + i].first] = (ns_distance_of(s, &s->there, it) - floor) / h;
    }
    ns_add_shifts(w, c);
}

// y_N/h by gaps and distances where stage 1 leads to
static void pull_ahead(nonsmooth_sweep *w)
{
    sweep *s = w->s;
    const contact_sweep *c = &w->here;
    const nonsmooth_list *list = &w->part->here;
    swap_nodes(s);
    for (int i = 0; i < list->contacts; i++) {
        const nonsmooth_item *it = ns_item_at(w, list, i);
        w->ahead.by[i] = (contact_cotangent){.gap = it->has_ahead ? c->y[c->contacts[i].first] / w->part->h : 0.0};
        contact_item one = {.at = it->ahead};
        contact_cotangent *all = w->ahead.by;
        w->ahead.by = &all[i];
        if (it->has_ahead) contact_rows_pairs(&w->ahead, &one, 1, sizeof one);
        w->ahead.by = all;
    }
    for (int i = 0; i < list->stops; i++) {
        const nonsmooth_item *it = ns_item_at(w, list, list->contacts + i);
        const double y = c->y[c->cones[list->contacts + i].first];
        if (it->kind != STOP_FRICTION) ns_pull_stop(&w->ahead, it, 0.0, NULL, 0.0, s->here.twists, y / w->part->h);
    }
    swap_nodes(s);
}

// Once N^T is factored and its right-hand side stands there
static bool enter_stage_1(void *user, const tape_record *r)
{
    nonsmooth_sweep *w = user;
    sweep *s = w->s;
    contact_sweep *c = &w->here;
    const size_t bytes = sizeof(double) * (size_t)s->kkt.lu.x_count;
    (void)r;
    if (!ns_make_rows(w, c, &w->part->here, false)) return false;
    if (c->row_count == 0) return true;
    swap_nodes(s);
    const bool ok = ns_make_rows(w, &w->ahead, &w->part->here, true);
    swap_nodes(s);
    if (!ok) return false;
    const int n = c->row_count;
    memcpy(w->base, s->kkt.x, bytes);
    kkt_solve(&s->kkt);
    sweep_take_solution(s, &s->kkt, w->twist, w->mu);
    for (int i = 0, item = 0; i < n; i++) {
        while (item + 1 < c->cone_count && c->cones[item + 1].first <= i) item++;
        c->g_bar[i] = w->p1[CONTACT_ROWS_MAX * item + i - c->cones[item].first] + ns_along_row(&c->rows[i], w->twist);
    }
    for (int j = 0; j < n; j++) {
        put_line(w, j);
        kkt_solve(&s->kkt);
        sweep_take_solution(s, &s->kkt, w->twist, w->mu);
        for (int i = 0; i < n; i++) c->N[j * n + i] = ns_along_row(&c->rows[i], w->twist);
    }
    find_velocities(w);
    ns_solve_cones(w, c);
    for (int j = 0; j < n; j++) {
        put_line(w, j);
        for (int i = 0; i < s->kkt.lu.x_count; i++) w->base[i] += c->y[j] * s->kkt.x[i];
    }
    memcpy(s->kkt.x, w->base, bytes);
    pull_ahead(w);
    return true;
}

// ---- The beginning of the stages ------------------------------------------------------------------------------------

// A contact without restitution that closes fast: its moment is that of the step.
static bool is_unresolved(const nonsmooth_sweep *w, int i)
{
    const contact_sweep *c = &w->here;
    const sweep_row *row = &c->rows[c->contacts[i].first];
    const double fast = 0.5 * w->part->h * ph_norm(w->s->model->gravity);
    return c->g[c->contacts[i].first] > 0.0 && ns_along_row(row, w->s->here.twists) < -fast;
}

static void leave_stage_1(void *user, const tape_record *r)
{
    nonsmooth_sweep *w = user;
    sweep *s = w->s;
    contact_sweep *c = &w->here;
    const nonsmooth_list *list = &w->part->here;
    const double h = w->part->h;
    (void)r;
    for (int i = 0; i < list->contacts; i++) {
        const nonsmooth_item *it = ns_item_at(w, list, i);
        const contact_rows *rows = &c->contacts[i];
        const double *y = c->y + rows->first;
        double weights[CONTACT_ROWS_MAX];
        memcpy(weights, y, sizeof(double) * (size_t)rows->count);
        if (it->has_ahead) weights[0] = 0.0;
        c->by[i] = (contact_cotangent){.gap = y[0] / h *
                                              ((it->has_ahead ? 0.0 : 1.0) - ns_least_of(w, it->contact.at.gap).by_gap),
                                       .normal = w->normal[i]};
        contact_rows_field(c, i, it->contact.g, s->kappa);
        contact_rows_field(c, i, weights, w->change);
        ns_pull_surface(c, it, i, 0.0);
        w->report->impacts += is_unresolved(w, i);
    }
    for (int i = 0; i < list->stops; i++) {
        const nonsmooth_item *it = ns_item_at(w, list, list->contacts + i);
        const int cone = list->contacts + i;
        const double y = c->y[c->cones[cone].first], g = it->contact.g[0];
        if (it->kind == STOP_FRICTION) {
            ns_pull_stop(c, it, g, s->kappa, y, w->change, 0.0);
            w->by_length += pull_bound(w, c, it, cone);
        } else {
            const double by_now = -y / h * ns_least_of(w, ns_distance_of(s, &s->here, it)).by_gap;
            ns_pull_stop(c, it, g, s->kappa, 0.0, w->change, by_now);
        }
    }
    contact_rows_pairs(c, &w->tape->items[list->first].contact, list->contacts, sizeof(nonsmooth_item));
}

// ---- Parts ----------------------------------------------------------------------------------------------------------

bool ns_begin_part(nonsmooth_sweep *w, const nonsmooth_tape *t, const nonsmooth_part *p)
{
    const ph_allocator *allocator = &w->s->model->allocator;
    const int count = p->here.contacts + p->here.stops + 1;
    w->tape = t, w->part = p;
    w->plus = NULL;
    return mem_reserve(allocator, &w->p1, &w->p1_room, CONTACT_ROWS_MAX * count, sizeof *w->p1) &&
           mem_reserve(allocator, &w->normal, &w->normal_room, count, sizeof *w->normal);
}

// A part as a record of a variational substep
tape_record ns_record_of(const nonsmooth_sweep *w, const nonsmooth_part *p, const tape_record *r, tape_head *head,
                         ph_twist *plus)
{
    const ph_model *model = w->s->model;
    double *numbers = w->tape->numbers + p->numbers;
    *head = (tape_head){.time = p->time,
                        .until = p->time + p->h,
                        .h = p->h,
                        .target_time = r->head->target_time,
                        .index = 0.0,
                        .shown = 1.0};
    for (int k = 0; k < model->moving_count && plus; k++)
        plus[k] = w->tape->nodes[p->nodes + model->moving_count + k].v;
    return (tape_record){.head = head,
                         .node = w->tape->nodes + p->nodes,
                         .plus = plus,
                         .lambda = numbers,
                         .mu = numbers + model->row_count,
                         .inputs = r->inputs,
                         .turns = numbers + 2 * model->row_count,
                         .targets = r->targets};
}

// Stages from `p` to the nodes of `end`.
static bool stages_back(nonsmooth_sweep *w, const nonsmooth_part *p, const tape_record *r, const tape_record *end,
                        bool last)
{
    const sweep_watch watch = {enter_stage_2, leave_stage_2, enter_stage_1, ns_take_length, leave_stage_1, w};
    tape_head head;
    if (!ns_begin_part(w, w->tape, p)) return false;
    const tape_record from = ns_record_of(w, p, r, &head, (ph_twist *)w->psi);
    w->plus = from.plus;
    w->s->there_ready = false;
    w->s->watch = &watch;
    const bool ok = sweep_back(w->s, &from, end, last, true);
    w->s->watch = NULL;
    sweep_take_over(w->s);
    return ok;
}

// ---- When an impact is ----------------------------------------------------------------------------------------------

typedef enum numbers_way { KEEP, BRING_BACK } numbers_way;

// What a trial must not change.
static void numbers_move(nonsmooth_sweep *w, numbers_way way)
{
    sweep *s = w->s;
    double *lists[3] = {s->gradient, s->inputs, s->a_s}, *at = w->saved;
    const int counts[3] = {s->numbers.count, s->model->input_count, s->model->target_count};
    for (int k = 0; k < 3; at += counts[k++])
        if (counts[k] > 0)
            memcpy(way == KEEP ? at : lists[k], way == KEEP ? lists[k] : at, sizeof(double) * (size_t)counts[k]);
}

// by_length and by_time of the stages with these gradients, nothing else being changed
static bool try_stages(nonsmooth_sweep *w, const nonsmooth_part *p, const tape_record *r, const tape_record *end,
                       bool last)
{
    const ph_adjoint_report before = *w->report;
    numbers_move(w, KEEP);
    const bool ok = stages_back(w, p, r, end, last);
    numbers_move(w, BRING_BACK);
    *w->report = before;
    return ok;
}

// Adds `scale` times the gradient of the gap of the contact that ended the stages.
static void pull_event(nonsmooth_sweep *w, const nonsmooth_part *impact, const tape_record *at, double scale)
{
    sweep *s = w->s;
    contact_item one = w->tape->items[impact->here.first + impact->event].contact;
    contact_cotangent by = {.gap = scale}, *all = w->here.by;
    sweep_place(s, at, &s->here);
    w->here.by = &by;
    contact_rows_pairs(&w->here, &one, 1, sizeof one);
    w->here.by = all;
}

// The gap that an impact closes says how long the stages before it are: `left` is the gradient by what is left of the step then.
static bool find_moment(nonsmooth_sweep *w, const nonsmooth_part *p, const nonsmooth_part *impact, const tape_record *r,
                        const tape_record *end, bool last, double left)
{
    sweep *s = w->s;
    const size_t bytes = sizeof *w->a_q * model_places(s->model);
    memcpy(w->a_q, s->a_q, bytes), memcpy(w->a_v, s->a_v, bytes);
    if (!try_stages(w, p, r, end, last)) return false;
    const double by_length = w->by_length - left;
    clear(w, s->a_q), clear(w, s->a_v);
    numbers_move(w, KEEP);
    pull_event(w, impact, end, 1.0);
    numbers_move(w, BRING_BACK);
    if (!try_stages(w, p, r, end, last)) return false;
    const double rate = w->by_length;
    memcpy(s->a_q, w->a_q, bytes), memcpy(s->a_v, w->a_v, bytes);
    if (rate != 0.0) pull_event(w, impact, end, -by_length / rate);
    w->report->kinks += rate == 0.0;
    return true;
}

// Gradients by what is left of a step and by the longest that its next part may be, over a part: with L its length, left' = left - L.
// That of a part which no impact ends, and the longest after it, follow from both (length_law).
typedef struct by_lengths {
    double left, most;
} by_lengths;

static void lengths_back(nonsmooth_sweep *w, const nonsmooth_part *p, bool free, by_lengths *by)
{
    const double by_length = free ? w->by_length - by->left : 0.0, by_most = by->most;
    by->left += p->length.left * by_length + p->next_most.left * by_most - w->by_time;
    by->most = p->length.most * by_length + p->next_most.most * by_most;
}

bool nonsmooth_sweep_back(nonsmooth_sweep *w, const nonsmooth_tape *t, int first, int last, const tape_record *r,
                          const tape_record *end)
{
    const nonsmooth_part *impact = NULL; // that comes next
    bool is_last = true;
    by_lengths by = {0.0, 0.0};
    tape_head head;
    tape_record next = *end;
    w->tape = t;
    sweep_take_over(w->s);
    for (int k = last; k >= first; k--) {
        const nonsmooth_part *p = &t->parts[k];
        const bool moment = impact && impact->event >= 0;
        w->report->fixed += p->fixed_length + (impact && impact->event == UNKNOWN_EVENT);
        if (p->impact) {
            if (!strike_back(w, p, r)) return false;
            w->by_length = w->by_time = 0.0;
            if (p->event == NO_STAGES) lengths_back(w, p, false, &by);
        } else {
            if (moment && !find_moment(w, p, impact, r, &next, is_last, by.left)) return false;
            if (!stages_back(w, p, r, &next, is_last)) return false;
            lengths_back(w, p, !impact || impact->event == NO_STAGES, &by);
            is_last = false;
        }
        impact = p->impact ? p : NULL;
        next = ns_record_of(w, p, r, &head, NULL);
    }
    return true;
}
