// Readers of OBJ, STL, PGM and tables of numbers.
//
// OBJ: lines `v x y z` and `f a b c ...`, where a corner is i, i/t, i/t/n or i//n and counts from 1, or backwards when
// negative; polygons become fans of triangles; all other lines are passed over. STL: text (`vertex x y z`, three to a
// facet) or binary (80 bytes, a count, then 50 bytes for each triangle); its normals are passed over, the order of the
// corners counts. PGM: P2 or P5, values from 0 to 1. Tables: numbers parted by blanks or commas, # begins a comment.

#include "model/shape_file.h"

#include "base/error.h"
#include "base/path.h"
#include "base/system.h"
#include "expression/expression.h"
#include "model/mesh.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct numbers { // a growing array
    double *values;
    int count, capacity;
} numbers;

typedef struct text {
    const char *at, *end; // end points to a zero
    int line;
    bool commas; // part numbers like blanks do
    ph_error *error;
    const char *name; // of the file, for messages
} text;

static bool append(numbers *to, double value)
{
    if (!mem_reserve(NULL, &to->values, &to->capacity, to->count + 1, sizeof *to->values)) return false;
    to->values[to->count++] = value;
    return true;
}

static ph_status no_memory(text *t)
{
    return error_set(t->error, PH_OUT_OF_MEMORY, "out of memory while reading %s", t->name);
}

__attribute__((format(printf, 2, 3))) static ph_status wrong(text *t, const char *format, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return error_set(t->error, PH_BAD_MODEL, "%s, line %d: %s", t->name, t->line, what);
}

// ---- Words ----------------------------------------------------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(text *t)
{
    while (is_blank(*t->at)) t->at++;
}

static bool at_line_end(const text *t)
{
    return t->at == t->end || *t->at == '\n';
}

static void next_line(text *t)
{
    while (!at_line_end(t)) t->at++;
    if (t->at < t->end) {
        t->at++;
        t->line++;
    }
}

// Takes the word if it stands here.
static bool take_word(text *t, const char *word)
{
    skip_blanks(t);
    const size_t length = strlen(word);
    if (strncasecmp(t->at, word, length) != 0) return false;
    const char after = t->at[length];
    if (after && !is_blank(after) && after != '\n') return false;
    t->at += length;
    return true;
}

// A number with sign. What is not one is reported.
static ph_status take_number(text *t, const char *what, double *to)
{
    skip_blanks(t);
    const bool minus = *t->at == '-';
    const char *start = t->at + (*t->at == '-' || *t->at == '+'), *end;
    const double value = expression_number(start, &end);
    if (end == start || !(*end == '\0' || is_blank(*end) || *end == '\n' || (*end == ',' && t->commas))) {
        const int length = (int)strcspn(t->at, t->commas ? " \t\r\n," : " \t\r\n");
        if (length == 0) return wrong(t, "%s is missing", what);
        return wrong(t, "%s is '%.*s', not a finite number", what, length < 40 ? length : 40, t->at);
    }
    if (!isfinite(value)) return wrong(t, "%s is too large", what);
    *to = minus ? -value : value;
    t->at = end;
    return PH_OK;
}

static ph_status take_point(text *t, numbers *to)
{
    static const char *const names[3] = {"x", "y", "z"};
    for (int k = 0; k < 3; k++) {
        double value = 0.0;
        const ph_status status = take_number(t, names[k], &value);
        if (status != PH_OK) return status;
        if (!append(to, value)) return no_memory(t);
    }
    return PH_OK;
}

// ---- OBJ ------------------------------------------------------------------------------------------------------------

// A corner of a face: the number of its point, from 0.
static ph_status take_corner(text *t, int points, int *to)
{
    char *end;
    skip_blanks(t);
    const long index = strtol(t->at, &end, 10);
    if (end == t->at || !(*end == '\0' || is_blank(*end) || *end == '\n' || *end == '/')) {
        return wrong(t, "'%.20s' is not the number of a point", t->at);
    }
    const long from_zero = index < 0 ? points + index : index - 1;
    if (from_zero < 0 || from_zero >= points)
        return wrong(t, "there is no point %ld, there are %d so far", index, points);
    *to = (int)from_zero;
    t->at = end;
    while (!at_line_end(t) && !is_blank(*t->at)) t->at++;
    return PH_OK;
}

static bool append_corner(numbers *to, const numbers *points, int index)
{
    if (!points->values) return false;
    const double *p = points->values + 3 * (size_t)index;
    return append(to, p[0]) && append(to, p[1]) && append(to, p[2]);
}

