// The scene of a film. See scene.h.

#include "io/film/scene.h"

#include "base/error.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SIDE[3] = {1.0, -1.9, 0.85}; // from where it is seen: to the right, to the front, up
static const double ANGLE = 0.6;                 // rad, of the height of the picture

// ---- Pieces ---------------------------------------------------------------------------------------------------------

static const unsigned char palette[][3] = {{79, 140, 255},  {255, 138, 76}, {63, 191, 127}, {230, 92, 122},
                                           {155, 124, 246}, {230, 184, 60}, {63, 184, 201}, {160, 170, 184}};

static void color_of(const ph_shape_def *shape, int body, float color[3])
{
    unsigned r, g, b;
    const unsigned char *own = palette[body % (int)(sizeof palette / sizeof *palette)];
    for (int k = 0; k < 3; k++) color[k] = (float)own[k] / 255.0f;
    if (shape->color && sscanf(shape->color, "#%2x%2x%2x", &r, &g, &b) == 3) {
        color[0] = (float)r / 255.0f, color[1] = (float)g / 255.0f, color[2] = (float)b / 255.0f;
    }
}

static bool add_piece(film_scene *s, const ph_shape_def *shape, int body, ph_vec3 com)
{
    film_piece piece = {
        .body = body, .position = ph_sub(shape->position, com), .turn = ph_quat_to_mat(shape->orientation)};
    bool full = false;
    if (!triangles_make(shape, 1.0, s->memory, &piece.surface, &full)) return !full;
    color_of(shape, body, piece.color);
    if (!mem_reserve(NULL, &s->pieces, &s->piece_capacity, s->piece_count + 1, sizeof piece)) return false;
    s->pieces[s->piece_count++] = piece;
    return true;
}

// A body without shapes: rods from its centre of mass to its joints, and a ball.
static bool add_rod(film_scene *s, int body, ph_vec3 to, double radius)
{
    const double length = ph_norm(to);
    ph_shape_def shape = ph_default_shape();
    shape.type = length > radius ? "cylinder" : "sphere";
    shape.radius = length > radius ? radius : 2.0 * radius;
    shape.length = length;
    shape.axis = length > radius ? ph_scale(1.0 / length, to) : ph_vec(0, 0, 1);
    shape.position = ph_scale(0.5, to);
    return add_piece(s, &shape, body, ph_vec(0, 0, 0));
}

static bool add_bare(film_scene *s, int body, double radius)
{
    bool good = add_rod(s, body, ph_vec(0, 0, 0), radius);
    for (int j = 0; s->model && good && j < ph_model_joints(s->model); j++) {
        const ph_joint_info info = ph_model_joint(s->model, j);
        if (info.body_a == body) good = add_rod(s, body, info.anchor_a, radius);
        if (good && info.body_b == body) good = add_rod(s, body, info.anchor_b, radius);
    }
    return good;
}

// Planes are the ground: the first of them is drawn as such.
static bool is_plane(film_scene *s, const ph_shape_def *shape, int body)
{
    if (strcmp(shape->type, "plane") != 0) return false;
    const double *q = s->orientation + 4 * body, *x = s->position + 3 * body;
    const ph_mat3 R = ph_quat_to_mat((ph_quat){q[0], q[1], q[2], q[3]});
    const ph_vec3 n = ph_mul(R, ph_mul(ph_quat_to_mat(shape->orientation), shape->axis));
    const ph_vec3 arm = ph_sub(shape->position, ph_model_body(s->model, body).com);
    if (s->ground.cell == 0.0 && n.z > 0.5) {
        s->ground = (film_ground){.point = ph_add(ph_vec(x[0], x[1], x[2]), ph_mul(R, arm)), .normal = n, .cell = 1.0};
    }
    return true;
}

static bool add_body(film_scene *s, int body, double radius)
{
    const ph_body_info info = s->model ? ph_model_body(s->model, body) : (ph_body_info){0};
    bool good = true;
    for (int i = 0; good && i < info.shapes; i++) {
        const ph_shape_def *shape = ph_model_shape(s->model, body, i);
        good = is_plane(s, shape, body) || add_piece(s, shape, body, info.com);
    }
    return good && (info.shapes > 0 || info.fixed || add_bare(s, body, radius));
}

// ---- Room -----------------------------------------------------------------------------------------------------------

