// Tendons, whose spans and joints become elements of the model's forces; and actuators along joints and tendons.

#include "compile/compile.h"

#include "forces/drive.h"

#include <stdio.h>
#include <string.h>

// ---- Tendons --------------------------------------------------------------------------------------------------------

static int body_of(compiler *c, place where, int given)
{
    if (given == PH_WORLD) return c->model->body_count;
    if (given >= 0 && given < c->model->body_count) return given;
    complain(c, where, NULL, "there is no body with index %d", given);
    return PH_NONE;
}

static bool is_still(const ph_model *model, int body)
{
    return model->bodies[body].moving < 0;
}

// From one point of the path to the next; within a body, or between those that stand, the length is what it is.
static void add_span(compiler *c, place where, const ph_tendon_point pair[2], tendon *t, tendon_part *parts)
{
    const ph_model *model = c->model;
    tendon_part p = {.a = body_of(c, where, pair[0].body), .b = body_of(c, where, pair[1].body), .coefficient = 1.0};
    if (p.a < 0 || p.b < 0 || !check_finite3(c, where, "path", pair[1].position)) return;
    p.s_a = ph_sub(pair[0].position, model->bodies[p.a].kind->com);
    p.s_b = ph_sub(pair[1].position, model->bodies[p.b].kind->com);
    if (p.a == p.b) {
        t->fixed += ph_norm(ph_sub(p.s_b, p.s_a));
    } else if (is_still(model, p.a) && is_still(model, p.b)) {
        const frame a = body_frame(&model->bodies[p.a]), b = body_frame(&model->bodies[p.b]);
        t->fixed += ph_norm(ph_sub(ph_add(b.x, ph_mul(b.R, p.s_b)), ph_add(a.x, ph_mul(a.R, p.s_a))));
    } else {
        parts[t->part_count++] = p;
    }
}

static void add_joint(compiler *c, place where, const ph_tendon_joint *given, tendon *t, tendon_part *parts)
{
    if (given->joint < 0 || given->joint >= c->model->joint_count) {
        complain(c, where, NULL, "there is no joint with index %d", given->joint);
        return;
    }
    const joint *j = &c->model->joints[given->joint];
    check_finite(c, where, "coefficient", given->coefficient);
    if (j->row_count && j->coordinate_count == 0)
        complain(c, where, "a revolute or prismatic joint has one", "the joint '%s' has no coordinate", j->name);
    else
        parts[t->part_count++] = (tendon_part){.a = j->a, .b = j->b, .joint = j, .coefficient = given->coefficient};
}

static void check_numbers(compiler *c, place where, const ph_tendon_def *def)
{
    check_not_negative(c, where, "stiffness", def->stiffness);
    check_not_negative(c, where, "damping", def->damping);
    check_not_negative(c, where, "limit_stiffness", def->limit_stiffness);
    check_not_negative(c, where, "limit_damping", def->limit_damping);
    const bool limited = def->has_limit_low || def->has_limit_high;
    if (limited && !(def->limit_stiffness > 0.0))
        complain(c, where, "limit_stiffness: N/m, with limit_damping: N s/m where it shall not bounce",
                 "the limits of a tendon are springs: it needs the key 'limit_stiffness'");
    if (def->has_limit_low && def->has_limit_high && !(def->limit_low < def->limit_high))
        complain(c, place_key(where, "limits"), NULL, "the lower limit is not below the upper one");
    if (def->path_count == 1) complain(c, place_key(where, "path"), NULL, "a path has at least two points");
}

static int actuators_on(const ph_spec *spec, int tendon)
{
    int count = 0;
    for (int i = 0; i < spec->actuator_count; i++) count += spec->actuators[i].tendon == tendon;
    return count;
}

// Room for the winch and all actuators; those write theirs later.
static void make_values(compiler *c, place where, int index, tendon *t)
{
    const ph_value *winch = &t->def->tension;
    const bool has = winch->expression || winch->number != 0.0;
    value *values = arena_alloc_array(c->model->memory, (size_t)actuators_on(c->spec, index) + 1, sizeof *values);
    if (!values) {
        c->out_of_memory = true;
        return;
    }
    t->values = values;
    if (has) compile_value(c, place_key(where, "tension"), winch, &values[t->value_count++]);
}

