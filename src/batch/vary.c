// Other parameters of single worlds. Each of them gets a model of its own, made from the text of the shared one on whichever thread is
// free: any parameter may be in any formula of that text, so that lengths, masses, gains and frictions that follow from it follow
// here too. It takes the time of some dozen steps.

#include "batch/batch.h"

#include "base/error.h"
#include "polhode/io.h"

#include <math.h>
#include <stdio.h>

enum { PARAMETERS_MAX = 64, NUMBER_TEXT = 32 };

typedef struct varying {
    ph_batch *b;
    const uint8_t *mask;
    const ph_batch_range *ranges;
    int count;
    double *drawn;
} varying;

static ph_model *make_model(const varying *v, const double *values, ph_error *error)
{
    ph_setting settings[PARAMETERS_MAX];
    char texts[PARAMETERS_MAX][NUMBER_TEXT];
    ph_model *made = NULL;
    ph_problems *problems = ph_problems_create();
    for (int k = 0; k < v->count; k++) {
        snprintf(texts[k], sizeof texts[k], "%.17g", values[k]);
        settings[k] = (ph_setting){v->ranges[k].name, texts[k]};
    }
    const ph_status status = ph_model_again(v->b->model, settings, v->count, problems, &made);
    if (status == PH_NOT_FOUND)
        error_set(error, status, "the model was not read from a text: its worlds cannot get other parameters");
    else if (status != PH_OK)
        error_set(error, status, "%s",
                  ph_problems_count(problems) > 0 ? ph_problems_get(problems, 0)->text : "the model cannot be made");
    ph_problems_destroy(problems);
    return made;
}

// Drawn from the seed, the number of the world and how often it was varied; another stream than that of its starts.
static void draw_values(const varying *v, int world, double *values)
{
    const uint64_t stream = 0x706172616d657465u; // the bytes of "paramete"
    noise n = noise_begin(v->b->def.seed ^ stream, v->b->def.first + (uint64_t)world, v->b->worlds[world].variations++);
    for (int k = 0; k < v->count; k++) {
        const double low = v->ranges[k].low, high = v->ranges[k].high;
        const double at = 0.5 + noise_draw(&n, 0.5); // in [0, 1)
        values[k] = low + (high - low) * at;
    }
}

static void vary_world(void *user, hand *hand, int world)
{
    const varying *v = user;
    double values[PARAMETERS_MAX];
    ph_error error = {.status = PH_OK};
    (void)hand;
    if (v->mask && !v->mask[world]) return;
    draw_values(v, world, values);
    for (int k = 0; v->drawn && k < v->count; k++) v->drawn[world * v->count + k] = values[k];
    ph_model *made = make_model(v, values, &error);
    const ph_status status = made ? world_set_model(v->b, world, made, made, &error) : error.status;
    if (status == PH_OK) return;
    ph_model_destroy(made);
    world_fail(v->b, world, status, error.text);
}

static ph_status check_ranges(const varying *v, ph_error *error)
{
    double middle[PARAMETERS_MAX];
    if (!v->b || v->count < 0 || v->count > PARAMETERS_MAX || (v->count > 0 && !v->ranges))
        return error_set(error, PH_BAD_ARGUMENT, "ph_batch_randomise needs a batch and at most %d ranges",
                         PARAMETERS_MAX);
    for (int k = 0; k < v->count; k++) {
        const ph_batch_range *r = &v->ranges[k];
        if (!r->name || !isfinite(r->low) || !isfinite(r->high) || r->low > r->high)
            return error_set(error, PH_BAD_ARGUMENT, "'%s' needs a range from low to high", r->name ? r->name : "");
        middle[k] = 0.5 * (r->low + r->high);
    }
    ph_error found = {.status = PH_OK};
    ph_model *made = make_model(v, middle, &found); // a name that is not known is told at once, not by every world
    ph_model_destroy(made);
    return made ? PH_OK : error_set(error, found.status, "%s", found.text);
}

ph_status ph_batch_randomise(ph_batch *b, const uint8_t *mask, const ph_batch_range *ranges, int count, double *drawn,
                             ph_error *error)
{
    varying v = {b, mask, ranges, count, drawn};
    const ph_status status = check_ranges(&v, error);
    if (status == PH_OK) worlds_run(b, vary_world, &v);
    return status;
}
