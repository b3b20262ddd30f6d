// Writing the figure down.

#include "io/plot/figure.h"

#include <math.h>

static const char INK[] = "#222";
static const char FRAME[] = "#666";
static const char GRID[] = "#e4e4e4";
static const char FONTS[] = "Helvetica,Arial,Liberation Sans,DejaVu Sans,sans-serif";

// ---- Texts ----------------------------------------------------------------------------------------------------------

// `style` is written as it is: " text-anchor=..." and the like.
static void draw_text(svg *out, double x, double y, double size, const char *style, const char *text)
{
    svg_put(out, "<text x=\"%n\" y=\"%n\" font-size=\"%n\"%r>", x, y, size, style);
    svg_put_rich(out, text, size);
    svg_put(out, "</text>\n");
}

// ---- Axes -----------------------------------------------------------------------------------------------------------

// One path for all lines of a kind keeps the file small.
static void draw_grid(svg *out, const panel *p)
{
    svg_pen pen = {0};
    svg_put(out, "<path stroke=\"%r\" d=\"", GRID);
    for (int i = 0; i < p->x.ticks.count; i++) {
        const double x = axis_place(&p->x, p->x.ticks.list[i].value);
        if (!p->x.ticks.list[i].major) continue;
        svg_move(out, &pen, x, 0.0);
        svg_line(out, &pen, x, frame_height(p));
    }
    for (int i = 0; i < p->y.ticks.count; i++) {
        const double y = frame_height(p) - axis_place(&p->y, p->y.ticks.list[i].value);
        if (!p->y.ticks.list[i].major) continue;
        svg_move(out, &pen, 0.0, y);
        svg_line(out, &pen, frame_width(p), y);
    }
    svg_put(out, "\"/>\n");
}

static void draw_frame(svg *out, const panel *p)
{
    svg_pen pen = {0};
    svg_put(out, "<path stroke=\"%r\" fill=\"none\" d=\"M0 0h%nv%nh%nz", FRAME, frame_width(p), frame_height(p),
            -frame_width(p));
    for (int i = 0; i < p->x.ticks.count; i++) {
        const tick *t = &p->x.ticks.list[i];
        const double x = axis_place(&p->x, t->value);
        svg_move(out, &pen, x, frame_height(p));
        svg_line(out, &pen, x, frame_height(p) + (t->major ? 5.0 : 3.0));
    }
    for (int i = 0; i < p->y.ticks.count; i++) {
        const tick *t = &p->y.ticks.list[i];
        const double y = frame_height(p) - axis_place(&p->y, t->value);
        svg_move(out, &pen, 0.0, y);
        svg_line(out, &pen, t->major ? -5.0 : -3.0, y);
    }
    svg_put(out, "\"/>\n");
}

static void draw_x_labels(svg *out, const panel *p)
{
    const double below = frame_height(p) + FONT_TICK + 8.0;
    svg_put(out, "<g text-anchor=\"middle\">\n");
    for (int i = 0; i < p->x.ticks.count; i++) {
        const tick *t = &p->x.ticks.list[i];
        if (t->label[0]) draw_text(out, axis_place(&p->x, t->value), below, FONT_TICK, "", t->label);
    }
    if (p->x.label) draw_text(out, 0.5 * frame_width(p), below + 20.0, FONT_LABEL, "", p->x.label);
    svg_put(out, "</g>\n");
    if (p->x.ticks.note[0])
        draw_text(out, frame_width(p), below + 20.0, FONT_TICK, " text-anchor=\"end\"", p->x.ticks.note);
}

static void draw_y_labels(svg *out, const ph_plot *plot, const panel *p)
{
    svg_put(out, "<g text-anchor=\"end\">\n");
    for (int i = 0; i < p->y.ticks.count; i++) {
        const tick *t = &p->y.ticks.list[i];
        const double y = frame_height(p) - axis_place(&p->y, t->value) + 0.36 * FONT_TICK;
        if (t->label[0]) draw_text(out, -9.0, y, FONT_TICK, "", t->label);
    }
    svg_put(out, "</g>\n");
    if (p->y.label) {
        svg_put(out, "<text transform=\"translate(%n %n) rotate(-90)\" text-anchor=\"middle\" font-size=\"%n\">",
                FONT_LABEL + 6.0 - plot->left, 0.5 * frame_height(p), (double)FONT_LABEL);
        svg_put_rich(out, p->y.label, FONT_LABEL);
        svg_put(out, "</text>\n");
    }
}

