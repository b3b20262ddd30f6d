// Tables and figures of the hopper.
#include "hopper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *open_file(const char *name, const char *mode)
{
    FILE *file = fopen(name, mode);
    if (!file) perror(name);
    return file;
}

// ---- The silo -------------------------------------------------------------------------------------------------------

bool write_profile(const profile *p, const janssen *j, const setup *s)
{
    FILE *file = open_file("silo.csv", "w");
    if (!file) return false;
    const double area = 3.14159265358979323846 * s->silo * p->height / BINS;
    fprintf(file, "# samples %d, wall from %.17g m, height %.17g m, force on the floor %.17g N\n", p->samples,
            p->bottom, p->height, p->floor);
    fprintf(file, "z,depth,mass,wall_normal,wall_shear,vertical_stress,wall_pressure,wall_shear_stress\n");
    for (int k = 0; k < BINS; k++) {
        const double z = p->bottom + k * p->height / BINS;
        fprintf(file, "%.6g,%.6g,%.17g,%.17g,%.17g,%.6g,%.6g,%.6g\n", z, j->surface - z, p->mass[k], p->normal[k],
                p->shear[k], j->stress[k], p->normal[k] / area, p->shear[k] / area);
    }
    return fclose(file) == 0;
}

bool read_profile(profile *p)
{
    FILE *file = open_file("silo.csv", "r");
    char line[512];
    bool good = file && fgets(line, sizeof line, file) &&
                sscanf(line, "# samples %d, wall from %lf m, height %lf m, force on the floor %lf N", &p->samples,
                       &p->bottom, &p->height, &p->floor) == 4 &&
                fgets(line, sizeof line, file);
    for (int k = 0; good && k < BINS; k++)
        good = fgets(line, sizeof line, file) &&
               sscanf(line, "%*f,%*f,%lf,%lf,%lf", &p->mass[k], &p->normal[k], &p->shear[k]) == 3;
    if (file) fclose(file);
    return good;
}

static int panel(ph_plot *plot, const char *title, const char *x, const char *y, double height, bool share)
{
    ph_axes_def axes = ph_default_axes();
    axes.title = title;
    axes.x.label = x;
    axes.y.label = y;
    axes.height = height;
    axes.share_x = share;
    return ph_plot_add_axes(plot, &axes);
}

static void add(ph_plot *plot, int at, const char *label, const double *x, const double *y, int count, ph_line line,
                ph_marker marker)
{
    ph_series_def series = ph_default_series();
    series.label = label;
    series.x = x, series.y = y, series.count = count;
    series.line = line;
    series.marker = marker;
    ph_plot_add_series(plot, at, &series);
}

static bool finish(ph_plot *plot, const char *name)
{
    ph_error error = {0};
    const bool good = plot && ph_plot_write(plot, name, &error) == PH_OK;
    if (!good) fprintf(stderr, "hopper: %s\n", error.text);
    ph_plot_destroy(plot);
    return good;
}

bool draw_silo(const profile *p, const janssen *j, const setup *s)
{
    double depth[BINS], stress[BINS], wall[BINS], friction[BINS], even[BINS], janssen_law[BINS];
    const double strip = 3.14159265358979323846 * s->silo * p->height / BINS;
    int count = 0;
    for (int k = BINS - 1; k >= 0; k--) {
        const double z = j->surface - (p->bottom + k * p->height / BINS);
        if (z <= 0.0) continue;
        depth[count] = z;
        stress[count] = 1e-3 * j->stress[k];
        wall[count] = 1e-3 * p->normal[k] / strip;
        friction[count] = 1e-3 * p->shear[k] / strip;
        even[count] = 1e-3 * j->density * GRAVITY * z;
        janssen_law[count++] = 1e-3 * j->saturation * (1.0 - exp(-z / j->length));
    }
    const double floor_depth[1] = {j->surface - p->bottom}, floor_stress[1] = {1e-3 * j->floor};
    char title[200];
    snprintf(title, sizeof title, "Silo of %.3g m, %d spheres", s->silo, s->spheres);
    ph_plot *plot = ph_plot_create(title);
    const int vertical = panel(plot, NULL, "depth (m)", "vertical stress (kPa)", 220.0, false);
    add(plot, vertical, "measured", depth, stress, count, PH_LINE_NONE, PH_MARKER_CIRCLE);
    add(plot, vertical, "Janssen, measured K and wall friction", depth, janssen_law, count, PH_LINE_SOLID,
        PH_MARKER_NONE);
    add(plot, vertical, "on the floor", floor_depth, floor_stress, 1, PH_LINE_NONE, PH_MARKER_SQUARE);
    int liquid = 0; // as far as the frame goes
    while (liquid < count && even[liquid] < 1.5e-3 * j->saturation) liquid++;
    add(plot, vertical, "no wall", depth, even, liquid, PH_LINE_DASHED, PH_MARKER_NONE);
    const int at_wall = panel(plot, NULL, "depth (m)", "on the wall (kPa)", 160.0, true);
    add(plot, at_wall, "pressure", depth, wall, count, PH_LINE_NONE, PH_MARKER_TRIANGLE);
    add(plot, at_wall, "friction", depth, friction, count, PH_LINE_NONE, PH_MARKER_DIAMOND);
    return finish(plot, "silo.svg");
}

