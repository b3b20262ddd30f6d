// HDF5 results: opened, and every array of them read. HDF5 works in a process of its own, which costs a fork for each input.

#include "fuzz.h"

#include "polhode/result.h"

#include <stdio.h>
#include <unistd.h>

static void read_all(ph_result *result)
{
    for (int i = 0; i < ph_result_fields(result); i++) {
        const ph_result_field field = ph_result_field_get(result, i);
        const long long rows = ph_result_field_rows(result, i);
        double value;
        if (rows > 0 && field.width > 0) {
            ph_result_read(result, i, rows - 1, 1, 1, field.width - 1, 1, &value, NULL);
        }
        ph_result_values(result, i, NULL);
    }
    ph_result_refresh(result, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/dev/shm/polhode-fuzz-%ld.h5", (long)getpid());
    FILE *file = fopen(path, "wb");
    MUST(file && fwrite(data, 1, size, file) == size);
    fclose(file);
    ph_result *result = NULL;
    ph_error error = {.text = ""};
    const ph_status status = ph_result_open(path, &result, &error);
    MUST((status == PH_OK) == (result != NULL));
    MUST(status == PH_OK || error.text[0]);
    if (result) {
        read_all(result);
    }
    ph_result_destroy(result);
    unlink(path);
    return 0;
}
