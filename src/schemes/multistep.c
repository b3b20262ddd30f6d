// Explicit symmetric multistep methods of order 6 and 8 for constrained mechanical systems: one solve a step.
//
// Console, Hairer and Lubich, Symmetric multistep methods for constrained Hamiltonian systems, Numer. Math. 124 (2013). For
// M q'' = F(q) - G(q)^T lambda, g(q) = 0, with nodes q_0 ... q_{k-1} known,
//
//   sum_{j=0..k} alpha_j q_j = h^2 sum_{j=1..k-1} beta_j q''_j,   g(q_k) = 0                                          (1)
//
// where alpha_j = alpha_{k-j}, beta_j = beta_{k-j}: the multiplier at the newest node, c = k-1, closes the joints at q_k. All
// roots of rho = sum alpha_j z^j but the double one at 1, and because of the constraints those of sigma = sum beta_j z^j,
// are simple and on the unit circle. As rho = (z - 1) rho', differences D_j = (q_{j+1} - q_j)/h carry the motion, with
// A_j = h q''_j, and the sum (1) loses no digits to the size of q:
//
//   D_c = V + beta_c A_c,   V = sum_{j<c} (beta_j A_j - rho'_j D_j)                                                   (2)
//
// Coordinates of a body are (R, x), R as nine numbers with R^T R = I, so that the mass is constant. Without the multiplier
// of R^T R = I, which is symmetric, (2) is stage 1 of lgvi with another right-hand side: with J_d = 1/2 tr(J) I - J,
//
//   G_chord(f)/h + beta_c D_R^T (h lambda) = vee(R^T V J_d - (R^T V J_d)^T) + beta_c h M_c
//   m v_+        + beta_c D_x^T (h lambda) = m V_x + beta_c h F_c                                                     (3)
//
// at the newest node, Phi(R exp f~, x + h v_+) = 0, and then D_c = (R (exp f~ - I)/h, v_+), A_c = (D_c - V)/beta_c.
//
// The first k - 1 steps, and those after a jump (another step, an edited state, other inputs) or a fast turn, are single steps
// of dop853.
// Velocities are found where a state is shown: derivatives of the motion through the last nodes, projected onto the joints.
#include "dynamics/system.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "schemes/kinetic_chord.h"
#include "schemes/multistep_weights.h"
#include "schemes/runge_kutta.h"

#include <stdio.h>
#include <string.h>

extern const ph_scheme scheme_multistep6, scheme_multistep8, scheme_dop853;

enum { SLOTS_MAX = MULTISTEP_SLOTS_MAX };

typedef struct method {
    const ph_scheme *scheme;
    int slots;              // k - 1 nodes, of which D_j and A_j are kept
    double rho[SLOTS_MAX];  // rho'_j, j < k - 1; that of D_c is 1
    double beta[SLOTS_MAX]; // of A_0 ... A_{k-2}
    double beta_newest;     // of A_c
    double most;            // |Omega| h that (1) follows for ever; to twice that dop853 makes the steps
} method;

// rho = (z - 1)^2 (z^2 - 2 cos 60 z + 1)(z^2 - 2 cos 150 z + 1)
static const method ORDER_6 = {
    .scheme = &scheme_multistep6,
    .slots = 5,
    .rho = {-1.0, 0.267949192431122706473, 0.464101615137754587055, -0.464101615137754587055, -0.267949192431122706473},
    .beta = {0.0, 1.37878735559920278574, -0.472094380863860741629, 1.91866485809819320531, -0.472094380863860741629},
    .beta_newest = 1.37878735559920278574,
    .most = 0.32,
};

// rho = (z - 1)^2 (z^2 - 2 cos 45 z + 1)(z^2 - 2 cos 65 z + 1)(z^2 - 2 cos 140 z + 1)
static const method ORDER_8 = {
    .scheme = &scheme_multistep8,
    .slots = 7,
    .rho = {-1.0, 1.72736119961653785077, -1.4610277889899513393, 0.357014267952212249399, -0.357014267952212249399,
            1.4610277889899513393, -1.72736119961653785077},
    .beta = {0.0, 1.41217696459578377504, -2.64169310086953096271, 4.88050677143457800381, -4.91271816938670911763,
             4.88050677143457800381, -2.64169310086953096271},
    .beta_newest = 1.41217696459578377504,
    .most = 0.16,
};

