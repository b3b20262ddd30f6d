// Contacts between free bodies: friction alone, no rolling and spinning, nothing held by joints.
//
// Most contacts of most models are such. They need no rows and no tangents: impulses are vectors in the world, and what they
// do to a body is gathered from a list of its contacts. All loops are shared between the threads of a pool; no two write to
// the same place, and sums are in the order of the list.
#ifndef PH_CONTACT_PLAIN_H
#define PH_CONTACT_PLAIN_H

#include "base/pool.h"
#include "base/scratch.h"
#include "collide/contact_set.h"
#include "math/screw.h"

enum { PLAIN_CONTACTS = 512, PLAIN_BODIES = 256 }; // in a part

typedef struct plain {
    const ph_model *model;
    const contact_set *found;
    pool *pool;     // may be NULL
    int *uses;      // by moving body: 2 contact + (1 when it is its b), rising
    int *use_start; // moving_count + 1
    int uses_room, use_start_room;
    int growths;      // how often memory was taken
    scratch *scratch; // of the solver, with the impulses
} plain;

void plain_destroy(plain *p);

bool plain_is(const contact_set *found); // no contact has rolling or spinning friction
bool plain_set(plain *p);                // lists contacts by body; false: out of memory

// Impulses <- h times the forces in the state, moved into the friction cones; zero for contacts that are new. false: out of
// memory.
bool plain_guess(const plain *p, const ph_state *state, double h);

// Room in the state for the contacts, and `more` that are not between balls; `single`: impulses are numbers of single
// precision. false: out of memory.
bool plain_reserve(const plain *p, ph_state *state, int more, bool single);

// Impulses / h into the state as forces, which has room for them and is where the step began; contacts from place `at` on.
void plain_keep(const plain *p, ph_state *state, int at, double h, bool single);

// What the impulses do to moving body k, at its centre of mass.
screw plain_wrench(const plain *p, int k, screw *normal); // normal: what normal impulses do alone

static inline ph_vec3 *plain_impulses(const plain *p) // by contact: on b
{
    return scratch_at(p->scratch, SCRATCH_IMPULSES);
}

#endif
