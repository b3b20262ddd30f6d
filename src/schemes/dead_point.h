// Why a step failed: a loop at a dead point.
#ifndef PH_SCHEMES_DEAD_POINT_H
#define PH_SCHEMES_DEAD_POINT_H

#include "model/state.h"

// Is a row of a loop about to depend on the others, within two steps of length h from the state on? Writes which joints the loop
// has, and what drives it there; false: none is, or there is no memory to look.
bool dead_point(const ph_state *state, double h, char *text, size_t size);

#endif
