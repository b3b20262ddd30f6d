// Backwards over a part of a step of `moreau`, which goes from q, V to q+, V_e by
//
//     k = M V + h (Q + gyroscopic torque)
//     [M B^T; B 0] (V+, lambda) = (k + D g, -Phi(q, t + h)/h)                                            (19)
//     the cone problem of u = D^T V+ + b                                                                 (18)
//     q* = q o (h V+), of bodies that fly tau V + (h - tau) V+ + h (tau - h/2) gravity                   (20)
//     q+ : d from [M B^T; B 0] (d, l) = (0, -Phi), q <- q o d, until it is on the joints                 (21)
//     [M B^T; B 0] (V_e, mu) = (M V+, wanted rates) at q+                                                (22)
//
// Models without joints end with (20). What iterations found is found again: V+ from g, the way of (21) from q*.
#include "adjoint/contact_sweep.h"

#include "math/so3.h"
#include "schemes/scheme.h"

#include <math.h>
#include <string.h>

enum { POSES_MAX = 21 };

// ---- Life -----------------------------------------------------------------------------------------------------------

bool contact_sweep_create(sweep *s, const moreau *m, ph_adjoint_report *report, arena *memory, contact_sweep *c)
{
    const size_t places = model_places(s->model), rows = (size_t)s->model->row_count + 1;
    const size_t moving = (size_t)s->model->moving_count + 1;
    *c = (contact_sweep){.s = s, .m = m, .shapes = &m->detector->shapes, .memory = memory, .report = report};
    c->plus = arena_alloc_array(memory, places, sizeof *c->plus);
    c->end = arena_alloc_array(memory, places, sizeof *c->end);
    c->a_plus = arena_alloc_array(memory, places, sizeof *c->a_plus);
    c->momentum = arena_alloc_array(memory, places, sizeof *c->momentum);
    c->scratch = arena_alloc_array(memory, places, sizeof *c->scratch);
    c->twist = arena_alloc_array(memory, places, sizeof *c->twist);
    c->tau = arena_alloc_array(memory, moving, sizeof *c->tau);
    c->lambda = arena_alloc_array(memory, rows, sizeof *c->lambda);
    c->mu = arena_alloc_array(memory, rows, sizeof *c->mu);
    c->poses = arena_alloc_array(memory, POSES_MAX * moving, sizeof *c->poses);
    s->here.motion.exact_friction = s->there.motion.exact_friction = true;
    return c->plus && c->end && c->a_plus && c->momentum && c->scratch && c->twist && c->tau && c->lambda && c->mu &&
           c->poses;
}

void contact_sweep_destroy(contact_sweep *c)
{
    if (!c->s) return;
    void *arrays[] = {c->rows, c->cones, c->contacts, c->by,   c->g,           c->u,
                      c->y,    c->g_bar, c->N,        c->room, c->coefficients};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(&c->s->model->allocator, arrays[k]);
}

// ---- Solves ---------------------------------------------------------------------------------------------------------

static bool factor(contact_sweep *c, node *at)
{
    node_set_jacobian(c->s->model, &c->s->kkt, at);
    return node_factor_mass(c->s->model, &c->s->kkt, at);
}

// Right-hand sides of rows: -scale Phi.
static void put_residuals(const contact_sweep *c, const node *at, double scale)
{
    const ph_model *model = c->s->model;
    for (int j = 0; j < model->joint_count; j++) {
        double *x = kkt_joint_x(&c->s->kkt, j);
        joint_residual(&model->joints[j], &at->motion, x);
        for (int r = 0; r < model->joints[j].row_count; r++) x[r] *= -scale;
    }
}

// (w, multipliers) for the right-hand side (a, 0)
static void solve(contact_sweep *c, const ph_wrench *a, ph_twist *w, double *multipliers)
{
    sweep_put_wrenches(c->s, &c->s->kkt, a);
    kkt_solve(&c->s->kkt);
    sweep_take_solution(c->s, &c->s->kkt, w, multipliers);
}

