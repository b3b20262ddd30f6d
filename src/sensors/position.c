// Where a point is, world axes.

#include "sensors/types.h"

static void read(const sensor *s, const sensor_view *v, double *to)
{
    sensor_put(to, ph_add(v->at->frames[s->body].x, sensor_arm(s, v)));
}

const sensor_type sensor_position = {
    .name = "position",
    .title = "position of a point in the world",
    .keys = SENSOR_FRAME,
    .count = 3,
    .columns = SENSOR_XYZ,
    .units = SENSOR_UNIT3("m"),
    .read = read,
};
