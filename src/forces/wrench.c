// Applied wrench: a force at a point of a body and a torque, constant or expressions of time.
//
// With r = R s from the centre of mass to the point: Q = (R^T torque + s x R^T force | force), world or body axes as
// given. All its work counts as work done on the system; it has no potential.

#include "forces/types.h"

#include "math/mat3.h"

// Torque about the centre of mass in body axes, force in world axes.
static ph_wrench acting(const force *f, const motion *at)
{
    const ph_mat3 R = at->frames[f->b].R;
    const value *v = f->values;
    const ph_vec3 given_force = ph_vec(value_at(&v[0], at), value_at(&v[1], at), value_at(&v[2], at));
    const ph_vec3 given_torque = ph_vec(value_at(&v[3], at), value_at(&v[4], at), value_at(&v[5], at));
    const ph_vec3 force_body = f->def->body_frame ? given_force : ph_tmul(R, given_force);
    const ph_vec3 torque_body = f->def->body_frame ? given_torque : ph_tmul(R, given_torque);
    return (ph_wrench){ph_add(torque_body, ph_cross(f->s_b, force_body)),
                       f->def->body_frame ? ph_mul(R, given_force) : given_force};
}

static void apply(const force *f, const motion *at, ph_wrench *Q)
{
    const ph_wrench w = acting(f, at);
    Q[f->b].torque = ph_add(Q[f->b].torque, w.torque);
    Q[f->b].force = ph_add(Q[f->b].force, w.force);
}

static double power(const force *f, const motion *at)
{
    const ph_wrench w = acting(f, at);
    return ph_dot(w.torque, at->twists[f->b].omega) + ph_dot(w.force, at->twists[f->b].v);
}

const force_type force_wrench = {
    .name = "wrench",
    .title = "a given force and torque on a body",
    .uses = FORCE_BODY | FORCE_POINTS | FORCE_WRENCH,
    .apply = apply,
    .power = power,
};
