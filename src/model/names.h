// Finding elements by name in constant time.
#ifndef PH_MODEL_NAMES_H
#define PH_MODEL_NAMES_H

#include "base/memory.h"

typedef struct names {
    const char **names; // by index ...
    size_t step;        // ... so many bytes apart
    int *slots;         // 1 + index, or 0: open addressing, at most half full
    uint32_t mask;
} names;

// Room for `count` names. False when out of memory.
bool names_create(names *table, int count, arena *memory);
// Likewise for names that stand elsewhere, the first at `first` and all others `step` bytes apart.
bool names_create_for(names *table, int count, const char **first, size_t step, arena *memory);

// Enters `name` for `index` unless it is there already. Returns the index that has the name.
int names_enter(names *table, const char *name, int index);

// Index, or PH_NONE.
int names_find(const names *table, const char *name);

#endif
