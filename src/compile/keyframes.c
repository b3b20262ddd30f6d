// Keyframes: checked, assembled and kept with the model. Each begins at the start of the model, at rest.

#include "compile/compile.h"

#include "dynamics/assemble.h"
#include "math/quat.h"

#include <string.h>

// ---- Checks ---------------------------------------------------------------------------------------------------------

static void check_keyframe_joint(compiler *c, place where, const ph_keyframe_joint *given)
{
    const ph_model *model = c->model;
    if (given->joint < 0 || given->joint >= model->joint_count) {
        complain(c, where, NULL, "there is no joint with index %d", given->joint);
        return;
    }
    const joint *j = &model->joints[given->joint];
    if (given->coordinate < 0 || given->coordinate >= j->coordinate_count) {
        complain(c, where, NULL, "joint '%s' has %d coordinate%s", j->name, j->coordinate_count,
                 j->coordinate_count == 1 ? "" : "s");
    } else if (j->motor && given->coordinate == 0 && (given->has_rate || !j->motor->by_speed)) {
        complain(c, where, "leave it out", "the motor of joint '%s' prescribes it", j->name);
    }
    check_finite(c, where, "value", given->has_value ? given->value : 0.0);
    check_finite(c, where, "rate", given->has_rate ? given->rate : 0.0);
}

static void check_keyframe_body(compiler *c, place where, ph_keyframe_body *given)
{
    const ph_model *model = c->model;
    if (given->body < 0 || given->body >= model->body_count) {
        complain(c, where, NULL, "there is no body with index %d", given->body);
        return;
    }
    if (model->bodies[given->body].kind->fixed) {
        complain(c, where, NULL, "body '%s' is fixed", model->bodies[given->body].name);
    }
    check_finite3(c, where, "position", given->has_position ? given->position : ph_zero3());
    check_finite3(c, where, "velocity", given->has_velocity ? given->velocity : ph_zero3());
    check_finite3(c, where, "angular_velocity", given->has_angular_velocity ? given->angular_velocity : ph_zero3());
    if (given->has_orientation) {
        check_unit_quat(c, where, "orientation", &given->orientation);
    }
}

static void check_keyframe(compiler *c, place where, const ph_keyframe_def *def)
{
    check_finite(c, where, "time", def->time);
    for (int i = 0; i < def->joint_count; i++) {
        check_keyframe_joint(c, place_key(where, "joints"), &def->joints[i]);
    }
    for (int i = 0; i < def->body_count; i++) {
        ph_keyframe_body body = def->bodies[i];
        check_keyframe_body(c, place_key(where, "bodies"), &body);
    }
    for (int i = 0; i < def->input_count; i++) {
        check_finite(c, where, "inputs", def->inputs[i].value);
        if (def->inputs[i].input < 0 || def->inputs[i].input >= c->model->input_count) {
            complain(c, place_key(where, "inputs"), NULL, "there is no input with index %d", def->inputs[i].input);
        }
    }
}

// ---- Placing --------------------------------------------------------------------------------------------------------

static bool create(compiler *c, keyframe *k)
{
    const ph_model *model = c->model;
    const size_t bodies = (size_t)model->body_count + 1;
    arena *memory = model->memory;
    k->position = arena_alloc_array(memory, bodies, sizeof *k->position);
    k->velocity = arena_alloc_array(memory, bodies, sizeof *k->velocity);
    k->angular_velocity = arena_alloc_array(memory, bodies, sizeof *k->angular_velocity);
    k->orientation = arena_alloc_array(memory, bodies, sizeof *k->orientation);
    k->turns = arena_alloc_array(memory, (size_t)model->turn_count, sizeof *k->turns);
    k->targets = arena_alloc_array(memory, (size_t)model->target_count, sizeof *k->targets);
    k->inputs = arena_alloc_array(memory, model_inputs(model), sizeof *k->inputs);
    return k->position && k->velocity && k->angular_velocity && k->orientation && k->turns && k->targets && k->inputs;
}

static void begin_at_start(const ph_model *model, keyframe *k)
{
    for (int i = 0; i <= model->body_count; i++) {
        k->position[i] = model->bodies[i].position;
        k->orientation[i] = model->bodies[i].start->orientation;
    }
    if (model->turn_count) {
        memcpy(k->turns, model->start_turns, (size_t)model->turn_count * sizeof *k->turns);
    }
    for (int i = 0; i < model->input_count; i++) {
        k->inputs[i] = model->inputs[i].start;
    }
    for (int i = 0; i < model->joint_count; i++) {
        const joint_motor *motor = model->joints[i].motor;
        if (motor && motor->by_speed) {
            k->targets[motor->target] = motor->start;
        }
    }
}

