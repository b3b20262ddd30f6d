// Writing JSON. See json.h.

#include "json.h"

#include <math.h>
#include <string.h>

static void put_string(json *j, const char *text, size_t length)
{
    fputc('"', j->file);
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            fprintf(j->file, "\\%c", c);
        else if (c < 0x20)
            fprintf(j->file, "\\u%04x", c);
        else
            fputc(c, j->file);
    }
    fputc('"', j->file);
}

static void put_key(json *j, const char *key)
{
    if (j->follows) fputc(',', j->file);
    if (key) {
        put_string(j, key, strlen(key));
        fputc(':', j->file);
    }
    j->follows = true;
}

static void open_bracket(json *j, const char *key, char bracket)
{
    put_key(j, key);
    fputc(bracket, j->file);
    j->follows = false;
}

static void close_bracket(json *j, char bracket)
{
    fputc(bracket, j->file);
    j->follows = true;
}

void json_object(json *j, const char *key)
{
    open_bracket(j, key, '{');
}

void json_array(json *j, const char *key)
{
    open_bracket(j, key, '[');
}

void json_end_object(json *j)
{
    close_bracket(j, '}');
}

void json_close(json *j)
{
    json_end_object(j);
    fputs("\n", j->file);
}

void json_end_array(json *j)
{
    close_bracket(j, ']');
}

void json_number(json *j, const char *key, double value)
{
    put_key(j, key);
    if (isfinite(value))
        fprintf(j->file, "%.17g", value);
    else
        fputs("null", j->file);
}

void json_integer(json *j, const char *key, long long value)
{
    put_key(j, key);
    fprintf(j->file, "%lld", value);
}

void json_string(json *j, const char *key, const char *value)
{
    put_key(j, key);
    if (value)
        put_string(j, value, strlen(value));
    else
        fputs("null", j->file);
}

void json_bool(json *j, const char *key, bool value)
{
    put_key(j, key);
    fputs(value ? "true" : "false", j->file);
}

static void put_numbers(json *j, const char *key, const double *values, int count)
{
    json_array(j, key);
    for (int i = 0; i < count; i++) json_number(j, NULL, values[i]);
    json_end_array(j);
}

void json_vec3(json *j, const char *key, ph_vec3 value)
{
    put_numbers(j, key, (double[]){value.x, value.y, value.z}, 3);
}

void json_quat(json *j, const char *key, ph_quat value)
{
    put_numbers(j, key, (double[]){value.w, value.x, value.y, value.z}, 4);
}

void json_words(json *j, const char *key, const char *text)
{
    json_array(j, key);
    for (const char *word = text ? text : ""; *word;) {
        const size_t length = strcspn(word, " ");
        if (length > 0) {
            put_key(j, NULL);
            put_string(j, word, length);
        }
        word += length + strspn(word + length, " ");
    }
    json_end_array(j);
}
