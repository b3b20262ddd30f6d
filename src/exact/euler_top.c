// Free bodies: Euler's equations J omega' = J omega x omega and the attitude that follows from them.
#include "exact/tops.h"

#include "math/so3.h"
#include "math/trig.h"

static const double PI = 0x1.921fb54442d18p+1;

static ph_quat about_x(double half_cos, double half_sin)
{
    return (ph_quat){half_cos, half_sin, 0.0, 0.0};
}

static ph_quat about_z(double angle)
{
    double s, c;
    ph_sincos(0.5 * angle, &s, &c);
    return (ph_quat){c, 0.0, 0.0, s};
}

static ph_quat about(ph_vec3 omega, double time)
{
    return ph_quat_from_axis_angle(omega, ph_norm(omega) * time);
}

// ---- Symmetric body -------------------------------------------------------------------------------------------------

// The axis turns steadily about L at |L|/I_1, the body about its axis at (1 - I_3/I_1) omega_3:
// q(t) = exp(t L/I_1) q_0 exp(t (1 - I_3/I_1) omega_3 e_3), with L/I_1 = (omega_1, omega_2, I_3/I_1 omega_3) in the body.
attitude symmetric_body_at(double transverse, double axial, const attitude *start, double time)
{
    const ph_vec3 w = start->omega;
    const double ratio = axial / transverse, slip = (transverse - axial) / transverse * w.z;
    const ph_quat precession = about(ph_vec(w.x, w.y, ratio * w.z), time), spin = about_z(slip * time);
    return (attitude){
        .q = ph_quat_unit(ph_quat_mul(start->q, ph_quat_mul(precession, spin))),
        .omega = ph_quat_rotate(ph_quat_conj(spin), w),
    };
}

// ---- Asymmetric body ------------------------------------------------------------------------------------------------

static ph_vec3 times(ph_vec3 a, ph_vec3 b)
{
    return ph_vec(a.x * b.x, a.y * b.y, a.z * b.z);
}

// Principal axes in rising order become (a, b, c). The sign of L^2 - 2 E I_2 says which of the outer axes the motion
// circles; written by the moments' differences it is exact where the motion comes near the separatrix.
static void choose_axes(euler_top *top, ph_mat3 inertia, ph_vec3 omega)
{
    ph_vec3 I;
    ph_eig3(inertia, &I, &top->frame);
    const ph_vec3 w = ph_tmul(top->frame, omega);
    ph_vec3 a = ph_mat_col(top->frame, 0), b = ph_mat_col(top->frame, 1), c = ph_mat_col(top->frame, 2);
    top->moments = I;
    if (I.z * (I.z - I.y) * w.z * w.z < I.x * (I.y - I.x) * w.x * w.x) {
        const ph_vec3 swap = a;
        a = c, b = ph_neg(b), c = swap;
        top->moments = ph_vec(I.z, I.y, I.x);
    }
    if (ph_dot(c, omega) < 0.0) b = ph_neg(b), c = ph_neg(c);
    top->frame = ph_mat_cols(a, b, c);
    top->frame_q = ph_quat_from_mat(top->frame);
}

static void set_solution(euler_top *top)
{
    const ph_vec3 I = top->moments, w = top->start.omega, square = times(w, w);
    const double r = I.y * (I.y - I.z) / (I.x * (I.x - I.z)); // (A/B)^2
    const double A2 = square.x + r * square.y, B2 = square.y + square.x / r;
    const double C2 = square.z + I.y * (I.y - I.x) / (I.z * (I.z - I.x)) * square.y;
    const double m = I.y * (I.y - I.x) / (I.z * (I.z - I.x)) * B2 / C2;
    const double m1 = (square.z - I.x * (I.y - I.x) / (I.z * (I.z - I.y)) * square.x) / C2;
    top->amplitude = ph_vec(sqrt(A2), I.z > I.x ? sqrt(B2) : -sqrt(B2), sqrt(C2));
    top->rate = top->amplitude.z * sqrt((I.z - I.x) / I.x * ((I.z - I.y) / I.y));
    top->e = elliptic_of(m, m1 > 0.0 ? m1 : 0.0);
    top->u0 = elliptic_inverse(&top->e, w.y / top->amplitude.y, w.x / top->amplitude.x);
    top->momentum = ph_norm(times(I, w));
    top->bulge = I.y * (I.x - I.z) / (I.x * (I.y - I.z));
}

