// Quantities of a result: curve_list.c says what there is, curve_read.c computes it, curve.c finds it by name.
#ifndef PH_IO_PLOT_CURVE_H
#define PH_IO_PLOT_CURVE_H

#include "base/memory.h"
#include "polhode/curve.h"

// How a quantity follows from the values of a row of its field.
typedef enum curve_kind {
    CURVE_VALUE,
    CURVE_SIZE,        // of a vector
    CURVE_CHANGE,      // since the first row
    CURVE_RELATIVE,    // the change, by the largest kinetic energy
    CURVE_AXIS,        // entry of the rotation of a quaternion
    CURVE_MEAN,        // by the volume of the body
    CURVE_MISES,       // of the mean stress
    CURVE_PRESSURE,    // of the mean stress
    CURVE_COUNT,       // of contacts
    CURVE_FORCE,       // of all contacts together
    CURVE_LARGEST,     // of the contact forces
    CURVE_GAP,         // the smallest
    CURVE_PENETRATION, // the largest
} curve_kind;

typedef struct curve {
    ph_curve about;
    curve_kind kind;
    int field;
    int from, width; // values of the row
    int entry;       // CURVE_AXIS: 3 * row + column
    double volume;   // of the body
    bool extra;      // not among the components that a shorter name stands for
} curve;

struct ph_curves {
    ph_result *result;
    arena *memory;
    int count, capacity;
    curve *list;
    bool failed; // out of memory
    curve lost;  // in place of one for which there is no room
};

void curves_list(ph_curves *all);

#endif
