// HDF5 without its printing.
#ifndef HELPER_QUIET_H
#define HELPER_QUIET_H

#include <hdf5.h>

void hdf5_enter(void);
void hdf5_leave(void);

// The most specific message of the last failure; `otherwise` when there is none.
void hdf5_reason(char text[256], const char *otherwise);

// A file that is only read; negative after a failure.
hid_t hdf5_open(const char *path);

#endif
