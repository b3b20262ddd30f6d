// When does the rod of a slider-crank yield? The crank turns faster and faster; the rod, of steel or of aluminium, pulls a
// steel slider to and fro. Mean stress of the rod from loads, reactions and accelerations at every step.
//
//     examples/figures/draw slider_crank_stress [FOLDER]
//
// Writes turn.svg (one turn of the crank) and speed.svg (the largest of each turn against the speed) and prints the speeds
// at which the mean reaches the yield stress.
#include <polhode/polhode.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char MODEL[] = "examples/slider_crank_driven.yaml";
static const double TURN = 6.283185307179586, SHOWN_SPEED = 300.0; // rad/s: the turn that is drawn

typedef struct material {
    const char *name, *density; // kg/m^3
    double yield;               // Pa: S235, 6061-T6
} material;

static const material materials[] = {{"steel rod", "7850", 235e6}, {"aluminium rod", "2700", 276e6}};
enum { MATERIALS = sizeof materials / sizeof *materials, SAMPLES_MAX = 60000, TURNS_MAX = 400 };

typedef struct track {
    int samples, turns;
    double angle[SAMPLES_MAX], axial[SAMPLES_MAX]; // degrees, MPa: the turn that is drawn
    double speed[TURNS_MAX], peak[TURNS_MAX];      // rad/s, Pa: the largest equivalent stress of each turn
    double yields;                                 // speed at which the mean reaches the yield stress; 0: never
} track;

// ---- The run --------------------------------------------------------------------------------------------------------

static ph_model *read_model(const char *density)
{
    const ph_setting setting = {"rod_density", density};
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    ph_model_read_file(MODEL, &setting, 1, problems, &model);
    for (int i = 0; i < ph_problems_count(problems); i++)
        fprintf(stderr, "slider_crank_stress: %s\n", ph_problems_get(problems, i)->text);
    ph_problems_destroy(problems);
    return model;
}

// What the rod carries at a state.
static ph_stress look_at_rod(ph_observer *observer, ph_state *state, const ph_model *model, int rod)
{
    ph_mat3 integrals[3];
    ph_stress stress = {0};
    if (ph_observer_stress(observer, state, integrals) == PH_OK)
        ph_stress_mean(integrals[rod], ph_model_body(model, rod).volume, ph_state_orientations(state)[rod], &stress);
    return stress;
}

static void keep(track *t, double angle, double speed, const ph_stress *stress, double yield)
{
    const int turn = (int)(angle / TURN);
    if (turn >= TURNS_MAX) return;
    if (turn >= t->turns) {
        t->turns = turn + 1;
        t->peak[turn] = 0.0;
    }
    if (stress->von_mises > t->peak[turn]) {
        t->peak[turn] = stress->von_mises;
        t->speed[turn] = speed;
    }
    if (t->yields == 0.0 && stress->von_mises >= yield) t->yields = speed;
    const double first = TURN * ceil((SHOWN_SPEED * SHOWN_SPEED - 2500.0) / 600.0 / TURN); // angle at that speed
    if (angle >= first && angle <= first + TURN && t->samples < SAMPLES_MAX) {
        t->angle[t->samples] = (angle - first) * 360.0 / TURN;
        t->axial[t->samples++] = 1e-6 * stress->body.m[0][0];
    }
}

static bool run(const material *of, track *t)
{
    ph_model *model = read_model(of->density);
    ph_state *state = model ? ph_state_create(model) : NULL;
    ph_observer *observer = NULL;
    ph_sim *sim = NULL;
    const ph_sim_def def = ph_default_sim();
    bool good =
        state && ph_observer_create(model, &observer) == PH_OK && ph_sim_create(model, &def, &sim, NULL) == PH_OK;
    if (good) {
        const double step = ph_model_run_settings(model)->step, until = ph_model_run_settings(model)->until;
        const int rod = ph_model_find_body(model, "rod"), motor = ph_model_find_joint(model, "O");
        while (good && ph_state_time(state) < until) {
            double angle, speed;
            ph_observer_joint(observer, state, motor, &angle, &speed);
            const ph_stress stress = look_at_rod(observer, state, model, rod);
            keep(t, angle, speed, &stress, of->yield);
            good = ph_sim_step(sim, state, step, NULL) == PH_OK;
        }
    }
    ph_sim_destroy(sim);
    ph_observer_destroy(observer);
    ph_state_destroy(state);
    ph_model_destroy(model);
    return good;
}

