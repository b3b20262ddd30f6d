// Single entries of the Delassus operator, and all of them as a sparse matrix.
#include "contact/delassus_parts.h"

#include "base/sort.h"
#include "math/mat3.h"

#include <string.h>

// ---- Single entries -------------------------------------------------------------------------------------------------

// M~^-1 between bodies p and q, times t
static screw respond(const delassus *d, int p, int q, const screw *t)
{
    if (delassus_group(d, p) < 0)
        return (screw){ph_mul(d->inverse_inertia[p], t->angular), ph_scale(d->inverse_mass[p], t->linear)};
    const double *A = block_of(d, p, q),
                 x[6] = {t->angular.x, t->angular.y, t->angular.z, t->linear.x, t->linear.y, t->linear.z};
    double y[6] = {0};
    for (int r = 0; A && r < 6; r++)
        for (int c = 0; c < 6; c++) y[r] += A[6 * r + c] * x[c];
    return (screw){ph_vec(y[0], y[1], y[2]), ph_vec(y[3], y[4], y[5])};
}

static bool are_coupled(const delassus *d, int p, int q)
{
    return p >= 0 && q >= 0 && (p == q || (delassus_group(d, p) >= 0 && d->joined.group[p] == d->joined.group[q]));
}

// block <- N_ij, row-major
static void entries(const delassus *d, int i, int j, double *block)
{
    const int m = rows_of(d, i), n = rows_of(d, j);
    memset(block, 0, (size_t)(m * n) * sizeof *block);
    for (int sides = 0; sides < 4; sides++) {
        const bool of_i = sides & 1, of_j = sides & 2;
        const int p = body_of(d, i, of_i), q = body_of(d, j, of_j);
        if (!are_coupled(d, p, q)) continue;
        for (int c = 0; c < n; c++) {
            const screw t = row_of(d, j, c, of_j), w = respond(d, p, q, &t);
            for (int r = 0; r < m; r++) {
                const screw s = row_of(d, i, r, of_i);
                block[n * r + c] += dot_screw(&s, &w);
            }
        }
    }
    if (i == j && i < d->contact_count) block[0] += d->contacts[i].softness;
}

void delassus_diagonal(void *self, int first, int rows, double *block)
{
    (void)rows;
    const delassus *d = self;
    entries(d, d->item_of[first], d->item_of[first], block);
}

// ---- The matrix -----------------------------------------------------------------------------------------------------

// Appends the items of body k to the neighbours of item i that are not there yet.
static bool add_near(delassus *d, int i, int k, int *count)
{
    for (int u = d->use_start[k]; u < d->use_start[k + 1]; u++) {
        const int j = d->uses[u].item;
        if (d->whole.mark[j] == i) continue;
        d->whole.mark[j] = i;
        if (!RESERVE(d, whole.near, *count + 1)) return false;
        d->whole.near[(*count)++] = (uint64_t)j;
    }
    return true;
}

static bool list_near(delassus *d)
{
    int count = 0;
    if (!RESERVE(d, whole.near_start, d->cone_count + 1) || !RESERVE(d, whole.mark, d->cone_count)) return false;
    for (int i = 0; i < d->cone_count; i++) d->whole.mark[i] = -1;
    for (int i = 0; i < d->cone_count; i++) {
        d->whole.near_start[i] = count;
        for (int side = 0; side < 2; side++) {
            const int k = body_of(d, i, side), g = k < 0 ? -1 : delassus_group(d, k);
            if (k >= 0 && g < 0 && !add_near(d, i, k, &count)) return false;
            for (int e = 0; g >= 0 && e < d->joined.groups[g].count; e++)
                if (!add_near(d, i, d->joined.held[d->joined.groups[g].first + e], &count)) return false;
        }
        sort_keys(d->whole.near + d->whole.near_start[i], count - d->whole.near_start[i]);
    }
    d->whole.near_start[d->cone_count] = count;
    return true;
}

// Rows as long as their neighbours have rows.
static bool make_pattern(delassus *d)
{
    size_t all = 0;
    if (!RESERVE(d, whole.row_start, d->row_count + 1) || !RESERVE(d, whole.row_end, d->row_count + 1)) return false;
    for (int i = 0; i < d->cone_count; i++) {
        size_t width = 0;
        for (int e = d->whole.near_start[i]; e < d->whole.near_start[i + 1]; e++)
            width += (size_t)rows_of(d, (int)d->whole.near[e]);
        for (int r = 0; r < rows_of(d, i); r++, all += width) {
            if (all + width > INT32_MAX) return false;
            d->whole.row_start[first_of(d, i) + r] = d->whole.row_end[first_of(d, i) + r] = (int)all;
        }
    }
    d->whole.row_start[d->row_count] = (int)all;
    return RESERVE(d, whole.row_column, all + 1) && RESERVE(d, whole.row_value, all + 1);
}

static void append(delassus *d, int row, int column, double value)
{
    const int at = d->whole.row_end[row]++;
    d->whole.row_column[at] = column;
    d->whole.row_value[at] = value;
}

// Blocks (i, j >= i) and their transposes: columns come in rising order, because blocks do.
static void fill_matrix(delassus *d)
{
    double block[36];
    for (int i = 0; i < d->cone_count; i++)
        for (int e = d->whole.near_start[i]; e < d->whole.near_start[i + 1]; e++) {
            const int j = (int)d->whole.near[e], m = rows_of(d, i), n = rows_of(d, j);
            if (j < i) continue;
            entries(d, i, j, block);
            for (int r = 0; r < m; r++)
                for (int c = 0; c < n; c++)
                    append(d, first_of(d, i) + r, first_of(d, j) + c,
                           i == j && c < r ? block[n * c + r] : block[n * r + c]);
            for (int c = 0; c < n && j > i; c++)
                for (int r = 0; r < m; r++) append(d, first_of(d, j) + c, first_of(d, i) + r, block[n * r + c]);
        }
}

const ph_cone_matrix *delassus_matrix(void *self)
{
    delassus *d = self;
    if (d->whole.has_matrix) return &d->whole.matrix;
    if (!d->joined.has_all_blocks || !list_near(d) || !make_pattern(d)) return NULL;
    fill_matrix(d);
    d->whole.matrix = (ph_cone_matrix){d->row_count, d->whole.row_start, d->whole.row_column, d->whole.row_value};
    d->whole.has_matrix = true;
    return &d->whole.matrix;
}
