// Draws a figure from lines on stdin:   plot FILE.svg <DATA
//
//     title TEXT | panel TITLE;XLABEL;YLABEL;HEIGHT | log x | log y | series LABEL;PALETTE;MARKER;LINE | X Y
//
// The last kind adds a point to the last series; `log` lines stand after their panel's line and before its series.
#include <polhode/plot.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct figure {
    ph_plot *plot;
    ph_axes_def axes;
    ph_series_def series;
    char panel[4][128], label[128];
    double *x, *y;
    int at, axes_open, series_open;
} figure;

static void end_series(figure *f)
{
    if (!f->series_open) return;
    f->series.x = f->x, f->series.y = f->y;
    ph_plot_add_series(f->plot, f->at, &f->series);
    f->series_open = 0;
}

static void end_axes(figure *f)
{
    if (f->axes_open) f->at = ph_plot_add_axes(f->plot, &f->axes);
    f->axes_open = 0;
}

static void split(const char *text, char parts[][128], int count)
{
    for (int i = 0; i < count; i++) {
        const size_t length = strcspn(text, ";");
        snprintf(parts[i], 128, "%.*s", (int)length, text);
        text += length + (text[length] == ';');
    }
}

static void start_panel(figure *f, const char *text)
{
    end_series(f);
    split(text, f->panel, 4);
    f->axes = ph_default_axes();
    f->axes.title = f->panel[0][0] ? f->panel[0] : NULL;
    f->axes.x.label = f->panel[1], f->axes.y.label = f->panel[2];
    f->axes.height = atof(f->panel[3]);
    f->axes_open = 1;
}

static void start_series(figure *f, const char *text)
{
    char parts[4][128];
    end_series(f);
    end_axes(f);
    split(text, parts, 4);
    snprintf(f->label, sizeof f->label, "%s", parts[0]);
    f->series = ph_default_series();
    f->series.label = f->label[0] ? f->label : NULL;
    f->series.palette = atoi(parts[1]);
    f->series.marker = (ph_marker)atoi(parts[2]);
    f->series.line = (ph_line)atoi(parts[3]);
    f->series_open = 1;
}

static void take(figure *f, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    if (strncmp(line, "title ", 6) == 0) {
        f->plot = ph_plot_create(line + 6);
    } else if (strncmp(line, "panel ", 6) == 0) {
        start_panel(f, line + 6);
    } else if (strncmp(line, "log ", 4) == 0) {
        *(line[4] == 'x' ? &f->axes.x.scale : &f->axes.y.scale) = PH_LOG;
    } else if (strncmp(line, "series ", 7) == 0) {
        start_series(f, line + 7);
    } else {
        const int k = f->series.count++;
        f->x = realloc(f->x, sizeof(double) * (size_t)(k + 1)), f->y = realloc(f->y, sizeof(double) * (size_t)(k + 1));
        if (sscanf(line, "%lf %lf", &f->x[k], &f->y[k]) != 2) f->series.count--;
    }
}

int main(int argc, char **argv)
{
    figure f = {0};
    char line[512];
    ph_error error = {.text = "no data"};
    while (fgets(line, sizeof line, stdin)) take(&f, line);
    end_series(&f);
    if (argc != 2 || !f.plot || ph_plot_write(f.plot, argv[1], &error) != PH_OK) {
        fprintf(stderr, "plot: %s\n", error.text);
        return 1;
    }
    return 0;
}
