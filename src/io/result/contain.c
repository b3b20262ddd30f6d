// Work in a process of its own. See contain.h.

#include "io/result/contain.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// A whole answer ends with this: the exit status of the child may have been taken by the program around us.
static const char END[8] = "polhode";

enum { WAITING = 20 }; // a slow disk may keep the child waiting for so many times its share of the processor

static void parcel_send(parcel *parcel)
{
    const char *at = parcel->buffer;
    while (parcel->waiting > 0 && !parcel->failed) {
        const ssize_t written = write(parcel->descriptor, at, parcel->waiting);
        parcel->failed = written < 0 && errno != EINTR;
        const size_t done = written > 0 ? (size_t)written : 0;
        at += done;
        parcel->waiting -= done;
    }
}

void parcel_put(parcel *parcel, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0 && !parcel->failed) {
        const size_t room = sizeof parcel->buffer - parcel->waiting, now = bytes < room ? bytes : room;
        memcpy(parcel->buffer + parcel->waiting, at, now);
        parcel->waiting += now;
        at += now;
        bytes -= now;
        if (parcel->waiting == sizeof parcel->buffer) {
            parcel_send(parcel);
        }
    }
}

// A program that is killed takes this process with it: nobody waits for its answer, and what it would still write is left behind.
static void end_with(pid_t parent)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) _exit(1); // it was before that
}

const char *contain_reason(ph_status status)
{
    switch (status) {
    case PH_IO:
        return "the process that HDF5 works in cannot be started; are there too many processes or open files?";
    case PH_BAD_ARGUMENT:
        return "HDF5 ended in the middle of its work: it crashed, ran out of memory or took too long; try again, or "
               "write .csv";
    default:
        return ph_status_text(status);
    }
}

_Noreturn static void run_child(void (*work)(void *user, parcel *parcel), void *user, int seconds, int descriptor)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM, SIGXCPU, SIGPIPE};
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) {
        signal(fatal[i], SIG_DFL); // what the program around us does about them is not for this process
    }
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_CPU, &(struct rlimit){(rlim_t)seconds, (rlim_t)seconds});
    alarm((unsigned)(WAITING * seconds));
    close(STDERR_FILENO); // the C library says there what it thinks of a broken heap
    parcel parcel = {.descriptor = descriptor};
    work(user, &parcel);
    parcel_put(&parcel, END, sizeof END);
    parcel_send(&parcel);
    _exit(0);
}

static ph_status receive(int descriptor, size_t most, char **answer, size_t *bytes)
{
    char *block = NULL;
    int room = 0;
    size_t used = 0;
    for (;;) {
        if (used > most || !mem_reserve(NULL, &block, &room, (int)used + (1 << 16), 1)) {
            mem_free(NULL, block);
            return used > most ? PH_BAD_ARGUMENT : PH_OUT_OF_MEMORY;
        }
        const ssize_t got = read(descriptor, block + used, (size_t)room - used);
        used += got > 0 ? (size_t)got : 0;
        if (got == 0 || (got < 0 && errno != EINTR)) {
            break;
        }
    }
    if (used < sizeof END || memcmp(block + used - sizeof END, END, sizeof END) != 0) {
        mem_free(NULL, block);
        return PH_BAD_ARGUMENT;
    }
    *answer = block;
    *bytes = used - sizeof END;
    return PH_OK;
}

ph_status contain(void (*work)(void *user, parcel *parcel), void *user, int seconds, size_t most, char **answer,
                  size_t *bytes)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return PH_IO;
    }
    // A program that another thread starts meanwhile must not keep the pipe open.
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
        end_with(parent);
        close(ends[0]);
        run_child(work, user, seconds, ends[1]);
    }
    close(ends[1]);
    const ph_status status = child > 0 ? receive(ends[0], most, answer, bytes) : PH_IO;
    close(ends[0]);
    if (child > 0) {
        kill(child, SIGKILL); // it is at its end, or has said too much
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    return status;
}
