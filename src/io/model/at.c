// A model at other values of its parameters and numbers: the text is read once more with the parameters, then numbers of the
// spec by name are changed.
#include "io/model/again.h"

#include "base/error.h"
#include "forces/force.h"
#include "math/mat3.h"
#include "model/log_cholesky.h"
#include "model/model.h"
#include "model/spec.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

// ---- What a name is -------------------------------------------------------------------------------------------------

static bool ends_with(const char *name, const char *tail)
{
    const size_t length = strlen(name), end = strlen(tail);
    return length > end && strcmp(name + length - end, tail) == 0;
}

static bool is_setting(const ph_model *model, const char *name)
{
    for (int k = 0; k < model->parameter_count; k++)
        if (strcmp(model->parameters[k].name, name) == 0) return true;
    for (int k = 0; k < model->input_count; k++)
        if (strcmp(model->inputs[k].name, name) == 0) return true;
    return strncmp(name, "joints.", 7) != 0 &&
           (ends_with(name, ".rate") || ends_with(name, ".coordinate") || ends_with(name, "]"));
}

// ---- Bodies ---------------------------------------------------------------------------------------------------------

static double *part(ph_vec3 *v, char c)
{
    return c == 'x' ? &v->x : c == 'y' ? &v->y : c == 'z' ? &v->z : NULL;
}

static inertial inertial_of(const ph_model *model, const ph_spec *spec, int b)
{
    const ph_body_def *def = &spec->bodies[b].def;
    const body_kind *kind = model->bodies[b].kind;
    return def->mass > 0.0 ? (inertial){def->mass, def->com, def->inertia} : (inertial){kind->mass, kind->com, kind->J};
}

// A body with joints moves as before: the velocity given is that of its centre of mass.
static void set_inertial(const ph_model *model, ph_spec *spec, int b, const inertial *from, const inertial *to)
{
    ph_body_def *def = &spec->bodies[b].def;
    const ph_vec3 shift = ph_cross(def->angular_velocity, ph_sub(to->com, from->com));
    bool jointed = false;
    for (int j = 0; j < model->joint_count; j++)
        jointed = jointed || model->joints[j].a == b || model->joints[j].b == b;
    if (jointed) def->velocity = ph_add(def->velocity, ph_mul(ph_quat_to_mat(def->orientation), shift));
    def->mass = to->mass, def->com = to->com, def->inertia = to->J;
}

static bool change_log_cholesky(inertial *x, const char *name, double value)
{
    double numbers[LOG_CHOLESKY];
    int k = 0;
    while (k < LOG_CHOLESKY && strcmp(log_cholesky_names[k], name) != 0) k++;
    if (k == LOG_CHOLESKY || !log_cholesky_of(x, numbers)) return false;
    numbers[k] = value;
    *x = log_cholesky_body(numbers);
    return true;
}

static bool change_inertia(inertial *x, const char *name, double value)
{
    const int i = name[0] - 'x', j = name[0] ? name[1] - 'x' : -1;
    if (i < 0 || i > 2 || j < 0 || j > 2 || name[2]) return false;
    x->J.m[i][j] = x->J.m[j][i] = value;
    return true;
}

static bool change_inertial(inertial *x, const char *what, double value)
{
    if (strcmp(what, "mass") == 0) return x->mass = value, true;
    if (strncmp(what, "com.", 4) == 0 && what[4] && !what[5] && part(&x->com, what[4]))
        return *part(&x->com, what[4]) = value, true;
    if (strncmp(what, "inertia.", 8) == 0) return change_inertia(x, what + 8, value);
    return strncmp(what, "log_cholesky.", 13) == 0 && change_log_cholesky(x, what + 13, value);
}

static const struct {
    const char *name;
    size_t at;
} of_start[] = {{"position.", offsetof(ph_body_def, position)},
                {"velocity.", offsetof(ph_body_def, velocity)},
                {"angular_velocity.", offsetof(ph_body_def, angular_velocity)}},
  of_shapes[] = {{"friction", offsetof(ph_shape_def, friction)},
                 {"restitution", offsetof(ph_shape_def, restitution)},
                 {"density", offsetof(ph_shape_def, density)}};

static bool change_start(ph_body_def *def, const char *what, double value)
{
    for (size_t k = 0; k < sizeof of_start / sizeof *of_start; k++) {
        const size_t length = strlen(of_start[k].name);
        if (strncmp(what, of_start[k].name, length) != 0 || !what[length] || what[length + 1]) continue;
        double *to = part((ph_vec3 *)((char *)def + of_start[k].at), what[length]);
        if (to) return *to = value, true;
    }
    return false;
}

static bool change_shapes(spec_body *b, const char *what, double value)
{
    for (size_t k = 0; k < sizeof of_shapes / sizeof *of_shapes; k++) {
        if (strcmp(of_shapes[k].name, what) != 0) continue;
        for (int i = 0; i < b->shape_count; i++) memcpy((char *)&b->shapes[i] + of_shapes[k].at, &value, sizeof value);
        return b->shape_count > 0;
    }
    return false;
}

