// Springs and dampers of MJCF that are given by what they do to the masses.
//
//     joint springdamper = (tau, zeta)     k = I/(tau zeta)^2, c = 2 I/tau         I = 1/(M^-1)_ii as drawn
//     actuator dampratio = zeta            kv = 2 zeta sqrt(kp m)                  m = 1/(J M^-1 J^T)

#include "io/robot/kinematics.h"
#include "io/robot/mass_matrix.h"
#include "io/robot/mjcf.h"

#include <math.h>
#include <string.h>

static bool is_needed(const robot *r)
{
    for (int i = 0; i < r->joints_count; i++) {
        if (r->joints[i].spring_time > 0.0) return true;
    }
    for (int i = 0; i < r->actuators_count; i++) {
        if (r->actuators[i].damp_ratio > 0.0) return true;
    }
    return false;
}

static void set_spring(const mass_matrix *m, robot_joint *j, int index, double *J)
{
    memset(J, 0, (size_t)m->n * sizeof *J);
    J[m->first[index]] = 1.0;
    const double I = mass_matrix_felt(m, J), t = j->spring_time, z = j->spring_ratio;
    j->stiffness = I / (t * t * z * z);
    j->damping += 2.0 * I / t; // to that of its actuators
}

// The row of what an actuator pulls at: the change of its length by the velocities. False: of a kind that is not known here.
static bool length_row(robot *r, const mass_matrix *m, const robot_actuator *a, double *J)
{
    const robot_tendon *t = a->tendon >= 0 ? &r->tendons[a->tendon] : NULL;
    memset(J, 0, (size_t)m->n * sizeof *J);
    if (a->joint >= 0) J[m->first[a->joint]] = a->gear[0];
    for (int k = 0; t && k < t->term_count; k++) J[m->first[t->terms[k].joint]] += a->gear[0] * t->terms[k].factor;
    return a->joint >= 0 || (t && t->term_count > 0);
}

static void set_damping(robot *r, const mass_matrix *m, robot_actuator *a, double *J)
{
    if (!length_row(r, m, a, J)) {
        robot_approximate(r, a->node, "dampratio", "dampratio of an actuator along a path counts as zero");
        return;
    }
    a->bias[2] = -2.0 * a->damp_ratio * sqrt(fmax(a->gain[0], 0.0) * mass_matrix_felt(m, J));
}

void mjcf_set_by_masses(mjcf *m)
{
    robot *r = m->r;
    mass_matrix M;
    if (!is_needed(r)) return;
    if (!mass_matrix_make(r, &M)) {
        if (!r->out_of_memory)
            robot_fail(r, NULL, NULL, NULL, "springdamper and dampratio need a mass matrix that can be inverted");
        return;
    }
    double *J = robot_alloc(r, (size_t)M.n + 1, sizeof *J);
    for (int i = 0; J && i < r->joints_count; i++) {
        robot_joint *j = &r->joints[i];
        if (j->spring_time > 0.0) set_spring(&M, j, i, J);
    }
    for (int i = 0; J && i < r->actuators_count; i++) {
        if (r->actuators[i].damp_ratio > 0.0) set_damping(r, &M, &r->actuators[i], J);
    }
}
