// Files of meshes: OBJ, STL (text and binary), MSH. See mesh.h.

#include "expression/expression.h"
#include "io/robot/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct mesh_reader {
    robot *r;
    const xml_node *node;
    const char *path, *at, *end;
    ph_vec3 *vertices;
    int vertex_count, vertex_room;
    int (*triangles)[3];
    int triangle_count, triangle_room;
    bool failed;
} mesh_reader;

static bool wrong(mesh_reader *m, const char *what)
{
    if (!m->failed) {
        robot_fail(m->r, m->node, "file", NULL, "%.300s: %s", m->path, what);
    }
    m->failed = true;
    return false;
}

static bool add_vertex(mesh_reader *m, double x, double y, double z)
{
    if (!mem_reserve(NULL, &m->vertices, &m->vertex_room, m->vertex_count + 1, sizeof *m->vertices)) {
        return wrong(m, "out of memory");
    }
    if (!isfinite(x) || !isfinite(y) || !isfinite(z)) {
        return wrong(m, "a vertex is not finite");
    }
    m->vertices[m->vertex_count++] = (ph_vec3){(double)(float)x, (double)(float)y, (double)(float)z};
    return true;
}

static bool add_triangle(mesh_reader *m, long a, long b, long c)
{
    if (!mem_reserve(NULL, &m->triangles, &m->triangle_room, m->triangle_count + 1, sizeof *m->triangles)) {
        return wrong(m, "out of memory");
    }
    const long n = m->vertex_count;
    if (a < 0 || b < 0 || c < 0 || a >= n || b >= n || c >= n) {
        return wrong(m, "a face names a vertex that is not there");
    }
    int *to = m->triangles[m->triangle_count++];
    to[0] = (int)a, to[1] = (int)b, to[2] = (int)c;
    return true;
}

// ---- OBJ ------------------------------------------------------------------------------------------------------------

static const char *blanks(const char *s)
{
    return s + strspn(s, " \t\r");
}

static const char *take_double(const char *s, double *to)
{
    s = blanks(s);
    const bool minus = *s == '-';
    const char *start = s + (*s == '-' || *s == '+'), *end;
    const double value = expression_number(start, &end);
    *to = minus ? -value : value;
    return end == start ? NULL : end;
}

static void take_point(mesh_reader *m, const char *s)
{
    double v[3] = {0};
    for (int k = 0; k < 3; k++) {
        s = take_double(s, &v[k]);
        if (!s) {
            wrong(m, "a vertex needs three numbers");
            return;
        }
    }
    add_vertex(m, v[0], v[1], v[2]);
}

// Polygons become fans of triangles.
static void take_face(mesh_reader *m, const char *s)
{
    long first = 0, last = 0;
    for (int k = 0;; k++) {
        char *end;
        s = blanks(s);
        if (*s == '\n' || *s == '\0' || *s == '#') {
            return;
        }
        const long index = strtol(s, &end, 10), corner = index < 0 ? m->vertex_count + index : index - 1;
        if (end == s) {
            wrong(m, "a face names something that is not a number");
            return;
        }
        if (k >= 2 && !add_triangle(m, first, last, corner)) {
            return;
        }
        first = k == 0 ? corner : first;
        last = corner;
        s = end + strcspn(end, " \t\r\n");
    }
}

static void read_obj(mesh_reader *m)
{
    for (const char *s = m->at; *s && !m->failed; s += *s == '\n') {
        s = blanks(s);
        if (s[0] == 'v' && (s[1] == ' ' || s[1] == '\t')) {
            take_point(m, s + 1);
        } else if (s[0] == 'f' && (s[1] == ' ' || s[1] == '\t')) {
            take_face(m, s + 1);
        }
        s += strcspn(s, "\n");
    }
}

// ---- STL ------------------------------------------------------------------------------------------------------------

