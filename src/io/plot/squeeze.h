// Bytes as a zlib stream (RFC 1950): by zlib where it is linked (squeeze_zlib.c), else by code of our own (squeeze.c).
#ifndef PH_IO_PLOT_SQUEEZE_H
#define PH_IO_PLOT_SQUEEZE_H

#include <stddef.h>
#include <stdint.h>

// For mem_free(NULL, ...); NULL: out of memory.
uint8_t *squeeze(const uint8_t *data, size_t size, size_t *length);

#endif
