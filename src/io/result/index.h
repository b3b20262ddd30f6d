// The index of a result on its way from the helper that made it (helper.h).
#ifndef PH_IO_RESULT_INDEX_H
#define PH_IO_RESULT_INDEX_H

#include "io/result/parcel.h"
#include "io/result/read.h"

void result_pack(const ph_result *result, ph_status status, const ph_error *error, parcel *parcel);

// Fills `result` and returns the status that was packed.
ph_status result_unpack(ph_result *result, const char *packed, size_t bytes, ph_error *error);

#endif
