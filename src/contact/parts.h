// Lists that several threads fill at once.
//
// Work is cut into parts that do not depend on the number of threads. Each part writes to its own place in one array and
// counts on when that is full; then the parts are pushed together, in order. A part gets the room that it needed the last
// time and a sixteenth more; when one was too small, all are filled once more with the room that is now known.
#ifndef PH_CONTACT_PARTS_H
#define PH_CONTACT_PARTS_H

#include "base/memory.h"
#include "base/pool.h"

#include <string.h>

// Memory for lists that are not needed at the same time: each finds what others left there.
typedef struct list_room {
    void *at;
    size_t bytes;
} list_room;

// Room for `count` elements, a thirty-second more where it must grow. What was there is lost. false when out of memory.
static inline bool room_reserve(const ph_allocator *allocator, list_room *room, size_t count, size_t size)
{
    const size_t bytes = count * size;
    if (bytes <= room->bytes) return true;
    mem_free(allocator, room->at);
    room->bytes = bytes + bytes / 32;
    room->at = mem_alloc(allocator, room->bytes);
    if (!room->at) room->bytes = 0;
    return room->at;
}

// Likewise, but the first `kept` bytes stay.
static inline bool room_extend(const ph_allocator *allocator, list_room *room, size_t kept, size_t bytes)
{
    if (bytes <= room->bytes) return true;
    const list_room old = *room;
    *room = (list_room){0};
    const bool good = room_reserve(allocator, room, bytes, 1);
    if (good && kept > 0) memcpy(room->at, old.at, kept);
    mem_free(allocator, old.at);
    return good;
}

typedef struct list_part {
    int at, room, count;
} list_part;

// Places the parts one after the other; returns how long the array must be, or -1 when that is too long for an int.
static inline int parts_place(list_part *parts, int count)
{
    long long end = 0;
    for (int k = 0; k < count; k++) {
        const long long room = (long long)parts[k].count + parts[k].count / 16 + 6;
        parts[k].at = (int)end;
        parts[k].room = (int)room;
        end += room;
        if (end > INT32_MAX) return -1;
    }
    return (int)end;
}

static inline bool parts_fit(const list_part *parts, int count)
{
    for (int k = 0; k < count; k++)
        if (parts[k].count > parts[k].room) return false;
    return true;
}

// Pushes the parts together; returns how many elements there are.
static inline int parts_close(const list_part *parts, int count, void *array, size_t size)
{
    int end = 0;
    for (int k = 0; k < count; end += parts[k++].count)
        if (parts[k].at > end)
            memmove((char *)array + size * (size_t)end, (char *)array + size * (size_t)parts[k].at,
                    size * (size_t)parts[k].count);
    return end;
}

#endif
