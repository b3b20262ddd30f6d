// Elimination order of a block matrix whose graph has bodies and constraints as nodes.
#ifndef PH_LINALG_ORDERING_H
#define PH_LINALG_ORDERING_H

#include "base/memory.h"

typedef struct block_graph {
    int node_count;
    const int *size;           // of each node's block, 1..6
    const bool *is_constraint; // zero diagonal block: must wait for its bodies
    const bool *is_rotor;      // a body that only one row of its constraint acts on; NULL: none is
    int edge_count;
    const int (*edges)[2]; // no edge twice, none from a node to itself
    bool bodies_decoupled; // body blocks are diag(3x3, m I)
    const int *x;          // by node: where its right-hand side stands; NULL: in the order of elimination
    const int *depth;      // of nodes of one degree the shallower goes first; NULL: the last met
} block_graph;

typedef struct block_order {
    int *order;       // order[k]: node eliminated k-th
    int *later_start; // node_count + 1, by k: later nodes coupled to order[k] when it is eliminated, fill included ...
    int *later;       // ... as positions in the order, ascending
} block_order;

// Minimum degree. A constraint may go once a body that hung on it alone is gone (then its pivot block is that body's
// inverse inertia seen through the joint: definite; a rotor is not enough), or once all its bodies are gone. Leaves of a tree therefore go
// first, body and joint in turn, without any fill: O(n). false when out of memory.
bool block_order_make(const block_graph *graph, arena *memory, block_order *order);

#endif
