// Frames of SDF: names in scopes, poses relative to each other.

#include "io/robot/sdf.h"

#include "math/quat.h"

#include <string.h>

int sdf_add(sdf *s, sdf_kind kind, const xml_node *node, int scope)
{
    if (!mem_reserve(NULL, &s->entities, &s->entities_room, s->entities_count + 1, sizeof *s->entities)) {
        s->r->out_of_memory = true;
        return -1;
    }
    const char *name = node ? xml_get(node, "name") : "world";
    s->entities[s->entities_count] =
        (sdf_entity){.kind = kind, .name = name ? name : "", .node = node, .scope = scope, .body = ROBOT_NONE};
    return s->entities_count++;
}

const char *sdf_text(const xml_node *node, const char *child)
{
    const xml_node *n = xml_child(node, child);
    return n ? n->text : NULL;
}

bool sdf_is_true(const xml_node *node, const char *child)
{
    const char *text = sdf_text(node, child);
    return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

const char *sdf_full_name(sdf *s, int entity)
{
    const sdf_entity *e = &s->entities[entity];
    const bool top = e->scope < 0 || s->entities[e->scope].kind == SDF_WORLD ||
                     (s->models == 1 && s->entities[s->entities[e->scope].scope].kind == SDF_WORLD);
    return top ? e->name : robot_printf(s->r, "%s::%s", sdf_full_name(s, e->scope), e->name);
}

// ---- Names ----------------------------------------------------------------------------------------------------------------------

static int find_here(const sdf *s, int scope, const char *name, size_t length)
{
    if (length == 9 && strncmp(name, "__model__", 9) == 0) {
        return scope;
    }
    for (int i = 0; i < s->entities_count; i++) {
        const sdf_entity *e = &s->entities[i];
        if (e->scope == scope && strlen(e->name) == length && strncmp(e->name, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

int sdf_find(const sdf *s, int scope, const char *name)
{
    const int whole = find_here(s, scope, name, strlen(name)); // flattened models have names with colons in them
    if (whole >= 0) {
        return whole;
    }
    for (;;) {
        const char *colons = strstr(name, "::");
        const size_t length = colons ? (size_t)(colons - name) : strlen(name);
        const int found = find_here(s, scope, name, length);
        if (found < 0 && length == 5 && strncmp(name, "world", 5) == 0) {
            return 0;
        }
        if (found < 0 || !colons) {
            return found;
        }
        scope = found;
        name = colons + 2;
    }
}

// ---- Poses ----------------------------------------------------------------------------------------------------------------------

pose sdf_pose(sdf *s, const xml_node *n)
{
    double v[7] = {0};
    pose at = pose_identity();
    if (!n) {
        return at;
    }
    const bool quat = robot_words_equal(xml_get(n, "rotation_format"), "quat_xyzw");
    const int count = robot_numbers(s->r, n, NULL, n->text, v, quat ? 7 : 6);
    const double k = robot_words_equal(xml_get(n, "degrees"), "true") ? 3.14159265358979323846 / 180.0 : 1.0;
    if (count > 0 && count != (quat ? 7 : 6)) {
        robot_fail(s->r, n, NULL, NULL, "a pose needs %d numbers, it has %d", quat ? 7 : 6, count);
    }
    at.p = (ph_vec3){v[0], v[1], v[2]};
    at.q = !quat        ? quat_rpy(k * v[3], k * v[4], k * v[5])
           : count == 7 ? ph_quat_unit((ph_quat){v[6], v[3], v[4], v[5]})
                        : at.q;
    return at;
}

// What the pose of an entity is relative to: given, or by its kind.
static int base_of(sdf *s, int entity)
{
    const sdf_entity *e = &s->entities[entity];
    const xml_node *n = xml_child(e->node, "pose");
    const char *given = n ? xml_get(n, "relative_to") : NULL;
    if (!given && n) given = xml_get(n, "frame"); // its name before 1.7
    if (given && *given) {
        const int base = sdf_find(s, e->scope, given);
        if (base < 0) robot_fail(s->r, n, "relative_to", NULL, "there is no frame '%.100s'", given);
        return base;
    }
    if (e->kind == SDF_FRAME && xml_get(e->node, "attached_to") && *xml_get(e->node, "attached_to")) {
        const int base = sdf_find(s, e->scope, xml_get(e->node, "attached_to"));
        if (base < 0)
            robot_fail(s->r, e->node, "attached_to", NULL, "there is no frame '%.100s'",
                       xml_get(e->node, "attached_to"));
        return base;
    }
    if (e->kind == SDF_JOINT) {
        const char *child = sdf_text(e->node, "child");
        const int base = child ? sdf_find(s, e->scope, child) : -1;
        if (base < 0)
            robot_fail(s->r, e->node, NULL, NULL, "the child of the joint '%.60s' is not there: '%.60s'", e->name,
                       child ? child : "");
        return base;
    }
    return e->scope;
}

// What waits for the model may itself be on the way to its frame.
static bool *set_aside(sdf *s, int model)
{
    bool *waits = robot_alloc(s->r, (size_t)s->entities_count + 1, sizeof *waits);
    for (int i = 0; waits && i < s->entities_count; i++) {
        sdf_entity *e = &s->entities[i];
        waits[i] = e->state == 1 && i != model && e->scope >= model;
        if (waits[i]) e->state = 0;
    }
    return waits;
}

// A model may say where one of its frames lies in place of its own.
static bool place_by_frame(sdf *s, int model, pose at)
{
    const char *name = xml_get(s->entities[model].node, "placement_frame");
    if (!name || !*name) {
        return false;
    }
    const int frame = sdf_find(s, model, name);
    if (frame < 0) {
        robot_fail(s->r, s->entities[model].node, "placement_frame", NULL, "there is no frame '%.100s'", name);
        return false;
    }
    bool *waits = set_aside(s, model);
    s->entities[model].world = pose_identity();
    s->entities[model].state = 2;
    if (!waits || !sdf_resolve(s, frame)) {
        return false;
    }
    const pose inside = s->entities[frame].world;
    for (int i = 0; i < s->entities_count; i++) { // what was resolved on the way was so with the model at the origin
        sdf_entity *e = &s->entities[i];
        if (e->state == 2 && i != model && e->scope >= model) e->state = 0;
        if (waits[i]) e->state = 1;
    }
    s->entities[model].world = pose_mul(at, pose_inverse(inside));
    return true;
}

bool sdf_resolve(sdf *s, int entity)
{
    sdf_entity *e = &s->entities[entity];
    if (e->state == 2) {
        return true;
    }
    if (e->state == 1) {
        return robot_fail(s->r, e->node, NULL, NULL, "the pose of '%.60s' depends on itself", e->name);
    }
    e->state = 1;
    const int base = base_of(s, entity);
    if (base < 0 || !sdf_resolve(s, base)) {
        return false;
    }
    const pose at = pose_mul(s->entities[base].world, sdf_pose(s, xml_child(e->node, "pose")));
    if (e->kind != SDF_MODEL || !place_by_frame(s, entity, at)) {
        s->entities[entity].world = at;
    }
    s->entities[entity].state = 2;
    return s->r->errors == 0;
}

// ---- Attachment -----------------------------------------------------------------------------------------------------------------

static int canonical_link(sdf *s, int model, int depth)
{
    const char *name = xml_get(s->entities[model].node, "canonical_link");
    if (name && *name) {
        const int found = sdf_find(s, model, name);
        return found >= 0 ? sdf_link_of(s, found, depth + 1) : -1;
    }
    for (int i = 0; i < s->entities_count; i++) {
        if (s->entities[i].scope == model && s->entities[i].kind == SDF_LINK) return i;
    }
    for (int i = 0; i < s->entities_count; i++) {
        if (s->entities[i].scope == model && s->entities[i].kind == SDF_MODEL) return canonical_link(s, i, depth + 1);
    }
    return -1;
}

int sdf_link_of(sdf *s, int entity, int depth)
{
    const sdf_entity *e = &s->entities[entity];
    if (depth > 100 || entity < 0) {
        return -1;
    }
    if (e->kind == SDF_WORLD || e->kind == SDF_LINK) {
        return entity;
    }
    if (e->kind == SDF_MODEL) {
        return canonical_link(s, entity, depth);
    }
    const char *name = e->kind == SDF_JOINT ? sdf_text(e->node, "child") : xml_get(e->node, "attached_to");
    if (!name || !*name) {
        return sdf_link_of(s, e->scope, depth + 1);
    }
    const int found = sdf_find(s, e->scope, name);
    return found >= 0 ? sdf_link_of(s, found, depth + 1) : -1;
}
