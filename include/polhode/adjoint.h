// Polhode: exact gradients of what a run computes. A run is made forwards and remembered; then one sweep backwards gives the
// derivative of a function of its states by where it started, by the inputs of every step and by all numbers of the model.
//
//     ph_adjoint_create(model, &def, &adjoint, &error);
//     ph_adjoint_forward(adjoint, state, 1e-3, 1000, NULL, NULL, NULL, &report);
//     ph_adjoint_reverse(adjoint, add_final_cost, &cost, &error);     // adds dJ/d(state) at the nodes it depends on
//     ph_adjoint_start(adjoint)[body].velocity ...
//
// It is the derivative of the discrete map, to round-off. For the schemes rattlie, lgvi, matrix-rattle, rattlie4, rattlie6,
// rattlie8, quat-fem where bodies are seen from their centres of mass and no springs act between points, moreau with its
// option exact=1, which is set here, and rattlie-ns: contacts, bounces, limits and dry friction.
#ifndef POLHODE_ADJOINT_H
#define POLHODE_ADJOINT_H

#include "polhode/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_adjoint ph_adjoint;

typedef struct ph_adjoint_def {
    uint32_t cookie;
    ph_sim_def sim;
    size_t
        memory; // bytes for what is remembered. Longer runs are made again from states in between: same bits, more work
    uint64_t reserved[4]; // room for later versions
} ph_adjoint_def;

PH_API ph_adjoint_def ph_default_adjoint(void); // 256 MiB

// PH_NOT_SUPPORTED, and why: the scheme, or what the model has, cannot be gone through backwards.
PH_API ph_status ph_adjoint_create(const ph_model *model, const ph_adjoint_def *def, ph_adjoint **adjoint,
                                   ph_error *error);
PH_API void ph_adjoint_destroy(ph_adjoint *adjoint);

// ---- Forwards -------------------------------------------------------------------------------------------------------

// Is shown every state, node 0 to node `steps`. false: stop there.
typedef bool (*ph_adjoint_visit)(long long node, const ph_state *state, void *user);

// Do its runs have tangents (ph_adjoint_tangents)? Those with contact go backwards only.
PH_API bool ph_adjoint_has_tangents(const ph_adjoint *adjoint);

// `steps` steps of length h. `inputs`: steps x ph_model_inputs values, one row for each step, or NULL: as the state has them.
// `visit` and `report` may be NULL.
PH_API ph_status ph_adjoint_forward(ph_adjoint *adjoint, ph_state *state, double h, long long steps,
                                    const double *inputs, ph_adjoint_visit visit, void *user, ph_step_report *report);

// ---- Backwards ------------------------------------------------------------------------------------------------------

// A gradient by the state of one body.
typedef struct ph_cotangent {
    ph_vec3 rotation;         // by a small rotation, body axes
    ph_vec3 position;         // of the centre of mass, world axes
    ph_vec3 angular_velocity; // body axes
    ph_vec3 velocity;         // world axes
} ph_cotangent;

// Asked at every node from the last to the first: adds the derivative of the function by that state to `bodies` (one for each
// body; rotations: ph_cotangent_add_quaternion) and by the inputs of the step that begins there to `inputs` (NULL at the
// last node).
typedef void (*ph_adjoint_source)(long long node, const ph_state *state, ph_cotangent *bodies, double *inputs,
                                  void *user);

// Any number of times after one ph_adjoint_forward.
PH_API ph_status ph_adjoint_reverse(ph_adjoint *adjoint, ph_adjoint_source source, void *user, ph_error *error);

// From the gradient by the four numbers of a quaternion, and back: tangent to the unit sphere.
PH_API void ph_cotangent_add_quaternion(ph_cotangent *to, ph_quat orientation, ph_quat gradient);
PH_API ph_quat ph_cotangent_quaternion(const ph_cotangent *of, ph_quat orientation);

// ---- What was found -------------------------------------------------------------------------------------------------

// By the state at the start, one for each body: the gradient that is zero along what the joints do not allow, in the metric
// of the masses. It is that of a start that ph_state_project has moved onto the joints.
PH_API const ph_cotangent *ph_adjoint_start(const ph_adjoint *adjoint);
// By the inputs: steps x ph_model_inputs values.
PH_API const double *ph_adjoint_inputs(const ph_adjoint *adjoint);

// By numbers of the compiled model, all else being fixed: positions of joints are seen from the centres of mass. Parameters
// of a model file change many of these at once: ph_parameters.
PH_API ph_vec3 ph_adjoint_gravity(const ph_adjoint *adjoint);
PH_API double ph_adjoint_mass(const ph_adjoint *adjoint, int body);
PH_API ph_mat3 ph_adjoint_inertia(const ph_adjoint *adjoint,
                                  int body); // about the centre of mass, body axes; symmetric

typedef struct ph_joint_gradient {
    ph_vec3 origin_a, origin_b; // of its frames, from the centres of mass, body axes
    ph_vec3 turn_a, turn_b;     // a small rotation of their axes, body axes
    double length, pitch, ratio;
    double stiffness, damping, rest, friction, friction_speed, kp, kd, max;
} ph_joint_gradient;
PH_API ph_joint_gradient ph_adjoint_joint(const ph_adjoint *adjoint, int joint);

