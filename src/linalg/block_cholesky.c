#include "linalg/block_cholesky.h"

#include "linalg/small.h"

#include <math.h>
#include <string.h>

// ---- Pattern --------------------------------------------------------------------------------------------------------

static bool allocate(block_cholesky *c, const block_graph *graph, const block_order *order, arena *memory)
{
    const size_t n = (size_t)graph->node_count;
    size_t targets = 0;
    for (size_t k = 0; k < n; k++) {
        const size_t count = (size_t)(order->later_start[k + 1] - order->later_start[k]);
        targets += count * (count + 1) / 2;
    }
    c->pivots = arena_alloc_array(memory, n, sizeof *c->pivots);
    c->links = arena_alloc_array(memory, (size_t)order->later_start[n], sizeof *c->links);
    c->targets = arena_alloc_array(memory, targets, sizeof(int));
    c->position = arena_alloc_array(memory, n, sizeof(int));
    return c->pivots && c->links && c->targets && c->position;
}

static void lay_out(block_cholesky *c, const block_graph *graph, const block_order *order)
{
    for (int k = 0; k < c->pivot_count; k++) {
        cholesky_pivot *pivot = &c->pivots[k];
        c->position[order->order[k]] = k;
        pivot->size = graph->size[order->order[k]];
        pivot->x = c->x_count;
        c->x_count += pivot->size;
        pivot->diagonal = c->value_count;
        c->value_count += pivot->size * pivot->size;
        pivot->link_start = order->later_start[k];
        pivot->link_count = order->later_start[k + 1] - order->later_start[k];
        for (int l = 0; l < pivot->link_count; l++) {
            cholesky_link *link = &c->links[pivot->link_start + l];
            link->node = order->later[pivot->link_start + l];
            link->size = graph->size[order->order[link->node]];
            link->block = c->value_count;
            c->value_count += pivot->size * link->size;
        }
    }
}

// Offset of the block (row, column) by positions, row <= column.
static int find_block(const block_cholesky *c, int row, int column)
{
    const cholesky_pivot *pivot = &c->pivots[row];
    if (row == column) return pivot->diagonal;
    int low = 0, high = pivot->link_count - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (c->links[pivot->link_start + middle].node < column)
            low = middle + 1;
        else
            high = middle;
    }
    return c->links[pivot->link_start + low].block;
}

static void find_targets(block_cholesky *c)
{
    int at = 0;
    for (int k = 0; k < c->pivot_count; k++) {
        cholesky_pivot *pivot = &c->pivots[k];
        const cholesky_link *links = c->links + pivot->link_start;
        pivot->target_start = at;
        for (int i = 0; i < pivot->link_count; i++) {
            c->links[pivot->link_start + i].x = c->pivots[links[i].node].x;
            for (int j = i; j < pivot->link_count; j++) c->targets[at++] = find_block(c, links[i].node, links[j].node);
        }
    }
}

bool block_cholesky_create(const block_graph *graph, arena *memory, block_cholesky *c)
{
    block_order order;
    *c = (block_cholesky){.pivot_count = graph->node_count};
    if (!block_order_make(graph, memory, &order) || !allocate(c, graph, &order, memory)) return false;
    lay_out(c, graph, &order);
    find_targets(c);
    c->values = arena_alloc_array(memory, (size_t)c->value_count + 8, sizeof(double));
    c->part = arena_alloc_array(memory, (size_t)c->x_count, sizeof(double));
    return c->values && c->part;
}

int block_cholesky_block(const block_cholesky *c, int a, int b, bool *swapped)
{
    const int row = c->position[a], column = c->position[b];
    *swapped = row > column;
    return *swapped ? find_block(c, column, row) : find_block(c, row, column);
}

void block_cholesky_clear(block_cholesky *c)
{
    memset(c->values, 0, sizeof(double) * (size_t)c->value_count);
}

// ---- Numbers --------------------------------------------------------------------------------------------------------

// Eliminates row r of a block of n rows: its column of D becomes that of the factor, and what it shares with the rows in
// `left` goes. Without branches: the others lose zero.
SMALL_INLINE void eliminate_sized(const cholesky_pivot *pivot, int n, double *D, int r, unsigned left, double *values,
                                  const cholesky_link *links)
{
    const double inverse = 1.0 / sqrt(D[r * n + r]);
    double *column = D + r * n, share[SMALL_MAX];
    for (int q = 0; q < n; q++) column[q] *= inverse;
    column[r] = inverse;
    for (int q = 0; q < n; q++) share[q] = left >> q & 1u ? column[q] : 0.0;
    for (int s = 0; s < n; s++)
        for (int q = 0; q < n && share[s] != 0.0; q++) D[s * n + q] -= share[q] * share[s];
    for (int l = 0; l < pivot->link_count; l++) {
        double *U = values + links[l].block;
        for (int c = 0; c < links[l].size; c++, U += n) {
            const double u = U[r] *= inverse;
            for (int q = 0; q < n; q++) U[q] -= share[q] * u;
        }
    }
}

