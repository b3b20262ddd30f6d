// Joints: which bodies, which keys, and where the joint frames lie.

#include "compile/compile.h"

#include "math/mat3.h"

#include <string.h>

// ---- Type and keys --------------------------------------------------------------------------------------------------

static const joint_type *find_type(compiler *c, place where, const char *name)
{
    const char *known[64];
    int count = 0;
    for (; joint_types[count] && count < 64; count++) {
        if (name && strcmp(joint_types[count]->name, name) == 0) {
            return joint_types[count];
        }
        known[count] = joint_types[count]->name;
    }
    if (name) {
        complain(c, place_key(where, "type"), hint_for(name, known, count).text, "there is no joint type '%s'", name);
    } else {
        complain(c, where, "add type: ball, revolute, ...", "the joint has no type");
    }
    return NULL;
}

// What stands in the definition: key, whether it is given, and which types take it.
typedef struct given_key {
    const char *key;
    bool given;
    uint32_t takers;
} given_key;

static void check_keys(compiler *c, place where, const joint_type *type, const ph_joint_def *def)
{
    const bool normal = (type->keys & JOINT_NORMAL) != 0;
    const uint32_t anchors = JOINT_ANCHOR | JOINT_ANCHOR_OPTIONAL;
    const uint32_t axes = JOINT_AXIS | JOINT_NORMAL | JOINT_AXIS_OPTIONAL;
    bool locks = false;
    for (int k = 0; k < 6; k++) {
        locks |= def->lock[k];
    }
    const given_key keys[] = {
        {"anchor", def->has_anchor, anchors},
        {"anchor_a", def->has_anchor_a, anchors},
        {"anchor_b", def->has_anchor_b, anchors},
        {normal ? "normal" : "axis", def->has_axis, axes},
        {"axis_a", def->has_axis_a, axes},
        {"axis_b", def->has_axis_b, type->keys & JOINT_ROLLING ? JOINT_HEADING : axes},
        {"axis2", def->has_axis2, JOINT_AXIS2 | JOINT_HEADING},
        {"pitch", def->pitch != 0.0, JOINT_PITCH},
        {"length", def->length != 0.0, JOINT_LENGTH},
        {"lock", locks, JOINT_LOCK},
        {"motions", def->motion_count > 0, JOINT_CHAIN},
        {"of", def->of_joint != PH_NONE, JOINT_OF},
        {"joints", def->gear_joint[0] != PH_NONE || def->gear_joint[1] != PH_NONE, JOINT_GEAR},
        {"start", def->has_start, JOINT_DRIVE},
        {"limits", def->has_limit_low || def->has_limit_high, JOINT_DRIVE},
        {"damping", def->damping != 0.0, JOINT_DRIVE},
        {"stiffness", def->stiffness != 0.0, JOINT_DRIVE},
        {"rest", def->rest != 0.0, JOINT_DRIVE},
        {"friction", def->friction != 0.0, JOINT_DRIVE},
        {"armature", def->armature != 0.0, JOINT_DRIVE},
        {"motor", def->motor != PH_MOTOR_NONE, JOINT_DRIVE},
    };
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        if (keys[k].given && !(type->keys & keys[k].takers)) {
            const char *hint =
                keys[k].takers == JOINT_DRIVE
                    ? "only joints with one axis have a coordinate to drive; {type: coordinate, of: JOINT, index: N} is one of "
                      "several"
                    : NULL;
            complain(c, place_key(where, keys[k].key), hint, "a %s joint takes no %s", type->name, keys[k].key);
        }
    }
}

// Whether the definition says anything of the joint coordinate.
static bool has_drive_keys(const ph_joint_def *def)
{
    return def->has_start || def->has_limit_low || def->has_limit_high || def->damping != 0.0 ||
           def->stiffness != 0.0 || def->rest != 0.0 || def->friction != 0.0 || def->armature != 0.0 ||
           def->motor != PH_MOTOR_NONE;
}

