// polhode-hdf5: the program in which the library lets HDF5 work (src/io/result/helper.h says why). Not for users.
//
//   polhode-hdf5 VERSION TASK SECONDS PARENT < request > answer

#define _GNU_SOURCE // syscall
#include "helper/tasks.h"

#include "base/memory.h"
#include "io/result/helper.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif
#include <sys/resource.h>
#include <unistd.h>

enum { WAITING = 20 }; // a slow disk may keep us waiting for so many times our share of the processor

static const struct {
    const char *name;
    bool (*run)(opener *request, parcel *answer);
} tasks[] = {{"make", task_make}, {"index", task_index}, {"fetch", task_fetch}, {"contacts", task_contacts}};

// A program that is killed takes us with it: nobody waits for our answer, and what we would still write is left behind.
static bool live_with(long parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    return (long)getppid() == parent; // else it was killed before
}

// Files of the program around us stay open no longer than it wants them to.
static void close_strangers(void)
{
#ifdef SYS_close_range
    syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
#endif
}

static void set_limits(int seconds)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_CPU, &(struct rlimit){(rlim_t)seconds, (rlim_t)seconds});
    alarm((unsigned)(WAITING * seconds));
}

static bool read_all(parcel *request)
{
    static char block[1 << 16];
    for (;;) {
        const ssize_t got = read(STDIN_FILENO, block, sizeof block);
        if (got == 0) return !request->failed;
        if (got < 0 && errno != EINTR) return false;
        parcel_put(request, block, got > 0 ? (size_t)got : 0);
    }
}

static bool write_all(const char *at, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t written = write(STDOUT_FILENO, at, bytes);
        if (written < 0 && errno != EINTR) return false;
        at += written > 0 ? written : 0;
        bytes -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

static bool run_task(const char *name)
{
    parcel request = {0}, answer = {0};
    arena *memory = arena_create(NULL);
    if (!memory || !read_all(&request)) return false;
    opener opener = {request.data, request.data + request.length, memory, false};
    for (size_t i = 0; i < sizeof tasks / sizeof tasks[0]; i++) {
        if (strcmp(tasks[i].name, name) != 0) continue;
        if (!tasks[i].run(&opener, &answer)) return false;
        parcel_put(&answer, HELPER_END, sizeof HELPER_END);
        return !answer.failed && write_all(answer.data, answer.length);
    }
    return false;
}

int main(int count, char **arguments)
{
    if (count != 5 || strcmp(arguments[1], HELPER_VERSION) != 0) {
        static const char other[] =
            HELPER_OTHER HELPER_VERSION ", and works for the polhode library of that version only\n";
        write_all(other, sizeof other - 1);
        return 2;
    }
    const int seconds = (int)strtol(arguments[3], NULL, 10);
    if (!live_with(strtol(arguments[4], NULL, 10))) return 1;
    close_strangers();
    set_limits(seconds);
    _exit(run_task(arguments[2]) ? 0 : 1); // without what HDF5 would still do
}
