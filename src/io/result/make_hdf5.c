// What the helper is asked to make when a result is written: everything but the numbers. See hdf5.c, helper.h.
//
// Names of joints become names of groups. A model takes no '/' in them; the name ".", which HDF5 gives a meaning of its
// own, is written "%2E". The attributes `bodies` and `joints` of the file hold the names as they are, in the order of the
// model.

#include "io/result/hdf5_writer.h"
#include "io/result/helper.h"
#include "io/result/recipe.h"

#include "base/error.h"
#include "base/system.h"
#include "model/model.h"
#include "polhode/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESULT_VERSION = 1, PATH_ROOM = 64 };

// ---- Names ----------------------------------------------------------------------------------------------------------

// "/joints/<object>/force"
static const char *make_path(hdf5_writer *writer, const result_field *field)
{
    const char *object = field->object && strcmp(field->object, ".") == 0 ? "%2E" : field->object;
    const char *name = strcmp(field->name, ".") == 0 ? "%2E" : field->name;
    snprintf(writer->path, writer->path_room, "%s%s%s%s/%s", field->group ? "/" : "", field->group ? field->group : "",
             object ? "/" : "", object ? object : "", name);
    return writer->path;
}

static size_t find_path_room(const result_table *table)
{
    size_t longest = 0;
    for (int i = 0; i < table->field_count; i++) {
        const char *object = table->fields[i].object;
        const size_t length = (object ? strlen(object) : 0) + strlen(table->fields[i].name);
        longest = length > longest ? length : longest;
    }
    return longest + PATH_ROOM;
}

// ---- The recipe -----------------------------------------------------------------------------------------------------

static void put_dataset(parcel *r, const char *path, recipe_type type, const long long *size, int rank)
{
    parcel_put_int(r, RECIPE_DATASET);
    parcel_put_text(r, path);
    parcel_put_int(r, type);
    parcel_put_int(r, rank);
    for (int i = 0; i < rank; i++) parcel_put_number(r, size[i]);
}

// `of`: the path of a dataset, "" for the file.
static void put_attribute(parcel *r, const char *of, const char *name, recipe_type type, bool is_list)
{
    parcel_put_int(r, RECIPE_ATTRIBUTE);
    parcel_put_text(r, of);
    parcel_put_text(r, name);
    parcel_put_int(r, type);
    parcel_put_int(r, is_list);
}

static void put_text(parcel *r, const char *name, const char *text)
{
    put_attribute(r, "", name, RECIPE_TEXT, false);
    parcel_put_texts(r, &text, 1);
}

static void put_names(parcel *r, const char *of, const char *name, const char *const *list, int count)
{
    put_attribute(r, of, name, RECIPE_TEXT, true);
    parcel_put_texts(r, list, count);
}

static void put_value(parcel *r, const char *name, recipe_type type, const void *value, size_t bytes)
{
    put_attribute(r, "", name, type, false);
    parcel_put_int(r, 1);
    parcel_put(r, value, bytes);
}

// ---- What a result file holds -----------------------------------------------------------------------------------------

// A dataset of some bodies names them, and their volumes (m^3; 0: not known): integral / volume is the mean.
static void put_bodies_of(parcel *r, hdf5_writer *writer, const result_field *field)
{
    const ph_model *model = writer->table->model;
    const int count = field->shape[0];
    for (int i = 0; i < count; i++) writer->names[i] = model->bodies[field->bodies[i]].name;
    put_names(r, make_path(writer, field), "bodies", writer->names, count);
    put_attribute(r, writer->path, "volume", RECIPE_DOUBLE, true);
    parcel_put_int(r, count);
    for (int i = 0; i < count; i++) parcel_put(r, &model->bodies[field->bodies[i]].kind->volume, sizeof(double));
}

static void put_field(parcel *r, hdf5_writer *writer, const result_field *field)
{
    const long long size[RECIPE_RANK_MAX] = {writer->capacity, field->shape[0], field->shape[1], field->shape[2]};
    put_dataset(r, make_path(writer, field), RECIPE_DOUBLE, size, 1 + field->rank);
    if (field->bodies) put_bodies_of(r, writer, field);
}

static bool has_shape_files(const ph_model *model)
{
    for (int i = 0; i < model->body_count; i++) {
        for (int k = 0; k < model->bodies[i].kind->shape_count; k++) {
            if (model->bodies[i].kind->shapes[k].file) {
                return true;
            }
        }
    }
    return false;
}

