#include "schemes/runge_kutta.h"

#include "dynamics/system.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

ph_status runge_kutta_create(const ph_model *model, bool project, void **self, ph_error *error)
{
    arena *memory = arena_create(&model->allocator);
    runge_kutta *rk = memory ? arena_alloc(memory, sizeof *rk) : NULL;
    bool ok = rk != NULL;
    if (ok) {
        const size_t bodies = model_places(model);
        *rk = (runge_kutta){.model = model, .memory = memory, .project = project};
        ok = kkt_create(model, KKT_DECOUPLED, memory, &rk->kkt) && node_create(model, &rk->kkt, memory, &rk->node);
        ok = ok && (rk->position = arena_alloc_array(memory, bodies, sizeof(ph_vec3)));
        ok = ok && (rk->velocity = arena_alloc_array(memory, bodies, sizeof(ph_vec3)));
        ok = ok && (rk->angular_velocity = arena_alloc_array(memory, bodies, sizeof(ph_vec3)));
        ok = ok && (rk->lambda = arena_alloc_array(memory, (size_t)model->row_count + 1, sizeof(double)));
        ok = ok && (rk->room = arena_alloc_array(memory, (size_t)rk->kkt.lu.x_count + 1, sizeof(double)));
        ok = ok && (rk->orientation = arena_alloc_array(memory, bodies, sizeof(ph_quat)));
        for (int k = 0; ok && k < 4; k++) {
            rk->rate[k] = arena_alloc_array(memory, bodies, sizeof(ph_twist));
            rk->acceleration[k] = arena_alloc_array(memory, bodies, sizeof(ph_twist));
            ok = rk->rate[k] && rk->acceleration[k];
        }
    }
    if (!ok) {
        arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *self = rk;
    return PH_OK;
}

void runge_kutta_destroy(void *self)
{
    arena_destroy(((runge_kutta *)self)->memory);
}

bool runge_kutta_factor(runge_kutta *rk, const ph_state *state, double time, bool keep_rows)
{
    node_set_time(state, time, &rk->node);
    node_set_frames(rk->model, rk->position, rk->orientation, &rk->node);
    return node_factor_placed(rk->model, &rk->kkt, &rk->node, keep_rows);
}

void runge_kutta_evaluate(runge_kutta *rk, int k)
{
    const ph_model *model = rk->model;
    node_set_twists(model, rk->angular_velocity, rk->velocity, &rk->node);
    node_set_forces(model, &rk->node);
    if (rk->kkt.extra)
        node_accelerate_finely(model, &rk->kkt, &rk->node, rk->room);
    else
        node_accelerate(model, &rk->kkt, &rk->node);
    for (int i = 0; i < model->moving_count; i++) {
        const double *a = kkt_body_x(&rk->kkt, i);
        rk->acceleration[k][i] = (ph_twist){ph_vec(a[0], a[1], a[2]), ph_vec(a[3], a[4], a[5])};
    }
    for (int j = 0; j < model->joint_count && model->motor_count > 0; j++)
        memcpy(rk->lambda + model->joints[j].first_row, kkt_joint_x(&rk->kkt, j),
               sizeof(double) * (size_t)model->joints[j].row_count);
    rk->power[k] = node_force_power(model, &rk->node) + node_motor_power(model, &rk->node, rk->lambda);
}

// Which rows depend on others is decided by the first stage and kept for the step: off the constraints another choice would
// be another acceleration, and a right-hand side that jumps has no order.
bool runge_kutta_accelerate(runge_kutta *rk, const ph_state *state, double time, int k)
{
    if (!runge_kutta_factor(rk, state, time, k > 0)) return false;
    runge_kutta_evaluate(rk, k);
    return true;
}

static ph_vec3 mean(ph_vec3 a, ph_vec3 b, ph_vec3 c, ph_vec3 d)
{
    return ph_scale(1.0 / 6.0, ph_add3(a, d, ph_scale(2.0, ph_add(b, c))));
}

ph_twist runge_kutta_mean(ph_twist *const s[4], int k)
{
    return (ph_twist){mean(s[0][k].omega, s[1][k].omega, s[2][k].omega, s[3][k].omega),
                      mean(s[0][k].v, s[1][k].v, s[2][k].v, s[3][k].v)};
}

bool runge_kutta_finite(const runge_kutta *rk)
{
    double sum = 0.0;
    for (int k = 0; k < rk->model->moving_count; k++) {
        const int b = rk->model->moving[k];
        const ph_vec3 all = ph_add3(rk->position[b], rk->velocity[b], rk->angular_velocity[b]);
        sum += all.x + all.y + all.z + rk->orientation[b].w + rk->orientation[b].x;
    }
    return isfinite(sum);
}

bool runge_kutta_project(runge_kutta *rk)
{
    const ph_model *model = rk->model;
    if (model->joint_count == 0) return true;
    if (!node_project_position(model, &rk->kkt, rk->position, rk->orientation, &rk->node)) return false;
    node_project_velocity(model, &rk->kkt, rk->angular_velocity, rk->velocity, &rk->node);
    return true;
}

// The projection did not arrive: the joint that it has left the farthest open.
static ph_status fail_to_close(const runge_kutta *rk, ph_step_report *report)
{
    double phi[JOINT_ROWS_MAX];
    report->worst_row = -1.0;
    for (int j = 0; j < rk->model->joint_count; j++) {
        joint_residual(&rk->model->joints[j], &rk->node.motion, phi);
        for (int r = 0; r < rk->model->joints[j].row_count; r++)
            if (!(fabs(phi[r]) <= report->worst_row)) report->worst_row = fabs(phi[r]), report->worst_joint = j;
    }
    report->advice =
        "the way back onto the joints was not found: the step is too long for the forces, or motors and joints "
        "contradict each other; try a smaller step, or rattlie";
    return PH_NO_CONVERGENCE;
}

ph_status runge_kutta_finish(runge_kutta *rk, ph_state *state, double h, ph_step_report *report)
{
    const ph_model *model = rk->model;
    report->advice = "try a smaller step";
    if (!runge_kutta_finite(rk)) return PH_NOT_FINITE;
    if (rk->project && !runge_kutta_project(rk)) return fail_to_close(rk, report);
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        state->position[b] = rk->position[b];
        state->orientation[b] = rk->orientation[b];
        state->velocity[b] = rk->velocity[b];
        state->angular_velocity[b] = rk->angular_velocity[b];
    }
    state->work += h / 6.0 * (rk->power[0] + 2.0 * (rk->power[1] + rk->power[2]) + rk->power[3]);
    state->time += h;
    report->advice = NULL;
    return PH_OK;
}
