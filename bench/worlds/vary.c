// What other parameters of a world cost: vary MODEL WORLDS NAME LOW HIGH [NAME LOW HIGH]...
//
// Prints one line, microseconds of processor time for a world on one thread, the best of five: what follows from the parameters
// (ph_batch_randomise), reading and compiling the whole text with a new simulation, a step; worlds that failed.
#include "polhode/polhode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RANGES = 16, ROUNDS = 5, STEPS = 20 };

static double microseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static double compile_once(const ph_model *model, const ph_batch_def *def, const char *name, double value)
{
    const double start = microseconds();
    char text[32];
    ph_model *made = NULL;
    ph_sim *sim = NULL;
    snprintf(text, sizeof text, "%.17g", value);
    if (ph_model_again(model, &(ph_setting){name, text}, 1, NULL, &made) != PH_OK ||
        ph_sim_create(made, &def->sim, &sim, NULL) != PH_OK)
        return (double)NAN;
    const double time = microseconds() - start;
    ph_sim_destroy(sim);
    ph_model_destroy(made);
    return time;
}

static void measure(ph_batch *batch, const ph_model *model, const ph_batch_def *def, const ph_batch_range *ranges,
                    int count)
{
    double drawn = HUGE_VAL, compiled = HUGE_VAL, stepped = HUGE_VAL;
    for (int k = 0; k < ROUNDS; k++) {
        const double start = microseconds();
        ph_batch_randomise(batch, NULL, ranges, count, NULL, NULL);
        const double middle = microseconds();
        ph_batch_step(batch, NULL, ph_model_run_settings(model)->step, STEPS);
        drawn = fmin(drawn, (middle - start) / def->worlds);
        stepped = fmin(stepped, (microseconds() - middle) / def->worlds / STEPS);
        for (int i = 0; i < 10; i++) compiled = fmin(compiled, compile_once(model, def, ranges[0].name, ranges[0].low));
    }
    printf("%.1f %.1f %.2f %d\n", drawn, compiled, stepped, ph_batch_failed(batch));
}

int main(int argc, char **argv)
{
    ph_batch_range ranges[RANGES];
    ph_model *model = NULL;
    ph_batch *batch = NULL;
    ph_error error = {.text = ""};
    ph_batch_def def = ph_default_batch();
    int count = 0;
    if (argc < 6) return fprintf(stderr, "vary MODEL WORLDS NAME LOW HIGH ...\n"), 2;
    for (int k = 3; k + 2 < argc && count < RANGES; k += 3)
        ranges[count++] = (ph_batch_range){argv[k], atof(argv[k + 1]), atof(argv[k + 2])};
    def.worlds = atoi(argv[2]);
    if (ph_model_read_file(argv[1], NULL, 0, NULL, &model) != PH_OK ||
        ph_batch_create(model, &def, &batch, &error) != PH_OK)
        return fprintf(stderr, "%s: %s\n", argv[1], error.text), 1;
    measure(batch, model, &def, ranges, count);
    ph_batch_destroy(batch);
    ph_model_destroy(model);
    return 0;
}
