// Ranges, ticks and frame widths.

#include "io/plot/figure.h"
#include "math/trig.h"

#include <float.h>
#include <math.h>

static const double NARROWEST = 1e-13; // of a range, relative to its numbers: beyond it their digits end
static const double LARGEST = 0.2 * DBL_MAX;

// ---- One axis -------------------------------------------------------------------------------------------------------

bool axis_accepts(const axis *a, double value)
{
    return isfinite(value) && fabs(value) < LARGEST && (a->scale == PH_LINEAR || value > DBL_MIN);
}

double axis_place(const axis *a, double value)
{
    if (a->scale == PH_LINEAR) return (value - a->low) / (a->high - a->low) * a->length;
    const double from = ticks_log10(a->low), to = ticks_log10(a->high);
    return (ticks_log10(value) - from) / (to - from) * a->length;
}

static void widen(axis *a, double share_low, double share_high)
{
    if (a->scale == PH_LOG) {
        const double decades = ticks_log10(a->high) - ticks_log10(a->low);
        a->low = fmax(a->low * ph_pow(10.0, -share_low * decades), DBL_MIN);
        a->high = fmin(a->high * ph_pow(10.0, share_high * decades), LARGEST);
    } else {
        const double span = a->high - a->low;
        a->low -= share_low * span;
        a->high += share_high * span;
    }
}

// A range of one number, or of numbers that differ only where their digits end.
static void open_up(axis *a)
{
    const double size = fmax(fabs(a->low), fabs(a->high)), middle = 0.5 * a->low + 0.5 * a->high;
    if (a->scale == PH_LOG) {
        if (a->high > a->low * (1.0 + NARROWEST)) return;
        a->low = fmax(0.5 * middle, DBL_MIN);
        a->high = 2.0 * middle;
    } else if (a->high - a->low <= fmax(NARROWEST * size, 1e4 * DBL_MIN)) {
        const double half = a->high > a->low ? NARROWEST * size : size > 1e4 * DBL_MIN ? 0.5 * size : 1.0;
        a->low = middle - half;
        a->high = middle + half;
    }
}

// From the data's range (low > high: no data) to that of the axis.
static void settle(axis *a, double padding)
{
    const bool low_given = axis_accepts(a, a->given_low), high_given = axis_accepts(a, a->given_high);
    if (low_given) a->low = a->given_low;
    if (high_given) a->high = a->given_high;
    if (!(a->low <= a->high)) { // no data, or given ends the wrong way round
        a->low = a->scale == PH_LOG ? 1.0 : 0.0;
        a->high = a->scale == PH_LOG ? 10.0 : 1.0;
        return;
    }
    open_up(a);
    const bool from_zero = a->scale == PH_LINEAR && a->low == 0.0;
    widen(a, low_given || from_zero ? 0.0 : padding, high_given ? 0.0 : padding);
}

// ---- Data -----------------------------------------------------------------------------------------------------------

static bool within(const axis *a, double value)
{
    return axis_accepts(a, value) && !(value < a->given_low) && !(value > a->given_high);
}

static void include(axis *a, double value)
{
    a->low = fmin(a->low, value);
    a->high = fmax(a->high, value);
}

// Points outside the given ends of one axis do not stretch the other. A number that a log scale of y cannot show still
// belongs to the range of x: an error that is zero at the start leaves the start in sight.
static void include_data(panel *p, axis *x)
{
    p->y.low = DBL_MAX;
    p->y.high = -DBL_MAX;
    for (int k = 0; k < p->series_count; k++) {
        const series *s = &p->series[k];
        for (int i = 0; i < s->count; i++) {
            const bool shown = within(&p->y, s->y[i]), hidden = !shown && s->y[i] <= 0.0 && p->y.scale == PH_LOG;
            if (!within(&p->x, s->x[i])) continue;
            if (shown || hidden) include(x, s->x[i]);
            if (shown) include(&p->y, s->y[i]);
        }
    }
}

