// Result writers: what is recorded, and collecting rows so that the disk is asked rarely.

#include "io/result/contacts.h"
#include "io/result/result.h"

#include "base/clock.h"
#include "base/error.h"
#include "model/state.h"
#include "polhode/sensor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// One line for each ending.
typedef struct format_entry {
    const char *ending;
    const result_format *format; // NULL: not in this build
} format_entry;

static const format_entry formats[] = {
#ifdef PH_WITH_HDF5
    {".h5", &result_hdf5},
#else
    {".h5", NULL},
#endif
    {".csv", &result_csv},
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

// Rows wait in memory until the batch is full or this old, so that a killed run loses little and a fast one is not
// slowed down.
static const double LONGEST_WAIT = 0.5; // s
enum { BATCH_BYTES = 1 << 16, BATCH_BYTES_MAX = 1 << 26, BATCH_ROWS_MIN = 8 };

struct ph_result_writer {
    const result_format *format;
    void *self;
    arena *memory;
    ph_result_def def;
    result_table table;
    double *batch; // batch_rows * table.width
    int batch_rows, waiting;
    long long written;
    double last_write; // clock
    bool failed;
    ph_wrench *reactions;     // of all joints
    ph_mat3 *stress;          // of all bodies
    contact_record *contacts; // NULL: not asked for, or not in this format
};

// ---- What a row holds -----------------------------------------------------------------------------------------------

static const char *const position_columns[] = {".x", ".y", ".z"};
static const char *const orientation_columns[] = {".qw", ".qx", ".qy", ".qz"};
static const char *const velocity_columns[] = {".vx", ".vy", ".vz"};
static const char *const angular_columns[] = {".wx", ".wy", ".wz"};

static const char *const stress_columns[] = {".stress.xx", ".stress.xy", ".stress.xz", ".stress.yx", ".stress.yy",
                                             ".stress.yz", ".stress.zx", ".stress.zy", ".stress.zz"};
static const char *const multiplier_columns[] = {".multiplier.xx", ".multiplier.xy", ".multiplier.xz",
                                                 ".multiplier.yx", ".multiplier.yy", ".multiplier.yz",
                                                 ".multiplier.zx", ".multiplier.zy", ".multiplier.zz"};

static const char *const quaternion_columns[] = {".quaternion.pw", ".quaternion.px", ".quaternion.py", ".quaternion.pz",
                                                 ".quaternion.lambda"};

static void add_field(result_table *table, result_field field)
{
    field.first = table->width;
    field.count = 1;
    for (int i = 0; i < field.rank; i++) {
        field.count *= (size_t)field.shape[i];
    }
    table->width += field.count;
    table->fields[table->field_count++] = field;
}

static void add_scalar(result_table *table, const char *group, const char *name)
{
    add_field(table, (result_field){.group = group, .name = name});
}

static void add_vector(result_table *table, const char *group, const char *object, const char *name)
{
    add_field(table, (result_field){group, object, name, 1, {3}, NULL, position_columns, 0, 0});
}

static void add_of_bodies(result_table *table, const char *name, int size, const char *const *columns)
{
    add_field(table, (result_field){NULL, NULL, name, 2, {table->model->body_count, size}, NULL, columns, 0, 0});
}

static void add_of_stress(result_table *table, const char *name, const char *const *columns)
{
    const ph_record_settings *record = &table->model->record;
    add_field(table, (result_field){NULL, NULL, name, 3, {record->stress_count, 3, 3}, record->stress, columns, 0, 0});
}

static void add_quaternions(result_table *table)
{
    const ph_record_settings *record = &table->model->record;
    add_field(table,
              (result_field){
                  NULL, NULL, "quaternion", 2, {record->stress_count, 5}, record->stress, quaternion_columns, 0, 0});
}

static void add_joint(result_table *table, const joint *of)
{
    const int k = of->coordinate_count;
    add_vector(table, "joints", of->name, "force");
    add_vector(table, "joints", of->name, "torque");
    add_field(table, (result_field){"joints", of->name, "coordinate", 1, {k}, NULL, NULL, 0, 0});
    add_field(table, (result_field){"joints", of->name, "rate", 1, {k}, NULL, NULL, 0, 0});
}

// ".x" and so on, for the names of columns; a sensor with one number has none.
static bool add_sensor(result_table *table, const ph_sensor_info *s, arena *memory)
{
    const char **columns = arena_alloc_array(memory, (size_t)s->count, sizeof *columns);
    for (int k = 0; columns && k < s->count; k++) {
        const size_t room = strlen(s->columns[k]) + 2;
        char *text = arena_alloc(memory, room);
        if (!text) return false;
        snprintf(text, room, "%s%s", *s->columns[k] ? "." : "", s->columns[k]);
        columns[k] = text;
    }
    const bool one = s->count == 1;
    add_field(table, (result_field){"sensors", NULL, s->name, one ? 0 : 1, {s->count}, NULL, columns, 0, 0});
    return columns;
}

static bool add_sensors(result_table *table, arena *memory)
{
    bool good = true;
    for (int i = 0; good && i < ph_model_sensors(table->model); i++) {
        const ph_sensor_info info = ph_model_sensor(table->model, i);
        good = add_sensor(table, &info, memory);
    }
    return good;
}

// fill_row puts the same quantities in the same order.
static bool make_table(result_table *table, arena *memory)
{
    enum { OTHER_FIELDS = 16, JOINT_FIELDS = 4 };
    const ph_model *model = table->model;
    const size_t count = OTHER_FIELDS + JOINT_FIELDS * (size_t)model->joint_count + (size_t)ph_model_sensors(model);
    table->fields = arena_alloc_array(memory, count, sizeof *table->fields);
    if (!table->fields) {
        return false;
    }
    add_scalar(table, NULL, "time");
    add_of_bodies(table, "position", 3, position_columns);
    add_of_bodies(table, "orientation", 4, orientation_columns);
    add_of_bodies(table, "velocity", 3, velocity_columns);
    add_of_bodies(table, "angular_velocity", 3, angular_columns);
    add_scalar(table, "energy", "kinetic");
    add_scalar(table, "energy", "potential");
    add_scalar(table, "energy", "work");
    add_scalar(table, "energy", "total");
    add_vector(table, "momentum", NULL, "linear");
    add_vector(table, "momentum", NULL, "angular");
    add_scalar(table, "violation", "position");
    add_scalar(table, "violation", "velocity");
    if (model->has_contact) {
        add_scalar(table, "contact", "solver");
    }
    for (int i = 0; i < model->joint_count; i++) {
        add_joint(table, &model->joints[i]);
    }
    if (model->record.stress_count > 0) {
        add_of_stress(table, "stress", stress_columns);
        if (table->def->multipliers) {
            add_of_stress(table, "multiplier", multiplier_columns);
        }
        if (table->def->quaternions) {
            add_quaternions(table);
        }
    }
    return add_sensors(table, memory);
}

static double *put(double *to, const void *doubles, size_t count)
{
    memcpy(to, doubles, count * sizeof *to);
    return to + count;
}

// Where the reactions have no solution the row says not-a-number.
static void find_reactions(ph_result_writer *writer, const ph_state *state, ph_observer *observer)
{
    const int count = writer->table.model->joint_count;
    if (count > 0 && ph_observer_dynamics(observer, state, NULL, writer->reactions) != PH_OK) {
        const ph_vec3 none = {(double)NAN, (double)NAN, (double)NAN};
        for (int i = 0; i < count; i++) {
            writer->reactions[i] = (ph_wrench){none, none};
        }
    }
}

static double *put_of_stress(const ph_model *model, double *to, const ph_mat3 *of_bodies)
{
    for (int i = 0; i < model->record.stress_count; i++) {
        to = put(to, &of_bodies[model->record.stress[i]], 9);
    }
    return to;
}

// Where the stress is not known the row says not-a-number.
static void fill_unknown(ph_mat3 *of_bodies, int count)
{
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 9; k++) {
            of_bodies[i].m[k / 3][k % 3] = (double)NAN;
        }
    }
}

