// Sums over all bodies of a model.

#include "model/system.h"

#include "math/quat.h"

#include <string.h>

void system_frames(const ph_model *model, const ph_state *state, frame *frames)
{
    for (int i = 0; i <= model->body_count; i++) {
        frames[i].R = ph_quat_to_mat(state->orientation[i]);
        frames[i].x = state->position[i];
    }
}

void system_twists(const ph_model *model, const ph_state *state, ph_twist *twists)
{
    for (int i = 0; i <= model->body_count; i++) {
        twists[i] = (ph_twist){state->angular_velocity[i], state->velocity[i]};
    }
}

static void weigh(const ph_model *model, ph_wrench *Q)
{
    for (int i = 0; i <= model->body_count; i++) {
        Q[i] = (ph_wrench){ph_zero3(), ph_scale(model->bodies[i].kind->mass, model->gravity)};
    }
}

void system_forces(const ph_model *model, const motion *at, ph_wrench *Q)
{
    weigh(model, Q);
    for (int k = 0; k < model->force_count; k++) {
        const force *f = &model->forces[k];
        f->type->apply(f, at, Q);
    }
}

void system_forces_beside_pulls(const ph_model *model, const motion *at, ph_wrench *Q)
{
    weigh(model, Q);
    for (int k = 0; k < model->force_count; k++) {
        const force *f = &model->forces[k];
        (f->type->pull ? f->type->apply_rest : f->type->apply)(f, at, Q);
    }
}

double system_potential(const ph_model *model, const motion *at)
{
    double U = 0.0;
    for (int k = 0; k < model->moving_count; k++) {
        const int i = model->moving[k];
        U -= model->bodies[i].kind->mass * ph_dot(model->gravity, at->frames[i].x);
    }
    for (int k = 0; k < model->force_count; k++) {
        const force *f = &model->forces[k];
        U += f->type->potential ? f->type->potential(f, at) : 0.0;
    }
    return U;
}

double system_power(const ph_model *model, const motion *at)
{
    double P = 0.0;
    for (int k = 0; k < model->force_count; k++) {
        const force *f = &model->forces[k];
        P += f->type->power ? f->type->power(f, at) : 0.0;
    }
    return P;
}

double system_kinetic(const ph_model *model, const ph_twist *twists)
{
    double T = 0.0;
    for (int k = 0; k < model->moving_count; k++) {
        const int i = model->moving[k];
        const body *b = &model->bodies[i];
        const ph_vec3 w = twists[i].omega;
        T += 0.5 * (b->kind->mass * ph_norm2(twists[i].v) + ph_dot(w, ph_mul(b->kind->J, w)));
    }
    return T;
}
