// Results as binary glTF 2.0 (Khronos, ISO/IEC 12113): every body a node whose translation and rotation are animated, its shapes
// below it, equal shapes sharing their triangles. glTF has y upwards: a node above all turns z there.
//
// The file is its JSON part followed by one block of numbers, in this order: triangles of all meshes, times, then for
// each body that moves its positions and its orientations.

#include "io/export/glb.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- The motion -----------------------------------------------------------------------------------------------------

static ph_status read_motion(glb *g)
{
    ph_result *r = g->c->result;
    g->bodies = ph_result_bodies(r);
    g->time = ph_result_values(r, ph_result_find(r, "time"), g->error);
    g->position = g->time ? ph_result_values(r, ph_result_find(r, "position"), g->error) : NULL;
    g->orientation = g->position ? ph_result_values(r, ph_result_find(r, "orientation"), g->error) : NULL;
    g->frames = arena_alloc_array(g->memory, (size_t)g->c->count, sizeof *g->frames);
    g->moves = arena_alloc_array(g->memory, (size_t)g->bodies, sizeof *g->moves);
    if (!g->orientation) {
        return PH_BAD_ARGUMENT;
    }
    return g->frames && g->moves ? PH_OK : error_set(g->error, PH_OUT_OF_MEMORY, "out of memory");
}

static bool is_finite_row(const glb *g, long long row)
{
    const size_t n = (size_t)g->bodies;
    bool finite = isfinite(g->time[row]);
    for (size_t i = 0; i < 3 * n; i++) {
        finite = finite && isfinite(g->position[3 * n * (size_t)row + i]);
    }
    for (size_t i = 0; i < 4 * n; i++) {
        finite = finite && isfinite(g->orientation[4 * n * (size_t)row + i]);
    }
    return finite;
}

static void look_at_body(glb *g, long long row, int body)
{
    const size_t n = (size_t)g->bodies, b = (size_t)body, first = (size_t)g->frames[0];
    const double *x = g->position + 3 * (n * (size_t)row + b), *q = g->orientation + 4 * (n * (size_t)row + b);
    g->moves[body] = g->moves[body] || memcmp(x, g->position + 3 * (n * first + b), 3 * sizeof *x) != 0 ||
                     memcmp(q, g->orientation + 4 * (n * first + b), 4 * sizeof *q) != 0;
    g->extent = fmax(g->extent, ph_max_abs((ph_vec3){x[0], x[1], x[2]}));
}

static ph_status choose_frames(glb *g)
{
    for (long long i = 0; i < g->c->count; i++) {
        const long long row = g->c->rows[i];
        if (!is_finite_row(g, row)) {
            return error_set(g->error, PH_BAD_ARGUMENT,
                             "'%s': the motion is not finite at t = %.6g s; --to leaves that out",
                             ph_result_path(g->c->result), g->time[row]);
        }
        g->frames[g->frame_count] = row;
        if (g->frame_count > 0 && !(frame_time(g, g->frame_count) > frame_time(g, g->frame_count - 1))) {
            continue;
        }
        g->frame_count++;
        for (int b = 0; b < g->bodies; b++) {
            look_at_body(g, row, b);
        }
    }
    return PH_OK;
}

// ---- Shapes ---------------------------------------------------------------------------------------------------------

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_mesh(const ph_shape_def *a, const ph_shape_def *b)
{
    return strcmp(a->type, b->type) == 0 && memcmp(&a->size, &b->size, sizeof a->size) == 0 && a->radius == b->radius &&
           a->length == b->length && memcmp(&a->axis, &b->axis, sizeof a->axis) == 0 && a->data == b->data &&
           same_text(a->file, b->file);
}

static int find_color(glb *g, const char *color)
{
    for (int i = 0; i < g->color_count; i++) {
        if (same_text(g->colors[i], color)) {
            return i;
        }
    }
    g->colors[g->color_count] = color;
    return g->color_count++;
}

