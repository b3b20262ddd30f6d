// Quaternions from the other ways to write a rotation.
#include "math/quat.h"

#include "math/trig.h"

// Shepperd's method: the largest of w^2, x^2, y^2, z^2 gives the root, which is then at least 1/2.
ph_quat ph_quat_from_mat(ph_mat3 R)
{
    const double xx = R.m[0][0], yy = R.m[1][1], zz = R.m[2][2];
    const double trace = xx + yy + zz;
    const double wx = R.m[2][1] - R.m[1][2], wy = R.m[0][2] - R.m[2][0], wz = R.m[1][0] - R.m[0][1];
    const double xy = R.m[1][0] + R.m[0][1], xz = R.m[0][2] + R.m[2][0], yz = R.m[2][1] + R.m[1][2];
    ph_quat q;
    if (trace >= xx && trace >= yy && trace >= zz) {
        q = (ph_quat){1.0 + trace, wx, wy, wz};
    } else if (xx >= yy && xx >= zz) {
        q = (ph_quat){wx, 1.0 + xx - (yy + zz), xy, xz};
    } else if (yy >= zz) {
        q = (ph_quat){wy, xy, 1.0 + yy - (xx + zz), yz};
    } else {
        q = (ph_quat){wz, xz, yz, 1.0 + zz - (xx + yy)};
    }
    if (q.w < 0.0) {
        q = (ph_quat){-q.w, -q.x, -q.y, -q.z};
    }
    return ph_quat_unit(q);
}

ph_quat ph_quat_from_axis_angle(ph_vec3 axis, double angle)
{
    const double largest = ph_max_abs(axis);
    if (largest == 0.0) {
        return ph_quat_identity();
    }
    const ph_vec3 u = ph_unit(ph_scale(1.0 / largest, axis));
    double s, c;
    ph_sincos(0.5 * angle, &s, &c);
    return (ph_quat){c, s * u.x, s * u.y, s * u.z};
}

bool ph_quat_from_euler(const char *sequence, const double angles[3], ph_quat *out)
{
    *out = ph_quat_identity();
    ph_quat q = ph_quat_identity();
    for (int i = 0; i < 3; i++) {
        const char axis = sequence[i];
        if (axis < 'x' || axis > 'z' || (i > 0 && axis == sequence[i - 1])) {
            return false;
        }
        const ph_vec3 e = ph_vec(axis == 'x', axis == 'y', axis == 'z');
        q = ph_quat_mul(q, ph_quat_from_axis_angle(e, angles[i]));
    }
    if (sequence[3] != '\0') {
        return false;
    }
    *out = ph_quat_unit(q);
    return true;
}
