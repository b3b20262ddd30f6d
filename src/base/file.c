// Files that appear whole. See output_file.h.

#include "base/file.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifndef __wasm__
#include <sys/statvfs.h>
#endif
#include <unistd.h>

static ph_status fail(const output_file *file, const char *reason, ph_error *error)
{
    return error_set(error, PH_IO, "cannot write '%s': %s", file->path, reason);
}

// ---- Opening --------------------------------------------------------------------------------------------------------

// Length of the folder part of a path, its last slash included; 0 when there is none.
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static char *copy_folder(const char *path)
{
    const size_t length = folder_length(path);
    char *folder = mem_copy_string(NULL, length ? path : ".");
    if (folder && length) {
        folder[length > 1 ? length - 1 : 1] = '\0';
    }
    return folder;
}

static ph_status check_folder(const output_file *file, ph_error *error)
{
    char *folder = copy_folder(file->target);
    if (!folder) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    struct stat info;
    ph_status status = PH_OK;
    if (stat(folder, &info) != 0 && errno == ENOENT) {
        status = error_set(error, PH_IO, "cannot write '%s': there is no folder '%s'", file->path, folder);
    } else if (stat(folder, &info) == 0 && !S_ISDIR(info.st_mode)) {
        status = error_set(error, PH_IO, "cannot write '%s': '%s' is not a folder", file->path, folder);
    } else if (access(folder, W_OK | X_OK) != 0) {
        status = error_set(error, PH_IO, "cannot write '%s': folder '%s': %s", file->path, folder, strerror(errno));
    }
    mem_free(NULL, folder);
    return status;
}

// The folder may have gone since it was looked at.
static ph_status fail_in_folder(const output_file *file, int code, ph_error *error)
{
    const ph_status status = code == ENOENT ? check_folder(file, error) : PH_OK;
    return status != PH_OK ? status : fail(file, strerror(code), error);
}

// A link is followed, so that its target is replaced and not the link.
static char *resolve(const char *path)
{
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode)) {
        char *target = path_real(path);
        if (target) {
            return target;
        }
    }
    return mem_copy_string(NULL, path);
}

// Existing files keep their rights: one that may not be written is not replaced either.
static ph_status check_target(output_file *file, bool streams, bool *is_stream, ph_error *error)
{
    struct stat info;
    *is_stream = false;
    if (stat(file->target, &info) != 0) {
        return check_folder(file, error);
    }
    if (S_ISDIR(info.st_mode)) {
        return fail(file, "it is a folder", error);
    }
    if (access(file->target, W_OK) != 0) {
        return fail(file, strerror(errno), error);
    }
    if (S_ISREG(info.st_mode)) {
        return check_folder(file, error);
    }
    *is_stream = true;
    return streams ? PH_OK : fail(file, "it is not a regular file, which this format needs", error);
}

enum { NAME_LENGTH = 180, ROOM = NAME_LENGTH + 48 }; // of the last part of a temporary name

// Removes what programs that were killed have left beside the target: NAME.PROCESS-NUMBER.new, where no such process runs.
static void sweep(const char *target, size_t folder)
{
    char *path = mem_alloc(NULL, folder + NAME_MAX + 2);
    char prefix[ROOM];
    if (!path) return;
    memcpy(path, target, folder);
    strcpy(path + folder, folder ? "" : ".");
    const int length = snprintf(prefix, sizeof prefix, ".%.*s.", NAME_LENGTH, target + folder);
    DIR *entries = opendir(path);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        char *end;
        if (strncmp(entry->d_name, prefix, (size_t)length) != 0) continue;
        const long process = strtol(entry->d_name + length, &end, 10);
        const char *suffix = *end == '-' ? strchr(end, '.') : NULL;
        if (!suffix || strcmp(suffix, ".new") != 0 || process <= 0 || kill((pid_t)process, 0) == 0 || errno != ESRCH)
            continue;
        strcpy(path + folder, entry->d_name);
        unlink(path);
    }
    if (entries) closedir(entries);
    mem_free(NULL, path);
}

// Opens a new file beside the target, so that rename never crosses file systems. Its name is its own, so that two programs
// may make the same result, and the last one to begin has its name.
static ph_status open_temporary(output_file *file, ph_error *error)
{
    enum { TRIES = 100 };
    const size_t folder = folder_length(file->target);
    file->temporary = mem_alloc(NULL, folder + ROOM);
    if (!file->temporary) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    sweep(file->target, folder);
    memcpy(file->temporary, file->target, folder);
    for (int i = 0; i < TRIES && file->descriptor < 0; i++) {
        snprintf(file->temporary + folder, ROOM, ".%.*s.%ld-%d.new", NAME_LENGTH, file->target + folder, (long)getpid(),
                 i);
        file->descriptor = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file->descriptor < 0 && errno != EEXIST) break;
    }
    if (file->descriptor >= 0) {
        return PH_OK;
    }
    const ph_status status = fail_in_folder(file, errno, error);
    mem_free(NULL, file->temporary); // it is not ours: close must not remove it
    file->temporary = NULL;
    return status;
}

ph_status output_file_open(output_file *file, const char *path, bool streams, ph_error *error)
{
    *file = (output_file){.descriptor = -1, .path = path, .target = resolve(path)};
    if (!file->target) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    bool is_stream;
    ph_status status = check_target(file, streams, &is_stream, error);
    if (status == PH_OK && is_stream) {
        file->descriptor = open(file->target, O_WRONLY | O_CLOEXEC);
        status = file->descriptor >= 0 ? PH_OK : fail(file, strerror(errno), error);
    } else if (status == PH_OK) {
        status = open_temporary(file, error);
    }
    if (status != PH_OK) {
        output_file_close(file, NULL);
    }
    return status;
}