// Types that can be driven may still be left with other than one freedom.
static void check_drive(compiler *c, place where, const joint *j)
{
    if (has_drive_keys(j->def)) {
        complain(
            c, where,
            "only a joint with one coordinate has start, limits, damping, stiffness, rest, friction, armature or motor",
            "this %s joint has %d coordinates", j->type->name, j->coordinate_count);
    }
}

// Values of coordinates and rates at the start.
static void check_start(compiler *c, place where, const joint *j)
{
    const ph_joint_def *def = j->def;
    const bool prescribed = def->motor == PH_MOTOR_POSITION || def->motor == PH_MOTOR_SPEED;
    for (int k = 0; k < PH_JOINT_COORDINATES; k++) {
        const char *key = def->has_coordinate[k] ? "coordinate" : "rate";
        if (!def->has_coordinate[k] && !def->has_rate[k]) {
            continue;
        }
        if (k >= j->coordinate_count) {
            complain(c, place_key(where, key), NULL,
                     j->coordinate_count ? "a %s joint has no %d%s coordinate" : "a %s joint has no coordinate",
                     j->type->name, k + 1,
                     k == 1   ? "nd"
                     : k == 2 ? "rd"
                              : "th");
            return;
        }
        if (prescribed && (def->has_rate[k] || def->motor == PH_MOTOR_POSITION)) {
            complain(c, place_key(where, def->has_rate[k] ? "rate" : "coordinate"), "leave it out",
                     "the motor of the joint prescribes how it starts");
        }
        check_finite(c, where, "coordinate", def->has_coordinate[k] ? def->coordinate[k] : 0.0);
        check_finite(c, where, "rate", def->has_rate[k] ? def->rate[k] : 0.0);
    }
}

static void check_numbers(compiler *c, place where, const ph_joint_def *def)
{
    check_finite3(c, where, "anchor", def->anchor);
    check_finite3(c, where, "anchor_a", def->anchor_a);
    check_finite3(c, where, "anchor_b", def->anchor_b);
    check_finite(c, where, "pitch", def->pitch);
    check_not_negative(c, where, "length", def->length);
    check_finite(c, where, "ratio", def->ratio);
    check_finite(c, where, "start", def->start);
    check_not_negative(c, where, "damping", def->damping);
    check_not_negative(c, where, "stiffness", def->stiffness);
    check_finite(c, where, "rest", def->rest);
    check_not_negative(c, where, "friction", def->friction);
    check_not_negative(c, where, "armature", def->armature);
    check_finite(c, where, "motor", def->motor_value.number);
    check_not_negative(c, place_key(where, "motor"), "kp", def->motor_kp);
    check_not_negative(c, place_key(where, "motor"), "kd", def->motor_kd);
    check_not_negative(c, place_key(where, "motor"), "max", def->motor_max);
    if (def->motor_max > 0.0 && def->motor != PH_MOTOR_TORQUE && def->motor != PH_MOTOR_SERVO) {
        complain(c, place_key(place_key(where, "motor"), "max"), "use {position: .., kp: .., kd: .., max: ..}",
                 "a motor that prescribes the motion has no limit: it gives whatever the motion takes");
    }
    if (check_finite(c, where, "friction_speed", def->friction_speed) && def->friction_speed <= 0.0) {
        complain(c, place_key(where, "friction_speed"), NULL, "friction_speed is %g, it must be positive",
                 def->friction_speed);
    }
    const bool low = def->has_limit_low && check_finite(c, where, "limits", def->limit_low);
    const bool high = def->has_limit_high && check_finite(c, where, "limits", def->limit_high);
    if (low && high && def->limit_low > def->limit_high) {
        complain(c, place_key(where, "limits"), "limits: [low, high]", "the lower limit %g is above the upper limit %g",
                 def->limit_low, def->limit_high);
    }
}

// ---- Bodies ---------------------------------------------------------------------------------------------------------

