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

// The scheme `symbol` on `machine`, the device NAME; WHERE ends its title.
#define CARD_SCHEME(symbol, machine, NAME, WHERE)                                                                      \
    static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)      \
    {                                                                                                                  \
        return card_scheme_create(model, &(machine), NAME, settings->threads, self, error);                            \
    }                                                                                                                  \
    extern const ph_scheme symbol;                                                                                     \
    const ph_scheme symbol = {                                                                                         \
        .name = "moreau",                                                                                              \
        .title = "velocity-impulse Euler with contact, " WHERE,                                                        \
        .reference = "as moreau",                                                                                      \
        .order = 1,                                                                                                    \
        .traits = PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT | PH_HAS_CONTACT,                        \
        .create = create,                                                                                              \
        .step = card_scheme_step,                                                                                      \
        .advance = card_scheme_advance,                                                                                \
        .destroy = card_scheme_destroy,                                                                                \
    }

#endif
