// Joints. Which keys a joint takes is written in its type (joints/joint.h).

#include "io/model/reader.h"
#include "joints/joint.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Values of joints -----------------------------------------------------------------------------------------------

// [low, high], null where there is none.
static bool read_limits(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    ph_joint_def *def = to;
    n = node_list(r, n);
    if (n->kind != NODE_LIST || n->count != 2) {
        return fail_kind(r, n, "[low, high], null for none");
    }
    const node *low = n->entries[0].value, *high = n->entries[1].value;
    def->has_limit_low = !node_is_null(low);
    def->has_limit_high = !node_is_null(high);
    const bool low_read = !def->has_limit_low || node_number(r, low, &def->limit_low);
    const bool high_read = !def->has_limit_high || node_number(r, high, &def->limit_high);
    return low_read && high_read;
}

static bool read_lock(reader *r, const node *n, const field *f, void *to)
{
    if (n->kind != NODE_LIST || n->count != 6) {
        return fail_kind(r, n, "true or false for each of x, y, z, rx, ry, rz");
    }
    bool read = true;
    for (int i = 0; i < 6; i++) {
        read = read_bool(r, n->entries[i].value, f, (bool *)to + i) && read;
    }
    return read;
}

bool read_joint_given(reader *r, const node *n, joint_given *to)
{
    n = node_list(r, n);
    if (n->kind != NODE_LIST) {
        to->has[0] = true;
        return node_number(r, n, &to->value[0]);
    }
    if (n->count > PH_JOINT_COORDINATES) {
        return fail(r, n, NULL, "no joint has %d coordinates", n->count);
    }
    const int errors = r->errors;
    for (int i = 0; i < n->count; i++) {
        const size_t length = path_enter_index(r, i);
        to->has[i] = !node_is_null(n->entries[i].value);
        if (to->has[i]) {
            node_number(r, n->entries[i].value, &to->value[i]);
        }
        path_leave(r, length);
    }
    return r->errors == errors;
}

static bool read_coordinate(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    ph_joint_def *def = to;
    joint_given given = {0};
    const bool read = read_joint_given(r, n, &given);
    memcpy(def->has_coordinate, given.has, sizeof given.has);
    memcpy(def->coordinate, given.value, sizeof given.value);
    return read;
}

static bool read_rate(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    ph_joint_def *def = to;
    joint_given given = {0};
    const bool read = read_joint_given(r, n, &given);
    memcpy(def->has_rate, given.has, sizeof given.has);
    memcpy(def->rate, given.value, sizeof given.value);
    return read;
}

typedef struct motor_form {
    ph_value torque, speed, position;
    double kp, kd, max;
    bool has_torque, has_speed, has_position, has_kp, has_kd, has_max;
} motor_form;

#define MOTOR(member) FIELD_AT(motor_form, member), FIELD_GIVEN(motor_form, has_##member)

static const field motor_fields[] = {
    {"torque", read_value, MOTOR(torque), .by_coordinate = true},
    {"speed", read_value, MOTOR(speed), .by_coordinate = true},
    {"position", read_value, MOTOR(position), .by_coordinate = true},
    {"kp", read_number, MOTOR(kp), .rule = NOT_NEGATIVE, .by_coordinate = true},
    {"kd", read_number, MOTOR(kd), .rule = NOT_NEGATIVE, .by_coordinate = true},
    {"max", read_number, MOTOR(max), .rule = POSITIVE, .by_coordinate = true},
    {0},
};

const part_table motor_table = {"motor", NULL, motor_fields, NULL, .about = "Drives the coordinate of its joint."};

static bool read_motor(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    static const schema table = {"a motor", motor_fields, UINT32_MAX, NULL, NULL};
    static const char *const forms = "{torque: ..}, {speed: ..}, {position: ..} or {position: .., kp: .., kd: ..}";
    ph_joint_def *def = to;
    motor_form form = {0};
    if (!read_map(r, n, &table, &form)) {
        return false;
    }
    if (form.has_torque + form.has_speed + form.has_position != 1) {
        return fail(r, n, forms, "a motor has exactly one of torque, speed and position");
    }
    const bool servo = form.has_kp || form.has_kd;
    if (servo && !form.has_position) {
        return fail(r, n, forms, "kp and kd belong to a motor with position");
    }
    def->motor = form.has_torque  ? PH_MOTOR_TORQUE
                 : form.has_speed ? PH_MOTOR_SPEED
                 : servo          ? PH_MOTOR_SERVO
                                  : PH_MOTOR_POSITION;
    def->motor_value = form.has_torque ? form.torque : form.has_speed ? form.speed : form.position;
    def->motor_kp = form.kp;
    def->motor_kd = form.kd;
    def->motor_max = form.max;
    return true;
}

