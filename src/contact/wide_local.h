// Contacts that sweeps do not settle, by themselves: groups of few, solved exactly while all others are held.
//
// Under Coulomb's law sweeps have no energy to descend. Near some groups of contacts, chains of bodies that partly stick and
// partly slide, they circle for hundreds of passes about what would solve them; Newton's method does not mind. A group is
// made of contacts beyond the tolerance and those that share a body with them. The velocities of its bodies
// without its own impulses make a cone problem (polhode/cone.h), and what that gives is put in place of the impulses.
#ifndef PH_CONTACT_WIDE_LOCAL_H
#define PH_CONTACT_WIDE_LOCAL_H

#include "contact/wide.h"

#include <pthread.h>

typedef struct wide_local_contact wide_local_contact;

// Batches may be solved by several threads, groups by one at a time.
typedef struct wide_local {
    pthread_mutex_t lock;
    ph_cone_workspace *cones;
    int *list; // contacts that are in; those of one group
    wide_local_contact *group;
    ph_cone *cone;
    double *q, *g; // by row of the group
    int *start, *near;
    double *value; // of the matrix, and its columns: lent by the workspace
    int *column;
    int list_room, group_room, cone_room, q_room, g_room, start_room, near_room;
} wide_local;

void wide_local_init(wide *w);
void wide_local_free(wide *w);

typedef struct wide_local_task {
    const wide_problem *problem;
    int first, end;     // nodes to look at
    unsigned char *due; // by place: not 0 where a contact is beyond the tolerance, and then where its bodies have moved
    void *x;            // impulses, by block
    double tolerance;
    int most;  // contacts to be solved at the most
    int group; // and at once
} wide_local_task;

// Solves what it can, into x and the bodies of w. Returns how many contacts that were; -1: out of memory.
int wide_local_solve(wide *w, const wide_local_task *task);

#endif
