// What the inner loops of heap.c read and write.
//
// They come in two precisions: single for tolerances that leave room for it, double for all others and for the last
// residual check of what single found. A block is BLOCK contacts of one colour, side by side: rows of BLOCK numbers. Where there are fewer
// contacts the rest is held by nothing and takes no impulse.
#ifndef PH_HEAP_KERNELS_H
#define PH_HEAP_KERNELS_H

#include <stdbool.h>

enum { BLOCK = 16 };

// Rows of a block. Contacts between balls, whose arms are along the normal and whose inertia is the same about every axis,
// need the first BALL_ROWS only.
enum {
    ROW_N = 0, // three: normal, from a to b
    ROW_BIAS = 3,
    ROW_MU,
    ROW_INVERSE_N, // 1/d_n
    ROW_INVERSE_T, // 1/d_t
    ROW_SOFT,
    ROW_D,       // (d_n + 2 d_t)/3
    ROW_REACH_A, // of balls: arm_a = reach_a n
    ROW_REACH_B, // arm_b = -reach_b n
    BALL_ROWS,
    ROW_ARM_A = BALL_ROWS,
    ROW_ARM_B = ROW_ARM_A + 3,
    ROW_TN = ROW_ARM_B + 3, // the tangential velocity that a normal impulse gives
    BLOCK_ROWS = ROW_TN + 3,
};

typedef struct heap_ends { // bodies of a block; the static body in place of none
    int a[BLOCK], b[BLOCK];
} heap_ends;

// A body is a row of BODY numbers: velocity of the centre of mass, inverse mass; angular velocity (world), inverse inertia
// where it is the same about every axis. Where it is not, a second row: xx yy zz, 0, yz xz xy, 0 of the inverse.
enum { BODY = 8, BODY_MASS = 3, BODY_W = 4, BODY_SPIN = 7 };

// What a pass reads and writes. Numbers in the precision of the kernels; blocks and impulses may be single where they are
// double.
typedef struct heap_pass {
    bool single; // blocks and impulses
    bool balls;
    int rows; // of a block
    const void *blocks;
    const heap_ends *ends;
    void *bodies;
    void *last;          // bodies before the last sweep
    const void *inertia; // NULL: the same about every axis, for all bodies
    int static_body;     // index of the body that never moves
    void *x;             // impulses: by block, three rows
    void *x_last;        // read by a sweep, and replaced by what comes after x
    double c;            // extrapolation of a sweep
    double tolerance;    // of the residual check and of polishing
    double relaxation;   // of a polishing pass: fraction of the full correction; 0: it only flags

    // By place of a contact, not 0 where polishing must check it: it is beyond the tolerance, or one of its bodies has
    // moved since the last check. Checks write to `seen` which are beyond; NULL: nowhere.
    unsigned char *active, *seen;
    const unsigned char *colour; // by block; neighbours of the same share no body
    const int *body_at;          // by body: its number in use_start
    const int *use_start, *uses; // as in heap_problem
    const int *place;            // by contact
} heap_pass;

typedef struct heap_sums {
    double restart; // (y - x+).(x+ - x): positive when the sweep goes against the extrapolation
    double beyond;  // contacts beyond the tolerance
    double error;   // m/s, largest
} heap_sums;

typedef void heap_kernel(const heap_pass *pass, int from, int to, heap_sums *sums);

typedef struct heap_kernels {
    heap_kernel *extrapolate; // bodies
    heap_kernel *sweep;       // blocks of one colour
    heap_kernel *check;       // likewise: errors, and which are beyond the tolerance
    heap_kernel *polish;      // likewise: active contacts only; storage must match the precision of the kernel
    heap_kernel *push;        // likewise: bodies get the impulses x
} heap_kernels;

extern const heap_kernels heap_single_base, heap_single_avx2, heap_single_avx512; // the last two on x86 only
extern const heap_kernels heap_double_base, heap_double_avx2, heap_double_avx512;

#endif
