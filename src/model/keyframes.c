// Keyframes: their definitions in a spec, what callers may ask of a model, and putting a state there.

#include "model/state.h"

#include "model/spec.h"

#include <string.h>

enum { KEYFRAME_COOKIE = 0x4b455946 };

ph_keyframe_def ph_default_keyframe(void)
{
    return (ph_keyframe_def){.cookie = KEYFRAME_COOKIE};
}

// A copy of `count` elements that belongs to the spec; false when out of memory.
static bool own_array(ph_spec *spec, const void **array, int *count, size_t size)
{
    if (!*array || *count <= 0) {
        *array = NULL;
        *count = 0;
        return true;
    }
    void *copy = arena_alloc_array(spec->memory, (size_t)*count, size);
    *array = copy ? memcpy(copy, *array, (size_t)*count * size) : NULL;
    return copy;
}

int ph_spec_add_keyframe(ph_spec *spec, const ph_keyframe_def *def)
{
    if (!spec || !def || def->cookie != KEYFRAME_COOKIE) {
        return PH_NONE;
    }
    ph_keyframe_def copy = *def;
    copy.name = arena_copy_string(spec->memory, def->name);
    if ((def->name && !copy.name) ||
        !own_array(spec, (const void **)&copy.joints, &copy.joint_count, sizeof *copy.joints) ||
        !own_array(spec, (const void **)&copy.bodies, &copy.body_count, sizeof *copy.bodies) ||
        !own_array(spec, (const void **)&copy.inputs, &copy.input_count, sizeof *copy.inputs) ||
        !mem_reserve(&spec->allocator, &spec->keyframes, &spec->keyframe_capacity, spec->keyframe_count + 1,
                     sizeof *spec->keyframes)) {
        return PH_NONE;
    }
    spec->keyframes[spec->keyframe_count] = copy;
    return spec->keyframe_count++;
}

ph_status ph_spec_set_start(ph_spec *spec, const char *name)
{
    if (!spec) {
        return PH_BAD_ARGUMENT;
    }
    spec->start = arena_copy_string(spec->memory, name);
    return name && !spec->start ? PH_OUT_OF_MEMORY : PH_OK;
}

// ---- Models and states ----------------------------------------------------------------------------------------------

int ph_model_keyframes(const ph_model *model)
{
    return model ? model->keyframe_count : 0;
}

const char *ph_model_keyframe(const ph_model *model, int index)
{
    return model && index >= 0 && index < model->keyframe_count ? model->keyframes[index].name : NULL;
}

int ph_model_find_keyframe(const ph_model *model, const char *name)
{
    for (int i = 0; model && name && i < model->keyframe_count; i++) {
        if (strcmp(model->keyframes[i].name, name) == 0) {
            return i;
        }
    }
    return PH_NONE;
}

static void copy(void *to, const void *from, size_t count, size_t size)
{
    if (count > 0) {
        memcpy(to, from, count * size);
    }
}

ph_status ph_state_set_keyframe(ph_state *state, int index)
{
    if (!state || index < 0 || index >= state->model->keyframe_count) {
        return PH_BAD_ARGUMENT;
    }
    const ph_model *model = state->model;
    const keyframe *k = &model->keyframes[index];
    const size_t bodies = (size_t)model->body_count + 1;
    ph_state_reset(state);
    copy(state->position, k->position, bodies, sizeof *k->position);
    copy(state->orientation, k->orientation, bodies, sizeof *k->orientation);
    copy(state->velocity, k->velocity, bodies, sizeof *k->velocity);
    copy(state->angular_velocity, k->angular_velocity, bodies, sizeof *k->angular_velocity);
    copy(state->turns, k->turns, (size_t)model->turn_count, sizeof *k->turns);
    copy(state->targets, k->targets, (size_t)model->target_count, sizeof *k->targets);
    copy(state->inputs, k->inputs, model_inputs(model), sizeof *k->inputs);
    state->time = state->target_time = k->time;
    state_place_rotors(state);
    state_keep_left(state);
    return PH_OK;
}
