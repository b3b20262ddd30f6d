// PNG (W3C recommendation, third edition) with an own deflate (RFC 1951): matches found through a table of the last place of
// every three bytes, codes of the fixed tree. Figures are white for the most part, so that little is left either way.

#include "io/plot/png.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct stream {
    uint8_t *data;
    int length, capacity;
    uint32_t bits; // not yet a byte
    int bit_count;
    bool failed;
} stream;

static void put_byte(stream *s, unsigned value)
{
    if (s->failed || !mem_reserve(NULL, &s->data, &s->capacity, s->length + 1, 1)) {
        s->failed = true;
        return;
    }
    s->data[s->length++] = (uint8_t)value;
}

static void put_word(stream *s, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        put_byte(s, value >> shift & 0xff);
    }
}

// ---- Deflate --------------------------------------------------------------------------------------------------------

static void put_bits(stream *s, uint32_t value, int count)
{
    s->bits |= value << s->bit_count;
    for (s->bit_count += count; s->bit_count >= 8; s->bit_count -= 8) {
        put_byte(s, s->bits & 0xff);
        s->bits >>= 8;
    }
}

// Codes of the tree come with their highest bit first.
static void put_code(stream *s, uint32_t code, int count)
{
    uint32_t turned = 0;
    for (int i = 0; i < count; i++) {
        turned |= (code >> i & 1) << (count - 1 - i);
    }
    put_bits(s, turned, count);
}

static void put_symbol(stream *s, unsigned symbol) // RFC 1951, 3.2.6
{
    if (symbol < 144) {
        put_code(s, 0x30 + symbol, 8);
    } else if (symbol < 256) {
        put_code(s, 0x190 + symbol - 144, 9);
    } else if (symbol < 280) {
        put_code(s, symbol - 256, 7);
    } else {
        put_code(s, 0xc0 + symbol - 280, 8);
    }
}

static void put_match(stream *s, unsigned length, unsigned distance) // RFC 1951, 3.2.5
{
    unsigned extra = 0, code = 0;
    if (length == 258) {
        put_symbol(s, 285);
    } else {
        const unsigned l = length - 3;
        while (l >> (extra + 3)) {
            extra++;
        }
        code = l < 8 ? l : 4 * extra + (l >> extra);
        put_symbol(s, 257 + code);
        put_bits(s, l & ((1u << extra) - 1), (int)extra);
    }
    const unsigned d = distance - 1;
    extra = 0;
    while (d >> (extra + 2)) {
        extra++;
    }
    code = d < 4 ? d : 2 * extra + (d >> extra);
    put_code(s, code, 5);
    put_bits(s, d & ((1u << extra) - 1), (int)extra);
}

enum { HASH_BITS = 15, WINDOW = 32768, LONGEST = 258 };

static unsigned hash3(const uint8_t *p)
{
    return ((unsigned)p[0] << 16 | (unsigned)p[1] << 8 | p[2]) * 2654435761u >> (32 - HASH_BITS);
}

static unsigned match_length(const uint8_t *a, const uint8_t *b, size_t most)
{
    unsigned n = 0;
    while (n < most && n < LONGEST && a[n] == b[n]) {
        n++;
    }
    return n;
}

static void deflate(stream *s, const uint8_t *data, size_t size)
{
    int32_t *last = mem_alloc_array(NULL, 1 << HASH_BITS, sizeof *last);
    if (!last) {
        s->failed = true;
        return;
    }
    put_bits(s, 1, 1); // the last block
    put_bits(s, 1, 2); // fixed tree
    for (size_t i = 0; i < size;) {
        unsigned length = 0;
        size_t at = 0;
        if (size - i >= 3) {
            int32_t *place = &last[hash3(data + i)];
            at = (size_t)*place; // one more than the place; 0: none
            *place = (int32_t)i + 1;
            if (at > 0 && i + 1 - at <= WINDOW) {
                length = match_length(data + at - 1, data + i, size - i);
            }
        }
        if (length >= 3) {
            put_match(s, length, (unsigned)(i + 1 - at));
            i += length;
        } else {
            put_symbol(s, data[i++]);
        }
    }
    put_symbol(s, 256);
    put_bits(s, 0, 7); // fills the last byte
    s->bits = 0;
    s->bit_count = 0;
    mem_free(NULL, last);
}

static uint32_t adler32(const uint8_t *data, size_t size)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

// ---- Chunks ---------------------------------------------------------------------------------------------------------

static uint32_t crc32(const uint8_t *data, size_t size)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
    }
    return ~crc;
}

// Its length is set when it ends.
static int begin_chunk(stream *s, const char *name)
{
    const int start = s->length;
    put_word(s, 0);
    for (int i = 0; i < 4; i++) {
        put_byte(s, (unsigned char)name[i]);
    }
    return start;
}

static void end_chunk(stream *s, int start)
{
    if (s->failed) {
        return;
    }
    const uint32_t length = (uint32_t)(s->length - start - 8);
    for (int i = 0; i < 4; i++) {
        s->data[start + i] = (uint8_t)(length >> (24 - 8 * i));
    }
    put_word(s, crc32(s->data + start + 4, length + 4));
}

static void put_head(stream *s, int width, int height, double scale)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    for (int i = 0; i < 8; i++) {
        put_byte(s, signature[i]);
    }
    int chunk = begin_chunk(s, "IHDR");
    put_word(s, (uint32_t)width);
    put_word(s, (uint32_t)height);
    put_word(s, 0x08020000); // 8 bits, red green blue, deflate, filters
    put_byte(s, 0);          // not interlaced
    end_chunk(s, chunk);
    const uint32_t per_metre = (uint32_t)lround(scale * 96.0 / 0.0254);
    chunk = begin_chunk(s, "pHYs");
    put_word(s, per_metre);
    put_word(s, per_metre);
    put_byte(s, 1);
    end_chunk(s, chunk);
}

// Each row but the first as its difference from the one above: lines that go up and down vanish.
static void filter_row(uint8_t *to, const uint8_t *row, size_t bytes, bool up)
{
    to[0] = up ? 2 : 0;
    for (size_t i = 0; i < bytes; i++) {
        to[i + 1] = (uint8_t)(row[i] - (up ? *(row + i - bytes) : 0));
    }
}

uint8_t *png_encode(const uint8_t *pixels, int width, int height, double scale, size_t *bytes)
{
    const size_t row = 3 * (size_t)width, size = (row + 1) * (size_t)height;
    uint8_t *rows = mem_alloc(NULL, size);
    stream s = {.failed = !rows || size > INT32_MAX / 2};
    for (int y = 0; !s.failed && y < height; y++) {
        filter_row(rows + (size_t)y * (row + 1), pixels + (size_t)y * row, row, y > 0);
    }
    put_head(&s, width, height, scale);
    if (!s.failed && rows) {
        const int chunk = begin_chunk(&s, "IDAT");
        put_byte(&s, 0x78); // zlib: deflate with a window of 32 KiB
        put_byte(&s, 0x01);
        deflate(&s, rows, size);
        put_word(&s, adler32(rows, size));
        end_chunk(&s, chunk);
        end_chunk(&s, begin_chunk(&s, "IEND"));
    }
    mem_free(NULL, rows);
    if (s.failed) {
        mem_free(NULL, s.data);
        return NULL;
    }
    *bytes = (size_t)s.length;
    return s.data;
}
