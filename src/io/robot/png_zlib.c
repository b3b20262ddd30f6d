// PNG pictures: chunks, inflating, filters of rows. See png.h.

#include "io/robot/png.h"

#include "base/foreign.h"

#include <string.h>
#include <zlib.h>

enum { GREY = 0, COLOUR = 2, PALETTE = 3, GREY_ALPHA = 4, COLOUR_ALPHA = 6 };

typedef struct picture {
    const uint8_t *bytes;
    size_t length;
    uint32_t width, height;
    int depth, kind, interlaced;
    uint8_t palette[256]; // the red of its colours
    uint8_t *raw;         // rows as they were packed, each behind the number of its filter
    size_t row_bytes;
} picture;

static uint32_t number_at(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static int samples_of(const picture *p)
{
    return p->kind == COLOUR ? 3 : p->kind == COLOUR_ALPHA ? 4 : p->kind == GREY_ALPHA ? 2 : 1;
}

// ---- Chunks ---------------------------------------------------------------------------------------------------------------

// The data of the next chunk from *at on, with its name and size; NULL at the end.
static const uint8_t *next_chunk(const picture *p, size_t *at, const char **name, size_t *size)
{
    if (p->length < 12 || *at > p->length - 12) return NULL;
    const uint8_t *head = p->bytes + *at;
    *size = number_at(head);
    if (*size > p->length - 12 - *at) return NULL;
    *name = (const char *)head + 4;
    *at += *size + 12;
    return head + 8;
}

static const char *check_head(const picture *p)
{
    const int d = p->depth;
    const bool few = d == 1 || d == 2 || d == 4;
    const bool whole = d == 8 || d == 16 || (few && (p->kind == GREY || p->kind == PALETTE));
    const bool known = p->kind == GREY || p->kind == COLOUR || (p->kind == PALETTE && d <= 8) ||
                       p->kind == GREY_ALPHA || p->kind == COLOUR_ALPHA;
    if (!whole || !known) return "its kind of colours is not one of PNG";
    if (p->interlaced) return "interlaced pictures are not read";
    if (p->width < 2 || p->height < 2) return "a height field has two rows and columns at least";
    return p->width > PNG_SIDE_MAX || p->height > PNG_SIDE_MAX ? "it is larger than 16384 by 16384" : NULL;
}

static const char *read_head(picture *p)
{
    size_t at = 8, size;
    const char *name;
    const uint8_t *head = next_chunk(p, &at, &name, &size);
    if (memcmp(p->bytes, "\x89PNG\r\n\x1a\n", 8) != 0 || !head || size != 13 || memcmp(name, "IHDR", 4) != 0)
        return "it is not a PNG file";
    p->width = number_at(head), p->height = number_at(head + 4);
    p->depth = head[8], p->kind = head[9], p->interlaced = head[12];
    p->row_bytes = ((size_t)p->width * (size_t)(samples_of(p) * p->depth) + 7) / 8;
    const char *why = check_head(p);
    const bool grows = !why && p->height * (p->row_bytes + 1) / 1100 > p->length; // more than deflate can do
    return grows ? "its data is not whole" : why;
}

// All data, in as many chunks as there are, into the rows.
static bool inflate_rows(picture *p)
{
    z_stream stream = {0};
    size_t at = 8, size;
    const char *name;
    const size_t whole = p->height * (p->row_bytes + 1);
    if (inflateInit(&stream) != Z_OK) return false;
    stream.next_out = p->raw;
    stream.avail_out = (unsigned)whole;
    for (const uint8_t *data = next_chunk(p, &at, &name, &size); data; data = next_chunk(p, &at, &name, &size)) {
        if (memcmp(name, "PLTE", 4) == 0)
            for (size_t i = 0; i < size / 3 && i < 256; i++) p->palette[i] = data[3 * i];
        if (memcmp(name, "IDAT", 4) != 0) continue;
        stream.next_in = (unsigned char *)data;
        stream.avail_in = (unsigned)size;
        if (inflate(&stream, Z_NO_FLUSH) < 0) break;
    }
    foreign_wrote(p->raw, whole);
    inflateEnd(&stream);
    return stream.avail_out == 0;
}

// ---- Rows -----------------------------------------------------------------------------------------------------------------

static int nearest(int left, int above, int corner) // Paeth's choice
{
    const int guess = left + above - corner;
    const int a = guess > left ? guess - left : left - guess, b = guess > above ? guess - above : above - guess;
    const int c = guess > corner ? guess - corner : corner - guess;
    return a <= b && a <= c ? left : b <= c ? above : corner;
}

// A row as it was before its filter; `above` is the one before, NULL for none.
static bool unfilter(int filter, uint8_t *row, const uint8_t *above, size_t count, size_t step)
{
    for (size_t i = 0; i < count; i++) {
        const int left = i >= step ? row[i - step] : 0, up = above ? above[i] : 0;
        const int corner = above && i >= step ? above[i - step] : 0;
        const int guess[5] = {0, left, up, (left + up) / 2, nearest(left, up, corner)};
        if (filter > 4) return false;
        row[i] = (uint8_t)(row[i] + guess[filter]);
    }
    return true;
}

static bool unfilter_rows(picture *p)
{
    const size_t bits = (size_t)(samples_of(p) * p->depth), step = bits < 8 ? 1 : bits / 8;
    uint8_t *above = NULL;
    for (uint32_t y = 0; y < p->height; y++) {
        uint8_t *row = p->raw + y * (p->row_bytes + 1);
        if (!unfilter(row[0], row + 1, above, p->row_bytes, step)) return false;
        above = row + 1;
    }
    return true;
}

static uint8_t grey_at(const picture *p, const uint8_t *row, uint32_t x)
{
    const size_t bit = (size_t)x * (size_t)(samples_of(p) * p->depth);
    if (p->depth >= 8) return p->kind == PALETTE ? p->palette[row[bit / 8]] : row[bit / 8];
    const int most = (1 << p->depth) - 1, v = row[bit / 8] >> (8 - p->depth - (int)(bit % 8)) & most;
    return p->kind == PALETTE ? p->palette[v] : (uint8_t)(v * 255 / most);
}

uint8_t *png_grey(const void *bytes, size_t length, arena *memory, int *rows, int *columns, const char **why)
{
    picture p = {.bytes = bytes, .length = length};
    *why = length < 45 ? "it is not a PNG file" : read_head(&p);
    if (*why) return NULL;
    p.raw = arena_alloc_array(memory, p.height, p.row_bytes + 1);
    uint8_t *grey = arena_alloc_array(memory, p.height, p.width);
    if (!p.raw || !grey) return NULL;
    if (!inflate_rows(&p) || !unfilter_rows(&p)) {
        *why = "its data is not whole";
        return NULL;
    }
    for (uint32_t y = 0; y < p.height; y++)
        for (uint32_t x = 0; x < p.width; x++)
            grey[(size_t)y * p.width + x] = grey_at(&p, p.raw + y * (p.row_bytes + 1) + 1, x);
    *rows = (int)p.height, *columns = (int)p.width;
    return grey;
}
