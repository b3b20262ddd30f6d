// The text that a model was read from, read once more.
#ifndef PH_IO_MODEL_AGAIN_H
#define PH_IO_MODEL_AGAIN_H

#include "polhode/io.h"

// With these settings beside those it had. PH_NOT_FOUND: it was built by calls.
ph_status model_spec_again(const ph_model *model, const ph_setting *more, int count, ph_problems *problems,
                           ph_spec **spec);

#endif
