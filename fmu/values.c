// Many values in one call, and states to go back to: the loops that both interfaces need.

#include "fmu/fmu.h"

#include <stdlib.h>
#include <string.h>

// ---- Values ---------------------------------------------------------------------------------------------------------

bool fmu_get_numbers(fmu *f, const unsigned *references, size_t count, double *values)
{
    for (size_t i = 0; i < count; i++)
        if (!fmu_get(f, references[i], &values[i])) return false;
    return true;
}

bool fmu_set_numbers(fmu *f, const unsigned *references, size_t count, const double *values)
{
    for (size_t i = 0; i < count; i++)
        if (!fmu_set(f, references[i], values[i])) return false;
    return true;
}

bool fmu_get_integers(fmu *f, const unsigned *references, size_t count, int *values)
{
    for (size_t i = 0; i < count; i++) {
        double value;
        if (!fmu_get(f, references[i], &value)) return false;
        values[i] = (int)value;
    }
    return true;
}

bool fmu_get_texts(fmu *f, const unsigned *references, size_t count, const char **values)
{
    for (size_t i = 0; i < count; i++)
        if (!(values[i] = fmu_get_text(f, references[i]))) return false;
    return true;
}

bool fmu_set_texts(fmu *f, const unsigned *references, size_t count, const char *const *values)
{
    for (size_t i = 0; i < count; i++)
        if (!fmu_set_text(f, references[i], values[i])) return false;
    return true;
}

// ---- Going back -----------------------------------------------------------------------------------------------------

typedef struct snapshot {
    size_t bytes;
    void *saved;
} snapshot;

// The snapshot behind *state, without its bytes; a new one where there is none. NULL: out of memory.
static snapshot *emptied(fmu *f, void **state)
{
    snapshot *s = *state ? *state : calloc(1, sizeof *s);
    *state = s;
    if (!s) return fmu_fail(f, "out of memory"), NULL;
    free(s->saved);
    s->saved = NULL;
    return s;
}

bool fmu_snapshot(fmu *f, void **state)
{
    snapshot *s = emptied(f, state);
    if (s) s->saved = fmu_save(f, &s->bytes);
    return s && s->saved;
}

bool fmu_return_to(fmu *f, const void *state)
{
    const snapshot *s = state;
    return s && fmu_load(f, s->saved, s->bytes);
}

void fmu_snapshot_free(void **state)
{
    snapshot *s = state ? *state : NULL;
    if (s) free(s->saved);
    free(s);
    if (state) *state = NULL;
}

size_t fmu_snapshot_size(const void *state)
{
    return ((const snapshot *)state)->bytes;
}

bool fmu_snapshot_write(fmu *f, const void *state, void *bytes, size_t size)
{
    const snapshot *s = state;
    if (size < s->bytes) return fmu_fail(f, "there is no room for the saved state");
    memcpy(bytes, s->saved, s->bytes);
    return true;
}

bool fmu_snapshot_read(fmu *f, const void *bytes, size_t size, void **state)
{
    snapshot *s = emptied(f, state);
    if (!s) return false;
    s->bytes = size;
    s->saved = malloc(size + 1);
    if (!s->saved) return fmu_fail(f, "out of memory");
    memcpy(s->saved, bytes, size);
    return true;
}
