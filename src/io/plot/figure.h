// The inside of a figure. plot.c builds it, plot_range.c finds ranges and ticks, plot_ink.c turns data into paths,
// plot_place.c finds room for legends and slope triangles, plot_draw.c writes it all down.
//
// Lengths are in the units of the figure (a pixel at its natural size). Inside a panel the origin is the top left corner
// of its frame.
#ifndef PH_IO_PLOT_FIGURE_H
#define PH_IO_PLOT_FIGURE_H

#include "base/memory.h"
#include "io/plot/svg.h"
#include "io/plot/ticks.h"
#include "polhode/plot.h"

typedef struct point {
    double x, y; // NaN: the pen is lifted
} point;

typedef struct box {
    double x, y, width, height;
} box;

typedef struct series {
    char *label, *color;
    double *x, *y;
    int count;
    ph_line line;
    ph_marker marker;
    double width;
    int palette;
    bool in_legend;
    point *path; // what is drawn of the line
    int path_count;
    point *marks; // and of the markers
    int mark_count;
} series;

typedef struct slope {
    int series;
    double slope;
    bool placed, above; // above: the triangle stands over its series
    point corner[3];    // along the series: from, to; then the right angle
} slope;

typedef struct axis {
    char *label;
    ph_axis_scale scale;
    double given_low, given_high; // NaN: from the data
    double low, high;
    double length;
    ticks ticks;
} axis;

typedef struct legend {
    int count;   // entries
    bool inside; // in a corner of the frame; else in rows above it
    int rows;    // above the frame
    box box;     // in a corner
} legend;

typedef struct panel {
    char *title;
    axis x, y;
    bool equal, share_x;
    bool x_shown; // tick labels and label of the x axis stand below this panel
    series *series;
    int series_count, series_capacity;
    slope *slopes;
    int slope_count, slope_capacity;
    legend legend;
    double top; // of the frame, in the figure
} panel;

struct ph_plot {
    arena *memory; // texts and data
    char *title;
    double width;
    panel *panels;
    int panel_count, panel_capacity;
    double left;   // of the frames
    double height; // of the figure
    svg text;
};

enum { FONT_TITLE = 15, FONT_LABEL = 13, FONT_TICK = 12, LEGEND_ROW = 18, LEGEND_SAMPLE = 26, LEGEND_GAP = 18 };
enum { FRAME_RIGHT = 18 }; // room right of the frames

static inline double frame_width(const panel *p)
{
    return p->x.length;
}

static inline double frame_height(const panel *p)
{
    return p->y.length;
}

double axis_place(const axis *a, double value); // 0 at its low end, `length` at its high end
bool axis_accepts(const axis *a, double value); // finite, and positive on a log axis

void plot_set_ranges(ph_plot *plot); // ranges, ticks, frame widths
bool plot_set_ink(panel *p);         // paths and markers; false when out of memory
void plot_free_ink(panel *p);
void plot_place_legends(ph_plot *plot);
void plot_place_slopes(panel *p);
void plot_draw(ph_plot *plot);

// Cuts the segment to the box; false when nothing is left.
bool clip_segment(const box *b, point *from, point *to);

const char *series_color(const series *s);
ph_line series_line(const series *s);
double legend_entry_width(const series *s);

#endif
