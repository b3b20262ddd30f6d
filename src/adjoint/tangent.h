// Tangents: how the states of a run change along directions of its start and of the numbers of the model, one step at a time,
// forwards. The matrices are those of the step; what joints and forces add comes from their reverse derivatives, a row at a
// time (sheet.h). Both serve all directions, and four of them go through at once.
#ifndef PH_ADJOINT_TANGENT_H
#define PH_ADJOINT_TANGENT_H

#include "adjoint/sheet.h"
#include "adjoint/sweep.h"

typedef struct mass_change { // of one body in one block
    bool any;
    quad mass, J[6]; // xx, yy, zz, xy, yz, zx
} mass_change;

// Columns of [w]: J w = [w] (xx, yy, zz, xy, yz, zx)
typedef struct weight {
    ph_vec3 by[6];
} weight;

typedef struct mass_weights { // of one body in the stage at hand: of G(h Omega_+)/h, and of the velocity of the node
    bool any;                 // does some tangent change its masses?
    weight turn, node;
} mass_weights;

typedef struct tangent {
    sweep *s; // its matrices and nodes
    int columns, blocks;
    const double **directions; // by column: of numbers; NULL: none change
    elements elements;
    sheet first, second; // momenta at the start of a step and rows at its end; both at the end
    sheet targets;
    int width;             // of x: dq, then dV, of momenta where a node is not shown; targets; numbers
    quad *x;               // by block
    quad *plus;            // by block: dV_+
    quad *side[2], *room;  // two right-hand sides, and to solve
    mass_change *masses;   // by block and moving body
    mass_weights *weights; // by moving body
    quad *gravity;         // by block: three numbers
    bool gravity_changes;
    bool unsolved;  // stage 2 of the last step was left out: dV holds what its right-hand side would have been
    double *pushed; // by row of joints: multipliers of B_n^T in the next stage 1; mu of a stage 2 that was left out
} tangent;

bool tangent_create(sweep *s, int columns, const double **directions, bool inputs_given, arena *memory, tangent *t);
// dq and dV at the start, from the directions.
void tangent_begin(tangent *t);
// As sweep_back, the other way. `seen`: somebody looks at dV where it ends. false: a matrix is singular.
bool tangent_on(tangent *t, const tape_record *r, const tape_record *end, bool last, bool shown_before, bool seen);
// Number i of dq (0 to 5) or dV (6 to 11) of a moving body along the columns of a block
static inline const quad *tangent_quad(const tangent *t, int block, int moving, int i)
{
    const int count = t->s->model->moving_count, at = i < 6 ? 6 * moving + i : 6 * (count + moving) + i - 6;
    return &t->x[(size_t)block * (size_t)t->width + (size_t)at];
}

#endif
