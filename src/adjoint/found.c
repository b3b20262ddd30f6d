// What a sweep has found, by what it was found for.
#include "adjoint/adjoint.h"

#include "math/mat3.h"
#include "math/quat.h"

void ph_cotangent_add_quaternion(ph_cotangent *to, ph_quat q, ph_quat g)
{
    if (!to) return;
    const ph_quat p = ph_quat_mul(ph_quat_conj(q), g);
    to->rotation = ph_madd(to->rotation, 0.5, ph_vec(p.x, p.y, p.z));
}

ph_quat ph_cotangent_quaternion(const ph_cotangent *of, ph_quat q)
{
    const ph_vec3 a = of ? ph_scale(2.0, of->rotation) : ph_zero3();
    return ph_quat_mul(q, (ph_quat){0.0, a.x, a.y, a.z});
}

const ph_cotangent *ph_adjoint_start(const ph_adjoint *a)
{
    return a ? a->start : NULL;
}

const double *ph_adjoint_inputs(const ph_adjoint *a)
{
    return a ? a->input_gradient : NULL;
}

ph_adjoint_report ph_adjoint_get_report(const ph_adjoint *a)
{
    return a ? a->report : (ph_adjoint_report){0};
}

ph_vec3 ph_adjoint_gravity(const ph_adjoint *a)
{
    const double *g = a ? a->sweep.gradient : NULL;
    return g ? ph_vec(g[0], g[1], g[2]) : ph_zero3();
}

static const body_gradient *body_of(const ph_adjoint *a, int body)
{
    const int k = !a || body < 0 || body >= a->model->body_count ? -1 : a->model->bodies[body].moving;
    return k < 0 ? NULL : &numbers_bodies(&a->sweep.numbers, a->sweep.gradient)[k];
}

double ph_adjoint_mass(const ph_adjoint *a, int body)
{
    const body_gradient *g = body_of(a, body);
    return g ? g->mass : 0.0;
}

ph_mat3 ph_adjoint_inertia(const ph_adjoint *a, int body)
{
    const body_gradient *g = body_of(a, body);
    return g ? g->J : ph_mat_zero();
}

ph_joint_gradient ph_adjoint_joint(const ph_adjoint *a, int joint)
{
    ph_joint_gradient out = {0};
    if (!a || joint < 0 || joint >= a->model->joint_count) return out;
    const joint_gradient *g = &numbers_joints(&a->sweep.numbers, a->sweep.gradient)[joint];
    out = (ph_joint_gradient){.origin_a = g->s_a,
                              .origin_b = g->s_b,
                              .turn_a = g->e_a,
                              .turn_b = g->e_b,
                              .length = g->length,
                              .pitch = g->pitch,
                              .ratio = g->ratio};
    const int drive = numbers_drive(&a->sweep.numbers, &a->model->joints[joint]);
    if (drive < 0) return out;
    const force_gradient *f = &numbers_forces(&a->sweep.numbers, a->sweep.gradient)[drive];
    out.stiffness = f->stiffness, out.damping = f->damping, out.rest = f->rest;
    out.friction = f->friction, out.friction_speed = f->friction_speed;
    out.kp = f->kp, out.kd = f->kd, out.max = f->max;
    return out;
}

ph_force_gradient ph_adjoint_force(const ph_adjoint *a, int force)
{
    if (!a || force < 0 || force >= a->model->element_count) return (ph_force_gradient){0};
    const force_gradient *f = &numbers_forces(&a->sweep.numbers, a->sweep.gradient)[force];
    return (ph_force_gradient){f->s_a, f->s_b, f->stiffness, f->damping, f->rest};
}
