// Other parameters of single worlds. Each of them gets a model of its own, made on whichever thread is free. Any parameter may be in any
// formula of the text: what follows from it, masses, lengths, gains or frictions, is evaluated anew and the rest is kept (io/model/revise.h).
// Where a parameter decides how many elements there are or what they are called, the whole text is read for every world.

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
    bool whole; // the text must be read as a whole
} varying;

typedef struct values_text {
    ph_setting settings[PARAMETERS_MAX];
    char texts[PARAMETERS_MAX][NUMBER_TEXT];
} values_text;

static const ph_setting *write_values(const varying *v, const double *values, values_text *to)
{
    for (int k = 0; k < v->count; k++) {
        snprintf(to->texts[k], sizeof to->texts[k], "%.17g", values[k]);
        to->settings[k] = (ph_setting){v->ranges[k].name, to->texts[k]};
    }
    return to->settings;
}

// The thread's reading of the text for these parameters, which serves until others are asked for.
static ph_status read_for(const varying *v, hand *by, const ph_setting *settings, ph_problems *problems)
{
    if (revision_is_of(by->revision, settings, v->count)) return PH_OK;
    revision_destroy(by->revision);
    return revision_create(v->b->model, settings, v->count, problems, &by->revision);
}

static ph_status make_with(const varying *v, hand *by, const double *values, ph_problems *problems, ph_model **made)
{
    values_text room;
    const ph_setting *settings = write_values(v, values, &room);
    if (v->whole) return ph_model_again(v->b->model, settings, v->count, problems, made);
    const ph_status status = read_for(v, by, settings, problems);
    return status == PH_OK ? revision_model(by->revision, values, problems, made) : status;
}

static ph_model *make_model(const varying *v, hand *by, const double *values, ph_error *error)
{
    ph_model *made = NULL;
    ph_problems *problems = ph_problems_create();
    const ph_status status = make_with(v, by, values, problems, &made);
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
    if (v->mask && !v->mask[world]) return;
    draw_values(v, world, values);
    for (int k = 0; v->drawn && k < v->count; k++) v->drawn[world * v->count + k] = values[k];
    ph_model *made = make_model(v, hand, values, &error);
    const ph_status status = made ? world_set_model(v->b, world, made, made, &error) : error.status;
    if (status == PH_OK) return;
    ph_model_destroy(made);
    world_fail(v->b, world, status, error.text);
}

static ph_status check_ranges(varying *v, ph_error *error)
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
    // A name that is not known is told at once, not by every world.
    ph_error found = {.status = PH_OK};
    hand *first = &v->b->hands[0];
    ph_model *made = make_model(v, first, middle, &found);
    if (!made && found.status == PH_NOT_SUPPORTED) {
        v->whole = true;
        found.status = PH_OK;
        made = make_model(v, first, middle, &found);
    }
    ph_model_destroy(made);
    return made ? PH_OK : error_set(error, found.status, "%s", found.text);
}

ph_status ph_batch_randomise(ph_batch *b, const uint8_t *mask, const ph_batch_range *ranges, int count, double *drawn,
                             ph_error *error)
{
    varying v = {b, mask, ranges, count, drawn, false};
    const ph_status status = check_ranges(&v, error);
    if (status == PH_OK) worlds_run_by_threads(b, vary_world, &v);
    return status;
}
