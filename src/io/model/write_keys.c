// Keys that types of elements own, as they are written. What is as the reader's default is left out.
#include "io/model/write.h"

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

static void put_number(model_text *t, const element_key *k, double number)
{
    if (k->given || k->needed) {
        text_double(t, k->key, number);
    } else {
        write_unless(t, k->key, number, 0.0);
    }
}

static void put_vector(model_text *t, const element_key *k, ph_vec3 v)
{
    if (k->needed) {
        write_vector(t, k->key, v);
    } else {
        write_vector_unless_zero(t, k->key, v);
    }
}

static void put_point_or_com(model_text *t, const element_key *k, const ph_force_def *def)
{
    if (!def->at_com) {
        write_vector(t, k->key, def->point_b);
    }
}

static void put_data(model_text *t, const element_key *k, const ph_shape_def *s)
{
    if (s->data) {
        text_list(t, k->key);
        for (int i = 0; i < s->data_rows; i++) {
            text_doubles(t, NULL, s->data + (size_t)i * (size_t)s->data_columns, s->data_columns);
        }
        text_end_list(t);
    }
}

static void put_flag(model_text *t, const element_key *k, bool flag)
{
    if (flag && k->kind == KEY_FRAME) {
        text_string(t, k->key, "body");
    } else if (flag) {
        text_bool(t, k->key, true);
    }
}

static void put_key(model_text *t, const ph_spec *spec, const element_key *k, const void *def)
{
    const void *at = (const char *)def + k->offset;
    switch (k->kind) {
    case KEY_NUMBER:
        put_number(t, k, *(const double *)at);
        break;
    case KEY_DIRECTION:
        write_vector(t, k->key, *(const ph_vec3 *)at);
        break;
    case KEY_VECTOR:
    case KEY_PLACE:
    case KEY_POINT_A:
    case KEY_POINT_B:
        put_vector(t, k, *(const ph_vec3 *)at);
        break;
    case KEY_POINT_OR_COM:
        put_point_or_com(t, k, def);
        break;
    case KEY_FLAG:
    case KEY_FRAME:
        put_flag(t, k, *(const bool *)at);
        break;
    case KEY_POINTS:
    case KEY_TABLE:
        put_data(t, k, def);
        break;
    case KEY_FILE:
        write_text_if(t, k->key, *(const char *const *)at);
        break;
    case KEY_BODIES:
        write_bodies(t, spec, ((const int *)at)[0], ((const int *)at)[1]);
        break;
    case KEY_BODY:
        text_string(t, k->key, write_body_name(spec, *(const int *)at));
        break;
    case KEY_JOINT:
        text_string(t, k->key, write_joint_name(spec, *(const int *)at));
        break;
    case KEY_ORIENTATION:
        write_orientation(t, *(const ph_quat *)at);
        break;
    case KEY_MATRIX6:
        write_matrix(t, k->key, at, 6);
        break;
    case KEY_VALUES3:
        put_values3(t, k->key, at);
        break;
    case KEY_SITES: // written as bodies and points
    case KEY_SITE:
        break;
    }
}

void write_keys(model_text *t, const ph_spec *spec, const element_key *keys, const void *def)
{
    for (const element_key *k = keys; k && k->key; k++) {
        if (!k->given || *(const bool *)((const char *)def + k->given)) {
            put_key(t, spec, k, def);
        }
    }
}
