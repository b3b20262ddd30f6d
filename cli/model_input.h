// What is behind the name of a model on a command line: a file, the standard input, or a result by mistake.
#ifndef CLI_MODEL_INPUT_H
#define CLI_MODEL_INPUT_H

#include "polhode/polhode.h"

#include <stdbool.h>

// "-": a model from the standard input.
bool is_standard_input(const char *path);
ph_status read_standard_input(const ph_setting *settings, int count, ph_problems *problems, ph_spec **spec);

// A file that begins as HDF5 does.
bool is_hdf5_file(const char *path);
// By its ending.
bool is_model_name(const char *path);

#endif
