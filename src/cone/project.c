// Projections on the cones, their derivatives, and De Saxce's shift.
//
// Nearest point of |x_k| <= mu_k n for all parts k at once. With T_k = |x_k| the projection keeps the direction of every
// part and its normal row n' solves
//
//     n' - n = sum_k mu_k max(0, T_k - mu_k n'),
//
// whose right-hand side falls with n', piecewise linear with a kink at each T_k/mu_k. Going down from the largest kink
// and adding one part at a time meets the piece that holds n'. A single part gives the projection on a second-order cone.

#include "cone/cone.h"

#include <math.h>
#include <string.h>

int ph_cone_rows(const ph_cone *c)
{
    if (!c) return 0;
    return c->kind == PH_CONE_FRICTION ? 3 + 2 * c->rolls + c->spins : 1;
}

cone cone_make(const ph_cone *given, int first)
{
    cone c = {.kind = given->kind, .first = first, .rows = ph_cone_rows(given), .low = -HUGE_VAL, .high = HUGE_VAL};
    if (given->kind == PH_CONE_FRICTION) {
        c.parts[c.part_count++] = (cone_part){1, 2, given->friction};
        if (given->rolls) c.parts[c.part_count++] = (cone_part){3, 2, given->rolling};
        if (given->spins) c.parts[c.part_count++] = (cone_part){c.rows - 1, 1, given->spinning};
    } else if (given->kind == PH_CONE_HALF_LINE) {
        c.low = 0.0;
    } else if (given->kind == PH_CONE_INTERVAL) {
        c.low = given->low;
        c.high = given->high;
    }
    return c;
}

static double part_norm(const cone_part *part, const double *x)
{
    const double a = x[part->first];
    return part->size == 1 ? fabs(a) : sqrt(a * a + x[part->first + 1] * x[part->first + 1]);
}

// What the projection of a friction cone does: normal row, and which parts it shortens.
typedef struct projection {
    double n;
    double T[CONE_PARTS_MAX];
    bool shortened[CONE_PARTS_MAX];
    double weight; // 1 + sum of mu^2 over the shortened parts
} projection;

// The part with the largest kink T/mu above n among those not yet shortened; -1: none.
static int next_part(const cone *c, const projection *p)
{
    int found = -1;
    for (int k = 0; k < c->part_count; k++) {
        if (p->shortened[k] || p->T[k] <= c->parts[k].mu * p->n) continue;
        if (found < 0 || p->T[k] * c->parts[found].mu > p->T[found] * c->parts[k].mu) found = k;
    }
    return found;
}

static projection find_projection(const cone *c, const double *x)
{
    projection p = {.n = x[0], .weight = 1.0};
    double sum = x[0];
    for (int k = 0; k < c->part_count; k++) p.T[k] = part_norm(&c->parts[k], x);
    for (int k; (k = next_part(c, &p)) >= 0;) {
        p.shortened[k] = true;
        sum += c->parts[k].mu * p.T[k];
        p.weight += c->parts[k].mu * c->parts[k].mu;
        p.n = sum / p.weight;
    }
    return p;
}

// A single part: the second-order cone.
static void project_tangents(double mu, const double *x, double *y)
{
    const double n = x[0], T = sqrt(x[1] * x[1] + x[2] * x[2]);
    if (mu * T <= -n) { // first: without friction and tangents, T <= mu n holds for n < 0 too
        y[0] = y[1] = y[2] = 0.0;
    } else if (T <= mu * n) {
        y[0] = n;
        y[1] = x[1];
        y[2] = x[2];
    } else {
        y[0] = (n + mu * T) / (1.0 + mu * mu);
        const double s = mu * y[0] / T;
        y[1] = s * x[1];
        y[2] = s * x[2];
    }
}

