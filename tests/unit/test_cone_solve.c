// What solvers of cone problems promise: agreement with each other, memory, bits, reports, and clear refusals.

#include "test.h"

#include "cone_scene.h"

#include "cone/cone.h"
#include "random_vector.h"

// ---- Random heaps ---------------------------------------------------------------------------------------------------

// Bodies with random contacts between them and the ground; pairs often touch at several points, so N is singular. Since
// q = D^T v without bias, rest is possible and a solution exists under both laws.
static scene *random_heap(int bodies, int cones, double decades, bool all_kinds)
{
    scene *s = scene_make();
    for (int b = 0; b < bodies; b++) {
        const double m = pow(10.0, test_uniform(-decades, decades));
        scene_body(s, m, ph_scale(m * test_uniform(0.02, 0.2), ph_vec(1, 1, 1)),
                   ph_add(random_vector(1), ph_vec(0, 0, -1)), random_vector(1));
    }
    for (int i = 0, a = SCENE_GROUND, b = 0; i < cones; i++) {
        if (test_random_index(3) == 0) {
            b = test_random_index(bodies);
            a = test_random_index(bodies + 1) - 1;
            if (a == b) a = SCENE_GROUND;
        }
        const ph_vec3 n = ph_unit(ph_add(random_vector(1), ph_vec(0, 0, 2)));
        ph_cone cone = {.friction = test_random_index(8) ? test_uniform(0, 1) : 0.0};
        const int kind = all_kinds ? test_random_index(6) : 0;
        if (kind == 1) {
            cone = (ph_cone){.kind = PH_CONE_HALF_LINE};
        } else if (kind == 2) {
            cone = (ph_cone){.kind = PH_CONE_INTERVAL, .low = test_uniform(-0.1, 0), .high = test_uniform(0, 0.1)};
        } else if (kind > 2) {
            cone.rolls = kind != 3;
            cone.spins = kind != 4;
            cone.rolling = test_uniform(0, 0.1);
            cone.spinning = test_uniform(0, 0.1);
        }
        const ph_vec3 arm_a = random_vector(0.5), arm_b = random_vector(0.5);
        if (kind == 1 || kind == 2)
            scene_line(s, a, b, n, arm_a, arm_b, cone);
        else
            scene_contact(s, a, b, n, arm_a, arm_b, cone);
    }
    return s;
}

static ph_cone_report run(const ph_cone_problem *p, const ph_cone_settings *settings, double *g, double *u)
{
    ph_cone_report report = {0};
    ph_error error = {PH_OK, ""};
    ph_cone_workspace *w = ph_cone_workspace_create(NULL);
    if (!CHECK_EQ_INT(ph_cone_solve(w, p, settings, g, u, &report, &error), PH_OK)) printf("  %s\n", error.text);
    ph_cone_workspace_destroy(w);
    return report;
}

static void check_heaps(const char *solver, ph_contact_law law, double decades, int count)
{
    ph_cone_settings settings = ph_default_cone();
    settings.solver = solver;
    settings.law = law;
    settings.measure = PH_CONE_BOTH;
    for (int trial = 0; trial < count; trial++) {
        scene *s = random_heap(1 + test_random_index(8), 1 + test_random_index(24), decades, trial % 2);
        const ph_cone_problem p = scene_problem(s);
        double g[SCENE_ROWS] = {0};
        const ph_cone_report r = run(&p, &settings, g, NULL);
        if (!CHECK(r.converged)) {
            printf("  %s, law %d, heap %d of %d cones: %g after %d iterations\n", solver, law, trial, s->cones,
                   r.residual, r.iterations);
        }
        scene_free(s);
    }
}

TEST(newton_solves_heaps_under_the_relaxed_law)
{
    check_heaps("newton", PH_LAW_RELAXED, 0.3, 150);
    check_heaps("newton", PH_LAW_RELAXED, 3.0, 150); // masses from 1 to a million
}

TEST(newton_solves_heaps_under_coulomb)
{
    check_heaps("newton", PH_LAW_COULOMB, 0.3, 300);
}

TEST(apgd_and_bb_solve_heaps_with_newton_behind_them)
{
    check_heaps("apgd", PH_LAW_COULOMB, 0.3, 40);
    check_heaps("bb", PH_LAW_RELAXED, 0.3, 40);
    check_heaps("pgs", PH_LAW_RELAXED, 0.3, 40);
}

// ---- Independent of the solver --------------------------------------------------------------------------------------

