// The cone problem inside: cones with their rows, the problem in scaled coordinates, and what solvers work with.
//
// Scaling. Impulses are g = S x and velocities u = S^-1 y with S diagonal, one number for normal and tangents of a
// contact, one for its rolling and one for its spinning rows, so that the mean diagonal entry of each such part of
// S N S is 1. Friction cones stay what they are (the coefficients of rolling and spinning are scaled with the rows). All
// solvers work on x, y and the scaled operator and leave no trace of units; only cone_error looks back.
#ifndef PH_CONE_CONE_H
#define PH_CONE_CONE_H

#include "polhode/cone.h"

#include "base/memory.h"

enum { CONE_ROWS_MAX = 6, CONE_PARTS_MAX = 3 };

// Rows of a friction cone that a multiple of its normal row bounds: |x_part| <= mu x_0.
typedef struct cone_part {
    int first, size; // within the cone
    double mu;
} cone_part;

typedef struct cone {
    ph_cone_kind kind;
    int first, rows; // in the whole vector
    int part_count;
    cone_part parts[CONE_PARTS_MAX];
    double low, high;
    bool immovable; // no impulse moves it: it takes none, and is left out
} cone;

// Of two numbers, in line: fmax and fmin are calls, for the sake of NaN.
static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

cone cone_make(const ph_cone *given, int first); // with the rows of `given` from row `first` on

// ---- One cone: x, y, u are its own rows -----------------------------------------------------------------------------

void cone_project(const cone *c, const double *x, double *y); // y <- P(x); may be the same array

// D <- an element of the generalised Jacobian of P at x, rows x rows, symmetric; returns its rank (0: P is constant).
int cone_derivative(const cone *c, const double *x, double *D);

// De Saxce's shift of the normal velocity: sum_k mu_k |u_k|; 0 for cones without friction.
double cone_shift(const cone *c, const double *u);

// C = I + e_n sum_k mu_k (u_k/|u_k|)^T: writes the row vector of the sum, rows long, the derivative of the shift.
void cone_shift_gradient(const cone *c, const double *u, double *row);

// ---- Blocks of the matrix -------------------------------------------------------------------------------------------

// S N S as blocks between cones, by rows of cones; columns rise. The diagonal block is always there.
typedef struct cone_blocks {
    int *start;     // cone_count + 1
    int *column;    // cone
    size_t *offset; // of the values, row-major
    int *diagonal;  // by cone: index of its diagonal block
    double *value;
    int start_room, diagonal_room, column_room, offset_room, value_room;
} cone_blocks;

// ---- The problem and its memory -------------------------------------------------------------------------------------

typedef struct cone_factor cone_factor;     // cone_factor.h
typedef struct cone_interior cone_interior; // cone_interior.c

struct ph_cone_workspace {
    const ph_allocator *allocator;
    ph_allocator allocator_copy;
    int growths;
    int rows, cone_count;
    cone *given, *cones; // in the units of the problem; scaled
    double *scale;       // by row: S
    double *q;           // S q
    double *raised;      // S x, for products with an operator that is no matrix
    int *cone_of;        // by row
    int given_room, cones_room, scale_room, q_room, raised_room, cone_of_room;
    cone_blocks blocks;
    bool has_blocks, has_order; // of the problem at hand
    bool lent;                  // its matrix stood in memory of the workspace
    double *vectors;            // scratch for solvers, taken and returned like a stack
    int vectors_room;
    cone_factor *factor;
    cone_interior *interior;
};

// Room for `count` elements in a growable array of a workspace; false when out of memory.
bool cone_reserve(ph_cone_workspace *w, void *array, int *room, size_t count, size_t size);

// Memory that the workspace itself does not need before it has loaded a problem: a matrix may stand there until
// ph_cone_solve has taken it. Such problems get no certificate: the matrix is gone by then. NULL when out of memory.
void *cone_workspace_lend(ph_cone_workspace *w, size_t bytes);

// One solve: what solvers read and write.
typedef struct cone_run {
    ph_cone_workspace *w;
    const ph_cone_problem *problem;
    ph_contact_law law;
    double weight; // of De Saxce's shift in the equations of newton: 1 under Coulomb's law, 0 under the relaxed
    ph_cone_measure measure;
    double tolerance;
    double q_norm; // |q| in the units of the problem
    int budget;    // iterations left
    int iterations, factorisations;
    double L; // largest eigenvalue of S N S as apgd saw it last; 0: not yet
    int vectors_taken;
    double *best_x, *best_y; // the best impulses so far and N x (scaled), by the error below
    double best_error;
    const char *best_solver, *solver;
} cone_run;

// A vector of scratch, `rows` long; the solver's table entry says how many it takes at the most.
double *cone_take(cone_run *run);

// y <- S N S x
void cone_apply(const cone_run *run, const double *x, double *y);

// Error of impulses x with N x = y, in the measure and under the law of the run; `shift` (by cone, NULL: as the law
// says) in place of De Saxce's.
double cone_error(const cone_run *run, const double *x, const double *y, const double *shift);

double cone_error_of(const cone_run *run, int i, const double *x, const double *y); // of cone i, in m/s

// Normal velocity of an immovable cone that should not be and that no impulse changes, m/s; 0 for all others.
double cone_infeasible(const cone_run *run, int i);

// Keeps x when it is the best so far. true when it meets the tolerance.
bool cone_offer(cone_run *run, const double *x, const double *y);

static inline bool cone_met(const cone_run *run)
{
    return run->best_error <= run->tolerance;
}

// ---- Solvers --------------------------------------------------------------------------------------------------------

typedef struct cone_solver {
    const char *name, *title, *reference;
    bool needs_matrix, needs_factor;
    int vectors;    // of scratch
    int iterations; // by default
    // Minimises 1/2 x.Nx + q.x over the cones, from x with N x = y, until the error under `shift` (inside q already) is
    // at most `target` or the budget is gone. For the Coulomb law this is called again and again (cone_law.c).
    void (*minimise)(cone_run *run, const double *q, const double *shift, double target, double *x, double *y);
    // In its place: solves under the law of the run, offering what it finds.
    void (*solve)(cone_run *run, double *x, double *y);
} cone_solver;

extern const cone_solver cone_solver_apgd, cone_solver_bb, cone_solver_pgs, cone_solver_newton;

// The law of the run by a solver that can only minimise. Takes CONE_LAW_VECTORS of scratch on top of the solver's.
enum { CONE_LAW_VECTORS = 2 + 5 };
void cone_law_solve(cone_run *run, const cone_solver *solver, double *x, double *y);

#endif
