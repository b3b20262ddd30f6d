// Numbers of a result, packed for the page (read back by viewer/src/codec.ts).
//
// A number x becomes the integer k = round((x - offset) / scale), and what is stored of k are its second differences
// along time: a smooth motion has small ones, whatever its range. They are folded (0, -1, 1, -2, ... -> 0, 1, 2, 3, ...)
// and split into planes of bytes, the highest byte of all numbers first. The high planes are zeros nearly everywhere and
// deflate to nothing; the lowest is what costs.

#include "io/page/pack.h"

#include "base/foreign.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

enum { CHUNK = 1 << 16, LEVEL = 6 };

struct page_stream {
    z_stream zlib;
    page_text out;
    unsigned char plane[CHUNK];
    size_t waiting; // bytes in `plane`
    bool failed;
};

page_stream *page_stream_create(void)
{
    page_stream *stream = mem_alloc(NULL, sizeof *stream);
    if (stream && deflateInit(&stream->zlib, LEVEL) != Z_OK) {
        mem_free(NULL, stream);
        return NULL;
    }
    return stream;
}

void page_stream_destroy(page_stream *stream)
{
    if (stream) {
        deflateEnd(&stream->zlib);
        page_text_free(&stream->out);
        mem_free(NULL, stream);
    }
}

static void run_deflate(page_stream *stream, int flush)
{
    z_stream *z = &stream->zlib;
    z->next_in = stream->plane;
    z->avail_in = (uInt)stream->waiting;
    stream->waiting = 0;
    int status = Z_OK;
    do {
        if (!page_text_reserve(&stream->out, CHUNK)) {
            stream->failed = true;
            return;
        }
        z->next_out = (unsigned char *)stream->out.data + stream->out.length;
        z->avail_out = CHUNK;
        status = deflate(z, flush);
        foreign_wrote(z, sizeof *z);
        foreign_wrote(stream->out.data + stream->out.length, CHUNK);
        stream->out.length += CHUNK - z->avail_out;
    } while (z->avail_out == 0 || (flush == Z_FINISH && status == Z_OK));
    stream->failed = stream->failed || status == Z_STREAM_ERROR;
}

static inline void add_byte(page_stream *stream, unsigned char byte)
{
    stream->plane[stream->waiting++] = byte;
    if (stream->waiting == CHUNK) {
        run_deflate(stream, Z_NO_FLUSH);
    }
}

void page_stream_add_bytes(page_stream *stream, const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        add_byte(stream, ((const unsigned char *)bytes)[i]);
    }
}

bool page_stream_finish(page_stream *stream, const unsigned char **bytes, size_t *count)
{
    run_deflate(stream, Z_FINISH);
    *bytes = (const unsigned char *)stream->out.data;
    *count = stream->out.length;
    return !stream->failed;
}

// ---- Codes ----------------------------------------------------------------------------------------------------------

typedef struct code {
    bool floats;
    int width; // bytes
    double offset, scale;
} code;

static bool find_range(const double *table, size_t count, double *low, double *high)
{
    *low = (double)INFINITY;
    *high = -(double)INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(table[i])) {
            return false;
        }
        *low = fmin(*low, table[i]);
        *high = fmax(*high, table[i]);
    }
    return true;
}

static uint32_t round_to_code(double x, const code *c)
{
    return (uint32_t)(int32_t)lrint((x - c->offset) / c->scale);
}

static uint32_t fold(uint32_t change)
{
    return change << 1 ^ (change >> 31 ? UINT32_MAX : 0);
}

// Folded second differences of one column. The arithmetic is modulo 2^32 and loses nothing.
static uint32_t encode_column(const double *table, long long frames, size_t channels, const code *c, uint32_t *out)
{
    uint32_t last = 0, slope = 0, bits = 0;
    for (long long f = 0; f < frames; f++) {
        const uint32_t k = round_to_code(table[(size_t)f * channels], c);
        out[f] = fold(k - last - slope);
        slope = k - last;
        last = k;
        bits |= out[f];
    }
    return bits;
}

static uint32_t float_bits(double x)
{
    const float f = (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static uint32_t encode(const double *table, long long frames, size_t channels, const code *c, uint32_t *out)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < channels; i++) {
        uint32_t *column = out + i * (size_t)frames;
        if (!c->floats) {
            bits |= encode_column(table + i, frames, channels, c, column);
        }
        for (long long f = 0; c->floats && f < frames; f++) {
            column[f] = float_bits(table[(size_t)f * channels + i]);
        }
    }
    return bits;
}

static int bytes_of(uint32_t bits)
{
    return bits >> 24 ? 4 : bits >> 16 ? 3 : bits >> 8 ? 2 : 1;
}

static code choose_code(const double *table, size_t count, int bits)
{
    double low, high;
    if (bits == 0 || count == 0 || !find_range(table, count, &low, &high)) {
        return (code){.floats = true, .width = 4, .scale = 1.0};
    }
    const double middle = 0.5 * low + 0.5 * high;
    const double scale = (0.5 * high - 0.5 * low) / ldexp(1.0, bits - 1);
    if (!(scale > 0.0 && isfinite(1.0 / scale))) {
        return (code){.offset = middle, .scale = 1.0};
    }
    const double steps = middle / scale; // a whole number of them: zero stays zero
    return (code){.offset = fabs(steps) < 0x1p52 ? scale * rint(steps) : middle, .scale = scale};
}

static void describe(page_text *fields, const char *name, long long frames, size_t channels, const code *c)
{
    const char last = fields->length ? fields->data[fields->length - 1] : '[';
    put_text(fields, last == '[' ? "{" : ",{");
    put_string_member(fields, "name", name);
    put_number_member(fields, "frames", (double)frames);
    put_number_member(fields, "channels", (double)channels);
    put_string_member(fields, "code", c->floats ? "f" : "q");
    put_number_member(fields, "width", c->width);
    put_key(fields, "offset");
    put_number(fields, c->offset, 17);
    put_key(fields, "scale");
    put_number(fields, c->scale, 17);
    put_text(fields, "}");
}

bool page_stream_add(page_stream *stream, page_text *fields, const char *name, const double *table, long long frames,
                     size_t channels, int bits)
{
    const size_t count = (size_t)frames * channels;
    code c = choose_code(table, count, bits);
    uint32_t *words = mem_alloc_array(NULL, count + 1, sizeof *words);
    if (!words) {
        stream->failed = true;
        return false;
    }
    const uint32_t used = encode(table, frames, channels, &c, words);
    c.width = c.floats ? 4 : bytes_of(used);
    describe(fields, name, frames, channels, &c);
    for (int plane = c.width - 1; plane >= 0; plane--) {
        for (size_t i = 0; i < count; i++) {
            add_byte(stream, (unsigned char)(words[i] >> (8 * plane)));
        }
    }
    mem_free(NULL, words);
    return !stream->failed && !fields->failed;
}
