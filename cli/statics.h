// Static equilibrium and linear modes, for `run --statics` and `info --modes`.
#ifndef CLI_STATICS_H
#define CLI_STATICS_H

#include "json.h"

#include "polhode/polhode.h"

// Moves the state to its equilibrium and prints it. Returns an exit_status.
int run_statics(const ph_model *model, ph_state *state, const char *path, bool as_json, bool quiet);

// The modes about the equilibrium that belongs to the start of a model.
typedef struct mode_study {
    ph_statics_report report;
    ph_mode_set *set;
} mode_study;

// Moves `state` there. Mistakes go to stderr. Returns an exit_status.
int find_modes(const ph_model *model, ph_state *state, const char *path, mode_study *study);
void print_modes(const ph_model *model, const mode_study *study, int most);
void json_modes(json *j, const ph_model *model, ph_state *state, const mode_study *study);

#endif
