#include "schemes/implicit.h"

#include "dynamics/linearise.h"
#include "dynamics/newton.h"
#include "dynamics/search.h"
#include "dynamics/system.h"
#include "math/mat3.h"
#include "math/so3.h"
#include "schemes/left_out.h"

#include <string.h>

// ---- Life -----------------------------------------------------------------------------------------------------------

static bool allocate(implicit *s)
{
    const ph_model *model = s->model;
    const size_t bodies = model_places(model), rows = (size_t)model->row_count + 1;
    bool ok = kkt_create(model, KKT_COUPLED, s->memory, &s->kkt) && node_create(model, &s->kkt, s->memory, &s->there);
    ok = ok && kkt_create(model, KKT_DECOUPLED, s->memory, &s->geometry) &&
         node_create(model, &s->geometry, s->memory, &s->here);
    ok = ok && (s->bodies = arena_alloc_array(s->memory, bodies, sizeof(implicit_body)));
    ok = ok && (s->position = arena_alloc_array(s->memory, bodies, sizeof(ph_vec3)));
    ok = ok && (s->orientation = arena_alloc_array(s->memory, bodies, sizeof(ph_quat)));
    ok = ok && (s->lambda = arena_alloc_array(s->memory, rows, sizeof(double)));
    ok = ok && (s->phi = arena_alloc_array(s->memory, rows, sizeof(double)));
    return ok;
}

ph_status implicit_create(const ph_model *model, const ph_scheme *scheme, const scheme_settings *settings,
                          bool stabilised, void **self, ph_error *error)
{
    arena *memory = arena_create(&model->allocator);
    implicit *s = memory ? arena_alloc(memory, sizeof *s) : NULL;
    if (s)
        *s = (implicit){.model = model,
                        .scheme = scheme,
                        .settings = *settings,
                        .memory = memory,
                        .stabilised = stabilised,
                        .has_bends = system_has_bends(model)};
    if (!s || !allocate(s)) {
        arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *self = s;
    return PH_OK;
}

void implicit_destroy(void *self)
{
    arena_destroy(((implicit *)self)->memory);
}

static ph_twist twist_add(ph_twist a, double s, ph_twist b)
{
    return (ph_twist){ph_madd(a.omega, s, b.omega), ph_madd(a.v, s, b.v)};
}

static ph_twist twist_of(const double *x)
{
    return (ph_twist){ph_vec(x[0], x[1], x[2]), ph_vec(x[3], x[4], x[5])};
}

bool implicit_start(implicit *s, const ph_state *state)
{
    const ph_model *model = s->model;
    node_set_time(state, state->time, &s->there);
    node_set_frames(model, state->position, state->orientation, &s->there);
    node_set_twists(model, state->angular_velocity, state->velocity, &s->there);
    node_set_forces(model, &s->there);
    if (!node_factor_placed(model, &s->geometry, &s->there, false)) return false;
    node_accelerate(model, &s->geometry, &s->there);
    for (int k = 0; k < model->moving_count; k++) s->bodies[k].w = twist_of(kkt_body_x(&s->geometry, k));
    for (int j = 0; j < model->joint_count; j++)
        for (int r = 0; r < model->joints[j].row_count; r++)
            s->lambda[model->joints[j].first_row + r] = kkt_joint_x(&s->geometry, j)[r];
    return true;
}

// ---- Equations (1) and (3) ------------------------------------------------------------------------------------------

// q_1 and v_1 from w
static void move_bodies(implicit *s, const ph_state *state, double h, double c_v, double c_q)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        implicit_body *body = &s->bodies[k];
        body->v = twist_add(body->v_bar, c_v, body->w);
        body->Dq = twist_add(twist_add(body->Dq_bar, c_q, body->w), -1.0, body->shift);
        s->orientation[b] =
            ph_quat_polish(ph_quat_mul(state->orientation[b], ph_quat_exp(ph_scale(h, body->Dq.omega))));
        s->position[b] = ph_madd(state->position[b], h, body->Dq.v);
        s->there.frames[b] = (frame){ph_quat_to_mat(s->orientation[b]), s->position[b]};
        s->there.twists[b] = body->v;
    }
}

typedef struct target {
    implicit *s;
    double c_v, hc_q;
} target;

