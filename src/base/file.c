// Files that appear whole. See output_file.h.

#include "base/file.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ph_status fail(const output_file *file, const char *reason, ph_error *error)
{
    return error_set(error, PH_IO, "cannot write '%s': %s", file->path, reason);
}

// ---- Opening --------------------------------------------------------------------------------------------------------

// Length of the folder part of a path, its last slash included; 0 when there is none.
static size_t folder_length(const char *path)
{
    const char *slash = path_last_slash(path);
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
    system_facts facts;
    const bool found = system_look(folder, &facts);
    ph_status status = PH_OK;
    if (!found && errno == ENOENT) {
        status = error_set(error, PH_IO, "cannot write '%s': there is no folder '%s'", file->path, folder);
    } else if (found && facts.kind != SYSTEM_FOLDER) {
        status = error_set(error, PH_IO, "cannot write '%s': '%s' is not a folder", file->path, folder);
    } else if (!system_may(folder, SYSTEM_WRITE | SYSTEM_RUN)) {
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

// Existing files keep their rights: one that may not be written is not replaced either.
static ph_status check_target(output_file *file, bool streams, bool *is_stream, ph_error *error)
{
    system_facts facts;
    *is_stream = false;
    if (!system_look(file->target, &facts)) {
        return check_folder(file, error);
    }
    if (facts.kind == SYSTEM_FOLDER) {
        return fail(file, "it is a folder", error);
    }
    if (!system_may(file->target, SYSTEM_WRITE)) {
        return fail(file, strerror(errno), error);
    }
    if (facts.kind == SYSTEM_FILE) {
        return check_folder(file, error);
    }
    *is_stream = true;
    return streams ? PH_OK : fail(file, "it is not a regular file, which this format needs", error);
}

enum { NAME_LENGTH = 180, ROOM = NAME_LENGTH + 48 }; // of the last part of a temporary name

typedef struct sweeping {
    const char *target;
    size_t folder; // length of that part of it
    char prefix[ROOM];
    int length;
} sweeping;

// NAME.PROCESS-NUMBER.new, where no such process runs.
static bool is_left_over(const sweeping *s, const char *name)
{
    char *end;
    if (strncmp(name, s->prefix, (size_t)s->length) != 0) return false;
    const long process = strtol(name + s->length, &end, 10);
    const char *suffix = *end == '-' ? strchr(end, '.') : NULL;
    return suffix && strcmp(suffix, ".new") == 0 && process > 0 && !system_process_runs(process);
}

static bool sweep_entry(void *user, const char *name)
{
    const sweeping *s = user;
    char *path = is_left_over(s, name) ? mem_alloc(NULL, s->folder + strlen(name) + 1) : NULL;
    if (path) {
        memcpy(path, s->target, s->folder);
        strcpy(path + s->folder, name);
        system_remove(path);
    }
    mem_free(NULL, path);
    return true;
}

// Removes what programs that were killed have left beside the target.
static void sweep(const char *target)
{
    sweeping s = {.target = target, .folder = folder_length(target)};
    char *folder = copy_folder(target);
    s.length = snprintf(s.prefix, sizeof s.prefix, ".%.*s.", NAME_LENGTH, target + s.folder);
    if (folder) system_list(folder, sweep_entry, &s);
    mem_free(NULL, folder);
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
    sweep(file->target);
    memcpy(file->temporary, file->target, folder);
    for (int i = 0; i < TRIES && file->descriptor < 0; i++) {
        snprintf(file->temporary + folder, ROOM, ".%.*s.%ld-%d.new", NAME_LENGTH, file->target + folder,
                 system_process(), i);
        file->descriptor = system_open(file->temporary, SYSTEM_READ | SYSTEM_WRITE | SYSTEM_NEW);
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
    *file = (output_file){.descriptor = -1, .path = path, .target = system_follow(path)};
    if (!file->target) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    bool is_stream;
    ph_status status = check_target(file, streams, &is_stream, error);
    if (status == PH_OK && is_stream) {
        file->descriptor = system_open(file->target, SYSTEM_WRITE);
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
    system_facts facts;
    *file = (output_file){.descriptor = -1, .path = path, .target = system_follow(path)};
    if (!file->target) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    ph_status status = PH_OK;
    if (system_look(file->target, &facts) && facts.kind != SYSTEM_FILE) {
        status = fail(file, "it is not a regular file, which can be continued", error);
    } else if ((file->descriptor = system_open(file->target, SYSTEM_READ | SYSTEM_WRITE)) < 0) {
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
    const double room = system_room(file->descriptor);
    return room < 0.0 ? fail(file, "the disk is full", error)
                      : error_set(error, PH_IO, "cannot write '%s': it needs %.6g MB, the disk has %.6g MB left",
                                  file->path, 1e-6 * (double)bytes, 1e-6 * room);
}

ph_status output_file_reserve(output_file *file, long long bytes, ph_error *error)
{
    const int code = bytes > 0 ? system_reserve(file->descriptor, bytes) : 0;
    return code == 0 ? PH_OK : code == ENOSPC ? no_space(file, bytes, error) : fail(file, strerror(code), error);
}

ph_status output_file_write(output_file *file, const void *data, size_t bytes, long long offset, ph_error *error)
{
    const char *from = data;
    while (bytes > 0) {
        const long long written = system_write_at(file->descriptor, from, bytes, offset);
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
        const long long written = system_write(file->descriptor, from, left);
        if (written < 0 && errno != EINTR) {
            const ph_status status = fail(file, strerror(errno), error);
            system_cut(file->descriptor, file->length);
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
    if (!system_cut(file->descriptor, bytes)) {
        return fail(file, strerror(errno), error);
    }
    file->length = bytes;
    return PH_OK;
}

ph_status output_file_sync(output_file *file, ph_error *error)
{
    const int code = system_sync(file->descriptor);
    return code == 0 ? PH_OK : fail(file, strerror(code), error);
}

ph_status output_file_sync_folder(output_file *file, ph_error *error)
{
    char *folder = copy_folder(file->target);
    if (!folder) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    const int code = system_sync_folder(folder);
    mem_free(NULL, folder);
    return code == 0 ? PH_OK : fail(file, strerror(code), error);
}

// ---- Publishing and closing -----------------------------------------------------------------------------------------

ph_status output_file_publish(output_file *file, ph_error *error)
{
    if (!file->temporary) {
        return PH_OK;
    }
    if (!system_rename(file->temporary, file->target)) {
        return fail_in_folder(file, errno, error);
    }
    mem_free(NULL, file->temporary);
    file->temporary = NULL;
    return PH_OK;
}

void output_file_unname(output_file *file)
{
    if (file->temporary) {
        system_remove(file->temporary);
        mem_free(NULL, file->temporary);
    }
    file->temporary = NULL;
}

ph_status output_file_close(output_file *file, ph_error *error)
{
    ph_status status = PH_OK;
    if (file->descriptor >= 0 && !system_close(file->descriptor)) {
        status = fail(file, strerror(errno), error); // network file systems report a full disk only here
    }
    output_file_unname(file);
    free(file->target);
    *file = (output_file){.descriptor = -1};
    return status;
}
