// Primal-dual interior point with Nesterov-Todd scaling for both laws.
//
// A set is made of atoms s = A x + c in second-order cones L of one to three rows: (mu_k x_n, x_k) for each part of a
// friction cone, +-(x - bound) for bounds. Each has a partner v in L, and
//
//     N x + q + e_n sum_k mu_k |v_k| = sum A^T v,    s o v = t e  with t -> 0,
//
// the shift (times run->weight) being there under Coulomb's law only: the tails v_k are the sliding velocities. With H = Q_w^-1 of the
// scaling point w (Q_w v = s), dv = p - H A dx and C = I + e_n (derivative of the shift)^T,
//
//     (C N + sum A^T H A) dx = sum A^T p - C (N x + q + shift - sum A^T v),
//
// p = -v for the predictor, p = -v + t s^-1 - (second-order term) for the corrector (Mehrotra). Linearising the shift makes
// this a method for Coulomb's law itself (as Acary, Armand, Nguyen 2024 do), not for a sequence of convex problems.

#include "cone/factor.h"
#include "cone/newton.h"
#include "cone/vector.h"

static const double regular = 1e-12; // added to the diagonal: impulses that neither N nor a cone holds

typedef struct atom {
    int row, tail, size; // rows of the normal and of the part, size 0: a half line
    double mu, bound;    // s = (mu x_row, x_tail); half line: s = mu (x_row - bound), mu +-1
    double s[3], v[3], ds[3], dv[3], p[3];
    double w[3], root[3], beta; // scaling point beta w with det w = 1, square root of w
} atom;

struct cone_interior {
    int count, room;
    atom *atoms;
    double *x, *Nx, *rest, *rhs, *dx, *lift, *point, *Npoint;
    bool *fixed; // rows that have no freedom
    int fixed_room;
    double start; // size of s and v at the start
    double size;  // unit of impulses and velocities: largest entry of q
    double mean;  // s.v / count
    double error; // of the projected iterate
    int blocked;  // short steps in a row
};

// ---- Second-order cones of rows 1 + size ----------------------------------------------------------------------------

static double tail_norm(const atom *a, const double *s)
{
    return a->size == 0 ? 0.0 : a->size == 1 ? fabs(s[1]) : sqrt(s[1] * s[1] + s[2] * s[2]);
}

static double product(const atom *a, const double *x, const double *y)
{
    double sum = x[0] * y[0];
    for (int i = 1; i <= a->size; i++) sum += x[i] * y[i];
    return sum;
}

static double determinant(const atom *a, const double *s)
{
    const double T = tail_norm(a, s);
    return (s[0] - T) * (s[0] + T);
}

// y <- Q_p x for det p = 1; with `inverse` Q_p^-1 x: 2 p (p.x) - J x with J = diag(1, -1, -1), p^-1 = J p
static void quadratic(const atom *a, const double *p, bool inverse, const double *x, double *y)
{
    const double sign = inverse ? -1.0 : 1.0;
    double px = p[0] * x[0];
    for (int i = 1; i <= a->size; i++) px += sign * p[i] * x[i];
    y[0] = 2.0 * p[0] * px - x[0];
    for (int i = 1; i <= a->size; i++) y[i] = 2.0 * sign * p[i] * px + x[i];
}

static void find_scaling(atom *a)
{
    const double ds = sqrt(determinant(a, a->s)), dv = sqrt(determinant(a, a->v));
    double s[3] = {0.0}, v[3] = {0.0};
    for (int i = 0; i <= a->size; i++) {
        s[i] = a->s[i] / ds;
        v[i] = a->v[i] / dv;
    }
    const double g = sqrt(0.5 * (1.0 + product(a, s, v)));
    a->w[0] = 0.5 * (s[0] + v[0]) / g;
    for (int i = 1; i <= a->size; i++) a->w[i] = 0.5 * (s[i] - v[i]) / g;
    const double r = sqrt(2.0 * (1.0 + a->w[0]));
    a->root[0] = (a->w[0] + 1.0) / r;
    for (int i = 1; i <= a->size; i++) a->root[i] = a->w[i] / r;
    a->beta = sqrt(ds / dv);
}

