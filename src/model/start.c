// The start: positions and velocities must meet the constraints.

#include "model/compile.h"

#include "math/vec3.h"
#include "model/system.h"

static const double start_tolerance = 1e-9;

// Which way row `r` of a joint is off, for a person.
static const char *row_text(const joint *j, int r)
{
    static const char *const point[3] = {"the two anchors are apart in x", "the two anchors are apart in y",
                                         "the two anchors are apart in z"};
    for (int k = 0; k < j->kind_count; k++) {
        switch ((row_kind)j->rows[k].kind) {
        case ROW_POINT:
            if (r < 3) {
                return point[r];
            }
            r -= 3;
            continue;
        case ROW_ALONG:
            if (r == 0) {
                return "the two anchors are apart across the joint";
            }
            break;
        case ROW_DOT:
            if (r == 0) {
                return "the joint axes of the two bodies are not aligned";
            }
            break;
        case ROW_LENGTH:
            if (r == 0) {
                return "the distance of the two points is not the length";
            }
            break;
        case ROW_GEAR:
            return "the coordinates of the two joints do not agree";
        case ROW_MOTOR:
            if (r == 0) {
                return "the joint is not where its motor wants it at the start";
            }
            break;
        case ROW_SCREW:
            if (r == 0) {
                return "turn and slide of the screw do not agree";
            }
            break;
        }
        r--;
    }
    return "the row is not met";
}

static int largest(const double *values, int count)
{
    int worst = 0;
    for (int r = 1; r < count; r++) {
        if (fabs(values[r]) > fabs(values[worst]) || isnan(values[r])) {
            worst = r;
        }
    }
    return worst;
}

static void check_joint(compiler *c, int index, const motion *at)
{
    const joint *j = &c->model->joints[index];
    const place where = place_of("joints[%d]", index);
    double phi[JOINT_ROWS_MAX], rate[JOINT_ROWS_MAX];
    joint_residual(j, at, phi);
    const int r = largest(phi, j->row_count);
    if (j->row_count && !(fabs(phi[r]) <= start_tolerance)) {
        const char *hint = c->spec->project
                               ? "the joints cannot be assembled from here: start nearer to where they fit"
                               : "correct the start, or say initial: project to move it onto the constraints";
        complain(c, where, hint, "joint '%s' does not fit at the start: %s, row %d of %d is off by %.6g", j->name,
                 row_text(j, r), r + 1, j->row_count, phi[r]);
        return;
    }
    joint_velocity_residual(j, at, rate);
    const int k = largest(rate, j->row_count);
    if (j->row_count && !(fabs(rate[k]) <= start_tolerance)) {
        complain(c, where, "correct the velocities, or say initial: project to move them onto the constraints",
                 "the velocities at the start tear joint '%s' apart: row %d of %d changes at %.6g per second", j->name,
                 k + 1, j->row_count, rate[k]);
    }
}

// Coordinates begin at zero, or at `start` where that is given.
static void set_offsets(ph_model *model, const motion *at)
{
    for (int i = 0; i < model->joint_count; i++) {
        joint *j = &model->joints[i];
        for (int k = 0; k < j->coordinate_count; k++) {
            j->offset[k] = 0.0;
            j->offset[k] = j->def->start - joint_coordinate(j, at, k);
        }
    }
}

static void set_motion(const ph_model *model, frame *frames, ph_twist *twists)
{
    for (int i = 0; i <= model->body_count; i++) {
        frames[i] = body_frame(&model->bodies[i]);
        twists[i] = model->bodies[i].start->twist;
    }
}

const double *compile_start_inputs(compiler *c)
{
    double *inputs = arena_alloc_array(c->scratch, (size_t)c->model->input_count, sizeof *inputs);
    for (int i = 0; inputs && i < c->model->input_count; i++) {
        inputs[i] = c->model->inputs[i].start;
    }
    return inputs;
}

void compile_start(compiler *c)
{
    ph_model *model = c->model;
    const size_t count = (size_t)model->body_count + 1;
    frame *frames = arena_alloc_array(c->scratch, count, sizeof *frames);
    ph_twist *twists = arena_alloc_array(c->scratch, count, sizeof *twists);
    const double *inputs = compile_start_inputs(c);
    if (!frames || !twists || !inputs) {
        c->out_of_memory = true;
        return;
    }
    const motion at = {.frames = frames, .twists = twists, .inputs = inputs};
    set_motion(model, frames, twists);
    set_offsets(model, &at);
    if (c->spec->project && model->row_count) {
        compile_projection(c);
        set_motion(model, frames, twists);
        set_offsets(model, &at);
    }
    for (int j = 0; j < model->joint_count; j++) {
        check_joint(c, j, &at);
    }
    compile_force_starts(c, &at);
}
