#include "io/result/contacts.h"

#include "base/error.h"
#include "base/system.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 1 << 20 };

struct contact_record {
    int file;
    char *path;
    char *batch; // BATCH bytes
    size_t waiting;
    long long rows, contacts;
};

static ph_status failed(const contact_record *r, ph_error *error)
{
    return error_set(error, PH_IO, "cannot write '%s': %s", r->path, strerror(errno));
}

static bool write_all(int file, const char *data, size_t bytes)
{
    while (bytes > 0) {
        const long long done = system_write(file, data, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        data += done;
        bytes -= (size_t)done;
    }
    return true;
}

ph_status contact_record_flush(contact_record *r, ph_error *error)
{
    const bool good = write_all(r->file, r->batch, r->waiting);
    r->waiting = 0;
    return good ? PH_OK : failed(r, error);
}

ph_status contact_record_sync(contact_record *r, ph_error *error)
{
    if (!r) return PH_OK;
    const ph_status status = contact_record_flush(r, error);
    if (status != PH_OK) return status;
    errno = system_sync(r->file);
    return errno == 0 ? PH_OK : failed(r, error);
}

static ph_status put(contact_record *r, const void *data, size_t bytes, ph_error *error)
{
    if (r->waiting + bytes > BATCH) {
        const ph_status status = contact_record_flush(r, error);
        if (status != PH_OK) return status;
    }
    memcpy(r->batch + r->waiting, data, bytes);
    r->waiting += bytes;
    return PH_OK;
}

ph_status contact_record_append(contact_record *r, const ph_state *state, ph_error *error)
{
    const int count = state_shown_contacts(state);
    const int64_t counted = count;
    ph_status status = put(r, &counted, sizeof counted, error);
    for (int k = 0; k < count && status == PH_OK; k++) {
        const ph_contact c = state_contact(state, k);
        const recorded_contact it = {{c.body_a, c.body_b}, c.point, c.normal, c.force, c.gap};
        status = put(r, &it, sizeof it, error);
    }
    r->rows++;
    r->contacts += count;
    return status;
}

// ---- Opening --------------------------------------------------------------------------------------------------------

// Goes over the rows that are kept and drops what follows.
static ph_status skip_rows(contact_record *r, long long kept, ph_error *error)
{
    long long at = 0;
    for (; r->rows < kept; r->rows++) {
        int64_t count;
        if (system_read_at(r->file, &count, sizeof count, at) != sizeof count || count < 0)
            return error_set(error, PH_IO, "cannot continue '%s': it has fewer rows than the checkpoint", r->path);
        at += (long long)(sizeof count + (size_t)count * sizeof(recorded_contact));
        r->contacts += count;
    }
    return system_cut(r->file, at) ? PH_OK : failed(r, error);
}

bool contact_record_waits(const char *result)
{
    char path[4096];
    return snprintf(path, sizeof path, "%s.contacts", result) < (int)sizeof path && system_may(path, SYSTEM_EXISTS);
}

ph_status contact_record_open(const char *result, long long kept, arena *memory, contact_record **record,
                              ph_error *error)
{
    static const char ending[] = ".contacts";
    const size_t room = strlen(result) + sizeof ending;
    contact_record *r = arena_alloc(memory, sizeof *r);
    char *path = arena_alloc(memory, room), *batch = arena_alloc(memory, BATCH);
    *record = NULL;
    if (!r || !path || !batch) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    snprintf(path, room, "%s%s", result, ending);
    *r = (contact_record){.path = path, .batch = batch};
    r->file = system_open(path, SYSTEM_READ | SYSTEM_WRITE | (kept < 0 ? SYSTEM_MAKE | SYSTEM_EMPTY : 0));
    if (r->file < 0) return failed(r, error);
    const ph_status status = kept > 0 ? skip_rows(r, kept, error) : system_cut(r->file, 0) ? PH_OK : failed(r, error);
    if (status == PH_OK)
        *record = r;
    else
        system_close(r->file);
    return status;
}

// ---- Closing --------------------------------------------------------------------------------------------------------

#ifdef PH_WITH_HDF5
static ph_status move_to(contact_record *r, const char *result, ph_error *error)
{
    system_facts facts;
    if (!system_look_at(r->file, &facts) || facts.bytes == 0) return failed(r, error);
    return contact_record_to_hdf5(result, r->path, r->rows, r->contacts, error);
}
#else
static ph_status move_to(contact_record *r, const char *result, ph_error *error)
{
    (void)result;
    return error_set(error, PH_NOT_SUPPORTED, "the contacts stay in '%s': this build cannot write HDF5", r->path);
}
#endif

void contact_record_discard(contact_record *r)
{
    if (!r) return;
    system_remove(r->path);
    system_close(r->file);
}

ph_status contact_record_close(contact_record *r, bool complete, const char *result, ph_error *error)
{
    if (!r) return PH_OK;
    ph_status status = contact_record_flush(r, error);
    if (status == PH_OK && complete && r->rows > 0) status = move_to(r, result, error);
    if (status == PH_OK && complete) system_remove(r->path);
    system_close(r->file);
    return status;
}
