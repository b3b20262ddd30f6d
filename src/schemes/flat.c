#include "schemes/flat.h"

#include "joints/rolling.h"
#include "math/quat.h"

static bool may_fall_flat(const joint *j)
{
    const ph_vec3 squares = j->rolling ? j->rolling->squares : ph_zero3();
    return j->rolling && (j->rolling->blade || (squares.x > 0.0 && squares.z == 0.0));
}

bool model_may_fall_flat(const ph_model *model)
{
    for (int i = 0; model->slips && i < model->joint_count; i++)
        if (may_fall_flat(&model->joints[i])) return true;
    return false;
}

// sin of the angle between the normal and the axis of a disc or the blade, and its rate.
static double sine(const joint *j, const ph_state *state, double *rate)
{
    const ph_mat3 R_a = ph_quat_to_mat(state->orientation[j->a]), R_b = ph_quat_to_mat(state->orientation[j->b]);
    const ph_vec3 n = ph_mul(R_a, ph_mat_col(j->E_a, 2)),
                  e = ph_mul(R_b, ph_mat_col(j->E_b, j->rolling->blade ? 0 : 2));
    const ph_vec3 w = ph_sub(ph_mul(R_b, state->angular_velocity[j->b]), ph_mul(R_a, state->angular_velocity[j->a]));
    const double s = ph_norm(ph_cross(n, e));
    *rate = -ph_dot(n, e) * ph_dot(n, ph_cross(w, e)) / s;
    return s;
}

bool state_falls_flat(const ph_state *state, double h, ph_step_report *report)
{
    for (int i = 0; i < state->model->joint_count; i++) {
        double rate;
        if (!may_fall_flat(&state->model->joints[i])) continue;
        const double s = sine(&state->model->joints[i], state, &rate);
        if (s > ROLLING_FLAT && s + h * rate > 0.0) continue;
        report->worst_joint = i;
        report->worst_row = s;
        report->advice = state->model->joints[i].rolling->blade
                             ? "its blade comes to stand upright in this step and then has no direction"
                             : "its disc falls flat in this step and then has no lowest point to roll on; contact with "
                               "friction (rattlie-ns, moreau) takes over from there";
        return true;
    }
    return false;
}
