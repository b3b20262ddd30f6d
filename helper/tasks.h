// What the helper can do. A task takes its request from the opener and puts its answer into the parcel; false: the request makes no
// sense, and there is no answer.
#ifndef HELPER_TASKS_H
#define HELPER_TASKS_H

#include "io/result/parcel.h"

bool task_make(opener *request, parcel *answer);     // a new result file, empty
bool task_index(opener *request, parcel *answer);    // what a result file holds and where
bool task_fetch(opener *request, parcel *answer);    // numbers that only HDF5 can read
bool task_contacts(opener *request, parcel *answer); // adds the contacts of a whole run

#endif
