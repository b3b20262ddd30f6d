// Why a step failed: expressions of forces and motors that have no finite value.
#ifndef PH_SCHEMES_VALUE_CHECK_H
#define PH_SCHEMES_VALUE_CHECK_H

#include "model/state.h"

// Looks at all expressions where the step from the state on began, in its middle and at its end, bodies being where they are.
// Writes which one is not finite, and when; false: all of them are, or there is no memory to look.
bool value_check(const ph_state *state, double h, char *text, size_t size);

#endif
