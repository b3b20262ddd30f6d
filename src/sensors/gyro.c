// Angular velocity in the axes of the sensor.

#include "sensors/types.h"

static void read(const sensor *s, const sensor_view *v, double *to)
{
    sensor_put(to, sensor_axes(s, v->at->twists[s->body].omega));
}

const sensor_type sensor_gyro = {
    .name = "gyro",
    .title = "angular velocity, in the axes of the sensor",
    .keys = SENSOR_FRAME,
    .count = 3,
    .columns = SENSOR_XYZ,
    .units = SENSOR_UNIT3("rad/s"),
    .read = read,
};
