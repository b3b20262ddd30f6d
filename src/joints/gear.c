// Gear: couples the coordinates of two other joints.
//
// Row: q_2 - ratio q_1 - phase = 0, where q_1 and q_2 are the coordinates of two joints with one coordinate each (turns
// counted) and the phase is what the start has. Two turning joints make a pair of wheels or a belt, a turning and a
// sliding one a rack and pinion (ratio in metres per radian). The axes may be carried by moving bodies: up to four
// bodies take part. Freedom left: that of the two joints, less one.

#include "joints/geometry.h"
#include "joints/types.h"

static const char *make(joint *j)
{
    joint_add_row(j, ROW_GEAR, 0, 0);
    return NULL;
}

const joint_type joint_gear = {
    .name = "gear",
    .title = "couples the coordinates of two joints",
    .keys = JOINT_GEAR,
    .mark = "none",
    .hold = "none",
    .make = make,
};

// d(phi)/dq_n
static double weight(const gear *pair, int n)
{
    return n == 0 ? -pair->ratio : 1.0;
}

double gear_residual(const joint *j, const motion *at)
{
    const gear *pair = j->gear;
    return joint_coordinate(pair->joints[1], at, 0) - pair->ratio * joint_coordinate(pair->joints[0], at, 0) -
           pair->phase;
}

static void add_row(double *B, double scale, ph_vec3 rotation, ph_vec3 translation)
{
    const double w[6] = {rotation.x, rotation.y, rotation.z, translation.x, translation.y, translation.z};
    for (int k = 0; k < 6; k++) {
        B[k] += scale * w[k];
    }
}

void gear_jacobian(const joint *j, const motion *at, double *B)
{
    for (int k = 0; k < 6 * j->body_count; k++) {
        B[k] = 0.0;
    }
    for (int n = 0; n < 2; n++) {
        const joint *part = j->gear->joints[n];
        const int *slot = j->gear->slots[n];
        const geometry g = joint_geometry(part, at->frames);
        const gradient w = joint_coordinate_gradient(part, at, &g, part->coordinates[0]);
        if (slot[0] >= 0) {
            add_row(B + 6 * slot[0], weight(j->gear, n), ph_tmul(*g.R_a, w.alpha_a), ph_neg(w.u_b));
        }
        if (slot[1] >= 0) {
            add_row(B + 6 * slot[1], weight(j->gear, n), ph_tmul(*g.R_b, w.alpha_b), w.u_b);
        }
    }
}

double gear_rate(const joint *j, const motion *at)
{
    const gear *pair = j->gear;
    return joint_rate(pair->joints[1], at, 0) - pair->ratio * joint_rate(pair->joints[0], at, 0);
}

double gear_bias(const joint *j, const motion *at)
{
    double bias = 0.0;
    for (int n = 0; n < 2; n++) {
        const joint *part = j->gear->joints[n];
        const geometry g = joint_geometry(part, at->frames);
        const rates r = joint_rates(part, &g, at->twists);
        bias += weight(j->gear, n) * coordinate_bias(part, &g, &r, part->coordinates[0]);
    }
    return bias;
}

void gear_stiffness(const joint *j, const frame *frames, double lambda,
                    double K[JOINT_BODIES_MAX][JOINT_BODIES_MAX][36])
{
    for (int n = 0; n < 2; n++) {
        const joint *part = j->gear->joints[n];
        const int *slot = j->gear->slots[n];
        const geometry g = joint_geometry(part, frames);
        const double f = lambda * weight(j->gear, n);
        const gradient force = gradient_madd((gradient){0}, f, coordinate_gradient(part, &g, part->coordinates[0]));
        hessian H = {0};
        coordinate_hessian(part, &g, part->coordinates[0], f, &H);
        joint_spread(&g, &force, &H, slot[0], slot[1], K);
    }
}
