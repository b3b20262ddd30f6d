// Pictures of pixels. See raster.h.
//
// An area: each edge adds to the pixels of its rows the signed area between itself and the right end of the pixel; summed
// up from left to right this is how much of each pixel lies inside. A line: each pixel has the distance of its middle
// from the nearest piece, so that pieces which meet or cross are not counted twice.

#include "io/plot/raster.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

bool raster_create(raster *r, int width, int height)
{
    *r = (raster){.width = width, .height = height};
    r->pixels = mem_alloc_array(NULL, (size_t)width * (size_t)height, 3);
    r->cover = mem_alloc_array(NULL, (size_t)(width + 2) * (size_t)height, sizeof *r->cover);
    if (!r->pixels || !r->cover) {
        raster_destroy(r);
        return false;
    }
    memset(r->pixels, 0xff, (size_t)width * (size_t)height * 3);
    r->left = r->top = INT32_MAX;
    r->right = r->bottom = -1;
    return true;
}

void raster_destroy(raster *r)
{
    mem_free(NULL, r->pixels);
    mem_free(NULL, r->cover);
    *r = (raster){0};
}

static void touch(raster *r, int x, int y)
{
    r->left = x < r->left ? x : r->left;
    r->right = x > r->right ? x : r->right;
    r->top = y < r->top ? y : r->top;
    r->bottom = y > r->bottom ? y : r->bottom;
}

static float *row_of(const raster *r, int y)
{
    return r->cover + (size_t)y * (size_t)(r->width + 2);
}

static void blend(raster *r, int x, int y, uint32_t color, double share)
{
    uint8_t *p = r->pixels + 3 * ((size_t)y * (size_t)r->width + (size_t)x);
    for (int i = 0; i < 3; i++) {
        const double to = (double)(color >> (16 - 8 * i) & 0xff);
        p[i] = (uint8_t)(p[i] + share * (to - p[i]) + 0.5);
    }
}

// ---- Areas ----------------------------------------------------------------------------------------------------------

// The part of an edge within one row: from (x0, y0) to (x1, y1), height dy with its sign, spread over the pixels it
// crosses.
static void add_to_row(raster *r, int y, double x0, double x1, double dy)
{
    float *row = row_of(r, y);
    const double low = fmin(x0, x1), high = fmax(x0, x1);
    const int first = (int)low, last = (int)high;
    touch(r, first, y);
    touch(r, last + 1, y);
    if (first == last) {
        const double inside = 1.0 - (0.5 * (low + high) - first);
        row[first] += (float)(dy * inside);
        row[first + 1] += (float)(dy * (1.0 - inside));
        return;
    }
    // Area to the right of the edge in the pixels up to x is A(x) = (x - low)^2 / 2 / (high - low) while it crosses.
    double before = 0.0, inside_before = 0.0;
    for (int x = first; x <= last; x++) {
        const double end = fmin(high, x + 1.0) - low, rest = fmax(x + 1.0 - high, 0.0);
        const double area = 0.5 * end * end / (high - low) + rest;
        const double inside = area - before;
        row[x] += (float)(dy * (inside - inside_before));
        inside_before = inside;
        before = area;
    }
    row[last + 1] += (float)(dy * (1.0 - inside_before));
}

void raster_edge(raster *r, double x0, double y0, double x1, double y1)
{
    const double sign = y0 < y1 ? 1.0 : -1.0;
    if (y0 == y1 || !isfinite(x0 + y0 + x1 + y1)) {
        return;
    }
    if (sign < 0.0) {
        const double x = x0, y = y0;
        x0 = x1, y0 = y1, x1 = x, y1 = y;
    }
    const double slope = (x1 - x0) / (y1 - y0), low = fmax(y0, 0.0), high = fmin(y1, (double)r->height);
    for (int y = (int)low; y < r->height && (double)y < high; y++) {
        const double from = fmax(low, (double)y), to = fmin(high, y + 1.0), right = (double)r->width;
        const double a = fmin(fmax(x0 + slope * (from - y0), 0.0), right);
        const double b = fmin(fmax(x0 + slope * (to - y0), 0.0), right);
        add_to_row(r, y, a, b, sign * (to - from));
    }
}

void raster_fill(raster *r, uint32_t color)
{
    for (int y = r->top; y <= r->bottom; y++) {
        float *row = row_of(r, y);
        double sum = 0.0;
        for (int x = r->left; x <= r->right; x++) {
            sum += (double)row[x];
            row[x] = 0.0f;
            const double share = fmin(fabs(sum), 1.0);
            if (share > 1e-3 && x < r->width) {
                blend(r, x, y, color, share);
            }
        }
    }
    r->left = r->top = INT32_MAX;
    r->right = r->bottom = -1;
}

// ---- Lines ----------------------------------------------------------------------------------------------------------

void raster_piece(raster *r, double x0, double y0, double x1, double y1, double width)
{
    const double reach = 0.5 * width + 0.5, dx = x1 - x0, dy = y1 - y0, square = dx * dx + dy * dy;
    if (!isfinite(square)) {
        return;
    }
    const int left = (int)fmax(floor(fmin(x0, x1) - reach), 0.0), top = (int)fmax(floor(fmin(y0, y1) - reach), 0.0);
    const int right = (int)fmin(ceil(fmax(x0, x1) + reach), r->width - 1.0);
    const int bottom = (int)fmin(ceil(fmax(y0, y1) + reach), r->height - 1.0);
    for (int y = top; y <= bottom; y++) {
        float *row = row_of(r, y);
        for (int x = left; x <= right; x++) {
            const double px = x + 0.5 - x0, py = y + 0.5 - y0;
            const double t = square > 0.0 ? fmin(fmax((px * dx + py * dy) / square, 0.0), 1.0) : 0.0;
            const double ex = px - t * dx, ey = py - t * dy, distance = sqrt(ex * ex + ey * ey);
            const float share = (float)fmin(fmax(reach - distance, 0.0), fmin(width, 1.0));
            row[x] = share > row[x] ? share : row[x];
        }
    }
    if (left <= right && top <= bottom) {
        touch(r, left, top);
        touch(r, right, bottom);
    }
}

void raster_stroke(raster *r, uint32_t color)
{
    for (int y = r->top; y <= r->bottom; y++) {
        float *row = row_of(r, y);
        for (int x = r->left; x <= r->right; x++) {
            if (row[x] > 0.0f) {
                blend(r, x, y, color, (double)row[x]);
                row[x] = 0.0f;
            }
        }
    }
    r->left = r->top = INT32_MAX;
    r->right = r->bottom = -1;
}

// ---- As a surface ---------------------------------------------------------------------------------------------------

static void put_edge(void *to, double x0, double y0, double x1, double y1)
{
    raster_edge(to, x0, y0, x1, y1);
}

static void put_fill(void *to, uint32_t color)
{
    raster_fill(to, color);
}

static void put_piece(void *to, double x0, double y0, double x1, double y1, double width)
{
    raster_piece(to, x0, y0, x1, y1, width);
}

static void put_stroke(void *to, uint32_t color)
{
    raster_stroke(to, color);
}

surface raster_surface(raster *r)
{
    return (surface){.to = r, .edge = put_edge, .fill = put_fill, .piece = put_piece, .stroke = put_stroke};
}
