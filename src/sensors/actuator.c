// What an actuator gives: a force, a torque or a tension.

#include "sensors/observe.h"
#include "sensors/types.h"

static void read(const sensor *s, const sensor_view *v, double *to)
{
    to[0] = actuator_force(v->model, s->actuator, v->at);
}

const sensor_type sensor_actuator = {
    .name = "actuator",
    .title = "what an actuator gives: a force, torque or tension",
    .keys = SENSOR_ACTUATOR,
    .count = 1,
    .read = read,
};
