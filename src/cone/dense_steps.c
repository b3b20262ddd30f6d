#include "cone/dense_steps.h"

#include "cone/sweep.h"
#include "math/four.h"

#include <math.h>
#include <string.h>

// ---- Products and errors --------------------------------------------------------------------------------------------

void dense_cones_product(int n, const double *N, const double *q, const double *g, double *u)
{
    for (int i = 0; i < n; i++) u[i] = q[i];
    for (int j = 0; j < n; j++) { // N is symmetric: its columns are its rows
        const double *row = N + j * n, x = g[j];
        if (x == 0.0) continue;
        for (int i = 0; i < n; i++) u[i] += row[i] * x;
    }
}

// d |g - D(g - u/d)| of one or two rows with the radius `most`.
static double part_error(int size, double d, double most, const double *g, const double *u)
{
    const double z0 = g[0] - u[0] / d, z1 = size == 2 ? g[1] - u[1] / d : 0.0;
    const double length = size == 2 ? sqrt(z0 * z0 + z1 * z1) : fabs(z0);
    const double scale = length > most ? most / length : 1.0;
    const double x0 = g[0] - scale * z0, x1 = size == 2 ? g[1] - scale * z1 : 0.0;
    return d * larger(fabs(x0), fabs(x1));
}

static double clamp(const cone *c, double x)
{
    return x < c->low ? c->low : x > c->high ? c->high : x;
}

static double cone_violation(const cone *c, const double *d, const double *g, const double *u)
{
    if (c->immovable) return 0.0;
    if (c->kind == PH_CONE_FREE) return fabs(u[0]);
    if (c->kind != PH_CONE_FRICTION) return d[0] * fabs(g[0] - clamp(c, g[0] - u[0] / d[0]));
    double worst = fabs(g[0] * d[0] < u[0] ? g[0] * d[0] : u[0]);
    for (int k = 0; k < c->part_count; k++) {
        const int f = c->parts[k].first;
        const double most = c->parts[k].mu * larger(g[0], 0.0);
        if (d[f] > 0.0) worst = larger(worst, part_error(c->parts[k].size, d[f], most, g + f, u + f));
    }
    return worst;
}

double dense_cones_error(const dense_cones *s, const double *g, const double *u)
{
    double worst = 0.0;
    for (int r = 0; r < s->n; r++)
        if (!(s->d[r] * fabs(g[r]) <= s->limit)) return HUGE_VAL;
    for (int i = 0; i < s->count; i++) {
        const cone *c = &s->cones[i];
        const double e = cone_violation(c, s->d + c->first, g + c->first, u + c->first);
        if (!(e <= worst)) worst = isfinite(e) ? e : HUGE_VAL;
    }
    return worst;
}

// ---- Which rows are which -------------------------------------------------------------------------------------------

// `shape` of a part that slips: its direction, cosine and sine. Of a row that is fixed: the value.
static void fix(dense_cones *s, int first, int count)
{
    for (int r = first; r < first + count; r++) {
        s->state[r] = ROW_FIXED;
        s->shape[r] = 0.0;
    }
}

static bool decide_part(dense_cones *s, int first, int size, double mu, double z_n, const double *g, const double *u)
{
    const double d = s->d[first];
    if (mu <= 0.0 || !(d > 0.0)) { // nothing to be had, or nothing moves
        fix(s, first, size);
        return false;
    }
    const double z0 = g[first] - u[first] / d, z1 = size == 2 ? g[first + 1] - u[first + 1] / d : 0.0;
    const double length = size == 2 ? sqrt(z0 * z0 + z1 * z1) : fabs(z0);
    const bool slips = length > mu * z_n;
    s->state[first] = slips ? ROW_ALONG : ROW_HOLDS;
    s->shape[first] = z0 / length;
    if (size == 1) return slips;
    s->state[first + 1] = slips ? ROW_ACROSS : ROW_HOLDS;
    s->shape[first + 1] = z1 / length;
    return slips;
}

// Returns whether something slips.
static bool decide_cone(dense_cones *s, const cone *c, const double *g, const double *u)
{
    const int f = c->first;
    if (c->immovable) {
        fix(s, f, c->rows);
        return false;
    }
    const double z = g[f] - u[f] / s->d[f];
    bool slips = false;
    s->state[f] = ROW_HOLDS;
    if (c->kind == PH_CONE_FREE) return false;
    if (c->kind == PH_CONE_FRICTION && z <= 0.0) {
        fix(s, f, c->rows);
    } else if (c->kind == PH_CONE_FRICTION) {
        for (int k = 0; k < c->part_count; k++)
            slips |= decide_part(s, f + c->parts[k].first, c->parts[k].size, c->parts[k].mu, z, g, u);
    } else if (z <= c->low || z >= c->high) {
        s->state[f] = ROW_FIXED;
        s->shape[f] = clamp(c, z);
    }
    return slips;
}

// ---- The equations --------------------------------------------------------------------------------------------------

