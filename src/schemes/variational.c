#include "schemes/variational.h"

#include "base/memory.h"
#include "linalg/small.h"
#include "math/mat3.h"
#include "model/linearise.h"
#include "model/system.h"
#include "schemes/newton.h"

#include <stdio.h>
#include <string.h>

// ---- Life -----------------------------------------------------------------------------------------------------------

ph_status variational_create(const ph_model *model, const ph_scheme *scheme, const scheme_settings *settings,
                             const variational_rule *rule, void **self, ph_error *error)
{
    arena *memory = arena_create(&model->allocator);
    variational *s = memory ? arena_alloc(memory, sizeof *s) : NULL;
    if (!s) {
        arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    const size_t bodies = (size_t)model->body_count + 1, rows = (size_t)model->row_count + 1;
    *s = (variational){.model = model,
                       .scheme = scheme,
                       .settings = *settings,
                       .rule = rule,
                       .memory = memory,
                       .weight = 0.5,
                       .chords = true};
    bool ok = !rule->prepare || rule->prepare(s);
    ok = ok && kkt_create(model, s->kind, memory, &s->kkt);
    ok = ok && node_create(model, &s->kkt, memory, &s->here) && node_create(model, &s->kkt, memory, &s->there);
    s->position = arena_alloc_array(memory, bodies, sizeof(ph_vec3));
    s->orientation = arena_alloc_array(memory, bodies, sizeof(ph_quat));
    s->stage = arena_alloc_array(memory, bodies, sizeof(body_stage));
    s->lambda = arena_alloc_array(memory, rows, sizeof(double));
    s->phi = arena_alloc_array(memory, rows, sizeof(double));
    s->needs_velocity = forces_need_velocity(model);
    if (s->needs_velocity) {
        s->momentum = arena_alloc_array(memory, 6 * bodies, sizeof(double));
        ok = ok && s->momentum && damped_create(model, memory, &s->damped);
    }
    if (!ok || !s->position || !s->orientation || !s->stage || !s->lambda || !s->phi) {
        arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    for (size_t b = 0; b < bodies; b++) { // those of bodies that cannot move stay so
        s->position[b] = model->bodies[b].position;
        s->orientation[b] = model->bodies[b].start->orientation;
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
bool variational_enter(variational *s, const ph_state *state, double h)
{
    node_set_time(state, state->time, &s->here);
    node_set_time(state, state->time + h, &s->there);
    if (left_here(s, state)) return true;
    s->here_valid = false;
    node_set_frames(s->model, state->position, state->orientation, &s->here);
    node_set_jacobian(s->model, &s->kkt, &s->here);
    return !s->kkt.lu.has_loops || node_factor_mass(s->model, &s->kkt, &s->here);
}

// ---- Stage 1 --------------------------------------------------------------------------------------------------------

// The history: for each moving body how Omega_+ - Omega_n and v_+ - v_n went, per unit of time; then the length of the
// last step, and how many steps before it had the same.
typedef struct trend {
    ph_vec3 omega, v;
    ph_vec3 first, second; // differences of `omega` from step to step
} trend;

enum { TREND = sizeof(trend) / sizeof(double), TREND_STEP = 0, TREND_EQUAL = 1, TREND_EXTRA = 2 };

_Static_assert(sizeof(trend) / sizeof(double) + TREND_EXTRA / 2 <= HISTORY_WITH_CONTACT, "the trends have their place");

int variational_history(const variational *s)
{
    return TREND * s->model->moving_count + TREND_EXTRA;
}

// First guess of Omega_+ and v_+. What Newton's method has to overcome is the error of Omega_+ alone, as everything else is
// nearly linear, so Omega_+ is extrapolated through three steps of equal length.
static void guess(variational *s, const double *history, double h)
{
    const trend *trends = (const trend *)history;
    const double last = history[TREND * s->model->moving_count + TREND_STEP];
    if (!(fabs(h) <= 1e3 * fabs(last))) return; // after a much shorter step the change is rounding divided by h
    for (int k = 0; k < s->model->moving_count; k++) {
        const trend *trend = &trends[k];
        const ph_vec3 rate = last == h ? ph_add3(trend->omega, trend->first, trend->second) : trend->omega;
        s->stage[k].omega = ph_madd(s->stage[k].omega, h, rate);
        s->stage[k].v = ph_madd(s->stage[k].v, h, trend->v);
    }
}

static void keep_trends(const variational *s, ph_state *state, double h)
{
    trend *trends = (trend *)state_history(state, s->scheme);
    double *extra = (double *)(trends + s->model->moving_count);
    const double equal = extra[TREND_STEP] == h ? extra[TREND_EQUAL] + 1.0 : 0.0;
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const body_stage *stage = &s->stage[k];
        trend *trend = &trends[k];
        const ph_vec3 omega = ph_scale(1.0 / h, ph_sub(stage->omega, state->angular_velocity[b]));
        const ph_vec3 first = equal >= 1.0 ? ph_sub(omega, trend->omega) : ph_zero3();
        trend->second = equal >= 2.0 ? ph_sub(first, trend->first) : ph_zero3();
        trend->first = first;
        trend->omega = omega;
        trend->v = ph_scale(1.0 / h, ph_sub(stage->v, state->velocity[b]));
    }
    extra[TREND_STEP] = h;
    extra[TREND_EQUAL] = equal;
}

void variational_start(variational *s, const ph_state *state, double h)
{
    const double *history = state_past(state, s->scheme);
    node_set_twists(s->model, state->angular_velocity, state->velocity, &s->here);
    node_set_forces(s->model, &s->here);
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const body *body = &s->model->bodies[b];
        body_stage *stage = &s->stage[k];
        stage->omega = state->angular_velocity[b];
        stage->v = state->velocity[b];
        stage->momentum = ph_madd(ph_mul(body->kind->J, stage->omega), 0.5 * h, s->here.Q[b].torque);
        stage->base = stage->v;
        stage->impulse = ph_scale(0.5 * h, s->here.Q[b].force);
    }
    if (history) guess(s, history, h);
    memcpy(s->lambda, state->multipliers, sizeof(double) * (size_t)s->model->row_count);
    for (int j = 0; s->kkt.lu.has_loops && j < s->model->joint_count; j++)
        for (int r = 0; r < s->model->joints[j].row_count; r++)
            if (kkt_left_out(&s->kkt, j) >> r & 1u) s->lambda[s->model->joints[j].first_row + r] = 0.0;
}

// q_{n+1} of (2) for body k
static void move_body(variational *s, const ph_state *state, double h, int k)
{
    const int b = s->model->moving[k];
    s->orientation[b] = ph_quat_polish(ph_quat_mul(state->orientation[b], s->stage[k].turn.F));
    s->position[b] = ph_madd(state->position[b], h, s->stage[k].v);
    frame *there = &s->there.frames[b];
    there->R = ph_quat_to_mat(s->orientation[b]);
    there->x = s->position[b];
}

// Moves all bodies and assembles the residuals of (1), without the constraint forces, and on request the body blocks.
static void assemble_bodies(variational *s, const ph_state *state, double h, bool blocks)
{
    const double rate = -1.0 / h;
    for (int k = 0; k < s->model->moving_count; k++) {
        const body *body = &s->model->bodies[s->model->moving[k]];
        body_stage *stage = &s->stage[k];
        kinetic kinetic;
        if (blocks) {
            s->rule->turn(&body->kind->J, stage->omega, h, &stage->turn, &kinetic);
            node_put_body(kkt_body(&s->kkt, k), &kinetic.dG, body->kind->mass);
        } else {
            kinetic.G = s->rule->momentum(&body->kind->J, stage->omega, h, &stage->turn.F);
        }
        move_body(s, state, h, k);
        node_put_vectors(kkt_body_x(&s->kkt, k), ph_madd(stage->momentum, rate, kinetic.G),
                         ph_madd(stage->impulse, -body->kind->mass, ph_sub(stage->v, stage->base)));
    }
}

// B^T and C = B(q_{n+1}) diag(T, I), column-major
SMALL_INLINE void put_blocks(const double *here, double weight, const double *there, const ph_mat3 *T, int rows,
                             double *upper, double *lower)
{
    for (int e = 0; e < 6 * rows; e++) upper[e] = weight * here[e];
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < rows; r++)
            lower[c * rows + r] =
                there[6 * r] * T->m[0][c] + there[6 * r + 1] * T->m[1][c] + there[6 * r + 2] * T->m[2][c];
    for (int c = 3; c < 6; c++)
        for (int r = 0; r < rows; r++) lower[c * rows + r] = there[6 * r + c];
}

// The constraint forces of (1), and on request the rows of (2), of joint j.
SMALL_INLINE void assemble_slots(variational *s, int j, int rows, bool blocks)
{
    const joint *joint = &s->model->joints[j];
    const double *lambda = s->lambda + joint->first_row;
    for (int k = 0; k < joint->body_count; k++) {
        const int moving = s->model->bodies[joint->bodies[k]].moving, at = s->kkt.joints[j].B + 6 * rows * k;
        const double *here = s->here.B + at;
        node_add_transposed_sized(here, rows, -s->weight, lambda, kkt_body_x(&s->kkt, moving));
        if (blocks)
            put_blocks(here, s->weight, s->there.B + at, &s->stage[moving].turn.T, rows, kkt_upper(&s->kkt, j, k),
                       kkt_lower(&s->kkt, j, k));
    }
}

SMALL_INLINE void assemble_rows(variational *s, double rate, int j, int rows, bool blocks)
{
    const joint *joint = &s->model->joints[j];
    double *phi = s->phi + joint->first_row, *x = kkt_joint_x(&s->kkt, j);
    joint_residual(joint, &s->there.motion, phi);
    if (blocks) joint_jacobian(joint, s->there.frames, s->there.B + s->kkt.joints[j].B);
    for (int r = 0; r < rows; r++) x[r] = rate * phi[r];
    assemble_slots(s, j, rows, blocks);
}

static void assemble_joint(variational *s, double h, int j, bool blocks)
{
    const double rate = -1.0 / h;
    const int rows = s->model->joints[j].row_count;
    switch (rows) { // literal sizes unroll
    case 3:
        assemble_rows(s, rate, j, 3, blocks);
        break;
    case 5:
        assemble_rows(s, rate, j, 5, blocks);
        break;
    default:
        assemble_rows(s, rate, j, rows, blocks);
        break;
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
        update = ph_max(ph_max(ph_max_abs(ph_vec(d[0], d[1], d[2])), ph_max_abs(ph_vec(d[3], d[4], d[5]))), update);
        size = ph_max(size, ph_max(ph_max_abs(stage->omega), ph_max_abs(stage->v)));
        reach = ph_max(reach, ph_max_abs(s->position[s->model->moving[k]]));
    }
    for (int j = 0; j < s->model->joint_count; j++) {
        const double *d = kkt_joint_x(&s->kkt, j);
        double *lambda = s->lambda + s->model->joints[j].first_row;
        for (int r = 0; r < s->model->joints[j].row_count; r++) lambda[r] += d[r];
    }
    return newton_judge(newton, update, ph_max(size, update), 256.0 * DBL_EPSILON * reach / fabs(h));
}

ph_status variational_fail(const variational *s, ph_status status, ph_step_report *report, const char *advice)
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

static bool turns_too_far(const variational *s, double h)
{
    const double furthest = half_turn * half_turn, h2 = h * h;
    bool too_far = false;
    for (int k = 0; k < s->model->moving_count; k++) too_far = too_far || h2 * ph_norm2(s->stage[k].omega) > furthest;
    return too_far;
}

ph_status variational_solve(variational *s, const ph_state *state, double h, ph_step_report *report)
{
    newton newton = {
        .tolerance = s->settings.tolerance, .max_iterations = s->settings.max_iterations, .chords = s->chords};
    newton_verdict verdict = NEWTON_GO_ON;
    while (verdict == NEWTON_GO_ON) {
        const bool blocks = !newton.chord;
        assemble_bodies(s, state, h, blocks);
        if (s->rule->assemble) s->rule->assemble(s, h, blocks);
        for (int j = 0; j < s->model->joint_count; j++) assemble_joint(s, h, j, blocks);
        if (blocks && !kkt_factor(&s->kkt))
            return variational_fail(s, PH_SINGULAR, report, "the constraints are singular here; try a smaller step");
        kkt_solve(&s->kkt);
        verdict = add_update(s, h, &newton);
        report->iterations = newton.iterations;
        report->residual = newton.size;
    }
    if (verdict == NEWTON_FAILED || turns_too_far(s, h))
        return variational_fail(s, PH_NO_CONVERGENCE, report, "try a smaller step");
    return PH_OK;
}

// ---- The limit of a rule --------------------------------------------------------------------------------------------

static bool step_works(void *self, const ph_state *state, double h)
{
    variational *s = self;
    ph_step_report report = {0};
    if (!variational_enter(s, state, h)) return false;
    variational_start(s, state, h);
    return variational_solve(s, state, h, &report) == PH_OK;
}

static double fastest_turn(const ph_model *model, const ph_state *state)
{
    double fastest = 0.0;
    for (int k = 0; k < model->moving_count; k++)
        fastest = ph_max(fastest, ph_norm(state->angular_velocity[model->moving[k]]));
    return fastest;
}

ph_status variational_explain(variational *s, const ph_state *state, double h, double limit, variational_trial works,
                              void *self, ph_status status, ph_step_report *report)
{
    const double turned = fastest_turn(s->model, state) * fabs(h);
    double good = 0.5 * limit / turned, bad = 1.0; // as parts of h
    if (!(limit > 0.0 && turned > 0.5 * limit) || !works(self, state, good * h)) return status;
    while (bad - good > 1e-4 * good) {
        const double middle = 0.5 * (good + bad);
        *(works(self, state, middle * h) ? &good : &bad) = middle;
    }
    snprintf(s->advice, sizeof s->advice,
             "a body turns by |omega| h = %.3g in this step, the scheme follows to about %.3g; the largest step that "
             "works here is %.6g",
             turned, limit, 0.9999 * good * h);
    report->advice = s->advice;
    report->worst_joint = PH_NONE;
    return PH_NO_CONVERGENCE;
}

// ---- Stage 2 --------------------------------------------------------------------------------------------------------

// Subtracts scale * B^T lambda from the momenta. Multipliers only shift momentum between bodies, so computing the momenta
// from them, and the linear ones as a change since the node, keeps the total to the rounding of one addition a step.
static void apply_multipliers(variational *s, const node *at, double scale, const double *multipliers)
{
    for (int j = 0; j < s->model->joint_count; j++) {
        const joint *joint = &s->model->joints[j];
        const double *B = at->B + s->kkt.joints[j].B, *lambda = multipliers + joint->first_row;
        for (int k = 0; k < joint->body_count; k++, B += 6 * joint->row_count) {
            body_stage *stage = &s->stage[s->model->bodies[joint->bodies[k]].moving];
            double p[6] = {0};
            node_add_transposed(B, joint->row_count, scale, lambda, p);
            stage->momentum = ph_sub(stage->momentum, ph_vec(p[0], p[1], p[2]));
            stage->impulse = ph_sub(stage->impulse, ph_vec(p[3], p[4], p[5]));
        }
    }
}

void variational_place(variational *s, const ph_state *state, double h)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        s->stage[k].turn.F = s->rule->rotation(s->stage[k].omega, h);
        move_body(s, state, h, k);
    }
}

