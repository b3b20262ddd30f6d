// Letters as outlines. See picture_font.h.

#include "io/plot/picture_font.h"

#include "io/plot/font_outlines.h"

typedef struct pen {
    const surface *s;
    const affine *m;
    double x, y, scale;    // of the letter
    double last_x, last_y; // in units of the font
} pen;

// Letters that the outlines do not have are drawn as U+FFFD.
static const struct font_glyph *find_glyph(uint32_t code)
{
    int low = 0, high = FONT_GLYPHS - 1;
    code = code == 0xa0 ? ' ' : code;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (font_glyphs[middle].code < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return font_glyphs[low].code == code ? &font_glyphs[low] : &font_glyphs[FONT_GLYPHS - 1];
}

double font_advance(uint32_t code, double size)
{
    return find_glyph(code)->advance * size / FONT_UNITS;
}

static void line_to(pen *p, double x, double y)
{
    const affine *m = p->m;
    const double x0 = p->x + p->scale * p->last_x, y0 = p->y - p->scale * p->last_y;
    const double x1 = p->x + p->scale * x, y1 = p->y - p->scale * y;
    p->s->edge(p->s->to, m->a * x0 + m->c * y0 + m->e, m->b * x0 + m->d * y0 + m->f, m->a * x1 + m->c * y1 + m->e,
               m->b * x1 + m->d * y1 + m->f);
    p->last_x = x;
    p->last_y = y;
}

// A parabola from the last point by way of the control point.
static void curve_to(pen *p, double cx, double cy, double x, double y)
{
    enum { PIECES = 6 };
    const double x0 = p->last_x, y0 = p->last_y;
    for (int i = 1; i <= PIECES; i++) {
        const double t = (double)i / PIECES, s = 1.0 - t;
        line_to(p, s * s * x0 + 2.0 * s * t * cx + t * t * x, s * s * y0 + 2.0 * s * t * cy + t * t * y);
    }
}

typedef struct corner {
    double x, y;
    int on; // the curve; else a control point
} corner;

static corner read_corner(const int16_t *numbers, int index)
{
    const int on = numbers[2 * index + 1] & 1;
    return (corner){numbers[2 * index], 0.5 * (numbers[2 * index + 1] - on), on};
}

static corner middle(corner a, corner b)
{
    return (corner){0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 1};
}

// TrueType: between two control points in a row lies a point of the curve.
static void draw_contour(pen *p, const int16_t *numbers, int count)
{
    const corner first = read_corner(numbers, 0), last = read_corner(numbers, count - 1);
    const corner start = first.on ? first : last.on ? last : middle(first, last);
    corner control = {0.0, 0.0, 1};
    p->last_x = start.x;
    p->last_y = start.y;
    for (int i = first.on ? 1 : 0; i <= count; i++) {
        const corner now = i < count ? read_corner(numbers, i) : start;
        if (now.on && control.on) {
            line_to(p, now.x, now.y);
        } else if (now.on) {
            curve_to(p, control.x, control.y, now.x, now.y);
        } else if (!control.on) {
            const corner between = middle(control, now);
            curve_to(p, control.x, control.y, between.x, between.y);
        }
        control = now;
    }
}

void font_letter(const surface *s, const affine *m, uint32_t code, double x, double y, double size)
{
    const struct font_glyph *glyph = find_glyph(code);
    const int16_t *at = font_numbers + glyph->first, *end = at + glyph->count;
    pen p = {s, m, x, y, size / FONT_UNITS, 0.0, 0.0};
    while (at < end) {
        const int count = *at++;
        draw_contour(&p, at, count);
        at += 2 * count;
    }
}
