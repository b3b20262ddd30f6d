// A friction problem between free bodies as wide.c solves it: islands in batches, contacts in blocks of one colour.
#ifndef PH_CONTACT_WIDE_INSIDE_H
#define PH_CONTACT_WIDE_INSIDE_H

#include "contact/wide.h"
#include "contact/wide_kernels.h"

typedef struct wide_array { // a growable array that begins on a cache line
    void *memory, *at;
    size_t bytes;
} wide_array;

typedef struct wide_colour {
    int block, block_end;
    bool one_by_one; // its contacts share bodies: one in a block, none at the same time
} wide_colour;

typedef struct wide_batch {   // islands that are solved together
    int contact, contact_end; // in wide.order
    int body, body_end;
    int colour, colour_end;
} wide_batch;

enum { X_NOW, X_LAST, X_BEST, X_SAVED, X_START, X_COUNT }; // impulses

struct wide {
    const ph_model *model;
    pool *pool;
    const wide_kernels *kernels_single, *kernels_double;
    bool *is_round; // by moving body: the same inertia about every axis

    // In the precision at hand:
    bool single;
    int rows; // of a block
    bool balls, round;
    wide_array blocks, bodies, last, saved, inertia, x[X_COUNT];
    wide_array ends, moved, sums, batches, colours;
    // Numbers. By moving body: island, contacts of the island, batch of the island, place, colours taken; by contact:
    // order by batches, place.
    wide_array island, island_count, batch_of, body_place, taken, order, colour_of, place;
    int block_count, body_count, batch_count, colour_count;
    int growths;
};

enum { CHUNK_BLOCKS = 8, CHUNK_BODIES = 256 }; // of a pass

void wide_free(wide *w); // all arrays

static inline size_t wide_real(const wide *w) // bytes of a number
{
    return w->single ? sizeof(float) : sizeof(double);
}

static inline double wide_get(const wide *w, const wide_array *a, size_t k)
{
    return w->single ? (double)((const float *)a->at)[k] : ((const double *)a->at)[k];
}

static inline void wide_put(const wide *w, const wide_array *a, size_t k, double value)
{
    if (w->single)
        ((float *)a->at)[k] = (float)value;
    else
        ((double *)a->at)[k] = value;
}

// Batches, colours and places of all contacts. false when out of memory, as below.
bool wide_sort(wide *w, const wide_problem *d);
// Blocks, impulses and bodies in the precision of w, for what wide_sort has made.
bool wide_load(wide *w, const wide_problem *d);
// Bodies alone.
bool wide_load_bodies(wide *w, const wide_problem *d);

#endif
