// Results as comma-separated values (RFC 4180): one line of column names, then one line for each row, every number with
// the 17 significant digits that give back the same double.
//
// Only whole lines reach the file, also when the disk is full or the run is killed. An existing pipe or device is written
// to as it is.

#include "base/file.h"
#include "io/result/result.h"

#include "base/error.h"
#include "base/number_locale.h"
#include "base/system.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

enum { NUMBER_ROOM = 26, CHUNK = 1 << 16 }; // "-1.7976931348623157e+308," and some

typedef struct csv_writer {
    const result_table *table;
    output_file file;
    char *text; // room for a chunk and a line more, and for the names
    size_t length;
} csv_writer;

static ph_status write_text(csv_writer *writer, ph_error *error)
{
    const ph_status status = output_file_append(&writer->file, writer->text, writer->length, error);
    writer->length = 0;
    return status;
}

// ---- Column names ---------------------------------------------------------------------------------------------------

// Visits the pieces of every column name in order. A name is quoted when it holds a comma, a quote or a line break.
typedef struct name_writer {
    char *to;      // NULL: only measure
    size_t length; // of all names so far
} name_writer;

static void put_char(name_writer *w, char c)
{
    if (w->to) {
        w->to[w->length] = c;
    }
    w->length++;
}

static void put_piece(name_writer *w, const char *piece)
{
    for (; *piece; piece++) {
        if (*piece == '"') {
            put_char(w, '"');
        }
        put_char(w, *piece);
    }
}

static bool needs_quotes(const char *text)
{
    return text && strpbrk(text, ",\"\r\n");
}

// "rod1.x", "energy.total", "joints.A.force.x", "joints.B.coordinate", "joints.C.coordinate.2"
static void put_name(name_writer *w, const result_table *table, const result_field *field, size_t index)
{
    const bool of_bodies = field->rank >= 2;
    const size_t size = of_bodies ? field->count / (size_t)field->shape[0] : field->count;
    const size_t body = of_bodies ? field->bodies ? (size_t)field->bodies[index / size] : index / size : 0;
    const char *object = of_bodies ? table->model->bodies[body].name : field->object;
    const char *pieces[3] = {of_bodies ? NULL : field->group, object, of_bodies ? NULL : field->name};
    char number[32];
    const bool quoted = needs_quotes(object) || needs_quotes(field->name);
    bool dot = false;
    if (w->length) {
        put_char(w, ',');
    }
    if (quoted) {
        put_char(w, '"');
    }
    for (int i = 0; i < 3; i++) {
        if (pieces[i]) {
            put_piece(w, dot ? "." : "");
            put_piece(w, pieces[i]);
            dot = true;
        }
    }
    if (field->columns) {
        put_piece(w, field->columns[index % size]);
    } else if (size > 1) {
        snprintf(number, sizeof number, ".%zu", index % size + 1);
        put_piece(w, number);
    }
    if (quoted) {
        put_char(w, '"');
    }
}

// Returns the length of all names with the line end.
static size_t put_names(const result_table *table, name_writer w)
{
    for (int i = 0; i < table->field_count; i++) {
        for (size_t k = 0; k < table->fields[i].count; k++) {
            put_name(&w, table, &table->fields[i], k);
        }
    }
    put_char(&w, '\n');
    return w.length;
}

// ---- The format -----------------------------------------------------------------------------------------------------

static ph_status make_header(csv_writer *writer, ph_error *error)
{
    writer->length = put_names(writer->table, (name_writer){.to = writer->text});
    ph_status status = write_text(writer, error);
    return status == PH_OK ? output_file_publish(&writer->file, error) : status;
}

static csv_writer *make_writer(const result_table *table, arena *memory, ph_error *error)
{
    csv_writer *writer = arena_alloc(memory, sizeof *writer);
    const size_t header = put_names(table, (name_writer){0}), line = CHUNK + table->width * NUMBER_ROOM;
    char *text = arena_alloc(memory, header > line ? header : line);
    if (!writer || !text) {
        error_set(error, PH_OUT_OF_MEMORY, "out of memory");
        return NULL;
    }
    *writer = (csv_writer){.table = table, .text = text};
    return writer;
}