// ---- Series ---------------------------------------------------------------------------------------------------------

static const char *dashes(ph_line line)
{
    return line == PH_LINE_DASHED   ? " stroke-dasharray=\"7 4\""
           : line == PH_LINE_DOTTED ? " stroke-dasharray=\".1 4\""
                                    : "";
}

static void draw_path(svg *out, const series *s)
{
    svg_pen pen = {0};
    bool lifted = true;
    if (!s->path_count) return;
    svg_put(out, "<path fill=\"none\" stroke=\"%r\" stroke-width=\"%n\"%r d=\"", series_color(s), s->width,
            dashes(series_line(s)));
    for (int i = 0; i < s->path_count; i++) {
        const point *at = &s->path[i];
        if (isnan(at->x)) {
            lifted = true;
            continue;
        }
        (lifted ? svg_move : svg_line)(out, &pen, at->x, at->y);
        lifted = false;
    }
    svg_put(out, "\"/>\n");
}

// Outlines of the markers around (0, 0), of about the same area; each begins where the one before has begun.
static const char *const outlines[PH_MARKER_COUNT] = {
    "",
    "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z",
    "m-3.1-3.1h6.2v6.2h-6.2z",
    "m0-4.3l4 7h-8z",
    "m0-4.4l4 4.4l-4 4.4l-4-4.4z",
};

static void draw_marks(svg *out, const series *s, const point *marks, int count)
{
    if (!count || s->marker <= PH_MARKER_NONE || s->marker >= PH_MARKER_COUNT) return;
    svg_put(out, "<path fill=\"%r\" stroke=\"#fff\" stroke-width=\".8\" d=\"", series_color(s));
    for (int i = 0; i < count; i++) svg_put(out, "M%n %n%r", marks[i].x, marks[i].y, outlines[s->marker]);
    svg_put(out, "\"/>\n");
}

// ---- Legends --------------------------------------------------------------------------------------------------------

static void draw_entry(svg *out, const series *s, double x, double y)
{
    const point middle = {x + 0.5 * LEGEND_SAMPLE, y};
    if (s->line != PH_LINE_NONE)
        svg_put(out, "<path stroke=\"%r\" stroke-width=\"%n\"%r d=\"M%n %nh%n\"/>\n", series_color(s),
                fmax(s->width, 1.5), dashes(series_line(s)), x, y, (double)LEGEND_SAMPLE);
    draw_marks(out, s, &middle, 1);
    draw_text(out, x + LEGEND_SAMPLE + 6.0, y + 0.36 * FONT_TICK, FONT_TICK, "", s->label);
}

static void draw_legend(svg *out, const panel *p)
{
    const box *b = &p->legend.box;
    const double left = p->legend.inside ? b->x + 8.0 : 0.0;
    double x = left, y = p->legend.inside ? b->y + 4.0 + 0.5 * LEGEND_ROW : -8.0 - LEGEND_ROW * (p->legend.rows - 0.5);
    if (p->legend.inside)
        svg_put(out, "<rect x=\"%n\" y=\"%n\" width=\"%n\" height=\"%n\" rx=\"3\" fill=\"#fff\" stroke=\"%r\"/>\n",
                b->x, b->y, b->width, b->height, GRID);
    for (int k = 0; k < p->series_count; k++) {
        if (!p->series[k].in_legend) continue;
        const double width = legend_entry_width(&p->series[k]);
        if (!p->legend.inside && x > left && x + width > frame_width(p)) {
            x = left;
            y += LEGEND_ROW;
        }
        draw_entry(out, &p->series[k], x, y);
        if (p->legend.inside) {
            y += LEGEND_ROW;
        } else {
            x += width + LEGEND_GAP;
        }
    }
}

// ---- Slopes ---------------------------------------------------------------------------------------------------------

// 2 -> "2", 2.5 -> "2.5"
static void put_slope(svg *out, double value)
{
    if (value < 0.0) svg_put(out, "\xE2\x88\x92");
    svg_put(out, "%n", fabs(value));
}

