// Figures as pixels: areas and lines cover what geometry says, PNG gives the pixels back, and a figure shows its parts.

#include "test.h"

#include "base/memory.h"
#include "folder.h"
#include "io/plot/picture.h"
#include "io/plot/picture_font.h"
#include "io/plot/png.h"
#include "io/plot/raster.h"
#include "polhode/plot.h"

#ifdef PH_WITH_ZLIB
#include "base/foreign.h"

#include <zlib.h>
#endif

// ---- Areas and lines ------------------------------------------------------------------------------------------------

// How much ink there is, in pixels.
static double ink(const raster *r)
{
    double sum = 0.0;
    for (int i = 0; i < r->width * r->height; i++) {
        sum += (255 - r->pixels[3 * i]) / 255.0;
    }
    return sum;
}

TEST(areas_cover_their_area)
{
    for (int k = 0; k < 200; k++) {
        raster r;
        CHECK(raster_create(&r, 60, 50));
        double x[3], y[3];
        for (int i = 0; i < 3; i++) {
            x[i] = test_uniform(2, 58);
            y[i] = test_uniform(2, 48);
        }
        for (int i = 0; i < 3; i++) {
            raster_edge(&r, x[i], y[i], x[(i + 1) % 3], y[(i + 1) % 3]);
        }
        raster_fill(&r, 0);
        const double area = 0.5 * fabs((x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]));
        CHECK_NEAR(ink(&r), area, 0.4); // each pixel is rounded to a 255th
        raster_destroy(&r);
    }
}

TEST(areas_are_cut_at_the_edges_of_the_picture)
{
    raster r;
    raster_create(&r, 20, 10);
    const double x[] = {-30.0, 15.5, 15.5, -30.0}, y[] = {-5.0, -5.0, 40.0, 40.0};
    for (int i = 0; i < 4; i++) {
        raster_edge(&r, x[i], y[i], x[(i + 1) % 4], y[(i + 1) % 4]);
    }
    raster_fill(&r, 0xff0000);
    for (int i = 0; i < 20; i++) {
        CHECK_EQ_INT(r.pixels[3 * i], 255);
        CHECK_EQ_INT(r.pixels[3 * i + 1], i < 15 ? 0 : i == 15 ? 128 : 255);
    }
    raster_destroy(&r);
}

TEST(lines_have_their_width_and_cross_without_blots)
{
    raster r;
    raster_create(&r, 100, 100);
    raster_piece(&r, 10.0, 50.0, 90.0, 50.0, 3.0);
    raster_piece(&r, 10.0, 50.0, 90.0, 50.0, 3.0); // twice: no darker
    raster_stroke(&r, 0);
    CHECK_NEAR(ink(&r), 80.0 * 3.0 + 3.14159 * 1.5 * 1.5, 2.0);
    CHECK_EQ_INT(r.pixels[3 * (50 * 100 + 50)], 0);
    CHECK_EQ_INT(r.pixels[3 * (53 * 100 + 50)], 255);
    raster_destroy(&r);
}

TEST(letters_have_outlines)
{
    const affine identity = {1.0, 0.0, 0.0, 1.0, 0.0, 0.0};
    double of_point = 0.0, of_m = 0.0;
    for (const char *at = ".m"; *at; at++) {
        raster r;
        raster_create(&r, 100, 100);
        const surface on = raster_surface(&r);
        font_letter(&on, &identity, (unsigned char)*at, 10.0, 80.0, 80.0);
        raster_fill(&r, 0);
        *(*at == '.' ? &of_point : &of_m) = ink(&r);
        raster_destroy(&r);
    }
    CHECK(of_point > 60.0 && of_point < 150.0 && of_m > 10.0 * of_point);
    CHECK(font_advance('i', 10.0) < font_advance('m', 10.0));
    CHECK(font_advance(0x3b1, 10.0) > 4.0);                          // alpha
    CHECK(font_advance(0x4e00, 10.0) == font_advance(0xfffd, 10.0)); // not known: a box
}

// ---- PNG ------------------------------------------------------------------------------------------------------------

