// Room for legends and slope triangles: where they cover no data.

#include "io/plot/figure.h"

#include <math.h>
#include <string.h>

static const double INSET = 10.0;    // of a legend from the frame
static const double CLEARANCE = 8.0; // between data and what is set beside it

// ---- What is where --------------------------------------------------------------------------------------------------

static bool touches_path(const series *s, const box *b)
{
    for (int i = 1; i < s->path_count; i++) {
        point from = s->path[i - 1], to = s->path[i];
        if (!isnan(from.x) && !isnan(to.x) && clip_segment(b, &from, &to)) return true;
    }
    return false;
}

static bool touches_marks(const series *s, const box *b)
{
    for (int i = 0; i < s->mark_count; i++) {
        point from = s->marks[i], to = from;
        if (clip_segment(b, &from, &to)) return true;
    }
    return false;
}

static bool covers_data(const panel *p, box b)
{
    b = (box){b.x - CLEARANCE, b.y - CLEARANCE, b.width + 2.0 * CLEARANCE, b.height + 2.0 * CLEARANCE};
    for (int k = 0; k < p->series_count; k++)
        if (touches_path(&p->series[k], &b) || touches_marks(&p->series[k], &b)) return true;
    return false;
}

static bool overlap(const box *a, const box *b)
{
    return a->x < b->x + b->width && b->x < a->x + a->width && a->y < b->y + b->height && b->y < a->y + a->height;
}

// ---- Legends --------------------------------------------------------------------------------------------------------

static bool same_entry(const series *a, const series *b)
{
    return a->in_legend && strcmp(a->label, b->label) == 0 && strcmp(series_color(a), series_color(b)) == 0 &&
           series_line(a) == series_line(b) && a->marker == b->marker;
}

static bool shown_before(const ph_plot *plot, const panel *until, const series *s)
{
    for (const panel *p = plot->panels; p <= until; p++)
        for (int k = 0; k < p->series_count && &p->series[k] != s; k++)
            if (same_entry(&p->series[k], s)) return true;
    return false;
}

double legend_entry_width(const series *s)
{
    return LEGEND_SAMPLE + 6.0 + 1.06 * svg_rich_width(s->label, FONT_TICK);
}

static void set_corner(panel *p)
{
    double width = 0.0;
    for (int k = 0; k < p->series_count; k++)
        if (p->series[k].in_legend) width = fmax(width, legend_entry_width(&p->series[k]));
    const box b = {0.0, 0.0, width + 16.0, p->legend.count * LEGEND_ROW + 8.0};
    const double right = frame_width(p) - b.width - INSET, bottom = frame_height(p) - b.height - INSET;
    const point corners[] = {{right, INSET}, {INSET, INSET}, {right, bottom}, {INSET, bottom}};
    const bool fits = right > 0.4 * frame_width(p) && bottom > INSET;
    for (int c = 0; fits && c < 4 && !p->legend.inside; c++) {
        p->legend.box = (box){corners[c].x, corners[c].y, b.width, b.height};
        p->legend.inside = !covers_data(p, p->legend.box);
    }
}

static void set_rows(panel *p)
{
    double used = 0.0;
    p->legend.rows = 1;
    for (int k = 0; k < p->series_count; k++) {
        if (!p->series[k].in_legend) continue;
        const double width = legend_entry_width(&p->series[k]);
        if (used > 0.0 && used + width > frame_width(p)) {
            p->legend.rows++;
            used = 0.0;
        }
        used += width + LEGEND_GAP;
    }
}

void plot_place_legends(ph_plot *plot)
{
    for (int i = 0; i < plot->panel_count; i++)
        for (int k = 0; k < plot->panels[i].series_count; k++) plot->panels[i].series[k].in_legend = false;
    for (int i = 0; i < plot->panel_count; i++) {
        panel *p = &plot->panels[i];
        p->legend = (legend){0};
        for (int k = 0; k < p->series_count; k++) {
            series *s = &p->series[k];
            s->in_legend = s->label && s->label[0] && !shown_before(plot, p, s);
            p->legend.count += s->in_legend;
        }
        if (p->legend.count) set_corner(p);
        if (p->legend.count && !p->legend.inside) set_rows(p);
    }
}

