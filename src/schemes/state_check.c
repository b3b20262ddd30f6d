#include "schemes/state_check.h"

#include "dynamics/hold.h"
#include "joints/velocity_rows.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

// ---- How far a state is off -----------------------------------------------------------------------------------------

typedef struct misfit {
    gap position, velocity;
} misfit;

static void note_row(gap *worst, int joint, int r, double off, double unit)
{
    const double size = fabs(off) / unit;
    if (size > worst->size || isnan(size)) *worst = (gap){size, joint, r, off};
}

// Fastest point, for relative errors of velocities.
static double fastest(const ph_model *model, double size, const placement *p)
{
    double speed = DBL_MIN;
    for (int k = 0; k < model->moving_count - model->rotor_count; k++) {
        const int b = model->moving[k];
        speed = ph_max(speed, ph_max(ph_max_abs(p->velocity[b]), size * ph_max_abs(p->angular_velocity[b])));
    }
    return speed;
}

// A joint between two bodies that stand at `first` in arrays of a few; without the rows of its rotors, which follow.
static joint local_joint(const joint *given, int first)
{
    joint j = *given;
    j.a = first;
    j.b = first + 1;
    j.kind_count -= j.rotor_rows;
    j.row_count -= j.rotor_rows;
    j.rotor_rows = 0;
    return j;
}

static void local_motion(const joint *j, const placement *p, int first, frame *frames, ph_twist *twists)
{
    const int pair[2] = {j->a, j->b};
    for (int n = 0; n < 2; n++) {
        frames[first + n] = placement_frame(p, pair[n]);
        twists[first + n] = (ph_twist){p->angular_velocity[pair[n]], p->velocity[pair[n]]};
    }
}

// Rows of velocities whose expressions name other joints are not looked at here: the first step meets them.
static bool names_joints(const joint *j)
{
    for (int k = 0; j->velocities && k < VELOCITY_VALUES * j->row_count; k++)
        if (value_needs_joints(&j->velocities->values[k])) return true;
    return false;
}

// Rows of a joint and their rates, from the bodies it acts on alone.
static int joint_rows(const joint *given, const placement *p, motion *at, double *phi, double *rate)
{
    frame frames[4];
    ph_twist twists[4];
    joint j = local_joint(given, 0), parts[2];
    gear g;
    if (given->gear) {
        g = *given->gear;
        for (int n = 0; n < 2; n++) {
            local_motion(given->gear->joints[n], p, 2 * n, frames, twists);
            parts[n] = local_joint(given->gear->joints[n], 2 * n);
            g.joints[n] = &parts[n];
        }
        j.gear = &g;
    } else {
        local_motion(given, p, 0, frames, twists);
    }
    at->frames = frames;
    at->twists = twists;
    joint_residual(&j, at, phi);
    if (names_joints(given))
        memset(rate, 0, sizeof(double) * (size_t)j.row_count);
    else
        joint_velocity_residual(&j, at, rate);
    return j.row_count;
}

static misfit misfit_of(const ph_state *state, double size, const placement *p, double time)
{
    const ph_model *model = state->model;
    const double speed = fastest(model, size, p);
    misfit m = {{.joint = PH_NONE}, {.joint = PH_NONE}};
    motion at = {.time = time,
                 .inputs = state->inputs,
                 .turns = state->turns,
                 .targets = state->targets,
                 .target_time = state->target_time};
    for (int i = 0; i < model->joint_count; i++) {
        double phi[JOINT_ROWS_MAX], rate[JOINT_ROWS_MAX];
        const int rows = joint_rows(&model->joints[i], p, &at, phi, rate);
        for (int r = 0; r < rows; r++) {
            const bool length = joint_row_is_length(&model->joints[i], r);
            const double weight = joint_row_weight(&model->joints[i], r);
            note_row(&m.position, i, r, phi[r], weight * (length ? size : 1.0));
            note_row(&m.velocity, i, r, rate[r], weight * (length ? speed : speed / size));
        }
    }
    return m;
}

// The arrays of `left`, in their order.
static placement left_of(const ph_state *state)
{
    const size_t bodies = model_places(state->model);
    double *left = state->left;
    placement p = {.position = (ph_vec3 *)left, .orientation = (ph_quat *)(left + 3 * bodies)};
    p.velocity = (ph_vec3 *)(left + 7 * bodies);
    p.angular_velocity = (ph_vec3 *)(left + 10 * bodies);
    return p;
}

// ---- Refusing -------------------------------------------------------------------------------------------------------

static bool refuse(ph_step_report *report, const gap *worst, const char *advice)
{
    report->status = PH_BAD_STATE;
    report->worst_joint = worst ? worst->joint : PH_NONE;
    report->worst_row = worst ? fabs(worst->off) : 0.0;
    report->residual = worst ? worst->size : 0.0;
    report->advice = advice;
    return false;
}

static bool all_units(const ph_state *state)
{
    for (int i = 0; i <= state->model->body_count; i++)
        if (!(fabs(ph_quat_norm(state->orientation[i]) - 1.0) < 1e-6)) return false;
    return true;
}

bool state_check_joints(const ph_state *state, ph_step_report *report)
{
    static const double MET = 1e-9;
    if (state->wishing) return refuse(report, NULL, "joints were set and nothing has moved yet: call ph_state_project");
    if (state->model->row_count == 0 || !state_was_edited(state)) return true;
    if (!all_units(state)) return refuse(report, NULL, "the orientation of a body is not a quaternion of length 1");
    const placement now = {.position = state->position,
                           .orientation = state->orientation,
                           .velocity = state->velocity,
                           .angular_velocity = state->angular_velocity};
    const double size = mechanism_size(state->model);
    const misfit is = misfit_of(state, size, &now, state->time);
    double reach = 0.0;
    for (int k = 0; k < state->model->moving_count - state->model->rotor_count; k++)
        reach = ph_max(reach, ph_max_abs(state->position[state->model->moving[k]]));
    double position = MET + 64.0 * DBL_EPSILON * reach / size, velocity = MET;
    if (!(is.position.size <= position) || !(is.velocity.size <= velocity)) {
        if (state->left_known) {
            const placement left = left_of(state);
            const misfit was = misfit_of(state, size, &left, state->left_time);
            position = ph_max(position, 2.0 * was.position.size);
            velocity = ph_max(velocity, 2.0 * was.velocity.size);
        }
        if (!(is.position.size <= position))
            return refuse(report, &is.position, "positions were written to that pull it apart");
        if (!(is.velocity.size <= velocity))
            return refuse(report, &is.velocity, "velocities were written to that tear it apart");
    }
    return true;
}

int state_check_format(const ph_step_report *report, const ph_model *model, char *text, size_t size)
{
    if (model && report->worst_joint >= 0 && report->worst_joint < model->joint_count)
        return snprintf(text, size,
                        "the state at t = %.9g does not meet its joints: joint '%s' is off by %.4g: %s; "
                        "ph_state_project (State.project in Python) moves it onto them",
                        report->time, model->joints[report->worst_joint].name, report->worst_row, report->advice);
    return snprintf(text, size, "the state at t = %.9g cannot be stepped from: %s", report->time, report->advice);
}
