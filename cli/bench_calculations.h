// What `polhode bench` times beside whole steps: products of the Clifford algebra against 6x6 code of the same job, and
// the dynamics of trees.
#ifndef CLI_BENCH_CALCULATIONS_H
#define CLI_BENCH_CALCULATIONS_H

#include "json.h"
#include "progress.h"

#include <stdbool.h>

typedef struct workbench workbench;

// One calculation is one line in the table of bench_calculations.c.
typedef struct calculation {
    const char *name, *title;
    void (*run)(workbench *w, long long count);
    void (*peer)(workbench *w, long long count); // NULL: none
} calculation;

extern const calculation calculations[];
extern const int calculation_count;

// Times all calculations, or the one called `only`, and writes one row for each to `j` or, where that is NULL, to stdout.
// False when out of memory.
bool time_calculations(const char *only, tally *done, json *j);

#endif