static void include(film_scene *s, ph_vec3 p, double r)
{
    s->low = ph_vec(fmin(s->low.x, p.x - r), fmin(s->low.y, p.y - r), fmin(s->low.z, p.z - r));
    s->high = ph_vec(fmax(s->high.x, p.x + r), fmax(s->high.y, p.y + r), fmax(s->high.z, p.z + r));
}

static double reach_of(const film_scene *s, int body)
{
    double most = 0.0;
    for (int i = 0; i < s->piece_count; i++) {
        const film_piece *p = &s->pieces[i];
        for (int k = 0; p->body == body && k < p->surface.point_count; k++) {
            const float *x = &p->surface.points[3 * k];
            most = fmax(most, ph_norm(p->position) + sqrt((double)(x[0] * x[0] + x[1] * x[1] + x[2] * x[2])));
        }
    }
    return most;
}

// Where the bodies go; some hundred rows tell it.
static void measure(film_scene *s, bool with_shapes)
{
    const long long stride = 1 + s->rows / 200;
    s->low = ph_vec(1e300, 1e300, 1e300), s->high = ph_scale(-1.0, s->low);
    for (int b = 0; b < s->bodies; b++) {
        const bool fixed = s->model && ph_model_body(s->model, b).fixed;
        const double r = with_shapes ? reach_of(s, b) : 0.0;
        for (long long k = 0; k < s->rows && !(fixed && r == 0.0); k += stride) {
            const double *x = s->position + 3 * (k * s->bodies + b);
            include(s, ph_vec(x[0], x[1], x[2]), r);
        }
    }
    for (int j = 0; s->model && j < ph_model_joints(s->model); j++) {
        const ph_joint_info info = ph_model_joint(s->model, j);
        if (info.body_a == PH_WORLD) include(s, info.anchor_a, 0.0);
    }
    if (s->low.x > s->high.x) include(s, ph_vec(0, 0, 0), 1.0);
}

static double extent(const film_scene *s)
{
    return fmax(1e-6, 0.5 * ph_norm(ph_sub(s->high, s->low)));
}

static void settle_ground(film_scene *s)
{
    const double size = extent(s), round = pow(10.0, floor(log10(0.4 * size)));
    const double cell = 0.4 * size / round >= 5.0 ? 5.0 * round : 0.4 * size / round >= 2.0 ? 2.0 * round : round;
    if (s->ground.cell == 0.0) {
        s->ground.point = ph_vec(0.5 * (s->low.x + s->high.x), 0.5 * (s->low.y + s->high.y), s->low.z - 0.04 * size);
        s->ground.normal = ph_vec(0, 0, 1);
    }
    s->ground.cell = cell;
    s->ground.reach = 9.0 * size;
}

static ph_status read_motion(film_scene *s, ph_result *result, ph_error *error)
{
    s->bodies = ph_result_bodies(result);
    s->rows = ph_result_rows(result);
    if (s->rows < 1)
        return error_set(error, PH_BAD_ARGUMENT,
                         "this result has no frames: the run ended before the first was recorded");
    s->time = ph_result_values(result, ph_result_find(result, "time"), error);
    s->position = ph_result_values(result, ph_result_find(result, "position"), error);
    s->orientation = ph_result_values(result, ph_result_find(result, "orientation"), error);
    return s->time && s->position && s->orientation ? PH_OK : PH_IO;
}

