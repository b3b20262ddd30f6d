// Checkpoints: a state, and what a run that is to be continued keeps beside it.
#ifndef PH_RUN_CHECKPOINT_H
#define PH_RUN_CHECKPOINT_H

#include "polhode/checkpoint.h"

enum { CHECKPOINT_RUN_MAX = 4096 }; // bytes of the run

// `run`: bytes that checkpoint_read gives back; may be NULL with 0.
ph_status checkpoint_write(const char *path, const ph_state *state, const void *run, size_t run_bytes, ph_error *error);

// *run_bytes is 0 for a state that was saved alone. On failure `state` is unchanged. PH_NOT_FOUND: there is no such file.
ph_status checkpoint_read(const char *path, ph_state *state, unsigned char run[CHECKPOINT_RUN_MAX], size_t *run_bytes,
                          ph_error *error);

#endif