#ifdef PH_WITH_ZLIB
static size_t unpack(const uint8_t *data, size_t bytes, uint8_t *to, size_t room)
{
    uLongf length = (uLongf)room;
    const int status = uncompress(to, &length, data, (uLong)bytes);
    foreign_wrote(to, room);
    return CHECK_EQ_INT(status, Z_OK) ? length : 0;
}
#else // an own deflate: one block
typedef struct bit_reader {
    const uint8_t *data;
    size_t bit, end;
} bit_reader;

static unsigned take_bits(bit_reader *b, int count)
{
    unsigned value = 0;
    for (int i = 0; i < count && b->bit < b->end; i++, b->bit++) {
        value |= (unsigned)(b->data[b->bit / 8] >> b->bit % 8 & 1) << i;
    }
    return value;
}

static unsigned take_code(bit_reader *b, int count)
{
    unsigned code = 0;
    for (int i = 0; i < count; i++) {
        code = code << 1 | take_bits(b, 1);
    }
    return code;
}

// RFC 1951, 3.2.6
static unsigned take_symbol(bit_reader *b)
{
    unsigned code = take_code(b, 7);
    if (code < 24) return 256 + code;
    code = code << 1 | take_bits(b, 1);
    if (code < 192) return code - 48;
    if (code < 200) return 280 + code - 192;
    return 144 + (code << 1 | take_bits(b, 1)) - 400;
}

