// Assets of MJCF: meshes, height fields, materials. Meshes are read when a geom needs them.

#include "base/path.h"
#include "io/robot/mjcf.h"
#include "io/robot/png.h"
#include "math/quat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *base_name(robot *r, const char *path)
{
    const char *slash = path_last_slash(path), *start = slash ? slash + 1 : path, *dot = strrchr(start, '.');
    return robot_printf(r, "%.*s", (int)(dot ? (size_t)(dot - start) : strlen(start)), start);
}

static void read_asset(mjcf *m, const xml_node *node)
{
    const char *name = xml_get(node, "name"), *file = xml_get(node, "file");
    mjcf_asset *asset = robot_alloc(m->r, 1, sizeof *asset);
    if (!asset) {
        return;
    }
    *asset = (mjcf_asset){.kind = node->name, .node = node, .next = m->assets};
    asset->name = name ? name : file ? base_name(m->r, file) : "";
    m->assets = asset;
}

void mjcf_read_assets(mjcf *m)
{
    for (const xml_node *a = xml_child(m->root, "asset"); a; a = xml_next(a, "asset")) {
        for
            XML_EACH(n, a)
            {
                read_asset(m, n);
            }
    }
}

mjcf_asset *mjcf_find_asset(mjcf *m, const char *kind, const char *name)
{
    mjcf_asset *a = m->assets;
    while (a && (strcmp(a->kind, kind) != 0 || strcmp(a->name, name) != 0)) {
        a = a->next;
    }
    return a;
}

// ---- Meshes -----------------------------------------------------------------------------------------------------------

static const char *in_mesh_folder(mjcf *m, const char *name)
{
    return robot_join(m->r, m->folder, m->mesh_folder ? robot_join(m->r, m->mesh_folder, name) : name);
}

// As seen from the main file, else from the part of the model that names it.
static const char *asset_path(mjcf *m, const xml_node *node, const char *file)
{
    const char *slash = path_last_slash(file);
    const char *name = m->strip_path && slash ? slash + 1 : file;
    const char *path = in_mesh_folder(m, name), *part = robot_folder(m->r, node->file->path);
    const size_t length = strlen(m->folder);
    if (robot_exists(path) || strncmp(part, m->folder, length) != 0 || part[length] != '/') return path;
    const char *other = in_mesh_folder(m, robot_join(m->r, part + length + 1, name));
    return robot_exists(other) ? other : path;
}

// Points in the file itself; without faces they mean their hull.
static bool read_inline(mjcf *m, const mjcf_element *e, robot_mesh *mesh)
{
    enum { NUMBERS_MAX = 300000 };
    double *v = mem_alloc_array(NULL, NUMBERS_MAX, sizeof *v);
    const int count = v ? element_numbers(e, "vertex", v, NUMBERS_MAX) : 0;
    mesh->vertex_count = count / 3;
    mesh->vertices = robot_alloc(m->r, (size_t)mesh->vertex_count + 1, sizeof *mesh->vertices);
    for (int i = 0; mesh->vertices && i < mesh->vertex_count; i++) {
        const double *p = v + (size_t)3 * (size_t)i;
        mesh->vertices[i] = (ph_vec3){(double)(float)p[0], (double)(float)p[1], (double)(float)p[2]};
    }
    const int corners = v ? element_numbers(e, "face", v, NUMBERS_MAX) : 0;
    bool good = mesh->vertices && mesh->vertex_count >= 4;
    mesh->triangles = robot_alloc(m->r, (size_t)corners / 3 + 1, sizeof *mesh->triangles);
    for (int i = 0; mesh->triangles && i < corners; i++) {
        good = good && v[i] >= 0.0 && v[i] < mesh->vertex_count;
        mesh->triangles[i / 3][i % 3] = good ? (int)v[i] : 0;
    }
    mesh->triangle_count = corners / 3;
    mem_free(NULL, v);
    return good || robot_fail(m->r, e->node, "vertex", NULL, "the vertices or faces of a mesh are not whole");
}