// H y = Q_w^-1 y / beta^2
static void apply_H(const atom *a, const double *y, double *Hy)
{
    quadratic(a, a->w, true, y, Hy);
    for (int i = 0; i <= a->size; i++) Hy[i] /= a->beta * a->beta;
}

// The second-order term of s o v in the scaled space, seen from v: beta^-1 Q_root^-1 (l \ (ds' o dv')).
static void second_order(const atom *a, double *out)
{
    double l[3] = {0}, ds[3] = {0}, dv[3] = {0}, c[3] = {0}, z[3] = {0};
    quadratic(a, a->root, false, a->v, l);
    quadratic(a, a->root, true, a->ds, ds);
    quadratic(a, a->root, false, a->dv, dv);
    for (int i = 0; i <= a->size; i++) {
        l[i] *= a->beta;
        ds[i] /= a->beta;
        dv[i] *= a->beta;
    }
    c[0] = product(a, ds, dv);
    for (int i = 1; i <= a->size; i++) c[i] = ds[0] * dv[i] + dv[0] * ds[i];
    double lc = l[0] * c[0];
    for (int i = 1; i <= a->size; i++) lc -= l[i] * c[i];
    z[0] = lc / determinant(a, l);
    for (int i = 1; i <= a->size; i++) z[i] = (c[i] - z[0] * l[i]) / l[0];
    quadratic(a, a->root, true, z, out);
    for (int i = 0; i <= a->size; i++) out[i] /= a->beta;
}

// Largest step that keeps s + step ds in the cone: least positive root of a t^2 + 2 b t + c with c = det s.
static double longest_step(const atom *a, const double *s, const double *ds)
{
    double qa = ds[0] * ds[0], qb = s[0] * ds[0];
    for (int i = 1; i <= a->size; i++) {
        qa -= ds[i] * ds[i];
        qb -= s[i] * ds[i];
    }
    const double c = determinant(a, s), disc = qb * qb - qa * c;
    double step = ds[0] < 0.0 ? -s[0] / ds[0] : HUGE_VAL;
    if (a->size > 0 && disc >= 0.0) {
        const double below = sqrt(disc) - qb;
        if (below > 0.0) step = smaller(step, c / below);
    }
    return step;
}

// ---- Between rows and atoms -----------------------------------------------------------------------------------------

// A x, without the constant
static void atom_take(const atom *a, const double *x, double *s)
{
    s[0] = a->mu * x[a->row];
    for (int i = 0; i < a->size; i++) s[1 + i] = x[a->tail + i];
}

// x <- x + scale A^T v
static void atom_give(const atom *a, double scale, const double *v, double *x)
{
    x[a->row] += scale * a->mu * v[0];
    for (int i = 0; i < a->size; i++) x[a->tail + i] += scale * v[1 + i];
}

static void add_atom(cone_interior *ip, atom a)
{
    atom_take(&a, ip->x, a.s);
    if (a.size == 0) a.s[0] -= a.mu * a.bound;
    a.v[0] = ip->start;
    ip->atoms[ip->count++] = a;
}

static void start_immovable(cone_interior *ip, const cone *c)
{
    for (int r = 0; r < c->rows; r++) ip->fixed[c->first + r] = true;
}

