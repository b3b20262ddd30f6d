// polhode fc as people and scripts meet it.

#include "test.h"

#include "json_reader.h"
#include "program.h"

// A ball of 2 kg falls on the ground at 1 m/s, sliding at 0.6 m/s, mu = 0.5.
static const char ball[] = "FC3D 1\n1 3\n0.5\n-1 0.6 0\n0 0 0.5\n1 1 0.5\n2 2 0.5\n";

static output run_fc(const char *text, const char *options)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "ball.fc");
    FILE *file = fopen(path.text, "w");
    fputs(text, file);
    fclose(file);
    output o = run_shell("polhode fc '%s' %s", path.text, options);
    folder_remove(&f);
    return o;
}

TEST(fc_json)
{
    static const char *const options[] = {"--json", "--json --law relaxed --solver apgd", "--json --solver pgs",
                                          "--json --solver bb --tolerance 1e-10 --iterations 500"};
    for (int k = 0; k < 4; k++) {
        output o = run_fc(ball, options[k]);
        CHECK_EQ_INT(o.status, 0);
        CHECK_STR(o.err, "");
        CHECK(json_is_one_value(o.out));
        CHECK(json_number_at(o.out, "contacts") == 1);
        CHECK(json_number_at(o.out, "iterations") >= 1);
        CHECK(json_number_at(o.out, "residual") <= 1e-8);
        CHECK(json_number_at(o.out, "natural_map_error") <= 1e-8);
        CHECK(json_number_at(o.out, "time_ms") >= 0);
        CHECK(strstr(o.out, "\"converged\":true"));
        output_free(&o);
    }
}

TEST(fc_table)
{
    output o = run_fc(ball, "");
    CHECK_EQ_INT(o.status, 0);
    CHECK(strstr(o.out, "contacts             1\n"));
    CHECK(strstr(o.out, "converged            yes\n"));
    output_free(&o);
}

TEST(fc_mistakes)
{
    output o = run_fc("FC3D 1\n1 3\n-0.5\n-1 0 0\n0 0 0.5\n1 1 0.5\n2 2 0.5\n", "--json");
    CHECK_EQ_INT(o.status, 2);
    CHECK_STR(o.out, "");
    CHECK(strstr(o.err, "ball.fc:3:1: error: the friction coefficient of contact 0 is -0.5, it must not be negative"));
    output_free(&o);
    o = run_fc(ball, "--law coulom");
    CHECK_EQ_INT(o.status, 2);
    CHECK(strstr(o.err, "'coulom' is neither coulomb nor relaxed"));
    output_free(&o);
    o = run_fc(ball, "--solver newtown");
    CHECK_EQ_INT(o.status, 2);
    CHECK(strstr(o.err, "did you mean \"newton\"?"));
    output_free(&o);
    o = run_shell("polhode fc nowhere.fc");
    CHECK_EQ_INT(o.status, 2);
    CHECK(strstr(o.err, "nowhere.fc: error: cannot read the file"));
    output_free(&o);
}

// Ground against ground: no impulse keeps them apart.
TEST(fc_that_has_no_solution)
{
    output o = run_fc("FC3D 1\n1 1\n0.5\n-1 0 0\n0 0 0\n", "--json");
    CHECK_EQ_INT(o.status, 1);
    CHECK(strstr(o.out, "\"converged\":false"));
    CHECK(json_number_at(o.out, "residual") == 1.0);
    CHECK(strstr(o.err, "the errors are 1 m/s"));
    output_free(&o);
}

// --out writes impulses and velocities; --no-newton leaves what the solver has.
TEST(fc_writes_impulses_and_can_do_without_newton)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "ball.fc"), out = folder_file(&f, "out.csv");
    FILE *file = fopen(path.text, "w");
    fputs("FC3D 1\n1 3\n0.7\n-1 0.6 0\n0 0 0.5\n1 1 0.5\n2 2 0.5\n", file);
    fclose(file);
    output o = run_shell("polhode fc '%s' --out '%s' --json && cat '%s'", path.text, out.text, out.text);
    CHECK_EQ_INT(o.status, 0);
    CHECK(strstr(o.out, "\"asked\":\"newton\"") && strstr(o.out, "\"finished_by_newton\":false"));
    double g[3] = {0}, u[3] = {0};
    const char *line = strstr(o.out, "\n0,");
    CHECK(line && sscanf(line, "\n0,%lf,%lf,%lf,%lf,%lf,%lf", g, g + 1, g + 2, u, u + 1, u + 2) == 6);
    CHECK_NEAR(g[0], 2.0, 1e-7);
    CHECK_NEAR(g[1], -1.2, 1e-7);
    CHECK_NEAR(u[0], 0.0, 1e-7);
    CHECK_NEAR(u[1], 0.0, 1e-7);
    output_free(&o);
    o = run_shell("polhode fc '%s' --solver apgd --iterations 1 --tolerance 1e-14 --no-newton --json", path.text);
    CHECK(strstr(o.out, "\"solver\":\"apgd\""));
    output_free(&o);
    o = run_shell("polhode fc '%s' --out '%s/nowhere/x.csv'", path.text, path.text);
    CHECK(o.status != 0);
    output_free(&o);
    folder_remove(&f);
}

// The problem of a step of a model, saved and solved again from the file.
TEST(fc_of_a_model)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "step.fc");
    output first = run_shell("polhode fc " TEST_SOURCE_DIR "/examples/contact/stack.yaml --at 0.2 --save %s --json",
                             path.text),
           again = run_shell("polhode fc %s --json", path.text);
    CHECK_EQ_INT(first.status, 0);
    CHECK_EQ_INT(again.status, 0);
    CHECK(json_number_at(first.out, "contacts") > 4);
    CHECK(json_number_at(first.out, "contacts") == json_number_at(again.out, "contacts"));
    CHECK(json_number_at(first.out, "residual") == json_number_at(again.out, "residual"));
    output_free(&first);
    output_free(&again);
    folder_remove(&f);
}
