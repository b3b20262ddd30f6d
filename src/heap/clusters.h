// Clusters: few contacts that sweeps do not settle, solved exactly while all others are held.
//
// Under Coulomb's law sweeps have no energy to descend. Near some clusters of contacts, chains of bodies that partly stick and
// partly slide, they circle for hundreds of passes about what would solve them; Newton's method does not mind. A cluster is
// made of contacts beyond the tolerance and those that share a body with them. The velocities of its bodies
// without its own impulses make a cone problem (polhode/cone.h), and what that gives is put in place of the impulses.
#ifndef PH_HEAP_CLUSTERS_H
#define PH_HEAP_CLUSTERS_H

#include "heap/heap.h"

#include "base/thread.h"

typedef struct cluster_contact cluster_contact;

// Batches may be solved by several threads, clusters by one at a time.
typedef struct clusters {
    thread_lock lock;
    ph_cone_workspace *cones;
    int *list; // contacts to be solved; behind them those of the cluster at hand
    int *mark; // by contact: what it is to the clusters
    cluster_contact *members;
    ph_cone *cone;
    double *q, *g; // by row of the cluster
    int *start, *near;
    double *value; // of the matrix, and its columns: lent by the workspace
    int *column;
    int list_room, mark_room, members_room, cone_room, q_room, g_room, start_room, near_room;
} clusters;

void clusters_init(heap *h);
void clusters_free(heap *h);

typedef struct cluster_task {
    const heap_problem *problem;
    int first, end; // regions to be searched
    // By place: not 0 where a contact is beyond the tolerance, and when it is done where its bodies have moved.
    unsigned char *active;
    void *x; // impulses, by block
    double tolerance;
    int most;    // contacts to be solved at the most
    int cluster; // and at once
} cluster_task;

// Solves what it can, into x and the bodies of h. Returns how many contacts that were; -1: out of memory.
int clusters_solve(heap *h, const cluster_task *task);

#endif
