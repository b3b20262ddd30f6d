// Feeding another program under POSIX. See feeder.h.
#ifndef _WIN32

#include "feeder.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool feeder_start(feeder *f, const char *const *arguments)
{
    int ends[2];
    pid_t process = 0;
    signal(SIGPIPE, SIG_IGN);
    if (pipe(ends) != 0) return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    const int failed = posix_spawnp(&process, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (failed) close(ends[1]);
    *f = (feeder){process, failed ? -1 : ends[1]};
    return !failed;
}

bool feeder_write(feeder *f, const void *bytes, size_t count)
{
    const char *at = bytes;
    while (count > 0) {
        const ssize_t sent = write(f->input, at, count);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        count -= (size_t)sent;
    }
    return true;
}

bool feeder_end(feeder *f)
{
    int status = -1;
    close(f->input);
    while (waitpid((pid_t)f->process, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

#else
typedef int feeder_posix_is_elsewhere;
#endif
