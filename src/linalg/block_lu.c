#include "linalg/block_lu.h"

#include "linalg/small.h"

#include <math.h>
#include <string.h>

// ---- Pattern --------------------------------------------------------------------------------------------------------

static bool allocate(block_lu *lu, const block_graph *graph, const block_order *order, arena *memory)
{
    const size_t n = (size_t)graph->node_count;
    const int links = order->later_start[n];
    size_t targets = 0;
    for (size_t k = 0; k < n; k++) {
        const size_t count = (size_t)(order->later_start[k + 1] - order->later_start[k]);
        targets += count * count;
    }
    lu->pivots = arena_alloc_array(memory, n, sizeof *lu->pivots);
    lu->links = arena_alloc_array(memory, (size_t)links, sizeof *lu->links);
    lu->targets = arena_alloc_array(memory, targets, sizeof(int));
    lu->position = arena_alloc_array(memory, n, sizeof(int));
    lu->mask = arena_alloc_array(memory, n, 1);
    lu->zeros = arena_alloc_array(memory, n + 2 * (size_t)links, sizeof *lu->zeros);
    return lu->pivots && lu->links && lu->targets && lu->position && lu->mask && lu->zeros;
}

// Places D, U and L of every pivot one after the other.
static void lay_out(block_lu *lu, const block_graph *graph, const block_order *order)
{
    for (int k = 0; k < lu->pivot_count; k++) {
        const int node = order->order[k];
        block_pivot *pivot = &lu->pivots[k];
        lu->position[node] = k;
        pivot->size = graph->size[node];
        pivot->is_constraint = graph->is_constraint[node];
        pivot->decoupled = !pivot->is_constraint && graph->bodies_decoupled;
        pivot->x = graph->x ? graph->x[node] : lu->x_count;
        lu->x_count += pivot->size;
        pivot->diagonal = lu->value_count;
        lu->value_count += pivot->size * pivot->size;
        pivot->link_start = order->later_start[k];
        pivot->link_count = order->later_start[k + 1] - order->later_start[k];
        for (int l = 0; l < pivot->link_count; l++) {
            block_link *link = &lu->links[pivot->link_start + l];
            link->node = order->later[pivot->link_start + l];
            const int length = pivot->size * graph->size[order->order[link->node]];
            link->upper = lu->value_count;
            link->lower = lu->value_count + length;
            lu->value_count += 2 * length;
        }
    }
}

