// Saved runs: what is interrupted and continued gives the same rows and the same report, what does not belong together is refused.

#include "rig.h"

#include "folder.h"
#include "scenes.h"

// All parts of a state have numbers in them.
static ph_model *make_model(double mass)
{
    return scene_driven(mass, PH_MOTOR_SPEED, "u*sin(3*t)");
}

static bool stop(const ph_progress *progress, void *user)
{
    (void)progress;
    (void)user;
    return false;
}

static ph_run_def run_def(const char *out, const char *checkpoint, int every)
{
    ph_run_def def = ph_default_run();
    def.step = 0.01;
    def.until = 0.5;
    def.out = out;
    def.every = every;
    def.checkpoint = checkpoint;
    def.resume = checkpoint != NULL;
    return def;
}

static ph_status run_once(const ph_run_def *def, ph_summary *summary, ph_error *error)
{
    ph_model *model = make_model(2.0);
    ph_state *state = ph_state_create(model);
    const ph_status status = ph_run(model, state, def, summary, error);
    ph_state_destroy(state);
    ph_model_destroy(model);
    return status;
}

static void check_same_file(const char *a, const char *b)
{
    FILE *of_a = fopen(a, "rb"), *of_b = fopen(b, "rb");
    int x = 0, y = 0;
    while (CHECK(of_a && of_b) && (x = getc(of_a)) == (y = getc(of_b)) && x != EOF) {}
    CHECK_EQ_INT(x, y);
    if (of_a) {
        fclose(of_a);
    }
    if (of_b) {
        fclose(of_b);
    }
}

static void check_same_summary(ph_summary a, ph_summary b)
{
    CHECK(a.wall_s >= 0.0 && b.wall_s >= 0.0);
    a.wall_s = b.wall_s = 0.0;
    a.resumed = b.resumed = 0;
    CHECK_STR(a.scheme, b.scheme);
    CHECK(a.steps == b.steps && a.time == b.time && a.energy_initial == b.energy_initial &&
          a.energy_final == b.energy_final && a.energy_scale == b.energy_scale &&
          a.energy_max_abs_error == b.energy_max_abs_error && a.linear_max_error == b.linear_max_error &&
          a.angular_max_error == b.angular_max_error && a.orthogonality_max == b.orthogonality_max &&
          a.position_violation_max == b.position_violation_max &&
          a.velocity_violation_max == b.velocity_violation_max && a.iterations_mean == b.iterations_mean &&
          a.iterations_max == b.iterations_max);
}

// Every part of the run makes one step and is stopped, which leaves a row behind that the run that was not stopped has not.
static void check_run_in_parts(const char *ending, const char *scheme, int every)
{
    const folder f = folder_make();
    char name[32];
    snprintf(name, sizeof name, "whole%s", ending);
    const file_path whole = folder_file(&f, name), checkpoint = folder_file(&f, "run.checkpoint");
    snprintf(name, sizeof name, "parts%s", ending);
    const file_path parts = folder_file(&f, name);
    ph_summary once, last = {0};
    ph_error error = {.text = ""};
    ph_run_def def = run_def(whole.text, NULL, every);
    def.sim.scheme = scheme;
    CHECK_EQ_INT(run_once(&def, &once, &error), PH_OK);
    def = run_def(parts.text, checkpoint.text, every);
    def.sim.scheme = scheme;
    def.progress = stop;
    for (int k = 1; k < 50; k++) {
        if (!CHECK_EQ_INT(run_once(&def, &last, &error), PH_INTERRUPTED)) {
            printf("  %s\n", error.text);
        }
        CHECK_EQ_INT(last.steps, k);
        CHECK_EQ_INT(last.resumed, k - 1);
    }
    def.progress = NULL;
    CHECK_EQ_INT(run_once(&def, &last, &error), PH_OK);
    check_same_summary(once, last);
    check_same_file(whole.text, parts.text);
    CHECK_EQ_INT(run_once(&def, &last, &error), PH_OK); // again: there is nothing left to do
    check_same_summary(once, last);
    check_same_file(whole.text, parts.text);
    CHECK_EQ_INT(last.resumed, 50);
    CHECK_EQ_INT(folder_count(&f), 3);
    folder_remove(&f);
}

TEST(a_run_in_parts_has_the_same_rows_and_the_same_report)
{
    static const int every[] = {1, 3, 7, 50, 1000};
    for (int i = 0; i < 5; i++) {
        check_run_in_parts(".csv", "rattlie", every[i]);
    }
    check_run_in_parts(".csv", "bliedf2", 3);
#ifdef PH_WITH_HDF5
    for (int i = 0; i < 5; i++) {
        check_run_in_parts(".h5", "lgvi-del", every[i]);
    }
#endif
}