// ---- Forwards again -------------------------------------------------------------------------------------------------

static void place_here(contact_sweep *c, const contact_body *bodies)
{
    const ph_model *model = c->s->model;
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        c->s->here.frames[b] = (frame){ph_quat_to_mat(bodies[k].node.orientation), bodies[k].node.position};
        c->s->here.twists[b] = bodies[k].node.v;
    }
}

static ph_vec3 middle_spin(const body *b, ph_vec3 w, double h)
{
    const ph_vec3 Jw = ph_mul(b->kind->J, w), r = ph_cross(w, Jw);
    return ph_norm2(ph_scale(h, r)) <= 1e-32 * ph_norm2(Jw) ? w : moreau_midpoint_spin(b, w, h);
}

// k: the gyroscopic torque makes of J W what J (2 m - W) is.
static void set_momenta(contact_sweep *c, double h)
{
    const ph_model *model = c->s->model;
    node_set_forces(model, &c->s->here);
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        const body *it = &model->bodies[b];
        const ph_twist v = c->s->here.twists[b];
        const ph_wrench Q = c->s->here.Q[b];
        const ph_vec3 spin = ph_sub(ph_scale(2.0, middle_spin(it, v.omega, h)), v.omega);
        c->momentum[b] = (ph_wrench){ph_madd(ph_mul(it->kind->J, spin), h, Q.torque),
                                     ph_madd(ph_scale(it->kind->mass, v.v), h, Q.force)};
    }
}

static void add_row(const sweep_row *r, double g, ph_wrench *to)
{
    if (r->a >= 0) wrench_add(&to[r->a], g, &r->on_a);
    if (r->b >= 0) wrench_add(&to[r->b], g, &r->on_b);
}

static double along_row(const sweep_row *r, const ph_twist *w)
{
    return (r->a >= 0 ? wrench_power(&r->on_a, &w[r->a]) : 0.0) + (r->b >= 0 ? wrench_power(&r->on_b, &w[r->b]) : 0.0);
}

// (19)
static void find_plus(contact_sweep *c, double h)
{
    const ph_model *model = c->s->model;
    memcpy(c->scratch, c->momentum, sizeof *c->scratch * model_places(model));
    for (int i = 0; i < c->row_count; i++) add_row(&c->rows[i], c->g[i], c->scratch);
    sweep_put_wrenches(c->s, &c->s->kkt, c->scratch);
    put_residuals(c, &c->s->here, 1.0 / h);
    kkt_solve(&c->s->kkt);
    sweep_take_solution(c->s, &c->s->kkt, c->plus, c->lambda);
}

// h times the mean velocity of a body in the step: a turn in body axes, a way in the world
static ph_twist way_of(const contact_sweep *c, const contact_body *body, int b, double h)
{
    const double tau = body->tau;
    const ph_twist v = body->node.v, p = c->plus[b];
    ph_twist way = {ph_madd(ph_scale(h - tau, p.omega), tau, v.omega), ph_madd(ph_scale(h - tau, p.v), tau, v.v)};
    if (body->flies) way.v = ph_madd(way.v, h * (tau - 0.5 * h), c->s->model->gravity);
    return way;
}

static sweep_pose moved(const sweep_pose *from, ph_twist way)
{
    return (sweep_pose){ph_add(from->x, way.v), ph_quat_unit(ph_quat_mul(from->q, ph_quat_exp(way.omega)))};
}

static bool place_there(contact_sweep *c, int index)
{
    const ph_model *model = c->s->model;
    const sweep_pose *at = c->poses + (size_t)index * (size_t)model->moving_count;
    for (int k = 0; k < model->moving_count; k++)
        c->s->there.frames[model->moving[k]] = (frame){ph_quat_to_mat(at[k].q), at[k].x};
    return factor(c, &c->s->there);
}

