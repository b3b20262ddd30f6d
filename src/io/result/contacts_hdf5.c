// The contacts of a whole run, added to a copy of the result that then takes its place: whoever reads meets the one or the other.
#include "io/result/contacts.h"

#include "base/error.h"
#include "base/file.h"
#include "base/system.h"
#include "io/result/helper.h"

static ph_status copy_bytes(const output_file *from, output_file *to, ph_error *error)
{
    enum { PIECE = 1 << 20 };
    char *piece = mem_alloc(NULL, PIECE);
    ph_status status = piece ? PH_OK : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    long long at = 0;
    for (long long n = 1; status == PH_OK && n > 0; at += n) {
        n = system_read_at(from->descriptor, piece, PIECE, at);
        if (n < 0) status = error_set(error, PH_IO, "cannot read '%s'", from->path);
        if (n > 0) status = output_file_write(to, piece, (size_t)n, at, error);
    }
    mem_free(NULL, piece);
    return status;
}

static ph_status add_to(output_file *copy, const char *data, long long rows, long long contacts, ph_error *error)
{
    enum { PATIENCE = 3600 }; // s
    parcel request = {0};
    char *answer = NULL;
    size_t bytes = 0;
    parcel_put_text(&request, copy->temporary);
    parcel_put_text(&request, data);
    parcel_put_number(&request, rows);
    parcel_put_number(&request, contacts);
    const ph_status status = helper_ask("contacts", &request, PATIENCE, 4096, &answer, &bytes);
    const char *reason =
        status != PH_OK || bytes == 0 ? helper_reason(status != PH_OK ? status : PH_BAD_ARGUMENT) : answer;
    const ph_status result =
        *reason ? error_set(error, PH_IO, "cannot add the contacts to '%s': %s", copy->path, reason) : PH_OK;
    mem_free(NULL, answer);
    return result;
}

ph_status contact_record_to_hdf5(const char *result, const char *data, long long rows, long long contacts,
                                 ph_error *error)
{
    output_file whole, copy;
    ph_status status = output_file_reopen(&whole, result, error);
    if (status != PH_OK) return status;
    status = output_file_open(&copy, result, false, error);
    if (status == PH_OK) {
        status = copy_bytes(&whole, &copy, error);
        if (status == PH_OK) status = add_to(&copy, data, rows, contacts, error);
        if (status == PH_OK) status = output_file_publish(&copy, error);
        const ph_status closed = output_file_close(&copy, status == PH_OK ? error : NULL);
        status = status != PH_OK ? status : closed;
    }
    output_file_close(&whole, NULL);
    return status;
}
