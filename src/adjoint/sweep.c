#include "adjoint/sweep.h"

#include "dynamics/augmented.h"
#include "dynamics/linearise.h"
#include "dynamics/system.h"
#include "math/mat3.h"

#include <string.h>

// ---- Life -----------------------------------------------------------------------------------------------------------

bool sweep_create(const ph_model *model, const variational *stages, arena *memory, sweep *s)
{
    const size_t places = model_places(model), rows = (size_t)model->row_count + 1;
    *s = (sweep){.model = model, .rule = stages ? stages->rule : NULL, .needs_velocity = system_needs_velocity(model)};
    bool ok = numbers_create(model, memory, &s->numbers);
    ok = ok && kkt_create(model, stages ? stages->kind : KKT_DECOUPLED, memory, &s->kkt) && augmented_refine(&s->kkt);
    ok = ok && (!s->needs_velocity || (damped_create(model, memory, &s->damped) && augmented_refine(&s->damped.kkt)));
    ok = ok && node_create(model, &s->kkt, memory, &s->here) && node_create(model, &s->kkt, memory, &s->there);
    if (!ok) return false;
    s->BT = arena_alloc_array(memory, (size_t)s->kkt.B_count + 1, sizeof(double));
    s->half = arena_alloc_array(memory, (size_t)s->kkt.B_count + 1, sizeof(double));
    s->a_q = arena_alloc_array(memory, places, sizeof(ph_wrench));
    s->a_v = arena_alloc_array(memory, places, sizeof(ph_wrench));
    s->beta = arena_alloc_array(memory, places, sizeof(ph_twist));
    s->kappa = arena_alloc_array(memory, places, sizeof(ph_twist));
    s->gamma = arena_alloc_array(memory, rows, sizeof(double));
    s->nu = arena_alloc_array(memory, rows, sizeof(double));
    s->turns = arena_alloc_array(memory, places, sizeof(turn));
    s->ends = arena_alloc_array(memory, places, sizeof(ph_mat3));
    s->a_s = arena_alloc_array(memory, (size_t)model->target_count + 1, sizeof(double));
    s->gradient = arena_alloc_array(memory, (size_t)s->numbers.count, sizeof(double));
    s->inputs = arena_alloc_array(memory, (size_t)model->input_count + 1, sizeof(double));
    return s->BT && s->half && s->a_q && s->a_v && s->beta && s->kappa && s->gamma && s->nu && s->turns && s->ends &&
           s->a_s && s->gradient && s->inputs;
}

void sweep_begin(sweep *s)
{
    const size_t places = model_places(s->model);
    memset(s->a_q, 0, places * sizeof *s->a_q);
    memset(s->a_v, 0, places * sizeof *s->a_v);
    memset(s->beta, 0, places * sizeof *s->beta);
    memset(s->kappa, 0, places * sizeof *s->kappa);
    memset(s->a_s, 0, sizeof(double) * (size_t)s->model->target_count);
    memset(s->gradient, 0, sizeof(double) * (size_t)s->numbers.count);
    memset(s->inputs, 0, sizeof(double) * (size_t)s->model->input_count);
    s->there_ready = s->carried = false;
}

// ---- Nodes ----------------------------------------------------------------------------------------------------------

static void place(sweep *s, const tape_record *r, node *at)
{
    for (int k = 0; k < s->model->moving_count; k++)
        at->frames[s->model->moving[k]] = (frame){ph_quat_to_mat(r->node[k].orientation), r->node[k].position};
    node_set_jacobian(s->model, &s->kkt, at);
    if (s->kkt.tree) node_set_grips(&s->kkt, at, NULL);
    if (s->kkt.closing) // as the run did
        node_choose_gripped(s->model, &s->kkt, at);
    else
        kkt_choose_rows(&s->kkt, at->frames, at->B);
}

static void set_twists(const sweep *s, const tape_record *r, node *at)
{
    for (int k = 0; k < s->model->moving_count; k++) at->twists[s->model->moving[k]] = r->node[k].v;
}

