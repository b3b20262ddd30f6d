// Results in memory: a result format that keeps each quantity in a block of its own, row after row. What was kept can be
// written to a file later by any other format.

#include "polhode/recording.h"

#include "base/error.h"
#include "io/result/result.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

typedef struct column {
    result_field field; // `first` counts in a row of what is kept
    size_t source;      // its first double in a row of the writer
    char *name;
    double *data;
} column;

struct ph_recording {
    const ph_model *model;
    arena *memory; // names and columns
    char *scheme;
    double step;
    bool multipliers, quaternions;
    char **wanted;
    int wanted_count, wanted_room;
    column *columns;
    int column_count;
    size_t width;  // doubles of a row that are kept ...
    size_t stride; // ... and of a row of the writer
    long long rows, room;
};

ph_recording *ph_recording_create(const ph_model *model)
{
    ph_recording *recording = model ? mem_alloc(&model->allocator, sizeof *recording) : NULL;
    if (recording) {
        recording->model = model;
    }
    return recording;
}

static void forget(ph_recording *recording)
{
    for (int i = 0; i < recording->column_count; i++) {
        mem_free(&recording->model->allocator, recording->columns[i].data);
    }
    arena_destroy(recording->memory);
    recording->memory = NULL;
    recording->column_count = 0;
    recording->rows = recording->room = 0;
    recording->width = 0;
}

void ph_recording_destroy(ph_recording *recording)
{
    if (!recording) {
        return;
    }
    const ph_allocator *allocator = &recording->model->allocator;
    forget(recording);
    for (int i = 0; i < recording->wanted_count; i++) {
        mem_free(allocator, recording->wanted[i]);
    }
    mem_free(allocator, recording->wanted);
    mem_free(allocator, recording);
}

ph_status ph_recording_want(ph_recording *recording, const char *name)
{
    if (!recording || !name) return PH_BAD_ARGUMENT;
    const ph_allocator *allocator = &recording->model->allocator;
    char *copy = mem_copy_string(allocator, name);
    if (!copy || !mem_reserve(allocator, &recording->wanted, &recording->wanted_room, recording->wanted_count + 1,
                              sizeof *recording->wanted)) {
        mem_free(allocator, copy);
        return PH_OUT_OF_MEMORY;
    }
    recording->wanted[recording->wanted_count++] = copy;
    return PH_OK;
}

// ---- What is kept ---------------------------------------------------------------------------------------------------

static char *make_name(arena *memory, const result_field *field)
{
    const char *parts[3] = {field->group, field->object, field->name};
    size_t size = 0;
    for (int i = 0; i < 3; i++) {
        size += parts[i] ? strlen(parts[i]) + 1 : 0;
    }
    char *name = arena_alloc(memory, size);
    for (int i = 0; name && i < 3; i++) {
        if (parts[i]) {
            strcat(strcat(name, *name ? "/" : ""), parts[i]);
        }
    }
    return name;
}

// "energy" is the name of "energy", "energy/kinetic" and so on.
static bool covers(const char *wanted, const char *name)
{
    const size_t length = strlen(wanted);
    return strncmp(wanted, name, length) == 0 && (name[length] == '\0' || name[length] == '/');
}

static bool is_wanted(const ph_recording *recording, const char *name, bool *used)
{
    bool wanted = recording->wanted_count == 0 || strcmp(name, "time") == 0;
    for (int i = 0; i < recording->wanted_count; i++) {
        if (covers(recording->wanted[i], name)) {
            wanted = used[i] = true;
        }
    }
    return wanted;
}

static void add_column(ph_recording *recording, const result_field *field, char *name)
{
    column *c = &recording->columns[recording->column_count++];
    *c = (column){.field = *field, .source = field->first};
    c->name = name;
    c->field.first = recording->width;
    recording->width += field->count;
}

static ph_status choose_columns(ph_recording *recording, const result_table *table, ph_error *error)
{
    bool *used = arena_alloc_array(recording->memory, (size_t)recording->wanted_count, sizeof *used);
    recording->columns = arena_alloc_array(recording->memory, (size_t)table->field_count, sizeof(column));
    if (!used || !recording->columns) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    for (int i = 0; i < table->field_count; i++) {
        char *name = make_name(recording->memory, &table->fields[i]);
        if (!name) {
            return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
        }
        if (is_wanted(recording, name, used)) {
            add_column(recording, &table->fields[i], name);
        }
    }
    for (int i = 0; i < recording->wanted_count; i++) {
        if (!used[i]) {
            return error_set(error, PH_NOT_FOUND, "there is no quantity '%s' to record", recording->wanted[i]);
        }
    }
    return PH_OK;
}

// ---- The format -----------------------------------------------------------------------------------------------------

static ph_status memory_create(const result_table *table, arena *memory, void **self, ph_error *error)
{
    (void)memory;
    ph_recording *recording = table->def->recording;
    if (recording->model != table->model) {
        return error_set(error, PH_BAD_ARGUMENT, "the recording is one of another model");
    }
    forget(recording);
    recording->memory = arena_create(&recording->model->allocator);
    if (!recording->memory) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    recording->scheme = arena_copy_string(recording->memory, table->def->scheme);
    recording->step = table->def->step;
    recording->multipliers = table->def->multipliers;
    recording->quaternions = table->def->quaternions;
    recording->stride = table->width;
    *self = recording;
    return choose_columns(recording, table, error);
}

