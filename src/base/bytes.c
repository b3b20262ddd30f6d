// Numbers as bytes. See bytes.h.

#include "base/bytes.h"

#include <string.h>

// Four bits at a time: a table of sixteen is short enough to be read here.
uint64_t bytes_crc(uint64_t crc, const void *data, size_t count)
{
    static const uint64_t table[16] = {
        0x0000000000000000u, 0x7d9ba13851336649u, 0xfb374270a266cc92u, 0x86ace348f355aadbu,
        0x64b62bcaebc387a1u, 0x192d8af2baf0e1e8u, 0x9f8169ba49a54b33u, 0xe21ac88218962d7au,
        0xc96c5795d7870f42u, 0xb4f7f6ad86b4690bu, 0x325b15e575e1c3d0u, 0x4fc0b4dd24d2a599u,
        0xadda7c5f3c4488e3u, 0xd041dd676d77eeaau, 0x56ed3e2f9e224471u, 0x2b769f17cf112238u,
    };
    const unsigned char *byte = data;
    crc = ~crc;
    for (size_t i = 0; i < count; i++) {
        crc = table[(crc ^ byte[i]) & 15] ^ (crc >> 4);
        crc = table[(crc ^ (byte[i] >> 4)) & 15] ^ (crc >> 4);
    }
    return ~crc;
}

// ---- Writing --------------------------------------------------------------------------------------------------------

void put_bytes(byte_writer *w, const void *data, size_t count)
{
    if (w->to && count > 0) {
        memcpy(w->to + w->length, data, count);
    }
    w->length += count;
}

static void put_little(byte_writer *w, uint64_t value, int count)
{
    unsigned char bytes[8];
    for (int i = 0; i < count; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
    put_bytes(w, bytes, (size_t)count);
}

void put_u32(byte_writer *w, uint32_t value)
{
    put_little(w, value, 4);
}

void put_u64(byte_writer *w, uint64_t value)
{
    put_little(w, value, 8);
}

void put_double(byte_writer *w, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u64(w, bits);
}

void put_doubles(byte_writer *w, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put_double(w, values[i]);
    }
}

void put_string(byte_writer *w, const char *text)
{
    const size_t length = text ? strlen(text) : 0;
    put_u32(w, (uint32_t)length);
    put_bytes(w, text, length);
}

// ---- Reading --------------------------------------------------------------------------------------------------------

bool get_bytes(byte_reader *r, void *to, size_t count)
{
    if (r->short_of || count > r->length - r->at) {
        r->short_of = true;
        if (count > 0) {
            memset(to, 0, count);
        }
        return false;
    }
    if (count > 0) {
        memcpy(to, r->from + r->at, count);
    }
    r->at += count;
    return true;
}

static uint64_t get_little(byte_reader *r, int count)
{
    unsigned char bytes[8] = {0};
    uint64_t value = 0;
    get_bytes(r, bytes, (size_t)count);
    for (int i = 0; i < count; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

uint32_t get_u32(byte_reader *r)
{
    return (uint32_t)get_little(r, 4);
}

uint64_t get_u64(byte_reader *r)
{
    return get_little(r, 8);
}

double get_double(byte_reader *r)
{
    const uint64_t bits = get_u64(r);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

void get_doubles(byte_reader *r, double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = get_double(r);
    }
}

void get_string(byte_reader *r, char *text, size_t room)
{
    const uint32_t length = get_u32(r);
    text[0] = '\0';
    if (length >= room) {
        r->short_of = true;
    } else if (get_bytes(r, text, length)) {
        text[length] = '\0';
    }
}
