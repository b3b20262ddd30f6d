// Figures on a surface. See picture.h.
//
// The reader of SVG knows the elements and attributes that draw.c uses: svg, g, rect, path, text and tspan; fill, stroke,
// dashes, round ends, font sizes, anchors, translate and rotate.

#include "io/plot/picture.h"

#include "io/plot/picture_font.h"
#include "math/trig.h"

#include <math.h>
#include <string.h>

enum { DEPTH_MAX = 16, NO_COLOR = 1 << 24 };

typedef struct style {
    affine m;
    uint32_t fill, stroke; // 0xrrggbb or NO_COLOR
    double stroke_width, font_size;
    double dash[2]; // on, off; 0: not dashed
    bool round, bold;
    char anchor; // 's'tart, 'm'iddle, 'e'nd
} style;

typedef struct painter {
    const surface *on;
    int depth;
    style styles[DEPTH_MAX];
    double scale;
} painter;

// ---- Numbers and attributes -----------------------------------------------------------------------------------------

// Without the C library, which follows the locale. Returns what follows the number.
static const char *read_number(const char *at, double *value)
{
    while (*at == ' ' || *at == ',') {
        at++;
    }
    const bool negative = *at == '-';
    double number = 0.0, place = 1.0;
    at += negative;
    for (; *at >= '0' && *at <= '9'; at++) {
        number = 10.0 * number + (*at - '0');
    }
    if (*at == '.') {
        for (at++; *at >= '0' && *at <= '9'; at++) {
            place *= 0.1;
            number += place * (*at - '0');
        }
    }
    *value = negative ? -number : number;
    return at;
}

// The value of attribute `name` of the tag from `tag` to `end`, or NULL; it ends with a quotation mark.
static const char *find_attribute(const char *tag, const char *end, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = tag; at + length + 2 < end; at++) {
        if (*at == ' ' && strncmp(at + 1, name, length) == 0 && strncmp(at + 1 + length, "=\"", 2) == 0) {
            return at + length + 3;
        }
    }
    return NULL;
}

static double number_attribute(const char *tag, const char *end, const char *name, double otherwise)
{
    const char *value = find_attribute(tag, end, name);
    double number = otherwise;
    if (value) {
        read_number(value, &number);
    }
    return number;
}

static unsigned hex_digit(char c)
{
    return c >= '0' && c <= '9' ? (unsigned)(c - '0') : ((unsigned)c | 0x20) - 'a' + 10;
}

// "#rrggbb", "#rgb" or "none".
static uint32_t color_attribute(const char *tag, const char *end, const char *name, uint32_t otherwise)
{
    const char *value = find_attribute(tag, end, name);
    if (!value) {
        return otherwise;
    }
    if (*value != '#') {
        return NO_COLOR;
    }
    uint32_t color = 0;
    const size_t digits = strcspn(value + 1, "\"");
    for (size_t i = 0; i < 6; i++) {
        color = color << 4 | hex_digit(value[1 + (digits == 3 ? i / 2 : i)]);
    }
    return color;
}

static affine compose(affine m, double x, double y)
{
    m.e += m.a * x + m.c * y;
    m.f += m.b * x + m.d * y;
    return m;
}

// "translate(x y)" and "translate(x y) rotate(-90)".
static affine transformed(affine m, const char *value)
{
    double x, y;
    read_number(read_number(value + strlen("translate("), &x), &y);
    m = compose(m, x, y);
    const char *close = strchr(value, '"'), *turn = strstr(value, "rotate(-90)");
    if (turn && turn < close) {
        m = (affine){-m.c, -m.d, m.a, m.b, m.e, m.f};
    }
    return m;
}

static style read_style(style s, const char *tag, const char *end)
{
    const char *anchor = find_attribute(tag, end, "text-anchor"), *dash = find_attribute(tag, end, "stroke-dasharray");
    const char *transform = find_attribute(tag, end, "transform");
    s.fill = color_attribute(tag, end, "fill", s.fill);
    s.stroke = color_attribute(tag, end, "stroke", s.stroke);
    s.stroke_width = number_attribute(tag, end, "stroke-width", s.stroke_width);
    s.font_size = number_attribute(tag, end, "font-size", s.font_size);
    s.round = s.round || find_attribute(tag, end, "stroke-linecap");
    s.bold = s.bold || find_attribute(tag, end, "font-weight");
    s.anchor = anchor ? *anchor : s.anchor;
    s.dash[0] = s.dash[1] = 0.0;
    if (dash) {
        read_number(read_number(dash, &s.dash[0]), &s.dash[1]);
    }
    if (transform) {
        s.m = transformed(s.m, transform);
    }
    return s;
}

