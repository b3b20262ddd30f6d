// ph_model_compile: from the editable description to the immutable model. All mistakes are collected; geometry is looked
// at only when everything it is made of is sound.

#include "compile/compile.h"

#include "base/problems.h"
#include "math/vec3.h"

#include <string.h>

static void compile_settings(compiler *c)
{
    const ph_spec *spec = c->spec;
    ph_model *model = c->model;
    model->name = keep_string(c, spec->name);
    model->text = keep_string(c, spec->text);
    model->folder = keep_string(c, spec->folder);
    model->settings = keep_string(c, spec->settings);
    model->gravity = spec->gravity;
    check_finite3(c, place_of("%s", ""), "gravity", spec->gravity);

    model->run = spec->run;
    model->run.scheme = keep_string(c, spec->run.scheme);
    model->run.options = keep_string(c, spec->run.options);
    model->run.stop_when = keep_string(c, spec->run.stop_when);
    const place run = place_of("run");
    if (check_finite(c, run, "step", spec->run.step) && spec->run.step < 0.0) {
        complain(c, place_key(run, "step"), NULL, "step is %g, it must be positive", spec->run.step);
    }
    check_not_negative(c, run, "until", spec->run.until);
}

static void compile_parameters(compiler *c)
{
    const ph_spec *spec = c->spec;
    ph_model *model = c->model;
    model->parameters = keep_array(c, spec->parameters, spec->parameter_count, sizeof *spec->parameters);
    model->parameter_count = model->parameters ? spec->parameter_count : 0;
    for (int k = 0; k < model->parameter_count; k++)
        model->parameters[k].name = keep_string(c, spec->parameters[k].name);
}

static bool known_body(const ph_model *model, int index)
{
    return index == PH_WORLD || (index >= 0 && index < model->body_count);
}

static bool collides(const body *b)
{
    bool any = false;
    for (int k = 0; k < b->kind->shape_count; k++) any = any || b->kind->shapes[k].collide;
    return any && b->moving >= 0;
}

// Moving bodies that collide and that no joint holds.
static int free_bodies(compiler *c)
{
    const ph_model *model = c->model;
    bool *held = mem_alloc_array(&model->allocator, (size_t)model->body_count + 1, sizeof *held);
    if (!held) c->out_of_memory = true;
    if (!held) return 0;
    memset(held, 0, ((size_t)model->body_count + 1) * sizeof *held);
    int count = 0;
    for (int j = 0; j < model->joint_count; j++) held[model->joints[j].a] = held[model->joints[j].b] = true;
    for (int b = 0; b < model->body_count; b++) count += !held[b] && collides(&model->bodies[b]);
    mem_free(&model->allocator, held);
    return count;
}

// The tolerance where none is given: what is small is solved to the last digit, heaps as well as sweeps can.
static void compile_tolerance(compiler *c)
{
    enum { FEW = 20, MANY = 300 };
    ph_model *model = c->model;
    if (model->contact.tolerance != 0.0 || c->errors) return;
    const int count = model->has_contact ? free_bodies(c) : 0;
    model->contact.tolerance = count <= FEW ? 1e-8 : count <= MANY ? 1e-4 : 1e-3;
}

static void compile_contact(compiler *c)
{
    const ph_contact_settings *given = &c->spec->contact;
    ph_model *model = c->model;
    const place where = place_of("contact");
    model->has_contact = c->spec->has_contact;
    if (!model->has_contact) {
        model->contact = ph_default_contact();
        return;
    }
    model->contact = *given;
    model->contact.solver = keep_string(c, given->solver);
    model->contact.device = given->device ? keep_string(c, given->device) : NULL;
    model->contact.pairs = keep_array(c, given->pairs, given->pair_count, sizeof *given->pairs);
    if (check_finite(c, where, "tolerance", given->tolerance) && given->tolerance < 0.0) {
        complain(c, place_key(where, "tolerance"), NULL, "tolerance is %g, it must be positive", given->tolerance);
    }
    if (given->iterations < 1) {
        complain(c, place_key(where, "iterations"), NULL, "iterations is %d, it must be at least 1", given->iterations);
    }
    check_not_negative(c, where, "recovery_speed", given->recovery_speed);
    check_not_negative(c, where, "margin", given->margin);
    check_not_negative(c, where, "sleep", given->sleep);
    for (int k = 0; k < given->pair_count; k++) {
        const ph_contact_pair *pair = &given->pairs[k];
        if (!known_body(model, pair->body_a) || !known_body(model, pair->body_b) || pair->body_a == pair->body_b) {
            complain(c, place_of("contact.pairs[%d]", k), NULL, "a contact pair needs two different bodies");
        }
        if (pair->restitution > 1.0) {
            complain(c, place_of("contact.pairs[%d].restitution", k), "1 gives back all of the speed, 0 nothing",
                     "restitution is %g, it must not exceed 1", pair->restitution);
        }
        const double values[] = {pair->friction, pair->restitution, pair->rolling_friction, pair->spinning_friction,
                                 pair->compliance};
        for (size_t n = 0; n < sizeof values / sizeof *values; n++) {
            if (!isfinite(values[n])) {
                complain(c, place_of("contact.pairs[%d]", k), NULL,
                         "a value of the contact pair is not a finite number");
            }
        }
    }
}

