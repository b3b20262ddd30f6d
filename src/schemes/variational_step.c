// Steps of the variational schemes: substeps that end with the momenta p*, and stage 2 where a state is shown.
#include "model/scales.h"
#include "schemes/left_out.h"
#include "schemes/variational.h"

#include <float.h>
#include <string.h>

// ---- First guesses --------------------------------------------------------------------------------------------------

_Static_assert((int)PREDICTOR_PAST + 9 <= (int)HISTORY_PER_BODY && (int)PREDICTOR_HEAD <= (int)HISTORY_PER_BODY,
               "what the predictor keeps, and a matrix behind it, have their place in the history");

int variational_history(const variational *s)
{
    return PREDICTOR_HEAD + PREDICTOR_PAST * s->model->moving_count;
}

static ph_vec3 weigh(const predictor_weights *w, const ph_vec3 *points)
{
    ph_vec3 sum = ph_scale(w->of[0], points[w->at[0]]);
    for (int i = 1; i < w->count; i++) sum = ph_madd(sum, w->of[i], points[w->at[i]]);
    return sum;
}

// Omega_+ and v_+ of substep k, where steps of the same length went before; else false.
static bool guess(variational *s, const ph_state *state, double step, int k)
{
    const double *history = state_past(state, s->scheme);
    if (!history) return false;
    const predictor_head *head = (const predictor_head *)history;
    const predictor_past *past = (const predictor_past *)(history + PREDICTOR_HEAD);
    if (head->step != step) return false;
    const predictor_weights w = predictor_weigh(&s->predictor, head, k);
    s->curvature = head->curvature;
    for (int i = 0; i < s->model->moving_count && w.count > 0; i++) {
        s->stage[i].omega = weigh(&w, past[i].omega);
        s->stage[i].v = weigh(&w, past[i].v);
    }
    return true;
}

static void keep_unknowns(const variational *s, ph_state *state, double step)
{
    double *history = state_history(state, s->scheme);
    predictor_head *head = (predictor_head *)history;
    predictor_past *past = (predictor_past *)(history + PREDICTOR_HEAD);
    const int at = predictor_next(head, step);
    head->curvature = s->curvature;
    for (int i = 0; i < s->model->moving_count; i++) {
        past[i].omega[at] = s->stage[i].omega;
        past[i].v[at] = s->stage[i].v;
    }
}

// ---- Substeps -------------------------------------------------------------------------------------------------------

bool variational_left_out_rows_open(const variational *s)
{
    double phi[JOINT_ROWS_MAX], reach = s->kkt.unit;
    if (!s->kkt.has_loops) return false;
    for (int k = 0; k < s->model->moving_count; k++)
        reach = ph_max(reach, ph_max_abs(s->position[s->model->moving[k]]));
    for (int j = 0; j < s->model->joint_count; j++) {
        const unsigned left_out = kkt_left_out(&s->kkt, j);
        if (left_out) joint_residual(&s->model->joints[j], &s->there.motion, phi);
        for (int r = 0; left_out >> r; r++)
            if (left_out >> r & 1u &&
                !(fabs(phi[r]) <= 1e-12 * (joint_row_is_length(&s->model->joints[j], r) ? reach : 1.0)))
                return true;
    }
    return false;
}

ph_status variational_check_left_out(const variational *s, ph_step_report *report)
{
    return left_out_agree(&s->kkt, &s->there.motion, s->position, report);
}

// Newton's method stops where its curvature, known from earlier substeps, says that the next update would be rounding. Near a
// dead point of a loop the curvature grows from one substep to the next, so after an update that is not small the rows tell.
static bool rows_open(const variational *s, const ph_step_report *report)
{
    double phi[JOINT_ROWS_MAX], reach = s->kkt.unit;
    if (!s->kkt.has_loops || report->residual < 1e-10) return false;
    for (int k = 0; k < s->model->moving_count; k++)
        reach = ph_max(reach, ph_max_abs(s->position[s->model->moving[k]]));
    for (int j = 0; j < s->model->joint_count; j++) {
        const joint *joint = &s->model->joints[j];
        joint_residual(joint, &s->there.motion, phi);
        for (int r = 0; r < joint->row_count; r++) {
            if (kkt_left_out(&s->kkt, j) >> r & 1u || joint_row_is_slip(joint, r)) continue;
            if (!(fabs(phi[r]) <= 512.0 * DBL_EPSILON * (joint_row_is_length(joint, r) ? reach : 1.0))) return true;
        }
    }
    return false;
}

