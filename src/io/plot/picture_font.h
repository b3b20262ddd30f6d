// Letters as outlines (font_outlines.h), for figures that carry no font.
#ifndef PH_IO_PLOT_PICTURE_FONT_H
#define PH_IO_PLOT_PICTURE_FONT_H

#include "io/plot/surface.h"

double font_advance(uint32_t code, double size);
// Adds the edges of a letter whose base line begins at (x, y).
void font_letter(const surface *s, const affine *m, uint32_t code, double x, double y, double size);

#endif
