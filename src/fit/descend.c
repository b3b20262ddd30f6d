// See descend.h. With multipliers l and penalty r the function is L = f + l c + r/2 c^2. Its model about x,
//
//     g p + 1/2 p H p + r/2 (c + l/r + A p)^2     for low <= x + p <= high, |p| <= box,
//
// takes the derivatives of c as they are and H, of f + l c, by updates of Broyden, Fletcher, Goldfarb and Shanno (damped after Powell).
// The system of its free variables is [H A^T; A -1/r], solved by Cholesky's factor of H and of the small complement; which variables
// are at bounds is found by exchanging sets (Hintermueller, Ito and Kunisch 2002).
#include "fit/descend.h"

#include <math.h>
#include <string.h>

typedef struct solver {
    descent *d;
    int n, m;
    double *x, *trial, *g, *A, *c, *next_g, *next_A, *next_c;
    double *l;     // multipliers
    double *y;     // of the last model
    double *H, *p; // n x n; step
    double *L;     // factor of the free part of H
    double *W, *S; // L^-1 A^T (n x m), complement (m x m)
    double *b, *s, *u, *work;
    int *free, *side; // free variables; -1, 0, 1: at the lower bound, free, at the upper one
    double f, next_f, penalty, box;
    double promise; // of the last model
} solver;

// ---- Cholesky -------------------------------------------------------------------------------------------------------

static bool factor(double *A, int n)
{
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            double sum = A[i * n + j];
            for (int k = 0; k < j; k++) sum -= A[i * n + k] * A[j * n + k];
            if (i == j && !(sum > 0.0)) return false;
            A[i * n + j] = i == j ? sqrt(sum) : sum / A[j * n + j];
        }
    }
    return true;
}

static void forward(const double *L, int n, double *b)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) b[i] -= L[i * n + k] * b[k];
        b[i] /= L[i * n + i];
    }
}

static void backward(const double *L, int n, double *b)
{
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) b[i] -= L[k * n + i] * b[k];
        b[i] /= L[i * n + i];
    }
}

// ---- The model ------------------------------------------------------------------------------------------------------

static double lowest(const solver *s, int i)
{
    return fmax(s->d->low[i] - s->x[i], -s->box);
}

static double highest(const solver *s, int i)
{
    return fmin(s->d->high[i] - s->x[i], s->box);
}

static int list_free(solver *s)
{
    int count = 0;
    for (int i = 0; i < s->n; i++) {
        if (s->side[i] == 0)
            s->free[count++] = i;
        else
            s->p[i] = s->side[i] < 0 ? lowest(s, i) : highest(s, i);
    }
    return count;
}

// Free variables for the sides as they are: H_FF p + A_F^T y = -(g + H_FB p_B), A_F p - y/r = -(c + l/r + A_B p_B)
static bool solve_free(solver *s, int count)
{
    const int n = s->n, m = s->m;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) s->L[i * count + j] = s->H[s->free[i] * n + s->free[j]];
    if (!factor(s->L, count)) return false;
    for (int i = 0; i < count; i++) {
        double sum = -s->g[s->free[i]];
        for (int j = 0; j < n; j++)
            if (s->side[j] != 0) sum -= s->H[s->free[i] * n + j] * s->p[j];
        s->b[i] = sum;
    }
    forward(s->L, count, s->b);
    for (int k = 0; k < m; k++) {
        double *w = s->W + k * n, sum = s->c[k] + s->l[k] / s->penalty;
        for (int j = 0; j < n; j++)
            if (s->side[j] != 0) sum += s->A[k * n + j] * s->p[j];
        for (int i = 0; i < count; i++) w[i] = s->A[k * n + s->free[i]];
        forward(s->L, count, w);
        for (int i = 0; i < count; i++) sum += w[i] * s->b[i];
        s->y[k] = sum;
    }
    for (int k = 0; k < m; k++)
        for (int j = 0; j < m; j++) {
            double sum = k == j ? 1.0 / s->penalty : 0.0;
            for (int i = 0; i < count; i++) sum += s->W[k * n + i] * s->W[j * n + i];
            s->S[k * m + j] = sum;
        }
    if (!factor(s->S, m)) return false;
    forward(s->S, m, s->y);
    backward(s->S, m, s->y);
    for (int k = 0; k < m; k++)
        for (int i = 0; i < count; i++) s->b[i] -= s->W[k * n + i] * s->y[k];
    backward(s->L, count, s->b);
    for (int i = 0; i < count; i++) s->p[s->free[i]] = s->b[i];
    return true;
}

