// Discs that fall flat, and blades that stand up: they have no lowest point, or no direction, and nothing to roll on.
#ifndef PH_SCHEMES_FLAT_H
#define PH_SCHEMES_FLAT_H

#include "model/state.h"
#include "polhode/sim.h"

// May any body of the model come to lie so?
bool model_may_fall_flat(const ph_model *model);
// Does one lie so, or will it within h at the rate it has now? Then the report says which.
bool state_falls_flat(const ph_state *state, double h, ph_step_report *report);

#endif
