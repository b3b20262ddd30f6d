#include "cone/factor.h"

#include <math.h>
#include <string.h>

enum { GROUP_ROWS_MAX = 24 };

void cone_factor_destroy(ph_cone_workspace *w)
{
    cone_factor *f = w->factor;
    if (!f) return;
    void *blocks[] = {f->graph.start, f->graph.neighbour, f->graph.weight, f->group,    f->inside, f->hash_next,
                      f->hash_head,   f->leader,          f->order,        f->position, f->later,  f->work,
                      f->pivots,      f->column,          f->places,       f->active,   f->value,  f->x,
                      f->swaps,       f->later_start};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) mem_free(w->allocator, blocks[k]);
    mem_free(w->allocator, f);
    w->factor = NULL;
}

// ---- Groups ---------------------------------------------------------------------------------------------------------

static bool same_columns(const cone_blocks *b, int i, int j)
{
    const int count = b->start[i + 1] - b->start[i];
    return count == b->start[j + 1] - b->start[j] &&
           memcmp(b->column + b->start[i], b->column + b->start[j], (size_t)count * sizeof(int)) == 0;
}

static int hash_columns(const cone_blocks *b, int i, int buckets)
{
    uint32_t h = 2166136261u;
    for (int k = b->start[i]; k < b->start[i + 1]; k++) h = (h ^ (uint32_t)b->column[k]) * 16777619u;
    return (int)(h % (uint32_t)buckets);
}

// Cones with the same columns of blocks are one group, until it is full. leader: its first cone.
static void make_groups(const ph_cone_workspace *w, cone_factor *f)
{
    const cone_blocks *b = &w->blocks;
    const int buckets = w->cone_count;
    f->graph.count = 0;
    for (int k = 0; k < buckets; k++) f->hash_head[k] = -1;
    for (int i = 0; i < w->cone_count; i++) {
        const int h = hash_columns(b, i, buckets), rows = w->cones[i].rows;
        int g = f->hash_head[h];
        while (g >= 0 && (f->graph.weight[g] + rows > GROUP_ROWS_MAX || !same_columns(b, i, f->leader[g]))) {
            g = f->hash_next[g];
        }
        if (g < 0) {
            g = f->graph.count++;
            f->leader[g] = i;
            f->graph.weight[g] = 0;
            f->hash_next[g] = f->hash_head[h];
            f->hash_head[h] = g;
        }
        f->group[i] = g;
        f->inside[i] = f->graph.weight[g];
        f->graph.weight[g] += rows;
    }
}

// Groups that a group's cones are coupled to, each once. `seen` is scratch, one for each group.
static int group_neighbours(const ph_cone_workspace *w, const cone_factor *f, int g, int *seen, int *neighbour)
{
    const cone_blocks *b = &w->blocks;
    const int i = f->leader[g];
    int count = 0;
    for (int k = b->start[i]; k < b->start[i + 1]; k++) {
        const int other = f->group[b->column[k]];
        if (other == g || seen[other] == g + 1) continue;
        seen[other] = g + 1;
        neighbour[count++] = other;
    }
    return count;
}

static bool make_graph(ph_cone_workspace *w)
{
    cone_factor *f = w->factor;
    cone_graph *g = &f->graph;
    const size_t n = (size_t)w->cone_count, blocks = (size_t)w->blocks.start[n];
    if (!cone_reserve(w, &f->group, &f->group_room, n, sizeof(int)) ||
        !cone_reserve(w, &f->inside, &f->inside_room, n, sizeof(int)) ||
        !cone_reserve(w, &f->hash_next, &f->next_room, n, sizeof(int)) ||
        !cone_reserve(w, &f->hash_head, &f->head_room, n, sizeof(int)) ||
        !cone_reserve(w, &f->leader, &f->leader_room, n, sizeof(int)) ||
        !cone_reserve(w, &g->weight, &g->weight_room, n, sizeof(int)) ||
        !cone_reserve(w, &g->start, &g->start_room, n + 1, sizeof(int)) ||
        !cone_reserve(w, &g->neighbour, &g->neighbour_room, blocks, sizeof(int))) {
        return false;
    }
    make_groups(w, f);
    int *seen = f->hash_head;
    memset(seen, 0, n * sizeof(int));
    g->start[0] = 0;
    for (int k = 0; k < g->count; k++) {
        g->start[k + 1] = g->start[k] + group_neighbours(w, f, k, seen, g->neighbour + g->start[k]);
    }
    return true;
}

