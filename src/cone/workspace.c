// The problem in scaled coordinates, in memory that is kept between solves.

#include "cone/workspace.h"

#include "base/error.h"
#include "cone/blocks.h"
#include "cone/factor.h"
#include "cone/newton.h"

#include <math.h>
#include <string.h>

ph_cone_workspace *ph_cone_workspace_create(const ph_allocator *allocator)
{
    ph_cone_workspace *w = mem_alloc(allocator, sizeof *w);
    if (w && allocator) {
        w->allocator_copy = *allocator;
        w->allocator = &w->allocator_copy;
    }
    return w;
}

void ph_cone_workspace_destroy(ph_cone_workspace *w)
{
    if (!w) return;
    cone_factor_destroy(w);
    cone_interior_destroy(w);
    cone_blocks *b = &w->blocks;
    void *blocks[] = {w->given, w->cones,  w->scale,  w->q,        w->raised, w->cone_of,
                      b->start, b->column, b->offset, b->diagonal, b->value,  w->vectors};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) mem_free(w->allocator, blocks[k]);
    const ph_allocator allocator = w->allocator_copy;
    mem_free(w->allocator ? &allocator : NULL, w);
}

bool cone_reserve(ph_cone_workspace *w, void *array, int *room, size_t count, size_t size)
{
    if (count > INT32_MAX) return false;
    if ((int)count <= *room) return true;
    w->growths++;
    return mem_reserve(w->allocator, array, room, (int)count, size);
}

// ---- Scaling --------------------------------------------------------------------------------------------------------

// 1/sqrt of the mean of diagonal entries a .. a + count - 1. Rows that cannot move (their diagonal is `noise` at most) are
// left as they are: scaling would only raise the noise.
static double part_scale(const double *block, int rows, int a, int count, double noise)
{
    double sum = 0.0;
    for (int i = a; i < a + count; i++) sum += block[rows * i + i];
    return sum > noise * count ? sqrt(count / sum) : 1.0;
}

static double largest_diagonal(const double *block, int rows)
{
    double largest = 0.0;
    for (int r = 0; r < rows; r++) largest = larger(largest, block[rows * r + r]);
    return largest;
}

static void diagonal_block(const ph_cone_problem *problem, const ph_cone_matrix *matrix, const cone *c, double *block)
{
    if (problem->N.diagonal) {
        problem->N.diagonal(problem->N.self, c->first, c->rows, block);
    } else {
        cone_matrix_diagonal(matrix, c->first, c->rows, block);
    }
}

// A cone in scaled coordinates: x = g / s.
static cone scaled_cone(const cone *given, const double *scale)
{
    cone c = *given;
    for (int k = 0; k < c.part_count; k++) c.parts[k].mu *= scale[0] / scale[c.parts[k].first];
    c.low /= scale[0];
    c.high /= scale[0];
    return c;
}

static void make_scales(ph_cone_workspace *w, const ph_cone_problem *problem, const ph_cone_matrix *matrix)
{
    double block[CONE_ROWS_MAX * CONE_ROWS_MAX], noise = 0.0;
    for (int i = 0; i < w->cone_count; i++) {
        diagonal_block(problem, matrix, &w->given[i], block);
        noise = larger(noise, 1e-14 * largest_diagonal(block, w->given[i].rows));
    }
    for (int i = 0; i < w->cone_count; i++) {
        cone *c = &w->given[i];
        double *scale = w->scale + c->first;
        diagonal_block(problem, matrix, c, block);
        const int contact = c->kind == PH_CONE_FRICTION ? 3 : 1; // normal and tangents together
        const double s = part_scale(block, c->rows, 0, contact, noise);
        for (int r = 0; r < contact; r++) scale[r] = s;
        for (int k = 1; k < c->part_count; k++) {
            const cone_part *part = &c->parts[k];
            const double t = part_scale(block, c->rows, part->first, part->size, noise);
            for (int r = 0; r < part->size; r++) scale[part->first + r] = t;
        }
        c->immovable = !(largest_diagonal(block, c->rows) > noise);
        w->cones[i] = scaled_cone(c, scale);
    }
}

