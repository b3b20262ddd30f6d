// From a robot to a spec: bodies that move, and the order of the rest.

#include "io/robot/build.h"
#include "io/robot/kinematics.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Names --------------------------------------------------------------------------------------------------------------

static char *make_word(robot *r, const char *name)
{
    char *copy = robot_alloc(r, strlen(name) + 2, 1);
    if (!copy) {
        return NULL;
    }
    const bool digit = isdigit((unsigned char)name[0]);
    if (digit) copy[0] = '_';
    for (size_t i = 0; name[i]; i++) {
        const unsigned char c = (unsigned char)name[i];
        copy[i + digit] = (char)(c < 128 && (isalnum(c) || c == '_') ? c : '_');
    }
    return copy;
}

static char *make_printable(robot *r, const char *name)
{
    char *copy = arena_copy_string(r->memory, name);
    for (char *s = copy; s && *s; s++) {
        *s = *s == '/' ? '.' : (unsigned char)*s < ' ' || *s == 127 ? '_' : *s;
    }
    return copy;
}

const char *build_name(builder *b, name_set *taken, const char *wanted, bool word, const xml_node *node)
{
    robot *r = b->r;
    const char *name = word ? make_word(r, wanted) : make_printable(r, wanted);
    if (!name || !*name) {
        return "_";
    }
    if (strcmp(name, wanted) != 0) {
        robot_note(r, node,
                   word ? "names of joints, actuators and sites: - . / and the like have become _"
                        : "names: / has become .");
    }
    const char *unique = name;
    const int other = names_find(&taken->table, name);
    int none = 1, *k = other >= 0 ? &taken->numbers[other] : &none;
    while (names_find(&taken->table, unique) >= 0 || strcmp(unique, "world") == 0 ||
           (word && strcmp(unique, "t") == 0)) {
        unique = robot_printf(r, "%s_%d", name, ++*k);
    }
    names_enter(&taken->table, unique, taken->count++);
    return unique;
}

number_text build_digits(double x)
{
    number_text t;
    snprintf(t.text, sizeof t.text, x < 0.0 ? "(%.17g)" : "%.17g", x);
    for (char *s = t.text; *s; s++) *s = *s == ',' ? '.' : *s;
    return t;
}

// ---- Who carries whom -----------------------------------------------------------------------------------------------------

pose build_in_carrier(const robot *r, int body)
{
    const int carrier = r->bodies[body].carrier;
    pose at = pose_identity();
    for (int i = body; i != carrier && i > 0; i = r->bodies[i].parent) {
        at = pose_mul(r->bodies[i].local, at);
    }
    return at;
}

int build_carrier(const robot *r, int body)
{
    const int carrier = r->bodies[body].carrier;
    return carrier == ROBOT_WORLD ? PH_WORLD : r->bodies[carrier].index;
}

static void find_carriers(robot *r)
{
    for (int i = 0; i < r->bodies_count; i++) {
        robot_body *b = &r->bodies[i];
        b->index = PH_NONE;
        b->carrier = i == 0 ? 0 : b->joint_count > 0 ? i : r->bodies[b->parent].carrier;
        if (b->carrier != i && b->carrier != ROBOT_WORLD) {
            robot_note(r, b->node, "bodies without joints are part of what carries them");
        }
    }
}

// ---- Bodies ---------------------------------------------------------------------------------------------------------------

static const char *name_body(builder *b, int i)
{
    const robot_body *body = &b->r->bodies[i];
    const char *name = body->name && *body->name ? body->name : robot_printf(b->r, "body%d", i);
    return build_name(b, &b->bodies, name, false, body->node);
}

static void add_body(builder *b, int i)
{
    robot_body *body = &b->r->bodies[i];
    ph_body_def def = ph_default_body();
    def.name = name_body(b, i);
    def.mass = body->mass;
    def.com = body->com;
    def.inertia = body->inertia;
    def.any_inertia = body->any_inertia;
    def.position = body->world.p;
    def.orientation = body->world.q;
    body->index = ph_spec_add_body(b->spec, &def);
    b->r->out_of_memory |= body->index < 0;
    if (body->index >= 0) b->body_nodes[body->index] = body->node;
}

