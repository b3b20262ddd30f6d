// Small dense kernels, elimination order, block LU and Cholesky, against dense algebra.

#include "rig.h"

#include "dense.h"
#include "dynamics/kkt.h"
#include "linalg/block_cholesky.h"
#include "linalg/small.h"
#include "math/mat3.h"
#include "scenes.h"

static void fill(double *x, int count)
{
    for (int k = 0; k < count; k++) {
        x[k] = test_uniform(-1.0, 1.0);
    }
}

// ---- Small kernels --------------------------------------------------------------------------------------------------

static double entry(const double *A, int rows, int r, int c) // column-major
{
    return A[c * rows + r];
}

TEST(small_products_of_all_sizes)
{
    for (int sizes = 0; sizes < 216; sizes++) {
        const int m = 1 + sizes % 6, k = 1 + sizes / 6 % 6, n = 1 + sizes / 36;
        double A[36], B[36], C[36], D[36], product[36];
        fill(A, 36), fill(B, 36), fill(C, 36);
        memcpy(D, C, sizeof D);
        small_product(product, A, B, m, k, n);
        small_sub_product(C, A, B, m, k, n);
        for (int r = 0; r < m; r++) {
            for (int c = 0; c < n; c++) {
                double sum = 0.0;
                for (int p = 0; p < k; p++) {
                    sum += entry(A, m, r, p) * entry(B, k, p, c);
                }
                CHECK_NEAR(entry(product, m, r, c), sum, 1e-15);
                CHECK_NEAR(entry(C, m, r, c), entry(D, m, r, c) - sum, 1e-15);
            }
        }
        double y[6], z[6] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
        small_apply(y, A, B, m, k);
        small_sub_apply(z, A, B, m, k);
        for (int r = 0; r < m; r++) {
            CHECK_NEAR(y[r], entry(product, m, r, 0), 0.0);
            CHECK_NEAR(z[r], r + 1.0 - y[r], 0.0);
        }
    }
}

// Positive definite, with a part that is not symmetric, as Newton's matrices have.
static void make_definite(double *A, int n)
{
    double G[36];
    fill(G, n * n);
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < n; c++) {
            double sum = r == c ? 0.3 : test_uniform(-0.05, 0.05);
            for (int p = 0; p < n; p++) {
                sum += G[p * n + r] * G[p * n + c];
            }
            A[c * n + r] = sum;
        }
    }
}

static void check_inverse(const double *A, const double *X, int n, unsigned left_out)
{
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < n; c++) {
            const bool out = (left_out >> r & 1u) || (left_out >> c & 1u);
            double sum = 0.0;
            for (int p = 0; p < n; p++) {
                sum += left_out >> r & 1u ? 0.0 : entry(A, n, r, p) * entry(X, n, p, c);
            }
            CHECK_NEAR(sum, r == c && !out ? 1.0 : 0.0, 1e-12);
            CHECK(!out || entry(X, n, r, c) == 0.0);
        }
    }
}

TEST(small_inverses_whole_masked_and_decoupled)
{
    for (int k = 0; k < 600; k++) {
        const int n = 1 + k % 6;
        const unsigned mask = (unsigned)test_random_index(1 << n);
        double A[36], X[36];
        make_definite(A, n);
        memcpy(X, A, sizeof X);
        CHECK(small_invert(X, n));
        check_inverse(A, X, n, 0);
        memcpy(X, A, sizeof X);
        CHECK(small_invert_masked(X, n, mask));
        check_inverse(A, X, n, mask);
    }
    double P[9], A[36] = {0}, X[36], x[6], y[6];
    make_definite(P, 3);
    for (int c = 0; c < 3; c++) {
        for (int r = 0; r < 3; r++) {
            A[6 * c + r] = P[3 * c + r];
        }
        A[7 * (c + 3)] = 2.5;
    }
    memcpy(X, A, sizeof X);
    CHECK(small_invert_decoupled(X));
    check_inverse(A, X, 6, 0);
    fill(x, 6);
    small_apply_decoupled(y, A, x);
    for (int r = 0; r < 6; r++) {
        double sum = 0.0;
        for (int c = 0; c < 6; c++) {
            sum += entry(A, 6, r, c) * x[c];
        }
        CHECK_NEAR(y[r], sum, 1e-15);
    }
}

TEST(small_inverse_of_a_singular_block_is_refused)
{
    for (int n = 1; n <= 6; n++) {
        double A[36] = {0};
        CHECK(!small_invert(A, n));
        A[0] = (double)NAN;
        CHECK(!small_invert(A, n));
    }
    double A[36] = {0};
    CHECK(!small_invert_decoupled(A));
}

