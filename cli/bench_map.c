// A cell of the map is one joint type, drive, topology and scheme. Its time is the least of several short measurements, and
// each is followed by one of the bare chain of ball joints under the same scheme, so that both see the machine alike.

#include "bench_map.h"

#include "base/clock.h"
#include "commands.h"
#include "progress.h"
#include "terminal.h"

#include "polhode/polhode.h"

#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 10, LOOKS = 5 };
static const double STEP = 1e-3, SHORTEST = 1e-3; // s

typedef struct cell {
    const char *joint, *scheme;
    map_drive drive;
    map_shape shape;
} cell;

typedef struct rig {
    ph_model *model;
    ph_state *state;
    ph_sim *sim;
    int steps; // of a measurement
} rig;

typedef enum outcome { TIMED, REFUSED, FAILED } outcome;

// ---- One cell -------------------------------------------------------------------------------------------------------

static void rig_close(rig *r)
{
    ph_sim_destroy(r->sim);
    ph_state_destroy(r->state);
    ph_model_destroy(r->model);
    *r = (rig){0};
}

static bool rig_open(const cell *c, rig *r, ph_problems *problems, ph_error *error)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_sim_def def = ph_default_sim();
    *r = (rig){0};
    def.scheme = c->scheme;
    if (spec && map_build(spec, c->joint, c->drive, c->shape)) ph_model_compile(spec, problems, &r->model);
    ph_spec_destroy(spec);
    r->state = r->model ? ph_state_create(r->model) : NULL;
    return r->state && ph_sim_create(r->model, &def, &r->sim, error) == PH_OK;
}

static bool rig_step(rig *r, int steps)
{
    ph_step_report report;
    for (int k = 0; k < steps; k++)
        if (ph_sim_step(r->sim, r->state, STEP, &report) != PH_OK) return false;
    return true;
}

// Seconds for each body and step, or a negative number.
static double time_steps(rig *r)
{
    const double began = clock_process_seconds();
    if (!rig_step(r, r->steps)) return -1.0;
    return (clock_process_seconds() - began) / r->steps / MAP_BODIES;
}

static bool warm_up(rig *r)
{
    if (!rig_step(r, WARM_UP)) return false;
    for (r->steps = 1; r->steps < 4096; r->steps *= 2) {
        const double once = time_steps(r);
        if (once < 0.0) return false;
        if (once * r->steps * MAP_BODIES >= 0.5 * SHORTEST) break;
    }
    return true;
}

static outcome time_cell(const cell *c, rig *base, double *seconds, double *ratio)
{
    rig r;
    ph_error error = {.text = ""};
    double best = 1e9, best_base = 1e9;
    outcome out = rig_open(c, &r, NULL, &error) ? TIMED : REFUSED;
    if (out == TIMED && !warm_up(&r)) out = FAILED;
    for (int k = 0; out == TIMED && k < LOOKS; k++) {
        const double one = time_steps(&r), other = time_steps(base);
        if (one < 0.0 || other < 0.0) out = FAILED;
        best = one < best ? one : best;
        best_base = other < best_base ? other : best_base;
    }
    rig_close(&r);
    *seconds = best;
    *ratio = best / best_base;
    return out;
}

// ---- The map --------------------------------------------------------------------------------------------------------

typedef struct summary {
    double worst[MAP_DRIVES];
    cell where[MAP_DRIVES];
    int cells, above, failed;
} summary;

static void note(summary *s, const cell *c, outcome out, double ratio)
{
    s->failed += out == FAILED;
    if (out != TIMED) return;
    s->cells++;
    s->above += ratio > 2.0;
    if (ratio > s->worst[c->drive]) s->worst[c->drive] = ratio, s->where[c->drive] = *c;
}

static void json_cell(json *j, const cell *c, outcome out, double seconds, double ratio)
{
    json_object(j, NULL);
    json_string(j, "scheme", c->scheme);
    json_string(j, "joint", c->joint);
    json_string(j, "drive", map_drive_names[c->drive]);
    json_string(j, "topology", map_shape_names[c->shape]);
    json_string(j, "outcome", out == TIMED ? "timed" : out == FAILED ? "failed" : "refused");
    if (out == TIMED) json_number(j, "us_per_body_and_step", 1e6 * seconds), json_number(j, "ratio", ratio);
    json_end_object(j);
}

static void print_cell(outcome out, double ratio)
{
    if (out == TIMED)
        printf(" %10.2f", ratio);
    else
        printf(" %10s", out == FAILED ? "failed" : "refused");
    fflush(stdout);
}

static void print_row(cell c, rig *base, summary *s, tally *done, json *j)
{
    if (!j) printf("%-16s %-6s", c.joint, map_shape_names[c.shape]);
    for (int d = 0; d < MAP_DRIVES; d++) {
        double seconds = 0.0, ratio = 0.0;
        c.drive = (map_drive)d;
        if (!map_has(c.joint, c.drive, c.shape)) {
            if (!j) printf(" %10s", "");
            continue;
        }
        tally_begin(done, c.scheme);
        const outcome out = time_cell(&c, base, &seconds, &ratio);
        tally_end(done);
        note(s, &c, out, ratio);
        if (j)
            json_cell(j, &c, out, seconds, ratio);
        else
            print_cell(out, ratio);
    }
    if (!j) printf("\n");
}

