// Rigid-body dynamics in Cl(0,6,2), each function one formula of the paper: Selig and Bayro-Corrochano (2010), sections
// 5 and 6. All quantities are in one inertial frame, so that the inertia N moves with the body.
//
// A = a1a2a3a and E = e1e2e3e are invariant under motions. N ^ s = P E, and A v (P E) = P.
#include "math/mat3.h"
#include "polhode/clifford_generated.h"

// ---- Inertia --------------------------------------------------------------------------------------------------------

// The body at the origin, translated: no parallel-axis theorem is needed.
ph_inertia ph_inertia_make(double mass, ph_vec3 com, ph_mat3 I)
{
    const ph_inertia centred = {
        mass, {0.0, 0.0, 0.0}, {I.m[0][0], I.m[1][1], I.m[2][2], I.m[0][1], I.m[0][2], I.m[1][2]}};
    return ph_cl_pose_inertia((ph_pose){ph_identity(), com}, centred);
}

ph_inertia ph_inertia_add(ph_inertia M, ph_inertia N)
{
    M.mass += N.mass;
    M.moment = ph_add(M.moment, N.moment);
    for (int i = 0; i < 6; i++) {
        M.I[i] += N.I[i];
    }
    return M;
}

ph_sym4 ph_inertia_sym4(ph_inertia N)
{
    return ph_cl_inertia_sym4(N);
}

static bool positive_definite(ph_mat3 I)
{
    return I.m[0][0] > 0.0 && I.m[0][0] * I.m[1][1] - I.m[0][1] * I.m[1][0] > 0.0 && ph_det(I) > 0.0;
}

// At the centre of mass the inverse is 1/m and I^-1. Y takes co-screws, whose components p stand where twists have omega:
// 1/m is its block aa, I^-1 its block bb. Then Y moves to where the body is.
ph_status ph_inertia_inverse(ph_inertia N, ph_sym4 *Y)
{
    if (!(N.mass > 0.0)) {
        return PH_SINGULAR;
    }
    const double w = 1.0 / N.mass;
    const ph_vec3 com = ph_scale(w, N.moment);
    const ph_inertia centred = ph_cl_pose_inertia((ph_pose){ph_identity(), ph_neg(com)}, N);
    const double *c = centred.I;
    const ph_mat3 I = {{{c[0], c[3], c[4]}, {c[3], c[1], c[5]}, {c[4], c[5], c[2]}}};
    if (!positive_definite(I)) {
        return PH_SINGULAR;
    }
    const ph_mat3 J = ph_inverse(I);
    const ph_sym4 at_com = {
        {w, w, w, 0.0, 0.0, 0.0}, {0.0}, {J.m[0][0], J.m[1][1], J.m[2][2], J.m[0][1], J.m[0][2], J.m[1][2]}};
    *Y = ph_cl_pose_sym4((ph_pose){ph_identity(), com}, at_com);
    return PH_OK;
}

// ---- Momentum and energy --------------------------------------------------------------------------------------------

ph_coscrew ph_momentum(ph_inertia N, ph_twist s)
{
    return ph_cl_shuffle_a(ph_cl_wedge_inertia(N, s));
}

ph_twist ph_velocity(ph_sym4 Y, ph_coscrew P)
{
    return ph_cl_inverse_sym4(Y, P);
}

double ph_kinetic_energy(ph_inertia N, ph_twist s)
{
    return 0.5 * ph_cl_shuffle(ph_cl_bar_twist(s), ph_cl_wedge_inertia(N, s));
}

// ---- Equation of motion ---------------------------------------------------------------------------------------------

static ph_hexavector add(ph_hexavector x, ph_hexavector y)
{
    return (ph_hexavector){ph_add(x.l, y.l), ph_add(x.p, y.p)};
}

static ph_hexavector sub(ph_hexavector x, ph_hexavector y)
{
    return (ph_hexavector){ph_sub(x.l, y.l), ph_sub(x.p, y.p)};
}

ph_inertia ph_inertia_rate(ph_inertia N, ph_twist s)
{
    return ph_cl_inertia_rate(N, s);
}

ph_hexavector ph_motion_defect(ph_inertia N, ph_twist s, ph_twist s_rate, ph_coscrew W)
{
    return sub(add(ph_cl_wedge_inertia(N, s_rate), ph_cl_gyroscopic(N, s)), ph_cl_times_e(W));
}

ph_hexavector ph_motion_defect_coadjoint(ph_inertia N, ph_twist s, ph_twist s_rate, ph_coscrew W)
{
    const ph_coscrew P = ph_momentum(N, s);
    return sub(add(ph_cl_wedge_inertia(N, s_rate), ph_cl_times_e(ph_cl_coadjoint(s, P))), ph_cl_times_e(W));
}

ph_twist ph_acceleration(ph_inertia N, ph_sym4 Y, ph_twist s, ph_coscrew W)
{
    const ph_coscrew c = ph_cl_coadjoint(s, ph_momentum(N, s));
    return ph_cl_inverse_sym4(Y, (ph_coscrew){ph_sub(W.l, c.l), ph_sub(W.p, c.p)});
}

// ---- Elasticity and damping -----------------------------------------------------------------------------------------

static ph_coscrew negative(ph_coscrew P)
{
    return (ph_coscrew){ph_neg(P.l), ph_neg(P.p)};
}

ph_coscrew ph_elastic_wrench(ph_sym4 K, ph_twist delta)
{
    return negative(ph_cl_shuffle_a(ph_cl_wedge_sym4(K, delta)));
}

double ph_elastic_energy(ph_sym4 K, ph_twist delta)
{
    return 0.5 * ph_cl_shuffle(ph_cl_bar_twist(delta), ph_cl_wedge_sym4(K, delta));
}

ph_coscrew ph_damping_wrench(ph_sym4 D, ph_twist s)
{
    return negative(ph_cl_shuffle_a(ph_cl_wedge_sym4(D, s)));
}

// L~ ^ L = L ^ L~ for elements of even grade.
ph_sym4 ph_line_spring(double k, ph_twist L)
{
    ph_sym4 K = ph_cl_dyad(ph_cl_bar_twist(L));
    for (int i = 0; i < 6; i++) {
        K.aa[i] *= k;
        K.bb[i] *= k;
    }
    for (int i = 0; i < 9; i++) {
        K.ab[i] *= k;
    }
    return K;
}