static bool change_body(const ph_model *model, ph_spec *spec, int b, const char *what, double value)
{
    inertial x = inertial_of(model, spec, b);
    const inertial before = x;
    if (strncmp(what, "start.", 6) == 0) return change_start(&spec->bodies[b].def, what + 6, value);
    if (change_shapes(&spec->bodies[b], what, value)) return true;
    if (!change_inertial(&x, what, value)) return false;
    set_inertial(model, spec, b, &before, &x);
    return true;
}

// ---- Joints and forces ----------------------------------------------------------------------------------------------

typedef struct member {
    const char *name;
    size_t at;
} member;

static const member of_joints[] = {
    {"damping", offsetof(ph_joint_def, damping)},
    {"stiffness", offsetof(ph_joint_def, stiffness)},
    {"rest", offsetof(ph_joint_def, rest)},
    {"friction", offsetof(ph_joint_def, friction)},
    {"friction_speed", offsetof(ph_joint_def, friction_speed)},
    {"armature", offsetof(ph_joint_def, armature)},
    {"kp", offsetof(ph_joint_def, motor_kp)},
    {"kd", offsetof(ph_joint_def, motor_kd)},
    {"max", offsetof(ph_joint_def, motor_max)},
    {"length", offsetof(ph_joint_def, length)},
    {"pitch", offsetof(ph_joint_def, pitch)},
    {"ratio", offsetof(ph_joint_def, ratio)},
    {"limit_low", offsetof(ph_joint_def, limit_low)},
    {"limit_high", offsetof(ph_joint_def, limit_high)},
};

static const member of_tendons[] = {
    {"stiffness", offsetof(ph_tendon_def, stiffness)},
    {"damping", offsetof(ph_tendon_def, damping)},
    {"length", offsetof(ph_tendon_def, length)},
    {"limit_low", offsetof(ph_tendon_def, limit_low)},
    {"limit_high", offsetof(ph_tendon_def, limit_high)},
    {"limit_stiffness", offsetof(ph_tendon_def, limit_stiffness)},
    {"limit_damping", offsetof(ph_tendon_def, limit_damping)},
};

// What acts is kp and kd times the gear.
static const member of_actuators[] = {
    {"kp", offsetof(ph_actuator_def, kp)},
    {"kd", offsetof(ph_actuator_def, kd)},
    {"max", offsetof(ph_actuator_def, max)},
};

static const member of_forces[] = {
    {"stiffness", offsetof(ph_force_def, stiffness)},
    {"damping", offsetof(ph_force_def, damping)},
    {"length", offsetof(ph_force_def, length)},
    {"rest", offsetof(ph_force_def, length)},
};

static bool change_member(void *def, const member *list, size_t count, const char *what, double value)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(list[k].name, what) == 0) return memcpy((char *)def + list[k].at, &value, sizeof value), true;
    return false;
}

// "quadratic.x": of a vector that is the type's own.
static bool change_vector(ph_force_def *def, const char *what, double value)
{
    const char *dot = strrchr(what, '.');
    const force_type *type = NULL;
    for (int k = 0; force_types[k] && !type; k++)
        if (def->type && strcmp(force_types[k]->name, def->type) == 0) type = force_types[k];
    for (const element_key *key = type && dot ? type->keys : NULL; key && key->key; key++) {
        const size_t length = strlen(key->key);
        if (key->kind != KEY_VECTOR || (size_t)(dot - what) != length || strncmp(what, key->key, length) != 0) continue;
        double *to = dot[1] && !dot[2] ? part((ph_vec3 *)((char *)def + key->offset), dot[1]) : NULL;
        if (to) return *to = value, true;
    }
    return false;
}

static bool change_force(ph_force_def *def, const char *what, double value)
{
    if (strcmp(what, "length") == 0 || strcmp(what, "rest") == 0) def->has_length = true;
    return change_member(def, of_forces, sizeof of_forces / sizeof *of_forces, what, value) ||
           ph_force_set(def, what, value) == PH_OK || change_vector(def, what, value);
}

static bool change_joint(ph_joint_def *def, const char *what, double value)
{
    if (strcmp(what, "limit_low") == 0 && !def->has_limit_low) return false;
    if (strcmp(what, "limit_high") == 0 && !def->has_limit_high) return false;
    return change_member(def, of_joints, sizeof of_joints / sizeof *of_joints, what, value);
}

static bool change_tendon(ph_tendon_def *def, const char *what, double value)
{
    if (strcmp(what, "length") == 0) def->has_length = true;
    if (strcmp(what, "limit_low") == 0 && !def->has_limit_low) return false;
    if (strcmp(what, "limit_high") == 0 && !def->has_limit_high) return false;
    return change_member(def, of_tendons, sizeof of_tendons / sizeof *of_tendons, what, value);
}