// Without a volume there is no mean: the result holds the integral of the stress all the same, and the user is told.
static void check_volumes(compiler *c)
{
    const ph_record_settings *record = &c->model->record;
    for (int k = 0; k < record->stress_count; k++) {
        const body *b = &c->model->bodies[record->stress[k]];
        if (b->kind->volume == 0.0) {
            remark(
                c, place_of("record.stress"), "give it a volume or shapes",
                "body '%s' has no volume: its stress is known as the integral over the body only (J), not as a mean (Pa)",
                b->name);
        }
    }
}

// `all` becomes the list of the bodies that can move.
static void list_all_bodies(compiler *c)
{
    ph_model *model = c->model;
    int *list = arena_alloc_array(model->memory, (size_t)model->moving_count + 1, sizeof *list);
    if (!list) {
        c->out_of_memory = true;
        return;
    }
    memcpy(list, model->moving, sizeof *list * (size_t)model->moving_count);
    model->record.stress = list;
    model->record.stress_count = model->moving_count;
}

static void compile_record(compiler *c)
{
    const ph_record_settings *given = &c->spec->record;
    ph_model *model = c->model;
    const int errors = c->errors;
    model->record = *given;
    model->record.stress = keep_array(c, given->stress, given->stress_count, sizeof *given->stress);
    for (int k = 0; k < given->stress_count; k++) {
        const int index = given->stress[k];
        if (index < 0 || index >= model->body_count) {
            complain(c, place_of("record.stress[%d]", k), NULL, "there is no body with index %d", index);
        } else if (model->bodies[index].kind->fixed) {
            complain(c, place_of("record.stress[%d]", k), "what holds it is not part of the model",
                     "the stress of the fixed body '%s' is not known", model->bodies[index].name);
        }
    }
    if (given->stress_all && !c->out_of_memory) {
        list_all_bodies(c);
    }
    if (c->errors == errors && !c->out_of_memory) {
        check_volumes(c);
    }
}

static void compile_inputs(compiler *c)
{
    ph_model *model = c->model;
    model->input_count = c->spec->input_count;
    model->inputs = arena_alloc_array(model->memory, (size_t)model->input_count, sizeof *model->inputs);
    if (!model->inputs || !names_create(&model->input_names, model->input_count, model->memory)) {
        c->out_of_memory = true;
        return;
    }
    for (int i = 0; i < model->input_count; i++) {
        const spec_input *given = &c->spec->inputs[i];
        const place where = place_of("inputs.%s", given->name);
        check_finite(c, place_of("inputs"), given->name, given->value);
        if (!expression_is_name(given->name) || strcmp(given->name, "t") == 0) {
            complain(c, where, "letters, digits and _, no digit first; t is the time",
                     "'%s' cannot be the name of an input", given->name);
        }
        model->inputs[i] = (input){keep_string(c, given->name), given->value};
        if (model->inputs[i].name && names_enter(&model->input_names, model->inputs[i].name, i) != i) {
            complain(c, where, "names must differ", "the input '%s' is given twice", given->name);
        }
    }
}

static ph_status compile(compiler *c)
{
    compile_settings(c);
    compile_parameters(c);
    compile_inputs(c);
    compile_bodies(c);
    if (!c->out_of_memory) {
        compile_contact(c);
        compile_record(c);
        compile_sites(c);
        compile_sensors(c);
    }
    if (!c->out_of_memory) {
        compile_joints(c);
    }
    if (!c->out_of_memory) {
        compile_tolerance(c);
        compile_velocities(c);
    }
    if (!c->out_of_memory) {
        compile_tendons(c);
    }
    if (!c->out_of_memory) {
        compile_actuators(c);
    }
    if (!c->out_of_memory) {
        compile_forces(c);
    }
    if (!c->out_of_memory) {
        compile_sensor_values(c);
    }
    if (!c->out_of_memory && !c->errors) {
        compile_start(c);
    }
    if (!c->out_of_memory && !c->errors) {
        compile_keyframes(c);
    }
    if (!c->out_of_memory && !c->errors) {
        compile_rank(c);
    }
    return c->out_of_memory ? PH_OUT_OF_MEMORY : c->errors ? PH_BAD_MODEL : PH_OK;
}

static ph_model *model_create(const ph_allocator *allocator)
{
    arena *memory = arena_create(allocator);
    ph_model *model = memory ? arena_alloc(memory, sizeof *model) : NULL;
    if (!model) {
        arena_destroy(memory);
        return NULL;
    }
    model->allocator = *allocator;
    model->memory = memory;
    return model;
}

ph_status ph_model_compile(const ph_spec *spec, ph_problems *problems, ph_model **model)
{
    if (!spec || !model) {
        return PH_BAD_ARGUMENT;
    }
    *model = NULL;
    compiler c = {.spec = spec, .problems = problems};
    c.model = model_create(&spec->allocator);
    c.scratch = arena_create(&spec->allocator);
    const ph_status status = c.model && c.scratch ? compile(&c) : PH_OUT_OF_MEMORY;
    arena_destroy(c.scratch);
    if (status == PH_OK) {
        *model = c.model;
    } else {
        ph_model_destroy(c.model);
    }
    return status;
}
