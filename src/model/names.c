// A hash table from names to indices (FNV-1a, open addressing).

#include "model/names.h"

#include "polhode/spec.h"

#include <string.h>

static uint32_t hash(const char *name)
{
    uint32_t h = 2166136261u;
    for (; *name; name++) {
        h = (h ^ (unsigned char)*name) * 16777619u;
    }
    return h;
}

bool names_create(names *table, int count, arena *memory)
{
    const char **first = arena_alloc_array(memory, (size_t)count, sizeof *first);
    return first && names_create_for(table, count, first, sizeof *first, memory);
}

bool names_create_for(names *table, int count, const char **first, size_t step, arena *memory)
{
    uint32_t size = 2;
    while (size < 2u * (uint32_t)count) {
        size *= 2;
    }
    table->mask = size - 1;
    table->names = first;
    table->step = step;
    table->slots = arena_alloc_array(memory, size, sizeof *table->slots);
    return table->slots;
}

static const char **name_at(const names *table, int index)
{
    return (const char **)(void *)((char *)table->names + table->step * (size_t)index);
}

// The slot that holds `name`, or the empty one where it would go.
static int *slot_of(const names *table, const char *name)
{
    uint32_t at = hash(name) & table->mask;
    while (table->slots[at] && strcmp(*name_at(table, table->slots[at] - 1), name) != 0) {
        at = (at + 1) & table->mask;
    }
    return &table->slots[at];
}

int names_enter(names *table, const char *name, int index)
{
    int *slot = slot_of(table, name);
    if (!*slot) {
        *slot = index + 1;
        *name_at(table, index) = name;
    }
    return *slot - 1;
}

int names_find(const names *table, const char *name)
{
    const int entry = name && table->slots ? *slot_of(table, name) : 0;
    return entry ? entry - 1 : PH_NONE;
}