static void compile_tendon(compiler *c, int index, tendon *t)
{
    const place where = place_of("tendons[%d]", index);
    const ph_tendon_def *given = &c->spec->tendons[index];
    ph_tendon_def *def = keep_array(c, given, 1, sizeof *given);
    const size_t room = (size_t)given->path_count + (size_t)given->joint_count + 1;
    tendon_part *parts = arena_alloc_array(c->model->memory, room, sizeof *parts);
    if (!def || !parts) {
        c->out_of_memory = true;
        return;
    }
    def->name = keep_string(c, given->name);
    def->tension.expression = keep_string(c, given->tension.expression);
    *t = (tendon){.name = def->name, .def = def, .parts = parts};
    check_name(c, where, t->name, &c->model->tendon_names, index);
    check_numbers(c, where, def);
    for (int k = 0; k + 1 < def->path_count; k++)
        add_span(c, place_of("tendons[%d].path[%d]", index, k), &def->path[k], t, parts);
    for (int k = 0; k < def->joint_count; k++)
        add_joint(c, place_of("tendons[%d].joints[%d]", index, k), &def->joints[k], t, parts);
    if (t->part_count == 0 && def->path_count != 1)
        complain(c, where, "path: [site, site, ...] over bodies that move, joints: {name: coefficient}",
                 "nothing changes the length of the tendon");
    make_values(c, where, index, t);
    def->path = NULL; // of the spec
    def->joints = NULL;
}

void compile_tendons(compiler *c)
{
    ph_model *model = c->model;
    const int count = c->spec->tendon_count;
    model->tendon_count = count;
    model->tendons = arena_alloc_array(model->memory, (size_t)count, sizeof *model->tendons);
    if (!model->tendons || !names_create(&model->tendon_names, count, model->memory)) {
        c->out_of_memory = true;
        return;
    }
    for (int i = 0; i < count && !c->out_of_memory; i++) compile_tendon(c, i, &model->tendons[i]);
}

int compile_tendon_elements(const ph_model *model)
{
    int count = 0;
    for (int i = 0; i < model->tendon_count; i++) count += model->tendons[i].part_count;
    return count;
}

void compile_add_tendons(compiler *c)
{
    ph_model *model = c->model;
    for (int i = 0; i < model->tendon_count; i++) {
        const tendon *t = &model->tendons[i];
        for (int k = 0; k < t->part_count; k++) {
            const tendon_part *p = &t->parts[k];
            model->forces[model->force_count++] = (force){.type = &force_tendon,
                                                          .name = t->name,
                                                          .a = p->a,
                                                          .b = p->b,
                                                          .s_a = p->s_a,
                                                          .s_b = p->s_b,
                                                          .joint = p->joint,
                                                          .values = t->values,
                                                          .value_count = t->value_count,
                                                          .tendon = t,
                                                          .part = k};
        }
    }
}

void compile_tendon_starts(compiler *c, const motion *start)
{
    for (int i = 0; i < c->model->tendon_count; i++) {
        tendon *t = &c->model->tendons[i];
        t->rest = t->def->has_length ? t->def->length : tendon_length(t, start);
    }
}

// ---- Actuators ------------------------------------------------------------------------------------------------------

static void check_actuator(compiler *c, place where, const ph_actuator_def *def)
{
    const ph_model *model = c->model;
    check_finite(c, where, "gear", def->gear);
    check_not_negative(c, where, "max", def->max);
    check_not_negative(c, where, "delay", def->delay);
    check_not_negative(c, where, "kp", def->kp);
    check_not_negative(c, where, "kd", def->kd);
    if ((def->joint == PH_NONE) == (def->tendon == PH_NONE))
        complain(c, where, "joint: name, or tendon: name", "an actuator acts along one joint or one tendon");
    else if (def->joint != PH_NONE && (def->joint < 0 || def->joint >= model->joint_count))
        complain(c, place_key(where, "joint"), NULL, "there is no joint with index %d", def->joint);
    else if (def->tendon != PH_NONE && (def->tendon < 0 || def->tendon >= model->tendon_count))
        complain(c, place_key(where, "tendon"), NULL, "there is no tendon with index %d", def->tendon);
    else if (def->joint != PH_NONE && model->joints[def->joint].row_count &&
             model->joints[def->joint].coordinate_count != 1)
        complain(c, place_key(where, "joint"), "a revolute, prismatic or screw joint has one",
                 "the joint '%s' has %d coordinates", model->joints[def->joint].name,
                 model->joints[def->joint].coordinate_count);
    if (def->servo && def->joint == PH_NONE)
        complain(c, where, "control: a tension", "only an actuator of a joint can be a servo");
    if (def->has_limit_low && def->has_limit_high && !(def->limit_low < def->limit_high))
        complain(c, place_key(where, "limits"), NULL, "the lower limit is not below the upper one");
}