typedef struct ph_force_gradient {
    ph_vec3 point_a, point_b; // from the centres of mass, body axes
    double stiffness, damping, length;
} ph_force_gradient;
PH_API ph_force_gradient ph_adjoint_force(const ph_adjoint *adjoint, int force);

// What was met on the way.
typedef struct ph_adjoint_report {
    double first, largest; // size of the gradient by the state at the last node where it was not zero, and the largest
    long long largest_node;
    long long repeated;  // steps that were made again
    int snapshots;       // states that were kept
    bool differences;    // a callback does not tell its derivative: central differences, about 1e-10
    const char *unknown; // a force whose numbers have no known derivative; NULL: none
    // Of runs with contact: impacts whose moment the step does not resolve, under moreau those of bodies with joints and where bounces stick
    // on what is not level, and all without restitution (the gradient is that of the discrete motion and may be wrong for the motion it stands for); contacts at a kink; steps of which a search within the step
    // counts as given; contacts whose points would change nearby. docs/adjoint.md
    long long impacts, kinks, fixed, held;
    uint64_t reserved[4]; // room for later versions
} ph_adjoint_report;
PH_API ph_adjoint_report ph_adjoint_get_report(const ph_adjoint *adjoint);

// ---- Parameters -----------------------------------------------------------------------------------------------------

// The model at another value of one parameter, for the call alone; it is destroyed by the caller. NULL and an error where
// there is none: the parameter cannot change alone, for instance because a closed loop would open.
typedef ph_model *(*ph_parameter_model)(int parameter, double value, void *user, ph_error *error);

// How the numbers of the compiled model, its start included, change with parameters: differences of compiled models of a
// converged order, 1e-13 relative where they are smooth.
typedef struct ph_parameter {
    const char *name;
    double value;
    bool
        number; // a number of the compiled model by this name, all else being fixed (ph_model_number): no model is made
} ph_parameter;

typedef struct ph_parameters ph_parameters;
PH_API ph_status ph_parameters_create(const ph_model *model, int count, const ph_parameter *list,
                                      ph_parameter_model make, void *user, ph_parameters **parameters, ph_error *error);
PH_API void ph_parameters_destroy(ph_parameters *parameters);
// Why there is no derivative by a parameter; NULL: there is one.
PH_API const char *ph_parameters_problem(const ph_parameters *parameters, int parameter);
// What the derivatives are uncertain by, relative to the largest of their kind.
PH_API double ph_parameters_error(const ph_parameters *parameters, int parameter);
// The motion does not depend on it at all.
PH_API bool ph_parameters_idle(const ph_parameters *parameters, int parameter);

// The value of a number of the compiled model: gravity.z, rod1.mass, rod1.com.x, rod1.inertia.xy, rod1.log_cholesky.d1 (alpha,
// d1, d2, d3, s12, s23, s13, t1, t2, t3: docs/fit.md), joints.A.damping (stiffness, rest, friction, kp, kd, length, pitch,
// ratio, limit_low, limit_high), forces.shock.stiffness (damping, length), forces.sun.strength, forces.air.quadratic.x and other
// keys of a type, tendons.T.stiffness (damping, length, limit_low, limit_high, limit_stiffness, limit_damping), actuators.A.kp (kd,
// max; with the gear, as they act), or the name of an input. false: there is none.
PH_API bool ph_model_number(const ph_model *model, const char *name, double *value);

// The gradient of the last sweep by all of them; NAN where there is none.
PH_API void ph_adjoint_parameters(const ph_adjoint *adjoint, const ph_parameters *parameters, double *gradient);

// ---- Quantities by name ---------------------------------------------------------------------------------------------

// BODY.{position,velocity,angular_velocity}.{x,y,z}, BODY.orientation.{w,x,y,z}, BODY.{axis_x,axis_y,axis_z}.{x,y,z},
// BODY.speed, BODY.angular_speed, sites.SITE.position.{x,y,z}, joints.JOINT.{coordinate,rate} with .1, .2 ... where there are several; `angle` and
// `slide` are other words for `coordinate`.
typedef struct ph_observables ph_observables;
PH_API ph_status ph_observables_create(const ph_model *model, int count, const char *const *names,
                                       ph_observables **observables, ph_error *error);
PH_API void ph_observables_destroy(ph_observables *observables);
PH_API void ph_observables_values(ph_observables *observables, const ph_state *state, double *values);

// ph_adjoint_reverse of the sum over all nodes of weighted quantities; `weights` are zero on entry. Numbers of the model on
// which a quantity itself depends, as the frames of joints, are seen.
typedef void (*ph_adjoint_weights)(long long node, const ph_state *state, double *weights, void *user);
PH_API ph_status ph_adjoint_reverse_of(ph_adjoint *adjoint, ph_observables *observables, ph_adjoint_weights weights,
                                       void *user, ph_error *error);

// The other way: follows a run, and shows at node 0, at every `every`-th node and at the last one the quantities and their
// derivatives by all parameters (quantities x parameters). false: stop.
typedef bool (*ph_tangent_visit)(long long node, const ph_state *state, const double *values, const double *jacobian,
                                 void *user);
PH_API ph_status ph_adjoint_tangents(ph_adjoint *adjoint, ph_state *state, double h, long long steps,
                                     const double *inputs, const ph_parameters *parameters, ph_observables *observables,
                                     long long every, ph_tangent_visit visit, void *user, ph_step_report *report);

#ifdef __cplusplus
}
#endif
#endif