static void eliminate_row(const cholesky_pivot *pivot, double *D, int r, unsigned left, double *values,
                          const cholesky_link *links)
{
    switch (pivot->size) { // literal sizes unroll
    case 3:
        eliminate_sized(pivot, 3, D, r, left, values, links);
        break;
    case 5:
        eliminate_sized(pivot, 5, D, r, left, values, links);
        break;
    default:
        eliminate_sized(pivot, pivot->size, D, r, left, values, links);
        break;
    }
}

// The row of `left` that has kept most of its diagonal entry; -1 when all have kept at most `least`.
static int next_row(const double *D, const double *scale, int n, unsigned left, double least, double *part)
{
    int best = -1;
    for (int r = 0; r < n; r++) {
        if (!(left >> r & 1u)) continue;
        part[r] = scale[r] > 0.0 ? D[r * n + r] / scale[r] : 0.0;
        if (part[r] > least && (best < 0 || part[r] > part[best])) best = r;
    }
    return best;
}

// `part` holds the diagonal entries as they were assembled, and then the parts that are left.
static void factor_pivot(cholesky_pivot *pivot, double *values, const cholesky_link *links, double least, double *part)
{
    const int n = pivot->size;
    double *D = values + pivot->diagonal, scale[SMALL_MAX];
    unsigned left = (1u << n) - 1u;
    memcpy(scale, part, sizeof(double) * (size_t)n);
    pivot->rank = 0;
    for (int r; (r = next_row(D, scale, n, left, least, part)) >= 0;) {
        left &= ~(1u << r);
        pivot->order[pivot->rank++] = (unsigned char)r;
        eliminate_row(pivot, D, r, left, values, links);
    }
    for (int l = 0; left && l < pivot->link_count; l++)
        for (int c = 0; c < links[l].size; c++)
            for (int q = 0; q < n; q++)
                if (left >> q & 1u) values[links[l].block + c * n + q] = 0.0;
}

void block_cholesky_factor(block_cholesky *c, double least)
{
    for (int k = 0; k < c->pivot_count; k++)
        for (int r = 0; r < c->pivots[k].size; r++)
            c->part[c->pivots[k].x + r] = c->values[c->pivots[k].diagonal + r * (c->pivots[k].size + 1)];
    for (int k = 0; k < c->pivot_count; k++) {
        cholesky_pivot *pivot = &c->pivots[k];
        const cholesky_link *links = c->links + pivot->link_start;
        const int *target = c->targets + pivot->target_start, n = pivot->size;
        factor_pivot(pivot, c->values, links, least, c->part + pivot->x);
        for (int i = 0; i < pivot->link_count; i++) {
            double Ut[SMALL_MAX * SMALL_MAX];
            const double *U = c->values + links[i].block;
            for (int q = 0; q < n; q++)
                for (int p = 0; p < links[i].size; p++) Ut[q * links[i].size + p] = U[p * n + q];
            for (int j = i; j < pivot->link_count; j++)
                small_sub_product(c->values + *target++, Ut, c->values + links[j].block, links[i].size, n,
                                  links[j].size);
        }
    }
}

// x <- U^-T x
static void solve_forward(const block_cholesky *c, double *x)
{
    for (int k = 0; k < c->pivot_count; k++) {
        const cholesky_pivot *pivot = &c->pivots[k];
        const double *D = c->values + pivot->diagonal;
        const int n = pivot->size;
        double *xk = x + pivot->x, y[SMALL_MAX] = {0};
        for (int p = 0; p < pivot->rank; p++) {
            const int r = pivot->order[p];
            y[r] = xk[r] * D[r * n + r];
            for (int q = p + 1; q < pivot->rank; q++) xk[pivot->order[q]] -= D[r * n + pivot->order[q]] * y[r];
        }
        memcpy(xk, y, sizeof(double) * (size_t)n);
        for (int l = 0; l < pivot->link_count; l++) {
            const cholesky_link *link = &c->links[pivot->link_start + l];
            const double *U = c->values + link->block;
            for (int i = 0; i < link->size; i++, U += n)
                for (int q = 0; q < n; q++) x[link->x + i] -= U[q] * y[q];
        }
    }
}

void block_cholesky_solve(const block_cholesky *c, double *x)
{
    solve_forward(c, x);
    for (int k = c->pivot_count - 1; k >= 0; k--) { // x <- U^-1 x
        const cholesky_pivot *pivot = &c->pivots[k];
        const double *D = c->values + pivot->diagonal;
        const int n = pivot->size;
        double *xk = x + pivot->x;
        for (int l = 0; l < pivot->link_count; l++) {
            const cholesky_link *link = &c->links[pivot->link_start + l];
            const double *U = c->values + link->block;
            for (int i = 0; i < link->size; i++, U += n)
                for (int q = 0; q < n; q++) xk[q] -= U[q] * x[link->x + i];
        }
        for (int p = pivot->rank - 1; p >= 0; p--) {
            const int r = pivot->order[p];
            for (int q = p + 1; q < pivot->rank; q++) xk[r] -= D[r * n + pivot->order[q]] * xk[pivot->order[q]];
            xk[r] *= D[r * n + r];
        }
    }
}
