// The start: positions and velocities must meet the constraints.

#include "compile/compile.h"

#include "dynamics/system.h"
#include "math/vec3.h"
#include "model/scales.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

// How much of its size a joint may be off, and of the speed of the model its rate: more than rounding and typed numbers leave.
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
        case ROW_CHAIN:
            if (r == 0) {
                return "the pose of b is not one that the motions of the chain lead to";
            }
            break;
        case ROW_ROTOR:
            if (r == 0) {
                return "the rotor is not where the coordinate is";
            }
            break;
        case ROW_SCREW:
            if (r == 0) {
                return "turn and slide of the screw do not agree";
            }
            break;
        case ROW_TOUCH:
            if (r == 0) {
                return "the surfaces are apart, or overlap";
            }
            break;
        case ROW_SLIP:
        case ROW_VELOCITY:
            break;
        }
        r--;
    }
    return "the row is not met";
}

// The row that is off most, lengths and their rates relative to `length`, others to `other`.
static int worst_row(const joint *j, const double *values, double length, double other, double *size)
{
    int worst = 0;
    *size = 0.0;
    for (int r = 0; r < j->row_count; r++) {
        const double off = fabs(values[r]) / joint_row_weight(j, r);
        const double scale = joint_row_is_length(j, r) ? length : other;
        const double part = off > 0.0 ? off / scale : off;
        if (part > *size || isnan(part)) {
            worst = r;
            *size = part;
        }
    }
    return worst;
}

// What positions of its bodies are rounded to, relative to the tolerance.
static double position_scale(const ph_model *model, const joint *j, const motion *at)
{
    double reach = 0.0;
    for (int k = 0; k < j->body_count; k++) {
        reach = ph_max(reach, ph_max_abs(at->frames[j->bodies[k]].x));
    }
    return joint_size(model, j) + 64.0 * DBL_EPSILON / start_tolerance * reach;
}

// What to say where a start does not fit: `wrong` is to be corrected, or projected `how`.
static const char *start_hint(const compiler *c, const char *wrong, const char *how, char room[256])
{
    const char *key = c->spec->start;
    snprintf(room, 256, "correct the %s, or say initial: %s%.60s%s %s", wrong, key ? "[project, " : "project",
             key ? key : "", key ? "]" : "", how);
    return room;
}

// Whether the positions fit.
static bool check_position(compiler *c, int index, const motion *at)
{
    const joint *j = &c->model->joints[index];
    double phi[JOINT_ROWS_MAX], size;
    char room[256];
    joint_residual(j, at, phi);
    const int r = worst_row(j, phi, position_scale(c->model, j, at), 1.0, &size);
    if (!(size <= start_tolerance)) {
        const char *hint = c->spec->project ? "the joints cannot be assembled from here: start nearer to where they fit"
                                            : start_hint(c, "start", "to move it onto the constraints", room);
        complain(c, place_of("joints[%d]", index), hint,
                 "joint '%s' does not fit at the start: %s, row %d of %d is off by %.6g", j->name, row_text(j, r),
                 r + 1, j->row_count, phi[r]);
        return false;
    }
    return true;
}

static void check_positions(compiler *c, const motion *at)
{
    for (int j = 0; j < c->model->joint_count; j++) {
        check_position(c, j, at);
    }
}

// The largest speed at the start, or what falling by the size of the mechanism leads to.
static double start_speed(const ph_model *model, double size)
{
    double speed = sqrt(size * ph_norm(model->gravity));
    for (int k = 0; k < model->moving_count; k++) {
        const ph_twist *twist = &model->bodies[model->moving[k]].start->twist;
        speed = ph_max(speed, ph_max(ph_norm(twist->v), size * ph_norm(twist->omega)));
    }
    return speed;
}

// What to say where velocities do not fit: they have been projected already where no velocities meet all rows.
static const char *rate_hint(const compiler *c, const char *how, char room[256])
{
    return c->spec->project
               ? "no velocities meet all rows: what a motor or a row prescribes at the start is not what the "
                 "other joints allow"
               : start_hint(c, "velocities", how, room);
}

static void check_joint(compiler *c, int index, const motion *at, double speed, double length)
{
    const joint *j = &c->model->joints[index];
    double rate[JOINT_ROWS_MAX], size;
    char room[256];
    if (!check_position(c, index, at)) {
        return;
    }
    joint_velocity_residual(j, at, rate);
    const int k = worst_row(j, rate, speed, speed / length, &size);
    if (!(size <= start_tolerance) && joint_row_is_slip(j, k)) {
        complain(c, place_of("joints[%d]", index), rate_hint(c, "to take the nearest that roll", room),
                 "the velocities at the start contradict joint '%s': row %d of %d slips at %.6g", j->name, k + 1,
                 j->row_count, rate[k]);
    } else if (!(size <= start_tolerance)) {
        complain(c, place_of("joints[%d]", index), rate_hint(c, "to move them onto the constraints", room),
                 "the velocities at the start tear joint '%s' apart: row %d of %d changes at %.6g per second", j->name,
                 k + 1, j->row_count, rate[k]);
    }
}

