// Reading HDF5 results.
//
// The helper (helper.h) tells once what arrays there are and where they lie; from then on numbers are read from their place in the
// file (read.c). What the helper sends is not trusted either (check.c).

#include "io/result/helper.h"
#include "io/result/index.h"
#include "io/result/read.h"

#include "base/error.h"
#include "base/system.h"

#include <limits.h>
#include <string.h>

// ---- Before HDF5 sees it --------------------------------------------------------------------------------------------

static uint64_t little_endian(const unsigned char *bytes)
{
    uint64_t value = 0;
    for (int i = 8; i-- > 0;) {
        value = value << 8 | bytes[i];
    }
    return value;
}

// The superblock says how long the file is (HDF5 File Format Specification, II.A).
static bool check_length(result_reader *reader)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char head[96] = {0};
    system_facts about;
    const long long got = system_read_at(reader->result->descriptor, head, sizeof head, 0);
    if (got < 8 || memcmp(head, signature, 8) != 0 || !system_look_at(reader->result->descriptor, &about)) {
        return result_refuse(reader, "is not a result of polhode: it is no HDF5 file");
    }
    reader->bytes = about.bytes;
    reader->stored = about.stored > 0 ? about.stored : reader->bytes;
    const int version = head[8], offset_bytes = version < 2 ? head[13] : head[9];
    const size_t end_at = version == 0 ? 40 : version == 1 ? 44 : 28;
    if (got < (long long)sizeof head || version > 3 || offset_bytes != 8) {
        return result_refuse(
            reader, "is damaged, or not a result of polhode: the beginning of the HDF5 file is not as it should be");
    }
    const uint64_t end = little_endian(head + end_at);
    if (end > (uint64_t)reader->bytes) {
        return result_refuse(reader, "is cut short: it has %lld bytes of %llu", reader->bytes, (unsigned long long)end);
    }
    return true;
}

// ---- The index ------------------------------------------------------------------------------------------------------

static ph_status report_failure(const ph_result *result, ph_status status, ph_error *error)
{
    return status == PH_BAD_ARGUMENT
               ? error_set(error, status, "'%s' is damaged: HDF5 breaks down on it", result->path)
               : error_set(error, status, "cannot read '%s': %s", result->path, helper_reason(status));
}

// Seconds that HDF5 may take: ten thousand joints, the smallest file of which has 30 MB, take two.
static int patience(long long bytes)
{
    return 5 + (int)(bytes < 1LL << 32 ? bytes >> 22 : 1 << 10);
}

ph_status result_index_hdf5(ph_result *result, ph_error *error)
{
    ph_error found = {.status = PH_OK};
    result_reader reader = {.result = result, .error = &found, .status = PH_OK};
    if (!check_length(&reader)) {
        return error_set(error, found.status, "%s", found.text);
    }
    parcel request = {0};
    char *answer;
    size_t bytes;
    parcel_put_text(&request, result->path);
    parcel_put_number(&request, reader.bytes);
    ph_status status = helper_ask("index", &request, patience(reader.bytes), INT_MAX / 2, &answer, &bytes);
    if (status != PH_OK) {
        return report_failure(result, status, error);
    }
    status = result_unpack(result, answer, bytes, &found);
    mem_free(NULL, answer);
    return status == PH_OK && result_check(&reader) ? PH_OK : error_set(error, found.status, "%s", found.text);
}

// ---- Arrays that HDF5 must read -------------------------------------------------------------------------------------

typedef struct fetch {
    const ph_result *result;
    const result_array *array;
    long long first, count;
    double *room;
} fetch;

static void put_fetch(parcel *request, const fetch *f)
{
    const ph_result_field *info = &f->array->info;
    parcel_put_text(request, f->result->path);
    parcel_put_text(request, f->array->path);
    parcel_put_int(request, info->rank + 1);
    parcel_put_number(request, f->first);
    parcel_put_number(request, f->count);
    for (int i = 0; i < info->rank; i++) parcel_put_number(request, info->shape[i]);
}

static ph_status fetch_part(fetch *f, ph_error *error)
{
    const size_t expected = (size_t)f->count * f->array->info.width * sizeof *f->room;
    char *answer = NULL;
    size_t bytes = 0;
    parcel request = {0};
    put_fetch(&request, f);
    const ph_status status =
        helper_ask("fetch", &request, patience((long long)expected), expected + (1 << 16), &answer, &bytes);
    if (status != PH_OK || bytes != expected) {
        mem_free(NULL, answer);
        return report_failure(f->result, status != PH_OK ? status : PH_BAD_ARGUMENT, error);
    }
    memcpy(f->room, answer, bytes);
    mem_free(NULL, answer);
    return PH_OK;
}

ph_status result_fetch_hdf5(const ph_result *result, const result_array *array, long long first, long long count,
                            double *to, ph_error *error)
{
    const long long fit = (1 << 23) / (long long)array->info.width, part = fit > 0 ? fit : 1;
    ph_status status = PH_OK;
    for (long long i = 0; status == PH_OK && i < count; i += part) {
        fetch f = {result, array, first + i, part < count - i ? part : count - i, NULL};
        f.room = to + (size_t)i * array->info.width;
        status = fetch_part(&f, error);
    }
    return status;
}
