// Impulses of contacts and stops, to and from the state: forces to record, and first guesses for the next step.
#ifndef PH_CONTACT_IMPULSES_H
#define PH_CONTACT_IMPULSES_H

#include "contact/delassus.h"
#include "model/state.h"

// `of`: by contact of the operator, its place in the detector's list, rising; NULL when it holds the whole list.

// g (by row) <- h times the forces in the state, zero for contacts that are new.
void impulses_guess(const delassus *rows, const detector *found, const int *of, const ph_state *state, double h,
                    double *g);
// Forces g / h into the state, which has room for them.
void impulses_keep(const delassus *rows, const detector *found, const int *of, const double *g, double h,
                   ph_state *state);

#endif
