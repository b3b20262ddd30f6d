// Figures 3 to 7 of Huang, Chen, Zhang and Tian, "Lie group variational integration for multi-rigid body system dynamic
// simulation", Journal of Dynamics and Control 20 (2022): the spatial double pendulum, h = 1 ms.
//
//     examples/figures/draw huang2022 [FOLDER]
//
// The curves of the paper's commercial program are replaced by a converged reference. RL is RATTLie, DH the general
// scheme, DL its discrete Euler-Lagrange form, Lie-alpha the generalised-alpha method on the group, spectral radius 0.9.
#include <polhode/polhode.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char MODEL[] = "examples/double_pendulum.yaml";
static const char *const WANTED[] = {"lie-alpha", "DH", "RL", "DL"}; // colours follow this order in every figure
enum { WANTED_COUNT = sizeof WANTED / sizeof *WANTED };

typedef double (*quantity)(const ph_history *h, int i);

static double position_x(const ph_history *h, int i)
{
    return h->position[i].x;
}

static double angular_velocity_x(const ph_history *h, int i)
{
    return h->angular_velocity[i].x;
}

static double energy_error(const ph_history *h, int i) // the larger end of the band since the sample before
{
    return -h->energy_low[i] > h->energy_high[i] ? h->energy_low[i] : h->energy_high[i];
}

static double orthogonality(const ph_history *h, int i)
{
    return h->orthogonality_max[i];
}

static double velocity_violation(const ph_history *h, int i)
{
    return h->velocity_violation_max[i];
}

static int color_of(const char *scheme)
{
    int index = 0;
    while (index < WANTED_COUNT && strcmp(WANTED[index], scheme) != 0) index++;
    return index;
}

// ---- Parts of a figure ----------------------------------------------------------------------------------------------

static int add_panel(ph_plot *plot, const char *label, ph_axis_scale scale, double from, double to, double height)
{
    ph_axes_def axes = ph_default_axes();
    axes.x.label = "t (s)";
    axes.x.low = from;
    axes.x.high = to;
    axes.y.label = label;
    axes.y.scale = scale;
    axes.height = height;
    return ph_plot_add_axes(plot, &axes);
}

// One point for every `stride` samples: the largest of them. With `from`, the distance from that history.
static void add_curve(ph_plot *plot, int panel, const ph_history *h, const ph_history *from, quantity of, int stride,
                      ph_series_def def)
{
    double *x = malloc((size_t)h->count * sizeof *x), *y = malloc((size_t)h->count * sizeof *y);
    for (int i = 0; x && y && i < h->count && (!from || i < from->count); i++) {
        const double value = from ? fabs(of(h, i) - of(from, i)) : of(h, i);
        const bool opens = i == 0 || (i - 1) % stride == 0; // the start stands for itself
        def.count += opens;
        x[def.count - 1] = h->time[i];
        y[def.count - 1] = opens || value > y[def.count - 1] ? value : y[def.count - 1];
    }
    def.x = x;
    def.y = y;
    ph_plot_add_series(plot, panel, &def);
    free(x);
    free(y);
}

static void add_scheme(ph_plot *plot, int panel, const ph_comparison *c, const char *scheme, const ph_history *from,
                       quantity of, int stride)
{
    for (int i = 0; i < c->trial_count; i++) {
        if (strcmp(c->trials[i].name, scheme) != 0) continue;
        ph_series_def def = ph_default_series();
        def.label = scheme;
        def.palette = color_of(scheme);
        def.width = 1.1;
        add_curve(plot, panel, &c->trials[i].history, from, of, stride, def);
    }
}

static void add_reference(ph_plot *plot, int panel, const ph_comparison *c, quantity of)
{
    ph_series_def def = ph_default_series();
    def.label = "converged reference";
    def.color = "#bbbbbb";
    def.width = 4.0;
    if (c->reference_history.count) add_curve(plot, panel, &c->reference_history, NULL, of, 1, def);
}

static bool finish(ph_plot *plot, const char *folder, const char *name)
{
    char path[1024];
    ph_error error = {.text = "out of memory"};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const bool good = plot && ph_plot_write(plot, path, &error) == PH_OK;
    if (good) {
        printf("%s\n", path);
    } else {
        fprintf(stderr, "huang2022: %s\n", error.text);
    }
    ph_plot_destroy(plot);
    return good;
}

// ---- The figures ----------------------------------------------------------------------------------------------------

// The paper's curves lie on each other; the lower panel shows how far they are apart.
static bool draw_motion(const ph_comparison *c, const char *folder, const char *name, const char *title,
                        const char *label, const char *difference, quantity of)
{
    ph_plot *plot = ph_plot_create(title);
    const int above = add_panel(plot, label, PH_LINEAR, 0.0, c->until, 240.0);
    const int below = add_panel(plot, difference, PH_LOG, 0.0, c->until, 180.0);
    add_reference(plot, above, c, of);
    for (int i = 0; i < 3; i++) {
        add_scheme(plot, above, c, WANTED[i], NULL, of, 1);
        add_scheme(plot, below, c, WANTED[i], &c->reference_history, of, 10);
    }
    return finish(plot, folder, name);
}

