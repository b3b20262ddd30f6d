// Trees of bodies in the scheme `moreau`: velocities on the joints by the articulated factor, contacts as path vectors.
//
// What acts along a coordinate of a joint is taken at the end of the step, and stands in the pivot of the joint:
//
//     servo, damper    f = kp (target - q - h q'+) - (kd + c) q'+        C = h (kd + c) + h^2 kp
//     spring           f = -k (q - rest + h (q'+ - q')/4)                C = h^2 k/4
//     armature a                                                         C = a
//
// so that no gain and no damping is too large for a step. The spring is Newmark's rule, which neither gains nor loses energy;
// it is in T + U like any other. A drive that may reach its largest force has a row of its own in place of C: an interval with
// the compliance 1/C.
#ifndef PH_SCHEMES_MOREAU_TREES_H
#define PH_SCHEMES_MOREAU_TREES_H

#include "articulated/advance.h"
#include "contact/paths.h"
#include "forces/drive.h"
#include "schemes/moreau.h"

#include <stdatomic.h>

// What acts along a coordinate: a force of the model, or an armature.
typedef struct tree_drive {
    const force *force; // NULL: an armature
    double armature;
    int joint, coordinate;
    int branch, freedom; // of the forest; -1: the joint closes a loop
    drive_law law;       // of this step
    double q, rate;      // when it begins
    // Impulse along the coordinate: given - soft q'+, of all but the motor, and of the motor
    double given, soft, motor_given, motor_soft;
    bool is_row;          // the motor has a row
    int item, motor_item; // of the paths: rows of a joint that closes a loop, and of the motor; -1: none
} tree_drive;

typedef struct tree_stop { // a limit or dry friction
    int joint, branch;
    int along, coordinate; // joint whose coordinate it is: `joint` itself, or the one that this is a coordinate of
    stop_kind kind;
    bool listed; // in this step
    int item;    // -1: none
    double q, rate;
} tree_stop;

typedef struct spring_line { // moreau_springs.c
    path_line on;
    double soft, given, rate;
    int item;
} spring_line;

typedef struct tree_spring { // between bodies
    const force *force;
    int a, b;       // moving bodies; -1: cannot move
    int count;      // of its rows in this step; 0: it is a force
    int line_count; // coordinates of its own ...
    double rate[6]; // ... their rates when the step begins, and its damping along them
    double C[36];
    spring_line lines[6];
    double vectors[36]; // by row: its share of the coordinates
} tree_spring;

typedef struct moreau_trees {
    forest forest;
    articulated tree;
    loops loops;
    advance advance;
    paths paths;
    int drive_count, force_count, stop_count, motor_count;
    tree_drive *drives;
    const force **forces; // all others
    tree_stop *stops;
    tree_spring *springs;
    int spring_count;
    int *springs_on; // by moving body
    int *motors;     // branches whose coordinate a motor prescribes
    // The factor that is kept, of trees: whether there is one, of which poses, and with which C
    bool *placed, *factored; // by tree
    ph_vec3 *kept_place;     // by branch
    ph_quat *kept_turn;
    double *kept_soft; // by freedom
    // By freedom:
    double *soft;
    double *free_z;                // of this step, without impulses
    double *next_rate;             // with them
    double *mean_rate, *free_rate; // that lead to the end of the step; without impulses
    double *scratch;
    int *path; // of one of them
    // By branch:
    spatial *mean, *free_twist;
    double *motor_before, *motor_rate; // of coordinates that a motor prescribes
    // By tree: nothing pushes it; when it bounces, 0: it does not
    bool *flies;
    double *tau;
    bool is_stiff; // some spring is, in a step in which contacts may bounce
    double *phi;   // by row of loops
    // Contacts, in the order of the detector; items of the same number:
    contact_rows *contacts;
    int *old;
    bool *bounces;
    double *shift;      // of the velocity before the step, of those that bounce
    double *recovery;   // by item: the velocity at which it asks to be undone; 0: it does not
    bool recovers;      // in this step some item does
    atomic_bool failed; // some task of the step at hand
    bool *open_group;   // by group of the forest: its loops do not close
    int open_joint;     // of a loop that does not close ...
    double open;        // ... and by how much
    double lift;        // energy that undoing takes in it
    int contacts_room, old_room, bounces_room, shift_room, recovery_room;
    path_report *solved; // by island
    int solved_room;
} moreau_trees;

ph_status moreau_trees_create(moreau *m, ph_error *error);
ph_status moreau_trees_prepare(moreau *m, ph_error *error); // takes the memory that steps without contacts need
void moreau_trees_destroy(moreau *m);

// Calls task(m, part, from, to) for all groups of the forest, in parts: groups do not know of each other.
static inline void for_groups(moreau *m, pool_range *task)
{
    enum { GROUPS = 4 }; // in a part
    pool_run_ranges(m->pool, task, m, m->trees->forest.group_count, GROUPS);
}

