// Rank of the rows and redundant rows of closed loops.

#include "test.h"

#include "math/vec3.h"
#include "model/model.h"
#include "polhode/model.h"

#include <time.h>

static const double pi = 3.14159265358979323846;

static int add_body(ph_spec *spec, ph_vec3 position)
{
    static int number;
    char name[32];
    snprintf(name, sizeof name, "body %d", number++);
    ph_body_def def = ph_default_body();
    def.name = name;
    def.mass = 1.0;
    def.inertia = (ph_mat3){{{0.1, 0.0, 0.0}, {0.0, 0.1, 0.0}, {0.0, 0.0, 0.1}}};
    def.position = position;
    return ph_spec_add_body(spec, &def);
}

static void add_joint(ph_spec *spec, const char *type, int a, int b, ph_vec3 anchor, ph_vec3 axis)
{
    static int number;
    char name[32];
    snprintf(name, sizeof name, "joint %d", number++);
    ph_joint_def def = ph_default_joint();
    def.name = name;
    def.type = type;
    def.body_a = a;
    def.body_b = b;
    def.has_anchor = true;
    def.anchor = anchor;
    def.has_axis = strcmp(type, "ball") != 0 && strcmp(type, "fixed") != 0;
    def.axis = axis;
    CHECK(ph_spec_add_joint(spec, &def) >= 0);
}

static ph_model *compiled(ph_spec *spec)
{
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    ph_model_compile(spec, problems, &model);
    for (int i = 0; i < ph_problems_count(problems); i++) {
        printf("  %s: %s\n", ph_problems_get(problems, i)->path, ph_problems_get(problems, i)->text);
    }
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    return model;
}

// ---- The same by brute force: a dense matrix, pivoted Gram-Schmidt ---------------------------------------------------

static double length(const double *x, int columns)
{
    double sum = 0.0;
    for (int k = 0; k < columns; k++) {
        sum += x[k] * x[k];
    }
    return sqrt(sum);
}

// Rows of B whose mark in `leave_out` is false (NULL: all).
static int dense_rank(const ph_model *model, const bool *leave_out)
{
    const int columns = model->velocity_count;
    double *B = calloc((size_t)(model->row_count * columns + 1), sizeof *B);
    frame *frames = calloc((size_t)model->body_count + 1, sizeof *frames);
    int rows = 0, rank = 0;
    for (int i = 0; i <= model->body_count; i++) {
        frames[i] = body_frame(&model->bodies[i]);
    }
    for (int n = 0; n < model->joint_count; n++) {
        const joint *j = &model->joints[n];
        double block[JOINT_BODIES_MAX * 6 * JOINT_ROWS_MAX];
        joint_jacobian(j, &(motion){.frames = frames}, block);
        for (int r = 0; r < j->row_count; r++) {
            if (leave_out && leave_out[j->first_row + r]) {
                continue;
            }
            for (int s = 0; s < j->body_count; s++) {
                memcpy(B + rows * columns + model->bodies[j->bodies[s]].velocity, block + 6 * (s * j->row_count + r),
                       6 * sizeof *B);
            }
            rows++;
        }
    }
    for (; rank < rows; rank++) {
        int best = rank;
        for (int r = rank + 1; r < rows; r++) {
            best = length(B + r * columns, columns) > length(B + best * columns, columns) ? r : best;
        }
        const double size = length(B + best * columns, columns);
        if (size < 1e-9) {
            break;
        }
        for (int k = 0; k < columns; k++) {
            const double swap = B[best * columns + k];
            B[best * columns + k] = B[rank * columns + k];
            B[rank * columns + k] = swap / size;
        }
        for (int r = rank + 1; r < rows; r++) {
            double along = 0.0;
            for (int k = 0; k < columns; k++) {
                along += B[r * columns + k] * B[rank * columns + k];
            }
            for (int k = 0; k < columns; k++) {
                B[r * columns + k] -= along * B[rank * columns + k];
            }
        }
    }
    free(frames);
    free(B);
    return rank;
}

static void check_rank(const ph_model *model)
{
    int redundant = 0;
    for (int r = 0; r < model->row_count; r++) {
        redundant += model->row_redundant[r];
    }
    CHECK_EQ_INT(ph_model_rank(model), dense_rank(model, NULL));
    CHECK_EQ_INT(ph_model_rank(model), model->row_count - redundant);
    CHECK_EQ_INT(ph_model_rank(model), dense_rank(model, model->row_redundant));
}

// ---- Mechanisms -----------------------------------------------------------------------------------------------------

