#include "articulated/loops.h"

#include "math/four.h"

#include <math.h>
#include <string.h>

// What is left of a row is rounding where its square is below this, beside the row's scale.
static const double LEAST = 1e-11;

// ---- Memory ---------------------------------------------------------------------------------------------------------

static bool create_group(const forest *f, int group, arena *memory, loop_group *g)
{
    const forest_group *range = &f->groups[group];
    for (int k = 0; k < range->closing_count; k++)
        g->row_count += joint_own_rows(&f->model->joints[f->closing[range->first_closing + k]]);
    g->stride = (range->freedom_count + 7) / 8 * 8;
    const size_t m = (size_t)g->row_count, n = (size_t)g->stride;
    g->rows = arena_alloc_array(memory, m, sizeof *g->rows);
    g->Y = arena_alloc_array(memory, m * n, sizeof *g->Y);
    g->Q = arena_alloc_array(memory, m * n, sizeof *g->Q);
    g->R = arena_alloc_array(memory, m * m, sizeof *g->R);
    g->kept = arena_alloc_array(memory, m, sizeof *g->kept);
    g->rhs = arena_alloc_array(memory, m + n, sizeof *g->rhs);
    g->rest = arena_alloc_array(memory, m * m, sizeof *g->rest);
    g->index = arena_alloc_array(memory, n, sizeof *g->index);
    g->path = arena_alloc_array(memory, 4 * n, sizeof *g->path);
    return g->rows && g->Y && g->Q && g->R && g->kept && g->rhs && g->rest && g->index && g->path;
}

// Which row is which, and on which branches it acts.
static void list_rows(const forest *f, int group, loop_group *g)
{
    const forest_group *range = &f->groups[group];
    loop_row *to = g->rows;
    for (int k = 0; k < range->closing_count; k++) {
        const int index = f->closing[range->first_closing + k];
        const joint *j = &f->model->joints[index];
        for (int r = 0; r < joint_own_rows(j); r++, to++) {
            *to = (loop_row){.joint = index, .row = r};
            for (int s = 0; s < JOINT_BODIES_MAX; s++)
                to->branches[s] = s < j->body_count ? forest_branch(f, j->bodies[s]) : -1;
        }
    }
}

