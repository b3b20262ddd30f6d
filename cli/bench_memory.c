#include "bench_memory.h"

#include <stddef.h>
#include <stdlib.h>

// The size stands before each block.
typedef union header {
    size_t bytes;
    max_align_t align;
} header;

static void *count_allocate(size_t bytes, void *user)
{
    double *held = user;
    header *block = malloc(sizeof *block + bytes);
    if (!block) return NULL;
    block->bytes = bytes;
    *held += (double)bytes;
    return block + 1;
}

static void count_release(void *memory, void *user)
{
    double *held = user;
    header *block = (header *)memory - 1;
    *held -= (double)block->bytes;
    free(block);
}

ph_allocator counting_allocator(double *held)
{
    return (ph_allocator){count_allocate, count_release, held};
}
