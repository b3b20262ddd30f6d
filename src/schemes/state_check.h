// Whether a state that somebody wrote to still meets its joints.
//
// What a scheme itself has left open, and carries on with, is no mistake of the user: a state that was written to is refused
// when it is off by more than round-off and by more than twice what the last step left.
#ifndef PH_SCHEMES_STATE_CHECK_H
#define PH_SCHEMES_STATE_CHECK_H

#include "model/state.h"
#include "polhode/sim.h"

// false, with the report filled, when a step must not begin here.
bool state_check_joints(const ph_state *state, ph_step_report *report);
int state_check_format(const ph_step_report *report, const ph_model *model, char *text, size_t size);

#endif
