// Results in HDF5.
//
// HDF5 makes the file once, with every dataset contiguous and at its full size, and closes it; then the file gets its
// name. From there on only numbers change, written to the places that HDF5 named (H5Dget_offset): first the data of the
// new rows, then /rows, which says how many are valid. So the structure of the file is never half written, a reader may
// open it at any moment, a killed run leaves a good file behind, and HDF5 does no work while the simulation runs.
//
// Names of joints become names of groups. A model takes no '/' in them; the name ".", which HDF5 gives a meaning of its
// own, is written "%2E". The attributes `bodies` and `joints` of the file hold the names as they are, in the order of the
// model.

#include "io/contain.h"
#include "io/hdf5_quiet.h"
#include "io/result.h"
#include "io/result_file.h"

#include "base/error.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RESULT_VERSION = 1, PATH_ROOM = 64 };

typedef struct hdf5_writer {
    const result_table *table;
    result_file file;
    long long *offsets; // of each field, in the file
    long long rows_offset;
    double *column; // the values of one field in consecutive rows
    size_t column_room;
    arena *memory;
    char *path; // scratch while the file is made: a path of `path_room` bytes, a list of names
    size_t path_room;
    const char **names;
} hdf5_writer;

// ---- Names ----------------------------------------------------------------------------------------------------------

// "/joints/<object>/force"
static const char *make_path(hdf5_writer *writer, const result_field *field)
{
    const char *object = field->object && strcmp(field->object, ".") == 0 ? "%2E" : field->object;
    snprintf(writer->path, writer->path_room, "%s%s%s%s/%s", field->group ? "/" : "", field->group ? field->group : "",
             object ? "/" : "", object ? object : "", field->name);
    return writer->path;
}

static size_t find_path_room(const result_table *table)
{
    size_t longest = 0;
    for (int i = 0; i < table->field_count; i++) {
        const char *object = table->fields[i].object;
        const size_t length = object ? strlen(object) : 0;
        longest = length > longest ? length : longest;
    }
    return longest + PATH_ROOM;
}

// ---- Making the file ------------------------------------------------------------------------------------------------

// What the HDF5 calls below share. Every call returns false at the first failure; HDF5 then knows why.
typedef struct maker {
    hid_t file, creation, access, links, group, contiguous, text, scalar;
} maker;

static bool maker_open(maker *m, const char *path)
{
    // Format 1.8: names and attributes of any size, and no mark that a file is open for writing.
    m->access = H5Pcreate(H5P_FILE_ACCESS);
    bool good = H5Pset_libver_bounds(m->access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0 &&
                H5Pset_fclose_degree(m->access, H5F_CLOSE_STRONG) >= 0 &&
                H5Pset_alignment(m->access, 1, sizeof(double)) >= 0;
#if H5_VERSION_GE(1, 10, 7)
    good = good && H5Pset_file_locking(m->access, false, true) >= 0;
#endif

    m->links = H5Pcreate(H5P_LINK_CREATE);
    good = good && H5Pset_char_encoding(m->links, H5T_CSET_UTF8) >= 0;

    // No times anywhere: the same run gives the same file.
    m->creation = H5Pcreate(H5P_FILE_CREATE); // the root group
    m->group = H5Pcreate(H5P_GROUP_CREATE);
    good = good && H5Pset_obj_track_times(m->creation, false) >= 0 && H5Pset_obj_track_times(m->group, false) >= 0;

    m->contiguous = H5Pcreate(H5P_DATASET_CREATE);
    good = good && H5Pset_layout(m->contiguous, H5D_CONTIGUOUS) >= 0 &&
           H5Pset_alloc_time(m->contiguous, H5D_ALLOC_TIME_EARLY) >= 0 &&
           H5Pset_fill_time(m->contiguous, H5D_FILL_TIME_NEVER) >= 0 &&
           H5Pset_obj_track_times(m->contiguous, false) >= 0;

    m->text = H5Tcopy(H5T_C_S1);
    good = good && H5Tset_size(m->text, H5T_VARIABLE) >= 0 && H5Tset_cset(m->text, H5T_CSET_UTF8) >= 0;
    m->scalar = H5Screate(H5S_SCALAR);
    m->file = good ? H5Fcreate(path, H5F_ACC_TRUNC, m->creation, m->access) : H5I_INVALID_HID;
    return m->file >= 0;
}

static bool maker_close(maker *m)
{
    H5Sclose(m->scalar);
    H5Tclose(m->text);
    H5Pclose(m->contiguous);
    H5Pclose(m->group);
    H5Pclose(m->creation);
    H5Pclose(m->links);
    H5Pclose(m->access);
    return m->file < 0 || H5Fclose(m->file) >= 0;
}

static bool add_dataset(maker *m, const char *path, hid_t type, hid_t space, long long *offset)
{
    const hid_t dataset = H5Dcreate2(m->file, path, type, space, m->links, m->contiguous, H5P_DEFAULT);
    if (dataset < 0) {
        return false;
    }
    const haddr_t address = H5Sget_simple_extent_npoints(space) > 0 ? H5Dget_offset(dataset) : 0;
    *offset = (long long)address;
    return H5Dclose(dataset) >= 0 && address != HADDR_UNDEF;
}

// The groups in `path`, those that are not there yet.
static bool add_groups(maker *m, char *path)
{
    bool good = true;
    for (char *slash = strchr(path + 1, '/'); good && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (H5Lexists(m->file, path, H5P_DEFAULT) <= 0) {
            const hid_t group = H5Gcreate2(m->file, path, m->links, m->group, H5P_DEFAULT);
            good = group >= 0 && H5Gclose(group) >= 0;
        }
        *slash = '/';
    }
    return good;
}

static bool add_field(maker *m, hdf5_writer *writer, int index)
{
    const result_field *field = &writer->table->fields[index];
    make_path(writer, field);
    if (!add_groups(m, writer->path)) {
        return false;
    }
    const hsize_t size[4] = {(hsize_t)writer->table->def->rows, (hsize_t)field->shape[0], (hsize_t)field->shape[1],
                             (hsize_t)field->shape[2]};
    const hid_t space = H5Screate_simple(1 + field->rank, size, NULL);
    const bool good =
        space >= 0 && add_dataset(m, make_path(writer, field), H5T_NATIVE_DOUBLE, space, &writer->offsets[index]);
    H5Sclose(space);
    return good;
}

static bool add_attribute(hid_t to, const char *name, hid_t type, hid_t space, const void *value)
{
    const hid_t attribute = H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) {
        return false;
    }
    const bool good = H5Awrite(attribute, type, value) >= 0;
    return H5Aclose(attribute) >= 0 && good;
}

