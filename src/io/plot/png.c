// PNG (W3C recommendation, third edition).

#include "io/plot/png.h"

#include "base/memory.h"
#include "io/plot/squeeze.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct stream {
    uint8_t *data;
    int length, capacity;
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

static void put_squeezed(stream *s, const uint8_t *data, size_t size)
{
    size_t length = 0;
    uint8_t *squeezed = squeeze(data, size, &length);
    s->failed = s->failed || !squeezed || length > (size_t)(INT32_MAX / 2) ||
                !mem_reserve(NULL, &s->data, &s->capacity, s->length + (int)length, 1);
    if (!s->failed) {
        memcpy(s->data + s->length, squeezed, length);
        s->length += (int)length;
    }
    mem_free(NULL, squeezed);
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
        put_squeezed(&s, rows, size);
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
