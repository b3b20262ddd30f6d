// HDF5 in a program of its own, polhode-hdf5 (helper/), which is installed with the library.
//
// A few wrong bytes in a file can make HDF5 crash or run on and on, and after a write that failed it crashes when the program
// ends. HDF5 also keeps state that another thread of the program around us may be using. So a helper does what HDF5 must do, sends
// back what came of it, and is gone; when it ends early, for whatever reason, this process goes on.
#ifndef PH_IO_RESULT_HELPER_H
#define PH_IO_RESULT_HELPER_H

#include "io/result/parcel.h"

// Both sides must mean the same by a request: the version of the library, and of what is packed as it lies in memory.
#define HELPER_VERSION POLHODE_VERSION "-1"

// A whole answer ends with this: the exit status of the helper may have been taken by the program around us.
#define HELPER_END "polhode-hdf5 " HELPER_VERSION
// All that a helper of another version answers.
#define HELPER_OTHER "polhode-hdf5 is of version "

// Gives the request to the helper's task of this name ("make", "index", "fetch", "contacts") and empties it. The answer is for
// mem_free(NULL, ...). PH_IO: there is no helper. PH_NOT_SUPPORTED: it is of another version. PH_BAD_ARGUMENT: it ended early,
// answered more than `most` bytes or used more than `seconds` of the processor.
ph_status helper_ask(const char *task, parcel *request, int seconds, size_t most, char **answer, size_t *bytes);

// What to tell a user when the answer was not PH_OK.
const char *helper_reason(ph_status status);

#endif