static bool known_body(const ph_model *model, int index)
{
    return index == PH_WORLD || (index >= 0 && index < model->body_count);
}

static bool check_bodies(compiler *c, place where, const ph_joint_def *def)
{
    const ph_model *model = c->model;
    const int pair[2] = {def->body_a, def->body_b};
    for (int k = 0; k < 2; k++) {
        if (!known_body(model, pair[k])) {
            const char *hint = "bodies: [a, b], names of bodies or world";
            if (pair[k] == PH_NONE) {
                complain(c, where, hint, "the joint has no body %c", 'a' + k);
            } else {
                complain(c, place_key(where, "bodies"), hint, "there is no body with index %d", pair[k]);
            }
            return false;
        }
    }
    if (pair[0] == pair[1]) {
        complain(c, place_key(where, "bodies"), NULL, "the joint connects %s to itself",
                 pair[0] == PH_WORLD ? "the world" : "a body");
        return false;
    }
    const int world = model->body_count;
    if (model->bodies[pair[0] < 0 ? world : pair[0]].kind->fixed &&
        model->bodies[pair[1] < 0 ? world : pair[1]].kind->fixed) {
        complain(c, place_key(where, "bodies"), NULL, "both bodies of the joint are fixed");
        return false;
    }
    return true;
}

void compile_number_bodies(const ph_model *model, joint *j)
{
    j->slot_a = j->slot_b = -1;
    if (!model->bodies[j->a].kind->fixed) {
        j->slot_a = j->body_count;
        j->bodies[j->body_count++] = j->a;
    }
    if (!model->bodies[j->b].kind->fixed) {
        j->slot_b = j->body_count;
        j->bodies[j->body_count++] = j->b;
    }
}

// ---- Origins of the joint frames ------------------------------------------------------------------------------------

// A point given in the frame of a body, from its centre of mass.
static ph_vec3 from_com(const body *b, ph_vec3 point)
{
    return ph_sub(point, b->kind->com);
}

// A point of the world at the start, from the centre of mass of a body, body axes; and back.
static ph_vec3 to_body(const body *b, ph_vec3 point)
{
    return ph_tmul(body_turn(b), ph_sub(point, b->position));
}

static ph_vec3 to_world(const body *b, ph_vec3 s)
{
    return ph_add(b->position, ph_mul(body_turn(b), s));
}

static bool check_anchors(compiler *c, place where, const joint_type *type, const ph_joint_def *def)
{
    const bool local = def->has_anchor_a || def->has_anchor_b;
    if (def->has_anchor && local) {
        complain(c, place_key(where, "anchor"), "anchor is a world point for both bodies",
                 "anchor is given together with anchor_a or anchor_b");
        return false;
    }
    if (type->keys & JOINT_APART) {
        if (!def->has_anchor_a || !def->has_anchor_b) {
            complain(c, where, "a point in the frame of each body", "a %s joint needs anchor_a and anchor_b",
                     type->name);
            return false;
        }
    } else if (!def->has_anchor && !local && (type->keys & JOINT_ANCHOR) && !(type->keys & JOINT_ANCHOR_OPTIONAL)) {
        complain(c, where, "anchor: [x, y, z], a world point at the start", "a %s joint needs an anchor", type->name);
        return false;
    }
    return true;
}

// One point serves for both bodies unless each has its own.
static void place_origins(const ph_model *model, const ph_joint_def *def, joint *j)
{
    const body *a = &model->bodies[j->a], *b = &model->bodies[j->b];
    if (def->has_anchor_a) {
        j->s_a = from_com(a, def->anchor_a);
    }
    if (def->has_anchor_b) {
        j->s_b = from_com(b, def->anchor_b);
    }
    if (def->has_anchor_a && def->has_anchor_b) {
        return;
    }
    const ph_vec3 point = def->has_anchor     ? def->anchor
                          : def->has_anchor_a ? to_world(a, j->s_a)
                          : def->has_anchor_b ? to_world(b, j->s_b)
                                              : b->position;
    if (!def->has_anchor_a) {
        j->s_a = to_body(a, point);
    }
    if (!def->has_anchor_b) {
        j->s_b = to_body(b, point);
    }
}