// ---- Slope triangles ------------------------------------------------------------------------------------------------

static double decades(const axis *a)
{
    return ticks_log10(a->high) - ticks_log10(a->low);
}

// How steep y ~ x^slope looks: units up for each unit to the right.
static double steepness(const panel *p, double exponent)
{
    return exponent * (frame_height(p) / decades(&p->y)) / (frame_width(p) / decades(&p->x));
}

static box bounds(const slope *s)
{
    const point *c = s->corner;
    const double left = fmin(c[0].x, c[1].x), top = fmin(c[0].y, c[1].y);
    const double label = 14.0; // the digits stand outside, at the two legs
    const box b = {left - (s->above ? label : 0.0), top - (s->above ? label : 0.0), fabs(c[1].x - c[0].x) + label,
                   fabs(c[1].y - c[0].y) + label};
    return b;
}

// The triangle has its long side parallel to y ~ x^slope, `distance` below (or above) the point.
static slope triangle(const slope *s, point at, double width, double steep, double distance, bool above)
{
    const double length = sqrt(1.0 + steep * steep), side = above ? -distance : distance;
    const point middle = {at.x + side * steep / length, at.y + side / length};
    const point from = {middle.x - 0.5 * width, middle.y + 0.5 * width * steep};
    const point to = {middle.x + 0.5 * width, middle.y - 0.5 * width * steep};
    const bool corner_right = above == (steep < 0.0);
    const point corner = corner_right ? (point){to.x, from.y} : (point){from.x, to.y};
    return (slope){s->series, s->slope, true, above, {from, to, corner}};
}

static bool is_free(const panel *p, const slope *candidate)
{
    const box b = bounds(candidate);
    if (b.x < 4.0 || b.y < 4.0 || b.x + b.width > frame_width(p) - 4.0 || b.y + b.height > frame_height(p) - 4.0)
        return false;
    if (p->legend.inside && overlap(&b, &p->legend.box)) return false;
    for (int i = 0; i < p->slope_count; i++) {
        const box other = bounds(&p->slopes[i]);
        if (p->slopes[i].placed && overlap(&b, &other)) return false;
    }
    // The corner opposite to the series is what comes near others; the long side keeps its distance by itself.
    for (int k = 0; k < p->series_count; k++)
        if (touches_path(&p->series[k], &b) || touches_marks(&p->series[k], &b)) return false;
    return true;
}

// Only pieces of the series that are about as steep as the triangle; round-off bends the others.
static bool try_along(const panel *p, slope *s, double width, double steep, double distance)
{
    const series *along = &p->series[s->series];
    for (int i = 1; i < along->path_count; i++) {
        const point a = along->path[i - 1], b = along->path[i];
        if (isnan(a.x) || isnan(b.x) || fabs(a.y - b.y - steep * (b.x - a.x)) > 0.3 * fabs(steep * (b.x - a.x)))
            continue;
        for (int k = 0; k < 4; k++) {
            static const double shares[] = {0.5, 0.25, 0.75, 0.0};
            const point at = {a.x + shares[k] * (b.x - a.x), a.y + shares[k] * (b.y - a.y)};
            const slope below = triangle(s, at, width, steep, distance, false);
            const slope above = triangle(s, at, width, steep, distance, true);
            if (is_free(p, &below) || is_free(p, &above)) {
                *s = is_free(p, &below) ? below : above;
                return true;
            }
        }
    }
    return false;
}

void plot_place_slopes(panel *p)
{
    for (int i = 0; i < p->slope_count; i++) {
        slope *s = &p->slopes[i];
        s->placed = false;
        const double steep = steepness(p, s->slope);
        const double width = fmin(0.1 * frame_width(p), 0.3 * frame_height(p) / fmax(fabs(steep), 1e-9));
        bool done = !(width > 8.0);
        for (double distance = 12.0; !done && distance < 80.0; distance += 4.0)
            done = try_along(p, s, width, steep, distance);
    }
}
