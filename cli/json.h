// Writing one JSON value: commas and quotes are taken care of, numbers have 17 significant digits, and what is not
// finite becomes null.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "polhode/math.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct json {
    FILE *file;
    bool follows; // a value stands before, in the same object or array
} json;

// `key` is NULL inside an array and at the top.
void json_object(json *j, const char *key);
void json_array(json *j, const char *key);
void json_end_object(json *j);
void json_close(json *j); // the whole object, and its line
void json_end_array(json *j);

void json_number(json *j, const char *key, double value);
void json_integer(json *j, const char *key, long long value);
void json_string(json *j, const char *key, const char *value); // NULL: null
void json_bool(json *j, const char *key, bool value);
void json_vec3(json *j, const char *key, ph_vec3 value);
void json_quat(json *j, const char *key, ph_quat value);
// The words of `text`, separated by spaces, as an array of strings. NULL: an empty one.
void json_words(json *j, const char *key, const char *text);

#endif
