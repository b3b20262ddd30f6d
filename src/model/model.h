// The compiled model, as the rest of the library sees it. Immutable after ph_model_compile.
#ifndef PH_MODEL_MODEL_H
#define PH_MODEL_MODEL_H

#include "base/memory.h"
#include "forces/tendon.h"
#include "joints/joint.h"
#include "math/quat.h"
#include "model/names.h"
#include "polhode/model.h"
#include "polhode/sensor.h"

// What bodies have in common: those of one kind share it.
typedef struct body_kind {
    double mass, volume;
    ph_mat3 J, J_inverse; // about the centre of mass, body axes
    ph_vec3 com;          // in the body frame
    ph_vec3 reference;    // in the body frame
    const ph_shape_def *shapes;
    int shape_count;
    int shapes_of; // the first body with these shapes
    bool fixed;
    int slides; // of a rotor (joints/rotor.c): how many are in use; 0: an ordinary body
} body_kind;

// Where a body begins, but for its place: likewise.
typedef struct body_start {
    ph_quat orientation;
    ph_twist twist;
} body_start;

typedef struct body {
    const char *name;
    const body_kind *kind;
    const body_start *start;
    ph_vec3 position; // of the centre of mass at the start
    int velocity;     // offset of its six velocities (omega body | v world), or -1 when it cannot move
    int moving;       // index among the moving bodies, or -1
} body;

// Rotors have no weight, and no momentum that anybody sees.
static inline bool body_is_rotor(const body *b)
{
    return b->kind->slides > 0;
}

// At the start.
static inline ph_mat3 body_turn(const body *b)
{
    return ph_quat_to_mat(b->start->orientation);
}

static inline frame body_frame(const body *b)
{
    return (frame){body_turn(b), b->position};
}

typedef struct input {
    const char *name;
    double start;
} input;

// A named frame on a body.
typedef struct site {
    const char *name;
    int body;     // index; the world is index model->body_count
    ph_vec3 at;   // from the centre of mass, body axes
    ph_quat turn; // site -> body
} site;

typedef struct sensor_type sensor_type; // sensors/sensor.h

// What a sensor measures. Its numbers, as read at the start of the step, stand in ph_state.inputs from `held` on.
typedef struct sensor {
    const char *name;
    const sensor_type *type;
    int body;     // index; the world is index model->body_count
    ph_vec3 at;   // from the centre of mass, body axes
    ph_quat turn; // sensor -> body
    int other;    // body, or PH_NONE
    int joint, tendon, actuator;
    double range, time, limit_low, limit_high;
    const value *value; // NULL: none
    int first;          // of its numbers among those of all sensors
    int held;
    bool used; // expressions ask for it
} sensor;

// What acts along a joint or tendon, and when: the control that a delay holds back stands in ph_state.inputs.
typedef struct actuator {
    const char *name;
    const ph_actuator_def *def;
    const value *control; // before the delay
    const value *force;   // what it gives; of a servo its target
    int held;             // with a delay: what comes out of it, then the queue; -1: none
} actuator;

// Numbers that a delay takes in ph_state.inputs: its output, how many entries, the newest of them, times and values.
enum { DELAY_ENTRIES = 64, DELAY_NUMBERS = 3 + 2 * DELAY_ENTRIES };

// A keyframe as it is after assembly. Arrays as in ph_state.
typedef struct keyframe {
    const char *name;
    double time;
    ph_vec3 *position, *velocity, *angular_velocity;
    ph_quat *orientation;
    double *turns, *targets, *inputs;
} keyframe;

struct ph_model {
    ph_allocator allocator;
    arena *memory; // everything below lives here
    const char *name, *text;
    const char *folder;   // that files of shapes are relative to; NULL: the working directory
    const char *settings; // that the text was read with: "l=2\ng=1.62\n"; NULL: none
    ph_vec3 gravity;
    ph_run_settings run;
    bool has_contact; // bodies collide
    ph_contact_settings contact;
    ph_record_settings record;
    int body_count;     // fixed ones included
    int moving_count;   // rotors included
    int velocity_count; // 6 * moving_count, but always through body.velocity
    int rotor_count;
    body *bodies;     // model_places: all bodies, the world, all rotors
    names body_names; // "world" included
    int *moving;      // indices of the moving bodies, then of the rotors
    int joint_count;
    joint *joints;
    names joint_names;
    int row_count;
    int own_row_count;    // without those of rotors
    int motor_count;      // joints that prescribe a motion: motors, belts, rows of velocities with expressions
    bool slips;           // some joint has rows of velocities alone
    int target_count;     // of them by speed
    int turn_count;       // angles of joints, which count whole turns
    int coordinate_count; // of all joints
    double *start_turns;  // turn_count: angles of joints at the start
    int element_count;    // forces and callbacks of the spec
    int force_count;      // and after them what joints do along their own coordinates
    force *forces;
    int input_count;
    input *inputs;
    names input_names;
    int parameter_count;
    ph_parameter_info *parameters; // named numbers of the file
    int site_count;
    site *sites;
    names site_names;
    int tendon_count;
    tendon *tendons;
    names tendon_names;
    int actuator_count;
    actuator *actuators;
    names actuator_names;
    int sensor_count;
    sensor *sensors;
    names sensor_names;
    int sensor_values; // numbers of all sensors
    bool samples;      // something is held from the start of a step: sensors in expressions, delays
    int held_count;    // numbers that are held in ph_state.inputs behind the inputs
    int keyframe_count;
    keyframe *keyframes;
    int rank;            // of the constraint rows at the start, without those of rotors
    bool *row_redundant; // row_count; rows that depend on the others at the start
};

// Length of ph_state.inputs.
static inline size_t model_inputs(const ph_model *model)
{
    return (size_t)model->input_count + (size_t)model->held_count;
}

// Length of arrays that are indexed by body: bodies, the world (index body_count), rotors.
static inline size_t model_places(const ph_model *model)
{
    return (size_t)model->body_count + 1 + (size_t)model->rotor_count;
}

#endif