// block += s * X diag(T, I) for the row-major X; blocks of the matrix are column-major
static void add_turned(double *block, double s, const double *X, const ph_mat3 *T)
{
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++) {
            double x = X[6 * r + c];
            if (c < 3) x = X[6 * r] * T->m[0][c] + X[6 * r + 1] * T->m[1][c] + X[6 * r + 2] * T->m[2][c];
            block[6 * c + r] += s * x;
        }
}

static double *block_of(implicit *s, int row, int column)
{
    return row == column ? kkt_body(&s->kkt, row) : kkt_body_pair(&s->kkt, row, column);
}

// A -= c_v dQ/dv + h c_q dQ/dq diag(T, I)
static void add_force(void *user, int row, int column, const double *by_position, const double *by_velocity)
{
    const target *t = user;
    double *block = block_of(t->s, row, column);
    if (!block) return;
    add_turned(block, -t->hc_q, by_position, &t->s->bodies[column].T);
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++) block[6 * c + r] -= t->c_v * by_velocity[6 * r + c];
}

// A += h c_q d(B^T lambda)/dq diag(T, I)
static void add_stiffness(implicit *s, int j, double hc_q)
{
    const joint *joint = &s->model->joints[j];
    double K[JOINT_BODIES_MAX][JOINT_BODIES_MAX][36];
    for (int a = 0; a < joint->body_count; a++) memset(K[a], 0, (size_t)joint->body_count * sizeof K[a][0]);
    joint_stiffness(joint, &s->there.motion, s->lambda + joint->first_row, K);
    for (int a = 0; a < joint->body_count; a++)
        for (int b = 0; b < joint->body_count; b++) {
            const int row = s->model->bodies[joint->bodies[a]].moving,
                      column = s->model->bodies[joint->bodies[b]].moving;
            double *block = block_of(s, row, column);
            if (block) add_turned(block, hc_q, K[a][b], &s->bodies[column].T);
        }
}

// The residual of (1) for body k without constraint forces, with the forces as they are in `there`.
static void put_body_residual(const implicit *s, int k, double *r)
{
    const int b = s->model->moving[k];
    const body_kind *kind = s->model->bodies[b].kind;
    const implicit_body *own = &s->bodies[k];
    const ph_vec3 torque = ph_add(s->there.Q[b].torque, ph_cross(ph_mul(kind->J, own->v.omega), own->v.omega));
    node_put_vectors(r, ph_sub(torque, ph_mul(kind->J, own->w.omega)),
                     ph_madd(s->there.Q[b].force, -kind->mass, own->w.v));
}

// A of the bodies: (1) by w
static void put_bodies(implicit *s, double h, double c_v, double c_q, unsigned rough)
{
    const ph_model *model = s->model;
    kkt_clear_pairs(&s->kkt);
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        const body *body = &model->bodies[b];
        implicit_body *own = &s->bodies[k];
        const ph_vec3 omega = own->v.omega, JOmega = ph_mul(body->kind->J, omega);
        // d(J Omega x Omega) = ((J Omega)~ - Omega~ J) dOmega
        const ph_mat3 gyro = ph_mat_sub(ph_hat(JOmega), ph_hat_mul(omega, body->kind->J));
        const ph_mat3 P = ph_mat_madd(body->kind->J, -c_v, gyro);
        own->T = ph_dexp(ph_scale(h, own->Dq.omega));
        node_put_body(kkt_body(&s->kkt, k), &P, body->kind->mass);
    }
    linearise_forces(model, &s->there.motion, LINEARISE_POSITION | LINEARISE_VELOCITY | rough, add_force,
                     &(target){s, c_v, h * c_q});
}

// C = B diag(T, I), or C = B, column-major
static void put_lower(const double *B, const ph_mat3 *T, int rows, double *C)
{
    for (int r = 0; r < rows; r++, B += 6)
        for (int c = 0; c < 6; c++)
            C[c * rows + r] = T && c < 3 ? B[0] * T->m[0][c] + B[1] * T->m[1][c] + B[2] * T->m[2][c] : B[c];
}

