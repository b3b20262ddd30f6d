// Many worlds of one model: states side by side in one block, moved by whichever thread is free.

#include "batch/batch.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

enum { CACHE_LINES = 128 }; // two: processors fetch neighbours together

static const uint32_t BATCH_COOKIE = 0x42544348u;

ph_batch_def ph_default_batch(void)
{
    return (ph_batch_def){.cookie = BATCH_COOKIE, .worlds = 1, .threads = 1, .sim = ph_default_sim()};
}

// ---- Hands ----------------------------------------------------------------------------------------------------------

static void hand_free(hand *hand)
{
    ph_sim_destroy(hand->sim);
    ph_observer_destroy(hand->observer);
    revision_destroy(hand->revision);
    *hand = (struct hand){0};
}

static hand *hand_take(ph_batch *b)
{
    lock_take(&b->lock);
    hand *taken = b->idle[--b->idle_count]; // there are as many as threads
    lock_leave(&b->lock);
    return taken;
}

static void hand_give(ph_batch *b, hand *given)
{
    lock_take(&b->lock);
    b->idle[b->idle_count++] = given;
    lock_leave(&b->lock);
}

typedef struct every_world {
    ph_batch *b;
    world_task *task;
    void *user;
    bool by_threads;
} every_world;

static void run_some(void *user, int part, int from, int to)
{
    const every_world *e = user;
    hand *shared = hand_take(e->b);
    (void)part;
    for (int w = from; w < to; w++) {
        world *at = &e->b->worlds[w];
        e->task(e->user, e->by_threads || at->model == e->b->model ? shared : &at->own, w);
    }
    hand_give(e->b, shared);
}

static void run_all(ph_batch *b, const every_world *e)
{
    // Parts that each thread takes, so that none waits long for the last, even where some cores are half as fast as others; worlds in a part.
    enum { PARTS = 32, MOST = 16 };
    const int even = b->def.worlds / (PARTS * b->def.threads);
    pool_run_ranges(b->pool, run_some, (void *)e, b->def.worlds, even < 1 ? 1 : even > MOST ? MOST : even);
}

void worlds_run(ph_batch *b, world_task *task, void *user)
{
    run_all(b, &(every_world){b, task, user, false});
}

void worlds_run_by_threads(ph_batch *b, world_task *task, void *user)
{
    run_all(b, &(every_world){b, task, user, true});
}

// ---- Worlds ---------------------------------------------------------------------------------------------------------

void world_fail(ph_batch *b, int world, ph_status status, const char *text)
{
    b->worlds[world].status = status;
    snprintf(b->worlds[world].message, sizeof b->worlds[world].message, "%s", text);
}

static int coordinates_of(const ph_model *model)
{
    int count = 0;
    for (int j = 0; j < ph_model_joints(model); j++) count += ph_model_joint(model, j).coordinates;
    return count;
}

// Worlds with such a model have arrays of the same shape.
static bool is_alike(const ph_model *a, const ph_model *b)
{
    return state_size(a) == state_size(b) && ph_model_bodies(a) == ph_model_bodies(b) &&
           ph_model_inputs(a) == ph_model_inputs(b) && ph_model_rows(a) == ph_model_rows(b) &&
           coordinates_of(a) == coordinates_of(b);
}

ph_status world_set_model(ph_batch *b, int world, const ph_model *model, ph_model *variant, ph_error *error)
{
    struct world *at = &b->worlds[world];
    hand own = {0};
    if (!is_alike(model, b->model))
        return error_set(error, PH_BAD_ARGUMENT,
                         "a world's own model needs the bodies, joints and inputs of the shared one");
    if (model != b->model) {
        const ph_status status = ph_sim_create(model, &b->def.sim, &own.sim, error);
        if (status != PH_OK) return status;
    }
    state_leave(state_of(b, world));
    hand_free(&at->own);
    ph_model_destroy(at->variant);
    *at = (struct world){
        .model = model, .variant = variant, .own = own, .resets = at->resets, .variations = at->variations};
    if (!state_settle(model, state_of(b, world))) world_fail(b, world, PH_OUT_OF_MEMORY, "out of memory");
    return PH_OK;
}

ph_status ph_batch_set_model(ph_batch *b, int world, const ph_model *model, ph_error *error)
{
    if (!b || world < 0 || world >= b->def.worlds) return error_set(error, PH_BAD_ARGUMENT, "there is no such world");
    const ph_status status = world_set_model(b, world, model ? model : b->model, NULL, error);
    if (status != PH_OK || b->worlds[world].status == PH_OK) return status;
    return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
}

// ---- The batch ------------------------------------------------------------------------------------------------------

static ph_status check_def(const ph_model *model, const ph_batch_def *def, ph_error *error)
{
    if (!model || !def || def->cookie != BATCH_COOKIE)
        return error_set(error, PH_BAD_ARGUMENT, "a batch needs a model and a definition from ph_default_batch()");
    if (def->worlds < 1) return error_set(error, PH_BAD_ARGUMENT, "a batch needs at least one world");
    if (def->threads < 1 || def->threads > 4096)
        return error_set(error, PH_BAD_ARGUMENT, "threads must be from 1 to 4096, not %d", def->threads);
    return PH_OK;
}

