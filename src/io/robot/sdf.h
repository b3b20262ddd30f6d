// Reading SDF: frames, and what its parts share.
#ifndef PH_IO_ROBOT_SDF_H
#define PH_IO_ROBOT_SDF_H

#include "io/robot/links.h"
#include "io/robot/robot.h"

typedef enum sdf_kind { SDF_WORLD, SDF_MODEL, SDF_LINK, SDF_JOINT, SDF_FRAME } sdf_kind;

// A world, model, link, joint or frame: everything with a name has a pose.
typedef struct sdf_entity {
    sdf_kind kind;
    const char *name;
    const xml_node *node;
    int scope; // entity that it is named in; -1: none
    bool is_static;
    int group; // of links that do not collide with each other
    int state; // 0: not yet, 1: on the way, 2: its pose is known
    pose world;
    int body; // of links: in the robot; ROBOT_NONE: not yet
    bool in_tree;
} sdf_entity;

typedef struct sdf {
    robot *r;
    xml_node *root;
    sdf_entity *entities;
    int entities_count, entities_room;
    int models; // at the top
} sdf;

// sdf_frames.c
int sdf_add(sdf *s, sdf_kind kind, const xml_node *node, int scope);
int sdf_find(const sdf *s, int scope, const char *name); // "a::b", "__model__", "world"; -1: none
bool sdf_resolve(sdf *s, int entity);                    // its pose in the world
int sdf_link_of(sdf *s, int entity, int depth);          // link that an entity is attached to; 0: the world; -1: none
pose sdf_pose(sdf *s, const xml_node *node);             // of an element <pose>, as written
const char *sdf_text(const xml_node *node, const char *child); // what stands in a child; NULL: no such child
bool sdf_is_true(const xml_node *node, const char *child);
const char *sdf_full_name(sdf *s, int entity);

// sdf_include.c: every <include> becomes the model that it names.
void sdf_expand(robot *r, xml_node *parent, int depth);

// sdf_joints.c
void sdf_read_axis(sdf *s, const xml_node *node, const char *which, int joint, robot_joint *to);
int sdf_joint_kinds(sdf *s, int joint, robot_joint to[2]); // how many hinges and the like it is; -1: none that is read

#endif
