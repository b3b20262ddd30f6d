// Sensors: what they look at. They come before joints and forces, whose expressions may ask for them.

#include "compile/compile.h"

#include "math/quat.h"
#include "sensors/sensor.h"

#include <string.h>

static const sensor_type *find_type(compiler *c, place where, const char *name)
{
    const char *known[64];
    int count = 0;
    for (; sensor_types[count] && count < 64; count++) {
        if (name && strcmp(sensor_types[count]->name, name) == 0) return sensor_types[count];
        known[count] = sensor_types[count]->name;
    }
    if (name)
        complain(c, place_key(where, "type"), hint_for(name, known, count).text, "there is no sensor type '%s'", name);
    else
        complain(c, where, "add type: accelerometer, gyro, ...", "the sensor has no type");
    return NULL;
}

// The index in the model, or PH_NONE after complaining. `world`: it may be the world.
static int find(compiler *c, place where, const char *key, int given, int count, bool world)
{
    if (world && given == PH_WORLD) return c->model->body_count;
    if (given >= 0 && given < count) return given;
    if (given == PH_NONE)
        complain(c, where, NULL, "the sensor has no %s", key);
    else
        complain(c, place_key(where, key), NULL, "there is no %s with index %d", key, given);
    return PH_NONE;
}

static void place_frame(compiler *c, place where, ph_sensor_def *def, sensor *s)
{
    check_finite3(c, where, "position", def->position);
    check_unit_quat(c, where, "orientation", &def->orientation);
    s->body = find(c, where, "body", def->body, c->model->body_count, true);
    if (s->body != PH_NONE) s->at = ph_sub(def->position, c->model->bodies[s->body].kind->com);
    s->turn = def->orientation;
}

static void place_sensor(compiler *c, place where, ph_sensor_def *def, sensor *s)
{
    const unsigned keys = s->type->keys;
    const ph_spec *spec = c->spec;
    if (keys & SENSOR_FRAME) place_frame(c, where, def, s);
    if (keys & SENSOR_BODY) {
        s->body = find(c, where, "body", def->body, c->model->body_count, true);
        if (def->other != PH_NONE) s->other = find(c, where, "other", def->other, c->model->body_count, true);
    }
    if (keys & SENSOR_JOINT) s->joint = find(c, where, "joint", def->joint, spec->joint_count, false);
    if (keys & SENSOR_TENDON) s->tendon = find(c, where, "tendon", def->tendon, spec->tendon_count, false);
    if (keys & SENSOR_ACTUATOR) s->actuator = find(c, where, "actuator", def->actuator, spec->actuator_count, false);
    if (keys & SENSOR_TIME && check_not_negative(c, where, "time", def->time)) s->time = def->time;
    if (keys & SENSOR_LIMITS) s->limit_low = def->limit_low, s->limit_high = def->limit_high;
    if (keys & SENSOR_LIMITS && !(def->limit_low <= def->limit_high))
        complain(c, place_key(where, "limits"), NULL, "the lower limit is above the upper one");
    if (keys & SENSOR_RANGE && check_not_negative(c, where, "range", def->range)) s->range = def->range;
}

static void compile_sensor(compiler *c, int index, sensor *s)
{
    const place where = place_of("sensors[%d]", index);
    ph_sensor_def def = c->spec->sensors[index];
    *s = (sensor){.name = keep_string(c, def.name),
                  .other = PH_NONE,
                  .joint = PH_NONE,
                  .tendon = PH_NONE,
                  .actuator = PH_NONE,
                  .turn = ph_quat_identity()};
    check_name(c, where, s->name, &c->model->sensor_names, index);
    s->type = find_type(c, where, def.type);
    if (!s->type) return;
    place_sensor(c, where, &def, s);
    s->first = c->model->sensor_values;
    s->held = (int)model_inputs(c->model);
    c->model->sensor_values += s->type->count;
    c->model->held_count += s->type->go_on ? SENSOR_HELD_NUMBERS : s->type->count;
    if (s->type->go_on) s->used = c->model->samples = true; // it goes on whoever looks
}

void compile_sensors(compiler *c)
{
    ph_model *model = c->model;
    const int count = c->spec->sensor_count;
    model->sensor_count = count;
    model->sensors = arena_alloc_array(model->memory, (size_t)count, sizeof *model->sensors);
    if (!model->sensors || !names_create(&model->sensor_names, count, model->memory)) {
        c->out_of_memory = true;
        return;
    }
    for (int i = 0; i < count && !c->out_of_memory; i++) compile_sensor(c, i, &model->sensors[i]);
}

// Expressions of sensors, and joints that must have a coordinate: when joints are known.
void compile_sensor_values(compiler *c)
{
    for (int i = 0; i < c->model->sensor_count; i++) {
        sensor *s = &c->model->sensors[i];
        const place where = place_of("sensors[%d]", i);
        if (!s->type) continue;
        if (s->type->keys & SENSOR_COORDINATE && s->joint >= 0 && c->model->joints[s->joint].row_count &&
            c->model->joints[s->joint].coordinate_count == 0)
            complain(c, place_key(where, "joint"), NULL, "the joint '%s' has no coordinate",
                     c->model->joints[s->joint].name);
        if (!(s->type->keys & SENSOR_VALUE)) continue;
        value *to = arena_alloc(c->model->memory, sizeof *to);
        const char *text = keep_string(c, c->spec->sensors[i].expression);
        if (!to || c->out_of_memory) {
            c->out_of_memory = true;
            return;
        }
        if (text)
            compile_value(c, place_key(where, "value"), &(ph_value){.expression = text}, to);
        else
            complain(c, where, "value: an expression", "the sensor has no value");
        s->value = to;
    }
}

bool compile_find_sensor(ph_model *model, const char *name, sensor **found, int *component)
{
    char base[EXPRESSION_NAME_MAX + 1];
    int index = ph_model_find_sensor(model, name);
    const char *dot = strrchr(name, '.'), *column = "";
    if (index < 0 && dot && (size_t)(dot - name) < sizeof base) {
        memcpy(base, name, (size_t)(dot - name));
        base[dot - name] = '\0';
        index = ph_model_find_sensor(model, base);
        column = dot + 1;
    }
    if (index < 0 || !model->sensors[index].type) return false;
    *found = &model->sensors[index];
    const sensor_type *type = (*found)->type;
    for (*component = 0; *component < type->count; (*component)++) {
        const char *known = type->columns[*component] ? type->columns[*component] : "";
        if (strcmp(known, column) == 0) return true;
    }
    return false;
}
