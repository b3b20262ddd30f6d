// The KKT matrix of models, sparse, against dense algebra.

#include "rig.h"

#include "dense.h"
#include "dynamics/node.h"
#include "math/mat3.h"
#include "scenes.h"

static void fill(double *x, int count)
{
    for (int k = 0; k < count; k++) {
        x[k] = test_uniform(-1.0, 1.0);
    }
}

// [M B^T; B 0] (a, lambda) = (r, c), sparse, against a = M^-1 (r - B^T lambda), dense, with a pseudo-inverse. Accelerations
// are unique, multipliers only where no row depends on others.
typedef struct dense_kkt {
    const ph_model *model;
    int n, m;
    double *B, *MiBt, *S, *lambda; // m x n, n x m, m x m, m
    double *r, *a, *c;             // n, n, m
} dense_kkt;

static dense_kkt dense_kkt_make(const ph_model *model)
{
    const int n = model->velocity_count, m = model->row_count;
    return (dense_kkt){model,
                       n,
                       m,
                       dense_make(m, n),
                       dense_make(n, m),
                       dense_make(m, m),
                       dense_make(m, 1),
                       dense_make(n, 1),
                       dense_make(n, 1),
                       dense_make(m, 1)};
}

static void dense_kkt_free(dense_kkt *d)
{
    free(d->B), free(d->MiBt), free(d->S), free(d->lambda), free(d->r), free(d->a), free(d->c);
}

static void put_bodies(const dense_kkt *d, kkt *k)
{
    for (int i = 0; i < d->model->moving_count; i++) {
        const body *it = &d->model->bodies[d->model->moving[i]];
        double *block = kkt_body(k, i);
        memset(block, 0, 36 * sizeof(double));
        for (int p = 0; p < 9; p++) {
            block[p / 3 * 6 + p % 3] = it->kind->J.m[p % 3][p / 3];
        }
        block[21] = block[28] = block[35] = it->kind->mass;
        memcpy(kkt_body_x(k, i), d->r + it->velocity, 6 * sizeof(double));
    }
}

// Jacobians at the start, sparse and dense. Returns how many rows are left out.
static int put_joints(dense_kkt *d, kkt *k)
{
    const ph_model *model = d->model;
    frame frames[64];
    double *all = calloc((size_t)k->B_count + 1, sizeof *all);
    for (int b = 0; b <= model->body_count; b++) {
        frames[b] = body_frame(&model->bodies[b]);
    }
    for (int j = 0; j < model->joint_count; j++) {
        const joint *it = &model->joints[j];
        double block[JOINT_BODIES_MAX * JOINT_ROWS_MAX * 6];
        joint_jacobian(it, &(motion){.frames = frames}, block);
        memcpy(all + k->joints[j].B, block, sizeof(double) * (size_t)(6 * it->row_count * it->body_count));
        kkt_set_joint(k, j, block, 1.0, block);
        for (int p = 0; p < it->body_count; p++) {
            for (int q = 0; q < it->row_count; q++) {
                memcpy(d->B + (it->first_row + q) * d->n + model->bodies[it->bodies[p]].velocity,
                       block + 6 * (p * it->row_count + q), 6 * sizeof(double));
            }
        }
    }
    const int left_out = kkt_choose_rows(k, frames, all);
    free(all);
    return left_out;
}

static void put_rows(const dense_kkt *d, kkt *k, const double *v)
{
    dense_product(d->B, v, d->m, d->n, 1, d->c); // right-hand sides that fit together
    for (int j = 0; j < d->model->joint_count; j++) {
        const joint *it = &d->model->joints[j];
        memcpy(kkt_joint_x(k, j), d->c + it->first_row, sizeof(double) * (size_t)it->row_count);
    }
}

static void check_left_out(const ph_model *model, const kkt *k, int redundant)
{
    int left_out = 0;
    for (int j = 0; j < model->joint_count; j++) {
        left_out += __builtin_popcount(kkt_left_out(k, j));
    }
    CHECK_EQ_INT(left_out, redundant);
    CHECK_EQ_INT(model->row_count - model->rank, redundant);
}

