// See pull.h.
#include "forces/pull.h"

#include "forces/callback.h"
#include "forces/derivative.h"

// ---- By the motion of the bodies ------------------------------------------------------------------------------------

// y += s (B^T x)
static void add_transposed(ph_wrench *y, double s, const double *B, const ph_twist *x)
{
    const double in[6] = {x->omega.x, x->omega.y, x->omega.z, x->v.x, x->v.y, x->v.z};
    double out[6] = {0};
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++) out[c] += B[6 * r + c] * in[r];
    y->torque = ph_madd(y->torque, s, ph_vec(out[0], out[1], out[2]));
    y->force = ph_madd(y->force, s, ph_vec(out[3], out[4], out[5]));
}

static void add_block(void *user, int row, int column, const double *by_position, const double *by_velocity)
{
    force_ends *e = user;
    const ph_twist *w = &e->w[row];
    const int end = column == e->force->a ? 0 : column == e->force->b ? 1 : -1;
    ph_wrench *q = end >= 0 ? &e->q[end] : e->to->q ? &e->to->q[column] : NULL;
    ph_wrench *v = end >= 0 ? &e->v[end] : e->to->v ? &e->to->v[column] : NULL;
    if (by_position && q) add_transposed(q, e->scale, by_position, w);
    if (by_velocity && v) add_transposed(v, e->scale, by_velocity, w);
}

static void pull_motion(force_ends *e, const motion *at)
{
    const force *f = e->force;
    derivative to = {.position = true, .velocity = f->needs_velocity, .central = true, .add = add_block, .user = e};
    f->type->derive(f, at, &to);
    for (int k = 0; k < 2; k++) {
        const int body = k ? f->b : f->a;
        if (e->to->q) wrench_add(&e->to->q[body], 1.0, &e->q[k]);
        if (e->to->v) wrench_add(&e->to->v[body], 1.0, &e->v[k]);
    }
}

// ---- By its numbers -------------------------------------------------------------------------------------------------

// A frame that moves in its body is, to the element, a body that moves while its velocities at the frame, and the wrench
// on it, are taken there as before.
static void pull_frame(const motion *at, const force_ends *e, int k, const ph_wrench *acting, ph_vec3 *s_bar,
                       ph_vec3 *e_bar)
{
    const int body = k ? e->force->b : e->force->a;
    const ph_vec3 s = k ? e->force->s_b : e->force->s_a;
    const ph_mat3 R = at->frames[body].R;
    const ph_twist *v = &at->twists[body], *w = &e->w[body];
    const ph_wrench *q = &e->q[k], *rate = &e->v[k];
    ph_vec3 moved = ph_add(q->force, ph_cross(rate->force, ph_mul(R, v->omega)));
    moved = ph_tmul(R, ph_madd(moved, e->scale, ph_cross(acting->force, ph_mul(R, w->omega))));
    ph_vec3 turned = ph_sub(q->torque, ph_cross(v->omega, rate->torque));
    turned = ph_madd(turned, e->scale, ph_cross(acting->torque, w->omega));
    *s_bar = ph_add(*s_bar, moved);
    *e_bar = ph_add(*e_bar, ph_sub(turned, ph_cross(s, moved)));
}

void force_pull_frame_a(const force *f, const motion *at, const force_ends *e)
{
    exertion acting = {0};
    f->type->act(f, at, &acting);
    pull_frame(at, e, 0, &acting.a, &e->to->own->s_a, &e->to->own->e_a);
}

void force_pull_frame_b(const force *f, const motion *at, const force_ends *e)
{
    exertion acting = {0};
    f->type->act(f, at, &acting);
    pull_frame(at, e, 1, &acting.b, &e->to->own->s_b, &e->to->own->e_b);
}

void force_pull_value(const value *v, const motion *at, double weight, const force_ends *e, double *numbers)
{
    double slopes[VALUE_VARIABLES_MAX];
    value_pull(v, at, at->time, weight, 0.0, e->to->inputs, e->to->own ? numbers : NULL);
    if (!e->to->joints.numbers || !value_needs_joints(v)) return;
    value_slopes(v, at, slopes);
    for (int k = 0; k < v->variable_count; k++) {
        const variable *of = &v->variables[k];
        if (of->kind == VARIABLE_COORDINATE)
            joint_pull_coordinate(of->joint, at->frames, NULL, 0, weight * slopes[k], 0.0, &e->to->joints);
        if (of->kind == VARIABLE_RATE)
            joint_pull_coordinate(of->joint, at->frames, at->twists, 0, 0.0, weight * slopes[k], &e->to->joints);
    }
}

// ---------------------------------------------------------------------------------------------------------------------

bool force_numbers_known(const force *f)
{
    return f->type->numbers || f->callback;
}

bool force_derivative_exact(const force *f)
{
    return !f->callback || f->callback->def.derivative;
}

bool force_has_matrices(const force *f)
{
    return f->type->has_matrices;
}

void force_pull(const force *f, const motion *at, const ph_twist *w, double scale, const force_pull_to *to)
{
    force_ends e = {.w = w, .force = f, .scale = scale, .to = to};
    pull_motion(&e, at);
    if (f->type->numbers && (to->own || to->inputs)) f->type->numbers(f, at, &e);
}
