// Robot files: read, written as a model file, and every mistake put into words.

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
    if (size == 0 || data[0] != '<') {
        return 0;
    }
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    const char *text = NULL;
    const ph_status status = ph_spec_read_text((const char *)data, size, "robot.xml", NULL, 0, problems, &spec);
    MUST((status == PH_OK) == (spec != NULL));
    MUST(status == PH_OK || ph_problems_errors(problems) > 0); // no failure without a reason
    if (spec) {
        MUST(ph_spec_write_text(spec, PH_MODEL_YAML, &text, NULL) == PH_OK);
    }
    put_into_words(problems);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
    return 0;
}
