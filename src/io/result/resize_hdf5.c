// A result file with more or less room: made anew beside the old one, the rows copied, renamed over it. So it grows while a
// run writes, and one that stops early gives back what it did not use.

#include "io/result/hdf5_writer.h"

#include "base/error.h"
#include "base/system.h"

// Another writer may have taken the name since: then it is theirs, and this one goes on without a name.
static bool has_its_name(const output_file *file)
{
    system_facts here, named;
    return system_look_at(file->descriptor, &here) && system_look(file->target, &named) &&
           here.device == named.device && here.number == named.number;
}

static ph_status copy_bytes(const output_file *from, long long at, output_file *to, long long place, long long bytes,
                            ph_error *error)
{
    char block[1 << 14];
    ph_status status = PH_OK;
    for (long long done = 0, got; status == PH_OK && done < bytes; done += got) {
        const long long left = bytes - done;
        got = system_read_at(from->descriptor, block, left < (long long)sizeof block ? (size_t)left : sizeof block,
                             at + done);
        status = got > 0 ? output_file_write(to, block, (size_t)got, place + done, error)
                         : error_set(error, PH_IO, "cannot read '%s'", from->path);
    }
    return status;
}

static ph_status copy_rows(const hdf5_writer *from, hdf5_writer *to, ph_error *error)
{
    ph_status status = PH_OK;
    for (int i = 0; status == PH_OK && i < from->table->field_count; i++) {
        const long long bytes = from->rows * (long long)(from->table->fields[i].count * sizeof(double));
        status = copy_bytes(&from->file, from->offsets[i], &to->file, to->offsets[i], bytes, error);
    }
    return status != PH_OK ? status
                           : output_file_write(&to->file, &from->rows, sizeof from->rows, to->rows_offset, error);
}

// On the disk before it gets the name of what is there: a machine that stops leaves one of the two whole.
static ph_status replace(output_file *file, bool named, ph_error *error)
{
    if (!named) {
        output_file_unname(file);
        return PH_OK;
    }
    const ph_status status = output_file_sync(file, error);
    return status == PH_OK ? output_file_publish(file, error) : status;
}

static ph_status fill(const hdf5_writer *from, hdf5_writer *to, ph_error *error)
{
    const bool named = has_its_name(&from->file);
    const long long bytes = to->capacity * (long long)(to->table->width * sizeof(double));
    ph_status status = output_file_reserve(&to->file, bytes, error);
    status = status != PH_OK ? status : hdf5_make_file(to, error);
    status = status != PH_OK ? status : copy_rows(from, to, error);
    return status != PH_OK ? status : replace(&to->file, named, error);
}

ph_status hdf5_resize(hdf5_writer *writer, long long capacity, ph_error *error)
{
    if (capacity < writer->capacity && !has_its_name(&writer->file)) {
        return error_set(error, PH_IO, "'%s' is another file now", writer->file.path);
    }
    hdf5_writer other = *writer;
    other.capacity = capacity;
    other.moved = true;
    other.offsets = arena_alloc_array(writer->memory, (size_t)writer->table->field_count, sizeof *other.offsets);
    if (!other.offsets) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    ph_status status = output_file_open(&other.file, writer->table->def->path, false, error);
    if (status != PH_OK) return status;
    status = fill(writer, &other, error);
    output_file_close(status == PH_OK ? &writer->file : &other.file, NULL);
    if (status == PH_OK) *writer = other;
    return status;
}