// Rows of velocities, in both forms: (A v_1 - b)/c_v, whose derivative is A + (h c_q/c_v) S diag(T, I).
static void assemble_slips(implicit *s, int j, double c_v, double hc_q, bool kept)
{
    const joint *joint = &s->model->joints[j];
    const int rows = joint->row_count;
    const double *B = s->there.B + s->kkt.joints[j].B, part = hc_q / c_v;
    double rate[JOINT_ROWS_MAX], S[6 * JOINT_ROWS_MAX * JOINT_BODIES_MAX];
    joint_velocity_residual(joint, &s->there.motion, rate);
    if (!kept) joint_slopes(joint, &s->there.motion, S);
    for (int r = 0; r < rows; r++) {
        if (!joint_row_is_slip(joint, r)) continue;
        kkt_joint_x(&s->kkt, j)[r] = -rate[r] / c_v;
        for (int k = 0; k < joint->body_count && !kept; k++) {
            const double *b = B + 6 * (rows * k + r), *d = S + 6 * (rows * k + r);
            const ph_mat3 *T = &s->bodies[s->model->bodies[joint->bodies[k]].moving].T;
            const ph_vec3 turned = ph_tmul(*T, ph_vec(d[0], d[1], d[2]));
            const double slope[6] = {turned.x, turned.y, turned.z, d[3], d[4], d[5]};
            for (int c = 0; c < 6; c++) kkt_lower(&s->kkt, j, k)[c * rows + r] = b[c] + part * slope[c];
        }
    }
}

// B^T and C of joint j
static void put_joint(implicit *s, int j)
{
    const joint *joint = &s->model->joints[j];
    const int rows = joint->row_count;
    const double *B = s->there.B + s->kkt.joints[j].B;
    for (int k = 0; k < joint->body_count; k++, B += 6 * rows) {
        const int moving = s->model->bodies[joint->bodies[k]].moving;
        memcpy(kkt_upper(&s->kkt, j, k), B, sizeof(double) * 6 * (size_t)rows);
        put_lower(B, s->stabilised ? NULL : &s->bodies[moving].T, rows, kkt_lower(&s->kkt, j, k));
    }
}

// Of Newton's method. How reactions and lines of action turn with the bodies is h^2 times a force beside a mass, dear to find and
// left out of the first matrix of a step. A matrix is kept where its first update moves little, and while updates shrink fast: a
// residual and a solve cost a fraction of it. Where they do not, the next one is whole.
typedef enum matrix { MATRIX_ROUGH, MATRIX_WHOLE, MATRIX_KEPT } matrix;

static const double KEPT_BELOW = 0.01, KEPT_WHILE = 0.1; // of the length of the model; of the update before

static matrix next_matrix(const implicit *s, const newton *n, double update, double scale, double h)
{
    const bool bent = s->has_bends && update > SEARCH_ABOVE * scale; // a matrix says nothing of what is beyond a bend
    const double most = n->iterations == 0 ? KEPT_BELOW * s->kkt.unit / fabs(h) : KEPT_WHILE * n->last;
    return update <= most && !bent ? MATRIX_KEPT : MATRIX_WHOLE;
}

// Constraint forces of (1) and the rows of (2), or of (4); with their part of the matrix unless that is kept.
static void assemble_joint(implicit *s, int j, double h, double c_v, double c_q, matrix matrix)
{
    const joint *joint = &s->model->joints[j];
    const int rows = joint->row_count;
    double *B = s->there.B + s->kkt.joints[j].B, *x = kkt_joint_x(&s->kkt, j);
    joint_jacobian(joint, &s->there.motion, B);
    joint_residual(joint, &s->there.motion, s->phi + joint->first_row);
    if (s->stabilised) joint_velocity_residual(joint, &s->there.motion, x);
    for (int r = 0; r < rows; r++) x[r] = s->stabilised ? -x[r] / c_v : -s->phi[joint->first_row + r] / (h * c_q);
    for (int k = 0; k < joint->body_count; k++)
        node_add_transposed(B + 6 * rows * k, rows, -1.0, s->lambda + joint->first_row,
                            kkt_body_x(&s->kkt, s->model->bodies[joint->bodies[k]].moving));
    if (matrix != MATRIX_KEPT) put_joint(s, j);
    if (joint->slips) assemble_slips(s, j, c_v, h * c_q, matrix == MATRIX_KEPT);
    if (matrix == MATRIX_WHOLE) add_stiffness(s, j, h * c_q);
}

// ---- Newton ---------------------------------------------------------------------------------------------------------

// Of a twist, turns times the length of the model.
static double largest(const double *x, double unit)
{
    double most = 0.0;
    for (int c = 0; c < 6; c++) {
        const double size = c < 3 ? unit * fabs(x[c]) : fabs(x[c]);
        most = size > most || isnan(size) ? size : most;
    }
    return most;
}