// First shifted, then turned, then scaled: refpos is in the file's own units.
static void shape_mesh(const mjcf_element *e, robot_mesh *mesh)
{
    ph_vec3 p = {0}, scale = {1, 1, 1};
    double v[4] = {1, 0, 0, 0};
    const bool moved = element_vector(e, "refpos", &p), turned = element_numbers(e, "refquat", v, 4) == 4;
    const ph_quat back = ph_quat_conj(ph_quat_unit((ph_quat){v[0], v[1], v[2], v[3]}));
    for (int i = 0; (moved || turned) && i < mesh->vertex_count; i++) {
        mesh->vertices[i] = ph_quat_rotate(back, ph_sub(mesh->vertices[i], p));
    }
    if (element_vector(e, "scale", &scale)) mesh_scale(mesh, scale);
}

static bool read_mesh(mjcf *m, const xml_node *user, mjcf_asset *asset)
{
    const mjcf_element e = {m, asset->node, mjcf_class_of(m, asset->node, m->classes), "mesh"};
    const char *file = element_text(&e, "file");
    robot_mesh *mesh = robot_alloc(m->r, 1, sizeof *mesh);
    if (!mesh) {
        return false;
    }
    *mesh = (robot_mesh){.name = asset->name, .node = asset->node, .inertia = element_text(&e, "inertia")};
    mesh->inertia = mesh->inertia ? mesh->inertia : "legacy";
    if (!file && !element_text(&e, "vertex")) {
        return robot_fail(m->r, asset->node, NULL, NULL, "the mesh '%.100s' has neither a file nor vertices%s",
                          asset->name, xml_get(asset->node, "builtin") ? ": built-in meshes are not made" : "");
    }
    (void)user;
    if (file ? !mesh_load(m->r, asset->node, asset_path(m, asset->node, file), mesh) : !read_inline(m, &e, mesh)) {
        return false;
    }
    shape_mesh(&e, mesh);
    asset->mesh = mesh;
    return true;
}

robot_mesh *mjcf_mesh(mjcf *m, const xml_node *user, const char *name)
{
    mjcf_asset *asset = mjcf_find_asset(m, "mesh", name);
    if (!asset) {
        robot_fail(m->r, user, "mesh", NULL, "there is no mesh '%.100s'", name);
        return NULL;
    }
    return asset->mesh || read_mesh(m, user, asset) ? asset->mesh : NULL;
}

// ---- Height fields ----------------------------------------------------------------------------------------------------

// Pictures and numbers in the file begin with the row that lies farthest along y, height fields with the nearest.
static void flip_rows(double *v, int rows, int columns)
{
    for (int i = 0; i < rows / 2 * columns; i++) {
        double *to = v + (rows - 1 - i / columns) * columns + i % columns, kept = *to;
        *to = v[i];
        v[i] = kept;
    }
}

static double *inline_heights(mjcf *m, const xml_node *node, int rows, int columns)
{
    const int count = rows > 0 && columns > 0 && rows < 10000 && columns < 10000 ? rows * columns : 0;
    double *v = count > 1 ? robot_alloc(m->r, (size_t)count, sizeof *v) : NULL;
    const char *text = xml_get(node, "elevation");
    if (v && text && robot_numbers(m->r, node, "elevation", text, v, count) != count) {
        robot_fail(m->r, node, "elevation", NULL, "elevation needs nrow by ncol numbers");
    }
    if (v) flip_rows(v, rows, columns);
    return v;
}

#ifndef PH_WITH_ZLIB
uint8_t *png_grey(const void *bytes, size_t length, arena *memory, int *rows, int *columns, const char **why)
{
    (void)bytes, (void)length, (void)memory, (void)rows, (void)columns;
    *why = "this build has no zlib";
    return NULL;
}
#endif

