// Finding and asking the helper. See helper.h.

#include "io/result/helper.h"

#include "base/process.h"

#include <stdio.h>
#include <string.h>

enum { PATH_ROOM = 4096 };

static bool is_here(const char *relative, char *path)
{
    return process_path_near_code(relative, path, PATH_ROOM) && process_is_trusted(path);
}

static bool is_at(const char *place, char *path)
{
    snprintf(path, PATH_ROOM, "%s", place);
    return process_is_trusted(path);
}

// Where the user says; beside the code (a wheel, a build folder); where it lies in an installed tree, which may have been moved;
// where it was installed or built.
static bool find_helper(char *path)
{
    const char *said = process_setting("POLHODE_HDF5_HELPER");
    if (said) {
        snprintf(path, PATH_ROOM, "%s", said);
        return true;
    }
    return is_here("polhode-hdf5", path) || is_here(HELPER_FROM_LIBRARY, path) || is_here(HELPER_FROM_PROGRAM, path) ||
           is_at(HELPER_INSTALLED, path) || is_at(HELPER_BUILT, path);
}

static ph_status check_end(char **answer, size_t *bytes)
{
    const size_t end = sizeof HELPER_END;
    if (*bytes >= end && memcmp(*answer + *bytes - end, HELPER_END, end) == 0) {
        *bytes -= end;
        return PH_OK;
    }
    const bool other = *bytes >= strlen(HELPER_OTHER) && memcmp(*answer, HELPER_OTHER, strlen(HELPER_OTHER)) == 0;
    mem_free(NULL, *answer);
    *answer = NULL;
    return other ? PH_NOT_SUPPORTED : PH_BAD_ARGUMENT;
}

ph_status helper_ask(const char *task, parcel *request, int seconds, size_t most, char **answer, size_t *bytes)
{
    char path[PATH_ROOM], allowed[16], parent[24];
    *answer = NULL;
    *bytes = 0;
    snprintf(allowed, sizeof allowed, "%d", seconds);
    snprintf(parent, sizeof parent, "%ld", process_number());
    const char *const arguments[] = {"polhode-hdf5", HELPER_VERSION, task, allowed, parent, NULL};
    ph_status status = request->failed ? PH_OUT_OF_MEMORY : find_helper(path) ? PH_OK : PH_IO;
    if (status == PH_OK) {
        status = process_ask(path, arguments, request->data, request->length, most + sizeof HELPER_END, answer, bytes);
        status = status == PH_OK ? check_end(answer, bytes) : status;
    }
    parcel_empty(request);
    return status;
}

const char *helper_reason(ph_status status)
{
    switch (status) {
    case PH_IO:
        return "the program polhode-hdf5 cannot be started; it is installed with the library, and POLHODE_HDF5_HELPER may say "
               "where it is";
    case PH_NOT_SUPPORTED:
        return "the program polhode-hdf5 that was found is of another version than this library; POLHODE_HDF5_HELPER may say "
               "where the right one is";
    case PH_BAD_ARGUMENT:
        return "HDF5 ended in the middle of its work: it crashed, ran out of memory or took too long; try again, or "
               "write .csv";
    default:
        return ph_status_text(status);
    }
}