void build_bodies(builder *b)
{
    for (int i = 1; i < b->r->bodies_count; i++) {
        if (b->r->bodies[i].carrier == i && !b->r->bodies[i].massless) {
            add_body(b, i);
        }
    }
}

static void build_sites(builder *b)
{
    robot *r = b->r;
    for (int i = 0; i < r->sites_count; i++) {
        const robot_site *s = &r->sites[i];
        if (!s->name) {
            continue;
        }
        ph_site_def def = ph_default_site();
        pose at = pose_mul(build_in_carrier(r, s->body), s->local);
        def.name = build_name(b, &b->sites, s->name, false, s->node);
        def.body = build_carrier(r, s->body);
        if (def.body == PH_WORLD) at = pose_mul(r->bodies[s->body].world, s->local);
        if (def.body == PH_NONE) {
            continue;
        }
        def.position = at.p;
        def.orientation = at.q;
        r->out_of_memory |= ph_spec_add_site(b->spec, &def) < 0;
    }
}

// Joints on the way from the world to a body: how many there are, leave its weight to actuators, and have bounds on their forces.
typedef struct way {
    int joints, driven, bounded;
} way;

static way way_to(const robot *r, int body)
{
    way w = {0};
    for (int i = body; i > 0; i = r->bodies[i].parent) {
        for (int k = 0; k < r->bodies[i].joint_count; k++) {
            const robot_joint *j = &r->joints[r->bodies[i].first_joint + k];
            w.joints++;
            w.driven += j->drives_weight;
            w.bounded += j->drives_weight && j->has_force_range;
        }
    }
    return w;
}

// Without any actuator nothing is left to them.
static bool is_carried(robot *r, int body)
{
    const way w = way_to(r, body);
    const xml_node *n = r->bodies[body].node;
    const bool act = r->controls > 0 && !r->options.no_actuators;
    if (act && w.bounded > 0)
        robot_approximate(r, n, "gravcomp", "gravcomp is carried also where actuatorfrcrange would not let actuators");
    if (act || w.driven == 0) return true;
    if (w.driven < w.joints)
        robot_approximate(r, n, "gravcomp", "gravcomp that some joints leave to actuators, which there are none of");
    return w.driven < w.joints;
}

// What carries a body against gravity is a force at its centre, also where it is part of another.
static void build_gravity_compensation(builder *b)
{
    robot *r = b->r;
    for (int i = 1; i < r->bodies_count; i++) {
        const robot_body *body = &r->bodies[i];
        const int index = build_carrier(r, i);
        if (body->gravcomp == 0.0 || index < 0 || body->own_mass == 0.0 || r->options.no_passive || !is_carried(r, i)) {
            continue;
        }
        ph_force_def def = ph_default_force();
        const double f = -body->gravcomp * body->own_mass;
        def.type = "wrench";
        def.body_b = index;
        def.point_b = pose_apply(build_in_carrier(r, i), body->own_com);
        def.force[0].number = f * r->gravity.x;
        def.force[1].number = f * r->gravity.y;
        def.force[2].number = f * r->gravity.z;
        r->out_of_memory |= ph_spec_add_force(b->spec, &def) < 0;
    }
}

// ---- Places ---------------------------------------------------------------------------------------------------------------

typedef struct place_table {
    arena *memory;
    const xml_node **bodies, **joints;
    int body_count, joint_count;
    const char *path;
} place_table;

static void locate(void *user, const char *path, ph_problem *problem)
{
    const place_table *t = user;
    const xml_node *node = NULL;
    int i = -1;
    if (sscanf(path, "bodies[%d]", &i) == 1 && i >= 0 && i < t->body_count) {
        node = t->bodies[i];
    } else if (sscanf(path, "joints[%d]", &i) == 1 && i >= 0 && i < t->joint_count) {
        node = t->joints[i];
    }
    problem->file = t->path;
    xml_locate(node, NULL, t->memory, problem);
}

static void destroy_places(void *user)
{
    place_table *t = user;
    mem_free(NULL, t->joints);
    arena_destroy(t->memory); // which holds the table, too
}