// ---- Paths ----------------------------------------------------------------------------------------------------------

// What a path does with each of its straight pieces.
typedef struct tracer {
    const surface *on;
    const style *s;
    double scale;
    bool stroke;    // else fill
    double along;   // how far into the dashes, units
    double x, y;    // where it is
    double x0, y0;  // where the contour began
    bool rectangle; // corners are to be closed
} tracer;

static void put_piece(tracer *t, double x0, double y0, double x1, double y1)
{
    const affine *m = &t->s->m;
    const double ax = m->a * x0 + m->c * y0 + m->e, ay = m->b * x0 + m->d * y0 + m->f;
    const double bx = m->a * x1 + m->c * y1 + m->e, by = m->b * x1 + m->d * y1 + m->f;
    const double width = t->scale * t->s->stroke_width;
    if (!t->stroke) {
        t->on->edge(t->on->to, ax, ay, bx, by);
    } else if (t->s->round || t->s->dash[0] > 0.0) {
        t->on->piece(t->on->to, ax, ay, bx, by, width);
    } else { // a bar with straight ends; those of a frame reach to its corners
        const double length = hypot(bx - ax, by - ay), k = length > 0.0 ? 0.5 * width / length : 0.0;
        const double ux = k * (bx - ax), uy = k * (by - ay), e = t->rectangle ? 1.0 : 0.0;
        const double px[4] = {ax - e * ux + uy, bx + e * ux + uy, bx + e * ux - uy, ax - e * ux - uy};
        const double py[4] = {ay - e * uy - ux, by + e * uy - ux, by + e * uy + ux, ay - e * uy + ux};
        for (int i = 0; i < 4; i++) {
            t->on->edge(t->on->to, px[i], py[i], px[(i + 1) % 4], py[(i + 1) % 4]);
        }
    }
}

static void put_line(tracer *t, double x, double y)
{
    const double dx = x - t->x, dy = y - t->y, length = hypot(dx, dy), period = t->s->dash[0] + t->s->dash[1];
    if (t->stroke && t->s->dash[0] > 0.0 && length > 0.0) {
        for (double from = 0.0; from < length;) {
            const double phase = fmod(t->along, period), on = t->s->dash[0] - phase;
            const double step = fmin(fmax(on > 0.0 ? on : period - phase, 1e-6), length - from);
            if (on > 0.0) {
                put_piece(t, t->x + from / length * dx, t->y + from / length * dy, t->x + (from + step) / length * dx,
                          t->y + (from + step) / length * dy);
            }
            from += step;
            t->along += step;
            if (step < 1e-9 * length) {
                break;
            }
        }
    } else {
        put_piece(t, t->x, t->y, x, y);
    }
    t->x = x;
    t->y = y;
}

// A circular arc, as markers have: from the present point to (x, y) in the sense of SVG's sweep flag.
static void put_arc(tracer *t, double radius, bool large, bool sweep, double x, double y)
{
    enum { PIECES = 16 };
    const double dx = x - t->x, dy = y - t->y, half = 0.5 * hypot(dx, dy);
    const double height = sqrt(fmax(radius * radius - half * half, 0.0)), side = large == sweep ? -1.0 : 1.0;
    const double cx = t->x + 0.5 * dx - side * height * dy / (2.0 * half);
    const double cy = t->y + 0.5 * dy + side * height * dx / (2.0 * half);
    const double pi = 3.14159265358979323846, from = ph_atan2(t->y - cy, t->x - cx);
    double turn = ph_atan2(y - cy, x - cx) - from;
    turn += sweep && turn <= 0.0 ? 2.0 * pi : !sweep && turn >= 0.0 ? -2.0 * pi : 0.0;
    for (int i = 1; i <= PIECES; i++) {
        const double angle = from + turn * i / PIECES;
        put_line(t, i < PIECES ? cx + radius * ph_cos(angle) : x, i < PIECES ? cy + radius * ph_sin(angle) : y);
    }
}

