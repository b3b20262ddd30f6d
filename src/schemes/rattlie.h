// The rule of geodesics, shared by rattlie, rattlie-ns and clifford-vi.
#ifndef PH_SCHEMES_RATTLIE_H
#define PH_SCHEMES_RATTLIE_H

#include "schemes/variational.h"

extern const variational_rule rule_rattlie;

// Its parts.
void turn_rattlie(const ph_mat3 *J, ph_vec3 omega, double h, turn *turn, kinetic *out);
ph_vec3 momentum_rattlie(const ph_mat3 *J, ph_vec3 omega, double h, ph_quat *F);
ph_vec3 weigh_rattlie(ph_vec3 omega, double h, ph_vec3 w);

#endif
