// A strict reader of JSON (RFC 8259) for checking what programs print: is the text exactly one value, and what stands at
// a path such as "final.bodies.1.position.0"?
#ifndef TESTS_JSON_READER_H
#define TESTS_JSON_READER_H

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static inline const char *json_skip_value(const char *at); // behind the value at `at`, or NULL when it is not JSON

static inline const char *json_skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static inline const char *json_skip_string(const char *at)
{
    if (*at++ != '"') {
        return NULL;
    }
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20) {
            return NULL;
        }
        if (*at == '\\') {
            at++;
            if (*at == 'u') {
                for (int i = 1; i <= 4; i++) {
                    if (!isxdigit((unsigned char)at[i])) {
                        return NULL;
                    }
                }
                at += 4;
            } else if (!*at || !strchr("\"\\/bfnrt", *at)) {
                return NULL;
            }
        }
    }
    return at + 1;
}

static inline const char *json_skip_digits(const char *at)
{
    const size_t count = strspn(at, "0123456789");
    return count ? at + count : NULL;
}

static inline const char *json_skip_number(const char *at)
{
    at += *at == '-';
    at = *at == '0' ? at + 1 : json_skip_digits(at);
    if (at && *at == '.') {
        at = json_skip_digits(at + 1);
    }
    if (at && (*at == 'e' || *at == 'E')) {
        at += at[1] == '+' || at[1] == '-' ? 2 : 1;
        at = json_skip_digits(at);
    }
    return at;
}

// Elements of an object ('{') or array ('['). When `key` is not NULL, stops at the value of that key or index.
static inline const char *json_walk(const char *at, const char *key, size_t length)
{
    const char close = *at == '{' ? '}' : ']';
    const bool object = *at == '{';
    at = json_skip_space(at + 1);
    for (long index = 0; *at != close; index++) {
        bool found = key && !object && strtol(key, NULL, 10) == index;
        if (object) {
            const char *name = at;
            at = json_skip_string(at);
            if (!at) {
                return NULL;
            }
            found = key && (size_t)(at - name) == length + 2 && strncmp(name + 1, key, length) == 0;
            at = json_skip_space(at);
            if (*at != ':') {
                return NULL;
            }
            at = json_skip_space(at + 1);
        }
        if (found) {
            return at;
        }
        at = json_skip_value(at);
        at = at ? json_skip_space(at) : "";
        if (*at == ',') {
            at = json_skip_space(at + 1);
            if (*at == close) {
                return NULL;
            }
        } else if (*at != close) {
            return NULL;
        }
    }
    return key ? NULL : at + 1;
}

static inline const char *json_skip_value(const char *at)
{
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        if (strncmp(at, words[i], strlen(words[i])) == 0) {
            return at + strlen(words[i]);
        }
    }
    return *at == '{' || *at == '[' ? json_walk(at, NULL, 0) : *at == '"' ? json_skip_string(at) : json_skip_number(at);
}

static inline bool json_is_one_value(const char *text)
{
    const char *end = json_skip_value(json_skip_space(text));
    return end && *json_skip_space(end) == '\0';
}

// Where the value at `path` begins, or NULL.
static inline const char *json_find(const char *text, const char *path)
{
    const char *at = json_skip_space(text);
    while (at && *path) {
        const size_t length = strcspn(path, ".");
        at = *at == '{' || *at == '[' ? json_walk(at, path, length) : NULL;
        path += length + (path[length] == '.');
    }
    return at;
}

// Not a number where there is none.
static inline double json_number_at(const char *text, const char *path)
{
    const char *at = json_find(text, path);
    return at && json_skip_number(at) ? strtod(at, NULL) : (double)NAN;
}

static inline bool json_is_at(const char *text, const char *path, const char *value)
{
    const char *at = json_find(text, path), *end = at ? json_skip_value(at) : NULL;
    return end && (size_t)(end - at) == strlen(value) && strncmp(at, value, strlen(value)) == 0;
}

#endif