static double *put_quaternions(const ph_model *model, double *to, const ph_quaternion *of_bodies)
{
    const double none = (double)NAN;
    const ph_quaternion unknown = {{none, none, none, none}, none};
    for (int i = 0; i < model->record.stress_count; i++) {
        to = put(to, of_bodies ? &of_bodies[model->record.stress[i]] : &unknown, 5);
    }
    return to;
}

// Returns where the next quantity stands.
static double *fill_stress(ph_result_writer *writer, const ph_state *state, ph_observer *observer, result_extras extras,
                           double *to)
{
    const ph_mat3 *multipliers = extras.multipliers;
    const ph_model *model = writer->table.model;
    if (ph_observer_stress(observer, state, writer->stress) != PH_OK) {
        fill_unknown(writer->stress, model->body_count);
    }
    to = put_of_stress(model, to, writer->stress);
    if (writer->def.multipliers) {
        if (!multipliers) {
            fill_unknown(writer->stress, model->body_count);
        }
        to = put_of_stress(model, to, multipliers ? multipliers : writer->stress);
    }
    if (writer->def.quaternions) {
        to = put_quaternions(model, to, extras.quaternions);
    }
    return to;
}

static void fill_row(ph_result_writer *writer, const ph_state *state, ph_observer *observer,
                     const ph_measures *measures, result_extras extras, double *to)
{
    const ph_model *model = writer->table.model;
    const size_t bodies = (size_t)model->body_count;
    to = put(to, &state->time, 1);
    to = put(to, state->position, 3 * bodies);
    to = put(to, state->orientation, 4 * bodies);
    to = put(to, state->velocity, 3 * bodies);
    to = put(to, state->angular_velocity, 3 * bodies);
    to = put(to, &measures->kinetic, 1);
    to = put(to, &measures->potential, 1);
    to = put(to, &measures->work, 1);
    to = put(to, &measures->total, 1);
    to = put(to, &measures->linear, 3);
    to = put(to, &measures->angular, 3);
    to = put(to, &measures->position_violation, 1);
    to = put(to, &measures->velocity_violation, 1);
    if (model->has_contact) {
        *to++ = state->contact_solver;
    }

    find_reactions(writer, state, observer);
    for (int i = 0; i < model->joint_count; i++) {
        const int k = model->joints[i].coordinate_count;
        to = put(to, &writer->reactions[i].force, 3);
        to = put(to, &writer->reactions[i].torque, 3);
        if (k > 0) {
            ph_observer_joint(observer, state, i, to, to + k);
        }
        to += 2 * k;
    }
    if (model->record.stress_count > 0) {
        to = fill_stress(writer, state, observer, extras, to);
    }
    if (ph_model_sensors(model) > 0) {
        ph_observer_sensors(observer, state, to);
    }
}

