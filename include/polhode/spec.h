// Polhode: ph_spec, the editable description of a model.
//
// Built by the calls below or by a reader (io.h). Definitions are plain structs that must start from their
// ph_default_...(): a cookie catches those that do not. Nothing is checked here beyond that; ph_model_compile checks
// everything at once and reports every mistake with its place.
#ifndef POLHODE_SPEC_H
#define POLHODE_SPEC_H

#include "polhode/base.h"
#include "polhode/math.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_spec ph_spec;

enum { PH_WORLD = -1, PH_NONE = -2 }; // in place of an index: the world; nothing given, or a call that failed

// A number that may change in time: `expression` (of t, inputs, q.<joint>, qd.<joint>) when it is not NULL, else `number`.
typedef struct ph_value {
    double number;
    const char *expression;
} ph_value;

// ---- Bodies ---------------------------------------------------------------------------------------------------------

typedef enum ph_reference { PH_REFERENCE_COM, PH_REFERENCE_ORIGIN, PH_REFERENCE_POINT } ph_reference;

typedef struct ph_body_def {
    uint32_t cookie;
    const char *name;
    bool fixed;       // part of the world; needs no mass
    bool any_inertia; // a principal moment may exceed the sum of the others, which no body has: robots in files do
    double mass;      // 0: from the density of the shapes
    ph_mat3 inertia;  // about the centre of mass, body axes
    ph_vec3 com;      // centre of mass in the body frame
    ph_reference reference; // body point that schemes with a choice use
    ph_vec3 reference_point;
    ph_vec3 position; // origin of the body frame, world
    ph_quat orientation;
    ph_vec3 velocity;         // of the centre of mass, world
    ph_vec3 angular_velocity; // body frame
    double volume;            // for mean stress; 0: from the shapes
    uint64_t reserved[4];     // room for later versions
} ph_body_def;

PH_API ph_body_def ph_default_body(void);

// ---- Shapes ---------------------------------------------------------------------------------------------------------

typedef struct ph_shape_def {
    uint32_t cookie;
    const char *type;   // "sphere" "box" "capsule" "cylinder" "ellipsoid" "plane" "hull" "mesh" "heightfield"
    ph_vec3 size;       // box: full lengths; ellipsoid: radii; plane: normal; heightfield: extents, height of 1
    double radius;      // sphere, capsule, cylinder
    double length;      // capsule (without caps), cylinder
    ph_vec3 axis;       // long axis in the shape frame, z by default
    const char *file;   // hull, mesh, heightfield; relative to the model's folder, or to the working directory
    const double *data; // in place of a file: hull: points (3 each); mesh: triangles (9 each, counter-clockwise seen
                        // from outside); heightfield: rows of values, rows along y, times size.z; copied
    int data_rows, data_columns;
    bool smooth;      // heightfield: spheres meet its cubic interpolation in place of triangles
    ph_vec3 position; // in the body frame
    ph_quat orientation;
    double density; // 0: none
    double friction, restitution, rolling_friction, spinning_friction, compliance;
    int group;
    bool collide;
    const char *color;    // "#rrggbb"; NULL: chosen by the viewer
    uint64_t reserved[4]; // room for later versions
} ph_shape_def;

PH_API ph_shape_def ph_default_shape(void);

// ---- Joints ---------------------------------------------------------------------------------------------------------

enum { PH_JOINT_COORDINATES = 6 }; // that a joint has at the most

typedef enum ph_drive { PH_MOTOR_NONE, PH_MOTOR_TORQUE, PH_MOTOR_SPEED, PH_MOTOR_POSITION, PH_MOTOR_SERVO } ph_drive;

// What a rolling body rolls on.
typedef enum ph_surface { PH_SURFACE_PLANE, PH_SURFACE_SPHERE, PH_SURFACE_CYLINDER } ph_surface;

// generic_velocity: one row, of[0] vx + of[1] vy + of[2] vz + of[3] wx + of[4] wy + of[5] wz = equals, of the velocity of b
// relative to a at the anchor of b and of its angular velocity, along the axes of the joint frame of a, or of b.
enum { PH_VELOCITY_ROWS = 6 };
typedef struct ph_velocity_row {
    ph_value of[6], equals;
} ph_velocity_row;

