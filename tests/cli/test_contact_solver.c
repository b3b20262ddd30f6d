// The solver of contacts is named wherever a run is reported: text, JSON, results.
#include "test.h"

#include "program.h"

#include "polhode/polhode.h"

#define EXAMPLE TEST_SOURCE_DIR "/examples/contact/incline.yaml"

static void check_output(const char *command, const char *part)
{
    output o = run_shell("%s", command);
    CHECK_EQ_INT(o.status, 0);
    if (!CHECK(strstr(o.out, part))) printf("    wanted: %s\n    got: %s\n", part, o.out);
    output_free(&o);
}

TEST(runs_name_the_solver_of_contacts)
{
    check_output("polhode run " EXAMPLE " --until 0.05", "solved by apgd (10 steps)");
    check_output("polhode run " EXAMPLE " --until 0.05 --json", "\"solvers\":{\"apgd\":10}");
    check_output("polhode run " EXAMPLE " --until 0.05 --measure-every 5 --json", "\"solvers\":{\"apgd\":10}");
}

// The scheme may be chosen on the command line, where no reader of the file warns.
TEST(runs_say_that_nothing_collides)
{
    const folder f = folder_make();
    const file_path bare = folder_file(&f, "bare.yaml");
    output o = run_shell("sed /^contact/d " EXAMPLE " > %s", bare.text);
    output_free(&o);
    for (int k = 0; k < 2; k++) {
        o = run_shell("polhode run %s --until 0.05 --scheme %s", bare.text, k ? "rattlie" : "rattlie-ns");
        CHECK_EQ_INT(o.status, 0);
        CHECK_EQ_INT(strstr(o.out, "pass through each other") != NULL, k == 0);
        output_free(&o);
    }
    folder_remove(&f);
}

static void check_result(const char *path)
{
    ph_result *result = NULL;
    ph_error error = {.text = ""};
    if (!CHECK_EQ_INT(ph_result_open(path, &result, &error), PH_OK)) printf("    %s\n", error.text);
    const int field = result ? ph_result_find(result, "contact/solver") : PH_NONE;
    const double *solver = field != PH_NONE ? ph_result_values(result, field, &error) : NULL;
    if (CHECK(solver)) {
        CHECK_STR(ph_contact_solver_name((int)solver[0]), "none");
        for (long long k = 1; k < ph_result_rows(result); k++)
            CHECK_STR(ph_contact_solver_name((int)solver[k]), "apgd");
    }
    ph_result_destroy(result);
}

TEST(results_name_the_solver_of_contacts)
{
    const folder f = folder_make();
    const file_path csv = folder_file(&f, "a.csv"), copy = folder_file(&f, "b.csv"), result = folder_file(&f, "a.h5");
    output o = run_shell("polhode run " EXAMPLE " --until 0.05 --quiet --out %s", csv.text);
    CHECK_EQ_INT(o.status, 0);
    output_free(&o);
    check_result(csv.text);
#ifdef PH_WITH_HDF5
    o = run_shell("polhode run " EXAMPLE " --until 0.05 --quiet --out %s && polhode convert %s %s --quiet", result.text,
                  result.text, copy.text);
    CHECK_EQ_INT(o.status, 0);
    output_free(&o);
    check_result(result.text);
    check_result(copy.text);
#else
    (void)copy, (void)result;
#endif
    folder_remove(&f);
}
