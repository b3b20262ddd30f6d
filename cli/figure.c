// From results and names of quantities to a figure: one panel for each unit, one curve for each quantity and result.

#include "figure.h"

#include "base/path.h"
#include "load.h"
#include "terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Results --------------------------------------------------------------------------------------------------------

static bool open_source(source *s, const char *path, const char *folder)
{
    ph_error error;
    s->result = load_result(path);
    if (!s->result) return false;
    if (ph_result_rows(s->result) == 0) {
        print_error("'%s' holds no moment of the motion: the run that writes it has just begun, or was stopped at once",
                    path);
        return false;
    }
    const bool allowed = ph_result_allow_folder(s->result, folder, &error) == PH_OK;
    s->curves = allowed ? ph_curves_create(s->result) : NULL;
    if (!s->curves) print_error("%s", ph_status_text(PH_OUT_OF_MEMORY));
    return s->curves;
}

static const char *base_name(const char *path)
{
    const char *slash = path_last_slash(path);
    return slash ? slash + 1 : path;
}

// By their schemes where these tell them apart, else by their files.
static void label_sources(source_list *sources)
{
    bool apart = true;
    for (int i = 0; i < sources->count; i++) {
        const char *scheme = ph_result_scheme(sources->list[i].result);
        apart = apart && *scheme;
        for (int k = 0; k < i; k++) apart = apart && strcmp(scheme, ph_result_scheme(sources->list[k].result)) != 0;
    }
    for (int i = 0; i < sources->count; i++) {
        source *s = &sources->list[i];
        s->label = apart ? ph_result_scheme(s->result) : base_name(ph_result_path(s->result));
    }
}

bool sources_open(source_list *sources, const char *const *paths, int count, const char *folder)
{
    *sources = (source_list){0};
    if (count > SOURCES_MAX) {
        print_error("more than %d results are given", SOURCES_MAX);
        return false;
    }
    for (int i = 0; i < count; i++) {
        sources->count++;
        if (!open_source(&sources->list[i], paths[i], folder)) return false;
    }
    label_sources(sources);
    return true;
}

void sources_close(source_list *sources)
{
    for (int i = 0; i < sources->count; i++) {
        ph_curves_destroy(sources->list[i].curves);
        ph_result_destroy(sources->list[i].result);
    }
}

// ---- Names ----------------------------------------------------------------------------------------------------------

enum { ITEMS_MAX = 256, NAME_ROOM = 600 };

// One quantity against another, by their full names.
typedef struct item {
    char x[NAME_ROOM], y[NAME_ROOM];
    int operand; // which of the given names it comes from
} item;

typedef struct item_list {
    int count;
    item list[ITEMS_MAX];
} item_list;

static bool report_unknown(const source *s, const char *name)
{
    const char *near = ph_curves_suggest(s->curves, name);
    if (near)
        print_error("'%s' has no quantity '%s'; did you mean '%s'?", ph_result_path(s->result), name, near);
    else
        print_error("'%s' has no quantity '%s'; --list shows what it has", ph_result_path(s->result), name);
    return false;
}

static bool has_item(const item_list *items, const char *x, const char *y)
{
    for (int i = 0; i < items->count; i++)
        if (strcmp(items->list[i].x, x) == 0 && strcmp(items->list[i].y, y) == 0) return true;
    return false;
}

static bool add_item(item_list *items, const source *s, const char *x, const char *y, int operand)
{
    int found[16];
    const int count = ph_curves_match(s->curves, y, found, 16), of_x = ph_curves_find(s->curves, x);
    if (count == 0 || of_x == PH_NONE) return report_unknown(s, count == 0 ? y : x);
    for (int i = 0; i < count && i < 16; i++) {
        if (has_item(items, ph_curves_get(s->curves, of_x).name, ph_curves_get(s->curves, found[i]).name)) continue;
        if (items->count == ITEMS_MAX) {
            print_error("more than %d curves are asked for", ITEMS_MAX);
            return false;
        }
        item *new = &items->list[items->count++];
        snprintf(new->x, sizeof new->x, "%s", ph_curves_get(s->curves, of_x).name);
        snprintf(new->y, sizeof new->y, "%s", ph_curves_get(s->curves, found[i]).name);
        new->operand = operand;
    }
    return true;
}