static void start_friction(cone_interior *ip, const cone *c)
{
    int held = 0;
    for (int k = 0; k < c->part_count; k++) {
        if (c->parts[k].mu > 0.0) ip->x[c->first] = larger(ip->x[c->first], ip->start / c->parts[k].mu);
    }
    for (int k = 0; k < c->part_count; k++) {
        const cone_part *p = &c->parts[k];
        if (p->mu > 0.0) {
            add_atom(ip, (atom){.row = c->first, .tail = c->first + p->first, .size = p->size, .mu = p->mu});
            held++;
        } else {
            for (int r = 0; r < p->size; r++) ip->fixed[c->first + p->first + r] = true;
        }
    }
    if (!held) {
        ip->x[c->first] = ip->start;
        add_atom(ip, (atom){.row = c->first, .mu = 1.0});
    }
}

static void start_bounds(cone_interior *ip, const cone *c)
{
    const double low = c->low / ip->size, high = c->high / ip->size;
    const bool has_low = isfinite(low), has_high = isfinite(high);
    double *x = &ip->x[c->first];
    *x = has_low && has_high ? 0.5 * (low + high) : has_low ? low + ip->start : has_high ? high - ip->start : 0.0;
    if (has_low && has_high && !(*x > low && *x < high)) {
        ip->fixed[c->first] = true;
        return;
    }
    if (has_low) add_atom(ip, (atom){.row = c->first, .mu = 1.0, .bound = low});
    if (has_high) add_atom(ip, (atom){.row = c->first, .mu = -1.0, .bound = high});
}

bool cone_interior_reserve(ph_cone_workspace *w)
{
    if (!w->interior) {
        w->interior = mem_alloc(w->allocator, sizeof *w->interior);
        w->growths++;
    }
    cone_interior *ip = w->interior;
    size_t atoms = 0;
    for (int i = 0; i < w->cone_count; i++)
        atoms += w->cones[i].kind == PH_CONE_FRICTION ? (size_t)w->cones[i].part_count : 2;
    return ip && cone_reserve(w, &ip->atoms, &ip->room, atoms, sizeof(atom)) &&
           cone_reserve(w, &ip->fixed, &ip->fixed_room, (size_t)w->rows, sizeof(bool));
}

void cone_interior_destroy(ph_cone_workspace *w)
{
    if (!w->interior) return;
    mem_free(w->allocator, w->interior->atoms);
    mem_free(w->allocator, w->interior->fixed);
    mem_free(w->allocator, w->interior);
    w->interior = NULL;
}

cone_interior *cone_interior_start(cone_run *run, double start)
{
    const ph_cone_workspace *w = run->w;
    cone_interior *ip = w->interior;
    double **all[] = {&ip->x, &ip->Nx, &ip->rest, &ip->rhs, &ip->dx, &ip->lift, &ip->point, &ip->Npoint};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) *all[k] = cone_take(run);
    ip->size = 0.0;
    for (int r = 0; r < w->rows; r++) ip->size = larger(ip->size, fabs(w->q[r]));
    if (!(ip->size > 0.0)) ip->size = 1.0;
    ip->count = 0;
    ip->start = start;
    memset(ip->x, 0, (size_t)w->rows * sizeof(double));
    memset(ip->fixed, 0, (size_t)w->rows * sizeof(bool));
    for (int i = 0; i < w->cone_count; i++) {
        if (w->cones[i].immovable)
            start_immovable(ip, &w->cones[i]);
        else if (w->cones[i].kind == PH_CONE_FRICTION)
            start_friction(ip, &w->cones[i]);
        else
            start_bounds(ip, &w->cones[i]);
    }
    ip->error = HUGE_VAL;
    ip->mean = 1.0;
    ip->blocked = 0;
    return ip;
}

// ---- The step -------------------------------------------------------------------------------------------------------

