#include "base/zip.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum { PLAIN_VERSION = 20, LARGE_VERSION = 45, CRC_AT = 14, DOS_DATE = 0x21, UTF8 = 0x0800 };
static const uint64_t LARGE = 0xffffffff; // what 32 bits do not hold: the number is in an extra field

#ifndef PH_WITH_ZLIB
void *zip_deflate(const void *data, size_t bytes, size_t *packed)
{
    (void)data, (void)bytes, (void)packed;
    return NULL;
}
#endif

// ---- Bytes ----------------------------------------------------------------------------------------------------------

static void send(zip *z, const void *data, size_t bytes)
{
    if (z->status == PH_OK) {
        z->status = output_file_append(z->file, data, bytes, z->error);
        z->place += bytes;
    }
}

static uint32_t add_crc(const zip *z, uint32_t crc, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    crc = ~crc;
    for (size_t i = 0; i < bytes; i++) crc = z->table[(crc ^ at[i]) & 0xff] ^ crc >> 8;
    return ~crc;
}

static uint8_t *put(uint8_t *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) *to++ = (uint8_t)(value >> 8 * i);
    return to;
}

static uint8_t *put_size(uint8_t *to, uint64_t value, bool large)
{
    return put(to, large ? LARGE : value, 4);
}

void zip_open(zip *z, output_file *file, ph_error *error)
{
    *z = (zip){.file = file, .error = error};
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        z->table[i] = crc;
    }
}

// ---- Entries --------------------------------------------------------------------------------------------------------

static bool is_large(const zip_entry *e)
{
    return e->size >= LARGE || e->packed >= LARGE;
}

// What both heads have in common, from the version to the length of the name.
static uint8_t *put_about(uint8_t *at, const zip_entry *e, bool large)
{
    at = put(at, large ? LARGE_VERSION : PLAIN_VERSION, 2);
    at = put(at, UTF8, 2);
    at = put(at, e->deflated ? 8 : 0, 2);
    at = put(at, 0, 2);
    at = put(at, DOS_DATE, 2);
    at = put(at, e->crc, 4);
    at = put_size(at, e->packed, large);
    at = put_size(at, e->size, large);
    return put(at, strlen(e->name), 2);
}

static void put_local(zip *z, const zip_entry *e)
{
    uint8_t head[64], *at = put(head, 0x04034b50, 4);
    const bool large = is_large(e);
    at = put_about(at, e, large);
    at = put(at, large ? 20 : 0, 2);
    send(z, head, (size_t)(at - head));
    send(z, e->name, strlen(e->name));
    if (large) {
        at = put(put(head, 1, 2), 16, 2);
        at = put(put(at, e->size, 8), e->packed, 8);
        send(z, head, (size_t)(at - head));
    }
}

static zip_entry *new_entry(zip *z, const char *name)
{
    if (z->status == PH_OK && !mem_reserve(NULL, &z->entries, &z->capacity, z->count + 1, sizeof *z->entries)) {
        z->status = error_set(z->error, PH_OUT_OF_MEMORY, "out of memory");
    }
    char *copy = z->status == PH_OK ? mem_copy_string(NULL, name) : NULL;
    if (!copy) {
        z->status = z->status == PH_OK ? error_set(z->error, PH_OUT_OF_MEMORY, "out of memory") : z->status;
        return NULL;
    }
    zip_entry *e = &z->entries[z->count++];
    *e = (zip_entry){.name = copy, .offset = z->place};
    return e;
}

// The checksum is not known yet: it goes to its place later.
void zip_begin(zip *z, const char *name, uint64_t size)
{
    zip_entry *e = new_entry(z, name);
    if (!e) return;
    e->size = e->packed = size;
    put_local(z, e);
}

void zip_data(zip *z, const void *data, size_t bytes)
{
    if (z->status != PH_OK) return;
    zip_entry *e = &z->entries[z->count - 1];
    e->crc = add_crc(z, e->crc, data, bytes);
    send(z, data, bytes);
}

void zip_end(zip *z)
{
    if (z->status != PH_OK) return;
    uint8_t crc[4];
    const zip_entry *e = &z->entries[z->count - 1];
    put(crc, e->crc, 4);
    z->status = output_file_write(z->file, crc, 4, (long long)e->offset + CRC_AT, z->error);
}

void zip_add(zip *z, const char *name, const void *data, size_t bytes)
{
    zip_entry *e = new_entry(z, name);
    if (!e) return;
    size_t packed = bytes;
    void *deflated = zip_deflate(data, bytes, &packed);
    e->crc = add_crc(z, 0, data, bytes);
    e->size = bytes;
    e->packed = deflated ? packed : bytes;
    e->deflated = deflated != NULL;
    put_local(z, e);
    send(z, deflated ? deflated : data, (size_t)e->packed);
    mem_free(NULL, deflated);
}

// ---- The list of them -----------------------------------------------------------------------------------------------

static void put_central(zip *z, const zip_entry *e)
{
    const bool large = is_large(e) || e->offset >= LARGE;
    uint8_t head[128], *at = put(head, 0x02014b50, 4);
    at = put(at, large ? LARGE_VERSION : PLAIN_VERSION, 2);
    at = put_about(at, e, large);
    at = put(at, large ? 28 : 0, 2);
    at = put(at, 0, 2); // comment, disk, attributes
    at = put(at, 0, 2);
    at = put(at, 0, 2);
    at = put(at, 0, 4);
    at = put_size(at, e->offset, large);
    send(z, head, (size_t)(at - head));
    send(z, e->name, strlen(e->name));
    if (large) {
        at = put(put(head, 1, 2), 24, 2);
        at = put(put(put(at, e->size, 8), e->packed, 8), e->offset, 8);
        send(z, head, (size_t)(at - head));
    }
}

static uint8_t *put_large_end(uint8_t *at, uint64_t count, uint64_t start, uint64_t end)
{
    at = put(put(at, 0x06064b50, 4), 44, 8); // the end in 64 bits
    at = put(put(at, LARGE_VERSION, 2), LARGE_VERSION, 2);
    at = put(at, 0, 8);
    at = put(put(at, count, 8), count, 8);
    at = put(put(at, end - start, 8), start, 8);
    at = put(put(at, 0x07064b50, 4), 0, 4); // where that stands
    return put(put(at, end, 8), 1, 4);
}

ph_status zip_close(zip *z)
{
    const uint64_t start = z->place;
    for (int i = 0; i < z->count; i++) put_central(z, &z->entries[i]);
    const uint64_t end = z->place, count = (uint64_t)z->count;
    const bool large = end >= LARGE || count >= 0xffff;
    uint8_t head[128], *at = large ? put_large_end(head, count, start, end) : head;
    at = put(put(at, 0x06054b50, 4), 0, 4); // and the end for everybody
    at = put(put(at, large ? 0xffff : count, 2), large ? 0xffff : count, 2);
    at = put_size(put_size(at, end - start, large), start, large);
    at = put(at, 0, 2);
    send(z, head, (size_t)(at - head));
    for (int i = 0; i < z->count; i++) mem_free(NULL, z->entries[i].name);
    mem_free(NULL, z->entries);
    z->entries = NULL;
    return z->status;
}