// The spec owns what its places point to: all of the robot's memory.
static void keep_places(builder *b)
{
    place_table *t = robot_alloc(b->r, 1, sizeof *t);
    if (!t) {
        return;
    }
    *t = (place_table){b->r->memory,        b->body_nodes,        b->joint_nodes,
                       b->spec->body_count, b->spec->joint_count, b->r->path};
    b->spec->locate = locate;
    b->spec->locate_user = t;
    b->spec->locate_destroy = destroy_places;
}

// ---- All of it ------------------------------------------------------------------------------------------------------------

int build_add_joint(builder *b, const ph_joint_def *def, const xml_node *node)
{
    const int index = ph_spec_add_joint(b->spec, def);
    const bool grown = mem_reserve(NULL, &b->joint_nodes, &b->joint_room, b->spec->joint_count, sizeof *b->joint_nodes);
    b->r->out_of_memory |= index < 0 || !grown;
    if (index >= 0 && grown) b->joint_nodes[index] = node;
    return index;
}

static void build_run(builder *b)
{
    bool contact = b->spec->has_contact; // and stops, which only schemes with contact have
    for (int i = 0; i < b->spec->joint_count; i++) {
        contact = contact || b->spec->joints[i].has_limit_low || b->spec->joints[i].has_limit_high;
    }
    ph_run_settings run = {.scheme = contact ? "moreau" : "rattlie", .step = b->r->step, .until = 5.0};
    ph_spec_set_gravity(b->spec, b->r->gravity);
    ph_spec_set_project(b->spec, b->r->project);
    b->r->out_of_memory |= ph_spec_set_name(b->spec, b->r->name) != PH_OK || ph_spec_set_run(b->spec, &run) != PH_OK;
    if (b->r->options.start && !b->r->at_key) {
        b->r->out_of_memory |= ph_spec_set_start(b->spec, b->r->options.start) != PH_OK;
    }
}

static bool make_set(robot *r, name_set *set, int count)
{
    set->numbers = robot_alloc(r, (size_t)count, sizeof *set->numbers);
    for (int i = 0; set->numbers && i < count; i++) set->numbers[i] = 1;
    return set->numbers && names_create(&set->table, count, r->memory);
}

static bool make_tables(builder *b)
{
    robot *r = b->r;
    const int bodies = r->bodies_count + 2, joints = 2 * r->joints_count + r->loops_count + 1;
    b->body_nodes = robot_alloc(r, (size_t)bodies, sizeof *b->body_nodes);
    const bool made = make_set(r, &b->bodies, bodies) && make_set(r, &b->joints, joints) &&
                      make_set(r, &b->inputs, r->actuators_count + 1) && make_set(r, &b->sites, r->sites_count + 1) &&
                      make_set(r, &b->tendons, r->tendons_count + r->actuators_count + 1) &&
                      make_set(r, &b->sensors, r->sensors_count + 3 * r->actuators_count + 1) &&
                      make_set(r, &b->keys, r->keys_count + 1);
    r->out_of_memory |= !made;
    return made && b->body_nodes;
}

static void build_all(builder *b)
{
    double g[3];
    if (b->r->options.gravity && robot_numbers(b->r, NULL, "gravity", b->r->options.gravity, g, 3) == 3) {
        b->r->gravity = (ph_vec3){g[0], g[1], g[2]};
    }
    build_start(b);
    robot_assemble(b->r);
    find_carriers(b->r);
    build_masses(b);
    build_inertias(b);
    build_armatures(b);
    build_massless(b);
    build_bodies(b);
    build_shapes(b);
    build_joints(b);
    build_loops(b);
    build_sites(b);
    build_passive(b);
    build_fluid(b);
    build_tendons(b);
    build_drives(b);
    build_sensors(b);
    build_gravity_compensation(b);
    build_weightless(b);
    build_contact(b);
    build_keys(b);
    build_run(b);
    build_settings(b);
    if (b->r->says_no_pairs && b->r->errors == 0) build_apart(b);
}

ph_spec *robot_build(robot *r)
{
    builder b = {.r = r, .spec = ph_spec_create(NULL), .ground = PH_NONE};
    r->out_of_memory |= !b.spec;
    if (b.spec && make_tables(&b)) {
        build_all(&b);
        keep_places(&b);
    }
    if (r->errors == 0 && b.spec && b.spec->body_count == 0) {
        robot_note(r, NULL, "nothing in it moves");
        build_ground(&b);
    }
    return b.spec;
}
