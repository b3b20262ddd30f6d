// Which constraint rows depend on others: a question of geometry, not of masses or units.
//
// Rows of closed loops may repeat what others say already (a door on two hinges), always or in a singular position. A row
// depends on others when it lies in their span. The angle is measured in a metric of its own: for each body the twist
// about the centre of its joints, with turns times a length of the size of its levers. So neither a light coupler nor the
// inertia of a thin rod about its own axis has a say, and lengths may be in any unit. With the rows B in these
// coordinates, S = B B^T is factored (linalg/block_cholesky.h): what is left of a row's diagonal entry is the squared sine
// of its angle with the span of the rows before it.
//
// Where a row of positions and one of velocities alone (a slip) say the same, the latter is left out: it holds because the former
// does, while a position that is left to velocities drifts.
//
// Only joints of loops are looked at: a body that hangs on one joint can follow any of its rows.
#ifndef PH_DYNAMICS_DEPENDENT_H
#define PH_DYNAMICS_DEPENDENT_H

#include "linalg/block_cholesky.h"
#include "model/model.h"

typedef struct dependent_slot { // a joint on one of its bodies
    int node;                   // the joint, in dependent.joints
    int group;                  // the body, in dependent.groups
    int rows;                   // how many
    int B;                      // offset of its rows in the array of all Jacobians
    int at;                     // offset of its rows in the metric
} dependent_slot;

typedef struct dependent_group { // the slots of one body
    int body;                    // in the model
    int first, count;            // of its slots
    ph_vec3 centre;              // of its joints, from the centre of mass, body axes
    double length;               // of its levers, at least
} dependent_group;

typedef struct dependent_pair { // two slots of one body: rows of `first` times rows of `second` go into a block of S
    int first, second;
    int block;
} dependent_pair;

typedef struct dependent_row {
    int node, row; // of a joint
    int x;         // place in vectors
    double part;   // squared sine of its angle with the rows before it
} dependent_row;

typedef struct dependent {
    const ph_model *model;
    int joint_count, group_count, slot_count, pair_count;
    int *joints; // in the model
    dependent_group *groups;
    dependent_slot *slots; // group by group
    int (*slots_of)[JOINT_BODIES_MAX];
    dependent_pair *pairs;
    double *rows; // in the metric: six for each row and slot
    block_cholesky factor;
    int *node;           // by pivot of the factor: the joint
    int weak_room;       // how many nearly dependent rows are told apart
    dependent_row *weak; // these
    double *e;           // what strong rows leave of them: weak_room motions, six for each group
    double *T;           // weak_room^2
    double *size;        // weak_room
    double *y;           // one vector
    int slip_count;      // rows of velocities alone, and for each ...
    dependent_row *slips;
    double *by_slips; // ... its part in each of weak_room rows that were left out; NULL where there are none
} dependent;

// With `all`, joints that are part of no loop are looked at too: their rows may depend on each other. false when out of
// memory.
bool dependent_create(const ph_model *model, bool all, arena *memory, dependent *d);

// B: the Jacobians of all joints at these frames, one after the other. left_out, by joint of the model: bit r is set where row r
// depends on others; joints that were not looked at are passed over. Returns how many rows depend.
int dependent_choose(dependent *d, const frame *frames, const double *B, unsigned char *left_out);

#endif
