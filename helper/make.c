// Making a result file: datasets and attributes in the order they are asked for, nothing written but their shapes.

#include "helper/quiet.h"
#include "helper/tasks.h"

#include "base/error.h"
#include "io/result/recipe.h"

#include <string.h>

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

static bool add_attribute(hid_t to, const char *name, hid_t type, hid_t space, const void *value)
{
    const hid_t attribute = H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0) {
        return false;
    }
    const bool good = H5Awrite(attribute, type, value) >= 0;
    return H5Aclose(attribute) >= 0 && good;
}

// ---- One line of the recipe ------------------------------------------------------------------------------------------

static hid_t take_space(opener *request, const maker *m)
{
    hsize_t size[RECIPE_RANK_MAX];
    const int rank = take_int(request);
    for (int i = 0; i < rank && i < RECIPE_RANK_MAX; i++) size[i] = (hsize_t)take_number(request);
    if (rank < 0 || rank > RECIPE_RANK_MAX || request->failed) return H5I_INVALID_HID;
    return rank == 0 ? H5Scopy(m->scalar) : H5Screate_simple(rank, size, NULL);
}

// Its place goes into the answer.
static bool take_dataset(maker *m, opener *request, parcel *answer)
{
    long long offset = 0;
    char *path = take_text(request);
    const hid_t type = take_int(request) == RECIPE_DOUBLE ? H5T_NATIVE_DOUBLE : H5T_NATIVE_LLONG;
    const hid_t space = take_space(request, m);
    const bool good = *path && space >= 0 && add_groups(m, path) && add_dataset(m, path, type, space, &offset);
    if (space >= 0) H5Sclose(space);
    parcel_put_number(answer, offset);
    return good;
}

static const void *take_values(opener *request, recipe_type type, int *count)
{
    if (type == RECIPE_TEXT) return take_texts(request, count);
    *count = take_int(request);
    const size_t bytes = type == RECIPE_DOUBLE ? sizeof(double) : sizeof(int);
    return *count >= 0 ? take_block(request, (size_t)*count * bytes) : NULL;
}

// One value alone is a scalar only when it is said to be.
static bool put_attribute(maker *m, hid_t to, const char *name, opener *request)
{
    const recipe_type type = (recipe_type)take_int(request);
    const bool is_list = take_int(request) != 0;
    int count = 0;
    const void *values = take_values(request, type, &count);
    const hsize_t size = (hsize_t)count;
    const hid_t space = is_list ? H5Screate_simple(1, &size, NULL) : H5Scopy(m->scalar);
    const bool good = values && !request->failed && (is_list || count == 1) && space >= 0 &&
                      add_attribute(to, name,
                                    type == RECIPE_TEXT     ? m->text
                                    : type == RECIPE_DOUBLE ? H5T_NATIVE_DOUBLE
                                                            : H5T_NATIVE_INT,
                                    space, values);
    if (space >= 0) H5Sclose(space);
    return good;
}

static bool take_attribute(maker *m, opener *request)
{
    const char *of = take_text(request), *name = take_text(request);
    if (!*of) return put_attribute(m, m->file, name, request);
    const hid_t dataset = H5Dopen2(m->file, of, H5P_DEFAULT);
    const bool good = dataset >= 0 && put_attribute(m, dataset, name, request);
    return (dataset < 0 || H5Dclose(dataset) >= 0) && good;
}

static bool follow_recipe(maker *m, opener *request, parcel *answer)
{
    for (;;) {
        const recipe_line line = (recipe_line)take_int(request);
        if (request->failed) return false;
        if (line == RECIPE_END) return true;
        if (line == RECIPE_DATASET ? !take_dataset(m, request, answer) : !take_attribute(m, request)) return false;
    }
}

// The answer: why it failed, or "", and behind it the places of the datasets.
bool task_make(opener *request, parcel *answer)
{
    const char *path = take_text(request);
    char reason[256] = "";
    parcel places = {0};
    maker m = {0};
    hdf5_enter();
    const bool good = maker_open(&m, path) && follow_recipe(&m, request, &places);
    if (!good) hdf5_reason(reason, "HDF5 failed");
    if (!maker_close(&m) && good) hdf5_reason(reason, "HDF5 failed");
    hdf5_leave();
    reason[strcspn(reason, "\n")] = '\0';
    parcel_put(answer, reason, strlen(reason) + 1);
    parcel_put(answer, places.data, places.length);
    return !request->failed && !places.failed;
}