// (R, x) of a body, their differences by h, or h times their second derivatives
typedef struct place {
    ph_mat3 R;
    ph_vec3 x;
} place;

typedef struct past { // of a node
    place D, A;
    ph_vec3 omega; // Omega_+ of the step from it
} past;

// What the state keeps: this, the inputs, and a past for each slot of each moving body.
typedef struct head {
    double step, time;           // of the last node
    double known;                // slots that are filled
    double oldest;               // which of them goes next
    double curvature;            // of Newton's method (dynamics/newton.h)
    double power[SLOTS_MAX + 1]; // of what has no potential, newest first
} head;

enum { HEAD = sizeof(head) / sizeof(double), PAST = sizeof(past) / sizeof(double) };

_Static_assert((int)HEAD <= (int)HISTORY_MOST_PER_BODY && (int)PAST * SLOTS_MAX <= (int)HISTORY_MOST_PER_BODY,
               "checkpoints of so many numbers are read");

typedef struct multistep {
    const method *method;
    variational *stages;
    runge_kutta *rk;                // accelerations at the first nodes
    void *starter;                  // dop853
    ph_state *start;                // its state
    place *V;                       // by moving body
    double next[SLOTS_MAX];         // weights of Omega_+ and v_+ for a guess
    double newest[2 * SLOTS_MAX];   // weights of D, then A, for the velocity at the newest node ...
    double before[2 * SLOTS_MAX];   // ... and at the one before
    double integral[SLOTS_MAX + 1]; // weights of powers for their work in the next step
    char advice[192];
} multistep;

// ---- Life -----------------------------------------------------------------------------------------------------------

static int history_size(const multistep *m)
{
    const ph_model *model = m->stages->model;
    return HEAD + (int)model_inputs(model) + PAST * m->method->slots * model->moving_count;
}

static void destroy(void *self)
{
    multistep *m = self;
    ph_state_destroy(m->start);
    if (m->starter) scheme_dop853.destroy(m->starter);
    if (m->rk) runge_kutta_destroy(m->rk);
    variational_destroy(m->stages);
}

static ph_status refuse(const ph_model *model, const method *method, ph_error *error)
{
    for (int j = 0; j < model->joint_count; j++)
        if (model->joints[j].slips)
            return error_set(
                error, PH_NOT_SUPPORTED,
                "scheme '%s' knows no rows of velocities, which joint '%s' (%s) has; use rattlie6 or dop853",
                method->scheme->name, model->joints[j].name, model->joints[j].type->name);
    for (int k = 0; k < model->force_count; k++) {
        const force *f = &model->forces[k];
        const char *name = f->def && f->def->name ? f->def->name : f->joint ? f->joint->name : f->type->name;
        if (f->needs_velocity)
            return error_set(error, PH_NOT_SUPPORTED,
                             "scheme '%s' takes forces by places and time, and '%s' (%s) depends on velocities; use "
                             "rattlie6 or dop853",
                             method->scheme->name, name, f->type->name);
    }
    return PH_OK;
}

static ph_status make_parts(multistep *m, const ph_model *model, const scheme_settings *settings, ph_error *error)
{
    scheme_settings single = *settings;
    void *rk = NULL;
    for (int k = 0; k < SCHEME_OPTIONS_MAX; k++) single.options[k] = scheme_dop853.options[k].value;
    single.options[2] = 0.0; // one step of its own for each
    ph_status status = runge_kutta_create(model, true, &rk, error);
    m->rk = rk;
    if (status == PH_OK) status = scheme_dop853.create(model, &single, &m->starter, error);
    if (status != PH_OK) return status;
    m->start = ph_state_create(model);
    m->V = arena_alloc_array(m->stages->memory, model_places(model), sizeof(place));
    return m->V && m->start && state_extend_history(m->start, history_size(m))
               ? PH_OK
               : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
}

