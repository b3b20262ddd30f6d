// Result files of the program: what a full disk, a signal, a kill and a second run leave behind.

#include "test.h"

#include "json_reader.h"
#include "program.h"

#include <signal.h>
#include <time.h>

#ifdef PH_WITH_HDF5
#include "hdf5_foreign.h"
#endif

#define EXAMPLE TEST_SOURCE_DIR "/examples/double_pendulum.yaml"

static void wait_ms(long milliseconds)
{
    nanosleep(&(struct timespec){.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000}, NULL);
}

// Number of whole lines; -1 when something stands behind the last or the lines have different numbers of columns.
static int count_lines(const char *path)
{
    char *text = read_text_file(path);
    int lines = 0, columns = 0, commas = 0;
    bool good = text && *text && text[strlen(text) - 1] == '\n';
    for (const char *at = text; good && *at; at++) {
        commas += *at == ',';
        if (*at == '\n') {
            columns = lines++ ? columns : commas;
            good = commas == columns;
            commas = 0;
        }
    }
    free(text);
    return good ? lines : -1;
}

// Starts a run that takes long and returns its process.
static pid_t start_long_run(const char *result, const char *out)
{
    const pid_t child = fork();
    if (child == 0) {
        if (freopen(out ? out : "/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr)) {
            execl(TEST_PROGRAM, "polhode", "run", EXAMPLE, "--until", "100000", "--every", "1000", "--json", "--out",
                  result, (char *)NULL);
        }
        _exit(127);
    }
    for (int i = 0; i < 1000 && access(result, F_OK) != 0; i++) {
        wait_ms(10);
    }
    return child;
}

// ---- Signals --------------------------------------------------------------------------------------------------------

TEST(an_interrupted_run_ends_in_good_order)
{
    static const int signals[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        const folder f = folder_make();
        const file_path result = folder_file(&f, "a.csv"), out = folder_file(&f, "out");
        const pid_t child = start_long_run(result.text, out.text);
        wait_ms(200);
        kill(child, signals[i]);
        int code = 0;
        waitpid(child, &code, 0);
        CHECK(WIFEXITED(code) && WEXITSTATUS(code) == 130);
        char *text = read_text_file(out.text);
        CHECK(json_is_one_value(text));
        const double steps = json_number_at(text, "steps");
        CHECK(steps > 0.0 && steps < 1e8);
        CHECK(json_find(text, "error") != NULL);
        const int rows = count_lines(result.text) - 1;
        CHECK(rows >= 2 && rows <= 2 + (int)(steps / 1000.0));
        free(text);
        CHECK_EQ_INT(folder_count(&f), 2);
        folder_remove(&f);
    }
}

#ifdef PH_WITH_HDF5

// The number of valid rows, after a check of their times (multiples of 1 s); -1 when the file is not good.
static long long read_rows(const char *path)
{
    long long rows = -1;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t count = H5Dopen2(file, "/rows", H5P_DEFAULT), time = H5Dopen2(file, "/time", H5P_DEFAULT);
    const hid_t space = H5Dget_space(time);
    const hssize_t room = H5Sget_simple_extent_npoints(space);
    double *times = room > 0 ? malloc((size_t)room * sizeof *times) : NULL;
    if (times && H5Dread(count, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, &rows) >= 0 &&
        H5Dread(time, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times) >= 0 && rows <= room) {
        for (long long k = 0; k < rows; k++) {
            CHECK_NEAR(times[k], (double)k, 1e-9);
        }
    } else {
        rows = -1;
    }
    free(times);
    H5Sclose(space);
    H5Dclose(count);
    H5Dclose(time);
    H5Fclose(file);
    return rows;
}

TEST(a_killed_run_leaves_a_file_that_opens)
{
    for (int i = 0; i < 4; i++) {
        const folder f = folder_make();
        const file_path result = folder_file(&f, "a.h5");
        const pid_t child = start_long_run(result.text, NULL);
        wait_ms(300 * i);
        if (i == 3) {
            CHECK(read_rows(result.text) > 0); // while it is written
        }
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        const long long rows = read_rows(result.text);
        CHECK(i < 3 ? rows >= 0 : rows > 0);
        CHECK_EQ_INT(folder_count(&f), 1);
        folder_remove(&f);
    }
}

TEST(two_runs_with_one_result)
{
    const folder f = folder_make();
    const file_path result = folder_file(&f, "a.h5");
    output o = run_shell("polhode run %s --until 20 --every 1000 --out %s -q & "
                         "polhode run %s --until 20 --every 1000 --out %s -q; a=$?; wait $! && exit $a",
                         EXAMPLE, result.text, EXAMPLE, result.text);
    CHECK_EQ_INT(o.status, 0);
    CHECK_EQ_INT(read_rows(result.text), 21);
    CHECK_EQ_INT(folder_count(&f), 1);
    output_free(&o);
    folder_remove(&f);
}

TEST(no_room_for_hdf5_is_found_before_the_first_step)
{
    const folder f = folder_make();
    const file_path result = folder_file(&f, "a.h5");
    write_text_file(result.text, "precious");
    output o = run_shell("ulimit -f 100; polhode run %s --until 50 --out %s", EXAMPLE, result.text);
    CHECK_EQ_INT(o.status, 2);
    CHECK_STR(o.out, "");
    CHECK(strstr(o.err, "cannot write") && strstr(o.err, "a.h5") && !strstr(o.err, "HDF5-DIAG"));
    char *text = read_text_file(result.text);
    CHECK_STR(text, "precious");
    free(text);
    CHECK_EQ_INT(folder_count(&f), 1);
    output_free(&o);
    folder_remove(&f);
}

#endif

// ---- Full disks -----------------------------------------------------------------------------------------------------

TEST(a_disk_that_fills_up_ends_the_run)
{
    const folder f = folder_make();
    const file_path result = folder_file(&f, "a.csv");
    output o = run_shell("ulimit -f 1000; polhode run %s --until 50 --out %s", EXAMPLE, result.text);
    CHECK_EQ_INT(o.status, 1);
    CHECK(strstr(o.err, "cannot write") && strstr(o.err, "a.csv"));
    CHECK(count_lines(result.text) > 10);
    CHECK_EQ_INT(folder_count(&f), 1);
    output_free(&o);
    folder_remove(&f);
}

TEST(a_device_that_is_full)
{
    const folder f = folder_make();
    const file_path result = folder_file(&f, "full.csv");
    output o = run_shell("ln -s /dev/full %s && polhode run %s --out %s", result.text, EXAMPLE, result.text);
    CHECK_EQ_INT(o.status, 2);
    CHECK_STR(o.out, "");
    CHECK(strstr(o.err, "No space left") != NULL);
    CHECK_EQ_INT(folder_count(&f), 1);
    output_free(&o);
    folder_remove(&f);
}

TEST(rows_of_a_result)
{
    const folder f = folder_make();
    const file_path result = folder_file(&f, "a.csv");
    output o = run_shell("polhode run %s --until 0.1 --every 30 --out %s", EXAMPLE, result.text);
    CHECK_EQ_INT(o.status, 0);
    CHECK_EQ_INT(count_lines(result.text), 1 + 5); // steps 0, 30, 60, 90, 100
    CHECK(strstr(o.out, "a.csv (") != NULL);
    output_free(&o);
    folder_remove(&f);
}
