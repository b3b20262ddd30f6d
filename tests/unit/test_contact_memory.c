// Memory that steps with contact take, and the solvers they name: the report counts every block, and a heap at rest takes none.
#include "test.h"

#include "polhode/polhode.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 4, LAYERS = 3, STEPS = 300, REST = 200 };

static void *allocate(size_t bytes, void *user)
{
    ++*(long long *)user;
    return malloc(bytes);
}

static void release(void *block, void *user)
{
    (void)user;
    free(block);
}

typedef struct heap_case {
    const char *name, *shape, *scheme, *solver;
    ph_contact_law law;
    double tolerance, rolling, restitution, sleep;
    bool hinges;    // neighbours of the lowest layer hang together, with limits
    const char *by; // the solver that is named at the end
} heap_case;

static const heap_case cases[] = {
    {"balls", "sphere", "moreau", "auto", PH_LAW_COULOMB, 1e-3, 0.0, 0.0, 0.0, false, "heap"},
    {"boxes", "box", "moreau", "auto", PH_LAW_COULOMB, 1e-3, 0.0, 0.0, 0.0, false, "heap"},
    {"balls, few and exact", "sphere", "moreau", "auto", PH_LAW_COULOMB, 1e-8, 0.0, 0.0, 0.0, false, "apgd"},
    {"boxes by apgd", "box", "moreau", "apgd", PH_LAW_COULOMB, 1e-3, 0.0, 0.0, 0.0, false, "apgd"},
    {"boxes by pgs", "box", "moreau", "pgs", PH_LAW_COULOMB, 1e-3, 0.0, 0.0, 0.0, false, "pgs"},
    {"boxes by newton", "box", "moreau", "newton", PH_LAW_COULOMB, 1e-8, 0.0, 0.0, 0.0, false, "newton"},
    {"relaxed", "box", "moreau", "auto", PH_LAW_RELAXED, 1e-6, 0.0, 0.0, 0.0, false, "apgd"},
    {"rolling friction", "sphere", "moreau", "auto", PH_LAW_COULOMB, 1e-3, 1e-3, 0.0, 0.0, false, "trees"},
    {"bounces", "sphere", "moreau", "auto", PH_LAW_COULOMB, 1e-3, 0.0, 0.3, 0.0, false, "heap"},
    {"sleep", "box", "moreau", "auto", PH_LAW_COULOMB, 1e-3, 0.0, 0.0, 0.05, false, NULL},
    {"joints by apgd", "box", "moreau", "apgd", PH_LAW_COULOMB, 1e-3, 0.0, 0.0, 0.0, true, "apgd"},
    {"rattlie-ns", "box", "rattlie-ns", "auto", PH_LAW_COULOMB, 1e-8, 0.0, 0.0, 0.0, false, NULL},
};

static void add_bodies(ph_spec *spec, const heap_case *c)
{
    const double size = 0.2;
    for (int k = 0; k < SIDE * SIDE * LAYERS; k++) {
        const int x = k % SIDE, y = k / SIDE % SIDE, z = k / (SIDE * SIDE);
        char name[16];
        snprintf(name, sizeof name, "b%d", k);
        ph_body_def body = ph_default_body();
        body.name = name;
        body.position = (ph_vec3){1.1 * size * x, 1.1 * size * y, 0.5 * size + 1.01 * size * z};
        ph_shape_def shape = ph_default_shape();
        shape.type = c->shape;
        shape.radius = 0.5 * size;
        shape.size = (ph_vec3){size, size, size};
        shape.density = 1000.0;
        shape.rolling_friction = c->rolling;
        shape.restitution = c->restitution;
        ph_spec_add_shape(spec, ph_spec_add_body(spec, &body), &shape);
    }
}

static void add_hinges(ph_spec *spec)
{
    for (int k = 0; k + 1 < SIDE; k++) {
        char name[16];
        snprintf(name, sizeof name, "j%d", k);
        ph_joint_def hinge = ph_default_joint();
        hinge.name = name;
        hinge.type = "revolute";
        hinge.body_a = k + 1; // the floor is body 0
        hinge.body_b = k + 2;
        hinge.has_anchor = hinge.has_axis = hinge.has_limit_low = hinge.has_limit_high = true;
        hinge.anchor = (ph_vec3){0.22 * (k + 0.5), 0.0, 0.1};
        hinge.axis = (ph_vec3){0.0, 1.0, 0.0};
        hinge.limit_low = -0.1;
        hinge.limit_high = 0.1;
        CHECK(ph_spec_add_joint(spec, &hinge) >= 0);
    }
}

