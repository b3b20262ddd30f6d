// Forces as they are written.
#include "io/model/write.h"

#include <string.h>

static void put_values3(model_text *t, const char *key, const ph_value v[3])
{
    if (v[0].expression || v[1].expression || v[2].expression ||
        !write_is_zero((ph_vec3){v[0].number, v[1].number, v[2].number})) {
        text_list(t, key);
        for (int i = 0; i < 3; i++) {
            write_value(t, NULL, &v[i]);
        }
        text_end_list(t);
    }
}

static void put_wrench(model_text *t, const ph_spec *spec, const ph_force_def *f)
{
    text_string(t, "body", write_body_name(spec, f->body_b));
    put_values3(t, "force", f->force);
    put_values3(t, "torque", f->torque);
    if (f->body_frame) {
        text_string(t, "frame", "body");
    }
    if (!f->at_com) {
        write_vector(t, "point", f->point_b);
    }
}

void write_force(model_text *t, const ph_spec *spec, const ph_force_def *f)
{
    text_map(t, NULL);
    write_text_if(t, "name", f->name);
    text_string(t, "type", f->type ? f->type : "");
    const char *type = f->type ? f->type : "";
    if (strcmp(type, "wrench") == 0) {
        put_wrench(t, spec, f);
    } else if (strcmp(type, "torsion") == 0) {
        text_string(t, "joint", write_joint_name(spec, f->joint));
    } else {
        write_bodies(t, spec, f->body_a, f->body_b);
    }
    if (strcmp(type, "bushing") == 0) {
        write_vector(t, "anchor", f->anchor);
        write_orientation(t, f->orientation);
        write_matrix(t, "stiffness", &f->stiffness6[0][0], 6);
        write_matrix(t, "damping", &f->damping6[0][0], 6);
    }
    if (strcmp(type, "spring") == 0) {
        write_vector_unless_zero(t, "point_a", f->point_a);
        write_vector_unless_zero(t, "point_b", f->point_b);
    }
    if (write_is_type(type, "spring torsion")) {
        write_unless(t, "stiffness", f->stiffness, 0.0);
        write_unless(t, "damping", f->damping, 0.0);
        if (f->has_length) {
            text_double(t, strcmp(type, "spring") == 0 ? "length" : "rest", f->length);
        }
    }
    text_end_map(t);
}
