// Spring and damper between two points.
//
// d = p_b - p_a, L = |d|, n = d/L. U = 1/2 k (L - L0)^2; the force on b is -(k (L - L0) + c L') n, on a its opposite, and
// the damper takes the power c L'^2. Where the points meet, n is taken as zero: with L0 = 0 that is the limit.

#include "forces/types.h"

#include "math/mat3.h"

typedef struct span {
    ph_vec3 r_a, r_b; // from the centres of mass to the points
    ph_vec3 n;
    double length;
} span;

static span span_of(const force *f, const motion *at)
{
    const frame *a = &at->frames[f->a], *b = &at->frames[f->b];
    span s = {.r_a = ph_mul(a->R, f->s_a), .r_b = ph_mul(b->R, f->s_b)};
    const ph_vec3 d = ph_sub(ph_add(b->x, s.r_b), ph_add(a->x, s.r_a));
    s.length = ph_norm(d);
    s.n = s.length > 0.0 ? ph_scale(1.0 / s.length, d) : ph_zero3();
    return s;
}

static ph_vec3 point_velocity(const motion *at, int body_index, ph_vec3 r)
{
    const ph_twist *v = &at->twists[body_index];
    return ph_add(v->v, ph_cross(ph_mul(at->frames[body_index].R, v->omega), r));
}

static double stretch_rate(const force *f, const motion *at, const span *s)
{
    return ph_dot(s->n, ph_sub(point_velocity(at, f->b, s->r_b), point_velocity(at, f->a, s->r_a)));
}

static void push(ph_wrench *Q, const frame *body_frame, ph_vec3 r, ph_vec3 acting)
{
    Q->torque = ph_add(Q->torque, ph_tmul(body_frame->R, ph_cross(r, acting)));
    Q->force = ph_add(Q->force, acting);
}

static void pull_together(const force *f, const motion *at, const span *s, double tension, ph_wrench *Q)
{
    push(&Q[f->a], &at->frames[f->a], s->r_a, ph_scale(tension, s->n));
    push(&Q[f->b], &at->frames[f->b], s->r_b, ph_scale(-tension, s->n));
}

static void apply(const force *f, const motion *at, ph_wrench *Q)
{
    const span s = span_of(f, at);
    double tension = f->stiffness * (s.length - f->rest);
    if (f->damping != 0.0) {
        tension += f->damping * stretch_rate(f, at, &s);
    }
    pull_together(f, at, &s, tension, Q);
}

static void apply_rest(const force *f, const motion *at, ph_wrench *Q)
{
    if (f->damping != 0.0) {
        const span s = span_of(f, at);
        pull_together(f, at, &s, f->damping * stretch_rate(f, at, &s), Q);
    }
}

// -k (L - L0) n and its derivative -k (n n^T + (1 - L0/L)(I - n n^T))
static ph_vec3 pull(const force *f, ph_vec3 d, ph_mat3 *by_d)
{
    const double length = ph_norm(d), k = f->stiffness;
    const ph_vec3 n = length > 0.0 ? ph_scale(1.0 / length, d) : ph_zero3();
    const double slack = length > 0.0 ? f->rest / length : 0.0;
    *by_d = ph_mat_madd(ph_mat_scale(-k * (1.0 - slack), ph_identity()), -k * slack, ph_outer(n, n));
    return ph_scale(-k * (length - f->rest), n);
}

static double potential(const force *f, const motion *at)
{
    const double stretch = span_of(f, at).length - f->rest;
    return 0.5 * f->stiffness * stretch * stretch;
}

static double power(const force *f, const motion *at)
{
    const span s = span_of(f, at);
    const double rate = stretch_rate(f, at, &s);
    return -f->damping * rate * rate;
}

static const char *make(force *f, const motion *start)
{
    f->rest = f->def->has_length ? f->def->length : span_of(f, start).length;
    return f->rest >= 0.0 ? NULL : "the free length of a spring must not be negative";
}

const force_type force_spring = {
    .name = "spring",
    .title = "spring and damper between two points",
    .uses = FORCE_BODIES | FORCE_POINTS | FORCE_SPRING,
    .make = make,
    .apply = apply,
    .potential = potential,
    .power = power,
    .pull = pull,
    .apply_rest = apply_rest,
};
