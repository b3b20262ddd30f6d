#include "adjoint/contact_cones.h"

#include <math.h>
#include <string.h>

enum { ROWS = CONE_ROWS_MAX };

// Between impulses and velocities of a cone, so that both count.
static double scale_of(const cone_point *p, const cone *c)
{
    double sum = 0.0;
    for (int r = c->first; r < c->first + c->rows; r++) sum += p->N[r * p->rows + r];
    return sum > 0.0 ? c->rows / sum : 1.0;
}

typedef struct cone_parts { // of one cone
    double r, z[ROWS], D[ROWS * ROWS], S[ROWS], w[ROWS];
} cone_parts;

static cone_parts parts_of(const cone_point *p, const cone *c)
{
    cone_parts at = {.r = scale_of(p, c)};
    for (int k = 0; k < c->rows; k++) {
        at.w[k] = p->w[c->first + k];
        at.z[k] = p->g[c->first + k] - at.r * at.w[k];
    }
    if (cone_derivative(c, at.z, at.D) == 0) memset(at.D, 0, sizeof at.D);
    if (p->shifted && c->kind == PH_CONE_FRICTION) cone_shift_gradient(c, at.w, at.S);
    return at;
}

// ---- The matrix -----------------------------------------------------------------------------------------------------

// Adds (I - S)(I - D)/r of a cone, S = e_n times a row.
static void add_block(const cone_point *p, const cone *c, const cone_parts *at, double *A)
{
    const int m = c->rows, n = p->rows;
    for (int j = 0; j < m; j++) {
        double shift = 0.0;
        for (int k = 0; k < m; k++) shift += at->S[k] * ((k == j) - at->D[k * m + j]);
        for (int i = 0; i < m; i++)
            A[(c->first + i) * n + c->first + j] += ((i == j) - at->D[i * m + j] - (i == 0 ? shift : 0.0)) / at->r;
    }
}

static void add_product(const cone_point *p, const cone *c, const cone_parts *at, double *A)
{
    const int m = c->rows, n = p->rows;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < m; k++) A[i * n + c->first + j] += p->N[i * n + c->first + k] * at->D[k * m + j];
}

// Solves A^T y = b by elimination with the largest pivot of all that is left. Where contacts are redundant A is singular and b in the range of
// A^T: what is left undetermined is zero. Returns the rank.
static int solve_transposed(int n, double *A, double *b, double *y, double *order)
{
    double largest = 0.0;
    int done = 0;
    for (int k = 0; k < n; k++) order[k] = k;
    for (; done < n; done++) { // rows of A^T are columns of A: A[j n + i] is entry (i, j)
        int row = done, column = done;
        double best = 0.0;
        for (int j = done; j < n; j++)
            for (int i = done; i < n; i++)
                if (fabs(A[j * n + i]) > best) best = fabs(A[j * n + i]), row = i, column = j;
        largest = fmax(largest, best);
        if (!(best > 1e-11 * largest)) break;
        for (int j = 0; j < n; j++) {
            const double t = A[j * n + row];
            A[j * n + row] = A[j * n + done], A[j * n + done] = t;
        }
        for (int i = 0; i < n; i++) {
            const double t = A[column * n + i];
            A[column * n + i] = A[done * n + i], A[done * n + i] = t;
        }
        const double t = b[row], o = order[column];
        b[row] = b[done], b[done] = t;
        order[column] = order[done], order[done] = o;
        for (int i = done + 1; i < n; i++) {
            const double f = A[done * n + i] / A[done * n + done];
            for (int j = done + 1; j < n && f != 0.0; j++) A[j * n + i] -= f * A[j * n + done];
            b[i] -= f * b[done];
        }
    }
    memset(y, 0, sizeof(double) * (size_t)n);
    for (int i = done - 1; i >= 0; i--) {
        double sum = b[i];
        for (int j = i + 1; j < done; j++) sum -= A[j * n + i] * y[(int)order[j]];
        y[(int)order[i]] = sum / A[i * n + i];
    }
    return done;
}

// ---- Coefficients ---------------------------------------------------------------------------------------------------

// P_theta of a coefficient of friction: of part k where it is shortened,
//     dn' = (T_k - 2 mu_k n')/(1 + sum of mu^2),  d(part j) = (n' if j is k + mu_j dn') t_j.
static void by_friction(const cone *c, const cone_parts *at, int k, double *P)
{
    double y[ROWS], T[CONE_PARTS_MAX], weight = 1.0;
    bool is_short[CONE_PARTS_MAX] = {false};
    cone_project(c, at->z, y);
    for (int j = 0; j < c->part_count; j++) {
        const cone_part *part = &c->parts[j];
        const double a = at->z[part->first], b = part->size > 1 ? at->z[part->first + 1] : 0.0;
        T[j] = sqrt(a * a + b * b);
        is_short[j] = y[0] > 0.0 && T[j] > part->mu * y[0];
        if (is_short[j]) weight += part->mu * part->mu;
    }
    if (!is_short[k]) return;
    P[0] = (T[k] - 2.0 * c->parts[k].mu * y[0]) / weight;
    for (int j = 0; j < c->part_count; j++)
        for (int i = c->parts[j].first; i < c->parts[j].first + c->parts[j].size && is_short[j]; i++)
            P[i] = ((j == k ? y[0] : 0.0) + c->parts[j].mu * P[0]) * at->z[i] / T[j];
}

