// Numbers as bytes, little end first on every machine, and a checksum over them.
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// CRC-64 of ECMA-182, reflected (that of xz): finds every error of up to 64 bits in a row. Begin with 0.
uint64_t bytes_crc(uint64_t crc, const void *data, size_t count);

// ---- Writing --------------------------------------------------------------------------------------------------------

// `to` NULL: only counts.
typedef struct byte_writer {
    unsigned char *to;
    size_t length;
} byte_writer;

void put_bytes(byte_writer *w, const void *data, size_t count);
void put_u32(byte_writer *w, uint32_t value);
void put_u64(byte_writer *w, uint64_t value);
void put_double(byte_writer *w, double value);
void put_doubles(byte_writer *w, const double *values, size_t count);
void put_string(byte_writer *w, const char *text); // NULL as ""

// ---- Reading --------------------------------------------------------------------------------------------------------

// Reading past the end gives zeros and sets `short_of`, to be asked once at the end.
typedef struct byte_reader {
    const unsigned char *from;
    size_t length, at;
    bool short_of;
} byte_reader;

bool get_bytes(byte_reader *r, void *to, size_t count);
uint32_t get_u32(byte_reader *r);
uint64_t get_u64(byte_reader *r);
double get_double(byte_reader *r);
void get_doubles(byte_reader *r, double *values, size_t count);
// At most `room` - 1 bytes and a zero; a longer one counts as the end.
void get_string(byte_reader *r, char *text, size_t room);

#endif
