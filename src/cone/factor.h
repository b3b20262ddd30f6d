// LU factorisation of matrices with the pattern of a cone problem's blocks.
//
// Contacts that touch the same others (the four corners of a box on a box, say) are one group: a pivot is the dense
// block of a group. Groups are eliminated in an order of approximate minimum degree. For pivot k, with its later groups
// side by side in panels U_k and T_k = (A_jk)^T, both size_k rows high:
//
//     V_k = D_k^-1 U_k,    A_ij <- A_ij - T_ki^T V_kj    (and its transpose in T_i: - V_ki^T T_kj).
//
// Rows are exchanged inside a pivot only. Values may be unsymmetric; for symmetric ones half the work is left out.
#ifndef PH_CONE_FACTOR_H
#define PH_CONE_FACTOR_H

#include "cone/cone.h"

typedef struct cone_place { // entry (a, b) of a block is value[offset + a row + b column]
    size_t offset;
    int row, column;
} cone_place;

typedef struct cone_pivot {
    int size, width;            // rows of the group; columns of its panels
    int x;                      // first row in the vector of solutions
    int later_start, later_end; // its later groups
    size_t D, V, T;             // offsets
} cone_pivot;

typedef struct cone_graph { // of groups
    int count;
    int *start, *neighbour; // without the group itself
    int *weight;            // rows
    int start_room, neighbour_room, weight_room;
} cone_graph;

struct cone_factor {
    cone_graph graph;
    int *group, *inside; // by cone: its group, its first row in there
    int *hash_next, *hash_head, *leader;
    int group_room, inside_room, next_room, head_room, leader_room;
    // order: by place in it
    int *order, *position; // group; by group: place
    int *later_start;      // count + 1
    int *later;            // places, rising
    int *work;
    int order_room, position_room, later_start_room, later_room, work_room;
    // numbers
    cone_pivot *pivots;
    int *column;        // by entry of `later`: first column of that group in the panels
    cone_place *places; // by block of the problem
    bool *active;       // by place in the order; the others are the identity
    double *value, *x;
    int *swaps; // by row of x
    int pivots_room, column_room, places_room, active_room, value_room, x_room, swaps_room;
    size_t value_count;
};

// Groups, order and memory for the pattern in w->blocks. false when out of memory.
bool cone_factor_order(ph_cone_workspace *w);
void cone_factor_destroy(ph_cone_workspace *w);

void cone_factor_clear(ph_cone_workspace *w); // all values to zero, all groups active

// The place of block k (between cones i and j, of the problem's blocks) in the matrix to be factored.
static inline double *cone_factor_entry(cone_factor *f, int k, int a, int b)
{
    const cone_place *p = &f->places[k];
    return f->value + p->offset + (size_t)(a * p->row) + (size_t)(b * p->column);
}

// Factors in place. With `symmetric` only blocks on and above the diagonal are looked at. Pivots that vanish are replaced
// by something tiny.
void cone_factor_run(ph_cone_workspace *w, bool symmetric);

void cone_factor_solve(const ph_cone_workspace *w, double *x); // in place, rows as in the problem

// Order of least approximate degree of f->graph, into f->order and f->later. false when out of memory.
bool cone_order_make(ph_cone_workspace *w);

#endif
