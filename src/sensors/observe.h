// Reading the sensors of a state, and what is held of them from the start of a step.
#ifndef PH_SENSORS_OBSERVE_H
#define PH_SENSORS_OBSERVE_H

#include "model/state.h"

double actuator_force(const ph_model *model, int index, const motion *at);

// Sensors that expressions ask for and delays: written into ph_state.inputs at the start of a step.
typedef struct sampler sampler;
ph_status sampler_create(const ph_model *model, sampler **to, ph_error *error);
void sampler_destroy(sampler *s); // takes NULL
ph_status sampler_sample(sampler *s, ph_state *state);

#endif
