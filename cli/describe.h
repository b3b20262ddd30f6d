// Words for what the library says in numbers.
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include "polhode/analysis.h"

enum { DESCRIPTION_ROOM = 160 };

// "along x and y", or NULL when no component of the linear momentum is conserved.
const char *describe_linear(const ph_symmetry *symmetry);

// "about the line through (0, 0, 0) along (0, 0, 1)", or NULL when no component of the angular momentum is conserved.
const char *describe_angular(const ph_symmetry *symmetry, char text[DESCRIPTION_ROOM]);

// The names of the traits of a scheme, separated by spaces.
const char *describe_traits(uint32_t traits, char text[DESCRIPTION_ROOM]);

const char *model_title(const ph_model *model, const char *path); // its name, or the path when it has none

#endif
