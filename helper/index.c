// What an HDF5 result holds and where. Links that leave the file are not followed.

#include "helper/quiet.h"
#include "helper/tasks.h"

#include "base/error.h"
#include "base/foreign.h"
#include "io/result/index.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { RESULT_VERSION = 1, RANK_MAX = 4 };

typedef struct indexer {
    result_reader reader;
    hid_t file;
} indexer;

// ---- Attributes -----------------------------------------------------------------------------------------------------

static hid_t open_attribute(hid_t of, const char *name)
{
    return H5Aexists(of, name) > 0 ? H5Aopen(of, name, H5P_DEFAULT) : H5I_INVALID_HID;
}

// `count` texts, of variable length or fixed.
static bool read_strings(indexer *x, hid_t attribute, hid_t type, int count, const char **to)
{
    char **texts = arena_alloc_array(x->reader.result->memory, (size_t)count, sizeof *texts);
    if (!texts) {
        return result_out_of_memory(&x->reader);
    }
    const hid_t text = H5Tcopy(H5T_C_S1);
    bool good = H5Tset_size(text, H5T_VARIABLE) >= 0 && H5Tset_cset(text, H5Tget_cset(type)) >= 0 &&
                H5Tis_variable_str(type) > 0 && H5Aread(attribute, text, texts) >= 0;
    foreign_wrote(texts, (size_t)count * sizeof *texts);
    for (int i = 0; i < count; i++) {
        foreign_wrote_text(texts[i]);
        to[i] = good ? arena_copy_string(x->reader.result->memory, texts[i] ? texts[i] : "") : "";
        H5free_memory(texts[i]);
        good = good && to[i];
    }
    H5Tclose(text);
    return good;
}