void sweep_place(sweep *s, const tape_record *r, node *at)
{
    tape_set_motion(at, r, r->head->time);
    place(s, r, at);
    set_twists(s, r, at);
}

// ---- What joints and forces add -------------------------------------------------------------------------------------

pull_to sweep_joints_to(const sweep *s, ph_wrench *bodies)
{
    return (pull_to){bodies, s->gradient ? numbers_joints(&s->numbers, s->gradient) : NULL, s->model->joints};
}

// Adds scale times the gradient of nu.Phi + lambda.B w at a node; either multiplier may be NULL.
void sweep_pull_joints(const sweep *s, const node *at, double scale, const double *nu, const double *lambda,
                       const ph_twist *w, ph_wrench *bodies)
{
    const pull_to to = sweep_joints_to(s, bodies);
    for (int j = 0; j < s->model->joint_count; j++) {
        const joint *joint = &s->model->joints[j];
        double n[JOINT_ROWS_MAX], m[JOINT_ROWS_MAX];
        for (int r = 0; r < joint->row_count; r++) {
            n[r] = nu ? scale * nu[joint->first_row + r] : 0.0;
            m[r] = lambda ? scale * lambda[joint->first_row + r] : 0.0;
        }
        joint_pull(joint, &at->motion, nu ? n : NULL, lambda ? m : NULL, w, &to);
    }
}

// What the targets of motors get from multipliers of their rows: by their values, or by their rates.
void sweep_pull_motors(sweep *s, const node *at, double scale, const double *by_value, const double *by_rate)
{
    const ph_model *model = s->model;
    for (int j = 0; j < model->joint_count && model->motor_count > 0; j++) {
        const joint *joint = &model->joints[j];
        if (!joint->motor) continue;
        const int row = joint->first_row + joint_motor_row(joint);
        const double value = by_value ? scale * by_value[row] : 0.0, rate = by_rate ? scale * by_rate[row] : 0.0;
        joint_motor_pull(joint, &at->motion, value, rate, s->inputs,
                         s->gradient ? s->gradient + s->numbers.motor_values[j] : NULL);
        if (joint->motor->by_speed) s->a_s[joint->motor->target] += value;
    }
}

// s_{n+1} = s_n + the integral of the speed over the step
void sweep_pull_targets(sweep *s, const node *at)
{
    for (int j = 0; j < s->model->joint_count && s->model->target_count > 0; j++) {
        const joint *joint = &s->model->joints[j];
        if (joint->motor && joint->motor->by_speed)
            joint_motor_pull(joint, &at->motion, s->a_s[joint->motor->target], 0.0, s->inputs,
                             s->gradient ? s->gradient + s->numbers.motor_values[j] : NULL);
    }
}

static void pull_gravity(sweep *s, double scale, const ph_twist *w)
{
    const ph_vec3 g = s->model->gravity;
    for (int k = 0; k < s->model->moving_count && s->gradient; k++) {
        const int b = s->model->moving[k];
        const double m = s->model->bodies[b].kind->mass;
        if (body_is_rotor(&s->model->bodies[b])) continue;
        s->gradient[0] += scale * m * w[b].v.x;
        s->gradient[1] += scale * m * w[b].v.y;
        s->gradient[2] += scale * m * w[b].v.z;
        numbers_bodies(&s->numbers, s->gradient)[k].mass += scale * ph_dot(g, w[b].v);
    }
}

// Adds scale times the gradient of w.Q at a node.
void sweep_pull_forces(sweep *s, const node *at, double scale, const ph_twist *w, ph_wrench *q, ph_wrench *v)
{
    const numbers *n = &s->numbers;
    pull_gravity(s, scale, w);
    for (int k = 0; k < s->model->force_count; k++) {
        force_pull_to to = {.q = q, .v = v, .inputs = s->inputs};
        if (s->gradient) {
            to.joints = sweep_joints_to(s, NULL);
            to.own = &numbers_forces(n, s->gradient)[k];
            to.mass_b = numbers_mass(n, s->gradient, s->model->forces[k].b);
            to.matrices = n->matrices[k] < 0 ? NULL : s->gradient + n->matrices[k];
            to.values = n->values[k] < 0 ? NULL : s->gradient + n->values[k];
        }
        force_pull(&s->model->forces[k], &at->motion, w, scale, &to);
    }
}

