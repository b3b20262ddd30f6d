// RATTLie: the variational integrator of the discrete Lagrangian along geodesics of SO(3) x R^3.
//
// The kinetic energy of a step is that of the constant body velocity f/h which leads from R_n to R_n exp(f~), so the
// momentum at the start of the step is T^-T(-f) J f / h. Hante and Arnold, RATTLie: a variational Lie group integration
// scheme for constrained mechanical systems, 2021; compared in Huang et al., 2022, eq (22), (23).
#include "schemes/rattlie.h"
#include "math/mat3.h"

// With y = J f, u = f x y, e = f . y and w = f x u = e f - x^2 y:
//
//   G(f) = T^{-T}(-f) J f = y + 1/2 u + c w
//   dG   = J + 1/2 K + c (f~ K - u~) + (c'/x) w f^T,   K = f~ J - y~
//        = (1 - c x^2) J + 1/2 f~ J - (1/2 y + 2 c u)~ + c e I + (c'/x) w f^T
//
// where f~ K = f y^T - y f^T - x^2 J + e I and f y^T - y f^T = -u~.
typedef struct map {
    ph_vec3 f, y, u, w;
    double e;
    ph_so3 k;
} map;

static inline map map_of(const ph_mat3 *J, ph_vec3 omega, double h)
{
    const ph_vec3 f = ph_scale(h, omega), y = ph_mul(*J, f);
    const ph_so3 k = ph_so3_coefficients_c(f);
    const double e = ph_dot(f, y);
    return (map){f, y, ph_cross(f, y), ph_madd(ph_scale(e, f), -k.x2, y), e, k};
}

static inline ph_vec3 momentum_of(const map *m)
{
    return ph_add3(m->y, ph_scale(0.5, m->u), ph_scale(m->k.c, m->w));
}

ph_vec3 momentum_rattlie(const ph_mat3 *J, ph_vec3 omega, double h, ph_quat *F)
{
    const map m = map_of(J, omega, h);
    *F = quat_geodesic(m.f, &m.k);
    return momentum_of(&m);
}

void turn_rattlie(const ph_mat3 *J, ph_vec3 omega, double h, turn *turn, kinetic *out)
{
    const map m = map_of(J, omega, h);
    const ph_vec3 f = m.f, half = ph_scale(0.5, f), d = ph_scale(m.k.d_c, m.w);
    const ph_vec3 t = ph_madd(ph_scale(0.5, m.y), 2.0 * m.k.c, m.u);
    const double s = 1.0 - m.k.c * m.k.x2, ce = m.k.c * m.e;
    turn_geodesic(f, &m.k, turn);
    out->G = momentum_of(&m);
    for (int j = 0; j < 3; j++) { // column by column, without the diagonal and skew parts
        const double J0 = J->m[0][j], J1 = J->m[1][j], J2 = J->m[2][j], fj = j == 0 ? f.x : j == 1 ? f.y : f.z;
        out->dG.m[0][j] = s * J0 + (half.y * J2 - half.z * J1) + d.x * fj;
        out->dG.m[1][j] = s * J1 + (half.z * J0 - half.x * J2) + d.y * fj;
        out->dG.m[2][j] = s * J2 + (half.x * J1 - half.y * J0) + d.z * fj;
    }
    out->dG.m[0][0] += ce, out->dG.m[1][1] += ce, out->dG.m[2][2] += ce;
    out->dG.m[0][1] += t.z, out->dG.m[0][2] -= t.y;
    out->dG.m[1][0] -= t.z, out->dG.m[1][2] += t.x;
    out->dG.m[2][0] += t.y, out->dG.m[2][1] -= t.x;
}

// L = I + 1/2 f~ + c f~^2
ph_vec3 weigh_rattlie(ph_vec3 omega, double h, ph_vec3 w)
{
    const ph_vec3 f = ph_scale(h, omega), u = ph_cross(f, w);
    return ph_madd(ph_madd(w, -0.5, u), ph_so3_coefficients_c(f).c, ph_cross(f, u));
}

const variational_rule rule_rattlie = {.turn = turn_rattlie,
                                       .momentum = momentum_rattlie,
                                       .weigh = weigh_rattlie,
                                       .rotation = rotation_geodesic,
                                       .limit = half_turn};

extern const ph_scheme scheme_rattlie;

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    return variational_create(model, &scheme_rattlie, settings, &rule_rattlie, self, error);
}

const ph_scheme scheme_rattlie = {
    .name = "rattlie",
    .title = "RATTLie, the variational integrator along geodesics",
    .reference = "Hante and Arnold 2021; Huang et al. 2022, (22)-(23)",
    .aliases = "RL",
    .order = 2,
    .traits = PH_SYMPLECTIC | PH_TIME_REVERSIBLE | PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT |
              PH_KEEPS_MOMENTUM | PH_ROLLS_REVERSIBLY,
    .create = create,
    .advance = variational_advance,
    .stages = variational_stages,
    .destroy = variational_destroy,
};
