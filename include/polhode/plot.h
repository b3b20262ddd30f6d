// Polhode: figures as SVG or PNG files, made to be printed as they are.
//
//     ph_plot *plot = ph_plot_create("Energy error of the double pendulum");
//     ph_axes_def axes = ph_default_axes();
//     axes.x.label = "time (s)";
//     axes.y.label = "|ΔE| (J)";
//     axes.y.scale = PH_LOG;
//     const int panel = ph_plot_add_axes(plot, &axes);
//     ph_series_def series = ph_default_series();
//     series.label = "rattlie";
//     series.x = time, series.y = error, series.count = 50001;
//     ph_plot_add_series(plot, panel, &series);
//     status = ph_plot_write(plot, "energy.svg", &error);
//     ph_plot_destroy(plot);
//
// Panels stand one below the other. Texts are UTF-8, with ^{...} and _{...} for raised and lowered parts. The same calls
// give the same bytes on every machine.
#ifndef POLHODE_PLOT_H
#define POLHODE_PLOT_H

#include "polhode/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ph_plot ph_plot;

typedef enum ph_axis_scale { PH_LINEAR, PH_LOG } ph_axis_scale;
typedef enum ph_line { PH_LINE_SOLID, PH_LINE_DASHED, PH_LINE_DOTTED, PH_LINE_NONE } ph_line;
typedef enum ph_marker {
    PH_MARKER_NONE,
    PH_MARKER_CIRCLE,
    PH_MARKER_SQUARE,
    PH_MARKER_TRIANGLE,
    PH_MARKER_DIAMOND,
    PH_MARKER_COUNT
} ph_marker;

PH_API ph_plot *ph_plot_create(const char *title); // the title may be NULL; NULL when out of memory
PH_API void ph_plot_destroy(ph_plot *plot);
PH_API void ph_plot_set_width(ph_plot *plot, double width); // of the whole figure, 720 when not set; kept above 240

// ---- Panels ---------------------------------------------------------------------------------------------------------

typedef struct ph_axis {
    const char *label; // with the unit: "time (s)"
    ph_axis_scale scale;
    double low, high; // NaN: from the data
} ph_axis;

typedef struct ph_axes_def {
    uint32_t cookie;
    const char *title; // of this panel, or NULL
    ph_axis x, y;
    bool equal;           // one unit of x is as long as one of y (linear scales only)
    bool share_x;         // the x axis of the panel above, drawn once below the last that shares it
    double height;        // of the frame
    uint64_t reserved[4]; // room for later versions
} ph_axes_def;

PH_API ph_axes_def ph_default_axes(void);

// Adds a panel below the others. Returns its index, or -1 (out of memory, or a definition without its cookie).
PH_API int ph_plot_add_axes(ph_plot *plot, const ph_axes_def *def);

// ---- Series ---------------------------------------------------------------------------------------------------------

typedef struct ph_series_def {
    uint32_t cookie;
    const char *label; // in the legend; NULL: not there. One that a panel above has shown is not repeated.
    const double *x,
        *y; // `count` each, copied. Points that are not finite, or not positive on a log axis, leave a gap.
    int count;
    ph_line line;
    ph_marker marker;
    double width;      // of the line
    const char *color; // "#rrggbb"; NULL: by `palette`
    int palette;       // place in the colour-blind-safe palette, repeated dashed; negative: the next one of the panel
    uint64_t reserved[4]; // room for later versions
} ph_series_def;

PH_API ph_series_def ph_default_series(void);

// Adds a series. Returns its index in the panel, or -1.
PH_API int ph_plot_add_series(ph_plot *plot, int panel, const ph_series_def *def);

// A triangle beside series `series` of a panel with two log scales that shows what y ~ x^slope looks like, set where it
// covers no data. Left out when there is no such place.
PH_API ph_status ph_plot_add_slope(ph_plot *plot, int panel, int series, double slope);

// ---- Output ---------------------------------------------------------------------------------------------------------

// The figure as SVG text, which lives until the next call with this plot. NULL when out of memory.
PH_API const char *ph_plot_text(ph_plot *plot, size_t *length);

// Writes the figure: as pixels, two for each unit, when the path ends with .png, as PDF when with .pdf, else as SVG. The file appears whole or not
// at all.
PH_API ph_status ph_plot_write(ph_plot *plot, const char *path, ph_error *error);

#ifdef __cplusplus
}
#endif
#endif