// Offset of the block (row, column) by positions in the order.
static int find_block(const block_lu *lu, int row, int column)
{
    if (row == column) return lu->pivots[row].diagonal;
    const block_pivot *pivot = &lu->pivots[row < column ? row : column];
    const int later = row < column ? column : row;
    int low = 0, high = pivot->link_count - 1;
    while (low <= high) {
        const int middle = (low + high) / 2;
        const block_link *link = &lu->links[pivot->link_start + middle];
        if (link->node == later) return row < column ? link->upper : link->lower;
        if (link->node < later)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

static void find_targets(block_lu *lu)
{
    for (int k = 0; k < lu->pivot_count; k++)
        for (int l = 0; l < lu->pivots[k].link_count; l++) {
            block_link *link = &lu->links[lu->pivots[k].link_start + l];
            link->size = lu->pivots[link->node].size;
            link->x = lu->pivots[link->node].x;
        }
    int at = 0;
    for (int k = 0; k < lu->pivot_count; k++) {
        block_pivot *pivot = &lu->pivots[k];
        const block_link *links = lu->links + pivot->link_start;
        pivot->target_start = at;
        for (int i = 0; i < pivot->link_count; i++) {
            lu->pivots[links[i].node].decoupled = false;
            for (int j = 0; j < pivot->link_count; j++)
                lu->targets[at++] = find_block(lu, links[i].node, links[j].node);
        }
    }
}

// Constraint diagonals and fill start from zero at every factorisation; the other blocks are assembled.
static void find_zeros(block_lu *lu, const block_graph *graph, bool *assembled)
{
    for (int e = 0; e < graph->edge_count; e++) {
        assembled[find_block(lu, lu->position[graph->edges[e][0]], lu->position[graph->edges[e][1]])] = true;
        assembled[find_block(lu, lu->position[graph->edges[e][1]], lu->position[graph->edges[e][0]])] = true;
    }
    for (int k = 0; k < lu->pivot_count; k++) {
        const block_pivot *pivot = &lu->pivots[k];
        if (pivot->is_constraint) {
            lu->zeros[lu->zero_count][0] = pivot->diagonal;
            lu->zeros[lu->zero_count++][1] = pivot->size * pivot->size;
        }
        for (int l = 0; l < pivot->link_count; l++) {
            const block_link *link = &lu->links[pivot->link_start + l];
            if (assembled[link->upper]) continue;
            lu->zeros[lu->zero_count][0] = link->upper;
            lu->zeros[lu->zero_count++][1] = 2 * pivot->size * lu->pivots[link->node].size;
        }
    }
}

bool block_lu_create(const block_graph *graph, arena *memory, block_lu *lu)
{
    block_order order;
    *lu = (block_lu){.pivot_count = graph->node_count};
    if (!block_order_make(graph, memory, &order) || !allocate(lu, graph, &order, memory)) return false;
    lay_out(lu, graph, &order);
    find_targets(lu);
    bool *assembled = mem_alloc_array(arena_allocator(memory), (size_t)lu->value_count + 1, sizeof(bool));
    if (assembled) find_zeros(lu, graph, assembled);
    mem_free(arena_allocator(memory), assembled);
    lu->values = arena_alloc_array(memory, (size_t)lu->value_count + 8, sizeof(double));
    return assembled && lu->values;
}

int block_lu_diagonal(const block_lu *lu, int node)
{
    return lu->pivots[lu->position[node]].diagonal;
}

int block_lu_block(const block_lu *lu, int row, int column)
{
    return find_block(lu, lu->position[row], lu->position[column]);
}

void block_lu_clear(block_lu *lu)
{
    for (int k = 0; k < lu->zero_count; k++) {
        double *block = lu->values + lu->zeros[k][0];
        for (int i = 0; i < lu->zeros[k][1]; i++) block[i] = 0.0;
    }
}

// ---- Numbers --------------------------------------------------------------------------------------------------------

static bool invert_pivot(const block_lu *lu, int k)
{
    const block_pivot *pivot = &lu->pivots[k];
    double *D = lu->values + pivot->diagonal;
    if (pivot->decoupled) return small_invert_decoupled(D);
    return lu->mask[k] ? small_invert_masked(D, pivot->size, lu->mask[k]) : small_invert(D, pivot->size);
}

// U <- D^-1 U
static void scale_link(const block_pivot *pivot, const double *D, double *U, int n)
{
    if (pivot->decoupled) {
        for (int c = 0; c < n; c++) small_apply_decoupled(U + 6 * c, D, U + 6 * c);
        return;
    }
    double W[SMALL_MAX * SMALL_MAX];
    small_product(W, D, U, pivot->size, pivot->size, n);
    for (int k = 0; k < pivot->size * n; k++) U[k] = W[k];
}

bool block_lu_factor(block_lu *lu)
{
    double *values = lu->values;
    for (int k = 0; k < lu->pivot_count; k++) {
        const block_pivot *pivot = &lu->pivots[k];
        const block_link *links = lu->links + pivot->link_start;
        const int *target = lu->targets + pivot->target_start;
        if (pivot->size == 0) continue; // a joint without rows
        if (!invert_pivot(lu, k)) return false;
        for (int j = 0; j < pivot->link_count; j++)
            scale_link(pivot, values + pivot->diagonal, values + links[j].upper, links[j].size);
        for (int i = 0; i < pivot->link_count; i++)
            for (int j = 0; j < pivot->link_count; j++)
                small_sub_product(values + *target++, values + links[i].lower, values + links[j].upper, links[i].size,
                                  pivot->size, links[j].size);
    }
    return true;
}

void block_lu_solve(const block_lu *lu, double *x)
{
    const double *values = lu->values;
    for (int k = 0; k < lu->pivot_count; k++) { // y_k = D^-1 r_k, r_i -= L_ik y_k
        const block_pivot *pivot = &lu->pivots[k];
        if (pivot->size == 0) continue;
        double *y = x + pivot->x; // in place: the kernels finish a column before they store it
        if (pivot->decoupled)
            small_apply_decoupled(y, values + pivot->diagonal, y);
        else
            small_apply(y, values + pivot->diagonal, y, pivot->size, pivot->size);
        for (int l = 0; l < pivot->link_count; l++) {
            const block_link *link = &lu->links[pivot->link_start + l];
            small_sub_apply(x + link->x, values + link->lower, y, link->size, pivot->size);
        }
    }
    for (int k = lu->pivot_count - 1; k >= 0; k--) { // x_k = y_k - sum U_ki x_i
        const block_pivot *pivot = &lu->pivots[k];
        for (int l = 0; l < pivot->link_count; l++) {
            const block_link *link = &lu->links[pivot->link_start + l];
            small_sub_apply(x + pivot->x, values + link->upper, x + link->x, pivot->size, link->size);
        }
    }
}