// All texts of an attribute; *list stays NULL when there is none.
static bool read_texts(indexer *x, hid_t of, const char *name, const char ***list, int *count)
{
    const hid_t attribute = open_attribute(of, name);
    if (attribute < 0) {
        return true;
    }
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const hssize_t points = H5Sget_simple_extent_npoints(space);
    bool good = H5Tget_class(type) == H5T_STRING && points >= 0 && points <= x->reader.bytes / 16; // 16 bytes for each
    if (good) {
        *count = (int)points;
        *list = arena_alloc_array(x->reader.result->memory, (size_t)points, sizeof **list);
        good = *list && read_strings(x, attribute, type, *count, *list);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return good || result_refuse(&x->reader, "is damaged: its attribute '%s' cannot be read", name);
}

static const char *read_text(indexer *x, const char *name)
{
    const char **list = NULL;
    int count = 0;
    return read_texts(x, x->file, name, &list, &count) && list && count == 1 ? list[0] : NULL;
}

static bool read_number(indexer *x, hid_t of, const char *name, int count, double *to)
{
    const hid_t attribute = open_attribute(of, name);
    if (attribute < 0) {
        return false;
    }
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const H5T_class_t class = H5Tget_class(type);
    const bool good = (class == H5T_FLOAT || class == H5T_INTEGER) && H5Sget_simple_extent_npoints(space) == count &&
                      H5Aread(attribute, H5T_NATIVE_DOUBLE, to) >= 0;
    foreign_wrote(to, (size_t)count * sizeof *to);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return good || result_refuse(&x->reader, "is damaged: its attribute '%s' cannot be read", name);
}

static bool read_identity(indexer *x)
{
    const char *format = read_text(x, "format");
    double version = 0.0;
    if (!format || strcmp(format, "polhode result") != 0) {
        return result_refuse(&x->reader, "is an HDF5 file, but not a result of polhode");
    }
    if (!read_number(x, x->file, "version", 1, &version)) {
        return result_refuse(&x->reader, "is damaged: it does not say its version");
    }
    if (version != RESULT_VERSION) {
        x->reader.status = error_set(x->reader.error, PH_NOT_SUPPORTED,
                                     "'%s' has version %.17g of the format; this program reads version %d",
                                     x->reader.result->path, version, RESULT_VERSION);
        return false;
    }
    return true;
}

static bool read_attributes(indexer *x)
{
    ph_result *r = x->reader.result;
    const char *const order = read_text(x, "quaternion_order"), *name = read_text(x, "name");
    const char *const scheme = read_text(x, "scheme"), *text = read_text(x, "model");
    const char *const settings = read_text(x, "settings"), *folder = read_text(x, "folder");
    if (!order || strcmp(order, "wxyz") != 0) {
        return result_refuse(&x->reader, "is damaged: it does not say that quaternions are w, x, y, z");
    }
    if (!read_number(x, x->file, "step", 1, &r->step) ||
        !read_texts(x, x->file, "bodies", &r->bodies, &r->body_count) ||
        !read_texts(x, x->file, "joints", &r->joints, &r->joint_count) || !r->bodies || !r->joints) {
        return result_refuse(&x->reader, "is damaged: an attribute is missing (step, bodies or joints)");
    }
    r->name = name ? name : "";
    r->scheme = scheme ? scheme : "";
    r->text = text ? text : "";
    r->settings = settings ? settings : "";
    r->folder = folder ? folder : "";
    return x->reader.status == PH_OK;
}

// ---- Arrays ---------------------------------------------------------------------------------------------------------

static stored_as find_kind(hid_t dataset, hid_t type)
{
    const hid_t plist = H5Dget_create_plist(dataset);
    const bool plain = H5Pget_layout(plist) == H5D_CONTIGUOUS && H5Pget_external_count(plist) == 0;
    H5Pclose(plist);
    if (!plain) {
        return STORED_OTHERWISE;
    }
    return H5Tequal(type, H5T_NATIVE_DOUBLE) > 0  ? STORED_DOUBLE
           : H5Tequal(type, H5T_NATIVE_INT32) > 0 ? STORED_INT32
           : H5Tequal(type, H5T_NATIVE_INT64) > 0 ? STORED_INT64
                                                  : STORED_OTHERWISE;
}

// Data that lies in another file is not read.
static bool stays_inside(hid_t dataset)
{
    const hid_t plist = H5Dget_create_plist(dataset);
    const bool inside = H5Pget_external_count(plist) == 0 && H5Pget_layout(plist) != H5D_VIRTUAL;
    H5Pclose(plist);
    return inside;
}

static bool set_shape(result_array *array, const hsize_t *size, int rank)
{
    array->info.rank = rank - 1;
    array->info.width = 1;
    array->room = (long long)size[0];
    for (int i = 1; i < rank; i++) {
        if (size[i] > INT_MAX || (size[i] && array->info.width > (size_t)(INT_MAX / size[i]))) {
            return false;
        }
        array->info.shape[i - 1] = (int)size[i];
        array->info.width *= (size_t)size[i];
    }
    return size[0] < (hsize_t)1 << 48;
}

// Where its values lie; a dataset that was never written has no place.
static void place_array(result_array *array, hid_t dataset)
{
    const bool empty = array->room == 0 || array->info.width == 0;
    const haddr_t address = empty || array->kind == STORED_OTHERWISE ? 0 : H5Dget_offset(dataset);
    if (address == HADDR_UNDEF) {
        array->kind = STORED_OTHERWISE;
    }
    array->offset = (long long)address;
}

// Names come in the order of the bodies: the search goes on where the last one ended.
static int find_body(const ph_result *r, const char *name, int from)
{
    for (int i = 0; i < r->body_count; i++) {
        const int body = (from + i) % r->body_count;
        if (strcmp(name, r->bodies[body]) == 0) {
            return body;
        }
    }
    return PH_NONE;
}

// Which bodies the first dimension of a row runs over: those that the dataset names, or all.
static bool find_bodies(indexer *x, result_array *array, hid_t dataset)
{
    ph_result *r = x->reader.result;
    const char **names = NULL;
    int count = 0;
    if (!read_texts(x, dataset, "bodies", &names, &count)) {
        return false;
    }
    const int expected = names ? count : r->body_count;
    int *body = arena_alloc_array(r->memory, (size_t)expected, sizeof *body);
    double *volume = arena_alloc_array(r->memory, (size_t)expected, sizeof *volume);
    if (!body || !volume) {
        return result_out_of_memory(&x->reader);
    }
    if (array->info.shape[0] != expected) {
        return result_refuse(&x->reader, "is damaged: '%s' is not of %d bodies", array->info.name, expected);
    }
    for (int i = 0; i < expected; i++) {
        body[i] = names ? find_body(r, names[i], i > 0 ? body[i - 1] + 1 : 0) : i;
        if (body[i] == PH_NONE) {
            return result_refuse(&x->reader, "is damaged: '%s' is of a body '%s' that there is not", array->info.name,
                                 names[i]);
        }
    }
    array->info.bodies = expected;
    array->info.body = body;
    array->info.body_volume = names && read_number(x, dataset, "volume", count, volume) ? volume : NULL;
    return x->reader.status == PH_OK;
}

static bool add_dataset(indexer *x, hid_t dataset, const char *path, const char *name, int joint)
{
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    const H5T_class_t class = H5Tget_class(type);
    const int rank = H5Sget_simple_extent_ndims(space);
    hsize_t size[RANK_MAX] = {0};
    bool good = true;
    if ((class == H5T_FLOAT || class == H5T_INTEGER) && rank >= 1 && rank <= RANK_MAX && stays_inside(dataset)) {
        H5Sget_simple_extent_dims(space, size, NULL);
        foreign_wrote(size, sizeof size);
        result_array *array = result_add_array(x->reader.result, name, joint);
        good = array || result_out_of_memory(&x->reader);
        if (good) {
            array->kind = find_kind(dataset, type);
            array->path = arena_copy_string(x->reader.result->memory, path);
            good = array->path ? set_shape(array, size, rank) ||
                                     result_refuse(&x->reader, "is damaged: '%s' is too large", name)
                               : result_out_of_memory(&x->reader);
        }
        if (good) {
            place_array(array, dataset);
        }
        if (good && joint == PH_NONE && !strchr(name, '/') && rank >= 3) {
            good = find_bodies(x, array, dataset);
        }
    }
    H5Sclose(space);
    H5Tclose(type);
    return good;
}

// ---- The tree of the file -------------------------------------------------------------------------------------------

typedef struct branch {
    indexer *x;
    const char *path, *name; // of this group: "/joints/%2E", "joints/."
    int depth, joint;
} branch;

static bool add_group(indexer *x, hid_t group, branch of);

// "a/b", or b when a is empty and `always` is not asked for; NULL when out of memory.
static const char *join(indexer *x, const char *a, const char *b, bool always)
{
    const size_t size = strlen(a) + strlen(b) + 2;
    char *text = arena_alloc(x->reader.result->memory, size);
    if (text) {
        snprintf(text, size, "%s%s%s", a, always || *a ? "/" : "", b);
    } else {
        result_out_of_memory(&x->reader);
    }
    return text;
}

static bool add_object(const branch *parent, hid_t group, const char *link)
{
    indexer *x = parent->x;
    const char *path = join(x, parent->path, link, true), *name = join(x, parent->name, link, false);
    if (!path || !name) {
        return false;
    }
    const hid_t object = H5Oopen(group, link, H5P_DEFAULT);
    bool good = object >= 0 || result_refuse(&x->reader, "is damaged: '%s' cannot be read", name);
    const H5I_type_t type = good ? H5Iget_type(object) : H5I_BADID;
    if (type == H5I_DATASET) {
        good = add_dataset(x, object, path, name, parent->joint);
    } else if (type == H5I_GROUP && parent->depth == 0 && strcmp(link, "joints") != 0) {
        good = add_group(x, object, (branch){x, path, name, 1, PH_NONE});
    }
    if (object >= 0) {
        H5Oclose(object);
    }
    return good;
}

FOREIGN_CALLER static herr_t visit_link(hid_t group, const char *link, const H5L_info_t *info, void *user)
{
    foreign_wrote_text(link);
    const branch *parent = user;
    return info->type != H5L_TYPE_HARD || add_object(parent, group, link) ? 0 : -1;
}

static bool add_group(indexer *x, hid_t group, branch of)
{
    return H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, visit_link, &of) >= 0 ||
           result_refuse(&x->reader, "is damaged: '/%s' cannot be read", of.name);
}