// (1) and (2) of substep k. Where the guess leads nowhere, from the velocities of the node. `carefully`: until updates are rounding.
static ph_status solve(variational *s, const ph_state *state, double step, int k, bool carefully,
                       ph_step_report *report)
{
    const double h = s->pattern.gamma[k] * step, accept = s->accept;
    s->curvature = 0.0;
    variational_balance(s, state, h);
    const bool guessed = guess(s, state, step, k);
    if (carefully) s->curvature = s->accept = 0.0;
    ph_status status = variational_solve(s, state, h, report);
    if (status != PH_OK && guessed) {
        s->curvature = 0.0;
        variational_balance(s, state, h);
        status = variational_solve(s, state, h, report);
    }
    s->accept = accept;
    return status;
}

// Stage 1 of substep k, up to the new configuration. Which rows depend on others is decided where a state is shown and kept
// until then; where that turns out to be wrong, it is decided here.
static ph_status stage_1(variational *s, const ph_state *state, double step, int k, ph_step_report *report)
{
    const double h = s->pattern.gamma[k] * step;
    for (bool carefully = false;;) {
        const ph_status status = solve(s, state, step, k, carefully, report);
        if (status == PH_OK) variational_move(s, state, h);
        if (status == PH_OK && !carefully && rows_open(s, report)) {
            carefully = true;
            continue;
        }
        if (s->rows_chosen || !s->kkt.has_loops || (status == PH_OK && !variational_left_out_rows_open(s)))
            return status == PH_OK ? variational_check_left_out(s, report) : status;
        variational_choose(s);
        s->rows_chosen = true;
    }
}

// Substep k of a step. It leaves the state with the momenta p* of (3), which do not satisfy the constraints yet; with the
// factor of (4) where it is to be `shown`.
static ph_status substep(variational *s, ph_state *state, double step, int k, double until, bool shown,
                         ph_step_report *report)
{
    const double h = s->pattern.gamma[k] * step;
    if (!variational_enter_until(s, state, until))
        return variational_fail(s, PH_SINGULAR, report, "the constraints are singular at the start of the step");
    ph_status status = stage_1(s, state, step, k, report);
    double work = variational_work_start(s, h);
    if (status == PH_OK) status = variational_push_end(s, state, h, report);
    if (status == PH_OK && !variational_finite(s))
        status = variational_fail(s, PH_NOT_FINITE, report, "try a smaller step");
    if (s->needs_velocity) // stage 2 has been solved
        kkt_take_rows(&s->kkt, &s->damped.kkt);
    else if (status == PH_OK && shown && !variational_factor(s, &s->there))
        status = variational_fail(s, PH_SINGULAR, report, "the constraints are singular at the end of the step");
    if (status != PH_OK) return status;
    keep_unknowns(s, state, step);
    variational_take_over(s, state);
    if (s->model->motor_count > 0) state->work += 0.5 * node_motor_power(s->model, &s->here, s->lambda);
    if (!s->needs_velocity) work += variational_work_end(s, &s->there, h);
    state->work += work;
    state->time = until;
    variational_go_on(s);
    s->forces_valid = true;
    s->rows_chosen = shown;
    return PH_OK;
}

// ---- Stage 2 --------------------------------------------------------------------------------------------------------

// (4) with p* = M v of the state: its velocities then satisfy the constraints.
static void put_momentum(variational *s, const ph_state *state)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const body *body = &s->model->bodies[b];
        node_put_vectors(kkt_body_x(&s->kkt, k), ph_mul(body->kind->J, state->angular_velocity[b]),
                         ph_scale(body->kind->mass, state->velocity[b]));
        s->stage[k].momentum = s->stage[k].impulse = ph_zero3();
    }
    for (int j = 0; j < s->model->joint_count; j++)
        for (int r = 0; r < s->model->joints[j].row_count; r++) kkt_joint_x(&s->kkt, j)[r] = 0.0;
    node_put_motor_rates(s->model, &s->kkt, &s->here);
}

