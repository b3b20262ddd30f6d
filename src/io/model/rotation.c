// Orientations in their four forms: quaternion, matrix, axis with angle, Euler angles.

#include "io/model/reader.h"
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
    ph_vec3 axes[3]; // directions of the body's axes
    bool has_quaternion, has_matrix, has_axis, has_angle, has_euler, has_angles, has_x, has_y, has_z;
} rotation_form;

static const char *const forms = "{quaternion: [w, x, y, z]}, {matrix: 3x3}, {axis: [x, y, z], angle: a}, "
                                 "{euler: zxz, angles: [a, b, c]} or {z: [x, y, z]}";

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
    n = node_list(r, n);
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
    {"quaternion", read_quaternion, FIELD_AT(rotation_form, quaternion), FIELD_GIVEN(rotation_form, has_quaternion),
     .form = "numbers4"},
    {"matrix", read_rotation_matrix, FIELD_AT(rotation_form, matrix), FIELD_GIVEN(rotation_form, has_matrix),
     .form = "matrix3"},
    {"axis", read_direction, FIELD_AT(rotation_form, axis), FIELD_GIVEN(rotation_form, has_axis)},
    {"angle", read_number, FIELD_AT(rotation_form, angle), FIELD_GIVEN(rotation_form, has_angle)},
    {"euler", read_euler, FIELD_AT(rotation_form, euler), FIELD_GIVEN(rotation_form, has_euler), .form = "euler"},
    {"angles", read_numbers, FIELD_AT(rotation_form, angles), FIELD_GIVEN(rotation_form, has_angles), .count = 3},
    {"x", read_direction, FIELD_AT(rotation_form, axes[0]), FIELD_GIVEN(rotation_form, has_x)},
    {"y", read_direction, FIELD_AT(rotation_form, axes[1]), FIELD_GIVEN(rotation_form, has_y)},
    {"z", read_direction, FIELD_AT(rotation_form, axes[2]), FIELD_GIVEN(rotation_form, has_z)},
    {0},
};

const part_table orientation_table = {"orientation", NULL, rotation_fields, NULL,
                                      .about = "Turns body axes into world axes."};

// The shortest turn that brings axis `which` along `to`.
static ph_quat turn_axis(int which, ph_vec3 to)
{
    const ph_vec3 from = ph_vec(which == 0, which == 1, which == 2), n = ph_unit(to);
    const double c = ph_dot(from, n);
    if (c < -1.0 + 1e-12) {
        return ph_quat_from_axis_angle(ph_any_perpendicular(from), 3.14159265358979323846);
    }
    const ph_vec3 v = ph_cross(from, n);
    return ph_quat_unit((ph_quat){1.0 + c, v.x, v.y, v.z});
}

// One axis of the body along a direction, or two: the second as near to its direction as the first leaves it.
static bool read_axes(reader *r, const node *n, const rotation_form *form, ph_quat *q)
{
    const bool has[3] = {form->has_x, form->has_y, form->has_z};
    const int first = has[2] ? 2 : has[0] ? 0 : 1, second = has[first == 0 ? 1 : 0] ? (first == 0 ? 1 : 0) : 1;
    if (has[0] && has[1] && has[2]) {
        return fail(r, n, NULL, "two axes say all of an orientation, three may contradict each other");
    }
    if (has[0] + has[1] + has[2] == 1) {
        *q = turn_axis(first, form->axes[first]);
        return true;
    }
    const ph_vec3 a = ph_unit(form->axes[first]), b = form->axes[second];
    const ph_vec3 across = ph_madd(b, -ph_dot(a, b), a);
    if (ph_norm(across) < 1e-6 * ph_norm(b)) {
        return fail(r, n, NULL, "the two axes have the same direction");
    }
    ph_vec3 axes[3];
    const int third = 3 - first - second;
    axes[first] = a;
    axes[second] = ph_unit(across);
    axes[third] = (first + 1) % 3 == second ? ph_cross(axes[first], axes[second]) : ph_cross(axes[second], axes[first]);
    *q = ph_quat_from_mat(ph_mat_cols(axes[0], axes[1], axes[2]));
    return true;
}

bool read_orientation(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    static const schema table = {"an orientation", rotation_fields, UINT32_MAX, NULL, NULL};
    rotation_form form = {0};
    if (n->kind != NODE_MAP) {
        return fail(r, n, forms, "expected one of the forms of an orientation");
    }
    if (!read_map(r, n, &table, &form)) {
        return false;
    }
    warn_of_degrees(r, node_find(n, "angle"), "angle");
    warn_of_degrees(r, node_find(n, "angles"), "an angle");
    const bool turned = form.has_axis || form.has_angle, euler = form.has_euler || form.has_angles;
    const bool axes = form.has_x || form.has_y || form.has_z;
    if (form.has_quaternion + form.has_matrix + turned + euler + axes != 1) {
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
    } else if (axes) {
        return read_axes(r, n, &form, q);
    } else {
        ph_quat_from_euler(form.euler, form.angles, q);
    }
    return true;
}
