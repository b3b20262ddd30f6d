// What a fit has found, in words, JSON and pictures. See fit.h.

#include "fit.h"

#include "describe.h"
#include "json.h"
#include "laboratory.h"
#include "motion.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *end_words(ph_fit_end end)
{
    return end == PH_FIT_CONVERGED    ? "converged"
           : end == PH_FIT_ITERATIONS ? "not converged: the iterations are used up"
           : end == PH_FIT_STOPPED    ? "stopped"
                                      : "stuck: no step makes the residuals smaller";
}

// ---- Warnings -------------------------------------------------------------------------------------------------------

static void warn(const fitting *f, const ph_fit *fit)
{
    if (f->ignored.count > 0) {
        fprintf(stderr, "polhode: columns that the model does not know are left out:");
        for (int k = 0; k < f->ignored.count && k < 12; k++) fprintf(stderr, " %s", f->ignored.texts[k]);
        fprintf(stderr, "%s\n", f->ignored.count > 12 ? " ..." : "");
    }
    if (!fit->exact)
        fprintf(stderr, "polhode: derivatives are differences of whole runs (%s)%s\n", fit->why,
                f->options->differences
                    ? ""
                    : "; through impacts of bodies with joints the derivative of the discrete motion "
                      "of moreau is not that of the motion");
    if (fit->growth > 1e6)
        fprintf(
            stderr,
            "polhode: the derivatives grow %.1e-fold over the data: the motion is chaotic, and data of a shorter time "
            "(--until) say more\n",
            fit->growth);
    for (int k = 0; k < fit->unknowns; k++)
        if (fit->idle[k]) fprintf(stderr, "polhode: nothing that was measured depends on '%s'\n", f->names[k]);
}

// ---- For people -----------------------------------------------------------------------------------------------------

static void print_estimates(const fitting *f, const ph_fit *fit)
{
    int width = 9;
    for (int k = 0; k < fit->unknowns; k++) width = (int)fmax(width, (double)strlen(f->names[k]));
    printf("  %-*s  %18s  %14s\n", width, "", "estimate", "standard error");
    for (int k = 0; k < fit->unknowns; k++) {
        printf("  %-*s  %18.10g  ", width, f->names[k], fit->values[k]);
        if (isinf(fit->errors[k]))
            printf("%14s", "not determined");
        else
            printf("%14.3g", fit->errors[k]);
        printf("%s\n", fit->at_bound[k] ? "  at its bound" : "");
    }
}

static void print_combination(const fitting *f, const ph_fit_direction *d, int count)
{
    bool used[512] = {0};
    for (int shown = 0; shown < 5; shown++) {
        int best = -1;
        for (int k = 0; k < count; k++)
            if (!used[k] && (best < 0 || fabs(d->direction[k]) > fabs(d->direction[best]))) best = k;
        if (best < 0 || fabs(d->direction[best]) < 0.1) break;
        used[best] = true;
        printf("%s %+.2f %s", shown ? "," : "", d->direction[best], f->names[best]);
    }
    printf("\n");
}

static void print_directions(const fitting *f, const ph_fit *fit)
{
    printf("\nsingular values of the derivatives by the scaled unknowns:\n ");
    for (int k = 0; k < fit->unknowns; k++)
        printf(" %.2g%s", fit->directions[k].singular_value,
               fit->directions[k].determined    ? ""
               : fit->directions[k].of_the_step ? "(h)"
                                                : "(-)");
    printf("\n");
    if (fit->determined == fit->unknowns) {
        printf("the data determine all %d unknowns\n", fit->unknowns);
        return;
    }
    printf("the data determine %d of %d combinations of the unknowns. Not determined, and left as they were:\n",
           fit->determined, fit->unknowns);
    for (int k = 0; k < fit->unknowns; k++) {
        const ph_fit_direction *d = &fit->directions[k];
        if (d->determined) continue;
        printf("  %8.1e%s ", d->singular_value, d->of_the_step ? " (falls with the step)" : "");
        print_combination(f, d, fit->unknowns);
    }
}

static void print_bodies(const fitting *f, const ph_fit *fit)
{
    ph_model *model = NULL;
    const char *names[512];
    for (int k = 0; k < fit->unknowns; k++) names[k] = f->names[k];
    if (ph_model_at(f->model, fit->unknowns, names, fit->values, &model, NULL) != PH_OK) return;
    bool any = false;
    for (int b = 0; b < ph_model_bodies(model); b++) {
        const ph_body_info now = ph_model_body(model, b);
        char prefix[DATA_NAME];
        bool fitted = false;
        snprintf(prefix, sizeof prefix, "%.100s.log_cholesky.", now.name);
        for (int k = 0; k < fit->unknowns; k++) fitted = fitted || strncmp(f->names[k], prefix, strlen(prefix)) == 0;
        if (!fitted) continue;
        if (!any) printf("\nbodies: mass; centre of mass; inertia xx yy zz xy xz yz\n");
        any = true;
        printf("  %s: %.6g; %.5g %.5g %.5g; %.5g %.5g %.5g %.3g %.3g %.3g\n", now.name, now.mass, now.com.x, now.com.y,
               now.com.z, now.inertia.m[0][0], now.inertia.m[1][1], now.inertia.m[2][2], now.inertia.m[0][1],
               now.inertia.m[0][2], now.inertia.m[1][2]);
    }
    ph_model_destroy(model);
}

