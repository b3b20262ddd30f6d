// Figures on a surface, pixels or paper: draws the SVG text that draw.c writes, and nothing beyond what stands there.
#ifndef PH_IO_PLOT_PICTURE_H
#define PH_IO_PLOT_PICTURE_H

#include "io/plot/surface.h"
#include "polhode/base.h"

typedef struct picture_size {
    double width, height; // units; 0: this is no figure
} picture_size;

picture_size picture_measure(const char *svg);

// `scale` lengths of the surface for each unit.
void picture_draw(const char *svg, double scale, const surface *s);

#endif
