// Reading results. See polhode/result.h.

#include "io/result/read.h"

#include "base/error.h"
#include "base/path.h"
#include "base/system.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// ---- Opening --------------------------------------------------------------------------------------------------------

result_array *result_add_array(ph_result *result, const char *name, int joint)
{
    if (!mem_reserve(NULL, &result->arrays, &result->array_room, result->array_count + 1, sizeof *result->arrays)) {
        return NULL;
    }
    result_array *array = &result->arrays[result->array_count];
    const char *own = arena_copy_string(result->memory, name);
    if (!own) {
        return NULL;
    }
    const char *slash = path_last_slash(own);
    *array = (result_array){.info = {.name = own, .joint = joint, .part = slash ? slash + 1 : own}};
    result->array_count++;
    return array;
}

bool(result_refuse)(result_reader *reader, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (reader->status == PH_OK) {
        reader->status = error_set(reader->error, PH_BAD_ARGUMENT, "'%s' %s", reader->result->path, text);
    }
    return false;
}

bool(result_out_of_memory)(result_reader *reader)
{
    reader->status = error_set(reader->error, PH_OUT_OF_MEMORY, "out of memory");
    return false;
}

static bool ends_with(const char *path, const char *ending)
{
    const size_t length = strlen(path), n = strlen(ending);
    return length > n && strcasecmp(path + length - n, ending) == 0;
}

static ph_status check_file(const char *path, ph_error *error)
{
    system_facts about;
    if (!system_look(path, &about)) {
        return error_set(error, errno == ENOENT ? PH_NOT_FOUND : PH_IO, "cannot read '%s': %s", path, strerror(errno));
    }
    if (about.kind == SYSTEM_FOLDER) {
        return error_set(error, PH_BAD_ARGUMENT, "'%s' is a folder, not a result", path);
    }
    if (about.kind != SYSTEM_FILE) {
        return error_set(error, PH_BAD_ARGUMENT, "'%s' is not a regular file: a result cannot be read from it", path);
    }
    return about.bytes > 0 ? PH_OK : error_set(error, PH_BAD_ARGUMENT, "'%s' is empty", path);
}

#ifndef PH_WITH_HDF5
ph_status result_index_hdf5(ph_result *result, ph_error *error)
{
    return error_set(error, PH_NOT_SUPPORTED, "cannot read '%s': this build was made without HDF5; .csv works",
                     result->path);
}

ph_status result_fetch_hdf5(const ph_result *result, const result_array *array, long long first, long long count,
                            double *to, ph_error *error)
{
    (void)array, (void)first, (void)count, (void)to;
    return error_set(error, PH_NOT_SUPPORTED, "cannot read '%s': this build was made without HDF5", result->path);
}
#endif

static ph_status open_file(ph_result *result, ph_error *error)
{
    ph_status status = check_file(result->path, error);
    if (status != PH_OK) {
        return status;
    }
    result->descriptor = system_open(result->path, SYSTEM_READ);
    if (result->descriptor < 0) {
        return error_set(error, PH_IO, "cannot read '%s': %s", result->path, strerror(errno));
    }
    status = ends_with(result->path, ".csv") ? result_index_csv(result, error) : result_index_hdf5(result, error);
    return status == PH_OK ? ph_result_refresh(result, error) : status;
}

