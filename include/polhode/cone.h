// Polhode: the cone problem of contact, by itself.
//
// Given a symmetric positive semidefinite operator N (impulses to velocities), velocities q without impulses, and a
// product K of cones, find impulses g and velocities u with
//
//     u = N g + q,    g in K,    -w in the normal cone of K at g,
//
// where w = u under the relaxed law (then g minimises 1/2 g.Ng + q.g over K) and, under Coulomb's law, w = u with
// sum_k mu_k |u_k| added to the normal row of every friction cone (De Saxce). A solver never sees bodies.
//
//     ph_cone_workspace *workspace = ph_cone_workspace_create(NULL);
//     ph_cone_settings settings = ph_default_cone();
//     ph_cone_solve(workspace, &problem, &settings, g, u, &report, &error);
#ifndef POLHODE_CONE_H
#define POLHODE_CONE_H

#include "polhode/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Cones ----------------------------------------------------------------------------------------------------------

typedef enum ph_cone_kind {
    PH_CONE_FREE,      // one row, any value: a joint
    PH_CONE_HALF_LINE, // one row, not negative: a limit
    PH_CONE_INTERVAL,  // one row, low <= g <= high: a bounded motor, joint friction
    PH_CONE_FRICTION,  // normal and two tangents; then, where asked for, two rows of rolling and one of spinning
} ph_cone_kind;

// PH_CONE_FRICTION: |g_tangent| <= friction g_normal, |g_rolling| <= rolling g_normal, |g_spinning| <= spinning g_normal.
typedef struct ph_cone {
    ph_cone_kind kind;
    bool rolls, spins; // the friction cone has those rows
    double friction;
    double rolling, spinning; // m
    double low, high;         // PH_CONE_INTERVAL; may be infinite
} ph_cone;

PH_API int ph_cone_rows(const ph_cone *cone); // 1, or 3 to 6

// The nearest point of the cone, exactly. `g` may be `nearest`.
PH_API void ph_cone_project(const ph_cone *cone, const double *g, double *nearest);

// ---- Operators ------------------------------------------------------------------------------------------------------

// A sparse symmetric matrix by rows, both halves of it. Columns rise in every row.
typedef struct ph_cone_matrix {
    int rows;
    const int *start;  // rows + 1
    const int *column; // start[rows]
    const double *value;
} ph_cone_matrix;

// The operator N. `apply` and `diagonal` may be left out when there is a matrix. Solvers that need single entries (pgs,
// newton) and finishing ask for the matrix; then, and not before, it has to exist.
typedef struct ph_cone_operator {
    void *self;
    void (*apply)(void *self, const double *x, double *y);            // y <- N x
    void (*diagonal)(void *self, int first, int rows, double *block); // N_ii, row-major
    const ph_cone_matrix *(*matrix)(void *self);                      // N itself; NULL when there is none
} ph_cone_operator;

PH_API ph_cone_operator ph_cone_matrix_operator(const ph_cone_matrix *matrix);

// A matrix of its own, from entries in any order: repeated ones are added, and the symmetric part is taken.
PH_API ph_status ph_cone_matrix_create(int rows, int count, const int *row, const int *column, const double *value,
                                       ph_cone_matrix **matrix, ph_error *error);
PH_API void ph_cone_matrix_destroy(ph_cone_matrix *matrix);

typedef struct ph_cone_problem {
    int cone_count;
    const ph_cone *cones; // their rows follow each other
    const double *q;
    ph_cone_operator N;
} ph_cone_problem;

// ---- Solving --------------------------------------------------------------------------------------------------------

typedef enum ph_cone_measure {
    PH_CONE_VELOCITY,    // largest entry of the natural map in velocity units, m/s
    PH_CONE_NATURAL_MAP, // |g - P(g - w)| / |q|, as collections of friction problems use it
    PH_CONE_BOTH,        // the larger of the two
} ph_cone_measure;

typedef struct ph_cone_settings {
    uint32_t cookie;
    const char *solver; // a name of ph_cone_solver_get
    ph_contact_law law;
    ph_cone_measure measure;
    double tolerance;
    int iterations;   // at the most; 0: as the solver thinks fit
    bool start;       // g holds impulses to start from
    bool finish;      // when the solver falls short and N has a matrix, "newton" takes over
    double lipschitz; // apgd: largest eigenvalue of the scaled N, from the report of a similar problem; 0: estimated
    uint64_t reserved[4]; // room for later versions
} ph_cone_settings;

