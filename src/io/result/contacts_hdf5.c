// The contacts of a whole run, added to a copy of the result that then takes its place: whoever reads meets the one or the other.
#include "io/result/contacts.h"

#include "base/error.h"
#include "base/file.h"
#include "io/result/contain.h"
#include "io/result/hdf5_quiet.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct adding {
    const char *path; // of the copy
    const char *data;
    long long rows, contacts;
} adding;

// Where the numbers of a dataset stand in a recorded contact.
typedef struct part {
    const char *name;
    size_t first;
    int columns;
    bool whole; // int64 in place of double
} part;

static const part parts[] = {
    {"bodies", offsetof(recorded_contact, bodies), 2, true},  {"point", offsetof(recorded_contact, point), 3, false},
    {"normal", offsetof(recorded_contact, normal), 3, false}, {"force", offsetof(recorded_contact, force), 3, false},
    {"gap", offsetof(recorded_contact, gap), 1, false},
};

static bool add(hid_t group, const char *name, hid_t type, long long rows, int columns, const void *values)
{
    const hsize_t size[2] = {(hsize_t)rows, (hsize_t)columns};
    const hid_t space = H5Screate_simple(columns > 1 ? 2 : 1, size, NULL);
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    bool good = H5Pset_obj_track_times(properties, false) >= 0;
    const hid_t dataset = good ? H5Dcreate2(group, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT) : -1;
    good = dataset >= 0 && (rows == 0 || H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    if (dataset >= 0) good = H5Dclose(dataset) >= 0 && good;
    H5Pclose(properties);
    H5Sclose(space);
    return good;
}

// offset[row] .. offset[row + 1] are the contacts of a row.
static bool add_offsets(hid_t group, const adding *a)
{
    long long *offset = mem_alloc_array(NULL, (size_t)a->rows + 1, sizeof *offset);
    const char *at = a->data;
    for (long long row = 0; offset && row < a->rows; row++) {
        int64_t count;
        memcpy(&count, at, sizeof count);
        offset[row + 1] = offset[row] + count;
        at += sizeof count + (size_t)count * sizeof(recorded_contact);
    }
    const bool good = offset && add(group, "offset", H5T_NATIVE_LLONG, a->rows + 1, 1, offset);
    mem_free(NULL, offset);
    return good;
}

static bool add_part(hid_t group, const adding *a, const part *p)
{
    const size_t bytes = (size_t)p->columns * 8;
    char *column = mem_alloc_array(NULL, (size_t)a->contacts + 1, bytes), *to = column;
    const char *at = a->data;
    for (long long row = 0; column && row < a->rows; row++) {
        int64_t count;
        memcpy(&count, at, sizeof count);
        at += sizeof count;
        for (int64_t k = 0; k < count; k++, at += sizeof(recorded_contact), to += bytes)
            memcpy(to, at + p->first, bytes);
    }
    const bool good =
        column && add(group, p->name, p->whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, a->contacts, p->columns, column);
    mem_free(NULL, column);
    return good;
}

static bool add_all(const adding *a)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    bool good = H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0;
#if H5_VERSION_GE(1, 10, 7)
    good = good && H5Pset_file_locking(access, false, true) >= 0;
#endif
    const hid_t file = good ? H5Fopen(a->path, H5F_ACC_RDWR, access) : -1;
    const hid_t properties = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(properties, false);
    const hid_t group = file >= 0 ? H5Gcreate2(file, "contacts", H5P_DEFAULT, properties, H5P_DEFAULT) : -1;
    good = group >= 0 && add_offsets(group, a);
    for (size_t k = 0; good && k < sizeof parts / sizeof *parts; k++) good = add_part(group, a, &parts[k]);
    if (group >= 0) good = H5Gclose(group) >= 0 && good;
    if (file >= 0) good = H5Fclose(file) >= 0 && good;
    H5Pclose(properties);
    H5Pclose(access);
    return good;
}

static void add_in_child(void *user, parcel *parcel)
{
    char reason[256] = "";
    hdf5_enter();
    if (!add_all(user)) hdf5_reason(reason, "HDF5 failed");
    hdf5_leave();
    parcel_put(parcel, reason, strlen(reason) + 1);
}

static ph_status copy_bytes(const output_file *from, output_file *to, ph_error *error)
{
    enum { PIECE = 1 << 20 };
    char *piece = mem_alloc(NULL, PIECE);
    ph_status status = piece ? PH_OK : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    long long at = 0;
    for (ssize_t n = 1; status == PH_OK && n > 0; at += n) {
        n = pread(from->descriptor, piece, PIECE, (off_t)at);
        if (n < 0) status = error_set(error, PH_IO, "cannot read '%s'", from->path);
        if (n > 0) status = output_file_write(to, piece, (size_t)n, at, error);
    }
    mem_free(NULL, piece);
    return status;
}

static ph_status add_to(output_file *copy, adding *a, ph_error *error)
{
    enum { PATIENCE = 3600 }; // s
    char *answer = NULL;
    size_t bytes = 0;
    a->path = copy->temporary;
    const ph_status status = contain(add_in_child, a, PATIENCE, 4096, &answer, &bytes);
    const char *reason =
        status != PH_OK || bytes == 0 ? contain_reason(status != PH_OK ? status : PH_BAD_ARGUMENT) : answer;
    const ph_status result =
        *reason ? error_set(error, PH_IO, "cannot add the contacts to '%s': %s", copy->path, reason) : PH_OK;
    mem_free(NULL, answer);
    return result;
}

ph_status contact_record_to_hdf5(const char *result, const char *data, long long rows, long long contacts,
                                 ph_error *error)
{
    adding a = {.data = data, .rows = rows, .contacts = contacts};
    output_file whole, copy;
    ph_status status = output_file_reopen(&whole, result, error);
    if (status != PH_OK) return status;
    status = output_file_open(&copy, result, false, error);
    if (status == PH_OK) {
        status = copy_bytes(&whole, &copy, error);
        if (status == PH_OK) status = add_to(&copy, &a, error);
        if (status == PH_OK) status = output_file_publish(&copy, error);
        const ph_status closed = output_file_close(&copy, status == PH_OK ? error : NULL);
        status = status != PH_OK ? status : closed;
    }
    output_file_close(&whole, NULL);
    return status;
}