static void draw_slope(svg *out, const slope *s)
{
    const point from = s->corner[0], to = s->corner[1], right = s->corner[2];
    const double middle_x = 0.5 * (from.x + to.x), middle_y = 0.5 * (from.y + to.y);
    const double outside = right.x > middle_x ? 1.0 : -1.0, down = right.y > middle_y ? 1.0 : -1.0;
    svg_put(out, "<path fill=\"#fff\" stroke=\"%r\" d=\"M%n %nL%n %nL%n %nz\"/>\n", FRAME, from.x, from.y, right.x,
            right.y, to.x, to.y);
    svg_put(out, "<text x=\"%n\" y=\"%n\" font-size=\"11\" text-anchor=\"middle\">1</text>\n", middle_x,
            right.y + (down > 0.0 ? 11.0 : -3.0));
    svg_put(out, "<text x=\"%n\" y=\"%n\" font-size=\"11\" text-anchor=\"%r\">", right.x + 4.0 * outside,
            middle_y + 4.0, outside > 0.0 ? "start" : "end");
    put_slope(out, s->slope);
    svg_put(out, "</text>\n");
}

// ---- The figure -----------------------------------------------------------------------------------------------------

static double legend_height(const panel *p) // above the frame
{
    return p->legend.count && !p->legend.inside ? LEGEND_ROW * p->legend.rows + 6.0 : 0.0;
}

static double room_above(const panel *p)
{
    const double title = p->title ? FONT_LABEL + 9.0 : 0.0;
    const double note = p->y.ticks.note[0] ? FONT_TICK + 4.0 : 0.0;
    return legend_height(p) + fmax(title, note);
}

static double room_below(const panel *p)
{
    return p->x_shown ? FONT_TICK + 12.0 + (p->x.label || p->x.ticks.note[0] ? 20.0 : 0.0) : 4.0;
}

static void set_heights(ph_plot *plot)
{
    double y = plot->title ? FONT_TITLE + 20.0 : 12.0;
    for (int i = 0; i < plot->panel_count; i++) {
        panel *p = &plot->panels[i];
        p->top = y + room_above(p);
        y = p->top + frame_height(p) + room_below(p) + (i + 1 < plot->panel_count ? 12.0 : 0.0);
    }
    plot->height = y + 4.0;
}

static void draw_panel(svg *out, const ph_plot *plot, const panel *p)
{
    const double above = legend_height(p);
    svg_put(out, "<g transform=\"translate(%n %n)\">\n", plot->left, p->top);
    draw_grid(out, p);
    draw_frame(out, p);
    if (p->x_shown) draw_x_labels(out, p);
    draw_y_labels(out, plot, p);
    if (p->title) draw_text(out, 0.5 * frame_width(p), -9.0 - above, FONT_LABEL, " text-anchor=\"middle\"", p->title);
    if (p->y.ticks.note[0]) draw_text(out, 0.0, -6.0 - above, FONT_TICK, "", p->y.ticks.note);
    svg_put(out, "<g stroke-linecap=\"round\" stroke-linejoin=\"round\">\n");
    for (int k = 0; k < p->series_count; k++) draw_path(out, &p->series[k]);
    for (int k = 0; k < p->series_count; k++)
        draw_marks(out, &p->series[k], p->series[k].marks, p->series[k].mark_count);
    svg_put(out, "</g>\n");
    for (int i = 0; i < p->slope_count; i++)
        if (p->slopes[i].placed) draw_slope(out, &p->slopes[i]);
    if (p->legend.count) draw_legend(out, p);
    svg_put(out, "</g>\n");
}

void plot_draw(ph_plot *plot)
{
    svg *out = &plot->text;
    set_heights(plot);
    svg_put(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %n %n\" width=\"%n\" height=\"%n\"",
            plot->width, plot->height, plot->width, plot->height);
    svg_put(out, " font-family=\"%r\" fill=\"%r\" role=\"img\" xml:space=\"preserve\">\n", FONTS, INK);
    if (plot->title) svg_put(out, "<title>%s</title>\n", plot->title);
    svg_put(out, "<rect width=\"%n\" height=\"%n\" fill=\"#fff\"/>\n", plot->width, plot->height);
    if (plot->title)
        draw_text(out, 0.5 * (plot->left + plot->width - FRAME_RIGHT), FONT_TITLE + 9.0, FONT_TITLE,
                  " text-anchor=\"middle\" font-weight=\"600\"", plot->title);
    for (int i = 0; i < plot->panel_count; i++) draw_panel(out, plot, &plot->panels[i]);
    svg_put(out, "</svg>\n");
}
