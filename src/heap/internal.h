// A friction problem between free bodies as heap.c solves it: islands in batches, contacts in blocks of one colour.
#ifndef PH_HEAP_INTERNAL_H
#define PH_HEAP_INTERNAL_H

#include "heap/clusters.h"
#include "heap/heap.h"
#include "heap/kernels.h"

#include <stdatomic.h>

typedef struct heap_array { // a growable array that begins on a cache line
    void *memory, *at;
    size_t bytes;
} heap_array;

typedef struct heap_batch { // islands that are solved together
    atomic_int ends;        // of contacts, on bodies
    int body, body_end;
    int domains;
    int region;   // the first of 2 domains - 1: domains, contacts between two of them, ..., the last cut
    double error; // what came out
    int passes;
    bool no_memory;
} heap_batch;

typedef struct heap_region {        // contacts that one thread solves one after the other
    int contact, contact_end;       // in layout.order
    int block, full_end, block_end; // full_end: all before are full
    int body, body_end;             // of the domain, or of all that the cut divides
    int parent;                     // across the next cut; -1: none
    atomic_int half_done;           // one side of the cut is
} heap_region;

typedef struct heap_member { // a body as cuts see it
    float at[3];
    int body, ends;
} heap_member;

enum { X_NOW, X_LAST, X_COUNT }; // impulses

// Where contacts and bodies are, whatever the precision (sort.c).
typedef struct heap_layout {
    heap_array batches, regions;
    heap_array body_place; // by moving body: its place, -1: it has no contacts
    heap_array body_at;    // by place: the moving body
    heap_array order;      // contacts, region by region
    heap_array place;      // by contact: its place in the blocks
    heap_array colour;     // by block
    heap_array table;      // of buckets_sort
    int block_count, body_count, batch_count, region_count;
} heap_layout;

// What makes the layout, and is not needed when it is made; borrowed.
typedef struct heap_sorting {
    heap_array island, island_ends, batch_of; // by moving body, by island, by island
    heap_array members, aside;                // by place: bodies as cuts see them; room to move them about
    heap_array leaf_of, taken;                // by place: domain, colours taken
    heap_array pairs, region_of;              // by contact
    heap_array colour_of;                     // by order
} heap_sorting;

// What kernels read and write, in the precision at hand (load.c).
typedef struct heap_numbers {
    bool single;
    int rows;          // of a block
    bool balls, round; // arms are along normals; inertia is the same about every axis
    heap_array blocks, ends, bodies, last, active, x[X_COUNT]; // borrowed
    heap_array best, inertia, sums;                            // best: impulses; sums: by region
} heap_numbers;

struct heap {
    const ph_model *model;
    pool *pool;
    scratch *scratch;
    size_t borrowed; // bytes of it
    const heap_kernels *kernels_single, *kernels_double;
    bool *is_round; // by moving body: the same inertia about every axis
    heap_layout layout;
    heap_sorting sorting;
    heap_numbers numbers;
    clusters clusters;
    int growths;
};

void heap_free(heap *h); // all arrays
// Room for `count` elements; what was there is lost. NULL when out of memory.
void *heap_room(heap *h, heap_array *a, size_t count, size_t size);
// A phase of the scratch with so many bytes, of which the first `kept` stay; arrays are borrowed from `from` on. false when
// out of memory.
bool heap_enter(heap *h, scratch_phase phase, size_t kept, size_t from, size_t bytes);
void *heap_borrow(heap *h, heap_array *a, size_t count, size_t size);
enum { HEAP_ALIGNMENT = 64 };

static inline size_t heap_real(const heap *h) // bytes of a number
{
    return h->numbers.single ? sizeof(float) : sizeof(double);
}

static inline double heap_get(const heap *h, const heap_array *a, size_t k)
{
    return h->numbers.single ? (double)((const float *)a->at)[k] : ((const double *)a->at)[k];
}

static inline void heap_put(const heap *h, const heap_array *a, size_t k, double value)
{
    if (h->numbers.single)
        ((float *)a->at)[k] = (float)value;
    else
        ((double *)a->at)[k] = value;
}

static inline size_t heap_impulse(int place) // the first of its three numbers
{
    return 3 * BLOCK * ((size_t)place / BLOCK) + (size_t)place % BLOCK;
}

// ---- The problem ----------------------------------------------------------------------------------------------------

typedef struct heap_contact {
    ph_vec3 n, arm_a, arm_b; // world; n from a to b
    double bias, friction, softness;
} heap_contact;

heap_contact heap_contact_at(const heap_problem *d, int i);

static inline ph_vec3 heap_position(const heap_problem *d, int k) // of a moving body
{
    return poses_place(&d->contacts->at, d->contacts->shapes->model->moving[k]);
}

// World axes; also where the problem has one number for each body.
ph_mat3 heap_inverse_inertia(const heap_problem *d, int k);

// ---- domains.c, cut.c -----------------------------------------------------------------------------------------------

// Into how many domains a batch is cut.
int heap_domain_count(int ends);
// Sets the regions of a batch but for their contacts, and sorts its members by domains. false when out of memory.
bool heap_cut(heap *h, const heap_batch *b);

typedef void heap_visit(void *user, int index);
// visit(user, region) for all regions of a batch, on several threads: both sides of a cut before the contacts across it.
void heap_walk(heap *h, const heap_batch *b, heap_visit *visit, void *user);
// task(user, batch) for all batches: those of one domain on several threads, then the others one by one.
void heap_for_batches(heap *h, heap_visit *task, void *user);

// ---- beside.c -------------------------------------------------------------------------------------------------------

// A pass over what acts beside the contacts of a batch, if anything does, as c and tolerance of `p` say; adds to the sums.
void heap_run_beside(const heap *h, const heap_problem *d, const heap_batch *b, const heap_pass *p,
                     heap_beside_pass pass, heap_sums *sums);

// ---- sort.c, load.c, batch.c ----------------------------------------------------------------------------------------

// Batches, regions, colours and places of all contacts. false when out of memory, as below.
bool heap_sort(heap *h, const heap_problem *d);
// Blocks, impulses and bodies, without these, in the precision of h, for what heap_sort has made. The blocks take the place
// of the first guess.
bool heap_load(heap *h, const heap_problem *d);
// Bodies alone, where h->numbers.bodies is.
bool heap_load_bodies(heap *h, const heap_problem *d);
// The velocities of a moving body there; none of what cannot move.
screw heap_twist(const heap *h, int body);
void heap_put_twist(const heap *h, int body, screw twist);

// All batches, to the tolerance or as far as the budget of passes goes; what comes out is in X_NOW. Returns the largest
// error; *passes: the most of any batch.
double heap_solve_batches(heap *h, const heap_problem *d, double tolerance, int budget, int *passes, bool *ok);
// Bodies get the impulses of X_NOW.
void heap_push_batches(heap *h, const heap_problem *d);
// Likewise, bodies in double and impulses in single precision; returns the largest error.
double heap_check_single(heap *h, const heap_problem *d, double tolerance);

#endif