static void close_contour(tracer *t)
{
    if (t->x != t->x0 || t->y != t->y0) {
        put_line(t, t->x0, t->y0);
    }
}

static void move_to(tracer *t, double x, double y)
{
    if (!t->stroke) {
        close_contour(t);
    }
    t->x = t->x0 = x;
    t->y = t->y0 = y;
    t->along = 0.0;
}

static bool contour_closes(const char *at)
{
    return at[strcspn(at, "zm\"")] == 'z';
}

// One command with its numbers; returns what follows.
static const char *trace_command(tracer *t, char command, const char *at)
{
    double v[7] = {0.0};
    const int count = command == 'h' || command == 'v' ? 1 : command == 'a' ? 7 : 2;
    for (int i = 0; i < count; i++) {
        at = read_number(at, &v[i]);
    }
    switch (command) {
    case 'M':
        move_to(t, v[0], v[1]);
        t->rectangle = contour_closes(at);
        break;
    case 'm':
        move_to(t, t->x + v[0], t->y + v[1]);
        t->rectangle = contour_closes(at);
        break;
    case 'L':
        put_line(t, v[0], v[1]);
        break;
    case 'l':
        put_line(t, t->x + v[0], t->y + v[1]);
        break;
    case 'h':
        put_line(t, t->x + v[0], t->y);
        break;
    case 'v':
        put_line(t, t->x, t->y + v[0]);
        break;
    default:
        put_arc(t, v[0], v[3] != 0.0, v[4] != 0.0, t->x + v[5], t->y + v[6]);
        break;
    }
    return at;
}

static void trace(tracer *t, const char *data)
{
    char command = 0;
    for (const char *at = data; *at && *at != '"';) {
        if (*at == 'z') {
            close_contour(t);
            at++;
        } else if (strchr("MmLlhva", *at)) {
            command = *at++;
            at = trace_command(t, command, at);
        } else if (*at == ' ' || *at == ',') {
            at++;
        } else if (command && strchr("-.0123456789", *at)) {
            command = command == 'm' ? 'l' : command; // further pairs after a move are lines
            at = trace_command(t, command, at);
        } else {
            return;
        }
    }
    if (!t->stroke) {
        close_contour(t);
    }
}

static void draw_path(const painter *p, const style *s, const char *data)
{
    if (s->fill != NO_COLOR) {
        tracer t = {.on = p->on, .s = s, .scale = p->scale};
        trace(&t, data);
        p->on->fill(p->on->to, s->fill);
    }
    if (s->stroke != NO_COLOR) {
        tracer t = {.on = p->on, .s = s, .scale = p->scale, .stroke = true};
        trace(&t, data);
        (s->round || s->dash[0] > 0.0 ? p->on->stroke : p->on->fill)(p->on->to, s->stroke);
    }
}

static void draw_rect(const painter *p, const style *s, const char *tag, const char *end)
{
    const double x = number_attribute(tag, end, "x", 0.0), y = number_attribute(tag, end, "y", 0.0);
    const double width = number_attribute(tag, end, "width", 0.0), height = number_attribute(tag, end, "height", 0.0);
    const double corners[5][2] = {{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}, {x, y}};
    for (int pass = 0; pass < 2; pass++) {
        const uint32_t color = pass ? s->stroke : s->fill;
        tracer t = {.on = p->on, .s = s, .scale = p->scale, .stroke = pass == 1, .x = x, .y = y, .rectangle = true};
        for (int i = 1; color != NO_COLOR && i < 5; i++) {
            put_line(&t, corners[i][0], corners[i][1]);
        }
        if (color != NO_COLOR) {
            p->on->fill(p->on->to, color);
        }
    }
}

// ---- Texts ----------------------------------------------------------------------------------------------------------

