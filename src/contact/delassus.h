// The Delassus operator: from impulses at contacts and stops to the relative velocities they cause, joints held.
//
//     N = D^T M~^-1 D + E,      M~^-1 t = w  from  [ M  B^T ] [ w      ]   [ t ]
//                                                  [ B  0   ] [ lambda ] = [ 0 ]
//
// A contact has the rows normal, two tangents; then, where the surfaces ask for it, two of rolling and one of spinning:
//
//     u_t = t . (v_b + w_b x r_b - v_a - w_a x r_a),      u_roll = t . (w_b - w_a)
//
// with world angular velocities w and arms r from the centres of mass to the contact point. A stop is one row along a joint
// coordinate: a limit, dry friction. Bodies that no joint holds need no matrix: their w is M^-1 t. A product is a pass
// over contacts (forces), one over bodies (each gathers its own contacts, in the order of the list) and one over contacts
// (velocities): no two write to the same place, and the order of additions is fixed.
#ifndef PH_CONTACT_DELASSUS_H
#define PH_CONTACT_DELASSUS_H

#include "collide/detector.h"
#include "dynamics/node.h"
#include "math/screw.h"
#include "polhode/cone.h"

enum { CONTACT_ROWS_MAX = 6 };

typedef struct contact_rows {
    int a, b;  // moving bodies; -1: it cannot move
    int first; // row
    int count; // rows: 3 to 6
    bool rolls;
    ph_vec3 axes[3];      // normal (from a to b), tangents
    ph_vec3 arm_a, arm_b; // world
    double softness;      // E of the normal row
} contact_rows;

typedef enum stop_kind { STOP_LOW, STOP_HIGH, STOP_FRICTION } stop_kind;

typedef struct stop_row {
    int joint;
    stop_kind kind;
    int a, b;         // moving bodies; -1: it cannot move
    int first;        // row
    screw on_a, on_b; // what a unit impulse does
} stop_row;

typedef struct body_use { // a contact or stop that acts on a body
    int item;             // contact, or contact_count + stop
    bool is_b;            // the body is its b
} body_use;

// Bodies that joints connect with each other.
typedef struct joined_group {
    int first, count; // of the bodies that are acted on, in delassus_joined.held
    size_t blocks; // where their blocks of M~^-1 begin: count x count of 36 numbers, or count when there are too many
} joined_group;

// Of bodies that joints hold.
typedef struct delassus_joined {
    int group_count;
    joined_group *groups;
    int *group;          // by moving body: its group; -1: no joint holds it. In models with joints
    int *held, *held_at; // moving bodies that are acted on; by moving body: its place within its group, -1: none
    double *blocks;      // row-major
    int blocks_room;
    bool has_all_blocks; // else only those on the diagonal
    double *rhs, *sum;   // of a solve with refinement
} delassus_joined;

// The whole matrix, made when asked for.
typedef struct delassus_whole {
    ph_cone_matrix matrix;
    bool has_matrix;
    int *row_start, *row_column, *row_end, *mark, *near_start;
    uint64_t *near; // by item: the items it shares a body or group with, sorted
    double *row_value;
    int row_start_room, row_column_room, row_end_room, mark_room, near_start_room, near_room, row_value_room;
} delassus_whole;

typedef struct delassus {
    const ph_model *model;
    kkt *kkt;         // factored at the present configuration; not looked at in models without joints
    const node *node; // frames and Jacobians there
    arena *memory;
    bool damped;                  // there is more than M in the matrix: it is not refined by M
    struct delassus_trees *trees; // N by path vectors (delassus_trees.h), whose factor stands too; NULL: by blocks

    int contact_count, stop_count, cone_count, row_count; // a cone for each contact, then for each stop
    contact_rows *contacts;
    stop_row *stops;
    ph_cone *cones;
    int *item_of; // by row: its cone
    int *old;     // by contact: which of those in the state it is (impulses.h)
    int contacts_room, stops_room, cones_room, item_of_room, old_room;

    // By moving body:
    double *inverse_mass;
    ph_mat3 *inverse_inertia; // world axes; NULL: nobody asked for room yet
    int *use_start;           // moving_count + 1
    screw *wrench, *twist;    // scratch of a product
    body_use *uses;
    screw *loads; // by contact: scratch of a product
    int wrench_room, twist_room, uses_room, use_start_room, loads_room, inverse_inertia_room;

    delassus_joined joined;
    delassus_whole whole;
    int growths; // how often memory was taken so far
} delassus;

// The cone of a contact, and its rows; `frames`: of all bodies.
ph_cone contact_cone(const pair_surface *s);
contact_rows contact_rows_of(const ph_model *model, const frame *frames, const detected *found, const ph_cone *cone);
double contact_free_scale(const ph_model *model, const contact_rows *c); // size of its rows of N, were its bodies free

bool delassus_create(const ph_model *model, kkt *kkt, const node *node, arena *memory, delassus *d);
void delassus_destroy(delassus *d);

// One problem: begin, contacts, stops, end. The node and the factor stand at the configuration. false: out of memory.
void delassus_begin(delassus *d);
bool delassus_add_contact(delassus *d, const detected *found, const pair_surface *s, double softness);
bool delassus_add_stop(delassus *d, int joint, stop_kind kind, double bound); // bound: of dry friction, an impulse
bool delassus_end(delassus *d);

// Inverse mass, and where there is room inverse inertia, of the bodies from `from` to `to` - 1 at the configuration;
// delassus_end does both for all.
void delassus_set_bodies(delassus *d, int from, int to);
bool delassus_reserve_bodies(delassus *d);                 // room for inertia; false: out of memory
static inline int delassus_group(const delassus *d, int k) // of a moving body; -1: no joint holds it
{
    return d->joined.group_count > 0 ? d->joined.group[k] : -1;
}

ph_cone_operator delassus_operator(delassus *d);

// Solves [M B^T; B 0] with the right-hand sides in kkt->x, refined once.
void delassus_solve(delassus *d);

// wrench (by moving body) <- D g, and u (by row) <- D^T twist.
void delassus_gather(delassus *d, const double *g, screw *wrench);
void delassus_velocities(const delassus *d, const screw *twist, double *u);

#endif
