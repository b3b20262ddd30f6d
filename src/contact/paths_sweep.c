// Large islands: block Gauss-Seidel along the paths.
//
// Item after item with all others held: it reads z on its path, solves itself and adds what it does to z. Each visit answers
// for the whole tree, so joints are exact in every iterate.

#include "cone/cone.h"
#include "cone/sweep.h"
#include "contact/paths.h"

#include <math.h>

// By item of an island that is swept.
typedef struct swept {
    double N[9];                // of its first three rows, E included
    double d[3], inverse[3];    // mean of the diagonal of normal and friction, rolling, spinning; steps of these parts
    double q[CONTACT_ROWS_MAX]; // bias
    double last[CONTACT_ROWS_MAX]; // impulses of the sweep before
} swept;

size_t paths_sweep_doubles(const path_island *island)
{
    return sizeof(swept) / sizeof(double) * (size_t)island->count + (size_t)island->rows;
}

// Parts of an item beside the normal: rows, coefficient and scale.
typedef struct friction_part {
    int first, size;
    double mu;
} friction_part;

static int list_parts(const ph_cone *c, int rows, friction_part parts[3])
{
    int count = 0;
    if (c->kind != PH_CONE_FRICTION) return 0;
    parts[count++] = (friction_part){1, 2, c->friction};
    if (c->rolls) parts[count++] = (friction_part){3, 2, c->rolling};
    if (c->spins) parts[count++] = (friction_part){rows - 1, 1, c->spinning};
    return count;
}

// The larger eigenvalue of the diagonal block of a part.
static double largest_eigenvalue(const double *block, int rows, int first, int size)
{
    const double a = block[first * rows + first];
    if (size == 1) return a;
    const double d = block[(first + 1) * rows + first + 1], b = block[first * rows + first + 1], half = 0.5 * (a - d);
    return 0.5 * (a + d) + sqrt(half * half + b * b);
}

static void load_item(const paths *p, int index, const double *bias, const double *g, swept *s)
{
    const path_item *item = &p->items[index];
    double block[CONTACT_ROWS_MAX * CONTACT_ROWS_MAX];
    friction_part parts[3];
    const int rows = item->rows, count = list_parts(&p->cones[index], rows, parts);
    paths_block(p, item, item, block);
    block[0] += item->soft;
    for (int r = 0; r < 3 && r < rows; r++)
        for (int c = 0; c < 3 && c < rows; c++) s->N[3 * r + c] = block[r * rows + c];
    s->d[0] = rows == 1 ? block[0] : (block[0] + block[rows + 1] + block[2 * rows + 2]) / 3.0;
    for (int k = 0; k < count; k++) {
        const double most = largest_eigenvalue(block, rows, parts[k].first, parts[k].size);
        s->inverse[k] = most > 0.0 ? 1.0 / most : 0.0;
        if (k > 0) s->d[k] = most;
    }
    for (int r = 0; r < rows; r++) {
        s->q[r] = bias[item->row + r];
        s->last[r] = g[item->row + r];
    }
}

// u of the item as the impulses are
static void velocity_of(const paths *p, const path_item *item, const swept *s, const double *g, double *u)
{
    paths_velocity(p, item, u);
    for (int r = 0; r < item->rows; r++) u[r] += s->q[r];
    u[0] += item->soft * g[0];
}

// The normal by itself, then every part in the disc that it allows; `change` <- what is added to x.
static void solve_contact(const ph_cone *c, const swept *s, int rows, const double *u, const double *x, double *change)
{
    friction_part parts[3];
    const int count = list_parts(c, rows, parts);
    const double normal = larger(0.0, x[0] - u[0] / s->N[0]), by_normal = normal - x[0];
    change[0] = by_normal;
    for (int k = 0; k < count; k++) {
        const int f = parts[k].first;
        const double most = parts[k].mu * normal;
        double z[2], size = 0.0;
        for (int r = 0; r < parts[k].size; r++) {
            const double v = u[f + r] + (f + r < 3 ? s->N[3 * (f + r)] * by_normal : 0.0);
            z[r] = x[f + r] - v * s->inverse[k];
            size += z[r] * z[r];
        }
        const double scale = size > most * most ? most / sqrt(size) : 1.0;
        for (int r = 0; r < parts[k].size; r++) change[f + r] = scale * z[r] - x[f + r];
    }
}

