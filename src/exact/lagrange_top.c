// The heavy symmetric top about a fixed point (Lagrange). With z = cos(tilt), beta = 2 m g l / I_1, a = I_3 omega_3 / I_1,
// L_z and omega_3 kept:
//
//     z'^2 = f(z) = (alpha - beta z)(1 - z^2) - (L_z/I_1 - a z)^2 = beta (z - z1)(z2 - z)(z3 - z)                  (1)
//     z    = z1 + (z2 - z1) sn^2(u),   u' = sqrt(beta (z3 - z1)) / 2,   m = (z2 - z1)/(z3 - z1)                    (2)
//
// Euler angles lose their meaning on the vertical. The Cayley-Klein parameters e0 + i e3 = cos(tilt/2) e^(i sigma) and
// e1 + i e2 = sin(tilt/2) e^(i delta), sigma and delta half the sum and the difference of precession and spin angle, do not:
//
//     2 sigma' = omega_3 - a + (L_z + I_3 omega_3)/I_1 / (1 + z),   2 delta' = a - omega_3 + (L_z - I_3 omega_3)/I_1 / (1 - z)
//                                                                                                                  (3)
// Where the axis passes through the vertical the numerator vanishes, and the size of the parameter changes its sign.
#include "exact/tops.h"

#include "math/quat.h"
#include "math/trig.h"

// ---- The roots of (1) -----------------------------------------------------------------------------------------------

typedef struct roots {
    double low, high, far; // z1 <= 0 <= z2 <= z3, from z at the start
} roots;

// The largest root of x^3 + c2 x^2 + c1 x + c0, all of whose roots are real: Newton's method comes down to it from above.
static double largest_root(double c2, double c1, double c0)
{
    const double bound = ph_max(fabs(c2), ph_max(sqrt(fabs(c1)), ph_pow(fabs(c0), 1.0 / 3.0)));
    double x = 2.0 * bound, next = x;
    do {
        x = next;
        const double value = ((x + c2) * x + c1) * x + c0, slope = (3.0 * x + 2.0 * c2) * x + c1;
        next = slope > 0.0 ? x - value / slope : x;
    } while (next < x);
    return x;
}

// f about the start: f0 >= 0 there, so that two roots lie on either side, and what is left when the third is divided out,
// x^2 + p x + q with q <= 0, is solved without cancellation.
static roots solve_roots(double f0, double f1, double f2, double beta)
{
    const double far = largest_root(f2 / beta, f1 / beta, f0 / beta);
    const double q = -f0 / (beta * far), p = (q - f1 / beta) / far, root = sqrt(p * p - 4.0 * q);
    const double x = -0.5 * (p + copysign(root, p)), y = x != 0.0 ? q / x : 0.0;
    return x < y ? (roots){x, y, far} : (roots){y, x, far};
}

// ---- Start ----------------------------------------------------------------------------------------------------------

// Twice the phase that the pull of a pole has turned from u = 0 on.
static double pulled(const lagrange_top *top, const top_pole *pole, elliptic_point u)
{
    return pole->pull != 0.0 ? pole->pull / top->rate * elliptic_third(&top->e, pole->at_low, pole->at_high, u) : 0.0;
}

// Phases at the start. A parameter that vanishes there has the phase of its rate, which follows from
// omega_1 + i omega_2 = 2 (conj(A) B' - B conj(A')), A = e0 + i e3, B = e1 + i e2.
static void set_phases(lagrange_top *top)
{
    const ph_quat q = top->start.q;
    const ph_vec3 w = top->start.omega;
    const bool at_bottom = q.w == 0.0 && q.z == 0.0, at_zenith = q.x == 0.0 && q.y == 0.0;
    const bool past_zenith = top->zenith.at_high == 0.0 && elliptic_jacobi(&top->e, top->u0).cn < 0.0;
    top->bottom.phase = ph_atan2(q.z, q.w);
    top->zenith.phase = past_zenith ? ph_atan2(-q.y, -q.x) : ph_atan2(q.y, q.x);
    if (at_bottom) top->bottom.phase = ph_atan2(w.y * q.x - w.x * q.y, -(w.x * q.x + w.y * q.y)); // of -conj(omega) B
    if (at_zenith) top->zenith.phase = ph_atan2(-(w.x * q.z + w.y * q.w), -(w.x * q.w - w.y * q.z)); // of -omega A
    top->bottom.phase -= 0.5 * pulled(top, &top->bottom, top->u0);
    top->zenith.phase -= 0.5 * pulled(top, &top->zenith, top->u0);
}

// Distances of low and high from the poles, given those of the start. By (1) the products of the distances of all three
// roots are -f(1)/beta and -f(-1)/beta, which are squares: so the smallest is found without cancellation. Returns z3 - z2.
static double set_distances(lagrange_top *top, double from_bottom, double from_zenith, roots r, double beta)
{
    top_pole *bottom = &top->bottom, *zenith = &top->zenith;
    zenith->at_low = from_zenith - r.low;
    bottom->at_high = from_bottom + r.high;
    const double product = zenith->pull * zenith->pull / (beta * zenith->at_low); // (1 - z2)(z3 - 1)
    const double sum = r.high + r.far - 2.0 * from_zenith;                        // (z3 - 1) - (1 - z2)
    const double apart = sqrt(sum * sum + 4.0 * product);
    zenith->at_high = sum > 0.0 ? 2.0 * product / (sum + apart) : 0.5 * (apart - sum);
    bottom->at_low = bottom->pull * bottom->pull / (beta * bottom->at_high * (from_bottom + r.far));
    if (bottom->at_low == 0.0) bottom->pull = 0.0; // zero, or its square is too small for a double
    if (zenith->at_high == 0.0) zenith->pull = 0.0;
    return apart;
}