static ph_model *make_model(const heap_case *c, const ph_allocator *allocator)
{
    ph_spec *spec = ph_spec_create(allocator);
    ph_problems *problems = ph_problems_create();
    ph_contact_settings contact = ph_default_contact();
    ph_model *model = NULL;
    contact.solver = c->solver;
    contact.law = c->law;
    contact.tolerance = c->tolerance;
    contact.sleep = c->sleep;
    contact.iterations = 5000;
    ph_spec_set_contact(spec, &contact);
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -9.81});
    ph_body_def floor = ph_default_body();
    floor.name = "floor";
    floor.fixed = true;
    ph_shape_def plane = ph_default_shape();
    plane.type = "plane";
    plane.size = (ph_vec3){0.0, 0.0, 1.0};
    ph_spec_add_shape(spec, ph_spec_add_body(spec, &floor), &plane);
    add_bodies(spec, c);
    if (c->hinges) add_hinges(spec);
    CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_OK);
    for (int k = 0; k < ph_problems_count(problems); k++) printf("  %s\n", ph_problems_get(problems, k)->text);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return model;
}

typedef struct heap_run {
    long long calls; // of the allocator
    ph_model *model;
    ph_state *state;
    ph_sim *sim;
} heap_run;

static bool open_run(heap_run *r, const heap_case *c)
{
    const ph_allocator allocator = {allocate, release, &r->calls};
    ph_sim_def def = ph_default_sim();
    def.scheme = c->scheme;
    *r = (heap_run){0};
    r->model = make_model(c, &allocator);
    r->state = r->model ? ph_state_create(r->model) : NULL;
    return CHECK(r->state) && CHECK_EQ_INT(ph_sim_create(r->model, &def, &r->sim, NULL), PH_OK);
}

static void close_run(heap_run *r)
{
    ph_sim_destroy(r->sim);
    ph_state_destroy(r->state);
    ph_model_destroy(r->model);
}

TEST(the_report_counts_the_blocks_of_a_step)
{
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        heap_run r;
        long long all = 0, late = 0, hidden = 0;
        ph_status status = open_run(&r, &cases[k]) ? PH_OK : PH_OUT_OF_MEMORY;
        for (int step = 0; step < STEPS && status == PH_OK; step++) {
            const long long before = r.calls;
            ph_step_report report;
            status = ph_sim_step(r.sim, r.state, 0.005, &report);
            hidden += r.calls - before > report.growths;
            all += report.growths;
            late += step >= REST && r.calls > before;
        }
        CHECK_EQ_INT(status, PH_OK);
        if (!CHECK(hidden == 0 && late == 0 && all > 0))
            printf("  %s: %lld blocks, %lld steps took more than they say, %lld late ones some\n", cases[k].name, all,
                   hidden, late);
        close_run(&r);
    }
}

TEST(reports_name_the_solver_that_ran)
{
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        heap_run r;
        ph_step_report report = {0};
        if (!cases[k].by || !open_run(&r, &cases[k])) continue;
        CHECK_STR(ph_state_contact_solver(r.state), "none");
        CHECK_EQ_INT(ph_sim_advance(r.sim, r.state, 0.005, 3, &report), PH_OK);
        long long named = 0;
        for (int s = 0; s < PH_CONTACT_SOLVERS; s++)
            if (ph_contact_solver_name(s) && strcmp(ph_contact_solver_name(s), cases[k].by) == 0)
                named = report.solver_steps[s];
        printf("  %s: %s\n", cases[k].name, report.contact_solver ? report.contact_solver : "nothing");
        CHECK_STR(report.contact_solver, cases[k].by);
        CHECK_STR(ph_state_contact_solver(r.state), cases[k].by);
        CHECK_EQ_INT(named, 3);
        close_run(&r);
    }
}

TEST(a_solver_that_does_not_exist_is_refused)
{
    heap_case c = cases[0];
    heap_run r = {0};
    const ph_allocator allocator = {allocate, release, &r.calls};
    ph_error error = {.text = ""};
    ph_sim *sim = NULL;
    c.solver = "magic";
    ph_model *model = make_model(&c, &allocator);
    if (model) CHECK_EQ_INT(ph_sim_create(model, &(ph_sim_def){0}, &sim, NULL), PH_BAD_ARGUMENT);
    ph_sim_def def = ph_default_sim();
    def.scheme = "moreau";
    if (model) CHECK_EQ_INT(ph_sim_create(model, &def, &sim, &error), PH_NOT_FOUND);
    CHECK(strstr(error.text, "magic") != NULL);
    ph_model_destroy(model);
    CHECK(ph_contact_solver_name(-1) == NULL && ph_contact_solver_name(PH_CONTACT_SOLVERS) == NULL);
}