// ---- Axes of the joint frames ---------------------------------------------------------------------------------------

static bool check_axes(compiler *c, place where, const joint_type *type, const ph_joint_def *def)
{
    const char *key = type->keys & JOINT_NORMAL ? "normal" : "axis";
    const int errors = c->errors;
    if (def->has_axis) check_direction(c, where, key, def->axis);
    if (def->has_axis_a) check_direction(c, where, "axis_a", def->axis_a);
    if (def->has_axis_b) check_direction(c, where, "axis_b", def->axis_b);
    if (def->has_axis2) check_direction(c, where, "axis2", def->axis2);
    const bool rolls = type->keys & JOINT_ROLLING, local = def->has_axis_a || (def->has_axis_b && !rolls);
    if (def->has_axis && local) {
        complain(c, place_key(where, key), "axis is a world direction for both bodies",
                 "%s is given together with axis_a or axis_b", key);
    }
    if ((type->keys & (JOINT_AXIS | JOINT_NORMAL)) && !rolls && !def->has_axis && !local) {
        complain(c, where, "a world direction at the start", "a %s joint needs %s %s", type->name,
                 *key == 'a' ? "an" : "a", key);
    }
    if ((type->keys & JOINT_AXIS2) && def->has_axis_b) {
        complain(c, place_key(where, "axis_b"), "axis2 is the axis fixed in b", "a %s joint takes no axis_b",
                 type->name);
    }
    if ((type->keys & JOINT_AXIS2) && !def->has_axis2) {
        complain(c, where, "axis2: [x, y, z], the axis fixed in b, a world direction at the start",
                 "a %s joint needs an axis2", type->name);
    }
    return c->errors == errors;
}

// Right-handed axes with z as given and x as near to `x` as that allows.
static ph_mat3 axes_of(ph_vec3 z, ph_vec3 x)
{
    ph_vec3 across = ph_madd(x, -ph_dot(x, z), z);
    across = ph_norm(across) > 1e-3 ? ph_unit(across) : ph_any_perpendicular(z);
    return ph_mat_cols(across, ph_cross(z, across), z);
}

// Axes in the world at the start. They coincide unless each body has its own axis.
static void place_axes(const ph_model *model, const ph_joint_def *def, joint *j)
{
    const body *a = &model->bodies[j->a], *b = &model->bodies[j->b];
    ph_mat3 W_a = ph_identity(), W_b;
    if (def->has_axis || def->has_axis_a || def->has_axis_b) {
        const ph_vec3 z = ph_unit(def->has_axis     ? def->axis
                                  : def->has_axis_a ? ph_mul(body_turn(a), def->axis_a)
                                                    : ph_mul(body_turn(b), def->axis_b));
        W_a = axes_of(z, def->has_axis2 ? ph_unit(def->axis2) : ph_any_perpendicular(z));
    }
    W_b = W_a;
    if (def->has_axis2) { // b_x is axis2 itself, whether perpendicular to z or not
        const ph_vec3 x = ph_unit(def->axis2);
        const ph_mat3 turned = axes_of(x, ph_mat_col(W_a, 1)); // z, x, y of the frame sought
        W_b = ph_mat_cols(x, ph_mat_col(turned, 0), ph_mat_col(turned, 1));
    } else if (def->has_axis_a && def->has_axis_b) {
        W_b = axes_of(ph_unit(ph_mul(body_turn(b), def->axis_b)), ph_mat_col(W_a, 0));
    }
    j->E_a = ph_mat_tmul(body_turn(a), W_a);
    j->E_b = ph_mat_tmul(body_turn(b), W_b);
}

// ---- One joint ------------------------------------------------------------------------------------------------------

