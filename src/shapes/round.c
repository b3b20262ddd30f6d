// What shapes that are round about an axis share: keys, flat parts.

#include "shapes/shape.h"

#include "math/vec3.h"

const element_key shape_round_keys[] = {
    {"radius", KEY_NUMBER, SHAPE_KEY(radius), .rule = POSITIVE, .needed = true},
    {"length", KEY_NUMBER, SHAPE_KEY(length), .rule = POSITIVE, .needed = true},
    {"axis", KEY_DIRECTION, SHAPE_KEY(axis)},
    {"density", KEY_NUMBER, SHAPE_KEY(density), .rule = POSITIVE},
    {0},
};

void face_of_disc(const frame *at, double radius, double z, double turn, ph_vec3 local, face *to)
{
    enum { RIM_POINTS = 8 };
    static const double c[RIM_POINTS] = {1,  0.70710678118654752,  0, -0.70710678118654752,
                                         -1, -0.70710678118654752, 0, 0.70710678118654752};
    const double across = sqrt(local.x * local.x + local.y * local.y);
    const ph_vec3 x = across > 1e-7 ? ph_vec(local.x / across, local.y / across, 0.0) : ph_vec(1.0, 0.0, 0.0);
    const ph_vec3 y = ph_vec(-x.y, x.x, 0.0);
    to->normal = ph_scale(turn, ph_mat_col(at->R, 2));
    to->count = RIM_POINTS;
    for (int k = 0; k < RIM_POINTS; k++) {
        ph_vec3 q = ph_add(ph_scale(radius * c[k], x), ph_scale(turn * radius * c[(k + 6) % RIM_POINTS], y));
        q.z = z;
        to->points[k] = frame_point(at, q);
    }
}

void face_of_point(const frame *at, ph_vec3 p, face *to)
{
    to->count = 1;
    to->points[0] = frame_point(at, p);
}

void face_of_line(const frame *at, ph_vec3 p, ph_vec3 q, face *to)
{
    to->count = 2;
    to->points[0] = frame_point(at, p);
    to->points[1] = frame_point(at, q);
}
