// Growing text for the page. See page_text.h.

#include "io/page/text.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void page_text_free(page_text *t)
{
    mem_free(NULL, t->data);
    *t = (page_text){0};
}

bool page_text_reserve(page_text *t, size_t more)
{
    if (t->failed || more > SIZE_MAX / 4 - t->length) {
        t->failed = true;
        return false;
    }
    if (t->length + more <= t->room) {
        return true;
    }
    const size_t room = t->length + more > 2 * t->room ? t->length + more + 256 : 2 * t->room;
    char *data = mem_alloc(NULL, room);
    if (!data) {
        t->failed = true;
        return false;
    }
    if (t->length > 0) {
        memcpy(data, t->data, t->length);
    }
    mem_free(NULL, t->data);
    t->data = data;
    t->room = room;
    return true;
}

void put_raw(page_text *t, const void *bytes, size_t count)
{
    if (count > 0 && page_text_reserve(t, count)) {
        memcpy(t->data + t->length, bytes, count);
        t->length += count;
    }
}

void put_text(page_text *t, const char *text)
{
    put_raw(t, text, strlen(text));
}

// Bytes of the UTF-8 character at `s`, 0 when it is none. Too long forms and surrogates count as none.
static size_t utf8_length(const unsigned char *s)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t n = 0; n < 4; n++) {
        if ((s[0] & forms[n].mask) != forms[n].lead) continue;
        uint32_t code = s[0] & (unsigned char)~forms[n].mask;
        for (size_t i = 1; i <= n; i++) {
            if ((s[i] & 0xc0) != 0x80) return 0;
            code = code << 6 | (s[i] & 0x3f);
        }
        return code >= forms[n].least && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? n + 1 : 0;
    }
    return 0;
}

void put_json_string(page_text *t, const char *text)
{
    put_text(t, "\"");
    for (const unsigned char *s = (const unsigned char *)(text ? text : ""); *s;) {
        const size_t length = utf8_length(s);
        char escape[8];
        if (length == 0) {
            put_text(t, "\xef\xbf\xbd");
        } else if (*s < 0x20 || *s == '"' || *s == '\\' || *s == '<' || *s == '>' || *s == '&' || *s == 0x7f) {
            snprintf(escape, sizeof escape, "\\u%04x", *s);
            put_text(t, escape);
        } else {
            put_raw(t, s, length);
        }
        s += length ? length : 1;
    }
    put_text(t, "\"");
}

void put_number(page_text *t, double x, int digits)
{
    char text[40];
    if (!isfinite(x)) {
        put_text(t, "null");
        return;
    }
    snprintf(text, sizeof text, "%.*g", digits, x);
    char *point = text + strspn(text, "-0123456789");
    if (*point && *point != 'e') {
        *point = '.'; // whatever the locale has for it
    }
    put_text(t, text);
}

void put_numbers(page_text *t, const double *x, size_t count, int digits)
{
    put_text(t, "[");
    for (size_t i = 0; i < count; i++) {
        put_text(t, i ? "," : "");
        put_number(t, x[i], digits);
    }
    put_text(t, "]");
}

void put_base64(page_text *t, const unsigned char *bytes, size_t count)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    if (!page_text_reserve(t, (count + 2) / 3 * 4)) {
        return;
    }
    char *to = t->data + t->length;
    for (size_t i = 0; i < count; i += 3) {
        const size_t rest = count - i;
        const uint32_t b1 = rest > 1 ? bytes[i + 1] : 0, b2 = rest > 2 ? bytes[i + 2] : 0;
        const uint32_t word = (uint32_t)bytes[i] << 16 | b1 << 8 | b2;
        *to++ = letters[word >> 18];
        *to++ = letters[word >> 12 & 63];
        *to++ = rest > 1 ? letters[word >> 6 & 63] : '=';
        *to++ = rest > 2 ? letters[word & 63] : '=';
    }
    t->length = (size_t)(to - t->data);
}

void put_key(page_text *t, const char *key)
{
    const char last = t->length ? t->data[t->length - 1] : '{';
    put_text(t, last == '{' ? "\"" : ",\"");
    put_text(t, key);
    put_text(t, "\":");
}

void put_string_member(page_text *t, const char *key, const char *value)
{
    put_key(t, key);
    put_json_string(t, value);
}

void put_number_member(page_text *t, const char *key, double value)
{
    put_key(t, key);
    put_number(t, value, 9);
}

void put_vec3_member(page_text *t, const char *key, ph_vec3 v)
{
    put_key(t, key);
    put_numbers(t, (const double[3]){v.x, v.y, v.z}, 3, 9);
}
