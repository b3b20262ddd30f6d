// Results as comma-separated values (RFC 4180): one line of column names, then one line for each row, every number with
// the 17 significant digits that give back the same double.
//
// Only whole lines reach the file, also when the disk is full or the run is killed. An existing pipe or device is written
// to as it is.

#include "io/result.h"
#include "io/result_file.h"

#include "base/error.h"
#include "model/model.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_ROOM = 26, CHUNK = 1 << 16 }; // "-1.7976931348623157e+308," and some

typedef struct csv_writer {
    const result_table *table;
    result_file file;
    char *text; // room for a chunk and a line more, and for the names
    size_t length;
    locale_t c_locale; // a decimal point, whatever the program around us has set
} csv_writer;

static ph_status write_text(csv_writer *writer, ph_error *error)
{
    const ph_status status = result_file_append(&writer->file, writer->text, writer->length, error);
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
    const bool quoted = needs_quotes(object);
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
    return status == PH_OK ? result_file_publish(&writer->file, error) : status;
}

static ph_status csv_create(const result_table *table, arena *memory, void **self, ph_error *error)
{
    csv_writer *writer = arena_alloc(memory, sizeof *writer);
    const size_t header = put_names(table, (name_writer){0}), line = CHUNK + table->width * NUMBER_ROOM;
    char *text = arena_alloc(memory, header > line ? header : line);
    const locale_t c_locale = writer && text ? newlocale(LC_NUMERIC_MASK, "C", (locale_t)0) : (locale_t)0;
    if (!c_locale) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *writer = (csv_writer){.table = table, .text = text, .c_locale = c_locale};
    ph_status status = result_file_open(&writer->file, table->def->path, true, error);
    if (status == PH_OK) {
        status = make_header(writer, error);
    }
    if (status != PH_OK) {
        result_file_close(&writer->file, NULL);
        freelocale(c_locale);
        return status;
    }
    *self = writer;
    return PH_OK;
}

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
    const locale_t outer = uselocale(writer->c_locale);
    (void)first;
    for (int i = 0; status == PH_OK && i < count; i++) {
        put_line(writer, rows + (size_t)i * writer->table->width);
        if (writer->length >= CHUNK || i + 1 == count) {
            status = write_text(writer, error);
        }
    }
    uselocale(outer);
    return status;
}

static ph_status csv_close(void *self, ph_error *error)
{
    csv_writer *writer = self;
    freelocale(writer->c_locale);
    return result_file_close(&writer->file, error);
}

const result_format result_csv = {csv_create, csv_write, csv_close};