static bool add_text(maker *m, const char *name, const char *text)
{
    return add_attribute(m->file, name, m->text, m->scalar, &text);
}

static bool add_list(hid_t to, const char *name, hid_t type, const void *list, int count)
{
    const hsize_t size = (hsize_t)count;
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const bool good = space >= 0 && add_attribute(to, name, type, space, list);
    H5Sclose(space);
    return good;
}

static bool add_names(maker *m, const char *name, const char **list, int count)
{
    return add_list(m->file, name, m->text, list, count);
}

// A dataset of some bodies names them, and their volumes (m^3; 0: not known): integral / volume is the mean.
static bool add_bodies_of(maker *m, hdf5_writer *writer, const result_field *field)
{
    const ph_model *model = writer->table->model;
    const int count = field->shape[0];
    double *volumes = arena_alloc_array(writer->memory, (size_t)count, sizeof *volumes);
    const hid_t dataset = volumes ? H5Dopen2(m->file, make_path(writer, field), H5P_DEFAULT) : H5I_INVALID_HID;
    if (dataset < 0) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        writer->names[i] = model->bodies[field->bodies[i]].name;
        volumes[i] = model->bodies[field->bodies[i]].kind->volume;
    }
    const bool good = add_list(dataset, "bodies", m->text, writer->names, count) &&
                      add_list(dataset, "volume", H5T_NATIVE_DOUBLE, volumes, count);
    return H5Dclose(dataset) >= 0 && good;
}

static bool has_shape_files(const ph_model *model)
{
    for (int i = 0; i < model->body_count; i++) {
        for (int k = 0; k < model->bodies[i].kind->shape_count; k++) {
            if (model->bodies[i].kind->shapes[k].file) {
                return true;
            }
        }
    }
    return false;
}

// Where the files of shapes are that the model text names, for those who read it again.
static bool add_folder(maker *m, const ph_model *model)
{
    char *folder = has_shape_files(model) ? realpath(model->folder ? model->folder : ".", NULL) : NULL;
    const bool good = !folder || add_text(m, "folder", folder);
    free(folder);
    return good;
}

static bool add_attributes(maker *m, const result_table *table, const char **list)
{
    const ph_model *model = table->model;
    const int version = RESULT_VERSION;
    bool good = add_text(m, "format", "polhode result") &&
                add_attribute(m->file, "version", H5T_NATIVE_INT, m->scalar, &version) &&
                add_text(m, "scheme", table->def->scheme) &&
                add_attribute(m->file, "step", H5T_NATIVE_DOUBLE, m->scalar, &table->def->step) &&
                add_text(m, "quaternion_order", "wxyz") && add_text(m, "name", model->name ? model->name : "") &&
                add_text(m, "model", model->text ? model->text : "") &&
                (!model->settings || add_text(m, "settings", model->settings)) && add_folder(m, model);
    for (int i = 0; i < model->body_count; i++) {
        list[i] = model->bodies[i].name;
    }
    good = good && add_names(m, "bodies", list, model->body_count);
    for (int i = 0; i < model->joint_count; i++) {
        list[i] = model->joints[i].name;
    }
    return good && add_names(m, "joints", list, model->joint_count);
}

