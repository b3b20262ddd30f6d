// The cone problem of one island: dense where it is small, sweeps along the paths where it is not (paths_sweep.c).

#include "cone/dense.h"
#include "contact/paths.h"

enum { DENSE_MOST = 120 }; // rows

// ---- Room -----------------------------------------------------------------------------------------------------------

static bool is_dense(const path_island *island)
{
    return island->rows <= DENSE_MOST && !island->is_shared;
}

// Vectors of a dense problem, its matrix, its cones, and what its solver needs.
static size_t dense_doubles(const path_island *island)
{
    const size_t n = (size_t)island->rows, bytes = dense_cones_bytes(island->rows, island->count);
    const size_t cones = ((size_t)island->count * sizeof(ph_cone) + sizeof(double) - 1) / sizeof(double);
    return n * n + 3 * n + cones + (bytes + sizeof(double) - 1) / sizeof(double);
}

bool paths_reserve_solve(paths *p)
{
    size_t all = 0;
    for (int k = 0; k < p->island_count; k++) {
        path_island *island = &p->islands[k];
        island->scratch = all;
        island->has_matrix = false;
        if (island->count > 0) all += is_dense(island) ? dense_doubles(island) : paths_sweep_doubles(island);
    }
    return all < INT32_MAX && mem_reserve_counted(&p->model->allocator, &p->room, &p->room_room, (int)all + 1,
                                                  sizeof *p->room, &p->growths);
}

// ---- Dense ----------------------------------------------------------------------------------------------------------

static void put_block(int n, int i, int rows, int j, int columns, const double *block, double *N)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) N[(i + r) * n + j + c] = N[(j + c) * n + i + r] = block[r * columns + c];
}

static void make_matrix(const paths *p, const path_island *island, double *N)
{
    const int n = island->rows;
    double block[CONTACT_ROWS_MAX * CONTACT_ROWS_MAX];
    for (int a = 0, i = 0; a < island->count; a++) {
        const path_item *one = paths_item(p, island, a);
        for (int b = a, j = i; b < island->count; b++) {
            const path_item *other = paths_item(p, island, b);
            paths_block(p, one, other, block);
            put_block(n, i, one->rows, j, other->rows, block, N);
            j += other->rows;
        }
        N[i * n + i] += one->soft;
        i += one->rows;
    }
}

static path_report solve_dense(paths *p, path_island *island, double tolerance, const double *bias, double *g)
{
    const int n = island->rows;
    double *N = p->room + island->scratch, *q = N + n * n, *x = q + n, *u = x + n;
    ph_cone *cones = (ph_cone *)(void *)(u + n);
    if (!island->has_matrix) make_matrix(p, island, N);
    island->has_matrix = true;
    for (int a = 0, i = 0; a < island->count; a++) {
        const path_item *item = paths_item(p, island, a);
        paths_velocity(p, item, q + i);
        for (int r = 0; r < item->rows; r++, i++) {
            q[i] += bias[item->row + r];
            x[i] = g[item->row + r];
        }
        cones[a] = p->cones[p->order[island->first + a]];
    }
    const dense_cones_problem problem = {n, island->count, cones, N, q, n > island->freedoms};
    const dense_cones_report report = dense_cones_solve(&problem, tolerance, cones + island->count, x, u);
    for (int a = 0, i = 0; a < island->count; a++) {
        const path_item *item = paths_item(p, island, a);
        for (int r = 0; r < item->rows; r++) g[item->row + r] = x[i + r];
        paths_push(p, item, x + i);
        i += item->rows;
    }
    return (path_report){report.residual, report.newton + report.sweeps};
}

path_report paths_solve(paths *p, int island, const path_settings *settings, const double *bias, double *g)
{
    path_island *it = &p->islands[island];
    if (it->count == 0) return (path_report){0};
    return is_dense(it) ? solve_dense(p, it, settings->tolerance, bias, g) : paths_sweep(p, it, settings, bias, g);
}