// One motion of a chain, in the frame of body b as it is where all coordinates of the chain are zero.
typedef struct ph_chain_motion {
    bool slides; // else it turns
    ph_vec3 axis;
    ph_vec3 point; // of a turn: on its axis
    double start;  // its coordinate in the positions given for the bodies
    double zero;   // its coordinate where axis and point are as given
} ph_chain_motion;

typedef struct ph_joint_def {
    uint32_t cookie;
    const char *name;
    const char *type;   // a name of `polhode joints`
    int body_a, body_b; // indices of ph_spec_add_body, or PH_WORLD
    bool has_anchor;    // anchor: world point at the start, for both bodies
    ph_vec3 anchor;
    bool has_anchor_a, has_anchor_b; // in the body frames
    ph_vec3 anchor_a, anchor_b;
    bool has_axis; // axis (or normal): world direction at the start, for both bodies
    ph_vec3 axis;
    bool has_axis_a, has_axis_b; // in the body frames
    ph_vec3 axis_a, axis_b;
    bool has_axis2; // universal: the axis fixed in b, world direction at the start
    ph_vec3 axis2;
    double pitch;      // screw, m/rad
    double length;     // distance; 0: as at the start
    bool lock[6];      // generic: x y z rx ry rz
    int gear_joint[2]; // gear: indices of ph_spec_add_joint
    double ratio;      // gear
    bool has_start;    // joint coordinate of the positions given for the bodies; 0 else
    double start;
    // Where the model starts: values of coordinates and rates, of joints with several one for each. What is given is held,
    // bodies and all other joints follow.
    bool has_coordinate[PH_JOINT_COORDINATES], has_rate[PH_JOINT_COORDINATES];
    double coordinate[PH_JOINT_COORDINATES], rate[PH_JOINT_COORDINATES];
    bool has_limit_low, has_limit_high;
    double limit_low, limit_high;
    double damping, stiffness, rest;
    double friction, friction_speed; // limit force or torque; regularisation speed of smooth schemes
    double armature; // inertia of what turns with the coordinate, as the rotor of a motor: kinetic energy 1/2 a q'^2
    ph_drive motor;
    ph_value motor_value;
    double motor_kp, motor_kd; // PH_MOTOR_SERVO
    double motor_max;          // largest force or torque of PH_MOTOR_TORQUE and PH_MOTOR_SERVO; 0: no limit
    // Rolling: body b rolls on the surface of a. anchor_b: its centre; anchor_a: a point of the plane, the centre of the
    // sphere, a point on the axis of the cylinder; axis (or normal): that of the plane or cylinder.
    double radius;      // of the ball or disc
    double rim;         // disc: radius of its rounded rim; 0: thin
    ph_vec3 semi_axes;  // no_slip: of an ellipsoid in place of the ball, body axes of b
    ph_surface surface; // of a
    double surface_radius;
    bool inside;       // of the sphere or cylinder
    ph_value slide[3]; // velocity of the surface in a, axes of the joint frame of a: a conveyor
    ph_value spin;     // and its angular velocity about the axis: a turntable
    bool frame_b;      // generic_velocity: the rows are along the axes of b, not of a
    int velocity_count;
    ph_velocity_row velocities[PH_VELOCITY_ROWS];
    int motion_count; // chain: from a to b
    ph_chain_motion motions[PH_JOINT_COORDINATES];
    int of_joint;         // coordinate: index of ph_spec_add_joint
    int of_coordinate;    // which of its coordinates, from 0
    uint64_t reserved[4]; // room for later versions
} ph_joint_def;

PH_API ph_joint_def ph_default_joint(void);

// ---- Forces ---------------------------------------------------------------------------------------------------------

typedef struct ph_force_def {
    uint32_t cookie;
    const char *name;         // optional
    const char *type;         // "spring" "torsion" "bushing" "wrench", or another of the manual's list
    int body_a, body_b;       // wrench: body_b
    ph_vec3 point_a, point_b; // in the body frames
    bool at_com;              // wrench: the force acts at the centre of mass in place of point_b
    int joint;                // torsion
    double stiffness, damping;
    bool has_length; // spring: free length; torsion: rest angle
    double length;
    double stiffness6[6][6], damping6[6][6]; // bushing: rotation | translation
    ph_vec3 anchor;                          // bushing: world point and orientation at the start
    ph_quat orientation;
    ph_value force[3], torque[3]; // wrench
    bool body_frame;              // wrench: force and torque given in the body frame
    double number[8];             // of keys without a member of their own: ph_force_set
    uint64_t reserved[4];         // room for later versions
} ph_force_def;

