// moreau: velocities and impulses in one Euler step, contacts and joints included.
//
// At the configuration q of the beginning of the step, with body angular velocities, so that M is constant:
//
//     k  = M v + h f                              f: forces and the gyroscopic torque
//     v+ = M~^-1 (k + D g) - (joint drift)        B v+ = -Phi(q, t + h)/h: joints hold exactly
//     u  = D^T v+ + b + E g                       velocities at contacts and stops
//     g in K, -(u + shift) in the normal cone     the cone problem, contact/delassus.h and polhode/cone.h
//     q+ = q (+) h v+                             quaternions by the exponential; bodies that fly: (3) of flight.h
//
//     row                      b                        E
//     normal                   max(phi/h, -v_rec)       0         phi > 0: a contact that may close in this step
//     normal, restitution e    e u_n(v)                 0         when it closes and e u_n(v) < -v_min; bodies that fly: (2)
//     normal, compliance C     phi/h                    C/h^2     phi = -C F at the end of the step
//     tangents, rolling, spin  0                        0
//     limit                    max(C/h, -v_rec)         0
//     dry friction             0                        0         |g| <= h F
//
// Then q+ is moved onto the joints, and v+ onto their velocities there: both are off by O(h^2).
//
// The gyroscopic impulse is that of the implicit midpoint rule for the free body, J (w' - w) = -h m x J m with
// m = (w + w')/2, which keeps its energy and its momentum whatever the step; the explicit -h w x J w of Euler's method
// gains energy in every step.
#include "schemes/moreau.h"

#include "contact/impulses.h"
#include "math/so3.h"
#include "model/system.h"

#include <math.h>
#include <string.h>

extern const ph_scheme scheme_moreau;

// ---- Without contacts -----------------------------------------------------------------------------------------------

static bool is_midpoint(double h, ph_vec3 r, ph_vec3 Jm)
{
    return ph_norm2(ph_scale(h, r)) <= 1e-32 * ph_norm2(Jm);
}

// m with 2 J (m - w) + h m x J m = 0, by Newton's method from w.
static ph_vec3 midpoint_spin(const body *b, ph_vec3 w, double h)
{
    enum { MOST = 12 };
    ph_vec3 m = w;
    for (int k = 0; k < MOST; k++) {
        const ph_vec3 Jm = ph_mul(b->kind->J, m);
        const ph_vec3 r = ph_madd(ph_scale(2.0, ph_mul(b->kind->J, ph_sub(m, w))), h, ph_cross(m, Jm));
        if (ph_norm2(r) <= 1e-32 * ph_norm2(Jm)) break;
        const ph_mat3 by_m = ph_mat_sub(ph_hat_mul(m, b->kind->J), ph_hat(Jm));
        m = ph_sub(m, ph_mul(ph_inverse(ph_mat_madd(ph_mat_scale(2.0, b->kind->J), h, by_m)), r));
    }
    return m;
}

// Frames of a model that does without; bodies that cannot move are where the model has them, whatever the state says.
static bool make_frames(moreau *m)
{
    const ph_model *model = m->model;
    if (m->node.frames) return true;
    frame *frames = arena_alloc_array(m->memory, (size_t)model->body_count + 1, sizeof *frames);
    for (int i = 0; frames && i <= model->body_count; i++)
        frames[i] = model->bodies[i].moving >= 0 ? (frame){moreau_turn(m, i), moreau_place(m, i)}
                                                 : body_frame(&model->bodies[i]);
    m->node.frames = frames;
    m->node.motion.frames = frames;
    return frames;
}

// Balls alone need no frames, but for rows; and unless the user has moved what cannot move.
static bool needs_frames(const moreau *m)
{
    const ph_state *state = m->state;
    for (int i = 0; i < m->model->body_count; i++) {
        const body *b = &m->model->bodies[i];
        if (b->moving < 0 && (memcmp(&b->position, &state->position[i], sizeof b->position) != 0 ||
                              memcmp(&b->start->orientation, &state->orientation[i], sizeof(ph_quat)) != 0))
            return true;
    }
    return false;
}

