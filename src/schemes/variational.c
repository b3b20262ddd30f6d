#include "schemes/variational.h"

#include "base/memory.h"
#include "math/mat3.h"
#include "schemes/newton.h"
#include "schemes/node.h"

#include <string.h>

// Unknowns and terms of one moving body.
typedef struct body_stage {
    ph_vec3 omega, v;      // Omega_+, v_+
    ph_vec3 p_omega, p_v;  // right-hand sides of (1)
    ph_vec3 G;             // G(f)
    ph_mat3 T;             // T(f)
} body_stage;

typedef struct variational {
    const ph_model *model;
    scheme_settings settings;
    kinetic_map map;
    arena *memory;
    kkt kkt;
    node here, there;      // at q_n and q_{n+1}
    bool here_valid;       // `here` was left by the last step, at position and orientation below
    ph_vec3 *position;     // q_{n+1}, by body
    ph_quat *orientation;
    body_stage *stage;     // by moving body
    double *lambda;        // h lambda
    double *phi;           // residual rows of the last iteration
} variational;

// ---- Life -----------------------------------------------------------------------------------------------------------

ph_status variational_create(const ph_model *model, const scheme_settings *settings, kinetic_map map, void **self,
                             ph_error *error)
{
    arena *memory = arena_create(NULL);
    variational *s = memory ? arena_alloc(memory, sizeof *s) : NULL;
    if (!s) {
        arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    const size_t bodies = (size_t)model->body_count + 1, rows = (size_t)model->row_count + 1;
    *s = (variational){.model = model, .settings = *settings, .map = map, .memory = memory};
    bool ok = kkt_create(model, KKT_DECOUPLED, memory, &s->kkt);
    ok = ok && node_create(model, &s->kkt, memory, &s->here) && node_create(model, &s->kkt, memory, &s->there);
    s->position = arena_alloc_array(memory, bodies, sizeof(ph_vec3));
    s->orientation = arena_alloc_array(memory, bodies, sizeof(ph_quat));
    s->stage = arena_alloc_array(memory, bodies, sizeof(body_stage));
    s->lambda = arena_alloc_array(memory, rows, sizeof(double));
    s->phi = arena_alloc_array(memory, rows, sizeof(double));
    if (!ok || !s->position || !s->orientation || !s->stage || !s->lambda || !s->phi) {
        arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *self = s;
    return PH_OK;
}

void variational_destroy(void *self)
{
    arena_destroy(((variational *)self)->memory);
}

// ---- Configurations -------------------------------------------------------------------------------------------------

static bool left_here(const variational *s, const ph_state *state)
{
    const size_t bodies = (size_t)s->model->body_count;
    return s->here_valid && memcmp(s->position, state->position, bodies * sizeof(ph_vec3)) == 0 &&
           memcmp(s->orientation, state->orientation, bodies * sizeof(ph_quat)) == 0;
}

// Frames, Jacobian and dependent rows at q_n; what the last step left is taken over when the state is still there.
static bool enter(variational *s, const ph_state *state)
{
    if (left_here(s, state)) return true;
    s->here_valid = false;
    node_set_frames(s->model, state->position, state->orientation, &s->here);
    node_set_jacobian(s->model, &s->kkt, &s->here);
    return !s->kkt.lu.has_loops || node_factor_mass(s->model, &s->kkt, &s->here);
}

// ---- Stage 1 --------------------------------------------------------------------------------------------------------

// Right-hand sides of (1), first guess Omega_+ = Omega_n, v_+ = v_n.
static void start_stage(variational *s, const ph_state *state, double h)
{
    node_set_twists(s->model, state->angular_velocity, state->velocity, &s->here);
    node_set_forces(s->model, state->time, state->inputs, &s->here);
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const body *body = &s->model->bodies[b];
        body_stage *stage = &s->stage[k];
        stage->omega = state->angular_velocity[b];
        stage->v = state->velocity[b];
        stage->p_omega = ph_madd(ph_mul(body->J, stage->omega), 0.5 * h, s->here.Q[b].torque);
        stage->p_v = ph_madd(ph_scale(body->mass, stage->v), 0.5 * h, s->here.Q[b].force);
    }
    memcpy(s->lambda, state->multipliers, sizeof(double) * (size_t)s->model->row_count);
    for (int j = 0; s->kkt.lu.has_loops && j < s->model->joint_count; j++)
        for (int r = 0; r < s->model->joints[j].row_count; r++)
            if (kkt_left_out(&s->kkt, j) >> r & 1u) s->lambda[s->model->joints[j].first_row + r] = 0.0;
}

// q_{n+1} of (2) for body k
static void move_body(variational *s, const ph_state *state, double h, int k, const ph_so3 *coefficients)
{
    const int b = s->model->moving[k];
    const body_stage *stage = &s->stage[k];
    const double hs = h * coefficients->half_sinc;
    const ph_quat F = {coefficients->half_cos, hs * stage->omega.x, hs * stage->omega.y, hs * stage->omega.z};
    s->orientation[b] = ph_quat_polish(ph_quat_mul(state->orientation[b], F));
    s->position[b] = ph_madd(state->position[b], h, stage->v);
    s->there.frames[b] = (frame){ph_quat_to_mat(s->orientation[b]), s->position[b]};
}

// Moves all bodies and assembles the body blocks and residuals of (1), without the constraint forces.
static void assemble_bodies(variational *s, const ph_state *state, double h)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const body *body = &s->model->bodies[s->model->moving[k]];
        body_stage *stage = &s->stage[k];
        const ph_vec3 f = ph_scale(h, stage->omega);
        const ph_so3 coefficients = ph_so3_coefficients(f);
        ph_mat3 dG;
        s->map(&body->J, f, &coefficients, &stage->G, &dG);
        stage->T = ph_rodrigues(-coefficients.beta, coefficients.gamma, f);
        move_body(s, state, h, k, &coefficients);
        node_put_body(kkt_body(&s->kkt, k), &dG, body->mass);
        node_put_vectors(kkt_body_x(&s->kkt, k), ph_madd(stage->p_omega, -1.0 / h, stage->G),
                    ph_madd(stage->p_v, -body->mass, stage->v));
    }
}

