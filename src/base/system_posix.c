// Files, folders and processes under POSIX, and what WASI has of it. See system.h.
#ifndef _WIN32

#include "base/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#ifndef __wasm__
#include <sys/statvfs.h>
#endif
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif
#include <unistd.h>

// ---- Looking --------------------------------------------------------------------------------------------------------

static bool tell_of(const struct stat *info, system_facts *facts)
{
    *facts = (system_facts){.kind = S_ISREG(info->st_mode)   ? SYSTEM_FILE
                                    : S_ISDIR(info->st_mode) ? SYSTEM_FOLDER
                                                             : SYSTEM_OTHER,
                            .bytes = (long long)info->st_size,
                            .stored = (long long)info->st_blocks * 512,
                            .names = (long long)info->st_nlink,
                            .device = (uint64_t)info->st_dev,
                            .number = (uint64_t)info->st_ino};
    return true;
}

bool system_look(const char *path, system_facts *facts)
{
    struct stat info;
    return stat(path, &info) == 0 && tell_of(&info, facts);
}

bool system_look_at(int descriptor, system_facts *facts)
{
    struct stat info;
    return fstat(descriptor, &info) == 0 && tell_of(&info, facts);
}

bool system_may(const char *path, int rights)
{
    const int mode =
        (rights & SYSTEM_READ ? R_OK : 0) | (rights & SYSTEM_WRITE ? W_OK : 0) | (rights & SYSTEM_RUN ? X_OK : 0);
    return access(path, mode ? mode : F_OK) == 0;
}

// WASI has no such call, and whoever runs a program there says what it may see: the path stays as it is.
char *system_real_path(const char *path)
{
#ifdef __wasm__
    return strdup(path);
#else
    return realpath(path, NULL);
#endif
}

char *system_follow(const char *path)
{
    struct stat info;
    char *target = lstat(path, &info) == 0 && S_ISLNK(info.st_mode) ? system_real_path(path) : NULL;
    return target ? target : strdup(path);
}

bool system_list(const char *folder, system_entry *each, void *user)
{
    DIR *entries = opendir(folder);
    if (!entries) return false;
    for (struct dirent *entry; (entry = readdir(entries)) && each(user, entry->d_name);) {}
    closedir(entries);
    return true;
}

// ---- Files by descriptor --------------------------------------------------------------------------------------------

int system_open(const char *path, int how)
{
    int flags = O_CLOEXEC | (!(how & SYSTEM_WRITE) ? O_RDONLY : how & SYSTEM_READ ? O_RDWR : O_WRONLY);
    flags |= how & SYSTEM_NEW ? O_CREAT | O_EXCL : how & SYSTEM_MAKE ? O_CREAT : 0;
    return open(path, flags | (how & SYSTEM_EMPTY ? O_TRUNC : 0), 0666);
}

// An interrupted close has closed.
bool system_close(int descriptor)
{
    return close(descriptor) == 0 || errno == EINTR;
}

long long system_read_at(int descriptor, void *to, size_t bytes, long long offset)
{
    return pread(descriptor, to, bytes, (off_t)offset);
}

long long system_write_at(int descriptor, const void *from, size_t bytes, long long offset)
{
    return pwrite(descriptor, from, bytes, (off_t)offset);
}

long long system_write(int descriptor, const void *from, size_t bytes)
{
    return write(descriptor, from, bytes);
}

bool system_cut(int descriptor, long long bytes)
{
    return ftruncate(descriptor, (off_t)bytes) == 0 && lseek(descriptor, (off_t)bytes, SEEK_SET) == (off_t)bytes;
}

// Pipes and some devices cannot be brought to a disk.
int system_sync(int descriptor)
{
    int code;
    do {
        code = fsync(descriptor) == 0 ? 0 : errno;
    } while (code == EINTR);
    return code == EINVAL || code == ENOTSUP ? 0 : code;
}

// A folder may be written to and yet not be read: then its names are as safe as they can be.
int system_sync_folder(const char *folder)
{
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return 0;
    const int code = system_sync(descriptor);
    close(descriptor);
    return code;
}

// Where the file system cannot promise space, a full disk is met later, when a row is written.
int system_reserve(int descriptor, long long bytes)
{
#ifdef __APPLE__
    (void)descriptor, (void)bytes;
    return 0;
#else
    int code;
    do {
        code = bytes > 0 ? posix_fallocate(descriptor, 0, (off_t)bytes) : 0;
    } while (code == EINTR);
    return code == EOPNOTSUPP || code == EINVAL ? 0 : code;
#endif
}

double system_room(int descriptor)
{
#ifdef __wasm__
    (void)descriptor;
    return -1.0;
#else
    struct statvfs disk;
    return fstatvfs(descriptor, &disk) == 0 ? (double)disk.f_bavail * (double)disk.f_frsize : -1.0;
#endif
}

// ---- Names ----------------------------------------------------------------------------------------------------------

bool system_remove(const char *path)
{
    return unlink(path) == 0;
}

bool system_rename(const char *from, const char *to)
{
    return rename(from, to) == 0;
}

bool system_make_folder(const char *path)
{
    return mkdir(path, 0777) == 0;
}

FILE *system_stream(const char *path, const char *mode)
{
    return fopen(path, mode);
}

// ---- Processes ------------------------------------------------------------------------------------------------------

long system_process(void)
{
    return (long)getpid();
}

bool system_process_runs(long number)
{
#ifdef __wasm__
    (void)number;
    return true;
#else
    return kill((pid_t)number, 0) == 0 || errno != ESRCH;
#endif
}

const char *system_environment(const char *name)
{
#ifdef __wasm__
    (void)name;
    return NULL; // a page has none; asking would make its host supply one
#else
    return getenv(name);
#endif
}

char *system_program(void)
{
#if defined __APPLE__
    char path[4096];
    uint32_t room = sizeof path;
    return _NSGetExecutablePath(path, &room) == 0 ? system_real_path(path) : NULL;
#elif defined __wasm__
    return NULL;
#else
    return system_real_path("/proc/self/exe");
#endif
}

void system_begin_program(int *count, char ***arguments)
{
    (void)count, (void)arguments;
}

bool system_is_terminal(FILE *file)
{
    return isatty(fileno(file)) == 1;
}

int system_terminal_width(FILE *file)
{
#ifdef TIOCGWINSZ
    struct winsize size = {0};
    return ioctl(fileno(file), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
#else
    return (void)file, 0;
#endif
}

bool system_random(void *to, size_t bytes)
{
    FILE *source = fopen("/dev/urandom", "rb");
    const bool good = source && fread(to, bytes, 1, source) == 1;
    if (source) fclose(source);
    return good;
}

#else
typedef int system_posix_is_elsewhere;
#endif