static void set_node(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    const ph_state *state = m->state;
    for (int k = from; k < to; k++) {
        const int i = m->model->moving[k];
        if (m->node.frames) m->node.frames[i] = (frame){ph_quat_to_mat(state->orientation[i]), state->position[i]};
        if (m->node.twists) m->node.twists[i] = (ph_twist){state->angular_velocity[i], state->velocity[i]};
    }
}

// k = M v + h f
static screw momentum_with(const moreau *m, const body *b, ph_twist twist, ph_wrench Q)
{
    const ph_vec3 w = twist.omega, Jw = ph_mul(b->kind->J, w);
    const bool still = is_midpoint(m->h, ph_cross(w, Jw), Jw); // w is its own midpoint: that of balls
    const ph_vec3 mid = still ? w : midpoint_spin(b, w, m->h), Jm = still ? Jw : ph_mul(b->kind->J, mid);
    return (screw){.turn = ph_madd(Jw, m->h, ph_add(Q.torque, ph_cross(Jm, mid))),
                   .move = ph_madd(ph_scale(b->kind->mass, twist.v), m->h, Q.force)};
}

screw moreau_momentum(const moreau *m, int k)
{
    const int i = m->model->moving[k];
    const body *b = &m->model->bodies[i];
    if (m->lean) {
        const ph_twist twist = {m->state->angular_velocity[i], m->state->velocity[i]};
        const ph_wrench weight = {ph_zero3(), ph_scale(b->kind->mass, m->model->gravity)};
        return momentum_with(m, b, twist, weight);
    }
    const double *p = momentum_of(m, k);
    return (screw){ph_vec(p[0], p[1], p[2]), ph_vec(p[3], p[4], p[5])};
}

static void set_momentum(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    const ph_model *model = m->model;
    const screw none = {ph_zero3(), ph_zero3()};
    for (int k = from; k < to && m->lean; k++) m->after[k] = moreau_free_twist(m, k, &none);
    for (int k = from; k < to && !m->lean; k++) {
        const int i = model->moving[k];
        const ph_twist twist = m->node.twists[i];
        const screw momentum = momentum_with(m, &model->bodies[i], twist, m->node.Q[i]);
        node_put_vectors(momentum_of(m, k), momentum.turn, momentum.move);
        m->before[i] = (ph_twist){ph_mul(moreau_turn(m, i), twist.omega), twist.v};
    }
}

// What bodies need that does not wait for contacts, one part of them.
static void prepare(void *user, int part)
{
    const moreau *m = user;
    const int from = part * PLAIN_BODIES, all = m->model->moving_count;
    const int to = all - from > PLAIN_BODIES ? from + PLAIN_BODIES : all;
    set_momentum(user, part, from, to);
    if (m->balls) moreau_set_inverse(user, part, from, to);
}

static void keep_impulses(moreau *m)
{
    for (int j = 0; j < m->model->joint_count; j++)
        for (int r = 0; r < m->model->joints[j].row_count; r++)
            m->impulse[m->model->joints[j].first_row + r] = -kkt_joint_x(&m->kkt, j)[r];
}

