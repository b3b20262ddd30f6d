// The block LU beside SuiteSparse's KLU on the matrix of hanging chains: the same solution, and the time that one factor
// with one solve takes. `build/release/tests/unit/test_linalg_klu` prints the table of docs/decisions.md.

#include "rig.h"

#include "base/foreign.h"
#include "dynamics/kkt.h"
#include "dynamics/node.h"
#include "math/so3.h"
#include "scenes.h"

#include <klu.h>
#include <time.h>

// The matrix by columns, made from the blocks of the KKT matrix before it is factored.
typedef struct compressed {
    int n, *start, *row;
    double *value;
} compressed;

typedef struct triplet {
    int row, column;
    double value;
} triplet;

static int by_column(const void *a, const void *b)
{
    const triplet *x = a, *y = b;
    return x->column != y->column ? x->column - y->column : x->row - y->row;
}

static void add_block(triplet *list, int *count, const double *block, int row, int column, int rows, int column_count)
{
    for (int c = 0; c < column_count; c++) {
        for (int r = 0; r < rows; r++) {
            if (block[c * rows + r] != 0.0) {
                list[(*count)++] = (triplet){row + r, column + c, block[c * rows + r]};
            }
        }
    }
}

static compressed compressed_of(const ph_model *model, kkt *k)
{
    enum { PER_BODY = 36, PER_SLOT = 2 * 36 };
    const size_t most = (size_t)(PER_BODY * model->moving_count + 2 * PER_SLOT * model->joint_count);
    triplet *list = malloc(most * sizeof *list);
    int count = 0;
    for (int b = 0; b < model->moving_count; b++) {
        add_block(list, &count, kkt_body(k, b), k->body_x[b], k->body_x[b], 6, 6);
    }
    for (int j = 0; j < model->joint_count; j++) {
        const joint *it = &model->joints[j];
        for (int s = 0; s < it->body_count; s++) {
            const int body = k->body_x[model->bodies[it->bodies[s]].moving];
            add_block(list, &count, kkt_upper(k, j, s), body, k->joints[j].x, 6, it->row_count);
            add_block(list, &count, kkt_lower(k, j, s), k->joints[j].x, body, it->row_count, 6);
        }
    }
    qsort(list, (size_t)count, sizeof *list, by_column);
    compressed A = {.n = k->lu.x_count};
    A.start = calloc((size_t)A.n + 1, sizeof(int));
    A.row = malloc(sizeof(int) * (size_t)count);
    A.value = malloc(sizeof(double) * (size_t)count);
    for (int i = 0; i < count; i++) {
        A.start[list[i].column + 1] = i + 1;
        A.row[i] = list[i].row;
        A.value[i] = list[i].value;
    }
    free(list);
    return A;
}

static void compressed_free(compressed *A)
{
    free(A->start), free(A->row), free(A->value);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Best time of one call out of five measurements of 50 ms.
#define TIME_OF(statement, best)                                                                                       \
    for (int repeat = 0; repeat < 5; repeat++) {                                                                       \
        const double began = seconds();                                                                                \
        int calls = 0;                                                                                                 \
        do {                                                                                                           \
            statement;                                                                                                 \
            calls++;                                                                                                   \
        } while (seconds() - began < 0.05);                                                                            \
        best = fmin(best, (seconds() - began) / calls);                                                                \
    }

// Newton's matrix of a chain in motion: rods turned in all directions, body blocks diag(3x3, m I) that are full and not
// symmetric.
static void fill_kkt(const ph_model *model, kkt *k, const node *at, const double *right)
{
    node_put_mass(model, k, at);
    for (int b = 0; b < model->moving_count; b++) {
        double *block = kkt_body(k, b);
        for (int e = 0; e < 9; e++) {
            block[e / 3 * 6 + e % 3] += 1e-3 * (e + 1);
        }
    }
    memcpy(k->x, right, sizeof(double) * (size_t)k->lu.x_count);
}

static void factor_and_solve(kkt *k)
{
    CHECK(kkt_factor(k));
    kkt_solve(k);
}

static void compare(int bodies)
{
    ph_model *model = scene_chain(bodies);
    arena *memory = arena_create(NULL);
    kkt k;
    node at;
    CHECK(kkt_create(model, KKT_DECOUPLED, memory, &k) && node_create(model, &k, memory, &at));
    for (int b = 0; b < bodies; b++) {
        const ph_vec3 turn = {test_uniform(-2.0, 2.0), test_uniform(-2.0, 2.0), test_uniform(-2.0, 2.0)};
        at.frames[b].R = ph_so3_exp(turn);
    }
    node_set_jacobian(model, &k, &at);
    double *right = malloc(sizeof(double) * (size_t)k.lu.x_count), *x = malloc(sizeof(double) * (size_t)k.lu.x_count);
    for (int i = 0; i < k.lu.x_count; i++) {
        right[i] = test_uniform(-1.0, 1.0);
    }
    fill_kkt(model, &k, &at, right);
    compressed A = compressed_of(model, &k);
    factor_and_solve(&k);

    klu_common common;
    klu_defaults(&common);
    klu_symbolic *symbolic = klu_analyze(A.n, A.start, A.row, &common);
    klu_numeric *numeric = klu_factor(A.start, A.row, A.value, symbolic, &common);
    memcpy(x, right, sizeof(double) * (size_t)A.n);
    klu_solve(symbolic, numeric, A.n, 1, x, &common);
    foreign_wrote(x, sizeof(double) * (size_t)A.n);
    double largest = 0.0, apart = 0.0;
    for (int i = 0; i < A.n; i++) {
        largest = fmax(largest, fabs(x[i]));
        apart = fmax(apart, fabs(x[i] - k.x[i]));
    }
    CHECK(apart <= 1e-9 * largest);

    // A new matrix of the same pattern each time: ours is filled anew, KLU refactors with the pivots it has.
    double ours = 1.0, theirs = 1.0, filling = 1.0;
    TIME_OF(fill_kkt(model, &k, &at, right), filling);
    TIME_OF((fill_kkt(model, &k, &at, right), factor_and_solve(&k)), ours);
    TIME_OF((klu_refactor(A.start, A.row, A.value, symbolic, numeric, &common),
             memcpy(x, right, sizeof(double) * (size_t)A.n), klu_solve(symbolic, numeric, A.n, 1, x, &common)),
            theirs);
    printf("  chain of %4d: ours %8.2f us, KLU %8.2f us, %.1f times\n", bodies, 1e6 * (ours - filling), 1e6 * theirs,
           theirs / (ours - filling));

    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
    compressed_free(&A);
    free(right), free(x);
    arena_destroy(memory);
    ph_model_destroy(model);
}

TEST(block_lu_and_klu_agree_on_chains)
{
    compare(10);
    compare(100);
    compare(1000);
}
