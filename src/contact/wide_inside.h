// A friction problem between free bodies as wide.c solves it: islands in batches, contacts in blocks of one colour.
#ifndef PH_CONTACT_WIDE_INSIDE_H
#define PH_CONTACT_WIDE_INSIDE_H

#include "contact/wide.h"
#include "contact/wide_kernels.h"
#include "contact/wide_local.h"

#include <stdatomic.h>

typedef struct wide_array { // a growable array that begins on a cache line
    void *memory, *at;
    size_t bytes;
} wide_array;

typedef struct wide_batch { // islands that are solved together
    int ends;               // of contacts, on bodies
    int body, body_end;
    int domains, node; // and the first of 2 domains - 1 nodes: domains, contacts between two of them, ..., the last cut
    double error;      // what came out
    int passes;
    bool no_memory;
} wide_batch;

typedef struct wide_node {          // contacts that one thread solves one after the other
    int contact, contact_end;       // in wide.order
    int block, full_end, block_end; // full_end: all before are full
    int body, body_end;             // of the domain, or of all that the cut divides
    int parent;                     // across the next cut; -1: none
    atomic_int half_done;           // one side of the cut is
} wide_node;

typedef struct wide_member { // a body as cuts see it
    float at[3];
    int body, ends;
} wide_member;

enum { X_NOW, X_LAST, X_COUNT }; // impulses

struct wide {
    const ph_model *model;
    pool *pool;
    const wide_kernels *kernels_single, *kernels_double;
    bool *is_round; // by moving body: the same inertia about every axis

    // In the precision at hand:
    bool single;
    int rows; // of a block
    bool balls, round;
    wide_array blocks, ends, bodies, last, due, x[X_COUNT]; // borrowed
    wide_array best, inertia, colour, sums, batches, nodes; // best: impulses; colour: by block; sums: by node
    // Numbers. By moving body: island, ends of contacts of the island, batch of the island, place; by place: number, members,
    // colours taken, domain; by contact: pair, node, place; by node: order; by order: colour.
    wide_array island, island_ends, batch_of, body_place, body_at, members, aside, taken, leaf_of;
    wide_array pairs, node_of, order, colour_of, place;
    int block_count, body_count, batch_count, node_count;
    list_room scratch; // first guess, and wide_sort; then blocks, impulses and bodies; then the solution, and impulses
    size_t borrowed;   // bytes of it
    int growths;
    wide_local local;
};

void wide_free(wide *w); // all arrays
// Room for `count` elements; what was there is lost. NULL when out of memory.
void *wide_room(wide *w, wide_array *a, size_t count, size_t size);
// Scratch for arrays of so many bytes in all, `arrays` of them, behind `kept` bytes; what was there is lost. false when out
// of memory.
bool wide_lend(wide *w, size_t kept, size_t bytes, size_t arrays);
void *wide_borrow(wide *w, wide_array *a, size_t count, size_t size); // one of them

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

static inline size_t wide_impulse(int place) // the first of its three numbers
{
    return 3 * WIDE * ((size_t)place / WIDE) + (size_t)place % WIDE;
}

// Into how many domains a batch is cut.
int wide_domain_count(int ends);
// Sets the nodes of a batch but for their contacts, and sorts its members by domains.
void wide_cut(wide *w, const wide_batch *b);

typedef void wide_visit(void *user, int index);
// visit(user, node) for all nodes of a batch, on several threads: both sides of a cut before the contacts across it.
void wide_walk(wide *w, const wide_batch *b, wide_visit *visit, void *user);
// task(user, batch) for all batches: those of one domain on several threads, then the others one by one.
void wide_for_batches(wide *w, wide_visit *task, void *user);

// Batches, nodes, colours and places of all contacts. false when out of memory, as below.
bool wide_sort(wide *w, const wide_problem *d);
// Blocks, impulses and bodies, without these, in the precision of w, for what wide_sort has made. The blocks take the place
// of the first guess.
bool wide_load(wide *w, const wide_problem *d);
// Bodies alone, where w->bodies is.
bool wide_load_bodies(wide *w, const wide_problem *d);

#endif
