// Figures 2 to 7 of Xu and Zhong, "Symplectic conservation integration of rigid body dynamics with quaternion parameters",
// Applied Mathematics and Mechanics 35(1) (2014): tops under the quaternion time finite element, scheme quat-fem.
//
//     examples/figures/draw xu_zhong_2014 [FOLDER]
//
// A is the point of the top's axis on the unit sphere about the tip, eq (34); steps are given as dt~ = spin * step.
#include <polhode/polhode.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;
static const char *folder;

// ---- Runs -----------------------------------------------------------------------------------------------------------

typedef struct trace {
    int count;
    double *time, *x, *y, *z;            // of A
    double *energy;                      // H
    double *vertical, *spin;             // L_z, omega_3
    double norm;                         // largest | |q| - 1 |
    double low, high;                    // of z
    double rate_low, rate_high, slowest; // precession where z is lowest and highest, and the smallest at any time
} trace;

static void fail(const char *what, const char *text)
{
    fprintf(stderr, "xu_zhong_2014: %s: %s\n", what, text);
    exit(1);
}

static ph_model *read_top(const char *name, double dt)
{
    char path[256], value[32];
    const ph_setting setting = {"dt", value};
    ph_model *model = NULL;
    snprintf(value, sizeof value, "%.17g", dt);
    snprintf(path, sizeof path, "examples/xu_zhong_2014/%s.yaml", name);
    const ph_status status = ph_model_read_file(path, &setting, 1, NULL, &model);
    if (status != PH_OK) fail(path, ph_status_text(status));
    return model;
}

// Rate of precession of the axis A: (A x A')_z / (A_x^2 + A_y^2), A' = R (omega_2, -omega_1, 0).
static double precession(ph_quat q, ph_vec3 w, ph_vec3 A)
{
    const double x = (q.w * q.w + q.x * q.x - q.y * q.y - q.z * q.z) * w.y - 2.0 * (q.x * q.y - q.w * q.z) * w.x;
    const double y = 2.0 * (q.x * q.y + q.w * q.z) * w.y - (q.w * q.w - q.x * q.x + q.y * q.y - q.z * q.z) * w.x;
    return (A.x * y - A.y * x) / (A.x * A.x + A.y * A.y);
}

static void look_at(trace *t, ph_observer *observer, ph_state *state)
{
    const int k = t->count++;
    const ph_quat q = ph_state_orientations(state)[0];
    const ph_vec3 w = ph_state_angular_velocities(state)[0];
    const ph_vec3 A = {2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x),
                       q.w * q.w - q.x * q.x - q.y * q.y + q.z * q.z};
    const double off = fabs(sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z) - 1.0), rate = precession(q, w, A);
    ph_measures m;
    ph_observer_measure(observer, state, &m);
    t->time[k] = ph_state_time(state);
    t->x[k] = A.x, t->y[k] = A.y, t->z[k] = A.z;
    t->energy[k] = m.kinetic + m.potential;
    t->vertical[k] = m.angular.z;
    t->spin[k] = w.z;
    if (off > t->norm) t->norm = off;
    if (k == 0 || A.z < t->low) t->low = A.z, t->rate_low = rate;
    if (k == 0 || A.z > t->high) t->high = A.z, t->rate_high = rate;
    if (k == 0 || rate < t->slowest) t->slowest = rate;
}

static trace trace_create(int points)
{
    double *memory = calloc((size_t)points, 7 * sizeof *memory);
    if (!memory) fail("trace", "out of memory");
    trace t = {.time = memory};
    double **const arrays[] = {&t.x, &t.y, &t.z, &t.energy, &t.vertical, &t.spin};
    for (int i = 0; i < 6; i++) *arrays[i] = memory + (size_t)points * (size_t)(i + 1);
    return t;
}