// "x:y", unless a quantity has this very name: then it is that.
static bool add_operand(item_list *items, const source *s, const char *text, const char *against, int operand)
{
    char x[NAME_ROOM];
    const char *colon = strchr(text, ':');
    if (!colon || ph_curves_match(s->curves, text, NULL, 0) > 0) return add_item(items, s, against, text, operand);
    snprintf(x, sizeof x, "%.*s", (int)(colon - text), text);
    return add_item(items, s, x, colon + 1, operand);
}

// ---- Panels ---------------------------------------------------------------------------------------------------------

typedef struct panel {
    char x[NAME_ROOM];
    const char *unit;
    int first, operand; // its first item
    int index;          // in the plot
} panel;

typedef struct panel_list {
    int count;
    panel list[ITEMS_MAX];
    int of_item[ITEMS_MAX];
} panel_list;

static ph_curve curve_of(const source *s, const char *name)
{
    return ph_curves_get(s->curves, ph_curves_find(s->curves, name));
}

static void set_panels(panel_list *panels, const item_list *items, const source *s, bool apart)
{
    panels->count = 0;
    for (int i = 0; i < items->count; i++) {
        const item *it = &items->list[i];
        const char *unit = curve_of(s, it->y).unit;
        int k = 0;
        while (k < panels->count &&
               (strcmp(panels->list[k].x, it->x) != 0 ||
                (apart ? panels->list[k].operand != it->operand : strcmp(panels->list[k].unit, unit) != 0)))
            k++;
        if (k == panels->count) {
            panel *p = &panels->list[panels->count++];
            *p = (panel){.unit = unit, .first = i, .operand = it->operand};
            memcpy(p->x, it->x, sizeof p->x);
        }
        panels->of_item[i] = k;
    }
}

// ---- Texts ----------------------------------------------------------------------------------------------------------

// "rod2 position x"
static void put_title(const ph_curve *c, char *text, size_t size)
{
    const char *joint = *c->subject && c->name && strncmp(c->name, "joints.", 7) == 0 ? "joint " : "";
    snprintf(text, size, "%s%s%s%s%s%s", joint, c->subject, *c->subject ? " " : "", c->what, *c->part ? " " : "",
             c->part);
}

static void put_unit(const char *unit, char *text, size_t size)
{
    if (*unit) {
        const size_t length = strlen(text);
        snprintf(text + length, size - length, length ? " (%s)" : "%s", unit);
    }
}

// What all curves of a panel have in common: subject, what and part, each when it is the same.
static ph_curve common_curve(const panel_list *panels, int index, const item_list *items, const source *s)
{
    ph_curve all = curve_of(s, items->list[panels->list[index].first].y);
    for (int i = 0; i < items->count; i++) {
        const ph_curve c = curve_of(s, items->list[i].y);
        if (panels->of_item[i] == index) {
            all.subject = strcmp(all.subject, c.subject) == 0 ? all.subject : "";
            all.part = strcmp(all.part, c.part) == 0 ? all.part : "";
            all.what = strcmp(all.what, c.what) == 0 ? all.what : "";
        }
    }
    return all;
}

// Quantities of one unit that are called differently: "energy error, kinetic energy", or nothing when they are many: the
// legend tells.
static void put_whats(const panel_list *panels, int index, const item_list *items, const source *s, char *text,
                      size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < items->count; i++) {
        const char *what = curve_of(s, items->list[i].y).what;
        const size_t length = strlen(text);
        if (panels->of_item[i] == index && !strstr(text, what))
            snprintf(text + length, size - length, "%s%s", length ? ", " : "", what);
    }
    if (strlen(text) > 40) text[0] = '\0';
}