// One contact on each of three faces of every body: N is definite and the solution unique.
static scene *definite_heap(void)
{
    scene *s = scene_make();
    for (int b = 0; b < 4; b++) {
        scene_body(s, test_uniform(1, 2), ph_vec(0.1, 0.2, 0.15), ph_vec(test_uniform(-1, 1), 0.2, -1),
                   random_vector(1));
        scene_contact(s, b - 1, b, ph_unit(ph_add(random_vector(0.3), ph_vec(0, 0, 1))), random_vector(0.3),
                      random_vector(0.3), (ph_cone){.friction = 0.4});
    }
    return s;
}

TEST(all_solvers_find_the_same_impulses)
{
    for (int law = 0; law < 2; law++) {
        scene *s = definite_heap();
        const ph_cone_problem p = scene_problem(s);
        double first[SCENE_ROWS] = {0};
        for (int k = 0; k < ph_cone_solver_count(); k++) {
            ph_cone_settings settings = ph_default_cone();
            settings.solver = ph_cone_solver_get(k).name;
            settings.law = law;
            settings.tolerance = 1e-12;
            settings.finish = false; // each by itself
            settings.iterations = 100000;
            double g[SCENE_ROWS] = {0};
            const ph_cone_report r = run(&p, &settings, g, NULL);
            if (!CHECK(r.converged))
                printf("  %s, law %d: %g after %d\n", settings.solver, law, r.residual, r.iterations);
            CHECK_STR(r.solver, settings.solver);
            for (int i = 0; i < s->rows; i++) {
                if (k == 0) first[i] = g[i];
                CHECK_NEAR(g[i], first[i], 1e-9);
            }
        }
        scene_free(s);
    }
}

// The relaxed law is a minimum: no other impulses in the cones have a lower objective.
TEST(relaxed_law_minimises)
{
    scene *s = random_heap(4, 12, 0.3, false);
    const ph_cone_problem p = scene_problem(s);
    ph_cone_settings settings = ph_default_cone();
    settings.law = PH_LAW_RELAXED;
    settings.tolerance = 1e-12;
    double g[SCENE_ROWS] = {0}, u[SCENE_ROWS];
    run(&p, &settings, g, u);
    for (int trial = 0; trial < 2000; trial++) {
        double slope = 0.0;
        for (int i = 0; i < s->cones; i++) {
            double other[3];
            for (int r = 0; r < 3; r++) other[r] = g[3 * i + r] + test_uniform(-1, 1);
            ph_cone_project(&s->cone[i], other, other);
            for (int r = 0; r < 3; r++) slope += u[3 * i + r] * (other[r] - g[3 * i + r]);
        }
        CHECK(slope >= -1e-9);
    }
    scene_free(s);
}

// ---- Operators ------------------------------------------------------------------------------------------------------

typedef struct hidden { // a matrix that shows only products
    const ph_cone_matrix *matrix;
    int products;
} hidden;

static void hidden_apply(void *self, const double *x, double *y)
{
    hidden *h = self;
    h->products++;
    for (int i = 0; i < h->matrix->rows; i++) {
        y[i] = 0.0;
        for (int k = h->matrix->start[i]; k < h->matrix->start[i + 1]; k++) {
            y[i] += h->matrix->value[k] * x[h->matrix->column[k]];
        }
    }
}

static void hidden_diagonal(void *self, int first, int rows, double *block)
{
    const hidden *h = self;
    memset(block, 0, (size_t)(rows * rows) * sizeof *block);
    for (int i = 0; i < rows; i++) {
        for (int k = h->matrix->start[first + i]; k < h->matrix->start[first + i + 1]; k++) {
            const int j = h->matrix->column[k] - first;
            if (j >= 0 && j < rows) block[rows * i + j] = h->matrix->value[k];
        }
    }
}

TEST(operators_without_a_matrix)
{
    scene *s = definite_heap();
    ph_cone_problem p = scene_problem(s);
    hidden h = {s->matrix, 0};
    double g[SCENE_ROWS] = {0}, with_matrix[SCENE_ROWS] = {0};
    ph_cone_settings settings = ph_default_cone();
    settings.solver = "apgd";
    run(&p, &settings, with_matrix, NULL);
    p.N = (ph_cone_operator){.self = &h, .apply = hidden_apply, .diagonal = hidden_diagonal};
    const ph_cone_report r = run(&p, &settings, g, NULL);
    CHECK(r.converged);
    for (int i = 0; i < s->rows; i++) CHECK_NEAR(g[i], with_matrix[i], 1e-7);
    // one product in an iteration, and those of the start, of doubled L and of the report
    CHECK(h.products <= r.iterations + r.iterations / 4 + 20);
    ph_error error;
    ph_cone_workspace *w = ph_cone_workspace_create(NULL);
    settings.solver = "newton";
    CHECK_EQ_INT(ph_cone_solve(w, &p, &settings, g, NULL, NULL, &error), PH_NOT_SUPPORTED);
    CHECK(strstr(error.text, "matrix"));
    ph_cone_workspace_destroy(w);
    scene_free(s);
}

