// Velocities along rows, what impulses do to z, and products of rows.
#include "contact/paths.h"

#include "math/four.h"

#include <string.h>

// ---- Velocities -----------------------------------------------------------------------------------------------------

void paths_clear_loops(const paths *p)
{
    memset(p->z + p->tree->forest->freedom_count, 0, sizeof(double) * (size_t)p->loops->row_count);
}

void paths_close_loops(const paths *p)
{
    const forest *f = p->tree->forest;
    for (int g = 0; g < f->group_count; g++)
        if (loops_has(p->loops, g))
            loops_subtract(p->loops, g, p->z + f->freedom_count + p->loops->groups[g].first, p->z);
    paths_clear_loops(p); // z has it: velocities are y . z from here on
}

// u += sign y^T z of one part, four rows at a time
static void add_velocity(const paths *p, const path_item *item, const path_part *part, double *u)
{
    const int *index = p->index + item->first + part->first, stride = item->stride;
    const double *y = p->y + item->at + part->first * stride, sign = part->negative ? -1.0 : 1.0;
    if (stride == 1) {
        for (int e = 0; e < part->count; e++) u[0] += sign * y[e] * p->z[index[e]];
        return;
    }
    for (int from = 0; from < stride; from += 4) {
        four sum = four_splat(0.0);
        for (int e = 0; e < part->count; e++) sum += four_load(y + e * stride + from) * four_splat(p->z[index[e]]);
        for (int r = 0; r < 4 && from + r < item->rows; r++) u[from + r] += sign * sum[r];
    }
}

void paths_velocity(const paths *p, const path_item *item, double *u)
{
    for (int r = 0; r < item->rows; r++) u[r] = p->constant[item->row + r];
    for (int k = 0; k < item->part_count; k++) add_velocity(p, item, &item->parts[k], u);
}

void paths_push(const paths *p, const path_item *item, const double *g)
{
    const int *index = p->index + item->first, stride = item->stride;
    const double *y = p->y + item->at;
    if (item->rows == 3) {
        for (int e = 0; e < item->count; e++, y += 4) p->z[index[e]] += y[0] * g[0] + y[1] * g[1] + y[2] * g[2];
        return;
    }
    for (int e = 0; e < item->count; e++, y += stride) {
        double sum = 0.0;
        for (int r = 0; r < item->rows; r++) sum += y[r] * g[r];
        p->z[index[e]] += sum;
    }
}

// ---- Products -------------------------------------------------------------------------------------------------------

// Paths of one tree end in the same way: how many entries, from the root, they have in common.
static int common_entries(const paths *p, const path_item *one, const path_part *a, const path_item *other,
                          const path_part *b)
{
    const int most = a->count < b->count ? a->count : b->count;
    if (a->negative || most == 0) return most; // both along the same basis, or nothing
    const int *x = p->index + one->first + a->first + a->count - 1;
    const int *y = p->index + other->first + b->first + b->count - 1;
    if (a->count == b->count && x[1 - a->count] == y[1 - b->count]) return most; // of one body
    int n = 0;
    while (n < most && x[-n] == y[-n]) n++;
    return n;
}

// Rows of a block between two contacts of three rows; the fourth number of each is none.
typedef struct contact_block {
    four row[3];
} contact_block;

FOUR_INLINE void add_contact_product(int n, const double *x, const double *y, bool negative, contact_block *b)
{
    four s0 = four_splat(0.0), s1 = s0, s2 = s0;
    for (const double *end = x + 4 * n; x != end; x += 4, y += 4) {
        const four v = four_load(y);
        s0 += four_splat(x[0]) * v;
        s1 += four_splat(x[1]) * v;
        s2 += four_splat(x[2]) * v;
    }
    b->row[0] = negative ? b->row[0] - s0 : b->row[0] + s0;
    b->row[1] = negative ? b->row[1] - s1 : b->row[1] + s1;
    b->row[2] = negative ? b->row[2] - s2 : b->row[2] + s2;
}

static bool do_meet(const path_part *a, const path_part *b)
{
    return a->key == b->key && a->negative == b->negative;
}

FOUR_INLINE contact_block multiply_contacts(const paths *p, const path_item *one, const path_item *other)
{
    contact_block block = {{four_splat(0.0), four_splat(0.0), four_splat(0.0)}};
    for (int i = 0; i < one->part_count; i++)
        for (int j = 0; j < other->part_count; j++) {
            const path_part *a = &one->parts[i], *b = &other->parts[j];
            if (!do_meet(a, b)) continue;
            const int n = common_entries(p, one, a, other, b);
            add_contact_product(n, p->y + one->at + 4 * (a->first + a->count - n),
                                p->y + other->at + 4 * (b->first + b->count - n), a->negative, &block);
        }
    return block;
}

static void add_product(const paths *p, const path_item *one, const path_part *a, const path_item *other,
                        const path_part *b, double *block)
{
    const int n = common_entries(p, one, a, other, b);
    const double *x = p->y + one->at + (a->first + a->count - n) * one->stride;
    const double *y = p->y + other->at + (b->first + b->count - n) * other->stride;
    const double sign = a->negative ? -1.0 : 1.0;
    for (int e = 0; e < n; e++, x += one->stride, y += other->stride)
        for (int r = 0; r < one->rows; r++)
            for (int c = 0; c < other->rows; c++) block[r * other->rows + c] += sign * x[r] * y[c];
}

void paths_block(const paths *p, const path_item *one, const path_item *other, double *block)
{
    if (one->rows == 3 && other->rows == 3) {
        const contact_block b = multiply_contacts(p, one, other);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) block[3 * r + c] = b.row[r][c];
        return;
    }
    memset(block, 0, sizeof(double) * (size_t)(one->rows * other->rows));
    for (int a = 0; a < one->part_count; a++)
        for (int b = 0; b < other->part_count; b++)
            if (do_meet(&one->parts[a], &other->parts[b]))
                add_product(p, one, &one->parts[a], other, &other->parts[b], block);
}