// ---- The writer -----------------------------------------------------------------------------------------------------

ph_status result_find_format(const char *path, const result_format **format, ph_error *error)
{
    const size_t length = strlen(path);
    char known[128] = "";
    for (int i = 0; i < FORMAT_COUNT; i++) {
        const char *ending = formats[i].ending;
        const size_t n = strlen(ending);
        if (length > n && strcasecmp(path + length - n, ending) == 0) {
            *format = formats[i].format;
            return *format
                       ? PH_OK
                       : error_set(
                             error, PH_NOT_SUPPORTED,
                             "cannot write '%s': this build cannot write %s files (it was made without HDF5); .csv works",
                             path, ending);
        }
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? " or " : "", ending);
    }
    return error_set(error, PH_BAD_ARGUMENT, "cannot tell the format of '%s' by its ending: it must end with %s", path,
                     known);
}

static ph_status make_buffers(ph_result_writer *writer, ph_error *error)
{
    const ph_model *model = writer->table.model;
    if (!make_table(&writer->table, writer->memory)) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    const size_t row_bytes = writer->table.width * sizeof *writer->batch;
    size_t rows = BATCH_BYTES / row_bytes > BATCH_ROWS_MIN ? BATCH_BYTES / row_bytes : BATCH_ROWS_MIN;
    if (rows * row_bytes > BATCH_BYTES_MAX) {
        rows = row_bytes < BATCH_BYTES_MAX ? BATCH_BYTES_MAX / row_bytes : 1;
    }
    if ((long long)rows > writer->def.rows) {
        rows = (size_t)writer->def.rows;
    }
    writer->batch_rows = (int)rows;
    writer->batch = arena_alloc_array(writer->memory, rows, row_bytes);
    writer->reactions = arena_alloc_array(writer->memory, (size_t)model->joint_count, sizeof *writer->reactions);
    writer->stress = arena_alloc_array(writer->memory, (size_t)model->body_count + 1, sizeof *writer->stress);
    return writer->batch && writer->reactions && writer->stress ? PH_OK
                                                                : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
}

