// Writing models. A spec is written element by element with all its numbers; what is as the reader's default is left out.
// A model file is turned into the other format as it is, with its parameters and expressions.

#include "io/model_text.h"

#include "base/error.h"
#include "base/problems.h"
#include "io/model_file.h"
#include "io/model_reader.h"
#include "io/result_file.h"
#include "joints/joint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- Small parts ----------------------------------------------------------------------------------------------------

static void put_vector(model_text *t, const char *key, ph_vec3 v)
{
    text_doubles(t, key, (const double[]){v.x, v.y, v.z}, 3);
}

static bool is_zero(ph_vec3 v) // -0 is written
{
    const ph_vec3 zero = {0.0, 0.0, 0.0};
    return memcmp(&v, &zero, sizeof v) == 0;
}

static void put_vector_unless_zero(model_text *t, const char *key, ph_vec3 v)
{
    if (!is_zero(v)) {
        put_vector(t, key, v);
    }
}

static void put_unless(model_text *t, const char *key, double value, double otherwise)
{
    if (value != otherwise || signbit(value) != signbit(otherwise)) {
        text_double(t, key, value);
    }
}

static void put_orientation(model_text *t, ph_quat q)
{
    const ph_quat none = {1.0, 0.0, 0.0, 0.0};
    if (memcmp(&q, &none, sizeof q) != 0) {
        text_map(t, "orientation");
        text_doubles(t, "quaternion", (const double[]){q.w, q.x, q.y, q.z}, 4);
        text_end_map(t);
    }
}

static void put_matrix(model_text *t, const char *key, const double *m, int n)
{
    text_list(t, key);
    for (int i = 0; i < n; i++) {
        text_doubles(t, NULL, m + i * n, n);
    }
    text_end_list(t);
}

static void put_value(model_text *t, const char *key, const ph_value *v)
{
    if (v->expression) {
        text_string(t, key, v->expression);
    } else {
        text_double(t, key, v->number);
    }
}

static void put_text_if(model_text *t, const char *key, const char *text)
{
    if (text) {
        text_string(t, key, text);
    }
}

static const char *body_name(const ph_spec *spec, int body)
{
    return body >= 0 && body < spec->body_count ? spec->bodies[body].def.name : "world";
}

static const char *joint_name(const ph_spec *spec, int joint)
{
    return joint >= 0 && joint < spec->joint_count ? spec->joints[joint].name : "";
}

static void put_bodies(model_text *t, const ph_spec *spec, int a, int b)
{
    text_list(t, "bodies");
    text_string(t, NULL, body_name(spec, a));
    text_string(t, NULL, body_name(spec, b));
    text_end_list(t);
}

// ---- Bodies ---------------------------------------------------------------------------------------------------------

static bool is_type(const char *type, const char *names) // one of those in "a b c"
{
    const char *at = strstr(names, type);
    const size_t length = strlen(type);
    return at && (at == names || at[-1] == ' ') && (at[length] == ' ' || !at[length]);
}

static void put_shape_data(model_text *t, const ph_shape_def *s)
{
    text_list(t, strcmp(s->type, "hull") == 0 ? "points" : "values");
    for (int i = 0; i < s->data_rows; i++) {
        text_doubles(t, NULL, s->data + (size_t)i * (size_t)s->data_columns, s->data_columns);
    }
    text_end_list(t);
}

static void put_shape(model_text *t, const ph_shape_def *s)
{
    const ph_shape_def none = ph_default_shape();
    text_map(t, NULL);
    text_string(t, "type", s->type);
    if (is_type(s->type, "sphere capsule cylinder")) {
        text_double(t, "radius", s->radius);
    }
    if (is_type(s->type, "capsule cylinder")) {
        text_double(t, "length", s->length);
        put_vector(t, "axis", s->axis);
    }
    if (is_type(s->type, "box heightfield ellipsoid plane")) {
        put_vector(t, is_type(s->type, "ellipsoid") ? "radii" : is_type(s->type, "plane") ? "normal" : "size", s->size);
    }
    if (s->data && is_type(s->type, "hull heightfield")) {
        put_shape_data(t, s);
    }
    put_text_if(t, "file", s->file);
    if (s->smooth) {
        text_bool(t, "smooth", s->smooth);
    }
    put_vector_unless_zero(t, "position", s->position);
    put_orientation(t, s->orientation);
    put_unless(t, "density", s->density, none.density);
    put_unless(t, "friction", s->friction, none.friction);
    put_unless(t, "restitution", s->restitution, none.restitution);
    put_unless(t, "rolling_friction", s->rolling_friction, none.rolling_friction);
    put_unless(t, "spinning_friction", s->spinning_friction, none.spinning_friction);
    put_unless(t, "compliance", s->compliance, none.compliance);
    if (s->group != none.group) {
        text_integer(t, "group", s->group);
    }
    if (s->collide != none.collide) {
        text_bool(t, "collide", s->collide);
    }
    put_text_if(t, "color", s->color);
    text_end_map(t);
}

