// What the expressions of a generic_velocity joint are.
#ifndef PH_JOINTS_VELOCITY_ROWS_H
#define PH_JOINTS_VELOCITY_ROWS_H

#include "joints/value.h"

enum { VELOCITY_VALUES = 7 }; // of a row: coefficients of x, y, z, rx, ry, rz, and what it equals

struct velocity_rows {
    bool in_b;           // velocities are taken along the axes of frame b, not of a
    const value *values; // VELOCITY_VALUES for each row
};

#endif