// What tells a curve from the others of its panel, and its result from the others.
static void put_label(const source_list *sources, const source *s, const ph_curve *c, const ph_curve *all, char *text,
                      size_t size)
{
    const bool same = strcmp(c->subject, all->subject) == 0 && strcmp(c->what, all->what) == 0;
    const ph_curve other = {.subject = strcmp(c->subject, all->subject) == 0 ? "" : c->subject,
                            .what = strcmp(c->what, all->what) == 0 ? "" : c->what,
                            .part = strcmp(c->part, all->part) == 0 ? "" : c->part,
                            .name = c->name};
    put_title(&other, text, size);
    if (same && !*other.part) text[0] = '\0';
    char *end = text + strlen(text);
    while (end > text && end[-1] == ' ') *--end = '\0';
    if (sources->count > 1) snprintf(end, size - (size_t)(end - text), "%s%s", *text ? ", " : "", s->label);
}

static void put_default_title(const source_list *sources, char *text, size_t size)
{
    const ph_result *r = sources->list[0].result;
    const char *name = ph_result_name(r);
    if (sources->count == 1 && *ph_result_scheme(r))
        snprintf(text, size, "%s%s%s, h = %.6g s", name, *name ? ": " : "", ph_result_scheme(r), ph_result_step(r));
    else
        snprintf(text, size, "%s", name);
}

// ---- Numbers --------------------------------------------------------------------------------------------------------

typedef struct numbers {
    double *x, *y;
    int count;
    bool negative; // some y is
} numbers;

static double *read_curve(const source *s, const char *name)
{
    ph_error error = {.text = ""};
    const int index = ph_curves_find(s->curves, name);
    double *values = malloc(((size_t)ph_result_rows(s->result) + 1) * sizeof *values);
    if (index == PH_NONE)
        report_unknown(s, name);
    else if (!values)
        print_error("%s", ph_status_text(PH_OUT_OF_MEMORY));
    else if (ph_curves_read(s->curves, index, values, &error) != PH_OK)
        print_error("%s", error.text);
    else
        return values;
    free(values);
    return NULL;
}

// The rows between two times.
static bool read_numbers(const source *s, const item *it, const figure_options *options, numbers *n)
{
    *n = (numbers){.x = read_curve(s, it->x)};
    n->y = n->x ? read_curve(s, it->y) : NULL;
    double *time = n->y ? read_curve(s, "time") : NULL;
    if (!time) {
        free(n->x);
        free(n->y);
        return false;
    }
    for (long long i = 0; i < ph_result_rows(s->result); i++) {
        if (!(time[i] < options->from) && !(time[i] > options->to)) {
            n->x[n->count] = n->x[i];
            n->y[n->count] = n->y[i];
            n->negative = n->negative || n->y[i] < 0.0;
            n->count++;
        }
    }
    free(time);
    return true;
}

// ---- The figure -----------------------------------------------------------------------------------------------------

typedef struct maker {
    const source_list *sources;
    const figure_options *options;
    item_list items;
    panel_list panels;
    ph_plot *plot;
} maker;

static bool log_of(const maker *m, char axis)
{
    return m->options->log && strchr(m->options->log, axis);
}

static bool any_negative(const maker *m, int index)
{
    bool negative = false;
    for (int i = 0; i < m->items.count && !negative; i++) {
        for (int k = 0; m->panels.of_item[i] == index && k < m->sources->count && !negative; k++) {
            numbers n;
            if (read_numbers(&m->sources->list[k], &m->items.list[i], m->options, &n)) {
                negative = n.negative;
                free(n.x);
                free(n.y);
            }
        }
    }
    return negative;
}

