// Impulses of contacts and stops, to and from the state: forces to record, and first guesses for the next step.
#ifndef PH_CONTACT_IMPULSES_H
#define PH_CONTACT_IMPULSES_H

#include "contact/delassus.h"
#include "model/state.h"

// `of`: by contact of the problem, its place in the detector's list, rising; NULL when it holds the whole list.

// old[i] <- which contact of the state contact i of the problem is, -1: a new one. Of all pairs of shapes whose first
// contact is in from .. to - 1; both lists are in the order of the detector.
void impulses_match(const contact_set *found, const int *of, int count, const ph_state *state, int from, int to,
                    int *old);

// g (by row) <- h times the forces in the state, zero for contacts that are new.
void impulses_guess(const delassus *rows, const contact_set *found, const int *of, const ph_state *state, double h,
                    double *g);
// Forces g / h into the state, which has room for them; contacts from place `at` on.
void impulses_keep(const delassus *rows, const contact_set *found, const int *of, const double *g, double h, int at,
                   ph_state *state);

// Of one contact: its rows of g from old contact `old` of the state (-1: none), and what is to be kept of it.
void impulses_guess_contact(const contact_rows *c, const ph_state *state, int old, double h, double *g);
ph_contact impulses_force(const contact_rows *c, const contact_set *found, const detected *d, const double *g,
                          double h);

uint64_t impulses_order(const contact_set *found, const ph_contact *old); // as shapes_order, of a contact in a state

// A contact to be kept.
ph_contact impulses_contact(const contact_set *found, const detected *d, ph_vec3 force, ph_vec3 torque);

#endif
