// Robust algebra: the family of IFToMM A02 in all proportions, through its singular positions, against the closed form.
//
//     bench/four_bars/run [SCHEME...]      rattlie, rattlie4, lie-alpha, lie-alpha-2 when none is named
//
// Each line is a mechanism, run twice: with 400 and 800 steps for one second. Asked for: both run, joints <= 1e-12 relative, order 2
// (4 for rattlie4), and 2e-6 left after extrapolation. The exit status says whether all lines do.

#include "../../tests/four_bars.h"

#include <string.h>

typedef struct outcome {
    double error, gap; // error NaN: a step failed
    char why[256];
} outcome;

static ph_model *compile(const four_bars *f)
{
    ph_spec *spec = four_bars_spec(f, NULL);
    ph_model *model = NULL;
    ph_model_compile(spec, NULL, &model);
    ph_spec_destroy(spec);
    return model;
}

static outcome run(const four_bars *f, const char *scheme, int steps)
{
    outcome out = {.error = (double)NAN};
    ph_model *model = compile(f);
    ph_state *state = model ? ph_state_create(model) : NULL;
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_error error = {.text = ""};
    def.scheme = scheme;
    ph_status status = state ? ph_sim_create(model, &def, &sim, &error) : PH_BAD_MODEL;
    snprintf(out.why, sizeof out.why, "%s", state ? error.text : "the model does not compile");
    for (int k = 0; status == PH_OK && k < steps; k++) {
        ph_step_report report;
        status = ph_sim_step(sim, state, 1.0 / steps, &report);
        out.gap = fmax(out.gap, four_bars_gap(f, state));
        if (status != PH_OK) ph_step_report_format(&report, model, out.why, sizeof out.why);
    }
    if (status == PH_OK) out.error = four_bars_error(f, state, 1.0);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    ph_model_destroy(model);
    return out;
}

static int checked, missed;

static void check(four_bars f, const char *scheme)
{
    const int expected = strcmp(scheme, "rattlie4") == 0 ? 4 : 2;
    const outcome a = run(&f, scheme, 400), b = isnan(a.error) ? a : run(&f, scheme, 800);
    const double order = log2(a.error / b.error), scale = pow(2.0, expected);
    const double rest = fabs(scale * b.error - a.error) / (scale - 1.0), gap = fmax(a.gap, b.gap);
    // Fourth-order errors are near the rounding of positions, so their order says little when these are large numbers.
    const bool rounded = expected == 4 && (f.far > 0.0 || b.error < 1e-10);
    const bool good = rest <= 2e-6 && gap <= 1e-12 && (rounded || fabs(order - expected) < 0.02);
    printf("%-12s %4d %8.0e %8.0e %8.0e %8.0e %-6s", scheme, f.loops, f.axial, f.coupler, f.size, f.far,
           f.tilted ? "tilted" : "");
    if (isnan(b.error))
        printf(" FAILED: %s\n", b.why);
    else
        printf(" %9.2e %6.3f %9.1e %9.1e%s\n", b.error, order, rest, gap, good ? "" : "  MISSED");
    fflush(stdout);
    checked++;
    missed += !good;
}

static void check_scheme(const char *scheme)
{
    static const double axial[] = {1.0, 1e-2, 1e-5, 1e-7, 1e-9}, coupler[] = {1e-6, 1.0, 1e6},
                        size[] = {1e-3, 1.0, 1e3};
    static const int many[] = {1, 10, 40, 100};
    for (int k = 0; k < 5 * 3 * 3 * 2; k++) // all proportions of the double four-bar
        check((four_bars){2, axial[k % 5], coupler[k / 5 % 3], size[k / 15 % 3], 0.0, k / 45}, scheme);
    for (int k = 0; k < 5 * 3; k++) check((four_bars){2, axial[k % 5], coupler[k / 5], 1.0, 1e4, true}, scheme);
    for (int k = 0; k < 4 * 5; k++) check((four_bars){many[k / 5], axial[k % 5], 1.0, 1.0, 0.0, true}, scheme);
    for (int k = 0; k < 4; k++) {
        check((four_bars){many[k], 1e-9, 1e-6, 1.0, 0.0, true}, scheme);
        check((four_bars){many[k], 1e-9, 1e6, 1e3, 1e4, true}, scheme);
    }
}

int main(int argc, char **argv)
{
    static const char *const standard[] = {"rattlie", "rattlie4", "lie-alpha", "lie-alpha-2"};
    printf("%-12s %4s %8s %8s %8s %8s %-6s %9s %6s %9s %9s\n", "scheme", "N", "axial", "coupler", "m", "far", "plane",
           "error", "order", "rest", "joints");
    for (int k = 0; k < (argc > 1 ? argc - 1 : 4); k++) check_scheme(argc > 1 ? argv[k + 1] : standard[k]);
    printf("%d of %d miss\n", missed, checked);
    return missed > 0;
}
