// Results as binary glTF 2.0 (Khronos, ISO/IEC 12113): every body a node whose translation and rotation are animated, its shapes
// below it, equal shapes sharing their triangles. glTF has y upwards: a node above all turns z there.
//
// The file is its JSON part followed by one block of numbers, in this order: triangles of all meshes, times, then for
// each body that moves its positions and its orientations.

#include "io/convert.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/model_text.h"
#include "io/surface.h"
#include "math/quat.h"
#include "math/trig.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct glb_mesh {
    const ph_shape_def *shape;
    const char *color;
    surface surface;
    int material;
} glb_mesh;

typedef struct glb_child { // a shape of a body
    int body, mesh;
    ph_vec3 position; // from the centre of mass
    ph_quat orientation;
} glb_child;

typedef struct glb {
    conversion *c;
    ph_error *error;
    arena *memory;
    ph_model *model; // NULL: not in the result
    const double *time, *position, *orientation;
    int bodies;
    double extent;
    long long *frames; // rows that are shown: their times differ also as floats
    long long frame_count;
    bool *moves; // for each body
    glb_mesh *meshes;
    int mesh_count, mesh_capacity;
    glb_child *children;
    int child_count, child_capacity;
    const char **colors;
    int color_count;
    bool out_of_memory;
    model_text json;
    uint64_t bytes;     // of the block of numbers so far
    int view, accessor; // how many there are so far
} glb;

// ---- The motion -----------------------------------------------------------------------------------------------------

static float frame_time(const glb *g, long long frame)
{
    return (float)fabs(g->time[g->frames[frame]] - g->time[g->frames[0]]);
}

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
    if (!surface_make(shape, 1.5 * g->extent + 1.0, g->memory, &mesh.surface, &g->out_of_memory) ||
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

// ---- JSON: views and accessors --------------------------------------------------------------------------------------

enum { FLOATS = 5126, WORDS = 5125, POINT_DATA = 34962, CORNER_DATA = 34963 };

static void put_view(glb *g, uint64_t bytes, int target)
{
    text_map(&g->json, NULL);
    text_integer(&g->json, "buffer", 0);
    text_integer(&g->json, "byteOffset", (long long)g->bytes);
    text_integer(&g->json, "byteLength", (long long)bytes);
    if (target) {
        text_integer(&g->json, "target", target);
    }
    text_end_map(&g->json);
    g->bytes += bytes;
}

static void put_views(glb *g)
{
    const uint64_t frames = (uint64_t)g->frame_count;
    text_block(&g->json, "bufferViews");
    for (int i = 0; i < g->mesh_count; i++) {
        const surface *s = &g->meshes[i].surface;
        put_view(g, 12 * (uint64_t)s->point_count, POINT_DATA);
        put_view(g, 12 * (uint64_t)s->point_count, POINT_DATA);
        put_view(g, 12 * (uint64_t)s->triangle_count, CORNER_DATA);
    }
    put_view(g, 4 * frames, 0);
    for (int i = 0; i < g->bodies; i++) {
        if (g->moves[i]) {
            put_view(g, 12 * frames, 0);
            put_view(g, 16 * frames, 0);
        }
    }
    text_end_block(&g->json);
}

static void begin_accessor(glb *g, int component, long long count, const char *type)
{
    text_map(&g->json, NULL);
    text_integer(&g->json, "bufferView", g->accessor++);
    text_integer(&g->json, "componentType", component);
    text_integer(&g->json, "count", count);
    text_string(&g->json, "type", type);
}

static void put_bounds(glb *g, const surface *s)
{
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = high[k] = (double)s->points[k];
        for (int i = 1; i < s->point_count; i++) {
            low[k] = fmin(low[k], (double)s->points[3 * i + k]);
            high[k] = fmax(high[k], (double)s->points[3 * i + k]);
        }
    }
    text_doubles(&g->json, "min", low, 3);
    text_doubles(&g->json, "max", high, 3);
}

