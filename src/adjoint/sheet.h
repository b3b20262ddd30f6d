// Derivatives of what joints and forces give: rows of numbers for the changes of the state and of numbers of the model. They are
// found once in a step and serve all tangents, four of them at a time.
#ifndef PH_ADJOINT_SHEET_H
#define PH_ADJOINT_SHEET_H

#include "adjoint/numbers.h"
#include "dynamics/node.h"
#include "math/quad.h"

typedef struct term { // y[row] += by x[from]
    int row, from;
    double by;
} term;

typedef struct stretch { // terms in a row that stand for numbers of the model
    int first, count;
    const bool *active; // by block: do its tangents change them?
} stretch;

typedef struct sheet {
    term *state, *numbers;
    stretch *stretches;
    int state_count, number_count, stretch_count;
} sheet;

// What a joint, motor or force depends on.
typedef struct range {
    int at, count;
} range;

typedef struct element {
    int *bodies; // moving ones
    int body_count;
    range *ranges; // of numbers
    int range_count;
    int *used; // numbers that some tangent changes
    int used_count;
    bool *active;   // by block
    bool by_frames; // of a joint: what changes are the places and axes of its frames, in bodies that move
} element;

typedef struct elements {
    const numbers *numbers;
    int columns, blocks;
    const double **directions; // by column: of numbers; NULL: none change
    bool inputs_given;         // inputs do not follow the model
    element *joints, *motors, *forces;
    int *slot; // by number: where it stands among those that tangents change, or -1
    int *used; // by slot: the number
    int used_count;
    int first_slot; // in x, of which q, v and targets of motors are the first: six and six numbers for each moving body
    ph_wrench *by_q, *by_v; // gradient at hand, by body
    double *by_numbers;
    ph_twist *unit;          // zero but for one entry
    double *blocks_of_force; // room for the derivatives of one
} elements;

bool elements_create(const numbers *n, int columns, const double **directions, bool inputs_given, arena *memory,
                     elements *e);
bool sheet_create(const elements *e, arena *memory, sheet *s);

static inline void sheet_clear(sheet *s)
{
    s->state_count = s->number_count = s->stretch_count = 0;
}
// y += s x in one block of tangents, or in two
void sheet_apply(const sheet *s, int block, int blocks, const quad *const x[2], quad *const y[2]);

// Rows of a sheet are those of the right-hand side of `to`.

// += scale d(B^T lambda)
void sheet_add_reactions(elements *e, sheet *s, const kkt *to, const node *at, double scale, const double *lambda);
// += scale d(Phi), or scale d(B w) where w, the twists of the node, is given
void sheet_add_rows(elements *e, sheet *s, const kkt *to, const node *at, double scale, const ph_twist *w);
// -= scale times the change of the targets of motors in their rows, or of the rates of these
void sheet_add_motors(elements *e, sheet *s, const kkt *to, const motion *at, double scale, bool rate);
// Targets of motors by speed at the end of a step: rows are those of targets.
void sheet_add_targets(elements *e, sheet *s, const motion *at);
// += scale dQ of all elements, by velocities too where that is wanted
void sheet_add_forces(elements *e, sheet *s, const kkt *to, const motion *at, double scale, bool velocities);

// ---- A row ----------------------------------------------------------------------------------------------------------

static inline void sheet_put(sheet *s, int row, int from, double by)
{
    if (by != 0.0) s->state[s->state_count++] = (term){row, from, by};
}

static inline void sheet_put_number(const elements *e, sheet *s, int row, int number, double by)
{
    if (by != 0.0) s->numbers[s->number_count++] = (term){row, e->first_slot + e->slot[number], by};
}

// Around the rows of an element.
void sheet_begin(const element *e, sheet *s);
void sheet_end(const element *e, sheet *s);
// The gradient at hand becomes a row, and is forgotten.
void sheet_take(elements *all, const element *e, sheet *s, int row, double scale);
double *sheet_entry(ph_twist *w, int k); // 0 to 5

#endif
