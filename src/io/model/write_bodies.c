// Bodies and shapes as they are written.
#include "io/model/write.h"

#include "shapes/shape.h"

#include <string.h>

static void put_shape(model_text *t, const ph_shape_def *s)
{
    const ph_shape_def none = ph_default_shape();
    text_map(t, NULL);
    text_string(t, "type", s->type);
    const shape_type *type = shape_type_find(s->type);
    write_keys(t, NULL, type ? type->keys : NULL, s);
    write_vector_unless_zero(t, "position", s->position);
    write_orientation(t, s->orientation);
    write_unless(t, "friction", s->friction, none.friction);
    write_unless(t, "restitution", s->restitution, none.restitution);
    write_unless(t, "rolling_friction", s->rolling_friction, none.rolling_friction);
    write_unless(t, "spinning_friction", s->spinning_friction, none.spinning_friction);
    write_unless(t, "compliance", s->compliance, none.compliance);
    if (s->group != none.group) {
        text_integer(t, "group", s->group);
    }
    if (s->collide != none.collide) {
        text_bool(t, "collide", s->collide);
    }
    write_text_if(t, "color", s->color);
    text_end_map(t);
}

static bool is_zero_matrix(const ph_mat3 *m)
{
    const ph_mat3 zero = {0};
    return memcmp(m, &zero, sizeof zero) == 0;
}

void write_body(model_text *t, const spec_body *body)
{
    const ph_body_def *b = &body->def;
    text_map(t, NULL);
    text_string(t, "name", b->name ? b->name : "");
    if (b->fixed) {
        text_bool(t, "fixed", true);
    }
    write_unless(t, "mass", b->mass, 0.0);
    if (!is_zero_matrix(&b->inertia)) {
        write_matrix(t, "inertia", &b->inertia.m[0][0], 3);
    }
    if (b->any_inertia) {
        text_bool(t, "any_inertia", true);
    }
    write_vector_unless_zero(t, "com", b->com);
    if (b->reference == PH_REFERENCE_ORIGIN) {
        text_string(t, "reference", "origin");
    } else if (b->reference == PH_REFERENCE_POINT) {
        write_vector(t, "reference", b->reference_point);
    }
    write_vector_unless_zero(t, "position", b->position);
    write_orientation(t, b->orientation);
    write_vector_unless_zero(t, "velocity", b->velocity);
    write_vector_unless_zero(t, "angular_velocity", b->angular_velocity);
    write_unless(t, "volume", b->volume, 0.0);
    if (body->shape_count > 0) {
        text_list(t, "shapes");
        for (int i = 0; i < body->shape_count; i++) {
            put_shape(t, &body->shapes[i]);
        }
        text_end_list(t);
    }
    text_end_map(t);
}
