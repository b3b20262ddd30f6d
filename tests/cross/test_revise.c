// Other values of parameters, by what follows from them alone (io/model/revise.h) and by reading the whole text: the same model, the same motion, to
// the last bit. Every example with its own parameters; examples and random mechanisms with every number of their text under a parameter.

#include "test.h"

#ifdef PH_WITH_YAML

#include "io/model/revise.h"
#include "mechanism.h"
#include "polhode/polhode.h"

#include <glob.h>
#include <stdlib.h>

uint64_t model_fingerprint(const ph_model *model); // model/fingerprint.h: its names meet those of the reference

enum { SCALES = 3, TEXT_MAX = 1 << 18 };

typedef struct tally {
    int same, refused, whole;
} tally;

static ph_model *read_model(const char *text, size_t length, const char *name)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    if (ph_spec_read_text(text, length, name, NULL, 0, problems, &spec) == PH_OK)
        ph_model_compile(spec, problems, &model);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return model;
}

// Where a few steps lead; 0: the scheme moves no such model.
static uint64_t motion_of(const ph_model *model)
{
    const ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_step_report report;
    uint64_t sum = 0;
    if (ph_sim_create(model, &def, &sim, NULL) != PH_OK) return 0;
    ph_state *state = ph_state_create(model);
    const double step = ph_model_run_settings(model)->step;
    ph_sim_advance(sim, state, step > 0.0 ? step : 1e-3, 3, &report);
    for (int i = 0; i < ph_model_bodies(model); i++) {
        uint64_t bits[3];
        memcpy(bits, &ph_state_positions(state)[i], sizeof bits);
        sum = (sum ^ bits[0]) * 31 + (bits[1] ^ bits[2] >> 7) + 1;
    }
    ph_state_destroy(state);
    ph_sim_destroy(sim);
    return sum;
}

static bool is_same(const ph_model *a, const ph_model *b)
{
    bool same = CHECK(model_fingerprint(a) == model_fingerprint(b)) && CHECK(motion_of(a) == motion_of(b)) &&
                CHECK_STR(ph_model_text(a), ph_model_text(b));
    for (int k = 0; k < ph_model_parameters(a); k++)
        same = same && CHECK(ph_model_parameter(a, k).value == ph_model_parameter(b, k).value);
    return same;
}

static void compare(const ph_model *model, revision *v, ph_setting *varying, const double *values, int count,
                    const char *name, tally *t)
{
    ph_model *followed = NULL, *whole = NULL;
    char texts[64][32];
    ph_problems *said[2] = {ph_problems_create(), ph_problems_create()};
    for (int k = 0; k < count; k++) {
        snprintf(texts[k], sizeof texts[k], "%.17g", values[k]);
        varying[k].value = texts[k];
    }
    const ph_status status = revision_model(v, values, said[0], &followed);
    if (!CHECK_EQ_INT(status, ph_model_again(model, varying, count, said[1], &whole)) ||
        !CHECK_EQ_INT(ph_problems_count(said[0]), ph_problems_count(said[1])) ||
        (status == PH_OK && !is_same(followed, whole)))
        printf("  ... %s, %s = %.17g\n", name, varying[0].name, values[0]);
    t->same += status == PH_OK;
    t->refused += status != PH_OK;
    ph_model_destroy(followed);
    ph_model_destroy(whole);
    ph_problems_destroy(said[0]);
    ph_problems_destroy(said[1]);
}

// Values beside those of the model, then these.
static void try_values(const ph_model *model, ph_setting *varying, const double *at, int count, const char *name,
                       tally *t)
{
    static const double factors[] = {1.01, 1.0};
    revision *v = NULL;
    char texts[64][32];
    for (int k = 0; k < count; k++) {
        snprintf(texts[k], sizeof texts[k], "%.17g", at[k]);
        varying[k].value = texts[k];
    }
    const ph_status status = revision_create(model, varying, count, NULL, &v);
    t->whole += status == PH_NOT_SUPPORTED;
    if (status == PH_NOT_SUPPORTED || !CHECK_EQ_INT(status, PH_OK)) return;
    for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
        double values[64];
        for (int k = 0; k < count; k++) values[k] = at[k] * factors[f];
        compare(model, v, varying, values, count, name, t);
    }
    revision_destroy(v);
}

// ---- Every number of a text under a parameter -----------------------------------------------------------------------