static void print_scheme(const char *scheme, summary *s, tally *done, json *j)
{
    const colours colour = colours_of(stdout);
    const cell bare = {"ball", scheme, MAP_BARE, MAP_CHAIN};
    ph_error error = {.text = ""};
    rig base;
    if (!rig_open(&bare, &base, NULL, &error) || !warm_up(&base)) {
        rig_close(&base);
        return; // it has no use for joints
    }
    if (!j) {
        printf("%s%s%s: %.3f us per body and step of the bare chain of ball joints\n%-16s %-6s", colour.bold, scheme,
               colour.off, 1e6 * time_steps(&base), "", "");
        for (int d = 0; d < MAP_DRIVES; d++) printf(" %10s", map_drive_names[d]);
        printf("\n");
    }
    for (int t = 0; t < ph_joint_type_count(); t++)
        for (int shape = 0; shape < MAP_SHAPES; shape++)
            if (map_has(ph_joint_type(t).name, MAP_BARE, (map_shape)shape))
                print_row((cell){ph_joint_type(t).name, scheme, MAP_BARE, (map_shape)shape}, &base, s, done, j);
    if (!j) printf("\n");
    rig_close(&base);
}

static void print_summary(const summary *s)
{
    printf("largest ratios:\n");
    for (int d = 0; d < MAP_DRIVES; d++)
        if (s->worst[d] > 0.0)
            printf("  %-10s %6.2f  %s %s, %s\n", map_drive_names[d], s->worst[d], s->where[d].joint,
                   map_shape_names[s->where[d].shape], s->where[d].scheme);
    printf("%d of %d cells above 2; %d failed\n", s->above, s->cells, s->failed);
}

// Of one scheme.
static int count_cells(void)
{
    int count = 0;
    for (int t = 0; t < ph_joint_type_count(); t++)
        for (int shape = 0; shape < MAP_SHAPES; shape++)
            for (int d = 0; d < MAP_DRIVES; d++)
                count += map_has(ph_joint_type(t).name, (map_drive)d, (map_shape)shape);
    return count;
}

bool print_map(const char *only, json *j)
{
    summary s = {0};
    tally done = {.progress = progress_begin(!is_terminal(stdout)), // else the rows tell
                  .count = count_cells() * (only ? 1 : ph_scheme_count())};
    if (j) json_object(j, NULL), json_array(j, "cells");
    for (int k = 0; k < ph_scheme_count(); k++)
        if (!only || strcmp(only, ph_scheme_get(k).name) == 0) print_scheme(ph_scheme_get(k).name, &s, &done, j);
    if (j)
        json_end_array(j), json_end_object(j), printf("\n");
    else
        print_summary(&s);
    return true;
}

// ---- One cell, for counters -----------------------------------------------------------------------------------------

static int find_name(const char *name, const char *const *names, int count)
{
    for (int k = 0; k < count; k++)
        if (strcmp(name, names[k]) == 0) return k;
    return -1;
}

// The steps, and why one of them failed.
static bool tell_steps(const char *cell, rig *r, int steps)
{
    ph_step_report report = {.status = PH_OK};
    char why[512];
    for (int k = 0; k < steps; k++)
        if (ph_sim_step(r->sim, r->state, STEP, &report) != PH_OK) {
            ph_step_report_format(&report, r->model, why, sizeof why);
            print_error("%s: step %d: %s", cell, k + 1, why);
            return false;
        }
    return true;
}

int run_map_cell(const char *text, int steps)
{
    char joint[32], drive[32], shape[32], scheme[64];
    if (sscanf(text, "%31[^/]/%31[^/]/%31[^/]/%63s", joint, drive, shape, scheme) != 4) {
        print_error("--cell: expected JOINT/DRIVE/TOPOLOGY/SCHEME, as in revolute/spring/chain/rattlie");
        return EXIT_USAGE;
    }
    const int d = find_name(drive, map_drive_names, MAP_DRIVES), s = find_name(shape, map_shape_names, MAP_SHAPES);
    if (d < 0 || s < 0) {
        print_error("--cell: there is no %s '%s'", d < 0 ? "drive" : "topology", d < 0 ? drive : shape);
        return EXIT_USAGE;
    }
    rig r;
    ph_error error = {.text = "the model does not compile"};
    ph_problems *problems = ph_problems_create();
    bool good = rig_open(&(cell){joint, scheme, (map_drive)d, (map_shape)s}, &r, problems, &error);
    if (!good) {
        print_problems(problems);
        print_error("%s: %s", text, error.text);
    } else {
        good = tell_steps(text, &r, steps);
    }
    ph_problems_destroy(problems);
    rig_close(&r);
    return good ? EXIT_DONE : EXIT_FAILED;
}
