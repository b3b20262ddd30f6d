// A value after a filter of first order, a' = (value - a) / time, exactly for a value that is held over each step. It begins at zero.

#include "sensors/types.h"

#include "math/trig.h"

static double filtered(const sensor *s, const double *held, double after)
{
    const double rest = s->time > 0.0 ? ph_exp(-after / s->time) : 0.0;
    return held[SENSOR_HELD_INPUT] + rest * (held[0] - held[SENSOR_HELD_INPUT]);
}

const sensor_type sensor_filter = {
    .name = "filter",
    .title = "a value after a filter of first order",
    .keys = SENSOR_VALUE | SENSOR_TIME | SENSOR_LIMITS,
    .count = 1,
    .read = sensor_read_kept,
    .go_on = filtered,
};
