#include "schemes/del.h"

#include "dynamics/system.h"
#include "math/mat3.h"

#include <string.h>

// The history of a state: length of the step that arrived (0: none, start from the velocity), then for each moving body:
typedef struct arrival {
    ph_vec3 momentum, v;  // F^T G/h, body axes, and v_+ of the step that arrived
    ph_vec3 omega, ahead; // Omega_+ and v_+ of the step that leaves, found when looking ahead: the first guess
} arrival;

typedef struct del {
    const ph_model *model;
    variational *stages;
    ph_state *next; // the new state while it is made
} del;

void del_destroy(void *self)
{
    del *s = self;
    if (s->stages) variational_destroy(s->stages);
    ph_state_destroy(s->next);
    mem_free(&s->model->allocator, s);
}

ph_status del_create(const ph_model *model, const ph_scheme *scheme, const scheme_settings *settings,
                     const variational_rule *rule, void **self, ph_error *error)
{
    del *s = mem_alloc(&model->allocator, sizeof *s);
    if (!s) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    s->model = model;
    void *stages = NULL;
    ph_status status = variational_create(model, scheme, settings, rule, &stages, error);
    s->stages = stages;
    s->next = ph_state_create(model);
    if (!s->next && status == PH_OK) status = error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    if (status == PH_OK)
        *self = s;
    else
        del_destroy(s);
    return status;
}

// Forces at the node. Those that depend on velocity take the one that stage 2 of lgvi would find there, so that the
// positions stay those of lgvi.
static bool set_forces(variational *s, const ph_state *state, double h, bool start)
{
    const arrival *before = (const arrival *)(state->history + 1);
    node_set_twists(s->model, state->angular_velocity, state->velocity, &s->here);
    if (start || !s->needs_velocity) {
        node_set_forces(s->model, &s->here);
        return true;
    }
    for (int k = 0; k < s->model->moving_count; k++) {
        const double mass = s->model->bodies[s->model->moving[k]].kind->mass;
        node_put_vectors(s->momentum + 6 * k, before[k].momentum, ph_scale(mass, before[k].v));
    }
    return damped_solve(s->model, &s->damped, s->momentum, h, &s->here);
}

// Solves the step of length h that leaves the node of `state`, reached by one of the same length, or a start. The momenta
// are then those after the constraint forces.
static ph_status leave_node(variational *s, const ph_state *state, double h, ph_step_report *report)
{
    const bool start = state->history[0] != h;
    const double kick = start ? 0.5 * h : h;
    const arrival *before = (const arrival *)(state->history + 1);
    s->weight = kick / h;
    if (!set_forces(s, state, h, start)) return variational_fail(s, PH_NO_CONVERGENCE, report, "try a smaller step");
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        body_stage *stage = &s->stage[k];
        const ph_vec3 p = start ? ph_mul(s->model->bodies[b].kind->J, state->angular_velocity[b]) : before[k].momentum;
        stage->momentum = ph_madd(p, kick, s->here.Q[b].torque);
        stage->base = start ? state->velocity[b] : before[k].v;
        stage->impulse = ph_scale(kick, s->here.Q[b].force);
        stage->omega = start ? state->angular_velocity[b] : before[k].omega;
        stage->v = start ? state->velocity[b] : before[k].ahead;
    }
    memcpy(s->lambda, state->multipliers, sizeof(double) * (size_t)s->model->row_count);
    s->curvature = 0.0; // not kept in the state
    const ph_status status = variational_solve(s, state, h, report);
    if (status != PH_OK) return status;
    variational_move(s, state, h);
    return variational_check_left_out(s, report);
}

// Takes over the configuration that the step leads to, and what it brings there.
static void arrive(variational *s, ph_state *state, double h)
{
    arrival *brought = (arrival *)(state->history + 1);
    variational_turn(s);
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const body_stage *stage = &s->stage[k];
        state->position[b] = s->position[b];
        state->orientation[b] = s->orientation[b];
        state->angular_velocity[b] = stage->omega; // first guesses
        state->velocity[b] = stage->v;
        brought[k] = (arrival){stage->momentum, stage->v, stage->omega, stage->v};
    }
    memcpy(state->multipliers, s->lambda, sizeof(double) * (size_t)s->model->row_count);
    state->history[0] = h;
    state->time += h;
    s->here_valid = false;
}

// Rows of velocities hold in every state that is shown: where there are some, its velocities are those of the one-step form.
static bool meet_rows(variational *s, ph_state *state)
{
    if (!s->model->slips) return true;
    if (!node_factor_mass(s->model, &s->kkt, &s->here)) return false;
    node_settle_velocity(s->model, &s->kkt, state->angular_velocity, state->velocity, &s->here);
    return true;
}

// Looks ahead: velocities at the node half-way through the change of momentum there.
static ph_status look_ahead(variational *s, ph_state *state, double h, ph_step_report *report)
{
    arrival *brought = (arrival *)(state->history + 1);
    if (!variational_enter(s, state, h))
        return variational_fail(s, PH_SINGULAR, report, "the constraints are singular here");
    const ph_status status = leave_node(s, state, h, report);
    if (status != PH_OK) return status;
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const body *body = &s->model->bodies[b];
        const body_stage *stage = &s->stage[k];
        const ph_vec3 p = ph_scale(0.5, ph_add(brought[k].momentum, stage->momentum));
        state->angular_velocity[b] = ph_mul(body->kind->J_inverse, p);
        state->velocity[b] = ph_madd(brought[k].v, 0.5 / body->kind->mass, stage->impulse);
        brought[k].omega = stage->omega;
        brought[k].ahead = stage->v;
    }
    memcpy(state->multipliers, s->lambda, sizeof(double) * (size_t)s->model->row_count);
    if (!meet_rows(s, state)) return variational_fail(s, PH_SINGULAR, report, "the constraints are singular here");
    return PH_OK;
}

// Power at the node of forces without potential and of motors, whose multipliers the step that leaves it has found.
static double node_power(variational *s, double h)
{
    return node_force_power(s->model, &s->here) + node_motor_power(s->model, &s->here, s->lambda) / h;
}

// Makes the new state in `next`.
static ph_status make_next(del *own, const ph_state *state, double h, ph_step_report *report)
{
    variational *s = own->stages;
    ph_state *next = own->next;
    ph_state_copy(next, state);
    state_history(next, s->scheme);
    if (!variational_enter(s, next, h))
        return variational_fail(s, PH_SINGULAR, report, "the constraints are singular here");
    ph_status status = leave_node(s, next, h, report);
    const long long iterations = report->iterations;
    const double before = node_power(s, h);
    if (status == PH_OK) {
        arrive(s, next, h);
        status = look_ahead(s, next, h, report);
    }
    report->iterations += iterations;
    if (status != PH_OK) return status;
    node_set_twists(s->model, next->angular_velocity, next->velocity, &s->here);
    next->work += 0.5 * h * (before + node_power(s, h));
    return PH_OK;
}

static bool step_works(void *self, const ph_state *state, double h)
{
    ph_step_report report = {0};
    return make_next(self, state, h, &report) == PH_OK;
}

ph_status del_step(void *self, ph_state *state, double h, ph_step_report *report)
{
    del *own = self;
    const ph_status status = make_next(own, state, h, report);
    if (status == PH_OK) return ph_state_copy(state, own->next);
    return variational_explain(own->stages, state, h, own->stages->rule->limit, step_works, own, status, report);
}
