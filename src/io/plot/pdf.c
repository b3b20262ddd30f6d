// Figures as PDF 1.4 (ISO 32000-1). See pdf.h.
//
// Everything is a path: letters are drawn as outlines, so that they look the same everywhere and no font is carried. Over
// each of them stands the letter itself, unseen, for those who search the text or copy it. The same figure has the same
// bytes.

#include "io/plot/pdf.h"

#include "base/memory.h"
#include "io/plot/picture.h"
#include "io/plot/squeeze.h"
#include "io/plot/svg.h"

#include <math.h>
#include <string.h>

static const double POINTS = 0.75; // for a unit of the figure: 72 and 96 in an inch
enum { OBJECTS = 5 };              // catalogue, pages, page, drawing, font

typedef struct sheet {
    svg text, path; // what is drawn; the path that is being drawn, which goes behind its colour
    double x, y;    // where the pen is; NaN: nowhere
    double width;   // of the line
} sheet;

// ---- Drawing --------------------------------------------------------------------------------------------------------

static void put_edge(void *to, double x0, double y0, double x1, double y1)
{
    sheet *s = to;
    if (!isfinite(x0 + y0 + x1 + y1)) return;
    if (s->x != x0 || s->y != y0) svg_put(&s->path, "%n %n m\n", x0, y0);
    svg_put(&s->path, "%n %n l\n", x1, y1);
    s->x = x1;
    s->y = y1;
}

static void put_piece(void *to, double x0, double y0, double x1, double y1, double width)
{
    ((sheet *)to)->width = width;
    put_edge(to, x0, y0, x1, y1);
}

static void end_path(sheet *s, uint32_t color, const char *color_word, const char *word)
{
    if (s->path.length > 0) {
        const double red = (color >> 16) / 255.0, green = (color >> 8 & 255) / 255.0, blue = (color & 255) / 255.0;
        svg_put(&s->text, "%n %n %n %r\n%r%r\n", red, green, blue, color_word, s->path.text, word);
    }
    s->path.length = 0;
    s->x = s->y = (double)NAN;
}

static void put_fill(void *to, uint32_t color)
{
    end_path(to, color, "rg", "f");
}

static void put_stroke(void *to, uint32_t color)
{
    sheet *s = to;
    svg_put(&s->text, "%n w\n", s->width);
    end_path(s, color, "RG", "S");
}

// The byte of WinAnsiEncoding, or a question mark.
static int byte_of(uint32_t code)
{
    return code == 0x2212 ? '-' : (code >= 32 && code < 127) || (code >= 160 && code < 256) ? (int)code : '?';
}

static void put_letter(void *to, const affine *m, uint32_t code, double x, double y, double size)
{
    static const char digits[] = "0123456789abcdef";
    const int byte = byte_of(code);
    const char hex[] = {digits[byte >> 4], digits[byte & 15], '\0'};
    svg_put(&((sheet *)to)->text, "BT /F %n Tf %n %n %n %n %n %n Tm <%r> Tj ET\n", size, m->a, m->b, -m->c, -m->d,
            m->a * x + m->c * y + m->e, m->b * x + m->d * y + m->f, hex);
}

// ---- The file -------------------------------------------------------------------------------------------------------

typedef struct bytes {
    uint8_t *data;
    int length, capacity;
    bool failed;
} bytes;

static void append(bytes *b, const void *data, size_t count)
{
    if (b->failed || count > INT32_MAX / 2 || b->length > INT32_MAX / 2 ||
        !mem_reserve(NULL, &b->data, &b->capacity, b->length + (int)count, 1)) {
        b->failed = true;
        return;
    }
    memcpy(b->data + b->length, data, count);
    b->length += (int)count;
}

// Object `number`, which begins here; `content` NULL: without one.
static void put_object(bytes *b, int *places, int number, const svg *dictionary, const uint8_t *content, size_t length)
{
    svg head = {0};
    places[number] = b->length;
    svg_put(&head, "%d 0 obj\n<<%r>>\n", number, dictionary->text ? dictionary->text : "");
    b->failed = b->failed || head.failed || dictionary->failed;
    append(b, head.text, (size_t)head.length);
    if (content) {
        append(b, "stream\n", 7);
        append(b, content, length);
        append(b, "\nendstream\n", 11);
    }
    append(b, "endobj\n", 7);
    svg_free(&head);
}

// Where each object is: ten digits, exactly.
static void put_places(bytes *b, const int *places)
{
    const int begin = b->length;
    svg tail = {0};
    svg_put(&tail, "xref\n0 %d\n0000000000 65535 f \n", OBJECTS + 1);
    for (int i = 1; i <= OBJECTS; i++) {
        char line[] = "0000000000 00000 n \n";
        for (int k = 9, rest = places[i]; rest > 0; k--, rest /= 10) line[k] = (char)('0' + rest % 10);
        svg_put(&tail, "%r", line);
    }
    svg_put(&tail, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", OBJECTS + 1, begin);
    b->failed = b->failed || tail.failed;
    append(b, tail.text, (size_t)tail.length);
    svg_free(&tail);
}

static void put_dictionary(bytes *b, int *places, int number, svg *dictionary, const uint8_t *content, size_t length)
{
    put_object(b, places, number, dictionary, content, length);
    svg_free(dictionary);
}

static void put_file(bytes *b, picture_size size, const uint8_t *drawing, size_t length)
{
    int places[OBJECTS + 1] = {0};
    svg d = {0};
    append(b, "%PDF-1.4\n%\xE2\xE3\xCF\xD3\n", 15);
    svg_put(&d, "/Type/Catalog/Pages 2 0 R");
    put_dictionary(b, places, 1, &d, NULL, 0);
    svg_put(&d, "/Type/Pages/Kids[3 0 R]/Count 1");
    put_dictionary(b, places, 2, &d, NULL, 0);
    svg_put(&d, "/Type/Page/Parent 2 0 R/MediaBox[0 0 %n %n]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>",
            POINTS * size.width, POINTS * size.height);
    put_dictionary(b, places, 3, &d, NULL, 0);
    svg_put(&d, "/Length %d/Filter/FlateDecode", (int)length);
    put_dictionary(b, places, 4, &d, drawing, length);
    svg_put(&d, "/Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding");
    put_dictionary(b, places, 5, &d, NULL, 0);
    put_places(b, places);
}

uint8_t *pdf_encode(const char *text, size_t *count)
{
    sheet s = {.x = (double)NAN, .y = (double)NAN};
    const surface on = {&s, put_edge, put_fill, put_piece, put_stroke, put_letter};
    const picture_size size = picture_measure(text);
    // Lengths of the figure, y downwards; round ends and joins; letters unseen.
    svg_put(&s.text, "%n 0 0 %n 0 %n cm\n1 J\n1 j\n3 Tr\n", POINTS, -POINTS, POINTS * size.height);
    picture_draw(text, 1.0, &on);
    size_t length = 0;
    bytes b = {0};
    uint8_t *drawing =
        s.text.failed || s.path.failed ? NULL : squeeze((const uint8_t *)s.text.text, (size_t)s.text.length, &length);
    if (drawing) put_file(&b, size, drawing, length);
    mem_free(NULL, drawing);
    svg_free(&s.text);
    svg_free(&s.path);
    if (b.failed || !drawing) {
        mem_free(NULL, b.data);
        return NULL;
    }
    *count = (size_t)b.length;
    return b.data;
}
