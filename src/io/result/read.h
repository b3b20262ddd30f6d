// Reading results: what result_read.c, which answers the callers, shares with the formats, which fill a ph_result once.
#ifndef PH_IO_RESULT_READ_H
#define PH_IO_RESULT_READ_H

#include "base/memory.h"
#include "polhode/result.h"

// How an array lies in the file. All but the first and last are read straight from their place, so that a file which is
// being written shows its newest rows and no library stands between.
typedef enum stored_as { STORED_IN_MEMORY, STORED_DOUBLE, STORED_INT32, STORED_INT64, STORED_OTHERWISE } stored_as;

typedef struct result_array {
    ph_result_field info;
    const char *path;      // in the file
    long long room;        // its first dimension
    stored_as kind;        // STORED_IN_MEMORY: `values` holds it from the start
    long long offset;      // its place in the file
    bool of_contacts;      // its rows are contacts, not moments
    double *values;        // NULL: not asked for yet
    long long values_rows; // that `values` holds
} result_array;

struct ph_result {
    arena *memory; // everything but the values that were asked for
    const char *path, *name, *scheme, *text;
    double step;
    const char *settings; // that the model text was read with, one name=value on a line
    const char *folder;   // where the file says that the files are which the text names; "": it does not
    const char *allowed;  // a folder that may be read besides that of the result, or NULL
    int body_count, joint_count;
    const char **bodies, **joints;
    int array_count, array_room;
    result_array *arrays;
    long long rows, capacity, rows_offset; // rows_offset < 0: the number of rows does not change
    long long contacts;                    // in the valid rows
    int descriptor;                        // of the file, -1 when it need not be read again
};

// A result while it is opened.
typedef struct result_reader {
    ph_result *result;
    long long bytes;  // of the file
    long long stored; // of these on the disk: a file may have holes
    ph_error *error;
    ph_status status; // the first failure; nothing is done after it
} result_reader;

// "'PATH' REASON", unless something failed before. Returns false.
__attribute__((format(printf, 2, 3))) bool result_refuse(result_reader *reader, const char *format, ...);
bool result_out_of_memory(result_reader *reader);
#ifdef __clang_analyzer__ // it looks at one file at a time, and must know that a failure is one
#define result_refuse(...) ((void)result_refuse(__VA_ARGS__), false)
#define result_out_of_memory(reader) ((void)result_out_of_memory(reader), false)
#endif

// A new array at the end of the list, or NULL when out of memory. Names are copied.
result_array *result_add_array(ph_result *result, const char *name, int joint);

// Fills `result` from the file at result->path. The caller destroys it after a failure.
ph_status result_index_hdf5(ph_result *result, ph_error *error);
ph_status result_index_csv(ph_result *result, ph_error *error);

// result_check.c: whether all that was found fits together and lies in the file, so that reading needs no further look.
// Nobody vouches for what is looked at. Sets the capacity.
bool result_check(result_reader *reader);

// Rows of an array that is STORED_OTHERWISE.
ph_status result_fetch_hdf5(const ph_result *result, const result_array *array, long long first, long long count,
                            double *to, ph_error *error);

#endif
