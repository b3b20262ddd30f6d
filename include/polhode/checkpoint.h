// Polhode: saving a state and loading it again. A run that is continued from a saved state goes on bit for bit.
//
// The file holds all numbers of a state, the scheme's memory of earlier steps included, with a version, a fingerprint of
// the model and a checksum. It is written under another name, brought to the disk and renamed: under its name there is
// the old file or the new one, never half of one. A file is loaded whole or refused with the reason: another model,
// another version, damaged.
//
// ph_run writes such files by itself (ph_run_def.checkpoint) and continues from them (ph_run_def.resume).
#ifndef POLHODE_CHECKPOINT_H
#define POLHODE_CHECKPOINT_H

#include "polhode/state.h"

#ifdef __cplusplus
extern "C" {
#endif

PH_API ph_status ph_state_save(const ph_state *state, const char *path, ph_error *error);
// Also reads what ph_run has written. When it fails the state is as it was.
PH_API ph_status ph_state_load(ph_state *state, const char *path, ph_error *error);

// The same in memory, for programs with a place of their own for it. The bytes are those of the file.
PH_API size_t ph_state_saved_size(const ph_state *state); // 0 for NULL
PH_API ph_status ph_state_save_memory(const ph_state *state, void *memory, size_t size, ph_error *error);
PH_API ph_status ph_state_load_memory(ph_state *state, const void *memory, size_t size, ph_error *error);

// Tells models apart by everything their motion depends on, except what callbacks compute. The same on every machine.
PH_API uint64_t ph_model_fingerprint(const ph_model *model); // 0 for NULL

#ifdef __cplusplus
}
#endif
#endif