// C = B(q_{n+1}) diag(T, I)
static void put_tangent_rows(const double *B, const ph_mat3 *T, int rows, double *C)
{
    for (int r = 0; r < rows; r++, B += 6) {
        for (int c = 0; c < 3; c++) C[c * rows + r] = B[0] * T->m[0][c] + B[1] * T->m[1][c] + B[2] * T->m[2][c];
        for (int c = 3; c < 6; c++) C[c * rows + r] = B[c];
    }
}

// Rows of (2) and the constraint forces of (1).
static void assemble_joint(variational *s, double h, int j)
{
    const joint *joint = &s->model->joints[j];
    const int rows = joint->row_count;
    const double *B = s->here.B + s->kkt.joints[j].B, *lambda = s->lambda + joint->first_row;
    double *B_there = s->there.B + s->kkt.joints[j].B, *phi = s->phi + joint->first_row;
    double *x = kkt_joint_x(&s->kkt, j);
    joint_residual(joint, s->there.frames, phi);
    joint_jacobian(joint, s->there.frames, B_there);
    for (int r = 0; r < rows; r++) x[r] = -phi[r] / h;
    for (int k = 0; k < joint->body_count; k++) {
        const int moving = s->model->bodies[joint->bodies[k]].moving;
        const double *B_k = B + 6 * rows * k;
        double *upper = kkt_upper(&s->kkt, j, k), *residual = kkt_body_x(&s->kkt, moving);
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < 6; c++) {
                upper[6 * r + c] = 0.5 * B_k[6 * r + c];
                residual[c] -= 0.5 * B_k[6 * r + c] * lambda[r];
            }
        put_tangent_rows(B_there + 6 * rows * k, &s->stage[moving].T, rows, kkt_lower(&s->kkt, j, k));
    }
}

// Adds the solution to the unknowns and judges it. Positions are rounded to DBL_EPSILON |x|, which Phi/h turns into a
// noise of the velocities.
static newton_verdict add_update(variational *s, double h, newton *newton)
{
    double update = 0.0, size = 0.0, reach = 0.0;
    for (int k = 0; k < s->model->moving_count; k++) {
        const double *d = kkt_body_x(&s->kkt, k);
        body_stage *stage = &s->stage[k];
        stage->omega = ph_add(stage->omega, ph_vec(d[0], d[1], d[2]));
        stage->v = ph_add(stage->v, ph_vec(d[3], d[4], d[5]));
        double largest = 0.0;
        for (int c = 0; c < 6; c++) largest = fabs(d[c]) > largest || d[c] != d[c] ? fabs(d[c]) : largest;
        update = largest > update || largest != largest ? largest : update;
        size = fmax(size, fmax(ph_max_abs(stage->omega), ph_max_abs(stage->v)));
        reach = fmax(reach, ph_max_abs(s->position[s->model->moving[k]]));
    }
    for (int j = 0; j < s->model->joint_count; j++) {
        const double *d = kkt_joint_x(&s->kkt, j);
        double *lambda = s->lambda + s->model->joints[j].first_row;
        for (int r = 0; r < s->model->joints[j].row_count; r++) lambda[r] += d[r];
    }
    return newton_judge(newton, update, fmax(size, update), 4.0 * DBL_EPSILON * reach / fabs(h));
}

