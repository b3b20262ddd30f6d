// ph_model_compile: from the editable description to the immutable model. All mistakes are collected; geometry is looked
// at only when everything it is made of is sound.

#include "model/compile.h"

#include "base/problems.h"

static void compile_settings(compiler *c)
{
    const ph_spec *spec = c->spec;
    ph_model *model = c->model;
    model->name = keep_string(c, spec->name);
    model->text = keep_string(c, spec->text);
    model->gravity = spec->gravity;
    check_finite3(c, place_of("%s", ""), "gravity", spec->gravity);

    model->run = spec->run;
    model->run.scheme = keep_string(c, spec->run.scheme);
    model->run.options = keep_string(c, spec->run.options);
    const place run = place_of("run");
    if (check_finite(c, run, "step", spec->run.step) && spec->run.step < 0.0) {
        complain(c, place_key(run, "step"), NULL, "step is %g, it must be positive", spec->run.step);
    }
    check_not_negative(c, run, "until", spec->run.until);
}

static void compile_inputs(compiler *c)
{
    ph_model *model = c->model;
    names taken;
    model->input_count = c->spec->input_count;
    model->inputs = arena_alloc_array(model->memory, (size_t)model->input_count, sizeof *model->inputs);
    if (!model->inputs || !names_create(&taken, model->input_count, c->scratch)) {
        c->out_of_memory = true;
        return;
    }
    for (int i = 0; i < model->input_count; i++) {
        const spec_input *given = &c->spec->inputs[i];
        const place where = place_of("inputs.%s", given->name);
        check_finite(c, place_of("inputs"), given->name, given->value);
        if (names_enter(&taken, given->name, i) != i) {
            complain(c, where, "names must differ", "the input '%s' is given twice", given->name);
        }
        model->inputs[i] = (input){keep_string(c, given->name), given->value};
    }
}

static ph_status compile(compiler *c)
{
    compile_settings(c);
    compile_inputs(c);
    compile_bodies(c);
    if (!c->out_of_memory) {
        compile_joints(c);
    }
    if (!c->out_of_memory) {
        compile_forces(c);
    }
    if (!c->out_of_memory && !c->errors) {
        compile_start(c);
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
