// Polhode: joint-coordinate dynamics of trees of rigid bodies, for robot arms, legs and hands.
//
// A tree is described where all its joint coordinates are zero ("at home"), in one inertial frame: each link by its mass,
// centre of mass and inertia there, each joint by a point and a direction there. No body frames are needed.
//
//     ph_link_def arm[2] = {ph_default_link(), ph_default_link()};
//     arm[0].parent = PH_WORLD; arm[0].axis = ...; arm[1].parent = 0; ...
//     ph_tree_create(arm, 2, gravity, NULL, &tree, &error);
//     ph_tree_inverse_dynamics(tree, q, u, u_rate, NULL, tau);
//
// Twists and co-screws are those of clifford.h: about the origin of the inertial frame. Choose it near the tree: inertia
// about a far origin costs digits.
#ifndef POLHODE_TREE_H
#define POLHODE_TREE_H

#include "polhode/clifford.h"
#include "polhode/model.h"

#ifdef __cplusplus
extern "C" {
#endif

// What joins a link to its parent. Coordinates q and velocities u of a link:
//
//     revolute    angle                                   its rate
//     prismatic   length                                  its rate
//     ball        quaternion (w, x, y, z)                 angular velocity in link axes
//     free        quaternion, then shift of the anchor    angular velocity, velocity of the anchor, both in link axes
//     screw       angle; shifts by pitch times it         its rate
//
// All are relative to the parent; link axes are the inertial axes at home. Quaternions need not be unit.
typedef enum ph_tree_joint {
    PH_TREE_REVOLUTE,
    PH_TREE_PRISMATIC,
    PH_TREE_BALL,
    PH_TREE_FREE,
    PH_TREE_SCREW
} ph_tree_joint;

typedef struct ph_link_def {
    uint32_t cookie;
    int parent; // an earlier link, or PH_WORLD
    ph_tree_joint joint;
    ph_vec3 anchor;       // point of the axis, centre of the ball, reference point of a free joint
    ph_vec3 axis;         // of revolute, prismatic and screw joints; any length but 0
    double mass;          // may be 0 where links further out have some
    ph_vec3 com;          // centre of mass
    ph_mat3 inertia;      // about the centre of mass
    double armature;      // added to the diagonal of M for each velocity of the joint: kinetic energy 1/2 a u^2
    double pitch;         // of screw joints: metres along the axis for each radian; not 0
    bool any_inertia;     // a principal moment may exceed the sum of the others
    uint64_t reserved[2]; // room for later versions
} ph_link_def;

PH_API ph_link_def ph_default_link(void);

// Holds the tree and all scratch memory: one for each thread. Nothing but creation allocates.
typedef struct ph_tree ph_tree;
PH_API ph_status ph_tree_create(const ph_link_def *links, int count, ph_vec3 gravity, const ph_allocator *allocator,
                                ph_tree **tree, ph_error *error);
PH_API void ph_tree_destroy(ph_tree *tree);

// The tree of a model without loops whose joints are revolute, prismatic, screw, ball and fixed ones; what nothing holds
// is free. Home is the start of the model. Of forces only gravity is part of a tree. `links` (may be NULL) gets the link
// of each body: PH_WORLD where it cannot move.
PH_API ph_status ph_tree_from_model(const ph_model *model, ph_tree **tree, int *links, ph_error *error);

PH_API int ph_tree_links(const ph_tree *tree);
PH_API int ph_tree_coordinates(const ph_tree *tree);                // length of q
PH_API int ph_tree_velocities(const ph_tree *tree);                 // length of u, tau
PH_API int ph_tree_first_coordinate(const ph_tree *tree, int link); // where q of a link begins
PH_API int ph_tree_first_velocity(const ph_tree *tree, int link);   // where u of a link begins
PH_API void ph_tree_home(const ph_tree *tree, double *q);           // zero, identity quaternions
// q moved by the constant velocities u for time h. `out` may be q.
PH_API void ph_tree_advance(const ph_tree *tree, const double *q, const double *u, double h, double *out);

// ---- Dynamics: M(q) u' + bias(q, u) = tau ---------------------------------------------------------------------------

// tau for given u' (NULL: 0). `wrenches` act on the links, one for each, in the inertial frame; NULL: none.
PH_API void ph_tree_inverse_dynamics(ph_tree *tree, const double *q, const double *u, const double *u_rate,
                                     const ph_coscrew *wrenches, double *tau);
// u' for given tau. PH_SINGULAR when a joint moves nothing that has mass.
PH_API ph_status ph_tree_forward_dynamics(ph_tree *tree, const double *q, const double *u, const double *tau,
                                          const ph_coscrew *wrenches, double *u_rate);
// M by rows, ph_tree_velocities squared; symmetric.
PH_API void ph_tree_mass_matrix(ph_tree *tree, const double *q, double *M);

// ---- What a state of the tree holds ---------------------------------------------------------------------------------

PH_API void ph_tree_energy(ph_tree *tree, const double *q, const double *u, double *kinetic, double *potential);
PH_API ph_vec3 ph_tree_center_of_mass(ph_tree *tree, const double *q, double *mass); // mass may be NULL
// Motors from home and twists of all links; u NULL: not needed. Either array may be NULL.
PH_API void ph_tree_motion(ph_tree *tree, const double *q, const double *u, ph_motor *motors, ph_twist *twists);
// Rates of the twists of all links.
PH_API void ph_tree_accelerations(ph_tree *tree, const double *q, const double *u, const double *u_rate,
                                  ph_twist *rates);
// Twist of a link for each velocity alone: its twist is the sum of columns[k] u[k]. Columns of other branches are 0.
PH_API void ph_tree_jacobian(ph_tree *tree, const double *q, int link, ph_twist *columns);

#ifdef __cplusplus
}
#endif
#endif
