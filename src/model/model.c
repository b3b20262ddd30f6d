// ph_model: what callers may ask of it.

#include "model/model.h"

#include <string.h>

void ph_model_destroy(ph_model *model)
{
    if (model) {
        arena_destroy(model->memory);
    }
}

const char *ph_model_name(const ph_model *model)
{
    return model ? model->name : "";
}

const char *ph_model_text(const ph_model *model)
{
    return model ? model->text : "";
}

const ph_run_settings *ph_model_run_settings(const ph_model *model)
{
    return model ? &model->run : NULL;
}

ph_vec3 ph_model_gravity(const ph_model *model)
{
    return model ? model->gravity : (ph_vec3){0};
}

int ph_model_bodies(const ph_model *model)
{
    return model ? model->body_count : 0;
}

int ph_model_joints(const ph_model *model)
{
    return model ? model->joint_count : 0;
}

int ph_model_forces(const ph_model *model)
{
    return model ? model->element_count : 0;
}

int ph_model_inputs(const ph_model *model)
{
    return model ? model->input_count : 0;
}

int ph_model_rows(const ph_model *model)
{
    return model ? model->own_row_count : 0;
}

int ph_model_velocities(const ph_model *model)
{
    return model ? model->velocity_count - 6 * model->rotor_count : 0;
}

int ph_model_rank(const ph_model *model)
{
    return model ? model->rank : 0;
}

int ph_model_freedoms(const ph_model *model)
{
    return ph_model_velocities(model) - ph_model_rank(model);
}

// The joint that row `index` belongs to: the last one that starts at or before it.
static int joint_of_row(const ph_model *model, int index)
{
    int low = 0, high = model->joint_count - 1;
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (model->joints[middle].first_own_row <= index) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

bool ph_model_row_redundant(const ph_model *model, int index, int *owner, int *row_in_joint)
{
    if (!model || index < 0 || index >= model->own_row_count) {
        return false;
    }
    const int j = joint_of_row(model, index), row = index - model->joints[j].first_own_row;
    if (owner) {
        *owner = j;
    }
    if (row_in_joint) {
        *row_in_joint = row;
    }
    return model->row_redundant[model->joints[j].first_row + row];
}

// ---- Names ----------------------------------------------------------------------------------------------------------

int ph_model_find_body(const ph_model *model, const char *name)
{
    const int found = model && name ? names_find(&model->body_names, name) : PH_NONE;
    return model && found == model->body_count ? PH_WORLD : found;
}

int ph_model_find_joint(const ph_model *model, const char *name)
{
    return model && name ? names_find(&model->joint_names, name) : PH_NONE;
}

int ph_model_find_input(const ph_model *model, const char *name)
{
    return model && name ? names_find(&model->input_names, name) : PH_NONE;
}

// ---- Elements -------------------------------------------------------------------------------------------------------

ph_body_info ph_model_body(const ph_model *model, int index)
{
    if (!model || index < 0 || index >= model->body_count) {
        return (ph_body_info){0};
    }
    const body *b = &model->bodies[index];
    return (ph_body_info){
        .name = b->name,
        .fixed = b->kind->fixed,
        .mass = b->kind->mass,
        .volume = b->kind->volume,
        .inertia = b->kind->J,
        .com = b->kind->com,
        .reference = b->kind->reference,
        .shapes = b->kind->shape_count,
    };
}

const ph_shape_def *ph_model_shape(const ph_model *model, int index, int shape)
{
    if (!model || index < 0 || index >= model->body_count || shape < 0 ||
        shape >= model->bodies[index].kind->shape_count) {
        return NULL;
    }
    return &model->bodies[index].kind->shapes[shape];
}

ph_joint_info ph_model_joint(const ph_model *model, int index)
{
    if (!model || index < 0 || index >= model->joint_count) {
        return (ph_joint_info){.body_a = PH_NONE, .body_b = PH_NONE};
    }
    const joint *j = &model->joints[index];
    return (ph_joint_info){
        .name = j->name,
        .type = j->type->name,
        .body_a = j->a == model->body_count ? PH_WORLD : j->a,
        .body_b = j->b == model->body_count ? PH_WORLD : j->b,
        .first_row = j->first_own_row,
        .rows = joint_own_rows(j),
        .coordinates = j->coordinate_count,
        .anchor_a = j->s_a,
        .anchor_b = j->s_b,
    };
}

int ph_model_parameters(const ph_model *model)
{
    return model ? model->parameter_count : 0;
}

ph_parameter_info ph_model_parameter(const ph_model *model, int index)
{
    return model && index >= 0 && index < model->parameter_count ? model->parameters[index]
                                                                 : (ph_parameter_info){"", 0.0};
}
