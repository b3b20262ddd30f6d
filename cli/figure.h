// From results and names of quantities to a figure.
#ifndef CLI_FIGURE_H
#define CLI_FIGURE_H

#include "options.h"

#include "polhode/polhode.h"

// A result that was opened, and how it is called in the legend.
typedef struct source {
    ph_result *result;
    ph_curves *curves;
    const char *label;
} source;

enum { SOURCES_MAX = 64 };

typedef struct source_list {
    int count;
    source list[SOURCES_MAX];
} source_list;

// Opens all results, for whose models files may be read from `folder` too (or NULL); reports what is wrong and returns false when one cannot be used.
bool sources_open(source_list *sources, const char *const *paths, int count, const char *folder);
void sources_close(source_list *sources);

typedef struct figure_options {
    const char *title, *against, *log;
    double from, to; // NaN: all
    double width, height;
    bool equal, apart; // apart: every quantity in a panel of its own
} figure_options;

// One quantity against time or against another one. Mistakes are reported; then the answer is NULL.
ph_plot *make_figure(const source_list *sources, const text_list *quantities, const figure_options *options);

#endif
