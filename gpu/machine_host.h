// The processor as a machine: for tests of the kernels' text where there is no card.
#ifndef CARD_MACHINE_HOST_H
#define CARD_MACHINE_HOST_H

#include <stdlib.h>

static bool machine_open(machine *m)
{
    *m = (machine){.name = "the processor, one element after the other"};
    return true;
}

static void machine_close(machine *m)
{
    free(m->room);
}

static void *machine_take(machine *m, size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (memory)
        m->held += bytes;
    else
        memcpy(m->failure, "out of memory", sizeof "out of memory");
    return memory;
}

static void machine_give(machine *m, void *memory, size_t bytes)
{
    free(memory);
    m->held -= bytes;
}

static void machine_fill(machine *m, void *to, int byte, size_t bytes)
{
    (void)m;
    memset(to, byte, bytes);
}

static void machine_copy(machine *m, void *to, const void *from, size_t bytes)
{
    (void)m;
    memcpy(to, from, bytes);
}

static void machine_put(machine *m, void *to, const void *from, size_t bytes)
{
    machine_copy(m, to, from, bytes);
}

static void machine_get(machine *m, void *to, const void *from, size_t bytes)
{
    machine_copy(m, to, from, bytes);
}

static bool machine_reserve(machine *m, size_t bytes)
{
    if (bytes <= m->room_bytes) return true;
    free(m->room);
    m->room = malloc(bytes);
    m->room_bytes = m->room ? bytes : 0;
    if (!m->room) memcpy(m->failure, "out of memory", sizeof "out of memory");
    return m->room;
}

enum { DIGIT = 256 };

static void sort_digit(const uint32_t *keys, uint32_t *keys_out, const int *values, int *values_out, int n, int shift)
{
    int at[DIGIT + 1] = {0};
    for (int k = 0; k < n; k++) at[(keys[k] >> shift) % DIGIT + 1]++;
    for (int d = 0; d < DIGIT; d++) at[d + 1] += at[d];
    for (int k = 0; k < n; k++) {
        const int to = at[(keys[k] >> shift) % DIGIT]++;
        keys_out[to] = keys[k];
        values_out[to] = values[k];
    }
}

static void machine_sort(machine *m, const uint32_t *keys, uint32_t *keys_out, const int *values, int *values_out,
                         int n, int bits)
{
    const size_t count = (size_t)n;
    if (!machine_reserve(m, 8 * count + 8)) return;
    uint32_t *key = m->room;
    int *value = (int *)(key + count);
    memcpy(keys_out, keys, 4 * count);
    memcpy(values_out, values, 4 * count);
    for (int shift = 0; shift < bits; shift += 8) {
        memcpy(key, keys_out, 4 * count);
        memcpy(value, values_out, 4 * count);
        sort_digit(key, keys_out, value, values_out, n, shift);
    }
}

static void machine_scan(machine *m, const int *in, int *out, int n)
{
    (void)m;
    for (int k = 0, sum = 0; k < n; k++) {
        const int next = in[k];
        out[k] = sum;
        sum += next;
    }
}

// 256 numbers at a time, as the card does: i with i + 128, then with i + 64, and so on.
static void reduce(double *in, int n, double *out, bool largest)
{
    for (; n > 1; n = (n + 255) / 256)
        for (int from = 0; from < n; from += 256) {
            double t[256] = {0};
            for (int k = 0; k < 256 && from + k < n; k++) t[k] = in[from + k];
            for (int half = 128; half > 0; half /= 2)
                for (int k = 0; k < half; k++)
                    t[k] = largest ? (t[k + half] > t[k] ? t[k + half] : t[k]) : t[k] + t[k + half];
            in[from / 256] = t[0];
        }
    *out = n > 0 ? in[0] : 0.0;
}

static void machine_sum(machine *m, double *in, int n, double *out)
{
    reduce(in, n, out, false);
    machine_combine(m, out, false);
}

static void machine_largest(machine *m, double *in, int n, double *out)
{
    reduce(in, n, out, true);
    machine_combine(m, out, true);
}

#endif
