// HDF5 for one caller at a time, and without its printing: the library may have been built without thread safety, and
// runs in several threads may start at the same time.
#ifndef PH_IO_HDF5_QUIET_H
#define PH_IO_HDF5_QUIET_H

#include <hdf5.h>

typedef struct hdf5_printing {
    H5E_auto2_t print;
    void *data;
} hdf5_printing;

hdf5_printing hdf5_enter(void);
void hdf5_leave(hdf5_printing before);

// The most specific message of the last failure; `otherwise` when there is none.
void hdf5_reason(char text[256], const char *otherwise);

#endif
