// Deflate by zlib, as ZIP files have it: without a head and a checksum.

#include "base/foreign.h"
#include "base/memory.h"
#include "base/zip.h"

#include <limits.h>
#include <zlib.h>

void *zip_deflate(const void *data, size_t bytes, size_t *packed)
{
    z_stream stream = {0};
    unsigned char *out = bytes < UINT_MAX ? mem_alloc(NULL, bytes + 1) : NULL;
    if (!out || deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        mem_free(NULL, out);
        return NULL;
    }
    stream.next_in = (unsigned char *)data;
    stream.avail_in = (unsigned)bytes;
    stream.next_out = out;
    stream.avail_out = (unsigned)bytes;
    const bool fits = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    *packed = stream.total_out;
    foreign_wrote(out, bytes);
    deflateEnd(&stream);
    if (fits) return out;
    mem_free(NULL, out);
    return NULL;
}
