// CSV results: the columns that result_csv.c writes, put back into fields. Scheme, step and model are not in the file.
//
// Columns come in a fixed order (time; x y z of all bodies; their qw qx qy qz, vx vy vz, wx wy wz; energies, momenta,
// violations; each joint; stress; sensors), so that also names with dots in them are told apart.

#include "io/result/read.h"

#include "base/error.h"
#include "base/number_locale.h"
#include "base/system.h"
#include "sensors/sensor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct csv {
    result_reader reader;
    char *text; // the whole file, with a zero behind it
    char **columns;
    int column_count, column_capacity;
    int at;     // column that is looked at
    char *data; // first line behind the names
} csv;

// ---- Text -----------------------------------------------------------------------------------------------------------

static bool read_text(csv *c)
{
    system_facts about;
    if (!system_look_at(c->reader.result->descriptor, &about) ||
        !(c->text = mem_alloc(NULL, (size_t)about.bytes + 1))) {
        return result_out_of_memory(&c->reader);
    }
    size_t length = 0;
    while (length < (size_t)about.bytes) {
        const long long got = system_read_at(c->reader.result->descriptor, c->text + length,
                                             (size_t)about.bytes - length, (long long)length);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            break;
        }
        length += got > 0 ? (size_t)got : 0;
    }
    return strlen(c->text) == length || result_refuse(&c->reader, "is not text");
}

// Takes a name off the line, in place: quotes go, doubled ones become one. Returns what follows it.
static char *take_name(char *at, char **name)
{
    char *to = *name = at;
    if (*at == '"') {
        for (at++; *at && !(at[0] == '"' && at[1] != '"'); at++) {
            at += at[0] == '"';
            *to++ = *at;
        }
        at += *at == '"';
    } else {
        while (*at && !strchr(",\r\n", *at)) {
            *to++ = *at++;
        }
    }
    const char end = *at;
    char *next = at + (end != '\0');
    *to = '\0';
    return end == ',' ? next : end == '\r' ? next + (*next == '\n') : end == '\n' ? next : at;
}

static bool read_columns(csv *c)
{
    char *at = c->text, *line_end = strchr(c->text, '\n');
    if (!line_end || strncmp(c->text, "time,", 5) != 0) {
        return result_refuse(&c->reader, "is not a result of polhode: its first column is not 'time'");
    }
    while (at <= line_end && *at) {
        if (!mem_reserve(NULL, &c->columns, &c->column_capacity, c->column_count + 1, sizeof *c->columns)) {
            return result_out_of_memory(&c->reader);
        }
        at = take_name(at, &c->columns[c->column_count++]);
    }
    c->data = line_end + 1;
    return true;
}

// ---- Fields ---------------------------------------------------------------------------------------------------------

// Whether column `index` is `name` followed by `ending`.
static bool is_column(const csv *c, int index, const char *name, const char *ending)
{
    const size_t length = strlen(name);
    return c->columns && index < c->column_count && strncmp(c->columns[index], name, length) == 0 &&
           strcmp(c->columns[index] + length, ending) == 0;
}

static result_array *add(csv *c, const char *name, int joint, int rank, int first, int second, int third)
{
    result_array *array = result_add_array(c->reader.result, name, joint);
    if (!array) {
        result_out_of_memory(&c->reader);
        return NULL;
    }
    array->kind = STORED_IN_MEMORY;
    array->info.rank = rank;
    array->info.shape[0] = first;
    array->info.shape[1] = second;
    array->info.shape[2] = third;
    array->info.width = (size_t)first * (size_t)(second ? second : 1) * (size_t)(third ? third : 1);
    array->offset = c->at; // here: its first column
    c->at += (int)array->info.width;
    return array;
}

