// Making a detector, and one detection after the other.
#include "collide/detector.h"

#include "base/error.h"
#include "collide/detection.h"
#include "math/vec3.h"

#include <string.h>

// ---- Life -----------------------------------------------------------------------------------------------------------

// Shapes that are about as wide in every direction have grid cells of their size.
static bool make_broad(detector *d)
{
    const shape_set *s = &d->shapes;
    bool *round = mem_alloc_array(&d->model->allocator, (size_t)s->count, sizeof *round);
    for (int k = 0; k < s->count && round; k++) round[k] = s->shapes[k].kind->radius <= 2.0 * s->shapes[k].kind->size;
    const bool made = round && broad_create(s->count, round, &d->model->allocator, d->memory, &d->broad);
    mem_free(&d->model->allocator, round);
    return made;
}

ph_status detector_create(const ph_model *model, detector **made, ph_error *error)
{
    arena *memory = arena_create(&model->allocator);
    detector *d = memory ? arena_alloc(memory, sizeof *d) : NULL;
    *made = NULL;
    if (!d) {
        arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *d = (detector){.model = model, .memory = memory, .scratch = &d->own_scratch, .found = {.shapes = &d->shapes}};
    ph_status status = shape_set_create(model, memory, &d->shapes, error);
    if (status == PH_OK && !make_broad(d)) status = error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    if (status == PH_OK)
        *made = d;
    else
        detector_destroy(d);
    return status;
}

void detector_destroy(detector *d)
{
    if (!d) return;
    shape_set_destroy(&d->shapes);
    broad_destroy(&d->broad);
    detection_free_parts(d);
    mem_free(&d->model->allocator, d->places);
    mem_free(&d->model->allocator, d->room.at);
    scratch_free(&d->model->allocator, &d->own_scratch);
    arena_destroy(d->memory);
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

size_t detection_scratch_bytes(const detector *d)
{
    const detection *now = &d->now;
    const size_t shapes = (size_t)d->shapes.count, bodies = (size_t)d->model->body_count + 1;
    const size_t bytes = shapes * (sizeof *now->boxes + sizeof *now->reach + sizeof *now->watched) +
                         bodies * (sizeof *now->disturbance + sizeof *now->disturbed);
    return (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
}

static void place_scratch(detector *d)
{
    detection *now = &d->now;
    const size_t shapes = (size_t)d->shapes.count, bodies = (size_t)d->model->body_count + 1;
    now->boxes = scratch_at(d->scratch, SCRATCH_DETECTION);
    now->reach = (double *)(now->boxes + shapes);
    now->watched = now->reach + shapes;
    now->disturbance = now->watched + shapes;
    now->pushed = now->disturbance;
    now->disturbed = (void *)(now->disturbance + bodies);
}

bool detection_take_scratch(detector *d, size_t kept, size_t bytes)
{
    if (!scratch_extend(&d->model->allocator, d->scratch, SCRATCH_DETECTION, kept, bytes)) return false;
    place_scratch(d);
    return true;
}

// Behind all points: what culling knows of each, and which of them are whose.
static bool place_approach(detector *d)
{
    detection *now = &d->now;
    const size_t before = detection_scratch_bytes(d), points = (size_t)d->found.count, words = points / 64 + 1;
    const size_t bodies = (size_t)d->model->body_count + 2;
    const size_t kept = before + detection_list_bytes(now->room, d->found.count - d->found.others);
    const size_t more =
        sizeof *now->flagged * words + sizeof *now->approach * points + sizeof(int) * (bodies + 2 * points);
    if (!detection_take_scratch(d, kept, kept + more)) return false;
    char *scratch = scratch_at(d->scratch, SCRATCH_DETECTION);
    detection_place_list(d, scratch + before, now->room);
    now->flagged = (void *)(scratch + kept);
    now->approach = (void *)(now->flagged + words);
    now->use_start = (void *)(now->approach + points);
    now->uses = now->use_start + bodies;
    return true;
}

bool detection_reserve_list(detector *d, int others, int balls)
{
    const size_t bytes = detection_list_bytes(others, balls);
    d->growths += bytes > d->room.bytes;
    return bytes == 0 || buffer_reserve(&d->model->allocator, &d->room, bytes);
}

// The list moves to a place of its own.
static bool keep_list(detector *d)
{
    const contact_set *c = &d->found;
    const size_t others = detection_list_bytes(c->others, 0), balls = detection_list_bytes(0, c->count - c->others);
    if (!detection_reserve_list(d, c->others, c->count - c->others)) return false;
    if (others > 0) memcpy(d->room.at, c->list, others);
    if (balls > 0) memcpy((char *)d->room.at + others, c->balls, balls);
    detection_place_list(d, d->room.at, c->others);
    return true;
}

// ---- Detection ------------------------------------------------------------------------------------------------------

ph_status detector_begin(detector *d, const poses *at, const movement *moving, double h)
{
    d->growths = d->found.count = d->found.others = 0;
    d->found.at = *at;
    d->now = (detection){.at = *at,
                         .moving = *moving,
                         .h = h,
                         .fall = h * ph_norm(d->model->gravity),
                         .culls = d->options.culls && h > 0.0 && d->shapes.count > 0,
                         .by_plane = detection_parts_of(d->shapes.count, DETECTION_SHAPES)};
    if (d->shapes.count == 0) return PH_OK;
    d->own_scratch.growths = d->broad.growths = 0;
    const size_t bytes = detection_scratch_bytes(d);
    if (!scratch_enter(&d->model->allocator, d->scratch, SCRATCH_DETECTION, 0, bytes)) return PH_OUT_OF_MEMORY;
    place_scratch(d);
    detection_set_boxes(d);
    if (!detection_find_pairs(d)) return PH_OUT_OF_MEMORY;
    place_scratch(d);
    detection_find_pushed(d);
    const ph_status status = detection_find_points(d);
    if (status != PH_OK || !d->now.culls) return status;
    if (!place_approach(d)) return PH_OUT_OF_MEMORY;
    detection_begin_culling(d);
    return PH_OK;
}

bool detector_spreads_alone(const detector *d)
{
    return !d->now.culls || detection_spreads_alone(d);
}

void detector_spread(detector *d)
{
    if (d->now.culls) detection_spread(d);
}

ph_status detector_end(detector *d)
{
    if (!(d->now.culls ? detection_end_culling(d) : keep_list(d))) return PH_OUT_OF_MEMORY;
    d->growths += d->broad.growths + d->own_scratch.growths;
    return PH_OK;
}

ph_status detector_run(detector *d, const poses *at, const movement *moving, double h)
{
    const ph_status status = detector_begin(d, at, moving, h);
    if (status != PH_OK) return status;
    detector_spread(d);
    return detector_end(d);
}
