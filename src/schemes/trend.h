// First guesses of Omega_+ and v_+ where steps change in length and velocities jump: how both changed in the last step.
#ifndef PH_SCHEMES_TREND_H
#define PH_SCHEMES_TREND_H

#include "schemes/variational.h"

void trend_guess(variational *s, const double *history, double h);
void trend_keep(const variational *s, ph_state *state, double h);

#endif
