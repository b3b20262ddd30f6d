// How much room a result file has: the rows that the run is asked for, or a quarter of them, or a sixteenth ... as long as
// its rows fit. A file that is full is made anew with four times the room. So a run that is killed leaves a file of at most
// four times its rows, all copies together cost less than the last one, and the same rows always have the same room.
//
// A full disk is met at the start all the same: the space of all files to come is held by one without a name, of which the
// system gives back what is left when the process ends, however it ends.

#include "io/result/hdf5_writer.h"

enum { GROWTH = 4, LEAST_ROWS = 8, LEAST_BYTES = 1 << 16 };

static long long row_bytes(const result_table *table)
{
    return (long long)(table->width * sizeof(double));
}

static long long smaller(long long room)
{
    return room / GROWTH + (room % GROWTH != 0);
}

long long hdf5_room(const result_table *table, long long rows)
{
    const long long fit = LEAST_BYTES / row_bytes(table), first = fit > LEAST_ROWS ? fit : LEAST_ROWS;
    const long long least = rows > first ? rows : first;
    long long room = table->def->rows;
    while (room > least && smaller(room) >= least) room = smaller(room);
    return room;
}

long long hdf5_next_room(const result_table *table, long long room)
{
    return room < table->def->rows ? hdf5_room(table, room + 1) : room;
}

void hdf5_hold(hdf5_writer *writer)
{
    const result_table *table = writer->table;
    long long rows = 0;
    if (writer->capacity >= table->def->rows) return;
    if (output_file_open(&writer->held, table->def->path, false, NULL) != PH_OK) return;
    output_file_unname(&writer->held);
    for (long long room = table->def->rows; room > writer->capacity; room = smaller(room)) rows += room;
    writer->held.length = rows * row_bytes(table);
    if (output_file_reserve(&writer->held, writer->held.length, NULL) != PH_OK) output_file_close(&writer->held, NULL);
}

bool hdf5_holds(const hdf5_writer *writer)
{
    return writer->held.descriptor >= 0;
}

ph_status hdf5_grow(hdf5_writer *writer, long long rows, ph_error *error)
{
    const long long room = hdf5_room(writer->table, rows), left = writer->held.length - room * row_bytes(writer->table);
    if (hdf5_holds(writer)) output_file_cut(&writer->held, left > 0 ? left : 0, NULL);
    return hdf5_resize(writer, room, error);
}
