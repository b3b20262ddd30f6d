// The index of a result on its way from the process that reads with HDF5: it may have been taken over by a hostile file.

#include "fuzz.h"

#include "io/result_parcel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ph_result result = {.memory = arena_create(NULL), .path = "a.h5", .descriptor = -1};
    ph_error error;
    if (result.memory) {
        result_unpack(&result, (const char *)data, size, &error);
    }
    mem_free(NULL, result.arrays);
    arena_destroy(result.memory);
    return 0;
}
