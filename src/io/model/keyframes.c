// Keyframes: {name: home, joints: {hip: 0.3, knee: {coordinate: -0.6, rate: 1}}, bodies: {trunk: {position: [0, 0, 1]}}}.

#include "io/model/reader.h"

#include <stdio.h>
#include <string.h>

// What is being read, with arrays that are large enough.
typedef struct keyframe_form {
    ph_keyframe_def def;
    ph_keyframe_joint *joints;
    ph_keyframe_body *bodies;
    ph_keyframe_input *inputs;
} keyframe_form;

// Calls `read` for every entry of a map.
typedef bool (*entry_reader)(reader *r, const node_entry *entry, keyframe_form *form);

static bool read_entries(reader *r, const node *map, const char *expected, entry_reader read, keyframe_form *form)
{
    if (node_is_null(map)) {
        return true;
    }
    if (map->kind != NODE_MAP) {
        return fail_kind(r, map, expected);
    }
    const int errors = r->errors;
    for (int i = 0; i < map->count && r->errors < READER_ERRORS_MAX; i++) {
        const size_t length = path_enter_key(r, map->entries[i].key->text);
        read(r, &map->entries[i], form);
        path_leave(r, length);
    }
    return r->errors == errors;
}

// ---- Joints ---------------------------------------------------------------------------------------------------------

typedef struct joint_form {
    const node *coordinate, *rate;
} joint_form;

static bool read_node(reader *r, const node *n, const field *f, void *to)
{
    (void)r, (void)f;
    *(const node **)to = n;
    return true;
}

static const field joint_fields[] = {
    {"coordinate", read_node, FIELD_AT(joint_form, coordinate), .form = "given"},
    {"rate", read_node, FIELD_AT(joint_form, rate), .form = "given"},
    {0},
};

const part_table keyframe_joint_table = {"keyframe_joint", NULL, joint_fields, NULL, .about = "A joint in a keyframe."};

static void add_given(keyframe_form *form, int joint, const joint_given *values, const joint_given *rates)
{
    for (int k = 0; k < PH_JOINT_COORDINATES; k++) {
        if (values->has[k] || rates->has[k]) {
            form->joints[form->def.joint_count++] =
                (ph_keyframe_joint){joint, k, values->has[k], rates->has[k], values->value[k], rates->value[k]};
        }
    }
}

static bool read_keyframe_joint(reader *r, const node_entry *entry, keyframe_form *form)
{
    static const schema table = {"a joint of a keyframe", joint_fields, UINT32_MAX, NULL, NULL};
    joint_form given = {entry->value, NULL};
    joint_given values = {0}, rates = {0};
    int joint = 0;
    if (!read_joint(r, entry->key, NULL, &joint)) {
        return false;
    }
    if (entry->value->kind == NODE_MAP) {
        given = (joint_form){0};
        if (!read_map(r, entry->value, &table, &given)) {
            return false;
        }
    }
    const bool read = (!given.coordinate || read_joint_given(r, given.coordinate, &values)) &&
                      (!given.rate || read_joint_given(r, given.rate, &rates));
    if (!read) {
        return false;
    }
    if (given.coordinate) check_keyframe_units(r, given.coordinate, "coordinate", joint);
    if (given.rate) check_keyframe_units(r, given.rate, "rate", joint);
    add_given(form, joint, &values, &rates);
    return true;
}

static bool read_joints_map(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    return read_entries(r, n, "a map of joints and their coordinates", read_keyframe_joint, to);
}

// ---- Bodies ---------------------------------------------------------------------------------------------------------

#define PLACE(member) FIELD_AT(ph_keyframe_body, member), FIELD_GIVEN(ph_keyframe_body, has_##member)

static const field body_fields[] = {
    {"position", read_vector, PLACE(position)},
    {"orientation", read_orientation, PLACE(orientation)},
    {"velocity", read_vector, PLACE(velocity)},
    {"angular_velocity", read_vector, PLACE(angular_velocity)},
    {0},
};

const part_table keyframe_body_table = {"keyframe_body", NULL, body_fields, NULL, .about = "A body in a keyframe."};

static bool read_keyframe_body(reader *r, const node_entry *entry, keyframe_form *form)
{
    static const schema table = {"a body of a keyframe", body_fields, UINT32_MAX, NULL, NULL};
    ph_keyframe_body body = {.orientation = {1.0, 0.0, 0.0, 0.0}};
    if (!read_body(r, entry->key, NULL, &body.body) || !read_map(r, entry->value, &table, &body)) {
        return false;
    }
    const part_pose *pose = scope_pose(entry->value->scope);
    body.position = pose_point(pose, body.position);
    body.velocity = pose_turn(pose, body.velocity);
    body.orientation = pose ? ph_quat_mul(pose->orientation, body.orientation) : body.orientation;
    form->bodies[form->def.body_count++] = body;
    return true;
}

