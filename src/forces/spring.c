// Spring and damper between two points.
//
// d = p_b - p_a, L = |d|, n = d/L. U = 1/2 k (L - L0)^2; the force on b is -(k (L - L0) + c L') n, on a its opposite, and
// the damper takes the power c L'^2. Where the points meet, n is taken as zero: with L0 = 0 that is the limit.

#include "forces/derivative.h"
#include "forces/pull.h"
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

static ph_wrench push(const frame *body_frame, ph_vec3 r, ph_vec3 acting)
{
    return (ph_wrench){ph_tmul(body_frame->R, ph_cross(r, acting)), acting};
}

static void pull_together(const force *f, const motion *at, const span *s, double tension, ph_wrench *a, ph_wrench *b)
{
    *a = push(&at->frames[f->a], s->r_a, ph_scale(tension, s->n));
    *b = push(&at->frames[f->b], s->r_b, ph_scale(-tension, s->n));
}

static void act_rest(const force *f, const motion *at, exertion *out)
{
    if (f->damping != 0.0) {
        const span s = span_of(f, at);
        pull_together(f, at, &s, f->damping * stretch_rate(f, at, &s), &out->a, &out->b);
        out->work_a = out->a;
        out->work_b = out->b;
    }
}

static void act(const force *f, const motion *at, exertion *out)
{
    const span s = span_of(f, at);
    double tension = f->stiffness * (s.length - f->rest);
    if (f->damping != 0.0) {
        const double viscous = f->damping * stretch_rate(f, at, &s);
        pull_together(f, at, &s, viscous, &out->work_a, &out->work_b);
        tension += viscous;
    }
    pull_together(f, at, &s, tension, &out->a, &out->b);
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

// With P = (I - n n^T)/L and L' = n.d': the damper's -c L' n changes by -c (n (P d')^T + L' P) dd - c n n^T dd'.
static void derive(const force *f, const motion *at, derivative *to)
{
    const span s = span_of(f, at);
    const double c = f->damping;
    point_force p = {.force = ph_zero3()};
    p.force = pull(f, ph_scale(s.length, s.n), &p.by_d);
    if (c != 0.0 && s.length > 0.0) {
        const ph_vec3 rate = ph_sub(point_velocity(at, f->b, s.r_b), point_velocity(at, f->a, s.r_a));
        const double along = ph_dot(s.n, rate);
        const ph_mat3 P = ph_mat_scale(1.0 / s.length, ph_mat_sub(ph_identity(), ph_outer(s.n, s.n)));
        p.force = ph_madd(p.force, -c * along, s.n);
        p.by_d = ph_mat_madd(p.by_d, -c, ph_mat_madd(ph_outer(s.n, ph_mul(P, rate)), along, P));
        p.by_rate = ph_mat_scale(-c, ph_outer(s.n, s.n));
    }
    derive_between_points(f, at, &p, to);
}

static void lines(const force *f, const motion *at, force_lines *to)
{
    const span s = span_of(f, at);
    to->count = 1;
    pull_together(f, at, &s, -1.0, &to->a[0], &to->b[0]);
    to->pull[0] = -f->stiffness * (s.length - f->rest);
    to->K[0] = f->stiffness;
    to->C[0] = f->damping;
}

static double potential(const force *f, const motion *at)
{
    const double stretch = span_of(f, at).length - f->rest;
    return 0.5 * f->stiffness * stretch * stretch;
}

static bool is_damped(const force *f)
{
    return f->damping != 0.0;
}

static const char *make(force *f, const motion *start)
{
    f->rest = f->def->has_length ? f->def->length : span_of(f, start).length;
    return f->rest >= 0.0 ? NULL : "the free length of a spring must not be negative";
}

static const element_key keys[] = {
    {"bodies", KEY_BODIES, FORCE_KEY(body_a), .needed = true},
    {"sites", KEY_SITES, KEY_WHOLE},
    {"point_a", KEY_POINT_A, FORCE_KEY(point_a)},
    {"point_b", KEY_POINT_B, FORCE_KEY(point_b)},
    {"stiffness", KEY_NUMBER, FORCE_KEY(stiffness), .rule = NOT_NEGATIVE},
    {"damping", KEY_NUMBER, FORCE_KEY(damping), .rule = NOT_NEGATIVE},
    {"length", KEY_NUMBER, FORCE_KEY(length), KEY_GIVEN(ph_force_def, has_length)},
    {0},
};

// -(k (L - L0) + c L') n on b: e = L' along w, g = L' as it is.
static void numbers(const force *f, const motion *at, const force_ends *e)
{
    force_gradient *n = e->to->own;
    const frame *a = &at->frames[f->a], *b = &at->frames[f->b];
    const ph_vec3 r_a = ph_mul(a->R, f->s_a), r_b = ph_mul(b->R, f->s_b);
    const ph_vec3 d = ph_sub(ph_add(b->x, r_b), ph_add(a->x, r_a));
    const double length = ph_norm(d);
    const ph_vec3 on_b = length > 0.0 ? ph_scale(1.0 / length, d) : ph_zero3(), on_a = ph_neg(on_b);
    const ph_wrench line_a = {ph_tmul(a->R, ph_cross(r_a, on_a)), on_a};
    const ph_wrench line_b = {ph_tmul(b->R, ph_cross(r_b, on_b)), on_b};
    if (!n) return;
    const double along = e->scale * (wrench_power(&line_a, &e->w[f->a]) + wrench_power(&line_b, &e->w[f->b]));
    const double rate = wrench_power(&line_a, &at->twists[f->a]) + wrench_power(&line_b, &at->twists[f->b]);
    n->stiffness -= along * (length - f->rest);
    n->rest += along * f->stiffness;
    n->damping -= along * rate;
    force_pull_frame_a(f, at, e);
    force_pull_frame_b(f, at, e);
}

const force_type force_spring = {
    .name = "spring",
    .title = "spring and damper between two points",
    .keys = keys,
    .symmetry = FORCE_CENTRAL,
    .mark = "coil",
    .make = make,
    .needs_velocity = is_damped,
    .does_work = is_damped,
    .linear_in_velocity = true,
    .act = act,
    .derive = derive,
    .numbers = numbers,
    .potential = potential,
    .pull = pull,
    .act_rest = act_rest,
    .lines = lines,
};
