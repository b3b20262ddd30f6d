// The parts of ph_model_compile. Each checks and fills one part of the model; all go on after a mistake, so that one
// call reports everything that is wrong.
#ifndef PH_COMPILE_COMPILE_H
#define PH_COMPILE_COMPILE_H

#include "model/model.h"
#include "model/spec.h"

typedef struct compiler {
    const ph_spec *spec;
    ph_problems *problems;
    ph_model *model;
    arena *scratch; // freed when compiling ends
    int *kinds;     // a table of the bodies that are the first with their shapes: 1 + index, or 0
    uint32_t kinds_mask;
    int errors;
    bool out_of_memory;
} compiler;

// ---- report.c: saying what is wrong, and checks that many parts need ------------------------------------------------

typedef struct place { // path of an element, "bodies[1].inertia"
    char text[128];
} place;

__attribute__((format(printf, 1, 2))) place place_of(const char *format, ...);
place place_key(place parent, const char *key); // "bodies[1]", "inertia" -> "bodies[1].inertia"

// `hint` says what was expected, NULL: nothing to add.
__attribute__((format(printf, 4, 5))) void complain(compiler *c, place where, const char *hint, const char *format,
                                                    ...);
__attribute__((format(printf, 4, 5))) void remark(compiler *c, place where, const char *hint, const char *format, ...);

// Each complains and returns false when the value is not what its name says.
bool check_finite(compiler *c, place parent, const char *key, double value);
bool check_finite3(compiler *c, place parent, const char *key, ph_vec3 value);
bool check_not_negative(compiler *c, place parent, const char *key, double value);
bool check_unit_quat(compiler *c, place parent, const char *key, ph_quat *q); // and normalises what is nearly unit
bool check_direction(compiler *c, place parent, const char *key, ph_vec3 v);  // finite, not zero
bool check_name(compiler *c, place parent, const char *name, names *table, int index);

// "did you mean ..." for an unknown word, into a buffer of the caller; falls back on the list of all.
typedef struct hint_text {
    char text[256];
} hint_text;
hint_text hint_for(const char *word, const char *const *known, int count);

// Copies that belong to the model; NULL for NULL.
const char *keep_string(compiler *c, const char *text);
void *keep_array(compiler *c, const void *array, int count, size_t size);

// ---- One file each --------------------------------------------------------------------------------------------------

// shapes.c: the shapes of a body into the model, with what stands in files; false when something is wrong.
bool compile_shapes(compiler *c, place where, const spec_body *given, int body, body_kind *to);
void compile_bodies(compiler *c);
// Where a body begins.
void compile_place(compiler *c, int index, ph_vec3 position, ph_quat orientation, ph_twist twist);
// A rotor with so many slides in use (joints/rotor.c): its index.
int compile_rotor(compiler *c, int slides);
// An expression of t, inputs, q. and qd. of joints, outside of a compilation; false, and what is wrong in `fault`.
bool compile_text(const ph_model *model, const char *text, arena *memory, value *to, char *fault, size_t room);
void compile_sites(compiler *c);
// sensors.c: before everything whose expressions may ask for them; their own expressions after joints.
void compile_sensors(compiler *c);
void compile_sensor_values(compiler *c);
// sensor.<name>.<component>; false: there is none
bool compile_find_sensor(ph_model *model, const char *name, sensor **found, int *component);
// tendons.c: both before forces, their elements among them.
void compile_tendons(compiler *c);
void compile_actuators(compiler *c);
int compile_tendon_elements(const ph_model *model);
void compile_add_tendons(compiler *c);
void compile_add_actuators(compiler *c);
void compile_tendon_starts(compiler *c, const motion *start);
void compile_joints(compiler *c);
// rolling.c: the keys of joints that roll; where they lie, and their rows; expressions of joints with rows of velocities.
bool compile_check_rolling(compiler *c, place where, const joint_type *type, const ph_joint_def *def);
void compile_rolling(compiler *c, place where, const ph_joint_def *def, joint *j);
bool compile_chain(compiler *c, place where, const ph_joint_def *def, joint *j); // its frames, motions, rows; chains.c
void compile_number_bodies(const ph_model *model, joint *j);
void compile_joint_drive(compiler *c, place where, joint *j); // what acts along its coordinate, where it has one

// ---- couplings.c: joints that act on others -------------------------------------------------------------------------

bool compile_is_gear(const joint *j);
void compile_gear(compiler *c, int index);
bool compile_is_coordinate(const joint *j);
void compile_coordinate(compiler *c, int index);
double compile_start_of(const joint *j, int k); // coordinate k in the positions given
void compile_velocities(compiler *c);
void compile_forces(compiler *c);
void compile_value(compiler *c, place where, const ph_value *given, struct value *to); // a number or an expression
void compile_force_starts(compiler *c, const motion *start); // what forces take from the start
void compile_start(compiler *c); // initial positions and velocities meet the constraints, or are moved there
const double *compile_start_inputs(compiler *c);   // values of the inputs at the start; NULL: out of memory
void compile_projection(compiler *c);              // initial: project
bool compile_gives_coordinates(const compiler *c); // a joint says where it starts ...
bool compile_gives_rates(const compiler *c);       // ... or how fast
void compile_given_start(compiler *c);             // holds what joints say, and moves the rest
void compile_rotors(compiler *c);                  // where bodies and angles start, their rotors do
void compile_keyframes(compiler *c);
void compile_rank(compiler *c); // redundant rows at the start

#endif
