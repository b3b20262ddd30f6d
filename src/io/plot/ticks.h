// Where an axis has its ticks and what stands beside them.
#ifndef PH_IO_PLOT_TICKS_H
#define PH_IO_PLOT_TICKS_H

#include <stdbool.h>

enum { TICKS_MAX = 160, TICK_LABEL = 40, TICK_NOTE = 96 };

typedef struct tick {
    double value;
    bool major;
    char label[TICK_LABEL]; // rich text; empty: none
} tick;

typedef struct ticks {
    int count;
    tick list[TICKS_MAX];
    char note[TICK_NOTE]; // what all labels are to be multiplied by or added to, or empty
} ticks;

// Both need low < high, finite; a log axis 0 < low. `wanted` is how many labels there is room for.
void ticks_linear(double low, double high, int wanted, ticks *out);
void ticks_log(double low, double high, int wanted, ticks *out);

double ticks_log10(double x); // the same bits on every machine

#endif