// after <- M~^-1 (k + wrench), with B v = -Phi/h at the end of the step. `wrench` may be NULL.
static void solve_joined(moreau *m, const screw *wrench, double h)
{
    const ph_model *model = m->model;
    kkt *kkt = &m->kkt;
    for (int k = 0; k < model->moving_count; k++) {
        const ph_mat3 R = m->node.frames[model->moving[k]].R;
        screw p = moreau_momentum(m, k);
        if (wrench) {
            p.turn = ph_add(p.turn, ph_tmul(R, wrench[k].turn));
            p.move = ph_add(p.move, wrench[k].move);
        }
        node_put_vectors(kkt_body_x(kkt, k), p.turn, p.move);
    }
    for (int j = 0; j < model->joint_count; j++) {
        double *x = kkt_joint_x(kkt, j);
        joint_residual(&model->joints[j], &m->node.motion, x);
        for (int r = 0; r < model->joints[j].row_count; r++) x[r] *= -1.0 / h;
    }
    delassus_solve(&m->delassus);
    for (int k = 0; k < model->moving_count; k++) {
        const double *v = kkt_body_x(kkt, k);
        m->after[k] =
            (screw){ph_mul(m->node.frames[model->moving[k]].R, ph_vec(v[0], v[1], v[2])), ph_vec(v[3], v[4], v[5])};
    }
    keep_impulses(m);
}

