// A result file in HDF5 while it is written: what making it (make_hdf5.c), writing rows (hdf5.c), how much room it has
// (room_hdf5.c) and giving it more or less of that (resize_hdf5.c) share.
#ifndef PH_IO_RESULT_HDF5_WRITER_H
#define PH_IO_RESULT_HDF5_WRITER_H

#include "base/file.h"
#include "io/result/result.h"

typedef struct hdf5_writer {
    const result_table *table;
    output_file file;
    output_file held;   // the disk space that the file will grow into; closed: none
    bool moved;         // the file got its name since it was last brought to the disk
    long long capacity; // rows there is room for
    long long rows;     // that are valid
    long long *offsets; // of each field, in the file
    long long rows_offset;
    double *column; // the values of one field in consecutive rows
    size_t column_room;
    arena *memory;
    char *path; // scratch while the file is made: a path of `path_room` bytes, a list of names
    size_t path_room;
    const char **names;
} hdf5_writer;

// NULL: out of memory.
hdf5_writer *hdf5_writer_create(const result_table *table, arena *memory, ph_error *error);

// Fills the open temporary file with everything but rows, and says where each field lies.
ph_status hdf5_make_file(hdf5_writer *writer, ph_error *error);

// The room of a file that holds `rows` rows, and the next larger one.
long long hdf5_room(const result_table *table, long long rows);
long long hdf5_next_room(const result_table *table, long long room);

// Holds the disk space for all that the file will ever be. When there is not enough for growing the file gets all its room
// at once: that is left to the caller, who asks hdf5_holds.
void hdf5_hold(hdf5_writer *writer);
bool hdf5_holds(const hdf5_writer *writer);

// Room for `rows` rows, from the space that is held.
ph_status hdf5_grow(hdf5_writer *writer, long long rows, ph_error *error);

// The same file under the same name with room for `capacity` rows, its valid rows copied; the writer goes on with it. After
// a failure all is as before.
ph_status hdf5_resize(hdf5_writer *writer, long long capacity, ph_error *error);

#endif
