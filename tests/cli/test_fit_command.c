// polhode fit: estimates, files and messages.

#include "test.h"

#include "folder.h"
#include "program.h"

#include <math.h>

#define ARM TEST_SOURCE_DIR "/examples/arm7.yaml"
#define PENDULUM TEST_SOURCE_DIR "/examples/double_pendulum.yaml"

static double number_behind(const char *text, const char *name, const char *key)
{
    char mark[80];
    snprintf(mark, sizeof mark, "\"%s\":{", name);
    const char *at = strstr(text, mark);
    at = at ? strstr(at, key) : NULL;
    return at ? strtod(strchr(at, ':') + 1, NULL) : (double)NAN;
}

// Data of a run of the program itself, with two parameters changed.
static void measure(const char *folder)
{
    output o = run_shell("polhode run " PENDULUM " --set l=1.05 --set g=9.7 --until 0.5 --step 5e-3 -q --out %s/d.csv",
                         folder);
    CHECK_EQ_INT(o.status, 0);
    output_free(&o);
}

TEST(finds_parameters_and_writes_them)
{
    folder f = folder_make();
    const char *path = f.path;
    measure(path);
    output o =
        run_shell("polhode fit " PENDULUM " %s/d.csv --by l=0.5..2,g --step 5e-3 --json --out %s/out", path, path);
    CHECK_EQ_INT(o.status, 0);
    CHECK_NEAR(number_behind(o.out, "l", "\"value\""), 1.05, 1e-9);
    CHECK_NEAR(number_behind(o.out, "g", "\"value\""), 9.7, 1e-8);
    CHECK(strstr(o.err, "left out: energy.kinetic"));
    output_free(&o);
    o = run_shell("polhode check %s/out/fitted.yaml && ls %s/out/fit.svg %s/out/fit.html", path, path, path);
    CHECK_EQ_INT(o.status, 0);
    output_free(&o);
    o = run_shell("polhode fit " PENDULUM " %s/d.csv --by l=0.5..2,g --step 5e-3 --json --out %s/out --resume", path,
                  path);
    CHECK_EQ_INT(o.status, 0);
    CHECK(strstr(o.out, "\"converged\":true"));
    output_free(&o);
    folder_remove(&f);
}

// Of the 70 inertial numbers of seven bodies in a row on revolute joints 7 for each body show in the motion of the joints, but for 4 of
// the first, and 2 more as its axis is vertical (Mayeda, Yoshida and Osuka, IEEE Trans. Robotics and Automation 6, 1990: 7N - 6, 36
// for a PUMA 560).
TEST(base_parameters_of_an_arm_are_found)
{
    folder f = folder_make();
    const char *path = f.path;
    char of[400] = "";
    for (int k = 1, at = 0; k <= 7; k++)
        at += snprintf(of + at, sizeof of - (size_t)at, "%sjoints.j%d.coordinate,joints.j%d.rate", at ? "," : "", k, k);
    output o =
        run_shell("polhode run " ARM " --out %s/arm.h5 --every 5 -q && sed 's/mass: 4.2, com: .0.01, -0.02/mass: "
                  "3.9, com: [0.015, -0.025/; s/mass: 2.8/mass: 3.1/; s/mass: 1.7/mass: 1.9/' " ARM " >%s/guess.yaml",
                  path, path);
    CHECK_EQ_INT(o.status, 0);
    output_free(&o);
    o = run_shell("polhode fit %s/guess.yaml %s/arm.h5 --of %s --by '*.inertial' --iterations 20 --json", path, path,
                  of);
    CHECK_EQ_INT(o.status, 0);
    CHECK(strstr(o.out, "\"converged\":true"));
    CHECK(strstr(o.out, "\"determined\":43,"));
    output_free(&o);
    folder_remove(&f);
}

static void expect(const char *command, int status, const char *words)
{
    output o = run_shell("%s", command);
    CHECK_EQ_INT(o.status, status);
    if (!CHECK(strstr(o.err, words))) printf("  %s\n  %s\n", command, o.err);
    output_free(&o);
}

TEST(says_what_is_wrong)
{
    expect("printf 't,rod2.x\\n0,1\\n0.1,abc\\n' > fit_bad.csv; polhode fit " PENDULUM " fit_bad.csv --by l", 2,
           "line 3: 'abc'");
    expect("printf 'rod2.x,t\\n0,1\\n' > fit_bad.csv; polhode fit " PENDULUM " fit_bad.csv --by l", 2,
           "first column must be 't'");
    expect("printf 't,nothing\\n0,1\\n' > fit_bad.csv; polhode fit " PENDULUM " fit_bad.csv --by l", 2,
           "no column is a quantity");
    expect("printf 't,rod2.x\\n0,\\n0.1,\\n' > fit_bad.csv; polhode fit " PENDULUM " fit_bad.csv --by l", 2,
           "no value at all");
    expect("printf 't,rod2.x\\n0,1\\n0.1,1\\n' > fit_bad.csv; polhode fit " PENDULUM " fit_bad.csv --by l=1", 2,
           "LOW..HIGH");
    expect("polhode fit " PENDULUM " fit_bad.csv --by rod1.inertial --resume", 2, "--resume needs");
    expect("polhode fit " PENDULUM " none.csv --by l", 2, "cannot read");
}
