// Numbers of a compiled model by name: gravity.z, rod1.mass, joints.A.damping, forces.shock.stiffness, tendons.T.length, inputs.
#include "adjoint/parameters.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct key {
    const char *name;
    size_t at;   // in the gradient, bytes
    size_t from; // in the element, bytes
} key;

static const key of_drives[] = {
    {"stiffness", offsetof(force_gradient, stiffness), offsetof(force, stiffness)},
    {"damping", offsetof(force_gradient, damping), offsetof(force, damping)},
    {"rest", offsetof(force_gradient, rest), offsetof(force, rest)},
    {"length", offsetof(force_gradient, rest), offsetof(force, rest)},
    {"friction", offsetof(force_gradient, friction), offsetof(force, friction)},
    {"friction_speed", offsetof(force_gradient, friction_speed), offsetof(force, friction_speed)},
    {"kp", offsetof(force_gradient, kp), offsetof(force, kp)},
    {"kd", offsetof(force_gradient, kd), offsetof(force, kd)},
    {"max", offsetof(force_gradient, max), offsetof(force, max)},
};

static int number_at(const numbers *n, int index, size_t at)
{
    return n->forces + (int)(((size_t)index * sizeof(force_gradient) + at) / sizeof(double));
}

static int find_in_force(const numbers *n, int index, const char *what, double *value)
{
    for (size_t k = 0; k < sizeof of_drives / sizeof *of_drives; k++) {
        if (strcmp(of_drives[k].name, what) != 0) continue;
        memcpy(value, (const char *)&n->model->forces[index] + of_drives[k].from, sizeof *value);
        return number_at(n, index, of_drives[k].at);
    }
    return -1;
}

// What a type keeps in ph_force_def.number, by its keys: "strength", "quadratic.x".
static int find_own_number(const numbers *n, int index, const char *what, double *value)
{
    const force *f = &n->model->forces[index];
    const size_t first = offsetof(ph_force_def, number), end = first + FORCE_NUMBERS * sizeof(double);
    for (const element_key *key = f->type->keys; key && key->key; key++) {
        const size_t length = strlen(key->key);
        const bool vector = key->kind == KEY_VECTOR, number = key->kind == KEY_NUMBER;
        if ((!vector && !number) || key->offset < first || key->offset >= end) continue;
        if (strncmp(what, key->key, length) != 0) continue;
        const char *rest = what + length;
        const bool part = vector && rest[0] == '.' && rest[1] >= 'x' && rest[1] <= 'z' && !rest[2];
        if (!part && (vector || *rest)) continue;
        const size_t k = (key->offset - first) / sizeof(double) + (part ? (size_t)(rest[1] - 'x') : 0);
        *value = f->def->number[k];
        return number_at(n, index, offsetof(force_gradient, number) + k * sizeof(double));
    }
    return -1;
}

// The first part of a tendon has the numbers of the whole.
static int find_in_tendon(const numbers *n, const tendon *t, const char *what, double *value)
{
    const ph_tendon_def *def = t->def;
    const size_t number = offsetof(force_gradient, number);
    const struct {
        const char *name;
        bool given;
        double value;
        size_t at;
    } known[] = {
        {"stiffness", true, def->stiffness, offsetof(force_gradient, stiffness)},
        {"damping", true, def->damping, offsetof(force_gradient, damping)},
        {"length", true, t->rest, offsetof(force_gradient, rest)},
        {"limit_low", def->has_limit_low, def->limit_low, number + TENDON_LIMIT_LOW * sizeof(double)},
        {"limit_high", def->has_limit_high, def->limit_high, number + TENDON_LIMIT_HIGH * sizeof(double)},
        {"limit_stiffness", true, def->limit_stiffness, number + TENDON_LIMIT_STIFFNESS * sizeof(double)},
        {"limit_damping", true, def->limit_damping, number + TENDON_LIMIT_DAMPING * sizeof(double)},
    };
    int first = 0;
    while (first < n->model->force_count && n->model->forces[first].tendon != t) first++;
    for (size_t k = 0; k < sizeof known / sizeof *known && first < n->model->force_count; k++)
        if (strcmp(what, known[k].name) == 0 && known[k].given)
            return *value = known[k].value, number_at(n, first, known[k].at);
    return -1;
}

