// Writing a spec, for the files that share it: values, and one function for each kind of element.
#ifndef PH_IO_MODEL_WRITE_H
#define PH_IO_MODEL_WRITE_H

#include "base/element_key.h"
#include "io/model/text.h"
#include "model/spec.h"

// ---- write_values.c: what is as the reader's default is left out where the name says so ------------------------------

void write_vector(model_text *t, const char *key, ph_vec3 v);
bool write_is_zero(ph_vec3 v);
void write_vector_unless_zero(model_text *t, const char *key, ph_vec3 v);
void write_unless(model_text *t, const char *key, double value, double otherwise);
void write_orientation(model_text *t, ph_quat q);
void write_matrix(model_text *t, const char *key, const double *m, int n);
void write_value(model_text *t, const char *key, const ph_value *v);
void write_text_if(model_text *t, const char *key, const char *text);
const char *write_body_name(const ph_spec *spec, int body);
const char *write_joint_name(const ph_spec *spec, int joint);
void write_bodies(model_text *t, const ph_spec *spec, int a, int b);
// Where the joint starts: a number, or a list with null where nothing is given.
void write_given(model_text *t, const char *key, const bool *has, const double *values);

// ---- write_keys.c ----------------------------------------------------------------------------------------------------

// `def`: the definition that the offsets of the keys belong to.
void write_keys(model_text *t, const ph_spec *spec, const element_key *keys, const void *def);

// ---- write_bodies.c, write_joints.c, write_forces.c ------------------------------------------------------------------

void write_body(model_text *t, const spec_body *body);
void write_joint(model_text *t, const ph_spec *spec, const ph_joint_def *j);
void write_force(model_text *t, const ph_spec *spec, const ph_force_def *f);

// ---- write_devices.c -------------------------------------------------------------------------------------------------

bool write_needs_sites(const ph_spec *spec);
void write_tendon_sites(model_text *t, const ph_spec *spec);
void write_tendon(model_text *t, const ph_spec *spec, int index);
void write_actuator(model_text *t, const ph_spec *spec, const ph_actuator_def *d);
void write_sensor(model_text *t, const ph_spec *spec, const ph_sensor_def *d);

#endif
