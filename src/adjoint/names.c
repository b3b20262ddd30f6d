// Numbers of a compiled model by name: gravity.z, rod1.mass, joints.A.damping, forces.shock.stiffness, inputs.
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

static int find_in_force(const numbers *n, int index, const char *what, double *value)
{
    for (size_t k = 0; k < sizeof of_drives / sizeof *of_drives; k++) {
        if (strcmp(of_drives[k].name, what) != 0) continue;
        memcpy(value, (const char *)&n->model->forces[index] + of_drives[k].from, sizeof *value);
        return n->forces + (int)(((size_t)index * sizeof(force_gradient) + of_drives[k].at) / sizeof(double));
    }
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
    for (int k = n->model->element_count; k < n->model->force_count; k++)
        if (n->model->forces[k].joint == j) return find_in_force(n, k, what, value);
    return -1;
}

static int find_in_body(const numbers *n, int index, const char *what, double *value)
{
    const int moving = n->model->bodies[index].moving;
    if (moving < 0 || strcmp(what, "mass") != 0) return -1;
    *value = n->model->bodies[index].kind->mass;
    return n->bodies + (int)(((size_t)moving * sizeof(body_gradient) + offsetof(body_gradient, mass)) / sizeof(double));
}

// The word before the last dot, and what is behind it.
static const char *split(const char *name, char word[128])
{
    const char *dot = strrchr(name, '.');
    if (!dot) return NULL;
    snprintf(word, 128, "%.*s", (int)(dot - name), name);
    return dot + 1;
}

static int find_force(const ph_model *model, const char *name)
{
    for (int k = 0; k < model->element_count; k++)
        if (model->forces[k].name && strcmp(model->forces[k].name, name) == 0) return k;
    return -1;
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
    const bool joint = strncmp(word, "joints.", 7) == 0, force = strncmp(word, "forces.", 7) == 0;
    const int index = joint   ? names_find(&model->joint_names, word + 7)
                      : force ? find_force(model, word + 7)
                              : names_find(&model->body_names, word);
    if (index < 0 || (!joint && !force && index >= model->body_count)) return -1;
    return joint   ? find_in_joint(n, index, what, value)
           : force ? find_in_force(n, index, what, value)
                   : find_in_body(n, index, what, value);
}