// Its index, or -1 when its triangles are not known.
static int find_mesh(glb *g, const ph_shape_def *shape, const char *color)
{
    for (int i = 0; i < g->mesh_count; i++) {
        if (same_mesh(g->meshes[i].shape, shape) && same_text(g->meshes[i].color, color)) {
            return i;
        }
    }
    glb_mesh mesh = {.shape = shape, .color = color};
    if (!triangles_make(shape, 1.5 * g->extent + 1.0, g->memory, &mesh.surface, &g->out_of_memory) ||
        !mem_reserve(NULL, &g->meshes, &g->mesh_capacity, g->mesh_count + 1, sizeof *g->meshes)) {
        return -1;
    }
    mesh.material = find_color(g, color);
    g->meshes[g->mesh_count] = mesh;
    return g->mesh_count++;
}

// Okabe and Ito's colours, for shapes that say none.
static const char *default_color(int body)
{
    static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
    return colors[body % 6];
}

static void add_child(glb *g, int body, const ph_shape_def *shape, ph_vec3 com, bool fixed)
{
    const char *color = shape->color ? shape->color : fixed ? "#b8b8b8" : default_color(body);
    const int mesh = find_mesh(g, shape, color);
    if (mesh < 0) {
        g->c->report->left_out++;
        return;
    }
    if (!mem_reserve(NULL, &g->children, &g->child_capacity, g->child_count + 1, sizeof *g->children)) {
        g->out_of_memory = true;
        return;
    }
    g->children[g->child_count++] =
        (glb_child){body, mesh, ph_sub(shape->position, com), ph_quat_unit(shape->orientation)};
}

// A body without shapes is shown as a small sphere.
static void add_body(glb *g, int body, ph_shape_def *marker)
{
    const bool known = g->model && body < ph_model_bodies(g->model);
    const ph_body_info info = known ? ph_model_body(g->model, body) : (ph_body_info){0};
    for (int i = 0; i < info.shapes; i++) {
        add_child(g, body, ph_model_shape(g->model, body, i), info.com, info.fixed);
    }
    if (info.shapes == 0 && !info.fixed) {
        add_child(g, body, marker, (ph_vec3){0.0, 0.0, 0.0}, false);
    }
}