// Adds the solution for w and lambda. Returns the change of the velocities in this iteration.
static double add_update(implicit *s, double c_v, double *scale)
{
    double update = 0.0;
    for (int k = 0; k < s->model->moving_count; k++) {
        const double *d = kkt_body_x(&s->kkt, k), size = fabs(c_v) * largest(d, s->kkt.unit);
        implicit_body *body = &s->bodies[k];
        body->before = body->w;
        body->update = twist_of(d);
        body->w = twist_add(body->w, 1.0, body->update);
        update = size > update || isnan(size) ? size : update;
        *scale = ph_max(*scale, ph_max(s->kkt.unit * ph_max_abs(body->v.omega), ph_max_abs(body->v.v)));
    }
    for (int j = 0; j < s->model->joint_count; j++) {
        const joint *joint = &s->model->joints[j];
        for (int r = 0; r < joint->row_count; r++) s->lambda[joint->first_row + r] += kkt_joint_x(&s->kkt, j)[r];
    }
    return update;
}

// [M B^T; B 0] with B^T at q_0 and B at q_1
static bool factor_shift(implicit *s)
{
    const ph_model *model = s->model;
    for (int k = 0; k < model->moving_count; k++) {
        const body *body = &model->bodies[model->moving[k]];
        node_put_body(kkt_body(&s->geometry, k), &body->kind->J, body->kind->mass);
    }
    for (int j = 0; j < model->joint_count; j++) {
        const joint *joint = &model->joints[j];
        const double *B_there = s->there.B + s->kkt.joints[j].B;
        kkt_set_joint(&s->geometry, j, s->here.B + s->kkt.joints[j].B, 1.0, B_there);
        for (int k = 0; k < joint->body_count; k++)
            put_lower(B_there + 6 * joint->row_count * k, &s->bodies[model->bodies[joint->bodies[k]].moving].T,
                      joint->row_count, kkt_lower(&s->geometry, j, k));
    }
    return kkt_factor(&s->geometry);
}

// Phi/h of joint j as it will be once the bodies are moved by the last change of w, of which phi does not know yet.
static void put_gap(implicit *s, int j, double h, double c_q)
{
    const joint *joint = &s->model->joints[j];
    const double *B = s->there.B + s->kkt.joints[j].B;
    double *x = kkt_joint_x(&s->geometry, j);
    for (int r = 0; r < joint->row_count; r++) x[r] = s->phi[joint->first_row + r] / h;
    for (int k = 0; k < joint->body_count; k++) {
        const implicit_body *body = &s->bodies[s->model->bodies[joint->bodies[k]].moving];
        const ph_twist change = twist_add(body->w, -1.0, body->before);
        const ph_vec3 turn = ph_mul(body->T, change.omega);
        for (int r = 0; r < joint->row_count; r++) {
            const double *b = B + 6 * (joint->row_count * k + r);
            if (joint_row_is_slip(joint, r)) continue;
            x[r] += c_q * (ph_dot(ph_vec(b[0], b[1], b[2]), turn) + ph_dot(ph_vec(b[3], b[4], b[5]), change.v));
        }
    }
}

// Stabilised form: brings q_1 onto (2) by a change M^-1 B(q_0)^T eta of Dq. Returns the size of the change.
static double add_shift(implicit *s, double h, double c_q, bool kept)
{
    const ph_model *model = s->model;
    double update = 0.0;
    memset(s->geometry.x, 0, sizeof(double) * (size_t)s->geometry.lu.x_count);
    for (int j = 0; j < model->joint_count; j++) put_gap(s, j, h, c_q);
    if (!kept && !factor_shift(s)) return (double)NAN;
    kkt_solve(&s->geometry);
    for (int k = 0; k < model->moving_count; k++) { // [M B^T; B 0](d, eta) = (0, Phi/h): Dq -= d
        const double *d = kkt_body_x(&s->geometry, k), size = largest(d, s->kkt.unit);
        s->bodies[k].shift = twist_add(s->bodies[k].shift, 1.0, twist_of(d));
        update = size > update || isnan(size) ? size : update;
    }
    return update;
}