// The text before the last dot of a column, when what follows is `ending`; NULL otherwise.
static char *base_of(csv *c, int index, const char *ending)
{
    const size_t length = index < c->column_count ? strlen(c->columns[index]) : 0, n = strlen(ending);
    if (length <= n || strcmp(c->columns[index] + length - n, ending) != 0) {
        return NULL;
    }
    char *base = arena_copy_string(c->reader.result->memory, c->columns[index]);
    if (base) {
        base[length - n] = '\0';
    } else {
        result_out_of_memory(&c->reader);
    }
    return base;
}

static bool find_bodies(csv *c)
{
    ph_result *r = c->reader.result;
    r->bodies = arena_alloc_array(r->memory, (size_t)c->column_count, sizeof *r->bodies);
    if (!r->bodies) {
        return result_out_of_memory(&c->reader);
    }
    for (int i = 1; c->reader.status == PH_OK; i += 3) {
        const char *name = base_of(c, i, ".x");
        if (!name || !is_column(c, i + 1, name, ".y") || !is_column(c, i + 2, name, ".z")) {
            break;
        }
        r->bodies[r->body_count++] = name;
    }
    return c->reader.status == PH_OK;
}

static bool add_of_bodies(csv *c, const char *field, const char *const *endings, int width)
{
    const ph_result *r = c->reader.result;
    for (int i = 0; i < r->body_count * width; i++) {
        if (!is_column(c, c->at + i, r->bodies[i / width], endings[i % width])) {
            return result_refuse(&c->reader, "is not a result of polhode: '%s%s' is missing", r->bodies[i / width],
                                 endings[i % width]);
        }
    }
    int *body = arena_alloc_array(r->memory, (size_t)r->body_count, sizeof *body);
    result_array *array = body ? add(c, field, PH_NONE, 2, r->body_count, width, 0) : NULL;
    if (!array) {
        return result_out_of_memory(&c->reader);
    }
    for (int i = 0; i < r->body_count; i++) {
        body[i] = i;
    }
    array->info.bodies = r->body_count;
    array->info.body = body;
    return true;
}

static bool add_system(csv *c)
{
    static const struct {
        const char *column, *field;
        int width;
    } parts[] = {{"energy.kinetic", "energy/kinetic", 1},
                 {"energy.potential", "energy/potential", 1},
                 {"energy.work", "energy/work", 1},
                 {"energy.total", "energy/total", 1},
                 {"momentum.linear.x", "momentum/linear", 3},
                 {"momentum.angular.x", "momentum/angular", 3},
                 {"violation.position", "violation/position", 1},
                 {"violation.velocity", "violation/velocity", 1}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (!is_column(c, c->at, parts[i].column, "")) {
            return result_refuse(&c->reader, "is not a result of polhode: '%s' is missing", parts[i].column);
        }
        if (!add(c, parts[i].field, PH_NONE, parts[i].width > 1, parts[i].width, 0, 0)) {
            return false;
        }
    }
    return !is_column(c, c->at, "contact.solver", "") || add(c, "contact/solver", PH_NONE, 0, 1, 0, 0);
}

// ---- Joints and stress ----------------------------------------------------------------------------------------------

// How many columns there are of "joints.NAME.coordinate", with numbers when there are several.
static int count_coordinates(const csv *c, const char *name, const char *part)
{
    char ending[64];
    int count = 0;
    snprintf(ending, sizeof ending, ".%s", part);
    if (is_column(c, c->at, name, ending)) {
        return 1;
    }
    do {
        snprintf(ending, sizeof ending, ".%s.%d", part, ++count);
    } while (is_column(c, c->at + count - 1, name, ending));
    return count - 1;
}

static bool add_joint_field(csv *c, const char *name, const char *part, int width)
{
    const size_t size = strlen(name) + strlen(part) + 10;
    char *field = arena_alloc(c->reader.result->memory, size);
    if (!field) {
        return result_out_of_memory(&c->reader);
    }
    snprintf(field, size, "joints/%s/%s", name, part);
    return add(c, field, c->reader.result->joint_count - 1, 1, width, 0, 0);
}

