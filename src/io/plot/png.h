// PNG files: lossless, 8 bits for each of red, green, blue.
#ifndef PH_IO_PLOT_PNG_H
#define PH_IO_PLOT_PNG_H

#include <stddef.h>
#include <stdint.h>

// The bytes of a PNG file of width x height pixels, for mem_free(NULL, ...); NULL when out of memory. `scale`: pixels for
// each unit of a figure, which is 1/96 inch.
uint8_t *png_encode(const uint8_t *pixels, int width, int height, double scale, size_t *bytes);

#endif