TEST(planar_four_bar_has_three_redundant_rows)
{
    ph_spec *spec = ph_spec_create(NULL);
    const ph_vec3 z = ph_vec(0.0, 0.0, 1.0);
    const int crank = add_body(spec, ph_vec(0.0, 0.5, 0.0)), coupler = add_body(spec, ph_vec(1.0, 1.5, 0.0)),
              rocker = add_body(spec, ph_vec(2.0, 1.0, 0.0));
    add_joint(spec, "revolute", PH_WORLD, crank, ph_vec(0.0, 0.0, 0.0), z);
    add_joint(spec, "revolute", crank, coupler, ph_vec(0.0, 1.0, 0.0), z);
    add_joint(spec, "revolute", coupler, rocker, ph_vec(2.0, 2.0, 0.0), z);
    add_joint(spec, "revolute", PH_WORLD, rocker, ph_vec(2.0, 0.0, 0.0), z);
    ph_model *model = compiled(spec);
    if (CHECK(model)) {
        int redundant = 0;
        for (int row = 0; row < 20; row++) {
            int owner = -1, row_in_joint = -1;
            redundant += ph_model_row_redundant(model, row, &owner, &row_in_joint);
            CHECK_EQ_INT(owner, row / 5);
            CHECK_EQ_INT(row_in_joint, row % 5);
        }
        CHECK_EQ_INT(redundant, 3);
        CHECK_EQ_INT(ph_model_rows(model), 20);
        CHECK_EQ_INT(ph_model_freedoms(model), 1);
        check_rank(model);
    }
    ph_model_destroy(model);
}

TEST(slider_crank_has_one_freedom)
{
    ph_spec *spec = ph_spec_create(NULL);
    const ph_vec3 z = ph_vec(0.0, 0.0, 1.0);
    const int crank = add_body(spec, ph_vec(0.1, 0.0, 0.0)), rod = add_body(spec, ph_vec(0.5, 0.0, 0.0)),
              slider = add_body(spec, ph_vec(0.8, 0.0, 0.0));
    add_joint(spec, "revolute", PH_WORLD, crank, ph_vec(0.0, 0.0, 0.0), z);
    add_joint(spec, "prismatic", PH_WORLD, slider, ph_vec(0.8, 0.0, 0.0), ph_vec(1.0, 0.0, 0.0));
    add_joint(spec, "revolute", rod, slider, ph_vec(0.8, 0.0, 0.0), z);
    add_joint(spec, "revolute", crank, rod, ph_vec(0.2, 0.1, 0.0), z);
    ph_model *model = compiled(spec);
    if (CHECK(model)) {
        CHECK_EQ_INT(ph_model_freedoms(model), 1);
        check_rank(model);
    }
    ph_model_destroy(model);
}

// Bricard's plane-symmetric loop in its usual start: six links on the edges of a cube, six revolutes.
TEST(bricard_loop_has_one_freedom)
{
    ph_spec *spec = ph_spec_create(NULL);
    const ph_vec3 corner[7] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}, {0, 0, 0}};
    const ph_vec3 axis[6] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    int bodies[6];
    bodies[5] = PH_WORLD;
    for (int i = 0; i < 5; i++) {
        bodies[i] = add_body(spec, ph_scale(0.5, ph_add(corner[i], corner[i + 1])));
    }
    for (int i = 0; i < 6; i++) {
        add_joint(spec, "revolute", bodies[(i + 5) % 6], bodies[i], corner[i], axis[i]);
    }
    ph_model *model = compiled(spec);
    if (CHECK(model)) {
        CHECK_EQ_INT(ph_model_rows(model), 30);
        CHECK_EQ_INT(ph_model_freedoms(model), 1);
        check_rank(model);
    }
    ph_model_destroy(model);
}

// However far apart, and along whatever axis: five rows are enough.
TEST(a_door_on_two_hinges_moves)
{
    const ph_vec3 axes[] = {{1, 2, 3}, {0, 0, 1}, {0.3, -0.1, 0.77}};
    for (int k = 0; k < 36; k++) {
        ph_spec *spec = ph_spec_create(NULL);
        const double size = pow(10.0, k / 3 - 6), apart = k / 3 % 2 ? 0.7 : 0.003;
        const ph_vec3 axis = axes[k % 3], here = ph_scale(size, ph_vec(0.4, -1.0, 0.2));
        const int leaf = add_body(spec, ph_add(here, ph_scale(size, ph_vec(0.3, 0.5, -0.2))));
        add_joint(spec, "revolute", PH_WORLD, leaf, here, axis);
        add_joint(spec, "revolute", PH_WORLD, leaf, ph_madd(here, apart * size, axis), axis);
        ph_model *model = compiled(spec);
        if (CHECK(model)) {
            CHECK_EQ_INT(ph_model_freedoms(model), 1);
        }
        ph_model_destroy(model);
    }
}

