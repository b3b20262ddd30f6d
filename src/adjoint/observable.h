// Quantities of a state by name, with their derivatives.
#ifndef PH_ADJOINT_OBSERVABLE_H
#define PH_ADJOINT_OBSERVABLE_H

#include "adjoint/numbers.h"
#include "model/state.h"
#include "polhode/adjoint.h"

typedef enum observable_kind {
    OBSERVE_POSITION,
    OBSERVE_VELOCITY,
    OBSERVE_ANGULAR_VELOCITY,
    OBSERVE_SPEED,
    OBSERVE_ANGULAR_SPEED,
    OBSERVE_ORIENTATION,
    OBSERVE_AXIS,
    OBSERVE_SITE,
    OBSERVE_COORDINATE,
    OBSERVE_RATE,
} observable_kind;

typedef struct observable {
    observable_kind kind;
    int index; // of a body, site or joint
    int part;  // component, or coordinate of the joint
    char name[128];
} observable;

struct ph_observables {
    const ph_model *model;
    arena *memory;
    int count;
    observable *list;
    frame *frames;
    ph_twist *twists;
    ph_wrench *bodies;
};

// Adds weight times the derivative of quantity k by the state to `bodies`, and by the numbers of the model to `gradient`
// (NULL: not wanted).
void observable_pull(ph_observables *o, int k, const ph_state *state, double weight, ph_cotangent *bodies,
                     const numbers *n, double *gradient);

#endif