static void project_friction(const cone *c, const double *x, double *y)
{
    const projection p = find_projection(c, x);
    if (p.n <= 0.0) {
        memset(y, 0, (size_t)c->rows * sizeof *y);
        return;
    }
    for (int k = 0; k < c->part_count; k++) {
        const cone_part *part = &c->parts[k];
        const double s = p.shortened[k] ? part->mu * p.n / p.T[k] : 1.0;
        for (int i = part->first; i < part->first + part->size; i++) y[i] = s * x[i];
    }
    y[0] = p.n;
}

void cone_project(const cone *c, const double *x, double *y)
{
    if (c->immovable) {
        memset(y, 0, (size_t)c->rows * sizeof *y);
    } else if (c->kind == PH_CONE_FRICTION && c->part_count == 1) {
        project_tangents(c->parts[0].mu, x, y);
    } else if (c->kind == PH_CONE_FRICTION) {
        project_friction(c, x, y);
    } else {
        y[0] = x[0] < c->low ? c->low : x[0] > c->high ? c->high : x[0];
    }
}

void ph_cone_project(const ph_cone *given, const double *g, double *nearest)
{
    if (!given || !g || !nearest) return;
    const cone c = cone_make(given, 0);
    cone_project(&c, g, nearest);
}

// With t_k the direction of part k and A the shortened parts:
//     dn' = (dn + sum_A mu_k t_k.dx_k) / (1 + sum_A mu_k^2)
//     dx_k' = mu_k t_k dn' + (mu_k n'/T_k) (I - t_k t_k^T) dx_k    in A,    dx_k' = dx_k    elsewhere
static int derivative_friction(const cone *c, const double *x, double *D)
{
    const projection p = find_projection(c, x);
    const int m = c->rows;
    if (p.n <= 0.0) return 0;
    double direction[CONE_ROWS_MAX] = {1.0}; // gradient of n' times its weight
    for (int k = 0; k < c->part_count; k++) {
        const cone_part *part = &c->parts[k];
        for (int i = part->first; i < part->first + part->size; i++) {
            direction[i] = p.shortened[k] ? part->mu * x[i] / p.T[k] : 0.0;
        }
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) D[m * i + j] = direction[i] * direction[j] / p.weight;
    }
    for (int k = 0; k < c->part_count; k++) {
        const cone_part *part = &c->parts[k];
        const int a = part->first;
        if (!p.shortened[k] && part->mu > 0.0) { // without friction and tangents it is neither, and stays where it is
            for (int i = a; i < a + part->size; i++) D[m * i + i] += 1.0;
        } else if (p.shortened[k] && part->size == 2) {
            const double turn = part->mu * p.n / p.T[k], e[2] = {-x[a + 1] / p.T[k], x[a] / p.T[k]};
            for (int i = 0; i < 2; i++) {
                for (int j = 0; j < 2; j++) D[m * (a + i) + a + j] += turn * e[i] * e[j];
            }
        }
    }
    return m;
}

int cone_derivative(const cone *c, const double *x, double *D)
{
    memset(D, 0, (size_t)(c->rows * c->rows) * sizeof *D);
    if (c->immovable) return 0;
    if (c->kind == PH_CONE_FRICTION) return derivative_friction(c, x, D);
    const bool inside = x[0] > c->low && x[0] < c->high;
    D[0] = inside ? 1.0 : 0.0;
    return inside;
}

double cone_shift(const cone *c, const double *u)
{
    double sum = 0.0;
    for (int k = 0; k < c->part_count; k++) sum += c->parts[k].mu * part_norm(&c->parts[k], u);
    return sum;
}

void cone_shift_gradient(const cone *c, const double *u, double *row)
{
    memset(row, 0, (size_t)c->rows * sizeof *row);
    for (int k = 0; k < c->part_count; k++) {
        const cone_part *part = &c->parts[k];
        const double T = part_norm(part, u);
        if (T <= 0.0) continue;
        for (int i = part->first; i < part->first + part->size; i++) row[i] = part->mu * u[i] / T;
    }
}
