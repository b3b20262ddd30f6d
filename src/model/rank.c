// Rank of the constraint rows at the start.

#include "model/compile.h"

void compile_rank(compiler *c)
{
    ph_model *model = c->model;
    model->row_redundant = arena_alloc_array(model->memory, (size_t)model->row_count, sizeof *model->row_redundant);
    if (!model->row_redundant) {
        c->out_of_memory = true;
        return;
    }
    model->rank = model->row_count;
}