static double shift_by(const cone *c, const cone_parts *at, int k)
{
    const cone_part *part = &c->parts[k];
    const double a = at->w[part->first], b = part->size > 1 ? at->w[part->first + 1] : 0.0;
    return sqrt(a * a + b * b);
}

// P_theta . (g_bar + (N + (S - I)/r)^T y), the columns of the cone.
static double weigh(const cone_point *p, const cone *c, const cone_parts *at, const double *P)
{
    double sum = 0.0;
    for (int k = 0; k < c->rows; k++) {
        const int col = c->first + k;
        double v = p->g_bar[col] + (at->S[k] * p->y[c->first] - p->y[col]) / at->r;
        for (int i = 0; i < p->rows; i++) v += p->N[i * p->rows + col] * p->y[i];
        sum += P[k] * v;
    }
    return sum;
}

static void pull_coefficients(const cone_point *p, const cone *c, const cone_parts *at, double *by)
{
    for (int k = 0; k < c->part_count; k++) {
        double P[ROWS] = {0};
        by_friction(c, at, k, P);
        by[k] = weigh(p, c, at, P) + (p->shifted ? shift_by(c, at, k) * p->y[c->first] : 0.0);
    }
    const double one[ROWS] = {1.0};
    if (c->kind != PH_CONE_INTERVAL) return;
    if (at->z[0] < c->low) by[0] = weigh(p, c, at, one);
    if (at->z[0] > c->high) by[1] = weigh(p, c, at, one);
}

// ---------------------------------------------------------------------------------------------------------------------

static bool slides(const cone *c, const cone_parts *at)
{
    if (c->kind != PH_CONE_FRICTION || c->parts[0].mu == 0.0) return false;
    const double T = sqrt(at->z[1] * at->z[1] + at->z[2] * at->z[2]);
    return at->z[0] > -c->parts[0].mu * T && T > c->parts[0].mu * at->z[0];
}

static bool is_kink(const cone *c, const cone_parts *at, double largest)
{
    const double near = 1e-9;
    double size = 0.0, slip = 0.0;
    for (int k = 0; k < c->rows; k++) size = fmax(size, fabs(at->z[k])), slip = fmax(slip, at->r * fabs(at->w[k]));
    if (c->kind == PH_CONE_INTERVAL)
        return fmin(fabs(at->z[0] - c->low), fabs(at->z[0] - c->high)) < near * (c->high - c->low);
    if (c->kind != PH_CONE_FRICTION) return size > 0.0 && size < near * largest;
    if (size < near * largest) return true;
    const double T = sqrt(at->z[1] * at->z[1] + at->z[2] * at->z[2]), limit = c->parts[0].mu * at->z[0];
    return c->parts[0].mu > 0.0 && at->z[0] > 0.0 && slip < near * size && fabs(T - limit) < near * size;
}

void cone_point_pull(cone_point *p)
{
    const int n = p->rows;
    double *A = p->room, *b = A + n * n, *order = b + n;
    double largest = 0.0;
    memset(A, 0, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < p->cone_count; i++) {
        const cone *c = &p->cones[i];
        const cone_parts at = parts_of(p, c);
        add_product(p, c, &at, A);
        add_block(p, c, &at, A);
        for (int k = 0; k < c->rows; k++) {
            b[c->first + k] = 0.0;
            largest = fmax(largest, fabs(at.z[k]));
            for (int j = 0; j < c->rows; j++) b[c->first + k] -= at.D[j * c->rows + k] * p->g_bar[c->first + j];
        }
    }
    const bool redundant = solve_transposed(n, A, b, p->y, order) < n;
    for (int i = 0; i < p->cone_count; i++) {
        const cone_parts at = parts_of(p, &p->cones[i]);
        memset(p->by + CONE_PARTS_MAX * i, 0, sizeof(double) * CONE_PARTS_MAX);
        pull_coefficients(p, &p->cones[i], &at, p->by + CONE_PARTS_MAX * i);
        p->kinks += is_kink(&p->cones[i], &at, largest);
        p->shared = p->shared || (redundant && slides(&p->cones[i], &at));
    }
}
