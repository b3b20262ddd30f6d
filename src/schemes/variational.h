// One-step variational integrators on (SO(3) x R^3)^n with constraints: one algorithm, several kinetic maps G(f).
//
// With f = h Omega_+, F = exp(f~), p = (J Omega, m v), a step from (q_n, Omega_n, v_n) is            (docs/theory/rattlie.md)
//
//   stage 1   G(f)/h + 1/2 D_R^T (h lambda) = J Omega_n + h/2 M_n
//             m v_+  + 1/2 D_x^T (h lambda) = m v_n     + h/2 F_n                                    (1)
//             Phi(q_{n+1})/h = 0,   q_{n+1} = (R_n F, x_n + h v_+)                                   (2)
//   stage 2   p* = (F^T G(f)/h + h/2 M_{n+1}, m v_+ + h/2 F_{n+1})                                   (3)
//             [M B^T; B 0] (v_{n+1}, mu) = (p*, 0)                                                   (4)
//
// h lambda as unknown and Phi/h as residual keep the system well scaled. The Jacobian of (2) is B(q_{n+1}) diag(T(f), I).
#ifndef PH_SCHEMES_VARIATIONAL_H
#define PH_SCHEMES_VARIATIONAL_H

#include "math/so3.h"
#include "schemes/scheme.h"

// G(f) and its derivative; `k` holds the coefficients of f.
typedef void (*kinetic_map)(const ph_mat3 *J, ph_vec3 f, const ph_so3 *k, ph_vec3 *G, ph_mat3 *dG);

ph_status variational_create(const ph_model *model, const ph_scheme *scheme, const scheme_settings *settings,
                             kinetic_map map, void **self, ph_error *error);
ph_status variational_step(void *self, ph_state *state, double h, ph_step_report *report);
void variational_destroy(void *self);

#endif
