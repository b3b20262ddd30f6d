// Tendons and actuators: their definitions in a spec, their names in a model.

#include "model/model.h"

#include "forces/tendon.h"
#include "model/spec.h"

#include <string.h>

enum { TENDON_COOKIE = 0x54454e44, ACTUATOR_COOKIE = 0x41435455 };

ph_tendon_def ph_default_tendon(void)
{
    return (ph_tendon_def){.cookie = TENDON_COOKIE};
}

ph_actuator_def ph_default_actuator(void)
{
    return (ph_actuator_def){.cookie = ACTUATOR_COOKIE, .joint = PH_NONE, .tendon = PH_NONE, .gear = 1.0};
}

// A copy that belongs to the spec; false when out of memory.
static bool own(ph_spec *spec, const void **array, int count, size_t size)
{
    void *copy = arena_alloc_array(spec->memory, (size_t)(count > 0 ? count : 0), size);
    if (copy && count > 0) memcpy(copy, *array, (size_t)count * size);
    *array = copy;
    return copy;
}

static bool own_text(ph_spec *spec, const char **text)
{
    const char *copy = arena_copy_string(spec->memory, *text);
    const bool good = copy || !*text;
    *text = copy;
    return good;
}

int ph_spec_add_tendon(ph_spec *spec, const ph_tendon_def *def)
{
    if (!spec || !def || def->cookie != TENDON_COOKIE || def->path_count < 0 || def->joint_count < 0 ||
        (def->path_count > 0 && !def->path) || (def->joint_count > 0 && !def->joints)) {
        return PH_NONE;
    }
    ph_tendon_def copy = *def;
    if (!own_text(spec, &copy.name) || !own_text(spec, &copy.tension.expression) ||
        !own(spec, (const void **)&copy.path, copy.path_count, sizeof *copy.path) ||
        !own(spec, (const void **)&copy.joints, copy.joint_count, sizeof *copy.joints) ||
        !mem_reserve(&spec->allocator, &spec->tendons, &spec->tendon_capacity, spec->tendon_count + 1,
                     sizeof *spec->tendons)) {
        return PH_NONE;
    }
    spec->tendons[spec->tendon_count] = copy;
    return spec->tendon_count++;
}

int ph_spec_add_actuator(ph_spec *spec, const ph_actuator_def *def)
{
    if (!spec || !def || def->cookie != ACTUATOR_COOKIE) {
        return PH_NONE;
    }
    ph_actuator_def copy = *def;
    if (!own_text(spec, &copy.name) || !own_text(spec, &copy.control.expression) ||
        !mem_reserve(&spec->allocator, &spec->actuators, &spec->actuator_capacity, spec->actuator_count + 1,
                     sizeof *spec->actuators)) {
        return PH_NONE;
    }
    spec->actuators[spec->actuator_count] = copy;
    return spec->actuator_count++;
}

// ---- In the model ---------------------------------------------------------------------------------------------------

int ph_model_tendons(const ph_model *model)
{
    return model ? model->tendon_count : 0;
}

int ph_model_find_tendon(const ph_model *model, const char *name)
{
    return model && name && model->tendon_count ? names_find(&model->tendon_names, name) : PH_NONE;
}

const char *ph_model_tendon(const ph_model *model, int index)
{
    return model && index >= 0 && index < model->tendon_count ? model->tendons[index].name : NULL;
}

int ph_model_actuators(const ph_model *model)
{
    return model ? model->actuator_count : 0;
}

int ph_model_find_actuator(const ph_model *model, const char *name)
{
    return model && name && model->actuator_count ? names_find(&model->actuator_names, name) : PH_NONE;
}

const char *ph_model_actuator(const ph_model *model, int index)
{
    return model && index >= 0 && index < model->actuator_count ? model->actuators[index].name : NULL;
}
