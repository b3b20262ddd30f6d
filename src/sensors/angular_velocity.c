// Angular velocity in world axes.

#include "sensors/types.h"

static void read(const sensor *s, const sensor_view *v, double *to)
{
    sensor_put(to, ph_mul(v->at->frames[s->body].R, v->at->twists[s->body].omega));
}

const sensor_type sensor_angular_velocity = {
    .name = "angular_velocity",
    .title = "angular velocity in the axes of the world",
    .keys = SENSOR_FRAME,
    .count = 3,
    .columns = SENSOR_XYZ,
    .units = SENSOR_UNIT3("rad/s"),
    .read = read,
};