ph_status film_scene_make(film_scene *s, ph_result *result, ph_error *error)
{
    *s = (film_scene){.memory = arena_create(NULL)};
    if (!s->memory) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    const ph_status status = read_motion(s, result, error);
    if (status != PH_OK) return status;
    ph_result_model(result, NULL, &s->model, NULL);
    if (s->model && ph_model_bodies(s->model) != s->bodies) ph_model_destroy(s->model), s->model = NULL;
    measure(s, false);
    const double radius = 0.03 * extent(s);
    for (int b = 0; b < s->bodies; b++) {
        if (!add_body(s, b, radius)) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    measure(s, s->bodies < 2000);
    settle_ground(s);
    return PH_OK;
}

void film_scene_free(film_scene *s)
{
    ph_model_destroy(s->model);
    mem_free(NULL, s->pieces);
    arena_destroy(s->memory);
}

// ---- Seeing it ------------------------------------------------------------------------------------------------------

static ph_vec3 unit(ph_vec3 v)
{
    return ph_scale(1.0 / ph_norm(v), v);
}

// How far the eye must be for one corner of the box to be in the picture, with a rim.
static double distance_for(const film_eye *e, ph_vec3 corner, double aspect)
{
    const double rim = 0.46, up = fabs(ph_dot(corner, e->up)), side = fabs(ph_dot(corner, e->right)) / aspect;
    return ph_dot(corner, e->back) + fmax(up, side) * e->focus / rim;
}

void film_scene_look(const film_scene *s, film_canvas *c)
{
    const ph_vec3 middle = ph_scale(0.5, ph_add(s->low, s->high)), half = ph_scale(0.5, ph_sub(s->high, s->low));
    film_eye *e = &c->eye;
    double away = 0.5 * extent(s);
    e->back = unit(ph_vec(SIDE[0], SIDE[1], SIDE[2]));
    e->right = unit(ph_cross(ph_vec(0, 0, 1), e->back));
    e->up = ph_cross(e->back, e->right);
    e->focus = 0.5 / tan(0.5 * ANGLE);
    for (int k = 0; k < 8; k++) {
        const ph_vec3 corner = ph_vec(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z);
        away = fmax(away, distance_for(e, corner, (double)c->width / c->height));
    }
    e->place = ph_add(middle, ph_scale(away, e->back));
    c->sun = unit(ph_vec(0.6, -0.5, 1.4));
}

// The state between two rows.
static void pose_at(const film_scene *s, int body, long long row, double part, ph_vec3 *x, ph_mat3 *R)
{
    const long long next = row + 1 < s->rows ? row + 1 : row;
    const double *a = s->position + 3 * (row * s->bodies + body), *b = s->position + 3 * (next * s->bodies + body);
    const double *p = s->orientation + 4 * (row * s->bodies + body),
                 *q = s->orientation + 4 * (next * s->bodies + body);
    const double sign = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < 0.0 ? -1.0 : 1.0;
    double m[4];
    for (int k = 0; k < 4; k++) m[k] = (1.0 - part) * p[k] + sign * part * q[k];
    *x = ph_vec(a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1]), a[2] + part * (b[2] - a[2]));
    *R = ph_quat_to_mat(ph_quat_unit((ph_quat){m[0], m[1], m[2], m[3]}));
}

typedef struct placed {
    ph_vec3 x;
    ph_mat3 R;
} placed;

static void draw_piece(const film_scene *s, film_canvas *c, const film_piece *p, const placed *at, bool shadow)
{
    const ph_mat3 turn = ph_mat_mul(at->R, p->turn);
    const ph_vec3 base = ph_add(at->x, ph_mul(at->R, p->position));
    for (int i = 0; i < p->surface.triangle_count; i++) {
        ph_vec3 corners[3], normals[3];
        for (int k = 0; k < 3; k++) {
            const uint32_t corner = p->surface.corners[3 * i + k];
            const float *x = &p->surface.points[3 * corner], *n = &p->surface.normals[3 * corner];
            corners[k] = ph_add(base, ph_mul(turn, ph_vec((double)x[0], (double)x[1], (double)x[2])));
            normals[k] = ph_mul(turn, ph_vec((double)n[0], (double)n[1], (double)n[2]));
        }
        if (shadow)
            film_shadow(c, &s->ground, corners);
        else
            film_triangle(c, corners, normals, p->color);
    }
}

static long long row_at(const film_scene *s, double time)
{
    long long low = 0, high = s->rows - 1;
    while (low < high) {
        const long long middle = (low + high + 1) / 2;
        if (s->time[middle] <= time)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// Shadows first: they lie on the ground, under everything.
void film_scene_draw(const film_scene *s, film_canvas *c, double time)
{
    const long long row = row_at(s, time);
    const double length = row + 1 < s->rows ? s->time[row + 1] - s->time[row] : 0.0;
    const double part = length > 0.0 ? fmin(1.0, fmax(0.0, (time - s->time[row]) / length)) : 0.0;
    film_clear(c, &s->ground);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < s->piece_count; i++) {
            placed at;
            pose_at(s, s->pieces[i].body, row, part, &at.x, &at.R);
            draw_piece(s, c, &s->pieces[i], &at, pass == 0);
        }
    }
    film_finish(c);
}
