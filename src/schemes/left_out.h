// Rows of loops that are left out since they follow from others.
#ifndef PH_SCHEMES_LEFT_OUT_H
#define PH_SCHEMES_LEFT_OUT_H

#include "dynamics/kkt.h"
#include "joints/joint.h"
#include "polhode/sim.h"

// They do as long as what the others ask for can be done. One that is open all the same, by more than rows may be apart that count
// as dependent, contradicts them: PH_NO_CONVERGENCE, with its joint in the report. `at`: where the step has led to, `position` of its bodies.
ph_status left_out_agree(const kkt *kkt, const motion *at, const ph_vec3 *position, ph_step_report *report);

#endif