static bool change_actuator(ph_actuator_def *def, const char *what, double value)
{
    const double own = strcmp(what, "max") != 0 && def->gear != 0.0 ? value / def->gear : value;
    return change_member(def, of_actuators, sizeof of_actuators / sizeof *of_actuators, what, own);
}

// What stands behind the name of an element and a dot; names may have dots. NULL: it is another name.
static const char *behind(const char *name, const char *own)
{
    const size_t length = own ? strlen(own) : 0;
    return own && strncmp(name, own, length) == 0 && name[length] == '.' ? name + length + 1 : NULL;
}

static bool change_element(ph_spec *spec, const char *name, double value)
{
    const char *rest = strchr(name, '.') + 1, *what;
    bool done = false;
    for (int k = 0; k < spec->joint_count && name[0] == 'j' && !done; k++)
        if ((what = behind(rest, spec->joints[k].name))) done = change_joint(&spec->joints[k], what, value);
    for (int k = 0; k < spec->force_count && name[0] == 'f' && !done; k++)
        if ((what = behind(rest, spec->forces[k].name))) done = change_force(&spec->forces[k], what, value);
    for (int k = 0; k < spec->tendon_count && name[0] == 't' && !done; k++)
        if ((what = behind(rest, spec->tendons[k].name))) done = change_tendon(&spec->tendons[k], what, value);
    for (int k = 0; k < spec->actuator_count && name[0] == 'a' && !done; k++)
        if ((what = behind(rest, spec->actuators[k].name))) done = change_actuator(&spec->actuators[k], what, value);
    return done;
}

static bool is_of_element(const char *name)
{
    static const char *const kinds[] = {"joints.", "forces.", "tendons.", "actuators."};
    bool is = false;
    for (int k = 0; k < 4; k++) is = is || strncmp(name, kinds[k], strlen(kinds[k])) == 0;
    return is;
}

static bool change(const ph_model *model, ph_spec *spec, const char *name, double value)
{
    if (strncmp(name, "gravity.", 8) == 0 && name[8] && !name[9] && part(&spec->gravity, name[8]))
        return *part(&spec->gravity, name[8]) = value, true;
    if (is_of_element(name)) return change_element(spec, name, value);
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) { // names of bodies may have dots
        const size_t length = (size_t)(dot - name);
        for (int b = 0; b < spec->body_count; b++) {
            const char *own = spec->bodies[b].def.name;
            if (own && strlen(own) == length && strncmp(own, name, length) == 0 &&
                change_body(model, spec, b, dot + 1, value))
                return true;
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------------------------------

enum { MOST = 300, DIGITS = 32 };

ph_status ph_spec_at(const ph_model *model, int count, const char *const *names, const double *values,
                     ph_problems *problems, ph_spec **spec, ph_error *error)
{
    ph_setting settings[MOST] = {{0}};
    char texts[MOST][DIGITS];
    int settings_count = 0;
    if (!model || !spec || !problems || count < 0 || count > MOST || (count > 0 && (!names || !values)))
        return error_set(error, PH_BAD_ARGUMENT,
                         "ph_spec_at needs a model, a list of problems and 0 to %d names with values", MOST);
    for (int k = 0; k < count; k++) {
        if (!is_setting(model, names[k])) continue;
        snprintf(texts[k], DIGITS, "%.17g", values[k]);
        settings[settings_count++] = (ph_setting){names[k], texts[k]};
    }
    ph_spec *made = NULL;
    *spec = NULL;
    ph_status status = model_spec_again(model, settings, settings_count, problems, &made);
    if (status == PH_NOT_FOUND)
        return error_set(error, status, "the model was built by calls: it has no text to read again");
    for (int k = 0; k < count && status == PH_OK; k++)
        if (!is_setting(model, names[k]) && !change(model, made, names[k], values[k]))
            status = error_set(error, PH_NOT_FOUND, "'%.80s' is no number of the model that can be set", names[k]);
    if (status == PH_OK) return *spec = made, PH_OK;
    if (ph_problems_count(problems) > 0) error_set(error, status, "%.900s", ph_problems_get(problems, 0)->text);
    ph_spec_destroy(made);
    return status;
}

ph_status ph_model_at(const ph_model *model, int count, const char *const *names, const double *values, ph_model **made,
                      ph_error *error)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    if (!made) return error_set(error, PH_BAD_ARGUMENT, "ph_model_at needs a place for the model");
    *made = NULL;
    ph_status status = ph_spec_at(model, count, names, values, problems, &spec, error);
    if (status == PH_OK) {
        status = ph_model_compile(spec, problems, made);
        for (int i = 0; status != PH_OK && i < ph_problems_count(problems); i++)
            if (ph_problems_get(problems, i)->severity == PH_ERROR) {
                error_set(error, status, "%.900s", ph_problems_get(problems, i)->text);
                break;
            }
    }
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return status;
}
