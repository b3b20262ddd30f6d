// An own deflate (RFC 1951) for builds without zlib: matches found through a table of the last place of every three bytes, codes
// of the fixed tree. Figures are white for the most part, so that little is left either way.

#include "io/plot/squeeze.h"

#ifndef PH_WITH_ZLIB

#include "base/memory.h"

#include <stdbool.h>

typedef struct stream {
    uint8_t *data;
    int length, capacity;
    uint32_t bits; // not yet a byte
    int bit_count;
    bool failed;
} stream;

static void put_byte(stream *s, unsigned value)
{
    s->failed = s->failed || !mem_reserve(NULL, &s->data, &s->capacity, s->length + 1, 1);
    if (!s->failed) s->data[s->length++] = (uint8_t)value;
}

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

uint8_t *squeeze(const uint8_t *data, size_t size, size_t *length)
{
    stream s = {0};
    put_byte(&s, 0x78); // a window of 32 KiB
    put_byte(&s, 0x01);
    deflate(&s, data, size);
    const uint32_t sum = adler32(data, size);
    for (int shift = 24; shift >= 0; shift -= 8) put_byte(&s, sum >> shift & 0xff);
    if (s.failed) {
        mem_free(NULL, s.data);
        return NULL;
    }
    *length = (size_t)s.length;
    return s.data;
}

#else

typedef int squeeze_by_zlib; // a file must not be empty

#endif