// Bodies that joints tie together; all that cannot move are one group with what hangs on them.
static int group_of(int *group, int body)
{
    while (group[body] != body) {
        group[body] = group[group[body]];
        body = group[body];
    }
    return body;
}

static int *make_groups(compiler *c)
{
    const ph_model *model = c->model;
    int *group = arena_alloc_array(c->scratch, (size_t)model->body_count + 1, sizeof *group);
    for (int b = 0; group && b <= model->body_count; b++) {
        group[b] = model->bodies[b].kind->fixed ? model->body_count : b;
    }
    for (int i = 0; group && i < model->joint_count; i++) {
        const joint *j = &model->joints[i];
        const int a = group_of(group, j->a), b = group_of(group, j->b);
        const int world = group_of(group, model->body_count);
        group[a == world ? b : a] = a == world ? a : b;
    }
    return group;
}

// Moves one body to where it is given, and with it, as one rigid body, all that hangs on it but not on the world.
static void place_body(const ph_model *model, int *group, const ph_keyframe_body *given, const bool *own, keyframe *k)
{
    const int b = given->body;
    const frame before = {ph_quat_to_mat(k->orientation[b]), k->position[b]};
    const ph_quat old = k->orientation[b];
    const ph_vec3 com = model->bodies[b].kind->com;
    const ph_vec3 origin = ph_sub(before.x, ph_mul(before.R, com));
    k->orientation[b] = given->has_orientation ? ph_quat_unit(given->orientation) : old;
    const ph_mat3 R = ph_quat_to_mat(k->orientation[b]);
    k->position[b] = ph_add(given->has_position ? given->position : origin, ph_mul(R, com));
    k->velocity[b] = given->has_velocity ? given->velocity : ph_zero3();
    k->angular_velocity[b] = given->has_angular_velocity ? given->angular_velocity : ph_zero3();
    const ph_vec3 spin = ph_mul(R, k->angular_velocity[b]);
    const ph_quat turn = ph_quat_mul(k->orientation[b], ph_quat_conj(old));
    const int part = group_of(group, b);
    for (int i = 0; i < model->body_count; i++) {
        if (own[i] || group_of(group, i) != part || part == group_of(group, model->body_count)) {
            continue;
        }
        const ph_vec3 arm = ph_quat_rotate(turn, ph_sub(k->position[i], before.x));
        k->position[i] = ph_add(k->position[b], arm);
        k->orientation[i] = ph_quat_unit(ph_quat_mul(turn, k->orientation[i]));
        k->velocity[i] = ph_add(k->velocity[b], ph_cross(spin, arm));
        k->angular_velocity[i] = ph_tmul(ph_quat_to_mat(k->orientation[i]), spin);
    }
}

static bool place_bodies(compiler *c, const ph_keyframe_def *def, keyframe *k)
{
    bool *own = arena_alloc_array(c->scratch, (size_t)c->model->body_count + 1, sizeof *own);
    int *group = make_groups(c);
    for (int i = 0; own && i < def->body_count; i++) {
        own[def->bodies[i].body] = true;
    }
    for (int i = 0; own && group && i < def->body_count; i++) {
        place_body(c->model, group, &def->bodies[i], own, k);
    }
    return own && group;
}

// ---- Assembly -------------------------------------------------------------------------------------------------------

static bool list_given(compiler *c, const ph_keyframe_def *def, double **coordinates, double **rates)
{
    const size_t count = (size_t)c->model->coordinate_count + 1;
    *coordinates = arena_alloc_array(c->scratch, count, sizeof **coordinates);
    *rates = arena_alloc_array(c->scratch, count, sizeof **rates);
    for (size_t i = 0; *coordinates && *rates && i < count; i++) {
        (*coordinates)[i] = (*rates)[i] = (double)NAN;
    }
    for (int i = 0; *coordinates && *rates && i < def->joint_count; i++) {
        const ph_keyframe_joint *given = &def->joints[i];
        const int at = c->model->joints[given->joint].first_coordinate + given->coordinate;
        (*coordinates)[at] = given->has_value ? given->value : (*coordinates)[at];
        (*rates)[at] = given->has_rate ? given->rate : (*rates)[at];
    }
    return *coordinates && *rates;
}

static void tell(compiler *c, place where, const keyframe *k, const assembly_report *report)
{
    const gap *worst = report->rates_miss ? &report->velocities : &report->positions;
    const char *name = worst->joint >= 0 ? c->model->joints[worst->joint].name : "";
    if (report->rates_miss) {
        complain(c, where, "loops tie rates to each other: there are no more to give than freedoms",
                 "the rates of keyframe '%s' cannot be had together: joint '%s' would have %.6g", k->name, name,
                 report->rate_had);
    } else {
        complain(c, where, "is what is given within reach?",
                 "keyframe '%s' cannot be assembled: joint '%s' stays open by %.3g", k->name, name, fabs(worst->off));
    }
}