static size_t number_at(const char *text, const char *from)
{
    char *end;
    if (text > from && !strchr(" [{(", text[-1])) return 0;
    if (!strchr("-.0123456789", *text)) return 0;
    strtod(text, &end);
    const size_t length = (size_t)(end - text);
    const bool broken = memchr(text, '.', length) || memchr(text, 'e', length);
    return broken && strchr(" ,]})\n", *end) ? length : 0;
}

// "1.5" becomes "1.5*s2". Whole numbers stay: many of them count.
static size_t scale_numbers(const char *text, char *to)
{
    size_t used = (size_t)sprintf(to, "parameters: {s0: 1, s1: 1, s2: 1}\n");
    int number = 0;
    for (const char *at = text; *at && used + 64 < TEXT_MAX;) {
        const size_t length = number_at(at, text);
        if (!length) {
            to[used++] = *at++;
            continue;
        }
        used += (size_t)sprintf(to + used, "%.*s*s%d", (int)length, at, number++ % SCALES);
        at += length;
    }
    to[used] = '\0';
    return used;
}

static void try_scaled(const char *text, const char *name, tally *t)
{
    static char scaled[TEXT_MAX];
    ph_setting varying[SCALES] = {{"s0", ""}, {"s1", ""}, {"s2", ""}};
    const double ones[SCALES] = {1.0, 1.0, 1.0};
    if (strlen(text) > TEXT_MAX / 8 || strstr(text, "parameters:")) return;
    const size_t length = scale_numbers(text, scaled);
    ph_model *model = read_model(scaled, length, name);
    if (!model) return;
    for (int k = 0; k < SCALES; k++) try_values(model, &varying[k], &ones[k], 1, name, t);
    try_values(model, varying, ones, SCALES, name, t);
    ph_model_destroy(model);
}

// ---- All of them ----------------------------------------------------------------------------------------------------

static void try_example(const char *path, tally *own, tally *scaled)
{
    ph_model *model = NULL;
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    const char *text = NULL;
    if (ph_model_read_file(path, NULL, 0, problems, &model) == PH_OK && ph_model_bodies(model) < 60) {
        for (int k = 0; k < ph_model_parameters(model); k++) {
            const ph_parameter_info p = ph_model_parameter(model, k);
            try_values(model, &(ph_setting){p.name, ""}, &p.value, 1, path, own);
        }
        if (ph_spec_read_file(path, NULL, 0, problems, &spec) == PH_OK &&
            ph_spec_write_text(spec, PH_MODEL_YAML, &text, NULL) == PH_OK)
            try_scaled(text, path, scaled);
    }
    ph_spec_destroy(spec);
    ph_model_destroy(model);
    ph_problems_destroy(problems);
}

TEST(examples_follow_their_parameters)
{
    static const char *const places[] = {"/examples/*.yaml",          "/examples/benchmarks/*.yaml",
                                         "/examples/machines/*.yaml", "/examples/robots/*.yaml",
                                         "/examples/contact/*.yaml",  "/python/polhode/gym/*.yaml"};
    tally own = {0}, scaled = {0};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        char pattern[512];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s%s", TEST_SOURCE_DIR, places[k]);
        if (!CHECK(glob(pattern, 0, NULL, &found) == 0)) continue;
        for (size_t i = 0; i < found.gl_pathc; i++) try_example(found.gl_pathv[i], &own, &scaled);
        globfree(&found);
    }
    printf("  own parameters: %d values the same, %d refused alike, %d parameters need the whole text\n", own.same,
           own.refused, own.whole);
    printf("  all numbers: %d the same, %d refused alike, %d need the whole text\n", scaled.same, scaled.refused,
           scaled.whole);
    CHECK(own.same > 100 && own.whole < own.same / 10);
    CHECK(scaled.same > 100 && scaled.whole == 0);
}

TEST(random_mechanisms_follow_their_parameters)
{
    const char *given = getenv("POLHODE_CROSS_SEEDS");
    static mechanism g;
    tally t = {0};
    for (long seed = 1, count = given && *given ? strtol(given, NULL, 10) : 40; seed <= count; seed++) {
        char name[32];
        snprintf(name, sizeof name, "mechanism %ld", seed);
        if (mechanism_make(&g, (uint64_t)seed * 7919)) try_scaled(g.text, name, &t);
    }
    printf("  %d the same, %d refused alike, %d need the whole text\n", t.same, t.refused, t.whole);
    CHECK(t.same > 100 && t.whole == 0);
}

#else

TEST(revise)
{
    SKIP("built without libyaml");
}

#endif
