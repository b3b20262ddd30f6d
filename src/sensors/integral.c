// The integral of a value over time, within limits: a' = value, exactly for a value that is held over each step. It begins at zero.

#include "sensors/types.h"

static double integrated(const sensor *s, const double *held, double after)
{
    (void)s;
    return held[0] + after * held[SENSOR_HELD_INPUT];
}

const sensor_type sensor_integral = {
    .name = "integral",
    .title = "the integral of a value over time",
    .keys = SENSOR_VALUE | SENSOR_LIMITS,
    .count = 1,
    .read = sensor_read_kept,
    .go_on = integrated,
};