// Near a singular position the two solves of the stabilised form may not agree on the acceleration along rows that are nearly
// dependent, which is next to none. The configuration is then brought onto (2) with the accelerations as they are.
static bool settle(implicit *s, const ph_state *state, double h, double c_v, double c_q, double reach)
{
    enum { MOST = 8 };
    for (int i = 0; i < MOST; i++) {
        for (int j = 0; j < s->model->joint_count; j++) {
            const joint *joint = &s->model->joints[j];
            joint_jacobian(joint, &s->there.motion, s->there.B + s->kkt.joints[j].B);
            joint_residual(joint, &s->there.motion, s->phi + joint->first_row);
        }
        if (node_is_closed(s->model, &s->kkt, s->phi, reach)) return true;
        if (!isfinite(add_shift(s, h, 0.0, false))) return false;
        move_bodies(s, state, h, c_v, c_q);
    }
    return false;
}

typedef struct way {
    implicit *s;
    const ph_state *state;
    double h, c_v, c_q;
    double held; // work of the constraint forces
} way;

// d: the update of body k as the rows of its joints see it
static ph_twist seen_update(const implicit *s, int k)
{
    const implicit_body *body = &s->bodies[k];
    const ph_vec3 turn = s->stabilised ? body->update.omega : ph_mul(body->T, body->update.omega);
    return (ph_twist){turn, body->update.v};
}

static double along(ph_twist d, const double *r)
{
    return ph_dot(ph_vec(r[0], r[1], r[2]), d.omega) + ph_dot(ph_vec(r[3], r[4], r[5]), d.v);
}

// d . B^T lambda: nothing, but for what the update is to close of the joints.
static double work_held(const implicit *s)
{
    double work = 0.0;
    for (int j = 0; j < s->model->joint_count; j++) {
        const joint *joint = &s->model->joints[j];
        const double *B = s->there.B + s->kkt.joints[j].B;
        for (int k = 0; k < joint->body_count; k++, B += 6 * joint->row_count) {
            double r[6] = {0};
            node_add_transposed(B, joint->row_count, 1.0, s->lambda + joint->first_row, r);
            work += along(seen_update(s, s->model->bodies[joint->bodies[k]].moving), r);
        }
    }
    return work;
}

// d . what is left of (1) after a part of the update. The constraint forces are those of all of it.
static double work_left(void *user, double part)
{
    const way *way = user;
    implicit *s = way->s;
    double work = 0.0;
    for (int k = 0; k < s->model->moving_count; k++)
        s->bodies[k].w = twist_add(s->bodies[k].before, part, s->bodies[k].update);
    move_bodies(s, way->state, way->h, way->c_v, way->c_q);
    node_set_forces(s->model, &s->there);
    for (int k = 0; k < s->model->moving_count; k++) {
        double r[6];
        put_body_residual(s, k, r);
        work += along(seen_update(s, k), r);
    }
    return work - way->held;
}

static ph_status fail(const implicit *s, ph_status status, ph_step_report *report)
{
    for (int j = 0; j < s->model->joint_count; j++)
        for (int r = 0; r < s->model->joints[j].row_count; r++) {
            const double size = fabs(s->phi[s->model->joints[j].first_row + r]);
            if (!(size <= report->worst_row)) report->worst_row = size, report->worst_joint = j;
        }
    report->advice = scheme_advise_shorter(s->model);
    return status;
}

// Dependent rows of closed loops, and the Jacobian at q_0 for the stabilised form.
static void prepare(implicit *s, const ph_state *state)
{
    const ph_model *model = s->model;
    if (!s->stabilised && !s->kkt.has_loops) return;
    node_set_time(state, state->time, &s->here);
    node_set_frames(model, state->position, state->orientation, &s->here);
    if (s->stabilised) node_set_jacobian(model, &s->geometry, &s->here);
    if (!s->kkt.has_loops) return;
    node_factor_placed(model, &s->geometry, &s->here, false); // which chooses, whether or not it can be factored
    kkt_take_rows(&s->kkt, &s->geometry);
}

// One solve with Newton's matrix, made here or kept: updates w and lambda.
static bool solve_linear(implicit *s, double h, double c_v, double c_q, matrix matrix, double *scale, double *update)
{
    if (matrix != MATRIX_KEPT) put_bodies(s, h, c_v, c_q, matrix == MATRIX_ROUGH ? LINEARISE_ROUGH : 0);
    node_set_forces(s->model, &s->there);
    for (int k = 0; k < s->model->moving_count; k++) put_body_residual(s, k, kkt_body_x(&s->kkt, k));
    for (int j = 0; j < s->model->joint_count; j++) assemble_joint(s, j, h, c_v, c_q, matrix);
    if (matrix != MATRIX_KEPT && !kkt_factor(&s->kkt)) return false;
    kkt_solve(&s->kkt);
    *update = add_update(s, c_v, scale);
    return true;
}

