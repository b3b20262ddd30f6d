// Joints in `moreau`: velocities (2) that meet them, and the end of the step moved onto them.
#include "schemes/moreau_trees.h"

#include <string.h>

static void keep_impulses(moreau *m)
{
    for (int j = 0; j < m->model->joint_count; j++)
        for (int r = 0; r < m->model->joints[j].row_count; r++)
            m->impulse[m->model->joints[j].first_row + r] = -kkt_joint_x(&m->kkt, j)[r];
}

void moreau_set_joined_velocities(moreau *m, const screw *wrench)
{
    const ph_model *model = m->model;
    kkt *kkt = &m->kkt;
    double wanted[JOINT_ROWS_MAX];
    for (int k = 0; k < model->moving_count; k++) {
        const ph_mat3 R = m->node.frames[model->moving[k]].R;
        screw p = moreau_momentum_of(m, k);
        if (wrench) {
            p.angular = ph_add(p.angular, ph_tmul(R, wrench[k].angular));
            p.linear = ph_add(p.linear, wrench[k].linear);
        }
        node_put_vectors(kkt_body_x(kkt, k), p.angular, p.linear);
    }
    for (int j = 0; j < model->joint_count; j++) {
        double *x = kkt_joint_x(kkt, j);
        joint_residual(&model->joints[j], &m->node.motion, x);
        for (int r = 0; r < model->joints[j].row_count; r++) x[r] *= -1.0 / m->now.h;
        if (!model->joints[j].slips || !joint_wanted_rates(&model->joints[j], &m->node.motion, wanted)) continue;
        for (int r = 0; r < model->joints[j].row_count; r++)
            if (joint_row_is_slip(&model->joints[j], r)) x[r] = wanted[r];
    }
    delassus_solve(&m->delassus);
    for (int k = 0; k < model->moving_count; k++) {
        const double *v = kkt_body_x(kkt, k);
        const ph_mat3 R = m->node.frames[model->moving[k]].R;
        m->bodies.after[k] = (screw){ph_mul(R, ph_vec(v[0], v[1], v[2])), ph_vec(v[3], v[4], v[5])};
    }
    keep_impulses(m);
}

double moreau_motor_work(const moreau *m)
{
    const ph_model *model = m->model;
    double work = 0.0;
    double wanted[JOINT_ROWS_MAX];
    for (int j = 0; j < model->joint_count && model->motor_count > 0; j++) {
        const joint *joint = &model->joints[j];
        const int row = joint->first_row + joint_motor_row(joint);
        if (joint->motor) work += m->impulse[row] * joint_rate(joint, &m->node.motion, 0);
        if (!joint->slips || !joint_wanted_rates(joint, &m->node.motion, wanted)) continue;
        for (int r = 0; r < joint->row_count; r++) work += m->impulse[joint->first_row + r] * wanted[r];
    }
    return work;
}

// Velocities <- the nearest with B v + dPhi/dt = 0 at the end of the step, where the node stands. Returns the work of motors.
static double project_velocities(moreau *m)
{
    const ph_model *model = m->model;
    moreau_bodies *b = &m->bodies;
    memset(m->kkt.x, 0, sizeof(double) * (size_t)m->kkt.lu.x_count);
    for (int k = 0; k < model->moving_count; k++) {
        const int i = model->moving[k];
        const body_kind *kind = model->bodies[i].kind;
        node_put_vectors(kkt_body_x(&m->kkt, k), ph_mul(kind->J, b->angular_velocity[i]),
                         ph_scale(kind->mass, b->velocity[i]));
    }
    node_put_motor_rates(model, &m->kkt, &m->node);
    delassus_solve(&m->delassus);
    for (int k = 0; k < model->moving_count; k++) {
        const int i = model->moving[k];
        const double *v = kkt_body_x(&m->kkt, k);
        const ph_vec3 omega = ph_vec(v[0], v[1], v[2]), velocity = ph_vec(v[3], v[4], v[5]);
        m->node.twists[i] = moreau_mean_twist(b->angular_velocity[i], b->velocity[i], omega, velocity);
        b->angular_velocity[i] = omega;
        b->velocity[i] = velocity;
    }
    keep_impulses(m);
    return moreau_motor_work(m);
}

ph_status moreau_project(moreau *m, double *work)
{
    moreau_bodies *b = &m->bodies;
    for (int k = 0; k < m->model->moving_count; k++) {
        const int i = m->model->moving[k];
        if (moreau_in_tree(m, k)) continue;
        const moreau_end end = moreau_end_of(m, k);
        b->position[i] = end.position;
        b->orientation[i] = end.orientation;
        b->velocity[i] = end.velocity;
        b->angular_velocity[i] = end.angular_velocity;
    }
    if (m->trees) return moreau_trees_place(m, work);
    if (!node_project_position(m->model, &m->kkt, b->position, b->orientation, &m->node)) return PH_NO_CONVERGENCE;
    node_set_jacobian(m->model, &m->kkt, &m->node); // by which velocities are refined
    *work += project_velocities(m);
    return PH_OK;
}
