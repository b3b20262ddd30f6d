// The fingerprint of a model. See fingerprint.h.

#include "model/fingerprint.h"

#include "base/bytes.h"
#include "joints/chain.h"
#include "joints/rolling.h"
#include "joints/velocity_rows.h"

#include <string.h>

typedef uint64_t digest;

static void add_number(digest *d, double value)
{
    unsigned char bytes[8];
    byte_writer w = {.to = bytes};
    put_double(&w, value);
    *d = bytes_crc(*d, bytes, sizeof bytes);
}

static void add_numbers(digest *d, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        add_number(d, values[i]);
    }
}

static void add_text(digest *d, const char *text)
{
    add_number(d, text ? (double)strlen(text) : -1.0); // so that "ab", "c" is not "a", "bc"
    *d = bytes_crc(*d, text, text ? strlen(text) : 0);
}

static void add_vector(digest *d, ph_vec3 v)
{
    add_numbers(d, (double[]){v.x, v.y, v.z}, 3);
}

static void add_turn(digest *d, ph_quat q)
{
    add_numbers(d, (double[]){q.w, q.x, q.y, q.z}, 4);
}

static void add_matrix(digest *d, ph_mat3 A)
{
    add_numbers(d, &A.m[0][0], 9);
}

static void add_value(digest *d, ph_value value)
{
    add_text(d, value.expression);
    add_number(d, value.expression ? 0.0 : value.number);
}

// ---- Parts of a model -----------------------------------------------------------------------------------------------

static void add_shape(digest *d, const ph_shape_def *s)
{
    add_text(d, s->type);
    add_vector(d, s->size);
    add_vector(d, s->axis);
    add_vector(d, s->position);
    add_turn(d, s->orientation);
    add_text(d, s->file);
    add_numbers(d,
                (double[]){s->radius, s->length, s->density, s->friction, s->restitution, s->rolling_friction,
                           s->spinning_friction, s->compliance, s->group, s->collide, s->smooth, s->data_rows,
                           s->data_columns},
                13);
    if (s->data) {
        add_numbers(d, s->data, (size_t)s->data_rows * (size_t)s->data_columns);
    }
}

static void add_body(digest *d, const body *b)
{
    add_text(d, b->name);
    add_numbers(d, (double[]){b->kind->fixed, b->kind->mass, b->kind->volume, b->kind->shape_count}, 4);
    add_matrix(d, b->kind->J);
    add_vector(d, b->kind->com);
    add_vector(d, b->kind->reference);
    add_vector(d, b->position);
    add_turn(d, b->start->orientation);
    add_vector(d, b->start->twist.omega);
    add_vector(d, b->start->twist.v);
    for (int i = 0; i < b->kind->shape_count; i++) {
        add_shape(d, &b->kind->shapes[i]);
    }
}

static void add_values(digest *d, const value *v, int count)
{
    for (int k = 0; k < count; k++) add_value(d, (ph_value){v[k].number, v[k].text});
}

static void add_rolling(digest *d, const joint *j)
{
    if (j->rolling) {
        const rolling *r = j->rolling;
        add_numbers(d, (double[]){r->surface, r->radius, r->side, r->rho, r->blade}, 5);
        add_vector(d, r->squares);
        if (r->belt) add_values(d, r->belt, 4);
    }
    if (j->velocities) {
        add_number(d, j->velocities->in_b);
        add_values(d, j->velocities->values, VELOCITY_VALUES * j->kind_count);
    }
}

static void add_joint(digest *d, const ph_model *model, const joint *j)
{
    const ph_joint_def *def = j->def;
    add_text(d, j->name);
    add_text(d, j->type->name);
    add_numbers(d, (double[]){j->a, j->b, j->row_count, j->length, j->pitch, j->slide}, 6);
    add_vector(d, j->s_a);
    add_vector(d, j->s_b);
    add_matrix(d, j->E_a);
    add_matrix(d, j->E_b);
    add_numbers(d, j->offset, 5); // as many as joints had at first: the bits of older models stay
    if (j->coordinate_count > 5) add_number(d, j->offset[5]);
    for (int i = 0; i < CHAIN_MOTIONS && j->chain; i++) {
        const chain_motion *m = &j->chain->motions[i];
        add_numbers(d, (double[]){m->slides, m->locked}, 2);
        add_vector(d, m->axis);
        add_vector(d, m->point);
    }
    if (j->of) add_numbers(d, (double[]){(double)(j->of - model->joints), j->of_coordinate}, 2);
    if (j->gear) {
        add_numbers(d,
                    (double[]){(double)(j->gear->joints[0] - model->joints),
                               (double)(j->gear->joints[1] - model->joints), j->gear->ratio, j->gear->phase},
                    4);
    }
    add_numbers(d,
                (double[]){def->start, def->has_limit_low, def->has_limit_high, def->limit_low, def->limit_high,
                           def->damping, def->stiffness, def->rest, def->friction, def->friction_speed, def->motor,
                           def->motor_kp, def->motor_kd},
                13);
    add_value(d, def->motor_value);
    if (def->motor_max > 0.0) add_number(d, def->motor_max);
    if (def->armature != 0.0) add_number(d, def->armature);
    add_rolling(d, j);
}