ph_status implicit_solve(implicit *s, const ph_state *state, double h, double c_v, double c_q, ph_step_report *report)
{
    const ph_model *model = s->model;
    newton newton = {.tolerance = s->settings.tolerance,
                     .max_iterations = s->settings.max_iterations,
                     .linear = true,
                     .plain = s->stabilised}; // the velocities are solved for once more
    newton_verdict verdict = NEWTON_GO_ON;
    matrix matrix = MATRIX_ROUGH;
    if (scheme_turns_too_far(state, h, report)) return PH_NO_CONVERGENCE;
    prepare(s, state);
    node_set_time(state, state->time + h, &s->there);
    for (int k = 0; k < model->moving_count; k++) s->bodies[k].shift = (ph_twist){0};
    move_bodies(s, state, h, c_v, c_q);
    while (verdict == NEWTON_GO_ON) {
        double scale = 0.0, reach = s->kkt.unit, update;
        if (!solve_linear(s, h, c_v, c_q, matrix, &scale, &update)) // but for the first: where updates have strayed to
            return fail(s, newton.iterations == 0 ? PH_SINGULAR : PH_NO_CONVERGENCE, report);
        if (s->has_bends && newton.iterations > 0 && update > SEARCH_ABOVE * scale) {
            way way = {s, state, h, c_v, c_q, work_held(s)};
            const double part = search_along(work_left(&way, 0.0), work_left, &way);
            work_left(&way, part);
            update *= part;
        }
        if (s->stabilised) update = ph_max(add_shift(s, h, c_q, matrix == MATRIX_KEPT), update);
        move_bodies(s, state, h, c_v, c_q);
        for (int k = 0; k < model->moving_count; k++) reach = ph_max(reach, ph_max_abs(s->position[model->moving[k]]));
        matrix = next_matrix(s, &newton, update, scale, h);
        const double noise = 256.0 * DBL_EPSILON * reach / fabs(h);
        const bool lost = !s->stabilised && update <= (matrix == MATRIX_KEPT ? noise : KEPT_WHILE * noise);
        verdict = newton_judge(&newton, update, ph_max(scale, update), noise);
        report->iterations = newton.iterations;
        report->residual = newton.size;
        if (lost) verdict = NEWTON_DONE; // what is left is a part of that
        if (verdict == NEWTON_DONE) matrix = MATRIX_KEPT;
        if (verdict != NEWTON_DONE && newton.stalled && s->stabilised && settle(s, state, h, c_v, c_q, reach))
            verdict = NEWTON_DONE;
    }
    if (verdict != NEWTON_DONE) return fail(s, PH_NO_CONVERGENCE, report);
    if (left_out_agree(&s->kkt, &s->there.motion, s->position, report) != PH_OK) return PH_NO_CONVERGENCE;
    if (s->stabilised) { // the configuration stands; once more for the velocities alone
        double scale = 0.0, update;
        if (!solve_linear(s, h, c_v, c_q, matrix, &scale, &update)) return fail(s, PH_SINGULAR, report);
        for (int k = 0; k < model->moving_count; k++)
            s->bodies[k].v = twist_add(s->bodies[k].v_bar, c_v, s->bodies[k].w);
    }
    return PH_OK;
}

void implicit_leave(implicit *s, ph_state *state, double h)
{
    const ph_model *model = s->model;
    double power = 0.0;
    if (model->force_count || model->motor_count) {
        node_set_time(state, state->time, &s->here);
        node_set_frames(model, state->position, state->orientation, &s->here);
        node_set_twists(model, state->angular_velocity, state->velocity, &s->here);
        power = system_power(model, &s->here.motion) + system_power(model, &s->there.motion);
        power += node_motor_power(model, &s->here, state->multipliers) + node_motor_power(model, &s->there, s->lambda);
    }
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        state->position[b] = s->position[b];
        state->orientation[b] = s->orientation[b];
        state->angular_velocity[b] = s->bodies[k].v.omega;
        state->velocity[b] = s->bodies[k].v.v;
    }
    memcpy(state->multipliers, s->lambda, sizeof(double) * (size_t)model->row_count);
    state->work += 0.5 * h * power;
    state->time += h;
}