// Moves a top for `until` seconds and keeps every node. To be freed by trace_destroy.
static trace run(const char *name, const char *scheme, double dt, double until)
{
    ph_model *model = read_top(name, dt);
    ph_state *state = ph_state_create(model);
    ph_observer *observer = NULL;
    ph_sim *sim = NULL;
    ph_sim_def def = ph_default_sim();
    ph_step_report report;
    ph_error error = {.text = "out of memory"};
    def.scheme = scheme;
    if (!state || ph_observer_create(model, &observer) != PH_OK) fail(name, error.text);
    if (ph_sim_create(model, &def, &sim, &error) != PH_OK) fail(name, error.text);
    const double h = dt / ph_state_angular_velocities(state)[0].z; // all these tops start with their spin
    const int steps = (int)ceil(until / h - 1e-9);
    trace t = trace_create(steps + 1);
    look_at(&t, observer, state);
    for (int k = 0; k < steps; k++) {
        if (ph_sim_step(sim, state, h, &report) != PH_OK) {
            ph_step_report_format(&report, model, error.text, sizeof error.text);
            fail(name, error.text);
        }
        look_at(&t, observer, state);
    }
    ph_sim_destroy(sim);
    ph_observer_destroy(observer);
    ph_state_destroy(state);
    ph_model_destroy(model);
    return t;
}

static void trace_destroy(trace *t)
{
    free(t->time);
}

// ---- Parts of a figure ----------------------------------------------------------------------------------------------

static int add_panel(ph_plot *plot, const char *title, const char *x, const char *y, bool equal, double height)
{
    ph_axes_def axes = ph_default_axes();
    axes.title = title;
    axes.x.label = x;
    axes.y.label = y;
    axes.equal = equal;
    axes.height = height;
    return ph_plot_add_axes(plot, &axes);
}

static void add_line(ph_plot *plot, int panel, const char *label, const double *x, const double *y, int count,
                     double width, const char *color)
{
    ph_series_def series = ph_default_series();
    series.label = label;
    series.x = x;
    series.y = y;
    series.count = count;
    series.width = width;
    series.color = color;
    ph_plot_add_series(plot, panel, &series);
}

// Writes and destroys the plot.
static void finish(ph_plot *plot, const char *name)
{
    char path[512];
    ph_error error = {.text = "out of memory"};
    snprintf(path, sizeof path, "%s/%s.svg", folder, name);
    if (!plot || ph_plot_write(plot, path, &error) != PH_OK) fail(path, error.text);
    ph_plot_destroy(plot);
    printf("%s\n", path);
}

// Points before `until`.
static int points_until(const trace *t, double until)
{
    int count = 0;
    while (count < t->count && t->time[count] <= until) count++;
    return count;
}

// The projections of the paper: x-z of the first seconds, x-y of a long time with the ring that the axis must not leave.
static void add_projections(ph_plot *plot, const trace *t, const char *title, double part, bool from_above)
{
    enum { ROUND = 361 };
    double ring_x[ROUND], ring_y[ROUND];
    const int side = add_panel(plot, title, "x", "z", true, 170.0);
    add_line(plot, side, NULL, t->x, t->z, points_until(t, part), 1.1, NULL);
    if (!from_above) return;
    const int above = add_panel(plot, NULL, "x", "y", true, 300.0);
    add_line(plot, above, NULL, t->x, t->y, t->count, 0.4, NULL);
    const bool level = t->low < 0.0 && t->high > 0.0; // the axis passes through the horizontal, where A is farthest out
    const double edges[] = {level ? 0.0 : t->low, fmax(fabs(t->low), fabs(t->high))};
    for (int e = 0; e < 2; e++) {
        const double radius = sqrt(1.0 - edges[e] * edges[e]);
        for (int i = 0; i < ROUND; i++) {
            ring_x[i] = radius * cos(2.0 * PI * i / (ROUND - 1));
            ring_y[i] = radius * sin(2.0 * PI * i / (ROUND - 1));
        }
        add_line(plot, above, NULL, ring_x, ring_y, ROUND, 1.0, "#bbbbbb");
    }
}

static void print_motion(const char *name, const trace *t)
{
    const char *kind = t->slowest < -1e-3 * t->rate_low  ? "loops"
                       : t->slowest > 1e-3 * t->rate_low ? "no loops"
                                                         : "cusps";
    printf(
        "  %-12s z %.6f .. %.6f, precession %8.4f rad/s at the lowest, %8.4f at the highest point, least %8.4f: %s\n",
        name, t->low, t->high, t->rate_low, t->rate_high, t->slowest, kind);
}

// ---- The figures ----------------------------------------------------------------------------------------------------

