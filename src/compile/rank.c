// Rank of the constraint rows at the start, and which rows depend on others there.

#include "compile/compile.h"

#include "dynamics/dependent.h"

// All Jacobians at the start, one after the other.
static double *make_jacobians(const ph_model *model, const motion *start, arena *scratch)
{
    size_t numbers = 0;
    for (int j = 0; j < model->joint_count; j++) {
        numbers += (size_t)(6 * model->joints[j].row_count * model->joints[j].body_count);
    }
    double *B = arena_alloc_array(scratch, numbers, sizeof *B), *at = B;
    for (int j = 0; B && j < model->joint_count; j++) {
        joint_jacobian(&model->joints[j], start, at);
        at += 6 * model->joints[j].row_count * model->joints[j].body_count;
    }
    return B;
}

static bool find_rank(ph_model *model, const motion *start, arena *scratch)
{
    dependent rows;
    const frame *frames = start->frames;
    const double *B = make_jacobians(model, start, scratch);
    unsigned char *left_out = arena_alloc_array(scratch, (size_t)model->joint_count, 1);
    if (!B || !left_out || !dependent_create(model, true, scratch, &rows)) {
        return false;
    }
    model->rank = model->own_row_count - dependent_choose(&rows, frames, B, left_out);
    for (int j = 0; j < model->joint_count; j++) {
        for (int r = 0; r < model->joints[j].row_count; r++) {
            model->row_redundant[model->joints[j].first_row + r] = left_out[j] >> r & 1u;
        }
    }
    return true;
}

void compile_rank(compiler *c)
{
    ph_model *model = c->model;
    frame *frames = arena_alloc_array(c->scratch, model_places(model), sizeof *frames);
    model->row_redundant = arena_alloc_array(model->memory, (size_t)model->row_count, sizeof *model->row_redundant);
    const double *inputs = compile_start_inputs(c);
    if (!frames || !inputs || !model->row_redundant) {
        c->out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < model_places(model); i++) {
        frames[i] = body_frame(&model->bodies[i]);
    }
    c->out_of_memory |=
        !find_rank(model, &(motion){.frames = frames, .inputs = inputs, .turns = model->start_turns}, c->scratch);
}
