// PNG pictures (ISO/IEC 15948) as height fields have them: one grey number for each pixel.
#ifndef PH_IO_ROBOT_PNG_H
#define PH_IO_ROBOT_PNG_H

#include "base/memory.h"

#include <stdint.h>

enum { PNG_SIDE_MAX = 16384 };

// Eight bits of grey, rows from the top, in `memory`: of colours the red, of 16 bits the upper ones, as MuJoCo has them. NULL with
// what is wrong in *why; without a reason: out of memory.
uint8_t *png_grey(const void *bytes, size_t length, arena *memory, int *rows, int *columns, const char **why);

#endif