// rest <- N x + q + shift - sum A^T v, and the derivative of the shift in lift.
static void find_rest(const cone_run *run, cone_interior *ip)
{
    const ph_cone_workspace *w = run->w;
    cone_apply(run, ip->x, ip->Nx);
    for (int r = 0; r < w->rows; r++) {
        ip->rest[r] = ip->Nx[r] + w->q[r] / ip->size;
        ip->lift[r] = 0.0;
    }
    double sum = 0.0;
    for (int k = 0; k < ip->count; k++) {
        const atom *a = &ip->atoms[k];
        const double T = tail_norm(a, a->v);
        atom_give(a, -1.0, a->v, ip->rest);
        sum += product(a, a->s, a->v);
        if (run->weight <= 0.0 || T <= 0.0) continue;
        ip->rest[a->row] += run->weight * a->mu * T;
        for (int i = 0; i < a->size; i++) ip->lift[a->tail + i] = run->weight * a->mu * a->v[1 + i] / T;
    }
    ip->mean = ip->count ? sum / ip->count : 0.0;
}

// C N, with the rows and columns of fixed rows taken out.
static void assemble_N(ph_cone_workspace *w, const cone_interior *ip)
{
    for (int i = 0; i < w->cone_count; i++) {
        const cone *ci = &w->cones[i];
        const double *lift = ip->lift + ci->first;
        for (int k = w->blocks.start[i]; k < w->blocks.start[i + 1]; k++) {
            const cone *cj = &w->cones[w->blocks.column[k]];
            const double *N = w->blocks.value + w->blocks.offset[k];
            for (int a = 0; a < ci->rows; a++) {
                for (int b = 0; b < cj->rows; b++) {
                    const bool fixed = ip->fixed[ci->first + a] || ip->fixed[cj->first + b];
                    double value = fixed ? 0.0 : N[a * cj->rows + b];
                    for (int m = 1; m < ci->rows && a == 0 && !fixed; m++) value += lift[m] * N[m * cj->rows + b];
                    *cone_factor_entry(w->factor, k, a, b) = value;
                }
            }
        }
    }
}

// sum A^T H A and the regularisation, on the diagonal blocks.
static void assemble_H(ph_cone_workspace *w, const cone_interior *ip)
{
    for (int i = 0; i < w->cone_count; i++) {
        const cone *c = &w->cones[i];
        for (int r = 0; r < c->rows; r++) {
            *cone_factor_entry(w->factor, w->blocks.diagonal[i], r, r) += ip->fixed[c->first + r] ? 1.0 : regular;
        }
    }
    for (int k = 0; k < ip->count; k++) {
        const atom *a = &ip->atoms[k];
        const int i = w->cone_of[a->row], first = w->cones[i].first;
        const int rows[3] = {0, a->tail - first, a->tail - first + 1};
        for (int n = 0; n <= a->size; n++) {
            double unit[3] = {0.0}, column[3];
            unit[n] = n ? 1.0 : a->mu;
            apply_H(a, unit, column);
            column[0] *= a->mu;
            for (int m = 0; m <= a->size; m++) {
                *cone_factor_entry(w->factor, w->blocks.diagonal[i], rows[m], rows[n]) += column[m];
            }
        }
    }
}

// dx, ds, dv for the p of the atoms.
static void solve_direction(cone_run *run, cone_interior *ip)
{
    const ph_cone_workspace *w = run->w;
    for (int i = 0; i < w->cone_count; i++) {
        const cone *c = &w->cones[i];
        double *b = ip->dx + c->first;
        for (int r = 0; r < c->rows; r++) b[r] = -ip->rest[c->first + r];
        for (int r = 1; r < c->rows; r++) b[0] += ip->lift[c->first + r] * b[r];
    }
    for (int k = 0; k < ip->count; k++) atom_give(&ip->atoms[k], 1.0, ip->atoms[k].p, ip->dx);
    for (int r = 0; r < w->rows; r++) {
        if (ip->fixed[r]) ip->dx[r] = 0.0;
    }
    cone_factor_solve(w, ip->dx);
    for (int k = 0; k < ip->count; k++) {
        atom *a = &ip->atoms[k];
        double Hds[3];
        atom_take(a, ip->dx, a->ds);
        apply_H(a, a->ds, Hds);
        for (int i = 0; i <= a->size; i++) a->dv[i] = a->p[i] - Hds[i];
    }
}