TEST(matrix_from_entries)
{
    // (0,1) twice and (1,0) once: the symmetric part of the sum
    const int row[] = {1, 0, 0, 2, 0}, column[] = {0, 1, 1, 2, 0};
    const double value[] = {1.0, 2.0, 5.0, 7.0, 4.0};
    ph_cone_matrix *m = NULL;
    CHECK_EQ_INT(ph_cone_matrix_create(3, 5, row, column, value, &m, NULL), PH_OK);
    CHECK_EQ_INT(m->start[3], 4);
    CHECK_EQ_INT(m->start[1], 2);
    CHECK(m->value[0] == 4.0 && m->value[1] == 4.0 && m->value[2] == 4.0 && m->value[3] == 7.0);
    CHECK(m->column[0] == 0 && m->column[1] == 1 && m->column[2] == 0 && m->column[3] == 2);
    ph_cone_matrix_destroy(m);
    CHECK_EQ_INT(ph_cone_matrix_create(2, 5, row, column, value, &m, NULL), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_cone_matrix_create(3, 1, row, column, (double[]){NAN}, &m, NULL), PH_NOT_FINITE);
    CHECK(m == NULL);
}

// ---- Memory and bits ------------------------------------------------------------------------------------------------

typedef struct counter {
    int taken, returned, fail_at;
} counter;

static void *count_allocate(size_t bytes, void *user)
{
    counter *c = user;
    return ++c->taken == c->fail_at ? NULL : malloc(bytes);
}

static void count_release(void *block, void *user)
{
    ((counter *)user)->returned++;
    free(block);
}

TEST(no_memory_is_taken_in_a_prepared_solve)
{
    for (int k = 0; k < ph_cone_solver_count(); k++) {
        counter c = {0};
        const ph_allocator allocator = {count_allocate, count_release, &c};
        ph_cone_workspace *w = ph_cone_workspace_create(&allocator);
        ph_cone_settings settings = ph_default_cone();
        settings.solver = ph_cone_solver_get(k).name;
        settings.iterations = 100; // so that newton has to finish for others
        settings.tolerance = 1e-10;
        scene *s = random_heap(6, 20, 0.3, true);
        const ph_cone_problem p = scene_problem(s);
        CHECK_EQ_INT(ph_cone_prepare(w, &p, &settings, NULL), PH_OK);
        const int before = c.taken;
        double g[SCENE_ROWS] = {0};
        ph_cone_report r;
        CHECK_EQ_INT(ph_cone_solve(w, &p, &settings, g, NULL, &r, NULL), PH_OK);
        CHECK_EQ_INT(c.taken, before);
        CHECK_EQ_INT(r.growths, 0);
        ph_cone_workspace_destroy(w);
        CHECK_EQ_INT(c.returned, c.taken);
        scene_free(s);
    }
}

TEST(running_out_of_memory_is_a_status)
{
    scene *s = random_heap(4, 10, 0.3, true);
    const ph_cone_problem p = scene_problem(s);
    const ph_cone_settings settings = ph_default_cone();
    for (int fail_at = 1;; fail_at++) {
        counter c = {.fail_at = fail_at};
        const ph_allocator allocator = {count_allocate, count_release, &c};
        ph_cone_workspace *w = ph_cone_workspace_create(&allocator);
        double g[SCENE_ROWS] = {0};
        ph_status status = PH_OUT_OF_MEMORY;
        if (w) status = ph_cone_solve(w, &p, &settings, g, NULL, NULL, NULL);
        // and it works once there is some
        if (w && status != PH_OK) CHECK_EQ_INT(ph_cone_solve(w, &p, &settings, g, NULL, NULL, NULL), PH_OK);
        ph_cone_workspace_destroy(w);
        CHECK_EQ_INT(c.returned, c.taken - (c.taken >= fail_at));
        if (c.taken < fail_at) break;
        CHECK_EQ_INT(status, PH_OUT_OF_MEMORY);
    }
    scene_free(s);
}

