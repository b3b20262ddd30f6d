// Small cone problems with a dense matrix: what the solver says is so, and how often it gets there.

#include "test.h"

#include "cone_scene.h"

#include "cone/dense.h"
#include "random_vector.h"

static ph_cone random_cone(bool all_kinds)
{
    ph_cone cone = {.kind = PH_CONE_FRICTION, .friction = test_random_index(8) ? test_uniform(0, 1) : 0.0};
    const int kind = all_kinds ? test_random_index(7) : 0;
    if (kind == 1) return (ph_cone){.kind = PH_CONE_HALF_LINE};
    if (kind == 2) return (ph_cone){.kind = PH_CONE_FREE};
    if (kind == 3)
        return (ph_cone){.kind = PH_CONE_INTERVAL, .low = test_uniform(-0.1, 0), .high = test_uniform(0, 0.1)};
    cone.rolls = kind > 4;
    cone.spins = kind == 4 || kind == 6;
    cone.rolling = test_uniform(0, 0.1);
    cone.spinning = test_uniform(0, 0.1);
    return cone;
}

// Bodies that approach each other and the ground. `many`: more rows than freedoms.
static scene *random_scene(bool all_kinds, bool many)
{
    scene *s = scene_make();
    const int bodies = 1 + test_random_index(6), cones = many ? 3 * bodies : 1 + bodies;
    for (int b = 0; b < bodies; b++) {
        const double m = pow(10.0, test_uniform(-1.0, 1.0));
        scene_body(s, m, ph_scale(m * test_uniform(0.02, 0.2), ph_vec(1, 1, 1)),
                   ph_add(random_vector(1), ph_vec(0, 0, -1)), random_vector(1));
    }
    for (int i = 0; i < cones; i++) {
        const int b = i < bodies ? i : test_random_index(bodies), a = test_random_index(bodies + 1) - 1;
        const ph_vec3 n = ph_unit(ph_add(random_vector(1), ph_vec(0, 0, 2)));
        const ph_cone cone = random_cone(all_kinds);
        const ph_vec3 arm_a = random_vector(0.5), arm_b = random_vector(0.5);
        if (cone.kind == PH_CONE_FRICTION)
            scene_contact(s, a == b ? SCENE_GROUND : a, b, n, arm_a, arm_b, cone);
        else
            scene_line(s, a == b ? SCENE_GROUND : a, b, n, arm_a, arm_b, cone);
    }
    return s;
}

static double *matrix_of(const ph_cone_problem *p, int rows)
{
    const ph_cone_matrix *m = p->N.matrix(p->N.self);
    double *N = calloc((size_t)(rows * rows), sizeof *N);
    for (int r = 0; r < rows; r++)
        for (int e = m->start[r]; e < m->start[r + 1]; e++) N[r * rows + m->column[e]] = m->value[e];
    return N;
}

typedef struct tally {
    int solved, all, newton;
} tally;

// What was solved is solved to the certificate, which shares no code with the solver.
static void try_scene(scene *s, bool redundant, tally *t)
{
    const ph_cone_problem p = scene_problem(s);
    double *N = matrix_of(&p, s->rows), g[SCENE_ROWS] = {0}, u[SCENE_ROWS], other[SCENE_ROWS];
    void *scratch = malloc(dense_cones_bytes(s->rows, s->cones));
    const dense_cones_problem problem = {s->rows, s->cones, s->cone, N, s->q, redundant};
    const dense_cones_report r = dense_cones_solve(&problem, 1e-9, scratch, g, u);
    const double certified = ph_cone_certify(&p, PH_LAW_COULOMB, g, other);
    t->all++;
    t->solved += r.residual <= 1e-9;
    t->newton += r.newton;
    CHECK(certified <= 10.0 * r.residual + 1e-13 && r.residual <= 10.0 * certified + 1e-13);
    for (int k = 0; k < s->rows; k++) CHECK_NEAR(u[k], other[k], 1e-11);
    // again from there: nothing to do
    if (r.residual <= 1e-9) CHECK_EQ_INT(dense_cones_solve(&problem, 1e-9, scratch, g, u).newton, 0);
    free(scratch), free(N);
    scene_free(s);
}

static void try_many(bool all_kinds, bool redundant, int least)
{
    tally t = {0};
    for (int n = 0; n < 200; n++) try_scene(random_scene(all_kinds, redundant), redundant, &t);
    printf("  %d of %d solved, %.1f steps each\n", t.solved, t.all, (double)t.newton / t.all);
    CHECK(t.solved >= least);
}

TEST(contacts_fewer_than_freedoms)
{
    try_many(false, false, 199);
}

TEST(cones_of_every_kind)
{
    try_many(true, false, 198);
}

TEST(contacts_that_are_redundant)
{
    try_many(false, true, 190);
}

TEST(redundant_cones_of_every_kind)
{
    try_many(true, true, 180);
}
