// Writing a spec as a model: element by element with all its numbers; what is as the reader's default is left out.

#include "io/model/write.h"

#include "base/error.h"
#include "io/model/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Keyframes ------------------------------------------------------------------------------------------------------

static void put_keyframe_joints(model_text *t, const ph_spec *spec, const ph_keyframe_def *k)
{
    text_map(t, "joints");
    for (int i = 0; i < k->joint_count; i++) {
        const int joint = k->joints[i].joint;
        bool has[2][PH_JOINT_COORDINATES] = {{0}}, seen = false;
        double values[2][PH_JOINT_COORDINATES] = {{0}};
        for (int n = 0; n < k->joint_count; n++) { // of several entries for one coordinate the last counts
            const ph_keyframe_joint *given = &k->joints[n];
            seen |= n < i && given->joint == joint;
            if (given->joint != joint || given->coordinate < 0 || given->coordinate >= PH_JOINT_COORDINATES) {
                continue;
            }
            has[0][given->coordinate] |= given->has_value;
            has[1][given->coordinate] |= given->has_rate;
            values[0][given->coordinate] = given->has_value ? given->value : values[0][given->coordinate];
            values[1][given->coordinate] = given->has_rate ? given->rate : values[1][given->coordinate];
        }
        if (!seen) {
            text_map(t, write_joint_name(spec, joint));
            write_given(t, "coordinate", has[0], values[0]);
            write_given(t, "rate", has[1], values[1]);
            text_end_map(t);
        }
    }
    text_end_map(t);
}

static void put_keyframe_body(model_text *t, const ph_spec *spec, const ph_keyframe_body *b)
{
    text_map(t, write_body_name(spec, b->body));
    if (b->has_position) {
        write_vector(t, "position", b->position);
    }
    if (b->has_orientation) {
        write_orientation(t, b->orientation);
    }
    if (b->has_velocity) {
        write_vector(t, "velocity", b->velocity);
    }
    if (b->has_angular_velocity) {
        write_vector(t, "angular_velocity", b->angular_velocity);
    }
    text_end_map(t);
}

static void put_keyframe(model_text *t, const ph_spec *spec, const ph_keyframe_def *k)
{
    text_map(t, NULL);
    text_string(t, "name", k->name ? k->name : "");
    write_unless(t, "time", k->time, 0.0);
    if (k->joint_count > 0) {
        put_keyframe_joints(t, spec, k);
    }
    if (k->body_count > 0) {
        text_map(t, "bodies");
        for (int i = 0; i < k->body_count; i++) {
            put_keyframe_body(t, spec, &k->bodies[i]);
        }
        text_end_map(t);
    }
    if (k->input_count > 0) {
        text_map(t, "inputs");
        for (int i = 0; i < k->input_count; i++) {
            const int input = k->inputs[i].input;
            text_double(t, input >= 0 && input < spec->input_count ? spec->inputs[input].name : "", k->inputs[i].value);
        }
        text_end_map(t);
    }
    text_end_map(t);
}

// ---- Settings -------------------------------------------------------------------------------------------------------

static void put_pair(model_text *t, const ph_spec *spec, const ph_contact_pair *p)
{
    const struct {
        const char *key;
        double value;
    } values[] = {{"friction", p->friction},
                  {"restitution", p->restitution},
                  {"rolling_friction", p->rolling_friction},
                  {"spinning_friction", p->spinning_friction},
                  {"compliance", p->compliance}};
    text_map(t, NULL);
    write_bodies(t, spec, p->body_a, p->body_b);
    text_bool(t, "collide", p->collide);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (values[i].value >= 0.0) {
            text_double(t, values[i].key, values[i].value);
        }
    }
    text_end_map(t);
}

static void put_contact(model_text *t, const ph_spec *spec)
{
    const ph_contact_settings *c = &spec->contact;
    text_map(t, "contact");
    write_text_if(t, "solver", c->solver);
    write_text_if(t, "device", c->device);
    text_string(t, "law", c->law == PH_LAW_COULOMB ? "coulomb" : "relaxed");
    write_unless(t, "tolerance", c->tolerance, 0.0);
    text_integer(t, "iterations", c->iterations);
    if (c->missed >= 0) text_integer(t, "missed", c->missed);
    text_double(t, "recovery_speed", c->recovery_speed);
    write_unless(t, "margin", c->margin, 0.0);
    write_unless(t, "sleep", c->sleep, 0.0);
    if (c->pair_count > 0) {
        text_list(t, "pairs");
        for (int i = 0; i < c->pair_count; i++) {
            put_pair(t, spec, &c->pairs[i]);
        }
        text_end_list(t);
    }
    text_end_map(t);
}

static void put_record(model_text *t, const ph_spec *spec)
{
    const ph_record_settings *r = &spec->record;
    text_map(t, "record");
    if (r->stress_all) {
        text_string(t, "stress", "all");
    } else if (r->stress_count > 0) {
        text_list(t, "stress");
        for (int i = 0; i < r->stress_count; i++) {
            text_string(t, NULL, write_body_name(spec, r->stress[i]));
        }
        text_end_list(t);
    }
    if (r->contacts) {
        text_bool(t, "contacts", true);
    }
    text_end_map(t);
}

// "rho=0.8,x=1" becomes {rho: 0.8, x: 1}.
static void put_options(model_text *t, const char *options)
{
    char name[128], value[128];
    text_map(t, "options");
    for (const char *at = options; *at;) {
        const size_t length = strcspn(at, ",");
        const char *equals = memchr(at, '=', length);
        if (equals) {
            snprintf(name, sizeof name, "%.*s", (int)(equals - at), at);
            snprintf(value, sizeof value, "%.*s", (int)(at + length - equals - 1), equals + 1);
            text_string(t, name, value);
        }
        at += length + (at[length] == ',');
    }
    text_end_map(t);
}

