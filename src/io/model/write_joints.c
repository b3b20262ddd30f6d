// Joints as they are written.
#include "io/model/write.h"

#include "joints/joint.h"

#include <math.h>
#include <string.h>

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
    write_value(t, key, &j->motor_value);
    if (j->motor == PH_MOTOR_SERVO) {
        text_double(t, "kp", j->motor_kp);
        text_double(t, "kd", j->motor_kd);
    }
    write_unless(t, "max", j->motor_max, 0.0);
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
    write_unless(t, "damping", j->damping, none.damping);
    write_unless(t, "stiffness", j->stiffness, none.stiffness);
    write_unless(t, "rest", j->rest, none.rest);
    write_unless(t, "friction", j->friction, none.friction);
    write_unless(t, "friction_speed", j->friction_speed, none.friction_speed);
    write_unless(t, "armature", j->armature, none.armature);
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
            write_vector(t, places[i].key, places[i].value);
        }
    }
}

static bool is_given(const ph_value *v)
{
    return v->expression || v->number != 0.0;
}

static void put_rolling(model_text *t, const ph_joint_def *j)
{
    static const char *const surfaces[] = {"plane", "sphere", "cylinder"};
    write_unless(t, "radius", j->radius, 0.0);
    write_unless(t, "rim", j->rim, 0.0);
    write_vector_unless_zero(t, "semi_axes", j->semi_axes);
    if (j->surface != PH_SURFACE_PLANE) {
        text_string(t, "surface", surfaces[j->surface]);
        text_double(t, "surface_radius", j->surface_radius);
    }
    if (j->inside) {
        text_bool(t, "inside", true);
    }
    if (is_given(&j->slide[0]) || is_given(&j->slide[1]) || is_given(&j->slide[2])) {
        text_list(t, "slide");
        for (int i = 0; i < 3; i++) {
            write_value(t, NULL, &j->slide[i]);
        }
        text_end_list(t);
    }
    if (is_given(&j->spin)) {
        write_value(t, "spin", &j->spin);
    }
}

static void put_velocities(model_text *t, const ph_joint_def *j)
{
    static const char *const keys[] = {"x", "y", "z", "rx", "ry", "rz"};
    if (j->frame_b) {
        text_string(t, "frame", "b");
    }
    text_list(t, "rows");
    for (int i = 0; i < j->velocity_count; i++) {
        const ph_velocity_row *row = &j->velocities[i];
        text_map(t, NULL);
        for (int n = 0; n < 6; n++) {
            if (is_given(&row->of[n])) {
                write_value(t, keys[n], &row->of[n]);
            }
        }
        write_value(t, "equals", &row->equals);
        text_end_map(t);
    }
    text_end_list(t);
}

static void put_motions(model_text *t, const ph_joint_def *j)
{
    text_list(t, "motions");
    for (int i = 0; i < j->motion_count; i++) {
        const ph_chain_motion *m = &j->motions[i];
        text_map(t, NULL);
        write_vector(t, m->slides ? "slide" : "turn", m->axis);
        if (!m->slides) write_vector(t, "at", m->point);
        write_unless(t, "start", m->start, 0.0);
        write_unless(t, "zero", m->zero, 0.0);
        text_end_map(t);
    }
    text_end_list(t);
}

void write_joint(model_text *t, const ph_spec *spec, const ph_joint_def *j)
{
    const uint32_t keys = j->type ? joint_keys(j->type) : 0;
    text_map(t, NULL);
    text_string(t, "name", j->name ? j->name : "");
    text_string(t, "type", j->type ? j->type : "");
    if (keys & JOINT_GEAR) {
        text_list(t, "joints");
        text_string(t, NULL, write_joint_name(spec, j->gear_joint[0]));
        text_string(t, NULL, write_joint_name(spec, j->gear_joint[1]));
        text_end_list(t);
        text_double(t, "ratio", j->ratio);
    } else if (keys & JOINT_OF) {
        text_string(t, "of", write_joint_name(spec, j->of_joint));
        text_integer(t, "index", j->of_coordinate);
    } else {
        write_bodies(t, spec, j->body_a, j->body_b);
    }
    put_places(t, j, keys);
    if (keys & JOINT_PITCH) {
        text_double(t, "pitch", j->pitch);
    }
    if (keys & JOINT_LENGTH) {
        write_unless(t, "length", j->length, 0.0);
    }
    if (keys & JOINT_LOCK) {
        text_list(t, "lock");
        for (int i = 0; i < 6; i++) {
            text_bool(t, NULL, j->lock[i]);
        }
        text_end_list(t);
    }
    if (keys & JOINT_CHAIN) {
        put_motions(t, j);
    }
    write_given(t, "coordinate", j->has_coordinate, j->coordinate);
    write_given(t, "rate", j->has_rate, j->rate);
    if (keys & JOINT_DRIVE) {
        put_drive(t, j);
    }
    if (keys & JOINT_ROLLING) {
        put_rolling(t, j);
    }
    if (keys & JOINT_VELOCITIES) {
        put_velocities(t, j);
    }
    text_end_map(t);
}
