// Triangles to pixels: edge functions, 1/depth linear in the picture, Lambert's law with light from the sky.

#include "io/film/canvas.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double NEAREST = 1e-6; // m: nothing nearer is drawn
static const float SKY_TOP[3] = {0.60f, 0.70f, 0.84f}, SKY_LOW[3] = {0.93f, 0.95f, 0.97f};
static const float GROUND[3] = {0.80f, 0.82f, 0.85f}, LINE[3] = {0.62f, 0.65f, 0.70f};
static const float SHADE = 0.62f; // of the light that is left in a shadow

bool film_canvas_create(film_canvas *c, int width, int height)
{
    *c = (film_canvas){.width = FILM_FINE * width, .height = FILM_FINE * height};
    const size_t fine = (size_t)c->width * (size_t)c->height;
    c->depth = mem_alloc_array(NULL, fine, sizeof *c->depth);
    c->color = mem_alloc_array(NULL, 3 * fine, sizeof *c->color);
    c->pixels = mem_alloc_array(NULL, 3 * (size_t)width * (size_t)height, 1);
    return c->depth && c->color && c->pixels;
}

void film_canvas_destroy(film_canvas *c)
{
    mem_free(NULL, c->depth);
    mem_free(NULL, c->color);
    mem_free(NULL, c->pixels);
}

// ---- Sky and ground -------------------------------------------------------------------------------------------------

static ph_vec3 ray(const film_canvas *c, double x, double y)
{
    const film_eye *e = &c->eye;
    const double scale = 1.0 / (e->focus * c->height);
    const ph_vec3 side = ph_scale((x + 0.5 - 0.5 * c->width) * scale, e->right);
    return ph_sub(ph_add(side, ph_scale((0.5 * c->height - y - 0.5) * scale, e->up)), e->back);
}

static void mix(float *to, const float *a, const float *b, float part)
{
    for (int k = 0; k < 3; k++) to[k] = a[k] + (b[k] - a[k]) * part;
}

// How much of a line of the grid covers a pixel that is `size` wide there.
static float line_part(double at, double cell, double size)
{
    const double off = fabs(at / cell - round(at / cell)) * cell, half = 0.012 * cell + 0.5 * size;
    return (float)fmax(0.0, fmin(1.0, (half - off) / size + 0.5)) * (float)fmin(1.0, 0.25 * cell / size);
}

static void across(ph_vec3 n, ph_vec3 *a, ph_vec3 *b)
{
    const ph_vec3 x = fabs(n.x) < 0.9 ? ph_vec(1, 0, 0) : ph_vec(0, 1, 0);
    *a = ph_scale(1.0 / ph_norm(ph_cross(n, x)), ph_cross(n, x));
    *b = ph_cross(n, *a);
}

static void paint_ground(film_canvas *c, const film_ground *g, int at, ph_vec3 along, double t, const float *sky)
{
    ph_vec3 a, b;
    across(g->normal, &a, &b);
    const ph_vec3 p = ph_sub(ph_add(c->eye.place, ph_scale(t, along)), g->point);
    const double size = t / (c->eye.focus * c->height) / fmax(0.05, fabs(ph_dot(along, g->normal)) / ph_norm(along));
    const float line = fmaxf(line_part(ph_dot(a, p), g->cell, size), line_part(ph_dot(b, p), g->cell, size));
    const double far = ph_norm(p) / g->reach;
    float color[3];
    mix(color, GROUND, LINE, line);
    mix(&c->color[3 * at], color, sky, (float)fmin(1.0, far * far));
    if (far < 1.0) c->depth[at] = (float)(1.0 / t);
}

void film_clear(film_canvas *c, const film_ground *g)
{
    for (int y = 0; y < c->height; y++) {
        for (int x = 0; x < c->width; x++) {
            const int at = y * c->width + x;
            const ph_vec3 along = ray(c, x, y);
            float sky[3];
            mix(sky, SKY_LOW, SKY_TOP, (float)fmin(1.0, fmax(0.0, ph_dot(along, g->normal) / ph_norm(along))));
            c->depth[at] = 0.0f;
            memcpy(&c->color[3 * at], sky, sizeof sky);
            const double t = ph_dot(ph_sub(g->point, c->eye.place), g->normal) / ph_dot(along, g->normal);
            if (t > 0.0 && isfinite(t)) paint_ground(c, g, at, along, t, sky);
        }
    }
}

// ---- Triangles ------------------------------------------------------------------------------------------------------

typedef struct seen {     // a corner in the picture
    double x, y, inverse; // pixels; 1/depth
} seen;

static bool project(const film_canvas *c, ph_vec3 p, seen *to)
{
    const ph_vec3 d = ph_sub(p, c->eye.place);
    const double depth = -ph_dot(d, c->eye.back), scale = c->eye.focus * c->height / depth;
    to->x = 0.5 * c->width + scale * ph_dot(d, c->eye.right);
    to->y = 0.5 * c->height - scale * ph_dot(d, c->eye.up);
    to->inverse = 1.0 / depth;
    return depth > NEAREST && isfinite(to->x) && isfinite(to->y);
}

