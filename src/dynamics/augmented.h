// The matrix of kkt.h with C added to the equations of the bodies, for bodies that their joints hold more than their inertia:
//
//     [ A + B^T G C   B^T ] [ dv     ]   [ r_v + B^T G r_phi ]
//     [ C             0   ] [ lambda ] = [ r_phi             ]
//
// It has the same solution, whatever the diagonal G. But the elimination inverts blocks of bodies first, and what a thin
// rod's inertia about its own axis, or a light coupler's mass, leaves in A^-1 is so large that the rest is lost: the error
// of a solve grows as the square of the ratio. With G between the sizes of the bodies beside
// a joint (the geometric mean) neither drowns in the other.
#ifndef PH_DYNAMICS_AUGMENTED_H
#define PH_DYNAMICS_AUGMENTED_H

#include "dynamics/kkt.h"
#include "linalg/small.h"

typedef struct augmented {
    double *UG;                                       // B^T G as it was factored with; joint j from kkt->joints[j].B on
    int (*pairs)[JOINT_BODIES_MAX][JOINT_BODIES_MAX]; // by joint: offsets of the blocks between its bodies
    double *mass, *inertia;                           // by moving body: m, and the mean moment of inertia
    double *kept;                                     // the blocks before it was added; NULL: solves are not refined
    double *side, *sum;                               // vectors for that
    bool refines;                                     // `kept` is what was factored
    bool clear;                                       // the blocks between bodies are nobody else's
} augmented;

// Is there a body so thin, or so light beside its neighbours, that it is needed?
bool augmented_needed(const ph_model *model);
// For a matrix whose pattern has the blocks between bodies.
bool augmented_create(kkt *kkt, bool clear, arena *memory);

// From the next factor on solves are refined, for those that no iteration mends afterwards. Nothing where bodies are of ordinary
// proportions. false: out of memory.
bool augmented_refine(kkt *kkt);

void augmented_add(kkt *kkt);    // to the blocks, before they are factored
void augmented_remove(kkt *kkt); // the blocks are to be factored without it
void augmented_solve(kkt *kkt);  // in place in kkt->x

#endif