static bool add_joint(csv *c, const char *column)
{
    const char *name = column + strlen("joints.");
    if (!is_column(c, c->at + 3, column, ".torque.x") || !is_column(c, c->at + 5, column, ".torque.z")) {
        return result_refuse(&c->reader, "is not a result of polhode: '%s.torque.x' is missing", column);
    }
    c->reader.result->joints[c->reader.result->joint_count++] = name;
    if (!add_joint_field(c, name, "force", 3) || !add_joint_field(c, name, "torque", 3)) {
        return false;
    }
    return add_joint_field(c, name, "coordinate", count_coordinates(c, column, "coordinate")) &&
           add_joint_field(c, name, "rate", count_coordinates(c, column, "rate"));
}

static bool add_joints(csv *c)
{
    c->reader.result->joints =
        arena_alloc_array(c->reader.result->memory, (size_t)c->column_count, sizeof *c->reader.result->joints);
    if (!c->reader.result->joints) {
        return result_out_of_memory(&c->reader);
    }
    while (c->at < c->column_count && strncmp(c->columns[c->at], "joints.", 7) == 0) {
        const char *column = base_of(c, c->at, ".force.x");
        if (!column || !add_joint(c, column)) {
            return c->reader.status == PH_OK
                       ? result_refuse(&c->reader, "is not a result of polhode: column '%.200s'", c->columns[c->at])
                       : false;
        }
    }
    return true;
}

static int find_body(const ph_result *r, const char *name)
{
    for (int i = 0; i < r->body_count; i++) {
        if (strcmp(r->bodies[i], name) == 0) {
            return i;
        }
    }
    return PH_NONE;
}

// A field of some bodies, `width` columns of each, of which the first and the last end as given.
static bool add_of_some(csv *c, const char *field, int width, const char *first, const char *end)
{
    char ending[64], last[64];
    snprintf(ending, sizeof ending, ".%s.%s", field, first);
    snprintf(last, sizeof last, ".%s.%s", field, end);
    int *body = arena_alloc_array(c->reader.result->memory, (size_t)c->column_count, sizeof *body), count = 0;
    if (!body) {
        return result_out_of_memory(&c->reader);
    }
    for (const char *name; (name = base_of(c, c->at + width * count, ending));) {
        body[count] = find_body(c->reader.result, name);
        if (body[count++] == PH_NONE) {
            return result_refuse(&c->reader, "is not a result of polhode: there is no body '%s'", name);
        }
        if (!is_column(c, c->at + width * count - 1, name, last)) {
            return result_refuse(&c->reader, "is not a result of polhode: '%s%s' is missing", name, last);
        }
    }
    if (count == 0 || c->reader.status != PH_OK) {
        return c->reader.status == PH_OK;
    }
    result_array *array =
        width == 9 ? add(c, field, PH_NONE, 3, count, 3, 3) : add(c, field, PH_NONE, 2, count, width, 0);
    if (array) {
        array->info.bodies = count;
        array->info.body = body;
    }
    return array;
}

// The type whose numbers begin at this column; *base: its name before them. NULL: one number alone.
static const sensor_type *sensor_here(csv *c, char **base)
{
    for (int i = 0; sensor_types[i]; i++) {
        const sensor_type *type = sensor_types[i];
        char ending[64];
        int k = 0;
        snprintf(ending, sizeof ending, ".%s", type->count > 1 ? type->columns[0] : "");
        *base = type->count > 1 ? base_of(c, c->at, ending) : NULL;
        for (; *base && k < type->count; k++) {
            snprintf(ending, sizeof ending, ".%s", type->columns[k]);
            if (!is_column(c, c->at + k, *base, ending)) break;
        }
        if (*base && k == type->count) return type;
    }
    return NULL;
}

static bool add_sensors(csv *c)
{
    while (c->at < c->column_count && strncmp(c->columns[c->at], "sensors.", 8) == 0) {
        char *base;
        const sensor_type *type = sensor_here(c, &base);
        char *name = type ? base : arena_copy_string(c->reader.result->memory, c->columns[c->at]);
        if (!name) return result_out_of_memory(&c->reader);
        name[7] = '/';
        result_array *array = add(c, name, PH_NONE, type ? 1 : 0, type ? type->count : 1, 0, 0);
        if (!array) return false;
        array->info.columns = type ? type->columns : NULL;
    }
    return true;
}

