// Animated GIF (89a): six steps of each colour, mixed by pattern, repeated for ever.
#ifndef PH_IO_FILM_GIF_H
#define PH_IO_FILM_GIF_H

#include "base/file.h"

ph_status gif_begin(output_file *file, int width, int height, ph_error *error);
ph_status gif_add(output_file *file, const uint8_t *pixels, int width, int height, int hundredths, ph_error *error);
ph_status gif_end(output_file *file, ph_error *error);

#endif