lagrange_top lagrange_top_of(double transverse, double axial, double weight_moment, const attitude *start)
{
    lagrange_top top = {.start = *start};
    const ph_quat q = start->q;
    const ph_vec3 w = start->omega;
    const double above = 2.0 * (q.w * q.w + q.z * q.z), below = 2.0 * (q.x * q.x + q.y * q.y); // 1 + z, 1 - z
    const double z = 0.5 * (above - below);
    const double x3 = 2.0 * (q.x * q.z - q.w * q.y), y3 = 2.0 * (q.y * q.z + q.w * q.x); // world z in the body
    const double across = w.x * w.x + w.y * w.y, about = w.x * x3 + w.y * y3, rise = w.y * x3 - w.x * y3;
    const double beta = 2.0 * weight_moment / transverse, a = axial * w.z / transverse;
    top.steady = across == 0.0 && (above == 0.0 || below == 0.0);
    if (top.steady) return top;
    const double f1 = -beta * above * below - 2.0 * z * across + 2.0 * a * about, f2 = 2.0 * beta * z - across - a * a;
    const roots r = solve_roots(rise * rise, f1, f2, beta);
    top.low = z + r.low, top.high = z + r.high;
    top.bottom.steady = w.z - a, top.bottom.pull = about + a * above;
    top.zenith.steady = a - w.z, top.zenith.pull = about - a * below;
    const double apart = set_distances(&top, above, below, r, beta), range = r.high - r.low;
    top.swing = sqrt(0.5 * range);
    top.rate = 0.5 * sqrt(beta * (range + apart));
    top.e = elliptic_of(range / (range + apart), apart / (range + apart));
    if (range > 0.0) top.u0 = elliptic_inverse(&top.e, sqrt(-r.low), copysign(sqrt(r.high), rise));
    set_phases(&top);
    return top;
}

double lagrange_top_period(const lagrange_top *top)
{
    return 2.0 * top->e.K / top->rate;
}

// ---- Motion ---------------------------------------------------------------------------------------------------------

typedef struct parameter { // r e^(i phase)
    double r, r_rate, phase;
} parameter;

// `pass`: the size of a parameter that passes through zero, and its rate; others keep a distance from zero.
static parameter parameter_at(const lagrange_top *top, const top_pole *pole, double nearest, double pass,
                              double pass_rate, elliptic_point u, double time)
{
    const double phase = pole->phase + 0.5 * (pole->steady * time + pulled(top, pole, u));
    if (nearest == 0.0) return (parameter){pass, pass_rate, phase};
    const double r = sqrt(0.5 * nearest + pass * pass);
    return (parameter){r, pass * pass_rate / r, phase};
}

// omega_1 + i omega_2 = 2 (conj(A) B' - B conj(A')); of the phase rates (3) only the pole terms remain.
static ph_vec3 omega_of(const lagrange_top *top, const parameter *A, const parameter *B)
{
    double about = 0.0, s, c;
    if (top->zenith.pull != 0.0) about += 0.25 * top->zenith.pull * A->r / B->r;
    if (top->bottom.pull != 0.0) about += 0.25 * top->bottom.pull * B->r / A->r;
    const double across = A->r * B->r_rate - B->r * A->r_rate;
    ph_sincos(B->phase - A->phase, &s, &c);
    return ph_vec(2.0 * (c * across - s * about), 2.0 * (s * across + c * about), top->start.omega.z);
}

attitude lagrange_top_at(const lagrange_top *top, double time)
{
    double s, c;
    if (top->steady) {
        ph_sincos(0.5 * top->start.omega.z * time, &s, &c);
        return (attitude){ph_quat_unit(ph_quat_mul(top->start.q, (ph_quat){c, 0.0, 0.0, s})), top->start.omega};
    }
    const elliptic_point u = elliptic_move(&top->e, top->u0, top->rate * time);
    const jacobi j = elliptic_jacobi(&top->e, u);
    const double fast = top->rate * top->swing * j.dn;
    const parameter A = parameter_at(top, &top->bottom, top->bottom.at_low, top->swing * j.sn, fast * j.cn, u, time);
    const parameter B = parameter_at(top, &top->zenith, top->zenith.at_high, top->swing * j.cn, -fast * j.sn, u, time);
    attitude at = {.omega = omega_of(top, &A, &B)};
    ph_sincos(A.phase, &s, &c);
    at.q.w = A.r * c, at.q.z = A.r * s;
    ph_sincos(B.phase, &s, &c);
    at.q.x = B.r * c, at.q.y = B.r * s;
    at.q = ph_quat_unit(at.q);
    return at;
}