// ---- Places of all numbers ------------------------------------------------------------------------------------------

static void make_pivots(ph_cone_workspace *w)
{
    cone_factor *f = w->factor;
    size_t at = 0;
    for (int k = 0, x = 0; k < f->graph.count; k++) {
        cone_pivot *p = &f->pivots[k];
        *p = (cone_pivot){.size = f->graph.weight[f->order[k]], .x = x};
        p->later_start = f->later_start[k];
        p->later_end = f->later_start[k + 1];
        for (int l = p->later_start; l < p->later_end; l++) {
            f->column[l] = p->width;
            p->width += f->graph.weight[f->order[f->later[l]]];
        }
        p->D = at;
        p->V = p->D + (size_t)(p->size * p->size);
        p->T = p->V + (size_t)p->size * (size_t)p->width;
        at = p->T + (size_t)p->size * (size_t)p->width;
        x += p->size;
    }
    f->value_count = at;
}

// First column of the group at place j in the panels of pivot i; it is there.
static int panel_column(const cone_factor *f, const cone_pivot *p, int j)
{
    int low = p->later_start, high = p->later_end - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (f->later[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return f->column[low];
}

static cone_place find_place(const cone_factor *f, int i, int j)
{
    const int pi = f->position[f->group[i]], pj = f->position[f->group[j]];
    const cone_pivot *p = &f->pivots[pi < pj ? pi : pj];
    const size_t a = (size_t)f->inside[i], b = (size_t)f->inside[j];
    if (pi == pj) return (cone_place){p->D + a * (size_t)p->size + b, p->size, 1};
    if (pi < pj) {
        return (cone_place){p->V + a * (size_t)p->width + (size_t)panel_column(f, p, pj) + b, p->width, 1};
    }
    return (cone_place){p->T + b * (size_t)p->width + (size_t)panel_column(f, p, pi) + a, 1, p->width};
}

static bool make_places(ph_cone_workspace *w)
{
    cone_factor *f = w->factor;
    const cone_blocks *b = &w->blocks;
    const size_t n = (size_t)f->graph.count;
    if (!cone_reserve(w, &f->pivots, &f->pivots_room, n, sizeof(cone_pivot)) ||
        !cone_reserve(w, &f->active, &f->active_room, n, sizeof(bool)) ||
        !cone_reserve(w, &f->column, &f->column_room, (size_t)f->later_start[n], sizeof(int)) ||
        !cone_reserve(w, &f->places, &f->places_room, (size_t)b->start[w->cone_count], sizeof(cone_place)) ||
        !cone_reserve(w, &f->x, &f->x_room, (size_t)w->rows, sizeof(double)) ||
        !cone_reserve(w, &f->swaps, &f->swaps_room, (size_t)w->rows, sizeof(int))) {
        return false;
    }
    make_pivots(w);
    if (!cone_reserve(w, &f->value, &f->value_room, f->value_count, sizeof(double))) return false;
    for (int i = 0; i < w->cone_count; i++) {
        for (int k = b->start[i]; k < b->start[i + 1]; k++) f->places[k] = find_place(f, i, b->column[k]);
    }
    return true;
}

bool cone_factor_order(ph_cone_workspace *w)
{
    if (!w->factor) {
        w->factor = mem_alloc(w->allocator, sizeof *w->factor);
        w->growths++;
    }
    w->has_order = w->factor && make_graph(w) && cone_order_make(w) && make_places(w);
    return w->has_order;
}

// ---- Numbers --------------------------------------------------------------------------------------------------------

void cone_factor_clear(ph_cone_workspace *w)
{
    cone_factor *f = w->factor;
    memset(f->value, 0, f->value_count * sizeof(double));
    for (int k = 0; k < f->graph.count; k++) f->active[k] = true;
}

// c <- c - a_0 B_0 - a_1 B_1 - ..., rows of B `stride` apart, a_k `stride` apart
static void subtract_rows(int n, int count, const double *a, const double *B, int stride, double *restrict c)
{
    int k = 0;
    for (; k + 4 <= count; k += 4, a += 4 * stride, B += 4 * stride) {
        const double a0 = a[0], a1 = a[stride], a2 = a[2 * stride], a3 = a[3 * stride];
        const double *restrict B0 = B, *restrict B1 = B + stride, *restrict B2 = B1 + stride,
                               *restrict B3 = B2 + stride;
        for (int i = 0; i < n; i++) c[i] -= (a0 * B0[i] + a1 * B1[i]) + (a2 * B2[i] + a3 * B3[i]);
    }
    if (count - k == 3) {
        const double a0 = a[0], a1 = a[stride], a2 = a[2 * stride];
        const double *restrict B0 = B, *restrict B1 = B + stride, *restrict B2 = B1 + stride;
        for (int i = 0; i < n; i++) c[i] -= (a0 * B0[i] + a1 * B1[i]) + a2 * B2[i];
        return;
    }
    for (; k < count; k++, a += stride, B += stride) {
        for (int i = 0; i < n; i++) c[i] -= *a * B[i];
    }
}

// LU of D in place with row exchanges. A vanishing pivot becomes tiny: the solution then has no use for that direction.
static void factor_diagonal(double *D, int n, int *swaps)
{
    double largest = 0.0;
    for (int i = 0; i < n * n; i++) largest = larger(largest, fabs(D[i]));
    const double tiny = largest > 0.0 ? 1e-15 * largest : 1.0;
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++) {
            if (fabs(D[n * i + k]) > fabs(D[n * p + k])) p = i;
        }
        swaps[k] = p;
        for (int j = 0; j < n && p != k; j++) {
            const double d = D[n * k + j];
            D[n * k + j] = D[n * p + j];
            D[n * p + j] = d;
        }
        if (fabs(D[n * k + k]) < tiny) D[n * k + k] = D[n * k + k] < 0.0 ? -tiny : tiny;
        for (int i = k + 1; i < n; i++) {
            const double l = D[n * i + k] /= D[n * k + k];
            for (int j = k + 1; j < n; j++) D[n * i + j] -= l * D[n * k + j];
        }
    }
}

