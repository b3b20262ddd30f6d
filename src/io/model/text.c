// Writing YAML and JSON. See model_text.h.

#include "io/model/text.h"

#include "base/memory.h"
#include "io/model/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { WIDEST = 105 }; // columns after which a line is broken

static void put(model_text *t, const char *bytes, size_t count)
{
    if (t->failed || t->length > (1 << 30) ||
        !mem_reserve(NULL, &t->text, &t->capacity, t->length + (int)count + 1, 1)) {
        t->failed = true;
        return;
    }
    memcpy(t->text + t->length, bytes, count);
    t->length += (int)count;
    t->text[t->length] = '\0';
}

static void put_string(model_text *t, const char *text)
{
    put(t, text, strlen(text));
}

static int column(const model_text *t)
{
    int n = 0;
    while (n < t->length && t->text[t->length - 1 - n] != '\n') {
        n++;
    }
    return n;
}

// ---- Words ----------------------------------------------------------------------------------------------------------

// Words that YAML takes for something else, or that look like a number, need quotes.
static bool is_plain(const char *text)
{
    static const char *const special[] = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        if (strlen(special[i]) == strlen(text) && strcasecmp(special[i], text) == 0) {
            return false;
        }
    }
    if (!isalpha((unsigned char)text[0])) {
        return false;
    }
    for (const char *s = text; *s; s++) {
        const bool inner_space = *s == ' ' && s[1] && s[1] != ' ';
        if (!isalnum((unsigned char)*s) && *s != '_' && *s != '-' && *s != '.' && !inner_space) {
            return false;
        }
    }
    return true;
}

static void put_quoted(model_text *t, const char *text)
{
    char escape[8];
    put_string(t, "\"");
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            put(t, (const char[]){'\\', (char)c}, 2);
        } else if (c < 0x20 || c == 0x7f) {
            snprintf(escape, sizeof escape, "\\u%04x", c);
            put_string(t, escape);
        } else {
            put(t, text, 1);
        }
    }
    put_string(t, "\"");
}

static void put_text(model_text *t, const char *text)
{
    if (!t->json && is_plain(text)) {
        put_string(t, text);
    } else {
        put_quoted(t, text);
    }
}

// ---- Places ---------------------------------------------------------------------------------------------------------

static void wrap(model_text *t)
{
    put_string(t, t->follows ? "," : "");
    if (column(t) > WIDEST) {
        put_string(t, "\n      ");
    } else if (t->follows) {
        put_string(t, " ");
    }
}

static void before(model_text *t, const char *key)
{
    const text_place place = t->depth > 0 ? t->places[t->depth - 1] : TEXT_ROOT;
    if (place == TEXT_FLOW) {
        wrap(t);
    } else if (t->json) {
        put_string(t, t->follows ? "," : "");
        put_string(t, place == TEXT_ROOT ? "\n  " : "\n    ");
    } else if (place == TEXT_BLOCK) {
        put_string(t, "\n  - ");
    } else if (t->length > 0) {
        put_string(t, "\n");
    }
    if (key) {
        put_text(t, key);
        put_string(t, ":");
    }
    t->follows = true;
}

static void put_value(model_text *t, const char *key, const char *text)
{
    before(t, key);
    put_string(t, key ? " " : "");
    put_string(t, text);
}

static void enter(model_text *t, text_place place)
{
    t->failed = t->failed || t->depth == MODEL_TEXT_DEPTH;
    if (!t->failed) {
        t->places[t->depth++] = place;
    }
    t->follows = false;
}

static void leave(model_text *t)
{
    t->depth -= t->depth > 0;
    t->follows = true;
}

void text_root(model_text *t)
{
    put_string(t, t->json ? "{" : "");
    enter(t, TEXT_ROOT);
}

void text_end_root(model_text *t)
{
    leave(t);
    put_string(t, t->json ? "\n}\n" : "\n");
}

void text_map(model_text *t, const char *key)
{
    put_value(t, key, "{");
    enter(t, TEXT_FLOW);
}

void text_end_map(model_text *t)
{
    leave(t);
    put_string(t, "}");
}

void text_list(model_text *t, const char *key)
{
    put_value(t, key, "[");
    enter(t, TEXT_FLOW);
}

void text_end_list(model_text *t)
{
    leave(t);
    put_string(t, "]");
}

void text_block(model_text *t, const char *key)
{
    before(t, key);
    put_string(t, t->json ? " [" : "");
    enter(t, TEXT_BLOCK);
}

void text_end_block(model_text *t)
{
    leave(t);
    put_string(t, t->json ? "\n  ]" : "");
}

// ---- Values ---------------------------------------------------------------------------------------------------------

void text_double(model_text *t, const char *key, double value)
{
    char digits[32];
    number_text(value, digits);
    put_value(t, key, value == 0.0 && signbit(value) ? "-0.0" : digits);
}

void text_doubles(model_text *t, const char *key, const double *values, int count)
{
    text_list(t, key);
    for (int i = 0; i < count; i++) {
        text_double(t, NULL, values[i]);
    }
    text_end_list(t);
}

void text_integer(model_text *t, const char *key, long long value)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%lld", value);
    put_value(t, key, digits);
}

void text_bool(model_text *t, const char *key, bool value)
{
    put_value(t, key, value ? "true" : "false");
}

void text_string(model_text *t, const char *key, const char *value)
{
    put_value(t, key, "");
    put_text(t, value);
}

void text_word(model_text *t, const char *key, const char *value)
{
    put_value(t, key, value);
}
