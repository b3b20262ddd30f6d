// A robot as MJCF, URDF and SDF describe it: bodies in a tree, joints on bodies, geoms, what closes loops and drives.
//
// Each format has a reader that fills a `robot`; build.c makes the spec of it. What is read, approximated and left out is
// collected by kind with its places (report.c), so that nothing happens silently.
#ifndef PH_IO_ROBOT_ROBOT_H
#define PH_IO_ROBOT_ROBOT_H

#include "io/robot/xml.h"
#include "model/names.h"
#include "model/spec.h"
#include "polhode/io.h"

typedef struct pose {
    ph_vec3 p;
    ph_quat q;
} pose;

enum { ROBOT_WORLD = 0, ROBOT_NONE = -1 }; // body 0 is the world

// ---- Bodies and what they carry -------------------------------------------------------------------------------------

typedef struct robot_body {
    const char *name;       // as written; NULL: none
    const char *carried_by; // URDF: the joint that leads to it, also a fixed one
    const xml_node *node;
    int parent;
    pose local, world; // in the parent; in the world as the model is drawn
    bool has_mass;     // given or computed; zero else
    double mass;
    ph_vec3 com;     // in the body frame
    ph_mat3 inertia; // about the centre of mass, in axes of the body
    bool has_axes;   // of its inertia, as given
    ph_quat axes;
    bool own_fluid;  // has geoms with a drag of their own
    bool from_geoms; // mass and inertia may come from geoms
    bool mocap;
    bool any_inertia; // that no body has
    double gravcomp;
    int joint_count; // the first of them nearest the parent
    int first_joint;
    // Of the build:
    double own_mass; // before others became part of it
    ph_vec3 own_com;
    ph_mat3 own_inertia;
    bool massless; // no body of the spec: its joints are part of one that goes on
    int carrier;   // body that it moves with, itself when it has joints; the world when it cannot move
    int index;     // in the spec; PH_NONE: none
} robot_body;

typedef enum joint_kind { JOINT_HINGE, JOINT_SLIDE, JOINT_BALL, JOINT_FREE, JOINT_SCREW } joint_kind;

typedef struct robot_joint {
    const char *name;
    const xml_node *node;
    joint_kind kind;
    int body;
    ph_vec3 axis, anchor; // in the frame of the body
    double ref;           // coordinate as the model is drawn
    bool has_low, has_high;
    double low, high;
    double damping, stiffness, rest, armature, friction, pitch;
    double further_stiffness[2], further_damping[2]; // of x^2 and x^3, of v|v| and v^3
    double spring_time, spring_ratio;                // MJCF: springdamper, in place of stiffness and damping
    bool has_force_range;
    double force_low, force_high;
    bool drives_weight; // MJCF: actuatorgravcomp
    bool has_home;      // a keyframe that was asked for says where it starts
    double home;
    ph_quat home_turn;
    // Where it is (kinematics.c): its coordinate, the rotation of a ball; axis, point and axes before its motion, in the world
    double q;
    ph_quat turn, world_frame;
    ph_vec3 world_axis, world_anchor;
    // Of the build:
    int index, coordinate; // joint of the spec and which of its coordinates; PH_NONE: none, or a free body
    const char *spec_name; // q.<spec_name>
} robot_joint;

typedef enum geom_kind {
    GEOM_PLANE,
    GEOM_SPHERE,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_BOX,
    GEOM_ELLIPSOID,
    GEOM_MESH,
    GEOM_FIELD
} geom_kind;

typedef struct robot_mesh robot_mesh; // mesh.h

typedef struct robot_geom {
    const char *name;
    const xml_node *node;
    geom_kind kind;
    int body;
    pose local;
    ph_vec3 size; // half lengths; radius, half length; radii
    robot_mesh *mesh;
    const double *heights; // GEOM_FIELD: rows by columns, size holds half extents and height, base below
    int rows, columns;
    bool has_weight; // takes part in the mass of its body
    double mass, density;
    bool has_mass, shell;
    int contact_type, contact_with, condim, priority; // bit masks; 0, 0: for the eye
    int group;                                        // other than 0: does not collide with its like
    double friction[3];                               // sliding, spinning, rolling
    char color[8];
} robot_geom;

typedef struct robot_site {
    const char *name;
    const xml_node *node;
    int body;
    pose local;
} robot_site;