// Traces on the unit sphere, seen from 25 degrees above the horizontal: only the side that faces us.
static void draw_sphere(const trace *starts, const char *const *labels, int count)
{
    enum { ROUND = 361 };
    const double s = sin(25.0 * PI / 180.0), c = cos(25.0 * PI / 180.0);
    double ring[2][ROUND];
    ph_plot *plot = ph_plot_create("Figure 2: the axis on the unit sphere");
    const int panel = add_panel(plot, NULL, "x", "z cos 25° + y sin 25°", true, 420.0);
    for (int i = 0; i < ROUND; i++) {
        ring[0][i] = cos(2.0 * PI * i / (ROUND - 1));
        ring[1][i] = sin(2.0 * PI * i / (ROUND - 1));
    }
    add_line(plot, panel, NULL, ring[0], ring[1], ROUND, 1.2, "#888888");
    for (int i = 0; i < ROUND; i++) ring[1][i] = s * sin(2.0 * PI * i / (ROUND - 1));
    add_line(plot, panel, NULL, ring[0], ring[1], ROUND, 0.8, "#cccccc"); // the equator
    for (int k = 0; k < count; k++) {
        const int points = points_until(&starts[k], 2.0);
        double *x = malloc((size_t)points * sizeof *x), *y = malloc((size_t)points * sizeof *y);
        for (int i = 0; x && y && i < points; i++) {
            const bool hidden = -c * starts[k].y[i] + s * starts[k].z[i] < 0.0;
            x[i] = hidden ? (double)NAN : starts[k].x[i];
            y[i] = c * starts[k].z[i] + s * starts[k].y[i];
        }
        if (x && y) add_line(plot, panel, labels[k], x, y, points, 1.1, NULL);
        free(x);
        free(y);
    }
    finish(plot, "figure2_sphere");
}

static void draw_2(void)
{
    static const char *const names[] = {"start_1", "start_2", "start_3"};
    static const char *const labels[] = {"start 1, cusps", "start 2, no loops", "start 3, loops"};
    ph_plot *plot = ph_plot_create("Figure 2: three kinds of nutation, Δt~ = 0.1");
    trace starts[3];
    printf("\nFigure 2, 20 s at dt~ = 0.1\n");
    for (int i = 0; i < 3; i++) {
        starts[i] = run(names[i], "quat-fem", 0.1, 20.0);
        add_projections(plot, &starts[i], labels[i], 1.0, i == 0);
        print_motion(names[i], &starts[i]);
    }
    finish(plot, "figure2");
    draw_sphere(starts, labels, 3);
    for (int i = 0; i < 3; i++) trace_destroy(&starts[i]);
}

static void draw_3(void)
{
    static const char *const names[] = {"spin_30pi", "spin_20pi", "spin_10pi"};
    static const char *const titles[] = {"(a) spin 30π rad/s", "(b) spin 20π rad/s", "(c) spin 10π rad/s"};
    ph_plot *plot = ph_plot_create("Figure 3: slower tops, Δt~ = 0.1");
    printf("\nFigure 3, 20 s at dt~ = 0.1\n");
    for (int i = 0; i < 3; i++) {
        trace t = run(names[i], "quat-fem", 0.1, 20.0);
        add_projections(plot, &t, titles[i], 1.5, true);
        print_motion(names[i], &t);
        trace_destroy(&t);
    }
    finish(plot, "figure3");
}

// z(t) beside the exact motion, whole and a part of it; prints the largest errors.
static void draw_heights(const char *name, const char *title, const char *file, const double dt[3], double until,
                         double from, double to)
{
    ph_plot *plot = ph_plot_create(title);
    trace exact = run(name, "exact", dt[0], until);
    int panels[2];
    for (int k = 0; k < 2; k++) {
        panels[k] = add_panel(plot, NULL, "t (s)", "z", false, 200.0);
        const int first = k ? points_until(&exact, from) : 0, last = points_until(&exact, k ? to : until);
        add_line(plot, panels[k], "exact", exact.time + first, exact.z + first, last - first, 4.0, "#bbbbbb");
    }
    for (int i = 2; i >= 0; i--) {
        char label[32];
        double largest = 0.0;
        trace t = run(name, "quat-fem", dt[i], until), truth = run(name, "exact", dt[i], until);
        for (int k = 0; k < t.count; k++) largest = fmax(largest, fabs(t.z[k] - truth.z[k]));
        snprintf(label, sizeof label, "Δt~ = %g", dt[i]);
        for (int k = 0; k < 2; k++) {
            const int first = k ? points_until(&t, from) : 0, last = points_until(&t, k ? to : until);
            add_line(plot, panels[k], label, t.time + first, t.z + first, last - first, 1.1, NULL);
        }
        printf("  dt~ = %-5g largest |z - exact| in %g s: %.4g\n", dt[i], until, largest);
        trace_destroy(&t);
        trace_destroy(&truth);
    }
    trace_destroy(&exact);
    finish(plot, file);
}

