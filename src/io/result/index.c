// Packing and unpacking the index of a result.

#include "io/result/index.h"

#include "base/error.h"

#include <string.h>

static void put_array(parcel *p, const result_array *array)
{
    const unsigned char has_volume = array->info.body_volume != NULL;
    parcel_put(p, array, sizeof *array); // its pointers mean nothing any more
    parcel_put_text(p, array->info.name);
    parcel_put_text(p, array->path);
    parcel_put(p, array->info.body, (size_t)array->info.bodies * sizeof *array->info.body);
    parcel_put(p, &has_volume, sizeof has_volume);
    parcel_put(p, array->info.body_volume, has_volume ? (size_t)array->info.bodies * sizeof(double) : 0);
}

void result_pack(const ph_result *result, ph_status status, const ph_error *error, parcel *p)
{
    parcel_put(p, &status, sizeof status);
    if (status != PH_OK) {
        parcel_put_text(p, error->text);
        return;
    }
    parcel_put_text(p, result->name);
    parcel_put_text(p, result->scheme);
    parcel_put_text(p, result->text);
    parcel_put_text(p, result->settings);
    parcel_put_text(p, result->folder);
    parcel_put(p, &result->step, sizeof result->step);
    parcel_put(p, &result->rows, sizeof result->rows);
    parcel_put(p, &result->capacity, sizeof result->capacity);
    parcel_put(p, &result->rows_offset, sizeof result->rows_offset);
    parcel_put_texts(p, result->bodies, result->body_count);
    parcel_put_texts(p, result->joints, result->joint_count);
    parcel_put_int(p, result->array_count);
    for (int i = 0; i < result->array_count; i++) {
        put_array(p, &result->arrays[i]);
    }
}

static void take_array(opener *o, ph_result *result)
{
    result_array packed;
    unsigned char has_volume;
    take(o, &packed, sizeof packed);
    o->failed = o->failed || packed.info.bodies < 0;
    result_array *array = o->failed ? NULL : result_add_array(result, take_text(o), packed.info.joint);
    o->failed = o->failed || !array;
    if (o->failed) {
        return;
    }
    packed.info.name = array->info.name;
    packed.info.part = array->info.part;
    packed.of_contacts = strncmp(array->info.name, "contacts/", 9) == 0;
    packed.path = take_text(o);
    packed.info.body = take_block(o, (size_t)packed.info.bodies * sizeof(int));
    take(o, &has_volume, sizeof has_volume);
    packed.info.body_volume = has_volume ? take_block(o, (size_t)packed.info.bodies * sizeof(double)) : NULL;
    packed.values = NULL;
    *array = packed;
}

ph_status result_unpack(ph_result *result, const char *packed, size_t bytes, ph_error *error)
{
    opener o = {packed, packed + bytes, result->memory, false};
    ph_status status;
    take(&o, &status, sizeof status);
    if (status != PH_OK) {
        status = (unsigned)status < PH_STATUS_COUNT ? status : PH_BAD_ARGUMENT;
        const char *reason = take_text(&o);
        return *reason ? error_set(error, status, "%s", reason)
                       : error_set(error, PH_BAD_ARGUMENT, "'%s' is damaged", result->path);
    }
    result->name = take_text(&o);
    result->scheme = take_text(&o);
    result->text = take_text(&o);
    result->settings = take_text(&o);
    result->folder = take_text(&o);
    take(&o, &result->step, sizeof result->step);
    take(&o, &result->rows, sizeof result->rows);
    take(&o, &result->capacity, sizeof result->capacity);
    take(&o, &result->rows_offset, sizeof result->rows_offset);
    result->bodies = take_texts(&o, &result->body_count);
    result->joints = take_texts(&o, &result->joint_count);
    const int arrays = take_int(&o);
    for (int i = 0; i < arrays && !o.failed; i++) {
        take_array(&o, result);
    }
    return o.failed ? error_set(error, PH_BAD_ARGUMENT, "'%s' is damaged", result->path) : PH_OK;
}
