// HDF5 for tests that look into files themselves: what it has read is vouched for to clang's memory sanitizer (base/foreign.h).
#ifndef TESTS_HDF5_FOREIGN_H
#define TESTS_HDF5_FOREIGN_H

#include "base/foreign.h"

#include <hdf5.h>

#ifdef PH_MEMORY_SANITIZER

__attribute__((constructor)) static void trust_hdf5(void)
{
    foreign_enter();
}

static inline void vouch_for(hid_t space, hid_t type, void *values)
{
    const size_t count = (size_t)H5Sget_simple_extent_npoints(space);
    foreign_wrote(values, count * H5Tget_size(type));
    for (size_t i = 0; H5Tis_variable_str(type) > 0 && i < count; i++) {
        foreign_wrote_text(((char **)values)[i]);
    }
    H5Sclose(space);
}

static inline herr_t read_dataset_of(hid_t dataset, hid_t type, hid_t memory, hid_t file, hid_t list, void *values)
{
    const herr_t status = H5Dread(dataset, type, memory, file, list, values);
    vouch_for(H5Dget_space(dataset), type, values);
    return status;
}

static inline herr_t read_attribute_of(hid_t attribute, hid_t type, void *values)
{
    const herr_t status = H5Aread(attribute, type, values);
    vouch_for(H5Aget_space(attribute), type, values);
    return status;
}

static inline int read_extent_of(hid_t space, hsize_t *size, hsize_t *most)
{
    const int rank = H5Sget_simple_extent_dims(space, size, most);
    foreign_wrote(size, (size_t)(rank > 0 ? rank : 0) * sizeof *size);
    return rank;
}

#define H5Dread read_dataset_of
#define H5Aread read_attribute_of
#undef H5Sget_simple_extent_dims
#define H5Sget_simple_extent_dims read_extent_of
#endif

#endif