double textbook_saturation(const setup *s)
{
    return 1500.0 * GRAVITY * s->silo / (4.0 * 0.4 * 0.4);
}

void print_silo(const janssen *j, const setup *s)
{
    const double given = textbook_saturation(s);
    printf("silo at rest\n");
    printf("  bulk density      %.0f kg/m^3, filled to %.3f m\n", j->density, j->surface);
    printf("  K                 %.3f wall pressure by vertical stress\n", j->ratio);
    printf("  wall friction     %.3f mobilised of %.3g\n", j->mobilised, s->wall_friction);
    printf("  Janssen's length  %.4f m, saturation %.0f Pa\n", j->length, j->saturation);
    printf("  lower half        %.0f Pa measured, %.0f Pa by the law: %+.1f %%\n", j->lowest, j->lowest_law,
           100.0 * (j->lowest / j->lowest_law - 1.0));
    if (s->cone == 90.0)
        printf("  floor             %.0f Pa measured, %.0f Pa by the law: %+.1f %%\n", j->floor, j->floor_law,
               100.0 * (j->floor / j->floor_law - 1.0));
    printf("  with friction and K of 0.4 and 1500 kg/m^3 the saturation would be %.0f Pa: this one is %+.0f %% off\n",
           given, 100.0 * (j->saturation / given - 1.0));
}

// ---- Outflow --------------------------------------------------------------------------------------------------------

bool draw_outflow(const moment *m, int count, const outflow *o, const setup *s)
{
    double *time = malloc(sizeof(double) * (size_t)(count + 1)), *mass = malloc(sizeof(double) * (size_t)(count + 1));
    double *rate = malloc(sizeof(double) * (size_t)(count + 1)), *middle = malloc(sizeof(double) * (size_t)(count + 1));
    const double span = 0.05; // s, over which rates are taken
    int rates = 0, first = 0;
    for (int i = 0; i < count; i++) {
        time[i] = m[i].time - s->fill;
        mass[i] = m[i].mass_out;
        while (m[i].time - m[first].time > span) first++;
        if (m[i].time - m[first].time < 0.9 * span) continue;
        middle[rates] = 0.5 * (m[i].time + m[first].time) - s->fill;
        rate[rates++] = (m[i].mass_out - m[first].mass_out) / (m[i].time - m[first].time);
    }
    const double ends[2] = {o->from - s->fill, o->until - s->fill};
    const double by_law[2] = {o->beverloo, o->beverloo}, mean[2] = {o->rate, o->rate};
    char title[200];
    snprintf(title, sizeof title, "Outflow of %d spheres, orifice %.3g m", s->spheres, s->orifice);
    ph_plot *plot = ph_plot_create(title);
    const int above = panel(plot, NULL, "time since the opening (s)", "mass out (kg)", 180.0, false);
    add(plot, above, NULL, time, mass, count, PH_LINE_SOLID, PH_MARKER_NONE);
    const int below = panel(plot, NULL, "time since the opening (s)", "rate (kg/s)", 180.0, true);
    add(plot, below, "of 50 ms", middle, rate, rates, PH_LINE_SOLID, PH_MARKER_NONE);
    add(plot, below, "steady part", ends, mean, 2, PH_LINE_SOLID, PH_MARKER_NONE);
    add(plot, below, "Beverloo", ends, by_law, 2, PH_LINE_DASHED, PH_MARKER_NONE);
    free(time), free(mass), free(rate), free(middle);
    return finish(plot, "outflow.svg");
}

void print_outflow(const outflow *o, const setup *s)
{
    printf("outflow, orifice %.3g m, from %.2f to %.2f s after the opening\n", s->orifice, o->from - s->fill,
           o->until - s->fill);
    printf("  rate              %.4f kg/s (halves: %.4f, %.4f)\n", o->rate, o->first_half, o->second_half);
    printf("  Beverloo          %.4f kg/s with the bulk density measured: %+.1f %%\n", o->beverloo,
           100.0 * (o->rate / o->beverloo - 1.0));
}

// ---- For tables -----------------------------------------------------------------------------------------------------

bool write_summary(const setup *s, const janssen *j, const outflow *o, const cost *c)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"spheres", s->spheres},
                   {"silo", s->silo},
                   {"orifice", s->orifice},
                   {"cone", s->cone},
                   {"lowered", s->lower > 0.0},
                   {"density", j->density},
                   {"surface", j->surface},
                   {"K", j->ratio},
                   {"mobilised", j->mobilised},
                   {"length", j->length},
                   {"saturation", j->saturation},
                   {"textbook", textbook_saturation(s)},
                   {"lower_half", j->lowest},
                   {"lower_half_law", j->lowest_law},
                   {"floor", j->floor},
                   {"floor_law", j->floor_law},
                   {"simulated", c->simulated},
                   {"seconds", c->seconds},
                   {"memory_mb", c->memory_mb},
                   {"contacts", c->contacts},
                   {"overlap", c->overlap},
                   {"residual", c->residual},
                   {"missed", c->missed},
                   {"rows", c->rows},
                   {"rate", o ? o->rate : (double)NAN},
                   {"beverloo", o ? o->beverloo : (double)NAN}};
    FILE *file = open_file("summary.txt", "w");
    if (!file) return false;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        fprintf(file, "%s %.6g\n", numbers[k].name, numbers[k].value);
    return fclose(file) == 0;
}