// The format whose results hold contacts; NULL in a build without it.
static const result_format *hdf5_format(void)
{
#ifdef PH_WITH_HDF5
    return &result_hdf5;
#else
    return NULL;
#endif
}

// kept < 0: a new file.
static ph_status create(ph_result_writer *writer, long long kept, ph_error *error)
{
    const ph_result_def *def = &writer->def;
    if ((!def->path && !def->recording) || !def->scheme || def->rows < 1) {
        return error_set(error, PH_BAD_ARGUMENT, "a result needs a path, the name of a scheme and at least one row");
    }
    writer->format = &result_memory;
    ph_status status = def->recording ? PH_OK : result_find_format(def->path, &writer->format, error);
    if (status == PH_OK) {
        status = make_buffers(writer, error);
    }
    if (status != PH_OK) {
        return status;
    }
    writer->written = kept > 0 ? kept : 0;
    if (writer->table.model->has_contact && writer->table.model->record.contacts && writer->format == hdf5_format()) {
        status = contact_record_open(def->path, kept, writer->memory, &writer->contacts, error);
        if (status != PH_OK) {
            return status;
        }
    }
    return kept < 0 ? writer->format->create(&writer->table, writer->memory, &writer->self, error)
                    : writer->format->resume(&writer->table, writer->memory, kept, &writer->self, error);
}

