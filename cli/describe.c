// Words for what the library says in numbers. See describe.h.

#include "describe.h"

#include <stdio.h>
#include <string.h>

const char *describe_linear(const ph_symmetry *symmetry)
{
    static const char *const words[8] = {
        NULL, "along x", "along y", "along x and y", "along z", "along x and z", "along y and z", "in every direction",
    };
    return words[(symmetry->linear[0] ? 1 : 0) + (symmetry->linear[1] ? 2 : 0) + (symmetry->linear[2] ? 4 : 0)];
}

const char *describe_angular(const ph_symmetry *symmetry, char text[DESCRIPTION_ROOM])
{
    const ph_vec3 p = symmetry->point, n = symmetry->axis;
    if (symmetry->angular_all) {
        snprintf(text, DESCRIPTION_ROOM, "about the point (%.4g, %.4g, %.4g)", p.x, p.y, p.z);
    } else if (symmetry->angular) {
        snprintf(text, DESCRIPTION_ROOM, "about the line through (%.4g, %.4g, %.4g) along (%.4g, %.4g, %.4g)", p.x, p.y,
                 p.z, n.x, n.y, n.z);
    } else {
        return NULL;
    }
    return text;
}

const char *describe_traits(uint32_t traits, char text[DESCRIPTION_ROOM])
{
    static const struct {
        uint32_t trait;
        const char *word;
    } words[] = {
        {PH_SYMPLECTIC, "symplectic"},
        {PH_TIME_REVERSIBLE, "reversible"},
        {PH_KEEPS_POSITION_CONSTRAINT, "position"},
        {PH_KEEPS_VELOCITY_CONSTRAINT, "velocity"},
        {PH_KEEPS_MOMENTUM, "momentum"},
        {PH_HAS_CONTACT, "contact"},
        {PH_NUMERICAL_DAMPING, "damping"},
        {PH_ROLLS_REVERSIBLY, "rolling"},
    };
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (traits & words[i].trait) {
            length +=
                (size_t)snprintf(text + length, DESCRIPTION_ROOM - length, "%s%s", length ? " " : "", words[i].word);
        }
    }
    return text;
}

const char *model_title(const ph_model *model, const char *path)
{
    const char *name = ph_model_name(model);
    return name && *name ? name : path;
}