static bool add_panel(maker *m, int index)
{
    panel *p = &m->panels.list[index];
    const source *s = &m->sources->list[0];
    const ph_curve x = curve_of(s, p->x), all = common_curve(&m->panels, index, &m->items, s);
    char x_label[NAME_ROOM], y_label[NAME_ROOM], sized[NAME_ROOM];
    put_title(&x, x_label, sizeof x_label);
    put_unit(x.unit, x_label, sizeof x_label);
    if (*all.what)
        put_title(&all, y_label, sizeof y_label);
    else
        put_whats(&m->panels, index, &m->items, s, y_label, sizeof y_label);
    if (*y_label && log_of(m, 'y') && any_negative(m, index)) {
        snprintf(sized, sizeof sized, "|%.*s|", NAME_ROOM - 3, y_label);
        memcpy(y_label, sized, sizeof y_label);
    }
    put_unit(p->unit, y_label, sizeof y_label);
    ph_axes_def axes = ph_default_axes();
    axes.x.label = x_label;
    axes.y.label = y_label;
    axes.x.scale = log_of(m, 'x') ? PH_LOG : PH_LINEAR;
    axes.y.scale = log_of(m, 'y') ? PH_LOG : PH_LINEAR;
    axes.equal = m->options->equal;
    axes.share_x = index > 0 && strcmp(p->x, m->panels.list[index - 1].x) == 0 && !m->options->equal;
    axes.height = m->options->height > 0.0 ? m->options->height : m->panels.count > 2 ? 160.0 : 320.0;
    p->index = ph_plot_add_axes(m->plot, &axes);
    return p->index >= 0;
}

static void make_positive(numbers *n)
{
    for (int i = 0; i < n->count; i++) n->y[i] = fabs(n->y[i]);
}

static bool has_finite(const numbers *n)
{
    for (int i = 0; i < n->count; i++)
        if (isfinite(n->x[i]) && isfinite(n->y[i])) return true;
    return false;
}

static bool add_curve(maker *m, int index, const source *s)
{
    const item *it = &m->items.list[index];
    const panel *p = &m->panels.list[m->panels.of_item[index]];
    numbers n;
    if (!read_numbers(s, it, m->options, &n)) return false;
    if (n.count == 0 || !has_finite(&n)) {
        print_error("'%s': %s has no value%s", ph_result_path(s->result), it->y,
                    n.count == 0 ? " between these times" : " that is a number");
        free(n.x);
        free(n.y);
        return false;
    }
    if (log_of(m, 'y')) make_positive(&n);
    char label[NAME_ROOM];
    const ph_curve all = common_curve(&m->panels, m->panels.of_item[index], &m->items, &m->sources->list[0]);
    const ph_curve c = curve_of(s, it->y);
    put_label(m->sources, s, &c, &all, label, sizeof label);
    ph_series_def series = ph_default_series();
    series.label = *label ? label : NULL;
    series.x = n.x;
    series.y = n.y;
    series.count = n.count;
    const bool good = ph_plot_add_series(m->plot, p->index, &series) >= 0;
    free(n.x);
    free(n.y);
    if (!good) print_error("%s", ph_status_text(PH_OUT_OF_MEMORY));
    return good;
}

static bool fill_figure(maker *m)
{
    bool good = m->plot;
    for (int i = 0; good && i < m->panels.count; i++) good = add_panel(m, i);
    if (!good) print_error("%s", ph_status_text(PH_OUT_OF_MEMORY));
    for (int i = 0; good && i < m->items.count; i++)
        for (int k = 0; good && k < m->sources->count; k++) good = add_curve(m, i, &m->sources->list[k]);
    return good;
}

ph_plot *make_figure(const source_list *sources, const text_list *quantities, const figure_options *options)
{
    maker *m = calloc(1, sizeof *m);
    bool good = m;
    char title[NAME_ROOM] = "";
    for (int i = 0; good && i < quantities->count; i++)
        good = add_operand(&m->items, &sources->list[0], quantities->texts[i], options->against, i);
    if (!good) {
        free(m);
        return NULL;
    }
    m->sources = sources;
    m->options = options;
    put_default_title(sources, title, sizeof title);
    m->plot = ph_plot_create(options->title ? options->title : *title ? title : NULL);
    if (m->plot && options->width > 0.0) ph_plot_set_width(m->plot, options->width);
    set_panels(&m->panels, &m->items, &sources->list[0], options->apart);
    ph_plot *plot = m->plot;
    if (!fill_figure(m)) {
        ph_plot_destroy(plot);
        plot = NULL;
    }
    free(m);
    return plot;
}