// exp(theta e_x) exp(phi e_z), the turn from the frame with z along L to the body apart from the precession about L:
// L = |L| (sin theta sin phi, sin theta cos phi, cos theta). phi = pi/2 -+ the angle of (L_a, L_b), which turns with u.
static ph_quat tilt_at(const euler_top *top, ph_vec3 L, elliptic_point u)
{
    const double along = L.z / top->momentum, across = sqrt(L.x * L.x + L.y * L.y) / top->momentum;
    const double half_cos = sqrt(0.5 * (1.0 + along));
    const double sense = top->amplitude.y < 0.0 ? -1.0 : 1.0, angle = ph_atan2(sense * L.y, L.x) / (2.0 * PI);
    const double turns = isfinite(top->e.K) ? floor(0.25 * (u.quarters + u.rest / top->e.K) - angle + 0.5) : 0.0;
    return ph_quat_mul(about_x(half_cos, 0.5 * across / half_cos),
                       about_z(0.5 * PI - sense * 2.0 * PI * (turns + angle)));
}

euler_top euler_top_of(ph_mat3 inertia, const attitude *start)
{
    euler_top top = {0};
    choose_axes(&top, inertia, start->omega);
    top.start.q = ph_quat_mul(start->q, top.frame_q);
    top.start.omega = ph_tmul(top.frame, start->omega);
    const ph_vec3 I = top.moments, w = top.start.omega;
    top.steady = ph_max_abs(ph_vec((I.y - I.z) * w.y * w.z, (I.z - I.x) * w.z * w.x, (I.x - I.y) * w.x * w.y)) == 0.0;
    if (top.steady) return top;
    set_solution(&top);
    top.tilt = tilt_at(&top, times(I, w), top.u0);
    return top;
}

// Precession about L: psi' = |L| (I_a omega_a^2 + I_b omega_b^2)/(L_a^2 + L_b^2)
//                          = |L|/I_c + |L| (1/I_a - 1/I_c)/(cn^2 + bulge sn^2).
static double precession(const euler_top *top, elliptic_point u, double time)
{
    const ph_vec3 I = top->moments;
    const double swept =
        elliptic_third(&top->e, 1.0, top->bulge, u) - elliptic_third(&top->e, 1.0, top->bulge, top->u0);
    return top->momentum * (time / I.z + (I.z - I.x) / (I.x * I.z) * swept / top->rate);
}

attitude euler_top_at(const euler_top *top, double time)
{
    attitude at = {.q = ph_quat_mul(top->start.q, about(top->start.omega, time)), .omega = top->start.omega};
    if (!top->steady) {
        const elliptic_point u = elliptic_move(&top->e, top->u0, top->rate * time);
        const jacobi j = elliptic_jacobi(&top->e, u);
        at.omega = times(top->amplitude, ph_vec(j.cn, j.sn, j.dn));
        const ph_quat tilt = tilt_at(top, times(top->moments, at.omega), u);
        const ph_quat turned = ph_quat_mul(about_z(precession(top, u, time)), tilt);
        at.q = ph_quat_mul(top->start.q, ph_quat_mul(ph_quat_conj(top->tilt), turned));
    }
    at.q = ph_quat_unit(ph_quat_mul(at.q, ph_quat_conj(top->frame_q)));
    at.omega = ph_mul(top->frame, at.omega);
    return at;
}