static double *picture_heights(mjcf *m, const xml_node *node, const char *bytes, size_t length, int *rows, int *columns)
{
    const char *why;
    const uint8_t *grey = png_grey(bytes, length, m->r->memory, rows, columns, &why);
    double *v = grey ? robot_alloc(m->r, (size_t)*rows * (size_t)*columns, sizeof *v) : NULL;
    if (why) robot_fail(m->r, node, "file", NULL, "the picture %.200s is not read: %s", xml_get(node, "file"), why);
    m->r->out_of_memory |= !why && !v;
    for (int i = 0; v && i < *rows * *columns; i++) v[i] = grey[i];
    if (v) flip_rows(v, *rows, *columns);
    return v;
}

static bool is_picture(const xml_node *node)
{
    const char *ending = strrchr(xml_get(node, "file"), '.'), *type = xml_get(node, "content_type");
    return type ? strcmp(type, "image/png") == 0 : ending && strcmp(ending, ".png") == 0;
}

// A picture, or two whole numbers and singles, rows by columns.
static double *file_heights(mjcf *m, const xml_node *node, int *rows, int *columns)
{
    const char *file = xml_get(node, "file");
    size_t length = 0;
    char *bytes = robot_load(m->r, node, asset_path(m, node, file), &length, false);
    if (bytes && is_picture(node)) return picture_heights(m, node, bytes, length, rows, columns);
    int head[2] = {0};
    if (bytes && length >= sizeof head) memcpy(head, bytes, sizeof head);
    if (!bytes || head[0] < 2 || head[1] < 2 || (length - 8) / 4 / (size_t)head[0] != (size_t)head[1]) {
        if (bytes) robot_fail(m->r, node, "file", NULL, "the height field %.200s is not whole", file);
        return NULL;
    }
    *rows = head[0], *columns = head[1];
    double *v = robot_alloc(m->r, (size_t)(*rows * *columns), sizeof *v);
    for (int i = 0; v && i < *rows * *columns; i++) {
        float one;
        memcpy(&one, bytes + 8 + (size_t)4 * (size_t)i, sizeof one);
        v[i] = (double)one;
    }
    return v;
}

// Values from 0 to 1, whatever the file has.
static void normalise(double *v, int count)
{
    double low = v[0], high = v[0];
    for (int i = 0; i < count; i++) {
        low = v[i] < low ? v[i] : low;
        high = v[i] > high ? v[i] : high;
    }
    for (int i = 0; i < count; i++) {
        v[i] = high > low ? (v[i] - low) / (high - low) : 0.0;
    }
}

bool mjcf_field(mjcf *m, const xml_node *user, const char *name, robot_geom *geom)
{
    const mjcf_asset *asset = mjcf_find_asset(m, "hfield", name);
    double size[4] = {0};
    if (!asset || !xml_get(asset->node, "size") ||
        robot_numbers(m->r, asset->node, "size", xml_get(asset->node, "size"), size, 4) != 4) {
        return robot_fail(m->r, asset ? asset->node : user, asset ? "size" : "hfield", NULL,
                          asset ? "a height field needs a size of four numbers" : "there is no height field '%.100s'",
                          name);
    }
    geom->rows = (int)robot_number(m->r, asset->node, "nrow", 0.0);
    geom->columns = (int)robot_number(m->r, asset->node, "ncol", 0.0);
    double *v = xml_get(asset->node, "file") ? file_heights(m, asset->node, &geom->rows, &geom->columns)
                                             : inline_heights(m, asset->node, geom->rows, geom->columns);
    if (!v) {
        return m->r->errors > 0 ? false
                                : robot_fail(m->r, asset->node, NULL, NULL,
                                             "a height field needs a file, or nrow, ncol and elevation");
    }
    normalise(v, geom->rows * geom->columns);
    geom->heights = v;
    geom->size = (ph_vec3){size[0], size[1], size[2]};
    return true;
}
