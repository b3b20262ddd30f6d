// Sleep: bodies that have come to rest are left alone until something happens to them.
//
// An island, bodies that touch each other directly or through others, falls asleep when all of its bodies have been slower
// than `speed` for REST seconds: |v| and |w| times the radius of the body. Its velocities become zero, and neither detection
// nor the solver looks at contacts between bodies that sleep or cannot move; those stay in the state as they were. It wakes
// when a body that is awake comes near one of its own, when the force or torque on one of them changes by more than a
// thousandth, and when the user touches the state. Bodies held by joints do not sleep, nor does what touches them.
//
// What is known of each body is the history of the state, so that it is saved and restored with it.
#ifndef PH_SCHEMES_SLEEP_H
#define PH_SCHEMES_SLEEP_H

#include "collide/detector.h"
#include "model/state.h"

typedef struct sleep {
    const ph_model *model;
    double speed; // 0: nothing sleeps
    bool *asleep; // by body
    int count;    // bodies asleep
    // By moving body:
    bool *wakes;    // scratch: something happened to it
    bool *held;     // by a joint
    int *parent;    // scratch: islands
    double *radius; // farthest point of its shapes from the centre of mass
} sleep;

bool sleep_create(const ph_model *model, const shape_set *shapes, arena *memory, sleep *s);

// Who sleeps at the beginning of a step; Q: loads by body. `past`: the history, NULL: none.
void sleep_begin(sleep *s, const ph_state *state, const double *past, const ph_wrench *Q);

// Wakes what bodies that are awake come near; true when there were some, and detection must look at them too.
bool sleep_disturb(sleep *s, const contact_set *found, const ph_state *state);

// Contacts in the state between bodies of which none is awake: how many, and how deep.
int sleep_contacts(const sleep *s, const ph_state *state, double *depth);
// Brings them to the front of the list, in order.
void sleep_keep_contacts(const sleep *s, ph_state *state);
// Those, `kept`, and `count` new ones that stand from kept + count on, into one list.
void sleep_merge_contacts(const contact_set *found, ph_state *state, int kept, int count);

// The end of the step: who is at rest, and who falls asleep. Returns the kinetic energy that is lost by it.
double sleep_end(sleep *s, const contact_set *found, ph_state *state, const ph_wrench *Q, double h, double *history);

#endif
