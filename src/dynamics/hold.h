// Positions and velocities that meet all joints while some joint coordinates, or rates, are held.
//
// A held coordinate is one more row of its joint: `held` is the model with these rows added. Positions are found by
// Levenberg-Marquardt steps in the metric of the mass, with D the diagonal of B M^-1 B^T,
//
//     [ M   B^T   ] [ d      ]   [ 0    ]
//     [ B  -mu D  ] [ lambda ] = [ -Phi ],
//
// which are the least mass-weighted moves onto the linearised rows for small mu, and go down the slope of
// Phi^T D^-1 Phi / 2 for large mu: rows that depend on others do no harm, and where the joints cannot meet, it ends where
// they are nearest to each other.
#ifndef PH_DYNAMICS_HOLD_H
#define PH_DYNAMICS_HOLD_H

#include "dynamics/node.h"
#include "model/scales.h"

// Where all bodies are and how they move; one entry for each body and one for the world.
typedef struct placement {
    ph_vec3 *position, *velocity, *angular_velocity;
    ph_quat *orientation;
    double *turns; // angles of joints with whole turns, as in ph_state
} placement;

// The same model without its rotors, which follow the coordinates: `model` itself where it has none. NULL: out of memory.
const ph_model *model_without_rotors(const ph_model *model, arena *memory);

bool placement_create(const ph_model *model, arena *memory, placement *p);
void placement_copy(const ph_model *model, placement *to, const placement *from);
frame placement_frame(const placement *p, int body);
void placement_put(placement *p, int body, const frame *at);
void placement_count_turns(const ph_model *model, placement *p);

// How far positions or velocities are from meeting the joints.
typedef struct gap {
    double size; // of the worst row, relative to the size of the mechanism where it is a length
    int joint;   // that it belongs to; PH_NONE: there are no rows
    int row;     // of that joint
    double off;  // as it is
} gap;

typedef struct held {
    const ph_model *model; // as it is
    ph_model with;         // the same, with its held coordinates as rows
    const double *values;  // of all coordinates (joint.first_coordinate + k): what each is held to; NAN: it is free
    motion at;             // time, inputs and targets of motors
    double size;           // of the mechanism, m
    kkt kkt;
    node node;
    double *residual, *weights, *damping; // by row of `with`
    placement trial;
} held;

// `at`: time, inputs, targets. `values` must stay. false when out of memory.
bool held_create(const ph_model *model, const double *values, const motion *at, arena *memory, held *held);

// Moves `p` until all rows are met; its turns follow. false when they cannot be: then `p` is where they nearly are.
bool held_close(held *held, placement *p, gap *left);
gap held_gap(held *held, const placement *p); // of the positions

// Velocities <- the nearest, in the metric of the mass, that meet all rows and have the rates `values` of a held model;
// the positions must meet the joints. What is missed afterwards is told, relative to the velocities.
gap held_velocities(held *held, placement *p);

#endif