void fit_print(const fitting *f, const ph_fit *fit)
{
    const colours c = colours_of(stdout);
    warn(f, fit);
    printf("%s%s%s: %s after %d iterations, %.3g s\n", c.bold, model_title(f->model, f->path), c.off,
           end_words(fit->end), fit->iterations, f->seconds);
    print_estimates(f, fit);
    printf("\nresiduals: %lld, deviation %.4g%s; half the sum of squares %.6g, at the start %.6g", fit->residuals,
           fit->sigma, f->runs[0].sigmas ? " of what was given" : "", fit->cost, fit->first_cost);
    if (fit->gaps > 0) printf("; %lld gaps", fit->gaps);
    if (fit->outliers > 0) printf("; %lld outliers", fit->outliers);
    printf("\n");
    if (fabs(fit->correlation_largest) > 0.99)
        printf("'%s' and '%s' are hard to tell apart: correlation %.4f\n", f->names[fit->correlated[0]],
               f->names[fit->correlated[1]], fit->correlation_largest);
    print_directions(f, fit);
    print_bodies(f, fit);
}

// ---- For programs ---------------------------------------------------------------------------------------------------

static void json_directions(json *j, const fitting *f, const ph_fit *fit)
{
    json_array(j, "directions");
    for (int k = 0; k < fit->unknowns; k++) {
        const ph_fit_direction *d = &fit->directions[k];
        json_object(j, NULL);
        json_number(j, "singular_value", d->singular_value);
        json_number(j, "half_step", d->half_step);
        json_bool(j, "determined", d->determined);
        json_bool(j, "of_the_step", d->of_the_step);
        json_object(j, "direction");
        for (int i = 0; i < fit->unknowns; i++)
            if (fabs(d->direction[i]) > 1e-3) json_number(j, f->names[i], d->direction[i]);
        json_end_object(j);
        json_end_object(j);
    }
    json_end_array(j);
}

void fit_print_json(const fitting *f, const ph_fit *fit, const text_list *written)
{
    json j = {.file = stdout};
    warn(f, fit);
    json_object(&j, NULL);
    json_string(&j, "model", model_title(f->model, f->path));
    json_string(&j, "end", end_words(fit->end));
    json_bool(&j, "converged", fit->end == PH_FIT_CONVERGED);
    json_object(&j, "estimates");
    for (int k = 0; k < fit->unknowns; k++) {
        json_object(&j, f->names[k]);
        json_number(&j, "value", fit->values[k]);
        json_number(&j, "standard_error", fit->errors[k]);
        json_bool(&j, "determined", isfinite(fit->errors[k]));
        json_bool(&j, "at_bound", fit->at_bound[k]);
        json_end_object(&j);
    }
    json_end_object(&j);
    json_integer(&j, "determined", fit->determined);
    json_directions(&j, f, fit);
    json_integer(&j, "residuals", fit->residuals);
    json_integer(&j, "gaps", fit->gaps);
    json_integer(&j, "outliers", fit->outliers);
    json_number(&j, "deviation", fit->sigma);
    json_number(&j, "cost", fit->cost);
    json_number(&j, "first_cost", fit->first_cost);
    json_integer(&j, "iterations", fit->iterations);
    json_integer(&j, "evaluations", fit->evaluations);
    json_number(&j, "seconds", f->seconds);
    json_string(&j, "method", fit->exact ? "exact" : "differences");
    json_number(&j, "growth", fit->growth);
    json_written(&j, f->options->out, written);
    json_close(&j);
}

// ---- Files ----------------------------------------------------------------------------------------------------------