void variational_move(variational *s, const ph_state *state, double h)
{
    for (int k = 0; k < s->model->moving_count; k++) s->stage[k].turn.F = s->rule->rotation(s->stage[k].omega, h);
    if (s->rule->push) s->rule->push(s, h, false);
    apply_multipliers(s, &s->here, s->weight, s->lambda);
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        body_stage *stage = &s->stage[k];
        stage->v = ph_madd(stage->base, 1.0 / s->model->bodies[b].kind->mass, stage->impulse);
        move_body(s, state, h, k);
    }
    node_set_jacobian(s->model, &s->kkt, &s->there);
}

void variational_turn(variational *s)
{
    for (int k = 0; k < s->model->moving_count; k++)
        s->stage[k].momentum = ph_quat_rotate(ph_quat_conj(s->stage[k].turn.F), s->stage[k].momentum);
}

// Forces at q_{n+1}. Those that depend on the velocity there are found together with it.
static bool set_end_forces(variational *s, const ph_state *state, double h)
{
    const ph_model *model = s->model;
    if (!s->needs_velocity) {
        node_set_forces(model, &s->there);
        return true;
    }
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        const body_stage *stage = &s->stage[k];
        s->there.twists[b] = (ph_twist){stage->omega, stage->v};
        node_put_vectors(s->momentum + 6 * k, stage->momentum,
                         ph_madd(stage->impulse, model->bodies[b].kind->mass, state->velocity[b]));
    }
    return damped_solve(model, &s->damped, s->momentum, h, &s->there);
}

