// Bodies that begin deep in each other: most likely a mistake of the model.
#include "base/error.h"
#include "collide/detector.h"
#include "dynamics/system.h"
#include "math/vec3.h"
#include "polhode/analysis.h"

#include <stdio.h>
#include <string.h>

static const double DEEP = 0.01; // of the smaller size

// Half of the smallest extent of the smaller shape; planes and the like have none.
static double smaller_size(const contact_set *d, const detected *found)
{
    const double a = d->shapes->shapes[found->shape_a].kind->size, b = d->shapes->shapes[found->shape_b].kind->size;
    return a > 0.0 && (a < b || b == 0.0) ? a : b;
}

// The list stays sorted, deepest first.
static void enter(ph_overlap it, ph_overlap *list, int room, int *held)
{
    int at = 0;
    while (at < *held && list[at].depth >= it.depth) at++;
    if (at >= room) return;
    *held += *held < room;
    for (int k = *held - 1; k > at; k--) list[k] = list[k - 1];
    list[at] = it;
}

// Of points of one pair of shapes, which follow each other, the deepest stands for all.
static void list_overlaps(const contact_set *d, ph_overlap *list, int room, int *count)
{
    int held = 0;
    *count = 0;
    for (int k = 0; k < d->count;) {
        const detected *first = &d->list[k];
        ph_overlap it = {first->body_a, first->body_b, 0.0};
        for (; k < d->count && d->list[k].shape_a == first->shape_a && d->list[k].shape_b == first->shape_b; k++)
            it.depth = ph_max(it.depth, -d->list[k].gap);
        if (it.depth <= 2.0 * DEEP * smaller_size(d, first)) continue;
        (*count)++;
        enter(it, list, room, &held);
    }
}

ph_status ph_find_overlaps(const ph_model *model, const ph_state *state, ph_overlap *overlaps, int room, int *count,
                           ph_error *error)
{
    if (!model || !state || state->model != model || !count || (!overlaps && room > 0)) {
        return error_set(error, PH_BAD_ARGUMENT,
                         "ph_find_overlaps needs a model, a state of it and places for what it finds");
    }
    detector *d = NULL;
    const size_t bodies = model_places(model);
    *count = 0;
    if (!model->has_contact) return PH_OK;
    frame *frames = mem_alloc_array(&model->allocator, bodies, sizeof *frames);
    ph_twist *twists = mem_alloc_array(&model->allocator, bodies, sizeof *twists);
    ph_status status =
        frames && twists ? detector_create(model, &d, error) : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    if (status == PH_OK) {
        system_frames(model, state, frames);
        const poses at = poses_of_frames(frames);
        const movement still = movement_of_twists(twists);
        status = detector_run(d, &at, &still, 0.0);
        if (status != PH_OK) error_set(error, status, "%s", ph_status_text(status));
    }
    if (status == PH_OK) list_overlaps(&d->found, overlaps, room, count);
    detector_destroy(d);
    mem_free(&model->allocator, frames);
    mem_free(&model->allocator, twists);
    return status;
}

ph_status ph_check_overlaps(const ph_model *model, const ph_state *state, ph_error *error)
{
    enum { SHOWN = 4 };
    ph_overlap found[SHOWN];
    int count = 0;
    char text[640] = "";
    const ph_status status = ph_find_overlaps(model, state, found, SHOWN, &count, error);
    if (status != PH_OK || count == 0) return status;
    for (int k = 0; k < count && k < SHOWN; k++) {
        const size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, "%s'%.48s' and '%.48s' by %.3g m", k ? ", " : "",
                 model->bodies[found[k].body_a].name, model->bodies[found[k].body_b].name, found[k].depth);
    }
    const size_t at = strlen(text);
    if (count > SHOWN) snprintf(text + at, sizeof text - at, " and %d more pairs", count - SHOWN);
    return error_set(error, PH_BAD_MODEL,
                     "bodies begin deep in each other: %s; move them apart, or allow the overlap (--allow-overlap)",
                     text);
}