typedef struct span { // pixels that a triangle may cover
    int left, right, top, bottom;
} span;

static int bounded(double x, int most)
{
    return x < 0.0 ? 0 : x > most ? most : (int)x;
}

static span span_of(const film_canvas *c, const seen s[3])
{
    return (span){bounded(floor(fmin(s[0].x, fmin(s[1].x, s[2].x))), c->width),
                  bounded(ceil(fmax(s[0].x, fmax(s[1].x, s[2].x))), c->width),
                  bounded(floor(fmin(s[0].y, fmin(s[1].y, s[2].y))), c->height),
                  bounded(ceil(fmax(s[0].y, fmax(s[1].y, s[2].y))), c->height)};
}

// Light at a corner: from the sun and from the sky, on the side that is seen.
static float light(const film_canvas *c, ph_vec3 corner, ph_vec3 n)
{
    const double facing = ph_dot(n, ph_sub(c->eye.place, corner)) < 0.0 ? -1.0 : 1.0;
    return (float)(0.62 + 0.1 * facing * ph_dot(n, c->eye.up) + 0.42 * fmax(0.0, facing * ph_dot(n, c->sun)));
}

typedef void pixel(film_canvas *c, int at, const double weight[3], const void *what);

// Every pixel inside, with the weights of its corners; nearer ones hide what is behind, those of `over` lie on it.
static void fill(film_canvas *c, const seen s[3], bool over, pixel *paint, const void *what)
{
    const double area = (s[1].x - s[0].x) * (s[2].y - s[0].y) - (s[2].x - s[0].x) * (s[1].y - s[0].y);
    if (!(fabs(area) > 1e-12)) return;
    const span b = span_of(c, s);
    for (int y = b.top; y < b.bottom; y++) {
        for (int x = b.left; x < b.right; x++) {
            double w[3];
            for (int k = 0; k < 3; k++) {
                const seen *p = &s[(k + 1) % 3], *q = &s[(k + 2) % 3];
                w[k] = ((q->x - p->x) * (y + 0.5 - p->y) - (q->y - p->y) * (x + 0.5 - p->x)) / area;
            }
            if (w[0] < 0.0 || w[1] < 0.0 || w[2] < 0.0) continue;
            const int at = y * c->width + x;
            const float inverse = (float)(w[0] * s[0].inverse + w[1] * s[1].inverse + w[2] * s[2].inverse);
            if (over ? inverse * 1.001f < c->depth[at] : inverse <= c->depth[at]) continue;
            if (!over) c->depth[at] = inverse;
            paint(c, at, w, what);
        }
    }
}

typedef struct tint {
    float light[3];
    const float *color;
} tint;

static void paint_lit(film_canvas *c, int at, const double w[3], const void *what)
{
    const tint *t = what;
    const float l = (float)(w[0] * (double)t->light[0] + w[1] * (double)t->light[1] + w[2] * (double)t->light[2]);
    for (int k = 0; k < 3; k++) c->color[3 * at + k] = t->color[k] * l;
}

void film_triangle(film_canvas *c, const ph_vec3 corners[3], const ph_vec3 normals[3], const float color[3])
{
    seen s[3];
    tint t = {.color = color};
    for (int k = 0; k < 3; k++) {
        if (!project(c, corners[k], &s[k])) return;
        t.light[k] = light(c, corners[k], normals[k]);
    }
    fill(c, s, false, paint_lit, &t);
}

// ---- Shadows on the ground ------------------------------------------------------------------------------------------

// A pixel that is dark comes a little nearer: the next triangle of the shadow lies behind it.
static void paint_dark(film_canvas *c, int at, const double w[3], const void *what)
{
    (void)w, (void)what;
    for (int k = 0; k < 3; k++) c->color[3 * at + k] *= SHADE;
    c->depth[at] *= 1.01f;
}

void film_shadow(film_canvas *c, const film_ground *g, const ph_vec3 corners[3])
{
    seen s[3];
    const double slope = ph_dot(c->sun, g->normal);
    for (int k = 0; k < 3; k++) {
        const double height = ph_dot(ph_sub(corners[k], g->point), g->normal);
        if (height < 0.0 || !project(c, ph_sub(corners[k], ph_scale(height / slope, c->sun)), &s[k])) return;
    }
    fill(c, s, true, paint_dark, NULL);
}

void film_finish(film_canvas *c)
{
    const int width = c->width / FILM_FINE, height = c->height / FILM_FINE;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            for (int k = 0; k < 3; k++) {
                float sum = 0.0f;
                for (int i = 0; i < FILM_FINE * FILM_FINE; i++) {
                    const int at = (FILM_FINE * y + i / FILM_FINE) * c->width + FILM_FINE * x + i % FILM_FINE;
                    sum += fminf(1.0f, c->color[3 * at + k]);
                }
                c->pixels[3 * (y * width + x) + k] = (uint8_t)(255.0f * sum / (FILM_FINE * FILM_FINE) + 0.5f);
            }
        }
    }
}
