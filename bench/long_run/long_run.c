// Does the energy error stay where it is over very many steps? Runs a model, cuts the run into tenths, and prints the
// largest energy error and the mean energy error of each; then the slope of the means with its standard error.
#include <polhode/polhode.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TENTHS = 10 };

typedef struct tenths {
    double start;
    long long step, steps;
    double largest[TENTHS], sum[TENTHS];
    long long count[TENTHS];
} tenths;

static void visit(const ph_moment *moment, void *user)
{
    tenths *t = user;
    if (t->step == 0) t->start = moment->measures->total;
    const int k = (int)(t->step * TENTHS / (t->steps + 1));
    const double error = moment->measures->total - t->start;
    t->largest[k] = fmax(t->largest[k], fabs(error));
    t->sum[k] += error;
    t->count[k]++;
    t->step++;
}

// Least squares of the means over the tenths.
static void print_trend(const tenths *t)
{
    double mean = 0.0, middle = 0.5 * (TENTHS - 1), slope = 0.0, xx = 0.0, rest = 0.0, m[TENTHS];
    for (int k = 0; k < TENTHS; k++) {
        m[k] = t->sum[k] / (double)t->count[k];
        mean += m[k] / TENTHS;
        xx += (k - middle) * (k - middle);
    }
    for (int k = 0; k < TENTHS; k++) slope += (k - middle) * (m[k] - mean) / xx;
    for (int k = 0; k < TENTHS; k++) rest += pow(m[k] - mean - slope * (k - middle), 2.0);
    const double error = sqrt(rest / (TENTHS - 2) / xx);
    printf("slope of the means %.2e J per tenth, standard error %.2e: %s\n", slope, error,
           fabs(slope) <= 2.0 * error ? "no trend" : "a trend");
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: long_run MODEL SCHEME STEPS\n");
        return 2;
    }
    ph_model *model = NULL;
    if (ph_model_read_file(argv[1], NULL, 0, NULL, &model) != PH_OK) return 2;
    ph_state *state = ph_state_create(model);
    tenths t = {.steps = atoll(argv[3])};
    ph_run_def def = ph_default_run();
    ph_summary summary;
    ph_error error = {0};
    def.sim.scheme = argv[2];
    def.step = ph_model_run_settings(model)->step;
    def.until = def.step * (double)t.steps;
    def.visit = visit;
    def.user = &t;
    if (ph_run(model, state, &def, &summary, &error) != PH_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("%s, %s, %lld steps of %g s\n", ph_model_name(model), summary.scheme, summary.steps, summary.step);
    for (int k = 0; k < TENTHS; k++)
        printf("  tenth %2d: largest |dE| %.4f J, mean %+.3e J\n", k + 1, t.largest[k], t.sum[k] / (double)t.count[k]);
    print_trend(&t);
    ph_state_destroy(state);
    ph_model_destroy(model);
    return 0;
}
