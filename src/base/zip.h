// ZIP files (APPNOTE 6.3), with 64-bit sizes where they are needed. Times are the first day of 1980: the same contents give the
// same file. Mistakes are kept in the status; what follows the first does nothing.
#ifndef PH_BASE_ZIP_H
#define PH_BASE_ZIP_H

#include "base/file.h"

typedef struct zip_entry {
    char *name;
    uint32_t crc;
    uint64_t size, packed, offset;
    bool deflated;
} zip_entry;

typedef struct zip {
    output_file *file;
    ph_error *error;
    ph_status status;
    uint64_t place; // in the file
    int count, capacity;
    zip_entry *entries;
    uint32_t table[256]; // of the checksum
} zip;

void zip_open(zip *z, output_file *file, ph_error *error);
// Writes the list of entries and frees everything; the file stays open.
ph_status zip_close(zip *z);

// An entry of `size` bytes, which zip_data then brings in any number of calls; stored as they are.
void zip_begin(zip *z, const char *name, uint64_t size);
void zip_data(zip *z, const void *data, size_t bytes);
void zip_end(zip *z);

// A whole entry, made smaller where zlib is there.
void zip_add(zip *z, const char *name, const void *data, size_t bytes);

// Deflates without a head (zip_zlib.c). NULL: out of memory, or it does not become smaller. For mem_free(NULL, ...).
void *zip_deflate(const void *data, size_t bytes, size_t *packed);

#endif