ph_status ph_result_open(const char *path, ph_result **opened, ph_error *error)
{
    if (!path || !opened) {
        return error_set(error, PH_BAD_ARGUMENT, "ph_result_open needs a path and a place for the result");
    }
    *opened = NULL;
    arena *memory = arena_create(NULL);
    ph_result *result = memory ? arena_alloc(memory, sizeof *result) : NULL;
    if (!result) {
        arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *result = (ph_result){.memory = memory,
                          .path = arena_copy_string(memory, path),
                          .name = "",
                          .scheme = "",
                          .text = "",
                          .settings = "",
                          .folder = ""};
    result->descriptor = -1;
    result->rows_offset = -1;
    const ph_status status =
        result->path ? open_file(result, error) : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    if (status == PH_OK) {
        *opened = result;
    } else {
        ph_result_destroy(result);
    }
    return status;
}

static void forget_values(ph_result *result)
{
    for (int i = 0; i < result->array_count; i++) {
        if (result->arrays[i].kind != STORED_IN_MEMORY) {
            mem_free(NULL, result->arrays[i].values);
            result->arrays[i].values = NULL;
        }
    }
}

void ph_result_destroy(ph_result *result)
{
    if (!result) {
        return;
    }
    for (int i = 0; i < result->array_count; i++) {
        mem_free(NULL, result->arrays[i].values);
    }
    mem_free(NULL, result->arrays);
    if (result->descriptor >= 0) {
        system_close(result->descriptor);
    }
    arena_destroy(result->memory);
}

// ---- What it is -----------------------------------------------------------------------------------------------------

const char *ph_result_path(const ph_result *result)
{
    return result ? result->path : "";
}

const char *ph_result_name(const ph_result *result)
{
    return result ? result->name : "";
}

const char *ph_result_scheme(const ph_result *result)
{
    return result ? result->scheme : "";
}

double ph_result_step(const ph_result *result)
{
    return result ? result->step : 0.0;
}

const char *ph_result_settings(const ph_result *result)
{
    return result ? result->settings : "";
}

const char *ph_result_text(const ph_result *result)
{
    return result ? result->text : "";
}

int ph_result_bodies(const ph_result *result)
{
    return result ? result->body_count : 0;
}

const char *ph_result_body(const ph_result *result, int body)
{
    return result && body >= 0 && body < result->body_count ? result->bodies[body] : NULL;
}

int ph_result_joints(const ph_result *result)
{
    return result ? result->joint_count : 0;
}

const char *ph_result_joint(const ph_result *result, int joint)
{
    return result && joint >= 0 && joint < result->joint_count ? result->joints[joint] : NULL;
}

long long ph_result_rows(const ph_result *result)
{
    return result ? result->rows : 0;
}

long long ph_result_capacity(const ph_result *result)
{
    return result ? result->capacity : 0;
}

// ---- Fields ---------------------------------------------------------------------------------------------------------

int ph_result_fields(const ph_result *result)
{
    return result ? result->array_count : 0;
}

ph_result_field ph_result_field_get(const ph_result *result, int field)
{
    return result && field >= 0 && field < result->array_count ? result->arrays[field].info
                                                               : (ph_result_field){.joint = PH_NONE};
}

int ph_result_find(const ph_result *result, const char *name)
{
    for (int i = 0; result && name && i < result->array_count; i++) {
        if (strcmp(result->arrays[i].info.name, name) == 0) {
            return i;
        }
    }
    return PH_NONE;
}

// Arrays of no joint come first, then those of joint 0, of joint 1, ...
int ph_result_find_joint(const ph_result *result, int joint, const char *part)
{
    int low = 0, high = result && part ? result->array_count : 0;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (result->arrays[middle].info.joint < joint) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (int i = low; joint >= 0 && result && part && i < result->array_count && result->arrays[i].info.joint == joint;
         i++) {
        if (strcmp(result->arrays[i].info.part, part) == 0) {
            return i;
        }
    }
    return PH_NONE;
}

static bool is_offset(const result_array *array)
{
    return strcmp(array->info.part, "offset") == 0;
}

static long long valid_rows(const ph_result *result, const result_array *array)
{
    if (!array->of_contacts) {
        return result ? result->rows : 0;
    }
    return is_offset(array) ? result->rows + 1 : result->contacts;
}

long long ph_result_field_rows(const ph_result *result, int field)
{
    return result && field >= 0 && field < result->array_count ? valid_rows(result, &result->arrays[field]) : 0;
}

// ---- Reading --------------------------------------------------------------------------------------------------------

enum { BATCH_BYTES = 1 << 20, SMALL_ROW = 1 << 12 };

static ph_status read_bytes(const ph_result *result, void *to, size_t bytes, long long offset, ph_error *error)
{
    char *at = to;
    while (bytes > 0) {
        const long long got = system_read_at(result->descriptor, at, bytes, offset);
        if (got == 0) {
            return error_set(error, PH_BAD_ARGUMENT, "'%s' is cut short: it has become smaller", result->path);
        }
        if (got < 0 && errno != EINTR) {
            return error_set(error, PH_IO, "cannot read '%s': %s", result->path, strerror(errno));
        }
        const size_t done = got > 0 ? (size_t)got : 0;
        at += done;
        bytes -= done;
        offset += (long long)done;
    }
    return PH_OK;
}

// From the last to the first, so that the smaller numbers may stand at the beginning of the room for the larger ones.
static void widen(stored_as kind, double *values, size_t count)
{
    const char *from = (const char *)values;
    if (kind == STORED_DOUBLE) {
        return;
    }
    for (size_t i = count; i-- > 0;) {
        int32_t small;
        int64_t large;
        if (kind == STORED_INT32) {
            memcpy(&small, from + i * sizeof small, sizeof small);
            values[i] = small;
        } else {
            memcpy(&large, from + i * sizeof large, sizeof large);
            values[i] = (double)large;
        }
    }
}

// `count` values from value `first` of the array on, whatever row they belong to.
static ph_status read_values(const ph_result *result, const result_array *array, long long first, size_t count,
                             double *to, ph_error *error)
{
    const size_t size = array->kind == STORED_INT32 ? 4 : 8;
    const ph_status status = read_bytes(result, to, count * size, array->offset + first * (long long)size, error);
    if (status == PH_OK) {
        widen(array->kind, to, count);
    }
    return status;
}

// Whole rows without gaps.
static ph_status read_rows(const ph_result *result, const result_array *array, long long first, long long count,
                           double *to, ph_error *error)
{
    const size_t width = array->info.width;
    switch (array->kind) {
    case STORED_IN_MEMORY:
        if (!array->values) return error_set(error, PH_BAD_ARGUMENT, "'%s' holds no values", result->path);
        memcpy(to, array->values + (size_t)first * width, (size_t)count * width * sizeof *to);
        return PH_OK;
    case STORED_OTHERWISE:
        return count * (long long)width > 0 ? result_fetch_hdf5(result, array, first, count, to, error) : PH_OK;
    default:
        return read_values(result, array, first * (long long)width, (size_t)count * width, to, error);
    }
}

// Parts of rows, by way of a batch of whole rows.
static ph_status read_parts(const ph_result *result, const result_array *array, long long first, long long stride,
                            long long count, size_t from, size_t width, double *to, ph_error *error)
{
    const size_t row = array->info.width, row_bytes = row * sizeof(double);
    long long rows = BATCH_BYTES / (long long)row_bytes;
    const long long span = (count - 1) * stride + 1;
    rows = rows < 1 ? 1 : rows > span ? span : rows;
    double *batch = mem_alloc_array(NULL, (size_t)rows, row_bytes);
    if (!batch) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    ph_status status = PH_OK;
    for (long long i = 0; status == PH_OK && i < count;) {
        const long long begin = first + i * stride, left = first + span - begin;
        const long long now = rows < left ? rows : left;
        status = read_rows(result, array, begin, now, batch, error);
        for (long long k = 0; status == PH_OK && k < now; k += stride, i++) {
            memcpy(to + (size_t)i * width, batch + (size_t)k * row + from, width * sizeof *to);
        }
    }
    mem_free(NULL, batch);
    return status;
}

static ph_status read_far_parts(const ph_result *result, const result_array *array, long long first, long long stride,
                                long long count, size_t from, size_t width, double *to, ph_error *error)
{
    ph_status status = PH_OK;
    for (long long i = 0; status == PH_OK && i < count; i++) {
        const long long at = (first + i * stride) * (long long)array->info.width + (long long)from;
        status = read_values(result, array, at, width, to + (size_t)i * width, error);
    }
    return status;
}

ph_status ph_result_read(ph_result *result, int field, long long first, long long stride, long long count, size_t from,
                         size_t width, double *to, ph_error *error)
{
    if (!result || !to) {
        return error_set(error, PH_BAD_ARGUMENT, "ph_result_read needs a result and a place for the values");
    }
    const result_array *array = field >= 0 && field < result->array_count ? &result->arrays[field] : NULL;
    const long long rows = array ? valid_rows(result, array) : 0;
    if (!array || first < 0 || stride < 1 || count < 0 || from > array->info.width ||
        width > array->info.width - from ||
        (count > 0 && (first >= rows || (count - 1) > (rows - 1 - first) / stride))) {
        return error_set(error, PH_BAD_ARGUMENT, "'%s': rows or values are asked for that it does not have",
                         result->path);
    }
    if (count == 0 || width == 0) {
        return PH_OK;
    }
    if (stride == 1 && width == array->info.width) {
        return read_rows(result, array, first, count, to, error);
    }
    const bool direct = array->kind != STORED_IN_MEMORY && array->kind != STORED_OTHERWISE;
    const size_t apart = (array->info.width * (size_t)stride - width) * sizeof *to;
    return direct && apart > SMALL_ROW ? read_far_parts(result, array, first, stride, count, from, width, to, error)
                                       : read_parts(result, array, first, stride, count, from, width, to, error);
}

const double *ph_result_values(ph_result *result, int field, ph_error *error)
{
    if (!result || field < 0 || field >= result->array_count) {
        error_set(error, PH_NOT_FOUND, "'%s' does not hold what is asked for", ph_result_path(result));
        return NULL;
    }
    result_array *array = &result->arrays[field];
    if (array->values) {
        return array->values;
    }
    const long long rows = valid_rows(result, array);
    // One more: also an array without values has a place.
    double *values = mem_alloc_array(NULL, (size_t)rows * array->info.width + 1, sizeof *values);
    if (!values) {
        error_set(error, PH_OUT_OF_MEMORY, "'%s': '%s' does not fit into the memory", result->path, array->info.name);
        return NULL;
    }
    if (read_rows(result, array, 0, rows, values, error) != PH_OK) {
        mem_free(NULL, values);
        return NULL;
    }
    return array->values = values;
}

// ---- While it is written --------------------------------------------------------------------------------------------

// How many contacts the valid rows hold together.
static ph_status count_contacts(ph_result *result, ph_error *error)
{
    const int offset = ph_result_find(result, "contacts/offset");
    double last = 0.0;
    result->contacts = 0;
    if (offset == PH_NONE) {
        return PH_OK;
    }
    const ph_status status = ph_result_read(result, offset, result->rows, 1, 1, 0, 1, &last, error);
    if (status != PH_OK) {
        return status;
    }
    for (int i = 0; i < result->array_count; i++) {
        const result_array *array = &result->arrays[i];
        if (array->of_contacts && !is_offset(array) && !(last >= 0.0 && last <= (double)array->room)) {
            return error_set(error, PH_BAD_ARGUMENT, "'%s' is damaged: it says that there are %.17g contacts",
                             result->path, last);
        }
    }
    result->contacts = (long long)last;
    return PH_OK;
}

// A run that goes on gives its file more room by making it anew under the same name (room_hdf5.c).
static bool has_lost_its_name(const ph_result *result)
{
    system_facts about;
    return system_look_at(result->descriptor, &about) && about.names == 0;
}

static bool same_arrays(const ph_result *a, const ph_result *b)
{
    bool same = a->array_count == b->array_count && strcmp(a->text, b->text) == 0 && strcmp(a->scheme, b->scheme) == 0;
    for (int i = 0; same && i < a->array_count; i++) {
        same = strcmp(a->arrays[i].info.name, b->arrays[i].info.name) == 0 &&
               a->arrays[i].info.width == b->arrays[i].info.width;
    }
    return same;
}

// Goes over to the file that has the name now; what another run has put there is not looked at.
static void follow_name(ph_result *result)
{
    ph_result *next;
    if (ph_result_open(result->path, &next, NULL) != PH_OK) return;
    if (same_arrays(result, next) && next->rows >= result->rows) {
        for (int i = 0; i < result->array_count; i++) {
            result->arrays[i].room = next->arrays[i].room;
            result->arrays[i].kind = next->arrays[i].kind;
            result->arrays[i].offset = next->arrays[i].offset;
        }
        const int old = result->descriptor;
        result->descriptor = next->descriptor;
        next->descriptor = old;
        result->capacity = next->capacity;
        result->rows_offset = next->rows_offset;
    }
    ph_result_destroy(next);
}

ph_status ph_result_refresh(ph_result *result, ph_error *error)
{
    if (!result) {
        return error_set(error, PH_BAD_ARGUMENT, "ph_result_refresh needs a result");
    }
    if (result->rows_offset < 0) {
        return count_contacts(result, error);
    }
    if (has_lost_its_name(result)) follow_name(result);
    int64_t rows = 0;
    const ph_status status = read_bytes(result, &rows, sizeof rows, result->rows_offset, error);
    if (status != PH_OK) {
        return status;
    }
    if (rows < 0 || rows > result->capacity) {
        return error_set(error, PH_BAD_ARGUMENT, "'%s' is damaged: it says that %lld of %lld rows are valid",
                         result->path, (long long)rows, result->capacity);
    }
    if (rows != result->rows) {
        forget_values(result);
    }
    result->rows = rows;
    return count_contacts(result, error);
}
