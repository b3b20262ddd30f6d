// Polhode: keyframes, named states of a model: joint coordinates and rates, places of bodies, inputs.
//
//     ph_keyframe_def home = ph_default_keyframe();
//     home.name = "home";
//     home.joints = (ph_keyframe_joint[]){{.joint = hip, .has_value = true, .value = 0.3}};
//     home.joint_count = 1;
//     ph_spec_add_keyframe(spec, &home);
//     ...
//     ph_state_set_keyframe(state, ph_model_find_keyframe(model, "home"));
#ifndef POLHODE_KEYFRAME_H
#define POLHODE_KEYFRAME_H

#include "polhode/state.h"

#ifdef __cplusplus
extern "C" {
#endif

// A coordinate of a joint, its rate, or both: held exactly.
typedef struct ph_keyframe_joint {
    int joint, coordinate;
    bool has_value, has_rate;
    double value, rate;
} ph_keyframe_joint;

// Where a body is and how it moves, in the words of ph_body_def. What hangs on it by joints comes along unless it hangs on
// the world; then this is where the search for positions that fit begins.
typedef struct ph_keyframe_body {
    int body;
    bool has_position, has_orientation, has_velocity, has_angular_velocity;
    ph_vec3 position;
    ph_quat orientation;
    ph_vec3 velocity, angular_velocity;
} ph_keyframe_body;

typedef struct ph_keyframe_input {
    int input;
    double value;
} ph_keyframe_input;

// What is not given is as at the start of the model, at rest. Arrays are copied.
typedef struct ph_keyframe_def {
    uint32_t cookie;
    const char *name;
    double time;
    const ph_keyframe_joint *joints;
    const ph_keyframe_body *bodies;
    const ph_keyframe_input *inputs;
    int joint_count, body_count, input_count;
    uint64_t reserved[4]; // room for later versions
} ph_keyframe_def;

PH_API ph_keyframe_def ph_default_keyframe(void);
PH_API int ph_spec_add_keyframe(ph_spec *spec, const ph_keyframe_def *def); // index, or PH_NONE
// The model starts in the keyframe of this name, which must be at time 0; NULL: as its bodies and joints say.
PH_API ph_status ph_spec_set_start(ph_spec *spec, const char *keyframe);

PH_API int ph_model_keyframes(const ph_model *model);
PH_API const char *ph_model_keyframe(const ph_model *model, int keyframe);  // its name; NULL when out of range
PH_API int ph_model_find_keyframe(const ph_model *model, const char *name); // index or PH_NONE

// Time, positions, velocities and inputs become those of the keyframe, and everything else as after ph_state_reset.
PH_API ph_status ph_state_set_keyframe(ph_state *state, int keyframe);

#ifdef __cplusplus
}
#endif
#endif
