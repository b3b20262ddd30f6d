// What a joint carries: its reaction on body b at its anchor, in the axes of that body.

#include "sensors/types.h"

static void read(const sensor *s, const sensor_view *v, double *to)
{
    const ph_mat3 R = v->at->frames[v->model->joints[s->joint].b].R;
    const ph_wrench *reaction = &v->reactions[s->joint];
    sensor_put(to, ph_tmul(R, reaction->force));
    sensor_put(to + 3, ph_tmul(R, reaction->torque));
}

const sensor_type sensor_force_torque = {
    .name = "force_torque",
    .title = "reaction of a joint on its second body, in the axes of that body",
    .keys = SENSOR_JOINT | SENSOR_REACTIONS,
    .count = 6,
    .columns = {"force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z"},
    .units = {"N", "N", "N", "N m", "N m", "N m"},
    .read = read,
};
