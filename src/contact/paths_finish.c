// An island as a sparse cone problem, for the solvers of polhode/cone.h.
#include "contact/paths.h"

#include <string.h>

#define RESERVE(p, array, count)                                                                                       \
    mem_reserve_counted(&(p)->model->allocator, &(p)->array, &(p)->array##_room, (count), sizeof *(p)->array,          \
                        &(p)->growths)

static bool are_coupled(const path_item *a, const path_item *b)
{
    for (int s = 0; s < 4; s++) {
        const int n = a->nodes[s & 1];
        if (n >= 0 && n == b->nodes[s >> 1]) return true;
    }
    return false;
}

// Rows of the items in their order: how many entries each has. Returns their sum; -1: too many.
static int count_entries(const paths *p, const path_island *island)
{
    int64_t all = 0;
    for (int a = 0, row = 0; a < island->count; a++) {
        const path_item *one = paths_item(p, island, a);
        int width = 0;
        for (int b = 0; b < island->count; b++) {
            const path_item *other = paths_item(p, island, b);
            if (are_coupled(one, other)) width += other->rows;
        }
        for (int r = 0; r < one->rows; r++, all += width) p->start[row++] = (int)all;
        if (all > INT32_MAX / 2) return -1;
    }
    p->start[island->rows] = (int)all;
    return (int)all;
}

static void fill_row_blocks(const paths *p, const path_island *island, int a, int row)
{
    const path_item *one = paths_item(p, island, a);
    double block[CONTACT_ROWS_MAX * CONTACT_ROWS_MAX];
    int at = 0;
    for (int b = 0, column = 0; b < island->count; b++) {
        const path_item *other = paths_item(p, island, b);
        if (are_coupled(one, other)) {
            if (a <= b) // so that both halves have the same bits
                paths_block(p, one, other, block);
            else
                paths_block(p, other, one, block);
            for (int r = 0; r < one->rows; r++)
                for (int c = 0; c < other->rows; c++) {
                    const int to = p->start[row + r] + at + c;
                    p->column[to] = column + c;
                    p->value[to] = a <= b ? block[r * other->rows + c] : block[c * one->rows + r];
                    if (a == b && r == 0 && c == 0) p->value[to] += one->soft;
                }
            at += other->rows;
        }
        column += other->rows;
    }
}

static bool make_matrix(paths *p, const path_island *island)
{
    if (!RESERVE(p, start, island->rows + 1) || !RESERVE(p, q, island->rows + 1) || !RESERVE(p, x, island->rows + 1) ||
        !RESERVE(p, island_cones, island->count + 1))
        return false;
    const int entries = count_entries(p, island);
    if (entries < 0 || !RESERVE(p, column, entries + 1) || !RESERVE(p, value, entries + 1)) return false;
    for (int a = 0, row = 0; a < island->count; row += paths_item(p, island, a++)->rows)
        fill_row_blocks(p, island, a, row);
    return true;
}

// z without the impulses; q, first guesses and cones of the island.
static void take_back(const paths *p, const path_island *island, const double *bias, const double *g)
{
    double minus[CONTACT_ROWS_MAX];
    for (int a = 0; a < island->count; a++) {
        const path_item *item = paths_item(p, island, a);
        for (int r = 0; r < item->rows; r++) minus[r] = -g[item->row + r];
        paths_push(p, item, minus);
    }
    for (int a = 0, i = 0; a < island->count; a++) {
        const path_item *item = paths_item(p, island, a);
        paths_velocity(p, item, p->q + i);
        for (int r = 0; r < item->rows; r++, i++) {
            p->q[i] += bias[item->row + r];
            p->x[i] = g[item->row + r];
        }
        p->island_cones[a] = p->cones[p->order[island->first + a]];
    }
}

ph_status paths_finish(paths *p, int index, ph_cone_workspace *workspace, const ph_cone_settings *settings,
                       const double *bias, double *g, ph_cone_report *report)
{
    const path_island *island = &p->islands[index];
    if (!make_matrix(p, island)) return PH_OUT_OF_MEMORY;
    take_back(p, island, bias, g);
    const ph_cone_matrix matrix = {island->rows, p->start, p->column, p->value};
    const ph_cone_problem problem = {island->count, p->island_cones, p->q, ph_cone_matrix_operator(&matrix)};
    const ph_status status = ph_cone_solve(workspace, &problem, settings, p->x, NULL, report, NULL);
    for (int a = 0, i = 0; a < island->count; a++) {
        const path_item *item = paths_item(p, island, a);
        if (status == PH_OK) memcpy(g + item->row, p->x + i, sizeof(double) * (size_t)item->rows);
        paths_push(p, item, g + item->row);
        i += item->rows;
    }
    return status;
}

void paths_replace(paths *p, int index, const double *with, double *g)
{
    const path_island *island = &p->islands[index];
    double change[CONTACT_ROWS_MAX];
    for (int a = 0; a < island->count; a++) {
        const path_item *item = paths_item(p, island, a);
        for (int r = 0; r < item->rows; r++) {
            change[r] = with[item->row + r] - g[item->row + r];
            g[item->row + r] = with[item->row + r];
        }
        paths_push(p, item, change);
    }
}
