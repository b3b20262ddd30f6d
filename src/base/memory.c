// Blocks and arenas.
//
// An arena is a list of chunks. A request that does not fit opens a new chunk, twice as large as the last up to 8 kB; one
// of a quarter of that or more gets a chunk of its own, so that nothing is left unused beside large arrays. Chunks are
// zeroed when they are opened, so that giving memory out is only pointer arithmetic.

#ifdef __linux__
#define _DEFAULT_SOURCE // NOLINT: madvise
#endif

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif
#endif

enum { ALIGNMENT = 64, FIRST_CHUNK = 4096, LARGEST_STEP = 1 << 13, LARGE = 1 << 12 };

// ---- Single blocks --------------------------------------------------------------------------------------------------

static void *allocate(const ph_allocator *allocator, size_t bytes)
{
    return allocator && allocator->allocate ? allocator->allocate(bytes, allocator->user) : malloc(bytes);
}

// Asks for large pages under large blocks: heaps of 100 000 bodies are read here and there all over, and processors know the
// places of some thousand pages only. A hint: it goes to whole small pages, and the system need not follow it.
static void ask_for_large_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const size_t large = (size_t)2 << 20, small = (size_t)sysconf(_SC_PAGESIZE), before = (uintptr_t)block % small;
    if (bytes >= large) madvise((char *)block - before, (before + bytes + small - 1) / small * small, MADV_HUGEPAGE);
#else
    (void)block, (void)bytes;
#endif
}

void *mem_alloc(const ph_allocator *allocator, size_t bytes)
{
    void *block = allocate(allocator, bytes ? bytes : 1);
    if (block) ask_for_large_pages(block, bytes);
    return block ? memset(block, 0, bytes) : NULL;
}

void *mem_alloc_array(const ph_allocator *allocator, size_t count, size_t size)
{
    return size && count > SIZE_MAX / size ? NULL : mem_alloc(allocator, count * size);
}

void mem_free(const ph_allocator *allocator, void *block)
{
    if (!block) {
        return;
    }
    if (allocator && allocator->allocate) {
        if (allocator->release) {
            allocator->release(block, allocator->user);
        }
    } else {
        free(block);
    }
}

char *mem_copy_string(const ph_allocator *allocator, const char *text)
{
    char *copy = text ? mem_alloc(allocator, strlen(text) + 1) : NULL;
    return copy ? strcpy(copy, text) : NULL;
}

bool mem_reserve(const ph_allocator *allocator, void *array, int *capacity, int needed, size_t size)
{
    if (needed <= *capacity) {
        return true;
    }
    const int more = (size_t)*capacity * size > LARGE ? *capacity / 16 : *capacity;
    const int grown = *capacity > INT32_MAX - more ? INT32_MAX : *capacity + more;
    const int room = needed > grown ? (needed < 8 ? 8 : needed) : grown;
    void *larger = mem_alloc_array(allocator, (size_t)room, size);
    if (!larger) {
        return false;
    }
    // The array is a pointer of any object type: it is read and written through its bytes.
    void *old;
    memcpy(&old, array, sizeof old);
    if (old) {
        memcpy(larger, old, (size_t)*capacity * size);
        mem_free(allocator, old);
    }
    memcpy(array, &larger, sizeof larger);
    *capacity = room;
    return true;
}

// ---- Arena ----------------------------------------------------------------------------------------------------------

typedef struct chunk {
    struct chunk *next;
} chunk;

struct arena {
    ph_allocator allocator;
    chunk *chunks;
    unsigned char *at; // next free byte of the newest chunk, aligned
    size_t left;       // bytes left in it
    size_t next_size;
    size_t total;
    char *text; // room for short strings, which need no cache line each
    size_t text_left;
};

arena *arena_create(const ph_allocator *allocator)
{
    arena *a = mem_alloc(allocator, sizeof *a);
    if (a) {
        if (allocator) {
            a->allocator = *allocator;
        }
        a->next_size = FIRST_CHUNK;
        a->total = sizeof *a;
    }
    return a;
}

void arena_destroy(arena *a)
{
    if (!a) {
        return;
    }
    const ph_allocator allocator = a->allocator;
    for (chunk *c = a->chunks; c;) {
        chunk *next = c->next;
        mem_free(&allocator, c);
        c = next;
    }
    mem_free(&allocator, a);
}

static unsigned char *open_chunk(arena *a, size_t room)
{
    const size_t whole = room + sizeof(chunk) + ALIGNMENT;
    chunk *c = mem_alloc(&a->allocator, whole);
    if (!c) {
        return NULL;
    }
    c->next = a->chunks;
    a->chunks = c;
    a->total += whole;
    unsigned char *first = (unsigned char *)(c + 1);
    return first + (ALIGNMENT - (uintptr_t)first % ALIGNMENT) % ALIGNMENT;
}

// Makes the chunk that small requests are given from.
static bool open_next(arena *a, size_t bytes)
{
    const size_t room = bytes > a->next_size ? bytes : a->next_size;
    unsigned char *at = open_chunk(a, room);
    if (!at) {
        return false;
    }
    a->at = at;
    a->left = room;
    if (a->next_size < LARGEST_STEP) {
        a->next_size *= 2;
    }
    return true;
}

void *arena_alloc(arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) {
        return NULL;
    }
    const size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (rounded > a->left && rounded >= LARGEST_STEP / 4) {
        return open_chunk(a, rounded);
    }
    if ((rounded > a->left || !a->at) && !open_next(a, rounded)) {
        return NULL;
    }
    void *block = a->at;
    a->at += rounded;
    a->left -= rounded;
    return block;
}

void *arena_alloc_array(arena *a, size_t count, size_t size)
{
    return size && count > SIZE_MAX / size ? NULL : arena_alloc(a, count * size);
}

char *arena_copy_string(arena *a, const char *text)
{
    enum { TEXT_ROOM = 256 };
    const size_t bytes = text ? strlen(text) + 1 : 0;
    if (bytes > TEXT_ROOM / 4) {
        char *copy = arena_alloc(a, bytes);
        return copy ? memcpy(copy, text, bytes) : NULL;
    }
    if (bytes > a->text_left) {
        a->text = arena_alloc(a, TEXT_ROOM);
        a->text_left = a->text ? TEXT_ROOM : 0;
    }
    if (!text || !a->text) {
        return NULL;
    }
    char *copy = memcpy(a->text, text, bytes);
    a->text += bytes;
    a->text_left -= bytes;
    return copy;
}

size_t arena_bytes(const arena *a)
{
    return a->total;
}

const ph_allocator *arena_allocator(const arena *a)
{
    return &a->allocator;
}
