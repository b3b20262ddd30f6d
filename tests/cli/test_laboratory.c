// The commands compare and order as people and scripts meet them.

#include "test.h"

#include "json_reader.h"
#include "program.h"

#include <unistd.h>

#define EXAMPLE TEST_SOURCE_DIR "/examples/double_pendulum.yaml"

TEST(mistakes_on_the_command_line)
{
    check_run("compare --help", 0, "examples:", "");
    check_run("order --help", 0, "examples:", "");
    check_run("compare " EXAMPLE " --schemes ,", 2, "", "names no scheme");
    check_run("order " EXAMPLE " -s rattlie --steps 1e-3,x", 2, "", "--steps: 'x' is not a positive number");
    check_run("order " EXAMPLE " -s rattlie --steps 1e-3,-1", 2, "", "--steps: '-1' is not a positive number");
    check_run("order " EXAMPLE " -s rattlie --steps 1e-3", 2, "", "two steps");
    check_run("order " EXAMPLE " -s rattlie --steps 1e-3,1e-3", 2, "", "twice");
    check_run("order " EXAMPLE " -s rattlie --steps 2e-3,1e-3 --times 0.0015", 2, "", "no multiple");
    check_run("order " EXAMPLE " -s rattlie --steps 2e-3,1e-3 --body rod3", 2, "", "did you mean 'rod");
    check_run("compare " EXAMPLE " -s rattlie --body tree", 2, "", "there is no body 'tree'");
    check_run("compare none.yaml -s rattlie", 2, "", "none.yaml");
    check_run("compare " EXAMPLE " -s rattlie --step 1e-3,2", 2, "", "is not a positive number");
    check_run("compare " EXAMPLE " -s rattlie --until 1 --out /dev/null/x", 2, "", "cannot make the folder");
}

// A scheme that fails has its row and its reason, the others go on, and the exit status tells.
TEST(one_failure_does_not_stop_the_others)
{
    check_run("compare " EXAMPLE " -s rattlie,ratlie,lgvi --until 0.1", 1, "lgvi", "did you mean 'rattlie'?");
    check_run("compare " EXAMPLE " -s rattlie:rho=1,lgvi --until 0.1", 1, "lgvi", "rho");
    check_run("compare " EXAMPLE " -s rattlie,lgvi --until 0.1 --reference nothing@1e-3", 1, "lgvi",
              "reference failed");
    check_run("order " EXAMPLE " -s rattlie,ratlie --steps 2e-3,1e-3 --times 0.1", 1, "2.0", "did you mean 'rattlie'?");
    check_run("compare " EXAMPLE " -s rattlie@0.1,rattlie@1e-3 --until 0.1", 0, "rattlie@1e-3", "");
}

TEST(compare_prints_one_json_object)
{
    output o = run_shell("polhode compare %s -s rattlie,DH@5e-4 --until 0.5 --json", EXAMPLE);
    CHECK_EQ_INT(o.status, 0);
    CHECK(json_is_one_value(o.out));
    CHECK(!*o.err);
    CHECK_NEAR(json_number_at(o.out, "trials.0.step"), 1e-3, 1e-18);
    CHECK_NEAR(json_number_at(o.out, "trials.1.step"), 5e-4, 1e-18);
    CHECK_NEAR(json_number_at(o.out, "trials.1.steps"), 1000, 0);
    CHECK(json_number_at(o.out, "trials.0.error_against_reference.position") < 1e-5);
    CHECK(json_number_at(o.out, "trials.0.velocity_violation_max") < 1e-12);
    CHECK(json_number_at(o.out, "trials.0.step_s") > 0.0);
    CHECK(json_number_at(o.out, "reference.uncertainty.position") < 1e-9);
    output_free(&o);
}

TEST(order_prints_one_json_object)
{
    output o = run_shell("polhode order %s -s rattlie --steps 1e-3,2e-3 --times 0.5 --json", EXAMPLE);
    CHECK_EQ_INT(o.status, 0);
    CHECK(json_is_one_value(o.out));
    CHECK_NEAR(json_number_at(o.out, "schemes.0.orders.position.order"), 2.0, 0.03);
    CHECK_NEAR(json_number_at(o.out, "schemes.0.orders.position.between_steps.0"), 2.0, 0.03);
    CHECK_NEAR(json_number_at(o.out, "schemes.0.points.0.step"), 2e-3, 1e-18);
    CHECK_NEAR(json_number_at(o.out, "schemes.0.design_order"), 2, 0);
    output_free(&o);
}

TEST(figures_are_written_into_a_new_folder)
{
    static const char *const names[] = {"energy_error.svg", "momentum.svg", "violation.svg",     "orthogonality.svg",
                                        "trajectories.svg", "order.svg",    "work_precision.svg"};
    const folder f = folder_make();
    output o = run_shell("polhode compare %s -s rattlie,lgvi --until 0.2 --quiet --out %s/a/b", EXAMPLE, f.path);
    CHECK(o.status == 0 && !*o.out && !*o.err);
    output_free(&o);
    o = run_shell("polhode order %s -s rattlie,lgvi --steps 2e-3,1e-3 --times 0.2 --out %s/a/b", EXAMPLE, f.path);
    CHECK(o.status == 0 && strstr(o.out, "order.svg, work_precision.svg"));
    output_free(&o);
    for (int i = 0; i < 7; i++) {
        char name[64];
        snprintf(name, sizeof name, "a/b/%s", names[i]);
        const file_path path = folder_file(&f, name);
        char *text = read_text_file(path.text);
        CHECK(text && strncmp(text, "<svg ", 5) == 0 && strstr(text, "</svg>\n"));
        free(text);
        unlink(path.text);
    }
    rmdir(folder_file(&f, "a/b").text);
    rmdir(folder_file(&f, "a").text);
    folder_remove(&f);
}