static bool add_everything(maker *m, hdf5_writer *writer)
{
    const result_table *table = writer->table;
    bool good = add_dataset(m, "/rows", H5T_NATIVE_LLONG, m->scalar, &writer->rows_offset) &&
                add_attributes(m, table, writer->names);
    for (int i = 0; good && i < table->field_count; i++) {
        good = add_field(m, writer, i) && (!table->fields[i].bodies || add_bodies_of(m, writer, &table->fields[i]));
    }
    return good;
}

// Everything HDF5 has to do, in a process of its own: after a write that failed it crashes when the program ends.
static void make_in_child(void *user, parcel *parcel)
{
    hdf5_writer *writer = user;
    char reason[256] = "";
    maker m = {0};
    hdf5_enter();
    bool good = maker_open(&m, writer->file.temporary) && add_everything(&m, writer);
    if (!good) {
        hdf5_reason(reason, "HDF5 failed");
    }
    if (!maker_close(&m) && good) {
        hdf5_reason(reason, "HDF5 failed");
    }
    hdf5_leave();
    reason[strcspn(reason, "\n")] = '\0';
    const size_t length = strlen(reason) + 1; // an empty reason: it went well
    parcel_put(parcel, reason, length);
    parcel_put(parcel, &writer->rows_offset, sizeof writer->rows_offset);
    parcel_put(parcel, writer->offsets, (size_t)writer->table->field_count * sizeof *writer->offsets);
}

// Fills the open temporary file.
static ph_status make_file(hdf5_writer *writer, ph_error *error)
{
    enum { PATIENCE = 600 }; // s
    const size_t places = (size_t)writer->table->field_count * sizeof *writer->offsets;
    char *answer = NULL;
    size_t bytes = 0;
    ph_status status = contain(make_in_child, writer, PATIENCE, places + 4096, &answer, &bytes);
    if (status != PH_OK) {
        return error_set(error, status == PH_OUT_OF_MEMORY ? status : PH_IO, "cannot write '%s': HDF5 gave up",
                         writer->file.path);
    }
    const char *reason = answer, *at = reason + strlen(reason) + 1;
    if (*reason) {
        status = error_set(error, PH_IO, "cannot write '%s': %s", writer->file.path, reason);
    } else if (bytes != 1 + sizeof writer->rows_offset + places) {
        status = error_set(error, PH_IO, "cannot write '%s': HDF5 gave up", writer->file.path);
    } else {
        memcpy(&writer->rows_offset, at, sizeof writer->rows_offset);
        memcpy(writer->offsets, at + sizeof writer->rows_offset, places);
    }
    mem_free(NULL, answer);
    return status;
}

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

static ph_status reserve_all(result_file *file, ph_error *error)
{
    struct stat info;
    if (fstat(file->descriptor, &info) != 0) {
        return error_set(error, PH_IO, "cannot write '%s'", file->path);
    }
    return result_file_reserve(file, (long long)info.st_size, error);
}

// Asks for the space once before HDF5 starts, so that a full disk is met here and not inside the library.
static ph_status make_and_publish(hdf5_writer *writer, ph_error *error)
{
    const long long no_rows = 0;
    result_file *file = &writer->file;
    long long bytes = 0;
    ph_status status = data_size(writer->table, &bytes, error);
    status = status != PH_OK ? status : result_file_reserve(file, bytes, error);
    status = status != PH_OK ? status : make_file(writer, error);
    status = status != PH_OK ? status : reserve_all(file, error);
    status = status != PH_OK ? status : result_file_write(file, &no_rows, sizeof no_rows, writer->rows_offset, error);
    return status != PH_OK ? status : result_file_publish(file, error);
}

static hdf5_writer *make_writer(const result_table *table, arena *memory, ph_error *error)
{
    const ph_model *model = table->model;
    const size_t bodies = (size_t)model->body_count, joints = (size_t)model->joint_count;
    hdf5_writer *writer = arena_alloc(memory, sizeof *writer);
    if (!writer) {
        error_set(error, PH_OUT_OF_MEMORY, "out of memory");
        return NULL;
    }
    *writer = (hdf5_writer){.table = table, .memory = memory, .path_room = find_path_room(table)};
    writer->path = arena_alloc(memory, writer->path_room);
    writer->names = arena_alloc_array(memory, bodies > joints ? bodies : joints, sizeof *writer->names);
    writer->offsets = arena_alloc_array(memory, (size_t)table->field_count, sizeof *writer->offsets);
    if (!writer->path || !writer->names || !writer->offsets) {
        error_set(error, PH_OUT_OF_MEMORY, "out of memory");
        return NULL;
    }
    return writer;
}