ph_status variational_arrive(variational *s, const ph_state *state, double h, ph_step_report *report)
{
    variational_move(s, state, h);
    variational_turn(s);
    if (s->rule->push) s->rule->push(s, h, true);
    if (!set_end_forces(s, state, h))
        return variational_fail(s, PH_NO_CONVERGENCE, report,
                                "the velocity that the dampers ask for was not found; try a smaller step");
    for (int k = 0; k < s->model->moving_count; k++) {
        const ph_wrench *Q = &s->there.Q[s->model->moving[k]];
        body_stage *stage = &s->stage[k];
        stage->momentum = ph_madd(stage->momentum, 0.5 * h, Q->torque);
        stage->impulse = ph_madd(stage->impulse, 0.5 * h, Q->force);
    }
    if (!node_factor_mass(s->model, &s->kkt, &s->there))
        return variational_fail(s, PH_SINGULAR, report, "the constraints are singular at the end of the step");
    return PH_OK;
}

void variational_put_momentum(const variational *s, const ph_state *state, kkt *kkt)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const body_stage *stage = &s->stage[k];
        node_put_vectors(kkt_body_x(kkt, k), stage->momentum,
                         ph_madd(stage->impulse, s->model->bodies[b].kind->mass, state->velocity[b]));
    }
    for (int j = 0; j < s->model->joint_count; j++)
        for (int r = 0; r < s->model->joints[j].row_count; r++) kkt_joint_x(kkt, j)[r] = 0.0;
    node_put_motor_rates(s->model, kkt, &s->there);
}

