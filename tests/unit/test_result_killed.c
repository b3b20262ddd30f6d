// Results of runs that are killed: they have the size of their rows, and the next run goes on with them.

#include "test.h"

#include "folder.h"
#include "recording.h"
#include "scenes.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef PH_WITH_HDF5

static long long rows_of(const char *path)
{
    ph_result *result = NULL;
    CHECK_EQ_INT(ph_result_open(path, &result, NULL), PH_OK);
    const long long rows = result ? ph_result_rows(result) : -1;
    ph_result_destroy(result);
    return rows;
}

static void die(bool good)
{
    if (good) kill(getpid(), SIGKILL);
    _exit(1);
}

static void check_killed(pid_t child)
{
    int code = 0;
    waitpid(child, &code, 0);
    CHECK(WIFSIGNALED(code) && WTERMSIG(code) == SIGKILL);
}

// In a process of its own, which is killed.
static void write_and_die(const char *path, long long all, int rows)
{
    const pid_t child = fork();
    if (child == 0) {
        recording r;
        bool good = recording_start(&r, scene_pendulum(), path, all) == PH_OK;
        for (int k = 0; good && k < rows; k++) good = recording_append(&r, k) == PH_OK;
        good = good && ph_result_flush(r.writer, NULL) == PH_OK;
        die(good);
    }
    check_killed(child);
}

static long long bytes_of(const char *path)
{
    struct stat about;
    CHECK_EQ_INT(stat(path, &about), 0);
    return (long long)about.st_size;
}

TEST(a_killed_run_leaves_a_file_of_the_size_of_its_rows)
{
    enum { ROW = 500, FRAME = 1 << 18 }; // bytes
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    for (int rows = 0; rows < 6000; rows = 2 * rows + 11) {
        write_and_die(path.text, 1000000, rows);
        CHECK_EQ_INT(rows_of(path.text), rows);
        CHECK(bytes_of(path.text) < 4 * ROW * rows + FRAME);
        CHECK_EQ_INT(folder_count(&f), 1);
    }
    folder_remove(&f);
}

// Also where it was killed between growing and saying so: the room of a file says nothing about who may go on with it.
static void write_and_stop(const char *path, long long all, int rows)
{
    recording r;
    recording_start(&r, scene_pendulum(), path, all);
    for (int k = 0; k < rows; k++) CHECK_EQ_INT(recording_append(&r, k), PH_OK);
    CHECK_EQ_INT(recording_stop(&r), PH_OK);
}

static ph_status go_on(recording *r, const char *path, const char *other, long long all, long long rows)
{
    recording_start(r, scene_pendulum(), other, 1);
    ph_result_close(r->writer, NULL);
    const ph_result_def def = {.path = path, .scheme = "rattlie", .step = 0.25, .rows = all};
    return ph_result_resume(r->model, &def, rows, &r->writer, &r->error);
}

static void go_on_and_die(const char *path, const char *other, long long all, long long rows)
{
    const pid_t child = fork();
    if (child == 0) {
        recording r;
        die(go_on(&r, path, other, all, rows) == PH_OK);
    }
    check_killed(child);
}

TEST(a_killed_run_goes_on_at_every_size)
{
    enum { ALL = 3000 };
    const folder f = folder_make();
    const file_path whole = folder_file(&f, "whole.h5"), parts = folder_file(&f, "parts.h5");
    recording r;
    recording_start(&r, scene_pendulum(), whole.text, ALL);
    for (int k = 0; k < ALL; k++) CHECK_EQ_INT(recording_append(&r, k), PH_OK);
    CHECK_EQ_INT(recording_stop(&r), PH_OK);
    for (int rows = 1; rows < ALL; rows = 2 * rows + 45) {
        write_and_die(parts.text, ALL, rows);
        CHECK_EQ_INT(go_on(&r, parts.text, folder_file(&f, "other.h5").text, ALL, rows - rows / 3), PH_OK);
        for (int k = rows - rows / 3; k < ALL; k++) CHECK_EQ_INT(recording_append(&r, k), PH_OK);
        CHECK_EQ_INT(recording_stop(&r), PH_OK);
        CHECK(files_equal(whole.text, parts.text));
    }
    folder_remove(&f);
}

// The first thing it does is to drop the rows after its checkpoint, many or few; after that it is killed again.
TEST(a_run_that_is_killed_as_it_goes_on_goes_on)
{
    enum { ALL = 3000 };
    static const int written[] = {2400, 150}, kept[] = {2300, 100, 0};
    const folder f = folder_make();
    const file_path whole = folder_file(&f, "whole.h5"), parts = folder_file(&f, "parts.h5");
    const file_path other = folder_file(&f, "other.h5");
    recording r;
    recording_start(&r, scene_pendulum(), whole.text, ALL);
    for (int k = 0; k < ALL; k++) CHECK_EQ_INT(recording_append(&r, k), PH_OK);
    CHECK_EQ_INT(recording_stop(&r), PH_OK);
    for (int i = 0; i < 2 * 3 * 2; i++) {
        const int rows = written[i % 2], first = kept[i / 2 % 3];
        if (first > rows) continue;
        (i / 6 ? write_and_stop : write_and_die)(parts.text, ALL, rows);
        go_on_and_die(parts.text, other.text, ALL, first);
        CHECK_EQ_INT(rows_of(parts.text), first);
        CHECK_EQ_INT(go_on(&r, parts.text, other.text, ALL, first), PH_OK);
        for (int k = first; k < ALL; k++) CHECK_EQ_INT(recording_append(&r, k), PH_OK);
        CHECK_EQ_INT(recording_stop(&r), PH_OK);
        CHECK(files_equal(whole.text, parts.text));
    }
    folder_remove(&f);
}

#endif
