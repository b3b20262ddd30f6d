// A model with a state, a simulation and an observer, ready to be stepped.
#ifndef TESTS_RIG_H
#define TESTS_RIG_H

#include "test.h"

#include "polhode/polhode.h"

// Tests that read model files leave where the library was built without libyaml.
#ifdef PH_WITH_YAML
#define NEEDS_YAML (void)0
#else
#define NEEDS_YAML SKIP("built without libyaml")
#endif

typedef struct rig {
    ph_model *model;
    ph_state *state;
    ph_sim *sim;
    ph_observer *observer;
} rig;

// Takes the model over.
static inline rig rig_open(ph_model *model, const char *scheme)
{
    rig r = {.model = model};
    ph_sim_def def = ph_default_sim();
    ph_error error = {.text = ""};
    def.scheme = scheme;
    r.state = model ? ph_state_create(model) : NULL;
    CHECK(r.state && ph_sim_create(model, &def, &r.sim, &error) == PH_OK);
    CHECK(model && ph_observer_create(model, &r.observer) == PH_OK);
    CHECK_STR(error.text, "");
    return r;
}

static inline void rig_close(rig *r)
{
    ph_observer_destroy(r->observer);
    ph_sim_destroy(r->sim);
    ph_state_destroy(r->state);
    ph_model_destroy(r->model);
}

// Takes the spec over.
static inline rig rig_build(ph_spec *spec, const char *scheme)
{
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_OK);
    for (int i = 0; !model && i < ph_problems_count(problems); i++)
        printf("  %s\n", ph_problems_get(problems, i)->text);
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    return rig_open(model, scheme);
}

// A model of examples/, or NULL after a failed check.
static inline ph_model *rig_example(const char *file)
{
    char path[512];
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    snprintf(path, sizeof path, "%s/examples/%s", TEST_SOURCE_DIR, file);
    CHECK_EQ_INT(ph_model_read_file(path, NULL, 0, problems, &model), PH_OK);
    for (int i = 0; i < ph_problems_count(problems); i++) {
        printf("  %s: %s\n", file, ph_problems_get(problems, i)->text);
    }
    ph_problems_destroy(problems);
    return model;
}

// `count` steps of h; false after a failed check.
static inline bool rig_step(rig *r, double h, int count)
{
    ph_step_report report = {.status = PH_OK};
    for (int k = 0; k < count && report.status == PH_OK; k++) {
        ph_sim_step(r->sim, r->state, h, &report);
    }
    if (report.status != PH_OK) {
        char text[512];
        ph_step_report_format(&report, r->model, text, sizeof text);
        printf("  %s\n", text);
    }
    return CHECK_EQ_INT(report.status, PH_OK);
}

static inline ph_measures rig_measure(const rig *r)
{
    ph_measures m;
    ph_observer_measure(r->observer, r->state, &m);
    return m;
}

static inline ph_vec3 rig_position(const rig *r, int body)
{
    return ph_state_positions(r->state)[body];
}

static inline double rig_distance(ph_vec3 a, ph_vec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

// Compiles and destroys the spec; the first problem and its hint.
static inline ph_status rig_compile_and_tell(ph_spec *spec, char *text, size_t size, char *hint)
{
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    const ph_status status = ph_model_compile(spec, problems, &model);
    const ph_problem *first = ph_problems_get(problems, 0);
    snprintf(text, size, "%s", first ? first->text : "");
    snprintf(hint, size, "%s", first && first->hint ? first->hint : "");
    ph_problems_destroy(problems);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
    return status;
}

#endif
