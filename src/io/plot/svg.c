// SVG text. See svg.h. Numbers are written by hand: printf follows the locale of the program.

#include "io/plot/svg.h"

#include "base/memory.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

static const double SMALL = 0.72;   // font size of raised and lowered parts
static const double RAISED = 0.38;  // how far, in font sizes
static const double LOWERED = 0.18; //

// ---- Buffer ---------------------------------------------------------------------------------------------------------

static void put_bytes(svg *out, const char *bytes, int count)
{
    if (out->failed || out->length > INT32_MAX - count - 1 ||
        !mem_reserve(NULL, &out->text, &out->capacity, out->length + count + 1, 1)) {
        out->failed = true;
        return;
    }
    memcpy(out->text + out->length, bytes, (size_t)count);
    out->length += count;
    out->text[out->length] = '\0';
}

static void put_string(svg *out, const char *text)
{
    put_bytes(out, text, (int)strlen(text));
}

void svg_free(svg *out)
{
    mem_free(NULL, out->text);
    *out = (svg){0};
}

// ---- Numbers --------------------------------------------------------------------------------------------------------

static void put_integer(svg *out, long long value)
{
    char digits[24];
    int at = (int)sizeof digits;
    unsigned long long rest = value < 0 ? 0ull - (unsigned long long)value : (unsigned long long)value;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0) digits[--at] = '-';
    put_bytes(out, digits + at, (int)sizeof digits - at);
}

static long long hundredths(double value)
{
    return fabs(value) < 1e15 ? llround(100.0 * value) : 0;
}

// 1234 -> 12.34, 50 -> .5, -200 -> -2
static void put_hundredths(svg *out, long long value)
{
    const long long size = value < 0 ? -value : value;
    const char decimals[] = {'.', (char)('0' + size % 100 / 10), (char)('0' + size % 10)};
    if (value < 0) put_string(out, "-");
    if (size >= 100 || size == 0) put_integer(out, size / 100);
    if (size % 100) put_bytes(out, decimals, size % 10 ? 3 : 2);
}

// ---- Text -----------------------------------------------------------------------------------------------------------

static const char REPLACEMENT[] = "\xEF\xBF\xBD"; // U+FFFD

static int sequence_length(unsigned char first)
{
    return first < 0x80                    ? 1
           : first >= 0xC2 && first < 0xE0 ? 2
           : (first & 0xF0) == 0xE0        ? 3
           : first >= 0xF0 && first < 0xF5 ? 4
                                           : 0;
}

// Reads the character at `text` into `code` and returns its bytes; code is 0xFFFD where XML allows no such character.
static int read_character(const char *text, uint32_t *code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char first = (unsigned char)text[0];
    const int bytes = sequence_length(first);
    uint32_t c = bytes == 1 ? first : first & (0x7Fu >> bytes);
    *code = 0xFFFD;
    for (int i = 1; i < bytes; i++) {
        const unsigned char next = (unsigned char)text[i];
        if ((next & 0xC0) != 0x80) return i;
        c = c << 6 | (next & 0x3Fu);
    }
    if (bytes == 0) return 1;
    const bool control = c < 0x20 || c == 0x7F, surrogate = c >= 0xD800 && c < 0xE000,
               none = c == 0xFFFE || c == 0xFFFF;
    if (!control && !surrogate && !none && c >= smallest[bytes] && c < 0x110000) *code = c;
    return bytes;
}

static void put_escaped(svg *out, const char *text, const char *end)
{
    while (text < end) {
        uint32_t code;
        const int bytes = read_character(text, &code);
        switch (code) {
        case '&':
            put_string(out, "&amp;");
            break;
        case '<':
            put_string(out, "&lt;");
            break;
        case '>':
            put_string(out, "&gt;");
            break;
        case '"':
            put_string(out, "&quot;");
            break;
        case 0xFFFD:
            put_string(out, REPLACEMENT);
            break;
        default:
            put_bytes(out, text, bytes);
            break;
        }
        text += bytes;
    }
}