// The file itself holds what the path leads to.
static bool is_hard_link(hid_t file, const char *path)
{
    H5L_info_t about = {0};
    const bool found = H5Lget_info(file, path, &about, H5P_DEFAULT) >= 0;
    foreign_wrote(&about, sizeof about);
    return found && about.type == H5L_TYPE_HARD;
}

static bool add_joint(indexer *x, int index)
{
    const char *joint = x->reader.result->joints[index];
    const char *path = join(x, "/joints", strcmp(joint, ".") == 0 ? "%2E" : joint, true);
    const char *name = join(x, "joints", joint, true);
    if (!path || !name) {
        return false;
    }
    const hid_t group = is_hard_link(x->file, path) ? H5Gopen2(x->file, path, H5P_DEFAULT) : H5I_INVALID_HID;
    if (group < 0) {
        return result_refuse(&x->reader, "is damaged: what belongs to joint '%s' is missing", joint);
    }
    const bool good = add_group(x, group, (branch){x, path, name, 2, index});
    H5Gclose(group);
    return good;
}

// Joints in the order of the model, not of their names.
static bool add_joints(indexer *x)
{
    bool good = true;
    for (int i = 0; good && i < x->reader.result->joint_count; i++) {
        good = add_joint(x, i);
    }
    return good;
}

