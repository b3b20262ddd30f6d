// Model files: read, compiled, and every mistake put into words.

#include "fuzz.h"

static void put_into_words(const ph_problems *problems)
{
    char text[512];
    for (int i = 0; i < ph_problems_count(problems); i++) {
        MUST(ph_problem_format(ph_problems_get(problems, i), text, sizeof text) > 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    ph_status status = ph_spec_read_text((const char *)data, size, "model.yaml", NULL, 0, problems, &spec);
    MUST((status == PH_OK) == (spec != NULL));
    if (spec) {
        status = ph_model_compile(spec, problems, &model);
        MUST((status == PH_OK) == (model != NULL));
    }
    MUST(status == PH_OK || ph_problems_errors(problems) > 0); // no failure without a reason
    put_into_words(problems);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return 0;
}
