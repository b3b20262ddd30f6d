// `moreau` on a machine of card.h: what it takes of a model, and what it refuses by name.
#ifndef CARD_SCHEME_CARD_H
#define CARD_SCHEME_CARD_H

#include "card.h"
#include "schemes/scheme.h"

ph_status card_scheme_create(const ph_model *model, const card_machine *machine, const char *device, int threads,
                             void **self, ph_error *error);
ph_status card_scheme_step(void *self, ph_state *state, double h, ph_step_report *report);
ph_status card_scheme_advance(void *self, ph_state *state, double h, long long count, ph_step_report *report);
void card_scheme_destroy(void *self);

#endif
