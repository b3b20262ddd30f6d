// The pictures of the README and of docs/: what the engine keeps, and what the examples do.
//
//     examples/figures/draw manual docs/img
#include <polhode/polhode.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS_MAX = 40001 };

static const char *folder;

static ph_model *read(const char *name)
{
    char path[256];
    ph_model *model = NULL;
    snprintf(path, sizeof path, "examples/%s.yaml", name);
    if (ph_model_read_file(path, NULL, 0, NULL, &model) != PH_OK) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    return model;
}

// Writes and destroys the plot.
static void finish(ph_plot *plot, const char *name)
{
    char path[512];
    ph_error error = {.text = "out of memory"};
    snprintf(path, sizeof path, "%s/%s.svg", folder, name);
    if (!plot || ph_plot_write(plot, path, &error) != PH_OK) {
        fprintf(stderr, "%s: %s\n", path, error.text);
        exit(1);
    }
    ph_plot_destroy(plot);
    printf("%s\n", path);
}

// ---- Curves of a run ------------------------------------------------------------------------------------------------

typedef struct curve {
    int count;
    double x[POINTS_MAX], y[POINTS_MAX], z[POINTS_MAX];
} curve;

// What is drawn of a moment; all arrays are those of the state.
typedef void (*pick)(ph_observer *observer, ph_state *state, double point[3]);

// Moves a model and keeps a point every `every` steps. To be freed.
static curve *trace(ph_model *model, const char *scheme, double h, int steps, int every, pick of)
{
    curve *c = calloc(1, sizeof *c);
    ph_state *state = ph_state_create(model);
    ph_observer *observer = NULL;
    ph_sim *sim = NULL;
    ph_sim_def def = ph_default_sim();
    def.scheme = scheme;
    bool good = c && state && ph_observer_create(model, &observer) == PH_OK;
    good = good && ph_sim_create(model, &def, &sim, NULL) == PH_OK;
    for (int k = 0; good && k <= steps && c->count < POINTS_MAX; k++) {
        if (k % every == 0) {
            double point[3] = {0.0, 0.0, 0.0};
            of(observer, state, point);
            c->x[c->count] = point[0];
            c->y[c->count] = point[1];
            c->z[c->count++] = point[2];
        }
        good = ph_sim_step(sim, state, h, NULL) == PH_OK;
    }
    ph_sim_destroy(sim);
    ph_observer_destroy(observer);
    ph_state_destroy(state);
    if (!good) {
        fprintf(stderr, "%s: %s failed\n", ph_model_name(model), scheme);
        exit(1);
    }
    return c;
}

static int add_panel(ph_plot *plot, const char *x, const char *y, bool equal, double height)
{
    ph_axes_def axes = ph_default_axes();
    axes.x.label = x;
    axes.y.label = y;
    axes.equal = equal;
    axes.height = height;
    return ph_plot_add_axes(plot, &axes);
}

static void add_line(ph_plot *plot, int panel, const char *label, const double *x, const double *y, int count,
                     int palette)
{
    ph_series_def series = ph_default_series();
    series.label = label;
    series.x = x;
    series.y = y;
    series.count = count;
    series.palette = palette;
    ph_plot_add_series(plot, panel, &series);
}

static void pick_spin(ph_observer *observer, ph_state *state, double point[3])
{
    (void)observer;
    const ph_vec3 w = ph_state_angular_velocities(state)[0];
    point[0] = w.x, point[1] = w.y, point[2] = w.z;
}

static void pick_body(ph_observer *observer, ph_state *state, double point[3], int body)
{
    (void)observer;
    const ph_vec3 x = ph_state_positions(state)[body];
    point[0] = x.x, point[1] = x.y, point[2] = x.z;
}

// ---- Schemes --------------------------------------------------------------------------------------------------------

static void draw_comparison(void)
{
    static const char *const trials[] = {"rattlie", "lgvi", "lie-alpha", "rk4"};
    ph_model *model = read("double_pendulum");
    ph_compare_def def = ph_default_compare();
    ph_comparison *comparison = NULL;
    def.trials = trials;
    def.trial_count = 4;
    def.reference = "none";
    def.step = 4e-3;
    if (ph_compare(model, &def, &comparison, NULL) != PH_OK) {
        exit(1);
    }
    finish(ph_comparison_plot(comparison, PH_FIGURE_ENERGY), "energy");
    finish(ph_comparison_plot(comparison, PH_FIGURE_VIOLATION), "violation");
    ph_comparison_destroy(comparison);
    ph_model_destroy(model);
}

static void draw_order(void)
{
    static const char *const trials[] = {"rattlie", "lgvi", "rattlie4", "rattlie6", "rkmk4"};
    static const double steps[] = {8e-3, 4e-3, 2e-3, 1e-3};
    ph_model *model = read("double_pendulum");
    ph_order_def def = ph_default_order();
    ph_order_study *study = NULL;
    def.trials = trials;
    def.trial_count = 5;
    def.steps = steps;
    def.step_count = 4;
    if (ph_measure_order(model, &def, &study, NULL) != PH_OK) {
        exit(1);
    }
    finish(ph_order_study_plot(study, PH_FIGURE_ORDER), "order");
    ph_order_study_destroy(study);
    ph_model_destroy(model);
}

