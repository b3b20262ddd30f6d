// Figures of the laboratory. Every trial keeps its colour through all figures of a comparison.

#include "base/memory.h"
#include "math/vec3.h"
#include "polhode/lab.h"

#include <math.h>
#include <stdio.h>

// ---- Parts ----------------------------------------------------------------------------------------------------------

typedef struct figure { // being built; what fails once is not asked again
    ph_plot *plot;
    arena *memory;
    bool failed;
} figure;

static figure figure_open(const char *title)
{
    figure f = {ph_plot_create(title), arena_create(NULL), false};
    f.failed = !f.plot || !f.memory;
    return f;
}

static ph_plot *figure_close(figure *f)
{
    arena_destroy(f->memory);
    if (!f->failed) return f->plot;
    ph_plot_destroy(f->plot);
    return NULL;
}

static int add_axes(figure *f, const ph_axes_def *def)
{
    const int axes = f->failed ? -1 : ph_plot_add_axes(f->plot, def);
    f->failed = f->failed || axes < 0;
    return axes;
}

static int add_series(figure *f, int axes, const ph_series_def *def)
{
    const int series = f->failed ? -1 : ph_plot_add_series(f->plot, axes, def);
    f->failed = f->failed || series < 0;
    return series;
}

// Room for `count` numbers that live as long as the figure is being built.
static double *numbers(figure *f, int count)
{
    double *array = f->failed ? NULL : arena_alloc_array(f->memory, (size_t)count, sizeof *array);
    f->failed = f->failed || !array;
    return array;
}

// ---- Histories ------------------------------------------------------------------------------------------------------

typedef enum channel {
    ENERGY, // largest values ...
    LINEAR,
    ANGULAR,
    ORTHOGONALITY,
    POSITION_VIOLATION,
    VELOCITY_VIOLATION,
    PENETRATION,
    CONTACT_RESIDUAL, // ... up to here
    X,
    Y,
    Z,
    DISTANCE, // from the reference
} channel;

static double value(const ph_comparison *c, const ph_history *h, channel of, int i)
{
    const ph_history *r = &c->reference_history;
    switch (of) {
    case ENERGY:
        return fmax(-h->energy_low[i], h->energy_high[i]);
    case LINEAR:
        return h->linear_max[i];
    case ANGULAR:
        return h->angular_max[i];
    case ORTHOGONALITY:
        return h->orthogonality_max[i];
    case POSITION_VIOLATION:
        return h->position_violation_max[i];
    case VELOCITY_VIOLATION:
        return h->velocity_violation_max[i];
    case PENETRATION:
        return h->penetration_max[i];
    case CONTACT_RESIDUAL:
        return h->contact_residual_max[i];
    case X:
        return h->position[i].x;
    case Y:
        return h->position[i].y;
    case Z:
        return h->position[i].z;
    case DISTANCE:
        return i < r->count ? ph_norm(ph_sub(h->position[i], r->position[i])) : (double)NAN;
    }
    return (double)NAN;
}

static ph_axes_def time_axes(const char *label, ph_axis_scale scale, double height, bool share_x)
{
    ph_axes_def def = ph_default_axes();
    def.x.label = "time (s)";
    def.y.label = label;
    def.y.scale = scale;
    def.height = height;
    def.share_x = share_x;
    return def;
}

// Largest values are joined to those of longer spans: more of them than the eye can tell apart are a grey noise.
enum { SPANS = 500 };

static void add_history(figure *f, int axes, const ph_comparison *c, const ph_history *h, channel of,
                        ph_series_def *def)
{
    const int stride = of <= CONTACT_RESIDUAL ? 1 + h->count / SPANS : 1;
    double *x = numbers(f, h->count), *y = numbers(f, h->count);
    int count = 0;
    for (int i = 0; x && y && i < h->count; i++) {
        const bool opens = i == 0 || (i - 1) % stride == 0; // the start stands for itself
        count += opens;
        x[count - 1] = h->time[i];
        y[count - 1] = opens ? value(c, h, of, i) : fmax(y[count - 1], value(c, h, of, i));
    }
    def->x = x;
    def->y = y;
    def->count = count;
    add_series(f, axes, def);
}

static ph_series_def trial_series(const ph_comparison *c, int trial)
{
    ph_series_def def = ph_default_series();
    def.label = c->trials[trial].name;
    def.palette = trial;
    def.width = 1.2;
    return def;
}

static void add_panel(figure *f, const ph_comparison *c, ph_axes_def def, channel of)
{
    const int axes = add_axes(f, &def);
    if (def.y.scale == PH_LINEAR && c->reference_history.count) { // a broad line behind all others
        ph_series_def reference = ph_default_series();
        reference.label = "reference";
        reference.color = "#bbbbbb";
        reference.width = 4.0;
        add_history(f, axes, c, &c->reference_history, of, &reference);
    }
    for (int i = 0; i < c->trial_count; i++) {
        ph_series_def series = trial_series(c, i);
        add_history(f, axes, c, &c->trials[i].history, of, &series);
    }
}

