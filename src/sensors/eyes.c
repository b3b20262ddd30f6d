// A ray goes on by the distance to the nearest surface until there is none left: distances never change faster than the
// point moves, so no surface is passed. That holds for every shape that detection knows.

#include "sensors/eyes.h"

#include "base/error.h"
#include "collide/shape_set.h"

#include <math.h>

struct eyes {
    const ph_model *model;
    arena *memory;
    shape_set shapes;
    collider *point;
};

enum { MARCH_MAX = 256 };
static const double POINT = 1e-9;    // radius of the point that is moved along the ray, m
static const double CLOSE = 1e-7;    // of a hit, m
static const double LONGEST = 1.0e6; // without a range, m

ph_status eyes_create(const ph_model *model, eyes **to, ph_error *error)
{
    ph_shape_def ball = ph_default_shape();
    arena *memory = arena_create(&model->allocator);
    eyes *e = memory ? arena_alloc(memory, sizeof *e) : NULL;
    *to = NULL;
    if (!e) {
        arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *e = (eyes){.model = model, .memory = memory};
    ball.type = "sphere";
    ball.radius = POINT;
    ph_status status = shape_set_create(model, memory, &e->shapes, error);
    if (status == PH_OK) {
        status = collider_create(&ball, ph_zero3(), &model->allocator, &e->point, error);
        if (status == PH_OK) {
            *to = e;
            return PH_OK;
        }
        shape_set_destroy(&e->shapes);
    }
    arena_destroy(memory);
    return status;
}

void eyes_destroy(eyes *e)
{
    if (!e) return;
    collider_destroy(e->point);
    shape_set_destroy(&e->shapes);
    arena_destroy(e->memory);
}

// How far along the ray a shape is met; `range` where it is not met before.
static double meet(const eyes *e, const motion *at, const detector_shape *shape, ph_vec3 from, ph_vec3 along,
                   double range)
{
    frame place = {ph_identity(), from};
    double gone = 0.0;
    for (int k = 0; k < MARCH_MAX && gone < range; k++) {
        place.x = ph_madd(from, gone, along);
        const double apart =
            collide_distance(e->point, &place, shape->kind->collider, &at->frames[shape->body], NULL, NULL, NULL) +
            POINT;
        if (apart <= CLOSE) return gone;
        gone += apart;
    }
    return range;
}

// May the ray meet the ball around the body's centre of mass that holds the shape?
static bool may_meet(const motion *at, const detector_shape *shape, ph_vec3 from, ph_vec3 along)
{
    const ph_vec3 to = ph_sub(at->frames[shape->body].x, from);
    const double forth = ph_dot(to, along), radius = shape->kind->radius;
    return !isfinite(radius) || ph_norm(ph_madd(to, -fmax(forth, 0.0), along)) <= radius + CLOSE;
}

double eyes_look(void *user, const motion *at, int own_body, ph_vec3 from, ph_vec3 along, double range)
{
    const eyes *e = user;
    double nearest = range < LONGEST ? range : LONGEST;
    for (int k = 0; k < e->shapes.count; k++) {
        const detector_shape *shape = &e->shapes.shapes[k];
        if (shape->body != own_body && may_meet(at, shape, from, along))
            nearest = meet(e, at, shape, from, along, nearest);
    }
    return nearest < LONGEST ? nearest : range;
}
