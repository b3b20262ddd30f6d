// How the sensor stands: the unit quaternion from its axes to those of the world.

#include "sensors/types.h"

static void read(const sensor *s, const sensor_view *v, double *to)
{
    const ph_quat q = ph_quat_mul(v->state->orientation[s->body], s->turn);
    to[0] = q.w, to[1] = q.x, to[2] = q.y, to[3] = q.z;
}

const sensor_type sensor_orientation = {
    .name = "orientation",
    .title = "quaternion from the axes of the sensor to the world",
    .keys = SENSOR_FRAME,
    .count = 4,
    .columns = {"w", "x", "y", "z"},
    .read = read,
};