static void range_of(const double *values, int first, int last, double *low, double *high)
{
    *low = *high = values[first];
    for (int k = first; k < last; k++) {
        *low = fmin(*low, values[k]);
        *high = fmax(*high, values[k]);
    }
}

// H over 100 s: of every bin of nodes the lowest and the highest.
static void draw_5(void)
{
    enum { BINS = 500 };
    ph_plot *plot = ph_plot_create("Figure 5: Hamiltonian of start 1, Δt~ = 0.02");
    trace t = run("start_1", "quat-fem", 0.02, 100.0);
    double time[2 * BINS], band[2 * BINS], low, high, first_low, last_low;
    const double start = t.energy[0];
    for (int k = 0; k < t.count; k++) t.energy[k] -= start;
    for (int b = 0; b < BINS; b++) {
        const int first = (int)((double)t.count * b / BINS), last = (int)((double)t.count * (b + 1) / BINS);
        range_of(t.energy, first, last, &band[2 * b], &band[2 * b + 1]);
        time[2 * b] = time[2 * b + 1] = t.time[first];
    }
    const int whole = add_panel(plot, NULL, "t (s)", "H − H_{0} (J)", false, 200.0);
    const int part = add_panel(plot, NULL, "t (s)", "H − H_{0} (J)", false, 200.0);
    add_line(plot, whole, NULL, time, band, 2 * BINS, 0.6, NULL);
    add_line(plot, part, NULL, t.time, t.energy, points_until(&t, 1.0), 1.1, NULL);
    finish(plot, "figure5");
    range_of(t.energy, 0, t.count / 10, &first_low, &high);
    range_of(t.energy, t.count - t.count / 10, t.count, &last_low, &high);
    range_of(t.energy, 0, t.count, &low, &high);
    printf("\nFigure 5, start 1, 100 s at dt~ = 0.02\n  H_0 = %.11f J, H - H_0 from %.4g to %.2g J", start, low, high);
    printf("; lowest in the first tenth %.6g, in the last %.6g\n", first_low, last_low);
    trace_destroy(&t);
}

static void print_kept(void)
{
    double vertical[2], spin[2];
    trace t = run("start_1", "quat-fem", 0.1, 100.0);
    range_of(t.vertical, 0, t.count, &vertical[0], &vertical[1]);
    range_of(t.spin, 0, t.count, &spin[0], &spin[1]);
    printf(
        "\nStart 1, 100 s at dt~ = 0.1\n  | |q| - 1 | at most %.2g; L_z within %.2g kg m^2/s, omega_3 within %.2g rad/s\n",
        t.norm, vertical[1] - vertical[0], spin[1] - spin[0]);
    trace_destroy(&t);
}

static void draw_7(void)
{
    ph_plot *plot = ph_plot_create("Figure 7: asymmetric top, Δt~ = 0.1");
    trace t = run("asymmetric", "quat-fem", 0.1, 20.0);
    add_projections(plot, &t, NULL, 1.0, true);
    finish(plot, "figure7");
    printf("\nFigure 7, 20 s at dt~ = 0.1\n");
    print_motion("asymmetric", &t);
    trace_destroy(&t);
}

int main(int argc, char **argv)
{
    static const double fast[] = {0.01, 0.1, 1.0}, slow[] = {0.01, 0.05, 0.5};
    folder = argc > 1 ? argv[1] : ".";
    draw_2();
    draw_3();
    printf("\nFigure 4, start 1\n");
    draw_heights("start_1", "Figure 4: height of the axis at 40π rad/s", "figure4", fast, 1.0, 0.4, 0.6);
    draw_5();
    printf("\nFigure 6, spin 20 rad/s\n");
    draw_heights("low_spin", "Figure 6: height of the axis at 20 rad/s", "figure6", slow, 2.0, 0.8, 1.3);
    draw_7();
    print_kept();
    return 0;
}