// One character of XML text, with its entities; returns what follows.
static const char *read_letter(const char *at, uint32_t *code)
{
    static const struct {
        const char *name;
        char letter;
    } entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}};
    for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++) {
        if (strncmp(at, entities[i].name, strlen(entities[i].name)) == 0) {
            *code = (unsigned char)entities[i].letter;
            return at + strlen(entities[i].name);
        }
    }
    const unsigned char first = (unsigned char)*at++;
    const int more = first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    *code = more ? first & (0x3fu >> more) : first;
    for (int i = 0; i < more && ((unsigned char)*at & 0xc0) == 0x80; i++) {
        *code = *code << 6 | ((unsigned char)*at++ & 0x3fu);
    }
    return at;
}

// Goes through the text and its tspans; draws it, or only finds its width. `at` stands behind the tag.
static double go_through_text(const painter *p, const style *s, const char *at, double x, double y, bool draw)
{
    double size = s->font_size;
    while (strncmp(at, "</text>", 7) != 0 && *at) {
        if (strncmp(at, "<tspan", 6) == 0) {
            const char *end = strchr(at, '>');
            y += number_attribute(at, end, "dy", 0.0);
            size = number_attribute(at, end, "font-size", s->font_size);
            at = end + 1;
        } else if (strncmp(at, "</tspan>", 8) == 0) {
            size = s->font_size;
            at += 8;
        } else {
            uint32_t code;
            at = read_letter(at, &code);
            if (draw) {
                if (p->on->letter) {
                    p->on->letter(p->on->to, &s->m, code, x, y, size);
                }
                font_letter(p->on, &s->m, code, x, y, size);
                p->on->fill(p->on->to, s->fill);
            }
            x += font_advance(code, size);
        }
    }
    return x;
}

static void draw_text(const painter *p, const style *s, const char *tag, const char *end)
{
    const double x = number_attribute(tag, end, "x", 0.0), y = number_attribute(tag, end, "y", 0.0);
    const double width = go_through_text(p, s, end + 1, 0.0, 0.0, false);
    const double start = x - (s->anchor == 'm' ? 0.5 * width : s->anchor == 'e' ? width : 0.0);
    go_through_text(p, s, end + 1, start, y, true);
    if (s->bold) { // drawn twice, a little apart
        surface unread = *p->on;
        painter again = *p;
        unread.letter = NULL; // but read once
        again.on = &unread;
        go_through_text(&again, s, end + 1, start + 0.03 * s->font_size, y, true);
    }
}

// ---- The tree -------------------------------------------------------------------------------------------------------

static bool is_tag(const char *at, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(at + 1, name, length) == 0 && strchr(" >/", at[1 + length]);
}

static void draw_element(painter *p, const char *at, const char *end)
{
    style s = read_style(p->styles[p->depth], at, end);
    if (is_tag(at, "g")) {
        if (p->depth + 1 < DEPTH_MAX) {
            p->styles[++p->depth] = s;
        }
    } else if (is_tag(at, "/g")) {
        p->depth -= p->depth > 0;
    } else if (is_tag(at, "rect")) {
        draw_rect(p, &s, at, end);
    } else if (is_tag(at, "path")) {
        const char *data = find_attribute(at, end, "d");
        if (data) {
            draw_path(p, &s, data);
        }
    } else if (is_tag(at, "text")) {
        draw_text(p, &s, at, end);
    }
}

picture_size picture_measure(const char *svg)
{
    const char *end = strchr(svg, '>');
    if (!end || !is_tag(svg, "svg")) {
        return (picture_size){0};
    }
    return (picture_size){number_attribute(svg, end, "width", 1.0), number_attribute(svg, end, "height", 1.0)};
}

void picture_draw(const char *svg, double scale, const surface *s)
{
    const char *end = strchr(svg, '>');
    painter p = {.on = s, .scale = scale};
    const style first = {.m = {scale, 0.0, 0.0, scale, 0.0, 0.0},
                         .fill = 0,
                         .stroke = NO_COLOR,
                         .stroke_width = 1.0,
                         .font_size = 12.0,
                         .anchor = 's'};
    p.styles[0] = read_style(first, svg, end);
    for (const char *at = end; (at = strchr(at, '<')) && (end = strchr(at, '>')); at = end) {
        draw_element(&p, at, end);
    }
}
