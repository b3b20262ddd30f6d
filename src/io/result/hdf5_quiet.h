// HDF5 without its printing. Only for processes of its own (contain.h), which have one thread: the library may have been
// built without thread safety, runs in several threads may start at the same time, and a lock that one of them holds while
// another makes its process would be held in there for ever.
#ifndef PH_IO_RESULT_HDF5_QUIET_H
#define PH_IO_RESULT_HDF5_QUIET_H

#include <hdf5.h>

void hdf5_enter(void);
void hdf5_leave(void);

// The most specific message of the last failure; `otherwise` when there is none.
void hdf5_reason(char text[256], const char *otherwise);

#endif
