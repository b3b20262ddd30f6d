// Films: what is drawn is where it should be, and files hold what was drawn.

#include "test.h"

#include "folder.h"
#include "polhode/polhode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef PH_WITH_HDF5

enum { WIDTH = 96, HEIGHT = 64 };

// A red box at rest beside a green ball that rises.
static const char *const SCENE =
    "{\"polhode\": 1, \"name\": \"two\", \"bodies\": ["
    "{\"name\": \"box\", \"shapes\": [{\"type\": \"box\", \"size\": [1, 1, 1], \"density\": 1, \"color\": \"#ff0000\"}]},"
    "{\"name\": \"ball\", \"position\": [2, 0, 0], \"velocity\": [0, 0, 1],"
    "  \"shapes\": [{\"type\": \"sphere\", \"radius\": 0.4, \"density\": 1, \"color\": \"#00ff00\"}]}],"
    " \"run\": {\"scheme\": \"rattlie\", \"step\": 0.1, \"until\": 1}}";

static ph_result *make_result(const file_path *path)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    ph_result *result = NULL;
    ph_run_def def = ph_default_run();
    ph_summary summary;
    ph_error error = {.text = ""};
    def.out = path->text;
    if (ph_spec_read_text(SCENE, strlen(SCENE), "two", NULL, 0, problems, &spec) == PH_OK &&
        ph_model_compile(spec, problems, &model) == PH_OK) {
        ph_state *state = ph_state_create(model);
        if (ph_run(model, state, &def, &summary, &error) != PH_OK) printf("%s\n", error.text);
        ph_state_destroy(state);
    }
    for (int i = 0; !model && i < ph_problems_count(problems); i++) printf("%s\n", ph_problems_get(problems, i)->text);
    ph_result_open(path->text, &result, NULL);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return result;
}

typedef struct kept {
    uint8_t pixels[3][3 * WIDTH * HEIGHT];
    long long count;
} kept;

static bool keep(const uint8_t *pixels, long long index, long long count, void *user)
{
    kept *k = user;
    if (index < 3) memcpy(k->pixels[index], pixels, sizeof k->pixels[index]);
    k->count = count;
    return true;
}

static ph_film_def small_film(kept *k)
{
    ph_film_def def = ph_default_film();
    def.width = WIDTH, def.height = HEIGHT, def.rate = 2.0;
    def.picture = keep, def.user = k;
    return def;
}

// Mean place of the pixels in which channel `c` is far above the others; how many there are.
static int find_color(const uint8_t *pixels, int c, double *x, double *y)
{
    int count = 0;
    *x = *y = 0.0;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const uint8_t *p = pixels + 3 * i;
        if (p[c] < 90 || p[c] < 2 * p[(c + 1) % 3] || p[c] < 2 * p[(c + 2) % 3]) continue;
        *x += i % WIDTH, *y += i / WIDTH;
        count++;
    }
    *x /= count ? count : 1, *y /= count ? count : 1;
    return count;
}

TEST(bodies_are_where_they_are)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "two.h5");
    ph_result *result = make_result(&path);
    kept *k = calloc(1, sizeof *k);
    const ph_film_def def = small_film(k);
    double x[3][2], y[3][2];
    if (CHECK(result) && CHECK_EQ_INT(ph_film_draw(result, &def, NULL), PH_OK)) {
        CHECK_EQ_INT((int)k->count, 3);
        for (int i = 0; i < 3; i++) {
            CHECK(find_color(k->pixels[i], 0, &x[i][0], &y[i][0]) > 40);
            CHECK(find_color(k->pixels[i], 1, &x[i][1], &y[i][1]) > 20);
            CHECK(x[i][1] > x[i][0] + 5.0); // the ball is on the right
        }
        CHECK_NEAR(y[2][0], y[0][0], 0.5);                         // the box rests,
        CHECK(y[0][1] - y[1][1] > 4.0 && y[1][1] - y[2][1] > 4.0); // the ball rises evenly
    }
    free(k);
    ph_result_destroy(result);
    folder_remove(&f);
}

// ---- GIF, read as its description says ------------------------------------------------------------------------------

typedef struct bits {
    const uint8_t *at;
    int left; // in the block
    uint32_t value;
    int count;
} bits;

static int next_code(bits *b, int width)
{
    while (b->count < width) {
        if (b->left == 0) b->left = *b->at++;
        if (b->left == 0) return -1;
        b->value |= (uint32_t)*b->at++ << b->count;
        b->left--, b->count += 8;
    }
    const int code = (int)(b->value & ((1u << width) - 1));
    b->value >>= width, b->count -= width;
    return code;
}