// (4) for the change of the state's velocities: what they miss of the constraints stands on the right. The unknowns are
// small then, and so are their errors: elimination by joint coordinates adds up the momenta of all that hangs on a joint.
static void put_misses(variational *s, const ph_state *state)
{
    node_velocity_fits(s->model, &s->kkt, state->angular_velocity, state->velocity, &s->here);
    for (int k = 0; k < s->model->moving_count; k++) s->stage[k].momentum = s->stage[k].impulse = ph_zero3();
}

// The impulses mu of the joints act on the velocities of the state.
static void apply(variational *s, ph_state *state)
{
    variational_apply(s, &s->here, 1.0, s->phi);
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const body_kind *kind = s->model->bodies[b].kind;
        state->angular_velocity[b] = ph_add(state->angular_velocity[b], ph_mul(kind->J_inverse, s->stage[k].momentum));
        state->velocity[b] = ph_madd(state->velocity[b], 1.0 / kind->mass, s->stage[k].impulse);
    }
}

// The change by the impulses is, up to rounding of the velocities, that of the solution.
static bool changes_agree(variational *s, const ph_state *state)
{
    double omega = 0.0, v = 0.0, d_omega = 0.0, d_v = 0.0;
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const body_kind *kind = s->model->bodies[b].kind;
        const double *x = kkt_body_x(&s->kkt, k);
        const ph_vec3 turn = ph_mul(kind->J_inverse, s->stage[k].momentum);
        const ph_vec3 move = ph_scale(1.0 / kind->mass, s->stage[k].impulse);
        omega = ph_max(omega, ph_max_abs(state->angular_velocity[b]));
        v = ph_max(v, ph_max_abs(state->velocity[b]));
        d_omega = ph_max(d_omega, ph_max_abs(ph_sub(turn, ph_vec(x[0], x[1], x[2]))));
        d_v = ph_max(d_v, ph_max_abs(ph_sub(move, ph_vec(x[3], x[4], x[5]))));
    }
    const double most = 4.0 * DBL_EPSILON * ph_max(s->kkt.unit * omega, v);
    return s->kkt.unit * d_omega <= most && d_v <= most;
}

static void project(variational *s, ph_state *state)
{
    const bool change = s->kkt.by_tree;
    if (change)
        put_misses(s, state);
    else
        put_momentum(s, state);
    kkt_solve(&s->kkt);
    for (int j = 0; j < s->model->joint_count; j++)
        for (int r = 0; r < s->model->joints[j].row_count; r++)
            s->phi[s->model->joints[j].first_row + r] = kkt_joint_x(&s->kkt, j)[r];
    apply(s, state);
    if (!(change ? changes_agree(s, state) : variational_solves_stage_2(s, state)))
        node_settle_velocity(s->model, &s->kkt, state->angular_velocity, state->velocity, &s->here);
}

// The same where forces depend on the velocity, which has been found with mu together with them (damped.h).
static void project_damped(variational *s, ph_state *state)
{
    kkt *kkt = &s->kkt;
    for (int k = 0; k < s->model->moving_count; k++) {
        const ph_twist *v = &s->here.twists[s->model->moving[k]];
        node_put_vectors(kkt_body_x(kkt, k), v->omega, v->v);
        s->stage[k].momentum = s->stage[k].impulse = ph_zero3();
    }
    memcpy(s->phi, s->damped.mu, sizeof(double) * (size_t)s->model->row_count);
    apply(s, state);
    if (variational_solves_stage_2(s, state) ||
        node_velocity_fits(s->model, kkt, state->angular_velocity, state->velocity, &s->here))
        return;
    if (kkt->tree ? node_factor_gripped(s->model, kkt, &s->here) : node_factor_kept(s->model, kkt, &s->here))
        node_settle_velocity(s->model, kkt, state->angular_velocity, state->velocity, &s->here);
}

// The state is to be seen: stage 2 at its node, whose factor is made, after a substep of length h.
static void show(variational *s, ph_state *state, double h)
{
    if (s->needs_velocity)
        project_damped(s, state);
    else
        project(s, state);
    if (s->model->motor_count > 0) state->work += node_motor_power(s->model, &s->here, s->phi);
    if (!s->needs_velocity) return;
    node_set_twists(s->model, state->angular_velocity, state->velocity, &s->here);
    state->work += variational_work_end(s, &s->here, h);
}

