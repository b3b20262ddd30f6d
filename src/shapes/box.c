// Box with three full lengths along its axes.

#include "shapes/types.h"

#include "math/vec3.h"

static bool make_solid(const ph_shape_def *shape, arena *scratch, shape_solid *to)
{
    (void)scratch;
    const ph_vec3 size = shape->size;
    const double V = size.x * size.y * size.z;
    *to = solid_symmetric(V, V * size.x * size.x / 12.0, V * size.y * size.y / 12.0, V * size.z * size.z / 12.0);
    return true;
}

static ph_vec3 support(const shape_sizes *s, ph_vec3 d, int *number)
{
    const ph_vec3 half = s->half;
    *number = (d.x > 0.0) | (d.y > 0.0) << 1 | (d.z > 0.0) << 2;
    return ph_vec(d.x > 0.0 ? half.x : -half.x, d.y > 0.0 ? half.y : -half.y, d.z > 0.0 ? half.z : -half.z);
}

static ph_vec3 reach(const shape_sizes *s, ph_mat3 R)
{
    const ph_vec3 h = s->half;
    return ph_vec(fabs(R.m[0][0]) * h.x + fabs(R.m[0][1]) * h.y + fabs(R.m[0][2]) * h.z,
                  fabs(R.m[1][0]) * h.x + fabs(R.m[1][1]) * h.y + fabs(R.m[1][2]) * h.z,
                  fabs(R.m[2][0]) * h.x + fabs(R.m[2][1]) * h.y + fabs(R.m[2][2]) * h.z);
}

void box_face(const shape_sizes *s, const frame *at, int k, double sign, face *to)
{
    static const double u[4] = {1.0, -1.0, -1.0, 1.0}, v[4] = {1.0, 1.0, -1.0, -1.0};
    const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    const ph_vec3 h = s->half;
    const ph_vec3 x = ph_scale(vec_get(h, k1), ph_mat_col(at->R, k1));
    const ph_vec3 y = ph_scale(sign * vec_get(h, k2), ph_mat_col(at->R, k2));
    to->normal = ph_scale(sign, ph_mat_col(at->R, k));
    to->count = 4;
    to->id = (uint32_t)(2 * k + (sign > 0.0));
    const ph_vec3 centre = ph_madd(at->x, vec_get(h, k), to->normal);
    for (int i = 0; i < 4; i++) to->points[i] = ph_madd(ph_madd(centre, u[i], x), v[i], y);
}

static void face_along(const shape_sizes *s, const frame *at, ph_vec3 d, face *to)
{
    const ph_vec3 local = ph_tmul(at->R, d);
    int k = fabs(local.y) > fabs(local.x) ? 1 : 0;
    k = fabs(local.z) > fabs(vec_get(local, k)) ? 2 : k;
    box_face(s, at, k, vec_get(local, k) < 0.0 ? -1.0 : 1.0, to);
}

static bool draw(const ph_shape_def *shape, double extent, arena *memory, triangles *to)
{
    (void)extent;
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    const ph_vec3 size = shape->size;
    ph_vec3 x[8];
    for (int i = 0; i < 8; i++)
        x[i] = ph_vec((i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y, (i & 4 ? 0.5 : -0.5) * size.z);
    if (!triangles_reserve(to, memory, 24, 12)) return false;
    for (int i = 0; i < 6; i++) triangles_add4(to, x[faces[i][0]], x[faces[i][1]], x[faces[i][2]], x[faces[i][3]]);
    return true;
}

static const element_key keys[] = {
    {"size", KEY_VECTOR, SHAPE_KEY(size), .rule = POSITIVE, .needed = true},
    {"density", KEY_NUMBER, SHAPE_KEY(density), .rule = POSITIVE},
    {0},
};

const shape_type shape_box = {
    .name = "box",
    .title = "box",
    .keys = keys,
    .solid = make_solid,
    .support = support,
    .reach = reach,
    .face = face_along,
    .draw = draw,
    .on_page = true,
};
