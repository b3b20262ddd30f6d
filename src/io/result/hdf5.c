// Results in HDF5.
//
// HDF5 makes the file with every dataset contiguous and closes it; then the file gets its name. From there on only numbers
// change, written to the places that HDF5 named (H5Dget_offset): first the data of the new rows, then /rows, which says
// how many are valid. So the structure of the file is never half written, a reader may open it at any moment, a killed run
// leaves a good file behind, and HDF5 does no work while the simulation runs.
//
// A file that is full is made anew with more room (room_hdf5.c). What a run that stopped early leaves free is given back
// when the file is closed.

#include "io/result/hdf5_writer.h"

#include "base/error.h"
#include "base/system.h"

#include <stdlib.h>
#include <string.h>

// ---- The format -----------------------------------------------------------------------------------------------------

static ph_status data_size(const result_table *table, long long *bytes, ph_error *error)
{
    const double size = (double)table->def->rows * (double)table->width * (double)sizeof(double);
    if (!(size < 0x1p62)) {
        return error_set(error, PH_IO, "cannot write '%s': %lld rows need %.3g bytes", table->def->path,
                         table->def->rows, size);
    }
    *bytes = table->def->rows * (long long)(table->width * sizeof(double));
    return PH_OK;
}

static ph_status reserve_all(output_file *file, ph_error *error)
{
    system_facts facts;
    if (!system_look_at(file->descriptor, &facts)) {
        return error_set(error, PH_IO, "cannot write '%s'", file->path);
    }
    return output_file_reserve(file, facts.bytes, error);
}

// Asks for the space once before HDF5 starts, so that a full disk is met here and not inside the library.
static ph_status make_and_publish(hdf5_writer *writer, ph_error *error)
{
    const long long no_rows = 0, all = writer->table->def->rows;
    output_file *file = &writer->file;
    writer->capacity = hdf5_room(writer->table, 0);
    hdf5_hold(writer);
    if (!hdf5_holds(writer)) writer->capacity = all;
    const long long bytes = writer->capacity * (long long)(writer->table->width * sizeof(double));
    ph_status status = output_file_reserve(file, bytes, error);
    status = status != PH_OK ? status : hdf5_make_file(writer, error);
    status = status != PH_OK ? status : reserve_all(file, error);
    status = status != PH_OK ? status : output_file_write(file, &no_rows, sizeof no_rows, writer->rows_offset, error);
    return status != PH_OK ? status : output_file_publish(file, error);
}

static ph_status hdf5_create(const result_table *table, arena *memory, void **self, ph_error *error)
{
    hdf5_writer *writer = hdf5_writer_create(table, memory, error);
    if (!writer) {
        return PH_OUT_OF_MEMORY;
    }
    long long bytes;
    ph_status status = data_size(table, &bytes, error);
    status = status != PH_OK ? status : output_file_open(&writer->file, table->def->path, false, error);
    if (status != PH_OK) {
        return status;
    }
    status = make_and_publish(writer, error);
    if (status != PH_OK) {
        output_file_close(&writer->held, NULL);
        output_file_close(&writer->file, NULL);
        return status;
    }
    *self = writer;
    return PH_OK;
}

// ---- Going on with a file -------------------------------------------------------------------------------------------

// Data of one field, or /rows.
typedef struct extent {
    long long first, bytes;
} extent;