static bool has_markers(const panel *p)
{
    for (int k = 0; k < p->series_count; k++)
        if (p->series[k].marker != PH_MARKER_NONE || p->series[k].line == PH_LINE_NONE) return true;
    return false;
}

// Stretches the range of the axis that has more room per unit.
static void make_equal(panel *p)
{
    const double unit_x = p->x.length / (p->x.high - p->x.low), unit_y = p->y.length / (p->y.high - p->y.low);
    axis *a = unit_x > unit_y ? &p->x : &p->y;
    const double share = 0.5 * (fmax(unit_x, unit_y) / fmin(unit_x, unit_y) - 1.0);
    if (isfinite(share)) widen(a, share, share);
}

// ---- Panels ---------------------------------------------------------------------------------------------------------

static int group_end(const ph_plot *plot, int first)
{
    int end = first + 1;
    while (end < plot->panel_count && plot->panels[end].share_x) end++;
    return end;
}

// Panels that share an x axis: its ends and scale are those the first one has been given.
static void set_group_range(ph_plot *plot, int first, int end)
{
    axis *x = &plot->panels[first].x;
    bool markers = false;
    x->low = DBL_MAX;
    x->high = -DBL_MAX;
    for (int i = first; i < end; i++) {
        panel *p = &plot->panels[i];
        p->x.scale = x->scale;
        p->x.given_low = x->given_low;
        p->x.given_high = x->given_high;
        p->x_shown = i == end - 1;
        markers = markers || has_markers(p) || p->equal;
        include_data(p, x);
        settle(&p->y, 0.06);
    }
    settle(x, markers ? 0.04 : 0.0);
    for (int i = first; i < end; i++) {
        plot->panels[i].x.low = x->low;
        plot->panels[i].x.high = x->high;
    }
}

static double label_width(const axis *a)
{
    double width = 0.0;
    for (int i = 0; i < a->ticks.count; i++) width = fmax(width, svg_rich_width(a->ticks.list[i].label, FONT_TICK));
    return width;
}

static void set_ticks(axis *a, double room)
{
    const int wanted = (int)fmax(a->length / room, 3.0);
    (a->scale == PH_LOG ? ticks_log : ticks_linear)(a->low, a->high, wanted, &a->ticks);
}

static void set_y_ticks(ph_plot *plot)
{
    double widest = 0.0;
    for (int i = 0; i < plot->panel_count; i++) {
        panel *p = &plot->panels[i];
        set_ticks(&p->y, 32.0);
        widest = fmax(widest, label_width(&p->y) + (p->y.label ? FONT_LABEL + 14.0 : 0.0));
    }
    plot->left = ceil(widest) + 18.0;
    for (int i = 0; i < plot->panel_count; i++)
        plot->panels[i].x.length = fmax(plot->width - plot->left - FRAME_RIGHT, 60.0);
}

// Labels of a log axis with digits are long; one that does not fit is tried again with fewer.
static void set_x_ticks(panel *p)
{
    for (double room = 60.0; room < p->x.length; room *= 1.3) {
        set_ticks(&p->x, room);
        int labels = 0;
        for (int i = 0; i < p->x.ticks.count; i++) labels += p->x.ticks.list[i].label[0] != '\0';
        if (labels * (label_width(&p->x) + 10.0) < 1.1 * p->x.length) break;
    }
}

void plot_set_ranges(ph_plot *plot)
{
    for (int i = 0; i < plot->panel_count; i = group_end(plot, i)) set_group_range(plot, i, group_end(plot, i));
    set_y_ticks(plot);
    bool again = false;
    for (int i = 0; i < plot->panel_count; i++) {
        if (plot->panels[i].equal) make_equal(&plot->panels[i]);
        again = again || plot->panels[i].equal;
    }
    if (again) set_y_ticks(plot);
    for (int i = 0; i < plot->panel_count; i++) set_x_ticks(&plot->panels[i]);
}
