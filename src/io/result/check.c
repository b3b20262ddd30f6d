// Whether the parts of a result fit together. What is looked at comes from a file that nobody vouches for, by way of a
// process that the file may have led astray: every number on which a size or a place in memory depends is checked here.

#include "io/result/read.h"

#include <string.h>

// No array has more values, no row more: products of sizes stay far from overflow, and a row fits into memory.
static const long long VALUES_MOST = 1LL << 48, ROW_MOST = 1LL << 26;

// Rank, shape and width agree.
static bool has_shape(const ph_result_field *info)
{
    long long width = 1;
    if (info->rank < 0 || info->rank > 3) {
        return false;
    }
    for (int i = 0; i < info->rank; i++) {
        if (info->shape[i] < 0 || (info->shape[i] > 0 && width > ROW_MOST / info->shape[i])) {
            return false;
        }
        width *= info->shape[i];
    }
    return info->width == (size_t)width;
}

// One with a row of width 0 has no values, whatever its length.
static bool has_size(const result_array *array)
{
    const long long width = (long long)array->info.width;
    return array->room >= 0 && array->room <= VALUES_MOST / (width > 0 ? width : 1);
}

static bool lies_in_file(const result_array *array, long long bytes)
{
    const long long size = array->kind == STORED_INT32 ? 4 : 8;
    const long long values = array->room * (long long)array->info.width;
    return array->offset >= 0 && array->offset <= bytes && values <= (bytes - array->offset) / size;
}

// The bodies that a row runs over are bodies of the result.
static bool has_bodies(const result_array *array, const ph_result *result)
{
    const ph_result_field *info = &array->info;
    if (info->bodies < 0 || (info->bodies > 0 && (info->rank < 2 || info->shape[0] != info->bodies))) {
        return false;
    }
    for (int i = 0; i < info->bodies; i++) {
        if (info->body[i] < 0 || info->body[i] >= result->body_count) {
            return false;
        }
    }
    return true;
}

static bool check_array(result_reader *reader, const result_array *array)
{
    const char *name = array->info.name;
    if (!has_shape(&array->info) || !has_size(array)) {
        return result_refuse(reader, "is damaged: '/%s' is too large", name);
    }
    if (array->kind <= STORED_IN_MEMORY || array->kind > STORED_OTHERWISE) {
        return result_refuse(reader, "is damaged: '/%s' cannot be read", name);
    }
    if (array->kind != STORED_OTHERWISE && !lies_in_file(array, reader->bytes)) {
        return result_refuse(reader, "is cut short: '%s' lies behind its end", name);
    }
    if (!has_bodies(array, reader->result) || array->info.joint < PH_NONE ||
        array->info.joint >= reader->result->joint_count) {
        return result_refuse(reader, "is damaged: '/%s' is of bodies or joints that there are not", name);
    }
    return true;
}

static bool check_needed(result_reader *reader)
{
    static const struct {
        const char *name;
        int rank, last; // of a row; its last dimension
    } needed[] = {
        {"time", 0, 1},
        {"position", 2, 3},
        {"orientation", 2, 4},
        {"velocity", 2, 3},
        {"angular_velocity", 2, 3},
        {"energy/kinetic", 0, 1},
        {"energy/potential", 0, 1},
        {"energy/work", 0, 1},
        {"energy/total", 0, 1},
        {"momentum/linear", 1, 3},
        {"momentum/angular", 1, 3},
        {"violation/position", 0, 1},
        {"violation/velocity", 0, 1},
    };
    const ph_result *r = reader->result;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        const int field = ph_result_find(r, needed[i].name);
        if (field == PH_NONE) {
            return result_refuse(reader, "is damaged: '/%s' is missing", needed[i].name);
        }
        const ph_result_field *info = &r->arrays[field].info;
        if (info->rank != needed[i].rank || (info->rank > 0 && info->shape[info->rank - 1] != needed[i].last) ||
            (info->rank == 2 && info->shape[0] != r->body_count)) {
            return result_refuse(reader, "is damaged: '/%s' does not have the shape it should", needed[i].name);
        }
    }
    return true;
}

static bool check_lengths(result_reader *reader)
{
    ph_result *r = reader->result;
    r->capacity = r->arrays[ph_result_find(r, "time")].room;
    for (int i = 0; i < r->array_count; i++) {
        const result_array *array = &r->arrays[i];
        const bool offset = strcmp(array->info.name, "contacts/offset") == 0;
        if (array->of_contacts ? offset && array->room <= r->capacity : array->room != r->capacity) {
            return result_refuse(reader, "is damaged: '/%s' has %lld rows, '/time' %lld", array->info.name, array->room,
                                 r->capacity);
        }
    }
    return true;
}

// Deflate packs at most 1032 bytes into one. A file that claims more rows than it could hold even so was made to keep a
// reader busy; holes in a sparse file and chunks that were never written hold nothing.
static bool holds_rows(const result_reader *reader)
{
    static const double packed_most = 1032.0;
    double row = 0.0;
    for (int i = 0; i < reader->result->array_count; i++) {
        const result_array *array = &reader->result->arrays[i];
        row += array->of_contacts ? 0.0 : 4.0 * (double)array->info.width;
    }
    return (double)reader->result->rows * row <= packed_most * (double)reader->stored + (1 << 20);
}

static bool check_rows(result_reader *reader)
{
    ph_result *r = reader->result;
    if (r->rows < 0 || r->rows > r->capacity) {
        return result_refuse(reader, "is damaged: '/rows' says %lld, there is room for %lld", r->rows, r->capacity);
    }
    if (!holds_rows(reader)) {
        return result_refuse(reader, "is damaged: '/rows' says %lld, more than the %lld bytes on the disk can hold",
                             r->rows, reader->stored);
    }
    if (r->rows_offset < 0 || r->rows_offset > reader->bytes - 8) {
        r->rows_offset = -1; // it stays as it is
    }
    return true;
}

bool result_check(result_reader *reader)
{
    bool good = reader->result->body_count >= 0 && reader->result->joint_count >= 0;
    for (int i = 0; good && i < reader->result->array_count; i++) {
        good = check_array(reader, &reader->result->arrays[i]);
    }
    return good && check_needed(reader) && check_lengths(reader) && check_rows(reader);
}
