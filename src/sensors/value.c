// An expression of time, inputs and coordinates of joints.

#include "sensors/types.h"

#include "joints/value.h"

static void read(const sensor *s, const sensor_view *v, double *to)
{
    to[0] = s->value ? value_at(s->value, v->at) : (double)NAN;
}

const sensor_type sensor_value = {
    .name = "value",
    .title = "an expression of t, inputs, q. and qd. of joints",
    .keys = SENSOR_VALUE,
    .count = 1,
    .read = read,
};