// after <- the velocities with the impulses g, or without any: NULL
static void solve_velocities(moreau *m, const double *g, double h)
{
    const screw none = {ph_zero3(), ph_zero3()}, *wrench = g ? m->delassus.wrench : NULL;
    if (g) delassus_gather(&m->delassus, g, m->delassus.wrench);
    if (has_joints(m)) {
        solve_joined(m, wrench, h);
        return;
    }
    for (int k = 0; k < m->model->moving_count; k++) m->after[k] = moreau_free_twist(m, k, wrench ? &wrench[k] : &none);
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

static bool add_stops(moreau *m, double h)
{
    bool ok = true;
    for (int j = 0; j < m->model->joint_count && ok; j++) {
        const ph_joint_def *def = m->model->joints[j].def;
        if (def->has_limit_low) ok = delassus_add_stop(&m->delassus, j, STOP_LOW, 0.0);
        if (ok && def->has_limit_high) ok = delassus_add_stop(&m->delassus, j, STOP_HIGH, 0.0);
        if (ok && def->friction > 0.0) ok = delassus_add_stop(&m->delassus, j, STOP_FRICTION, h * def->friction);
    }
    return ok;
}

bool moreau_set_rows(moreau *m, double h)
{
    delassus *d = &m->delassus;
    delassus_begin(d);
    for (int i = 0; i < m->detector->count; i++) {
        const detected found = detector_at(m->detector, i);
        const pair_surface surface = detector_surface(m->detector, &found);
        if (!delassus_add_contact(d, &found, &surface, surface.compliance / (h * h))) return false;
    }
    if (!add_stops(m, h) || !delassus_end(d)) return false;
    const ph_allocator *allocator = &m->model->allocator;
    const int n = d->row_count;
    return flight_reserve(&m->flight, d->contact_count) &&
           mem_reserve(allocator, &m->g, &m->g_room, n + 1, sizeof(double)) &&
           mem_reserve(allocator, &m->u, &m->u_room, n + 1, sizeof(double)) &&
           mem_reserve(allocator, &m->q, &m->q_room, n + 1, sizeof(double)) &&
           mem_reserve(allocator, &m->raw, &m->raw_room, n + 1, sizeof(double));
}

// ---- Velocities of the rows -----------------------------------------------------------------------------------------

// Gaps within a few times tolerance x h are closed as well as the solver knows; what is larger counts from there on, without
// a jump, which would shake what rests.
double moreau_bias(const moreau *m, const detected *found, const pair_surface *surface, double h)
{
    const double rate = found->gap / h, slack = 3.0 * m->contact.tolerance;
    if (surface->compliance > 0.0) return rate;
    return ph_max(rate > slack ? rate - slack : rate < -slack ? rate + slack : 0.0, -m->contact.recovery_speed);
}

// `shift`: what the velocity before the step gets added, so that its mean with that after the step is the mean of those
// before and after the impact, on which the work depends.
bool moreau_rebound(const moreau *m, const flight_contact *c, double e, double u, double u_free, double h, double *tau,
                    rebound *to)
{
    const double v_min = m->bounce * h * ph_norm(m->model->gravity);
    const bounce at = flight_bounce(&m->flight, c->a, c->b, c->normal, c->gap, u, u_free, h);
    const double before = u + at.tau * at.a;
    if (!(at.tau >= 0.0 && e * before < -v_min)) return false;
    *tau = at.tau;
    *to = (rebound){.bias = e * before - (h - at.tau) * at.a, .shift = (2.0 * at.tau - h) * at.a};
    return true;
}

// b of the normal row of contact i; *u is its velocity before the step, u_free after it without contacts.
static double contact_bias(moreau *m, int i, double *u, double u_free, double h)
{
    const detected found = detector_at(m->detector, i);
    const contact_rows *rows = &m->delassus.contacts[i];
    const flight_contact c = {rows->a, rows->b, found.normal, rows->arm_a, rows->arm_b, found.gap};
    const pair_surface surface = detector_surface(m->detector, &found);
    double tau;
    rebound it;
    if (!(surface.restitution > 0.0 && surface.compliance == 0.0) ||
        !moreau_rebound(m, &c, surface.restitution, *u, u_free, h, &tau, &it))
        return moreau_bias(m, &found, &surface, h);
    flight_take(&m->flight, c.a, c.b, i, tau);
    *u += it.shift;
    return it.bias;
}

static double stop_bias(const moreau *m, const stop_row *s, double h)
{
    const joint *j = &m->model->joints[s->joint];
    if (s->kind == STOP_FRICTION) return 0.0;
    const double at = joint_coordinate(j, &m->node.motion, 0);
    const double distance = s->kind == STOP_LOW ? at - j->def->limit_low : j->def->limit_high - at;
    return ph_max(distance / h, -m->contact.recovery_speed);
}

// q = D^T v_free + b; raw keeps D^T v, the velocities before the step.
static void set_velocities(moreau *m, double h)
{
    delassus *d = &m->delassus;
    for (int k = 0; k < m->model->moving_count; k++) {
        const ph_twist v = flight_before_body(&m->past, m->model->moving[k]);
        d->twist[k] = (screw){v.omega, v.v};
    }
    delassus_velocities(d, d->twist, m->raw);
    delassus_velocities(d, m->after, m->q);
    for (int i = 0; i < d->contact_count; i++) {
        const int row = d->contacts[i].first;
        m->q[row] += contact_bias(m, i, &m->raw[row], m->q[row], h);
    }
    for (int i = 0; i < d->stop_count; i++) m->q[d->stops[i].first] += stop_bias(m, &d->stops[i], h);
}

// ---- The contact problem --------------------------------------------------------------------------------------------

static const double LOOSE = 1e-5; // m/s: a tolerance from which on nobody counts digits

ph_cone_settings moreau_cone_settings(const moreau *m)
{
    ph_cone_settings settings = ph_default_cone();
    settings.solver = m->contact.solver;
    settings.law = m->contact.law;
    settings.tolerance = m->contact.tolerance;
    if (settings.tolerance < LOOSE) settings.tolerance *= 0.3; // forces of a heap at rest sum up what is left
    settings.iterations = m->contact.iterations;
    return settings;
}

// Plain problems that are large, or need not be exact, go to wide.h.
static ph_status choose_path(moreau *m, double h, const ph_cone_settings *settings)
{
    enum { EXACT_MOST = 500 }; // contacts
    const bool first_order = strcmp(settings->solver, "apgd") == 0 || strcmp(settings->solver, "pgs") == 0;
    const bool wide = first_order && (settings->tolerance >= LOOSE || m->detector->count > EXACT_MOST);
    m->plain.at = poses_of(m);
    m->has_rows = false;
    m->is_plain = h > 0.0 && wide && !has_joints(m) && settings->law == PH_LAW_COULOMB && m->detector->count > 0;
    if (m->is_plain && !plain_set(&m->plain, &m->is_plain)) return PH_OUT_OF_MEMORY;
    return PH_OK;
}

// Nothing touches anything: no rows, nor memory for them.
static ph_status fly(moreau *m)
{
    delassus_begin(&m->delassus);
    flight_begin(&m->flight, &m->delassus, m->detector, NULL, m->h);
    return PH_OK;
}

// By rows, with the solvers of polhode/cone.h; `start`: the impulses of the plain contacts in place of those in the state.
static ph_status solve_rows(moreau *m, const ph_state *state, double h, bool start, ph_cone_settings *settings,
                            ph_cone_report *report)
{
    delassus *d = &m->delassus;
    solve_velocities(m, NULL, h);
    if (!has_joints(m) && m->detector->count == 0) return fly(m);
    if (!make_frames(m) || !moreau_set_rows(m, h)) return PH_OUT_OF_MEMORY;
    impulses_guess(d, m->detector, NULL, state, h, m->g);
    flight_begin(&m->flight, d, m->detector, m->g, h);
    if (d->cone_count == 0) return PH_OK;
    if (h < 0.0) return PH_NOT_SUPPORTED;
    m->has_rows = true;
    settings->start = true;
    settings->lipschitz = state->contact_bound;
    set_velocities(m, h);
    for (int i = 0; i < d->contact_count && start; i++)
        for (int r = 0; r < 3; r++)
            m->g[d->contacts[i].first + r] = ph_dot(d->contacts[i].axes[r], plain_impulses(&m->plain)[i]);
    const ph_cone_problem problem = {d->cone_count, d->cones, m->q, delassus_operator(d)};
    const ph_status status = ph_cone_solve(m->cones, &problem, settings, m->g, m->u, report, NULL);
    if (status == PH_OK) solve_velocities(m, m->g, h);
    return status;
}

// Sweeps of wide.h do not help where the impulses of the last step are nearly right already: they move the redundant forces
// of a wall at rest about, and leave the exact solvers a worse start than they had. `near`: one sweep was tried, no more.
static ph_status solve_plain(moreau *m, const ph_state *state, double h, const ph_cone_settings *settings,
                             ph_cone_report *report, bool *near)
{
    ph_cone_settings once = *settings;
    once.iterations = 1;
    if (*near) {
        const ph_status status = moreau_solve_plain(m, state, h, &once, report);
        *near = report->residual <= 1e-6; // m/s
        if (status != PH_OK || *near) return status;
    }
    return moreau_solve_plain(m, state, h, settings, report);
}

// What is left unsolved the exact solvers finish where somebody counts digits, or where it takes no longer than sweeps did;
// in larger problems it would take seconds to minutes, and the report says that the tolerance was missed.
static ph_status solve_contact(moreau *m, const ph_state *state, double h, ph_step_report *report,
                               ph_cone_report *cone_report)
{
    enum { FINISH_MOST = 2000, FINISH_LOOSE_MOST = 300 }; // contacts
    enum { NEAR_MOST = 60 }; // iterations: what they leave of a problem that was nearly solved, 500 leave too
    ph_cone_settings settings = moreau_cone_settings(m);
    ph_status status = choose_path(m, h, &settings);
    if (status != PH_OK) return status;
    const int most = settings.tolerance < LOOSE ? FINISH_MOST : FINISH_LOOSE_MOST;
    bool finish = m->is_plain && m->detector->count <= most, near = finish && settings.tolerance < LOOSE;
    if (m->is_plain) status = solve_plain(m, state, h, &settings, cone_report, &near);
    finish = finish && cone_report->residual > m->contact.tolerance;
    if (finish) settings.solver = "newton", settings.tolerance = m->contact.tolerance;
    if (finish && near && settings.iterations > NEAR_MOST) settings.iterations = NEAR_MOST;
    if (status == PH_OK && (finish || !m->is_plain)) {
        status = solve_rows(m, state, h, finish && !near, &settings, cone_report);
        if (status == PH_OK) flight_end(&m->flight, &m->delassus, m->detector, m->g, &m->past, m->after, h);
    }
    m->is_plain = m->is_plain && !finish;
    report->contacts = m->detector->count;
    report->contact_iterations = cone_report->iterations;
    report->contact_residual = cone_report->residual;
    report->contact_missed = !(cone_report->residual <= m->contact.tolerance);
    return status;
}

// ---- The step -------------------------------------------------------------------------------------------------------

static ph_twist mean_twist(ph_vec3 omega, ph_vec3 v, ph_vec3 omega_next, ph_vec3 v_next)
{
    return (ph_twist){ph_scale(0.5, ph_add(omega, omega_next)), ph_scale(0.5, ph_add(v, v_next))};
}

// Of motors that prescribe a coordinate, from their impulses and the twists in the node.
static double motor_work(const moreau *m)
{
    const ph_model *model = m->model;
    double work = 0.0;
    for (int j = 0; j < model->joint_count && model->motor_count > 0; j++) {
        const joint *joint = &model->joints[j];
        const int row = joint->first_row + joint->row_count - 1;
        if (joint->motor) work += m->impulse[row] * joint_rate(joint, &m->node.motion, 0);
    }
    return work;
}

// Velocities <- the nearest with B v + dPhi/dt = 0 at the end of the step, where the node stands. Returns the work of motors.
static double project_velocities(moreau *m)
{
    const ph_model *model = m->model;
    memset(m->kkt.x, 0, sizeof(double) * (size_t)m->kkt.lu.x_count);
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        const body *body = &model->bodies[b];
        node_put_vectors(kkt_body_x(&m->kkt, k), ph_mul(body->kind->J, m->angular_velocity[b]),
                         ph_scale(body->kind->mass, m->velocity[b]));
    }
    node_put_motor_rates(model, &m->kkt, &m->node);
    delassus_solve(&m->delassus);
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        const double *v = kkt_body_x(&m->kkt, k);
        const ph_vec3 turn = ph_vec(v[0], v[1], v[2]), move = ph_vec(v[3], v[4], v[5]);
        m->node.twists[b] = mean_twist(m->angular_velocity[b], m->velocity[b], turn, move);
        m->angular_velocity[b] = turn;
        m->velocity[b] = move;
    }
    keep_impulses(m);
    return motor_work(m);
}