// Of three rows, exactly.
static void solve_exactly(const ph_cone *c, const swept *s, const double *u, const double *x, double *change)
{
    double y[3] = {x[0], x[1], x[2]}, rest[3];
    for (int r = 0; r < 3; r++) rest[r] = u[r] - s->N[3 * r] * x[0] - s->N[3 * r + 1] * x[1] - s->N[3 * r + 2] * x[2];
    cone_solve_contact(c->friction, s->N, rest, u, y);
    for (int r = 0; r < 3; r++) change[r] = y[r] - x[r];
}

static void solve_item(const ph_cone *c, const swept *s, int rows, bool exact, const double *u, const double *x,
                       double *change)
{
    if (!(s->N[0] > 0.0)) {
        for (int r = 0; r < rows; r++) change[r] = -x[r]; // nothing moves it
    } else if (c->kind == PH_CONE_FRICTION && exact && rows == 3) {
        solve_exactly(c, s, u, x, change);
    } else if (c->kind == PH_CONE_FRICTION) {
        solve_contact(c, s, rows, u, x, change);
    } else {
        const double z = x[0] - u[0] / s->N[0];
        const double low = c->kind == PH_CONE_INTERVAL ? c->low : c->kind == PH_CONE_FREE ? -HUGE_VAL : 0.0;
        const double high = c->kind == PH_CONE_INTERVAL ? c->high : HUGE_VAL;
        change[0] = (z < low ? low : z > high ? high : z) - x[0];
    }
}

// How far the item is from its law, m/s: what a step of it would change.
static double miss_of(const ph_cone *c, const swept *s, int rows, const double *u, const double *x)
{
    double change[CONTACT_ROWS_MAX], worst;
    friction_part parts[3];
    const int count = list_parts(c, rows, parts);
    if (!(s->N[0] > 0.0)) return c->kind == PH_CONE_INTERVAL ? 0.0 : larger(0.0, -u[0]);
    solve_item(c, s, rows, false, u, x, change);
    worst = s->d[0] * fabs(change[0]);
    for (int k = 0; k < count; k++)
        for (int r = parts[k].first; r < parts[k].first + parts[k].size; r++)
            worst = larger(worst, s->d[k] * fabs(change[r]));
    return worst;
}

// z += Y change, g += change
static void take_change(const paths *p, const path_item *item, const double *change, double *x)
{
    for (int r = 0; r < item->rows; r++) x[r] += change[r];
    paths_push(p, item, change);
}

// Returns the largest change, in m/s.
static double sweep(const paths *p, const path_island *island, const swept *items, bool exact, double *g)
{
    double most = 0.0;
    for (int k = 0; k < island->count; k++) {
        const path_item *item = paths_item(p, island, k);
        const ph_cone *c = &p->cones[p->order[island->first + k]];
        const swept *s = &items[k];
        double u[CONTACT_ROWS_MAX], change[CONTACT_ROWS_MAX] = {0}, size = 0.0, *x = g + item->row;
        velocity_of(p, item, s, x, u);
        if (u[0] >= 0.0 && x[0] == 0.0 && c->kind == PH_CONE_FRICTION) continue; // open
        solve_item(c, s, item->rows, exact, u, x, change);
        for (int r = 0; r < item->rows; r++) size = larger(size, fabs(change[r]));
        if (size == 0.0) continue;
        most = larger(most, s->d[0] * size);
        take_change(p, item, change, x);
    }
    return most;
}

// A step on in the direction of the last sweep.
static void extrapolate(const paths *p, const path_island *island, swept *items, double factor, double *g)
{
    for (int k = 0; k < island->count; k++) {
        const path_item *item = paths_item(p, island, k);
        double change[CONTACT_ROWS_MAX], size = 0.0, *x = g + item->row;
        for (int r = 0; r < item->rows; r++) {
            change[r] = factor * (x[r] - items[k].last[r]);
            items[k].last[r] = x[r];
            size = larger(size, fabs(change[r]));
        }
        if (size > 0.0) take_change(p, item, change, x);
    }
}

static double worst_miss(const paths *p, const path_island *island, const swept *items, const double *g)
{
    double worst = 0.0;
    for (int k = 0; k < island->count; k++) {
        const path_item *item = paths_item(p, island, k);
        double u[CONTACT_ROWS_MAX];
        velocity_of(p, item, &items[k], g + item->row, u);
        const ph_cone *c = &p->cones[p->order[island->first + k]];
        worst = larger(worst, miss_of(c, &items[k], item->rows, u, g + item->row));
    }
    return worst;
}