ph_status output_file_reopen(output_file *file, const char *path, ph_error *error)
{
    struct stat info;
    *file = (output_file){.descriptor = -1, .path = path, .target = resolve(path)};
    if (!file->target) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    ph_status status = PH_OK;
    if (stat(file->target, &info) == 0 && !S_ISREG(info.st_mode)) {
        status = fail(file, "it is not a regular file, which can be continued", error);
    } else if ((file->descriptor = open(file->target, O_RDWR | O_CLOEXEC)) < 0) {
        status = fail(file, strerror(errno), error);
    }
    if (status != PH_OK) {
        output_file_close(file, NULL);
    }
    return status;
}

// ---- Writing --------------------------------------------------------------------------------------------------------

static ph_status no_space(const output_file *file, long long bytes, ph_error *error)
{
#ifdef __wasm__ // nobody tells how much room there is
    (void)bytes;
    return fail(file, "the disk is full", error);
#else
    struct statvfs disk;
    if (fstatvfs(file->descriptor, &disk) != 0) {
        return fail(file, "the disk is full", error);
    }
    return error_set(error, PH_IO, "cannot write '%s': it needs %.6g MB, the disk has %.6g MB left", file->path,
                     1e-6 * (double)bytes, 1e-6 * (double)disk.f_bavail * (double)disk.f_frsize);
#endif
}

ph_status output_file_reserve(output_file *file, long long bytes, ph_error *error)
{
    int code;
    do {
        code = bytes > 0 ? posix_fallocate(file->descriptor, 0, (off_t)bytes) : 0;
    } while (code == EINTR);
    if (code == ENOSPC) {
        return no_space(file, bytes, error);
    }
    // Where the file system cannot promise space, a full disk is met later, when a row is written.
    return code == 0 || code == EOPNOTSUPP || code == EINVAL ? PH_OK : fail(file, strerror(code), error);
}

ph_status output_file_write(output_file *file, const void *data, size_t bytes, long long offset, ph_error *error)
{
    const char *from = data;
    while (bytes > 0) {
        const ssize_t written = pwrite(file->descriptor, from, bytes, (off_t)offset);
        if (written < 0 && errno != EINTR) {
            return fail(file, strerror(errno), error);
        }
        const size_t done = written > 0 ? (size_t)written : 0;
        from += done;
        bytes -= done;
        offset += (long long)done;
    }
    return PH_OK;
}

ph_status output_file_append(output_file *file, const void *data, size_t bytes, ph_error *error)
{
    const char *from = data;
    size_t left = bytes;
    while (left > 0) {
        const ssize_t written = write(file->descriptor, from, left);
        if (written < 0 && errno != EINTR) {
            const ph_status status = fail(file, strerror(errno), error);
            if (ftruncate(file->descriptor, (off_t)file->length) == 0) {
                lseek(file->descriptor, (off_t)file->length, SEEK_SET);
            }
            return status;
        }
        const size_t done = written > 0 ? (size_t)written : 0;
        from += done;
        left -= done;
    }
    file->length += (long long)bytes;
    return PH_OK;
}

ph_status output_file_cut(output_file *file, long long bytes, ph_error *error)
{
    if (ftruncate(file->descriptor, (off_t)bytes) != 0 || lseek(file->descriptor, (off_t)bytes, SEEK_SET) < 0) {
        return fail(file, strerror(errno), error);
    }
    file->length = bytes;
    return PH_OK;
}

// Pipes and some devices cannot be brought to a disk.
static ph_status sync_descriptor(const output_file *file, int descriptor, ph_error *error)
{
    int code;
    do {
        code = fsync(descriptor) == 0 ? 0 : errno;
    } while (code == EINTR);
    return code == 0 || code == EINVAL || code == ENOTSUP ? PH_OK : fail(file, strerror(code), error);
}

ph_status output_file_sync(output_file *file, ph_error *error)
{
    return sync_descriptor(file, file->descriptor, error);
}

ph_status output_file_sync_folder(output_file *file, ph_error *error)
{
    char *folder = copy_folder(file->target);
    if (!folder) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    mem_free(NULL, folder);
    if (descriptor < 0) {
        return PH_OK; // a folder may be written to and yet not be read: then the name is as safe as it can be
    }
    const ph_status status = sync_descriptor(file, descriptor, error);
    close(descriptor);
    return status;
}

// ---- Publishing and closing -----------------------------------------------------------------------------------------

ph_status output_file_publish(output_file *file, ph_error *error)
{
    if (!file->temporary) {
        return PH_OK;
    }
    if (rename(file->temporary, file->target) != 0) {
        return fail_in_folder(file, errno, error);
    }
    mem_free(NULL, file->temporary);
    file->temporary = NULL;
    return PH_OK;
}

void output_file_unname(output_file *file)
{
    if (file->temporary) {
        unlink(file->temporary);
        mem_free(NULL, file->temporary);
    }
    file->temporary = NULL;
}

ph_status output_file_close(output_file *file, ph_error *error)
{
    ph_status status = PH_OK;
    if (file->descriptor >= 0 && close(file->descriptor) != 0 && errno != EINTR) {
        status = fail(file, strerror(errno), error); // network file systems report a full disk only here
    }
    output_file_unname(file);
    free(file->target); // from realpath or mem_copy_string: malloc in both cases
    *file = (output_file){.descriptor = -1};
    return status;
}