// One panel for each quantity of a run: what was measured, over what the fitted model does.
static ph_plot *draw(const fitting *f, const ph_fit *fit, int run)
{
    enum { PANELS = 12 };
    const ph_fit_data *d = &f->runs[run];
    size_t first = 0;
    for (int k = 0; k < run; k++) first += (size_t)f->runs[k].rows * (size_t)f->runs[k].columns;
    ph_plot *plot = ph_plot_create("Data over simulation");
    double *y = malloc((size_t)d->rows * sizeof *y);
    for (int q = 0; plot && y && q < d->columns && q < PANELS; q++) {
        ph_axes_def axes = ph_default_axes();
        axes.x.label = "time (s)";
        axes.y.label = d->names[q];
        const int panel = ph_plot_add_axes(plot, &axes);
        ph_series_def series = ph_default_series();
        series.x = d->times, series.y = y, series.count = d->rows;
        for (int i = 0; i < d->rows; i++) y[i] = d->values[i * d->columns + q];
        series.label = "measured";
        series.line = PH_LINE_NONE, series.marker = PH_MARKER_CIRCLE;
        ph_plot_add_series(plot, panel, &series);
        for (int i = 0; i < d->rows; i++) y[i] = fit->simulated[first + (size_t)i * (size_t)d->columns + (size_t)q];
        series.label = "fitted";
        series.line = PH_LINE_SOLID, series.marker = PH_MARKER_NONE;
        ph_plot_add_series(plot, panel, &series);
    }
    free(y);
    return plot;
}

static void add_row(char **at, const char *end, const char *name, double value, double error)
{
    const size_t room = (size_t)(end - *at);
    const int length = isinf(error) ? snprintf(*at, room, "<tr><td>%s<td>%.10g<td>not determined\n", name, value)
                                    : snprintf(*at, room, "<tr><td>%s<td>%.10g<td>%.3g\n", name, value, error);
    if (length > 0 && (size_t)length < room) *at += length;
}

// Estimates and figures in one file.
static bool write_page(const fitting *f, const ph_fit *fit, ph_plot *plot, text_list *written)
{
    size_t length = 0;
    const char *svg = plot ? ph_plot_text(plot, &length) : "";
    const size_t room = length + 4096 + (size_t)fit->unknowns * 256;
    char *text = malloc(room), *at = text;
    if (!text || !svg) return free(text), false;
    const char *end = text + room;
    at += snprintf(
        at, room,
        "<!doctype html><meta charset=utf-8><title>Fit</title><style>body{font:15px sans-serif;margin:2em auto;"
        "max-width:60em}td{padding:2px 1em}svg{max-width:100%%;height:auto}</style><h1>Fit of %.200s</h1><p>%s "
        "after %d iterations; %lld residuals, deviation %.4g; %d of %d combinations determined."
        "<p><a href=page.html>The fitted motion in 3-D</a><table><tr><th>unknown<th>estimate<th>standard error\n",
        model_title(f->model, f->path), end_words(fit->end), fit->iterations, fit->residuals, fit->sigma,
        fit->determined, fit->unknowns);
    for (int k = 0; k < fit->unknowns; k++) add_row(&at, end, f->names[k], fit->values[k], fit->errors[k]);
    const char *drawing = strstr(svg, "<svg");
    snprintf(at, (size_t)(end - at), "</table>\n%s", drawing ? drawing : "");
    const bool good = write_text_file(f->options->out, "fit.html", text, written);
    free(text);
    return good;
}

static bool write_model(const fitting *f, const ph_fit *fit, ph_model **model, text_list *written)
{
    char path[4096];
    const char *names[512];
    ph_spec *spec = NULL;
    ph_error error = {0};
    ph_problems *problems = ph_problems_create();
    for (int k = 0; k < fit->unknowns; k++) names[k] = f->names[k];
    snprintf(path, sizeof path, "%s/fitted.yaml", f->options->out);
    ph_status status = ph_spec_at(f->model, fit->unknowns, names, fit->values, problems, &spec, &error);
    if (status == PH_OK) status = ph_spec_write_file(spec, path, &error);
    if (status == PH_OK) status = ph_model_at(f->model, fit->unknowns, names, fit->values, model, &error);
    if (status != PH_OK) print_error("%s", error.text);
    if (status == PH_OK) written->texts[written->count++] = "fitted.yaml";
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return status == PH_OK;
}

bool fit_write(const fitting *f, const ph_fit *fit, text_list *written)
{
    static char names[FIT_RUNS][32];
    ph_model *model = NULL;
    bool good = write_model(f, fit, &model, written);
    for (int run = 0; run < f->def.run_count && good; run++) {
        ph_plot *plot = draw(f, fit, run);
        if (run == 0) good = write_page(f, fit, plot, written);
        snprintf(names[run], sizeof names[run], run ? "fit-%d.svg" : "fit.svg", run + 1);
        good = write_plot(plot, f->options->out, names[run], written) && good;
    }
    if (good && f->runs[0].input_count == 0) {
        const double h = f->def.step > 0.0 ? f->def.step : f->runs[0].times[f->runs[0].rows - 1] / 1000.0;
        const long long steps = (long long)ceil(f->runs[0].times[f->runs[0].rows - 1] / h - 1e-9);
        good = write_motion(model, f->options->scheme, h, steps, NULL, f->options->out, written);
    }
    ph_model_destroy(model);
    return good;
}
