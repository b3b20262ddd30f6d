// polhode run --checkpoint and --resume from outside: signals, folders that are not there or vanish, files that may not grow.

#include "test.h"

#include "program.h"

#define MODEL TEST_SOURCE_DIR "/examples/double_pendulum.yaml"

static void check(output o, int status, const char *part)
{
    CHECK_EQ_INT(o.status, status);
    if (!CHECK(o.err && strstr(o.err, part))) {
        printf("  %s\n", o.err ? o.err : "");
    }
    output_free(&o);
}

TEST(misuse_is_named)
{
    const folder f = folder_make();
    check(run_shell("polhode run '%s' --resume", MODEL), 2, "--resume needs --checkpoint FILE");
    check(run_shell("polhode run '%s' --checkpoint '%s'", MODEL, MODEL), 2, "is the model itself");
    check(run_shell("polhode run '%s' --checkpoint %s/a.csv --out %s/a.csv", MODEL, f.path, f.path), 2,
          "the same file");
    check(run_shell("polhode run '%s' --checkpoint %s/a --statics", MODEL, f.path), 2, "no run to save");
    check(run_shell("polhode run '%s' --checkpoint %s/a --checkpoint-every 0", MODEL, f.path), 2, "positive");
    CHECK_EQ_INT(folder_count(&f), 0);
    folder_remove(&f);
}

TEST(places_that_cannot_be_written)
{
    check(run_shell("polhode run '%s' --until 1 -q --checkpoint /proc/a", MODEL), 2, "cannot write '/proc/a'");
    check(run_shell("polhode run '%s' --until 1 -q --checkpoint /nowhere/a", MODEL), 2,
          "there is no folder '/nowhere'");
}

// The state of the last checkpoint is still there, wherever the folder went.
TEST(a_folder_that_vanishes_ends_the_run)
{
    const folder f = folder_make();
    check(run_shell("mkdir %s/a; (while [ ! -e %s/a/c ]; do sleep 0.01; done; mv %s/a %s/b) & "
                    "polhode run '%s' --until 1e5 -q --out %s/a/m.csv --checkpoint %s/a/c --checkpoint-every 0.01",
                    f.path, f.path, f.path, f.path, MODEL, f.path, f.path),
          1, "there is no folder");
    output o = run_shell("test -s %s/b/c && rm -r %s/b", f.path, f.path);
    CHECK_EQ_INT(o.status, 0);
    output_free(&o);
    folder_remove(&f);
}

TEST(a_file_that_may_not_grow_ends_the_run_and_is_continued)
{
    const folder f = folder_make();
    const char *line = "polhode run '" MODEL "' --until 5 --json --checkpoint-every 0.01 --resume";
    check(run_shell("ulimit -f 1000; %s --out %s/a.csv --checkpoint %s/c", line, f.path, f.path), 1, "cannot write");
    output o = run_shell("%s --out %s/a.csv --checkpoint %s/c && polhode run '%s' --until 5 -q --out %s/b.csv && "
                         "cmp %s/a.csv %s/b.csv",
                         line, f.path, f.path, MODEL, f.path, f.path, f.path);
    if (!CHECK_EQ_INT(o.status, 0)) {
        printf("  %s\n", o.err);
    }
    output_free(&o);
    folder_remove(&f);
}

TEST(signals_end_it_with_130_and_it_is_continued)
{
    static const char *const signals[] = {"INT", "TERM"};
    for (int i = 0; i < 2; i++) {
        const folder f = folder_make();
        output o = run_shell("set -m; '%s' run '%s' --until 1e5 -q --checkpoint %s/c --checkpoint-every 1000 & "
                             "while [ ! -e %s/c ]; do sleep 0.01; done; sleep 0.3; kill -%s $!; wait $!",
                             TEST_PROGRAM, MODEL, f.path, f.path, signals[i]);
        CHECK_EQ_INT(o.status, 130);
        output_free(&o);
        o = run_shell("polhode run '%s' --until 1e-3 --json --checkpoint %s/c --resume", MODEL, f.path);
        const char *steps = o.out ? strstr(o.out, "\"steps\":") : NULL;
        CHECK_EQ_INT(o.status, 0);
        CHECK(steps && strtol(steps + 8, NULL, 10) > 1); // it was saved when the signal came, not at the start only
        output_free(&o);
        folder_remove(&f);
    }
}