PH_API ph_cone_settings ph_default_cone(void);

typedef struct ph_cone_report {
    bool converged;
    const char *solver;       // that gave the answer
    int iterations;           // of all solvers together
    int factorisations;       // of matrices, among them
    double residual;          // m/s: max over rows of d |g - P(g - w/d)|, d the mean diagonal entry of the cone in N
    double natural_map_error; // |g - P(g - w)| / |q|
    double certificate;   // m/s: ph_cone_certify of the answer; an answer that it does not confirm has not converged
    double lipschitz;     // as apgd met it; 0 when it did not run
    int immovable;        // cones that no impulse moves (N_ii is rounding of the largest): they are left out
    double infeasible;    // m/s: largest velocity at one of them that should not be; part of the residual
    int worst_cone;       // where the residual is largest; PH_NONE without cones
    int growths;          // blocks of memory taken: 0 when the workspace has met a problem as large before
    double seconds;       // of the solve, without what depends on the pattern of the matrix only ...
    double setup_seconds; // ... which is this
    uint64_t reserved[4]; // room for later versions
} ph_cone_report;

typedef struct ph_cone_workspace ph_cone_workspace;

PH_API ph_cone_workspace *ph_cone_workspace_create(const ph_allocator *allocator); // NULL when out of memory
PH_API void ph_cone_workspace_destroy(ph_cone_workspace *workspace);

// Takes all memory a solve of this problem needs, so that ph_cone_solve takes none.
PH_API ph_status ph_cone_prepare(ph_cone_workspace *workspace, const ph_cone_problem *problem,
                                 const ph_cone_settings *settings, ph_error *error);

// g: impulses, start and result; u: velocities N g + q, may be NULL. PH_OK also when the tolerance is missed: the best
// impulses met are returned and the report says how good they are.
PH_API ph_status ph_cone_solve(ph_cone_workspace *workspace, const ph_cone_problem *problem,
                               const ph_cone_settings *settings, double *g, double *u, ph_cone_report *report,
                               ph_error *error);

// How much impulses g violate the law, m/s: u <- N g + q, and the largest of min(d g_n, u_n), d g_k - D(d g_k - u_k) and the
// like over all contacts, D the nearest point of the disc of radius mu_k d g_n. Zero for solutions and for nothing else.
// Shares nothing with the solvers: neither scaling nor projection. The problem is one that ph_cone_solve takes.
PH_API double ph_cone_certify(const ph_cone_problem *problem, ph_contact_law law, const double *g, double *u);

typedef struct ph_cone_solver_info {
    const char *name, *title, *reference;
    bool needs_matrix;
} ph_cone_solver_info;

PH_API int ph_cone_solver_count(void);
PH_API ph_cone_solver_info ph_cone_solver_get(int index);
PH_API int ph_cone_solver_find(const char *name); // index or PH_NONE

// ---- Friction problems in files -------------------------------------------------------------------------------------

// FC3D 1 / contacts entries / friction coefficients / q / entries "i j value" of N. FC3D 2: and point, normal, tangents by contact.
typedef struct ph_fc_problem {
    int contacts;
    ph_cone *cones;
    double *q;
    ph_cone_matrix *matrix;
    double *frames; // by contact: point, normal from a to b, two tangents, world axes; NULL: the file did not say
} ph_fc_problem;

// Mistakes go into `problems` with their line; then no problem is made.
PH_API ph_status ph_fc_read_file(const char *path, ph_problems *problems, ph_fc_problem **fc);
PH_API ph_status ph_fc_read_text(const char *text, size_t length, const char *name, ph_problems *problems,
                                 ph_fc_problem **fc);
// As FC3D, to the last bit; version 2 where there are frames.
PH_API ph_status ph_fc_write_file(const ph_fc_problem *fc, const char *path, ph_error *error);
PH_API void ph_fc_destroy(ph_fc_problem *fc);

#ifdef __cplusplus
}
#endif
#endif
