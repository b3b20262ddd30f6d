// Animated GIF. See gif.h. LZW as the format's description has it: codes grow from nine to twelve bits, and the table begins again
// when it is full.

#include "io/film/gif.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum { LEVELS = 6, CLEAR = 256, END = 257, CODES = 4096, SLOTS = 1 << 14 };

ph_status gif_begin(output_file *file, int width, int height, ph_error *error)
{
    uint8_t head[13 + 3 * 256 + 19] = {'G', 'I', 'F', '8', '9', 'a'};
    static const uint8_t again[19] = {0x21, 0xff, 11,  'N', 'E', 'T', 'S', 'C', 'A', 'P',
                                      'E',  '2',  '.', '0', 3,   1,   0,   0,   0};
    head[6] = (uint8_t)width, head[7] = (uint8_t)(width >> 8);
    head[8] = (uint8_t)height, head[9] = (uint8_t)(height >> 8);
    head[10] = 0xf7; // 256 colours for all pictures
    for (int i = 0; i < LEVELS * LEVELS * LEVELS; i++) {
        head[13 + 3 * i] = (uint8_t)(51 * (i / (LEVELS * LEVELS)));
        head[14 + 3 * i] = (uint8_t)(51 * (i / LEVELS % LEVELS));
        head[15 + 3 * i] = (uint8_t)(51 * (i % LEVELS));
    }
    memcpy(head + 13 + 3 * 256, again, sizeof again);
    return output_file_append(file, head, sizeof head, error);
}

// Ordered mixing with a pattern of 4 x 4.
static uint8_t index_of(const uint8_t *p, int x, int y)
{
    static const uint8_t pattern[16] = {0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5};
    const int more = 3 * pattern[4 * (y % 4) + x % 4] + 1; // of 51
    int index = 0;
    for (int k = 0; k < 3; k++) {
        const int level = (p[k] + more) / 51;
        index = LEVELS * index + (level < LEVELS ? level : LEVELS - 1);
    }
    return (uint8_t)index;
}

typedef struct packer {
    uint8_t *bytes;
    size_t length, block; // where the length of the block stands
    uint32_t bits;
    int bit_count, width, next;
    int32_t keys[SLOTS];
    uint16_t codes[SLOTS];
} packer;

static void put_byte(packer *p, uint8_t byte)
{
    if (p->length - p->block == 256) {
        p->bytes[p->block] = 255;
        p->block = p->length++;
    }
    p->bytes[p->length++] = byte;
}

static void put_code(packer *p, int code)
{
    p->bits |= (uint32_t)code << p->bit_count;
    for (p->bit_count += p->width; p->bit_count >= 8; p->bit_count -= 8, p->bits >>= 8) put_byte(p, (uint8_t)p->bits);
}

static void begin_table(packer *p)
{
    memset(p->keys, -1, sizeof p->keys);
    put_code(p, CLEAR);
    p->width = 9;
    p->next = END + 1;
}

// The place of a string (a code and one pixel more) in the table, or where it would stand.
static int find(const packer *p, int32_t key)
{
    int at = (int)((uint32_t)key * 2654435761u >> 18);
    while (p->keys[at] >= 0 && p->keys[at] != key) at = (at + 1) % SLOTS;
    return at;
}

static void add_code(packer *p, int at, int32_t key)
{
    p->keys[at] = key;
    p->codes[at] = (uint16_t)p->next;
    if (p->next == 1 << p->width && p->width < 12) p->width++;
    p->next++;
}

static void pack(packer *p, const uint8_t *pixels, int width, int height)
{
    int code = index_of(pixels, 0, 0);
    p->width = 9;
    begin_table(p);
    for (int i = 1; i < width * height; i++) {
        const int value = index_of(pixels + 3 * i, i % width, i / width);
        const int32_t key = code << 8 | value;
        const int at = find(p, key);
        if (p->keys[at] == key) {
            code = p->codes[at];
            continue;
        }
        put_code(p, code);
        if (p->next < CODES)
            add_code(p, at, key);
        else
            begin_table(p);
        code = value;
    }
    put_code(p, code);
    put_code(p, END);
    if (p->bit_count > 0) put_byte(p, (uint8_t)p->bits);
    p->bytes[p->block] = (uint8_t)(p->length - p->block - 1);
}

ph_status gif_add(output_file *file, const uint8_t *pixels, int width, int height, int hundredths, ph_error *error)
{
    const uint8_t head[19] = {0x21,
                              0xf9,
                              4,
                              4,
                              (uint8_t)hundredths,
                              (uint8_t)(hundredths >> 8),
                              0,
                              0,
                              0x2c,
                              0,
                              0,
                              0,
                              0,
                              (uint8_t)width,
                              (uint8_t)(width >> 8),
                              (uint8_t)height,
                              (uint8_t)(height >> 8),
                              0,
                              8};
    packer *p = mem_alloc(NULL, sizeof *p);
    uint8_t *bytes = mem_alloc(NULL, 2 * (size_t)width * (size_t)height + 4096);
    ph_status status = p && bytes ? PH_OK : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    if (status == PH_OK) {
        *p = (packer){.bytes = bytes, .length = 1};
        pack(p, pixels, width, height);
        if (p->length - p->block > 1) bytes[p->length++] = 0; // no more blocks
        status = output_file_append(file, head, sizeof head, error);
    }
    if (status == PH_OK) status = output_file_append(file, bytes, p->length, error);
    mem_free(NULL, bytes);
    mem_free(NULL, p);
    return status;
}

ph_status gif_end(output_file *file, ph_error *error)
{
    return output_file_append(file, ";", 1, error);
}
