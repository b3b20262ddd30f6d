// Building a figure and writing it out.

#include "polhode/plot.h"

#include "base/error.h"
#include "base/file.h"
#include "io/plot/figure.h"
#include "io/plot/pdf.h"
#include "io/plot/picture.h"
#include "io/plot/png.h"
#include "io/plot/raster.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { AXES_COOKIE = 0x41584553, SERIES_COOKIE = 0x53455253 };

// ---- The figure -----------------------------------------------------------------------------------------------------

ph_plot *ph_plot_create(const char *title)
{
    ph_plot *plot = mem_alloc(NULL, sizeof *plot);
    arena *memory = arena_create(NULL);
    if (!plot || !memory) {
        mem_free(NULL, plot);
        arena_destroy(memory);
        return NULL;
    }
    plot->memory = memory;
    plot->width = 720.0;
    plot->title = arena_copy_string(memory, title);
    if (title && !plot->title) {
        ph_plot_destroy(plot);
        return NULL;
    }
    return plot;
}

void ph_plot_destroy(ph_plot *plot)
{
    if (!plot) return;
    for (int i = 0; i < plot->panel_count; i++) {
        mem_free(NULL, plot->panels[i].series);
        mem_free(NULL, plot->panels[i].slopes);
    }
    mem_free(NULL, plot->panels);
    svg_free(&plot->text);
    arena_destroy(plot->memory);
    mem_free(NULL, plot);
}

void ph_plot_set_width(ph_plot *plot, double width)
{
    if (plot) plot->width = width >= 240.0 ? fmin(width, 10000.0) : 240.0;
}

// ---- Panels ---------------------------------------------------------------------------------------------------------

ph_axes_def ph_default_axes(void)
{
    const ph_axis free_axis = {.low = (double)NAN, .high = (double)NAN};
    return (ph_axes_def){.cookie = AXES_COOKIE, .x = free_axis, .y = free_axis, .height = 320.0};
}

// Copies a text into the plot; false when out of memory.
static bool copy_text(ph_plot *plot, const char *text, char **copy)
{
    *copy = arena_copy_string(plot->memory, text);
    return *copy || !text;
}

static bool copy_axis(ph_plot *plot, const ph_axis *def, axis *a)
{
    a->scale = def->scale;
    a->given_low = def->low;
    a->given_high = def->high;
    return copy_text(plot, def->label, &a->label);
}

int ph_plot_add_axes(ph_plot *plot, const ph_axes_def *def)
{
    if (!plot || !def || def->cookie != AXES_COOKIE) return -1;
    panel p = {.equal = def->equal && def->x.scale == PH_LINEAR && def->y.scale == PH_LINEAR,
               .share_x = def->share_x && plot->panel_count > 0};
    p.y.length = def->height >= 40.0 ? fmin(def->height, 10000.0) : 40.0;
    if (!copy_axis(plot, &def->x, &p.x) || !copy_axis(plot, &def->y, &p.y) || !copy_text(plot, def->title, &p.title) ||
        !mem_reserve(NULL, &plot->panels, &plot->panel_capacity, plot->panel_count + 1, sizeof p))
        return -1;
    plot->panels[plot->panel_count] = p;
    return plot->panel_count++;
}

static panel *find_panel(ph_plot *plot, int index)
{
    return plot && index >= 0 && index < plot->panel_count ? &plot->panels[index] : NULL;
}

// ---- Series ---------------------------------------------------------------------------------------------------------

ph_series_def ph_default_series(void)
{
    return (ph_series_def){.cookie = SERIES_COOKIE, .width = 1.5, .palette = -1};
}

static double *copy_numbers(ph_plot *plot, const double *numbers, int count)
{
    double *copy = arena_alloc_array(plot->memory, (size_t)count, sizeof *copy);
    return copy && count ? memcpy(copy, numbers, (size_t)count * sizeof *copy) : copy;
}

static int next_palette(const panel *p)
{
    int next = 0;
    for (int i = 0; i < p->series_count; i++) next += !p->series[i].color;
    return next;
}

// "#rrggbb" and nothing else, so that no text of a caller can break out of its attribute.
static bool is_color(const char *color)
{
    return strlen(color) == 7 && color[0] == '#' && strspn(color + 1, "0123456789abcdefABCDEF") == 6;
}

int ph_plot_add_series(ph_plot *plot, int index, const ph_series_def *def)
{
    panel *p = find_panel(plot, index);
    if (!p || !def || def->cookie != SERIES_COOKIE || def->count < 0 || (def->count && (!def->x || !def->y))) return -1;
    if (def->color && !is_color(def->color)) return -1;
    series s = {.count = def->count, .line = def->line, .marker = def->marker};
    s.width = def->width > 0.0 ? fmin(def->width, 100.0) : 1.5;
    s.palette = def->palette < 0 ? next_palette(p) : def->palette;
    s.x = copy_numbers(plot, def->x, def->count);
    s.y = copy_numbers(plot, def->y, def->count);
    if (!s.x || !s.y || !copy_text(plot, def->label, &s.label) || !copy_text(plot, def->color, &s.color) ||
        !mem_reserve(NULL, &p->series, &p->series_capacity, p->series_count + 1, sizeof s))
        return -1;
    p->series[p->series_count] = s;
    return p->series_count++;
}