void variational_project(variational *s, const ph_state *state)
{
    variational_put_momentum(s, state, &s->kkt);
    kkt_solve(&s->kkt);
    for (int j = 0; j < s->model->joint_count; j++)
        for (int r = 0; r < s->model->joints[j].row_count; r++)
            s->phi[s->model->joints[j].first_row + r] = kkt_joint_x(&s->kkt, j)[r];
    apply_multipliers(s, &s->there, 1.0, s->phi);
}

// ---- The step -------------------------------------------------------------------------------------------------------

// The velocities from the momenta are, up to rounding, those that solve (4). Reads the solution of stage 2.
static bool solves_stage_2(variational *s, const ph_state *state)
{
    double omega = 0.0, v = 0.0, d_omega = 0.0, d_v = 0.0;
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const double *x = kkt_body_x(&s->kkt, k);
        omega = ph_max(omega, ph_max_abs(state->angular_velocity[b]));
        v = ph_max(v, ph_max_abs(state->velocity[b]));
        d_omega = ph_max(d_omega, ph_max_abs(ph_sub(state->angular_velocity[b], ph_vec(x[0], x[1], x[2]))));
        d_v = ph_max(d_v, ph_max_abs(ph_sub(state->velocity[b], ph_vec(x[3], x[4], x[5]))));
    }
    return d_omega <= 16.0 * DBL_EPSILON * omega && d_v <= 16.0 * DBL_EPSILON * v;
}