static void add_tendon(digest *d, const tendon *t)
{
    const ph_tendon_def *def = t->def;
    add_numbers(d,
                (double[]){def->stiffness, def->damping, t->rest, def->cable, def->has_limit_low, def->has_limit_high,
                           def->limit_low, def->limit_high, def->limit_stiffness, def->limit_damping, t->value_count},
                11);
    for (int k = 0; k < t->part_count; k++) add_number(d, t->parts[k].coefficient);
    add_value(d, def->tension);
}

static void add_actuator(digest *d, const actuator *a)
{
    const ph_actuator_def *def = a->def;
    add_numbers(d,
                (double[]){def->joint, def->tendon, def->gear, def->has_limit_low, def->limit_low, def->has_limit_high,
                           def->limit_high, def->max, def->delay, def->servo, def->kp, def->kd},
                12);
    add_value(d, def->control);
}

static void add_force(digest *d, const ph_model *model, const force *f)
{
    add_text(d, f->type->name);
    add_text(d, f->name);
    add_numbers(d,
                (double[]){f->a, f->b, f->joint ? (double)(f->joint - model->joints) : -1.0, f->stiffness, f->damping,
                           f->rest, f->friction, f->friction_speed, f->motor, f->kp, f->kd},
                11);
    add_vector(d, f->s_a);
    add_vector(d, f->s_b);
    add_matrix(d, f->E_a);
    add_matrix(d, f->E_b);
    if (f->tendon && f->part == 0) add_tendon(d, f->tendon);
    if (f->def) {
        add_numbers(d, &f->def->stiffness6[0][0], 36);
        add_numbers(d, &f->def->damping6[0][0], 36);
        add_number(d, f->def->body_frame);
        for (int k = 0; k < 3; k++) {
            add_value(d, f->def->force[k]);
            add_value(d, f->def->torque[k]);
        }
        for (size_t k = 0; k < sizeof f->def->number / sizeof f->def->number[0]; k++) {
            if (f->def->number[k] != 0.0) add_numbers(d, (double[]){(double)k, f->def->number[k]}, 2);
        }
    }
}

static void add_contact(digest *d, const ph_contact_settings *c)
{
    add_text(d, c->solver);
    add_numbers(d, (double[]){c->law, c->tolerance, c->iterations, c->recovery_speed, c->margin, c->pair_count}, 6);
    if (c->sleep > 0.0) add_numbers(d, &c->sleep, 1);
    for (int i = 0; i < c->pair_count; i++) {
        const ph_contact_pair *p = &c->pairs[i];
        add_numbers(d,
                    (double[]){p->body_a, p->body_b, p->collide, p->friction, p->restitution, p->rolling_friction,
                               p->spinning_friction, p->compliance},
                    8);
    }
}

uint64_t model_fingerprint(const ph_model *model)
{
    digest d = 0;
    add_vector(&d, model->gravity);
    add_numbers(&d, (double[]){model->body_count, model->joint_count, model->force_count, model->input_count}, 4);
    for (int i = 0; i < model->body_count; i++) {
        add_body(&d, &model->bodies[i]);
    }
    for (int i = 0; i < model->joint_count; i++) {
        add_joint(&d, model, &model->joints[i]);
    }
    for (int i = 0; i < model->force_count; i++) {
        add_force(&d, model, &model->forces[i]);
    }
    for (int i = 0; i < model->input_count; i++) {
        add_text(&d, model->inputs[i].name);
        add_number(&d, model->inputs[i].start);
    }
    for (int i = 0; i < model->actuator_count; i++) {
        add_actuator(&d, &model->actuators[i]);
    }
    if (model->held_count > 0) add_number(&d, model->held_count);
    for (int i = 0; i < model->sensor_count; i++) {
        const sensor *s = &model->sensors[i];
        if (s->time > 0.0 || s->limit_low < s->limit_high)
            add_numbers(&d, (double[]){s->time, s->limit_low, s->limit_high}, 3);
    }
    if (model->has_contact) {
        add_contact(&d, &model->contact);
    }
    return d;
}
