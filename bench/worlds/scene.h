// Scenes of bench/robots/scenes.py as plain tables, for machines where no YAML can be read.
//
// One thing to a line, numbers in SI units: "scene NAME FRICTION GRAVITY", "body NAME MASS INERTIA PLACE", below it its shapes
// "sphere RADIUS PLACE", "box SIZES PLACE", "capsule RADIUS LENGTH AXIS PLACE"; "joint TYPE A B ANCHOR AXIS AXIS2" between bodies by
// number (-1: the world), below it "spring STIFFNESS DAMPING", "limits LOW HIGH", "torque T" and "servo KP KD TARGET".
#ifndef BENCH_WORLDS_SCENE_H
#define BENCH_WORLDS_SCENE_H

#include "polhode/polhode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCENE_NUMBERS = 16, SCENE_TEXT = 256 };

typedef struct scene {
    ph_spec *spec;
    double friction;
    int body; // the last one
    bool has_joint;
    ph_joint_def joint; // not added yet: lines below it may still say more
    char type[32], name[32], target[SCENE_TEXT];
    int joints;
} scene;

// Numbers at the end of a line; what follows them in *rest.
static int scene_numbers(const char *at, double *x, const char **rest)
{
    int count = 0;
    for (char *end; count < SCENE_NUMBERS; at = end) {
        const double value = strtod(at, &end);
        if (end == at) break;
        x[count++] = value;
    }
    *rest = at + strspn(at, " ");
    return count;
}

static ph_vec3 scene_vector(const double *x)
{
    return (ph_vec3){x[0], x[1], x[2]};
}

static bool scene_end_joint(scene *s)
{
    if (!s->has_joint) return true;
    s->has_joint = false;
    return ph_spec_add_joint(s->spec, &s->joint) >= 0;
}

static bool scene_begin(scene *s, const double *x)
{
    ph_body_def floor = ph_default_body();
    ph_shape_def plane = ph_default_shape();
    ph_contact_settings contact = ph_default_contact();
    floor.name = "floor", floor.fixed = true;
    plane.type = "plane", plane.size = (ph_vec3){0, 0, 1}, plane.friction = s->friction = x[0];
    ph_spec_set_gravity(s->spec, scene_vector(x + 1));
    s->body = ph_spec_add_body(s->spec, &floor);
    return ph_spec_add_shape(s->spec, s->body, &plane) >= 0 && ph_spec_set_contact(s->spec, &contact) == PH_OK;
}

static bool scene_body(scene *s, const char *name, const double *x)
{
    ph_body_def def = ph_default_body();
    def.name = name;
    def.mass = x[0];
    for (int k = 0; k < 3; k++) def.inertia.m[k][k] = x[1 + k];
    def.position = scene_vector(x + 4);
    s->body = ph_spec_add_body(s->spec, &def);
    return s->body >= 0;
}

static bool scene_shape(scene *s, const char *type, const double *x, int count)
{
    ph_shape_def def = ph_default_shape();
    def.type = type;
    def.friction = s->friction;
    if (!strcmp(type, "box"))
        def.size = scene_vector(x);
    else
        def.radius = x[0];
    if (!strcmp(type, "capsule")) def.length = x[1], def.axis = scene_vector(x + 2);
    def.position = scene_vector(x + count - 3);
    return ph_spec_add_shape(s->spec, s->body, &def) >= 0;
}

static bool scene_joint(scene *s, const char *type, const double *x)
{
    const bool turns = strcmp(type, "ball") != 0;
    if (!scene_end_joint(s)) return false;
    s->joint = ph_default_joint();
    snprintf(s->type, sizeof s->type, "%s", type);
    snprintf(s->name, sizeof s->name, "j%d", s->joints++);
    s->joint.type = s->type, s->joint.name = s->name;
    s->joint.body_a = (int)x[0] < 0 ? PH_WORLD : (int)x[0] + 1; // the floor is the first
    s->joint.body_b = (int)x[1] + 1;
    s->joint.has_anchor = true, s->joint.anchor = scene_vector(x + 2);
    s->joint.has_axis = turns, s->joint.axis = scene_vector(x + 5);
    s->joint.has_axis2 = !strcmp(type, "universal"), s->joint.axis2 = scene_vector(x + 8);
    if (!turns) s->joint.axis = (ph_vec3){0};
    if (!s->joint.has_axis2) s->joint.axis2 = (ph_vec3){0};
    return s->has_joint = true;
}

static bool scene_more(scene *s, const char *word, const double *x, const char *rest)
{
    ph_joint_def *j = &s->joint;
    if (!strcmp(word, "spring")) {
        j->stiffness = x[0], j->damping = x[1];
    } else if (!strcmp(word, "limits")) {
        j->has_limit_low = j->has_limit_high = true;
        j->limit_low = x[0], j->limit_high = x[1];
    } else if (!strcmp(word, "torque")) {
        j->motor = PH_MOTOR_TORQUE, j->motor_value.number = x[0];
    } else {
        j->motor = PH_MOTOR_SERVO, j->motor_kp = x[0], j->motor_kd = x[1], j->motor_value.number = x[2];
        snprintf(s->target, sizeof s->target, "%s", rest);
        if (rest[0]) j->motor_value.expression = s->target;
    }
    return s->has_joint;
}

static bool scene_line(scene *s, char *line)
{
    double x[SCENE_NUMBERS] = {0};
    const char *word = strtok(line, " \n"), *rest;
    if (!word) return true;
    if (!strcmp(word, "scene") || !strcmp(word, "body") || !strcmp(word, "joint")) {
        const char *name = strtok(NULL, " \n"), *numbers = strtok(NULL, "\n");
        if (!name || !numbers) return false;
        scene_numbers(numbers, x, &rest);
        return word[0] == 's' ? scene_begin(s, x) : word[0] == 'b' ? scene_body(s, name, x) : scene_joint(s, name, x);
    }
    char *numbers = strtok(NULL, "\n");
    if (!numbers) return false;
    const bool is_servo = !strcmp(word, "servo");
    int count = 0;
    if (is_servo) { // a target may begin with a number and go on as an expression
        char *at = numbers;
        x[0] = strtod(at, &at), x[1] = strtod(at, &at);
        rest = at + strspn(at, " ");
        x[2] = strtod(rest, &at);
        if (*at == '\0') rest = at;
    } else {
        count = scene_numbers(numbers, x, &rest);
    }
    const bool shape = !strcmp(word, "sphere") || !strcmp(word, "box") || !strcmp(word, "capsule");
    return shape ? scene_shape(s, word, x, count) : scene_more(s, word, x, rest);
}

// NULL: it cannot be read, or is no model; said on stderr.
static ph_model *scene_read(const char *path)
{
    FILE *file = fopen(path, "r");
    scene s = {.spec = ph_spec_create(NULL)};
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    char line[1024];
    int number = 0;
    bool good = file && s.spec;
    while (good && fgets(line, sizeof line, file)) number++, good = scene_line(&s, line);
    good = good && scene_end_joint(&s);
    if (!good) fprintf(stderr, "%s:%d: cannot be read\n", path, number);
    if (good) ph_model_compile(s.spec, problems, &model);
    for (int k = 0; k < ph_problems_count(problems) && !model; k++)
        fprintf(stderr, "%s: %s\n", path, ph_problems_get(problems, k)->text);
    if (file) fclose(file);
    ph_problems_destroy(problems);
    ph_spec_destroy(s.spec);
    return model;
}

#endif
