// Polhode: ph_model, the compiled model. Immutable, so that threads may share it.
#ifndef POLHODE_MODEL_H
#define POLHODE_MODEL_H

#include "polhode/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_model ph_model;

// Checks the whole spec and compiles it. All mistakes go into `problems` (may be NULL). The spec may be destroyed afterwards.
PH_API ph_status ph_model_compile(const ph_spec *spec, ph_problems *problems, ph_model **model);
PH_API void ph_model_destroy(ph_model *model);

PH_API const char *ph_model_name(const ph_model *model);
PH_API const char *ph_model_text(const ph_model *model); // the file it came from, or NULL
PH_API const ph_run_settings *ph_model_run_settings(const ph_model *model);
PH_API ph_vec3 ph_model_gravity(const ph_model *model);

PH_API int ph_model_bodies(const ph_model *model); // fixed ones included, in file order
PH_API int ph_model_joints(const ph_model *model);
PH_API int ph_model_forces(const ph_model *model);
PH_API int ph_model_inputs(const ph_model *model);
PH_API int ph_model_rows(const ph_model *model);       // constraint rows
PH_API int ph_model_velocities(const ph_model *model); // six for each body that can move
PH_API int ph_model_rank(const ph_model *model);       // rank of the rows at the start
PH_API int ph_model_freedoms(const ph_model *model);   // velocities - rank

// Row `row` depends on the others at the start. `joint` and `row_in_joint` name it; either may be NULL.
PH_API bool ph_model_row_redundant(const ph_model *model, int row, int *joint, int *row_in_joint);

PH_API int ph_model_find_body(const ph_model *model, const char *name);  // index, PH_WORLD for "world", or PH_NONE
PH_API int ph_model_find_joint(const ph_model *model, const char *name); // index or PH_NONE
PH_API int ph_model_find_input(const ph_model *model, const char *name); // index or PH_NONE

// Named numbers (`parameters:`) of the file that a model was read from, as they were in it or as --set has made them.
typedef struct ph_parameter_info {
    const char *name;
    double value;
} ph_parameter_info;
PH_API int ph_model_parameters(const ph_model *model);
PH_API ph_parameter_info ph_model_parameter(const ph_model *model, int index);

typedef struct ph_body_info {
    const char *name;
    bool fixed;
    double mass, volume;
    ph_mat3 inertia;   // about the centre of mass, body axes
    ph_vec3 com;       // in the body frame
    ph_vec3 reference; // in the body frame
    int shapes;
} ph_body_info;
PH_API ph_body_info ph_model_body(const ph_model *model, int body);
PH_API const ph_shape_def *ph_model_shape(const ph_model *model, int body, int shape); // NULL when out of range

typedef struct ph_joint_info {
    const char *name, *type;
    int body_a, body_b;
    int first_row, rows;
    int coordinates;            // how many joint coordinates it has
    ph_vec3 anchor_a, anchor_b; // from the centres of mass, body axes
} ph_joint_info;
PH_API ph_joint_info ph_model_joint(const ph_model *model, int joint);

// What joint types there are, for listings and for adding joints by name.
typedef struct ph_joint_type_info {
    const char *name, *title;
    int rows, coordinates;
    char keys[160]; // the keys it takes in a model file, separated by spaces
} ph_joint_type_info;
PH_API int ph_joint_type_count(void);
PH_API ph_joint_type_info ph_joint_type(int index);

#ifdef __cplusplus
}
#endif
#endif