// ---- What joins and drives ------------------------------------------------------------------------------------------

typedef enum loop_kind {
    LOOP_CONNECT,
    LOOP_WELD,
    LOOP_COUPLING,
    LOOP_REVOLUTE,
    LOOP_PRISMATIC,
    LOOP_UNIVERSAL
} loop_kind;

typedef struct robot_loop {
    const char *name;
    const xml_node *node;
    loop_kind kind;
    int body[2];
    pose frame[2]; // in the bodies; they coincide when it is closed
    ph_vec3 axis;  // in frame[0]
    int joint[2];  // LOOP_COUPLING: y, x (ROBOT_NONE: held)
    double polynomial[5];
    bool drawn; // as the bodies are drawn, so that frames need not be measured
} robot_loop;

typedef struct robot_term {
    int joint;
    double factor;
} robot_term;

typedef struct robot_point {
    int body;
    ph_vec3 p;
} robot_point;

typedef struct robot_tendon {
    const char *name;
    const xml_node *node;
    robot_term *terms;
    robot_point *points;
    int term_count, point_count;
    double stiffness, damping, friction, armature, rest_low, rest_high;
    bool has_rest, has_low, has_high;
    double low, high;
    int index; // in the spec; PH_NONE: none
} robot_tendon;

typedef enum robot_activation { ACTIVATION_NONE, ACTIVATION_FILTER, ACTIVATION_INTEGRATOR } robot_activation;

typedef struct robot_actuator {
    const char *name;
    const xml_node *node;
    int joint, tendon, site;
    double gear[6];
    double gain[3], bias[3];
    bool has_ctrl_range, has_force_range, has_act_range;
    double ctrl_low, ctrl_high, force_low, force_high, act_low, act_high;
    robot_activation activation;
    double tau;
    double damp_ratio;           // in place of bias[2]
    double armature, damping[3]; // of what it turns with its target
    int control;                 // place in the controls of the file
    const char *input;
    int input_index; // in the spec
} robot_actuator;

typedef struct robot_sensor {
    const char *name, *type;
    const xml_node *node;
    int body, joint, tendon, actuator;
    pose local;
} robot_sensor;

typedef struct robot_key {
    const char *name;
    const xml_node *node;
    double time;
    double *qpos, *qvel, *ctrl; // NULL: not given
} robot_key;

typedef struct robot_pair {
    const xml_node *node;
    int body[2];
    bool collide;
    double friction, spinning, rolling;
} robot_pair;

// ---- The robot and how it is read -----------------------------------------------------------------------------------

typedef struct robot_options {
    bool strict, keep_fixed, verbose;
    bool no_contact, no_actuators, no_friction, no_equality, no_limits, no_passive;
    const char *base;    // "free" "fixed" NULL
    const char *loops;   // loop file, or NULL
    const char *folder;  // further folder that files may lie in, or NULL
    const char *start;   // keyframe
    const char *gravity; // three numbers in place of the file's
    const ph_setting *settings;
    int setting_count;
} robot_options;

typedef struct report_item report_item;

// Kinds of elements that are found by name (find.c).
typedef enum robot_kind {
    KIND_BODY,
    KIND_JOINT,
    KIND_SITE,
    KIND_GEOM,
    KIND_TENDON,
    KIND_ACTUATOR,
    KIND_COUNT
} robot_kind;

// Names of a kind, entered when the next is looked for.
typedef struct robot_names {
    names table;
    int room, entered;
} robot_names;