static ph_status create(const ph_model *model, const method *method, const scheme_settings *settings, void **self,
                        ph_error *error)
{
    void *stages = NULL;
    ph_status status = refuse(model, method, error);
    if (status == PH_OK) status = variational_create(model, method->scheme, settings, &rule_chord, &stages, error);
    if (status != PH_OK) return status;
    multistep *m = arena_alloc(((variational *)stages)->memory, sizeof *m);
    if (!m) {
        variational_destroy(stages);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *m = (multistep){.method = method, .stages = stages};
    m->stages->weight = method->beta_newest;
    multistep_weigh_next(method->slots, m->next);
    multistep_weigh_velocity(method->slots, 0.0, m->newest);
    multistep_weigh_velocity(method->slots, -1.0, m->before);
    multistep_weigh_integral(method->slots + 1, m->integral);
    status = make_parts(m, model, settings, error);
    if (status != PH_OK)
        destroy(m);
    else
        *self = m;
    return status;
}

// ---- The history ----------------------------------------------------------------------------------------------------

// What is known of the nodes before the state, NULL where it goes on with a jump.
static const head *known_past(const multistep *m, const ph_state *state, double h)
{
    const double *history = state_past(state, m->method->scheme);
    if (!history || state->history_size < history_size(m)) return NULL;
    const head *now = (const head *)history;
    if (now->step != h || now->time != state->time) return NULL;
    return memcmp(history + HEAD, state->inputs, model_inputs(state->model) * sizeof(double)) == 0 ? now : NULL;
}

// The slots of moving body k.
static past *slots_of(const multistep *m, double *history, int k)
{
    return (past *)(history + HEAD + model_inputs(m->stages->model)) + m->method->slots * k;
}

// The history, to be written: of the same nodes, or empty.
static head *take_history(const multistep *m, ph_state *state, double h, bool same)
{
    double *history = state_history(state, m->method->scheme);
    head *now = (head *)history;
    if (!same) *now = (head){0};
    now->step = h;
    now->time = state_time_after(state, h);
    memcpy(history + HEAD, state->inputs, model_inputs(state->model) * sizeof(double));
    return now;
}

static void put_power(head *now, double power)
{
    memmove(now->power + 1, now->power, SLOTS_MAX * sizeof(double));
    now->power[0] = power;
}

static place sum_of(const multistep *m, const past *slots, int oldest, const double *D, const double *A)
{
    const int n = m->method->slots;
    place sum = {0};
    for (int i = 0; i < n; i++) {
        const past *p = &slots[(oldest + i) % n];
        sum.R = ph_mat_madd(ph_mat_madd(sum.R, D[i], p->D.R), A[i], p->A.R);
        sum.x = ph_madd(ph_madd(sum.x, D[i], p->D.x), A[i], p->A.x);
    }
    return sum;
}

// Velocities from the nodes in the slots: Omega~ is the skew part of R^T R'.
static ph_twist velocity_of(const multistep *m, const past *slots, int oldest, const double *weights, const ph_mat3 *R)
{
    const place rate = sum_of(m, slots, oldest, weights, weights + m->method->slots);
    const ph_mat3 W = ph_mat_tmul(*R, rate.R);
    const ph_vec3 twice = ph_vec(W.m[2][1] - W.m[1][2], W.m[0][2] - W.m[2][0], W.m[1][0] - W.m[0][1]);
    return (ph_twist){ph_scale(0.5, twice), rate.x};
}

// R (F - I)/h, without cancellation
static ph_mat3 turn_by(const ph_mat3 *R, ph_quat F, double h)
{
    const ph_vec3 u = {F.x, F.y, F.z};
    const ph_mat3 skew = ph_hat(u);
    return ph_mat_mul(*R, ph_mat_scale(2.0 / h, ph_mat_madd(ph_mat_mul(skew, skew), F.w, skew)));
}

// ---- The first steps ------------------------------------------------------------------------------------------------

static double fastest_start(const ph_state *state)
{
    double fastest = 0.0;
    for (int k = 0; k < state->model->moving_count; k++)
        fastest = ph_max(fastest, ph_norm(state->angular_velocity[state->model->moving[k]]));
    return fastest;
}

static ph_status refuse_spin(multistep *m, const ph_state *state, double h, ph_step_report *report)
{
    const double fastest = fastest_start(state), turned = fastest * fabs(h), most = 2.0 * m->method->most;
    if (!(turned > most)) return PH_OK;
    snprintf(m->advice, sizeof m->advice,
             "a body turns by |omega| h = %.3g in this step, and %s follows to %.3g: try a step of %.6g, or rattlie6",
             turned, m->method->scheme->name, most, 0.5 * most / fastest);
    report->advice = m->advice;
    report->worst_joint = PH_NONE;
    return PH_NO_CONVERGENCE;
}

// Accelerations and powers at the state, from the equations of motion.
static bool accelerate(multistep *m, const ph_state *state)
{
    runge_kutta *rk = m->rk;
    const size_t bodies = model_places(rk->model);
    memcpy(rk->position, state->position, bodies * sizeof *rk->position);
    memcpy(rk->orientation, state->orientation, bodies * sizeof *rk->orientation);
    memcpy(rk->velocity, state->velocity, bodies * sizeof *rk->velocity);
    memcpy(rk->angular_velocity, state->angular_velocity, bodies * sizeof *rk->angular_velocity);
    return runge_kutta_accelerate(rk, state, state->time, 0);
}

// A step of dop853 from a node whose slot it fills.
static ph_status begin(multistep *m, ph_state *state, double h, const head *known, ph_step_report *report)
{
    const ph_model *model = state->model;
    ph_state *end = m->start;
    ph_status status = refuse_spin(m, state, h, report);
    if (status != PH_OK) return status;
    if (!accelerate(m, state)) return runge_kutta_fail(report);
    status = ph_state_copy(end, state);
    if (status == PH_OK) status = scheme_dop853.advance(m->starter, end, h, 1, report);
    report->inner_steps = report->rejections = report->evaluations = 0; // steps are of one length
    if (status != PH_OK) return status;
    head *now = take_history(m, state, h, known);
    const int slot = (int)now->known++;
    put_power(now, m->rk->power[0]);
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        const ph_twist a = m->rk->acceleration[0][k];
        const ph_vec3 w = state->angular_velocity[b];
        const ph_mat3 R = ph_quat_to_mat(state->orientation[b]), skew = ph_hat(w);
        const ph_quat F = ph_quat_mul(ph_quat_conj(state->orientation[b]), end->orientation[b]);
        past *p = slots_of(m, state->history, k) + slot;
        p->D = (place){turn_by(&R, F, h), ph_scale(1.0 / h, ph_sub(end->position[b], state->position[b]))};
        p->A = (place){ph_mat_scale(h, ph_mat_mul(R, ph_mat_add(ph_mat_mul(skew, skew), ph_hat(a.omega)))),
                       ph_scale(h, a.v)};
        p->omega = ph_scale(0.5, ph_add(w, end->angular_velocity[b]));
        state->position[b] = end->position[b];
        state->orientation[b] = end->orientation[b];
        state->velocity[b] = end->velocity[b];
        state->angular_velocity[b] = end->angular_velocity[b];
    }
    state->work = end->work;
    return PH_OK;
}