PH_API ph_force_def ph_default_force(void);

// Sets the number that stands under a key of the model file, for a definition whose type is set. PH_NOT_FOUND: the type has no
// such number.
PH_API ph_status ph_force_set(ph_force_def *def, const char *key, double number);

// ---- Settings: contact, recording, run ------------------------------------------------------------------------------

typedef enum ph_contact_law { PH_LAW_COULOMB, PH_LAW_RELAXED } ph_contact_law;

// What acts between two bodies in place of what their shapes say.
typedef struct ph_contact_pair {
    int body_a, body_b; // indices of ph_spec_add_body, or PH_WORLD
    bool collide;
    double friction, restitution, rolling_friction, spinning_friction, compliance; // negative: as the shapes say
    uint64_t reserved[4];                                                          // room for later versions
} ph_contact_pair;

PH_API ph_contact_pair ph_default_pair(void);

typedef struct ph_contact_settings {
    uint32_t cookie;
    // "auto": many free bodies by a solver of their own ("heap"), all others by "apgd"; or a name of ph_cone_solver_get, which
    // is then used whatever the model
    const char *solver;
    ph_contact_law law;
    double
        tolerance;  // of the cone problem, m/s; 0: 1e-8, and 1e-4 or 1e-3 where more than 20 or 300 free bodies collide
    int iterations; // of the solver in one step, at the most
    double recovery_speed; // m/s, at which overlap is undone
    double margin;         // m; shapes nearer than this are watched; 0: chosen by the scheme
    int missed;            // problems that may miss the tolerance before a run stops; negative: any number
    double sleep;          // m/s; bodies that are slower for half a second sleep until something happens; 0: never
    const ph_contact_pair *pairs; // copied
    int pair_count;
    const char *device;   // that makes the steps of `moreau`: "gpu", or NULL for the processor
    uint64_t reserved[3]; // room for later versions
} ph_contact_settings;

PH_API ph_contact_settings ph_default_contact(void);

// What is recorded beyond the default.
typedef struct ph_record_settings {
    bool contacts;
    bool stress_all;   // mean stress of every body, or ...
    const int *stress; // ... of these; copied
    int stress_count;
    uint64_t reserved[4]; // room for later versions
} ph_record_settings;

typedef struct ph_run_settings {
    const char *scheme;  // default "rattlie"
    double step, until;  // 0: not given
    const char *options; // "rho=0.8,..." or NULL
    // The run stops where this expression of t, inputs, q.<joint> and qd.<joint> crosses zero (event.h); NULL: nowhere
    const char *stop_when;
    uint64_t reserved[4]; // room for later versions
} ph_run_settings;

// ---- The spec -------------------------------------------------------------------------------------------------------

PH_API ph_spec *ph_spec_create(const ph_allocator *allocator); // NULL when out of memory
PH_API void ph_spec_destroy(ph_spec *spec);

// Each returns the index of the new element, or PH_NONE (out of memory, or a definition without its cookie).
PH_API int ph_spec_add_body(ph_spec *spec, const ph_body_def *def);
PH_API int ph_spec_add_shape(ph_spec *spec, int body, const ph_shape_def *def);
PH_API int ph_spec_add_joint(ph_spec *spec, const ph_joint_def *def);
PH_API int ph_spec_add_force(ph_spec *spec, const ph_force_def *def);
PH_API int ph_spec_add_input(ph_spec *spec, const char *name, double value);

PH_API ph_status ph_spec_set_name(ph_spec *spec, const char *name);
PH_API void ph_spec_set_gravity(ph_spec *spec, ph_vec3 gravity);
PH_API void ph_spec_set_project(ph_spec *spec, bool project);                             // initial: project
PH_API ph_status ph_spec_set_contact(ph_spec *spec, const ph_contact_settings *settings); // NULL: bodies do not collide
PH_API ph_status ph_spec_set_record(ph_spec *spec, const ph_record_settings *settings);
PH_API ph_status ph_spec_set_run(ph_spec *spec, const ph_run_settings *settings);
// The text the model came from, stored with results.
PH_API ph_status ph_spec_set_text(ph_spec *spec, const char *text);

#ifdef __cplusplus
}
#endif
#endif