// Indices of one picture that begins at `at` with its blocks; how many.
static int unpack(const uint8_t *at, uint8_t *to, int most)
{
    static int before[4096], length[4096];
    static uint8_t last[4096];
    bits b = {.at = at};
    int width = 9, next = 258, old = -1, used = 0;
    for (int i = 0; i < 256; i++) before[i] = -1, length[i] = 1, last[i] = (uint8_t)i;
    for (int code; (code = next_code(&b, width)) >= 0 && code != 257;) {
        if (code == 256) {
            width = 9, next = 258, old = -1;
            continue;
        }
        if (old >= 0 && next < 4096) {
            int first = code < next ? code : old;
            while (before[first] >= 0) first = before[first];
            before[next] = old, length[next] = length[old] + 1, last[next] = last[first];
            next++;
        }
        if (code >= next || used + length[code] > most) return -1;
        for (int k = code, i = used + length[code]; k >= 0; k = before[k]) to[--i] = last[k];
        used += length[code];
        if (next == 1 << width && width < 12) width++;
        old = code;
    }
    return used;
}

static uint8_t *load(const char *path, long *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = calloc(1 << 20, 1);
    *size = file && bytes ? (long)fread(bytes, 1, 1 << 20, file) : 0;
    if (file) fclose(file);
    return bytes;
}

TEST(a_gif_holds_the_pictures)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "two.h5"), gif = folder_file(&f, "two.gif");
    ph_result *result = make_result(&path);
    kept *k = calloc(1, sizeof *k);
    const ph_film_def def = small_film(k);
    static uint8_t indices[WIDTH * HEIGHT];
    long long written = 0;
    long size;
    if (CHECK(result) && CHECK_EQ_INT(ph_film_write(result, gif.text, &def, &written, NULL), PH_OK)) {
        uint8_t *bytes = load(gif.text, &size);
        CHECK_EQ_INT((int)written, 3);
        CHECK(memcmp(bytes, "GIF89a", 6) == 0 && bytes[size - 1] == ';' && bytes[6] == WIDTH && bytes[8] == HEIGHT);
        const uint8_t *first = bytes + 13 + 3 * 256 + 19 + 19;
        CHECK_EQ_INT(bytes[13 + 3 * 256 + 19 + 4], 50); // hundredths of a second
        CHECK_EQ_INT(unpack(first, indices, WIDTH * HEIGHT), WIDTH * HEIGHT);
        int far = 0;
        for (int i = 0; i < 3 * WIDTH * HEIGHT; i++)
            far += abs(bytes[13 + 3 * indices[i / 3] + i % 3] - k->pixels[0][i]) > 51;
        CHECK_EQ_INT(far, 0);
        free(bytes);
    }
    free(k);
    ph_result_destroy(result);
    folder_remove(&f);
}

TEST(pictures_one_by_one_and_what_cannot_be)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "two.h5"), png = folder_file(&f, "two.png"),
                    avi = folder_file(&f, "two.avi");
    ph_result *result = make_result(&path);
    kept *k = calloc(1, sizeof *k);
    ph_film_def def = small_film(k);
    ph_error error;
    char name[600];
    if (CHECK(result) && CHECK_EQ_INT(ph_film_write(result, png.text, &def, NULL, NULL), PH_OK)) {
        for (int i = 1; i <= 3; i++) {
            long size;
            snprintf(name, sizeof name, "%.*s-%05d.png", (int)strlen(png.text) - 4, png.text, i);
            uint8_t *bytes = load(name, &size);
            CHECK(size > 100 && memcmp(bytes + 1, "PNG", 3) == 0);
            free(bytes);
        }
        CHECK_EQ_INT(ph_film_write(result, avi.text, &def, NULL, &error), PH_NOT_SUPPORTED);
        def.width = 3;
        CHECK_EQ_INT(ph_film_draw(result, &def, &error), PH_BAD_ARGUMENT);
        def = small_film(k), def.speed = 0.0;
        CHECK_EQ_INT(ph_film_draw(result, &def, &error), PH_BAD_ARGUMENT);
        def = small_film(k), def.speed = 1e-9;
        CHECK_EQ_INT(ph_film_draw(result, &def, &error), PH_BAD_ARGUMENT);
    }
    free(k);
    ph_result_destroy(result);
    folder_remove(&f);
}

#endif