// Where the files of shapes are that the model text names, for those who read it again.
static void put_folder(parcel *r, const ph_model *model)
{
    char *folder = has_shape_files(model) ? system_real_path(model->folder ? model->folder : ".") : NULL;
    if (folder) put_text(r, "folder", folder);
    free(folder);
}

// What the numbers of /contact/solver mean.
static void put_solvers(parcel *r)
{
    const char *names[PH_CONTACT_SOLVERS];
    int count = 0;
    for (; count < PH_CONTACT_SOLVERS && ph_contact_solver_name(count); count++)
        names[count] = ph_contact_solver_name(count);
    put_names(r, "", "contact_solvers", names, count);
}

static void put_attributes(parcel *r, const result_table *table, const char **list)
{
    const ph_model *model = table->model;
    const int version = RESULT_VERSION;
    put_text(r, "format", "polhode result");
    put_value(r, "version", RECIPE_INT, &version, sizeof version);
    put_text(r, "scheme", table->def->scheme);
    put_value(r, "step", RECIPE_DOUBLE, &table->def->step, sizeof table->def->step);
    put_text(r, "quaternion_order", "wxyz");
    put_text(r, "name", model->name ? model->name : "");
    put_text(r, "model", model->text ? model->text : "");
    if (model->settings) put_text(r, "settings", model->settings);
    put_folder(r, model);
    for (int i = 0; i < model->body_count; i++) list[i] = model->bodies[i].name;
    put_names(r, "", "bodies", list, model->body_count);
    for (int i = 0; i < model->joint_count; i++) list[i] = model->joints[i].name;
    put_names(r, "", "joints", list, model->joint_count);
    if (model->has_contact) put_solvers(r);
}

static void put_recipe(parcel *r, hdf5_writer *writer)
{
    const result_table *table = writer->table;
    parcel_put_text(r, writer->file.temporary);
    put_dataset(r, "/rows", RECIPE_INT64, NULL, 0);
    put_attributes(r, table, writer->names);
    for (int i = 0; i < table->field_count; i++) put_field(r, writer, &table->fields[i]);
    parcel_put_int(r, RECIPE_END);
}

// Fills the open temporary file.
ph_status hdf5_make_file(hdf5_writer *writer, ph_error *error)
{
    enum { PATIENCE = 600 }; // s
    const size_t places = (size_t)writer->table->field_count * sizeof *writer->offsets;
    parcel recipe = {0};
    char *answer = NULL;
    size_t bytes = 0;
    put_recipe(&recipe, writer);
    ph_status status = helper_ask("make", &recipe, PATIENCE, places + 4096, &answer, &bytes);
    if (status != PH_OK) {
        return error_set(error, status == PH_OUT_OF_MEMORY ? status : PH_IO, "cannot write '%s': %s", writer->file.path,
                         helper_reason(status));
    }
    const char *reason = answer, *at = reason + strnlen(reason, bytes) + 1;
    if (*reason) {
        status = error_set(error, PH_IO, "cannot write '%s': %s", writer->file.path, reason);
    } else if (bytes != 1 + sizeof writer->rows_offset + places) {
        status = error_set(error, PH_IO, "cannot write '%s': %s", writer->file.path, helper_reason(PH_BAD_ARGUMENT));
    } else {
        memcpy(&writer->rows_offset, at, sizeof writer->rows_offset);
        memcpy(writer->offsets, at + sizeof writer->rows_offset, places);
    }
    mem_free(NULL, answer);
    return status;
}

// ---- The writer -----------------------------------------------------------------------------------------------------

hdf5_writer *hdf5_writer_create(const result_table *table, arena *memory, ph_error *error)
{
    const ph_model *model = table->model;
    const size_t bodies = (size_t)model->body_count, joints = (size_t)model->joint_count;
    hdf5_writer *writer = arena_alloc(memory, sizeof *writer);
    if (!writer) {
        error_set(error, PH_OUT_OF_MEMORY, "out of memory");
        return NULL;
    }
    *writer = (hdf5_writer){.table = table, .memory = memory, .path_room = find_path_room(table)};
    writer->file.descriptor = writer->held.descriptor = -1;
    writer->capacity = table->def->rows;
    writer->path = arena_alloc(memory, writer->path_room);
    writer->names = arena_alloc_array(memory, bodies > joints ? bodies : joints, sizeof *writer->names);
    writer->offsets = arena_alloc_array(memory, (size_t)table->field_count, sizeof *writer->offsets);
    if (!writer->path || !writer->names || !writer->offsets) {
        error_set(error, PH_OUT_OF_MEMORY, "out of memory");
        return NULL;
    }
    return writer;
}
