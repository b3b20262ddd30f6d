// How fast a point moves, world axes.

#include "sensors/types.h"

static void read(const sensor *s, const sensor_view *v, double *to)
{
    const ph_twist *twist = &v->at->twists[s->body];
    const ph_vec3 turning = ph_cross(twist->omega, s->at);
    sensor_put(to, ph_add(twist->v, ph_mul(v->at->frames[s->body].R, turning)));
}

const sensor_type sensor_velocity = {
    .name = "velocity",
    .title = "velocity of a point in the world",
    .keys = SENSOR_FRAME,
    .count = 3,
    .columns = SENSOR_XYZ,
    .units = SENSOR_UNIT3("m/s"),
    .read = read,
};