// ---- A step ---------------------------------------------------------------------------------------------------------

// Right-hand sides of (3), and first guesses.
static void balance(multistep *m, const ph_state *state, double h, const head *now)
{
    variational *s = m->stages;
    const method *method = m->method;
    const double beta = method->beta_newest;
    double D[SLOTS_MAX];
    for (int i = 0; i < method->slots; i++) D[i] = -method->rho[i];
    variational_balance(s, state, h);
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k], oldest = (int)now->oldest;
        const ph_mat3 *J = &s->model->bodies[b].kind->J;
        const past *slots = slots_of(m, (double *)now, k);
        body_stage *stage = &s->stage[k];
        const place V = m->V[k] = sum_of(m, slots, oldest, D, method->beta);
        const ph_mat3 N = ph_mat_tmul(s->here.frames[b].R, V.R);
        // N J_d = 1/2 tr(J) N - N J
        const ph_mat3 P = ph_mat_sub(ph_mat_scale(0.5 * ph_trace(*J), N), ph_mat_mul(N, *J));
        const ph_vec3 momentum = {P.m[2][1] - P.m[1][2], P.m[0][2] - P.m[2][0], P.m[1][0] - P.m[0][1]};
        stage->momentum = ph_madd(momentum, beta * h, s->here.Q[b].torque);
        stage->base = V.x;
        stage->impulse = ph_scale(beta * h, s->here.Q[b].force);
        stage->omega = stage->v = ph_zero3();
        for (int i = 0; i < method->slots; i++) {
            const past *p = &slots[(oldest + i) % method->slots];
            stage->omega = ph_madd(stage->omega, m->next[i], p->omega);
            stage->v = ph_madd(stage->v, m->next[i], p->D.x);
        }
    }
}

