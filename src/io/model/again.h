// The text that a model was read from, read once more.
#ifndef PH_IO_MODEL_AGAIN_H
#define PH_IO_MODEL_AGAIN_H

#include "polhode/io.h"

enum { AGAIN_SETTINGS = 300 };

// The lines "name=value" of the settings of a model, which are cut into them: their number.
int model_settings_split(char *text, ph_setting settings[AGAIN_SETTINGS]);

// With these settings beside those it had. PH_NOT_FOUND: it was built by calls.
ph_status model_spec_again(const ph_model *model, const ph_setting *more, int count, ph_problems *problems,
                           ph_spec **spec);

#endif
