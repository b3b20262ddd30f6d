// What a figure is drawn on, in lengths of its own with y downwards: pixels (raster.h) or the page of a PDF (pdf.c).
#ifndef PH_IO_PLOT_SURFACE_H
#define PH_IO_PLOT_SURFACE_H

#include <stdint.h>

typedef struct affine { // x' = a x + c y + e, y' = b x + d y + f
    double a, b, c, d, e, f;
} affine;

typedef struct surface {
    void *to;
    // An area is the sum of its edges, each contour going round.
    void (*edge)(void *to, double x0, double y0, double x1, double y1);
    void (*fill)(void *to, uint32_t color); // 0xrrggbb; ends the shape
    // A line is the sum of its pieces with round ends.
    void (*piece)(void *to, double x0, double y0, double x1, double y1, double width);
    void (*stroke)(void *to, uint32_t color); // ends the shape
    // Which letter the next area is, for those who search the text; NULL: nobody does.
    void (*letter)(void *to, const affine *m, uint32_t code, double x, double y, double size);
} surface;

#endif