// Where v+ leads a body; one that flies, the mean of flight.h.
typedef struct body_end {
    ph_vec3 position, velocity, angular_velocity;
    ph_quat orientation;
} body_end;

static body_end end_of(const moreau *m, const ph_state *state, int k)
{
    const int i = m->model->moving[k];
    const ph_mat3 R = moreau_turn(m, i);
    const screw mean = flight_mean(&m->flight, k, &m->past, m->after, m->h);
    const ph_quat turn = ph_quat_exp(ph_tmul(R, ph_scale(m->h, mean.turn)));
    return (body_end){.velocity = m->after[k].move,
                      .angular_velocity = ph_tmul(R, m->after[k].turn),
                      .position = ph_madd(state->position[i], m->h, mean.move),
                      .orientation = ph_quat_unit(ph_quat_mul(state->orientation[i], turn))};
}

// Mean twists of the step into the node. What is not finite makes its sum so.
static void set_means(void *user, int part, int from, int to)
{
    const moreau *m = user;
    double sum = 0.0;
    for (int k = from; k < to; k++) {
        const int i = m->model->moving[k];
        if (is_asleep(m, i)) continue;
        const ph_vec3 v = m->after[k].move;
        const ph_vec3 omega = keeps_twists(m) ? ph_tmul(moreau_turn(m, i), m->after[k].turn) : m->after[k].turn;
        if (keeps_twists(m)) m->node.twists[i] = mean_twist(m->node.twists[i].omega, m->node.twists[i].v, omega, v);
        const ph_vec3 all = ph_add3(ph_madd(moreau_place(m, i), m->h, v), v, omega);
        sum += all.x + all.y + all.z;
    }
    m->sums[part] = sum;
}