// ---- Loading --------------------------------------------------------------------------------------------------------

static bool reserve_problem(ph_cone_workspace *w, const ph_cone_problem *problem)
{
    const size_t rows = (size_t)w->rows, cones = (size_t)problem->cone_count;
    return cone_reserve(w, &w->given, &w->given_room, cones, sizeof(cone)) &&
           cone_reserve(w, &w->cones, &w->cones_room, cones, sizeof(cone)) &&
           cone_reserve(w, &w->scale, &w->scale_room, rows, sizeof(double)) &&
           cone_reserve(w, &w->q, &w->q_room, rows, sizeof(double)) &&
           cone_reserve(w, &w->raised, &w->raised_room, rows, sizeof(double));
}

// The matrix of the operator, checked.
static ph_status get_matrix(const ph_cone_workspace *w, const ph_cone_problem *problem, const ph_cone_matrix **matrix,
                            ph_error *error)
{
    *matrix = problem->N.matrix ? problem->N.matrix(problem->N.self) : NULL;
    if (!*matrix) return error_set(error, PH_NOT_SUPPORTED, "this needs the matrix of the operator, which has none");
    return cone_matrix_check(*matrix, w->rows, error);
}

ph_status cone_workspace_load_matrix(ph_cone_workspace *w, const ph_cone_problem *problem, ph_error *error)
{
    const ph_cone_matrix *matrix;
    if (w->has_blocks) return PH_OK;
    ph_status status = get_matrix(w, problem, &matrix, error);
    if (status == PH_OK) status = cone_blocks_fill(w, matrix, error);
    w->has_blocks = status == PH_OK;
    return status;
}

ph_status cone_workspace_load(ph_cone_workspace *w, const ph_cone_problem *problem, ph_error *error)
{
    w->cone_count = problem->cone_count;
    w->rows = 0;
    w->has_blocks = w->has_order = false;
    for (int i = 0; i < problem->cone_count; i++) w->rows += ph_cone_rows(&problem->cones[i]);
    if (!reserve_problem(w, problem)) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory for %d cones", problem->cone_count);
    }
    for (int i = 0, first = 0; i < problem->cone_count; i++) {
        w->given[i] = cone_make(&problem->cones[i], first);
        first += w->given[i].rows;
    }
    const ph_cone_matrix *matrix = NULL;
    if (!problem->N.diagonal) {
        const ph_status status = get_matrix(w, problem, &matrix, error);
        if (status != PH_OK) return status;
    }
    make_scales(w, problem, matrix);
    for (int r = 0; r < w->rows; r++) w->q[r] = w->scale[r] * problem->q[r];
    return problem->N.apply ? PH_OK : cone_workspace_load_matrix(w, problem, error);
}

void *cone_workspace_lend(ph_cone_workspace *w, size_t bytes)
{
    const size_t doubles = (bytes + sizeof *w->vectors - 1) / sizeof *w->vectors;
    w->lent = true;
    return cone_reserve(w, &w->vectors, &w->vectors_room, doubles, sizeof *w->vectors) ? w->vectors : NULL;
}

// ---- What solvers ask -----------------------------------------------------------------------------------------------

double *cone_take(cone_run *run)
{
    return run->w->vectors + (size_t)run->w->rows * (size_t)run->vectors_taken++;
}

void cone_apply(const cone_run *run, const double *x, double *y)
{
    const ph_cone_workspace *w = run->w;
    if (!run->problem->N.apply || w->has_blocks) {
        for (int i = 0; i < w->cone_count; i++) cone_blocks_row(w, i, x, y + w->cones[i].first);
        return;
    }
    for (int r = 0; r < w->rows; r++) w->raised[r] = w->scale[r] * x[r];
    run->problem->N.apply(run->problem->N.self, w->raised, y);
    for (int r = 0; r < w->rows; r++) y[r] *= w->scale[r];
}

