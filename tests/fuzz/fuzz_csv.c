// CSV results: read whole, and every quantity of them.

#include "fuzz_result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ph_error error = {.text = ""};
    ph_result *result = fuzz_result_create("a.csv", data, size, size);
    const ph_status status = result_index_csv(result, &error);
    MUST(status == PH_OK || error.text[0]);
    if (status == PH_OK) {
        fuzz_result_read(result);
    }
    ph_result_destroy(result);
    return 0;
}
