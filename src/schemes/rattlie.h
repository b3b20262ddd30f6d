// The rule of geodesics, shared by rattlie and rattlie-ns.
#ifndef PH_SCHEMES_RATTLIE_H
#define PH_SCHEMES_RATTLIE_H

#include "schemes/variational.h"

extern const variational_rule rule_rattlie;

#endif
