// Sums over all bodies of a model.

#include "dynamics/system.h"

#include "forces/drive.h"
#include "math/quat.h"

#include <string.h>

void system_frames(const ph_model *model, const ph_state *state, frame *frames)
{
    for (size_t i = 0; i < model_places(model); i++) {
        frames[i].R = ph_quat_to_mat(state->orientation[i]);
        frames[i].x = state->position[i];
    }
}

void system_twists(const ph_model *model, const ph_state *state, ph_twist *twists)
{
    for (size_t i = 0; i < model_places(model); i++) {
        twists[i] = (ph_twist){state->angular_velocity[i], state->velocity[i]};
    }
}

static void weigh(const ph_model *model, ph_wrench *Q)
{
    for (int i = 0; i <= model->body_count; i++) {
        Q[i] = (ph_wrench){ph_zero3(), ph_scale(model->bodies[i].kind->mass, model->gravity)};
    }
    for (size_t i = (size_t)model->body_count + 1; i < model_places(model); i++) {
        Q[i] = (ph_wrench){ph_zero3(), ph_zero3()};
    }
}

void system_add(const force *f, const exertion *e, ph_wrench *Q, ph_wrench *W)
{
    wrench_add(&Q[f->a], 1.0, &e->a);
    wrench_add(&Q[f->b], 1.0, &e->b);
    if (W && f->does_work) {
        wrench_add(&W[f->a], 1.0, &e->work_a);
        wrench_add(&W[f->b], 1.0, &e->work_b);
    }
}

void system_forces_part(const ph_model *model, const motion *at, unsigned without, ph_wrench *Q, ph_wrench *W)
{
    weigh(model, Q);
    if (W) memset(W, 0, model_places(model) * sizeof *W);
    for (int k = 0; k < model->force_count; k++) {
        const force *f = &model->forces[k];
        exertion e = {0};
        if (without & WITHOUT_MOVING && f->needs_velocity) continue;
        system_act(f, at, without, &e);
        system_add(f, &e, Q, W);
    }
}

void system_forces(const ph_model *model, const motion *at, ph_wrench *Q, ph_wrench *W)
{
    system_forces_part(model, at, 0, Q, W);
}

void system_act(const force *f, const motion *at, unsigned without, exertion *out)
{
    (without & WITHOUT_PULLS && f->type->pull ? f->type->act_rest : f->type->act)(f, at, out);
}

double system_potential(const ph_model *model, const motion *at)
{
    double U = 0.0;
    for (int k = 0; k < model->moving_count; k++) {
        const int i = model->moving[k];
        if (!body_is_rotor(&model->bodies[i])) {
            U -= model->bodies[i].kind->mass * ph_dot(model->gravity, at->frames[i].x);
        }
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
        exertion e = {0};
        if (f->does_work) {
            f->type->act(f, at, &e);
            P += exertion_power(f, &e, at);
        }
    }
    return P;
}

double system_power_of(const ph_model *model, const ph_wrench *W, const ph_twist *twists)
{
    double P = 0.0;
    for (int k = 0; k < model->moving_count; k++) {
        const int i = model->moving[k];
        P += ph_dot(W[i].torque, twists[i].omega) + ph_dot(W[i].force, twists[i].v);
    }
    return P;
}

bool system_calls_back(const ph_model *model)
{
    bool calls = false;
    for (int k = 0; k < model->force_count; k++) calls = calls || model->forces[k].callback;
    return calls;
}

bool system_needs_velocity(const ph_model *model)
{
    bool needs = false;
    for (int k = 0; k < model->force_count; k++) needs = needs || model->forces[k].needs_velocity;
    return needs;
}

bool system_does_work(const ph_model *model)
{
    bool does = false;
    for (int k = 0; k < model->force_count; k++) does = does || model->forces[k].does_work;
    return does;
}

bool system_has_bends(const ph_model *model)
{
    for (int k = 0; k < model->force_count; k++) {
        const force *f = &model->forces[k];
        const bool linear = drive_is_law(f) ? drive_is_linear(f) : f->type->linear_in_velocity;
        if (f->needs_velocity && !linear) return true;
    }
    return false;
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
