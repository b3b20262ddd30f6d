// What joint types there are, for listings.

#include "joints/joint.h"
#include "polhode/model.h"

#include <string.h>

int ph_joint_type_count(void)
{
    int count = 0;
    while (joint_types[count]) {
        count++;
    }
    return count;
}

static void list_keys(uint32_t flags, char *text, size_t size)
{
    static const struct {
        uint32_t flags;
        const char *words;
    } keys[] = {
        {JOINT_ANCHOR | JOINT_ANCHOR_OPTIONAL, "anchor anchor_a anchor_b"},
        {JOINT_AXIS | JOINT_AXIS_OPTIONAL, "axis axis_a axis_b"},
        {JOINT_AXIS2, "axis2"},
        {JOINT_NORMAL, "normal axis_a axis_b"},
        {JOINT_HEADING, "axis2"},
        {JOINT_RADIUS, "radius"},
        {JOINT_RIM, "rim"},
        {JOINT_SEMI_AXES, "semi_axes"},
        {JOINT_CURVED, "surface surface_radius inside"},
        {JOINT_ROLLING, "slide spin"},
        {JOINT_VELOCITIES, "rows frame"},
        {JOINT_PITCH, "pitch"},
        {JOINT_LENGTH, "length"},
        {JOINT_LOCK, "lock"},
        {JOINT_GEAR, "joints ratio"},
        {JOINT_CHAIN, "motions"},
        {JOINT_OF, "of index"},
        {JOINT_DRIVE, "start limits damping stiffness rest friction friction_speed armature motor"},
    };
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        if (flags & keys[k].flags) {
            strncat(text, *text ? " " : "", size - strlen(text) - 1);
            strncat(text, keys[k].words, size - strlen(text) - 1);
        }
    }
}

// Rows and coordinates are those of an example between frames that coincide; of a generic joint, with everything locked.
ph_joint_type_info ph_joint_type(int index)
{
    ph_joint_type_info info = {0};
    if (index < 0 || index >= ph_joint_type_count()) {
        return info;
    }
    const joint_type *type = joint_types[index];
    const ph_joint_def def = {.lock = {true, true, true, true, true, true}, .velocity_count = 1};
    const ph_mat3 identity = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    joint example = {.E_a = identity, .E_b = identity, .length = 1.0, .pitch = 1.0, .def = &def};
    type->make(&example);
    info.name = type->name;
    info.title = type->title;
    info.rows = example.row_count;
    info.coordinates = example.coordinate_count;
    list_keys(type->keys, info.keys, sizeof info.keys);
    return info;
}
