// The Delassus operator of robots by path vectors of trees, beside that by one matrix of bodies and rows.
#include "rig.h"

#include "contact/delassus_trees.h"

#ifdef PH_WITH_YAML

typedef struct setup {
    ph_model *model;
    ph_state *state;
    arena *memory;
    kkt kkt;
    node node;
    detector *found;
    delassus blocks, trees;
    double rolling; // of every contact: with it they have six rows
} setup;

// All contacts, and stops at the ends of all joints that have them.
static bool add_rows(const setup *s, delassus *d)
{
    bool ok = true;
    delassus_begin(d);
    for (int k = 0; ok && k < s->found->found.count; k++) {
        pair_surface surface = contacts_surface(&s->found->found, &s->found->found.list[k]);
        surface.rolling = surface.spinning = s->rolling;
        ok = delassus_add_contact(d, &s->found->found.list[k], &surface, 0.0);
    }
    for (int j = 0; ok && j < s->model->joint_count; j++)
        if (s->model->joints[j].def->has_limit_high) ok = delassus_add_stop(d, j, STOP_HIGH, 0.0);
    return ok && delassus_end(d);
}

static bool open_setup(setup *s, const char *file, double until)
{
    ph_run_def run = ph_default_run();
    ph_summary summary;
    ph_error error = {0};
    run.until = until;
    s->model = rig_example(file);
    s->state = s->model ? ph_state_create(s->model) : NULL;
    if (!s->state || !CHECK_EQ_INT(ph_run(s->model, s->state, &run, &summary, &error), PH_OK)) return false;
    s->memory = arena_create(NULL);
    bool ok = kkt_create(s->model, KKT_DECOUPLED, s->memory, &s->kkt) &&
              node_create(s->model, &s->kkt, s->memory, &s->node) &&
              delassus_create(s->model, &s->kkt, &s->node, s->memory, &s->blocks) &&
              delassus_create(s->model, &s->kkt, &s->node, s->memory, &s->trees) &&
              delassus_trees_create(s->model, s->memory, &s->trees.trees) &&
              detector_create(s->model, &s->found, NULL) == PH_OK;
    if (!CHECK(ok && s->trees.trees)) return false;
    node_set_frames(s->model, s->state->position, s->state->orientation, &s->node);
    node_set_twists(s->model, s->state->angular_velocity, s->state->velocity, &s->node);
    node_set_jacobian(s->model, &s->kkt, &s->node);
    const poses at = poses_of_frames(s->node.frames);
    const movement moving = movement_of_twists(s->node.twists);
    ok = node_factor_mass(s->model, &s->kkt, &s->node) && detector_run(s->found, &at, &moving, 0.01) == PH_OK;
    delassus_trees_place(s->trees.trees, s->state->position, s->state->orientation);
    ok = ok && delassus_trees_factor(s->trees.trees, s->node.frames);
    return CHECK(ok && add_rows(s, &s->blocks) && add_rows(s, &s->trees) && s->blocks.row_count > 0);
}

static void close_setup(setup *s)
{
    delassus_trees_destroy(s->trees.trees);
    delassus_destroy(&s->blocks);
    delassus_destroy(&s->trees);
    detector_destroy(s->found);
    arena_destroy(s->memory);
    ph_state_destroy(s->state);
    ph_model_destroy(s->model);
}

static void check_products(setup *s, const char *file)
{
    const ph_cone_operator A = delassus_operator(&s->blocks), B = delassus_operator(&s->trees);
    const int n = s->blocks.row_count;
    double *g = calloc((size_t)n, sizeof *g), *u = calloc((size_t)n, sizeof *u), *w = calloc((size_t)n, sizeof *w);
    double apart = 0.0, largest = 0.0;
    for (int c = 0; c < n; c++) {
        g[c] = 1.0;
        A.apply(A.self, g, u);
        B.apply(B.self, g, w);
        g[c] = 0.0;
        for (int r = 0; r < n; r++) {
            apart = fmax(apart, fabs(u[r] - w[r]));
            largest = fmax(largest, fabs(u[r]));
        }
    }
    printf("  %s: %d rows, apart by %.1e of %.1e\n", file, n, apart, largest);
    CHECK(apart <= 1e-11 * largest);
    free(g);
    free(u);
    free(w);
}

static void compare(const char *file, double until)
{
    for (int rolling = 0; rolling < 2; rolling++) {
        setup s = {.rolling = 0.01 * rolling};
        if (open_setup(&s, file, until)) check_products(&s, file);
        close_setup(&s);
    }
}

TEST(products_are_those_of_one_matrix)
{
    compare("robots/quadruped.yaml", 0.3);
    compare("robots/humanoid.yaml", 0.3);
    compare("robots/vehicle.yaml", 0.3);
}

TEST(products_of_closed_loops_too)
{
    compare("robots/biped.yaml", 0.3);
    compare("robots/linkage_biped.yaml", 0.1);
}

#endif