static double longest_common_step(const cone_interior *ip)
{
    double step = HUGE_VAL;
    for (int k = 0; k < ip->count; k++) {
        const atom *a = &ip->atoms[k];
        step = smaller(step, smaller(longest_step(a, a->s, a->ds), longest_step(a, a->v, a->dv)));
    }
    return step;
}

// Mean of s.v after a step.
static double mean_after(const cone_interior *ip, double step)
{
    double sum = 0.0;
    for (int k = 0; k < ip->count; k++) {
        const atom *a = &ip->atoms[k];
        for (int i = 0; i <= a->size; i++) sum += (a->s[i] + step * a->ds[i]) * (a->v[i] + step * a->dv[i]);
    }
    return ip->count ? sum / ip->count : 0.0;
}

static void predictor(cone_run *run, cone_interior *ip)
{
    for (int k = 0; k < ip->count; k++) {
        atom *a = &ip->atoms[k];
        for (int i = 0; i <= a->size; i++) a->p[i] = -a->v[i];
    }
    solve_direction(run, ip);
}

static void corrector(cone_run *run, cone_interior *ip, double t, bool with_second_order)
{
    for (int k = 0; k < ip->count; k++) {
        atom *a = &ip->atoms[k];
        const double det = determinant(a, a->s);
        double second[3] = {0.0};
        if (with_second_order) second_order(a, second);
        for (int i = 0; i <= a->size; i++) a->p[i] = -a->v[i] + (i ? -t : t) * a->s[i] / det - second[i];
    }
    solve_direction(run, ip);
}

static void advance(const cone_run *run, cone_interior *ip, double step)
{
    for (int r = 0; r < run->w->rows; r++) ip->x[r] += step * ip->dx[r];
    for (int k = 0; k < ip->count; k++) {
        atom *a = &ip->atoms[k];
        for (int i = 0; i <= a->size; i++) {
            a->s[i] += step * a->ds[i];
            a->v[i] += step * a->dv[i];
        }
    }
}

static void offer_projection(cone_run *run, cone_interior *ip)
{
    const ph_cone_workspace *w = run->w;
    for (int r = 0; r < w->rows; r++) ip->point[r] = ip->size * ip->x[r];
    vec_project_step(w, ip->point, 0.0, ip->point, ip->point);
    cone_apply(run, ip->point, ip->Npoint);
    cone_offer(run, ip->point, ip->Npoint);
    ip->error = cone_error(run, ip->point, ip->Npoint, NULL);
}

bool cone_interior_step(cone_run *run, cone_interior *ip)
{
    run->budget--;
    run->iterations++;
    find_rest(run, ip);
    for (int k = 0; k < ip->count; k++) find_scaling(&ip->atoms[k]);
    cone_factor_clear(run->w);
    assemble_N(run->w, ip);
    assemble_H(run->w, ip);
    cone_factor_run(run->w, run->weight <= 0.0);
    run->factorisations++;
    predictor(run, ip);
    const double reach = smaller(1.0, longest_common_step(ip));
    const double ratio = ip->count ? mean_after(ip, reach) / ip->mean : 0.0;
    if (!isfinite(ratio)) return false;
    corrector(run, ip, smaller(1.0, larger(ratio * ratio * ratio, 1e-12)) * ip->mean, true);
    double step = smaller(1.0, 0.99 * longest_common_step(ip));
    if (step < 0.1) { // too near a wall: back to the middle first
        corrector(run, ip, ip->mean, false);
        step = smaller(1.0, 0.99 * longest_common_step(ip));
    }
    if (!isfinite(step)) return false;
    advance(run, ip, step);
    offer_projection(run, ip);
    ip->blocked = step < 0.01 ? ip->blocked + 1 : 0;
    return isfinite(ip->error) && ip->blocked < 3;
}

double cone_interior_error(const cone_interior *ip)
{
    return ip->error;
}