// M^-1 of each row of B, and of r
static void divide_by_mass(dense_kkt *d)
{
    for (int i = 0; i < d->model->moving_count; i++) {
        const body *it = &d->model->bodies[d->model->moving[i]];
        for (int row = 0; row <= d->m; row++) {
            const double *x = row < d->m ? d->B + row * d->n + it->velocity : d->r + it->velocity;
            const ph_vec3 w = ph_mul(it->kind->J_inverse, ph_vec(x[0], x[1], x[2]));
            const double y[6] = {w.x, w.y, w.z, x[3] / it->kind->mass, x[4] / it->kind->mass, x[5] / it->kind->mass};
            for (int p = 0; p < 6; p++) {
                *(row < d->m ? &d->MiBt[(it->velocity + p) * d->m + row] : &d->a[it->velocity + p]) = y[p];
            }
        }
    }
}

static void solve_dense(dense_kkt *d, int redundant)
{
    const int n = d->n, m = d->m;
    divide_by_mass(d);
    dense_product(d->B, d->MiBt, m, n, m, d->S);
    dense_product(d->B, d->a, m, n, 1, d->lambda);
    for (int row = 0; row < m; row++) { // rows of length one, so that units make no difference
        const double size = sqrt(d->S[row * m + row]);
        d->c[row] = (d->lambda[row] - d->c[row]) / size;
        for (int i = 0; i < n; i++) {
            d->B[row * n + i] /= size;
            d->MiBt[i * m + row] /= size;
        }
    }
    dense_product(d->B, d->MiBt, m, n, m, d->S);
    CHECK_EQ_INT(dense_pseudo_solve(d->S, d->c, m, 1e-10, d->lambda), m - redundant);
    for (int i = 0; i < n; i++) {
        for (int row = 0; row < m; row++) {
            d->a[i] -= d->MiBt[i * m + row] * d->lambda[row];
        }
    }
}

static void check_accelerations(const dense_kkt *d, kkt *k)
{
    double largest = 1.0, apart = 0.0;
    for (int i = 0; i < d->n; i++) {
        largest = fmax(largest, fabs(d->a[i]));
    }
    for (int i = 0; i < d->model->moving_count; i++) {
        const double *a = d->a + d->model->bodies[d->model->moving[i]].velocity;
        for (int p = 0; p < 6; p++) {
            apart = fmax(apart, fabs(kkt_body_x(k, i)[p] - a[p]));
        }
    }
    CHECK(apart <= 1e-9 * largest);
}

static void check_kkt(ph_model *model, int redundant)
{
    arena *memory = arena_create(NULL);
    kkt k;
    dense_kkt d = dense_kkt_make(model);
    double *v = dense_make(d.n, 1);
    CHECK(model->body_count < 64 && kkt_create(model, KKT_DECOUPLED, memory, &k));
    fill(d.r, d.n), fill(v, d.n);
    put_bodies(&d, &k);
    CHECK_EQ_INT(put_joints(&d, &k), redundant);
    put_rows(&d, &k, v);
    CHECK(kkt_factor(&k));
    check_left_out(model, &k, redundant);
    kkt_solve(&k);
    solve_dense(&d, redundant);
    check_accelerations(&d, &k);
    free(v);
    dense_kkt_free(&d);
    arena_destroy(memory);
    ph_model_destroy(model);
}

static const ph_vec3 axis_x = {1.0, 0.0, 0.0};

static int add_bar(ph_spec *spec, const char *name, double size, double y, double z)
{
    ph_body_def bar = ph_default_body();
    bar.name = name;
    bar.mass = 2.0;
    bar.inertia = ph_diag(ph_scale(size * size, ph_vec(0.17, 0.17, 0.05)));
    bar.position = ph_vec(0.0, y * size, z * size);
    return ph_spec_add_body(spec, &bar);
}

// A square of four bars and the ground, every length times `size`.
static ph_model *four_bars(double size)
{
    ph_spec *spec = scene_start();
    const int left = add_bar(spec, "left", size, 0.0, 0.5);
    const int top = add_bar(spec, "top", size, 0.5, 1.0);
    const int right = add_bar(spec, "right", size, 1.0, 0.5);
    scene_axial(spec, "A", "revolute", PH_WORLD, left, (ph_vec3){0.0, 0.0, 0.0}, axis_x);
    scene_axial(spec, "B", "revolute", left, top, (ph_vec3){0.0, 0.0, size}, axis_x);
    scene_axial(spec, "C", "revolute", top, right, (ph_vec3){0.0, size, size}, axis_x);
    scene_axial(spec, "D", "revolute", PH_WORLD, right, (ph_vec3){0.0, size, 0.0}, axis_x);
    return scene_finish(spec);
}

