// By zlib. See squeeze.h.

#include "io/plot/squeeze.h"

#include "base/foreign.h"
#include "base/memory.h"

#include <zlib.h>

uint8_t *squeeze(const uint8_t *data, size_t size, size_t *length)
{
    uLongf room = compressBound((uLong)size);
    uint8_t *to = mem_alloc(NULL, room);
    foreign_enter();
    const int status = to ? compress2(to, &room, data, (uLong)size, Z_DEFAULT_COMPRESSION) : Z_MEM_ERROR;
    foreign_leave();
    if (status != Z_OK) {
        mem_free(NULL, to);
        return NULL;
    }
    foreign_wrote(to, room);
    *length = room;
    return to;
}