// ---- Examples -------------------------------------------------------------------------------------------------------

static void pick_body_0(ph_observer *observer, ph_state *state, double point[3])
{
    pick_body(observer, state, point, 0);
}

static void pick_body_1(ph_observer *observer, ph_state *state, double point[3])
{
    pick_body(observer, state, point, 1);
}

static void draw_path(const char *name, const char *title, double h, int steps, pick of, bool from_above)
{
    ph_model *model = read(name);
    curve *c = trace(model, "rattlie", h, steps, 1, of);
    ph_plot *plot = ph_plot_create(title);
    const int panel = add_panel(plot, "x (m)", from_above ? "y (m)" : "z (m)", true, 300.0);
    ph_plot_set_width(plot, 480.0);
    add_line(plot, panel, NULL, c->x, from_above ? c->y : c->z, c->count, 0);
    finish(plot, name);
    free(c);
    ph_model_destroy(model);
}

static void draw_flips(void)
{
    ph_model *model = read("dzhanibekov");
    curve *c = trace(model, "rattlie", 1e-2, 10000, 5, pick_spin);
    double time[POINTS_MAX];
    for (int k = 0; k < c->count; k++) {
        time[k] = 0.05 * k;
    }
    ph_plot *plot = ph_plot_create("Dzhanibekov body: angular velocity in the body");
    const int panel = add_panel(plot, "time (s)", "Ω (rad/s)", false, 180.0);
    add_line(plot, panel, "Ω_{1}", time, c->x, c->count, 0);
    add_line(plot, panel, "Ω_{2}", time, c->y, c->count, 1);
    add_line(plot, panel, "Ω_{3}", time, c->z, c->count, 2);
    finish(plot, "dzhanibekov");
    free(c);
    ph_model_destroy(model);
}

// Angle of the crank in turns, and the force of its bearing along x and z.
static void pick_bearing(ph_observer *observer, ph_state *state, double point[3])
{
    ph_wrench reactions[4];
    ph_observer_joint(observer, state, 0, &point[0], NULL);
    ph_observer_dynamics(observer, state, NULL, reactions);
    point[0] /= 2.0 * 3.14159265358979323846;
    point[1] = reactions[0].force.x;
    point[2] = reactions[0].force.z;
}

static void draw_bearing(void)
{
    ph_model *model = read("slider_crank");
    curve *c = trace(model, "rattlie", 2e-4, 4500, 5, pick_bearing);
    ph_plot *plot = ph_plot_create("Slider-crank: force of the crank's bearing");
    const int panel = add_panel(plot, "turns of the crank", "force (N)", false, 180.0);
    add_line(plot, panel, "along x", c->x, c->y, c->count, 0);
    add_line(plot, panel, "along z", c->x, c->z, c->count, 1);
    finish(plot, "slider_crank");
    free(c);
    ph_model_destroy(model);
}

// The chain as a line through its rods' centres, every 0.1 s.
static void draw_chain(void)
{
    enum { RODS = 20, SHAPES = 8 };
    ph_model *model = read("hanging_chain");
    ph_state *state = ph_state_create(model);
    ph_sim *sim = NULL;
    const ph_sim_def def = ph_default_sim();
    ph_plot *plot = ph_plot_create("Hanging chain, every 0.1 s");
    const int panel = add_panel(plot, "x (m)", "z (m)", true, 300.0);
    ph_plot_set_width(plot, 480.0);
    bool good = ph_sim_create(model, &def, &sim, NULL) == PH_OK;
    for (int shape = 0; good && shape < SHAPES; shape++) {
        double x[RODS + 1] = {0.0}, z[RODS + 1] = {0.0};
        for (int k = 0; k < RODS; k++) {
            x[k + 1] = ph_state_positions(state)[k].x;
            z[k + 1] = ph_state_positions(state)[k].z;
        }
        add_line(plot, panel, NULL, x, z, RODS + 1, 0);
        for (int k = 0; good && k < 200; k++) {
            good = ph_sim_step(sim, state, 5e-4, NULL) == PH_OK;
        }
    }
    finish(plot, "hanging_chain");
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

int main(int argc, char **argv)
{
    folder = argc > 1 ? argv[1] : ".";
    draw_comparison();
    draw_order();
    draw_path("double_pendulum", "Double pendulum: centre of the second rod, 10 s", 1e-3, 10000, pick_body_1, true);
    draw_path("heavy_top", "Heavy top from above: centre of mass, 2 s", 0x1p-11, 4096, pick_body_0, true);
    draw_path("four_bar", "Four-bar linkage: middle of the coupler", 1e-3, 3000, pick_body_1, false);
    draw_flips();
    draw_bearing();
    draw_chain();
    return 0;
}
