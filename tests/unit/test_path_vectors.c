// Path vectors: what an impulse at a body gives to the freedoms on its way to the root, and what they give back.

#include "articulated_bench.h"

enum { PATH_MAX = 6 * ROBOT_BODIES_MAX };

typedef struct path {
    int branch, count, index[PATH_MAX];
    double y[PATH_MAX], constant;
    double wrench[6]; // as given
} path;

static path random_path(const bench *b)
{
    path p = {.branch = test_random_index(b->forest.branch_count)};
    wrenches K;
    double y[4 * PATH_MAX], constant[4];
    const int lane = test_random_index(4);
    for (int d = 0; d < 6; d++)
        for (int c = 0; c < 4; c++) K.v[d][c] = test_uniform(-1.0, 1.0);
    for (int d = 0; d < 6; d++) p.wrench[d] = K.v[d][lane];
    p.count = articulated_path(&b->tree, p.branch, &K, p.index, y, 4, constant);
    for (int e = 0; e < p.count; e++) p.y[e] = y[4 * e + lane];
    p.constant = constant[lane];
    CHECK_EQ_INT(p.count, articulated_path_length(&b->tree, p.branch));
    return p;
}

// The velocity along a wrench is y . z and what motors prescribe; an impulse along it adds y to z.
TEST(path_vectors)
{
    for (int n = 0; n < 100; n++) {
        const robot_options o = {.bodies = 2 + test_random_index(10), .on_world = n % 2, .motors = n % 3};
        bench b;
        open_bench(robot_make(&o), &b);
        double *rhs = dense_make(b.model->velocity_count + b.model->row_count, 1), *z = b.z;
        set_soft(&b);
        place(&b);
        set_drives(&b, rhs);
        for (int k = 0; k < b.forest.freedom_count; k++) z[k] = test_uniform(-1.0, 1.0);
        for (int t = 0; t < b.forest.tree_count; t++) articulated_up(&b.tree, t, z);
        for (int c = 0; c < 10; c++) {
            const path p = random_path(&b);
            double u = p.constant, v = 0.0, size = 1.0;
            for (int e = 0; e < p.count; e++) u += p.y[e] * z[p.index[e]], size += fabs(p.y[e]);
            for (int d = 0; d < 6; d++) v += p.wrench[d] * b.tree.twist[p.branch].v[d];
            CHECK_NEAR(u, v, 1e-13 * size);
        }
        for (int i = 0; i < b.forest.branch_count; i++)
            for (int k = 0; k < b.forest.branches[i].motion.count; k++) {
                path p;
                p.count = articulated_path_of_freedom(&b.tree, i, k, p.index, p.y, &p.constant);
                double u = p.constant, size = 1.0;
                for (int e = 0; e < p.count; e++) u += p.y[e] * z[p.index[e]], size += fabs(p.y[e]);
                CHECK_NEAR(u, b.tree.rate[b.forest.branches[i].first + k], 1e-13 * size);
            }
        free(rhs);
        close_bench(&b);
    }
}

static void impulse_on(bench *b, const path *p)
{
    memset(b->tree.momentum, 0, sizeof *b->tree.momentum * (size_t)b->forest.branch_count);
    memcpy(b->tree.momentum[p->branch].v, p->wrench, sizeof p->wrench);
    for (int t = 0; t < b->forest.tree_count; t++) articulated_down(&b->tree, t, b->z);
}

TEST(a_path_vector_is_down_of_its_impulse)
{
    for (int n = 0; n < 50; n++) {
        const robot_options o = {.bodies = 2 + test_random_index(10), .on_world = n % 2};
        bench b;
        open_bench(robot_make(&o), &b);
        place(&b);
        const path p = random_path(&b);
        impulse_on(&b, &p);
        double size = 0.0;
        for (int k = 0; k < b.forest.freedom_count; k++) size = ph_max(size, fabs(b.z[k]));
        for (int e = 0; e < p.count; e++) b.z[p.index[e]] -= p.y[e];
        for (int k = 0; k < b.forest.freedom_count; k++) CHECK_NEAR(b.z[k], 0.0, 1e-14 * size);
        close_bench(&b);
    }
}