static bool is_zero_matrix(const ph_mat3 *m)
{
    const ph_mat3 zero = {0};
    return memcmp(m, &zero, sizeof zero) == 0;
}

static void put_body(model_text *t, const spec_body *body)
{
    const ph_body_def *b = &body->def;
    text_map(t, NULL);
    text_string(t, "name", b->name ? b->name : "");
    if (b->fixed) {
        text_bool(t, "fixed", true);
    }
    put_unless(t, "mass", b->mass, 0.0);
    if (!is_zero_matrix(&b->inertia)) {
        put_matrix(t, "inertia", &b->inertia.m[0][0], 3);
    }
    put_vector_unless_zero(t, "com", b->com);
    if (b->reference == PH_REFERENCE_ORIGIN) {
        text_string(t, "reference", "origin");
    } else if (b->reference == PH_REFERENCE_POINT) {
        put_vector(t, "reference", b->reference_point);
    }
    put_vector_unless_zero(t, "position", b->position);
    put_orientation(t, b->orientation);
    put_vector_unless_zero(t, "velocity", b->velocity);
    put_vector_unless_zero(t, "angular_velocity", b->angular_velocity);
    put_unless(t, "volume", b->volume, 0.0);
    if (body->shape_count > 0) {
        text_list(t, "shapes");
        for (int i = 0; i < body->shape_count; i++) {
            put_shape(t, &body->shapes[i]);
        }
        text_end_list(t);
    }
    text_end_map(t);
}

// ---- Joints ---------------------------------------------------------------------------------------------------------

static uint32_t joint_keys(const char *type)
{
    for (int i = 0; joint_types[i]; i++) {
        if (strcmp(joint_types[i]->name, type) == 0) {
            return joint_types[i]->keys;
        }
    }
    return 0;
}

static void put_limits(model_text *t, const ph_joint_def *j)
{
    text_list(t, "limits");
    for (int i = 0; i < 2; i++) {
        if (i ? j->has_limit_high : j->has_limit_low) {
            text_double(t, NULL, i ? j->limit_high : j->limit_low);
        } else {
            text_word(t, NULL, "null");
        }
    }
    text_end_list(t);
}

static void put_motor(model_text *t, const ph_joint_def *j)
{
    const char *key = j->motor == PH_MOTOR_TORQUE ? "torque" : j->motor == PH_MOTOR_SPEED ? "speed" : "position";
    text_map(t, "motor");
    put_value(t, key, &j->motor_value);
    if (j->motor == PH_MOTOR_SERVO) {
        text_double(t, "kp", j->motor_kp);
        text_double(t, "kd", j->motor_kd);
    }
    text_end_map(t);
}

static void put_drive(model_text *t, const ph_joint_def *j)
{
    const ph_joint_def none = ph_default_joint();
    if (j->has_start) {
        text_double(t, "start", j->start);
    }
    if (j->has_limit_low || j->has_limit_high) {
        put_limits(t, j);
    }
    put_unless(t, "damping", j->damping, none.damping);
    put_unless(t, "stiffness", j->stiffness, none.stiffness);
    put_unless(t, "rest", j->rest, none.rest);
    put_unless(t, "friction", j->friction, none.friction);
    put_unless(t, "friction_speed", j->friction_speed, none.friction_speed);
    if (j->motor != PH_MOTOR_NONE) {
        put_motor(t, j);
    }
}

static void put_places(model_text *t, const ph_joint_def *j, uint32_t keys)
{
    const struct {
        const char *key;
        bool given;
        ph_vec3 value;
    } places[] = {
        {"anchor", j->has_anchor, j->anchor},       {"anchor_a", j->has_anchor_a, j->anchor_a},
        {"anchor_b", j->has_anchor_b, j->anchor_b}, {keys & JOINT_NORMAL ? "normal" : "axis", j->has_axis, j->axis},
        {"axis_a", j->has_axis_a, j->axis_a},       {"axis_b", j->has_axis_b, j->axis_b},
        {"axis2", j->has_axis2, j->axis2}};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (places[i].given) {
            put_vector(t, places[i].key, places[i].value);
        }
    }
}

