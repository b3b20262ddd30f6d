// Making a result file: all that HDF5 has to do when one is written. See hdf5.c.
//
// Names of joints become names of groups. A model takes no '/' in them; the name ".", which HDF5 gives a meaning of its
// own, is written "%2E". The attributes `bodies` and `joints` of the file hold the names as they are, in the order of the
// model.

#include "io/result/contain.h"
#include "io/result/hdf5_quiet.h"
#include "io/result/hdf5_writer.h"

#include "base/error.h"
#include "model/model.h"
#include "polhode/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESULT_VERSION = 1, PATH_ROOM = 64 };

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
    const hsize_t size[4] = {(hsize_t)writer->capacity, (hsize_t)field->shape[0], (hsize_t)field->shape[1],
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

// What the numbers of /contact/solver mean.
static bool add_solvers(maker *m)
{
    const char *names[PH_CONTACT_SOLVERS];
    int count = 0;
    for (; count < PH_CONTACT_SOLVERS && ph_contact_solver_name(count); count++)
        names[count] = ph_contact_solver_name(count);
    return add_names(m, "contact_solvers", names, count);
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
    good = good && add_names(m, "joints", list, model->joint_count);
    return good && (!model->has_contact || add_solvers(m));
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
ph_status hdf5_make_file(hdf5_writer *writer, ph_error *error)
{
    enum { PATIENCE = 600 }; // s
    const size_t places = (size_t)writer->table->field_count * sizeof *writer->offsets;
    char *answer = NULL;
    size_t bytes = 0;
    ph_status status = contain(make_in_child, writer, PATIENCE, places + 4096, &answer, &bytes);
    if (status != PH_OK) {
        return error_set(error, status == PH_OUT_OF_MEMORY ? status : PH_IO, "cannot write '%s': %s", writer->file.path,
                         contain_reason(status));
    }
    const char *reason = answer, *at = reason + strlen(reason) + 1;
    if (*reason) {
        status = error_set(error, PH_IO, "cannot write '%s': %s", writer->file.path, reason);
    } else if (bytes != 1 + sizeof writer->rows_offset + places) {
        status = error_set(error, PH_IO, "cannot write '%s': %s", writer->file.path, contain_reason(PH_BAD_ARGUMENT));
    } else {
        memcpy(&writer->rows_offset, at, sizeof writer->rows_offset);
        memcpy(writer->offsets, at + sizeof writer->rows_offset, places);
    }
    mem_free(NULL, answer);
    return status;
}

// ---- The writer -----------------------------------------------------------------------------------------------------

hdf5_writer *hdf5_writer_create(const result_table *table, arena *memory, ph_error *error)
{
    const ph_model *model = table->model;
    const size_t bodies = (size_t)model->body_count, joints = (size_t)model->joint_count;
    hdf5_writer *writer = arena_alloc(memory, sizeof *writer);
    if (!writer) {
        error_set(error, PH_OUT_OF_MEMORY, "out of memory");
        return NULL;
    }
    *writer = (hdf5_writer){.table = table, .memory = memory, .path_room = find_path_room(table)};
    writer->capacity = table->def->rows;
    writer->path = arena_alloc(memory, writer->path_room);
    writer->names = arena_alloc_array(memory, bodies > joints ? bodies : joints, sizeof *writer->names);
    writer->offsets = arena_alloc_array(memory, (size_t)table->field_count, sizeof *writer->offsets);
    if (!writer->path || !writer->names || !writer->offsets) {
        error_set(error, PH_OUT_OF_MEMORY, "out of memory");
        return NULL;
    }
    return writer;
}
