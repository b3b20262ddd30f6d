// Result formats. A recorded moment is one row of doubles; `result_table` says what stands where in it. A format turns
// rows into a file: one file of code and one line in the table of result_writer.c.
#ifndef PH_IO_RESULT_RESULT_H
#define PH_IO_RESULT_RESULT_H

#include "base/memory.h"
#include "polhode/io.h"
#include "polhode/sim.h"

// One quantity: a dataset in HDF5, some columns in CSV.
typedef struct result_field {
    const char *group, *object, *name; // "joints", "A", "force"; the first two may be NULL
    int rank;                          // of its value in one row: 0 to 3; from 2 on the first dimension is bodies
    int shape[3];                      // {bodies, 3, 3}, {bodies, 3}, {3}, ...
    const int *bodies;                 // which; NULL: all
    const char *const *columns;        // endings of the column names along the last dimensions; NULL: none, or numbers
    size_t first, count;               // its doubles in the row
} result_field;

typedef struct result_table {
    const ph_model *model;
    const ph_result_def *def;
    int field_count;
    result_field *fields; // the first is the time
    size_t width;         // doubles in a row
} result_table;

typedef struct result_format {
    // Makes the whole file, empty, under its name. `memory` and `table` outlive the format's part of the writer.
    ph_status (*create)(const result_table *table, arena *memory, void **self, ph_error *error);
    // Opens a file that `create` has made with the same table and keeps its first `rows` rows; others may follow.
    ph_status (*resume)(const result_table *table, arena *memory, long long rows, void **self, ph_error *error);
    // Adds `count` rows that follow the `first` ones. After a failure it is not called again; the file stays readable.
    ph_status (*write)(void *self, const double *rows, long long first, int count, ph_error *error);
    ph_status (*sync)(void *self, ph_error *error); // waits until all rows are on the disk
    ph_status (*close)(void *self, ph_error *error);
} result_format;

extern const result_format result_hdf5, result_csv, result_memory;

// The format that the ending of a path means.
ph_status result_find_format(const char *path, const result_format **format, ph_error *error);

// Of all bodies, what the scheme alone knows and the result takes (ph_result_def); else NULL.
typedef struct result_extras {
    const ph_mat3 *multipliers;
    const ph_quaternion *quaternions;
} result_extras;

// As ph_result_append, for callers that have measured the state already.
ph_status result_append(ph_result_writer *writer, const ph_state *state, ph_observer *observer,
                        const ph_measures *measures, result_extras extras, ph_error *error);

#endif