// ---- Elimination order ----------------------------------------------------------------------------------------------

enum { NODES_MAX = 128, EDGES_MAX = 400 };

typedef struct graph {
    int node_count, edge_count;
    int size[NODES_MAX];
    bool is_constraint[NODES_MAX];
    int edges[EDGES_MAX][2];
} graph;

static int add_node(graph *g, int size, bool is_constraint)
{
    g->size[g->node_count] = size;
    g->is_constraint[g->node_count] = is_constraint;
    return g->node_count++;
}

static void add_edge(graph *g, int a, int b)
{
    g->edges[g->edge_count][0] = a;
    g->edges[g->edge_count++][1] = b;
}

// A joint of `rows` rows between two bodies; body -1 is the world.
static void add_joint(graph *g, int rows, int a, int b)
{
    const int joint = add_node(g, rows, true);
    if (a >= 0) {
        add_edge(g, a, joint);
    }
    add_edge(g, b, joint);
}

static block_graph view(const graph *g)
{
    return (block_graph){.node_count = g->node_count,
                         .size = g->size,
                         .is_constraint = g->is_constraint,
                         .edge_count = g->edge_count,
                         .edges = (const int(*)[2])g->edges};
}

// Bodies first, each hung on an earlier one or on the world; then `extra` joints that close loops.
static graph random_graph(int bodies, int extra, bool floating)
{
    graph g = {0};
    for (int k = 0; k < bodies; k++) {
        add_node(&g, 6, false);
    }
    for (int k = 0; k < bodies; k++) {
        if (k > 0 || !floating) {
            add_joint(&g, 1 + test_random_index(5), k ? test_random_index(k + !floating) - !floating : -1, k);
        }
    }
    for (int k = 0; k < extra; k++) {
        const int a = test_random_index(bodies), b = (a + 1 + test_random_index(bodies - 1)) % bodies;
        add_joint(&g, 1 + test_random_index(2), a, b);
    }
    return g;
}

// How many couplings are not in the graph.
static void check_order(const graph *g, int fill_max)
{
    arena *memory = arena_create(NULL);
    block_order order;
    const block_graph blocks = view(g);
    bool done[NODES_MAX] = {false};
    CHECK(block_order_make(&blocks, memory, &order));
    for (int k = 0; k < g->node_count; k++) {
        const int node = order.order[k];
        CHECK(node >= 0 && node < g->node_count && !done[node]);
        done[node] = true;
        bool has_body = false;
        for (int e = 0; e < g->edge_count; e++) { // a constraint has no diagonal block of its own
            has_body |= g->edges[e][1] == node && done[g->edges[e][0]];
        }
        CHECK(!g->is_constraint[node] || has_body);
    }
    const int fill_in = order.later_start[g->node_count] - g->edge_count;
    CHECK(fill_in >= 0 && fill_in <= fill_max);
    arena_destroy(memory);
}

TEST(trees_are_eliminated_without_fill)
{
    for (int k = 0; k < 200; k++) {
        const graph g = random_graph(1 + test_random_index(60), 0, k % 2);
        check_order(&g, 0);
    }
    graph star = {0};
    for (int k = 0; k < 50; k++) {
        add_node(&star, 6, false);
    }
    for (int k = 0; k < 50; k++) {
        add_joint(&star, 3, k ? 0 : -1, k);
    }
    check_order(&star, 0);
}

// A chain of 40 bodies from the world, and one joint more between two of its bodies.
TEST(a_ring_is_eliminated_with_little_fill)
{
    graph chain = {0};
    for (int k = 0; k < 40; k++) {
        add_node(&chain, 6, false);
    }
    for (int k = 0; k < 40; k++) {
        add_joint(&chain, 5, k ? k - 1 : -1, k);
    }
    add_joint(&chain, 5, -1, 39); // a ring of all
    check_order(&chain, 2 * 41);
    chain.edges[chain.edge_count - 1][0] = 9; // a ring of ten, with a tail of thirty
    check_order(&chain, 2 * 11);
}

// ---- Block LU -------------------------------------------------------------------------------------------------------

static int offset_of(const graph *g, int node)
{
    int at = 0;
    for (int k = 0; k < node; k++) {
        at += g->size[k];
    }
    return at;
}

static void put_block(double *values, double *A, int n, int row, int column, int rows, int columns, const double *block)
{
    memcpy(values, block, sizeof(double) * (size_t)(rows * columns));
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            A[(row + r) * n + column + c] = block[c * rows + r];
        }
    }
}