// By masses: J += scale sym(x y^T), and m by `linear`.
void sweep_pull_mass(sweep *s, int k, double scale, ph_vec3 x, ph_vec3 y, double linear)
{
    if (!s->gradient) return;
    body_gradient *g = &numbers_bodies(&s->numbers, s->gradient)[k];
    g->J = ph_mat_madd(g->J, 0.5 * scale, ph_mat_add(ph_outer(x, y), ph_outer(y, x)));
    g->mass += scale * linear;
}

// ---- Stage 2 --------------------------------------------------------------------------------------------------------

typedef struct damping_target {
    kkt *kkt;
    double scale;
    bool transposed;
} damping_target;

// -= h/2 dQ/dv, or its transpose; blocks of the matrix are column-major
static void add_damping(void *user, int row, int column, const double *by_position, const double *by_velocity)
{
    const damping_target *t = user;
    (void)by_position;
    double *block = row == column   ? kkt_body(t->kkt, row)
                    : t->transposed ? kkt_body_pair(t->kkt, column, row)
                                    : kkt_body_pair(t->kkt, row, column);
    for (int r = 0; block && by_velocity && r < 6; r++)
        for (int c = 0; c < 6; c++) block[t->transposed ? 6 * r + c : 6 * c + r] -= t->scale * by_velocity[6 * r + c];
}

static bool factor_mass_tree(const sweep *s, kkt *m)
{
    if (!m->tree || m->closing) return false;
    node_put_tree(s->model, m, &s->there);
    return kkt_factor_tree(m);
}

bool sweep_factor_mass(sweep *s, double h, bool transposed, kkt **made)
{
    kkt *m = *made = s->needs_velocity ? &s->damped.kkt : &s->kkt;
    if (s->needs_velocity ? damped_factor_tree(s->model, &s->damped, h, &s->there) : factor_mass_tree(s, m))
        return true;
    node_put_mass(s->model, m, &s->there);
    if (s->needs_velocity) {
        kkt_take_rows(m, &s->kkt);
        linearise_forces(s->model, &s->there.motion, LINEARISE_VELOCITY | LINEARISE_PRECISE, add_damping,
                         &(damping_target){m, 0.5 * h, transposed});
    }
    return kkt_factor(m);
}

void sweep_put_wrenches(const sweep *s, kkt *m, const ph_wrench *a)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const ph_wrench *w = &a[s->model->moving[k]];
        node_put_vectors(kkt_body_x(m, k), w->torque, w->force);
    }
    for (int j = 0; j < s->model->joint_count; j++)
        memset(kkt_joint_x(m, j), 0, sizeof(double) * (size_t)s->model->joints[j].row_count);
}

void sweep_take_solution(const sweep *s, kkt *m, ph_twist *w, double *multipliers)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const double *x = kkt_body_x(m, k);
        w[s->model->moving[k]] = (ph_twist){ph_vec(x[0], x[1], x[2]), ph_vec(x[3], x[4], x[5])};
    }
    for (int j = 0; j < s->model->joint_count; j++) {
        const joint *joint = &s->model->joints[j];
        memcpy(multipliers + joint->first_row, kkt_joint_x(m, j), sizeof(double) * (size_t)joint->row_count);
    }
}

static bool is_seen(const sweep *s)
{
    bool seen = false;
    for (int k = 0; k < s->model->moving_count && !seen; k++) {
        const ph_wrench *a = &s->a_v[s->model->moving[k]];
        seen = ph_max_abs(a->torque) + ph_max_abs(a->force) != 0.0;
    }
    return seen;
}

