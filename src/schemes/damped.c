#include "schemes/damped.h"

#include "math/mat3.h"
#include "model/linearise.h"
#include "schemes/newton.h"

#include <string.h>

bool damped_create(const ph_model *model, arena *memory, damped *damped)
{
    damped->mu = arena_alloc_array(memory, (size_t)model->row_count + 1, sizeof(double));
    return damped->mu && kkt_create(model, KKT_COUPLED, memory, &damped->kkt);
}

typedef struct target {
    kkt *kkt;
    double scale;
} target;

// A -= h/2 dQ/dv; blocks of the matrix are column-major
static void add_damping(void *user, int row, int column, const double *by_position, const double *by_velocity)
{
    const target *t = user;
    (void)by_position;
    double *block = row == column ? kkt_body(t->kkt, row) : kkt_body_pair(t->kkt, row, column);
    for (int r = 0; block && r < 6; r++)
        for (int c = 0; c < 6; c++) block[6 * c + r] -= t->scale * by_velocity[6 * r + c];
}

static void assemble(const ph_model *model, damped *d, const double *p, double h, node *there)
{
    kkt *kkt = &d->kkt;
    kkt_clear_pairs(kkt);
    node_put_mass(model, kkt, there);
    linearise_forces(model, &there->motion, there->frames, there->twists, there->Q, add_damping,
                     &(target){kkt, 0.5 * h});
    node_set_forces(model, there);
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        const body *body = &model->bodies[b];
        const double *pk = p + 6 * k;
        const ph_vec3 angular = ph_sub(ph_vec(pk[0], pk[1], pk[2]), ph_mul(body->kind->J, there->twists[b].omega));
        const ph_vec3 linear = ph_madd(ph_vec(pk[3], pk[4], pk[5]), -body->kind->mass, there->twists[b].v);
        node_put_vectors(kkt_body_x(kkt, k), ph_madd(angular, 0.5 * h, there->Q[b].torque),
                         ph_madd(linear, 0.5 * h, there->Q[b].force));
    }
    for (int j = 0; j < model->joint_count; j++) {
        const joint *joint = &model->joints[j];
        const double *B = there->B + kkt->joints[j].B;
        double *x = kkt_joint_x(kkt, j);
        joint_velocity_residual(joint, &there->motion, x);
        for (int r = 0; r < joint->row_count; r++) x[r] = -x[r];
        for (int k = 0; k < joint->body_count; k++)
            node_add_transposed(B + 6 * joint->row_count * k, joint->row_count, -1.0, d->mu + joint->first_row,
                                kkt_body_x(kkt, model->bodies[joint->bodies[k]].moving));
    }
}

static double add_update(const ph_model *model, damped *d, node *there, double *scale)
{
    double update = 0.0;
    for (int k = 0; k < model->moving_count; k++) {
        const double *x = kkt_body_x(&d->kkt, k);
        ph_twist *v = &there->twists[model->moving[k]];
        v->omega = ph_add(v->omega, ph_vec(x[0], x[1], x[2]));
        v->v = ph_add(v->v, ph_vec(x[3], x[4], x[5]));
        for (int c = 0; c < 6; c++) update = fabs(x[c]) > update || isnan(x[c]) ? fabs(x[c]) : update;
        *scale = ph_max(*scale, ph_max(ph_max_abs(v->omega), ph_max_abs(v->v)));
    }
    for (int j = 0; j < model->joint_count; j++)
        for (int r = 0; r < model->joints[j].row_count; r++)
            d->mu[model->joints[j].first_row + r] += kkt_joint_x(&d->kkt, j)[r];
    *scale = ph_max(*scale, update);
    return update;
}

bool damped_solve(const ph_model *model, damped *d, const double *p, double h, node *there)
{
    newton newton = {.tolerance = 1e-14, .max_iterations = 50};
    newton_verdict verdict = NEWTON_GO_ON;
    memset(d->mu, 0, sizeof(double) * (size_t)model->row_count);
    while (verdict == NEWTON_GO_ON) {
        assemble(model, d, p, h, there);
        if (!kkt_factor_symmetric(&d->kkt)) return false;
        kkt_solve(&d->kkt);
        double scale = 0.0;
        const double update = add_update(model, d, there, &scale);
        verdict = newton_judge(&newton, update, scale, 0.0);
    }
    node_set_forces(model, there);
    return verdict == NEWTON_DONE;
}