// ---- Rolling --------------------------------------------------------------------------------------------------------

static bool read_surface(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    static const char *const words[] = {"plane", "sphere", "cylinder", NULL};
    int word = 0;
    if (n->kind == NODE_SCALAR && strcmp(n->text, "mesh") == 0) {
        return fail(
            r, n, "contact with friction (schemes moreau and rattlie-ns) takes meshes",
            "nothing rolls on a mesh: at its edges the contact point jumps; surfaces are plane, sphere and cylinder");
    }
    if (!node_choice(r, n, "surface", words, &word)) {
        return false;
    }
    *(ph_surface *)to = (ph_surface)word;
    return true;
}

static bool read_axes(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    static const char *const words[] = {"a", "b", NULL};
    int word = 0;
    const bool read = node_choice(r, n, "frame", words, &word);
    *(bool *)to = word == 1;
    return read;
}

#define VELOCITY(n) .offset = offsetof(ph_velocity_row, of) + (n) * sizeof(ph_value)

static const field velocity_fields[] = {
    {"x", read_value, VELOCITY(0)},
    {"y", read_value, VELOCITY(1)},
    {"z", read_value, VELOCITY(2)},
    {"rx", read_value, VELOCITY(3)},
    {"ry", read_value, VELOCITY(4)},
    {"rz", read_value, VELOCITY(5)},
    {"equals", read_value, FIELD_AT(ph_velocity_row, equals)},
    {0},
};

const part_table velocity_table = {
    "velocity_row", NULL, velocity_fields, NULL,
    .about = "One row of a generic_velocity joint: coefficients of velocities, and what it equals."};

static bool read_velocity_rows(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    static const schema table = {"a row of velocities", velocity_fields, UINT32_MAX, NULL, NULL};
    ph_joint_def *def = to;
    if (n->kind != NODE_LIST || n->count < 1 || n->count > PH_VELOCITY_ROWS) {
        return fail_kind(r, n, "a list of one to six rows {x: .., y: .., z: .., rx: .., ry: .., rz: .., equals: ..}");
    }
    bool read = true;
    for (int i = 0; i < n->count; i++) {
        const size_t length = path_enter_index(r, i);
        read = read_map(r, n->entries[i].value, &table, &def->velocities[i]) && read;
        path_leave(r, length);
    }
    def->velocity_count = n->count;
    return read;
}

// ---- Chains ---------------------------------------------------------------------------------------------------------

typedef struct motion_form {
    ph_vec3 turn, slide, at;
    bool has_turn, has_slide; // not first: an offset of zero stands for none
    double start, zero;
} motion_form;

static const field motion_fields[] = {
    {"turn", read_direction, FIELD_AT(motion_form, turn), FIELD_GIVEN(motion_form, has_turn)},
    {"slide", read_direction, FIELD_AT(motion_form, slide), FIELD_GIVEN(motion_form, has_slide)},
    {"at", read_vector, FIELD_AT(motion_form, at)},
    {"start", read_number, FIELD_AT(motion_form, start)},
    {"zero", read_number, FIELD_AT(motion_form, zero)},
    {0},
};

const part_table motion_table = {
    "chain_motion", NULL, motion_fields, NULL,
    .about =
        "One motion of a chain: a turn about a line or a slide, in the frame of b where all coordinates are zero."};

static bool read_motion(reader *r, const node *n, ph_chain_motion *to)
{
    static const schema table = {"a motion of a chain", motion_fields, UINT32_MAX, NULL, NULL};
    motion_form form = {0};
    if (!read_map(r, n, &table, &form)) return false;
    if (form.has_turn == form.has_slide) {
        return fail(r, n, "{turn: [x, y, z], at: [x, y, z]} or {slide: [x, y, z]}",
                    "a motion of a chain is either a turn or a slide");
    }
    *to = (ph_chain_motion){.slides = form.has_slide,
                            .axis = form.has_slide ? form.slide : form.turn,
                            .point = form.at,
                            .start = form.start,
                            .zero = form.zero};
    return true;
}

