// Polhode: tendons and actuators.
//
// A tendon has a length: the sum of the distances between neighbours on its path and of multiples of joint coordinates.
//
//     L = sum |p_k+1 - p_k| + sum c_i q_i          tension = k (L - rest) + c L' + pull + what its limits give
//
// Stiffness, damping, limits and actuators act along it. A cable never pushes.
#ifndef POLHODE_TENDON_H
#define POLHODE_TENDON_H

#include "polhode/analysis.h"
#include "polhode/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_tendon_point {
    int body; // index, or PH_WORLD
    ph_vec3 position;
} ph_tendon_point;

typedef struct ph_tendon_joint {
    int joint; // with a coordinate
    double coefficient;
} ph_tendon_joint;

typedef struct ph_tendon_def {
    uint32_t cookie;
    const char *name;
    const ph_tendon_point *path; // copied; two or more, or none
    int path_count;
    const ph_tendon_joint *joints; // copied
    int joint_count;
    double stiffness, damping; // N/m, N s/m
    bool has_length;           // at rest; else as long as at the start
    double length;
    bool cable; // it pulls and does not push
    // Beyond its limits a spring and damper of their own act.
    bool has_limit_low, has_limit_high;
    double limit_low, limit_high, limit_stiffness, limit_damping;
    ph_value tension;     // that a winch gives, N: a number or an expression
    uint64_t reserved[4]; // room for later versions
} ph_tendon_def;

PH_API ph_tendon_def ph_default_tendon(void);
PH_API int ph_spec_add_tendon(ph_spec *spec, const ph_tendon_def *def); // index, or PH_NONE

PH_API int ph_model_tendons(const ph_model *model);
PH_API int ph_model_find_tendon(const ph_model *model, const char *name); // index or PH_NONE
PH_API const char *ph_model_tendon(const ph_model *model, int tendon);    // its name

typedef struct ph_tendon_motion {
    double length, rate, tension;
} ph_tendon_motion;
PH_API ph_tendon_motion ph_observer_tendon(ph_observer *observer, const ph_state *state, int tendon);

// ---- Actuators ------------------------------------------------------------------------------------------------------

// Control within its limits, after its delay, times the gear: a force along a joint coordinate, or the tension of a tendon.
// With `servo` the control is where the coordinate shall be, and gear kp (control - q) - gear kd q' acts.
typedef struct ph_actuator_def {
    uint32_t cookie;
    const char *name;
    int joint;        // with one coordinate, or ...
    int tendon;       // ... this
    ph_value control; // a number, or an expression of t, inputs, q. and qd. of joints and sensor. of sensors
    double gear;
    bool has_limit_low, has_limit_high;
    double limit_low, limit_high; // of the control
    double max;                   // of the force or torque; 0: none
    double delay;                 // s; until it has passed the control is that of the start
    bool servo;
    double kp, kd;
    uint64_t reserved[4]; // room for later versions
} ph_actuator_def;

PH_API ph_actuator_def ph_default_actuator(void);
PH_API int ph_spec_add_actuator(ph_spec *spec, const ph_actuator_def *def); // index, or PH_NONE

PH_API int ph_model_actuators(const ph_model *model);
PH_API int ph_model_find_actuator(const ph_model *model, const char *name); // index or PH_NONE
PH_API const char *ph_model_actuator(const ph_model *model, int actuator);  // its name
// What it gives in this state: a force, torque or tension.
PH_API double ph_observer_actuator(ph_observer *observer, const ph_state *state, int actuator);

#ifdef __cplusplus
}
#endif
#endif
