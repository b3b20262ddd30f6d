// Models of tests that are written as model files.
#ifndef TESTS_TEXT_MODEL_H
#define TESTS_TEXT_MODEL_H

#include "test.h"

#include "polhode/polhode.h"

// The compiled model, or NULL after saying what is wrong with it.
static inline ph_model *text_model(const char *text)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    ph_spec_read_text(text, strlen(text), "test.yaml", NULL, 0, problems, &spec);
    if (spec) {
        ph_model_compile(spec, problems, &model);
    }
    for (int i = 0; !model && i < ph_problems_count(problems); i++) {
        printf("  %s\n", ph_problems_get(problems, i)->text);
    }
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    CHECK(model);
    return model;
}

// `count` steps of length h from where the state is; false after a step that fails.
static inline bool text_model_run(const ph_model *model, const char *scheme, ph_state *state, double h, int count)
{
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_error error = {.text = ""};
    ph_status status;
    def.scheme = scheme;
    status = ph_sim_create(model, &def, &sim, &error);
    for (int i = 0; status == PH_OK && i < count; i++) {
        status = ph_sim_step(sim, state, h, NULL);
    }
    ph_sim_destroy(sim);
    return CHECK_EQ_INT(status, PH_OK);
}

#endif