static ph_status collect_shapes(glb *g)
{
    ph_shape_def *marker = arena_alloc(g->memory, sizeof *marker);
    ph_error ignored;
    const ph_status status = ph_result_model(g->c->result, NULL, &g->model, &ignored);
    g->c->report->bare = status != PH_OK && *ph_result_text(g->c->result);
    size_t colors = 8;
    for (int i = 0; g->model && i < g->bodies; i++) {
        colors += (size_t)ph_model_body(g->model, i).shapes;
    }
    g->colors = arena_alloc_array(g->memory, colors, sizeof *g->colors);
    if (!marker || !g->colors) {
        return error_set(g->error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *marker = ph_default_shape();
    marker->type = "sphere";
    marker->radius = g->extent > 0.0 ? 0.03 * g->extent : 0.05;
    for (int i = 0; i < g->bodies && !g->out_of_memory; i++) {
        add_body(g, i, marker);
    }
    return g->out_of_memory ? error_set(g->error, PH_OUT_OF_MEMORY, "out of memory") : PH_OK;
}

// ---- Numbers --------------------------------------------------------------------------------------------------------

static ph_status send(glb *g, const void *data, size_t bytes)
{
    return output_file_append(&g->c->file, data, bytes, g->error);
}

static ph_status send_meshes(glb *g)
{
    ph_status status = PH_OK;
    for (int i = 0; i < g->mesh_count && status == PH_OK; i++) {
        const triangles *s = &g->meshes[i].surface;
        status = send(g, s->points, 12 * (size_t)s->point_count);
        status = status == PH_OK ? send(g, s->normals, 12 * (size_t)s->point_count) : status;
        status = status == PH_OK ? send(g, s->corners, 12 * (size_t)s->triangle_count) : status;
    }
    return status;
}

// Of the two quaternions of an orientation the one nearer to the frame before, so that the way between them is the short one.
static void fill_body(const glb *g, int body, float *positions, float *orientations)
{
    const size_t n = (size_t)g->bodies, b = (size_t)body;
    ph_quat last = {1.0, 0.0, 0.0, 0.0};
    for (long long i = 0; i < g->frame_count; i++) {
        const size_t row = (size_t)g->frames[i];
        const double *x = g->position + 3 * (n * row + b);
        ph_quat q = quat_at(g->orientation + 4 * (n * row + b));
        if (q.w * last.w + q.x * last.x + q.y * last.y + q.z * last.z < 0.0) {
            q = (ph_quat){-q.w, -q.x, -q.y, -q.z};
        }
        last = q;
        const double values[7] = {x[0], x[1], x[2], q.x, q.y, q.z, q.w};
        for (int k = 0; k < 7; k++) {
            *(k < 3 ? &positions[3 * i + k] : &orientations[4 * i + k - 3]) = (float)values[k];
        }
    }
}

static ph_status send_motion(glb *g)
{
    const size_t frames = (size_t)g->frame_count;
    float *positions = arena_alloc_array(g->memory, frames, 12),
          *orientations = arena_alloc_array(g->memory, frames, 16);
    if (!positions || !orientations) {
        return error_set(g->error, PH_OUT_OF_MEMORY, "out of memory");
    }
    for (long long i = 0; i < g->frame_count; i++) {
        positions[i] = frame_time(g, i);
    }
    ph_status status = send(g, positions, 4 * frames);
    for (int b = 0; b < g->bodies && status == PH_OK; b++) {
        if (g->moves[b]) {
            fill_body(g, b, positions, orientations);
            status = send(g, positions, 12 * frames);
            status = status == PH_OK ? send(g, orientations, 16 * frames) : status;
        }
    }
    return status;
}

static ph_status send_file(glb *g)
{
    const uint64_t text = ((uint64_t)g->json.length + 3) / 4 * 4, whole = 12 + 8 + text + 8 + g->bytes;
    if (whole > UINT32_MAX) {
        return error_set(g->error, PH_BAD_ARGUMENT,
                         "'%s' would have %.1f GB, GLB files end at 4: leave rows out with --every", g->c->path,
                         1e-9 * (double)whole);
    }
    const uint32_t head[5] = {0x46546c67, 2, (uint32_t)whole, (uint32_t)text, 0x4e4f534a};
    const uint32_t block[2] = {(uint32_t)g->bytes, 0x004e4942};
    ph_status status = send(g, head, sizeof head);
    status = status == PH_OK ? send(g, g->json.text, (size_t)g->json.length) : status;
    status = status == PH_OK ? send(g, "   ", (size_t)(text - (uint64_t)g->json.length)) : status;
    status = status == PH_OK ? send(g, block, sizeof block) : status;
    status = status == PH_OK ? send_meshes(g) : status;
    return status == PH_OK ? send_motion(g) : status;
}

static ph_status write_glb(glb *g)
{
    ph_status status = read_motion(g);
    status = status == PH_OK ? choose_frames(g) : status;
    status = status == PH_OK ? collect_shapes(g) : status;
    if (status != PH_OK) {
        return status;
    }
    glb_put_json(g);
    return g->json.failed ? error_set(g->error, PH_OUT_OF_MEMORY, "out of memory") : send_file(g);
}

ph_status convert_glb(conversion *c, ph_error *error)
{
    glb g = {.c = c, .error = error, .memory = arena_create(NULL)};
    const ph_status status = g.memory ? write_glb(&g) : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    c->count = status == PH_OK ? g.frame_count : c->count;
    mem_free(NULL, g.json.text);
    mem_free(NULL, g.meshes);
    mem_free(NULL, g.children);
    ph_model_destroy(g.model);
    arena_destroy(g.memory);
    return status;
}
