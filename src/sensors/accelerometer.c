// Specific force at a point, in the axes of the sensor: R^T (a - g). At rest it reads +g upwards.
//
// a = x'' + R (Omega' x s + Omega x (Omega x s))

#include "sensors/types.h"

static void read(const sensor *s, const sensor_view *v, double *to)
{
    const ph_mat3 R = v->at->frames[s->body].R;
    const ph_vec3 w = v->at->twists[s->body].omega;
    const ph_twist a = v->accelerations[s->body];
    const ph_vec3 turning = ph_add(ph_cross(a.omega, s->at), ph_cross(w, ph_cross(w, s->at)));
    sensor_put(to, sensor_axes(s, ph_add(ph_tmul(R, ph_sub(a.v, v->model->gravity)), turning)));
}

const sensor_type sensor_accelerometer = {
    .name = "accelerometer",
    .title = "acceleration less gravity at a point, in the axes of the sensor",
    .keys = SENSOR_FRAME | SENSOR_ACCELERATIONS,
    .count = 3,
    .columns = SENSOR_XYZ,
    .units = SENSOR_UNIT3("m/s^2"),
    .read = read,
};
