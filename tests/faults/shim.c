// Faults on demand, to be loaded before the program (LD_PRELOAD): the call number FAULT_AT of the function FAULT_CALL fails.
//
//     FAULT_CALL   malloc write pwrite fsync rename open ftruncate posix_fallocate
//     FAULT_AT     from 1
//     FAULT_KIND   fail (default): as on a full disk; for all later calls too, as a full disk stays full
//                  short: write and pwrite take one byte only, and never fail
//     FAULT_MET    this file is made when the call is met, so that a loop over FAULT_AT knows where to end
//
// Calls of malloc count where the program itself makes them, those of other functions where they are about files.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

extern void *__libc_malloc(size_t bytes);

static struct {
    bool ready, busy, shortened;
    long at, met;
    const char *call, *file;
} fault;

static void prepare(void)
{
    const char *at = getenv("FAULT_AT"), *kind = getenv("FAULT_KIND");
    fault.call = getenv("FAULT_CALL");
    fault.file = getenv("FAULT_MET");
    fault.at = at ? strtol(at, NULL, 10) : 0;
    fault.shortened = kind && strcmp(kind, "short") == 0;
    fault.ready = true;
}

// Is this the call that fails, or one after it?
static bool strikes(const char *call)
{
    if (!fault.ready) {
        prepare();
    }
    if (fault.busy || !fault.call || !fault.at || strcmp(fault.call, call) != 0) {
        return false;
    }
    if (++fault.met < fault.at) {
        return false;
    }
    if (fault.met == fault.at && fault.file) {
        fault.busy = true;
        const int made = creat(fault.file, 0666);
        if (made >= 0) {
            close(made);
        }
        fault.busy = false;
    }
    return true;
}

static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

// ---- Memory: single calls fail --------------------------------------------------------------------------------------

// A call from the program itself, into which the library is linked.
static bool is_own(const void *address)
{
    Dl_info about;
    if (fault.busy) {
        return false;
    }
    fault.busy = true; // dladdr may ask for memory
    const bool known = dladdr(address, &about) && about.dli_fname;
    fault.busy = false;
    const size_t length = known ? strlen(about.dli_fname) : 0;
    return length >= 8 && strcmp(about.dli_fname + length - 8, "/polhode") == 0;
}

void *malloc(size_t bytes)
{
    if (!fault.ready) {
        prepare();
    }
    if (fault.call && strcmp(fault.call, "malloc") == 0 && is_own(__builtin_return_address(0)) && strikes("malloc") &&
        fault.met == fault.at) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_malloc(bytes);
}

// ---- Files: from the fault on the disk is full ----------------------------------------------------------------------

ssize_t write(int descriptor, const void *data, size_t bytes)
{
    ssize_t (*real)(int, const void *, size_t) = next("write");
    if (descriptor > 2 && strikes("write")) {
        if (!fault.shortened) {
            errno = ENOSPC;
            return -1;
        }
        bytes = bytes > 1 ? 1 : bytes;
    }
    return real(descriptor, data, bytes);
}

ssize_t pwrite(int descriptor, const void *data, size_t bytes, off_t at)
{
    ssize_t (*real)(int, const void *, size_t, off_t) = next("pwrite");
    if (strikes("pwrite")) {
        if (!fault.shortened) {
            errno = ENOSPC;
            return -1;
        }
        bytes = bytes > 1 ? 1 : bytes;
    }
    return real(descriptor, data, bytes, at);
}

ssize_t pwrite64(int descriptor, const void *data, size_t bytes, off_t at)
{
    return pwrite(descriptor, data, bytes, at);
}

int fsync(int descriptor)
{
    int (*real)(int) = next("fsync");
    return strikes("fsync") ? (errno = EIO, -1) : real(descriptor);
}

int rename(const char *from, const char *to)
{
    int (*real)(const char *, const char *) = next("rename");
    return strikes("rename") ? (errno = EACCES, -1) : real(from, to);
}

int ftruncate(int descriptor, off_t bytes)
{
    int (*real)(int, off_t) = next("ftruncate");
    return strikes("ftruncate") ? (errno = EIO, -1) : real(descriptor, bytes);
}

int posix_fallocate(int descriptor, off_t at, off_t bytes)
{
    int (*real)(int, off_t, off_t) = next("posix_fallocate");
    return strikes("posix_fallocate") ? ENOSPC : real(descriptor, at, bytes);
}

int open(const char *path, int flags, ...)
{
    int (*real)(const char *, int, ...) = next("open");
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return flags & (O_CREAT | O_RDWR) && strikes("open") ? (errno = EACCES, -1) : real(path, flags, mode);
}