static void put_accessors(glb *g)
{
    const double last = (double)frame_time(g, g->frame_count - 1);
    text_block(&g->json, "accessors");
    for (int i = 0; i < g->mesh_count; i++) {
        const surface *s = &g->meshes[i].surface;
        begin_accessor(g, FLOATS, s->point_count, "VEC3");
        put_bounds(g, s);
        text_end_map(&g->json);
        begin_accessor(g, FLOATS, s->point_count, "VEC3");
        text_end_map(&g->json);
        begin_accessor(g, WORDS, 3LL * s->triangle_count, "SCALAR");
        text_end_map(&g->json);
    }
    begin_accessor(g, FLOATS, g->frame_count, "SCALAR");
    text_doubles(&g->json, "min", (const double[]){0.0}, 1);
    text_doubles(&g->json, "max", &last, 1);
    text_end_map(&g->json);
    for (int i = 0; i < g->bodies; i++) {
        if (g->moves[i]) {
            begin_accessor(g, FLOATS, g->frame_count, "VEC3");
            text_end_map(&g->json);
            begin_accessor(g, FLOATS, g->frame_count, "VEC4");
            text_end_map(&g->json);
        }
    }
    text_end_block(&g->json);
}

// ---- JSON: what is seen ---------------------------------------------------------------------------------------------