static int by_place(const void *a, const void *b)
{
    const extent *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

// The places of all numbers that change, by rising place. NULL: out of memory.
static extent *find_extents(const hdf5_writer *writer)
{
    const result_table *table = writer->table;
    extent *extents = arena_alloc_array(writer->memory, (size_t)table->field_count + 1, sizeof *extents);
    for (int i = 0; extents && i < table->field_count; i++) {
        const long long bytes = writer->capacity * (long long)(table->fields[i].count * sizeof(double));
        extents[i] = (extent){bytes ? writer->offsets[i] : 0, bytes};
    }
    if (extents) {
        extents[table->field_count] = (extent){writer->rows_offset, sizeof(long long)};
        qsort(extents, (size_t)table->field_count + 1, sizeof *extents, by_place);
    }
    return extents;
}

static bool same_bytes(const output_file *a, const output_file *b, long long from, long long to)
{
    enum { BLOCK = 4096 };
    char of_a[BLOCK], of_b[BLOCK];
    for (long long got; from < to; from += got) {
        const size_t wanted = to - from < BLOCK ? (size_t)(to - from) : BLOCK;
        got = system_read_at(a->descriptor, of_a, wanted, from);
        if (got <= 0 || system_read_at(b->descriptor, of_b, (size_t)got, from) != got ||
            memcmp(of_a, of_b, (size_t)got) != 0) {
            return false;
        }
    }
    return true;
}

static bool same_size(const output_file *a, const output_file *b, long long *size)
{
    system_facts of_a, of_b;
    if (!system_look_at(a->descriptor, &of_a) || !system_look_at(b->descriptor, &of_b)) {
        return false;
    }
    *size = of_a.bytes;
    return of_a.bytes == of_b.bytes;
}

// `made` is the empty file that this run would have begun with. The other one goes on when all but the numbers is the same:
// so HDF5 never has to open a file that may be damaged.
static ph_status compare_files(const hdf5_writer *writer, const output_file *made, const output_file *other,
                               ph_error *error)
{
    long long size = 0, at = 0;
    const extent *extents = find_extents(writer);
    if (!extents) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    bool same = same_size(made, other, &size);
    for (int i = 0; same && i <= writer->table->field_count; i++) {
        same = same_bytes(made, other, at, extents[i].first);
        at = extents[i].first + extents[i].bytes > at ? extents[i].first + extents[i].bytes : at;
    }
    return same && same_bytes(made, other, at, size)
               ? PH_OK
               : error_set(error, PH_IO, "cannot continue '%s': it was made by another run", other->path);
}

static ph_status check_found(const hdf5_writer *writer, const output_file *found, long long rows, ph_error *error)
{
    long long there = 0;
    const ph_status status = compare_files(writer, &writer->file, found, error);
    if (status != PH_OK) {
        return status;
    }
    if (system_read_at(found->descriptor, &there, sizeof there, writer->rows_offset) != sizeof there || there < rows) {
        return error_set(error, PH_IO, "cannot continue '%s': it has fewer rows than the checkpoint", found->path);
    }
    return PH_OK;
}

static ph_status make_with_room(hdf5_writer *writer, long long capacity, ph_error *error)
{
    writer->capacity = capacity;
    output_file_close(&writer->file, NULL);
    const ph_status status = output_file_open(&writer->file, writer->table->def->path, false, error);
    return status == PH_OK ? hdf5_make_file(writer, error) : status;
}

// The file that this run would have made, with the room of the one that was found: a killed run leaves that of its rows, or
// the next one; a file that was closed early has room for its rows alone; one with all room could not grow. /rows is made
// first, so that its place does not depend on that.
static ph_status make_like(hdf5_writer *writer, const output_file *found, ph_error *error)
{
    const result_table *table = writer->table;
    long long size, there = 0;
    ph_status status = make_with_room(writer, hdf5_room(table, 0), error);
    if (status != PH_OK || same_size(&writer->file, found, &size) ||
        system_read_at(found->descriptor, &there, sizeof there, writer->rows_offset) != sizeof there || there < 0 ||
        there > table->def->rows) {
        return status;
    }
    const long long room = hdf5_room(table, there);
    const long long rooms[] = {room, hdf5_next_room(table, room), there > 1 ? there : 1, table->def->rows};
    for (int i = 0; status == PH_OK && i < 4 && !same_size(&writer->file, found, &size); i++) {
        status = make_with_room(writer, rooms[i], error);
    }
    return status;
}

// Rows after the checkpoint go, and their room with them in one stroke: by its rows the next run finds the room of a file,
// and this one may be killed at any moment.
static ph_status drop_rows(hdf5_writer *writer, ph_error *error)
{
    const long long room = hdf5_room(writer->table, writer->rows);
    if (writer->capacity != room && writer->capacity != writer->table->def->rows) {
        return hdf5_resize(writer, room, error);
    }
    const ph_status status = reserve_all(&writer->file, error);
    return status != PH_OK
               ? status
               : output_file_write(&writer->file, &writer->rows, sizeof writer->rows, writer->rows_offset, error);
}

// Where growing has no space the file gets all its room now, or says that the disk is full.
static ph_status take_room(hdf5_writer *writer, ph_error *error)
{
    const long long all = writer->table->def->rows;
    const ph_status status = drop_rows(writer, error);
    if (status != PH_OK || writer->capacity == all) return status;
    hdf5_hold(writer);
    return hdf5_holds(writer) ? PH_OK : hdf5_resize(writer, all, error);
}

// The writer owns `found` from here on.
static ph_status continue_file(hdf5_writer *writer, output_file *found, long long rows, ph_error *error)
{
    ph_status status = make_like(writer, found, error);
    status = status != PH_OK ? status : check_found(writer, found, rows, error);
    output_file_close(&writer->file, NULL);
    writer->file = *found;
    writer->rows = rows;
    status = status != PH_OK ? status : take_room(writer, error);
    if (status != PH_OK) {
        output_file_close(&writer->held, NULL);
        output_file_close(&writer->file, NULL);
    }
    return status;
}

static ph_status hdf5_resume(const result_table *table, arena *memory, long long rows, void **self, ph_error *error)
{
    long long bytes;
    output_file found;
    hdf5_writer *writer = hdf5_writer_create(table, memory, error);
    if (!writer) {
        return PH_OUT_OF_MEMORY;
    }
    ph_status status = data_size(table, &bytes, error);
    status = status != PH_OK ? status : output_file_reopen(&found, table->def->path, error);
    if (status != PH_OK) {
        return status;
    }
    status = continue_file(writer, &found, rows, error);
    if (status == PH_OK) *self = writer;
    return status;
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

static ph_status make_column_room(hdf5_writer *writer, int count, ph_error *error)
{
    size_t largest = 0;
    for (int i = 0; i < writer->table->field_count; i++) {
        const size_t size = writer->table->fields[i].count * (size_t)count;
        largest = size > largest ? size : largest;
    }
    if (largest > writer->column_room) {
        writer->column = arena_alloc_array(writer->memory, largest, sizeof *writer->column);
        writer->column_room = writer->column ? largest : 0;
    }
    return largest <= writer->column_room ? PH_OK : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
}

static ph_status write_field(hdf5_writer *writer, int index, const double *rows, long long first, int count,
                             ph_error *error)
{
    const result_field *field = &writer->table->fields[index];
    const size_t bytes = field->count * sizeof *rows;
    for (int i = 0; i < count; i++) {
        memcpy(writer->column + (size_t)i * field->count, rows + (size_t)i * writer->table->width + field->first,
               bytes);
    }
    return output_file_write(&writer->file, writer->column, (size_t)count * bytes,
                             writer->offsets[index] + first * (long long)bytes, error);
}

static ph_status hdf5_write(void *self, const double *rows, long long first, int count, ph_error *error)
{
    hdf5_writer *writer = self;
    const long long valid = first + count;
    ph_status status = valid > writer->capacity ? hdf5_grow(writer, valid, error) : PH_OK;
    status = status != PH_OK ? status : make_column_room(writer, count, error);
    for (int i = 0; status == PH_OK && i < writer->table->field_count; i++) {
        status = write_field(writer, i, rows, first, count, error);
    }
    status =
        status != PH_OK ? status : output_file_write(&writer->file, &valid, sizeof valid, writer->rows_offset, error);
    writer->rows = status == PH_OK ? valid : writer->rows;
    return status;
}

static ph_status hdf5_sync(void *self, ph_error *error)
{
    hdf5_writer *writer = self;
    ph_status status = output_file_sync(&writer->file, error);
    if (status == PH_OK && writer->moved) status = output_file_sync_folder(&writer->file, error);
    writer->moved = writer->moved && status != PH_OK;
    return status;
}

// Room that no row came for is given back where that is worth a new file; when it fails, the file is good as it is.
static ph_status hdf5_close(void *self, ph_error *error)
{
    static const double worth = 1 << 12; // bytes
    hdf5_writer *writer = self;
    const double free = (double)(writer->capacity - writer->rows) * (double)(writer->table->width * sizeof(double));
    output_file_close(&writer->held, NULL);
    if (free > worth) hdf5_resize(writer, writer->rows > 1 ? writer->rows : 1, NULL);
    return output_file_close(&writer->file, error);
}

const result_format result_hdf5 = {hdf5_create, hdf5_resume, hdf5_write, hdf5_sync, hdf5_close};