// Work of contacts and stops, g . (u + u+)/2
static double work_of_rows(moreau *m)
{
    const delassus *d = &m->delassus;
    double work = 0.0;
    delassus_velocities(d, m->after, m->u);
    for (int r = 0; r < d->row_count; r++) work += 0.5 * m->g[r] * (m->raw[r] + m->u[r]);
    return work;
}

// Work of what has no potential: contacts and stops, motors likewise, forces by their power at the mean velocity. Energy
// that T + U - W still gains or loses is the scheme's own error.
static bool work_done(moreau *m, const ph_state *state, double h, double *work)
{
    *work = m->is_plain ? moreau_plain_work(m) : m->has_rows ? work_of_rows(m) : 0.0;
    for_bodies(m, set_means);
    if (!isfinite(sum_of_parts(m))) return false;
    *work += motor_work(m);
    node_set_time(state, state->time, &m->node);
    *work += h * system_power(m->model, &m->node.motion);
    node_set_time(state, state->time + h, &m->node);
    return true;
}

static double penetration(const moreau *m)
{
    double deepest = 0.0;
    for (int i = 0; i < m->detector->count; i++) deepest = ph_max(deepest, -detector_gap_at(m->detector, i).gap);
    return deepest;
}

// Onto the joints, positions and velocities.
static ph_status project(moreau *m, const ph_state *state, double *work)
{
    for (int k = 0; k < m->model->moving_count; k++) {
        const int i = m->model->moving[k];
        const body_end end = end_of(m, state, k);
        m->position[i] = end.position;
        m->orientation[i] = end.orientation;
        m->velocity[i] = end.velocity;
        m->angular_velocity[i] = end.angular_velocity;
    }
    if (!node_project_position(m->model, &m->kkt, m->position, m->orientation, &m->node)) return PH_NO_CONVERGENCE;
    *work += project_velocities(m);
    return PH_OK;
}