// "gear*max(low, min(high, control))", of a servo without the gear; cut at +-max on tendons, which have no other place for it.
static const char *force_text(compiler *c, const ph_actuator_def *def, const char *control)
{
    const size_t room = strlen(control) + 256;
    char *text = arena_alloc(c->model->memory, room), low[40] = "", high[40] = "", cut[80] = "", end[4] = "";
    if (!text) {
        c->out_of_memory = true;
        return "0";
    }
    if (def->has_limit_low) snprintf(low, sizeof low, "max(%.17g, ", def->limit_low);
    if (def->has_limit_high) snprintf(high, sizeof high, "min(%.17g, ", def->limit_high);
    if (def->max > 0.0) snprintf(cut, sizeof cut, "max(-%.17g, min(%.17g, ", def->max, def->max);
    if (def->max > 0.0) snprintf(end, sizeof end, "))");
    snprintf(text, room, "%s(%.17g)*%s%s(%s)%s%s%s", def->servo ? "" : cut, def->servo ? 1.0 : def->gear, low, high,
             control, *low ? ")" : "", *high ? ")" : "", def->servo ? "" : end);
    return text;
}

// The control as it comes out of the delay: a number of ph_state.inputs that look_up knows by its place.
static const char *control_text(compiler *c, const ph_actuator_def *def, actuator *a)
{
    char text[64];
    if (def->delay > 0.0) {
        a->held = (int)model_inputs(c->model);
        c->model->held_count += DELAY_NUMBERS;
        c->model->samples = true;
        snprintf(text, sizeof text, "held.h%d", a->held);
    } else if (def->control.expression) {
        return def->control.expression;
    } else {
        snprintf(text, sizeof text, "%.17g", def->control.number);
    }
    return keep_string(c, text);
}

static void compile_actuator(compiler *c, int index, actuator *a)
{
    const place where = place_of("actuators[%d]", index);
    const ph_actuator_def *given = &c->spec->actuators[index];
    ph_actuator_def *def = keep_array(c, given, 1, sizeof *given);
    value *values = arena_alloc_array(c->model->memory, 2, sizeof *values);
    if (!def || !values) {
        c->out_of_memory = true;
        return;
    }
    def->name = keep_string(c, given->name);
    def->control.expression = keep_string(c, given->control.expression);
    *a = (actuator){.name = def->name, .def = def, .control = &values[0], .force = &values[1], .held = -1};
    const int errors = c->errors;
    check_name(c, where, a->name, &c->model->actuator_names, index);
    check_actuator(c, where, def);
    compile_value(c, place_key(where, "control"), &def->control, &values[0]);
    if (c->errors > errors || c->out_of_memory) return;
    const char *text = force_text(c, def, control_text(c, def, a));
    compile_value(c, place_key(where, "control"), &(ph_value){.expression = text}, &values[1]);
    if (def->tendon != PH_NONE) {
        tendon *t = &c->model->tendons[def->tendon];
        ((value *)t->values)[t->value_count++] = values[1];
    }
}

void compile_actuators(compiler *c)
{
    ph_model *model = c->model;
    const int count = c->spec->actuator_count;
    model->actuator_count = count;
    model->actuators = arena_alloc_array(model->memory, (size_t)count, sizeof *model->actuators);
    if (!model->actuators || !names_create(&model->actuator_names, count, model->memory)) {
        c->out_of_memory = true;
        return;
    }
    for (int i = 0; i < count && !c->out_of_memory; i++) compile_actuator(c, i, &model->actuators[i]);
}

void compile_add_actuators(compiler *c)
{
    ph_model *model = c->model;
    for (int i = 0; i < model->actuator_count && !c->errors; i++) {
        const actuator *a = &model->actuators[i];
        const ph_actuator_def *def = a->def;
        if (def->joint == PH_NONE) continue;
        const joint *j = &model->joints[def->joint];
        model->forces[model->force_count++] = (force){.type = &force_joint_drive,
                                                      .name = a->name,
                                                      .a = j->a,
                                                      .b = j->b,
                                                      .joint = j,
                                                      .motor = def->servo ? PH_MOTOR_SERVO : PH_MOTOR_TORQUE,
                                                      .kp = def->gear * def->kp,
                                                      .kd = def->gear * def->kd,
                                                      .max = def->max,
                                                      .values = a->force,
                                                      .value_count = 1};
    }
}
