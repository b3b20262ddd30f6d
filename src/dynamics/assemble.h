// Assembly: positions in which given joint coordinates have given values and all joints meet, velocities with given rates.
//
// 1. Trees: what hangs on a joint is moved along its coordinate, however far, and everything meets.
// 2. Loops: the given coordinates go to their values in small steps, and after each the loops are closed (hold.h). So the
//    mechanism stays in the branch in which it begins: a four-bar that is drawn open stays open.
// 3. Where that does not arrive, because the beginning is too rough or the way leads through positions that do not exist,
//    the loops are closed from several starts, and the nearest of the positions found is taken.
#ifndef PH_DYNAMICS_ASSEMBLE_H
#define PH_DYNAMICS_ASSEMBLE_H

#include "dynamics/hold.h"

typedef enum assembly_way {
    ASSEMBLY_PLACED,   // everything followed from the coordinates, or met already
    ASSEMBLY_FOLLOWED, // loops were closed, on the branch of the beginning
    ASSEMBLY_SEARCHED, // from several starts
} assembly_way;

// One of several ways in which the loops close, told by a coordinate in which they differ most.
typedef struct assembly_branch {
    int found;             // different ones that were found; 1: no other, 0: not asked
    int joint, coordinate; // where they differ
    double here, there;
} assembly_branch;

typedef struct assembly_report {
    assembly_way way;
    int starts;      // that were tried
    gap positions;   // what is left open
    gap velocities;  // likewise; the joint may be one whose given rate cannot be had
    bool rates_miss; // the velocities are not met: the given rates exclude each other
    double rate_had; // of the first coordinate of that joint, where it is a given one that misses
    assembly_branch branch;
    int beyond_limit; // a joint outside its limits, or PH_NONE
} assembly_report;

// `coordinates`, `rates`: by joint.first_coordinate + k, NAN where free. `at`: time, inputs and targets of motors. PH_OK,
// Rotors are left where they are. PH_OK, PH_OUT_OF_MEMORY, or PH_NO_CONVERGENCE: then `p` is unchanged and the report says what stays open.
ph_status assemble(const ph_model *model, const motion *at, const double *coordinates, const double *rates,
                   placement *p, assembly_report *report);

// Values by coordinate, NAN where nothing is given: what is given for a coordinate of another joint is given for that joint.
void assemble_hand_on(const ph_model *model, double *values);

#endif