static void keep_bodies(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    ph_state *state = m->state;
    for (int k = from; k < to; k++) {
        const int i = m->model->moving[k];
        if (is_asleep(m, i)) continue;
        const body_end end = has_joints(m)
                                 ? (body_end){m->position[i], m->velocity[i], m->angular_velocity[i], m->orientation[i]}
                                 : end_of(m, state, k);
        state->position[i] = end.position;
        state->orientation[i] = end.orientation;
        state->velocity[i] = end.velocity;
        state->angular_velocity[i] = end.angular_velocity;
    }
}

// What sleeps keeps its contacts: `asleep` of them.
static void keep_contacts(moreau *m, ph_state *state, double h, int asleep)
{
    const int count = m->detector->count, at = asleep > 0 ? asleep + count : 0;
    if (asleep > 0) sleep_keep_contacts(&m->sleep, state);
    if (m->is_plain)
        plain_keep(&m->plain, state, at, h, wide_is_single(m->wide));
    else
        impulses_keep(&m->delassus, m->detector, NULL, m->g, h, at, state);
    if (asleep > 0) {
        sleep_merge_contacts(m->detector, state, asleep, count);
        state_set_contacts(state, asleep + count, 0);
    }
}

static bool reserve_contacts(const moreau *m, ph_state *state, int asleep)
{
    const int more = asleep > 0 ? asleep + m->detector->count : 0;
    return m->is_plain ? plain_reserve(&m->plain, state, more, wide_is_single(m->wide))
                       : state_reserve_contacts(state, m->detector->count + more);
}

static void keep(moreau *m, ph_state *state, double h, double work, double bound, int asleep)
{
    double *history = state_history(state, &scheme_moreau);
    keep_contacts(m, state, h, asleep); // while the bodies are where they were found
    for_bodies(m, keep_bodies);
    state->contact_bound = bound > 0.0 ? bound : state->contact_bound;
    state->work += work;
    state->time += h;
    if (m->sleep.speed > 0.0) state->work -= sleep_end(&m->sleep, m->detector, state, m->node.Q, fabs(h), history);
}

