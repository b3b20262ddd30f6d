// Values of model files as they are written.
#include "io/model/write.h"

#include <math.h>
#include <string.h>

void write_vector(model_text *t, const char *key, ph_vec3 v)
{
    text_doubles(t, key, (const double[]){v.x, v.y, v.z}, 3);
}

bool write_is_zero(ph_vec3 v) // -0 is written
{
    const ph_vec3 zero = {0.0, 0.0, 0.0};
    return memcmp(&v, &zero, sizeof v) == 0;
}

void write_vector_unless_zero(model_text *t, const char *key, ph_vec3 v)
{
    if (!write_is_zero(v)) {
        write_vector(t, key, v);
    }
}

void write_unless(model_text *t, const char *key, double value, double otherwise)
{
    if (value != otherwise || signbit(value) != signbit(otherwise)) {
        text_double(t, key, value);
    }
}

void write_orientation(model_text *t, ph_quat q)
{
    const ph_quat none = {1.0, 0.0, 0.0, 0.0};
    if (memcmp(&q, &none, sizeof q) != 0) {
        text_map(t, "orientation");
        text_doubles(t, "quaternion", (const double[]){q.w, q.x, q.y, q.z}, 4);
        text_end_map(t);
    }
}

void write_matrix(model_text *t, const char *key, const double *m, int n)
{
    text_list(t, key);
    for (int i = 0; i < n; i++) {
        text_doubles(t, NULL, m + i * n, n);
    }
    text_end_list(t);
}

void write_value(model_text *t, const char *key, const ph_value *v)
{
    if (v->expression) {
        text_string(t, key, v->expression);
    } else {
        text_double(t, key, v->number);
    }
}

void write_text_if(model_text *t, const char *key, const char *text)
{
    if (text) {
        text_string(t, key, text);
    }
}

const char *write_body_name(const ph_spec *spec, int body)
{
    return body >= 0 && body < spec->body_count ? spec->bodies[body].def.name : "world";
}

const char *write_joint_name(const ph_spec *spec, int joint)
{
    return joint >= 0 && joint < spec->joint_count ? spec->joints[joint].name : "";
}

void write_bodies(model_text *t, const ph_spec *spec, int a, int b)
{
    text_list(t, "bodies");
    text_string(t, NULL, write_body_name(spec, a));
    text_string(t, NULL, write_body_name(spec, b));
    text_end_list(t);
}

// Where the joint starts: a number, or a list with null where nothing is given.
void write_given(model_text *t, const char *key, const bool *has, const double *values)
{
    int count = 0;
    for (int k = 0; k < PH_JOINT_COORDINATES; k++) {
        count = has[k] ? k + 1 : count;
    }
    if (count == 1) {
        text_double(t, key, values[0]);
    } else if (count > 1) {
        text_list(t, key);
        for (int k = 0; k < count; k++) {
            if (has[k]) {
                text_double(t, NULL, values[k]);
            } else {
                text_word(t, NULL, "null");
            }
        }
        text_end_list(t);
    }
}