bool loops_create(articulated *tree, arena *memory, loops *l)
{
    const forest *f = tree->forest;
    *l = (loops){.tree = tree};
    l->groups = arena_alloc_array(memory, (size_t)f->group_count, sizeof *l->groups);
    for (int g = 0; l->groups && g < f->group_count; g++) {
        if (!create_group(f, g, memory, &l->groups[g])) return false;
        list_rows(f, g, &l->groups[g]);
        l->groups[g].first = l->row_count;
        l->row_count += l->groups[g].row_count;
    }
    return l->groups;
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

// The wrenches of all rows of joint j on its bodies, from its Jacobian.
static void set_wrenches(const joint *j, const frame *frames, loop_row *rows)
{
    double B[JOINT_BODIES_MAX * 6 * JOINT_ROWS_MAX];
    joint_jacobian(j, &(motion){.frames = frames}, B);
    for (int s = 0; s < j->body_count; s++)
        for (int r = 0; r < joint_own_rows(j); r++) {
            const double *b = B + 6 * (s * j->row_count + r);
            const ph_vec3 turn = ph_mul(frames[j->bodies[s]].R, ph_vec(b[0], b[1], b[2]));
            rows[r].wrenches[s] = (spatial){{turn.x, turn.y, turn.z, b[3], b[4], b[5]}};
        }
}

// y of up to four rows += the paths of one of their sides.
static void add_side(const loops *l, const forest_group *range, int slot, int count, const loop_row *rows,
                     const loop_group *g, double *Y)
{
    wrenches K;
    for (int d = 0; d < 6; d++)
        for (int r = 0; r < 4; r++) K.v[d][r] = r < count ? rows[r].wrenches[slot].v[d] : 0.0;
    const int n = articulated_path(l->tree, rows[0].branches[slot], &K, g->index, g->path, 4, NULL);
    for (int e = 0; e < n; e++)
        for (int r = 0; r < count; r++) Y[r * g->stride + g->index[e] - range->freedom] += g->path[4 * e + r];
}

// How much the row would move the less movable of its bodies, if nothing held that: the rows themselves may be nothing but
// rounding, and are no measure. By the largest moment of inertia, as thin rods have one that is next to nothing.
static double scale_of(const loops *l, const loop_row *row)
{
    const forest *f = l->tree->forest;
    double least = HUGE_VAL;
    for (int s = 0; s < JOINT_BODIES_MAX; s++) {
        if (row->branches[s] < 0) continue;
        const body_kind *kind = f->model->bodies[f->branches[row->branches[s]].body].kind;
        const double turn = ph_norm2(spatial_turn(&row->wrenches[s])), move = ph_norm2(spatial_move(&row->wrenches[s]));
        const double scale = turn / ph_trace(kind->J) + move / kind->mass;
        if (scale < least && scale > 0.0) least = scale;
    }
    return least;
}

static void set_rows(const loops *l, int group, const frame *frames)
{
    const forest_group *range = &l->tree->forest->groups[group];
    loop_group *g = &l->groups[group];
    memset(g->Y, 0, sizeof(double) * (size_t)g->row_count * (size_t)g->stride);
    for (int first = 0, count; first < g->row_count; first += count) {
        const joint *j = &l->tree->forest->model->joints[g->rows[first].joint];
        count = joint_own_rows(j);
        set_wrenches(j, frames, g->rows + first);
        for (int r = 0; r < count; r++) g->rows[first + r].scale = scale_of(l, &g->rows[first + r]);
        for (int r = 0; r < count; r += 4)
            for (int s = 0; s < j->body_count; s++)
                if (g->rows[first].branches[s] >= 0)
                    add_side(l, range, s, count - r < 4 ? count - r : 4, g->rows + first + r, g,
                             g->Y + (first + r) * g->stride);
    }
}

// ---- The basis ------------------------------------------------------------------------------------------------------

// Of vectors as long as a multiple of eight: sums side by side, so that they vectorise, added in the same way everywhere.
static inline double product(int n, const double *a, const double *b)
{
    four even = four_splat(0.0), odd = even;
    for (int k = 0; k < n; k += 8) {
        even += four_load(a + k) * four_load(b + k);
        odd += four_load(a + k + 4) * four_load(b + k + 4);
    }
    return four_sum(even + odd);
}

static inline void add(int n, double scale, const double *q, double *v)
{
    const four s = four_splat(scale);
    for (int k = 0; k < n; k += 8) {
        four_store(v + k, four_load(v + k) + s * four_load(q + k));
        four_store(v + k + 4, four_load(v + k + 4) + s * four_load(q + k + 4));
    }
}

// v -= (q . v) q, and returns q . v
static inline double subtract(int n, const double *q, double *v)
{
    const double along = product(n, q, v);
    add(n, -along, q, v);
    return along;
}

// Takes row r, of which v is left, into the basis; once more for the digits.
static void take_row(loop_group *g, int n, int r, double *v)
{
    double *parts = g->rest + r * g->row_count, *to = g->Q + g->rank * n;
    for (int q = 0; q < g->rank; q++) parts[q] += subtract(n, g->Q + q * n, v);
    const double length = sqrt(product(n, v, v));
    const four inverse = four_splat(1.0 / length);
    for (int k = 0; k < n; k += 4) four_store(to + k, inverse * four_load(v + k));
    memcpy(g->R + g->rank * g->row_count, parts, sizeof(double) * (size_t)g->rank);
    g->R[g->rank * g->row_count + g->rank] = length;
    g->kept[g->rank++] = r;
}

// The rows first .. first + count - 1 of a joint. Rows of g->Y that are kept come out as what was left of them; nobody
// needs them any more.
static void take_joint(loop_group *g, int n, int first, int count)
{
    int since = 0;     // what the basis has had added since the rows were last looked at
    unsigned done = 0; // rows that are in it, or of which nothing is left
    for (int taken = 0; taken < count; taken++) {
        double most = 0.0;
        int best = -1;
        const int now = g->rank;
        for (int r = 0; r < count; r++) {
            double *v = g->Y + (first + r) * n, *parts = g->rest + (first + r) * g->row_count;
            if (done >> r & 1u) continue;
            for (int q = since; q < now; q++) parts[q] = subtract(n, g->Q + q * n, v);
            const double rest = product(n, v, v) / g->rows[first + r].scale;
            if (!(rest > LEAST)) {
                done |= 1u << r;
            } else if (rest > most) {
                most = rest;
                best = r;
            }
        }
        if (best < 0) return;
        done |= 1u << best;
        since = now;
        take_row(g, n, first + best, g->Y + (first + best) * n);
    }
}

void loops_make(loops *l, int group, const frame *frames)
{
    const forest *f = l->tree->forest;
    loop_group *g = &l->groups[group];
    set_rows(l, group, frames);
    g->rank = 0;
    for (int first = 0, count; first < g->row_count; first += count) {
        count = joint_own_rows(&f->model->joints[g->rows[first].joint]);
        take_joint(g, g->stride, first, count);
    }
}

// ---- Velocities -----------------------------------------------------------------------------------------------------

// With z = 0 nothing moves but what motors move.
void loops_set_constants(loops *l, int group)
{
    const forest *f = l->tree->forest;
    const forest_group *range = &f->groups[group];
    loop_group *g = &l->groups[group];
    bool driven = false;
    for (int t = range->first_tree; t < range->first_tree + range->tree_count; t++)
        for (int i = f->trees[t].first; i < f->trees[t].first + f->trees[t].count; i++)
            driven = driven || f->branches[i].motion.driven;
    for (int t = range->first_tree; t < range->first_tree + range->tree_count && driven; t++)
        articulated_up(l->tree, t, NULL);
    for (int r = 0; r < g->row_count; r++) {
        loop_row *row = &g->rows[r];
        row->constant = 0.0;
        for (int s = 0; s < JOINT_BODIES_MAX && driven; s++)
            for (int d = 0; d < 6 && row->branches[s] >= 0; d++)
                row->constant += row->wrenches[s].v[d] * l->tree->twist[row->branches[s]].v[d];
    }
}

void loops_residual(const loops *l, int group, const motion *at, double *phi)
{
    const loop_group *g = &l->groups[group];
    for (int first = 0, count; first < g->row_count; first += count) {
        const joint *j = &l->tree->forest->model->joints[g->rows[first].joint];
        double all[JOINT_ROWS_MAX + JOINT_COORDINATES_MAX];
        count = joint_own_rows(j);
        joint_residual(j, at, all);
        memcpy(phi + first, all, sizeof(double) * (size_t)count);
    }
}

// w <- R^-1 rhs over the rows kept
static void solve_triangle(const loop_group *g, const double *rhs, bool constants, double *w)
{
    for (int q = 0; q < g->rank; q++) {
        const double *R = g->R + q * g->row_count;
        double sum = rhs ? rhs[g->kept[q]] : 0.0;
        if (constants) sum -= g->rows[g->kept[q]].constant;
        for (int p = 0; p < q; p++) sum -= R[p] * w[p];
        w[q] = sum / R[q];
    }
}

// The part of z of a group, with zeros up to the stride.
static double *take_part(const loops *l, int group, const double *z)
{
    const forest_group *range = &l->tree->forest->groups[group];
    const loop_group *g = &l->groups[group];
    double *part = g->rhs + g->row_count;
    memcpy(part, z + range->freedom, sizeof(double) * (size_t)range->freedom_count);
    for (int k = range->freedom_count; k < g->stride; k++) part[k] = 0.0;
    return part;
}

static void put_part(const loops *l, int group, const double *part, double *z)
{
    const forest_group *range = &l->tree->forest->groups[group];
    memcpy(z + range->freedom, part, sizeof(double) * (size_t)range->freedom_count);
}

// Twice: the second pass takes what rounding has left of the first.
void loops_onto(loops *l, int group, const double *rhs, double *z)
{
    const loop_group *g = &l->groups[group];
    double *part = take_part(l, group, z), *w = g->rhs;
    solve_triangle(g, rhs, true, w);
    for (int pass = 0; pass < 2; pass++)
        for (int q = 0; q < g->rank; q++) {
            const double *Q = g->Q + q * g->stride;
            add(g->stride, w[q] - product(g->stride, Q, part), Q, part);
        }
    put_part(l, group, part, z);
}

void loops_solve(loops *l, int group, const double *rhs, double *z)
{
    const loop_group *g = &l->groups[group];
    double *part = g->rhs + g->row_count, *w = g->rhs;
    solve_triangle(g, rhs, false, w);
    memset(part, 0, sizeof(double) * (size_t)g->stride);
    for (int q = 0; q < g->rank; q++) add(g->stride, w[q], g->Q + q * g->stride, part);
    put_part(l, group, part, z);
}

// Two at a time: they share what is read of y.
static inline void along_two(const double *Q, const double *P, int count, const int *index, int first, const double *y,
                             int stride, double *c, double *d)
{
    four sum = four_load(c), other = four_load(d);
    for (int e = 0; e < count; e++) {
        const four v = four_load(y + e * stride);
        sum += four_splat(Q[index[e] - first]) * v;
        other += four_splat(P[index[e] - first]) * v;
    }
    four_store(c, sum);
    four_store(d, other);
}

void loops_along(const loops *l, int group, int count, const int *index, const double *y, int stride, double *c)
{
    const int first = l->tree->forest->groups[group].freedom;
    const loop_group *g = &l->groups[group];
    double none[4] = {0};
    for (int q = 0; q < g->rank; q += 2) {
        const double *Q = g->Q + q * g->stride;
        const bool two = q + 1 < g->rank;
        along_two(Q, two ? Q + g->stride : Q, count, index, first, y, stride, c + q * stride,
                  two ? c + (q + 1) * stride : none);
    }
}

void loops_along_one(const loops *l, int group, int count, const int *index, const double *y, double *c)
{
    const int first = l->tree->forest->groups[group].freedom;
    const loop_group *g = &l->groups[group];
    for (int q = 0; q < g->rank; q++)
        for (int e = 0; e < count; e++) c[q] += g->Q[q * g->stride + index[e] - first] * y[e];
}

void loops_subtract(const loops *l, int group, const double *w, double *z)
{
    const loop_group *g = &l->groups[group];
    double *part = take_part(l, group, z);
    for (int q = 0; q < g->rank; q++) add(g->stride, -w[q], g->Q + q * g->stride, part);
    put_part(l, group, part, z);
}

// Y^T lambda = Q^T c with c = Q (z - free), and Y = R Q: R^T lambda = c.
void loops_multipliers(const loops *l, int group, const double *free, const double *z, double *lambda)
{
    const forest_group *range = &l->tree->forest->groups[group];
    const loop_group *g = &l->groups[group];
    memset(lambda, 0, sizeof(double) * (size_t)g->row_count);
    for (int q = g->rank - 1; q >= 0; q--) {
        const double *Q = g->Q + q * g->stride;
        double sum = 0.0;
        for (int k = 0; k < range->freedom_count; k++) sum += Q[k] * (z[range->freedom + k] - free[range->freedom + k]);
        for (int p = q + 1; p < g->rank; p++) sum -= g->R[p * g->row_count + q] * lambda[g->kept[p]];
        lambda[g->kept[q]] = sum / g->R[q * g->row_count + q];
    }
}

void loops_apply(loops *l, int group, const double *lambda)
{
    const loop_group *g = &l->groups[group];
    for (int r = 0; r < g->row_count; r++)
        for (int s = 0; s < JOINT_BODIES_MAX && lambda[r] != 0.0; s++)
            if (g->rows[r].branches[s] >= 0)
                for (int d = 0; d < 6; d++)
                    l->tree->momentum[g->rows[r].branches[s]].v[d] += lambda[r] * g->rows[r].wrenches[s].v[d];
}
