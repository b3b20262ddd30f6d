// Work on a file that nobody vouches for, in a process of its own.
//
// HDF5 1.10 can be made to crash or to run on and on by a few wrong bytes in a file. So the parts that HDF5 must read are
// read in a child process, which sends back what it found; when it ends early, for whatever reason, the file is
// damaged and this process goes on.
#ifndef PH_IO_RESULT_CONTAIN_H
#define PH_IO_RESULT_CONTAIN_H

#include "polhode/base.h"

// Where the child puts its answer.
typedef struct parcel {
    int descriptor;
    bool failed;
    size_t waiting;
    char buffer[1 << 14];
} parcel;

void parcel_put(parcel *parcel, const void *data, size_t bytes);

// Runs work(user, parcel) in a child process and returns all it has put, for mem_free(NULL, ...). PH_BAD_ARGUMENT: it ended
// before `work` returned, or put more than `most` bytes, or used more than `seconds` of the processor.
ph_status contain(void (*work)(void *user, parcel *parcel), void *user, int seconds, size_t most, char **answer,
                  size_t *bytes);

// What to tell a user when a file could not be written that way.
const char *contain_reason(ph_status status);

#endif
