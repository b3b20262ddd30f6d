// Tendons, actuators and sensors as they are written.
#include "io/model/write.h"

#include "sensors/sensor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_bounds(model_text *t, const char *key, bool has_low, double low, bool has_high, double high)
{
    if (!has_low && !has_high) return;
    text_list(t, key);
    for (int i = 0; i < 2; i++) {
        if (i ? has_high : has_low)
            text_double(t, NULL, i ? high : low);
        else
            text_word(t, NULL, "null");
    }
    text_end_list(t);
}

// The site of the spec at a place, by name; paths are written by sites, which those of calls may have to be given.
static const char *site_at(const ph_spec *spec, const ph_tendon_point *p, int tendon, int index, char room[64])
{
    for (int i = 0; i < spec->site_count; i++) {
        const ph_site_def *s = &spec->sites[i];
        if (s->name && s->body == p->body && memcmp(&s->position, &p->position, sizeof p->position) == 0)
            return s->name;
    }
    snprintf(room, 64, "_tendon%d_%d", tendon, index);
    return room;
}

// Points of paths that no site stands for get one of their own.
void write_tendon_sites(model_text *t, const ph_spec *spec)
{
    for (int i = 0; i < spec->tendon_count; i++) {
        for (int k = 0; k < spec->tendons[i].path_count; k++) {
            const ph_tendon_point *p = &spec->tendons[i].path[k];
            char room[64];
            const char *name = site_at(spec, p, i, k, room);
            if (name != room) continue;
            text_map(t, NULL);
            text_string(t, "name", name);
            text_string(t, "body", write_body_name(spec, p->body));
            write_vector_unless_zero(t, "position", p->position);
            text_end_map(t);
        }
    }
}

bool write_needs_sites(const ph_spec *spec)
{
    bool needs = spec->site_count > 0;
    for (int i = 0; i < spec->tendon_count; i++) needs = needs || spec->tendons[i].path_count > 0;
    return needs;
}

void write_tendon(model_text *t, const ph_spec *spec, int index)
{
    const ph_tendon_def *d = &spec->tendons[index];
    char room[64];
    text_map(t, NULL);
    text_string(t, "name", d->name ? d->name : "");
    if (d->path_count > 0) {
        text_list(t, "path");
        for (int k = 0; k < d->path_count; k++) text_string(t, NULL, site_at(spec, &d->path[k], index, k, room));
        text_end_list(t);
    }
    if (d->joint_count > 0) {
        text_map(t, "joints");
        for (int k = 0; k < d->joint_count; k++)
            text_double(t, write_joint_name(spec, d->joints[k].joint), d->joints[k].coefficient);
        text_end_map(t);
    }
    write_unless(t, "stiffness", d->stiffness, 0.0);
    write_unless(t, "damping", d->damping, 0.0);
    if (d->has_length) text_double(t, "length", d->length);
    if (d->cable) text_bool(t, "cable", true);
    put_bounds(t, "limits", d->has_limit_low, d->limit_low, d->has_limit_high, d->limit_high);
    write_unless(t, "limit_stiffness", d->limit_stiffness, 0.0);
    write_unless(t, "limit_damping", d->limit_damping, 0.0);
    if (d->tension.expression || d->tension.number != 0.0) write_value(t, "tension", &d->tension);
    text_end_map(t);
}

void write_actuator(model_text *t, const ph_spec *spec, const ph_actuator_def *d)
{
    text_map(t, NULL);
    text_string(t, "name", d->name ? d->name : "");
    if (d->joint != PH_NONE) text_string(t, "joint", write_joint_name(spec, d->joint));
    if (d->tendon >= 0 && d->tendon < spec->tendon_count) text_string(t, "tendon", spec->tendons[d->tendon].name);
    write_value(t, d->servo ? "position" : "control", &d->control);
    write_unless(t, "kp", d->kp, 0.0);
    write_unless(t, "kd", d->kd, 0.0);
    write_unless(t, "gear", d->gear, 1.0);
    put_bounds(t, "limits", d->has_limit_low, d->limit_low, d->has_limit_high, d->limit_high);
    write_unless(t, "max", d->max, 0.0);
    write_unless(t, "delay", d->delay, 0.0);
    text_end_map(t);
}

void write_sensor(model_text *t, const ph_spec *spec, const ph_sensor_def *d)
{
    unsigned keys = 0;
    for (int k = 0; sensor_types[k]; k++)
        if (d->type && strcmp(sensor_types[k]->name, d->type) == 0) keys = sensor_types[k]->keys;
    text_map(t, NULL);
    text_string(t, "name", d->name ? d->name : "");
    write_text_if(t, "type", d->type);
    if (keys & (SENSOR_FRAME | SENSOR_BODY)) text_string(t, "body", write_body_name(spec, d->body));
    if (keys & SENSOR_FRAME) {
        write_vector_unless_zero(t, "position", d->position);
        write_orientation(t, d->orientation);
    }
    if (keys & SENSOR_BODY && d->other != PH_NONE) text_string(t, "other", write_body_name(spec, d->other));
    if (keys & SENSOR_JOINT) text_string(t, "joint", write_joint_name(spec, d->joint));
    if (keys & SENSOR_TENDON && d->tendon >= 0 && d->tendon < spec->tendon_count)
        text_string(t, "tendon", spec->tendons[d->tendon].name);
    if (keys & SENSOR_ACTUATOR && d->actuator >= 0 && d->actuator < spec->actuator_count)
        text_string(t, "actuator", spec->actuators[d->actuator].name);
    if (keys & SENSOR_TIME) text_double(t, "time", d->time);
    if (keys & SENSOR_LIMITS)
        put_bounds(t, "limits", isfinite(d->limit_low), d->limit_low, isfinite(d->limit_high), d->limit_high);
    if (keys & SENSOR_RANGE) write_unless(t, "range", d->range, 0.0);
    if (keys & SENSOR_VALUE) write_value(t, "value", &(ph_value){.expression = d->expression});
    text_end_map(t);
}