// (7). Of M kappa the solution is kappa itself, as B kappa = 0: what is solved for is the rest, if there is any.
static bool find_beta(sweep *s, const tape_record *r, bool seen)
{
    kkt *m;
    if (seen) {
        if (!sweep_factor_mass(s, r->head->h, true, &m)) return false;
        if (s->watch && !s->watch->enter_stage_2(s->watch->user, r, m)) return false;
        sweep_put_wrenches(s, m, s->a_v);
        kkt_solve(m);
        sweep_take_solution(s, m, s->beta, s->gamma);
    }
    for (int k = 0; k < s->model->moving_count && s->carried; k++) {
        const int b = s->model->moving[k];
        const ph_twist *kappa = &s->kappa[b], *beta = &s->beta[b];
        s->beta[b] = seen ? (ph_twist){ph_add(beta->omega, kappa->omega), ph_add(beta->v, kappa->v)} : *kappa;
    }
    return true;
}

// (7) and the joints of (8)
static bool stage_2(sweep *s, const tape_record *r)
{
    const bool seen = !s->carried || is_seen(s);
    if (!find_beta(s, r, seen)) return false;
    sweep_pull_joints(s, &s->there, -1.0, NULL, r->mu, s->beta, s->a_q);
    if (seen) sweep_pull_joints(s, &s->there, -1.0, NULL, s->gamma, s->there.twists, s->a_q);
    if (seen) sweep_pull_motors(s, &s->there, 1.0, NULL, s->gamma);
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const ph_twist *v = &s->there.twists[b], *beta = &s->beta[b];
        sweep_pull_mass(s, k, -1.0, beta->omega, v->omega, ph_dot(beta->v, v->v));
    }
    return true;
}

// A step whose end was not shown hands the gradient by its momenta on.
static void skip_stage_2(sweep *s)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        s->beta[b] = (ph_twist){s->a_v[b].torque, s->a_v[b].force};
    }
}

// ---- Stage 1 --------------------------------------------------------------------------------------------------------

// Body k: its block of N^T, and b of (9) on the right-hand side
static void put_body(sweep *s, const tape_record *r, int k, bool tree)
{
    const int b = s->model->moving[k];
    const body_kind *kind = s->model->bodies[b].kind;
    const double h = r->head->h;
    const ph_vec3 omega = r->plus[k].omega;
    const ph_twist *beta = &s->beta[b];
    turn back;
    kinetic start, end;
    s->rule->turn(&kind->J, omega, h, &s->turns[k], &start);
    s->rule->turn(&kind->J, ph_neg(omega), h, &back, &end);
    ph_mat3 A = ph_transpose(start.dG);
    ph_vec3 turn = ph_madd(ph_tmul(end.dG, beta->omega), h, ph_tmul(s->turns[k].T, s->a_q[b].torque));
    if (tree) { // T^-T times the equation: its rows then are in the axes of q_{n+1}, and N^T is N with both ends exchanged
        const ph_mat3 untwist = ph_transpose(ph_inverse(s->turns[k].T));
        A = ph_mat_mul(untwist, A);
        turn = ph_mul(untwist, turn);
        elimination_put_body(s->kkt.tree, k, &A, kind->mass, NULL, &s->here.frames[b]);
    } else {
        node_put_body(kkt_body(&s->kkt, k), &A, kind->mass);
    }
    node_put_vectors(kkt_body_x(&s->kkt, k), turn, ph_madd(ph_scale(kind->mass, beta->v), h, s->a_q[b].force));
}

static void pull_end_masses(sweep *s, const tape_record *r)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const ph_twist *beta = &s->beta[s->model->moving[k]], *plus = &r->plus[k];
        const ph_vec3 turn = s->rule->weigh(ph_neg(plus->omega), r->head->h, beta->omega);
        sweep_pull_mass(s, k, 1.0, turn, plus->omega, ph_dot(beta->v, plus->v));
    }
}

