// The first coordinate of a joint, and its rate: an encoder.

#include "sensors/types.h"

static void read(const sensor *s, const sensor_view *v, double *to)
{
    const joint *j = &v->model->joints[s->joint];
    to[0] = joint_coordinate(j, v->at, 0);
    to[1] = joint_rate(j, v->at, 0);
}

const sensor_type sensor_joint = {
    .name = "joint",
    .title = "coordinate and rate of a joint",
    .keys = SENSOR_JOINT | SENSOR_COORDINATE,
    .count = 2,
    .columns = {"coordinate", "rate"},
    .read = read,
};