static void put_run(model_text *t, const ph_run_settings *run)
{
    text_map(t, "run");
    write_text_if(t, "scheme", run->scheme);
    write_unless(t, "step", run->step, 0.0);
    write_unless(t, "until", run->until, 0.0);
    write_text_if(t, "stop_when", run->stop_when);
    if (run->options && *run->options) {
        put_options(t, run->options);
    }
    text_end_map(t);
}

// ---- The spec -------------------------------------------------------------------------------------------------------

static void put_inputs(model_text *t, const ph_spec *spec)
{
    text_map(t, "inputs");
    for (int i = 0; i < spec->input_count; i++) {
        text_double(t, spec->inputs[i].name, spec->inputs[i].value);
    }
    text_end_map(t);
}

static void put_site(model_text *t, const ph_spec *spec, const ph_site_def *s)
{
    text_map(t, NULL);
    text_string(t, "name", s->name ? s->name : "");
    text_string(t, "body", write_body_name(spec, s->body));
    write_vector_unless_zero(t, "position", s->position);
    write_orientation(t, s->orientation);
    text_end_map(t);
}

static void put_devices(model_text *t, const ph_spec *spec)
{
    if (spec->tendon_count > 0) {
        text_block(t, "tendons");
        for (int i = 0; i < spec->tendon_count; i++) write_tendon(t, spec, i);
        text_end_block(t);
    }
    if (spec->actuator_count > 0) {
        text_block(t, "actuators");
        for (int i = 0; i < spec->actuator_count; i++) write_actuator(t, spec, &spec->actuators[i]);
        text_end_block(t);
    }
    if (spec->sensor_count > 0) {
        text_block(t, "sensors");
        for (int i = 0; i < spec->sensor_count; i++) write_sensor(t, spec, &spec->sensors[i]);
        text_end_block(t);
    }
}

static void put_elements(model_text *t, const ph_spec *spec)
{
    if (spec->body_count > 0) {
        text_block(t, "bodies");
        for (int i = 0; i < spec->body_count; i++) {
            write_body(t, &spec->bodies[i]);
        }
        text_end_block(t);
    }
    if (write_needs_sites(spec)) {
        text_block(t, "sites");
        for (int i = 0; i < spec->site_count; i++) {
            put_site(t, spec, &spec->sites[i]);
        }
        write_tendon_sites(t, spec);
        text_end_block(t);
    }
    if (spec->joint_count > 0) {
        text_block(t, "joints");
        for (int i = 0; i < spec->joint_count; i++) {
            write_joint(t, spec, &spec->joints[i]);
        }
        text_end_block(t);
    }
    if (spec->force_count > 0) {
        text_block(t, "forces");
        for (int i = 0; i < spec->force_count; i++) {
            write_force(t, spec, &spec->forces[i]);
        }
        text_end_block(t);
    }
    put_devices(t, spec);
    if (spec->keyframe_count > 0) {
        text_block(t, "keyframes");
        for (int i = 0; i < spec->keyframe_count; i++) {
            put_keyframe(t, spec, &spec->keyframes[i]);
        }
        text_end_block(t);
    }
}

static void put_spec(model_text *t, const ph_spec *spec)
{
    text_root(t);
    text_integer(t, "polhode", 1);
    if (spec->name && *spec->name) {
        text_string(t, "name", spec->name);
    }
    write_vector_unless_zero(t, "gravity", spec->gravity);
    if (spec->input_count > 0) {
        put_inputs(t, spec);
    }
    put_elements(t, spec);
    if (spec->project && spec->start) {
        text_list(t, "initial");
        text_string(t, NULL, "project");
        text_string(t, NULL, spec->start);
        text_end_list(t);
    } else if (spec->project || spec->start) {
        text_string(t, "initial", spec->start ? spec->start : "project");
    }
    if (spec->has_contact) {
        put_contact(t, spec);
    }
    if (spec->record.stress_all || spec->record.stress_count > 0 || spec->record.contacts) {
        put_record(t, spec);
    }
    put_run(t, &spec->run);
    text_end_root(t);
}

ph_status ph_spec_write_text(ph_spec *spec, ph_model_format format, const char **text, ph_error *error)
{
    if (!spec || !text)
        return error_set(error, PH_BAD_ARGUMENT, "ph_spec_write_text needs a spec and a place for the text");
    *text = NULL;
    if (spec->callback_count > 0) {
        return error_set(error, PH_NOT_SUPPORTED, "forces that a program computes itself cannot be written to a file");
    }
    for (int i = 0; i < spec->body_count; i++) {
        for (int k = 0; k < spec->bodies[i].shape_count; k++) {
            const ph_shape_def *shape = &spec->bodies[i].shapes[k];
            if (shape->type && strcmp(shape->type, "mesh") == 0 && !shape->file) {
                return error_set(error, PH_NOT_SUPPORTED,
                                 "body '%s': a mesh can be written only by the name of its file",
                                 spec->bodies[i].def.name ? spec->bodies[i].def.name : "");
            }
        }
    }
    model_text t = {.json = format == PH_MODEL_JSON};
    put_spec(&t, spec);
    *text = t.failed ? NULL : arena_copy_string(spec->memory, t.text);
    mem_free(NULL, t.text);
    return *text ? PH_OK : error_set(error, PH_OUT_OF_MEMORY, "out of memory");
}

ph_status ph_spec_describe(ph_spec *spec, ph_error *error)
{
    const char *text;
    const ph_status status = ph_spec_write_text(spec, PH_MODEL_YAML, &text, error);
    if (status == PH_OK) {
        spec->text = text;
        spec->settings = NULL;
    }
    return status;
}