// A door with `hinges` of the given type along one vertical line.
static ph_model *door(const char *type, int hinges)
{
    ph_spec *spec = scene_start();
    const int leaf = scene_body(spec, "leaf", (ph_vec3){0.4, 0.0, 1.0});
    for (int k = 0; k < hinges; k++) {
        char name[16];
        snprintf(name, sizeof name, "hinge%d", k);
        ph_joint_def joint = scene_joint_def(name, type, PH_WORLD, leaf, (ph_vec3){0.0, 0.0, 0.3 + 0.5 * k});
        joint.has_axis = strcmp(type, "ball") != 0;
        joint.axis = (ph_vec3){0.0, 0.0, 1.0};
        ph_spec_add_joint(spec, &joint);
    }
    return scene_finish(spec);
}

// A tree of `bodies` rods on joints of all kinds.
static ph_model *random_tree(int bodies)
{
    static const char *const types[] = {"ball", "revolute", "prismatic", "cylindrical", "fixed"};
    ph_spec *spec = scene_start();
    for (int k = 0; k < bodies; k++) {
        char name[16];
        snprintf(name, sizeof name, "rod%d", k);
        const ph_vec3 at = {test_uniform(-2.0, 2.0), test_uniform(-2.0, 2.0), test_uniform(-2.0, 2.0)};
        const int body = scene_body(spec, name, at);
        const char *type = types[test_random_index(5)];
        const int parent = test_random_index(k + 1) - 1;
        ph_joint_def joint = scene_joint_def(name, type, parent < 0 ? PH_WORLD : parent, body, at);
        joint.anchor.x += 0.5;
        joint.has_axis = strcmp(type, "ball") != 0 && strcmp(type, "fixed") != 0;
        joint.axis = (ph_vec3){test_uniform(-1.0, 1.0), 1.0, test_uniform(-1.0, 1.0)};
        ph_spec_add_joint(spec, &joint);
    }
    return scene_finish(spec);
}

TEST(kkt_of_chains_and_trees_has_no_dependent_rows)
{
    for (int k = 0; k < 10; k++) {
        check_kkt(random_tree(1 + test_random_index(12)), 0);
    }
    check_kkt(scene_chain(12), 0);
    check_kkt(scene_pendulum(), 0);
}

TEST(kkt_leaves_out_as_many_rows_as_the_loops_repeat)
{
    check_kkt(four_bars(1.0), 3);
    check_kkt(four_bars(1e-3), 3);
    check_kkt(four_bars(1e3), 3);
    check_kkt(door("revolute", 2), 5);
    check_kkt(door("revolute", 4), 15);
    check_kkt(door("ball", 2), 1); // the distance of the two points is kept twice
    check_kkt(door("ball", 3), 4);
    check_kkt(door("cylindrical", 2), 4);
}

// What trees without loops can do without is made where it is asked for, and then gives the same velocities.
TEST(rows_of_a_tree_may_come_later)
{
    ph_model *model = scene_chain(10);
    ph_state *state = ph_state_create(model);
    arena *memory = arena_create(NULL);
    kkt kkt;
    node at;
    if (!CHECK(model && state && memory && kkt_create_spare(model, KKT_DECOUPLED, memory, &kkt) &&
               node_create(model, &kkt, memory, &at)))
        return;
    CHECK(kkt.tree && !kkt.has_rows && !at.B && kkt.lu.value_count == 0);
    double by_tree[60], by_rows[60];
    for (int rows = 0; rows < 2; rows++) {
        node_set_time(state, state->time, &at);
        node_set_frames(model, state->position, state->orientation, &at);
        if (rows) {
            CHECK(node_need_rows(&kkt, &at));
            node_set_jacobian(model, &kkt, &at);
            node_put_mass(model, &kkt, &at);
            CHECK(kkt_factor(&kkt));
        } else {
            CHECK(node_factor_kept(model, &kkt, &at) && kkt.by_tree);
        }
        for (int e = 0; e < kkt.lu.x_count; e++) kkt.x[e] = 0.0;
        for (int k = 0; k < 10; k++) node_put_vectors(kkt_body_x(&kkt, k), ph_vec(k, 1.0, 2.0), ph_vec(-1.0, 3.0, k));
        kkt_solve(&kkt);
        for (int k = 0; k < 60; k++) (rows ? by_rows : by_tree)[k] = kkt_body_x(&kkt, k / 6)[k % 6];
    }
    CHECK(kkt.has_rows && at.B && !kkt.by_tree);
    for (int k = 0; k < 60; k++) CHECK_NEAR(by_rows[k], by_tree[k], 1e-11 * (1.0 + fabs(by_tree[k])));
    arena_destroy(memory);
    ph_state_destroy(state);
    ph_model_destroy(model);
}