// B_{n+1} diag(T, I) and 1/2 B_n of joint j
static void put_joint(sweep *s, int j)
{
    const joint *joint = &s->model->joints[j];
    const int first = s->kkt.joints[j].B, rows = joint->row_count;
    for (int slot = 0; slot < joint->body_count; slot++) {
        const ph_mat3 *T = &s->turns[s->model->bodies[joint->bodies[slot]].moving].T;
        for (int r = 0; r < rows; r++) {
            const int at = first + 6 * (rows * slot + r);
            const double *B = s->there.B + at;
            const ph_vec3 turned = ph_tmul(*T, ph_vec(B[0], B[1], B[2]));
            node_put_vectors(s->BT + at, turned, ph_vec(B[3], B[4], B[5]));
        }
    }
    for (int e = first; e < first + 6 * rows * joint->body_count; e++) s->half[e] = 0.5 * s->here.B[e];
    kkt_set_joint(&s->kkt, j, s->BT + first, 1.0, s->half + first);
    memset(kkt_joint_x(&s->kkt, j), 0, sizeof(double) * (size_t)rows);
}

// a -= scale B^T lambda at `there`
static void subtract_reactions(const sweep *s, double scale, const double *lambda, ph_wrench *a)
{
    for (int j = 0; j < s->model->joint_count; j++) {
        const joint *joint = &s->model->joints[j];
        const double *B = s->there.B + s->kkt.joints[j].B;
        for (int slot = 0; slot < joint->body_count; slot++, B += 6 * joint->row_count) {
            double p[6] = {0};
            node_add_transposed(B, joint->row_count, -scale, lambda + joint->first_row, p);
            wrench_add(&a[joint->bodies[slot]], 1.0, &(ph_wrench){ph_vec(p[0], p[1], p[2]), ph_vec(p[3], p[4], p[5])});
        }
    }
}

static bool factor_tree(sweep *s, const tape_record *r)
{
    if (!s->kkt.tree || s->kkt.closing) return false;
    elimination_place(s->kkt.tree, &s->there.grips, &s->here.grips, 1.0);
    for (int k = 0; k < s->model->moving_count; k++) put_body(s, r, k, true);
    for (int j = 0; j < s->model->joint_count; j++)
        memset(kkt_joint_x(&s->kkt, j), 0, sizeof(double) * (size_t)s->model->joints[j].row_count);
    return kkt_factor_tree(&s->kkt);
}

static bool factor_rows(sweep *s, const tape_record *r)
{
    kkt_clear_pairs(&s->kkt);
    for (int k = 0; k < s->model->moving_count; k++) put_body(s, r, k, false);
    for (int j = 0; j < s->model->joint_count; j++) put_joint(s, j);
    return kkt_factor(&s->kkt);
}

// (9), (10)
static bool stage_1(sweep *s, const tape_record *r)
{
    const double h = r->head->h;
    if (!factor_tree(s, r) && !factor_rows(s, r)) return false;
    pull_end_masses(s, r);
    if (s->watch && !s->watch->enter_stage_1(s->watch->user, r)) return false;
    kkt_solve(&s->kkt);
    sweep_take_solution(s, &s->kkt, s->kappa, s->nu);
    subtract_reactions(s, 1.0 / h, s->nu, s->a_q);
    if (s->gradient) sweep_pull_joints(s, &s->there, -1.0 / h, s->nu, NULL, NULL, NULL);
    sweep_pull_motors(s, &s->there, 1.0 / h, s->nu, NULL);
    if (s->watch) s->watch->turn(s->watch->user, r);
    return true;
}

ph_wrench sweep_weighed(const body_kind *kind, const ph_twist *w)
{
    return (ph_wrench){ph_mul(kind->J, w->omega), ph_scale(kind->mass, w->v)};
}

// (11); M kappa is left to the next step where it can be.
static void leave(sweep *s, const tape_record *r, bool shown_before)
{
    const double h = r->head->h;
    s->carried = shown_before && !s->needs_velocity;
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const body_kind *kind = s->model->bodies[b].kind;
        const ph_twist *kappa = &s->kappa[b], *v = &s->here.twists[b], *plus = &r->plus[k];
        s->a_q[b].torque = ph_quat_rotate(s->turns[k].F, s->a_q[b].torque);
        sweep_pull_mass(s, k, -1.0, s->rule->weigh(plus->omega, h, kappa->omega), plus->omega,
                        ph_dot(kappa->v, plus->v));
        s->a_v[b] = (ph_wrench){kappa->omega, kappa->v};
        if (!shown_before) continue;
        s->a_v[b] = s->needs_velocity ? sweep_weighed(kind, kappa) : (ph_wrench){ph_zero3(), ph_zero3()};
        sweep_pull_mass(s, k, 1.0, kappa->omega, v->omega, ph_dot(kappa->v, v->v));
    }
    sweep_pull_joints(s, &s->here, -0.5, NULL, r->lambda, s->kappa, s->a_q);
    sweep_pull_forces(s, &s->here, 0.5 * h, s->kappa, s->a_q, s->needs_velocity ? s->a_v : NULL);
}