// w of one cone from its u, in place.
static void add_shift(const cone_run *run, const cone *c, int i, const double *shift, double *u)
{
    if (shift) {
        u[0] += shift[i];
    } else if (run->law == PH_LAW_COULOMB) {
        u[0] += cone_shift(c, u);
    }
}

// max over the rows of d |g - P(g - w/d)|: in scaled coordinates d is 1 and the outer d is 1/s of the row. What is not
// a number counts as infinite.
static double velocity_error(const cone_run *run, const cone *c, const double *x, const double *v)
{
    double z[CONE_ROWS_MAX], worst = 0.0;
    for (int r = 0; r < c->rows; r++) z[r] = x[r] - v[r];
    cone_project(c, z, z);
    for (int r = 0; r < c->rows; r++) {
        const double e = fabs(x[r] - z[r]) / run->w->scale[c->first + r];
        if (!(e <= worst)) worst = isfinite(e) ? e : HUGE_VAL;
    }
    return worst;
}

// |g - P(g - w)|^2 in the units of the problem.
static double natural_error(const cone_run *run, const cone *given, const double *x, const double *v)
{
    const double *s = run->w->scale + given->first;
    double z[CONE_ROWS_MAX], sum = 0.0;
    for (int r = 0; r < given->rows; r++) z[r] = s[r] * x[r] - v[r] / s[r];
    cone_project(given, z, z);
    for (int r = 0; r < given->rows; r++) sum += (s[r] * x[r] - z[r]) * (s[r] * x[r] - z[r]);
    return sum;
}

double cone_error(const cone_run *run, const double *x, const double *y, const double *shift)
{
    const ph_cone_workspace *w = run->w;
    double sum = 0.0, worst = 0.0;
    for (int i = 0; i < w->cone_count; i++) {
        const cone *c = &w->cones[i];
        double v[CONE_ROWS_MAX] = {0};
        if (c->immovable) continue;
        for (int r = 0; r < c->rows; r++) v[r] = y[c->first + r] + w->q[c->first + r];
        add_shift(run, c, i, shift, v);
        if (run->measure != PH_CONE_NATURAL_MAP) worst = larger(worst, velocity_error(run, c, x + c->first, v));
        if (run->measure != PH_CONE_VELOCITY) sum += natural_error(run, &w->given[i], x + c->first, v);
    }
    const double natural = run->q_norm > 0.0 ? sqrt(sum) / run->q_norm : sqrt(sum);
    return natural > worst ? natural : isfinite(natural) ? worst : HUGE_VAL;
}

double cone_error_of(const cone_run *run, int i, const double *x, const double *y)
{
    const cone *c = &run->w->cones[i];
    double v[CONE_ROWS_MAX] = {0};
    for (int r = 0; r < c->rows; r++) v[r] = y[c->first + r] + run->w->q[c->first + r];
    add_shift(run, c, i, NULL, v);
    return velocity_error(run, c, x + c->first, v);
}

double cone_infeasible(const cone_run *run, int i)
{
    const cone *c = &run->w->given[i];
    const double u = run->problem->q[c->first];
    if (!c->immovable || c->kind == PH_CONE_INTERVAL) return 0.0;
    return c->kind == PH_CONE_FREE ? fabs(u) : larger(0.0, -u);
}

bool cone_offer(cone_run *run, const double *x, const double *y)
{
    const double error = cone_error(run, x, y, NULL);
    if (error <= run->best_error) {
        const size_t bytes = (size_t)run->w->rows * sizeof(double);
        memcpy(run->best_x, x, bytes);
        memcpy(run->best_y, y, bytes);
        run->best_error = error;
        run->best_solver = run->solver;
    }
    return cone_met(run);
}