// Slope of the model at p: g + H p + A^T y
static double slope(const solver *s, int i)
{
    double sum = s->g[i];
    for (int j = 0; j < s->n; j++) sum += s->H[i * s->n + j] * s->p[j];
    for (int k = 0; k < s->m; k++) sum += s->A[k * s->n + i] * s->y[k];
    return sum;
}

static bool exchange(solver *s)
{
    bool changed = false;
    for (int i = 0; i < s->n; i++) {
        int side = s->side[i];
        if (side == 0)
            side = s->p[i] < lowest(s, i) ? -1 : s->p[i] > highest(s, i) ? 1 : 0;
        else if (highest(s, i) > lowest(s, i) && slope(s, i) * side > 0.0)
            side = 0;
        changed = changed || side != s->side[i];
        s->side[i] = side;
    }
    return changed;
}

// How far from `from` towards p one may go, and which variable ends it there; -1: none.
static double reach(const solver *s, const double *from, int count, int *blocking)
{
    double most = 1.0;
    *blocking = -1;
    for (int k = 0; k < count; k++) {
        const int i = s->free[k];
        const double way = s->p[i] - from[i], end = way > 0.0 ? highest(s, i) : lowest(s, i);
        if (way != 0.0 && (s->p[i] - end) * way > 0.0 && (end - from[i]) / way < most)
            most = (end - from[i]) / way, *blocking = i;
    }
    return fmax(most, 0.0);
}

// Sets may be exchanged for ever. Then: from p = 0 to the least of the free variables, up to the first bound on the way, which
// then holds; and where the least is reached the variable that a bound holds back most is let go. The model never rises.
static bool walk(solver *s)
{
    double *from = s->work;
    memset(from, 0, sizeof(double) * (size_t)s->n);
    memset(s->side, 0, sizeof(int) * (size_t)s->n);
    for (int round = 0; round < 4 * s->n + 40; round++) {
        int blocking;
        const int count = list_free(s);
        if (!solve_free(s, count)) return false;
        const double part = reach(s, from, count, &blocking);
        for (int k = 0; k < count; k++) from[s->free[k]] += part * (s->p[s->free[k]] - from[s->free[k]]);
        if (blocking >= 0) {
            s->side[blocking] = s->p[blocking] > from[blocking] ? 1 : -1;
            from[blocking] = s->side[blocking] > 0 ? highest(s, blocking) : lowest(s, blocking);
            continue;
        }
        int loose = -1;
        double most = 0.0;
        for (int i = 0; i < s->n; i++) {
            const double pull = s->side[i] == 0 || !(highest(s, i) > lowest(s, i)) ? 0.0 : slope(s, i) * s->side[i];
            if (pull > most) most = pull, loose = i;
        }
        if (loose < 0) break;
        s->side[loose] = 0;
    }
    memcpy(s->p, from, sizeof(double) * (size_t)s->n);
    return true;
}

static bool find_step(solver *s)
{
    for (int i = 0; i < s->n; i++)
        if (s->side[i] != 0 && s->box < fabs(s->side[i] < 0 ? s->d->low[i] - s->x[i] : s->d->high[i] - s->x[i]))
            s->side[i] = 0; // held by the box alone
    bool changes = true;
    for (int round = 0; round < 40 && changes; round++) {
        if (!solve_free(s, list_free(s))) return false;
        changes = exchange(s);
    }
    if (changes && !walk(s)) return false;
    for (int i = 0; i < s->n; i++) s->p[i] = fmin(fmax(s->p[i], lowest(s, i)), highest(s, i));
    return true;
}

// ---- Values ---------------------------------------------------------------------------------------------------------

static double lagrangian(const solver *s, double f, const double *c)
{
    for (int k = 0; k < s->m; k++) f += s->l[k] * c[k] + 0.5 * s->penalty * c[k] * c[k];
    return f;
}

// What the model promises of L.
static double promised(const solver *s)
{
    double change = 0.0;
    for (int i = 0; i < s->n; i++) {
        double sum = 0.0;
        for (int j = 0; j < s->n; j++) sum += s->H[i * s->n + j] * s->p[j];
        change += s->p[i] * (s->g[i] + 0.5 * sum);
    }
    for (int k = 0; k < s->m; k++) {
        double sum = 0.0;
        for (int i = 0; i < s->n; i++) sum += s->A[k * s->n + i] * s->p[i];
        change += s->l[k] * sum + 0.5 * s->penalty * ((s->c[k] + sum) * (s->c[k] + sum) - s->c[k] * s->c[k]);
    }
    return -change;
}

