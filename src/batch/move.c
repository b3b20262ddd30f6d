// Moving and looking at the worlds of a batch: each by itself, on whichever thread is free.

#include "batch/batch.h"

#include <math.h>
#include <string.h>

static bool is_chosen(const uint8_t *mask, int world)
{
    return !mask || mask[world];
}

// ---- Steps ----------------------------------------------------------------------------------------------------------

typedef struct stepping {
    ph_batch *b;
    const uint8_t *mask;
    double h;
    long long count;
} stepping;

// In parts of AT_ONCE steps, as Python's Sim.advance and rollout move single states: all of them have the same bits.
static void advance(ph_batch *b, hand *hand, int world, double h, long long count)
{
    enum { AT_ONCE = 16 };
    ph_step_report report = {.status = b->worlds[world].status};
    char text[sizeof b->worlds->message];
    if (report.status != PH_OK) return;
    for (; count > 0 && report.status == PH_OK; count -= AT_ONCE)
        ph_sim_advance(hand->sim, state_of(b, world), h, count < AT_ONCE ? count : AT_ONCE, &report);
    if (report.status == PH_OK) return;
    ph_step_report_format(&report, b->worlds[world].model, text, sizeof text);
    world_fail(b, world, report.status, text);
}

static void step_world(void *user, hand *hand, int world)
{
    const stepping *s = user;
    if (is_chosen(s->mask, world)) advance(s->b, hand, world, s->h, s->count);
}

ph_status ph_batch_step(ph_batch *b, const uint8_t *mask, double h, long long count)
{
    if (!b || !isfinite(h) || h == 0.0 || count < 0) return PH_BAD_ARGUMENT;
    worlds_run(b, step_world, &(stepping){b, mask, h, count});
    return PH_OK;
}

// ---- Joints ---------------------------------------------------------------------------------------------------------

bool world_joints(ph_batch *b, hand *hand, int world, double *coordinates, double *rates)
{
    const ph_model *model = b->worlds[world].model;
    if (!hand->observer && ph_observer_create(model, &hand->observer) != PH_OK) return false;
    int at = 0;
    for (int j = 0; j < ph_model_joints(model); j++) {
        const int count = ph_model_joint(model, j).coordinates;
        if (count > 0)
            ph_observer_joint(hand->observer, state_of(b, world), j, coordinates ? coordinates + at : NULL,
                              rates ? rates + at : NULL);
        at += count;
    }
    return true;
}

typedef struct looking {
    ph_batch *b;
    double *coordinates, *rates;
} looking;

static void look_at(void *user, hand *hand, int world)
{
    const looking *l = user;
    const size_t at = (size_t)world * (size_t)l->b->coordinates;
    if (!world_joints(l->b, hand, world, l->coordinates ? l->coordinates + at : NULL, l->rates ? l->rates + at : NULL))
        world_fail(l->b, world, PH_OUT_OF_MEMORY, "out of memory");
}

void ph_batch_joints(ph_batch *b, double *coordinates, double *rates)
{
    if (b) worlds_run(b, look_at, &(looking){b, coordinates, rates});
}

// ---- Whole motions --------------------------------------------------------------------------------------------------

typedef struct rolling {
    ph_batch *b;
    const ph_batch_rollout *r;
} rolling;

static void copy_row(double *to, const void *from, size_t row, size_t numbers)
{
    if (to) memcpy(to + row * numbers, from, numbers * sizeof *to);
}

static void record(const rolling *x, hand *hand, int world, size_t row)
{
    const ph_batch_rollout *r = x->r;
    const ph_state *s = state_of(x->b, world);
    const size_t bodies = (size_t)ph_model_bodies(x->b->model), at = row * (size_t)x->b->coordinates;
    copy_row(r->position, s->position, row, 3 * bodies);
    copy_row(r->orientation, s->orientation, row, 4 * bodies);
    copy_row(r->velocity, s->velocity, row, 3 * bodies);
    copy_row(r->angular_velocity, s->angular_velocity, row, 3 * bodies);
    if (!r->coordinates && !r->rates) return;
    if (!world_joints(x->b, hand, world, r->coordinates ? r->coordinates + at : NULL, r->rates ? r->rates + at : NULL))
        world_fail(x->b, world, PH_OUT_OF_MEMORY, "out of memory");
}

static void roll_world(void *user, hand *hand, int world)
{
    const rolling *x = user;
    const ph_batch_rollout *r = x->r;
    const size_t inputs = (size_t)ph_model_inputs(x->b->model);
    for (long long k = 0; k < r->rows; k++) {
        const size_t row = (size_t)world * (size_t)r->rows + (size_t)k;
        if (r->inputs && inputs > 0)
            memcpy(state_of(x->b, world)->inputs, r->inputs + row * inputs, inputs * sizeof(double));
        advance(x->b, hand, world, r->step, r->every);
        record(x, hand, world, row);
    }
}

ph_status ph_batch_roll(ph_batch *b, const ph_batch_rollout *r)
{
    if (!b || !r || !isfinite(r->step) || r->step == 0.0 || r->rows < 0 || r->every < 1) return PH_BAD_ARGUMENT;
    worlds_run(b, roll_world, &(rolling){b, r});
    return PH_OK;
}
