// Memory through a ph_allocator, and an arena that is freed in one call. Nothing here is fatal: NULL means out of memory
// (or a size that overflows).
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "polhode/base.h"

// ---- Single blocks --------------------------------------------------------------------------------------------------

// `allocator` NULL: malloc and free. Blocks are zeroed. mem_free takes NULL.
void *mem_alloc(const ph_allocator *allocator, size_t bytes);
void *mem_alloc_array(const ph_allocator *allocator, size_t count, size_t size);
void mem_free(const ph_allocator *allocator, void *block);
char *mem_copy_string(const ph_allocator *allocator, const char *text); // NULL for NULL

// Makes room for `needed` elements of `size` bytes in the growable array *array with room for *capacity, at least
// doubling it, or beyond 4 kB adding a sixteenth. New room is zeroed. On failure nothing changes and the answer is false.
bool mem_reserve(const ph_allocator *allocator, void *array, int *capacity, int needed, size_t size);

// Likewise, and counts when memory was asked for.
static inline bool mem_reserve_counted(const ph_allocator *allocator, void *array, int *capacity, int needed,
                                       size_t size, int *growths)
{
    *growths += needed > *capacity;
    return mem_reserve(allocator, array, capacity, needed, size);
}

// ---- Arena ----------------------------------------------------------------------------------------------------------

typedef struct arena arena;

arena *arena_create(const ph_allocator *allocator);
void arena_destroy(arena *arena); // frees everything taken from it; takes NULL

// Zeroed and aligned to 64 bytes (a cache line, and the widest vector). Size 0 gives a valid pointer.
void *arena_alloc(arena *arena, size_t bytes);
void *arena_alloc_array(arena *arena, size_t count, size_t size);
char *arena_copy_string(arena *arena, const char *text); // NULL for NULL

size_t arena_bytes(const arena *arena); // taken from the allocator so far
const ph_allocator *arena_allocator(const arena *arena);

#endif
