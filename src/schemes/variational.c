#include "schemes/variational.h"

#include "base/memory.h"
#include "dynamics/system.h"
#include "linalg/small.h"
#include "schemes/trend.h"

#include <float.h>
#include <string.h>

// ---- Life -----------------------------------------------------------------------------------------------------------

static const double one_step[] = {1.0};

ph_status variational_create(const ph_model *model, const ph_scheme *scheme, const scheme_settings *settings,
                             const variational_rule *rule, void **self, ph_error *error)
{
    return variational_create_pattern(model, scheme, settings, rule, (variational_pattern){one_step, 1, 0.0}, self,
                                      error);
}

// A step of several substeps may fail half way.
static bool make_states(variational *s)
{
    if (s->pattern.count == 1) return true;
    s->before = ph_state_create(s->model);
    s->trial = ph_state_create(s->model);
    return s->before && s->trial;
}

ph_status variational_create_pattern(const ph_model *model, const ph_scheme *scheme, const scheme_settings *settings,
                                     const variational_rule *rule, variational_pattern pattern, void **self,
                                     ph_error *error)
{
    arena *memory = arena_create(&model->allocator);
    variational *s = memory ? arena_alloc(memory, sizeof *s) : NULL;
    if (!s) {
        arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    const size_t bodies = model_places(model), rows = (size_t)model->row_count + 1;
    *s = (variational){.model = model,
                       .scheme = scheme,
                       .settings = *settings,
                       .rule = rule,
                       .pattern = pattern,
                       .memory = memory,
                       .weight = 0.5,
                       .chords = true};
    predictor_create(pattern.gamma, pattern.count, &s->predictor);
    bool ok = make_states(s) && (!rule->prepare || rule->prepare(s));
    // Rules of their own fill blocks, whichever way is taken.
    ok = ok && (rule->assemble ? kkt_create : kkt_create_spare)(model, s->kind, memory, &s->kkt);
    s->with_rows = !s->kkt.tree;
    ok = ok && node_create(model, &s->kkt, memory, &s->here) && node_create(model, &s->kkt, memory, &s->there);
    s->position = arena_alloc_array(memory, bodies, sizeof(ph_vec3));
    s->orientation = arena_alloc_array(memory, bodies, sizeof(ph_quat));
    s->stage = arena_alloc_array(memory, bodies, sizeof(body_stage));
    s->lambda = arena_alloc_array(memory, rows, sizeof(double));
    s->phi = arena_alloc_array(memory, rows, sizeof(double));
    s->inputs = arena_alloc_array(memory, model_inputs(model) + 1, sizeof(double));
    s->forces_keep = !system_calls_back(model);
    s->here.motion.closed = s->there.motion.closed = true;
    s->needs_velocity = system_needs_velocity(model);
    if (s->needs_velocity) {
        s->momentum = arena_alloc_array(memory, 6 * bodies, sizeof(double));
        ok = ok && s->momentum && damped_create(model, memory, &s->damped);
        if (ok && s->damped.by_rows)
            ok = node_need_rows(&s->damped.kkt, &s->here) && node_need_rows(&s->damped.kkt, &s->there);
    }
    if (!ok || !s->inputs || !s->position || !s->orientation || !s->stage || !s->lambda || !s->phi) {
        variational_destroy(s);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    for (size_t b = 0; b < bodies; b++) { // those of bodies that cannot move stay so
        s->position[b] = model->bodies[b].position;
        s->orientation[b] = model->bodies[b].start->orientation;
    }
    *self = s;
    return PH_OK;
}

bool variational_keep_rows(variational *s)
{
    s->with_rows = true;
    return node_need_rows(&s->kkt, &s->here) && node_need_rows(&s->kkt, &s->there);
}

variational *variational_stages(void *self)
{
    return self;
}

void variational_destroy(void *self)
{
    variational *s = self;
    ph_state_destroy(s->before);
    ph_state_destroy(s->trial);
    arena_destroy(s->memory);
}

// ---- Configurations -------------------------------------------------------------------------------------------------

static bool left_here(const variational *s, const ph_state *state)
{
    const size_t bodies = (size_t)s->model->body_count;
    return s->here_valid && memcmp(s->position, state->position, bodies * sizeof(ph_vec3)) == 0 &&
           memcmp(s->orientation, state->orientation, bodies * sizeof(ph_quat)) == 0;
}

// What the joints of a node need.
static void grip_joints(variational *s, node *at)
{
    if (s->with_rows)
        node_set_jacobian(s->model, &s->kkt, at);
    else
        node_set_closing(s->model, &s->kkt, at);
    if (s->kkt.tree) node_set_grips(&s->kkt, at, NULL);
}

void variational_choose(variational *s)
{
    if (!s->kkt.has_loops) return;
    if (s->kkt.tree)
        node_choose_gripped(s->model, &s->kkt, &s->here);
    else
        kkt_choose_rows(&s->kkt, s->here.frames, s->here.B);
}

bool variational_enter_until(variational *s, const ph_state *state, double until)
{
    const bool left = left_here(s, state);
    if (left && s->forces_valid && s->here.motion.time == state->time)
        node_keep_time(state, &s->here);
    else
        node_set_time(state, state->time, &s->here);
    node_set_time(state, until, &s->there);
    if (left) return true;
    s->here_valid = s->forces_valid = false;
    node_set_frames(s->model, state->position, state->orientation, &s->here);
    grip_joints(s, &s->here);
    s->rows_chosen = true;
    variational_choose(s);
    return true;
}

// What the last step left is taken over when the state is still there.
bool variational_enter(variational *s, const ph_state *state, double h)
{
    s->forces_valid = false;
    return variational_enter_until(s, state, state_time_after(state, h));
}

void variational_balance(variational *s, const ph_state *state, double h)
{
    node_set_twists(s->model, state->angular_velocity, state->velocity, &s->here);
    if (s->needs_velocity)
        damped_forces(s->model, &s->damped, &s->here, s->forces_valid);
    else if (!s->forces_valid)
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
    memcpy(s->lambda, state->multipliers, sizeof(double) * (size_t)s->model->row_count);
    for (int j = 0; s->kkt.has_loops && j < s->model->joint_count; j++)
        for (int r = 0; r < s->model->joints[j].row_count; r++)
            if (kkt_left_out(&s->kkt, j) >> r & 1u) s->lambda[s->model->joints[j].first_row + r] = 0.0;
}

void variational_start(variational *s, const ph_state *state, double h)
{
    const double *history = state_past(state, s->scheme);
    s->curvature = s->accept = 0.0;
    variational_balance(s, state, h);
    if (history) trend_guess(s, history, h);
}

// ---- The end of stage 1, stage 2 ------------------------------------------------------------------------------------

static void apply_by_tree(variational *s, const node *at, double scale, const double *multipliers)
{
    elimination *tree = s->kkt.tree;
    elimination_pull(tree, &at->grips, multipliers);
    for (int i = 0; i < tree->limb_count; i++) {
        const limb *l = &tree->limbs[i];
        body_stage *stage = &s->stage[l->moving];
        stage->momentum = ph_madd(stage->momentum, -scale, ph_tmul(at->frames[l->body].R, four_vec(l->z.turn)));
        stage->impulse = ph_madd(stage->impulse, -scale, four_vec(l->z.move));
    }
    for (int n = 0; n < s->model->rotor_count; n++)
        s->stage[tree->rotors[n].moving].impulse.x -= scale * tree->rotors[n].slide;
}

// Subtracts scale * B^T lambda from the momenta. Multipliers only shift momentum between bodies, so computing the momenta
// from them, and the linear ones as a change since the node, keeps the total to the rounding of one addition a step.
void variational_apply(variational *s, const node *at, double scale, const double *multipliers)
{
    if (s->kkt.tree) apply_by_tree(s, at, scale, multipliers);
    for (int i = 0; i < kkt_row_joint_count(&s->kkt); i++) {
        const int j = kkt_row_joint(&s->kkt, i);
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
        variational_move_body(s, state, h, k);
    }
}

void variational_move(variational *s, const ph_state *state, double h)
{
    for (int k = 0; k < s->model->moving_count; k++) s->stage[k].turn.F = s->rule->rotation(s->stage[k].omega, h);
    if (s->rule->push) s->rule->push(s, h, false);
    variational_apply(s, &s->here, s->weight, s->lambda);
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        body_stage *stage = &s->stage[k];
        stage->v = ph_madd(stage->base, 1.0 / s->model->bodies[b].kind->mass, stage->impulse);
        variational_move_body(s, state, h, k);
    }
    grip_joints(s, &s->there);
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
    if (model->force_count > 0) node_set_angles(model, &s->there);
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

ph_status variational_push_end(variational *s, const ph_state *state, double h, ph_step_report *report)
{
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
    return PH_OK;
}

// The momenta have changed since the forces at q_{n+1} were found: those that depend on the velocity once more.
bool variational_damp_again(variational *s, const ph_state *state, double h)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int k = 0; k < s->model->moving_count; k++) {
            const int b = s->model->moving[k];
            const ph_wrench *Q = &s->there.Q[b];
            body_stage *stage = &s->stage[k];
            stage->momentum = ph_madd(stage->momentum, 0.5 * sign * h, Q->torque);
            stage->impulse = ph_madd(stage->impulse, 0.5 * sign * h, Q->force);
            if (sign < 0)
                node_put_vectors(s->momentum + 6 * k, stage->momentum,
                                 ph_madd(stage->impulse, s->model->bodies[b].kind->mass, state->velocity[b]));
        }
        if (sign < 0 && !damped_solve_again(s->model, &s->damped, s->momentum, h, &s->there)) return false;
    }
    return true;
}

