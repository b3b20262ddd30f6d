// Contacts of `rattlie-ns` by path vectors of trees, beside the one matrix of bodies and rows that every named solver has.
#include "rig.h"

#include "math/vec3.h"

#ifdef PH_WITH_YAML

typedef struct world {
    ph_model *model;
    ph_sim *sim;
    ph_state *state;
} world;

static bool open_world(const char *name, const char *solver, world *w)
{
    char path[512];
    ph_spec *spec = NULL;
    ph_problems *problems = ph_problems_create();
    ph_contact_settings contact = ph_default_contact();
    ph_sim_def def = ph_default_sim();
    ph_error error = {.text = ""};
    def.scheme = "rattlie-ns";
    contact.solver = solver;
    snprintf(path, sizeof path, "%s/examples/robots/%s.yaml", TEST_SOURCE_DIR, name);
    bool ok = ph_spec_read_file(path, NULL, 0, problems, &spec) == PH_OK;
    ok = ok && ph_spec_set_contact(spec, &contact) == PH_OK && ph_model_compile(spec, problems, &w->model) == PH_OK &&
         ph_sim_create(w->model, &def, &w->sim, &error) == PH_OK;
    for (int k = 0; k < ph_problems_count(problems); k++) printf("  %s\n", ph_problems_get(problems, k)->text);
    if (!ok) printf("  %s: %s\n", name, error.text);
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    return CHECK(ok && (w->state = ph_state_create(w->model)));
}

static void close_world(world *w)
{
    ph_state_destroy(w->state);
    ph_sim_destroy(w->sim);
    ph_model_destroy(w->model);
}

static double apart(const world *a, const world *b)
{
    double most = 0.0;
    for (int i = 0; i < ph_model_bodies(a->model); i++)
        most = ph_max(most, ph_norm(ph_sub(ph_state_positions(a->state)[i], ph_state_positions(b->state)[i])));
    return most;
}

// Both solve the same equations to 1e-12 m/s, so that they part by rounding alone.
static void compare(const char *name, double h, int steps)
{
    world trees = {0}, matrix = {0};
    ph_step_report one, other;
    long long contacts = 0;
    bool ok = open_world(name, "auto", &trees) && open_world(name, "newton", &matrix);
    for (int k = 0; k < steps && ok; k++) {
        ok = CHECK_EQ_INT(ph_sim_step(trees.sim, trees.state, h, &one), PH_OK) &&
             CHECK_EQ_INT(ph_sim_step(matrix.sim, matrix.state, h, &other), PH_OK);
        contacts += one.contacts;
    }
    if (ok) {
        printf("  %s: %lld contacts in %d steps, apart by %.1e m\n", name, contacts, steps, apart(&trees, &matrix));
        CHECK(contacts > 0);
        CHECK(apart(&trees, &matrix) < 1e-9);
    }
    close_world(&trees);
    close_world(&matrix);
}

TEST(robots_move_by_trees_as_by_one_matrix)
{
    compare("quadruped", 2e-3, 60);
    compare("humanoid", 2e-3, 30);
    compare("vehicle", 2e-3, 60);
    compare("gripper", 2e-3, 60);
}

TEST(closed_loops_too)
{
    compare("biped", 2e-3, 30);
}

#endif