// The two axes of a universal joint. Under `initial: project` they may be moved to where they belong.
static void check_perpendicular(compiler *c, place where, const joint *j)
{
    const ph_mat3 R_a = body_turn(&c->model->bodies[j->a]), R_b = body_turn(&c->model->bodies[j->b]);
    const double cosine = ph_dot(ph_mul(R_a, ph_mat_col(j->E_a, 2)), ph_mul(R_b, ph_mat_col(j->E_b, 0)));
    if (j->def->has_axis2 && fabs(cosine) > (c->spec->project ? 0.9 : 1e-9)) {
        complain(c, place_key(where, "axis2"), NULL,
                 "axis2 is not perpendicular to axis: the cosine of their angle is %.6g", cosine);
    }
}

// The row that holds the coordinate to what the motor prescribes; its value is compiled with the forces, which may name
// joints.
static void add_motor(compiler *c, ph_drive kind, joint *j)
{
    joint_motor *motor = arena_alloc(c->model->memory, sizeof *motor);
    if (!motor) {
        c->out_of_memory = true;
        return;
    }
    motor->index = c->model->motor_count++;
    motor->by_speed = kind == PH_MOTOR_SPEED;
    motor->target = motor->by_speed ? c->model->target_count++ : 0;
    motor->start = j->def->has_coordinate[0] ? j->def->coordinate[0] : compile_start_of(j, 0);
    j->motor = motor;
    joint_add_row(j, ROW_MOTOR, 0, 0);
}

// The rows that tie rotors to the coordinates with an armature. They come after all others.
static void add_rotors(compiler *c, joint *j)
{
    for (int k = 0; k < j->coordinate_count; k++) {
        if (joint_root(j, k) > 0.0) {
            joint_add_row(j, ROW_ROTOR, k, j->rotor_rows++);
        }
    }
    j->slot_rotor = j->body_count;
    for (int n = 0; n < j->rotor_rows; n += 3) {
        j->bodies[j->body_count++] = compile_rotor(c, j->rotor_rows - n < 3 ? j->rotor_rows - n : 3);
    }
}

// A motor that prescribes the coordinate moves the rotor, too: the bodies feel nothing of it.
static void add_armature(compiler *c, place where, joint *j)
{
    if (j->def->armature == 0.0) {
        return;
    }
    if (j->motor) {
        remark(
            c, place_key(where, "armature"), NULL,
            "the motor of joint '%s' prescribes its coordinate: the armature changes no motion, and neither energy nor "
            "the torque of the motor count it",
            j->name);
        return;
    }
    double *roots = arena_alloc_array(c->model->memory, JOINT_COORDINATES_MAX, sizeof *roots);
    if (!roots) {
        c->out_of_memory = true;
        return;
    }
    memset(roots, 0, JOINT_COORDINATES_MAX * sizeof *roots);
    roots[0] = sqrt(j->def->armature);
    j->roots = roots;
    add_rotors(c, j);
}

void compile_joint_drive(compiler *c, place where, joint *j)
{
    const ph_drive motor = j->def->motor;
    check_start(c, where, j);
    if (j->coordinate_count != 1) {
        check_drive(c, where, j);
        return;
    }
    if (motor == PH_MOTOR_SPEED || motor == PH_MOTOR_POSITION) {
        add_motor(c, motor, j);
    }
    add_armature(c, where, j);
}

static void place_joint(compiler *c, place where, const ph_joint_def *def, joint *j)
{
    const ph_model *model = c->model;
    if (j->type->keys & JOINT_CHAIN) {
        if (compile_chain(c, where, def, j)) compile_joint_drive(c, where, j);
        return;
    }
    if (j->type->keys & JOINT_ROLLING) {
        compile_rolling(c, where, def, j);
        check_start(c, where, j);
        return;
    }
    place_origins(model, def, j);
    place_axes(model, def, j);
    check_perpendicular(c, where, j);
    const ph_vec3 d = ph_sub(to_world(&model->bodies[j->b], j->s_b), to_world(&model->bodies[j->a], j->s_a));
    j->length = def->length > 0.0 ? def->length : ph_norm(d);
    j->slide = ph_dot(ph_mul(body_turn(&model->bodies[j->a]), ph_mat_col(j->E_a, 2)), d);
    j->pitch = def->pitch;
    const char *wrong = j->type->make(j);
    if (wrong) {
        complain(c, where, NULL, "%s", wrong);
        return;
    }
    compile_joint_drive(c, where, j);
}

