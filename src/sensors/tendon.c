// Length, rate and tension of a tendon.

#include "sensors/types.h"

static void read(const sensor *s, const sensor_view *v, double *to)
{
    const tendon_look look = tendon_at(&v->model->tendons[s->tendon], v->at);
    to[0] = look.length, to[1] = look.rate, to[2] = look.tension;
}

const sensor_type sensor_tendon = {
    .name = "tendon",
    .title = "length, rate and tension of a tendon",
    .keys = SENSOR_TENDON,
    .count = 3,
    .columns = {"length", "rate", "tension"},
    .units = {"m", "m/s", "N"},
    .read = read,
};
