// Small models for tests, built by calls.
#ifndef TESTS_SCENES_H
#define TESTS_SCENES_H

#include "polhode/polhode.h"

#include <stdio.h>

static inline ph_spec *scene_start(void)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_spec_set_name(spec, "scene");
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -9.81});
    ph_spec_set_run(spec, &(ph_run_settings){.scheme = "rattlie", .step = 1e-3, .until = 0.1});
    return spec;
}

// A rod of 1 m and 2 kg along y.
static inline ph_body_def scene_rod(const char *name, ph_vec3 position)
{
    ph_body_def body = ph_default_body();
    body.name = name;
    body.mass = 2.0;
    body.inertia = (ph_mat3){{{0.17, 0.0, 0.0}, {0.0, 0.01, 0.0}, {0.0, 0.0, 0.17}}};
    body.position = position;
    return body;
}

static inline int scene_body(ph_spec *spec, const char *name, ph_vec3 position)
{
    const ph_body_def body = scene_rod(name, position);
    return ph_spec_add_body(spec, &body);
}

static inline int scene_fixed(ph_spec *spec, const char *name, ph_vec3 position)
{
    ph_body_def body = ph_default_body();
    body.name = name;
    body.fixed = true;
    body.position = position;
    return ph_spec_add_body(spec, &body);
}

static inline ph_joint_def scene_joint_def(const char *name, const char *type, int a, int b, ph_vec3 anchor)
{
    ph_joint_def joint = ph_default_joint();
    joint.name = name;
    joint.type = type;
    joint.body_a = a;
    joint.body_b = b;
    joint.has_anchor = true;
    joint.anchor = anchor;
    return joint;
}

static inline int scene_ball(ph_spec *spec, const char *name, int a, int b, ph_vec3 anchor)
{
    const ph_joint_def joint = scene_joint_def(name, "ball", a, b, anchor);
    return ph_spec_add_joint(spec, &joint);
}

static inline int scene_axial(ph_spec *spec, const char *name, const char *type, int a, int b, ph_vec3 anchor,
                              ph_vec3 axis)
{
    ph_joint_def joint = scene_joint_def(name, type, a, b, anchor);
    joint.has_axis = true;
    joint.axis = axis;
    return ph_spec_add_joint(spec, &joint);
}

// Compiles and destroys the spec; prints what is wrong with it.
static inline ph_model *scene_finish(ph_spec *spec)
{
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    ph_model_compile(spec, problems, &model);
    for (int i = 0; i < ph_problems_count(problems); i++) {
        printf("  %s\n", ph_problems_get(problems, i)->text);
    }
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    return model;
}

// Two rods that hang on each other by a ball joint, the first on a revolute joint of a fixed stand.
static inline ph_model *scene_pendulum(void)
{
    ph_spec *spec = scene_start();
    const int stand = scene_fixed(spec, "stand", (ph_vec3){0.0, 0.0, 0.0});
    const int first = scene_body(spec, "rod1", (ph_vec3){0.0, 0.5, 0.0});
    const int second = scene_body(spec, "rod2", (ph_vec3){0.0, 1.5, 0.0});
    scene_axial(spec, "hinge", "revolute", stand, first, (ph_vec3){0.0, 0.0, 0.0}, (ph_vec3){1.0, 0.0, 0.0});
    scene_ball(spec, "ball", first, second, (ph_vec3){0.0, 1.0, 0.0});
    ph_spec_set_text(spec, "polhode: 1\nname: scene\n");
    return scene_finish(spec);
}

// Two rods, the second of `mass`, with a hinge, a ball and a spring with damper; the input u drives the hinge.
static inline ph_model *scene_driven(double mass, ph_drive motor, const char *expression)
{
    ph_spec *spec = scene_start();
    const int first = scene_body(spec, "rod1", (ph_vec3){0.0, 0.5, 0.0});
    ph_body_def rod = scene_rod("rod2", (ph_vec3){0.0, 1.5, 0.0});
    rod.mass = mass;
    const int second = ph_spec_add_body(spec, &rod);
    ph_joint_def hinge = scene_joint_def("hinge", "revolute", PH_WORLD, first, (ph_vec3){0.0, 0.0, 0.0});
    hinge.has_axis = true;
    hinge.axis = (ph_vec3){1.0, 0.0, 0.0};
    hinge.motor = motor;
    hinge.motor_value.expression = expression;
    ph_spec_add_input(spec, "u", 4.0);
    ph_spec_add_joint(spec, &hinge);
    scene_ball(spec, "ball", first, second, (ph_vec3){0.0, 1.0, 0.0});
    ph_force_def spring = ph_default_force();
    spring.type = "spring";
    spring.body_a = PH_WORLD;
    spring.body_b = second;
    spring.point_a = (ph_vec3){1.0, 2.0, 1.0};
    spring.stiffness = 20.0;
    spring.damping = 0.5;
    ph_spec_add_force(spec, &spring);
    return scene_finish(spec);
}

// Rods that hang from the origin along y.
static inline ph_model *scene_chain(int bodies)
{
    ph_spec *spec = scene_start();
    for (int i = 0; i < bodies; i++) {
        char name[32];
        snprintf(name, sizeof name, "rod%d", i);
        const int body = scene_body(spec, name, (ph_vec3){0.0, i + 0.5, 0.0});
        snprintf(name, sizeof name, "joint%d", i);
        scene_ball(spec, name, i ? body - 1 : PH_WORLD, body, (ph_vec3){0.0, i, 0.0});
    }
    return scene_finish(spec);
}

#endif
