// Units behind numbers: 10 cm, 30 deg, 2.5 m/s, 7850 kg/m^3. All values of the engine are SI, so a unit is a factor.
#ifndef PH_IO_MODEL_UNITS_H
#define PH_IO_MODEL_UNITS_H

#include <stdbool.h>

// What is measured, as powers of m, kg, s; angles are told apart from plain numbers.
typedef struct dimension {
    signed char length, mass, time, angle;
} dimension;

typedef struct unit {
    double factor;
    dimension of;
} unit;

// The unit at the start of `text`, a word with powers and quotients of words (kg/m^3), and in *end where it stops: `text`
// when there is none.
unit unit_parse(const char *text, const char **end);

bool dimension_equal(dimension a, dimension b);
// "a length", "an angle", "a mass", ...; NULL for mixtures without a name.
const char *dimension_name(dimension d);

// All unit words, ended by NULL, for suggestions.
extern const char *const unit_names[];

#endif