static ph_status finish_opening(csv_writer *writer, ph_status status, void **self)
{
    if (status == PH_OK) {
        *self = writer;
        return PH_OK;
    }
    output_file_close(&writer->file, NULL);
    return status;
}

static ph_status csv_create(const result_table *table, arena *memory, void **self, ph_error *error)
{
    csv_writer *writer = make_writer(table, memory, error);
    if (!writer) {
        return PH_OUT_OF_MEMORY;
    }
    ph_status status = output_file_open(&writer->file, table->def->path, true, error);
    if (status == PH_OK) {
        status = make_header(writer, error);
    }
    return finish_opening(writer, status, self);
}

// ---- Going on with a file -------------------------------------------------------------------------------------------

static ph_status not_ours(const csv_writer *writer, const char *reason, ph_error *error)
{
    return error_set(error, PH_IO, "cannot continue '%s': %s", writer->file.path, reason);
}

// Length of the file up to the end of its line `lines`, counted from `at` on; -1 when it has fewer.
static long long find_line_end(const csv_writer *writer, long long at, long long lines)
{
    for (long long got; lines > 0; at += got) {
        got = system_read_at(writer->file.descriptor, writer->text, CHUNK, at);
        if (got <= 0) {
            return -1;
        }
        const char *from = writer->text, *const end = from + got;
        for (; lines > 0 && (from = memchr(from, '\n', (size_t)(end - from))); from++) {
            if (--lines == 0) {
                return at + (from - writer->text) + 1;
            }
        }
    }
    return at;
}

// The header must be the one that this run would write; numbers have no line ends in them.
static ph_status keep_rows(csv_writer *writer, arena *memory, long long rows, ph_error *error)
{
    const size_t length = put_names(writer->table, (name_writer){0});
    char *header = arena_alloc(memory, length);
    if (!header) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    put_names(writer->table, (name_writer){.to = header});
    if (system_read_at(writer->file.descriptor, writer->text, length, 0) != (long long)length ||
        memcmp(writer->text, header, length) != 0) {
        return not_ours(writer, "it was made by another run", error);
    }
    const long long end = find_line_end(writer, (long long)length, rows);
    return end < 0 ? not_ours(writer, "it has fewer rows than the checkpoint", error)
                   : output_file_cut(&writer->file, end, error);
}

static ph_status csv_resume(const result_table *table, arena *memory, long long rows, void **self, ph_error *error)
{
    csv_writer *writer = make_writer(table, memory, error);
    if (!writer) {
        return PH_OUT_OF_MEMORY;
    }
    ph_status status = output_file_reopen(&writer->file, table->def->path, error);
    if (status == PH_OK) {
        status = keep_rows(writer, memory, rows, error);
    }
    return finish_opening(writer, status, self);
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

static void put_line(csv_writer *writer, const double *values)
{
    for (size_t i = 0; i < writer->table->width; i++) {
        writer->length += (size_t)snprintf(writer->text + writer->length, NUMBER_ROOM, "%.17g,", values[i]);
    }
    writer->text[writer->length - 1] = '\n';
}

static ph_status csv_write(void *self, const double *rows, long long first, int count, ph_error *error)
{
    csv_writer *writer = self;
    ph_status status = PH_OK;
    number_locale numbers;
    (void)first;
    if (!number_locale_enter(&numbers)) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    for (int i = 0; status == PH_OK && i < count; i++) {
        put_line(writer, rows + (size_t)i * writer->table->width);
        if (writer->length >= CHUNK || i + 1 == count) {
            status = write_text(writer, error);
        }
    }
    number_locale_leave(&numbers);
    return status;
}

static ph_status csv_sync(void *self, ph_error *error)
{
    csv_writer *writer = self;
    return output_file_sync(&writer->file, error);
}

static ph_status csv_close(void *self, ph_error *error)
{
    csv_writer *writer = self;
    return output_file_close(&writer->file, error);
}

const result_format result_csv = {csv_create, csv_resume, csv_write, csv_sync, csv_close};
