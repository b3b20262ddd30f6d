// The editable description, as the reader and ph_model_compile see it. All strings and arrays are owned by the spec.
#ifndef PH_MODEL_SPEC_H
#define PH_MODEL_SPEC_H

#include "base/memory.h"
#include "polhode/callback.h"
#include "polhode/keyframe.h"
#include "polhode/sensor.h"
#include "polhode/site.h"
#include "polhode/spec.h"
#include "polhode/tendon.h"

typedef struct spec_body {
    ph_body_def def;
    int shape_count, shape_capacity;
    ph_shape_def *shapes;
} spec_body;

typedef struct spec_input {
    const char *name;
    double value;
} spec_input;

struct ph_spec {
    ph_allocator allocator;
    arena *memory; // strings and copied arrays
    const char *name, *text;
    const char *folder;   // that files of shapes are relative to; NULL: the working directory
    const char *settings; // that the text was read with: "l=2\ng=1.62\n"; NULL: none
    ph_vec3 gravity;
    bool project;
    bool has_contact; // bodies collide
    ph_contact_settings contact;
    ph_record_settings record;
    ph_run_settings run;
    int body_count, body_capacity;
    spec_body *bodies;
    int joint_count, joint_capacity;
    ph_joint_def *joints;
    int force_count, force_capacity;
    ph_force_def *forces;
    int callback_count, callback_capacity;
    ph_callback_def *callbacks;
    int input_count, input_capacity;
    spec_input *inputs;
    int parameter_count;
    ph_parameter_info *parameters; // named numbers of the file
    int keyframe_count, keyframe_capacity;
    ph_keyframe_def *keyframes;
    int site_count, site_capacity;
    ph_site_def *sites;
    int tendon_count, tendon_capacity;
    ph_tendon_def *tendons;
    int actuator_count, actuator_capacity;
    ph_actuator_def *actuators;
    int sensor_count, sensor_capacity;
    ph_sensor_def *sensors;
    const char *start; // keyframe that the model starts in; NULL: none
    // Where an element stands in its file: fills file, line, column, source of `problem` from a path such as
    // "bodies[1].inertia" (nearest enclosing element when the key itself is absent). NULL when built by calls.
    void (*locate)(void *user, const char *path, ph_problem *problem);
    void *locate_user;
    void (*locate_destroy)(void *user);
};

#endif
