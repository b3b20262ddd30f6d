// The helper that HDF5 works in: found, asked, of the right version, gone when the program around it is killed.
#include "test.h"

#ifdef PH_WITH_HDF5

#include "folder.h"
#include "io/result/helper.h"
#include "recording.h"
#include "scenes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static ph_status ask(const char *task, const char *path, size_t most)
{
    parcel request = {0};
    char *answer;
    size_t bytes;
    parcel_put_text(&request, path);
    parcel_put_number(&request, 0);
    const ph_status status = helper_ask(task, &request, 10, most, &answer, &bytes);
    mem_free(NULL, answer);
    return status;
}

TEST(a_task_is_answered_and_nonsense_is_not)
{
    CHECK_EQ_INT(ask("index", "/no/such/file", 10000), PH_OK); // the answer says what is wrong with the file
    CHECK_EQ_INT(ask("index", "/no/such/file", 2), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ask("no such task", "", 100), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ask("fetch", "", 100), PH_BAD_ARGUMENT); // the request ends too soon
}

static ph_status write_with(const char *helper, const char *path, ph_error *error)
{
    recording r;
    setenv("POLHODE_HDF5_HELPER", helper, 1);
    const ph_status status = recording_start(&r, scene_pendulum(), path, 1);
    unsetenv("POLHODE_HDF5_HELPER");
    *error = r.error;
    recording_stop(&r);
    return status;
}

TEST(a_helper_that_is_missing_or_another_is_named)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5"), helper = folder_file(&f, "helper");
    ph_error error;
    CHECK_EQ_INT(write_with("/no/such/helper", path.text, &error), PH_IO);
    CHECK(strstr(error.text, "polhode-hdf5 cannot be started") != NULL);
    write_text_file(helper.text, "#!/bin/sh\necho 'polhode-hdf5 is of version 0.0.0-0'\n");
    chmod(helper.text, 0700);
    CHECK_EQ_INT(write_with(helper.text, path.text, &error), PH_IO);
    CHECK(strstr(error.text, "of another version") != NULL);
    write_text_file(helper.text, "#!/bin/sh\nkill -9 $$\n");
    CHECK_EQ_INT(write_with(helper.text, path.text, &error), PH_IO);
    CHECK(strstr(error.text, "HDF5 ended in the middle") != NULL);
    CHECK(access(path.text, F_OK) != 0);
    folder_remove(&f);
}

// The helper waits at a pipe that nobody writes to, as at a disk that does not answer; it is there as long as the pipe can be
// written to.
TEST(a_killed_program_takes_it_along)
{
#ifndef __linux__
    SKIP("it ends with its next answer there");
#endif
    const folder f = folder_make();
    const file_path path = folder_file(&f, "pipe");
    CHECK_EQ_INT(mkfifo(path.text, 0600), 0);
    const pid_t program = fork();
    if (program == 0) {
        ask("index", path.text, 10000);
        _exit(0);
    }
    int end = -1;
    for (int k = 0; k < 2000 && end < 0; k++) {
        end = open(path.text, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
        if (end < 0) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    CHECK(end >= 0); // it has begun
    kill(program, SIGKILL);
    waitpid(program, NULL, 0);
    struct pollfd wait = {.fd = end, .events = 0};
    CHECK_EQ_INT(poll(&wait, 1, 20000), 1);
    CHECK((wait.revents & POLLERR) != 0); // nobody reads any more
    close(end);
    folder_remove(&f);
}

#else

TEST(there_is_no_helper_without_hdf5)
{
    SKIP("this build has no HDF5");
}

#endif
