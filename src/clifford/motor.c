// Motors: rigid motions as elements of Cl(0,3,1), their exponential and its derivative.
//
// exp(z/2), z = (omega | v), theta = |omega|, y = theta/2. With S = sin(y)/theta and C = cos(y):
//
//     a = (C, S omega)                   b = (-(omega.v) S / 2, S v + (omega.v) k omega),   k = (C/2 - S) / theta^2
//
// S = alpha/2 and k = (D alpha)/8 with alpha(y) = sin(y)/y and D = (1/y) d/dy, both smooth at 0: math/so3.h.
//
// The velocity of exp(z(t)/2) is sum ad^i(z) z'/(i+1)!. Since ad^5 + 2 theta^2 ad^3 + theta^4 ad = 0 the sum is a
// polynomial in ad; its coefficients follow from the function values and derivatives at the double roots +-i theta:
//
//     s  = z' + (2 beta - alpha/2) ad z' + (5 gamma - beta)/2 ad^2 z' - (D beta)/2 ad^3 z' - (D gamma)/2 ad^4 z'
//     z' = s - 1/2 ad s + (c - theta^2 D c / 2) ad^2 s - (D c)/2 ad^4 s
//
// with the coefficients of math/so3.h at theta.
#include "base/error.h"
#include "math/so3.h"
#include "polhode/clifford_generated.h"

ph_motor ph_motor_identity(void)
{
    return (ph_motor){{1.0}, {0.0}};
}

// g = t r with t = 1 + 1/2 (t_x e1e + t_y e2e + t_z e3e)
ph_motor ph_motor_make(ph_quat r, ph_vec3 t)
{
    const ph_motor rotor = {{r.w, r.x, r.y, r.z}, {0.0}};
    const ph_motor translator = {{1.0}, {0.0, 0.5 * t.x, 0.5 * t.y, 0.5 * t.z}};
    return ph_cl_motor_mul(translator, rotor);
}

void ph_motor_split(ph_motor g, ph_quat *r, ph_vec3 *t)
{
    if (r) *r = (ph_quat){g.a[0], g.a[1], g.a[2], g.a[3]};
    if (t) *t = ph_cl_motor_pose(g).t;
}

ph_pose ph_motor_pose(ph_motor g)
{
    return ph_cl_motor_pose(g);
}

ph_motor ph_motor_mul(ph_motor g, ph_motor h)
{
    return ph_cl_motor_mul(g, h);
}

ph_motor ph_motor_conj(ph_motor g)
{
    return ph_cl_motor_conj(g);
}

ph_motor ph_motor_rate(ph_twist s, ph_motor g)
{
    return ph_cl_motor_rate(s, g);
}

// ---- Exponential and logarithm --------------------------------------------------------------------------------------

ph_motor ph_motor_exp(ph_twist z)
{
    const ph_so3 half = ph_so3_coefficients(ph_scale(0.5, z.omega));
    const double S = 0.5 * half.alpha, C = 1.0 - half.x2 * half.beta, k = 0.125 * half.d_alpha;
    const double omega_v = ph_dot(z.omega, z.v);
    const ph_vec3 b = ph_madd(ph_scale(S, z.v), omega_v * k, z.omega);
    return (ph_motor){{C, S * z.omega.x, S * z.omega.y, S * z.omega.z}, {-0.5 * omega_v * S, b.x, b.y, b.z}};
}

// The same equations solved for omega and v; S >= 1/pi up to theta = pi.
ph_twist ph_motor_log(ph_motor g)
{
    const double sign = g.a[0] < 0.0 ? -1.0 : 1.0;
    const ph_vec3 omega = ph_quat_log((ph_quat){g.a[0], g.a[1], g.a[2], g.a[3]});
    const ph_so3 half = ph_so3_coefficients(ph_scale(0.5, omega));
    const double S = 0.5 * half.alpha, k = 0.125 * half.d_alpha;
    const double omega_v = -2.0 * sign * g.b[0] / S;
    const ph_vec3 b = ph_vec(sign * g.b[1], sign * g.b[2], sign * g.b[3]);
    return (ph_twist){omega, ph_scale(1.0 / S, ph_madd(b, -omega_v * k, omega))};
}

// ---- Velocity -------------------------------------------------------------------------------------------------------

static ph_twist add_scaled(ph_twist x, double s, ph_twist y)
{
    return (ph_twist){ph_madd(x.omega, s, y.omega), ph_madd(x.v, s, y.v)};
}

ph_twist ph_motor_velocity(ph_twist z, ph_twist z_rate)
{
    const ph_so3 k = ph_so3_coefficients(z.omega);
    const ph_twist ad1 = ph_cl_bracket(z, z_rate), ad2 = ph_cl_bracket(z, ad1);
    const ph_twist ad3 = ph_cl_bracket(z, ad2), ad4 = ph_cl_bracket(z, ad3);
    ph_twist s = add_scaled(z_rate, 2.0 * k.beta - 0.5 * k.alpha, ad1);
    s = add_scaled(s, 0.5 * (5.0 * k.gamma - k.beta), ad2);
    s = add_scaled(s, -0.5 * k.d_beta, ad3);
    return add_scaled(s, -0.5 * k.d_gamma, ad4);
}

ph_twist ph_motor_velocity_inverse(ph_twist z, ph_twist s)
{
    const ph_so3 k = ph_so3_coefficients(z.omega);
    const ph_twist ad1 = ph_cl_bracket(z, s), ad2 = ph_cl_bracket(z, ad1);
    const ph_twist ad4 = ph_cl_bracket(z, ph_cl_bracket(z, ad2));
    const ph_twist z_rate = add_scaled(add_scaled(s, -0.5, ad1), k.c - 0.5 * k.x2 * k.d_c, ad2);
    return add_scaled(z_rate, -0.5 * k.d_c, ad4);
}

// ---- What makes an element a motor ----------------------------------------------------------------------------------

ph_motor_defects ph_motor_measure(ph_motor g)
{
    const ph_motor_norm n = ph_cl_motor_norm(g);
    return (ph_motor_defects){n.real - 1.0, 0.5 * n.dual};
}

ph_status ph_motor_check(ph_motor g, double tolerance, ph_error *error)
{
    const ph_motor_defects d = ph_motor_measure(g);
    if (fabs(d.length) <= tolerance && fabs(d.pitch) <= tolerance) {
        return PH_OK;
    }
    return error_set(error, PH_BAD_ARGUMENT, "not a rigid motion: a.a - 1 = %g and a.b = %g, both must be 0 within %g",
                     d.length, d.pitch, tolerance);
}

// g g* = n + d ee1e2e3, and ee1e2e3 commutes with g and squares to 0: its root is sqrt n + d / (2 sqrt n) ee1e2e3, and
// dividing by it leaves a/sqrt n and (b - d/(2n) ee1e2e3-dual of a)/sqrt n.
ph_motor ph_motor_unit(ph_motor g)
{
    const ph_motor_norm n = ph_cl_motor_norm(g);
    const double scale = 1.0 / sqrt(n.real), shift = 0.5 * n.dual / n.real;
    return ph_cl_motor_mul((ph_motor){{scale}, {-scale * shift}}, g);
}
