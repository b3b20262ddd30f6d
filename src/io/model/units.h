// Units behind numbers: 10 cm, 30 deg, 2.5 m/s, 7850 kg/m^3, 3 N m/rad. All values of the engine are SI, so a unit is a factor.
#ifndef PH_IO_MODEL_UNITS_H
#define PH_IO_MODEL_UNITS_H

#include <stdbool.h>

// What is measured, as powers of m, kg, s; angles are told apart from plain numbers.
typedef struct dimension {
    signed char length, mass, time, angle;
} dimension;

// What a value shall be: "a torque".
typedef struct measure {
    const char *name;
    dimension of;
} measure;

typedef struct unit {
    double factor;
    dimension of;
} unit;

typedef struct unit_reader {
    const char *at;                                            // what is to be read; behind the unit afterwards
    bool (*is_name)(void *with, const char *word, int length); // whether the model has such a name; NULL: it has none
    void *with;
    const char *clash; // a word that is a unit and a name, so that it cannot be told which is meant; NULL: none
} unit_reader;

// A unit: words with powers, their products and quotients: kg/m^3, N m/rad, kg*m^2, W/(m s). False when there is none.
bool unit_read(unit_reader *reader, unit *to);

bool dimension_equal(dimension a, dimension b);
// "a length", "an angle", "a mass", ...; NULL for mixtures without a name.
const char *dimension_name(dimension d);

// All unit words, ended by NULL, for suggestions.
extern const char *const unit_names[];

#endif