// d and l of (21) where `there` stands; the size of d
static double find_projection(contact_sweep *c)
{
    double largest = 0.0;
    memset(c->s->kkt.x, 0, sizeof(double) * (size_t)c->s->kkt.lu.x_count);
    put_residuals(c, &c->s->there, 1.0);
    kkt_solve(&c->s->kkt);
    sweep_take_solution(c->s, &c->s->kkt, c->twist, c->mu);
    for (int k = 0; k < c->s->model->moving_count; k++) {
        const ph_twist *d = &c->twist[c->s->model->moving[k]];
        largest = fmax(largest, fmax(ph_max_abs(d->omega), ph_max_abs(d->v)));
    }
    return largest;
}

// The way of (21), from q* to the joints.
static bool find_poses(contact_sweep *c, const contact_body *bodies, double h)
{
    const ph_model *model = c->s->model;
    const size_t moving = (size_t)model->moving_count;
    for (size_t k = 0; k < moving; k++) {
        const sweep_pose from = {bodies[k].node.position, bodies[k].node.orientation};
        c->poses[k] = moved(&from, way_of(c, &bodies[k], model->moving[k], h));
    }
    c->pose_count = 1;
    for (double size = 1.0; model->row_count > 0 && size > 1e-14 && c->pose_count < POSES_MAX; c->pose_count++) {
        const sweep_pose *last = c->poses + (size_t)(c->pose_count - 1) * moving;
        if (!place_there(c, c->pose_count - 1)) return false;
        size = find_projection(c);
        for (size_t k = 0; k < moving; k++)
            c->poses[(size_t)c->pose_count * moving + k] = moved(&last[k], c->twist[model->moving[k]]);
    }
    return true;
}

// ---- (22), (21), (20) backwards -------------------------------------------------------------------------------------

static void pull_masses(contact_sweep *c, double scale, const ph_twist *x, const ph_twist *y)
{
    for (int k = 0; k < c->s->model->moving_count; k++) {
        const int b = c->s->model->moving[k];
        sweep_pull_mass(c->s, k, scale, x[b].omega, y[b].omega, ph_dot(x[b].v, y[b].v));
    }
}

static bool back_over_velocities(contact_sweep *c)
{
    sweep *s = c->s;
    const ph_model *model = s->model;
    if (!place_there(c, c->pose_count - 1)) return false;
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        c->scratch[b] = sweep_weighed(model->bodies[b].kind, &c->plus[b]);
    }
    sweep_put_wrenches(s, &s->kkt, c->scratch);
    node_put_motor_rates(model, &s->kkt, &s->there);
    kkt_solve(&s->kkt);
    sweep_take_solution(s, &s->kkt, c->end, c->mu);
    solve(c, s->a_v, s->beta, s->gamma);
    sweep_pull_joints(s, &s->there, -1.0, NULL, s->gamma, c->end, s->a_q);
    sweep_pull_joints(s, &s->there, -1.0, NULL, c->mu, s->beta, s->a_q);
    sweep_pull_motors(s, &s->there, 1.0, NULL, s->gamma);
    pull_masses(c, 1.0, s->beta, c->plus);
    pull_masses(c, -1.0, s->beta, c->end);
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        c->a_plus[b] = sweep_weighed(model->bodies[b].kind, &s->beta[b]);
    }
    return true;
}

static bool back_over_projection(contact_sweep *c, int index)
{
    sweep *s = c->s;
    const ph_model *model = s->model;
    if (!place_there(c, index)) return false;
    find_projection(c);
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        const ph_vec3 d = c->twist[b].omega;
        c->scratch[b] = (ph_wrench){ph_tmul(ph_dexp(d), s->a_q[b].torque), s->a_q[b].force};
        s->a_q[b].torque = ph_mul(ph_so3_exp(d), s->a_q[b].torque);
    }
    solve(c, c->scratch, s->beta, s->gamma);
    sweep_pull_joints(s, &s->there, -1.0, s->gamma, s->gamma, c->twist, s->a_q);
    sweep_pull_joints(s, &s->there, -1.0, NULL, c->mu, s->beta, s->a_q);
    sweep_pull_motors(s, &s->there, 1.0, s->gamma, NULL);
    pull_masses(c, -1.0, s->beta, c->twist);
    return true;
}

