// Torsion spring and damper along the coordinate q of a joint: f = -k (q - rest) - c q'. Without `rest` it is at rest at
// the start. (Equations: joint_drive.c.)

#include "forces/drive.h"
#include "forces/types.h"

static const char *make(force *f, const motion *start)
{
    f->rest = f->def->has_length ? f->def->length : joint_coordinate(f->joint, start, 0);
    return NULL;
}

static const element_key keys[] = {
    {"joint", KEY_JOINT, FORCE_KEY(joint), .needed = true},
    {"stiffness", KEY_NUMBER, FORCE_KEY(stiffness), .rule = NOT_NEGATIVE},
    {"damping", KEY_NUMBER, FORCE_KEY(damping), .rule = NOT_NEGATIVE},
    {"rest", KEY_NUMBER, FORCE_KEY(length), KEY_GIVEN(ph_force_def, has_length)},
    {0},
};

const force_type force_torsion = {
    .name = "torsion",
    .title = "spring and damper along a joint coordinate",
    .keys = keys,
    .symmetry = FORCE_RELATIVE,
    .make = make,
    .needs_velocity = drive_needs_velocity,
    .does_work = drive_does_work,
    .act = drive_act,
    .derive = drive_derive,
    .numbers = drive_numbers,
    .potential = drive_potential,
};
