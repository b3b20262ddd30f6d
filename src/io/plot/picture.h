// Figures as pixels: draws the SVG text that plot_draw.c writes, and nothing beyond what stands there.
#ifndef PH_IO_PLOT_PICTURE_H
#define PH_IO_PLOT_PICTURE_H

#include "io/plot/raster.h"
#include "polhode/base.h"

// `scale` pixels for each unit. The caller destroys the raster.
ph_status picture_draw(const char *svg, double scale, raster *r);

#endif