static void put_joint(model_text *t, const ph_spec *spec, const ph_joint_def *j)
{
    const uint32_t keys = j->type ? joint_keys(j->type) : 0;
    text_map(t, NULL);
    text_string(t, "name", j->name ? j->name : "");
    text_string(t, "type", j->type ? j->type : "");
    if (keys & JOINT_GEAR) {
        text_list(t, "joints");
        text_string(t, NULL, joint_name(spec, j->gear_joint[0]));
        text_string(t, NULL, joint_name(spec, j->gear_joint[1]));
        text_end_list(t);
        text_double(t, "ratio", j->ratio);
    } else {
        put_bodies(t, spec, j->body_a, j->body_b);
    }
    put_places(t, j, keys);
    if (keys & JOINT_PITCH) {
        text_double(t, "pitch", j->pitch);
    }
    if (keys & JOINT_LENGTH) {
        put_unless(t, "length", j->length, 0.0);
    }
    if (keys & JOINT_LOCK) {
        text_list(t, "lock");
        for (int i = 0; i < 6; i++) {
            text_bool(t, NULL, j->lock[i]);
        }
        text_end_list(t);
    }
    if (keys & JOINT_DRIVE) {
        put_drive(t, j);
    }
    text_end_map(t);
}

// ---- Forces ---------------------------------------------------------------------------------------------------------

static void put_values3(model_text *t, const char *key, const ph_value v[3])
{
    if (v[0].expression || v[1].expression || v[2].expression ||
        !is_zero((ph_vec3){v[0].number, v[1].number, v[2].number})) {
        text_list(t, key);
        for (int i = 0; i < 3; i++) {
            put_value(t, NULL, &v[i]);
        }
        text_end_list(t);
    }
}

static void put_wrench(model_text *t, const ph_spec *spec, const ph_force_def *f)
{
    text_string(t, "body", body_name(spec, f->body_b));
    put_values3(t, "force", f->force);
    put_values3(t, "torque", f->torque);
    if (f->body_frame) {
        text_string(t, "frame", "body");
    }
    if (!f->at_com) {
        put_vector(t, "point", f->point_b);
    }
}

