// What the files of a batch share.
#ifndef PH_BATCH_BATCH_H
#define PH_BATCH_BATCH_H

#include "base/memory.h"
#include "base/pool.h"
#include "model/state.h"
#include "polhode/analysis.h"
#include "polhode/batch.h"

#include <pthread.h>

// What a thread needs to move and to look at a world. Nothing of a world stays in it, so that any hand serves any world of
// its model.
typedef struct hand {
    ph_sim *sim;
    ph_observer *observer; // made when first needed
} hand;

typedef struct world {
    const ph_model *model; // the shared one, or its own
    hand own;              // of worlds with a model of their own
    ph_status status;
    uint64_t resets;
    char message[256];
} world;

struct ph_batch {
    const ph_model *model;
    ph_batch_def def;
    char *scheme, *options; // the texts that it points to
    pool *pool;
    char *states; // one block
    size_t stride;
    world *worlds;
    hand *hands; // of the shared model, one for each thread
    hand **idle; // those that nobody holds
    int idle_count;
    pthread_mutex_t lock;
    int coordinates;
};

static inline ph_state *state_of(const ph_batch *b, int world)
{
    return (ph_state *)(void *)(b->states + (size_t)world * b->stride);
}

// A hand for this world, to be given back; never NULL, as there are as many as threads.
hand *hand_take(ph_batch *b, int world);
void hand_give(ph_batch *b, int world, hand *hand);

// Notes that a world has failed.
void world_fail(ph_batch *b, int world, ph_status status, const char *text);

// Coordinates and rates of all joints of a world. False when out of memory.
bool world_joints(ph_batch *b, hand *hand, int world, double *coordinates, double *rates);

#endif
