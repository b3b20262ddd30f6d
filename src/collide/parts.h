// Lists that several threads fill at once.
//
// Work is cut into parts that do not depend on the number of threads. Each part writes to its own place in one array and
// counts on when that is full; then the parts are pushed together, in order. A part gets the room that it needed the last
// time and a sixteenth more; when one was too small, all are filled once more with the room that is now known.
#ifndef PH_COLLIDE_PARTS_H
#define PH_COLLIDE_PARTS_H

#include "base/memory.h"
#include "base/pool.h"

#include <string.h>

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
