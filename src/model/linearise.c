#include "model/linearise.h"

#include "math/mat3.h"
#include "math/so3.h"

// Step of the differences, in rad, m, rad/s, m/s: the error is about 1e-10 of the third derivative and 1e-11 of the value.
static const double STEP = 1e-5;

typedef struct perturbed {
    const motion *at;
    frame *frames;
    ph_twist *twists;
    ph_wrench *scratch;
} perturbed;

static double *component(ph_vec3 *a, ph_vec3 *b, int k)
{
    ph_vec3 *v = k < 3 ? a : b;
    return k % 3 == 0 ? &v->x : k % 3 == 1 ? &v->y : &v->z;
}

// What element f exerts on its bodies, in scratch[a] and scratch[b].
static void exert(const force *f, const perturbed *p)
{
    p->scratch[f->a] = p->scratch[f->b] = (ph_wrench){0};
    f->type->apply(f, p->at, p->scratch);
}

// Moves body b by `step` along direction k: 0 to 5 its position, 6 to 11 its velocity.
static void nudge(const perturbed *p, int b, int k, double step)
{
    ph_vec3 angle = ph_zero3();
    if (k < 6)
        *component(&angle, &p->frames[b].x, k) += step;
    else
        *component(&p->twists[b].omega, &p->twists[b].v, k - 6) += step;
    if (k < 3) p->frames[b].R = ph_mat_mul(p->frames[b].R, ph_so3_exp(angle));
}

// Column k of the derivatives by body b, for what acts on a and b of the element.
static void difference(const force *f, const perturbed *p, int b, int k, double column[2][6])
{
    const frame frame_b = p->frames[b];
    const ph_twist twist_b = p->twists[b];
    for (int side = 0; side < 2; side++) {
        nudge(p, b, k, side ? -STEP : STEP);
        exert(f, p);
        p->frames[b] = frame_b;
        p->twists[b] = twist_b;
        for (int row = 0; row < 2; row++) {
            ph_wrench *Q = &p->scratch[row ? f->b : f->a];
            for (int c = 0; c < 6; c++) {
                const double value = *component(&Q->torque, &Q->force, c);
                column[row][c] = side ? (column[row][c] - value) / (2.0 * STEP) : value;
            }
        }
    }
}

static void linearise_by(const ph_model *model, const force *f, const perturbed *p, int b, linearise_add add,
                         void *user)
{
    double by[2][2][36]; // row body; position, velocity
    for (int k = 0; k < 12; k++) {
        double column[2][6];
        difference(f, p, b, k, column);
        for (int row = 0; row < 2; row++)
            for (int c = 0; c < 6; c++) by[row][k / 6][6 * c + k % 6] = column[row][c];
    }
    const int a = model->bodies[f->a].moving, other = model->bodies[f->b].moving, moving = model->bodies[b].moving;
    if (a >= 0) add(user, a, moving, by[0][0], by[0][1]);
    if (other >= 0 && f->b != f->a) add(user, other, moving, by[1][0], by[1][1]);
}

void linearise_forces(const ph_model *model, const motion *at, frame *frames, ph_twist *twists, ph_wrench *scratch,
                      linearise_add add, void *user)
{
    const perturbed p = {at, frames, twists, scratch};
    for (int k = 0; k < model->force_count; k++) {
        const force *f = &model->forces[k];
        if (model->bodies[f->a].moving >= 0) linearise_by(model, f, &p, f->a, add, user);
        if (model->bodies[f->b].moving >= 0 && f->b != f->a) linearise_by(model, f, &p, f->b, add, user);
    }
}

bool forces_need_velocity(const ph_model *model)
{
    for (int k = 0; k < model->force_count; k++)
        if (model->forces[k].type->power) return true;
    return false;
}
