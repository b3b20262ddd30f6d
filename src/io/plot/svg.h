// SVG text: a growing buffer, numbers without a locale, escaped text, and how wide that text will be.
#ifndef PH_IO_PLOT_SVG_H
#define PH_IO_PLOT_SVG_H

#include <stdbool.h>
#include <stddef.h>

typedef struct svg {
    char *text; // ends with 0
    int length;
    int capacity;
    bool failed; // out of memory: what follows is ignored
} svg;

void svg_free(svg *out);

// Writes `format`, in which %n is a double (two decimals), %d an int, %r a string as it is and %s a string to be escaped.
// Bytes that are no UTF-8 and control characters become U+FFFD.
void svg_put(svg *out, const char *format, ...);

// Text with ^{raised} and _{lowered} parts, as the content of a text element of font size `size`.
void svg_put_rich(svg *out, const char *text, double size);

// How wide that text is, with the letter widths of the usual sans fonts.
double svg_rich_width(const char *text, double size);

// A path through points: coordinates relative to the last written one, in hundredths.
typedef struct svg_pen {
    long long x, y; // where it is, in hundredths
    char last;      // letter of the last command, 0 at the start
} svg_pen;

void svg_move(svg *out, svg_pen *pen, double x, double y);
void svg_line(svg *out, svg_pen *pen, double x, double y);

#endif
