#include "dynamics/moments.h"

#include "dynamics/system.h"
#include "joints/rolling.h"

static void add(const frame *frames, int body, ph_vec3 force, ph_vec3 point, ph_mat3 *W)
{
    W[body] = ph_mat_add(W[body], ph_outer(force, ph_sub(point, frames[body].x)));
}

static ph_vec3 point_of(const frame *at, ph_vec3 s)
{
    return ph_add(at->x, ph_mul(at->R, s));
}

// ---- Force elements -------------------------------------------------------------------------------------------------

static void add_element(const force *f, const motion *at, unsigned without, ph_mat3 *W)
{
    const frame *frames = at->frames;
    const bool one = force_takes(f->type, KEY_BODY), apart = force_takes(f->type, KEY_POINT_A);
    const int a = f->a, b = f->b;
    exertion e = {0};
    (without & WITHOUT_PULLS && f->type->pull ? f->type->act_rest : f->type->act)(f, at, &e);
    const ph_vec3 point = point_of(&frames[b], f->joint ? f->joint->s_b : f->s_b);
    add(frames, b, e.b.force, point, W);
    if (!one) add(frames, a, e.a.force, apart ? point_of(&frames[a], f->s_a) : point, W);
}

void moments_add_forces(const ph_model *model, const motion *at, unsigned without, ph_mat3 *W)
{
    for (int k = 0; k < model->force_count; k++) {
        const force *f = &model->forces[k];
        if (f->type->moments)
            f->type->moments(f, at, W);
        else
            add_element(f, at, without, W);
    }
}

// ---- Joints ---------------------------------------------------------------------------------------------------------

// The force that a gear puts on body b of each of its joints, where their coordinates are slides.
static void add_gear(const gear *gear, const frame *frames, double lambda, ph_mat3 *W)
{
    for (int k = 0; k < 2; k++) {
        const joint *j = gear->joints[k];
        const geometry g = joint_geometry(j, frames);
        const double along = k ? -lambda : gear->ratio * lambda;
        const ph_vec3 force = ph_scale(along, coordinate_gradient(j, &g, j->coordinates[0]).u_b);
        const ph_vec3 point = point_of(&frames[j->b], j->s_b);
        add(frames, j->b, force, point, W);
        add(frames, j->a, ph_neg(force), point, W);
    }
}

void moments_add_reactions(const ph_model *model, const motion *at, int index, const double *lambda, double scale,
                           ph_mat3 *W)
{
    const frame *frames = at->frames;
    const joint *j = &model->joints[index];
    if (j->gear) {
        add_gear(j->gear, frames, scale * lambda[0], W);
        return;
    }
    const geometry g = joint_geometry(j, frames);
    const ph_vec3 touch = j->rolling ? rolling_contact(j, &g).c : ph_zero3();
    const ph_vec3 point = ph_add(point_of(&frames[j->b], j->s_b), touch);
    for (int k = 0; k < j->kind_count; k++) {
        const row it = j->rows[k];
        const int rows = it.kind == ROW_POINT ? 3 : 1;
        const ph_vec3 u = it.kind == ROW_POINT ? ph_vec(lambda[0], lambda[1], lambda[2])
                                               : ph_scale(lambda[0], row_gradient(j, &g, it, at).u_b);
        const ph_vec3 force = ph_scale(-scale, u);
        add(frames, j->b, force, point, W);
        add(frames, j->a, ph_neg(force), it.kind == ROW_LENGTH ? point_of(&frames[j->a], j->s_a) : point, W);
        lambda += rows;
    }
}