static bool read_motions(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    ph_joint_def *def = to;
    if (n->kind != NODE_LIST || n->count < 1 || n->count > PH_JOINT_COORDINATES) {
        return fail_kind(r, n, "a list of one to six motions {turn: [x, y, z], at: [x, y, z]} or {slide: [x, y, z]}");
    }
    bool read = true;
    for (int i = 0; i < n->count; i++) {
        const size_t length = path_enter_index(r, i);
        read = read_motion(r, n->entries[i].value, &def->motions[i]) && read;
        path_leave(r, length);
    }
    def->motion_count = n->count;
    return read;
}

// ---- The table ------------------------------------------------------------------------------------------------------

enum {
    ANCHORED = JOINT_ANCHOR | JOINT_ANCHOR_OPTIONAL,
    AXIAL = JOINT_AXIS | JOINT_AXIS_OPTIONAL,
};
static const uint32_t between_bodies = 1u << 31; // all but gears and coordinates of others

static_assert(offsetof(ph_joint_def, body_b) == offsetof(ph_joint_def, body_a) + sizeof(int), "read as one pair");

#define JOINT(member) FIELD_AT(ph_joint_def, member)
#define JOINT_GIVEN(member) FIELD_AT(ph_joint_def, member), FIELD_GIVEN(ph_joint_def, has_##member)

// Frames on both bodies: where the joint is, and along their z its axis.
static bool read_joint_sites(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    ph_joint_def *def = to;
    const ph_site_def *sites[2] = {0};
    if (!node_sites(r, n, sites)) {
        return false;
    }
    const ph_vec3 z = {0.0, 0.0, 1.0};
    def->body_a = sites[0]->body;
    def->body_b = sites[1]->body;
    def->has_anchor_a = def->has_anchor_b = def->has_axis_a = def->has_axis_b = true;
    def->anchor_a = sites[0]->position;
    def->anchor_b = sites[1]->position;
    def->axis_a = ph_quat_rotate(sites[0]->orientation, z);
    def->axis_b = ph_quat_rotate(sites[1]->orientation, z);
    return true;
}

