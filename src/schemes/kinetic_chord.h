// The kinetic map of chords, shared by lgvi and lgvi-del.
#ifndef PH_SCHEMES_KINETIC_CHORD_H
#define PH_SCHEMES_KINETIC_CHORD_H

#include "schemes/variational.h"

void kinetic_map_chord(const ph_mat3 *J, ph_vec3 f, kinetic *out);

#endif