static bool draw_energy(const ph_comparison *c, const char *folder)
{
    ph_plot *plot = ph_plot_create("Figure 5: error of the energy");
    const int whole = add_panel(plot, "ΔE (J)", PH_LINEAR, 0.0, c->until, 240.0);
    const int part = add_panel(plot, "ΔE (J)", PH_LINEAR, 7.5, 10.0, 240.0);
    for (int i = 0; i < 3; i++) {
        add_scheme(plot, whole, c, WANTED[i], NULL, energy_error, 1);
        add_scheme(plot, part, c, WANTED[i], NULL, energy_error, 1);
    }
    return finish(plot, folder, "figure5.svg");
}

static bool draw_orthogonality(const ph_comparison *c, const char *folder)
{
    ph_plot *plot = ph_plot_create("Figure 6: error of orthogonality");
    const int panel = add_panel(plot, "largest ‖I − R^{T}R‖", PH_LINEAR, 0.0, c->until, 300.0);
    for (int i = 0; i < 3; i++) add_scheme(plot, panel, c, WANTED[i], NULL, orthogonality, 100);
    return finish(plot, folder, "figure6.svg");
}

static bool draw_violation(const ph_comparison *c, const char *folder)
{
    ph_plot *plot = ph_plot_create("Figure 7: violation of the joints' velocity constraints");
    const int panel = add_panel(plot, "largest |dΦ/dt| (m/s)", PH_LOG, 0.0, c->until, 300.0);
    for (int i = 0; i < WANTED_COUNT; i++) add_scheme(plot, panel, c, WANTED[i], NULL, velocity_violation, 50);
    return finish(plot, folder, "figure7.svg");
}

// ---- Runs -----------------------------------------------------------------------------------------------------------

static ph_comparison *compare(const ph_model *model, double until, int samples, const char *reference)
{
    const char *trials[WANTED_COUNT];
    int count = 0;
    for (int i = 0; i < WANTED_COUNT; i++) {
        if (ph_scheme_find(WANTED[i]) >= 0) trials[count++] = WANTED[i];
    }
    ph_compare_def def = ph_default_compare();
    def.trials = trials;
    def.trial_count = count;
    def.step = 1e-3;
    def.until = until;
    def.samples = samples;
    def.reference = reference;
    ph_comparison *c = NULL;
    ph_error error;
    if (ph_compare(model, &def, &c, &error) != PH_OK) fprintf(stderr, "huang2022: %s\n", error.text);
    for (int i = 0; c && i < c->trial_count; i++) {
        if (c->trials[i].message) fprintf(stderr, "huang2022: %s: %s\n", c->trials[i].name, c->trials[i].message);
    }
    return c;
}

static void print_numbers(const ph_comparison *c)
{
    printf("\nlargest over %g s:  |dE| (J)   |I - R^T R|   |dPhi/dt| (m/s)\n", c->until);
    for (int i = 0; i < c->trial_count; i++) {
        const ph_summary *s = &c->trials[i].summary;
        printf("%-18s %9.3g %13.2g %17.2g\n", c->trials[i].name, s->energy_max_abs_error, s->orthogonality_max,
               s->velocity_violation_max);
    }
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    ph_model *model = NULL;
    const ph_status status = ph_model_read_file(MODEL, NULL, 0, NULL, &model);
    if (status != PH_OK) {
        fprintf(stderr, "huang2022: %s: %s\n", MODEL, ph_status_text(status));
        return 1;
    }
    for (int i = 0; i < WANTED_COUNT; i++) {
        if (ph_scheme_find(WANTED[i]) < 0)
            fprintf(stderr, "huang2022: there is no scheme '%s': its curves are missing\n", WANTED[i]);
    }
    // The motion is chaotic: after 20 s no two schemes agree, so that motions are shown for 10 s, what is kept for 50 s.
    ph_comparison *motion = compare(model, 10.0, 5000, NULL), *kept = compare(model, 50.0, 25000, "none");
    bool good = motion && kept && motion->failed == 0 && kept->failed == 0 && !motion->reference.message;
    if (motion && kept) {
        good = draw_motion(motion, folder, "figure3.svg", "Figure 3: centre of the second rod", "x (m)",
                           "|x − x_{ref}| (m)", position_x) &&
               good;
        good = draw_motion(motion, folder, "figure4.svg", "Figure 4: angular velocity of the second rod",
                           "Ω_{x} (rad/s)", "|Ω_{x} − Ω_{x,ref}| (rad/s)", angular_velocity_x) &&
               good;
        good = draw_energy(kept, folder) && draw_orthogonality(kept, folder) && draw_violation(kept, folder) && good;
        print_numbers(kept);
    }
    ph_comparison_destroy(motion);
    ph_comparison_destroy(kept);
    ph_model_destroy(model);
    return good ? 0 : 1;
}
