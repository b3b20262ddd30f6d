// The sparse factorisation behind the Newton solver, against dense elimination.

#include "test.h"

#include "dense.h"

#include "cone/blocks.h"
#include "cone/factor.h"
#include "cone/workspace.h"

enum { CONES = 40, ROWS = 6 * CONES };

typedef struct problem {
    ph_cone cones[CONES];
    double q[ROWS];
    ph_cone_matrix *matrix;
    ph_cone_workspace *w;
    int rows;
} problem;

// Cones of one, three and six rows on a chain of `bodies` links; those on the same link have the same neighbours. With as
// many links as cones each has its own, and three rows.
static void make_problem(problem *p, int bodies)
{
    int link[ROWS], count = 0;
    static int row[ROWS * ROWS], column[ROWS * ROWS];
    static double value[ROWS * ROWS];
    *p = (problem){0};
    for (int i = 0; i < CONES; i++) {
        const bool equal = bodies == CONES;
        p->cones[i].kind = equal || test_random_index(3) ? PH_CONE_FRICTION : PH_CONE_HALF_LINE;
        p->cones[i].rolls = p->cones[i].spins = !equal && test_random_index(4) == 0;
        const int at = equal ? i : test_random_index(bodies);
        for (int r = 0; r < ph_cone_rows(&p->cones[i]); r++) link[p->rows++] = at;
    }
    for (int i = 0; i < p->rows; i++) {
        for (int j = 0; j < p->rows; j++) {
            if (abs(link[i] - link[j]) > 1) continue;
            row[count] = i;
            column[count] = j;
            value[count++] = i == j ? 1.0 : 0.01 * cos(i * j);
        }
    }
    CHECK_EQ_INT(ph_cone_matrix_create(p->rows, count, row, column, value, &p->matrix, NULL), PH_OK);
    p->w = ph_cone_workspace_create(NULL);
    const ph_cone_problem given = {CONES, p->cones, p->q, ph_cone_matrix_operator(p->matrix)};
    CHECK_EQ_INT(cone_workspace_load(p->w, &given, NULL), PH_OK);
    CHECK(cone_factor_order(p->w));
}

static void free_problem(problem *p)
{
    ph_cone_workspace_destroy(p->w);
    ph_cone_matrix_destroy(p->matrix);
}

// Random blocks in the pattern of the problem, in both forms; cones that are left out are the identity.
static void fill(problem *p, bool symmetric, const bool *out, double *dense)
{
    ph_cone_workspace *w = p->w;
    cone_factor *f = w->factor;
    cone_factor_clear(w);
    memset(dense, 0, (size_t)(p->rows * p->rows) * sizeof *dense);
    for (int i = 0; i < CONES; i++) {
        for (int k = w->blocks.start[i]; k < w->blocks.start[i + 1]; k++) {
            const int j = w->blocks.column[k];
            const cone *ci = &w->cones[i], *cj = &w->cones[j];
            for (int a = 0; a < ci->rows; a++) {
                for (int b = 0; b < cj->rows; b++) {
                    const int r = ci->first + a, c = cj->first + b;
                    const double diagonal = r == c ? 10.0 : 0.0;
                    double x = symmetric && r > c ? dense[c * p->rows + r] : test_uniform(-1, 1) + diagonal;
                    if (out[i] || out[j]) x = r == c ? 1.0 : 0.0;
                    dense[r * p->rows + c] = x;
                    *cone_factor_entry(f, k, a, b) = x;
                }
            }
        }
    }
    for (int k = 0; k < f->graph.count; k++) f->active[k] = false;
    for (int i = 0; i < CONES; i++) {
        if (!out[i]) f->active[f->position[f->group[i]]] = true;
    }
}

static void check_solution(problem *p, bool symmetric, double share_out)
{
    bool out[CONES];
    double x[ROWS], y[ROWS], *dense = dense_make(p->rows, p->rows);
    for (int i = 0; i < CONES; i++) out[i] = test_uniform(0, 1) < share_out;
    fill(p, symmetric, out, dense);
    for (int r = 0; r < p->rows; r++) x[r] = y[r] = test_uniform(-1, 1);
    cone_factor_run(p->w, symmetric);
    cone_factor_solve(p->w, x);
    CHECK(dense_solve(dense, y, p->rows));
    for (int r = 0; r < p->rows; r++) CHECK_NEAR(x[r], y[r], 1e-12);
    free(dense);
}

TEST(factor_against_dense_elimination)
{
    for (int trial = 0; trial < 40; trial++) {
        problem p;
        make_problem(&p, 1 + test_random_index(20));
        check_solution(&p, false, 0.0);
        check_solution(&p, true, 0.0);
        check_solution(&p, false, 0.5);
        free_problem(&p);
    }
}

TEST(order_is_a_permutation_and_later_groups_rise)
{
    problem p;
    make_problem(&p, 15);
    const cone_factor *f = p.w->factor;
    bool seen[CONES] = {false};
    CHECK(f->graph.count < CONES); // some cones share a group
    for (int k = 0; k < f->graph.count; k++) {
        CHECK(!seen[f->order[k]]);
        seen[f->order[k]] = true;
        CHECK_EQ_INT(f->position[f->order[k]], k);
        for (int l = f->later_start[k]; l < f->later_start[k + 1]; l++) {
            CHECK(f->later[l] > (l > f->later_start[k] ? f->later[l - 1] : k));
        }
    }
    free_problem(&p);
}

// A chain has a perfect order: nothing fills in.
TEST(chains_do_not_fill_in)
{
    problem p;
    make_problem(&p, CONES);
    const cone_factor *f = p.w->factor;
    CHECK_EQ_INT(f->later_start[f->graph.count], f->graph.start[f->graph.count] / 2);
    free_problem(&p);
}