static bool read_bodies_map(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    return read_entries(r, n, "a map of bodies and their places", read_keyframe_body, to);
}

// ---- Inputs ---------------------------------------------------------------------------------------------------------

static hint_text input_hint(const reader *r, const char *name)
{
    return hint_words(name, r->inputs.names.names, r->inputs.count,
                      r->inputs.count ? "it has" : "inputs: {name: value}");
}

static bool read_keyframe_input(reader *r, const node_entry *entry, keyframe_form *form)
{
    char room[SCOPE_NAME_MAX + 1];
    const char *name = scope_resolve(entry->key->scope, entry->key->text, room);
    ph_keyframe_input input = {.input = names_find(&r->inputs.names, name)};
    if (input.input < 0) {
        return fail_unknown(r, entry->key, input_hint(r, entry->key->text).text, "the model has no input '%.60s'",
                            entry->key->text);
    }
    if (!node_number(r, entry->value, &input.value)) {
        return false;
    }
    form->inputs[form->def.input_count++] = input;
    return true;
}

static bool read_inputs_map(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    return read_entries(r, n, "a map of inputs and their values", read_keyframe_input, to);
}

// ---- Keyframes ------------------------------------------------------------------------------------------------------

static const field keyframe_fields[] = {
    {"name", read_text, FIELD_AT(keyframe_form, def.name), FIELD_REQUIRED},
    {"time", read_number, FIELD_AT(keyframe_form, def.time)},
    {"joints", read_joints_map, FIELD_WHOLE, .form = "keyframe_joints"},
    {"bodies", read_bodies_map, FIELD_WHOLE, .form = "keyframe_bodies"},
    {"inputs", read_inputs_map, FIELD_WHOLE, .form = "values"},
    {0},
};

const part_table keyframe_table = {"keyframe", "keyframes", keyframe_fields, NULL,
                                   .about = "A named state of the model."};

static size_t entries_of(const node *map, const char *key)
{
    const node *n = node_find(map, key);
    return n ? (size_t)n->count + 1 : 1;
}

// Also after mistakes the keyframe is added, so that indices stay those of the file.
static bool read_one_keyframe(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    static const schema table = {"a keyframe", keyframe_fields, UINT32_MAX, NULL, NULL};
    arena *memory = r->document->memory;
    keyframe_form form = {.def = ph_default_keyframe()};
    form.joints = arena_alloc_array(memory, PH_JOINT_COORDINATES * entries_of(n, "joints"), sizeof *form.joints);
    form.bodies = arena_alloc_array(memory, entries_of(n, "bodies"), sizeof *form.bodies);
    form.inputs = arena_alloc_array(memory, entries_of(n, "inputs"), sizeof *form.inputs);
    if (!form.joints || !form.bodies || !form.inputs) {
        r->out_of_memory = true;
        return false;
    }
    const bool read = read_map(r, n, &table, &form);
    form.def.joints = form.joints;
    form.def.bodies = form.bodies;
    form.def.inputs = form.inputs;
    r->out_of_memory = r->out_of_memory || ph_spec_add_keyframe(r->spec, &form.def) < 0;
    return read;
}

bool read_keyframes_part(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    return read_elements(r, n, read_one_keyframe, offsetof(ph_spec, keyframe_count));
}

// ---- The start ------------------------------------------------------------------------------------------------------

// strict, project or the name of a keyframe, or a list of them: [project, home].
bool read_initial(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    enum { WORDS = 64 };
    const char *words[WORDS + 1] = {"strict", "project"};
    const node *frames = node_find(r->document->root, "keyframes");
    int count = 2, word = 0;
    for (int i = 0; frames && frames->kind == NODE_LIST && i < frames->count && count < WORDS; i++) {
        const node *name = node_find(frames->entries[i].value, "name");
        if (name && name->kind == NODE_SCALAR) {
            words[count++] = name->text;
        }
    }
    const bool both = n->kind == NODE_LIST && n->count > 0;
    for (int i = 0; i < (both ? n->count : 1); i++) {
        if (!node_choice(r, both ? n->entries[i].value : n, "way to start", words, &word)) {
            return false;
        }
        *(bool *)to |= word == 1;
        r->out_of_memory = r->out_of_memory || (word > 1 && ph_spec_set_start(r->spec, words[word]) != PH_OK);
    }
    return true;
}