// ---- All of it ------------------------------------------------------------------------------------------------------

static bool find_rows(indexer *x)
{
    const hid_t dataset = is_hard_link(x->file, "/rows") ? H5Dopen2(x->file, "/rows", H5P_DEFAULT) : H5I_INVALID_HID;
    if (dataset < 0) {
        return result_refuse(&x->reader, "is damaged: '/rows' is missing");
    }
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    long long rows = -1;
    bool good = H5Tget_class(type) == H5T_INTEGER && H5Sget_simple_extent_npoints(space) == 1 && stays_inside(dataset);
    good = good && H5Dread(dataset, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, &rows) >= 0;
    foreign_wrote(&rows, sizeof rows);
    if (good && find_kind(dataset, type) == STORED_INT64) {
        x->reader.result->rows_offset = (long long)H5Dget_offset(dataset);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dataset);
    x->reader.result->rows = rows;
    return good || result_refuse(&x->reader, "is damaged: '/rows' is not a whole number");
}

static void index_file(indexer *x)
{
    x->file = hdf5_open(x->reader.result->path);
    if (x->file < 0) {
        char reason[256];
        hdf5_reason(reason, "HDF5 cannot open it");
        result_refuse(&x->reader, "is damaged: %s", reason);
        return;
    }
    if (read_identity(x) && read_attributes(x) && add_group(x, x->file, (branch){x, "", "", 0, PH_NONE}) &&
        add_joints(x)) {
        find_rows(x);
    }
    H5Fclose(x->file);
}

// The request: the path, how many bytes the file has.
bool task_index(opener *request, parcel *answer)
{
    ph_error found = {.status = PH_OK};
    ph_result result = {.memory = request->memory, .path = take_text(request), .rows_offset = -1, .descriptor = -1};
    indexer x = {.reader = {.result = &result, .error = &found, .status = PH_OK}};
    x.reader.bytes = take_number(request);
    hdf5_enter();
    index_file(&x);
    hdf5_leave();
    result_pack(&result, x.reader.status, &found, answer);
    return !request->failed;
}