TEST(two_ball_joints_between_the_same_bodies_make_a_hinge)
{
    ph_spec *spec = ph_spec_create(NULL);
    const int a = add_body(spec, ph_vec(0.0, 0.0, 0.0)), b = add_body(spec, ph_vec(1.0, 0.0, 0.0));
    add_joint(spec, "ball", a, b, ph_vec(0.5, 0.0, 0.0), ph_zero3());
    add_joint(spec, "ball", a, b, ph_vec(0.5, 1.0, 0.0), ph_zero3());
    ph_model *model = compiled(spec);
    if (CHECK(model)) {
        CHECK_EQ_INT(ph_model_freedoms(model), 7);
        check_rank(model);
    }
    ph_model_destroy(model);
}

// Any joints between any bodies: loops within loops, floating parts, over-constrained ones.
TEST(rank_of_random_mechanisms_is_that_of_the_dense_matrix)
{
    static const char *const types[] = {"ball",  "revolute", "prismatic",    "cylindrical",
                                        "fixed", "planar",   "point_on_line"};
    for (int trial = 0; trial < 200; trial++) {
        ph_spec *spec = ph_spec_create(NULL);
        const int bodies = 2 + test_random_index(6), joints = 1 + test_random_index(10);
        for (int i = 0; i < bodies; i++) {
            add_body(spec, ph_vec(test_uniform(-1, 1), test_uniform(-1, 1), test_uniform(-1, 1)));
        }
        for (int i = 0; i < joints; i++) {
            const int a = test_random_index(bodies + 1) - 1, b = test_random_index(bodies);
            const ph_vec3 axis = {test_uniform(-1, 1), test_uniform(-1, 1), trial % 2 ? test_uniform(-1, 1) : 0.0};
            if (a != b) { // half of the trials have parallel axes, as machines do
                add_joint(spec, types[test_random_index(7)], a, b,
                          ph_vec(test_uniform(-1, 1), test_uniform(-1, 1), 0.0),
                          trial % 4 ? axis : ph_vec(0.0, 0.0, 1.0));
            }
        }
        ph_model *model = compiled(spec);
        if (CHECK(model)) {
            check_rank(model);
        }
        ph_model_destroy(model);
    }
}

TEST(ring_of_many_bodies_is_quick)
{
    ph_spec *spec = ph_spec_create(NULL);
    enum { COUNT = 2000 };
    for (int i = 0; i < COUNT; i++) {
        const double angle = 2.0 * pi * i / COUNT;
        add_body(spec, ph_vec(100.0 * cos(angle), 100.0 * sin(angle), 0.0));
    }
    for (int i = 0; i < COUNT; i++) {
        const double angle = 2.0 * pi * (i + 0.5) / COUNT;
        add_joint(spec, "revolute", i, (i + 1) % COUNT, ph_vec(100.0 * cos(angle), 100.0 * sin(angle), 0.0),
                  ph_vec(0.0, 0.0, 1.0));
    }
    ph_model *model = compiled(spec);
    if (CHECK(model)) {
        CHECK_EQ_INT(ph_model_rows(model) - ph_model_rank(model), 3);
    }
    ph_model_destroy(model);
}

// ---- Nets -----------------------------------------------------------------------------------------------------------

// A square net of rods in a plane, hinges where they meet: every mesh is a loop with rows to spare.
static ph_model *make_net(int n)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_model *model = NULL;
    int *last = calloc((size_t)(n * n), sizeof *last); // 1 + a rod that ends at this knot; 0: none yet
    const ph_vec3 z = {0.0, 0.0, 1.0};
    for (int i = 0; i < n * n; i++) {
        for (int way = 0; way < 2; way++) {
            const int x = i % n, y = i / n, to = way ? i + n : i + 1;
            if (way ? y + 1 >= n : x + 1 >= n) continue;
            const int rod = add_body(spec, (ph_vec3){x + (way ? 0.0 : 0.5), y + (way ? 0.5 : 0.0), 0.0});
            const int knots[] = {i, to};
            for (int k = 0; k < 2; k++) {
                const int at = knots[k];
                if (last[at]) add_joint(spec, "revolute", last[at] - 1, rod, (ph_vec3){at % n, at / n, 0.0}, z);
                last[at] = rod + 1;
            }
        }
    }
    ph_model_compile(spec, NULL, &model);
    ph_spec_destroy(spec);
    free(last);
    return model;
}

// Processor time of compiling grows little faster than the net: a net of 3120 rods once took a minute.
TEST(nets_compile_in_time)
{
    const clock_t began = clock();
    ph_model *small = make_net(20);
    const clock_t between = clock();
    ph_model *large = make_net(40);
    const double first = (double)(between - began), second = (double)(clock() - between);
    CHECK(small && large && large->body_count == 3120);
    printf("  760 rods %.3f s, 3120 rods %.3f s\n", first / CLOCKS_PER_SEC, second / CLOCKS_PER_SEC);
    CHECK(second < 30.0 * first + 0.1 * CLOCKS_PER_SEC); // 4.1 times the rods: 13; the cube of that is 69
    ph_model_destroy(small);
    ph_model_destroy(large);
}