TEST(a_run_without_result_may_be_prolonged)
{
    const folder f = folder_make();
    const file_path checkpoint = folder_file(&f, "c");
    ph_summary once, parts;
    ph_error error = {.text = ""};
    ph_run_def def = run_def(NULL, NULL, 1);
    CHECK_EQ_INT(run_once(&def, &once, &error), PH_OK);
    def = run_def(NULL, checkpoint.text, 1);
    def.until = 0.2;
    CHECK_EQ_INT(run_once(&def, &parts, &error), PH_OK);
    CHECK_EQ_INT(parts.steps, 20);
    def.until = 0.5;
    CHECK_EQ_INT(run_once(&def, &parts, &error), PH_OK);
    CHECK_EQ_INT(parts.resumed, 20);
    check_same_summary(once, parts);
    def.until = 0.1; // long past
    CHECK_EQ_INT(run_once(&def, &parts, &error), PH_OK);
    CHECK_EQ_INT(parts.steps, 50);
    folder_remove(&f);
}

static void check_not_continued(const ph_run_def *def, ph_status status, const char *part)
{
    ph_summary summary;
    ph_error error = {.text = ""};
    CHECK_EQ_INT(run_once(def, &summary, &error), status);
    if (!CHECK(strstr(error.text, part) != NULL)) {
        printf("  %s\n", error.text);
    }
}

TEST(what_does_not_belong_together_is_not_continued)
{
    const folder f = folder_make();
    const file_path out = folder_file(&f, "a.csv"), checkpoint = folder_file(&f, "c");
    ph_summary summary;
    ph_error error = {.text = ""};
    ph_run_def def = run_def(out.text, checkpoint.text, 2);
    def.sim.scheme = "lie-alpha";
    const ph_run_def good = def;
    CHECK_EQ_INT(run_once(&def, &summary, &error), PH_OK);
    char *before = read_text_file(out.text);
    def.step = 0.02;
    check_not_continued(&def, PH_BAD_ARGUMENT, "written with step 0.01");
    def = good;
    def.sim.scheme = "rattlie";
    check_not_continued(&def, PH_BAD_ARGUMENT, "written by scheme 'lie-alpha', not 'rattlie'");
    def.sim.scheme = "lie-alpha:rho=0.5";
    check_not_continued(&def, PH_BAD_ARGUMENT, "option");
    def = good;
    def.every = 3;
    check_not_continued(&def, PH_BAD_ARGUMENT, "between records");
    def = good;
    def.until = 0.7;
    check_not_continued(&def, PH_BAD_ARGUMENT, "end time");
    def = good;
    def.out = NULL;
    check_not_continued(&def, PH_BAD_ARGUMENT, "with a result file");
    def = good;
    def.sim.tolerance = 1e-10;
    check_not_continued(&def, PH_BAD_ARGUMENT, "tolerance");
    def = good;
    def.checkpoint = NULL;
    check_not_continued(&def, PH_BAD_ARGUMENT, "none is named");
    def = good;
    def.checkpoint_every = 0.0;
    check_not_continued(&def, PH_BAD_ARGUMENT, "checkpoint_every");
    char *after = read_text_file(out.text);
    CHECK_STR(before, after);
    free(before);
    free(after);
    write_text_file(out.text, "time,other\n0,0\n");
    check_not_continued(&good, PH_IO, "made by another run");
    CHECK_EQ_INT(unlink(out.text), 0);
    check_not_continued(&good, PH_IO, "No such file");
    folder_remove(&f);
}

#ifdef PH_WITH_HDF5
TEST(another_hdf5_file_is_not_continued)
{
    const folder f = folder_make();
    const file_path out = folder_file(&f, "a.h5"), checkpoint = folder_file(&f, "c");
    ph_summary summary;
    ph_error error = {.text = ""};
    const ph_run_def def = run_def(out.text, checkpoint.text, 2);
    CHECK_EQ_INT(run_once(&def, &summary, &error), PH_OK);
    FILE *file = fopen(out.text, "r+b"); // one byte of the structure
    if (CHECK(file != NULL)) {
        fseek(file, 9, SEEK_SET);
        const int byte = getc(file);
        fseek(file, 9, SEEK_SET);
        putc(byte ^ 1, file);
        fclose(file);
    }
    check_not_continued(&def, PH_IO, "made by another run");
    write_text_file(out.text, "nothing");
    check_not_continued(&def, PH_IO, "made by another run");
    folder_remove(&f);
}
#endif

TEST(a_state_saved_alone_is_no_run)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "c");
    ph_model *model = make_model(2.0);
    ph_state *state = ph_state_create(model);
    CHECK_EQ_INT(ph_state_save(state, path.text, NULL), PH_OK);
    const ph_run_def def = run_def(NULL, path.text, 1);
    check_not_continued(&def, PH_IO, "no run");
    ph_state_destroy(state);
    ph_model_destroy(model);
    folder_remove(&f);
}

TEST(the_state_of_a_run_can_be_loaded_alone)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "c");
    ph_summary summary;
    const ph_run_def def = run_def(NULL, path.text, 1);
    CHECK_EQ_INT(run_once(&def, &summary, NULL), PH_OK);
    ph_model *model = make_model(2.0);
    ph_state *state = ph_state_create(model);
    CHECK_EQ_INT(ph_state_load(state, path.text, NULL), PH_OK);
    CHECK(ph_state_time(state) == summary.time);
    ph_state_destroy(state);
    ph_model_destroy(model);
    folder_remove(&f);
}