// From the code of a colour, which is made for eyes, to amounts of light.
static double light(const char *color, int channel)
{
    int value = 0;
    for (int i = 0; i < 2; i++) {
        const char c = color[1 + 2 * channel + i];
        value = 16 * value + (c >= '0' && c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    const double share = value / 255.0;
    return share <= 0.04045 ? share / 12.92 : ph_pow((share + 0.055) / 1.055, 2.4);
}

static void put_materials(glb *g)
{
    text_block(&g->json, "materials");
    for (int i = 0; i < g->color_count; i++) {
        const char *color = g->colors[i];
        const double factor[4] = {light(color, 0), light(color, 1), light(color, 2), 1.0};
        text_map(&g->json, NULL);
        text_map(&g->json, "pbrMetallicRoughness");
        text_doubles(&g->json, "baseColorFactor", factor, 4);
        text_double(&g->json, "metallicFactor", 0.0);
        text_double(&g->json, "roughnessFactor", 0.6);
        text_end_map(&g->json);
        text_bool(&g->json, "doubleSided", true);
        text_end_map(&g->json);
    }
    text_end_block(&g->json);
}

static void put_meshes(glb *g)
{
    text_block(&g->json, "meshes");
    for (int i = 0; i < g->mesh_count; i++) {
        text_map(&g->json, NULL);
        text_string(&g->json, "name", g->meshes[i].shape->type);
        text_list(&g->json, "primitives");
        text_map(&g->json, NULL);
        text_map(&g->json, "attributes");
        text_integer(&g->json, "POSITION", 3 * i);
        text_integer(&g->json, "NORMAL", 3 * i + 1);
        text_end_map(&g->json);
        text_integer(&g->json, "indices", 3 * i + 2);
        text_integer(&g->json, "material", g->meshes[i].material);
        text_end_map(&g->json);
        text_end_list(&g->json);
        text_end_map(&g->json);
    }
    text_end_block(&g->json);
}

// glTF has quaternions as x, y, z, w.
static void put_place(glb *g, ph_vec3 x, ph_quat q)
{
    text_doubles(&g->json, "translation", (const double[]){(double)(float)x.x, (double)(float)x.y, (double)(float)x.z},
                 3);
    text_doubles(&g->json, "rotation", (const double[]){q.x, q.y, q.z, q.w}, 4);
}

static void put_indices(glb *g, const char *key, int first, int count)
{
    text_list(&g->json, key);
    for (int i = 0; i < count; i++) {
        text_integer(&g->json, NULL, first + i);
    }
    text_end_list(&g->json);
}

static ph_quat quat_at(const double *q)
{
    return ph_quat_unit((ph_quat){q[0], q[1], q[2], q[3]});
}

// Node 0 is above all, then the bodies, then their shapes in the order of the bodies.
static void put_nodes(glb *g)
{
    const double half = 0.70710678118654752440;
    const size_t first = (size_t)g->frames[0], n = (size_t)g->bodies;
    int child = 0;
    text_block(&g->json, "nodes");
    text_map(&g->json, NULL);
    text_string(&g->json, "name", "world");
    text_doubles(&g->json, "rotation", (const double[]){-half, 0.0, 0.0, half}, 4);
    if (g->bodies > 0) {
        put_indices(g, "children", 1, g->bodies);
    }
    text_end_map(&g->json);
    for (int i = 0; i < g->bodies; i++) {
        const double *x = g->position + 3 * (n * first + (size_t)i), *q = g->orientation + 4 * (n * first + (size_t)i);
        int end = child;
        while (end < g->child_count && g->children[end].body == i) {
            end++;
        }
        text_map(&g->json, NULL);
        text_string(&g->json, "name", ph_result_body(g->c->result, i));
        put_place(g, (ph_vec3){x[0], x[1], x[2]}, quat_at(q));
        if (end > child) {
            put_indices(g, "children", 1 + g->bodies + child, end - child);
        }
        text_end_map(&g->json);
        child = end;
    }
    for (int i = 0; i < g->child_count; i++) {
        text_map(&g->json, NULL);
        text_integer(&g->json, "mesh", g->children[i].mesh);
        put_place(g, g->children[i].position, g->children[i].orientation);
        text_end_map(&g->json);
    }
    text_end_block(&g->json);
}

static void put_channel(glb *g, int sampler, int body, const char *path)
{
    text_map(&g->json, NULL);
    text_integer(&g->json, "sampler", sampler);
    text_map(&g->json, "target");
    text_integer(&g->json, "node", 1 + body);
    text_string(&g->json, "path", path);
    text_end_map(&g->json);
    text_end_map(&g->json);
}

static void put_animation(glb *g)
{
    const int times = 3 * g->mesh_count;
    int samplers = 0;
    text_block(&g->json, "animations");
    text_map(&g->json, NULL);
    text_string(&g->json, "name", "motion");
    text_list(&g->json, "channels");
    for (int i = 0; i < g->bodies; i++) {
        if (g->moves[i]) {
            put_channel(g, samplers++, i, "translation");
            put_channel(g, samplers++, i, "rotation");
        }
    }
    text_end_list(&g->json);
    text_list(&g->json, "samplers");
    for (int i = 0; i < samplers; i++) {
        text_map(&g->json, NULL);
        text_integer(&g->json, "input", times);
        text_integer(&g->json, "output", times + 1 + i);
        text_end_map(&g->json);
    }
    text_end_list(&g->json);
    text_end_map(&g->json);
    text_end_block(&g->json);
}

static void put_json(glb *g)
{
    bool moving = false;
    for (int i = 0; i < g->bodies; i++) {
        moving = moving || g->moves[i];
    }
    g->json.json = true;
    text_root(&g->json);
    text_map(&g->json, "asset");
    text_string(&g->json, "version", "2.0");
    text_string(&g->json, "generator", "polhode");
    text_end_map(&g->json);
    text_integer(&g->json, "scene", 0);
    text_block(&g->json, "scenes");
    text_map(&g->json, NULL);
    if (*ph_result_name(g->c->result)) {
        text_string(&g->json, "name", ph_result_name(g->c->result));
    }
    put_indices(g, "nodes", 0, 1);
    text_end_map(&g->json);
    text_end_block(&g->json);
    put_nodes(g);
    if (g->mesh_count > 0) {
        put_meshes(g);
        put_materials(g);
    }
    if (moving) {
        put_animation(g);
    }
    put_views(g);
    put_accessors(g);
    text_block(&g->json, "buffers");
    text_map(&g->json, NULL);
    text_integer(&g->json, "byteLength", (long long)g->bytes);
    text_end_map(&g->json);
    text_end_block(&g->json);
    text_end_root(&g->json);
}

// ---- Numbers --------------------------------------------------------------------------------------------------------

static ph_status send(glb *g, const void *data, size_t bytes)
{
    return result_file_append(&g->c->file, data, bytes, g->error);
}

static ph_status send_meshes(glb *g)
{
    ph_status status = PH_OK;
    for (int i = 0; i < g->mesh_count && status == PH_OK; i++) {
        const surface *s = &g->meshes[i].surface;
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
    put_json(g);
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