static void back_over_way(contact_sweep *c, const contact_body *body, int k, double h)
{
    sweep *s = c->s;
    const int b = s->model->moving[k];
    const ph_vec3 f = way_of(c, body, b, h).omega, force = s->a_q[b].force;
    const ph_vec3 turn = ph_tmul(ph_dexp(f), s->a_q[b].torque);
    const ph_twist v = body->node.v, p = c->plus[b];
    const double tau = body->tau;
    s->a_q[b].torque = ph_mul(ph_so3_exp(f), s->a_q[b].torque);
    wrench_add(&c->a_plus[b], h - tau, &(ph_wrench){turn, force});
    s->a_v[b] = (ph_wrench){ph_scale(tau, turn), ph_scale(tau, force)};
    c->tau[k] = 0.0;
    if (!body->flies) return;
    const ph_vec3 gained = ph_madd(ph_sub(v.v, p.v), h, s->model->gravity);
    c->tau[k] = ph_dot(turn, ph_sub(v.omega, p.omega)) + ph_dot(force, gained);
    for (int i = 0; i < 3 && s->gradient; i++) s->gradient[i] += h * (tau - 0.5 * h) * (&force.x)[i];
}

// ---- (19), (18) backwards -------------------------------------------------------------------------------------------

// N, and what the solution of the cone problem is at
static void find_operator(contact_sweep *c)
{
    const int n = c->row_count;
    for (int j = 0; j < n; j++) {
        memset(c->scratch, 0, sizeof *c->scratch * model_places(c->s->model));
        add_row(&c->rows[j], 1.0, c->scratch);
        solve(c, c->scratch, c->twist, c->mu);
        for (int i = 0; i < n; i++) c->N[i * n + j] = along_row(&c->rows[i], c->twist);
    }
}

cone_point contact_cone_point(const contact_sweep *c, ph_contact_law law)
{
    return (cone_point){.rows = c->row_count,
                        .cone_count = c->cone_count,
                        .cones = c->cones,
                        .shifted = law == PH_LAW_COULOMB,
                        .N = c->N,
                        .g = c->g,
                        .w = c->u,
                        .g_bar = c->g_bar,
                        .room = c->room,
                        .y = c->y,
                        .by = c->coefficients};
}

static void find_multipliers(contact_sweep *c)
{
    const int n = c->row_count;
    if (n == 0) return;
    find_operator(c);
    solve(c, c->a_plus, c->twist, c->mu);
    for (int i = 0; i < n; i++) c->g_bar[i] = along_row(&c->rows[i], c->twist);
    for (int i = 0; i < c->cone_count; i++) {
        const cone *it = &c->cones[i];
        const bool contact = it->kind == PH_CONE_FRICTION && c->contacts[i].softness > 0.0;
        if (contact) c->N[it->first * n + it->first] += c->contacts[i].softness;
    }
    cone_point p = contact_cone_point(c, c->m->contact.law);
    cone_point_pull(&p);
    c->report->kinks += p.kinks;
}