// ---- Comparisons ----------------------------------------------------------------------------------------------------

// The band between smallest and largest error, drawn as a line that goes down and up at every sample.
static void add_band(figure *f, int axes, const ph_comparison *c, int trial)
{
    const ph_history *h = &c->trials[trial].history;
    ph_series_def def = trial_series(c, trial);
    double *x = numbers(f, 2 * h->count), *y = numbers(f, 2 * h->count);
    for (int i = 0; x && y && i < 2 * h->count; i++) {
        x[i] = h->time[i / 2];
        y[i] = i % 2 ? h->energy_high[i / 2] : h->energy_low[i / 2];
    }
    def.x = x;
    def.y = y;
    def.count = 2 * h->count;
    def.width = 0.8;
    add_series(f, axes, &def);
}

// Broad bands first, so that narrow ones stay in sight.
static void add_bands(figure *f, int axes, const ph_comparison *c)
{
    double above = (double)INFINITY;
    int last = -1;
    for (int n = 0; n < c->trial_count; n++) {
        int next = -1;
        for (int i = 0; i < c->trial_count; i++) {
            const double size = c->trials[i].summary.energy_max_abs_error;
            if (!(size < above || (size == above && i > last))) continue;
            if (next < 0 || size > c->trials[next].summary.energy_max_abs_error) next = i;
        }
        if (next < 0) return;
        add_band(f, axes, c, next);
        above = c->trials[next].summary.energy_max_abs_error;
        last = next;
    }
}

static void draw_energy(figure *f, const ph_comparison *c)
{
    add_panel(f, c, time_axes("largest |ΔE| (J)", PH_LOG, 220.0, false), ENERGY);
    const ph_axes_def def = time_axes("ΔE (J)", PH_LINEAR, 220.0, true);
    add_bands(f, add_axes(f, &def), c);
}

static void draw_momentum(figure *f, const ph_comparison *c)
{
    bool has_linear = false, has_angular = false;
    for (int i = 0; i < c->trial_count; i++) {
        has_linear = has_linear || c->trials[i].summary.has_linear;
        has_angular = has_angular || c->trials[i].summary.has_angular;
    }
    const double height = has_linear && has_angular ? 220.0 : 320.0;
    if (has_linear) add_panel(f, c, time_axes("linear, largest |ΔP| (kg m/s)", PH_LOG, height, false), LINEAR);
    if (has_angular)
        add_panel(f, c, time_axes("angular, largest |ΔL| (kg m^{2}/s)", PH_LOG, height, has_linear), ANGULAR);
    f->failed = f->failed || (!has_linear && !has_angular);
}

static void draw_violation(figure *f, const ph_comparison *c)
{
    bool any = false; // joints are never closed to the last bit
    for (int i = 0; i < c->trial_count; i++) any = any || c->trials[i].summary.velocity_violation_max > 0.0;
    f->failed = f->failed || !any;
    add_panel(f, c, time_axes("positions, largest |Φ| (m)", PH_LOG, 220.0, false), POSITION_VIOLATION);
    add_panel(f, c, time_axes("velocities, largest |dΦ/dt| (m/s)", PH_LOG, 220.0, true), VELOCITY_VIOLATION);
}

static void draw_orthogonality(figure *f, const ph_comparison *c)
{
    add_panel(f, c, time_axes("largest ‖R^{T}R − I‖", PH_LOG, 320.0, false), ORTHOGONALITY);
}

static void draw_trajectories(figure *f, const ph_comparison *c)
{
    add_panel(f, c, time_axes("x (m)", PH_LINEAR, 130.0, false), X);
    add_panel(f, c, time_axes("y (m)", PH_LINEAR, 130.0, true), Y);
    add_panel(f, c, time_axes("z (m)", PH_LINEAR, 130.0, true), Z);
    if (c->reference_history.count) add_panel(f, c, time_axes("|x − x_{ref}| (m)", PH_LOG, 160.0, true), DISTANCE);
}

static void draw_contact(figure *f, const ph_comparison *c)
{
    bool any = false;
    for (int i = 0; i < c->trial_count; i++) any = any || c->trials[i].summary.contacts_max > 0;
    f->failed = f->failed || !any;
    add_panel(f, c, time_axes("deepest overlap (m)", PH_LOG, 220.0, false), PENETRATION);
    add_panel(f, c, time_axes("residual of the contacts (m/s)", PH_LOG, 220.0, true), CONTACT_RESIDUAL);
}

