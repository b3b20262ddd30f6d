// Why a step failed: see value_check.h.

#include "schemes/value_check.h"

#include "base/memory.h"
#include "forces/force.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>

// "forces[0].force[1]", "motor of joint 'crank'"
static void name_value(const ph_model *model, const force *f, int k, char *text, size_t size)
{
    if (f->type == &force_joint_drive) {
        snprintf(text, size, "the motor of joint '%s'", f->name);
    } else {
        snprintf(text, size, "forces[%d].%s[%d]", (int)(f - model->forces), k < 3 ? "force" : "torque", k % 3);
    }
}

static bool find_fault(const ph_model *model, const motion *at, char *text, size_t size)
{
    for (int i = 0; i < model->force_count; i++) {
        const force *f = &model->forces[i];
        for (int k = 0; k < f->value_count; k++) {
            const double x = f->values[k].text ? value_at(&f->values[k], at) : 0.0;
            char where[80];
            if (isfinite(x)) continue;
            name_value(model, f, k, where, sizeof where);
            snprintf(text, size, "\"%.80s\" (%s) is %g at t = %.9g: keep it finite", f->values[k].text, where, x,
                     at->time);
            return true;
        }
    }
    return false;
}

bool value_check(const ph_state *state, double h, char *text, size_t size)
{
    const ph_model *model = state->model;
    const size_t places = model_places(model);
    frame *frames = mem_alloc_array(&model->allocator, places, sizeof *frames);
    ph_twist *twists = mem_alloc_array(&model->allocator, places, sizeof *twists);
    bool found = false;
    for (size_t i = 0; frames && twists && i < places; i++) {
        const bool own = (int)i < model->body_count && model->bodies[i].moving >= 0;
        frames[i] =
            own ? (frame){ph_quat_to_mat(state->orientation[i]), state->position[i]} : body_frame(&model->bodies[i]);
        twists[i] =
            own ? (ph_twist){state->angular_velocity[i], state->velocity[i]} : (ph_twist){ph_zero3(), ph_zero3()};
    }
    for (int part = 0; frames && twists && part < 3 && !found; part++) {
        const motion at = {.time = state->time + 0.5 * part * h,
                           .frames = frames,
                           .twists = twists,
                           .inputs = state->inputs,
                           .turns = state->turns,
                           .targets = state->targets,
                           .target_time = state->time};
        found = find_fault(model, &at, text, size);
    }
    mem_free(&model->allocator, frames);
    mem_free(&model->allocator, twists);
    return found;
}