static void put_force(model_text *t, const ph_spec *spec, const ph_force_def *f)
{
    text_map(t, NULL);
    put_text_if(t, "name", f->name);
    text_string(t, "type", f->type ? f->type : "");
    const char *type = f->type ? f->type : "";
    if (strcmp(type, "wrench") == 0) {
        put_wrench(t, spec, f);
    } else if (strcmp(type, "torsion") == 0) {
        text_string(t, "joint", joint_name(spec, f->joint));
    } else {
        put_bodies(t, spec, f->body_a, f->body_b);
    }
    if (strcmp(type, "bushing") == 0) {
        put_vector(t, "anchor", f->anchor);
        put_orientation(t, f->orientation);
        put_matrix(t, "stiffness", &f->stiffness6[0][0], 6);
        put_matrix(t, "damping", &f->damping6[0][0], 6);
    }
    if (strcmp(type, "spring") == 0) {
        put_vector_unless_zero(t, "point_a", f->point_a);
        put_vector_unless_zero(t, "point_b", f->point_b);
    }
    if (is_type(type, "spring torsion")) {
        put_unless(t, "stiffness", f->stiffness, 0.0);
        put_unless(t, "damping", f->damping, 0.0);
        if (f->has_length) {
            text_double(t, strcmp(type, "spring") == 0 ? "length" : "rest", f->length);
        }
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
    put_bodies(t, spec, p->body_a, p->body_b);
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
    put_text_if(t, "solver", c->solver);
    text_string(t, "law", c->law == PH_LAW_COULOMB ? "coulomb" : "relaxed");
    text_double(t, "tolerance", c->tolerance);
    text_integer(t, "iterations", c->iterations);
    if (c->missed >= 0) text_integer(t, "missed", c->missed);
    text_double(t, "recovery_speed", c->recovery_speed);
    put_unless(t, "margin", c->margin, 0.0);
    put_unless(t, "sleep", c->sleep, 0.0);
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
            text_string(t, NULL, body_name(spec, r->stress[i]));
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
    put_text_if(t, "scheme", run->scheme);
    put_unless(t, "step", run->step, 0.0);
    put_unless(t, "until", run->until, 0.0);
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

static void put_elements(model_text *t, const ph_spec *spec)
{
    if (spec->body_count > 0) {
        text_block(t, "bodies");
        for (int i = 0; i < spec->body_count; i++) {
            put_body(t, &spec->bodies[i]);
        }
        text_end_block(t);
    }
    if (spec->joint_count > 0) {
        text_block(t, "joints");
        for (int i = 0; i < spec->joint_count; i++) {
            put_joint(t, spec, &spec->joints[i]);
        }
        text_end_block(t);
    }
    if (spec->force_count > 0) {
        text_block(t, "forces");
        for (int i = 0; i < spec->force_count; i++) {
            put_force(t, spec, &spec->forces[i]);
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
    put_vector_unless_zero(t, "gravity", spec->gravity);
    if (spec->input_count > 0) {
        put_inputs(t, spec);
    }
    put_elements(t, spec);
    if (spec->project) {
        text_string(t, "initial", "project");
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

// ---- Files ----------------------------------------------------------------------------------------------------------

static ph_status write_file(const char *path, const char *text, ph_error *error)
{
    result_file file;
    ph_status status = result_file_open(&file, path, true, error);
    if (status != PH_OK) {
        return status;
    }
    status = result_file_append(&file, text, strlen(text), error);
    status = status == PH_OK ? result_file_publish(&file, error) : status;
    const ph_status closed = result_file_close(&file, status == PH_OK ? error : NULL);
    return status != PH_OK ? status : closed;
}

static bool is_json(const char *path)
{
    const size_t length = strlen(path);
    return length > 5 && strcasecmp(path + length - 5, ".json") == 0;
}

ph_status ph_spec_write_file(ph_spec *spec, const char *path, ph_error *error)
{
    if (!spec || !path) return error_set(error, PH_BAD_ARGUMENT, "ph_spec_write_file needs a spec and a path");
    const char *text;
    const ph_status status = ph_spec_write_text(spec, is_json(path) ? PH_MODEL_JSON : PH_MODEL_YAML, &text, error);
    return status == PH_OK ? write_file(path, text, error) : status;
}

// ---- From one format to the other -----------------------------------------------------------------------------------

// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? : what JSON takes for a number.
static bool is_json_number(const char *s)
{
    s += *s == '-';
    const size_t whole = strspn(s, "0123456789");
    if (whole == 0 || (whole > 1 && *s == '0')) {
        return false;
    }
    s += whole;
    if (*s == '.') {
        const size_t digits = strspn(s + 1, "0123456789");
        s += 1 + digits;
        if (digits == 0) {
            return false;
        }
    }
    if (*s == 'e' || *s == 'E') {
        s += 1 + (s[1] == '+' || s[1] == '-');
        const size_t digits = strspn(s, "0123456789");
        s += digits;
        if (digits == 0) {
            return false;
        }
    }
    return *s == '\0';
}

static void put_scalar(model_text *t, const char *key, const node *n)
{
    const bool word = strcmp(n->text, "true") == 0 || strcmp(n->text, "false") == 0;
    if (n->plain && node_is_null(n)) {
        text_word(t, key, "null");
    } else if (n->plain && (word || is_json_number(n->text))) {
        text_word(t, key, n->text);
    } else {
        text_string(t, key, n->text);
    }
}

static void put_node(model_text *t, const char *key, const node *n, bool top)
{
    const bool block = top && n->kind == NODE_LIST && n->count > 0 && n->entries[0].value->kind == NODE_MAP;
    if (n->kind == NODE_SCALAR) {
        put_scalar(t, key, n);
        return;
    }
    (block ? text_block : n->kind == NODE_LIST ? text_list : text_map)(t, key);
    for (int i = 0; i < n->count; i++) {
        put_node(t, n->kind == NODE_MAP ? n->entries[i].key->text : NULL, n->entries[i].value, false);
    }
    (block ? text_end_block : n->kind == NODE_LIST ? text_end_list : text_end_map)(t);
}

static bool put_document(model_text *t, document *d, ph_problems *problems)
{
    if (!text_check(d, problems) || !document_parse(d, problems)) {
        return false;
    }
    if (!d->root || d->root->kind != NODE_MAP) {
        problems_add(problems, &(ph_problem){.severity = PH_ERROR, .file = d->name, .text = "this is not a model"});
        return false;
    }
    text_root(t);
    for (int i = 0; i < d->root->count; i++) {
        put_node(t, d->root->entries[i].key->text, d->root->entries[i].value, true);
    }
    text_end_root(t);
    return !t->failed;
}

ph_status ph_model_file_convert(const char *from, const char *to, ph_problems *problems, ph_error *error)
{
    char *text;
    size_t length;
    if (!from || !to) {
        return error_set(error, PH_BAD_ARGUMENT, "a conversion needs a file to read and one to write");
    }
    ph_status status = file_load(from, problems, &text, &length);
    if (status != PH_OK) {
        return error_set(error, status, "'%s' cannot be read", from);
    }
    document *d = document_create(from, text, length);
    mem_free(NULL, text);
    if (!d) {
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    model_text t = {.json = is_json(to)};
    if (put_document(&t, d, problems)) {
        status = write_file(to, t.text, error);
    } else {
        status = error_set(error, PH_BAD_MODEL, "'%s' has errors", from);
    }
    mem_free(NULL, t.text);
    document_destroy(d);
    return status;
}
