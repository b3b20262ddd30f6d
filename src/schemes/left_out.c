#include "schemes/left_out.h"

#include "model/model.h"
#include "model/scales.h"

#include <math.h>

static const double APART = 1e-5; // of the size: rows count as dependent up to an angle of 3e-6

ph_status left_out_agree(const kkt *kkt, const motion *at, const ph_vec3 *position, ph_step_report *report)
{
    const ph_model *model = kkt->model;
    double phi[JOINT_ROWS_MAX], reach = kkt->unit, worst = APART;
    if (!kkt->has_loops) return PH_OK;
    for (int k = 0; k < model->moving_count; k++) reach = ph_max(reach, ph_max_abs(position[model->moving[k]]));
    for (int j = 0; j < model->joint_count; j++) {
        const joint *joint = &model->joints[j];
        const unsigned left_out = kkt_left_out(kkt, j);
        if (left_out) joint_residual(joint, at, phi);
        for (int r = 0; left_out >> r; r++) {
            const double off = fabs(phi[r]) / (joint_row_is_length(joint, r) ? reach : 1.0);
            if (!(left_out >> r & 1u) || joint_row_is_slip(joint, r) || off <= worst) continue;
            worst = off;
            report->worst_joint = j;
            report->worst_row = fabs(phi[r]);
        }
    }
    if (worst <= APART) return PH_OK;
    report->advice =
        "motors or other joints of this loop move it where it cannot go: its rows follow from theirs at the start, and "
        "contradict them here; leave some out";
    return PH_NO_CONVERGENCE;
}