// Joints come last in the list of arrays, as everywhere; their columns come before those of the stress.
static bool add_fields(csv *c)
{
    static const char *const xyz[] = {".x", ".y", ".z"}, *const q[] = {".qw", ".qx", ".qy", ".qz"};
    static const char *const v[] = {".vx", ".vy", ".vz"}, *const w[] = {".wx", ".wy", ".wz"};
    if (!add(c, "time", PH_NONE, 0, 1, 0, 0) || !find_bodies(c) || !add_of_bodies(c, "position", xyz, 3) ||
        !add_of_bodies(c, "orientation", q, 4) || !add_of_bodies(c, "velocity", v, 3) ||
        !add_of_bodies(c, "angular_velocity", w, 3) || !add_system(c)) {
        return false;
    }
    const int joints_at = c->at;
    while (c->at < c->column_count && strncmp(c->columns[c->at], "joints.", 7) == 0) {
        c->at++;
    }
    if (!add_of_some(c, "stress", 9, "xx", "zz") || !add_of_some(c, "multiplier", 9, "xx", "zz") ||
        !add_of_some(c, "quaternion", 5, "pw", "lambda") || !add_sensors(c)) {
        return false;
    }
    if (c->at < c->column_count) {
        return result_refuse(&c->reader, "is not a result of polhode: column '%.200s'", c->columns[c->at]);
    }
    c->at = joints_at;
    return add_joints(c);
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

// Only whole lines count: the last one may be being written.
static long long count_rows(const csv *c)
{
    long long rows = 0;
    for (const char *at = c->data; (at = strchr(at, '\n')); at++) {
        rows++;
    }
    return rows;
}

static bool read_row(csv *c, char **at, long long row, double *values)
{
    for (int i = 0; i < c->column_count; i++) {
        char *end;
        values[i] = strtod(*at, &end);
        const bool last = i + 1 == c->column_count, ended = *end == '\n' || (end[0] == '\r' && end[1] == '\n');
        if (end == *at || (last ? !ended : *end != ',')) {
            return result_refuse(&c->reader, "is damaged: line %lld, column %d is not a number or not there", row + 2,
                                 i + 1);
        }
        *at = end + 1 + (*end == '\r');
    }
    return true;
}

static bool read_rows(csv *c)
{
    ph_result *r = c->reader.result;
    double *values = arena_alloc_array(r->memory, (size_t)c->column_count, sizeof *values);
    bool good = values || result_out_of_memory(&c->reader);
    r->rows = r->capacity = count_rows(c);
    for (int i = 0; good && i < r->array_count; i++) {
        result_array *array = &r->arrays[i];
        array->room = r->rows;
        array->values = mem_alloc_array(NULL, (size_t)r->rows * array->info.width + 1, sizeof *array->values);
        good = array->values || result_out_of_memory(&c->reader);
    }
    char *at = c->data;
    for (long long row = 0; good && row < r->rows; row++) {
        good = read_row(c, &at, row, values);
        for (int i = 0; good && i < r->array_count; i++) {
            const result_array *array = &r->arrays[i];
            memcpy(array->values + (size_t)row * array->info.width, values + array->offset,
                   array->info.width * sizeof *values);
        }
    }
    return good;
}

ph_status result_index_csv(ph_result *result, ph_error *error)
{
    csv c = {.reader = {.result = result, .error = error, .status = PH_OK}};
    number_locale numbers; // a decimal point, whatever is set
    if (!number_locale_enter(&numbers)) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    if (read_text(&c) && read_columns(&c) && add_fields(&c)) {
        read_rows(&c);
    }
    number_locale_leave(&numbers);
    mem_free(NULL, c.columns);
    mem_free(NULL, c.text);
    return c.reader.status;
}