// Random values: definite bodies, coupling blocks, lower ones a little unlike the transposed upper ones.
static void fill_matrix(const graph *g, block_lu *lu, double *A, int n)
{
    double block[36], other[36];
    for (int k = 0; k < g->node_count; k++) {
        if (!g->is_constraint[k]) {
            make_definite(block, 6);
            put_block(lu->values + block_lu_diagonal(lu, k), A, n, offset_of(g, k), offset_of(g, k), 6, 6, block);
        }
    }
    for (int e = 0; e < g->edge_count; e++) {
        const int a = g->edges[e][0], b = g->edges[e][1], rows = g->size[a], columns = g->size[b];
        const int first = test_random_index(6);
        for (int r = 0; r < rows; r++) { // rows of a joint are far from parallel
            for (int c = 0; c < columns; c++) {
                block[c * rows + r] = (r == (first + c) % 6) + test_uniform(-0.2, 0.2);
                other[r * columns + c] = block[c * rows + r] + test_uniform(-0.01, 0.01);
            }
        }
        put_block(lu->values + block_lu_block(lu, a, b), A, n, offset_of(g, a), offset_of(g, b), rows, columns, block);
        put_block(lu->values + block_lu_block(lu, b, a), A, n, offset_of(g, b), offset_of(g, a), columns, rows, other);
    }
}

// The solution x (in elimination order) must be as good as that of Gauss with pivoting, up to a factor.
static void check_residual(const graph *g, const block_lu *lu, const double *A, const double *b, const double *x, int n)
{
    double *copy = dense_make(n, n), *dense = dense_make(n, 1), *ours = dense_make(n, 1), *product = dense_make(n, 1);
    double error[2] = {0.0, 0.0}, largest = 0.0;
    memcpy(copy, A, sizeof(double) * (size_t)(n * n));
    memcpy(dense, b, sizeof(double) * (size_t)n);
    CHECK(dense_solve(copy, dense, n));
    for (int k = 0; k < g->node_count; k++) {
        memcpy(ours + offset_of(g, k), x + lu->pivots[lu->position[k]].x, sizeof(double) * (size_t)g->size[k]);
    }
    for (int way = 0; way < 2; way++) {
        dense_product(A, way ? dense : ours, n, n, 1, product);
        for (int r = 0; r < n; r++) {
            error[way] = fmax(error[way], fabs(product[r] - b[r]));
            largest = fmax(largest, fabs(dense[r]));
        }
    }
    CHECK(error[0] <= 1e-12 * largest + 1e3 * error[1]);
    free(copy), free(dense), free(ours), free(product);
}

static void check_solution(const graph *g)
{
    arena *memory = arena_create(NULL);
    block_lu lu;
    const block_graph blocks = view(g);
    const int n = offset_of(g, g->node_count);
    double *A = dense_make(n, n), *b = dense_make(n, 1), *x = dense_make(n, 1);
    CHECK(block_lu_create(&blocks, memory, &lu));
    CHECK_EQ_INT(lu.x_count, n);
    for (int again = 0; again < 2; again++) { // a second factorisation starts clean
        memset(A, 0, sizeof(double) * (size_t)(n * n));
        fill_matrix(g, &lu, A, n);
        fill(b, n);
        for (int k = 0; k < g->node_count; k++) {
            memcpy(x + lu.pivots[lu.position[k]].x, b + offset_of(g, k), sizeof(double) * (size_t)g->size[k]);
        }
        block_lu_clear(&lu);
        CHECK(block_lu_factor(&lu));
        block_lu_solve(&lu, x);
        check_residual(g, &lu, A, b, x, n);
    }
    free(A), free(b), free(x);
    arena_destroy(memory);
}

TEST(block_lu_solves_random_trees_like_a_dense_solver)
{
    for (int k = 0; k < 60; k++) {
        const graph g = random_graph(1 + test_random_index(15), 0, k % 2);
        check_solution(&g);
    }
}

TEST(block_lu_solves_random_loops_like_a_dense_solver)
{
    for (int k = 0; k < 60; k++) {
        const graph g = random_graph(4 + test_random_index(10), 1 + test_random_index(3), false);
        check_solution(&g);
    }
}

// ---- Block Cholesky -------------------------------------------------------------------------------------------------

// S = G G^T with rows of G of all sizes, of which the last of every node is a sum of others.
typedef struct semidefinite {
    graph graph;
    int n, columns, dependent;
    double *G, *S;
} semidefinite;

