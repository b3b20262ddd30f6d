// HDF5 results behind HDF5: the index as the process that reads with HDF5 sends it, which a hostile file may have led astray.
// What is accepted is read to the last number. Arrays that HDF5 itself must read are left out: they cost a process each.

#include "fuzz_result.h"

#include "io/result/index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ph_error error = {.text = ""};
    size = size < FUZZ_FILE_BYTES ? size : FUZZ_FILE_BYTES;
    ph_result *result =
        fuzz_result_create("a.h5", data, size, FUZZ_FILE_BYTES); // numbers are as hostile as their index
    result_reader reader = {.result = result, .bytes = FUZZ_FILE_BYTES, .error = &error, .status = PH_OK};
    if (result_unpack(result, (const char *)data, size, &error) == PH_OK && result_check(&reader)) {
        fuzz_result_read(result);
    } else {
        MUST(error.text[0]); // no failure without a reason
    }
    ph_result_destroy(result);
    return 0;
}
