// Trees of rigid bodies in one inertial frame, after the serial arm of J. M. Selig, "Clifford algebra and robot dynamics"
// (2005), ch. 19 of the Handbook of Computational Geometry for Pattern Recognition, Vision, Neurocomputing and Robotics,
// in typed values of Cl(0,6,2).
//
// With p the parent of link i, s_i the screw of its joint, and the world at rest but accelerated by -gravity:
//
//     g_i = g_p exp(q_i s_i^0 / 2)       s_i = g_i s_i^0 g_i*       N_i = (g_i g_i~) N_i^0 (g_i g_i~)*
//     v_i = v_p + u_i s_i                                           velocity
//     a_i = a_p + u'_i s_i + [v_p, v_i]                             acceleration
//     F_i E = N_i ^ a_i + {v_i, P_i} E - W_i E                      force that its joint and its children must give
//
// There is one frame, so that nothing is transformed between links: velocities, forces and inertias just add along the
// tree, and all that is more than a sum is the same work for every link, done for LANES links at once.
//
// Inside, g_i is the motor of the principal axes of inertia ("any inertia becomes diagonal by a motion"): N_i^0 is then
// four numbers. The constant motors between the principal frames hold the home position.
//
// A joint with several screws (ball, free) is a chain of links of which only the last has mass and all have its motor:
// link and screw have one number. Its screws turn with the last link, so that for the whole joint the bracket is that of
// the velocities before and behind it, and stands at the last link.
#ifndef PH_TREE_TREE_H
#define PH_TREE_TREE_H

#include "clifford/generated_lanes.h"
#include "polhode/clifford_generated.h"
#include "polhode/tree.h"

// A joint of the caller's tree and its links.
typedef struct tree_joint {
    ph_tree_joint type;
    int first_link, link_count;
    int first_coordinate;
    ph_motor home;        // of the principal frame
    ph_motor left, right; // ball, free: the motor relative to the parent is left (t) r right
    ph_vec3 lead;         // screw: shift for each radian, in the principal frame
} tree_joint;

// Joints with one coordinate, which is a number.
static inline bool one_axis(ph_tree_joint type)
{
    return type != PH_TREE_BALL && type != PH_TREE_FREE;
}

// The link that has the mass.
static inline int last_link(const tree_joint *joint)
{
    return joint->first_link + joint->link_count - 1;
}

// Masses and principal moments.
typedef struct lane_body {
    double mass[LANES], moments[3][LANES];
} lane_body;

struct ph_tree {
    ph_allocator allocator;
    int joint_count; // the caller's links
    int link_count;  // without the world, which is link 0
    int coordinate_count;
    int block_count; // of LANES links
    ph_vec3 gravity;
    tree_joint *joints;
    int *parents; // of links
    int *
        carriers; // link with whose velocity the screw's frame moves: the parent, or itself where nothing is to be added
    // Constants of blocks of links. The motor relative to the parent is x K0 + y K1:
    // revolute x = cos(q/2), y = sin(q/2), since a line s has exp(q s/2) = cos(q/2) + sin(q/2) s; prismatic x = 1, y = q/2.
    // A screw is a revolute joint followed by a shift along its axis, which commutes with the turn: times 1 + q lead/2.
    lane_motor *K0, *K1;
    lane_twist *home_screws; // s^0 in the principal frame
    lane_body *bodies;
    // Scratch of blocks of links.
    double (*x)[LANES], (*y)[LANES];
    lane_motor *local;
    lane_motor *motors;        // g
    lane_twist *screws;        // s
    lane_twist *velocities;    // v
    lane_twist *carried;       // velocity of the carrier
    lane_twist *accelerations; // a
    lane_inertia *inertias;    // N
    lane_coscrew *forces;      // F
    // Scratch of links, for the sweeps inwards.
    ph_inertia *gathered; // inertia of a link with all further out
    ph_sym4 *articulated;
    ph_coscrew *load; // force of a link with all further out
    ph_coscrew *U;
    double *D_inverse, *rest;
    double *armature; // constants of links
};

// Element i of an array of blocks.
#define LANE_GET(kind, array, i) lane_##kind##_get(&(array)[(i) / LANES], (i) % LANES)
#define LANE_SET(kind, array, i, value) lane_##kind##_set(&(array)[(i) / LANES], (i) % LANES, value)

// Motors, screws and inertias at q.
void tree_place(ph_tree *tree, const double *q);
// Velocities; then accelerations for u' (NULL: 0); then forces. Each needs what comes before.
void tree_velocities(ph_tree *tree, const double *u);
void tree_accelerations(ph_tree *tree, const double *u_rate);
void tree_forces(ph_tree *tree, const ph_coscrew *wrenches);

static inline ph_twist twist_zero(void)
{
    return (ph_twist){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
}

// x + s y
static inline ph_twist twist_madd(ph_twist x, double s, ph_twist y)
{
    return (ph_twist){{x.omega.x + s * y.omega.x, x.omega.y + s * y.omega.y, x.omega.z + s * y.omega.z},
                      {x.v.x + s * y.v.x, x.v.y + s * y.v.y, x.v.z + s * y.v.z}};
}

static inline ph_twist twist_add(ph_twist x, ph_twist y)
{
    return twist_madd(x, 1.0, y);
}

static inline ph_coscrew coscrew_madd(ph_coscrew x, double s, ph_coscrew y)
{
    return (ph_coscrew){{x.l.x + s * y.l.x, x.l.y + s * y.l.y, x.l.z + s * y.l.z},
                        {x.p.x + s * y.p.x, x.p.y + s * y.p.y, x.p.z + s * y.p.z}};
}

static inline ph_coscrew coscrew_add(ph_coscrew x, ph_coscrew y)
{
    return coscrew_madd(x, 1.0, y);
}

#endif
