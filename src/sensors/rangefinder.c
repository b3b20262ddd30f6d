// How far the nearest surface of another body is along the z axis of the sensor; its range where nothing is nearer.

#include "sensors/types.h"

static void read(const sensor *s, const sensor_view *v, double *to)
{
    const ph_mat3 R = v->at->frames[s->body].R;
    const ph_vec3 from = ph_add(v->at->frames[s->body].x, sensor_arm(s, v));
    const ph_vec3 along = ph_mul(R, ph_quat_rotate(s->turn, ph_vec(0.0, 0.0, 1.0)));
    const double range = s->range > 0.0 ? s->range : (double)INFINITY;
    to[0] = v->look ? v->look(v->eyes, v->at, s->body, from, along, range) : (double)NAN;
}

const sensor_type sensor_rangefinder = {
    .name = "rangefinder",
    .title = "distance to the nearest surface along the z axis of the sensor",
    .keys = SENSOR_FRAME | SENSOR_RANGE,
    .count = 1,
    .units = {"m"},
    .read = read,
};