static ph_status open_writer(const ph_model *model, const ph_result_def *def, long long kept, ph_result_writer **result,
                             ph_error *error)
{
    *result = NULL;
    arena *memory = arena_create(&model->allocator);
    ph_result_writer *writer = memory ? arena_alloc(memory, sizeof *writer) : NULL;
    if (!writer) {
        arena_destroy(memory);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    writer->memory = memory;
    writer->def = *def;
    writer->def.path = arena_copy_string(memory, def->path);
    writer->def.scheme = arena_copy_string(memory, def->scheme);
    writer->table.model = model;
    writer->table.def = &writer->def;
    writer->last_write = clock_seconds();
    const ph_status status = create(writer, kept, error);
    if (status == PH_OK) {
        *result = writer;
    } else {
        if (kept < 0)
            contact_record_discard(writer->contacts);
        else
            contact_record_close(writer->contacts, false, NULL, NULL);
        arena_destroy(memory);
    }
    return status;
}

ph_status ph_result_create(const ph_model *model, const ph_result_def *def, ph_result_writer **result, ph_error *error)
{
    if (!model || !def || !result) {
        return error_set(error, PH_BAD_ARGUMENT,
                         "ph_result_create needs a model, a definition and a place for the writer");
    }
    return open_writer(model, def, -1, result, error);
}

ph_status ph_result_resume(const ph_model *model, const ph_result_def *def, long long rows, ph_result_writer **result,
                           ph_error *error)
{
    if (!model || !def || !result || rows < 0 || rows > def->rows) {
        return error_set(error, PH_BAD_ARGUMENT,
                         "ph_result_resume needs a model, a definition and how many of its rows to keep");
    }
    return open_writer(model, def, rows, result, error);
}

static bool batch_is_due(const ph_result_writer *writer)
{
    return writer->waiting == writer->batch_rows || clock_seconds() - writer->last_write > LONGEST_WAIT;
}

ph_status result_append(ph_result_writer *writer, const ph_state *state, ph_observer *observer,
                        const ph_measures *measures, result_extras extras, ph_error *error)
{
    if (writer->failed) {
        return error_set(error, PH_IO, "writing '%s' has failed before", writer->def.path);
    }
    if (writer->written + writer->waiting >= writer->def.rows) {
        return error_set(error, PH_BAD_ARGUMENT, "'%s' was made for %lld rows", writer->def.path, writer->def.rows);
    }
    fill_row(writer, state, observer, measures, extras, writer->batch + (size_t)writer->waiting * writer->table.width);
    writer->waiting++;
    const ph_status status = writer->contacts ? contact_record_append(writer->contacts, state, error) : PH_OK;
    writer->failed = status != PH_OK;
    return status == PH_OK && batch_is_due(writer) ? ph_result_flush(writer, error) : status;
}

ph_status ph_result_append(ph_result_writer *writer, const ph_state *state, ph_observer *observer, ph_error *error)
{
    if (!writer || !state || !observer) {
        return error_set(error, PH_BAD_ARGUMENT, "ph_result_append needs a writer, a state and an observer");
    }
    ph_measures measures;
    ph_observer_measure(observer, state, &measures);
    return result_append(writer, state, observer, &measures, (result_extras){NULL, NULL}, error);
}

ph_status ph_result_flush(ph_result_writer *writer, ph_error *error)
{
    if (!writer) {
        return error_set(error, PH_BAD_ARGUMENT, "there is no writer");
    }
    if (writer->waiting == 0 || writer->failed) {
        return PH_OK;
    }
    ph_status status = writer->contacts ? contact_record_flush(writer->contacts, error) : PH_OK;
    if (status == PH_OK) {
        status = writer->format->write(writer->self, writer->batch, writer->written, writer->waiting, error);
    }
    writer->failed = status != PH_OK;
    writer->written += writer->failed ? 0 : writer->waiting;
    writer->waiting = 0;
    writer->last_write = clock_seconds();
    return status;
}

ph_status ph_result_sync(ph_result_writer *writer, ph_error *error)
{
    ph_status status = ph_result_flush(writer, error);
    // First the contacts: a row of the result whose contacts are not there could not be continued.
    if (status == PH_OK) status = contact_record_sync(writer->contacts, error);
    return status == PH_OK ? writer->format->sync(writer->self, error) : status;
}

long long ph_result_appended(const ph_result_writer *writer)
{
    return writer ? writer->written + writer->waiting : 0;
}

ph_status ph_result_close(ph_result_writer *writer, ph_error *error)
{
    if (!writer) {
        return PH_OK;
    }
    const ph_status flushed = ph_result_flush(writer, error);
    ph_status closed = writer->format->close(writer->self, flushed == PH_OK ? error : NULL);
    const bool good = flushed == PH_OK && closed == PH_OK;
    const bool complete = good && writer->written == writer->def.rows;
    const ph_status moved = contact_record_close(writer->contacts, complete, writer->def.path, good ? error : NULL);
    closed = closed != PH_OK ? closed : moved;
    arena_destroy(writer->memory);
    return flushed != PH_OK ? flushed : closed;
}