// Coordinates are zero in the positions given, or `start` where that is there.
static void set_offsets(ph_model *model, const motion *at)
{
    for (int i = 0; i < model->joint_count; i++) {
        joint *j = &model->joints[i];
        for (int k = 0; k < j->coordinate_count; k++) {
            j->offset[k] = 0.0;
            j->offset[k] = compile_start_of(j, k) - joint_coordinate(j, at, k);
            if (!coordinate_slides(j->coordinates[k])) {
                model->start_turns[j->first_turn + j->coordinates[k].turn] = compile_start_of(j, k);
            }
        }
    }
}

// Rotors begin as the coordinates do.
static void set_rotors(compiler *c, const motion *at, frame *frames, ph_twist *twists)
{
    const ph_model *model = c->model;
    for (int i = 0; i < model->joint_count; i++) {
        const joint *j = &model->joints[i];
        for (int n = 0; 3 * n < j->rotor_rows; n++) {
            const int r = j->bodies[j->slot_rotor + n];
            joint_place_rotor(j, at, n, &frames[r].x, &twists[r].v);
            compile_place(c, r, frames[r].x, ph_quat_identity(), twists[r]);
        }
    }
}

static void set_motion(const ph_model *model, frame *frames, ph_twist *twists)
{
    for (size_t i = 0; i < model_places(model); i++) {
        frames[i] = body_frame(&model->bodies[i]);
        twists[i] = model->bodies[i].start->twist;
    }
}

const double *compile_start_inputs(compiler *c)
{
    double *inputs = arena_alloc_array(c->scratch, model_inputs(c->model), sizeof *inputs);
    for (int i = 0; inputs && i < c->model->input_count; i++) {
        inputs[i] = c->model->inputs[i].start;
    }
    return inputs;
}

// `given`: the speed before a projection, which leaves its rounding where nothing can move.
static void check_joints(compiler *c, const motion *at, double given)
{
    const double length = mechanism_size(c->model), rounding = 64.0 * DBL_EPSILON / start_tolerance * given,
                 speed = ph_max(start_speed(c->model, length), rounding);
    for (int j = 0; j < c->model->joint_count; j++) {
        check_joint(c, j, at, speed, length);
    }
}

// Where coordinates are given, lengths that are left out are those of the positions given: what a joint is set to makes no
// difference to the springs of the model.
static void start_as_given(compiler *c, motion *at, frame *frames, ph_twist *twists)
{
    const int errors = c->errors;
    const double given = start_speed(c->model, mechanism_size(c->model));
    compile_force_starts(c, at);
    if (!compile_gives_coordinates(c) && !c->spec->project) {
        check_positions(c, at);
    }
    if (c->errors == errors) {
        compile_given_start(c);
        set_motion(c->model, frames, twists);
    }
    at->turns = c->model->start_turns;
    set_rotors(c, at, frames, twists);
    if (c->errors == errors) {
        check_joints(c, at, given);
    }
}

static void start_from_positions(compiler *c, const motion *at, frame *frames, ph_twist *twists)
{
    const double given = start_speed(c->model, mechanism_size(c->model));
    if (c->spec->project && c->model->row_count) {
        compile_projection(c);
        set_motion(c->model, frames, twists);
        set_offsets(c->model, at);
        set_rotors(c, at, frames, twists);
    }
    check_joints(c, at, given);
    compile_force_starts(c, at);
}

void compile_start(compiler *c)
{
    ph_model *model = c->model;
    const size_t count = model_places(model);
    frame *frames = arena_alloc_array(c->scratch, count, sizeof *frames);
    ph_twist *twists = arena_alloc_array(c->scratch, count, sizeof *twists);
    const double *inputs = compile_start_inputs(c);
    model->start_turns = arena_alloc_array(model->memory, (size_t)model->turn_count, sizeof *model->start_turns);
    if (!frames || !twists || !inputs || !model->start_turns) {
        c->out_of_memory = true;
        return;
    }
    motion at = {.frames = frames, .twists = twists, .inputs = inputs};
    for (int j = 0; j < model->joint_count; j++) {
        joint_note_lengths(&model->joints[j]);
    }
    set_motion(model, frames, twists);
    set_offsets(model, &at);
    set_rotors(c, &at, frames, twists);
    if (compile_gives_coordinates(c) || compile_gives_rates(c)) {
        start_as_given(c, &at, frames, twists);
    } else {
        start_from_positions(c, &at, frames, twists);
    }
}

void compile_rotors(compiler *c)
{
    const size_t count = model_places(c->model);
    frame *frames = arena_alloc_array(c->scratch, count, sizeof *frames);
    ph_twist *twists = arena_alloc_array(c->scratch, count, sizeof *twists);
    c->out_of_memory |= !frames || !twists;
    if (c->model->rotor_count == 0 || !frames || !twists) {
        return;
    }
    const motion at = {.frames = frames, .twists = twists, .turns = c->model->start_turns};
    set_motion(c->model, frames, twists);
    set_rotors(c, &at, frames, twists);
}