// The same problem gives the same bits in a new workspace and in one that has met others.
TEST(same_bits_in_every_workspace)
{
    for (int k = 0; k < ph_cone_solver_count(); k++) {
        ph_cone_settings settings = ph_default_cone();
        settings.solver = ph_cone_solver_get(k).name;
        scene *a = random_heap(6, 20, 0.3, true), *b = random_heap(8, 30, 1.0, true);
        const ph_cone_problem pa = scene_problem(a), pb = scene_problem(b);
        double first[SCENE_ROWS] = {0}, second[SCENE_ROWS] = {0}, other[SCENE_ROWS] = {0};
        run(&pa, &settings, first, NULL);
        ph_cone_workspace *w = ph_cone_workspace_create(NULL);
        CHECK_EQ_INT(ph_cone_solve(w, &pb, &settings, other, NULL, NULL, NULL), PH_OK);
        CHECK_EQ_INT(ph_cone_solve(w, &pa, &settings, second, NULL, NULL, NULL), PH_OK);
        CHECK(memcmp(first, second, (size_t)a->rows * sizeof(double)) == 0);
        ph_cone_workspace_destroy(w);
        scene_free(a);
        scene_free(b);
    }
}

TEST(a_good_start_is_kept_and_saves_work)
{
    scene *s = random_heap(6, 20, 0.3, false);
    const ph_cone_problem p = scene_problem(s);
    for (int k = 0; k < ph_cone_solver_count(); k++) {
        ph_cone_settings settings = ph_default_cone();
        settings.solver = ph_cone_solver_get(k).name;
        settings.law = PH_LAW_RELAXED;
        double g[SCENE_ROWS] = {0}, again[SCENE_ROWS];
        const ph_cone_report cold = run(&p, &settings, g, NULL);
        memcpy(again, g, sizeof g);
        settings.start = true;
        settings.lipschitz = cold.lipschitz;
        const ph_cone_report warm = run(&p, &settings, again, NULL);
        CHECK(cold.converged && warm.converged);
        CHECK_EQ_INT(warm.iterations, 0);
        for (int i = 0; i < s->rows; i++) CHECK_NEAR(again[i], g[i], 1e-15 * (1 + fabs(g[i])));
        again[0] = NAN; // a start that is not finite counts as none
        CHECK(run(&p, &settings, again, NULL).converged);
    }
    scene_free(s);
}

TEST(units_change_nothing)
{
    // masses in grams, lengths in millimetres: g and u scale, the work does not
    scene *s = definite_heap();
    const ph_cone_problem p = scene_problem(s);
    ph_cone_settings settings = ph_default_cone();
    double g[SCENE_ROWS] = {0}, scaled[SCENE_ROWS] = {0}, q[SCENE_ROWS], *value = malloc(sizeof(double) * 10000);
    const ph_cone_report r = run(&p, &settings, g, NULL);
    for (int k = 0; k < s->matrix->start[s->rows]; k++) value[k] = s->matrix->value[k] * 1024.0;
    for (int i = 0; i < s->rows; i++) q[i] = s->q[i] * 64.0;
    const ph_cone_matrix matrix = {s->rows, s->matrix->start, s->matrix->column, value};
    const ph_cone_problem other = {p.cone_count, p.cones, q, ph_cone_matrix_operator(&matrix)};
    settings.tolerance *= 64.0;
    const ph_cone_report r2 = run(&other, &settings, scaled, NULL);
    CHECK_EQ_INT(r2.iterations, r.iterations);
    for (int i = 0; i < s->rows; i++) CHECK_NEAR(scaled[i], g[i] / 16.0, 0.0); // powers of two: to the last bit
    free(value);
    scene_free(s);
}

// ---- Reports and refusals -------------------------------------------------------------------------------------------

TEST(too_few_iterations_are_reported)
{
    scene *s = random_heap(6, 20, 0.3, false);
    const ph_cone_problem p = scene_problem(s);
    ph_cone_settings settings = ph_default_cone();
    settings.solver = "apgd";
    settings.iterations = 3;
    settings.finish = false;
    double g[SCENE_ROWS] = {0}, u[SCENE_ROWS];
    const ph_cone_report r = run(&p, &settings, g, u);
    CHECK(!r.converged);
    CHECK_EQ_INT(r.iterations, 3);
    CHECK(r.residual > settings.tolerance);
    CHECK(r.worst_cone >= 0 && r.worst_cone < s->cones);
    CHECK(r.certificate > 0.0);
    scene_free(s);
}

// Residual and certificate measure the same thing in two ways that share no code: both are of one size.
TEST(certificate_bounds_what_is_wrong)
{
    for (int law = 0; law < 2; law++) {
        for (int iterations = 5; iterations < 200; iterations *= 2) {
            scene *s = random_heap(5, 15, 0.3, false);
            const ph_cone_problem p = scene_problem(s);
            ph_cone_settings settings = ph_default_cone();
            settings.solver = "apgd";
            settings.law = law;
            settings.iterations = iterations;
            settings.finish = false;
            double g[SCENE_ROWS] = {0};
            const ph_cone_report r = run(&p, &settings, g, NULL);
            CHECK(r.certificate <= 6.0 * r.residual);
            CHECK(r.residual <= 6.0 * r.certificate);
            scene_free(s);
        }
    }
}

