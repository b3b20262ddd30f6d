// Memory that the phases of a step use one after the other.
//
// Each phase finds undefined contents but for what it says it keeps. Which phase holds the memory is remembered: in debug
// builds whoever asks for it in another phase fails an assertion, and what a phase leaves behind is overwritten.
#ifndef PH_BASE_SCRATCH_H
#define PH_BASE_SCRATCH_H

#include "base/memory.h"

#include <assert.h>
#include <string.h>

// ---- A block that grows ---------------------------------------------------------------------------------------------

typedef struct buffer {
    void *at;
    size_t bytes;
} buffer;

// Room for so many bytes, a thirty-second more where it must grow. What was there is lost. false when out of memory.
static inline bool buffer_reserve(const ph_allocator *allocator, buffer *b, size_t bytes)
{
    if (bytes <= b->bytes) return true;
    mem_free(allocator, b->at);
    b->bytes = bytes + bytes / 32;
    b->at = mem_alloc(allocator, b->bytes);
    if (!b->at) b->bytes = 0;
    return b->at;
}

// Likewise, but the first `kept` bytes stay.
static inline bool buffer_extend(const ph_allocator *allocator, buffer *b, size_t kept, size_t bytes)
{
    if (bytes <= b->bytes) return true;
    const buffer old = *b;
    *b = (buffer){0};
    const bool good = buffer_reserve(allocator, b, bytes);
    if (good && kept > 0) memcpy(b->at, old.at, kept);
    mem_free(allocator, old.at);
    return good;
}

// ---- Shared between phases ------------------------------------------------------------------------------------------

typedef enum scratch_phase {
    SCRATCH_FREE,
    SCRATCH_DETECTION, // boxes and reaches of shapes; behind them pairs, then points that are near
    SCRATCH_PAIRS,     // bodies by contact, while contacts are listed by body
    SCRATCH_IMPULSES,  // impulses by contact: the first guess before a solve, the solution after it
    SCRATCH_SORTING,   // the first guess, and behind it what sorts contacts into blocks
    SCRATCH_BLOCKS,    // blocks, bodies and impulses of the heap solver
} scratch_phase;

typedef struct scratch {
    buffer memory;
    scratch_phase phase;
    int growths; // how often memory was taken so far
} scratch;

// In debug builds: nothing may rely on what the last phase left.
static inline void scratch_spoil(const scratch *s, size_t kept)
{
#ifndef NDEBUG
    enum { SPOILT = 0xa5 };
    if (s->memory.bytes > kept) memset((char *)s->memory.at + kept, SPOILT, s->memory.bytes - kept);
#else
    (void)s, (void)kept;
#endif
}

// A phase begins, with so many bytes, of which the first `kept` stay from the phase before. false when out of memory.
static inline bool scratch_enter(const ph_allocator *allocator, scratch *s, scratch_phase phase, size_t kept,
                                 size_t bytes)
{
    s->growths += bytes > s->memory.bytes;
    const bool good = buffer_extend(allocator, &s->memory, kept, bytes);
    s->phase = good ? phase : SCRATCH_FREE;
    if (good) scratch_spoil(s, kept);
    return good;
}

// The phase goes on with more bytes, of which the first `kept` stay.
static inline bool scratch_extend(const ph_allocator *allocator, scratch *s, scratch_phase phase, size_t kept,
                                  size_t bytes)
{
    assert(s->phase == phase);
    return scratch_enter(allocator, s, phase, kept, bytes);
}

static inline void *scratch_at(const scratch *s, scratch_phase phase)
{
    assert(s->phase == phase);
    (void)phase;
    return s->memory.at;
}

static inline void scratch_free(const ph_allocator *allocator, scratch *s)
{
    mem_free(allocator, s->memory.at);
    *s = (scratch){0};
}

#endif