static double largest(const double *c, int m)
{
    double most = 0.0;
    for (int k = 0; k < m; k++) most = fmax(most, fabs(c[k]));
    return most;
}

// ---- Updates --------------------------------------------------------------------------------------------------------

static double lagrangian_slope(const solver *s, const double *g, const double *A, int i)
{
    double sum = g[i];
    for (int k = 0; k < s->m; k++) sum += s->y[k] * A[k * s->n + i];
    return sum;
}

// H from the change u of the slope of f + y c along p
static void update_curvature(solver *s)
{
    const int n = s->n;
    double *Hp = s->work, *u = s->u, pHp = 0.0, pu = 0.0;
    for (int i = 0; i < n; i++) {
        Hp[i] = 0.0;
        for (int j = 0; j < n; j++) Hp[i] += s->H[i * n + j] * s->p[j];
        u[i] = lagrangian_slope(s, s->next_g, s->next_A, i) - lagrangian_slope(s, s->g, s->A, i);
        pHp += s->p[i] * Hp[i], pu += s->p[i] * u[i];
    }
    if (!(pHp > 0.0)) return;
    if (pu < 0.2 * pHp) {
        const double t = 0.8 * pHp / (pHp - pu);
        for (int i = 0; i < n; i++) u[i] = t * u[i] + (1.0 - t) * Hp[i];
        pu = 0.2 * pHp;
    }
    if (pu > 1e6 * pHp) return; // a jump, no curvature
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) s->H[i * n + j] += u[i] * u[j] / pu - Hp[i] * Hp[j] / pHp;
}

static void accept(solver *s)
{
    const size_t n = (size_t)s->n, m = (size_t)s->m;
    update_curvature(s);
    memcpy(s->x, s->trial, n * sizeof(double));
    memcpy(s->g, s->next_g, n * sizeof(double));
    memcpy(s->A, s->next_A, n * m * sizeof(double));
    memcpy(s->c, s->next_c, m * sizeof(double));
    s->f = s->next_f;
}

static void reset_curvature(solver *s)
{
    memset(s->H, 0, sizeof(double) * (size_t)s->n * (size_t)s->n);
    for (int i = 0; i < s->n; i++) s->H[i * s->n + i] = s->d->curvature[i];
}

// ---- Iterations -----------------------------------------------------------------------------------------------------

typedef enum outcome { MOVED, SMALL, REFUSED } outcome;

static ph_status try_step(solver *s, outcome *out)
{
    descent *d = s->d;
    *out = REFUSED;
    if (!find_step(s)) {
        reset_curvature(s);
        if (!find_step(s)) return PH_OK;
    }
    const double promise = s->promise = promised(s), before = lagrangian(s, s->f, s->c);
    if (!(promise > 1e-15 * (1.0 + fabs(before)))) return *out = SMALL, PH_OK;
    double size = 0.0;
    for (int i = 0; i < s->n; i++) s->trial[i] = s->x[i] + s->p[i], size = fmax(size, fabs(s->p[i]));
    d->evaluations++;
    ph_status status = d->evaluate(s->trial, &s->next_f, s->next_c, NULL, NULL, d->user);
    if (status == PH_OUT_OF_MEMORY) return status;
    const double gain = status == PH_OK ? (before - lagrangian(s, s->next_f, s->next_c)) / promise : -1.0;
    if (!(gain > 1e-4)) {
        s->box = 0.3 * fmin(s->box, size);
        return PH_OK;
    }
    status = d->evaluate(s->trial, &s->next_f, s->next_c, s->next_g, s->next_A, d->user);
    if (status != PH_OK) return status;
    accept(s);
    if (gain > 0.7) s->box = fmax(s->box, 2.5 * size);
    if (gain < 0.2) s->box = 0.5 * size;
    *out = MOVED;
    return PH_OK;
}

static bool tell(solver *s)
{
    descent *d = s->d;
    d->f = s->f, d->miss = largest(s->c, s->m);
    return !d->progress || d->progress(d->iteration, d->f, d->miss, s->x, d->user);
}