bool variational_factor(variational *s, node *at)
{
    return s->kkt.tree ? node_choose_gripped(s->model, &s->kkt, at) : node_factor_mass(s->model, &s->kkt, at);
}

ph_status variational_arrive(variational *s, const ph_state *state, double h, ph_step_report *report)
{
    variational_move(s, state, h);
    const ph_status status = variational_push_end(s, state, h, report);
    if (s->needs_velocity) // stage 2 has been solved
        kkt_take_rows(&s->kkt, &s->damped.kkt);
    else if (status == PH_OK && !variational_factor(s, &s->there))
        return variational_fail(s, PH_SINGULAR, report, "the constraints are singular at the end of the step");
    return status;
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

// Where forces depend on the velocity it has been found with mu together with them, and stands in the node.
static void project_damped(variational *s)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const ph_twist *v = &s->there.twists[s->model->moving[k]];
        node_put_vectors(kkt_body_x(&s->kkt, k), v->omega, v->v);
    }
    memcpy(s->phi, s->damped.mu, sizeof(double) * (size_t)s->model->row_count);
    variational_apply(s, &s->there, 1.0, s->phi);
}

void variational_project(variational *s, const ph_state *state)
{
    if (s->needs_velocity) {
        project_damped(s);
        return;
    }
    variational_put_momentum(s, state, &s->kkt);
    kkt_solve(&s->kkt);
    for (int j = 0; j < s->model->joint_count; j++)
        for (int r = 0; r < s->model->joints[j].row_count; r++)
            s->phi[s->model->joints[j].first_row + r] = kkt_joint_x(&s->kkt, j)[r];
    variational_apply(s, &s->there, 1.0, s->phi);
}

