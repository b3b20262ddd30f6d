// Letters as outlines (font_outlines.h), for figures as pixels.
#ifndef PH_IO_PLOT_PICTURE_FONT_H
#define PH_IO_PLOT_PICTURE_FONT_H

#include "io/plot/raster.h"

typedef struct affine { // x' = a x + c y + e, y' = b x + d y + f
    double a, b, c, d, e, f;
} affine;

double font_advance(uint32_t code, double size);
// Adds the edges of a letter whose base line begins at (x, y).
void font_letter(raster *r, const affine *m, uint32_t code, double x, double y, double size);

#endif
