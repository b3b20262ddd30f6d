// The rule of chords, shared by lgvi and lgvi-del.
#ifndef PH_SCHEMES_KINETIC_CHORD_H
#define PH_SCHEMES_KINETIC_CHORD_H

#include "schemes/variational.h"

extern const variational_rule rule_chord;

#endif