// ---- Steps ----------------------------------------------------------------------------------------------------------

// One step. `shown`: velocities at its end are asked for; forces that depend on them ask at every substep.
static ph_status make_step(variational *s, ph_state *state, double step, bool shown, ph_step_report *report)
{
    const variational_pattern *p = &s->pattern;
    const double start = state->time, end = state_time_after(state, step);
    long long iterations = 0;
    double made = 0.0;
    ph_status status = PH_OK;
    for (int k = 0; status == PH_OK && k < p->count; k++) {
        const bool last = k == p->count - 1, seen = s->needs_velocity || (last && shown);
        made += p->gamma[k];
        s->accept = last ? 0.0 : p->accept;
        const double until = last ? end : start + made * step;
        status = substep(s, state, step, k, until, seen, report);
        iterations += report->iterations;
        if (status == PH_OK && seen) show(s, state, p->gamma[k] * step);
        if (status == PH_OK && s->watch) s->watch(s->watcher, s, state, k, p->gamma[k] * step, until, seen);
    }
    report->iterations = iterations;
    if (status != PH_OK) s->here_valid = false;
    state->time = start;
    return status;
}

static bool step_works(void *self, const ph_state *state, double h)
{
    variational *s = self;
    ph_step_report report = {0};
    if (s->trial) {
        ph_state_copy(s->trial, state);
        return make_step(s, s->trial, h, true, &report) == PH_OK;
    }
    if (!variational_enter(s, state, h)) return false;
    return stage_1(s, state, h, 0, &report) == PH_OK;
}

// The longest of the substeps meets the limit of the turn first.
static double limit(const variational *s)
{
    double longest = 0.0;
    for (int k = 0; k < s->pattern.count; k++) longest = ph_max(longest, fabs(s->pattern.gamma[k]));
    return s->rule->limit / longest;
}

// Stage 2 where a step begins that was not shown.
static bool show_start(variational *s, ph_state *state, double h)
{
    if (!variational_enter(s, state, h) || !variational_factor(s, &s->here)) return false;
    show(s, state, h);
    return true;
}

// Step i of a call. Where it fails from momenta p* it is tried once more from velocities that satisfy the constraints: a
// better first guess. A failed step leaves the state where it began.
static ph_status try_step(variational *s, ph_state *state, double h, bool first, bool last, ph_step_report *report)
{
    const bool shown = first || s->needs_velocity;
    if (s->before) ph_state_copy(s->before, state);
    ph_status status = make_step(s, state, h, last, report);
    if (status == PH_OK) return PH_OK;
    if (s->before) ph_state_copy(state, s->before);
    if (!shown && show_start(s, state, h)) {
        if (s->before) ph_state_copy(s->before, state);
        status = make_step(s, state, h, last, report);
        if (status == PH_OK) return PH_OK;
        if (s->before) ph_state_copy(state, s->before);
    }
    status = variational_explain(s, state, h, limit(s), step_works, s, status, report);
    s->here_valid = false;
    return status;
}

// The forces that the last call ended with are those of the state: neither time nor inputs have changed. That its places have not
// is seen when it is entered.
static bool forces_stay(const variational *s, const ph_state *state)
{
    return s->forces_left && s->here.motion.time == state->time &&
           memcmp(s->inputs, state->inputs, model_inputs(s->model) * sizeof(double)) == 0;
}

ph_status variational_advance(void *self, ph_state *state, double h, long long count, ph_step_report *report)
{
    variational *s = self;
    long long iterations = 0;
    s->forces_valid = forces_stay(s, state);
    s->forces_left = false;
    for (long long i = 0; i < count; i++) {
        report->time = state->time;
        const ph_status status = try_step(s, state, h, i == 0, i == count - 1, report);
        if (status != PH_OK) return status;
        iterations += report->iterations;
        state_end_step_at(state, h, s->here.frames, s->here.motion.angles);
        report->steps = i + 1;
    }
    report->iterations = iterations;
    memcpy(s->inputs, state->inputs, model_inputs(s->model) * sizeof(double));
    s->forces_left = s->forces_keep && s->here_valid;
    return PH_OK;
}
