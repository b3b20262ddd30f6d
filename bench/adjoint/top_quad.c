// The heavy top of examples/heavy_top.yaml by the scheme rattlie in 113 bits, with the joint eliminated: z of its centre after
// 10^2, 10^3, 10^4 steps, and its derivatives by g and r as central differences of 1e-8 (error below 1e-15). Shares nothing with
// the engine; unit/test_adjoint_long holds its numbers.
//
//     gcc -O2 bench/adjoint/top_quad.c -lquadmath -o top_quad && ./top_quad
#include <quadmath.h>
#include <stdio.h>

typedef __float128 real;
typedef struct vec {
    real x, y, z;
} vec;
typedef struct mat {
    vec c[3]; // columns
} mat;

static vec v3(real x, real y, real z)
{
    return (vec){x, y, z};
}
static vec add(vec a, vec b)
{
    return v3(a.x + b.x, a.y + b.y, a.z + b.z);
}
static vec scale(real s, vec a)
{
    return v3(s * a.x, s * a.y, s * a.z);
}
static vec sub(vec a, vec b)
{
    return add(a, scale(-1, b));
}
static vec cross(vec a, vec b)
{
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static real dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static vec mul(mat A, vec a)
{
    return add(add(scale(a.x, A.c[0]), scale(a.y, A.c[1])), scale(a.z, A.c[2]));
}
static vec tmul(mat A, vec a)
{
    return v3(dot(A.c[0], a), dot(A.c[1], a), dot(A.c[2], a));
}
static mat product(mat A, mat B)
{
    return (mat){{mul(A, B.c[0]), mul(A, B.c[1]), mul(A, B.c[2])}};
}
static vec solve(mat A, vec b)
{
    const real d = dot(A.c[0], cross(A.c[1], A.c[2]));
    return v3(dot(b, cross(A.c[1], A.c[2])) / d, dot(A.c[0], cross(b, A.c[2])) / d, dot(A.c[0], cross(A.c[1], b)) / d);
}

static const vec unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const real m = 15;

static vec inertia(vec a)
{
    return v3(0.234375Q * a.x, 0.46875Q * a.y, 0.234375Q * a.z);
}

static mat rotation(vec f)
{
    const real t = sqrtq(dot(f, f)), a = sinq(t) / t, b = (1 - cosq(t)) / (t * t);
    mat R;
    for (int j = 0; j < 3; j++) {
        const vec u = cross(f, unit[j]);
        R.c[j] = add(add(unit[j], scale(a, u)), scale(b, cross(f, u)));
    }
    return R;
}

static vec momentum(vec f) // G(f) = T^-T(-f) J f
{
    const real t = sqrtq(dot(f, f)), c = (1 - t / 2 / tanq(t / 2)) / (t * t);
    const vec y = inertia(f), u = cross(f, y);
    return add(add(y, scale(0.5Q, u)), scale(c, cross(f, u)));
}

typedef struct top {
    real h, g;
    vec s; // from the centre of mass to the fixed point, body axes
    mat R;
    vec x, omega, v;
} top;

// Angular momentum that is missing at f; the force of the joint is what the linear momentum lacks.
static vec residual(const top *t, vec f)
{
    const vec x = scale(-1, mul(product(t->R, rotation(f)), t->s)), plus = scale(1 / t->h, sub(x, t->x));
    const vec force = scale(m, sub(add(t->v, v3(0, 0, -t->h / 2 * t->g)), plus));
    return sub(add(scale(1 / t->h, momentum(f)), cross(t->s, tmul(t->R, force))), inertia(t->omega));
}

static vec find_turn(const top *t)
{
    vec f = scale(t->h, t->omega);
    for (int k = 0; k < 60; k++) {
        const real d = 1e-16Q;
        const vec r = residual(t, f);
        mat D;
        for (int j = 0; j < 3; j++) D.c[j] = scale(1 / d, sub(residual(t, add(f, scale(d, unit[j]))), r));
        const vec step = solve(D, r);
        f = sub(f, step);
        if (dot(step, step) < 1e-60Q) break;
    }
    return f;
}

static void advance(top *t)
{
    const vec f = find_turn(t);
    const mat E = rotation(f), R = product(t->R, E);
    const vec x = scale(-1, mul(R, t->s));
    const vec spin = scale(1 / t->h, tmul(E, momentum(f)));
    const vec move = scale(m, add(scale(1 / t->h, sub(x, t->x)), v3(0, 0, -t->h / 2 * t->g)));
    mat about; // inertia about the fixed point
    for (int j = 0; j < 3; j++) about.c[j] = add(inertia(unit[j]), scale(m, cross(t->s, cross(unit[j], t->s))));
    t->R = R, t->x = x;
    t->omega = solve(about, sub(spin, cross(t->s, tmul(R, move))));
    t->v = scale(-1, mul(R, cross(t->omega, t->s)));
}

static real height(real g, real r, int steps)
{
    const real swing = -4.61538;
    top t = {1.0Q / 2048, g, {0, -r, 0}, {{unit[0], unit[1], unit[2]}}, {0, r, 0}, {0, 150, swing}, {-swing * r, 0, 0}};
    for (int n = 0; n < steps; n++) advance(&t);
    return t.x.z;
}

int main(void)
{
    const real d = 1e-8Q, g = 9.81;
    for (int steps = 100; steps <= 10000; steps *= 10)
        printf("%6d  z %.17g  by g %.17g  by r %.17g\n", steps, (double)height(g, 1, steps),
               (double)((height(g + d, 1, steps) - height(g - d, 1, steps)) / (2 * d)),
               (double)((height(g, 1 + d, steps) - height(g, 1 - d, steps)) / (2 * d)));
}
