// Polhode: events, where an expression of a model crosses zero on the way of a simulation.
#ifndef POLHODE_EVENT_H
#define POLHODE_EVENT_H

#include "polhode/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_event ph_event;

// `expression` is one of t, inputs, q.<joint> and qd.<joint>, as in model files. One per thread.
PH_API ph_status ph_event_create(const ph_model *model, const char *expression, ph_event **event, ph_error *error);
PH_API void ph_event_destroy(ph_event *event);

// The expression at a state.
PH_API double ph_event_value(ph_event *event, const ph_state *state);

// As ph_sim_advance, but ends where the expression has changed its sign, if it does: *crossed. The last step then is shorter,
// and the state is the first number after the crossing, so that going on from there does not meet it again. What happens
// twice within a step is not seen. Schemes with steps of their own are asked for their interpolant; all others make a step
// of the length that leads there, from the node before it: a symmetric scheme stays symmetric, and the order is kept.
PH_API ph_status ph_sim_advance_until(ph_sim *sim, ph_state *state, double h, long long count, ph_event *event,
                                      bool *crossed, ph_step_report *report);

#ifdef __cplusplus
}
#endif
#endif
