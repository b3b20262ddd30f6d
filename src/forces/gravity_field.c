// Attraction by a point: Newton's inverse square law.
//
// With d from a point of a to the centre of mass of b, L = |d|: U = -mu m_b / L, and the force on b is -mu m_b d / L^3, on a its
// opposite. Its derivative by d is -mu m_b (I - 3 n n^T) / L^3, n = d / L. `strength` is mu = G M, m^3/s^2. For spheres, and for
// bodies that are small beside L, that is all; the torque on a long body, of the order of its size over L squared, is left out.
// Where the points meet the force has no direction and is taken as zero.

#include "forces/derivative.h"
#include "forces/pull.h"
#include "forces/types.h"

#include "math/mat3.h"

static double mu(const force *f)
{
    return f->def->number[0];
}

static ph_vec3 pull(const force *f, ph_vec3 d, ph_mat3 *by_d)
{
    const double length = ph_norm(d);
    if (!(length > 0.0)) {
        *by_d = ph_mat_zero();
        return ph_zero3();
    }
    const ph_vec3 n = ph_scale(1.0 / length, d);
    const double k = mu(f) * f->mass_b / (length * length);
    *by_d = ph_mat_scale(-k / length, ph_mat_madd(ph_identity(), -3.0, ph_outer(n, n)));
    return ph_scale(-k, n);
}

static ph_vec3 apart(const force *f, const motion *at, ph_vec3 *arm_a)
{
    const frame *a = &at->frames[f->a], *b = &at->frames[f->b];
    *arm_a = ph_mul(a->R, f->s_a);
    return ph_sub(b->x, ph_add(a->x, *arm_a));
}

static void act(const force *f, const motion *at, exertion *out)
{
    ph_vec3 arm;
    ph_mat3 unused;
    const ph_vec3 on_b = pull(f, apart(f, at, &arm), &unused);
    out->b.force = on_b;
    out->a = (ph_wrench){ph_tmul(at->frames[f->a].R, ph_cross(arm, ph_neg(on_b))), ph_neg(on_b)};
}

static void act_rest(const force *f, const motion *at, exertion *out)
{
    (void)f, (void)at, (void)out; // nothing acts beside the pull
}

static void derive(const force *f, const motion *at, derivative *to)
{
    ph_vec3 arm;
    point_force p = {.force = ph_zero3()};
    p.force = pull(f, apart(f, at, &arm), &p.by_d);
    derive_between_points(f, at, &p, to);
}

static double potential(const force *f, const motion *at)
{
    ph_vec3 arm;
    const double length = ph_norm(apart(f, at, &arm));
    return length > 0.0 ? -mu(f) * f->mass_b / length : 0.0;
}

// Linear in mu and in the mass.
static void numbers(const force *f, const motion *at, const force_ends *e)
{
    exertion out = {0};
    if (!e->to->own) return;
    act(f, at, &out);
    const double power = e->scale * (wrench_power(&out.a, &e->w[f->a]) + wrench_power(&out.b, &e->w[f->b]));
    e->to->own->number[0] += power / mu(f);
    if (e->to->mass_b) *e->to->mass_b += power / f->mass_b;
    force_pull_frame_a(f, at, e);
}

static const element_key keys[] = {
    {"bodies", KEY_BODIES, FORCE_KEY(body_a), .needed = true},
    {"centre", KEY_POINT_A, FORCE_KEY(point_a)},
    {"strength", KEY_NUMBER, FORCE_KEY(number[0]), .rule = POSITIVE, .needed = true,
     .hint = "strength: G M of what attracts, m^3/s^2"},
    {0},
};

const force_type force_gravity_field = {
    .name = "gravity_field",
    .title = "attraction by a point, with the inverse square of the distance",
    .keys = keys,
    .symmetry = FORCE_CENTRAL,
    .act = act,
    .derive = derive,
    .numbers = numbers,
    .by_mass = true,
    .potential = potential,
    .pull = pull,
    .act_rest = act_rest,
};