// Those along a joint are elements of their own.
static int find_in_actuator(const numbers *n, const char *name, const char *what, double *value)
{
    const bool known = strcmp(what, "kp") == 0 || strcmp(what, "kd") == 0 || strcmp(what, "max") == 0;
    for (int k = n->model->element_count; k < n->model->force_count && known; k++)
        if (n->model->forces[k].name == name) return find_in_force(n, k, what, value);
    return -1;
}

static int find_in_joint(const numbers *n, int index, const char *what, double *value)
{
    const joint *j = &n->model->joints[index];
    const int first = n->joints + (int)((size_t)index * (sizeof(joint_gradient) / sizeof(double)));
    if (strcmp(what, "length") == 0 && j->length > 0.0)
        return *value = j->length, first + (int)(offsetof(joint_gradient, length) / sizeof(double));
    if (strcmp(what, "pitch") == 0 && j->pitch != 0.0)
        return *value = j->pitch, first + (int)(offsetof(joint_gradient, pitch) / sizeof(double));
    if (strcmp(what, "ratio") == 0 && j->gear)
        return *value = j->gear->ratio, first + (int)(offsetof(joint_gradient, ratio) / sizeof(double));
    const size_t limit = strcmp(what, "limit_low") == 0    ? offsetof(joint_gradient, limit_low)
                         : strcmp(what, "limit_high") == 0 ? offsetof(joint_gradient, limit_high)
                                                           : 0;
    const bool low = limit == offsetof(joint_gradient, limit_low);
    if (limit && (low ? j->def->has_limit_low : j->def->has_limit_high))
        return *value = low ? j->def->limit_low : j->def->limit_high, first + (int)(limit / sizeof(double));
    const int drive = numbers_drive(n, j);
    return drive < 0 ? -1 : find_in_force(n, drive, what, value);
}

static int find_in_body(const numbers *n, int index, const char *what, double *value)
{
    if (n->model->bodies[index].moving < 0 || strcmp(what, "mass") != 0) return -1;
    *value = n->model->bodies[index].kind->mass;
    return numbers_mass_at(n, index);
}

// The word before the last dot, and what is behind it.
static const char *split(const char *name, char word[128])
{
    const char *dot = strrchr(name, '.');
    if (!dot) return NULL;
    snprintf(word, 128, "%.*s", (int)(dot - name), name);
    return dot + 1;
}

// "NAME.what" among the elements of the file; names may have dots.
static int find_of_force(const numbers *n, const char *name, double *value)
{
    const ph_model *model = n->model;
    for (int k = 0; k < model->element_count; k++) {
        const char *own = model->forces[k].name;
        const size_t length = own ? strlen(own) : 0;
        if (!own || strncmp(own, name, length) != 0 || name[length] != '.') continue;
        const char *what = name + length + 1;
        const int at = find_own_number(n, k, what, value);
        return at >= 0 ? at : find_in_force(n, k, what, value);
    }
    return -1;
}

static bool begins(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

static int find_of_model(const numbers *n, const char *word, const char *what, double *value)
{
    const ph_model *model = n->model;
    const bool joint = begins(word, "joints."), tendon = begins(word, "tendons."),
               actuator = begins(word, "actuators.");
    const int index = joint      ? names_find(&model->joint_names, word + strlen("joints."))
                      : tendon   ? names_find(&model->tendon_names, word + strlen("tendons."))
                      : actuator ? names_find(&model->actuator_names, word + strlen("actuators."))
                                 : names_find(&model->body_names, word);
    if (index < 0) return -1;
    if (joint) return find_in_joint(n, index, what, value);
    if (tendon) return find_in_tendon(n, &model->tendons[index], what, value);
    if (actuator) return find_in_actuator(n, model->actuators[index].name, what, value);
    return index < model->body_count ? find_in_body(n, index, what, value) : -1;
}

int numbers_find(const numbers *n, const char *name, double *value)
{
    const ph_model *model = n->model;
    const double gravity[3] = {model->gravity.x, model->gravity.y, model->gravity.z};
    char word[128];
    for (int k = 0; k < model->input_count; k++)
        if (strcmp(model->inputs[k].name, name) == 0) return *value = model->inputs[k].start, n->inputs + k;
    const char *what = split(name, word);
    if (!what) return -1;
    if (strcmp(word, "gravity") == 0 && what[0] >= 'x' && what[0] <= 'z' && !what[1])
        return *value = gravity[what[0] - 'x'], what[0] - 'x';
    if (begins(name, "forces.")) return find_of_force(n, name + strlen("forces."), value);
    return find_of_model(n, word, what, value);
}
