// Reading a model, or a result, for a command.
#ifndef CLI_LOAD_H
#define CLI_LOAD_H

#include "options.h"

#include "polhode/polhode.h"

// Reads and compiles `path` with the `--set name=value` in `settings` (may be NULL). Mistakes go to stderr; then the
// answer is NULL.
ph_model *load_model(const char *path, const text_list *settings);

// The same, with the mistakes in `problems` instead.
ph_model *load_model_collecting(const char *path, const text_list *settings, ph_problems *problems);

// The same without compiling it.
ph_spec *load_spec(const char *path, const text_list *settings);

// Opens a result; mistakes go to stderr, then the answer is NULL.
ph_result *load_result(const char *path);

// The exit status for a failure of the library.
int exit_status_of(ph_status status);

#endif
