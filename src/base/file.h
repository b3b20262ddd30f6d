// A file that appears under its name only when it is whole: made under a temporary name in the same folder, renamed over
// its target. What is written after that changes the file in place.
#ifndef PH_BASE_FILE_H
#define PH_BASE_FILE_H

#include "polhode/base.h"

typedef struct output_file {
    int descriptor;
    const char *path; // as given, for messages; the caller keeps it alive
    char *target;     // what is replaced: `path`, or what it links to
    char *temporary;  // its name so far; NULL once it is published
    long long length; // of what output_file_append has written
} output_file;

// Checks that `path` can be written and opens a new file beside it; nothing at `path` is touched. An existing pipe or
// device is opened itself when `streams` allows it: it has no temporary name and is published from the start.
ph_status output_file_open(output_file *file, const char *path, bool streams, ph_error *error);

// Opens the file at `path` that an earlier call has published, to change it in place. It must be a regular file.
ph_status output_file_reopen(output_file *file, const char *path, ph_error *error);

// Makes sure that the first `bytes` bytes have their place on the disk, where the file system can promise that.
ph_status output_file_reserve(output_file *file, long long bytes, ph_error *error);

// All of it or an error. Append leaves nothing of `data` behind when it fails, except in a pipe.
ph_status output_file_write(output_file *file, const void *data, size_t bytes, long long offset, ph_error *error);
ph_status output_file_append(output_file *file, const void *data, size_t bytes, ph_error *error);

// Drops what lies behind the first `bytes` bytes; append goes on there.
ph_status output_file_cut(output_file *file, long long bytes, ph_error *error);

// Waits until what was written is on the disk; and, for the name of a published file, its folder.
ph_status output_file_sync(output_file *file, ph_error *error);
ph_status output_file_sync_folder(output_file *file, ph_error *error);

ph_status output_file_publish(output_file *file, ph_error *error);

// Takes a file that is not published its name: it is gone when it is closed, or when the process ends in any way.
void output_file_unname(output_file *file);

// Closes the file, and removes it when it was never published.
ph_status output_file_close(output_file *file, ph_error *error);

#endif
