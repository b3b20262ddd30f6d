#include "part.h"

#include <stdlib.h>

static size_t rounded(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

#define ADD_BYTES(type, name, each) bytes += rounded((size_t)(each)*count * sizeof(type));
#define PLACE(type, name, each)                                                                                        \
    p->name = (void *)at;                                                                                              \
    at += rounded((size_t)(each)*count * sizeof(type));

static size_t bytes_of(const part *p)
{
    size_t bytes = 0, count = (size_t)p->bodies;
    PART_BODIES(ADD_BYTES)
    count = (size_t)p->shapes;
    PART_SHAPES(ADD_BYTES)
    count = (size_t)p->ghosts;
    PART_GHOSTS(ADD_BYTES)
    count = (size_t)p->contacts;
    PART_CONTACTS(ADD_BYTES)
    return bytes;
}

bool part_take(part *p, int bodies, int shapes, int ghosts, int contacts)
{
    *p = (part){.bodies = bodies, .shapes = shapes, .ghosts = ghosts, .contacts = contacts};
    p->bytes = bytes_of(p);
    p->memory = malloc(p->bytes + 16);
    if (!p->memory) return false;
    char *at = p->memory;
    size_t count = (size_t)bodies;
    PART_BODIES(PLACE)
    count = (size_t)shapes;
    PART_SHAPES(PLACE)
    count = (size_t)ghosts;
    PART_GHOSTS(PLACE)
    count = (size_t)contacts;
    PART_CONTACTS(PLACE)
    return true;
}

void part_give(part *p)
{
    free(p->memory);
    *p = (part){0};
}
