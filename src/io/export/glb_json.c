// The JSON part of a binary glTF file: nodes, meshes, materials, animation, and where their numbers are.
#include "io/export/glb.h"

#include "math/trig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
        const triangles *s = &g->meshes[i].surface;
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

static void put_bounds(glb *g, const triangles *s)
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
        const triangles *s = &g->meshes[i].surface;
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

void glb_put_json(glb *g)
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
