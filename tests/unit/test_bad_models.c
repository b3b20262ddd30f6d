// Every file of tests/bad has mistakes, and says in comments what must be reported, in order and nothing else:
//
//     # expect: 7:11: mass is -2, it must be positive         line:column: text
//     #   hint: the beginning of what is added                of the line before
//     # set: name=value                                       read with --set name=value

#include "test.h"

#include "polhode/io.h"

#include <glob.h>

#ifdef PH_WITH_YAML

enum { EXPECTED_MAX = 32, LINE_MAX_BYTES = 512 };

typedef struct expectation {
    char text[LINE_MAX_BYTES], hint[LINE_MAX_BYTES];
} expectation;

typedef struct bad_model {
    expectation expected[EXPECTED_MAX];
    int expected_count;
    char names[4][LINE_MAX_BYTES], values[4][LINE_MAX_BYTES];
    ph_setting settings[4];
    int setting_count;
} bad_model;

static void read_comment(bad_model *model, const char *line)
{
    if (strncmp(line, "# expect: ", 10) == 0 && CHECK(model->expected_count < EXPECTED_MAX)) {
        strcpy(model->expected[model->expected_count++].text, line + 10);
    } else if (strncmp(line, "#   hint: ", 10) == 0 && CHECK(model->expected_count > 0)) {
        strcpy(model->expected[model->expected_count - 1].hint, line + 10);
    } else if (strncmp(line, "# set: ", 7) == 0 && CHECK(model->setting_count < 4)) {
        const int i = model->setting_count++;
        if (CHECK(sscanf(line + 7, "%500[^=]=%500[^\n]", model->names[i], model->values[i]) == 2)) {
            model->settings[i] = (ph_setting){model->names[i], model->values[i]};
        }
    }
}

static bool read_expectations(const char *path, bad_model *model)
{
    FILE *file = fopen(path, "r");
    if (!CHECK(file != NULL)) {
        return false;
    }
    char line[LINE_MAX_BYTES];
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        read_comment(model, line);
    }
    fclose(file);
    return CHECK(model->expected_count > 0);
}

static void check_problem(const ph_problem *problem, const expectation *expected)
{
    char text[LINE_MAX_BYTES];
    snprintf(text, sizeof text, "%d:%d: %s", problem->line, problem->column, problem->text);
    CHECK_STR(text, expected->text);
    if (expected->hint[0]) {
        CHECK(problem->hint && strncmp(problem->hint, expected->hint, strlen(expected->hint)) == 0);
    } else {
        CHECK(!problem->hint);
    }
}

static void check_model(const char *path)
{
    static bad_model expected;
    memset(&expected, 0, sizeof expected);
    if (!read_expectations(path, &expected)) {
        return;
    }
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_read_file(path, expected.settings, expected.setting_count, problems, &model), PH_BAD_MODEL);
    CHECK(!model);
    CHECK_EQ_INT(ph_problems_count(problems), expected.expected_count);
    CHECK_EQ_INT(ph_problems_errors(problems), expected.expected_count);
    for (int i = 0; i < expected.expected_count && i < ph_problems_count(problems); i++) {
        check_problem(ph_problems_get(problems, i), &expected.expected[i]);
    }
    ph_problems_destroy(problems);
}

TEST(bad_models_are_refused_with_the_right_words)
{
    glob_t found;
    if (!CHECK(glob(TEST_SOURCE_DIR "/tests/bad/*.yaml", 0, NULL, &found) == 0)) {
        return;
    }
    CHECK(found.gl_pathc > 100);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const int before = test_state.failed_checks;
        check_model(found.gl_pathv[i]);
        if (test_state.failed_checks > before) {
            printf("  ... in %s\n", strrchr(found.gl_pathv[i], '/') + 1);
        }
    }
    globfree(&found);
}

TEST(a_problem_reads_well)
{
    ph_problems *problems = ph_problems_create();
    static const char text[] = "polhode: 1\nbodies:\n  - {name: rod, mass: 2*lenght}\nparameters: {length: 1}\n";
    ph_spec *spec = NULL;
    CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "rod.yaml", NULL, 0, problems, &spec), PH_BAD_MODEL);
    CHECK(!spec);
    char written[512];
    CHECK_EQ_INT(ph_problems_count(problems), 1);
    ph_problem_format(ph_problems_get(problems, 0), written, sizeof written);
    CHECK_STR(written, "rod.yaml:3:25: error: unknown name 'lenght'\n"
                       "      - {name: rod, mass: 2*lenght}\n"
                       "                            ^\n"
                       "    did you mean 'length'?");
    CHECK_STR(ph_problems_get(problems, 0)->path, "bodies[0].mass");
    ph_problems_destroy(problems);
}

#else

TEST(without_libyaml_reading_is_not_supported)
{
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    const char *path = TEST_SOURCE_DIR "/examples/double_pendulum.yaml";
    CHECK_EQ_INT(ph_model_read_file(path, NULL, 0, problems, &model), PH_NOT_SUPPORTED);
    CHECK_EQ_INT(ph_problems_errors(problems), 1);
    CHECK(!model);
    ph_problems_destroy(problems);
}

#endif