// v <- u with the rows that are fixed where they will be; row <- the others. Returns how many.
static int reduce(dense_cones *s, const double *N, const double *g, const double *u)
{
    int count = 0;
    for (int i = 0; i < s->n; i++) s->v[i] = u[i];
    for (int r = 0; r < s->n; r++) {
        if (s->state[r] != ROW_FIXED) {
            s->row[count++] = r;
            continue;
        }
        const double change = s->shape[r] - g[r], *row = N + r * s->n;
        if (change == 0.0) continue;
        for (int i = 0; i < s->n; i++) s->v[i] += row[i] * change;
    }
    return count;
}

static inline void pad_row(int count, double *row)
{
    for (int e = count; e < dense_cones_width(count); e++) row[e] = 0.0;
}

static void put_row(const dense_cones *s, const double *N, int count, int a, double r)
{
    const double *from = N + s->row[a] * s->n;
    double *to = s->A + a * dense_cones_width(count);
    if (count == s->n)
        memcpy(to, from, sizeof(double) * (size_t)count);
    else
        for (int e = 0; e < count; e++) to[e] = from[s->row[e]];
    pad_row(count, to);
    to[a] += r * s->d[s->row[a]];
    s->b[a] = -s->v[s->row[a]];
}

// e.g_k - mu g_n = 0; `normal`: the place of the normal row among those of the step.
static void put_along(const dense_cones *s, int count, int a, int normal, const cone_part *part, const double *g)
{
    const int f = s->row[a];
    const double d = s->d[f], c = s->shape[f], e = part->size == 2 ? s->shape[f + 1] : 0.0;
    double *to = s->A + a * dense_cones_width(count);
    for (int k = 0; k < dense_cones_width(count); k++) to[k] = 0.0;
    to[normal] = -part->mu * d;
    to[a] = c * d;
    s->b[a] = -d * (c * g[f] - part->mu * g[s->row[normal]]);
    if (part->size == 1) return;
    to[a + 1] = e * d;
    s->b[a] -= d * e * g[f + 1];
}

static void put_across(const dense_cones *s, const double *N, int count, int a, int normal, const cone_part *part,
                       const double *g, const double *u)
{
    const int f = s->row[a] - 1;
    const double d = s->d[f], p0 = -s->shape[f + 1], p1 = s->shape[f], *N0 = N + f * s->n, *N1 = N0 + s->n;
    const double z0 = g[f] - u[f] / d, z1 = g[f + 1] - u[f + 1] / d;
    const double share = part->mu * larger(g[s->row[normal]], 0.0) / sqrt(z0 * z0 + z1 * z1), k = smaller(share, 1.0);
    double *to = s->A + a * dense_cones_width(count);
    for (int e = 0; e < count; e++) to[e] = k * (p0 * N0[s->row[e]] + p1 * N1[s->row[e]]);
    pad_row(count, to);
    to[a - 1] += (1.0 - k) * d * p0;
    to[a] += (1.0 - k) * d * p1;
    s->b[a] = -d * (p0 * g[f] + p1 * g[f + 1]) - k * (p0 * (s->v[f] - u[f]) + p1 * (s->v[f + 1] - u[f + 1]));
}

static void assemble(const dense_cones *s, const double *N, int count, double r, const double *g, const double *u)
{
    int a = 0;
    for (int i = 0; i < s->count; i++) {
        const cone *c = &s->cones[i];
        const int normal = a;
        if (a < count && s->row[a] == c->first) put_row(s, N, count, a++, r);
        for (int k = 0; k < c->part_count; k++) {
            const cone_part *part = &c->parts[k];
            for (; a < count && s->row[a] < c->first + part->first + part->size; a++) {
                const row_state state = s->state[s->row[a]];
                if (state == ROW_HOLDS)
                    put_row(s, N, count, a, r);
                else if (state == ROW_ALONG)
                    put_along(s, count, a, normal, part, g);
                else
                    put_across(s, N, count, a, normal, part, g, u);
            }
        }
    }
}

// ---- Factors --------------------------------------------------------------------------------------------------------

// row -= f pivot from column `from` on, and in the few before it that share its four: nobody needs those any more.
static inline void eliminate(int width, int from, double f, const double *pivot, double *row)
{
    const four scale = four_splat(f);
    for (int k = from & ~3; k < width; k += 4) four_store(row + k, four_load(row + k) - scale * four_load(pivot + k));
}

static void substitute_back(int n, const double *A, double *b)
{
    const int width = dense_cones_width(n);
    for (int i = n - 1; i >= 0; i--) {
        const double *row = A + i * width;
        double sum = b[i];
        for (int k = i + 1; k < n; k++) sum -= row[k] * b[k];
        b[i] = sum / row[i];
    }
}

