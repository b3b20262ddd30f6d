// All that changes in an instance, as bytes: for going back to it, now or in another process.
//
//     u64  bytes of the scheme's name, steps and parameters: texts and numbers as they lie in memory here
//     ...  the state, as ph_state_save_memory writes it

#include "fmu/fmu.h"

#include <stdlib.h>
#include <string.h>

typedef struct head {
    uint64_t bytes; // of the whole
    double step, reached;
    uint64_t touching;
    int64_t parameters;
    char scheme[FMU_NAME];
} head;

static int parameter_count(const fmu *f)
{
    int count = 0;
    for (int i = 0; i < f->count; i++) count += f->variables[i].kind == VARIABLE_PARAMETER;
    return count;
}

void *fmu_save(fmu *f, size_t *bytes)
{
    if (!fmu_settle(f)) return NULL;
    const int parameters = parameter_count(f);
    const size_t of_state = ph_state_saved_size(f->state);
    *bytes = sizeof(head) + (size_t)parameters * sizeof(double) + of_state;
    char *saved = calloc(1, *bytes);
    if (!saved) {
        fmu_fail(f, "out of memory");
        return NULL;
    }
    head h = {
        .bytes = *bytes, .step = f->step, .reached = f->reached, .touching = f->touching, .parameters = parameters};
    memcpy(h.scheme, f->scheme, sizeof h.scheme);
    memcpy(saved, &h, sizeof h);
    char *at = saved + sizeof h;
    for (int i = 0; i < f->count; i++) {
        if (f->variables[i].kind != VARIABLE_PARAMETER) continue;
        memcpy(at, &f->variables[i].value, sizeof(double));
        at += sizeof(double);
    }
    ph_error error;
    if (ph_state_save_memory(f->state, at, of_state, &error) == PH_OK) return saved;
    fmu_fail(f, "%s", error.text);
    free(saved);
    return NULL;
}

static void load_parameters(fmu *f, const char *at)
{
    for (int i = 0; i < f->count; i++) {
        if (f->variables[i].kind != VARIABLE_PARAMETER) continue;
        double value;
        memcpy(&value, at, sizeof value);
        at += sizeof value;
        f->stale = f->stale || value != f->variables[i].value;
        f->variables[i].value = value;
    }
}

bool fmu_load(fmu *f, const void *saved, size_t bytes)
{
    head h;
    ph_error error;
    if (bytes < sizeof h) return fmu_fail(f, "the saved state is cut off");
    memcpy(&h, saved, sizeof h);
    if (h.bytes != bytes || h.parameters != parameter_count(f) || !memchr(h.scheme, '\0', sizeof h.scheme) ||
        bytes < sizeof h + (size_t)h.parameters * sizeof(double) || !(h.step > 0.0)) {
        return fmu_fail(f, "the saved state is damaged, or of another FMU");
    }
    const char *at = (const char *)saved + sizeof h;
    load_parameters(f, at);
    f->stale = f->stale || strcmp(f->scheme, h.scheme) != 0;
    memcpy(f->scheme, h.scheme, sizeof h.scheme);
    f->step = h.step;
    at += (size_t)h.parameters * sizeof(double);
    if (!fmu_settle(f)) return false;
    fmu_forget_values(f);
    f->touching = h.touching;
    f->reached = h.reached;
    f->terminated = false;
    const size_t left = bytes - (size_t)(at - (const char *)saved);
    return ph_state_load_memory(f->state, at, left, &error) == PH_OK || fmu_fail(f, "%s", error.text);
}
