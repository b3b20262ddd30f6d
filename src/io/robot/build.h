// From a robot to a spec: what the parts of the build share.
#ifndef PH_IO_ROBOT_BUILD_H
#define PH_IO_ROBOT_BUILD_H

#include "io/robot/robot.h"
#include "model/names.h"
#include "polhode/sensor.h"
#include "polhode/tendon.h"

typedef struct name_set {
    names table;
    int count;
    int *numbers; // of each name: the last one that was put behind it
} name_set;

typedef struct builder {
    robot *r;
    ph_spec *spec;
    name_set bodies, joints, inputs, sites, keys, tendons, sensors; // that are taken
    const xml_node **body_nodes, **joint_nodes;                     // for places of what the compiler says
    int joint_room;
    int ground; // fixed body with the geoms of the world; PH_NONE: none
} builder;

// A name that nobody has: the one wanted, or one with a number behind it. `word`: such that expressions can say it.
const char *build_name(builder *b, name_set *taken, const char *wanted, bool word, const xml_node *node);

// A number as expressions read it, whatever the locale.
typedef struct number_text {
    char text[40];
} number_text;
number_text build_digits(double x);

// Pose of a body in the body that carries it.
pose build_in_carrier(const robot *r, int body);
// Index in the spec of what carries a body: PH_WORLD when that cannot move.
int build_carrier(const robot *r, int body);

void build_masses(builder *b);    // build_masses.c: fixed bodies become part of what carries them
void build_inertias(builder *b);  // build_inertias.c: those that no body has
void build_armatures(builder *b); // build_armatures.c: of free bodies and balls
void build_weightless(builder *b);
void build_massless(builder *b); // build_massless.c: links without mass
void build_bodies(builder *b);   // build.c
void build_shapes(builder *b);   // build_shapes.c
void build_ground(builder *b);   // the fixed body with the geoms of the world, which may be none
void build_joints(builder *b);   // build_joints.c
void build_loops(builder *b);    // build_loops.c
void build_passive(builder *b);  // build_passive.c: springs and dampers of balls and free bodies
void build_fluid(builder *b);    // build_fluid.c
void build_tendons(builder *b);  // build_tendons.c
void build_sensors(builder *b);  // build_sensors.c
void build_drives(builder *b);   // build_drives.c: actuators
void build_contact(builder *b);  // build_contact.c
void build_apart(builder *b);    // build_apart.c: links of a URDF that overlap as drawn
void build_settings(builder *b); // build_settings.c: --set of inputs and joints
void build_start(builder *b);    // build_keys.c: where a keyframe that is asked for says
void build_keys(builder *b);

// What a body hangs on: index in the spec, links without mass skipped.
int build_base(const robot *r, int body);
// The joints between that and a body in their order, each with the pose of its frame (as drawn) in a frame of which `at` is the
// pose of the body. Returns how many there are, at most `most`.
typedef struct stacked_joint {
    robot_joint *joint;
    pose at;
} stacked_joint;
int build_gather(robot *r, int body, pose at, stacked_joint *to, int most);
// Between a body and a: all those joints as one, in the frame of body_b of def.
void build_stack(builder *b, int body, const stacked_joint *stack, int count, ph_joint_def *def);

int build_add_tendon(builder *b, const robot_tendon *t, const char *name,
                     ph_tendon_def *def);                                          // over its path and joints
ph_contact_pair *build_find_pair(ph_contact_pair *pairs, int count, int a, int c); // of two bodies; NULL: none
int build_add_joint(builder *b, const ph_joint_def *def, const xml_node *node);

#endif
