// Orientations in their four forms: quaternion, matrix, axis with angle, Euler angles.

#include "io/model_reader.h"
#include "math/quat.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct rotation_form {
    ph_quat quaternion;
    double matrix[9];
    ph_vec3 axis;
    double angle;
    const char *euler;
    double angles[3];
    bool has_quaternion, has_matrix, has_axis, has_angle, has_euler, has_angles;
} rotation_form;

static const char *const forms = "{quaternion: [w, x, y, z]}, {matrix: 3x3}, {axis: [x, y, z], angle: a} or "
                                 "{euler: zxz, angles: [a, b, c]}";

// Rounded numbers are taken as the rotation they mean; anything further off is a mistake.
static const double tolerance = 1e-6;

static bool read_quaternion(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    double q[4];
    if (!node_numbers(r, n, q, 4)) {
        return false;
    }
    const ph_quat given = {q[0], q[1], q[2], q[3]};
    const double norm = ph_quat_norm(given);
    if (norm == 0.0) {
        return fail(r, n, "[1, 0, 0, 0] means no rotation", "the quaternion is zero");
    }
    if (!(fabs(norm - 1.0) <= tolerance)) {
        return fail(r, n, "quaternions are [w, x, y, z] of length 1", "the quaternion has length %.9g", norm);
    }
    // A quaternion that we have written is of length 1 to the last digit: it is to come back as it was.
    *(ph_quat *)to = fabs(norm - 1.0) <= DBL_EPSILON ? given : ph_quat_unit(given);
    return true;
}

static bool read_matrix(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    double *m = to;
    if (n->kind != NODE_LIST || n->count != 3) {
        return fail_kind(r, n, "a list of 3 rows");
    }
    bool read = true;
    for (int i = 0; i < 3; i++) {
        const size_t length = path_enter_index(r, i);
        read = node_numbers(r, n->entries[i].value, m + 3 * i, 3) && read;
        path_leave(r, length);
    }
    return read;
}

static bool read_rotation_matrix(reader *r, const node *n, const field *f, void *to)
{
    double *m = to;
    if (!read_matrix(r, n, f, to)) {
        return false;
    }
    const ph_mat3 R = {{{m[0], m[1], m[2]}, {m[3], m[4], m[5]}, {m[6], m[7], m[8]}}};
    const double defect = ph_mat_norm(ph_mat_sub(ph_mat_tmul(R, R), ph_identity()));
    if (!(defect <= tolerance)) {
        return fail(r, n, "its columns are the body's axes in the world: perpendicular and of length 1",
                    "the matrix is no rotation: |R^T R - I| = %.3g", defect);
    }
    return ph_det(R) > 0.0 ||
           fail(r, n, "change the sign of one column", "the matrix is a reflection: its determinant is -1");
}

static bool read_euler(reader *r, const node *n, const field *f, void *to)
{
    const double zero[3] = {0};
    ph_quat q;
    if (!read_text(r, n, f, to)) {
        return false;
    }
    return ph_quat_from_euler(*(const char **)to, zero, &q) ||
           fail(r, n, "three of x, y, z without equal neighbours, like zxz or xyz; each turn is about the new axis",
                "there are no Euler angles '%.20s'", *(const char **)to);
}

static const field rotation_fields[] = {
    {"quaternion", read_quaternion, FIELD_AT(rotation_form, quaternion), FIELD_GIVEN(rotation_form, has_quaternion)},
    {"matrix", read_rotation_matrix, FIELD_AT(rotation_form, matrix), FIELD_GIVEN(rotation_form, has_matrix)},
    {"axis", read_direction, FIELD_AT(rotation_form, axis), FIELD_GIVEN(rotation_form, has_axis)},
    {"angle", read_number, FIELD_AT(rotation_form, angle), FIELD_GIVEN(rotation_form, has_angle)},
    {"euler", read_euler, FIELD_AT(rotation_form, euler), FIELD_GIVEN(rotation_form, has_euler)},
    {"angles", read_numbers, FIELD_AT(rotation_form, angles), FIELD_GIVEN(rotation_form, has_angles), .count = 3},
    {0},
};

bool read_orientation(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    static const schema table = {"an orientation", rotation_fields, UINT32_MAX};
    rotation_form form = {0};
    if (n->kind != NODE_MAP) {
        return fail(r, n, forms, "expected one of the forms of an orientation");
    }
    if (!read_map(r, n, &table, &form)) {
        return false;
    }
    const bool turned = form.has_axis || form.has_angle, euler = form.has_euler || form.has_angles;
    if (form.has_quaternion + form.has_matrix + turned + euler != 1) {
        return fail(r, n, forms, "an orientation is given in exactly one form");
    }
    if (form.has_axis != form.has_angle || form.has_euler != form.has_angles) {
        return fail(r, n, forms,
                    turned ? "an orientation needs both axis and angle" : "an orientation needs both euler and angles");
    }
    ph_quat *q = to;
    if (form.has_quaternion) {
        *q = form.quaternion;
    } else if (form.has_matrix) {
        ph_mat3 R;
        memcpy(R.m, form.matrix, sizeof R.m);
        *q = ph_quat_from_mat(R);
    } else if (turned) {
        *q = ph_quat_from_axis_angle(form.axis, form.angle);
    } else {
        ph_quat_from_euler(form.euler, form.angles, q);
    }
    return true;
}