// Bodies that joints connect have the same number, the smallest of their indices; -1 passes on from the world.
static void find_machines(const ph_model *model, int *first)
{
    const int bodies = ph_model_bodies(model);
    for (int i = 0; i < bodies; i++) first[i] = ph_model_body(model, i).fixed ? -1 : i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int j = 0; j < ph_model_joints(model); j++) {
            const ph_joint_info joint = ph_model_joint(model, j);
            const int a = joint.body_a < 0 ? -1 : first[joint.body_a], b = joint.body_b < 0 ? -1 : first[joint.body_b];
            const int least = a < b ? a : b;
            changed = changed || a != b;
            if (joint.body_a >= 0) first[joint.body_a] = least;
            if (joint.body_b >= 0) first[joint.body_b] = least;
        }
    }
}

static bool reserve(ph_batch *b)
{
    const ph_allocator *from = &b->model->allocator;
    const size_t worlds = (size_t)b->def.worlds, threads = (size_t)b->def.threads;
    b->stride = (state_size(b->model) + CACHE_LINES - 1) / CACHE_LINES * CACHE_LINES;
    b->block = mem_alloc_array(from, worlds + 1, b->stride);
    b->states = (char *)b->block + (CACHE_LINES - (uintptr_t)b->block % CACHE_LINES) % CACHE_LINES;
    b->worlds = mem_alloc_array(from, worlds, sizeof *b->worlds);
    b->hands = mem_alloc_array(from, threads, sizeof *b->hands);
    b->idle = mem_alloc_array(from, threads, sizeof(hand *));
    b->first = mem_alloc_array(from, (size_t)ph_model_bodies(b->model) + 1, sizeof *b->first);
    if (!b->block || !b->worlds || !b->hands || !b->idle || !b->first) return false;
    find_machines(b->model, b->first);
    return true;
}

// The caller's texts need not live on.
static bool keep_texts(ph_batch *b)
{
    const ph_sim_def given = b->def.sim;
    b->def.sim.scheme = b->scheme = mem_copy_string(&b->model->allocator, given.scheme);
    b->def.sim.options = b->options = mem_copy_string(&b->model->allocator, given.options);
    return (b->scheme || !given.scheme) && (b->options || !given.options);
}

static ph_status make_hands(ph_batch *b, ph_error *error)
{
    ph_status status = PH_OK;
    for (int k = 0; status == PH_OK && k < b->def.threads; k++) {
        status = ph_sim_create(b->model, &b->def.sim, &b->hands[k].sim, error);
        b->idle[b->idle_count++] = &b->hands[k];
    }
    return status;
}

static ph_status make_worlds(ph_batch *b, ph_error *error)
{
    for (int w = 0; w < b->def.worlds; w++) {
        b->worlds[w].model = b->model;
        if (!state_settle(b->model, state_of(b, w))) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    return PH_OK;
}

ph_status ph_batch_create(const ph_model *model, const ph_batch_def *def, ph_batch **batch, ph_error *error)
{
    ph_status status = batch ? check_def(model, def, error) : PH_BAD_ARGUMENT;
    if (batch) *batch = NULL;
    if (status != PH_OK) return status;
    ph_batch *b = mem_alloc(&model->allocator, sizeof *b);
    if (!b) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    *b = (ph_batch){.model = model, .def = *def, .coordinates = coordinates_of(model)};
    lock_init(&b->lock);
    status = keep_texts(b) && reserve(b) ? make_hands(b, error) : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    if (status == PH_OK) status = make_worlds(b, error);
    if (status != PH_OK) {
        ph_batch_destroy(b);
        return status;
    }
    b->pool = pool_create(def->threads, &model->allocator);
    *batch = b;
    return PH_OK;
}

void ph_batch_destroy(ph_batch *b)
{
    if (!b) return;
    const ph_allocator *from = &b->model->allocator;
    pool_destroy(b->pool);
    for (int w = 0; b->worlds && b->block && w < b->def.worlds; w++) {
        hand_free(&b->worlds[w].own);
        if (b->worlds[w].model) state_leave(state_of(b, w));
        ph_model_destroy(b->worlds[w].variant);
    }
    for (int k = 0; b->hands && k < b->def.threads; k++) hand_free(&b->hands[k]);
    lock_destroy(&b->lock);
    mem_free(from, b->scheme);
    mem_free(from, b->options);
    mem_free(from, b->block);
    mem_free(from, b->worlds);
    mem_free(from, b->hands);
    mem_free(from, b->first);
    mem_free(from, (void *)b->idle);
    mem_free(from, b);
}

int ph_batch_worlds(const ph_batch *b)
{
    return b ? b->def.worlds : 0;
}

ph_state *ph_batch_state(ph_batch *b, int world)
{
    return b && world >= 0 && world < b->def.worlds ? state_of(b, world) : NULL;
}

size_t ph_batch_stride(const ph_batch *b)
{
    return b ? b->stride : 0;
}

size_t ph_batch_bytes(const ph_batch *b)
{
    size_t bytes = 0;
    for (int w = 0; b && w < b->def.worlds; w++)
        bytes += b->stride + sizeof(world) + state_bytes_beside(state_of(b, w));
    return bytes;
}

int ph_batch_coordinates(const ph_batch *b)
{
    return b ? b->coordinates : 0;
}

int ph_batch_failed(const ph_batch *b)
{
    int failed = 0;
    for (int w = 0; b && w < b->def.worlds; w++) failed += b->worlds[w].status != PH_OK;
    return failed;
}

ph_status ph_batch_status(const ph_batch *b, int world, const char **message)
{
    const bool known = b && world >= 0 && world < b->def.worlds;
    if (message) *message = known ? b->worlds[world].message : "";
    return known ? b->worlds[world].status : PH_BAD_ARGUMENT;
}