void svg_put(svg *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (const char *at = format; *at;) {
        const size_t plain = strcspn(at, "%");
        put_bytes(out, at, (int)plain);
        at += plain;
        if (!*at) break;
        const char *text;
        switch (at[1]) {
        case 'n':
            put_hundredths(out, hundredths(va_arg(arguments, double)));
            break;
        case 'd':
            put_integer(out, va_arg(arguments, int));
            break;
        case 'r':
            put_string(out, va_arg(arguments, const char *));
            break;
        case 's':
            text = va_arg(arguments, const char *);
            put_escaped(out, text, text + strlen(text));
            break;
        default:
            put_bytes(out, at + 1, 1);
            break;
        }
        at += 2;
    }
    va_end(arguments);
}

// ---- Raised and lowered parts ---------------------------------------------------------------------------------------

typedef struct piece {
    const char *text, *end;
    char kind; // '^', '_' or 0
} piece;

// Takes the next piece off *text; false at its end.
static bool next_piece(const char **text, piece *p)
{
    const char *at = *text;
    if (!*at) return false;
    const char *close = (*at == '^' || *at == '_') && at[1] == '{' ? strchr(at, '}') : NULL;
    if (close) {
        *p = (piece){at + 2, close, *at};
        *text = close + 1;
        return true;
    }
    const char *end = at + 1;
    while (*end && !((*end == '^' || *end == '_') && end[1] == '{' && strchr(end, '}'))) end++;
    *p = (piece){at, end, 0};
    *text = end;
    return true;
}

void svg_put_rich(svg *out, const char *text, double size)
{
    double height = 0.0; // of the baseline
    piece p;
    while (next_piece(&text, &p)) {
        const double wanted = size * (p.kind == '^' ? RAISED : p.kind == '_' ? -LOWERED : 0.0);
        const bool plain = p.kind == 0 && height == 0.0;
        if (!plain) svg_put(out, "<tspan dy=\"%n\"", height - wanted);
        if (p.kind) svg_put(out, " font-size=\"%n\"", SMALL * size);
        if (!plain) put_string(out, ">");
        put_escaped(out, p.text, p.end);
        if (!plain) put_string(out, "</tspan>");
        height = wanted;
    }
}

// Widths of ' ' to '~' in thousandths of the font size, as in Helvetica and the fonts made to its measure.
static const uint16_t widths[] = {
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333,  278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,  611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278,  556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500,  500, 334, 260, 334, 584,
};

static double character_width(uint32_t code)
{
    if (code >= ' ' && code <= '~') return 1e-3 * widths[code - ' '];
    if (code >= 0x300 && code < 0x370) return 0.0; // accents set over the letter before
    return code >= 0x2E80 && code != 0xFFFD ? 1.0 : 0.58;
}

double svg_rich_width(const char *text, double size)
{
    double width = 0.0;
    piece p;
    while (next_piece(&text, &p)) {
        for (const char *at = p.text; at < p.end;) {
            uint32_t code;
            at += read_character(at, &code);
            width += (p.kind ? SMALL : 1.0) * size * character_width(code);
        }
    }
    return width;
}

// ---- Paths ----------------------------------------------------------------------------------------------------------

static void put_pair(svg *out, char command, svg_pen *pen, double x, double y)
{
    const long long to_x = hundredths(x), to_y = hundredths(y);
    const long long dx = to_x - pen->x, dy = to_y - pen->y;
    if (command != pen->last) {
        put_bytes(out, &command, 1);
    } else if (dx >= 0) {
        put_string(out, " ");
    }
    put_hundredths(out, dx);
    if (dy >= 0) put_string(out, " ");
    put_hundredths(out, dy);
    *pen = (svg_pen){to_x, to_y, command};
}

void svg_move(svg *out, svg_pen *pen, double x, double y)
{
    pen->last = 0; // a second pair after m would be a line
    put_pair(out, 'm', pen, x, y);
}

void svg_line(svg *out, svg_pen *pen, double x, double y)
{
    if (pen->last == 'l' && hundredths(x) == pen->x && hundredths(y) == pen->y) return;
    put_pair(out, 'l', pen, x, y);
}