// ---- The figures ----------------------------------------------------------------------------------------------------

static int add_panel(ph_plot *plot, const char *x, const char *y)
{
    ph_axes_def axes = ph_default_axes();
    axes.x.label = x;
    axes.y.label = y;
    axes.height = 300.0;
    return ph_plot_add_axes(plot, &axes);
}

static void add_curve(ph_plot *plot, int panel, const char *label, int palette, ph_line line, const double *x,
                      const double *y, int count)
{
    ph_series_def series = ph_default_series();
    series.label = label;
    series.palette = palette;
    series.line = line;
    series.x = x;
    series.y = y;
    series.count = count;
    ph_plot_add_series(plot, panel, &series);
}

static bool finish(ph_plot *plot, const char *folder, const char *name)
{
    char path[1024];
    ph_error error = {.text = "out of memory"};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    const bool good = plot && ph_plot_write(plot, path, &error) == PH_OK;
    if (good)
        printf("%s\n", path);
    else
        fprintf(stderr, "slider_crank_stress: %s\n", error.text);
    ph_plot_destroy(plot);
    return good;
}

static bool draw_turn(track *const tracks[MATERIALS], const char *folder)
{
    ph_plot *plot = ph_plot_create("One turn at 300 rad/s: mean axial stress of the rod");
    const int panel = add_panel(plot, "crank angle (°)", "mean σ_{xx} (MPa)");
    for (int i = 0; i < MATERIALS; i++)
        add_curve(plot, panel, materials[i].name, i, PH_LINE_SOLID, tracks[i]->angle, tracks[i]->axial,
                  tracks[i]->samples);
    return finish(plot, folder, "turn.svg");
}

static bool draw_speed(track *const tracks[MATERIALS], const char *folder)
{
    ph_plot *plot = ph_plot_create("Largest mean stress of each turn");
    const int panel = add_panel(plot, "crank speed (rad/s)", "von Mises stress of the mean (MPa)");
    for (int i = 0; i < MATERIALS; i++) {
        const track *t = tracks[i];
        double peak[TURNS_MAX];
        const int whole = t->turns - 1; // the last turn was not finished
        for (int k = 0; k < whole; k++) peak[k] = 1e-6 * t->peak[k];
        add_curve(plot, panel, materials[i].name, i, PH_LINE_SOLID, t->speed, peak, whole);
        const double ends[2] = {t->speed[0], t->speed[whole - 1]};
        const double level[2] = {1e-6 * materials[i].yield, 1e-6 * materials[i].yield};
        add_curve(plot, panel, i ? "yields: 6061-T6" : "yields: S235", i, PH_LINE_DASHED, ends, level, 2);
    }
    return finish(plot, folder, "speed.svg");
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : ".";
    track *tracks[MATERIALS] = {NULL};
    bool good = true;
    for (int i = 0; i < MATERIALS; i++) {
        tracks[i] = calloc(1, sizeof *tracks[i]);
        good = good && tracks[i] && run(&materials[i], tracks[i]) && tracks[i]->turns > 1;
    }
    good = good && draw_turn(tracks, folder) && draw_speed(tracks, folder);
    for (int i = 0; good && i < MATERIALS; i++)
        printf("%-14s mean stress reaches %.0f MPa at %.0f rad/s (%.0f rpm)\n", materials[i].name,
               1e-6 * materials[i].yield, tracks[i]->yields, tracks[i]->yields * 60.0 / TURN);
    for (int i = 0; i < MATERIALS; i++) free(tracks[i]);
    return good ? 0 : 1;
}
