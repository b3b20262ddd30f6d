// Starting programs under POSIX. See process.h.
#ifndef _WIN32

#ifdef __APPLE__
#define _DARWIN_C_SOURCE // NOLINT: dladdr
#endif
#define _GNU_SOURCE // dladdr, secure_getenv
#include "base/process.h"

#include "base/memory.h"
#include "base/system.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#ifdef MSG_NOSIGNAL
enum { NO_SIGNAL = MSG_NOSIGNAL };
#else
enum { NO_SIGNAL = 0 }; // the socket itself is told (make_channel)
#endif

// ---- Starting -------------------------------------------------------------------------------------------------------

// Both ends are closed in programs that another thread starts meanwhile.
static bool make_channel(int ends[2])
{
#ifdef SOCK_CLOEXEC
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
#else
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#ifdef SO_NOSIGPIPE
    setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
    return true;
#endif
}

// What the program around us does about signals is not for the new one.
static void forget_signals(posix_spawnattr_t *attributes)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM, SIGXCPU, SIGPIPE, SIGTERM};
    sigset_t set;
    sigemptyset(&set);
    posix_spawnattr_setsigmask(attributes, &set);
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++) sigaddset(&set, fatal[i]);
    posix_spawnattr_setsigdefault(attributes, &set);
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

static bool start(const char *path, const char *const *arguments, int channel, pid_t *child)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&files) != 0) return false;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return false;
    }
    forget_signals(&attributes);
    const bool good = posix_spawn_file_actions_adddup2(&files, channel, STDIN_FILENO) == 0 &&
                      posix_spawn_file_actions_adddup2(&files, channel, STDOUT_FILENO) == 0 &&
                      posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
                      posix_spawn(child, path, &files, &attributes, (char *const *)arguments, environ) == 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return good;
}

// ---- Talking --------------------------------------------------------------------------------------------------------

// A program that ends before it has read everything may still have answered.
static void send_all(int channel, const char *data, size_t bytes)
{
    ssize_t sent = 0;
    for (; bytes > 0 && (sent >= 0 || errno == EINTR);
         data += sent > 0 ? sent : 0, bytes -= sent > 0 ? (size_t)sent : 0)
        sent = send(channel, data, bytes, NO_SIGNAL);
    shutdown(channel, SHUT_WR);
}

static ph_status receive_all(int channel, size_t most, char **answer, size_t *length)
{
    char *block = NULL;
    int room = 0;
    size_t used = 0;
    for (;;) {
        if (used > most || !mem_reserve(NULL, &block, &room, (int)used + (1 << 16), 1)) {
            mem_free(NULL, block);
            return used > most ? PH_BAD_ARGUMENT : PH_OUT_OF_MEMORY;
        }
        const ssize_t got = recv(channel, block + used, (size_t)room - used, 0);
        used += got > 0 ? (size_t)got : 0;
        if (got == 0 || (got < 0 && errno != EINTR)) break;
    }
    *answer = block;
    *length = used;
    return PH_OK;
}

ph_status process_ask(const char *path, const char *const *arguments, const void *request, size_t bytes, size_t most,
                      char **answer, size_t *length)
{
    int ends[2];
    pid_t child = 0;
    if (!make_channel(ends)) return PH_IO;
    const bool started = start(path, arguments, ends[1], &child);
    close(ends[1]);
    ph_status status = PH_IO;
    if (started) {
        send_all(ends[0], request, bytes);
        status = receive_all(ends[0], most, answer, length);
    }
    close(ends[0]);
    if (started) {
        kill(child, SIGKILL); // it is at its end, or has said too much
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    return status;
}

// ---- Finding --------------------------------------------------------------------------------------------------------

long process_number(void)
{
    return (long)getpid();
}

// A program's own name is what it was called by, which need not be a path: the system knows better.
static bool is_program(const char *name)
{
#ifdef __APPLE__
    (void)name;
    return false;
#else
    return strcmp(name, program_invocation_name) == 0;
#endif
}

static char *code_path(void)
{
    static const char here;
    Dl_info about;
    const bool known = dladdr(&here, &about) != 0 && about.dli_fname && about.dli_fname[0] == '/';
    char *path = known && !is_program(about.dli_fname) ? realpath(about.dli_fname, NULL) : NULL;
    return path ? path : system_program();
}

bool process_path_near_code(const char *relative, char *path, size_t room)
{
    char *code = code_path();
    char *slash = code ? strrchr(code, '/') : NULL;
    if (slash) slash[1] = '\0';
    const int length = slash ? snprintf(path, room, "%s%s", code, relative) : -1;
    free(code);
    return length >= 0 && (size_t)length < room;
}

bool process_is_trusted(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && (about.st_mode & S_IWOTH) == 0 &&
           (about.st_uid == 0 || about.st_uid == geteuid()) && access(path, X_OK) == 0;
}

const char *process_setting(const char *name)
{
#ifdef __GLIBC__
    return secure_getenv(name);
#else
    return geteuid() == getuid() && getegid() == getgid() ? getenv(name) : NULL;
#endif
}

#else
typedef int process_posix_is_elsewhere;
#endif