// Room grows by doubling: rows that a long run has not come to cost nothing.
static bool make_room(ph_recording *recording, long long rows)
{
    const ph_allocator *allocator = &recording->model->allocator;
    if (rows <= recording->room) {
        return true;
    }
    const long long room = rows > 2 * recording->room ? rows : 2 * recording->room;
    for (int i = 0; i < recording->column_count; i++) {
        column *c = &recording->columns[i];
        double *data = mem_alloc_array(allocator, (size_t)room, c->field.count * sizeof *data);
        if (!data) {
            return false; // columns that have grown already stay as they are: no row is lost
        }
        if (c->data) {
            memcpy(data, c->data, (size_t)recording->rows * c->field.count * sizeof *data);
        }
        mem_free(allocator, c->data);
        c->data = data;
    }
    recording->room = room;
    return true;
}

static ph_status memory_write(void *self, const double *rows, long long first, int count, ph_error *error)
{
    ph_recording *recording = self;
    if (!make_room(recording, first + count)) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory: %lld rows of %zu numbers", first + count,
                         recording->width);
    }
    for (int i = 0; i < recording->column_count; i++) {
        const column *c = &recording->columns[i];
        double *to = c->data + (size_t)first * c->field.count;
        for (int k = 0; k < count; k++) {
            memcpy(to + (size_t)k * c->field.count, rows + (size_t)k * recording->stride + c->source,
                   c->field.count * sizeof *to);
        }
    }
    recording->rows = first + count;
    return PH_OK;
}

static ph_status memory_resume(const result_table *table, arena *memory, long long rows, void **self, ph_error *error)
{
    (void)table, (void)memory, (void)rows, (void)self;
    return error_set(error, PH_NOT_SUPPORTED, "a run that records into memory cannot be continued after its end");
}

static ph_status do_nothing(void *self, ph_error *error)
{
    (void)self, (void)error;
    return PH_OK;
}

const result_format result_memory = {
    .create = memory_create,
    .resume = memory_resume,
    .write = memory_write,
    .sync = do_nothing,
    .close = do_nothing,
};

// ---- Reading --------------------------------------------------------------------------------------------------------

long long ph_recording_rows(const ph_recording *recording)
{
    return recording ? recording->rows : 0;
}

int ph_recording_count(const ph_recording *recording)
{
    return recording ? recording->column_count : 0;
}

ph_recorded ph_recording_get(const ph_recording *recording, int index)
{
    if (!recording || index < 0 || index >= recording->column_count) {
        return (ph_recorded){0};
    }
    const column *c = &recording->columns[index];
    ph_recorded found = {.name = c->name, .rank = c->field.rank, .count = c->field.count, .data = c->data};
    memcpy(found.shape, c->field.shape, sizeof found.shape);
    return found;
}

ph_recorded ph_recording_find(const ph_recording *recording, const char *name)
{
    for (int i = 0; recording && name && i < recording->column_count; i++) {
        if (strcmp(recording->columns[i].name, name) == 0) {
            return ph_recording_get(recording, i);
        }
    }
    return (ph_recorded){0};
}

// ---- Writing --------------------------------------------------------------------------------------------------------

enum { BATCH_ROWS = 64 };

static void gather_row(const ph_recording *recording, long long row, double *to)
{
    for (int i = 0; i < recording->column_count; i++) {
        const column *c = &recording->columns[i];
        memcpy(to + c->field.first, c->data + (size_t)row * c->field.count, c->field.count * sizeof *to);
    }
}

static ph_status write_rows(const ph_recording *recording, const result_format *format, void *self, double *batch,
                            ph_error *error)
{
    ph_status status = PH_OK;
    for (long long first = 0; status == PH_OK && first < recording->rows; first += BATCH_ROWS) {
        const long long left = recording->rows - first;
        const int count = left < BATCH_ROWS ? (int)left : BATCH_ROWS;
        for (int k = 0; k < count; k++) {
            gather_row(recording, first + k, batch + (size_t)k * recording->width);
        }
        status = format->write(self, batch, first, count, error);
    }
    return status;
}

static ph_status write_table(const ph_recording *recording, const ph_result_def *def, arena *memory, ph_error *error)
{
    const result_format *format;
    result_table table = {.model = recording->model, .def = def, .width = recording->width};
    void *self = NULL;
    ph_status status = result_find_format(def->path, &format, error);
    if (status != PH_OK) {
        return status;
    }
    double *batch = arena_alloc_array(memory, BATCH_ROWS * recording->width, sizeof *batch);
    table.fields = arena_alloc_array(memory, (size_t)recording->column_count, sizeof *table.fields);
    if (!batch || !table.fields) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    for (; table.field_count < recording->column_count; table.field_count++) {
        table.fields[table.field_count] = recording->columns[table.field_count].field;
    }
    status = format->create(&table, memory, &self, error);
    if (status != PH_OK) {
        return status;
    }
    status = write_rows(recording, format, self, batch, error);
    const ph_status closed = format->close(self, status == PH_OK ? error : NULL);
    return status != PH_OK ? status : closed;
}

ph_status ph_recording_write(const ph_recording *recording, const char *path, ph_error *error)
{
    if (!recording || !path || recording->rows < 1) {
        return error_set(error, PH_BAD_ARGUMENT, "a result needs a path and at least one row");
    }
    const ph_result_def def = {.path = path,
                               .scheme = recording->scheme ? recording->scheme : "",
                               .step = recording->step,
                               .rows = recording->rows,
                               .multipliers = recording->multipliers,
                               .quaternions = recording->quaternions};
    arena *memory = arena_create(&recording->model->allocator);
    const ph_status status =
        memory ? write_table(recording, &def, memory, error) : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    arena_destroy(memory);
    return status;
}
