// Measured motion from a file: CSV with a header, or a result of `polhode run`.
#ifndef CLI_DATA_FILE_H
#define CLI_DATA_FILE_H

#include "options.h"

#include "polhode/polhode.h"

enum { DATA_COLUMNS = 512, DATA_NAME = 128 };

typedef struct data_file {
    const char *path;
    int rows, columns, capacity;
    char (*names)[DATA_NAME]; // as they stand in the file
    double *times;
    double *values; // rows x columns, NAN where a cell is empty
} data_file;

// Of a result the quantities `wanted` are read (NULL: positions and orientations of all bodies). Mistakes are reported.
bool data_file_read(data_file *d, const char *path, const text_list *wanted, double until);
void data_file_free(data_file *d);

// The name of a quantity for the short names of CSV results: rod2.vx is rod2.velocity.x.
void quantity_name(const char *column, char name[DATA_NAME]);

#endif
