// Two balls that touch, from their centres and radii: what is not kept of such contacts is made here, with the same bits
// wherever it is needed.
#ifndef PH_MODEL_BALLS_H
#define PH_MODEL_BALLS_H

#include "math/vec3.h"

#include <stdbool.h>

typedef struct ball {
    ph_vec3 centre;
    double radius;
} ball;

static inline double balls_distance(const ball *a, const ball *b)
{
    return ph_norm(ph_sub(b->centre, a->centre));
}

static inline double balls_gap(const ball *a, const ball *b, double distance)
{
    return distance - a->radius - b->radius;
}

// 1/distance of the centres, 0 where they coincide.
static inline double balls_inverse(double distance)
{
    return distance > 0.0 ? 1.0 / distance : 0.0;
}

// From a to b; upwards where the centres coincide.
static inline ph_vec3 balls_normal(const ball *a, const ball *b, double inverse)
{
    return inverse > 0.0 ? ph_scale(inverse, ph_sub(b->centre, a->centre)) : ph_vec(0.0, 0.0, 1.0);
}

// Where forces act: half way between the surfaces; on that of the one that moves, if one alone does.
static inline ph_vec3 balls_point(const ball *a, bool moves_a, const ball *b, bool moves_b, ph_vec3 normal)
{
    const ph_vec3 on_a = ph_madd(a->centre, a->radius, normal), on_b = ph_madd(b->centre, -b->radius, normal);
    if (moves_a == moves_b) return ph_scale(0.5, ph_add(on_a, on_b));
    return moves_a ? on_a : on_b;
}

#endif