static void assemble_keyframe(compiler *c, place where, const ph_keyframe_def *def, keyframe *k)
{
    const ph_model *model = c->model;
    double *coordinates, *rates;
    assembly_report report;
    placement p = {k->position, k->velocity, k->angular_velocity, k->orientation, k->turns};
    if (!list_given(c, def, &coordinates, &rates)) {
        c->out_of_memory = true;
        return;
    }
    for (int i = 0; i < model->joint_count; i++) {
        const joint *j = &model->joints[i];
        if (j->motor && j->motor->by_speed && !isnan(coordinates[j->first_coordinate])) {
            k->targets[j->motor->target] = coordinates[j->first_coordinate];
        }
    }
    assemble_hand_on(model, coordinates);
    assemble_hand_on(model, rates);
    const motion at = {.time = k->time, .inputs = k->inputs, .targets = k->targets, .target_time = k->time};
    const ph_status status = assemble(model, &at, coordinates, rates, &p, &report);
    c->out_of_memory |= status == PH_OUT_OF_MEMORY;
    if (status == PH_NO_CONVERGENCE) {
        tell(c, where, k, &report);
    }
}

static void compile_keyframe(compiler *c, int index, keyframe *k)
{
    const ph_keyframe_def *def = &c->spec->keyframes[index];
    const place where = place_of("keyframes[%d]", index);
    const int errors = c->errors;
    check_keyframe(c, where, def);
    if (c->errors > errors) {
        return;
    }
    if (!create(c, k)) {
        c->out_of_memory = true;
        return;
    }
    k->time = def->time;
    begin_at_start(c->model, k);
    for (int i = 0; i < def->input_count; i++) {
        k->inputs[def->inputs[i].input] = def->inputs[i].value;
    }
    if (def->body_count && !place_bodies(c, def, k)) {
        c->out_of_memory = true;
        return;
    }
    assemble_keyframe(c, where, def, k);
}

// ---- The start ------------------------------------------------------------------------------------------------------

// The model starts in a keyframe: that is where its bodies, angles, motors and inputs begin.
static void start_in(compiler *c, const keyframe *k)
{
    ph_model *model = c->model;
    if (k->time != 0.0) {
        complain(c, place_of("initial"), "a model starts at time 0", "keyframe '%s' is at time %.6g", k->name, k->time);
        return;
    }
    for (int n = 0; n < model->moving_count - model->rotor_count; n++) {
        const int i = model->moving[n];
        compile_place(c, i, k->position[i], k->orientation[i], (ph_twist){k->angular_velocity[i], k->velocity[i]});
    }
    if (model->turn_count) {
        memcpy(model->start_turns, k->turns, (size_t)model->turn_count * sizeof *k->turns);
    }
    for (int i = 0; i < model->input_count; i++) {
        model->inputs[i].start = k->inputs[i];
    }
    for (int i = 0; i < model->joint_count; i++) {
        joint_motor *motor = (joint_motor *)model->joints[i].motor; // not const before the model is finished
        if (motor && motor->by_speed) {
            motor->start = k->targets[motor->target];
        }
    }
    compile_rotors(c);
}

static void find_start(compiler *c)
{
    const ph_model *model = c->model;
    const char *known[64];
    int count = 0;
    for (int i = 0; i < model->keyframe_count; i++) {
        if (strcmp(model->keyframes[i].name, c->spec->start) == 0) {
            start_in(c, &model->keyframes[i]);
            return;
        }
        if (count < 64) {
            known[count++] = model->keyframes[i].name;
        }
    }
    complain(c, place_of("initial"), count ? hint_for(c->spec->start, known, count).text : "the model has none",
             "there is no keyframe '%s'", c->spec->start);
}

void compile_keyframes(compiler *c)
{
    ph_model *model = c->model;
    const int count = c->spec->keyframe_count, errors = c->errors;
    names taken;
    model->keyframe_count = count;
    model->keyframes = arena_alloc_array(model->memory, (size_t)count, sizeof *model->keyframes);
    if (!model->keyframes || !names_create(&taken, count, c->scratch)) {
        c->out_of_memory = true;
        return;
    }
    for (int i = 0; i < count && !c->out_of_memory; i++) {
        model->keyframes[i].name = keep_string(c, c->spec->keyframes[i].name);
        if (check_name(c, place_of("keyframes[%d]", i), model->keyframes[i].name, &taken, i)) {
            compile_keyframe(c, i, &model->keyframes[i]);
        }
    }
    if (c->spec->start && c->errors == errors && !c->out_of_memory) {
        find_start(c);
    }
}