// Sweeps that go on in the direction of the last gain a factor of ten where islands are stiff, and send some in circles: it begins
// anew from nothing whenever a sweep changes more than the one before. Exact solves of each contact are dearer, and get on where
// the cheap ones have not.
typedef struct momentum {
    double last; // change of the last sweep
    int since;   // sweeps since it began
} momentum;

static double factor_of(const momentum *m)
{
    const double most = 0.85;
    return m->since < 8 ? most * m->since / 8.0 : most;
}

static void note_change(momentum *m, double change)
{
    m->since = change > m->last ? 0 : m->since + 1;
    m->last = change;
}

path_report paths_sweep(paths *p, const path_island *island, const path_settings *settings, const double *bias,
                        double *g)
{
    enum { CHEAP_MOST = 120 };
    swept *items = (swept *)(void *)(p->room + island->scratch);
    momentum m = {.last = HUGE_VAL};
    for (int k = 0; k < island->count; k++) {
        const int index = p->order[island->first + k];
        load_item(p, index, bias, g, &items[k]);
        paths_push(p, &p->items[index], g + p->items[index].row);
    }
    path_report report = {.residual = worst_miss(p, island, items, g)};
    while (report.residual > settings->tolerance && report.iterations < settings->sweeps) {
        if (report.iterations == CHEAP_MOST) m = (momentum){.last = HUGE_VAL};
        extrapolate(p, island, items, factor_of(&m), g);
        const double change = sweep(p, island, items, report.iterations >= CHEAP_MOST, g);
        note_change(&m, change);
        report.iterations++;
        if (change <= 2.0 * settings->tolerance || report.iterations % 8 == 0 || report.iterations == settings->sweeps)
            report.residual = worst_miss(p, island, items, g);
    }
    return report;
}

// ---- Pass by pass ---------------------------------------------------------------------------------------------------

static swept *swept_of(const paths *p, const path_island *island)
{
    return (swept *)(void *)(p->room + island->scratch);
}

void paths_pass_load(paths *p, const path_island *island, const double *bias, const double *g)
{
    for (int k = 0; k < island->count; k++) load_item(p, p->order[island->first + k], bias, g, &swept_of(p, island)[k]);
}

void paths_pass_rest(paths *p, const path_island *island, const double *g)
{
    for (int k = 0; k < island->count; k++) {
        const path_item *item = paths_item(p, island, k);
        for (int r = 0; r < item->rows; r++) swept_of(p, island)[k].last[r] = g[item->row + r];
    }
}

void paths_pass_extrapolate(paths *p, const path_island *island, double c, double *g)
{
    extrapolate(p, island, swept_of(p, island), c, g);
}

path_sums paths_pass_sweep(paths *p, const path_island *island, double *g)
{
    path_sums sums = {0};
    for (int k = 0; k < island->count; k++) {
        const path_item *item = paths_item(p, island, k);
        const swept *s = &swept_of(p, island)[k];
        double u[CONTACT_ROWS_MAX], change[CONTACT_ROWS_MAX] = {0}, along = 0.0, *x = g + item->row;
        velocity_of(p, item, s, x, u);
        solve_item(&p->cones[p->order[island->first + k]], s, item->rows, false, u, x, change);
        take_change(p, item, change, x);
        for (int r = 0; r < item->rows; r++) along += change[r] * (x[r] - s->last[r]);
        sums.restart -= s->d[0] * along;
    }
    return sums;
}

path_sums paths_pass_polish(paths *p, const path_island *island, double tolerance, double part, double *g)
{
    path_sums sums = {0};
    for (int k = 0; k < island->count; k++) {
        const path_item *item = paths_item(p, island, k);
        const swept *s = &swept_of(p, island)[k];
        const ph_cone *c = &p->cones[p->order[island->first + k]];
        double u[CONTACT_ROWS_MAX], change[CONTACT_ROWS_MAX] = {0}, *x = g + item->row;
        velocity_of(p, item, s, x, u);
        const double miss = miss_of(c, s, item->rows, u, x);
        sums.error = larger(sums.error, miss);
        if (miss <= tolerance) continue;
        sums.beyond += 1.0;
        if (part == 0.0) continue;
        solve_item(c, s, item->rows, false, u, x, change);
        for (int r = 0; r < item->rows; r++) change[r] *= part;
        take_change(p, item, change, x);
    }
    return sums;
}