ph_status ph_plot_add_slope(ph_plot *plot, int index, int along, double steepness)
{
    panel *p = find_panel(plot, index);
    if (!p || along < 0 || along >= p->series_count || p->x.scale != PH_LOG || p->y.scale != PH_LOG ||
        !isfinite(steepness))
        return PH_BAD_ARGUMENT;
    if (!mem_reserve(NULL, &p->slopes, &p->slope_capacity, p->slope_count + 1, sizeof *p->slopes))
        return PH_OUT_OF_MEMORY;
    p->slopes[p->slope_count++] = (slope){.series = along, .slope = steepness};
    return PH_OK;
}

// ---- Colours --------------------------------------------------------------------------------------------------------

// Okabe and Ito's colours, which people of every colour vision tell apart; without yellow, which white paper swallows.
static const char *const palette[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"};
enum { PALETTE = sizeof palette / sizeof *palette };

const char *series_color(const series *s)
{
    return s->color ? s->color : palette[s->palette % PALETTE];
}

// Colours that come round again are told apart by dashes.
ph_line series_line(const series *s)
{
    const bool again = !s->color && s->palette / PALETTE % 2 == 1;
    return s->line == PH_LINE_SOLID && again ? PH_LINE_DASHED : s->line;
}

// ---- Output ---------------------------------------------------------------------------------------------------------

const char *ph_plot_text(ph_plot *plot, size_t *length)
{
    if (length) *length = 0;
    if (!plot) return NULL;
    bool ok = true;
    svg_free(&plot->text);
    plot_set_ranges(plot);
    for (int i = 0; ok && i < plot->panel_count; i++) ok = plot_set_ink(&plot->panels[i]);
    if (ok) {
        plot_place_legends(plot);
        for (int i = 0; i < plot->panel_count; i++) plot_place_slopes(&plot->panels[i]);
        plot_draw(plot);
    }
    for (int i = 0; i < plot->panel_count; i++) plot_free_ink(&plot->panels[i]);
    ok = ok && !plot->text.failed;
    if (length) *length = ok ? (size_t)plot->text.length : 0;
    return ok ? plot->text.text : NULL;
}

static ph_status write_bytes(const char *path, const void *data, size_t bytes, ph_error *error)
{
    output_file file;
    ph_status status = output_file_open(&file, path, true, error);
    if (status) return status;
    status = output_file_append(&file, data, bytes, error);
    if (!status) status = output_file_publish(&file, error);
    const ph_status closed = output_file_close(&file, status ? NULL : error);
    return status ? status : closed;
}

static ph_status write_pixels(const char *text, const char *path, ph_error *error)
{
    static const double SCALE = 2.0; // pixels for a unit: sharp on paper at the size of the SVG
    const picture_size size = picture_measure(text);
    raster r;
    if (!(SCALE * size.width < 32768.0 && SCALE * size.height < 32768.0))
        return error_set(error, PH_BAD_ARGUMENT, "cannot write '%s': the figure is too large for pixels", path);
    if (!raster_create(&r, (int)ceil(SCALE * size.width), (int)ceil(SCALE * size.height)))
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    const surface on = raster_surface(&r);
    picture_draw(text, SCALE, &on);
    size_t bytes = 0;
    uint8_t *data = png_encode(r.pixels, r.width, r.height, SCALE, &bytes);
    raster_destroy(&r);
    if (!data) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    const ph_status status = write_bytes(path, data, bytes, error);
    mem_free(NULL, data);
    return status;
}

static ph_status write_paper(const char *text, const char *path, ph_error *error)
{
    size_t bytes = 0;
    uint8_t *data = pdf_encode(text, &bytes);
    if (!data) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    const ph_status status = write_bytes(path, data, bytes, error);
    mem_free(NULL, data);
    return status;
}

static bool ends_with(const char *path, const char *ending)
{
    const size_t length = strlen(path), n = strlen(ending);
    return length > n && strcasecmp(path + length - n, ending) == 0;
}

ph_status ph_plot_write(ph_plot *plot, const char *path, ph_error *error)
{
    if (!plot || !path) return error_set(error, PH_BAD_ARGUMENT, "a plot needs a file name");
    size_t length;
    const char *text = ph_plot_text(plot, &length);
    if (!text) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    return ends_with(path, ".png")   ? write_pixels(text, path, error)
           : ends_with(path, ".pdf") ? write_paper(text, path, error)
                                     : write_bytes(path, text, length, error);
}