// ---- The new state -------------------------------------------------------------------------------------------------

bool variational_solves_stage_2(variational *s, const ph_state *state)
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

void variational_take_over(const variational *s, ph_state *state)
{
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
}

void variational_go_on(variational *s)
{
    const node swap = s->here; // the motion of a node points to its own arrays, so it goes along
    s->here = s->there;
    s->there = swap;
    s->here_valid = true;
    s->rows_chosen = s->forces_valid = false;
}

// Work of a wrench on each body along the displacements of the step, h Omega_+ and h v_+.
static double work_along(const variational *s, const ph_wrench *W, double h)
{
    double work = 0.0;
    for (int k = 0; k < s->model->moving_count; k++) {
        const ph_wrench *w = &W[s->model->moving[k]];
        work += ph_dot(w->torque, s->stage[k].omega) + ph_dot(w->force, s->stage[k].v);
    }
    return h * work;
}

double variational_work_start(const variational *s, double h)
{
    if (!s->here.W) return 0.0;
    return s->needs_velocity ? 0.5 * h * node_force_power(s->model, &s->here) : 0.5 * work_along(s, s->here.W, h);
}

double variational_work_end(const variational *s, const node *at, double h)
{
    if (!at->W) return 0.0;
    return s->needs_velocity ? 0.5 * h * node_force_power(s->model, at) : 0.5 * work_along(s, at->W, h);
}

// Dampers have a factor of their own: that of M is not made then. For what rounding has left either is right.
static void settle(variational *s, ph_state *state)
{
    kkt *kkt = s->needs_velocity ? &s->damped.kkt : &s->kkt;
    node_settle_velocity(s->model, kkt, state->angular_velocity, state->velocity, &s->there);
}

void variational_leave(variational *s, ph_state *state, double h)
{
    trend_keep(s, state, h);
    variational_take_over(s, state);
    if (s->model->motor_count > 0) { // impulses 1/2 h lambda at q_n and mu at q_{n+1}
        state->work += 0.5 * node_motor_power(s->model, &s->here, s->lambda);
        state->work += node_motor_power(s->model, &s->there, s->phi);
    }
    if (!variational_solves_stage_2(s, state)) settle(s, state);
    state->work += variational_work_start(s, h);
    node_set_twists(s->model, state->angular_velocity, state->velocity, &s->there);
    state->work += variational_work_end(s, &s->there, h);
    state->time += h;
    variational_go_on(s);
    s->rows_chosen = true;
}

bool variational_finite(const variational *s)
{
    ph_vec3 sum = ph_zero3();
    for (int k = 0; k < s->model->moving_count; k++) sum = ph_add3(sum, s->stage[k].momentum, s->stage[k].impulse);
    return isfinite(sum.x + sum.y + sum.z);
}
