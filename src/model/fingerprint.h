// A number that tells models apart: everything a motion depends on, except what callbacks compute.
#ifndef PH_MODEL_FINGERPRINT_H
#define PH_MODEL_FINGERPRINT_H

#include "model/model.h"

// The same on every machine. Names count, since results and checkpoints name things by them.
uint64_t model_fingerprint(const ph_model *model);

#endif