static uint32_t little_endian(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double single_at(const char *bytes)
{
    const uint32_t bits = little_endian(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

enum { STL_HEAD = 84, STL_TRIANGLE = 50 };

static void read_binary_stl(mesh_reader *m)
{
    const uint32_t count = little_endian(m->at + 80);
    for (uint32_t k = 0; k < count && !m->failed; k++) {
        const char *corner = m->at + STL_HEAD + (size_t)STL_TRIANGLE * k + 12;
        for (int i = 0; i < 3; i++, corner += 12) {
            add_vertex(m, single_at(corner), single_at(corner + 4), single_at(corner + 8));
        }
        if (!m->failed) {
            add_triangle(m, m->vertex_count - 3, m->vertex_count - 2, m->vertex_count - 1);
        }
    }
}

static void read_text_stl(mesh_reader *m)
{
    const char *s = m->at;
    while ((s = strstr(s, "vertex")) && !m->failed) {
        take_point(m, s + 6);
        s += 6;
        if (!m->failed && m->vertex_count % 3 == 0) {
            add_triangle(m, m->vertex_count - 3, m->vertex_count - 2, m->vertex_count - 1);
        }
    }
}

static bool is_binary_stl(const mesh_reader *m)
{
    const size_t length = (size_t)(m->end - m->at);
    return length >= STL_HEAD && length >= STL_HEAD + (size_t)STL_TRIANGLE * little_endian(m->at + 80) &&
           (strncmp(m->at, "solid", 5) != 0 || length == STL_HEAD + (size_t)STL_TRIANGLE * little_endian(m->at + 80));
}

// ---- MSH: counts of vertices, normals, texture coordinates and faces, then singles and whole numbers ------------------

static void read_msh(mesh_reader *m)
{
    const size_t length = (size_t)(m->end - m->at);
    if (length < 16) {
        wrong(m, "it is not an MSH file");
        return;
    }
    size_t n[4];
    for (int k = 0; k < 4; k++) n[k] = little_endian(m->at + (size_t)4 * (size_t)k);
    const size_t sum = n[0] < length && n[1] < length && n[2] < length && n[3] < length
                           ? 16 + 4 * (3 * n[0] + 3 * n[1] + 2 * n[2] + 3 * n[3])
                           : 0;
    if (sum != length) {
        wrong(m, "its size does not fit the counts in its head");
        return;
    }
    const char *vertex = m->at + 16, *face = vertex + 4 * (3 * n[0] + 3 * n[1] + 2 * n[2]);
    for (size_t k = 0; k < n[0] && !m->failed; k++, vertex += 12) {
        add_vertex(m, single_at(vertex), single_at(vertex + 4), single_at(vertex + 8));
    }
    for (size_t k = 0; k < n[3] && !m->failed; k++, face += 12) {
        add_triangle(m, little_endian(face), little_endian(face + 4), little_endian(face + 8));
    }
}

// ---- Any of them ----------------------------------------------------------------------------------------------------

static bool ends_with(const char *text, const char *ending)
{
    const size_t a = strlen(text), b = strlen(ending);
    return a >= b && strcasecmp(text + a - b, ending) == 0;
}

static void read_any(mesh_reader *m)
{
    if (ends_with(m->path, ".obj")) {
        read_obj(m);
    } else if (ends_with(m->path, ".msh")) {
        read_msh(m);
    } else if (!ends_with(m->path, ".stl")) {
        wrong(m, "meshes are read from OBJ, STL and MSH files");
    } else if (is_binary_stl(m)) {
        read_binary_stl(m);
    } else {
        read_text_stl(m);
    }
    if (!m->failed && (m->vertex_count < 3 || m->triangle_count < 1)) {
        wrong(m, "it has no triangles");
    }
}

static void keep(mesh_reader *m, robot_mesh *mesh)
{
    mesh->vertices = robot_alloc(m->r, (size_t)m->vertex_count, sizeof *mesh->vertices);
    mesh->triangles = robot_alloc(m->r, (size_t)m->triangle_count, sizeof *mesh->triangles);
    if (!mesh->vertices || !mesh->triangles) {
        return;
    }
    mesh->vertex_count = m->vertex_count;
    mesh->triangle_count = m->triangle_count;
    memcpy(mesh->vertices, m->vertices, (size_t)m->vertex_count * sizeof *m->vertices);
    memcpy(mesh->triangles, m->triangles, (size_t)m->triangle_count * sizeof *m->triangles);
}

void mesh_scale(robot_mesh *mesh, ph_vec3 scale)
{
    const bool mirrored = scale.x * scale.y * scale.z < 0.0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        const ph_vec3 v = mesh->vertices[i];
        mesh->vertices[i] = (ph_vec3){scale.x * v.x, scale.y * v.y, scale.z * v.z};
    }
    for (int i = 0; mirrored && i < mesh->triangle_count; i++) {
        const int first = mesh->triangles[i][0];
        mesh->triangles[i][0] = mesh->triangles[i][2];
        mesh->triangles[i][2] = first;
    }
}

bool mesh_load(robot *r, const xml_node *node, const char *path, robot_mesh *mesh)
{
    size_t length;
    char *bytes = robot_load(r, node, path, &length, false);
    mesh_reader m = {.r = r, .node = node, .path = path, .at = bytes, .end = bytes ? bytes + length : NULL};
    if (!bytes) {
        return false;
    }
    read_any(&m);
    if (!m.failed) {
        keep(&m, mesh);
        mesh->path = path;
    }
    mem_free(NULL, m.vertices);
    mem_free(NULL, m.triangles);
    return !m.failed && mesh->triangles;
}
