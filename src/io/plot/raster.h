// Pictures of pixels: areas and lines with smooth edges.
#ifndef PH_IO_PLOT_RASTER_H
#define PH_IO_PLOT_RASTER_H

#include "io/plot/surface.h"

#include <stdbool.h>

typedef struct raster {
    int width, height;
    uint8_t *pixels;              // red, green, blue
    float *cover;                 // of the shape being drawn; zero between shapes
    int left, top, right, bottom; // the part of `cover` that is in use
} raster;

bool raster_create(raster *r, int width, int height); // white; false when out of memory
void raster_destroy(raster *r);

// An area is the sum of its edges, each contour going round. What overlaps in the same sense counts once.
void raster_edge(raster *r, double x0, double y0, double x1, double y1);
void raster_fill(raster *r, uint32_t color); // 0xrrggbb; ends the shape

// A line is the sum of its pieces with round ends.
void raster_piece(raster *r, double x0, double y0, double x1, double y1, double width);
void raster_stroke(raster *r, uint32_t color); // ends the shape

surface raster_surface(raster *r);

#endif
