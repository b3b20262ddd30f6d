// What URDF and SDF share. See links.h.

#include "io/robot/links.h"

#include <string.h>
#include <strings.h>

int links_add_world(robot *r)
{
    const int world = ROBOT_ADD(r, bodies);
    if (world >= 0) {
        r->bodies[world] =
            (robot_body){.name = "world", .parent = ROBOT_NONE, .local = pose_identity(), .world = pose_identity()};
    }
    return world;
}

static const char *path_of(robot *r, const xml_node *node, const char *uri)
{
    const char *from = robot_folder(r, node->file->path);
    if (strncmp(uri, "file://", 7) == 0) {
        return robot_join(r, from, uri + 7);
    }
    if (strstr(uri, "://")) {
        return robot_find_package(r, from, uri);
    }
    return robot_join(r, from, uri);
}

// One that was read before with the same scale.
static robot_mesh *known_mesh(const robot *r, const char *path, ph_vec3 scale)
{
    for (int i = 0; path && i < r->geoms_count; i++) {
        robot_mesh *m = r->geoms[i].mesh;
        if (m && memcmp(&m->scale, &scale, sizeof scale) == 0 && robot_words_equal(m->path, path)) return m;
    }
    return NULL;
}

robot_mesh *links_mesh(robot *r, const xml_node *node, const char *uri, ph_vec3 scale)
{
    r->lenient = true;
    const char *path = path_of(r, node, uri);
    if (!path) {
        robot_fail(r, node, NULL, NULL, "the package of %.150s is not found", uri);
    }
    robot_mesh *mesh = known_mesh(r, path, scale);
    if (mesh) {
        r->lenient = false;
        return mesh;
    }
    mesh = robot_alloc(r, 1, sizeof *mesh);
    const char *ending = path ? strrchr(path, '.') : NULL;
    const bool dae = ending && strcasecmp(ending, ".dae") == 0;
    const bool read = mesh && path && (dae ? mesh_load_dae : mesh_load)(r, node, path, mesh);
    if (read) mesh_scale(mesh, scale);
    if (read) mesh->scale = scale;
    r->lenient = false;
    return read ? mesh : NULL;
}

void links_add_geom(robot *r, robot_geom geom, bool collides)
{
    const int i = ROBOT_ADD(r, geoms);
    if (i < 0) {
        return;
    }
    geom.contact_type = geom.contact_with = collides ? 1 : 0;
    geom.condim = geom.condim ? geom.condim : 3;
    r->geoms[i] = geom;
}

void links_lost_mesh(robot *r, const xml_node *node, bool collides)
{
    if (collides) {
        robot_leave_out(r, node, NULL, robot_printf(r, "a shape that collides: %s", r->last_failure));
    } else {
        robot_note(r, node, "a mesh for the eye is not shown: not found, or not OBJ, STL, MSH or DAE");
    }
}

double links_text_number(robot *r, const xml_node *node, double otherwise)
{
    double value = otherwise;
    if (node && robot_numbers(r, node, NULL, node->text, &value, 1) == 0) {
        robot_fail(r, node, NULL, NULL, "<%s> needs a number", node->name);
    }
    return value;
}