typedef struct robot {
    arena *memory;
    ph_problems *problems;
    robot_options options;
    const char *path;   // of the main file
    const char *folder; // it lies in
    const char *root;   // no file outside of it is read
    const char *name;
    ph_vec3 gravity;
    double step;
    double fluid_density, fluid_viscosity;
    bool contact;          // as the file says
    bool at_key;           // it starts in a keyframe
    const double *control; // of that keyframe; NULL: zero
    bool aligned;          // MJCF: frames of free bodies were moved to their centres of mass
    bool says_no_pairs;    // URDF: who collides cannot be said
    bool project;          // the start is to be moved onto its joints

    robot_body *bodies;
    int bodies_count, bodies_room;
    robot_joint *joints;
    int joints_count, joints_room;
    robot_geom *geoms;
    int geoms_count, geoms_room;
    robot_site *sites;
    int sites_count, sites_room;
    robot_loop *loops;
    int loops_count, loops_room;
    robot_tendon *tendons;
    int tendons_count, tendons_room;
    robot_actuator *actuators;
    int actuators_count, actuators_room;
    int controls; // of all actuators of the file, also of those that are left out
    robot_sensor *sensors;
    int sensors_count, sensors_room;
    robot_key *keys;
    int keys_count, keys_room;
    robot_pair *pairs;
    int pairs_count, pairs_room;
    const char **suffixes; // MJCF: of names, from replicate
    int suffixes_count, suffixes_room;
    bool suffixes_sorted;
    robot_names names[KIND_COUNT];
    const char *suffix; // of names that are looked for first; NULL: none
    const char *prefix; // MJCF: of all names, in an attached model; NULL: none

    report_item *items;
    int items_count, items_room;
    int errors, files, left_out, approximated;
    bool lenient; // failures are kept in last_failure and do not count
    char last_failure[256];
    bool out_of_memory;
} robot;

// Index of a new element of r->list, zeroed; ROBOT_NONE when out of memory, which r then says.
#define ROBOT_ADD(r, list)                                                                                             \
    robot_added((r), mem_reserve(NULL, &(r)->list, &(r)->list##_room, (r)->list##_count + 1, sizeof *(r)->list),       \
                &(r)->list##_count)
int robot_added(robot *r, bool grown, int *count);

void *robot_alloc(robot *r, size_t count, size_t size); // in r->memory; NULL: out of memory, which r then says
const char *robot_printf(robot *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Readers: fill r from the root element.
void mjcf_read(robot *r, xml_node *root);
void urdf_read(robot *r, xml_node *root);
void sdf_read(robot *r, xml_node *root);
void loop_file_read(robot *r, const char *path); // closes loops of a URDF (urdf_loops_yaml.c)

ph_spec *robot_build(robot *r); // NULL after errors
void robot_free(robot *r);      // lists, not r itself

// ---- report.c -------------------------------------------------------------------------------------------------------

// Each says something at an attribute of an element (NULL: the element itself). `kind` gathers what is alike.
bool robot_fail(robot *r, const xml_node *node, const char *attribute, const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void robot_leave_out(robot *r, const xml_node *node, const char *attribute, const char *kind); // the motion differs
void robot_approximate(robot *r, const xml_node *node, const char *attribute, const char *kind);
void robot_note(robot *r, const xml_node *node, const char *kind); // same motion
void robot_report(robot *r);                                       // to r->problems, alike ones in one line

// ---- values.c: attributes as values ---------------------------------------------------------------------------------

// Numbers of a text parted by blanks; at most `most`. Returns how many there are, -1 after a mistake, which is reported.
int robot_numbers(robot *r, const xml_node *node, const char *attribute, const char *text, double *to, int most);
double robot_number(robot *r, const xml_node *node, const char *attribute, double otherwise);
bool robot_vector(robot *r, const xml_node *node, const char *attribute, ph_vec3 *to); // false: not given
pose robot_rpy(robot *r, const xml_node *node, const char *text, const char *attribute, bool degrees); // x y z r p y
ph_quat quat_rpy(double roll, double pitch, double yaw);
ph_quat quat_turn(ph_vec3 axis, double angle);

static inline bool robot_words_equal(const char *a, const char *b)
{
    return a && b && __builtin_strcmp(a, b) == 0;
}

pose pose_identity(void);
pose pose_mul(pose a, pose b);
pose pose_inverse(pose a);
ph_vec3 pose_apply(pose a, ph_vec3 p);

// ---- files.c --------------------------------------------------------------------------------------------------------

// The whole of a file below r->root. NULL after a mistake that is reported at `node`, or when it is not there and `quiet`.
char *robot_load(robot *r, const xml_node *node, const char *path, size_t *length, bool quiet);
xml_node *robot_parse(robot *r, const xml_node *node, const char *path);
const char *robot_join(robot *r, const char *folder, const char *path); // path alone when it is absolute
const char *robot_folder(robot *r, const char *path);
bool robot_exists(const char *path);
const char *robot_find_package(robot *r, const char *from, const char *uri); // package://NAME/rest, model://NAME/rest

#endif
