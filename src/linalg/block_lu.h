// LU factorisation of a sparse matrix of small dense blocks with a symmetric pattern and unsymmetric values.
//
// The order and the pattern with its fill are found once (block_lu_create); values are written into the blocks before
// each block_lu_factor. For pivot k with later nodes i, j:
//
//     D_k <- D_k^-1,   U_kj <- D_k^-1 U_kj,   A_ij <- A_ij - L_ik U_kj
//
// Blocks are column-major (linalg/small.h) and stored in elimination order: D_k, then U_ki and L_ik for each later i.
#ifndef PH_LINALG_BLOCK_LU_H
#define PH_LINALG_BLOCK_LU_H

#include "linalg/ordering.h"

typedef struct block_link { // coupling of a pivot with a later node
    int node;               // position of that node in the order
    int size, x;            // of that node, so that the loops need not look it up
    int upper, lower;       // offsets of U_ki (size_k x size_i) and L_ik (size_i x size_k)
} block_link;

typedef struct block_pivot {
    int size;
    int diagonal; // offset of D_k
    int x;        // offset in the right-hand side
    int link_start, link_count;
    int target_start; // link_count^2 offsets: where A_ij of links (i, j) stands
    bool is_constraint;
    bool decoupled; // a body that nothing was eliminated into: its block is diag(3x3, m I)
} block_pivot;

typedef struct block_lu {
    int pivot_count, value_count, x_count;
    block_pivot *pivots;
    block_link *links;
    int *targets;
    int *position; // by node: its place in the order
    double *values;
    int zero_count;      // blocks that only fill writes to; constraint diagonals among them
    int (*zeros)[2];     // offset, length
    unsigned char *mask; // by pivot: rows left out because they depend on others; set by the caller, zero at first
} block_lu;

// false when out of memory.
bool block_lu_create(const block_graph *graph, arena *memory, block_lu *lu);

// Offsets into lu->values of the blocks (row, column) of an edge, and of a diagonal block.
int block_lu_diagonal(const block_lu *lu, int node);
int block_lu_block(const block_lu *lu, int row, int column); // -1 when not in the pattern

void block_lu_clear(block_lu *lu); // zeroes the blocks that nobody assembles

// Factors in place, without the rows and columns in `mask`: their unknowns are zero. false when singular.
bool block_lu_factor(block_lu *lu);

void block_lu_solve(const block_lu *lu, double *x); // in place, in elimination order

#endif
