// The discrete Euler-Lagrange form of the variational integrators: two steps, no velocity stage.
//
//     G(f_n)/h = F_{n-1}^T G(f_{n-1})/h + h M_n - D_R^T (h lambda_n)
//     m v_+    = m v_+^{n-1}            + h F_n - D_x^T (h lambda_n),      Phi(q_{n+1}) = 0
//
// The positions are those of the one-step form with the same G, to round-off. The velocity at a node is half-way between the
// two steps it joins, p_n = F_{n-1}^T G(f_{n-1})/h + h/2 M_n - 1/2 D_R^T (h lambda_n), so it needs the multiplier of the step
// that leaves the node: each step looks ahead by one. Nothing makes these velocities satisfy B v = 0; they miss it by O(h^2).
// A step of another length than the one before starts anew from the velocity.
#ifndef PH_SCHEMES_DEL_H
#define PH_SCHEMES_DEL_H

#include "schemes/variational.h"

ph_status del_create(const ph_model *model, const ph_scheme *scheme, const scheme_settings *settings,
                     const variational_rule *rule, void **self, ph_error *error);
ph_status del_step(void *self, ph_state *state, double h, ph_step_report *report);
void del_destroy(void *self);

#endif
