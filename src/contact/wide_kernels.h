// What the inner loops of wide.c read and write.
//
// They come in two precisions: single for tolerances that leave room for it, double for all others and for the last look at
// what single found. A block is WIDE contacts of one colour, side by side: rows of WIDE numbers. Where there are fewer
// contacts the rest is held by nothing and takes no impulse.
#ifndef PH_CONTACT_WIDE_KERNELS_H
#define PH_CONTACT_WIDE_KERNELS_H

#include <stdbool.h>

enum { WIDE = 16 };

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

typedef struct wide_ends { // bodies of a block; the one that stands still in place of none
    int a[WIDE], b[WIDE];
} wide_ends;

// A body is a row of BODY numbers: velocity of the centre of mass, inverse mass; angular velocity (world), inverse inertia
// where it is the same about every axis. Where it is not, a second row: xx yy zz, 0, yz xz xy, 0 of the inverse.
enum { BODY = 8, BODY_MASS = 3, BODY_W = 4, BODY_SPIN = 7 };

// What a pass reads and writes. Numbers in the precision of the kernels; blocks and impulses may be single where they are
// double.
typedef struct wide_pass {
    bool single; // blocks and impulses
    bool balls;
    int rows; // of a block
    const void *blocks;
    const wide_ends *ends;
    void *bodies;
    void *last;          // bodies before the last sweep
    const void *inertia; // NULL: the same about every axis, for all bodies
    int still;           // the body that stands still
    void *x;             // impulses: by block, three rows
    void *x_last;        // read by a sweep, and replaced by what comes after x
    double c;            // extrapolation of a sweep
    double tolerance;    // of look and polish
    double part;         // of what solves a contact, 0: polish only looks

    // By place of a contact, not 0 where polishing must look at it: it is beyond the tolerance, or one of its bodies has
    // moved since somebody looked. `seen` is where looks say which are beyond; NULL: nowhere.
    unsigned char *due, *seen;
    const unsigned char *colour; // by block; neighbours of the same share no body
    const int *body_at;          // by body: its number in use_start
    const int *use_start, *uses; // as in wide_problem
    const int *place;            // by contact
} wide_pass;

typedef struct wide_sums {
    double turned; // (y - x+).(x+ - x): positive when the sweep turns back
    double beyond; // contacts beyond the tolerance
    double error;  // m/s, largest
} wide_sums;

typedef void wide_kernel(const wide_pass *pass, int from, int to, wide_sums *sums);

typedef struct wide_kernels {
    wide_kernel *extrapolate; // bodies
    wide_kernel *sweep;       // blocks of one colour
    wide_kernel *look;        // likewise: errors, and which are beyond the tolerance
    wide_kernel *polish;      // likewise: those that are due alone; which must not be single where the kernel is double
    wide_kernel *push;        // likewise: bodies get the impulses x
} wide_kernels;

extern const wide_kernels wide_single_base, wide_single_avx2, wide_single_avx512; // the last two on x86 only
extern const wide_kernels wide_double_base, wide_double_avx2, wide_double_avx512;

#endif
