// Results of runs that are killed: they have the size of their rows, and the next run goes on with them.

#include "test.h"

#include "folder.h"
#include "recording.h"
#include "scenes.h"

#include <sys/stat.h>
#include <sys/wait.h>

#ifdef PH_WITH_HDF5

static long long rows_of(const char *path)
{
    ph_result *result = NULL;
    CHECK_EQ_INT(ph_result_open(path, &result, NULL), PH_OK);
    const long long rows = result ? ph_result_rows(result) : -1;
    ph_result_destroy(result);
    return rows;
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
        kill(good ? getpid() : 0, SIGKILL);
    }
    int code = 0;
    waitpid(child, &code, 0);
    CHECK(WIFSIGNALED(code) && WTERMSIG(code) == SIGKILL);
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
        recording_start(&r, scene_pendulum(), folder_file(&f, "other.h5").text, 1);
        ph_result_close(r.writer, NULL);
        const ph_result_def def = {.path = parts.text, .scheme = "rattlie", .step = 0.25, .rows = ALL};
        CHECK_EQ_INT(ph_result_resume(r.model, &def, rows - rows / 3, &r.writer, &r.error), PH_OK);
        for (int k = rows - rows / 3; k < ALL; k++) CHECK_EQ_INT(recording_append(&r, k), PH_OK);
        CHECK_EQ_INT(recording_stop(&r), PH_OK);
        CHECK(files_equal(whole.text, parts.text));
    }
    folder_remove(&f);
}

#endif