// Contacts of all that is awake; what they touch wakes.
static ph_status detect(moreau *m, const ph_state *state, double h)
{
    sleep *s = &m->sleep;
    detector *d = m->detector;
    d->beside = prepare;
    d->beside_user = m;
    d->beside_count =
        s->speed > 0.0 ? 0 : pool_parts(m->model->moving_count, PLAIN_BODIES); // there may be a second one
    if (s->speed > 0.0) sleep_begin(s, state, state_past(state, &scheme_moreau), m->node.Q);
    ph_status status;
    const poses at = poses_of(m);
    const movement moving = m->lean ? movement_of_state(state) : movement_of_twists(m->node.twists);
    do {
        m->detector->asleep = s->count > 0 ? s->asleep : NULL;
        status = detector_run(m->detector, &at, &moving, fabs(h));
    } while (status == PH_OK && sleep_disturb(s, m->detector, state));
    return status;
}

static ph_status moreau_step(void *self, ph_state *state, double h, ph_step_report *report)
{
    moreau *m = self;
    const ph_model *model = m->model;
    ph_cone_report cone_report = {0};
    report->advice = "try a smaller step";
    if (m->sleep.speed > 0.0 && !state_reserve_history(state)) return PH_OUT_OF_MEMORY;
    m->h = h;
    node_set_time(state, state->time, &m->node);
    m->state = state;
    if (!m->node.frames && needs_frames(m) && !make_frames(m)) return PH_OUT_OF_MEMORY;
    m->past = (flight_past){m->before, state};
    if (m->node.frames || m->node.twists) for_bodies(m, set_node);
    if (!m->lean) node_set_forces(model, &m->node);
    ph_status status = detect(m, state, h);
    if (status != PH_OK) return status;
    if (!m->detector->beside_done) pool_run(m->pool, prepare, m, pool_parts(model->moving_count, PLAIN_BODIES));
    m->is_free = m->lean;
    node_set_time(state, state->time + h, &m->node); // where motors are to be at the end of the step
    node_set_jacobian(model, &m->kkt, &m->node);
    if (has_joints(m) && !node_factor_mass(model, &m->kkt, &m->node)) return PH_SINGULAR;
    const int asleep = sleep_contacts(&m->sleep, state, &report->penetration);
    status = solve_contact(m, state, h, report, &cone_report);
    if (status == PH_NOT_SUPPORTED) report->advice = "contacts, limits and dry friction cannot be undone: go forward";
    if (status != PH_OK) return status;
    if (!reserve_contacts(m, state, asleep)) return PH_OUT_OF_MEMORY;
    report->contacts += asleep;
    report->penetration = ph_max(report->penetration, penetration(m));
    double work;
    if (!work_done(m, state, h, &work)) return PH_NOT_FINITE;
    if (has_joints(m)) status = project(m, state, &work);
    if (status != PH_OK) return status;
    keep(m, state, h, work, cone_report.lipschitz, asleep);
    report->advice = NULL;
    return PH_OK;
}

const ph_scheme scheme_moreau = {
    .name = "moreau",
    .title = "velocity-impulse Euler with contact: friction cones, limits and impacts in one problem",
    .reference = "Moreau 1988; Stewart and Trinkle 1996; Mazhar, Heyn, Negrut and Tasora 2015",
    .order = 1,
    .traits = PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT | PH_HAS_CONTACT,
    .options = {{"bounce", "steps of gravity below which a bounce is not resolved", 0.5, 0.0, 1e6},
                {"lanes", "instructions: 0 the best, 1 portable, 2 AVX2, 3 AVX-512; same bits", 0.0, 0.0, 3.0}},
    .create = moreau_create,
    .step = moreau_step,
    .destroy = moreau_destroy,
};
