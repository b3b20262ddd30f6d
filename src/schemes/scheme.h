// What a scheme is. Each is a constant in its own file and one line in registry.c.
#ifndef PH_SCHEMES_SCHEME_H
#define PH_SCHEMES_SCHEME_H

#include "base/error.h"
#include "model/state.h"
#include "polhode/cone.h"
#include "polhode/sim.h"

enum { SCHEME_OPTIONS_MAX = 4 };

typedef struct scheme_settings {
    double tolerance;
    int max_iterations;
    int threads;
    double options[SCHEME_OPTIONS_MAX]; // in the order of ph_scheme.options
} scheme_settings;

typedef struct ph_scheme {
    const char *name;      // "rattlie"
    const char *title;     // one line for `polhode schemes`
    const char *reference; // paper and equation numbers
    const char *aliases;   // other names, separated by spaces, or NULL
    int order;
    uint32_t traits;
    ph_scheme_option options[SCHEME_OPTIONS_MAX]; // up to the first without a name
    ph_status (*create)(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error);
    // One step, but for state_end_step. On failure the state is unchanged and the report filled.
    ph_status (*step)(void *self, ph_state *state, double h, ph_step_report *report);
    // In place of `step`, where several steps are less work than so many times one: as ph_sim_advance, each with its
    // state_end_step.
    ph_status (*advance)(void *self, ph_state *state, double h, long long count, ph_step_report *report);
    // As ph_sim_multipliers. NULL: the scheme has none.
    ph_status (*multipliers)(void *self, const ph_state *state, double h, ph_mat3 *Lambda);
    // As ph_sim_contact_problem. NULL: the scheme has none.
    ph_status (*problem)(void *self, const ph_state *state, double h, ph_fc_problem **problem, ph_error *error);
    // As ph_sim_quaternions. NULL: the scheme has none.
    ph_status (*quaternions)(void *self, const ph_state *state, double h, ph_quaternion *out);
    // The stages that the adjoint goes through backwards. NULL: the scheme has others.
    struct variational *(*stages)(void *self);
    void (*destroy)(void *self);
} ph_scheme;

extern const ph_scheme *const schemes[]; // registry.c, ends with NULL

// Does a body turn by half a turn or more in a step of length h? Schemes that would go on with another motion refuse that:
// `report` gets the advice.
bool scheme_turns_too_far(const ph_state *state, double h, ph_step_report *report);

// What to try where Newton's method finds no end of a step.
const char *scheme_advise_shorter(const ph_model *model);

// What a simulation was made with.
const ph_scheme *sim_scheme(const ph_sim *sim);
const scheme_settings *sim_settings(const ph_sim *sim);
struct variational *sim_stages(const ph_sim *sim); // NULL: it has none
// The length of the steps to which shorter ones belong that end a run or lead to an event; returns what it was.
double sim_set_pace(ph_sim *sim, double h);
struct moreau *sim_moreau(const ph_sim *sim);       // NULL: it is another scheme
struct nonsmooth *sim_nonsmooth(const ph_sim *sim); // likewise

#endif
