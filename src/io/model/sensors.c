// Sensors. Which keys a sensor takes is written in its type (sensors/sensor.h).

#include "io/model/reader.h"
#include "sensors/sensor.h"

#include <stdio.h>
#include <string.h>

typedef struct sensor_form {
    ph_sensor_def def;
    ph_value value;
    bool has_value;
} sensor_form;

static bool read_sensor_site(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    ph_sensor_def *def = &((sensor_form *)to)->def;
    const ph_site_def *site = NULL;
    if (!node_site(r, n, &site)) return false;
    def->body = site->body;
    def->position = site->position;
    def->orientation = site->orientation;
    return true;
}

static bool read_actuator(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    return node_named(r, n, "actuator", &r->actuator_names, r->actuator_count, to);
}

static bool read_sensor_limits(reader *r, const node *n, const field *f, void *to)
{
    (void)f;
    ph_sensor_def *d = &((sensor_form *)to)->def;
    bool has_low = false, has_high = false;
    double low = 0.0, high = 0.0;
    if (!read_bounds(r, n, &has_low, &low, &has_high, &high)) return false;
    if (has_low) d->limit_low = low;
    if (has_high) d->limit_high = high;
    return true;
}

#define SENSOR(member) FIELD_AT(sensor_form, def.member)

static const field sensor_fields[] = {
    {"name", read_text, SENSOR(name), FIELD_REQUIRED},
    {"type", read_later, FIELD_WHOLE, FIELD_REQUIRED},
    {"site", read_sensor_site, FIELD_WHOLE, .takers = SENSOR_FRAME, .form = "text"},
    {"body", read_body, SENSOR(body), .takers = SENSOR_FRAME | SENSOR_BODY},
    {"position", read_vector, SENSOR(position), .takers = SENSOR_FRAME},
    {"orientation", read_orientation, SENSOR(orientation), .takers = SENSOR_FRAME},
    {"other", read_body, SENSOR(other), .takers = SENSOR_BODY},
    {"joint", read_joint, SENSOR(joint), .takers = SENSOR_JOINT, .needers = SENSOR_JOINT},
    {"tendon", read_tendon, SENSOR(tendon), .takers = SENSOR_TENDON, .needers = SENSOR_TENDON, .form = "text"},
    {"actuator", read_actuator, SENSOR(actuator), .takers = SENSOR_ACTUATOR, .needers = SENSOR_ACTUATOR,
     .form = "text"},
    {"time", read_number, SENSOR(time), .takers = SENSOR_TIME, .needers = SENSOR_TIME, .rule = NOT_NEGATIVE},
    {"limits", read_sensor_limits, FIELD_WHOLE, .takers = SENSOR_LIMITS, .form = "limits"},
    {"range", read_number, SENSOR(range), .takers = SENSOR_RANGE, .rule = NOT_NEGATIVE},
    {"value", read_value, FIELD_AT(sensor_form, value), FIELD_GIVEN(sensor_form, has_value), .takers = SENSOR_VALUE,
     .needers = SENSOR_VALUE},
    {0},
};

static const char *sensor_type_name(int index, uint32_t *kind)
{
    *kind = sensor_types[index] ? sensor_types[index]->keys : 0;
    return sensor_types[index] ? sensor_types[index]->name : NULL;
}

const part_table sensor_table = {"sensor", "sensors", sensor_fields, sensor_type_name,
                                 .about = "Measures: recorded in every result, known to expressions."};

static const sensor_type *find_type(reader *r, const node *n)
{
    const char *words[64] = {0};
    int count = 0, type = -1;
    for (; sensor_types[count] && count < 63; count++) words[count] = sensor_types[count]->name;
    const node *given = node_or_default(r, n, "sensors", "type");
    if (!given) {
        fail(r, n, hint_words("", words, count, "type is one of").text, "a sensor needs the key 'type'");
        return NULL;
    }
    return node_choice(r, given, "sensor type", words, &type) ? sensor_types[type] : NULL;
}

// A frame: a site, or a body with a place on it. Places in the world go with the part.
static void settle_frame(reader *r, const node *n, const sensor_type *type, ph_sensor_def *def)
{
    const node *site = node_or_default(r, n, "sensors", "site"), *body = node_find(n, "body");
    if (!(type->keys & (SENSOR_FRAME | SENSOR_BODY))) return;
    if (!site && def->body == PH_NONE && !body)
        fail(r, n, type->keys & SENSOR_FRAME ? "site: name, or body: name" : "body: name", "%s %s needs a body",
             strchr("aeiou", type->name[0]) ? "an" : "a", type->name);
    for (int k = 0; site && k < 3; k++) {
        static const char *const keys[] = {"body", "position", "orientation"};
        if (node_find(n, keys[k]))
            fail(r, node_find(n, keys[k]), NULL, "the site says already what '%s' says", keys[k]);
    }
    const part_pose *pose = !site && def->body == PH_WORLD ? scope_pose(n->scope) : NULL;
    def->position = pose_point(pose, def->position);
    def->orientation = pose ? ph_quat_mul(pose->orientation, def->orientation) : def->orientation;
}

static void read_sensor_map(reader *r, const node *n, const sensor_type *type, sensor_form *form)
{
    char what[64], number[32];
    snprintf(what, sizeof what, "%s %s", strchr("aeiou", type->name[0]) ? "an" : "a", type->name);
    form->def.type = type->name;
    read_map(r, n, &(schema){what, sensor_fields, type->keys, "sensors", type->name}, form);
    settle_frame(r, n, type, &form->def);
    if (!form->has_value) return;
    number_text(form->value.number, number);
    form->def.expression =
        form->value.expression ? form->value.expression : arena_copy_string(r->document->memory, number);
}

static bool read_one_sensor(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    sensor_form form = {.def = ph_default_sensor()};
    const sensor_type *type = n->kind == NODE_MAP ? find_type(r, n) : NULL;
    if (n->kind != NODE_MAP) fail_kind(r, n, "a sensor");
    if (type) read_sensor_map(r, n, type, &form);
    const bool added = ph_spec_add_sensor(r->spec, &form.def) >= 0;
    r->out_of_memory = r->out_of_memory || !added;
    return added;
}

bool read_sensors_part(reader *r, const node *n, const field *f, void *to)
{
    (void)f, (void)to;
    return read_elements(r, n, read_one_sensor, offsetof(ph_spec, sensor_count));
}

// sensor.<name> or sensor.<name>.<component>, <name> as the whole model calls it; NULL: there is no such sensor.
const char *sensor_name_in_model(const reader *r, const scope *s, const char *name, char room[SCOPE_NAME_MAX + 8])
{
    char inner[SCOPE_NAME_MAX + 1], base[SCOPE_NAME_MAX + 1];
    const char *full = scope_resolve(s, name, inner), *dot = strrchr(name, '.');
    if (names_find(&r->sensor_names, full) >= 0) {
        snprintf(room, SCOPE_NAME_MAX + 8, "sensor.%s", full);
        return room;
    }
    if (!dot || (size_t)(dot - name) >= sizeof base) return NULL;
    snprintf(base, sizeof base, "%.*s", (int)(dot - name), name);
    full = scope_resolve(s, base, inner);
    if (names_find(&r->sensor_names, full) < 0 || strlen(full) >= SCOPE_NAME_MAX / 2 ||
        strlen(dot) >= SCOPE_NAME_MAX / 2)
        return NULL;
    snprintf(room, SCOPE_NAME_MAX + 8, "sensor.%.*s%s", SCOPE_NAME_MAX / 2, full, dot);
    return room;
}