// Out of the plane of a planar mechanism rounding shrinks from step to step: numbers so small that they make the processor
// slow, and say nothing, become zero.
void sweep_cut_small(sweep *s)
{
    double largest = 0.0;
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        largest = ph_max(largest, ph_max(ph_max_abs(s->a_q[b].torque), ph_max_abs(s->a_q[b].force)));
        const ph_wrench carried = sweep_weighed(s->model->bodies[b].kind, &s->kappa[b]);
        const ph_wrench *a = s->carried ? &carried : &s->a_v[b];
        largest = ph_max(largest, ph_max(ph_max_abs(a->torque), ph_max_abs(a->force)));
    }
    const double small = 1e-250 * largest;
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        double *x[3] = {&s->a_q[b].torque.x, &s->a_v[b].torque.x, &s->kappa[b].omega.x};
        for (int e = 0; e < 18; e++)
            if (fabs(x[e / 6][e % 6]) < small) x[e / 6][e % 6] = 0.0;
    }
    s->largest = largest;
}

bool sweep_back(sweep *s, const tape_record *r, const tape_record *end, bool last, bool shown_before)
{
    const double h = r->head->h;
    if (!s->there_ready) place(s, end, &s->there);
    tape_set_motion(&s->there, r, r->head->until);
    tape_set_motion(&s->here, r, r->head->time);
    set_twists(s, end, &s->there);
    set_twists(s, r, &s->here);
    if (last) sweep_pull_targets(s, &s->there);
    if (r->head->shown == 0.0)
        skip_stage_2(s);
    else if (!stage_2(s, r))
        return false;
    if (s->watch) s->watch->leave_stage_2(s->watch->user, r);
    sweep_pull_forces(s, &s->there, 0.5 * h, s->beta, s->a_q, NULL);
    place(s, r, &s->here);
    if (!stage_1(s, r)) return false;
    leave(s, r, shown_before);
    if (s->watch) s->watch->leave_stage_1(s->watch->user, r);
    sweep_cut_small(s);
    const node swap = s->here; // the motion of a node points to its own arrays, so it goes along
    s->here = s->there;
    s->there = swap;
    s->there_ready = true;
    return true;
}

void sweep_take_over(sweep *s)
{
    for (int k = 0; k < s->model->moving_count && s->carried; k++) {
        const int b = s->model->moving[k];
        const ph_wrench carried = sweep_weighed(s->model->bodies[b].kind, &s->kappa[b]);
        wrench_add(&s->a_v[b], 1.0, &carried);
    }
    s->carried = false;
}

// (17): by velocity, then by position
bool sweep_project(sweep *s)
{
    double *gradient = s->gradient;
    if (s->model->row_count == 0) return true;
    if (!node_factor_kept(s->model, &s->kkt, &s->there)) return false;
    s->gradient = NULL; // numbers are no part of this
    for (int pass = 0; pass < 2; pass++) {
        ph_wrench *a = pass ? s->a_q : s->a_v;
        sweep_put_wrenches(s, &s->kkt, a);
        kkt_solve(&s->kkt);
        sweep_take_solution(s, &s->kkt, s->beta, s->gamma);
        if (pass == 0) sweep_pull_joints(s, &s->there, -1.0, NULL, s->gamma, s->there.twists, s->a_q);
        subtract_reactions(s, 1.0, s->gamma, a);
    }
    s->gradient = gradient;
    return true;
}
