// The list of sensor types, and what a model has of them.

#include "sensors/types.h"

#define SENSOR_TYPE_ENTRY(name) &sensor_##name,
const sensor_type *const sensor_types[] = {SENSOR_TYPES(SENSOR_TYPE_ENTRY) NULL};

const char *ph_sensor_type(int index)
{
    const int count = (int)(sizeof sensor_types / sizeof sensor_types[0]);
    return index >= 0 && index < count && sensor_types[index] ? sensor_types[index]->name : NULL;
}

const char *ph_sensor_type_title(int index)
{
    return ph_sensor_type(index) ? sensor_types[index]->title : NULL;
}

int ph_model_sensors(const ph_model *model)
{
    return model ? model->sensor_count : 0;
}

int ph_model_find_sensor(const ph_model *model, const char *name)
{
    return model && name && model->sensor_count ? names_find(&model->sensor_names, name) : PH_NONE;
}

int ph_model_sensor_values(const ph_model *model)
{
    return model ? model->sensor_values : 0;
}

ph_sensor_info ph_model_sensor(const ph_model *model, int index)
{
    ph_sensor_info info = {0};
    if (!model || index < 0 || index >= model->sensor_count) return info;
    const sensor *s = &model->sensors[index];
    info = (ph_sensor_info){.name = s->name, .type = s->type->name, .count = s->type->count};
    const joint *j = s->joint != PH_NONE ? &model->joints[s->joint] : NULL;
    const bool angle = j && j->coordinate_count > 0 && j->coordinates[0].kind != COORDINATE_SLIDE;
    for (int k = 0; k < info.count; k++) {
        info.columns[k] = s->type->columns[k] ? s->type->columns[k] : "";
        info.units[k] = s->type->units[k] ? s->type->units[k] : "";
        if (s->type == &sensor_joint) info.units[k] = angle ? (k ? "rad/s" : "rad") : k ? "m/s" : "m";
    }
    return info;
}
