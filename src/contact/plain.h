// Contacts between free bodies: friction alone, no rolling and spinning, nothing held by joints.
//
// Most contacts of most models are such. They need no rows and no tangents: impulses are vectors in the world, and what they
// do to a body is gathered from a list of its contacts. All loops are shared between the threads of a pool; no two write to
// the same place, and sums are in the order of the list.
#ifndef PH_CONTACT_PLAIN_H
#define PH_CONTACT_PLAIN_H

#include "contact/wide.h"
#include "model/state.h"

enum { PLAIN_CONTACTS = 512, PLAIN_BODIES = 256 }; // in a part

typedef struct plain {
    const ph_model *model;
    const detector *found;
    poses at;
    pool *pool; // may be NULL
    int count;
    int *uses;      // by moving body: 2 contact + (1 when it is its b), rising
    int *use_start; // moving_count + 1
    int uses_room, use_start_room;
    list_room *scratch; // of the solver, with the impulses
} plain;

void plain_destroy(plain *p);

// Takes the detector's list; `is_plain` becomes false when a contact has rolling or spinning friction. false: out of memory.
bool plain_set(plain *p, bool *is_plain);

// Impulses <- h times the forces in the state, moved into the friction cones; zero for contacts that are new. false: out of
// memory.
bool plain_guess(const plain *p, const ph_state *state, double h);

// Room in the state for the contacts, and `more` that are not between balls; `single`: impulses are numbers of single
// precision. false: out of memory.
bool plain_reserve(const plain *p, ph_state *state, int more, bool single);

// Impulses / h into the state as forces, which has room for them and is where the step began; contacts from place `at` on.
void plain_keep(const plain *p, ph_state *state, int at, double h, bool single);

// What the impulses do to moving body k, at its centre of mass.
screw plain_wrench(const plain *p, int k);

static inline ph_vec3 *plain_impulses(const plain *p) // by contact: on b
{
    return p->scratch->at;
}

static inline wide_pair plain_pair(const plain *p, int i) // moving bodies of contact i
{
    const detector *found = p->found;
    if (i < found->others)
        return (wide_pair){found->moving[found->list[i].body_a], found->moving[found->list[i].body_b]};
    const detected_balls *it = &found->balls[i - found->others];
    return (wide_pair){found->moving[found->shapes[it->shape_a].body], found->moving[found->shapes[it->shape_b].body]};
}

static inline ph_vec3 plain_arm(const plain *p, const detected *found, int body)
{
    return ph_sub(found->point, poses_place(&p->at, body));
}

#endif