static ph_status hdf5_create(const result_table *table, arena *memory, void **self, ph_error *error)
{
    hdf5_writer *writer = make_writer(table, memory, error);
    if (!writer) {
        return PH_OUT_OF_MEMORY;
    }
    ph_status status = result_file_open(&writer->file, table->def->path, false, error);
    if (status != PH_OK) {
        return status;
    }
    status = make_and_publish(writer, error);
    if (status != PH_OK) {
        result_file_close(&writer->file, NULL);
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
        const long long bytes = table->def->rows * (long long)(table->fields[i].count * sizeof(double));
        extents[i] = (extent){bytes ? writer->offsets[i] : 0, bytes};
    }
    if (extents) {
        extents[table->field_count] = (extent){writer->rows_offset, sizeof(long long)};
        qsort(extents, (size_t)table->field_count + 1, sizeof *extents, by_place);
    }
    return extents;
}

static bool same_bytes(const result_file *a, const result_file *b, long long from, long long to)
{
    enum { BLOCK = 4096 };
    char of_a[BLOCK], of_b[BLOCK];
    for (ssize_t got; from < to; from += got) {
        const size_t wanted = to - from < BLOCK ? (size_t)(to - from) : BLOCK;
        got = pread(a->descriptor, of_a, wanted, (off_t)from);
        if (got <= 0 || pread(b->descriptor, of_b, (size_t)got, (off_t)from) != got ||
            memcmp(of_a, of_b, (size_t)got) != 0) {
            return false;
        }
    }
    return true;
}

static bool same_size(const result_file *a, const result_file *b, long long *size)
{
    struct stat of_a, of_b;
    if (fstat(a->descriptor, &of_a) != 0 || fstat(b->descriptor, &of_b) != 0) {
        return false;
    }
    *size = (long long)of_a.st_size;
    return of_a.st_size == of_b.st_size;
}

// `made` is the empty file that this run would have begun with. The other one goes on when all but the numbers is the same:
// so HDF5 never has to open a file that may be damaged.
static ph_status compare_files(const hdf5_writer *writer, const result_file *made, const result_file *other,
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

static ph_status take_over(hdf5_writer *writer, result_file *found, long long rows, ph_error *error)
{
    long long there = 0;
    ph_status status = compare_files(writer, &writer->file, found, error);
    if (status != PH_OK) {
        return status;
    }
    if (pread(found->descriptor, &there, sizeof there, (off_t)writer->rows_offset) != sizeof there || there < rows) {
        return error_set(error, PH_IO, "cannot continue '%s': it has fewer rows than the checkpoint", found->path);
    }
    status = reserve_all(found, error);
    return status != PH_OK ? status : result_file_write(found, &rows, sizeof rows, writer->rows_offset, error);
}

static ph_status hdf5_resume(const result_table *table, arena *memory, long long rows, void **self, ph_error *error)
{
    long long bytes;
    result_file found;
    hdf5_writer *writer = make_writer(table, memory, error);
    if (!writer) {
        return PH_OUT_OF_MEMORY;
    }
    ph_status status = data_size(table, &bytes, error);
    status = status != PH_OK ? status : result_file_reopen(&found, table->def->path, error);
    if (status != PH_OK) {
        return status;
    }
    status = result_file_open(&writer->file, table->def->path, false, error);
    if (status == PH_OK) {
        status = make_file(writer, error);
        status = status != PH_OK ? status : take_over(writer, &found, rows, error);
        result_file_close(&writer->file, NULL);
    }
    if (status != PH_OK) {
        result_file_close(&found, NULL);
        return status;
    }
    writer->file = found;
    *self = writer;
    return PH_OK;
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
    return result_file_write(&writer->file, writer->column, (size_t)count * bytes,
                             writer->offsets[index] + first * (long long)bytes, error);
}

static ph_status hdf5_write(void *self, const double *rows, long long first, int count, ph_error *error)
{
    hdf5_writer *writer = self;
    const long long valid = first + count;
    ph_status status = make_column_room(writer, count, error);
    for (int i = 0; status == PH_OK && i < writer->table->field_count; i++) {
        status = write_field(writer, i, rows, first, count, error);
    }
    return status == PH_OK ? result_file_write(&writer->file, &valid, sizeof valid, writer->rows_offset, error)
                           : status;
}

static ph_status hdf5_sync(void *self, ph_error *error)
{
    hdf5_writer *writer = self;
    return result_file_sync(&writer->file, error);
}

static ph_status hdf5_close(void *self, ph_error *error)
{
    hdf5_writer *writer = self;
    return result_file_close(&writer->file, error);
}

const result_format result_hdf5 = {hdf5_create, hdf5_resume, hdf5_write, hdf5_sync, hdf5_close};