// (3), with the rows that were found dependent where a state was last shown; where that turns out wrong, found anew.
static ph_status solve_step(multistep *m, const ph_state *state, double h, const head *now, ph_step_report *report)
{
    variational *s = m->stages;
    for (;;) {
        s->accept = 0.0;
        s->curvature = now->curvature;
        balance(m, state, h, now);
        const ph_status status = variational_solve(s, state, h, report);
        if (status == PH_OK) variational_move(s, state, h);
        if (s->rows_chosen || !s->kkt.has_loops || (status == PH_OK && !variational_left_out_rows_open(s)))
            return status == PH_OK ? variational_check_left_out(s, report) : status;
        variational_choose(s);
        s->rows_chosen = true;
    }
}

static bool turns_too_far(const multistep *m, double h)
{
    const variational *s = m->stages;
    double fastest = 0.0;
    for (int k = 0; k < s->model->moving_count; k++) fastest = ph_max(fastest, ph_norm2(s->stage[k].omega));
    return fastest * h * h > m->method->most * m->method->most;
}

// The node from which the step was made goes into the place of the oldest.
static void keep_node(multistep *m, head *now, double h)
{
    const variational *s = m->stages;
    const double beta = m->method->beta_newest;
    const int slot = (int)now->oldest;
    for (int k = 0; k < s->model->moving_count; k++) {
        const body_stage *stage = &s->stage[k];
        const place D = {turn_by(&s->here.frames[s->model->moving[k]].R, stage->turn.F, h), stage->v}, *V = &m->V[k];
        slots_of(m, (double *)now, k)[slot] =
            (past){D,
                   {ph_mat_scale(1.0 / beta, ph_mat_sub(D.R, V->R)), ph_scale(1.0 / beta, ph_sub(D.x, V->x))},
                   stage->omega};
    }
    now->oldest = (slot + 1) % m->method->slots;
    now->curvature = s->curvature;
}

// Work from here to there of what has no potential, from its power at this and earlier nodes.
static double work_of(multistep *m, head *now, double h)
{
    variational *s = m->stages;
    double power = 0.0, work = 0.0;
    for (int k = 0; s->here.W && k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        s->here.twists[b] =
            velocity_of(m, slots_of(m, (double *)now, k), (int)now->oldest, m->before, &s->here.frames[b].R);
    }
    if (s->here.W) power = node_force_power(s->model, &s->here);
    put_power(now, power + node_motor_power(s->model, &s->here, s->lambda) / h);
    for (int i = 0; i <= m->method->slots; i++) work += m->integral[i] * now->power[i];
    return h * work;
}