TEST(nothing_to_solve)
{
    ph_cone_settings settings = ph_default_cone();
    const ph_cone_matrix matrix = {0, (int[]){0}, NULL, NULL};
    const ph_cone_problem p = {0, NULL, NULL, ph_cone_matrix_operator(&matrix)};
    for (int k = 0; k < ph_cone_solver_count(); k++) {
        settings.solver = ph_cone_solver_get(k).name;
        double g = 0.0;
        const ph_cone_report r = run(&p, &settings, &g, NULL);
        CHECK(r.converged);
        CHECK_EQ_INT(r.worst_cone, PH_NONE);
    }
}

static void check_refusal(const ph_cone_problem *p, const ph_cone_settings *settings, ph_status status,
                          const char *text)
{
    ph_error error = {PH_OK, ""};
    double g[8] = {0};
    ph_cone_workspace *w = ph_cone_workspace_create(NULL);
    CHECK_EQ_INT(ph_cone_solve(w, p, settings, g, NULL, NULL, &error), status);
    CHECK_EQ_INT(error.status, status);
    if (!CHECK(strstr(error.text, text))) printf("  \"%s\"\n", error.text);
    ph_cone_workspace_destroy(w);
}

TEST(mistakes_are_refused)
{
    const int start[] = {0, 1, 2, 3}, column[] = {0, 1, 2};
    const double value[] = {1, 1, 1}, q[] = {-1, 0, 0};
    ph_cone_matrix m = {3, start, column, value};
    ph_cone c = {.kind = PH_CONE_FRICTION, .friction = 0.5};
    ph_cone_problem p = {1, &c, q, ph_cone_matrix_operator(&m)};
    const ph_cone_settings good = ph_default_cone();
    ph_cone_settings bad = {0};
    check_refusal(&p, &bad, PH_BAD_ARGUMENT, "ph_default_cone()");
    bad = good;
    bad.solver = "apdg";
    check_refusal(&p, &bad, PH_NOT_FOUND, "did you mean \"apgd\"?");
    bad = good;
    bad.tolerance = 0.0;
    check_refusal(&p, &bad, PH_BAD_ARGUMENT, "tolerance");
    c.friction = -0.1;
    check_refusal(&p, &good, PH_BAD_ARGUMENT, "friction is -0.1");
    c.friction = NAN;
    check_refusal(&p, &good, PH_BAD_ARGUMENT, "friction is");
    c.friction = 0.5;
    c.rolls = true;
    c.rolling = -1;
    check_refusal(&p, &good, PH_BAD_ARGUMENT, "rolling is -1");
    c = (ph_cone){.kind = PH_CONE_INTERVAL, .low = 1, .high = 0};
    check_refusal(&p, &good, PH_BAD_ARGUMENT, "interval of cone 0 is empty");
    c = (ph_cone){.kind = PH_CONE_HALF_LINE};
    check_refusal(&p, &good, PH_BAD_ARGUMENT, "the matrix has 3 rows, the cones have 1");
    c = (ph_cone){.kind = PH_CONE_FRICTION};
    p.q = (double[]){-1, NAN, 0};
    check_refusal(&p, &good, PH_NOT_FINITE, "q of cone 0");
    p.q = q;
    m.column = (int[]){0, 5, 2};
    check_refusal(&p, &good, PH_BAD_ARGUMENT, "row 1 of the matrix");
    m.column = column;
    m.value = (double[]){1, INFINITY, 1};
    check_refusal(&p, &good, PH_NOT_FINITE, "row 1 of the matrix");
    m.value = value;
    p.N.matrix = NULL;
    check_refusal(&p, &good, PH_BAD_ARGUMENT, "apply and diagonal, or a matrix");
}

TEST(unsymmetric_matrices_are_refused)
{
    const int start[] = {0, 2, 3}, column[] = {0, 1, 1};
    const double value[] = {1, 0.5, 1}, q[] = {-1, 0};
    const ph_cone_matrix m = {2, start, column, value};
    const ph_cone c[] = {{.kind = PH_CONE_HALF_LINE}, {.kind = PH_CONE_HALF_LINE}};
    const ph_cone_problem p = {2, c, q, ph_cone_matrix_operator(&m)};
    const ph_cone_settings settings = ph_default_cone();
    check_refusal(&p, &settings, PH_BAD_ARGUMENT, "not symmetric: cones 0 and 1");
}
