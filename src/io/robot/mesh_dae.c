// Points of COLLADA files (DAE), where the scene puts them. Shapes of robots are hulls: of faces nothing is needed.
//
// Lengths are in the file's unit. Which axis points up is left to the robot, as viewers of URDF do.

#include "io/robot/mesh.h"

#include "expression/expression.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

enum { DEPTH_MAX = 32, POINTS_MAX = 20000000 };

typedef struct affine {
    double m[3][4];
} affine;

typedef struct dae {
    robot *r;
    const xml_node *root;
    robot_mesh *mesh;
    double metre;
    int room;
} dae;

static affine times(affine a, affine b)
{
    affine c;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++) {
            c.m[i][k] = a.m[i][0] * b.m[0][k] + a.m[i][1] * b.m[1][k] + a.m[i][2] * b.m[2][k];
        }
        c.m[i][3] += a.m[i][3];
    }
    return c;
}

// The next number of a text; false at its end, or where there is none.
static bool take(const char **text, double *to)
{
    const char *s = *text + strspn(*text, " \t\r\n"), *end;
    const bool minus = *s == '-';
    s += minus || *s == '+';
    const double value = expression_number(s, &end);
    *to = minus ? -value : value;
    *text = end;
    return end > s;
}

static int numbers_of(const xml_node *n, double *to, int most)
{
    const char *text = n->text;
    int count = 0;
    while (count < most && take(&text, &to[count])) count++;
    return count;
}

// ---- Points -------------------------------------------------------------------------------------------------------------

static const xml_node *with_id(const xml_node *n, const char *id)
{
    if (robot_words_equal(xml_get(n, "id"), id)) return n;
    for
        XML_EACH(c, n)
        {
            const xml_node *found = with_id(c, id);
            if (found) return found;
        }
    return NULL;
}

static const xml_node *target_of(const dae *d, const xml_node *n, const char *attribute)
{
    const char *url = xml_get(n, attribute);
    return url && url[0] == '#' ? with_id(d->root, url + 1) : NULL;
}

static void add_point(dae *d, affine at, const double x[3])
{
    double y[3];
    if (!mem_reserve(NULL, &d->mesh->vertices, &d->room, d->mesh->vertex_count + 1, sizeof *d->mesh->vertices)) {
        d->r->out_of_memory = true;
        return;
    }
    for (int i = 0; i < 3; i++) y[i] = at.m[i][0] * x[0] + at.m[i][1] * x[1] + at.m[i][2] * x[2] + at.m[i][3];
    if (isfinite(y[0]) && isfinite(y[1]) && isfinite(y[2])) {
        d->mesh->vertices[d->mesh->vertex_count++] = (ph_vec3){d->metre * y[0], d->metre * y[1], d->metre * y[2]};
    }
}

static void add_source(dae *d, const xml_node *source, affine at)
{
    const xml_node *array = xml_child(source, "float_array");
    const char *text = array ? array->text : "";
    double x[3];
    while (d->mesh->vertex_count < POINTS_MAX && !d->r->out_of_memory && take(&text, &x[0]) && take(&text, &x[1]) &&
           take(&text, &x[2])) {
        add_point(d, at, x);
    }
}

static void add_geometry(dae *d, const xml_node *geometry, affine at)
{
    const xml_node *mesh = xml_child(geometry, "mesh"), *vertices = mesh ? xml_child(mesh, "vertices") : NULL;
    for (const xml_node *i = vertices ? xml_child(vertices, "input") : NULL; i; i = xml_next(i, "input")) {
        const xml_node *source = target_of(d, i, "source");
        if (source && robot_words_equal(xml_get(i, "semantic"), "POSITION")) add_source(d, source, at);
    }
}

// ---- The scene ------------------------------------------------------------------------------------------------------------

static const affine one = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

static affine turned(const double v[4])
{
    affine t = one;
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(length > 0.0)) return t;
    const ph_vec3 axis = {v[0] / length, v[1] / length, v[2] / length};
    const ph_mat3 R = ph_quat_to_mat(quat_turn(axis, v[3] * (3.14159265358979323846 / 180.0)));
    for (int i = 0; i < 3; i++) memcpy(t.m[i], R.m[i], sizeof R.m[i]);
    return t;
}

static affine step_of(const xml_node *n)
{
    double v[16];
    affine t = one;
    if (xml_is(n, "matrix") && numbers_of(n, v, 16) == 16) {
        memcpy(t.m, v, sizeof t.m);
    } else if (xml_is(n, "translate") && numbers_of(n, v, 3) == 3) {
        for (int i = 0; i < 3; i++) t.m[i][3] = v[i];
    } else if (xml_is(n, "scale") && numbers_of(n, v, 3) == 3) {
        for (int i = 0; i < 3; i++) t.m[i][i] = v[i];
    } else if (xml_is(n, "rotate") && numbers_of(n, v, 4) == 4) {
        t = turned(v);
    }
    return t;
}

static void walk(dae *d, const xml_node *node, affine at, int depth)
{
    if (depth > DEPTH_MAX) return;
    for
        XML_EACH(n, node)
        {
            const xml_node *target = NULL;
            at = times(at, step_of(n));
            if (xml_is(n, "node")) {
                walk(d, n, at, depth + 1);
            } else if (xml_is(n, "instance_geometry") && (target = target_of(d, n, "url"))) {
                add_geometry(d, target, at);
            } else if (xml_is(n, "instance_node") && (target = target_of(d, n, "url"))) {
                walk(d, target, at, depth + 1);
            }
        }
}

static void walk_all(dae *d, affine at)
{
    const xml_node *scenes = xml_child(d->root, "library_visual_scenes");
    for (const xml_node *s = scenes ? xml_child(scenes, "visual_scene") : NULL; s; s = xml_next(s, "visual_scene")) {
        walk(d, s, at, 0);
    }
    const xml_node *geometries = xml_child(d->root, "library_geometries");
    if (d->mesh->vertex_count > 0 || !geometries) return;
    for (const xml_node *g = xml_child(geometries, "geometry"); g; g = xml_next(g, "geometry")) add_geometry(d, g, at);
}

bool mesh_load_dae(robot *r, const xml_node *node, const char *path, robot_mesh *mesh)
{
    const xml_node *root = robot_parse(r, node, path);
    if (!root) return false;
    const xml_node *asset = xml_child(root, "asset"), *unit = asset ? xml_child(asset, "unit") : NULL;
    const double metre = unit && xml_get(unit, "meter") ? robot_number(r, unit, "meter", 1.0) : 1.0;
    dae d = {.r = r, .root = root, .mesh = mesh, .metre = metre};
    walk_all(&d, one);
    ph_vec3 *kept = robot_alloc(r, (size_t)mesh->vertex_count + 1, sizeof *kept);
    if (kept && mesh->vertex_count > 0) memcpy(kept, mesh->vertices, (size_t)mesh->vertex_count * sizeof *kept);
    mem_free(NULL, mesh->vertices);
    mesh->vertices = kept;
    mesh->path = path;
    return (kept && mesh->vertex_count > 3) || robot_fail(r, node, NULL, NULL, "%.200s has no points", path);
}