void variational_leave(variational *s, ph_state *state, double h)
{
    keep_trends(s, state, h);
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const body *body = &s->model->bodies[b];
        const body_stage *stage = &s->stage[k];
        state->position[b] = s->position[b];
        state->orientation[b] = s->orientation[b];
        // As a change, so that J^-1 J, which is not quite one in floating point, leaves no trace from step to step.
        const ph_vec3 d_momentum = ph_sub(stage->momentum, ph_mul(body->kind->J, state->angular_velocity[b]));
        state->angular_velocity[b] = ph_add(state->angular_velocity[b], ph_mul(body->kind->J_inverse, d_momentum));
        state->velocity[b] = ph_madd(state->velocity[b], 1.0 / body->kind->mass, stage->impulse);
    }
    memcpy(state->multipliers, s->lambda, sizeof(double) * (size_t)s->model->row_count);
    if (s->model->motor_count > 0) { // impulses 1/2 h lambda at q_n and mu at q_{n+1}
        state->work += 0.5 * node_motor_power(s->model, &s->here, s->lambda);
        state->work += node_motor_power(s->model, &s->there, s->phi);
    }
    if (!solves_stage_2(s, state))
        node_settle_velocity(s->model, &s->kkt, state->angular_velocity, state->velocity, &s->there);
    if (s->needs_velocity) {
        const double before = system_power(s->model, &s->here.motion);
        node_set_twists(s->model, state->angular_velocity, state->velocity, &s->there);
        state->work += 0.5 * h * (before + system_power(s->model, &s->there.motion));
    }
    state->time += h;
    const node swap = s->here; // the motion of a node points to its own arrays, so it goes along
    s->here = s->there;
    s->there = swap;
    s->here_valid = true;
}

bool variational_finite(const variational *s)
{
    ph_vec3 sum = ph_zero3();
    for (int k = 0; k < s->model->moving_count; k++) sum = ph_add3(sum, s->stage[k].momentum, s->stage[k].impulse);
    return isfinite(sum.x + sum.y + sum.z);
}

ph_status variational_step(void *self, ph_state *state, double h, ph_step_report *report)
{
    variational *s = self;
    if (!variational_enter(s, state, h))
        return variational_fail(s, PH_SINGULAR, report, "the constraints are singular at the start of the step");
    variational_start(s, state, h);
    ph_status status = variational_solve(s, state, h, report);
    if (status != PH_OK) status = variational_explain(s, state, h, s->rule->limit, step_works, s, status, report);
    if (status == PH_OK) status = variational_arrive(s, state, h, report);
    if (status == PH_OK) variational_project(s, state);
    if (status == PH_OK && !variational_finite(s))
        status = variational_fail(s, PH_NOT_FINITE, report, "try a smaller step");
    if (status == PH_OK)
        variational_leave(s, state, h);
    else
        s->here_valid = false;
    return status;
}
