// The motion of a model under inputs that are given for every step: recorded, and as a page.
#ifndef CLI_MOTION_H
#define CLI_MOTION_H

#include "options.h"

#include "polhode/polhode.h"

// Writes motion.h5 and page.html into the folder where this build can, and notes their names. `inputs`: steps x inputs, or NULL.
bool write_motion(const ph_model *model, const char *scheme, double step, long long steps, const double *inputs,
                  const char *folder, text_list *written);

// The file FOLDER/NAME, written whole.
bool write_text_file(const char *folder, const char *name, const char *text, text_list *written);

#endif