static ph_status fail(const variational *s, ph_status status, ph_step_report *report, const char *advice)
{
    report->worst_row = -1.0;
    for (int j = 0; j < s->model->joint_count; j++)
        for (int r = 0; r < s->model->joints[j].row_count; r++) {
            const double size = fabs(s->phi[s->model->joints[j].first_row + r]);
            if (!(size <= report->worst_row)) report->worst_row = size, report->worst_joint = j;
        }
    report->advice = advice;
    return status;
}

// Solves (1) and (2) by Newton's method.
static ph_status stage_1(variational *s, const ph_state *state, double h, ph_step_report *report)
{
    newton newton = {.tolerance = s->settings.tolerance, .max_iterations = s->settings.max_iterations};
    newton_verdict verdict = NEWTON_GO_ON;
    start_stage(s, state, h);
    while (verdict == NEWTON_GO_ON) {
        assemble_bodies(s, state, h);
        for (int j = 0; j < s->model->joint_count; j++) assemble_joint(s, h, j);
        if (!kkt_factor(&s->kkt)) return fail(s, PH_SINGULAR, report, "the constraints are singular here; try a smaller step");
        kkt_solve(&s->kkt);
        verdict = add_update(s, h, &newton);
    }
    report->iterations = newton.iterations;
    report->residual = newton.size;
    if (verdict == NEWTON_FAILED) return fail(s, PH_NO_CONVERGENCE, report, "try a smaller step");
    return PH_OK;
}

// ---- Stage 2 --------------------------------------------------------------------------------------------------------

// q_{n+1} and G(f) at the solution.
static void finish_positions(variational *s, const ph_state *state, double h)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const body *body = &s->model->bodies[s->model->moving[k]];
        body_stage *stage = &s->stage[k];
        const ph_vec3 f = ph_scale(h, stage->omega);
        const ph_so3 coefficients = ph_so3_coefficients(f);
        ph_mat3 dG;
        s->map(&body->J, f, &coefficients, &stage->G, &dG);
        move_body(s, state, h, k, &coefficients);
    }
    node_set_jacobian(s->model, &s->kkt, &s->there);
}

// The momentum (3) before projection, as right-hand side of (4).
static void set_momentum(variational *s, double h)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const body_stage *stage = &s->stage[k];
        const ph_wrench *Q = &s->there.Q[b];
        // F^T G = R_{n+1}^T R_n G
        const ph_vec3 FtG = ph_tmul(s->there.frames[b].R, ph_mul(s->here.frames[b].R, stage->G));
        node_put_vectors(kkt_body_x(&s->kkt, k), ph_madd(ph_scale(1.0 / h, FtG), 0.5 * h, Q->torque),
                    ph_madd(ph_scale(s->model->bodies[b].mass, stage->v), 0.5 * h, Q->force));
    }
    for (int j = 0; j < s->model->joint_count; j++)
        memset(kkt_joint_x(&s->kkt, j), 0, sizeof(double) * (size_t)s->model->joints[j].row_count);
}

static ph_status stage_2(variational *s, const ph_state *state, double h, ph_step_report *report)
{
    finish_positions(s, state, h);
    node_set_twists(s->model, state->angular_velocity, state->velocity, &s->there);
    node_set_forces(s->model, state->time + h, state->inputs, &s->there);
    if (!node_factor_mass(s->model, &s->kkt, &s->there)) return fail(s, PH_SINGULAR, report, "the constraints are singular at the end of the step");
    set_momentum(s, h);
    kkt_solve(&s->kkt);
    return PH_OK;
}

// ---- The step -------------------------------------------------------------------------------------------------------

static void leave(variational *s, ph_state *state, double h)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const double *v = kkt_body_x(&s->kkt, k);
        state->position[b] = s->position[b];
        state->orientation[b] = s->orientation[b];
        state->angular_velocity[b] = ph_vec(v[0], v[1], v[2]);
        state->velocity[b] = ph_vec(v[3], v[4], v[5]);
    }
    memcpy(state->multipliers, s->lambda, sizeof(double) * (size_t)s->model->row_count);
    state->time += h;
    const node swap = s->here;
    s->here = s->there;
    s->there = swap;
    s->here_valid = true;
}

static bool is_finite(const variational *s)
{
    double sum = 0.0;
    for (int k = 0; k < s->kkt.lu.x_count; k++) sum += s->kkt.x[k] * 0.0;
    return sum == 0.0;
}

ph_status variational_step(void *self, ph_state *state, double h, ph_step_report *report)
{
    variational *s = self;
    if (!enter(s, state)) return fail(s, PH_SINGULAR, report, "the constraints are singular at the start of the step");
    ph_status status = stage_1(s, state, h, report);
    if (status == PH_OK) status = stage_2(s, state, h, report);
    if (status == PH_OK && !is_finite(s)) status = fail(s, PH_NOT_FINITE, report, "try a smaller step");
    if (status == PH_OK) leave(s, state, h);
    else s->here_valid = false;
    return status;
}