// Inflates one block of fixed codes, after two bytes that say so and before a sum, into `to`; returns how many bytes.
static size_t unpack(const uint8_t *data, size_t bytes, uint8_t *to, size_t room)
{
    static const int base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                               31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const int more[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    bit_reader b = {data + 2, 0, 8 * (bytes - 6)};
    size_t n = 0;
    CHECK_EQ_INT(take_bits(&b, 3), 3);
    for (unsigned s; b.bit < b.end && (s = take_symbol(&b)) != 256;) {
        if (s < 256) {
            if (n < room) to[n] = (uint8_t)s;
            n++;
            continue;
        }
        const unsigned length = (unsigned)base[s - 257] + take_bits(&b, more[s - 257]), code = take_code(&b, 5);
        const unsigned extra = code < 4 ? 0 : code / 2 - 1;
        const size_t distance = 1 + (code < 4 ? code : (2 + code % 2) << extra) + take_bits(&b, (int)extra);
        for (unsigned i = 0; i < length && CHECK(distance <= n); i++, n++) {
            if (n < room) to[n] = to[n - distance];
        }
    }
    return n;
}
#endif

static uint32_t word(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

// The pixels of a PNG file of ours, after every check of its parts.
static void check_png(const uint8_t *png, size_t bytes, const uint8_t *pixels, int width, int height)
{
    const size_t row = 3 * (size_t)width, size = (row + 1) * (size_t)height;
    uint8_t *rows = calloc(size + 1, 1);
    bool data = false;
    CHECK(memcmp(png, "\x89PNG\r\n\x1a\n", 8) == 0);
    CHECK_EQ_INT(word(png + 16), width);
    CHECK_EQ_INT(word(png + 20), height);
    for (size_t at = 8; at < bytes; at += 12 + word(png + at)) {
        const uint32_t length = word(png + at);
        uint32_t crc = 0xffffffffu;
        for (size_t i = 0; i < length + 4; i++) {
            crc ^= png[at + 4 + i];
            for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
        }
        CHECK_EQ_INT(word(png + at + 8 + length), ~crc);
        if (memcmp(png + at + 4, "IDAT", 4) == 0) {
            data = true;
            CHECK_EQ_INT(unpack(png + at + 8, length, rows, size), size);
        }
    }
    CHECK(data && memcmp(png + bytes - 8, "IEND", 4) == 0);
    for (int y = 0; y < height; y++) {
        uint8_t *line = rows + (size_t)y * (row + 1);
        for (size_t i = 1; i <= row && line[0] == 2; i++) {
            line[i] = (uint8_t)(line[i] + *(line + i - row - 1));
        }
        CHECK(memcmp(line + 1, pixels + (size_t)y * row, row) == 0);
    }
    free(rows);
}

TEST(png_gives_the_pixels_back)
{
    static const int sizes[][2] = {{1, 1}, {7, 3}, {300, 200}, {2, 5000}};
    for (int k = 0; k < 4; k++) {
        const int width = sizes[k][0], height = sizes[k][1];
        uint8_t *pixels = malloc(3 * (size_t)width * (size_t)height);
        for (int way = 0; way < 3; way++) { // noise, one colour, stripes
            for (int i = 0; i < 3 * width * height; i++) {
                pixels[i] = (uint8_t)(way == 0 ? test_random_index(256) : way == 1 ? 255 : i % 17 * 15);
            }
            size_t bytes = 0;
            uint8_t *png = png_encode(pixels, width, height, 2.0, &bytes);
            if (CHECK(png != NULL)) check_png(png, bytes, pixels, width, height);
            mem_free(NULL, png);
        }
        free(pixels);
    }
}

// ---- Figures --------------------------------------------------------------------------------------------------------

static ph_plot *make_plot(void)
{
    ph_plot *plot = ph_plot_create("Title & more: \xCE\xB1^{2}");
    ph_axes_def axes = ph_default_axes();
    axes.x.label = "x (m)";
    axes.y.label = "y (m)";
    const int panel = ph_plot_add_axes(plot, &axes);
    const double x[] = {0.0, 0.5, 1.0}, y[] = {0.0, 0.9, 1.0};
    ph_series_def s = ph_default_series();
    s.x = x;
    s.y = y;
    s.count = 3;
    s.marker = PH_MARKER_CIRCLE;
    s.color = "#ff0000";
    s.label = "red";
    ph_plot_add_series(plot, panel, &s);
    s.line = PH_LINE_DASHED;
    s.marker = PH_MARKER_NONE;
    s.color = "#00ff00";
    s.label = "green";
    s.y = (const double[]){1.0, 0.2, 0.3};
    ph_plot_add_series(plot, panel, &s);
    return plot;
}

static int count_color(const raster *r, unsigned red, unsigned green, unsigned blue)
{
    int count = 0;
    for (int i = 0; i < r->width * r->height; i++) {
        const uint8_t *p = r->pixels + 3 * i;
        count += p[0] == red && p[1] == green && p[2] == blue;
    }
    return count;
}

TEST(a_figure_shows_its_parts)
{
    ph_plot *plot = make_plot();
    const char *text = ph_plot_text(plot, NULL);
    const picture_size size = picture_measure(text);
    raster r;
    if (!CHECK(raster_create(&r, (int)(2.0 * size.width), (int)(2.0 * size.height)))) return;
    const surface on = raster_surface(&r);
    picture_draw(text, 2.0, &on);
    CHECK_EQ_INT(r.width, 1440);
    // The red line is about 1250 pixels long and 3 wide; the dashes are 7 of 11 of theirs.
    const int red = count_color(&r, 255, 0, 0), green = count_color(&r, 0, 255, 0);
    CHECK(red > 1500 && red < 6000);
    CHECK(green > 500 && green < 0.8 * red);
    CHECK(count_color(&r, 0x22, 0x22, 0x22) > 1000); // letters
    CHECK(count_color(&r, 0x66, 0x66, 0x66) > 6000); // frame
    CHECK(count_color(&r, 255, 255, 255) > 0.9 * r.width * r.height);
    raster_destroy(&r);
    ph_plot_destroy(plot);
}

TEST(the_ending_chooses_the_format)
{
    const folder f = folder_make();
    ph_plot *plot = make_plot();
    ph_error error;
    CHECK_EQ_INT(ph_plot_write(plot, folder_file(&f, "a.PNG").text, &error), PH_OK);
    CHECK_EQ_INT(ph_plot_write(plot, folder_file(&f, "a.svg").text, &error), PH_OK);
    CHECK_EQ_INT(ph_plot_write(plot, folder_file(&f, "a.pdf").text, &error), PH_OK);
    char *pdf = read_text_file(folder_file(&f, "a.pdf").text);
    CHECK(pdf && memcmp(pdf, "%PDF-1.4\n", 9) == 0);
    free(pdf);
    char *png = read_text_file(folder_file(&f, "a.PNG").text), *svg = read_text_file(folder_file(&f, "a.svg").text);
    CHECK(png && memcmp(png, "\x89PNG", 4) == 0);
    CHECK(svg && memcmp(svg, "<svg", 4) == 0);
    free(png);
    free(svg);
    ph_plot_destroy(plot);
    folder_remove(&f);
}
