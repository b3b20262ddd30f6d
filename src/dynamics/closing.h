// Joints that close loops, on top of the elimination of a tree (articulated/elimination.h).
//
// With K the system of the tree, all of its rows included, and those rows of closing joints that are kept:
//
//     [ K   w B^T ] [ u      ]   [ r     ]         Z = K^-1 w B^T,   S = C Z
//     [ C   0     ] [ lambda ] = [ r_phi ]         S lambda = C u_0 - r_phi,   u = u_0 - Z lambda,   u_0 = K^-1 r
//
// One solve with the tree for each row, so for loops that are few.
//
// Dampers between bodies that the tree has no place for are ties: rows that give way. c g g^T in K is a row g with the multiplier
// w lambda = c g . u, so that S has w/c more on its diagonal.
//
// The tree's own rows never depend on each other. Whether a row of a closing joint depends on them and on those before it is
// seen in S of a symmetric K: what elimination leaves of its diagonal is the squared sine of its angle, in the metric of K. Where
// all are clearly one or the other, that is the answer in any metric; else dependent.h is asked.
#ifndef PH_DYNAMICS_CLOSING_H
#define PH_DYNAMICS_CLOSING_H

#include "articulated/elimination.h"

typedef struct closing_row {
    int joint, row;                     // of the model; of the joint
    double trial[6 * JOINT_BODIES_MAX]; // row of C, by body of the joint
} closing_row;

typedef struct closing_tie {
    int bodies[2];     // of the model
    double g[2][6];    // by body
    double resistance; // c; 0: there is none at present
} closing_tie;

typedef struct closings {
    const ph_model *model;
    elimination *tree;
    const int *B_of; // by closing joint: where its Jacobian begins
    int joint_count, row_count;
    const int *joints;
    closing_row *rows;
    int tie_count;
    closing_tie *ties;
    int x_count;
    double *Z; // by row, then by tie, x_count numbers each
    double *S; // all rows, then those kept; its factor
    double *lambda;
    int kept_count;
    int *kept; // rows, then ties, counted on
    double weight;
} closings;

// How many rows pay.
enum { CLOSING_MOST = 24 };

int closing_rows(const elimination *tree); // of joints that close loops, but for those of rotors that the tree has
bool closing_create(elimination *tree, const int *B_of, int x_count, int ties, arena *memory,
                    closings *c); // false: out of memory

// Right-hand sides w B^T and rows C = B_there diag(T, I), from the Jacobians of all joints. T: that of moving body k stands `stride`
// bytes behind that of the one before; NULL: the identity.
void closing_put(closings *c, double weight, const double *here, const double *there, const ph_mat3 *T, size_t stride);
void closing_put_tie(closings *c, int tie, double resistance, const ph_wrench *a,
                     const ph_wrench *b); // after closing_put
// Which rows are left out, by joint of the model: bits.
void closing_keep(closings *c, const unsigned char *left_out);
bool closing_factor(closings *c); // with the rows kept, after the tree; false: they are nearly dependent
// For a symmetric matrix: decides which rows are kept, writes the others to left_out, and factors. false: not clear.
bool closing_choose(closings *c, unsigned char *left_out);
void closing_solve(closings *c, double *x); // after the tree, in place

#endif