// Multipliers where the goals came nearer, a larger penalty where they did not.
static void raise(solver *s, double *miss)
{
    const double now = largest(s->c, s->m);
    if (now <= 0.5 * *miss) {
        for (int k = 0; k < s->m; k++) s->l[k] += s->penalty * s->c[k];
        *miss = now;
    } else {
        s->penalty = fmin(s->penalty * 10.0, 1e12);
    }
}

// Little is left to gain with the multipliers as they are, seen beside what the penalty still holds.
static bool settled(const solver *s)
{
    double square = 0.0;
    for (int k = 0; k < s->m; k++) square += s->c[k] * s->c[k];
    return s->promise < 0.02 * s->penalty * square;
}

static ph_status iterate(solver *s)
{
    descent *d = s->d;
    double miss = largest(s->c, s->m), cost = s->f;
    int inner = 0, quiet = 0, refused = 0;
    for (d->iteration = 0; d->iteration < d->iterations; d->iteration++) {
        outcome out;
        if (!tell(s)) return d->end = DESCENT_STOPPED, PH_OK;
        const ph_status status = try_step(s, &out);
        if (status != PH_OK) return status;
        refused = out == REFUSED ? refused + 1 : 0;
        const bool reached = largest(s->c, s->m) <= d->tolerance;
        const bool small = fabs(cost - s->f) <= d->cost_tolerance * (1e-12 + fabs(s->f));
        if (out == MOVED) quiet = reached && small ? quiet + 1 : 0, cost = s->f;
        if (quiet >= 3 || (out == SMALL && reached) || (refused > 25 && reached))
            return d->end = DESCENT_CONVERGED, PH_OK;
        if (out == SMALL || refused > 25 || ++inner >= 40 || (out == MOVED && inner >= 3 && settled(s))) {
            if (refused > 25 && s->penalty >= 1e12) return d->end = DESCENT_STUCK, PH_OK;
            if (s->m > 0) raise(s, &miss);
            if (s->m == 0 && out != MOVED) return d->end = refused ? DESCENT_STUCK : DESCENT_CONVERGED, PH_OK;
            if (refused > 25 || out == SMALL) s->box = fmax(s->box, 1e-3);
            inner = refused = 0;
        }
    }
    d->end = DESCENT_ITERATIONS;
    return PH_OK;
}

static bool make_room(solver *s, arena *a)
{
    const size_t n = (size_t)s->n, m = (size_t)s->m + 1;
    double **vectors[] = {&s->trial, &s->g, &s->next_g, &s->p, &s->b, &s->u, &s->work};
    double **tables[] = {&s->A, &s->next_A, &s->W}, **squares[] = {&s->H, &s->L},
           **small[] = {&s->c, &s->next_c, &s->l, &s->y};
    bool ok = true;
    for (int k = 0; k < 7; k++) ok = ok && (*vectors[k] = arena_alloc_array(a, n, sizeof(double)));
    for (int k = 0; k < 3; k++) ok = ok && (*tables[k] = arena_alloc_array(a, n * m, sizeof(double)));
    for (int k = 0; k < 2; k++) ok = ok && (*squares[k] = arena_alloc_array(a, n * n, sizeof(double)));
    for (int k = 0; k < 4; k++) ok = ok && (*small[k] = arena_alloc_array(a, m, sizeof(double)));
    s->S = arena_alloc_array(a, m * m, sizeof(double));
    s->free = arena_alloc_array(a, n, sizeof(int)), s->side = arena_alloc_array(a, n, sizeof(int));
    return ok && s->S && s->free && s->side;
}

ph_status descend(descent *d, double *x, arena *memory)
{
    solver s = {.d = d, .n = d->n, .m = d->m, .x = x};
    if (!make_room(&s, memory)) return PH_OUT_OF_MEMORY;
    d->evaluations = 1;
    const ph_status status = d->evaluate(x, &s.f, s.c, s.g, s.A, d->user);
    if (status != PH_OK) return status;
    double square = 0.0, range = 0.0;
    for (int k = 0; k < s.m; k++) square += s.c[k] * s.c[k];
    for (int i = 0; i < s.n; i++) range = fmax(range, fmin(d->high[i] - d->low[i], 1.0 + fabs(x[i])));
    s.penalty = square > 0.0 ? fmax(1.0, 10.0 * fabs(s.f) / square) : 1.0;
    s.box = 0.3 * range;
    reset_curvature(&s);
    const ph_status result = iterate(&s);
    tell(&s);
    return result;
}