// Rows of G in one or two groups of columns: nodes that share a group are coupled. Some rows are sums of two rows before.
static semidefinite make_semidefinite(int nodes)
{
    enum { GROUP = 6 };
    semidefinite d = {0};
    int(*groups)[2] = calloc((size_t)nodes, sizeof *groups);
    for (int k = 0; k < nodes; k++) {
        add_node(&d.graph, 1 + test_random_index(3), false);
        d.n += d.graph.size[k];
        groups[k][0] = k / 2;
        groups[k][1] = test_random_index(nodes / 2 + 1);
        for (int l = 0; l < k; l++) {
            bool shared = false;
            for (int p = 0; p < 4; p++) {
                shared |= groups[k][p / 2] == groups[l][p % 2];
            }
            if (shared) {
                d.graph.edges[d.graph.edge_count][0] = l;
                d.graph.edges[d.graph.edge_count++][1] = k;
            }
        }
    }
    d.columns = GROUP * (nodes / 2 + 1);
    d.G = dense_make(d.n, d.columns);
    d.S = dense_make(d.n, d.n);
    for (int k = 0, row = 0; k < nodes; k++) {
        for (int r = 0; r < d.graph.size[k]; r++, row++) {
            const double size = pow(10.0, test_uniform(-4.0, 4.0)); // rows in metres beside rows without unit
            for (int c = 0; c < 2 * GROUP; c++) {
                d.G[row * d.columns + GROUP * groups[k][c / GROUP] + c % GROUP] = size * test_uniform(-1.0, 1.0);
            }
            if (r == 2) { // the third of a node is a sum of the first two
                d.dependent++;
                for (int c = 0; c < d.columns; c++) {
                    d.G[row * d.columns + c] = 3.0 * d.G[(row - 1) * d.columns + c] - d.G[(row - 2) * d.columns + c];
                }
            }
        }
    }
    for (int i = 0; i < d.n * d.n; i++) {
        for (int c = 0; c < d.columns; c++) {
            d.S[i] += d.G[i / d.n * d.columns + c] * d.G[i % d.n * d.columns + c];
        }
    }
    free(groups);
    return d;
}

static void put_semidefinite(const semidefinite *d, block_cholesky *c)
{
    const graph *g = &d->graph;
    block_cholesky_clear(c);
    for (int e = -g->node_count; e < g->edge_count; e++) {
        int a = e < 0 ? -1 - e : g->edges[e][0], b = e < 0 ? a : g->edges[e][1];
        bool swapped;
        double *block = c->values + block_cholesky_block(c, a, b, &swapped);
        if (swapped) {
            const int keep = a;
            a = b, b = keep;
        }
        for (int i = 0; i < g->size[a] * g->size[b]; i++) {
            block[i] = d->S[(offset_of(g, a) + i % g->size[a]) * d->n + offset_of(g, b) + i / g->size[a]];
        }
    }
}

// For a column s of S, s^T S^-1 s is its diagonal entry, whether the row is kept or depends on rows that are.
static void check_columns(const semidefinite *d, const block_cholesky *c)
{
    double *x = dense_make(d->n, 1), *s = dense_make(d->n, 1);
    for (int column = 0; column < d->n; column++) {
        double sum = 0.0;
        for (int k = 0; k < d->graph.node_count; k++) {
            for (int r = 0; r < d->graph.size[k]; r++) {
                const int at = c->pivots[c->position[k]].x + r;
                x[at] = s[at] = d->S[(offset_of(&d->graph, k) + r) * d->n + column];
            }
        }
        block_cholesky_solve(c, x);
        for (int i = 0; i < d->n; i++) {
            sum += x[i] * s[i];
        }
        CHECK_REL(sum, d->S[column * d->n + column], 1e-9);
    }
    free(x), free(s);
}

TEST(cholesky_leaves_out_dependent_rows_of_any_size)
{
    for (int k = 0; k < 60; k++) {
        semidefinite d = make_semidefinite(2 + test_random_index(12));
        arena *memory = arena_create(NULL);
        block_cholesky c;
        const block_graph blocks = view(&d.graph);
        int rank = 0;
        CHECK(block_cholesky_create(&blocks, memory, &c));
        for (int again = 0; again < 2; again++) { // values are factored in place, and may be written anew
            put_semidefinite(&d, &c);
            block_cholesky_factor(&c, 1e-9);
        }
        for (int p = 0; p < c.pivot_count; p++) {
            rank += c.pivots[p].rank;
        }
        CHECK_EQ_INT(rank, d.n - d.dependent);
        check_columns(&d, &c);
        arena_destroy(memory);
        free(d.G), free(d.S);
    }
}
