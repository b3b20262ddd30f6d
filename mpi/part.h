// What one rank has of a scene: its bodies, copies of those near them, and all that cannot move.
#ifndef MPI_PART_H
#define MPI_PART_H

#include <math.h>
#include <stdint.h>

#ifndef TEXT
#define TEXT static inline
#endif
#include "card.h"
#include "view.h"

extern const card_machine card_machine_part;

// X(type, name, each): arrays of a part, by what they are counted by. `reach`: how far a body's shapes go from its centre, with half
// of the margin; `promise`: how far from where it is when the scene is divided a body and all that it may meet before the next
// division stay. Ghosts: copies, their owners and their numbers there. Contacts: those of the last step, with numbers of the part.
// clang-format off
#define PART_BODIES(X) \
    X(int, body_name, 1) X(int, owned, 1) X(int, mass_of, 1) X(int, moves, 1) X(double, position, 3) \
    X(double, orientation, 4) X(double, velocity, 3) X(double, spin, 3) X(double, extent, 1) X(double, reach, 1) \
    X(double, promise, 1)
#define PART_SHAPES(X) X(int, shape_name, 1) X(int, kind_of, 1) X(int, body_of, 1)
#define PART_GHOSTS(X) X(int, ghost, 1) X(int, owner, 1) X(int, there, 1)
#define PART_CONTACTS(X) X(card_contact, old, 1) X(float, old_x, 3)
// clang-format on

#define PART_POINTER(type, name, each) type *name;
typedef struct part { // everything in one piece of memory, which goes over the network as it is
    int bodies, shapes, ghosts, contacts;
    void *memory;
    size_t bytes;
    PART_BODIES(PART_POINTER)
    PART_SHAPES(PART_POINTER)
    PART_GHOSTS(PART_POINTER)
    PART_CONTACTS(PART_POINTER)
} part;

bool part_take(part *p, int bodies, int shapes, int ghosts, int contacts); // false: out of memory
void part_give(part *p);

// ---- The whole, on rank 0 -----------------------------------------------------------------------------------------------

typedef struct whole {
    int bodies, shapes, moving;
    int *mass_of, *moves, *kind_of, *body_of;
    double *position, *orientation, *velocity, *spin, *extent, *reach, *promise;
    int *owner, *there; // by body: its rank, -1 where it cannot move; its number there
    int *local, *list;  // room
    card_contact *old;  // contacts of the last step
    float *old_x;
    int contacts, room;
    double gravity;
} whole;

bool whole_take(whole *w, const card_scene *s);
void whole_give(whole *w);
bool whole_reserve(whole *w, int contacts);

// Parts for all ranks, bodies of a rank side by side in space, for steps of h. false: out of memory.
bool whole_divide(whole *w, double h, part *parts, int ranks);

// Where a name stands in a list of them, rising.
int part_number(const int *names, int count, int name);

// How far a body and all that it may meet in a step reach from its centre.
double part_reach(double reach, double extent, const double *velocity, const double *spin, double gravity, double h);

#endif