static ph_status take_face(text *t, const numbers *points, numbers *triangles)
{
    int first = 0, previous = 0, corner = 0, count = 0;
    for (skip_blanks(t); !at_line_end(t); skip_blanks(t)) {
        const ph_status status = take_corner(t, points->count / 3, &corner);
        if (status != PH_OK) return status;
        if (++count == 1) first = corner;
        if (count >= 3 && !(append_corner(triangles, points, first) && append_corner(triangles, points, previous) &&
                            append_corner(triangles, points, corner))) {
            return no_memory(t);
        }
        previous = corner;
    }
    return count < 3 ? wrong(t, "a face needs three corners at least, this has %d", count) : PH_OK;
}

static ph_status read_obj(text *t, numbers *points, numbers *triangles)
{
    for (; t->at < t->end; next_line(t)) {
        ph_status status = PH_OK;
        if (take_word(t, "v")) {
            status = take_point(t, points);
        } else if (take_word(t, "f")) {
            status = take_face(t, points, triangles);
        }
        if (status != PH_OK) return status;
    }
    return PH_OK;
}

// ---- STL ------------------------------------------------------------------------------------------------------------

static uint32_t little_endian(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

enum { STL_HEAD = 84, STL_TRIANGLE = 50 };

static bool is_binary_stl(const text *t)
{
    const size_t length = (size_t)(t->end - t->at);
    return length >= STL_HEAD && length == STL_HEAD + (size_t)STL_TRIANGLE * little_endian(t->at + 80);
}

static ph_status read_binary_stl(text *t, numbers *triangles)
{
    const uint32_t count = little_endian(t->at + 80);
    for (uint32_t k = 0; k < count; k++) {
        const char *corners = t->at + STL_HEAD + (size_t)STL_TRIANGLE * k + 12;
        for (int i = 0; i < MESH_NUMBERS; i++) {
            const uint32_t bits = little_endian(corners + (size_t)4 * (size_t)i);
            float value;
            memcpy(&value, &bits, sizeof value);
            if (!isfinite(value)) {
                return error_set(t->error, PH_BAD_MODEL, "%s: triangle %u has a number that is not finite", t->name,
                                 k + 1);
            }
            if (!append(triangles, (double)value)) return no_memory(t);
        }
    }
    return PH_OK;
}

static ph_status read_text_stl(text *t, numbers *triangles)
{
    for (; t->at < t->end; next_line(t)) {
        if (take_word(t, "vertex")) {
            const ph_status status = take_point(t, triangles);
            if (status != PH_OK) return status;
        } else if (take_word(t, "endfacet") && triangles->count % MESH_NUMBERS != 0) {
            return wrong(t, "a facet has three vertices");
        }
    }
    return triangles->count % MESH_NUMBERS == 0 ? PH_OK : wrong(t, "a facet has three vertices");
}

// ---- Height fields --------------------------------------------------------------------------------------------------

static ph_status read_table(text *t, numbers *to, int *columns)
{
    *columns = 0;
    for (; t->at < t->end; next_line(t)) {
        int count = 0;
        for (skip_blanks(t); !at_line_end(t) && *t->at != '#'; skip_blanks(t)) {
            double value = 0.0;
            const ph_status status = take_number(t, "a value", &value);
            if (status != PH_OK) return status;
            if (!append(to, value)) return no_memory(t);
            count++;
            skip_blanks(t);
            if (*t->at == ',') t->at++;
        }
        if (*columns && count && count != *columns) {
            return wrong(t, "this row has %d values, those before have %d", count, *columns);
        }
        *columns = count ? count : *columns;
    }
    return PH_OK;
}

// Whole numbers of the head of a PGM, which may have comments between them.
static bool take_whole(text *t, int *to)
{
    for (; t->at < t->end && (is_blank(*t->at) || *t->at == '\n' || *t->at == '#');) {
        if (*t->at == '\n' || *t->at == '#') {
            next_line(t);
        } else {
            t->at++;
        }
    }
    *to = 0;
    const char *start = t->at;
    for (; *t->at >= '0' && *t->at <= '9' && *to < 100000000; t->at++) {
        *to = 10 * *to + (*t->at - '0');
    }
    return t->at > start;
}

static ph_status read_pgm(text *t, numbers *to, int *columns)
{
    const bool binary = t->at[1] == '5';
    int rows, most;
    t->at += 2;
    if (!take_whole(t, columns) || !take_whole(t, &rows) || !take_whole(t, &most) || *columns < 1 || rows < 1 ||
        most < 1 || most > 65535 || rows > SHAPE_FILE_BYTES_MAX / *columns) {
        return wrong(t, "the head of a PGM picture is width, height and largest value");
    }
    const int bytes = most > 255 ? 2 : 1, count = rows * *columns;
    if (binary && t->end - ++t->at < (ptrdiff_t)count * bytes) return wrong(t, "the picture ends too early");
    for (int k = 0; k < count; k++) {
        int value;
        if (binary) {
            const unsigned char *b = (const unsigned char *)t->at + (size_t)k * (size_t)bytes;
            value = bytes == 2 ? b[0] << 8 | b[1] : b[0];
        } else if (!take_whole(t, &value)) {
            return wrong(t, "the picture ends too early");
        }
        if (!append(to, (double)value / most)) return no_memory(t);
    }
    return PH_OK;
}

// ---- Any of them ----------------------------------------------------------------------------------------------------

static bool starts_with(const text *t, const char *word)
{
    return strncmp(t->at, word, strlen(word)) == 0;
}

static ph_status read_solid(text *t, bool points_only, numbers *to)
{
    numbers points = {0}, triangles = {0};
    ph_status status;
    if (is_binary_stl(t)) {
        status = read_binary_stl(t, &triangles);
    } else if (starts_with(t, "solid")) {
        status = read_text_stl(t, &triangles);
    } else {
        status = read_obj(t, &points, &triangles);
    }
    const bool keep_points = points_only && points.count > 0;
    *to = keep_points ? points : triangles;
    mem_free(NULL, keep_points ? triangles.values : points.values);
    if (status == PH_OK && to->count == 0) {
        status = error_set(t->error, PH_BAD_MODEL, "%s has no %s: it is not an OBJ or STL file", t->name,
                           points_only ? "points" : "triangles");
    }
    return status;
}

static ph_status read_values(text *t, numbers *to, int *columns)
{
    const ph_status status =
        starts_with(t, "P2") || starts_with(t, "P5") ? read_pgm(t, to, columns) : read_table(t, to, columns);
    return status == PH_OK && to->count == 0 ? error_set(t->error, PH_BAD_MODEL, "%s has no numbers", t->name) : status;
}

bool lies_below(const char *path, const char *folder)
{
    char *target = system_real_path(path), *root = system_real_path(*folder ? folder : ".");
    const size_t length = root ? strlen(root) : 0;
    const bool inside = target && root && strncmp(target, root, length) == 0 &&
                        (target[length] == '/' || target[length] == '\0' || (length > 0 && root[length - 1] == '/'));
    free(target);
    free(root);
    return inside;
}

// Only regular files: opening a pipe waits for somebody to write into it.
static ph_status load(const char *path, const char *name, ph_error *error, char **bytes, size_t *length)
{
    system_facts about;
    const bool found = system_look(path, &about);
    FILE *file = found && about.kind == SYSTEM_FILE ? system_stream(path, "rb") : NULL;
    if (!file) {
        const char *reason = !found || about.kind == SYSTEM_FILE ? strerror(errno)
                             : about.kind == SYSTEM_FOLDER       ? strerror(EISDIR)
                                                                 : "it is not a regular file";
        return error_set(error, PH_NOT_FOUND, "cannot read the file %s: %s", name, reason);
    }
    *length = (size_t)about.bytes;
    *bytes = *length <= SHAPE_FILE_BYTES_MAX ? mem_alloc(NULL, *length + 1) : NULL;
    ph_status status = PH_OK;
    if (!*bytes) {
        status = error_set(error, PH_OUT_OF_MEMORY, "%s is too large", name);
    } else if (fread(*bytes, 1, *length, file) != *length) {
        status = error_set(error, PH_IO, "cannot read the file %s", name);
    }
    fclose(file);
    return status;
}

ph_status shape_file_read(ph_shape_def *shape, const char *folder, arena *memory, ph_error *error)
{
    char path[1024], *bytes = NULL;
    size_t length = 0;
    const bool field = strcmp(shape->type, "heightfield") == 0, mesh = strcmp(shape->type, "mesh") == 0;
    int columns = mesh ? MESH_NUMBERS : 3;
    numbers found = {0};
    const int needed =
        snprintf(path, sizeof path, "%s%s%s", folder ? folder : "", folder && *folder ? "/" : "", shape->file);
    if (needed < 0 || (size_t)needed >= sizeof path) {
        return error_set(error, PH_NOT_FOUND, "cannot read the file %.100s: its path is too long", shape->file);
    }
    ph_status status = load(path, shape->file, error, &bytes, &length);
    // A link in the model's folder may lead out of it as well as a path with '..' does.
    if (status == PH_OK && folder && !lies_below(path, folder)) {
        status =
            error_set(error, PH_BAD_MODEL, "the file %s is a link that leads out of the model's folder", shape->file);
    }
    if (status == PH_OK) {
        text t = {bytes, bytes + length, 1, field, error, shape->file};
        status = field ? read_values(&t, &found, &columns) : read_solid(&t, !mesh, &found);
    }
    mem_free(NULL, bytes);
    if (status == PH_OK) {
        double *copy = arena_alloc_array(memory, (size_t)found.count, sizeof *copy);
        if (copy) {
            memcpy(copy, found.values, (size_t)found.count * sizeof *copy);
            shape->data = copy;
            shape->data_columns = columns;
            shape->data_rows = found.count / columns;
        } else {
            status = error_set(error, PH_OUT_OF_MEMORY, "out of memory");
        }
    }
    mem_free(NULL, found.values);
    return status;
}