static const field joint_fields[] = {
    {"name", read_text, JOINT(name), FIELD_REQUIRED},
    {"type", read_later, FIELD_WHOLE, FIELD_REQUIRED},
    {"bodies", read_bodies, JOINT(body_a), .takers = 1u << 31},
    {"sites", read_joint_sites, FIELD_WHOLE, .takers = ANCHORED, .form = "names2"},
    {"anchor", read_vector, JOINT_GIVEN(anchor), .takers = ANCHORED},
    {"anchor_a", read_vector, JOINT_GIVEN(anchor_a), .takers = ANCHORED},
    {"anchor_b", read_vector, JOINT_GIVEN(anchor_b), .takers = ANCHORED},
    {"axis", read_direction, JOINT_GIVEN(axis), .takers = AXIAL | JOINT_CURVED},
    {"normal", read_direction, JOINT_GIVEN(axis), .takers = JOINT_NORMAL},
    {"axis_a", read_direction, JOINT_GIVEN(axis_a), .takers = AXIAL | JOINT_NORMAL},
    {"axis_b", read_direction, JOINT_GIVEN(axis_b), .takers = AXIAL | JOINT_NORMAL},
    {"axis2", read_direction, JOINT_GIVEN(axis2), .takers = JOINT_AXIS2 | JOINT_HEADING},
    {"pitch", read_number, JOINT(pitch), .takers = JOINT_PITCH, .needers = JOINT_PITCH,
     .hint = "pitch: metres per radian"},
    {"length", read_number, JOINT(length), .rule = POSITIVE, .takers = JOINT_LENGTH},
    {"lock", read_lock, JOINT(lock), .takers = JOINT_LOCK, .needers = JOINT_LOCK,
     .hint = "lock: [x, y, z, rx, ry, rz], true or false each", .form = "lock"},
    {"joints", read_joints, JOINT(gear_joint), .takers = JOINT_GEAR, .needers = JOINT_GEAR,
     .hint = "joints: [i, j], names of two joints"},
    {"ratio", read_number, JOINT(ratio), .takers = JOINT_GEAR, .needers = JOINT_GEAR},
    {"motions", read_motions, FIELD_WHOLE, .takers = JOINT_CHAIN, .needers = JOINT_CHAIN,
     .hint = "motions: [{turn: [x, y, z], at: [x, y, z]}, {slide: [x, y, z]}, ..]", .form = "chain_motions"},
    {"of", read_joint, JOINT(of_joint), .takers = JOINT_OF, .needers = JOINT_OF, .hint = "of: the name of a joint"},
    {"index", read_integer, JOINT(of_coordinate), .takers = JOINT_OF},
    {"start", read_number, JOINT_GIVEN(start), .takers = JOINT_DRIVE, .by_coordinate = true},
    {"coordinate", read_coordinate, FIELD_WHOLE, .takers = 1u << 31 | JOINT_OF, .form = "given", .by_coordinate = true},
    {"rate", read_rate, FIELD_WHOLE, .takers = 1u << 31 | JOINT_OF, .form = "given", .by_coordinate = true},
    {"limits", read_limits, FIELD_WHOLE, .takers = JOINT_DRIVE, .form = "limits", .by_coordinate = true},
    {"damping", read_number, JOINT(damping), .takers = JOINT_DRIVE, .by_coordinate = true},
    {"stiffness", read_number, JOINT(stiffness), .takers = JOINT_DRIVE, .by_coordinate = true},
    {"rest", read_number, JOINT(rest), .takers = JOINT_DRIVE, .by_coordinate = true},
    {"friction", read_number, JOINT(friction), .takers = JOINT_DRIVE, .by_coordinate = true},
    {"friction_speed", read_number, JOINT(friction_speed), .takers = JOINT_DRIVE, .by_coordinate = true},
    {"armature", read_number, JOINT(armature), .takers = JOINT_DRIVE, .by_coordinate = true},
    {"motor", read_motor, FIELD_WHOLE, .takers = JOINT_DRIVE, .form = "motor"},
    {"radius", read_number, JOINT(radius), .rule = POSITIVE, .takers = JOINT_RADIUS},
    {"rim", read_number, JOINT(rim), .rule = NOT_NEGATIVE, .takers = JOINT_RIM},
    {"semi_axes", read_vector, JOINT(semi_axes), .takers = JOINT_SEMI_AXES},
    {"surface", read_surface, JOINT(surface), .takers = JOINT_CURVED, .form = "surface"},
    {"surface_radius", read_number, JOINT(surface_radius), .rule = POSITIVE, .takers = JOINT_CURVED},
    {"inside", read_bool, JOINT(inside), .takers = JOINT_CURVED},
    {"slide", read_values3, JOINT(slide), .takers = JOINT_ROLLING},
    {"spin", read_value, JOINT(spin), .takers = JOINT_ROLLING},
    {"rows", read_velocity_rows, FIELD_WHOLE, .takers = JOINT_VELOCITIES, .needers = JOINT_VELOCITIES,
     .hint = "rows: [{x: .., y: .., rz: .., equals: ..}, ..]", .form = "velocity_rows"},
    {"frame", read_axes, JOINT(frame_b), .takers = JOINT_VELOCITIES, .form = "joint_frame"},
    {0},
};

// It acts on other joints.
static bool is_coupling(const joint_type *type)
{
    return type->keys & (JOINT_GEAR | JOINT_OF);
}

static const char *joint_type_name(int index, uint32_t *kind)
{
    const joint_type *type = joint_types[index];
    *kind = !type ? 0 : is_coupling(type) ? type->keys : type->keys | between_bodies;
    return type ? type->name : NULL;
}

const part_table joint_table = {"joint", "joints", joint_fields, joint_type_name, .about = "Connects two bodies."};

// One of the words of a list.
static bool is_among(const char *word, const char *list)
{
    const size_t length = strlen(word);
    for (const char *at = list; at && *at;) {
        const size_t next = strcspn(at, " ");
        if (next == length && strncmp(at, word, length) == 0) {
            return true;
        }
        at += next + (at[next] == ' ');
    }
    return false;
}