// Forces that are not in the pivots, and weights, into the node.
void moreau_trees_set_forces(moreau *m);
double moreau_trees_power(const moreau *m); // of those forces, at the mean twists in the node

// ---- moreau_tree_factor.c -------------------------------------------------------------------------------------------

// Places a tree, which then is not factored; factors it with C as in `soft`. false: singular.
void trees_place(moreau_trees *t, int tree, const ph_vec3 *position, const ph_quat *orientation);
bool trees_factor(moreau_trees *t, int tree, const ph_vec3 *position, const ph_quat *orientation);
// At the state the step begins with: of the last step where they are that still, or new ones. false: singular.
bool trees_enter(moreau *m);
bool trees_factor_all(moreau *m); // with C as drives have it now

// ---- moreau_trees.c -------------------------------------------------------------------------------------------------

void trees_put_motors(moreau_trees *t);  // velocities that motors prescribe, from motor_rate
void trees_stop_motors(moreau_trees *t); // none
void trees_put_momenta(moreau *m);       // momenta and tau of the step

// ---- moreau_tree_work.c ---------------------------------------------------------------------------------------------

double trees_row_work(moreau *m);     // of contacts, limits and dry friction
void trees_put_everything(moreau *m); // momenta with the impulses of all rows
// Of motors, in the solve whose z and twists stand; `put`: the momenta it was given, rows included.
double trees_motor_work(moreau *m, void (*put)(moreau *));

// ---- moreau_tree_place.c --------------------------------------------------------------------------------------------

// Where v+ leads the bodies of trees, and their velocities there. Adds the work of motors.
ph_status moreau_trees_place(moreau *m, double *work);

static inline bool moreau_in_tree(const moreau *m, int moving)
{
    return m->trees && m->trees->forest.branch_of[moving] >= 0;
}

// ---- moreau_drives.c ------------------------------------------------------------------------------------------------

bool drives_create(moreau *m);
// The laws of a step at the time and with the motion of the node, for trees that are placed.
void drives_set(moreau *m);
void drives_put_soft(const moreau *m, double *soft); // C by freedom
void drives_put_tau(moreau *m);                      // impulses by freedom
// Rows of motors that may reach their largest force, of joints that close loops, of limits and dry friction. false: out of
// memory.
bool drives_add_rows(moreau *m, double h);
// What their rows ask for, their velocities before the step and first guesses.
void drives_set_rows(const moreau *m, const ph_state *state, double h, double *bias, double *before, double *g);
// After the solve: has something passed a limit without a row, or its largest force? Then the step is solved again.
bool drives_need_rows(moreau *m, double h);
double drives_work(const moreau *m, double h, const double *g); // of all but springs
double drives_carried_work(const moreau *m, double h);          // while velocities are fitted to the joints at the end
void drives_keep(const moreau *m, const double *g, double h, ph_state *state);

// ---- moreau_springs.c -----------------------------------------------------------------------------------------------

bool springs_create(moreau *m);
void springs_set(moreau *m, double h);             // which elements are rows in this step, with the motion of the node
bool springs_has(const moreau *m, const force *f); // is it one of them?
bool springs_add_rows(moreau *m);                  // false: out of memory
void springs_set_rows(const moreau *m, double *bias, double *before, double *g);
void springs_apply(const moreau *m, const double *g); // impulses of its rows, as momenta
double springs_work(const moreau *m, double h, const double *g);

// ---- moreau_recovery.c ----------------------------------------------------------------------------------------------

// Takes out of the biases what overlap and passed limits ask for, to be undone; `recovers` says whether there is any.
void recovery_begin(moreau *m);
// After the solve: adds what undoes it to the velocities that lead to the end of the step.
void recovery_end(moreau *m, const path_settings *settings);

// ---- moreau_linked.c ------------------------------------------------------------------------------------------------

bool linked_begin(moreau *m); // after paths_end: which islands are solved beside the heap. false: out of memory
// All contacts of the heap, and those islands; then v+ of the bodies of the heap.
ph_status linked_solve(moreau *m, const ph_cone_settings *settings, ph_cone_report *report);

// ---- moreau_flight.c ------------------------------------------------------------------------------------------------

// Who is held, as far as the impulses g of the last step tell.
void tree_flight_begin(moreau *m, const double *g);
// How weights and springs change velocities in the step, where contacts may bounce.
void tree_flight_pull(moreau *m);
// b of the normal row of contact i; *before: its velocity before the step, u_free: after it without impulses.
double tree_contact_bias(moreau *m, int i, double *before, double u_free);
// The same of a contact that bounces, once all moments are known: a body that meets what cannot move bounces once in a step.
double tree_shared_bias(moreau *m, int i, double *before);
// Who flies in the end; then twists and rates that lead there, of all trees.
void tree_flight_end(moreau *m, const double *g);

#endif