// What J (2 m - W) adds; 2 J (m - W) + h m x J m = 0.
static void back_over_spin(contact_sweep *c, int k, double h)
{
    sweep *s = c->s;
    const int b = s->model->moving[k];
    const body *it = &s->model->bodies[b];
    const ph_mat3 J = it->kind->J;
    const ph_vec3 w = s->here.twists[b].omega, m = middle_spin(it, w, h), beta = s->beta[b].omega;
    const ph_mat3 by_m = ph_mat_sub(ph_hat_mul(m, J), ph_hat(ph_mul(J, m)));
    const ph_mat3 K = ph_mat_madd(ph_mat_scale(2.0, J), h, by_m);
    const ph_vec3 zeta = ph_tmul(ph_inverse(K), ph_scale(2.0, ph_mul(J, beta)));
    s->a_v[b].torque = ph_add(s->a_v[b].torque, ph_mul(J, ph_sub(ph_scale(2.0, zeta), beta)));
    sweep_pull_mass(s, k, 1.0, beta, ph_sub(ph_scale(2.0, m), w), 0.0);
    sweep_pull_mass(s, k, -2.0, zeta, ph_sub(m, w), 0.0);
    sweep_pull_mass(s, k, -h, ph_cross(zeta, m), m, 0.0);
}

static void back_over_momenta(contact_sweep *c, double h)
{
    sweep *s = c->s;
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const body_kind *kind = s->model->bodies[b].kind;
        back_over_spin(c, k, h);
        s->a_v[b].force = ph_madd(s->a_v[b].force, kind->mass, s->beta[b].v);
        sweep_pull_mass(s, k, 1.0, ph_zero3(), ph_zero3(), ph_dot(s->beta[b].v, s->here.twists[b].v));
    }
}

static void back_over_plus(contact_sweep *c, const contact_tape *t, const contact_part *p, const tape_record *r)
{
    sweep *s = c->s;
    const double h = p->h;
    find_multipliers(c);
    for (int i = 0; i < c->row_count; i++) add_row(&c->rows[i], c->y[i], c->a_plus);
    solve(c, c->a_plus, s->beta, s->gamma);
    sweep_pull_joints(s, &s->here, -1.0, NULL, s->gamma, c->plus, s->a_q);
    sweep_pull_joints(s, &s->here, -1.0 / h, s->gamma, NULL, NULL, s->a_q);
    sweep_pull_joints(s, &s->here, -1.0, NULL, c->lambda, s->beta, s->a_q);
    sweep_pull_motors(s, &s->here, 1.0 / h, s->gamma, NULL);
    pull_masses(c, -1.0, s->beta, c->plus);
    contact_rows_pull(c, t, p);
    back_over_momenta(c, h);
    tape_set_motion(&s->here, r, p->time);
    sweep_pull_forces(s, &s->here, h, s->beta, s->a_q, s->a_v);
}

// ---------------------------------------------------------------------------------------------------------------------

static bool go_forwards(contact_sweep *c, const contact_tape *t, const contact_part *p, const tape_record *r)
{
    const contact_body *bodies = t->bodies + p->bodies;
    place_here(c, bodies);
    tape_set_motion(&c->s->here, r, p->time);
    set_momenta(c, p->h);
    tape_set_motion(&c->s->here, r, p->time + p->h);
    tape_set_motion(&c->s->there, r, p->time + p->h);
    if (!contact_rows_make(c, t, p) || !factor(c, &c->s->here)) return false;
    find_plus(c, p->h);
    return find_poses(c, bodies, p->h);
}

bool contact_sweep_back(contact_sweep *c, const contact_tape *t, const contact_part *p, const tape_record *r, bool last)
{
    sweep *s = c->s;
    const ph_model *model = s->model;
    if (!go_forwards(c, t, p, r)) return false;
    if (last) sweep_pull_targets(s, &s->there);
    memcpy(c->a_plus, s->a_v, sizeof *c->a_plus * model_places(model));
    if (model->row_count > 0) {
        if (!back_over_velocities(c)) return false;
        for (int index = c->pose_count - 2; index >= 0; index--)
            if (!back_over_projection(c, index)) return false;
        if (!factor(c, &s->here)) return false;
    }
    for (int k = 0; k < model->moving_count; k++) back_over_way(c, &t->bodies[p->bodies + k], k, p->h);
    contact_rows_velocities(c, t, p);
    back_over_plus(c, t, p, r);
    c->report->fixed += p->fixed;
    sweep_cut_small(s);
    return true;
}