// Other names that people know: they are told ours.
static const joint_type *find_synonym(reader *r, const node *given)
{
    for (int i = 0; given->kind == NODE_SCALAR && joint_types[i]; i++) {
        if (is_among(given->text, joint_types[i]->synonyms)) {
            tell_in(r, given, PH_NOTE, NULL, "a joint of type '%s' is called '%s' here", given->text,
                    joint_types[i]->name);
            return joint_types[i];
        }
    }
    return NULL;
}

static const joint_type *find_type(reader *r, const node *n)
{
    const char *words[64] = {0};
    int count = 0, type = 0;
    for (; joint_types[count] && count < 63; count++) {
        words[count] = joint_types[count]->name;
    }
    const node *given = node_or_default(r, n, "joints", "type");
    if (!given) {
        fail(r, n, hint_words("", words, count, "type is one of").text, "a joint needs the key 'type'");
        return NULL;
    }
    const joint_type *known = find_synonym(r, given);
    return known || !node_choice(r, given, "joint type", words, &type) ? known : joint_types[type];
}

// In a part that stands elsewhere: what is given in the world.
static bool place_joint(reader *r, const node *n, const part_pose *pose, ph_joint_def *def)
{
    if (!pose) {
        return true;
    }
    def->anchor = pose_point(pose, def->anchor);
    def->axis = pose_turn(pose, def->axis);
    def->axis2 = pose_turn(pose, def->axis2);
    if (def->body_a == PH_WORLD) {
        def->anchor_a = pose_point(pose, def->anchor_a);
        def->axis_a = pose_turn(pose, def->axis_a);
    }
    if (def->body_b == PH_WORLD) {
        def->anchor_b = pose_point(pose, def->anchor_b);
        def->axis_b = pose_turn(pose, def->axis_b);
    }
    const bool turned = fabs(pose->orientation.w) < 1.0;
    return !turned || strcmp(def->type, "generic") != 0 || def->has_axis || def->has_axis_a || def->has_axis_b ||
           fail(r, n, "give it an axis",
                "a generic joint without axis is along the world's axes, and the part is turned");
}

// A joint by its sites: keys that say the same are refused, axes that the type has no use for are left out.
static void settle_sites(reader *r, const node *n, const joint_type *type, ph_joint_def *def)
{
    static const char *const keys[] = {"bodies", "anchor", "anchor_a", "anchor_b",
                                       "axis",   "normal", "axis_a",   "axis_b"};
    const bool by_sites = node_or_default(r, n, "joints", "sites");
    if (!by_sites && !is_coupling(type) && def->body_a == PH_NONE && !node_find(n, "bodies")) {
        fail(r, n, "bodies: [a, b], names of bodies or world", "a %s joint needs the key 'bodies'", type->name);
    }
    for (size_t k = 0; by_sites && k < sizeof keys / sizeof keys[0]; k++) {
        if (node_find(n, keys[k])) {
            fail(r, node_find(n, keys[k]), NULL, "the sites say already what '%s' says", keys[k]);
        }
    }
    if (by_sites && !(type->keys & (AXIAL | JOINT_NORMAL))) {
        def->has_axis_a = def->has_axis_b = false;
    }
    if (by_sites && (type->keys & JOINT_AXIS2)) {
        def->has_axis_b = false;
    }
}

// Also after mistakes the joint is added, so that indices stay those of the file.
static bool read_one_joint(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    ph_joint_def def = ph_default_joint();
    const joint_type *type = NULL;
    if (n->kind != NODE_MAP) {
        fail_kind(r, n, "a joint");
    } else {
        type = find_type(r, n);
    }
    if (type) {
        char what[64];
        snprintf(what, sizeof what, "%s %s joint", strchr("aeiou", type->name[0]) ? "an" : "a", type->name);
        def.type = type->name;
        const uint32_t kind = is_coupling(type) ? type->keys : type->keys | between_bodies;
        read_map(r, n, &(schema){what, joint_fields, kind, "joints", type->name}, &def);
        settle_sites(r, n, type, &def);
        place_joint(r, n, node_find(n, "sites") ? NULL : scope_pose(n->scope), &def);
        check_joint_units(r, n, &def);
    }
    const bool added = ph_spec_add_joint(r->spec, &def) >= 0;
    r->out_of_memory = r->out_of_memory || !added;
    return added;
}

bool read_joints_part(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    return read_elements(r, n, read_one_joint, offsetof(ph_spec, joint_count));
}