// ---- All joints -----------------------------------------------------------------------------------------------------

static void compile_joint(compiler *c, int index, ph_joint_def *def)
{
    ph_model *model = c->model;
    joint *j = &model->joints[index];
    const place where = place_of("joints[%d]", index);
    const int errors = c->errors;
    *def = c->spec->joints[index];
    j->def = def;
    j->name = def->name = keep_string(c, def->name);
    def->motor_value.expression = keep_string(c, def->motor_value.expression);
    check_name(c, where, j->name, &model->joint_names, index);
    check_numbers(c, where, def);
    j->type = find_type(c, where, def->type);
    if (j->type) {
        def->type = j->type->name;
        check_keys(c, where, j->type, def);
    }
    if (compile_is_gear(j) || compile_is_coordinate(j) || !check_bodies(c, where, def) || !j->type) {
        return;
    }
    j->a = def->body_a < 0 ? model->body_count : def->body_a;
    j->b = def->body_b < 0 ? model->body_count : def->body_b;
    compile_number_bodies(model, j);
    check_anchors(c, where, j->type, def);
    check_axes(c, where, j->type, def);
    compile_check_rolling(c, where, j->type, def);
    if (c->errors == errors) {
        place_joint(c, where, def, j);
    }
}

// Definitions are large, and those of most joints say nothing more: these share one.
static void keep_definitions(compiler *c)
{
    ph_model *model = c->model;
    ph_joint_def *plain = arena_alloc(model->memory, sizeof *plain);
    c->out_of_memory |= !plain;
    if (plain) {
        *plain = ph_default_joint();
    }
    for (int i = 0; i < model->joint_count && !c->out_of_memory; i++) {
        joint *j = &model->joints[i];
        ph_joint_def *own =
            compile_is_gear(j) || j->chain || has_drive_keys(j->def) ? arena_alloc(model->memory, sizeof *own) : plain;
        c->out_of_memory |= !own;
        if (own && own != plain) {
            *own = *j->def;
        }
        j->def = own;
    }
}

void compile_joints(compiler *c)
{
    ph_model *model = c->model;
    const size_t count = (size_t)c->spec->joint_count;
    model->joint_count = c->spec->joint_count;
    model->joints = arena_alloc_array(model->memory, count, sizeof *model->joints);
    ph_joint_def *defs = arena_alloc_array(c->scratch, count, sizeof *defs);
    if (!model->joints || !defs || !names_create(&model->joint_names, model->joint_count, model->memory)) {
        c->out_of_memory = true;
        return;
    }
    for (int i = 0; i < model->joint_count; i++) {
        compile_joint(c, i, &defs[i]);
    }
    for (int i = 0; i < model->joint_count; i++) {
        if (compile_is_coordinate(&model->joints[i])) compile_coordinate(c, i);
    }
    for (int i = 0; i < model->joint_count; i++) {
        joint *j = &model->joints[i];
        if (compile_is_gear(j)) {
            compile_gear(c, i);
        }
        j->first_row = model->row_count;
        j->first_own_row = model->own_row_count;
        j->first_turn = model->turn_count;
        j->first_coordinate = model->coordinate_count;
        model->row_count += j->row_count;
        model->own_row_count += joint_own_rows(j);
        model->turn_count += j->turn_count;
        model->coordinate_count += j->coordinate_count;
    }
    keep_definitions(c);
}
