// Reading MJCF: what its parts share.
#ifndef PH_IO_ROBOT_MJCF_H
#define PH_IO_ROBOT_MJCF_H

#include "io/robot/mesh.h"
#include "io/robot/robot.h"

enum { CLASS_NODES_MAX = 16 };

typedef struct mjcf_class mjcf_class;
struct mjcf_class {
    const char *name;
    const mjcf_class *parent;               // NULL: the main class
    const xml_node *nodes[CLASS_NODES_MAX]; // <default> elements of this class, the last counts first
    int node_count;
    mjcf_class *next;
};

typedef enum from_geoms { FROM_GEOMS_NEVER, FROM_GEOMS_ALWAYS, FROM_GEOMS_AUTO } from_geoms;

typedef struct mjcf_asset mjcf_asset;
struct mjcf_asset {
    const char *kind, *name; // "mesh" "hfield" "material" "model"
    const xml_node *node;
    robot_mesh *mesh; // when it has been read
    xml_node *root;   // likewise, of a model
    mjcf_asset *next;
};

typedef struct mjcf mjcf;
struct mjcf {
    robot *r;
    xml_node *root;
    const char *folder; // of the main file
    bool radian, autolimits, balance, strip_path, align_free;
    char euler[4];
    from_geoms from_geoms;
    int group_low, group_high;
    double bound_mass, bound_inertia, total_mass;
    const char *mesh_folder;
    mjcf_class *classes; // the main one first
    mjcf_asset *assets;
    bool disabled_gravity, disabled_contact, disabled_equality, disabled_limit, disabled_actuation;
    bool disabled_spring, disabled_damper, disabled_friction, fluid;
    // Models that this one attaches, and of such a model: before its names, how deep, whether only a part of it is attached.
    mjcf *attached, *next;
    const xml_node *from; // the element that attaches it
    const char *prefix;
    int depth;
    bool is_part;
};

// Where a walk over bodies is.
typedef struct mjcf_place {
    int body;
    pose frame; // of what comes next, in the body
    const mjcf_class *class;
    const char *suffix; // of names, from replicate
} mjcf_place;

typedef struct mjcf_attachment {
    mjcf *model;
    const xml_node *node; // a body or a frame of it; NULL: all
    const mjcf_class *class;
} mjcf_attachment;

// ---- mjcf_defaults.c: values with default classes ---------------------------------------------------------------------

void mjcf_read_classes(mjcf *m);
const mjcf_class *mjcf_class_of(mjcf *m, const xml_node *node, const mjcf_class *inherited);
const mjcf_class *mjcf_child_class(mjcf *m, const xml_node *node, const mjcf_class *inherited); // of what stands in it
// The value of an attribute: the element's own, or that of its class for elements of type `type`. `where` (may be NULL) gets
// the element that has it.
const char *mjcf_get(const xml_node *node, const mjcf_class *class, const char *type, const char *attribute,
                     const xml_node **where);

typedef struct mjcf_element { // an element and its defaults
    mjcf *m;
    const xml_node *node;
    const mjcf_class *class;
    const char *type;
} mjcf_element;
const char *element_text(const mjcf_element *e, const char *attribute);
bool element_is(const mjcf_element *e, const char *attribute, const char *value);
double element_number(const mjcf_element *e, const char *attribute, double otherwise);
int element_numbers(const mjcf_element *e, const char *attribute, double *to, int most); // 0: not given
bool element_vector(const mjcf_element *e, const char *attribute, ph_vec3 *to);
// `limited` with `range`: whether the range counts.
bool element_range(const mjcf_element *e, const char *limited, const char *range, double *low, double *high);
pose element_pose(const mjcf_element *e);
ph_quat element_orientation(const mjcf_element *e);
double mjcf_angle(const mjcf *m, double value); // degrees to radians where the file has degrees
ph_quat mjcf_euler(const mjcf *m, const double angles[3]);

// ---- Parts ------------------------------------------------------------------------------------------------------------

void mjcf_set_defaults(mjcf *m, robot *r, xml_node *root, const char *folder); // mjcf.c
void mjcf_read_compilers(mjcf *m);
bool mjcf_expand(robot *r, xml_node *root); // mjcf_expand.c: includes
// mjcf_attach.c: what an <attach> names. False after a mistake, which is reported.
bool mjcf_attach(mjcf *m, const xml_node *node, mjcf_attachment *to);
void mjcf_check(robot *r, const xml_node *root);       // mjcf_schema.c: unknown elements and attributes
void mjcf_check_words(robot *r, const xml_node *node); // mjcf_words.c
void mjcf_check_names(robot *r);
void mjcf_read_assets(mjcf *m); // mjcf_assets.c
mjcf_asset *mjcf_find_asset(mjcf *m, const char *kind, const char *name);
robot_mesh *mjcf_mesh(mjcf *m, const xml_node *user, const char *name);
bool mjcf_field(mjcf *m, const xml_node *user, const char *name, robot_geom *geom);
void mjcf_set_by_masses(mjcf *m);                                   // mjcf_inertial.c: springdamper, dampratio
void mjcf_read_bodies(mjcf *m);                                     // mjcf_bodies.c
void mjcf_read_geom(mjcf *m, const xml_node *node, mjcf_place at);  // mjcf_geoms.c
void mjcf_read_joint(mjcf *m, const xml_node *node, mjcf_place at); // mjcf_joints.c
void mjcf_masses(mjcf *m);                                          // mjcf_masses.c
void mjcf_read_equalities(mjcf *m);                                 // mjcf_equality.c
void mjcf_read_contacts(mjcf *m);
void mjcf_read_tendons(mjcf *m);   // mjcf_tendons.c
void mjcf_move_armatures(mjcf *m); // of tendons, to joints
void mjcf_read_actuators(mjcf *m); // mjcf_actuators.c
void mjcf_read_sensors(mjcf *m);   // mjcf_sensors.c
void mjcf_read_keys(mjcf *m);      // mjcf_keys.c

void mjcf_enter_suffix(robot *r, const char *suffix); // mjcf_replicas.c
// Reads an element outside of bodies: once, or once for each copy of the replicated elements that it names.
void mjcf_read_replicas(mjcf *m, const xml_node *n, void (*read)(mjcf *m, const xml_node *n));
bool robot_knows(robot *r, const char *attribute, const char *name,
                 const char *suffix);                                      // find.c: of that attribute's kind
const char *mjcf_name(robot *r, const xml_node *node, const char *suffix); // NULL: none
// Index of what is named by an attribute; ROBOT_NONE after a mistake, which is reported.
int robot_find_body(robot *r, const xml_node *node, const char *attribute);
int robot_find_joint(robot *r, const xml_node *node, const char *attribute);
int robot_find_site(robot *r, const xml_node *node, const char *attribute);
int robot_find_geom(robot *r, const xml_node *node, const char *attribute);
int robot_find_tendon(robot *r, const xml_node *node, const char *attribute);
int robot_find_actuator(robot *r, const xml_node *node, const char *attribute);

#endif