// V <- D^-1 V, V n rows of `width`
static void solve_diagonal(const double *D, int n, const int *swaps, double *V, int width)
{
    for (int k = 0; k < n; k++) {
        double *a = V + (size_t)k * (size_t)width, *b = V + (size_t)swaps[k] * (size_t)width;
        for (int j = 0; j < width && a != b; j++) {
            const double d = a[j];
            a[j] = b[j];
            b[j] = d;
        }
    }
    for (int i = 1; i < n; i++) {
        double *row = V + (size_t)i * (size_t)width;
        for (int k = 0; k < i; k++) {
            const double l = D[n * i + k], *above = V + (size_t)k * (size_t)width;
            for (int j = 0; j < width; j++) row[j] -= l * above[j];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        double *row = V + (size_t)i * (size_t)width;
        for (int k = i + 1; k < n; k++) {
            const double u = D[n * i + k], *below = V + (size_t)k * (size_t)width;
            for (int j = 0; j < width; j++) row[j] -= u * below[j];
        }
        const double d = 1.0 / D[n * i + i];
        for (int j = 0; j < width; j++) row[j] *= d;
    }
}

// Takes T_ki^T V_kj off A_ij, for the later group of entry `a` of pivot k as i and all j from there on. Runs of groups that
// stand side by side in both panels are one product.
static void update_row(cone_factor *f, const cone_pivot *k, int a, bool symmetric)
{
    const cone_pivot *i = &f->pivots[f->later[a]];
    const double *Ti = f->value + k->T + f->column[a], *Vi = f->value + k->V + f->column[a];
    const double *V = f->value + k->V, *T = f->value + k->T;
    for (int r = 0; r < i->size; r++) {
        subtract_rows(i->size, k->size, Ti + r, Vi, k->width, f->value + i->D + (size_t)(r * i->size));
    }
    for (int b = a + 1, at = i->later_start; b < k->later_end;) {
        while (f->later[at] < f->later[b]) at++;
        const int from = f->column[b], to = f->column[at];
        int count = 0;
        while (b < k->later_end && at < i->later_end && f->later[at] == f->later[b]) {
            count += f->pivots[f->later[b]].size;
            b++;
            at++;
        }
        for (int r = 0; r < i->size; r++) {
            const size_t row = (size_t)r * (size_t)i->width + (size_t)to;
            subtract_rows(count, k->size, Ti + r, V + from, k->width, f->value + i->V + row);
            if (!symmetric) subtract_rows(count, k->size, Vi + r, T + from, k->width, f->value + i->T + row);
        }
    }
}

void cone_factor_run(ph_cone_workspace *w, bool symmetric)
{
    cone_factor *f = w->factor;
    for (int n = 0; n < f->graph.count; n++) {
        const cone_pivot *k = &f->pivots[n];
        if (!f->active[n]) continue;
        double *D = f->value + k->D, *V = f->value + k->V, *T = f->value + k->T;
        if (symmetric) memcpy(T, V, (size_t)k->size * (size_t)k->width * sizeof(double));
        factor_diagonal(D, k->size, f->swaps + k->x);
        solve_diagonal(D, k->size, f->swaps + k->x, V, k->width);
        for (int a = k->later_start; a < k->later_end; a++) {
            if (f->active[f->later[a]]) update_row(f, k, a, symmetric);
        }
    }
}

static void forward(const cone_factor *f, const cone_pivot *k, double *x)
{
    double *y = x + k->x;
    solve_diagonal(f->value + k->D, k->size, f->swaps + k->x, y, 1);
    for (int a = k->later_start; a < k->later_end; a++) {
        const cone_pivot *j = &f->pivots[f->later[a]];
        const double *T = f->value + k->T + f->column[a];
        for (int r = 0; r < k->size; r++) {
            for (int s = 0; s < j->size; s++) x[j->x + s] -= T[(size_t)r * (size_t)k->width + (size_t)s] * y[r];
        }
    }
}

static void backward(const cone_factor *f, const cone_pivot *k, double *x)
{
    for (int a = k->later_start; a < k->later_end; a++) {
        const cone_pivot *j = &f->pivots[f->later[a]];
        const double *V = f->value + k->V + f->column[a];
        for (int r = 0; r < k->size; r++) {
            for (int s = 0; s < j->size; s++) x[k->x + r] -= V[(size_t)r * (size_t)k->width + (size_t)s] * x[j->x + s];
        }
    }
}

// Moves vectors between the order of the problem and the order of elimination.
static void reorder(const ph_cone_workspace *w, double *x, bool back)
{
    const cone_factor *f = w->factor;
    for (int i = 0; i < w->cone_count; i++) {
        const cone *c = &w->cones[i];
        double *inner = f->x + f->pivots[f->position[f->group[i]]].x + f->inside[i];
        for (int r = 0; r < c->rows; r++) {
            if (back)
                x[c->first + r] = inner[r];
            else
                inner[r] = x[c->first + r];
        }
    }
}

void cone_factor_solve(const ph_cone_workspace *w, double *x)
{
    const cone_factor *f = w->factor;
    reorder(w, x, false);
    for (int k = 0; k < f->graph.count; k++) {
        if (f->active[k]) forward(f, &f->pivots[k], f->x);
    }
    for (int k = f->graph.count - 1; k >= 0; k--) {
        if (f->active[k]) backward(f, &f->pivots[k], f->x);
    }
    reorder(w, x, true);
}
