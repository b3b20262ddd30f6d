// Quicksort in place, by heap where it goes too deep: no memory, no worst case.
#include "base/sort.h"

static void sift(uint64_t *heap, int from, int count)
{
    const uint64_t value = heap[from];
    for (int child; (child = 2 * from + 1) < count; from = child) {
        if (child + 1 < count && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= value) break;
        heap[from] = heap[child];
        heap[child] = value;
    }
}

static void sort_by_heap(uint64_t *keys, int count)
{
    for (int k = count / 2 - 1; k >= 0; k--) sift(keys, k, count);
    for (int end = count - 1; end > 0; end--) {
        const uint64_t largest = keys[0];
        keys[0] = keys[end];
        keys[end] = largest;
        sift(keys, 0, end);
    }
}

void sort_few(uint64_t *keys, int count)
{
    for (int k = 1; k < count; k++) {
        const uint64_t key = keys[k];
        int at = k;
        for (; at > 0 && keys[at - 1] > key; at--) keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

static uint64_t middle_of(uint64_t a, uint64_t b, uint64_t c)
{
    return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

// Quicksort, by heap where it goes too deep.
static void sort_by_parts(uint64_t *keys, int count, int depth)
{
    enum { FEW = 24 };
    while (count > FEW) {
        if (depth-- == 0) {
            sort_by_heap(keys, count);
            return;
        }
        const uint64_t pivot = middle_of(keys[0], keys[count / 2], keys[count - 1]);
        int i = 0, j = count - 1;
        while (i <= j) {
            while (keys[i] < pivot) i++;
            while (keys[j] > pivot) j--;
            if (i > j) break;
            const uint64_t swap = keys[i];
            keys[i++] = keys[j];
            keys[j--] = swap;
        }
        sort_by_parts(keys + i, count - i, depth);
        count = j + 1;
    }
    sort_few(keys, count);
}

void sort_keys(uint64_t *keys, int count)
{
    enum { DEEP = 64 };
    sort_by_parts(keys, count, DEEP);
}
