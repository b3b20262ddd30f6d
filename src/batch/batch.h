// What the files of a batch share.
#ifndef PH_BATCH_BATCH_H
#define PH_BATCH_BATCH_H

#include "base/memory.h"
#include "base/pool.h"
#include "base/thread.h"
#include "io/model/revise.h"
#include "model/state.h"
#include "polhode/analysis.h"
#include "polhode/batch.h"

// What a thread needs to move and to look at a world. Nothing of a world stays in it, so that any hand serves any world of
// its model.
typedef struct hand {
    ph_sim *sim;
    ph_observer *observer; // made when first needed
    revision *revision;    // of the parameters that were drawn last (vary.c)
} hand;

typedef struct world {
    const ph_model *model; // the shared one, or its own
    ph_model *variant;     // its own where the batch has made it (vary.c), else NULL
    hand own;              // of worlds with a model of their own
    ph_status status;
    uint64_t resets, variations;
    char message[256];
} world;

struct ph_batch {
    const ph_model *model;
    ph_batch_def def;
    char *scheme, *options; // the texts that it points to
    pool *pool;
    void *block;  // holds the states
    char *states; // each begins a pair of cache lines
    size_t stride;
    world *worlds;
    hand *hands; // of the shared model, one for each thread
    hand **idle; // those that nobody holds
    int idle_count;
    thread_lock lock;
    int coordinates;
    int *first; // by body: the first one of the floating machine that it is part of; -1 where the world holds it
};

static inline ph_state *state_of(const ph_batch *b, int world)
{
    return (ph_state *)(void *)(b->states + (size_t)world * b->stride);
}

// task(user, hand, world) for every world, on all threads. They take several neighbours at a time, so that they seldom meet at the
// lock and do not write to the same cache lines.
typedef void world_task(void *user, hand *hand, int world);
void worlds_run(ph_batch *b, world_task *task, void *user);
// The same, with the thread's own hand also for worlds that have one of theirs.
void worlds_run_by_threads(ph_batch *b, world_task *task, void *user);

// Notes that a world has failed.
void world_fail(ph_batch *b, int world, ph_status status, const char *text);

// Moves a world to the start of another model like the shared one. `variant`: that model is the batch's to destroy, if it was taken.
ph_status world_set_model(ph_batch *b, int world, const ph_model *model, ph_model *variant, ph_error *error);

// SplitMix64 (Steele, Lea & Flood 2014): a counter and a mixing function, so that any stream can be begun anywhere.
typedef struct noise {
    uint64_t at;
} noise;
noise noise_begin(uint64_t seed, uint64_t world, uint64_t count);
double noise_draw(noise *n, double amount); // uniform in [-amount, amount)

// Coordinates and rates of all joints of a world. False when out of memory.
bool world_joints(ph_batch *b, hand *hand, int world, double *coordinates, double *rates);

#endif
