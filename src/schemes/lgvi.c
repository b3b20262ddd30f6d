// The general Lie-group variational integrator (DH): every mass point moves on a chord between the nodes.
//
// Discrete kinetic energy tr((I - F) J_d)/h^2 with F = exp(f~), J_d = 1/2 tr(J) I - J. Its momentum is the skew part of
// F J_d, hence the kinetic map below. Huang et al. 2022, eq (11)-(14); with stage 2, which the paper leaves out, the
// velocities satisfy the constraints too. There is no solution where |h Omega| exceeds about 1: sin x = h Omega on an axis.
#include "math/mat3.h"
#include "schemes/kinetic_chord.h"

// G(f) = alpha J f + beta f x Jf
// dG   = alpha J + beta (f~ J - (Jf)~) + [(alpha'/x) Jf + (beta'/x) f x Jf] f^T
static void turn_chord(const ph_mat3 *J, ph_vec3 omega, double h, turn *turn, kinetic *out)
{
    const ph_vec3 f = ph_scale(h, omega);
    const ph_so3 k = ph_so3_coefficients(f);
    const ph_vec3 Jf = ph_mul(*J, f), u = ph_cross(f, Jf);
    const ph_mat3 K = ph_mat_sub(ph_hat_mul(f, *J), ph_hat(Jf));
    turn_geodesic(f, &k, turn);
    out->G = ph_madd(ph_scale(k.alpha, Jf), k.beta, u);
    out->dG = ph_mat_madd(ph_mat_scale(k.alpha, *J), k.beta, K);
    out->dG = ph_mat_add(out->dG, ph_outer(ph_madd(ph_scale(k.d_alpha, Jf), k.d_beta, u), f));
}

static ph_vec3 momentum_chord(const ph_mat3 *J, ph_vec3 omega, double h, ph_quat *F)
{
    const ph_vec3 f = ph_scale(h, omega), Jf = ph_mul(*J, f);
    const ph_so3 k = ph_so3_coefficients(f);
    *F = quat_geodesic(f, &k);
    return ph_madd(ph_scale(k.alpha, Jf), k.beta, ph_cross(f, Jf));
}

// L = alpha I + beta f~
static ph_vec3 weigh_chord(ph_vec3 omega, double h, ph_vec3 w)
{
    const ph_vec3 f = ph_scale(h, omega);
    const ph_so3 k = ph_so3_coefficients(f);
    return ph_madd(ph_scale(k.alpha, w), -k.beta, ph_cross(f, w));
}

const variational_rule rule_chord = {
    .turn = turn_chord, .momentum = momentum_chord, .weigh = weigh_chord, .rotation = rotation_geodesic, .limit = 1.0};

extern const ph_scheme scheme_lgvi;

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    return variational_create(model, &scheme_lgvi, settings, &rule_chord, self, error);
}

const ph_scheme scheme_lgvi = {
    .name = "lgvi",
    .title = "Lie-group variational integrator, general scheme (chords)",
    .reference = "Huang et al. 2022, (11)-(14); Lee, Leok and McClamroch 2007",
    .aliases = "DH",
    .order = 2,
    .traits = PH_SYMPLECTIC | PH_TIME_REVERSIBLE | PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT |
              PH_KEEPS_MOMENTUM | PH_ROLLS_REVERSIBLY,
    .create = create,
    .advance = variational_advance,
    .stages = variational_stages,
    .destroy = variational_destroy,
};