// b <- A^-1 b, A symmetric: its upper half by rows, destroyed. false: a pivot is not positive.
static bool solve_symmetric(int n, double *A, double *b)
{
    const int width = dense_cones_width(n);
    for (int j = 0; j < n; j++) {
        const double *pivot = A + j * width;
        if (!(pivot[j] > 0.0)) return false;
        const double inverse = 1.0 / pivot[j];
        for (int i = j + 1; i < n; i++) {
            const double f = pivot[i] * inverse;
            if (f == 0.0) continue;
            eliminate(width, i, f, pivot, A + i * width);
            b[i] -= f * b[j];
        }
    }
    substitute_back(n, A, b);
    return true;
}

static void swap_rows(int width, int from, double *A, double *b, int i, int j)
{
    for (int k = from & ~3; k < width; k += 4) {
        const four t = four_load(A + i * width + k);
        four_store(A + i * width + k, four_load(A + j * width + k));
        four_store(A + j * width + k, t);
    }
    const double t = b[i];
    b[i] = b[j];
    b[j] = t;
}

static bool solve_general(int n, double *A, double *b)
{
    const int width = dense_cones_width(n);
    for (int j = 0; j < n; j++) {
        int best = j;
        for (int i = j + 1; i < n; i++)
            if (fabs(A[i * width + j]) > fabs(A[best * width + j])) best = i;
        if (!(fabs(A[best * width + j]) > 0.0)) return false;
        if (best != j) swap_rows(width, j, A, b, j, best);
        const double *pivot = A + j * width, inverse = 1.0 / pivot[j];
        for (int i = j + 1; i < n; i++) {
            const double f = A[i * width + j] * inverse;
            if (f == 0.0) continue;
            eliminate(width, j + 1, f, pivot, A + i * width);
            b[i] -= f * b[j];
        }
    }
    substitute_back(n, A, b);
    return true;
}

bool dense_cones_newton(dense_cones *s, const double *N, double r, double *g, const double *u)
{
    bool slips = false;
    for (int i = 0; i < s->count; i++) slips |= decide_cone(s, &s->cones[i], g, u);
    const int count = reduce(s, N, g, u);
    assemble(s, N, count, r, g, u);
    if (!(slips ? solve_general : solve_symmetric)(count, s->A, s->b)) return false;
    for (int k = 0; k < s->n; k++)
        if (s->state[k] == ROW_FIXED) g[k] = s->shape[k];
    for (int a = 0; a < count; a++) g[s->row[a]] += s->b[a];
    return true;
}

// ---- Sweeps ---------------------------------------------------------------------------------------------------------

// x_n by itself, then every part in the disc that it allows.
static void solve_parts(const dense_cones *s, const double *N, const cone *c, const double *u, double *x)
{
    const int n = s->n, f = c->first;
    const double old = x[0], a = N[f * n + f];
    x[0] = larger(0.0, x[0] - u[0] / a);
    for (int k = 0; k < c->part_count; k++) {
        const cone_part *part = &c->parts[k];
        const double most = part->mu * x[0],
                     bound = part->size * s->d[f + part->first]; // trace: not below an eigenvalue
        double size = 0.0;
        for (int r = part->first; r < part->first + part->size; r++) {
            x[r] -= (u[r] + N[f * n + f + r] * (x[0] - old)) / bound;
            size += x[r] * x[r];
        }
        const double scale = size > most * most ? most / sqrt(size) : 1.0;
        for (int r = part->first; r < part->first + part->size; r++) x[r] *= scale;
    }
}

static void solve_cone(const dense_cones *s, const double *N, const cone *c, const double *u, double *x)
{
    const int n = s->n, f = c->first;
    if (c->immovable) return;
    if (c->rows == 1) {
        x[0] = clamp(c, x[0] - u[0] / N[f * n + f]);
    } else if (c->rows == 3) {
        double A[9], p[3];
        for (int r = 0; r < 3; r++) {
            p[r] = u[r];
            for (int k = 0; k < 3; k++) {
                A[3 * r + k] = N[(f + r) * n + f + k];
                p[r] -= A[3 * r + k] * x[k];
            }
        }
        cone_solve_contact(c->parts[0].mu, A, p, u, x);
    } else {
        solve_parts(s, N, c, u, x);
    }
}

// It jams: without an impulse the others go on.
static bool is_beyond(const dense_cones *s, const cone *c, const double *g)
{
    for (int r = c->first; r < c->first + c->rows; r++)
        if (!(s->d[r] * fabs(g[r]) <= s->limit)) return true;
    return false;
}

void dense_cones_sweep(dense_cones *s, const double *N, double *g, double *u)
{
    for (int i = 0; i < s->count; i++) {
        const cone *c = &s->cones[i];
        double old[CONE_ROWS_MAX];
        for (int r = 0; r < c->rows; r++) old[r] = g[c->first + r];
        solve_cone(s, N, c, u + c->first, g + c->first);
        if (is_beyond(s, c, g)) memset(g + c->first, 0, sizeof(double) * (size_t)c->rows);
        for (int r = 0; r < c->rows; r++) {
            const double change = g[c->first + r] - old[r], *row = N + (c->first + r) * s->n;
            if (change == 0.0) continue;
            for (int k = 0; k < s->n; k++) u[k] += row[k] * change;
        }
    }
}
