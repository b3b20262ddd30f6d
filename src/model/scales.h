// Lengths that belong to a model: what a residual, a move or a speed is small against. No tolerance is a number of metres.
#ifndef PH_MODEL_SCALES_H
#define PH_MODEL_SCALES_H

#include "model/model.h"

// Of the bodies that a joint holds: their levers and radii of gyration, or the length it keeps. What cannot move has no size.
double joint_size(const ph_model *model, const joint *j);
// The largest of them; without joints, the largest body.
double mechanism_size(const ph_model *model);
// That as a power of two: dividing by it rounds nothing, and a model in another unit takes the same decisions.
double mechanism_unit(const ph_model *model);

// Sets joint.lengths, when all rows and coordinates are there.
void joint_note_lengths(joint *j);
static inline bool joint_row_is_length(const joint *j, int r)
{
    return j->lengths >> r & 1u;
}

// What row r is a coordinate times: the row of a rotor (joints/rotor.c) is in units of its own.
static inline double joint_row_weight(const joint *j, int r)
{
    const int rotor = r - (j->row_count - j->rotor_rows);
    return rotor < 0 ? 1.0 : joint_root(j, j->rows[j->kind_count - j->rotor_rows + rotor].i);
}

#endif
