// Cholesky factor S = U^T U of a sparse symmetric positive semidefinite matrix of small dense blocks, which leaves out the
// rows that depend on others.
//
// Order and pattern are found once. At each factorisation a block is eliminated row by row, the row that has kept most of its
// own diagonal entry first; rows of which less than a given part is left are left out: they depend on rows before them.
// Pivots of a semidefinite matrix only fall, and every update is a square, so what is left of a row is right to rounding
// errors of its own diagonal entry, times the largest over the smallest part that rows before it had kept.
//
// Blocks are column-major. Of the blocks (k, i), only those with k before i in the order exist.
#ifndef PH_LINALG_BLOCK_CHOLESKY_H
#define PH_LINALG_BLOCK_CHOLESKY_H

#include "linalg/ordering.h"

typedef struct cholesky_link { // coupling of a pivot with a later node
    int node;                  // position of that node in the order
    int size, x;
    int block; // offset of S_ki, then U_ki: size_k x size_i
} cholesky_link;

typedef struct cholesky_pivot {
    int size;
    int diagonal; // offset of S_kk, then of the factor within the block
    int x;        // offset in vectors
    int link_start, link_count;
    int target_start; // offsets of S_ij for links i <= j
    int rank;
    unsigned char order[6]; // rows kept, as they were eliminated
} cholesky_pivot;

typedef struct block_cholesky {
    int pivot_count, value_count, x_count;
    cholesky_pivot *pivots;
    cholesky_link *links;
    int *targets;
    int *position; // by node: its place in the order
    double *values;
    double *part; // by x: part of a row's diagonal entry that was left when it was eliminated, or left out
} block_cholesky;

// false when out of memory.
bool block_cholesky_create(const block_graph *graph, arena *memory, block_cholesky *c);

// Offset in values of the block that couples two nodes. *swapped: it is S_ba.
int block_cholesky_block(const block_cholesky *c, int a, int b, bool *swapped);

// Factors in place what was written into the values (zeroed by block_cholesky_clear). Rows with at most `least` of their
// diagonal entry left are left out.
void block_cholesky_clear(block_cholesky *c);
void block_cholesky_factor(block_cholesky *c, double least);

// x <- S^-1 x over the rows kept, zero in the others.
void block_cholesky_solve(const block_cholesky *c, double *x);

#endif
