// Films: the scene, picture by picture, to whoever wants it.

#include "polhode/film.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "io/film/gif.h"
#include "io/film/scene.h"
#include "io/plot/png.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const uint32_t FILM_COOKIE = 0x66696c6du;
enum { WIDTH_MOST = 8192 };
static const double PICTURES_MOST = 1e6;

ph_film_def ph_default_film(void)
{
    return (ph_film_def){.cookie = FILM_COOKIE,
                         .width = 1280,
                         .height = 720,
                         .rate = 30.0,
                         .speed = 1.0,
                         .from = (double)NAN,
                         .to = (double)NAN};
}

static ph_status check(const ph_result *result, const ph_film_def *def, ph_error *error)
{
    if (!result || !def || def->cookie != FILM_COOKIE) {
        return error_set(error, PH_BAD_ARGUMENT, "a film needs a result and a definition of ph_default_film");
    }
    if (def->width < 16 || def->height < 16 || def->width > WIDTH_MOST || def->height > WIDTH_MOST) {
        return error_set(error, PH_BAD_ARGUMENT, "pictures of %d x %d pixels are not made: 16 to %d each way are",
                         def->width, def->height, WIDTH_MOST);
    }
    if (!(def->rate > 0.0 && def->rate <= 1000.0 && def->speed > 0.0 && isfinite(def->speed))) {
        return error_set(error, PH_BAD_ARGUMENT, "a film needs 0 to 1000 pictures a second and a positive speed");
    }
    return PH_OK;
}

typedef bool take(void *user, const uint8_t *pixels, long long index, long long count);

static ph_status draw_all(const film_scene *s, const ph_film_def *def, take *taker, void *user, ph_error *error)
{
    film_canvas c;
    const double first = s->time[0], last = s->time[s->rows - 1];
    const double from = def->from > first ? def->from : first, to = def->to < last ? def->to : last;
    const double pictures = floor(fmax(0.0, to - from) / def->speed * def->rate * (1.0 + 1e-12)) + 1.0;
    if (pictures > PICTURES_MOST) return error_set(error, PH_BAD_ARGUMENT, "%.0f pictures are too many", pictures);
    ph_status status =
        film_canvas_create(&c, def->width, def->height) ? PH_OK : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    if (status == PH_OK) film_scene_look(s, &c);
    for (long long i = 0; status == PH_OK && i < (long long)pictures; i++) {
        film_scene_draw(s, &c, from + (double)i * def->speed / def->rate);
        if (!taker(user, c.pixels, i, (long long)pictures)) status = error_set(error, PH_INTERRUPTED, "stopped");
    }
    film_canvas_destroy(&c);
    return status;
}

static ph_status render(ph_result *result, const ph_film_def *def, take *taker, void *user, ph_error *error)
{
    film_scene scene;
    ph_status status = check(result, def, error);
    if (status != PH_OK) return status;
    status = film_scene_make(&scene, result, error);
    if (status == PH_OK) status = draw_all(&scene, def, taker, user, error);
    film_scene_free(&scene);
    return status;
}

static bool hand_out(void *user, const uint8_t *pixels, long long index, long long count)
{
    const ph_film_def *def = user;
    return !def->picture || def->picture(pixels, index, count, def->user);
}

ph_status ph_film_draw(ph_result *result, const ph_film_def *def, ph_error *error)
{
    ph_film_def own = def ? *def : (ph_film_def){0};
    return render(result, def, hand_out, &own, error);
}

// ---- Files ----------------------------------------------------------------------------------------------------------

typedef struct writer {
    const ph_film_def *def;
    const char *path;
    output_file file; // of a GIF
    ph_status status;
    ph_error *error;
    long long written;
} writer;

static ph_status write_whole(const char *path, const void *bytes, size_t count, ph_error *error)
{
    output_file file;
    ph_status status = output_file_open(&file, path, false, error);
    if (status != PH_OK) return status;
    status = output_file_append(&file, bytes, count, error);
    if (status == PH_OK) status = output_file_publish(&file, error);
    const ph_status closed = output_file_close(&file, status == PH_OK ? error : NULL);
    return status == PH_OK ? closed : status;
}

static bool tell(writer *w, const uint8_t *pixels, long long index, long long count)
{
    w->written += w->status == PH_OK;
    return w->status == PH_OK && (!w->def->picture || w->def->picture(pixels, index, count, w->def->user));
}

static bool put_png(void *user, const uint8_t *pixels, long long index, long long count)
{
    writer *w = user;
    char name[4096];
    size_t bytes;
    snprintf(name, sizeof name, "%.*s-%05lld.png", (int)strlen(w->path) - 4, w->path, index + 1);
    uint8_t *png = png_encode(pixels, w->def->width, w->def->height, 1.0, &bytes);
    w->status = png ? write_whole(name, png, bytes, w->error) : error_set(w->error, PH_OUT_OF_MEMORY, "out of memory");
    mem_free(NULL, png);
    return tell(w, pixels, index, count);
}

// Hundredths of a second, so that sums of them stay right.
static bool put_gif(void *user, const uint8_t *pixels, long long index, long long count)
{
    writer *w = user;
    const double unit = 100.0 / w->def->rate;
    const int lasts = (int)(round((double)(index + 1) * unit) - round((double)index * unit));
    w->status = gif_add(&w->file, pixels, w->def->width, w->def->height, lasts > 1 ? lasts : 2, w->error);
    return tell(w, pixels, index, count);
}

static ph_status write_gif(writer *w, ph_result *result)
{
    ph_status status = output_file_open(&w->file, w->path, false, w->error);
    if (status != PH_OK) return status;
    status = gif_begin(&w->file, w->def->width, w->def->height, w->error);
    if (status == PH_OK) status = render(result, w->def, put_gif, w, w->error);
    if (w->status != PH_OK) status = w->status;
    if (status == PH_OK) status = gif_end(&w->file, w->error);
    if (status == PH_OK) status = output_file_publish(&w->file, w->error);
    const ph_status closed = output_file_close(&w->file, status == PH_OK ? w->error : NULL);
    return status == PH_OK ? closed : status;
}

ph_status ph_film_write(ph_result *result, const char *path, const ph_film_def *def, long long *written,
                        ph_error *error)
{
    writer w = {.def = def, .path = path, .error = error};
    if (written) *written = 0;
    ph_status status = path ? check(result, def, error) : error_set(error, PH_BAD_ARGUMENT, "a film needs a path");
    if (status != PH_OK) return status;
    const char *dot = strrchr(path, '.');
    if (dot && dot > path && strcasecmp(dot, ".gif") == 0) {
        status = write_gif(&w, result);
    } else if (dot && dot > path && strcasecmp(dot, ".png") == 0) {
        status = render(result, def, put_png, &w, error);
        if (w.status != PH_OK) status = w.status;
    } else {
        status = error_set(error, PH_NOT_SUPPORTED, "films are .gif files or pictures .png: '%.300s' is neither", path);
    }
    if (written) *written = w.written;
    return status;
}
