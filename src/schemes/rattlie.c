// RATTLie: the variational integrator of the discrete Lagrangian along geodesics of SO(3) x R^3.
//
// The kinetic energy of a step is that of the constant body velocity f/h which leads from R_n to R_n exp(f~), so the
// momentum at the start of the step is T^-T(-f) J f / h. Hante and Arnold, RATTLie: a variational Lie group integration
// scheme for constrained mechanical systems, 2021; compared in Huang et al., 2022, eq (22), (23).
#include "math/mat3.h"
#include "schemes/variational.h"

// G(f) = T^{-T}(-f) J f = Jf + 1/2 f x Jf + c f x (f x Jf)
// dG   = J + 1/2 K + c (f~ K - u~) + (c'/x) (f x u) f^T,   K = f~ J - (Jf)~,  u = f x Jf
static void kinetic_map_rattlie(const ph_mat3 *J, ph_vec3 f, const ph_so3 *k, ph_vec3 *G, ph_mat3 *dG)
{
    const ph_vec3 Jf = ph_mul(*J, f);
    const ph_vec3 u = ph_cross(f, Jf);
    const ph_vec3 w = ph_cross(f, u);
    const ph_mat3 K = ph_mat_sub(ph_hat_mul(f, *J), ph_hat(Jf));
    *G = ph_add3(Jf, ph_scale(0.5, u), ph_scale(k->c, w));
    *dG = ph_mat_madd(*J, 0.5, K);
    *dG = ph_mat_madd(*dG, k->c, ph_mat_sub(ph_hat_mul(f, K), ph_hat(u)));
    *dG = ph_mat_madd(*dG, k->d_c, ph_outer(w, f));
}

extern const ph_scheme scheme_rattlie;

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    return variational_create(model, &scheme_rattlie, settings, kinetic_map_rattlie, self, error);
}

const ph_scheme scheme_rattlie = {
    .name = "rattlie",
    .title = "RATTLie, the variational integrator along geodesics",
    .reference = "Hante and Arnold 2021; Huang et al. 2022, (22)-(23)",
    .aliases = "RL",
    .order = 2,
    .traits = PH_SYMPLECTIC | PH_TIME_REVERSIBLE | PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT |
              PH_KEEPS_MOMENTUM,
    .create = create,
    .step = variational_step,
    .destroy = variational_destroy,
};
