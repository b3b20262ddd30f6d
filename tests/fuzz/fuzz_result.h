// A result whose file lies in memory, for readers of results.
#ifndef TESTS_FUZZ_RESULT_H
#define TESTS_FUZZ_RESULT_H

#include "fuzz.h"

#include "io/result/read.h"
#include "polhode/curve.h"

#include <stdio.h>
#include <unistd.h>

enum { FUZZ_FILE_BYTES = 1 << 16 };

// A file of `bytes` bytes that begins with `data`. It is made once: libFuzzer runs inputs one after another.
static inline int fuzz_result_file(const uint8_t *data, size_t size, size_t bytes)
{
    static int file = -1;
    if (file < 0) {
        char path[] = "/dev/shm/polhode-fuzz-XXXXXX";
        file = mkstemp(path);
        MUST(file >= 0 && unlink(path) == 0);
    }
    MUST(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == (ssize_t)size && ftruncate(file, (off_t)bytes) == 0);
    return dup(file);
}

static inline ph_result *fuzz_result_create(const char *path, const uint8_t *data, size_t size, size_t bytes)
{
    arena *memory = arena_create(NULL);
    ph_result *result = memory ? arena_alloc(memory, sizeof *result) : NULL;
    MUST(result);
    *result =
        (ph_result){.memory = memory, .path = path, .name = "", .scheme = "", .text = "", .settings = "", .folder = ""};
    result->descriptor = fuzz_result_file(data, size, bytes);
    result->rows_offset = -1;
    return result;
}

static inline void fuzz_read_curves(ph_result *result)
{
    ph_curves *curves = ph_curves_create(result);
    double *values = malloc((size_t)ph_result_rows(result) * sizeof *values + 8);
    for (int i = 0; values && curves && i < ph_curves_count(curves); i++) {
        ph_curves_read(curves, i, values, NULL);
    }
    free(values);
    ph_curves_destroy(curves);
}

// All numbers of all arrays but those that only HDF5 can read.
static inline void fuzz_result_read(ph_result *result)
{
    if (ph_result_refresh(result, NULL) != PH_OK) {
        return;
    }
    bool direct = true;
    for (int i = 0; i < ph_result_fields(result); i++) {
        if (result->arrays[i].kind == STORED_OTHERWISE) {
            direct = false;
            continue;
        }
        const long long rows = ph_result_field_rows(result, i);
        const size_t width = ph_result_field_get(result, i).width;
        double last;
        if (rows > 0 && width > 0) {
            ph_result_read(result, i, rows - 1, 1, 1, width - 1, 1, &last, NULL);
        }
        ph_result_values(result, i, NULL);
    }
    if (direct) {
        fuzz_read_curves(result);
    }
}

#endif
