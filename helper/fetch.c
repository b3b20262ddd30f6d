// Numbers that only HDF5 can read: packed, of another type, in pieces.

#include "helper/quiet.h"
#include "helper/tasks.h"

#include "base/foreign.h"
#include "io/result/recipe.h"

typedef struct slab {
    int rank;
    hsize_t start[RECIPE_RANK_MAX], size[RECIPE_RANK_MAX];
} slab;

static bool read_slab(const char *path, const char *name, const slab *s, double *room)
{
    const hid_t file = hdf5_open(path);
    const hid_t dataset = file >= 0 ? H5Dopen2(file, name, H5P_DEFAULT) : H5I_INVALID_HID;
    const hid_t space = dataset >= 0 ? H5Dget_space(dataset) : H5I_INVALID_HID;
    return H5Sget_simple_extent_ndims(space) == s->rank &&
           H5Sselect_hyperslab(space, H5S_SELECT_SET, s->start, NULL, s->size, NULL) >= 0 &&
           H5Dread(dataset, H5T_NATIVE_DOUBLE, H5Screate_simple(s->rank, s->size, NULL), space, H5P_DEFAULT, room) >= 0;
}

static bool take_slab(opener *request, slab *s)
{
    *s = (slab){.rank = take_int(request)};
    if (s->rank < 1 || s->rank > RECIPE_RANK_MAX) return false;
    s->start[0] = (hsize_t)take_number(request);
    for (int i = 0; i < s->rank; i++) s->size[i] = (hsize_t)take_number(request);
    return !request->failed;
}

// The request: the path, the dataset, its rank, the first row, how many rows, the other sizes. What is open goes with the process.
bool task_fetch(opener *request, parcel *answer)
{
    const char *path = take_text(request), *name = take_text(request);
    slab s;
    if (!take_slab(request, &s)) return false;
    size_t count = 1;
    for (int i = 0; i < s.rank; i++) count *= (size_t)s.size[i];
    double *room = mem_alloc_array(NULL, count, sizeof *room);
    if (!room) return false;
    hdf5_enter();
    const bool good = read_slab(path, name, &s, room);
    hdf5_leave();
    foreign_wrote(room, count * sizeof *room);
    if (good) parcel_put(answer, room, count * sizeof *room);
    mem_free(NULL, room);
    return true;
}
