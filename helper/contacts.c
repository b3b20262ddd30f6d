// The contacts of a whole run, which wait in a file of their own, become datasets of the result.

#include "helper/quiet.h"
#include "helper/tasks.h"

#include "io/result/contacts.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct adding {
    const char *path; // of the result
    const char *data; // row after row: how many, then as many recorded_contact
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

static const char *map_file(const char *path)
{
    struct stat info;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &info) != 0 || info.st_size == 0) return NULL;
    const char *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    return data == MAP_FAILED ? NULL : data;
}

// The request: the result, the file with the contacts, rows, contacts. The answer: why it failed, or "".
bool task_contacts(opener *request, parcel *answer)
{
    char reason[256] = "";
    adding a = {.path = take_text(request)};
    a.data = map_file(take_text(request));
    a.rows = take_number(request);
    a.contacts = take_number(request);
    if (request->failed || !a.data) return false;
    hdf5_enter();
    if (!add_all(&a)) hdf5_reason(reason, "HDF5 failed");
    hdf5_leave();
    parcel_put(answer, reason, strlen(reason) + 1);
    return true;
}