// One step, up to the new configuration; the velocities stay what they are. Or none, where a body turns too far.
static ph_status leap(multistep *m, ph_state *state, double h, const head *known, bool *too_far, ph_step_report *report)
{
    variational *s = m->stages;
    variational_enter(s, state, h);
    ph_status status = solve_step(m, state, h, known, report);
    if (status == PH_OK && !variational_finite(s))
        status = variational_fail(s, PH_NOT_FINITE, report, "try a smaller step");
    *too_far = status == PH_OK && turns_too_far(m, h);
    if (status != PH_OK || *too_far) return status;
    head *now = take_history(m, state, h, true);
    keep_node(m, now, h);
    state->work += work_of(m, now, h);
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        state->position[b] = s->position[b];
        state->orientation[b] = s->orientation[b];
    }
    memcpy(state->multipliers, s->lambda, sizeof(double) * (size_t)s->model->row_count);
    variational_go_on(s);
    return PH_OK;
}

// The velocities at the node, which is `here`.
static ph_status show(multistep *m, ph_state *state, ph_step_report *report)
{
    variational *s = m->stages;
    double *history = state->history;
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k], oldest = (int)((head *)history)->oldest;
        const ph_twist v = velocity_of(m, slots_of(m, history, k), oldest, m->newest, &s->here.frames[b].R);
        state->angular_velocity[b] = v.omega;
        state->velocity[b] = v.v;
    }
    if (s->model->joint_count == 0) return PH_OK;
    if (!variational_factor(s, &s->here))
        return variational_fail(s, PH_SINGULAR, report, "the constraints are singular at the end of the step");
    s->rows_chosen = true;
    node_project_velocity(s->model, &s->kkt, state->angular_velocity, state->velocity, &s->here);
    return PH_OK;
}

// ---- Steps ----------------------------------------------------------------------------------------------------------

// One step, by (1) or by dop853. `shown`: the velocities of the state are those of its node; then, that they are to be.
static ph_status make_step(multistep *m, ph_state *state, double h, bool *shown, bool show_end, ph_step_report *report)
{
    const head *known = known_past(m, state, h);
    const bool leaps = known && known->known == m->method->slots;
    bool too_far = false;
    ph_status status = leaps ? leap(m, state, h, known, &too_far, report) : PH_OK;
    if (leaps && (status != PH_OK || too_far) && !*shown) {
        const ph_status seen = show(m, state, report);
        *shown = seen == PH_OK;
        if (status == PH_OK) status = seen;
    }
    if (status != PH_OK) return status;
    if (!leaps || too_far) return begin(m, state, h, too_far ? NULL : known, report);
    *shown = show_end;
    return show_end ? show(m, state, report) : PH_OK;
}

static ph_status advance(void *self, ph_state *state, double h, long long count, ph_step_report *report)
{
    multistep *m = self;
    long long iterations = 0;
    bool shown = true;
    const int growths = state->growths;
    if (!state_extend_history(state, history_size(m))) return PH_OUT_OF_MEMORY;
    report->growths = state->growths - growths;
    for (long long i = 0; i < count; i++) {
        report->time = state->time;
        report->iterations = 0;
        const ph_status status = make_step(m, state, h, &shown, i == count - 1, report);
        if (status != PH_OK) return status;
        iterations += report->iterations;
        state_end_step(state, h);
        report->steps = i + 1;
    }
    report->iterations = iterations;
    return PH_OK;
}

static ph_status create_6(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    return create(model, &ORDER_6, settings, self, error);
}

static ph_status create_8(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    return create(model, &ORDER_8, settings, self, error);
}

const ph_scheme scheme_multistep6 = {
    .name = "multistep6",
    .title = "Symmetric multistep method of order 6: one solve a step",
    .reference = "Console, Hairer and Lubich 2013, (2.1)",
    .order = 6,
    .traits = PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT,
    .create = create_6,
    .advance = advance,
    .destroy = destroy,
};

const ph_scheme scheme_multistep8 = {
    .name = "multistep8",
    .title = "Symmetric multistep method of order 8: one solve a step",
    .reference = "Console, Hairer and Lubich 2013, (2.1)",
    .order = 8,
    .traits = PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT,
    .create = create_8,
    .advance = advance,
    .destroy = destroy,
};
