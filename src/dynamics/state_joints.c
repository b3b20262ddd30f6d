// Setting joint coordinates and rates of a state, and moving it onto its joints.

#include "base/error.h"
#include "dynamics/assemble.h"
#include "math/so3.h"

#include <string.h>

ph_status ph_state_set_joint(ph_state *state, int joint, int coordinate, double value, double rate)
{
    if (!state || joint < 0 || joint >= state->model->joint_count || coordinate < 0 ||
        coordinate >= state->model->joints[joint].coordinate_count || isinf(value) || isinf(rate))
        return PH_BAD_ARGUMENT;
    const joint_motor *motor = state->model->joints[joint].motor;
    if (motor && coordinate == 0 && (!isnan(rate) || (!isnan(value) && !motor->by_speed)))
        return PH_BAD_ARGUMENT; // the motor prescribes it
    const int k = state->model->joints[joint].first_coordinate + coordinate;
    if (!isnan(value)) state->wishes[k] = value, state->wishing = true;
    if (!isnan(rate)) state->wishes[state->model->coordinate_count + k] = rate, state->wishing = true;
    ph_state_touch(state);
    return PH_OK;
}

static void note(double size, int body, double *largest, int *which)
{
    if (size > *largest) *largest = size, *which = body;
}

static double kinetic(const ph_model *model, const placement *p)
{
    double T = 0.0;
    for (int k = 0; k < model->moving_count - model->rotor_count; k++) {
        const int b = model->moving[k];
        const body_kind *kind = model->bodies[b].kind;
        const ph_vec3 w = p->angular_velocity[b];
        T += 0.5 * (kind->mass * ph_norm2(p->velocity[b]) + ph_dot(w, ph_mul(kind->J, w)));
    }
    return T;
}

static void compare(const ph_model *model, const placement *before, const placement *after, ph_project_report *r)
{
    for (int k = 0; k < model->moving_count - model->rotor_count; k++) {
        const int b = model->moving[k];
        const ph_quat turn = ph_quat_mul(ph_quat_conj(before->orientation[b]), after->orientation[b]);
        note(ph_norm(ph_sub(after->position[b], before->position[b])), b, &r->moved, &r->moved_body);
        note(ph_norm(ph_quat_log(turn)), b, &r->turned, &r->turned_body);
        note(ph_norm(ph_sub(after->velocity[b], before->velocity[b])), b, &r->changed, &r->changed_body);
    }
    r->kinetic_before = kinetic(model, before);
    r->kinetic_after = kinetic(model, after);
}

static ph_status say_open(const ph_state *state, const assembly_report *a, ph_project_report *r, ph_error *error)
{
    const ph_model *model = state->model;
    const gap *worst = a->rates_miss ? &a->velocities : &a->positions;
    const char *name = worst->joint >= 0 ? model->joints[worst->joint].name : "";
    r->worst_joint = worst->joint;
    r->worst_row = fabs(worst->off);
    if (a->rates_miss)
        return error_set(error, PH_NO_CONVERGENCE,
                         "the rates that were set cannot be had together: joint '%s' would be off by %.4g", name,
                         fabs(worst->off));
    return error_set(
        error, PH_NO_CONVERGENCE,
        "the joints cannot be assembled from here: joint '%s' stays open by %.4g, in the best of %d starts", name,
        fabs(worst->off), a->starts);
}

static bool all_finite(const ph_model *model, const placement *p)
{
    double sum = 0.0;
    for (int i = 0; i < model->body_count; i++) {
        const ph_quat q = p->orientation[i];
        const ph_vec3 x = ph_add3(p->position[i], p->velocity[i], p->angular_velocity[i]);
        if (!(ph_quat_norm(q) > 1e-100)) return false;
        sum += x.x + x.y + x.z + q.w + q.x + q.y + q.z;
    }
    return isfinite(sum);
}

// A motor by speed goes on from a coordinate that is set. A copy of all targets as they are then; NULL: out of memory.
static double *wished_targets(const ph_state *state, arena *memory)
{
    const ph_model *model = state->model;
    double *targets = arena_alloc_array(memory, (size_t)model->target_count + 1, sizeof *targets);
    if (targets && model->target_count) memcpy(targets, state->targets, (size_t)model->target_count * sizeof *targets);
    for (int i = 0; targets && i < model->joint_count; i++) {
        const joint *j = &model->joints[i];
        const double value = j->motor && j->motor->by_speed ? state->wishes[j->first_coordinate] : (double)NAN;
        if (!isnan(value)) targets[j->motor->target] = value;
    }
    return targets;
}

static ph_status project(ph_state *state, arena *memory, ph_project_report *r, ph_error *error)
{
    const ph_model *model = state->model;
    assembly_report report;
    placement before;
    placement p = {state->position, state->velocity, state->angular_velocity, state->orientation, state->turns};
    if (!placement_create(model, memory, &before)) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    if (!all_finite(model, &p)) return error_set(error, PH_NOT_FINITE, "a number of the state is not finite");
    for (int i = 0; i < model->body_count; i++) p.orientation[i] = ph_quat_unit(p.orientation[i]);
    placement_count_turns(model, &p);
    placement_copy(model, &before, &p);
    const double *targets = wished_targets(state, memory), *wishes = state->wishes;
    if (!targets) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    assemble_hand_on(model, state->wishes);
    assemble_hand_on(model, state->wishes + model->coordinate_count);
    const motion at = {
        .time = state->time, .inputs = state->inputs, .targets = targets, .target_time = state->target_time};
    const ph_status status = assemble(model, &at, wishes, wishes + model->coordinate_count, &p, &report);
    r->assemblies = report.branch.found;
    if (status == PH_OUT_OF_MEMORY) return error_set(error, status, "out of memory");
    if (status != PH_OK) return say_open(state, &report, r, error);
    if (model->target_count) memcpy(state->targets, targets, (size_t)model->target_count * sizeof *targets);
    compare(model, &before, &p, r);
    return PH_OK;
}

ph_status ph_state_project(ph_state *state, ph_project_report *report, ph_error *error)
{
    ph_project_report own;
    ph_project_report *r = report ? report : &own;
    *r = (ph_project_report){
        .moved_body = PH_NONE, .turned_body = PH_NONE, .changed_body = PH_NONE, .worst_joint = PH_NONE};
    if (!state) return error_set(error, PH_BAD_ARGUMENT, "ph_state_project needs a state");
    arena *memory = arena_create(&state->model->allocator);
    const ph_status status =
        memory ? project(state, memory, r, error) : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    arena_destroy(memory);
    state_forget_wishes(state);
    if (status == PH_OK) {
        state_place_rotors(state);
        state_keep_left(state);
    }
    ph_state_touch(state);
    return status;
}