ph_plot *ph_comparison_plot(const ph_comparison *c, ph_comparison_figure which)
{
    static const struct {
        const char *title;
        void (*draw)(figure *f, const ph_comparison *c);
    } figures[PH_COMPARISON_FIGURES] = {
        [PH_FIGURE_ENERGY] = {"Energy error", draw_energy},
        [PH_FIGURE_MOMENTUM] = {"Error of the conserved momentum", draw_momentum},
        [PH_FIGURE_VIOLATION] = {"Violation of the constraints", draw_violation},
        [PH_FIGURE_ORTHOGONALITY] = {"Orthogonality of the rotations", draw_orthogonality},
        [PH_FIGURE_TRAJECTORIES] = {"Centre of mass", draw_trajectories},
        [PH_FIGURE_CONTACT] = {"Contacts", draw_contact},
    };
    if (!c || (unsigned)which >= PH_COMPARISON_FIGURES) return NULL;
    const char *what = which == PH_FIGURE_TRAJECTORIES ? c->body : c->model;
    char title[256];
    snprintf(title, sizeof title, "%s%s%s, h = %.6g s", figures[which].title, *what ? ", " : "", what, c->step);
    figure f = figure_open(title);
    figures[which].draw(&f, c);
    return figure_close(&f);
}

// ---- Orders ---------------------------------------------------------------------------------------------------------

static bool has_errors(const ph_order_study *s, int quantity)
{
    for (int i = 0; i < s->row_count; i++)
        for (int k = 0; k < s->step_count; k++)
            if (s->rows[i].points[k].error.of[quantity] >= s->floor[quantity]) return true;
    return false;
}

static int add_row(figure *f, int axes, const ph_order_study *s, int index, int quantity, ph_order_figure which)
{
    const ph_order_row *row = &s->rows[index];
    double *x = numbers(f, s->step_count), *y = numbers(f, s->step_count);
    for (int k = 0; x && y && k < s->step_count; k++) {
        x[k] = which == PH_FIGURE_WORK ? row->points[k].cpu_s : row->points[k].step;
        y[k] = row->points[k].error.of[quantity];
    }
    ph_series_def def = ph_default_series();
    def.label = row->name;
    def.palette = index;
    def.marker = (ph_marker)(PH_MARKER_CIRCLE + index % (PH_MARKER_COUNT - 1));
    def.x = x;
    def.y = y;
    def.count = s->step_count;
    return add_series(f, axes, &def);
}

// Where rounding begins: a dotted line, when there are errors below it.
static void add_floor(figure *f, int axes, const ph_order_study *s, int quantity)
{
    double x[2] = {(double)INFINITY, 0.0};
    const double y[2] = {s->floor[quantity], s->floor[quantity]};
    bool needed = false;
    for (int i = 0; i < s->row_count; i++)
        for (int k = 0; k < s->step_count; k++) {
            const ph_order_point *point = &s->rows[i].points[k];
            if (point->status != PH_OK) continue;
            x[0] = fmin(x[0], point->step);
            x[1] = fmax(x[1], point->step);
            needed = needed || point->error.of[quantity] < s->floor[quantity];
        }
    ph_series_def def = ph_default_series();
    def.label = "not used below";
    def.color = "#999999";
    def.line = PH_LINE_DOTTED;
    def.x = x;
    def.y = y;
    def.count = 2;
    if (needed) add_series(f, axes, &def);
}

// Of the rows of one order, the most accurate has the triangle.
static bool is_best_of_order(const ph_order_study *s, int index, int quantity)
{
    const ph_order_row *row = &s->rows[index];
    for (int i = 0; i < s->row_count; i++) {
        const ph_order_row *other = &s->rows[i];
        if (other->order != row->order || !other->fits[quantity].used || i == index) continue;
        const double mine = row->points[0].error.of[quantity], theirs = other->points[0].error.of[quantity];
        if (theirs < mine || (theirs == mine && i < index)) return false;
    }
    return row->order > 0 && row->fits[quantity].used > 0;
}

ph_plot *ph_order_study_plot(const ph_order_study *s, ph_order_figure which)
{
    static const char *const labels[] = {"error of positions (m)", "error of orientations (rad)"};
    if (!s || (unsigned)which >= PH_ORDER_FIGURES) return NULL;
    char title[256];
    snprintf(title, sizeof title, "%s%s%s", which == PH_FIGURE_WORK ? "Work and precision" : "Order of convergence",
             *s->model ? ", " : "", s->model);
    figure f = figure_open(title);
    bool any = false;
    for (int q = PH_POSITION; q <= PH_ORIENTATION; q++) {
        if (!has_errors(s, q)) continue;
        ph_axes_def def = ph_default_axes();
        def.x.label = which == PH_FIGURE_WORK ? "CPU time (s)" : "step h (s)";
        def.y.label = labels[q];
        def.x.scale = def.y.scale = PH_LOG;
        def.share_x = any;
        any = true;
        const int axes = add_axes(&f, &def);
        for (int i = 0; i < s->row_count; i++) {
            const int series = add_row(&f, axes, s, i, q, which);
            if (which == PH_FIGURE_ORDER && !f.failed && is_best_of_order(s, i, q))
                f.failed = ph_plot_add_slope(f.plot, axes, series, s->rows[i].order) != PH_OK;
        }
        if (which == PH_FIGURE_ORDER) add_floor(&f, axes, s, q);
    }
    f.failed = f.failed || !any;
    return figure_close(&f);
}
