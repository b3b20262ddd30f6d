// Saying what is wrong with a spec.

#include "compile/compile.h"

#include "base/problems.h"
#include "base/suggest.h"
#include "math/quat.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static size_t put_text(place *to, size_t used, const char *text)
{
    for (; *text && used + 1 < sizeof to->text; text++) to->text[used++] = *text;
    return used;
}

static size_t put_index(place *to, size_t used, int index)
{
    char digits[16], *at = digits + sizeof digits;
    unsigned left = index < 0 ? 0u - (unsigned)index : (unsigned)index;
    *--at = '\0';
    do *--at = (char)('0' + left % 10u);
    while (left /= 10u);
    if (index < 0) *--at = '-';
    return put_text(to, used, at);
}

// %s and %d alone: every element has a place, whether or not anything is wrong with it, and printf takes long.
place place_of(const char *format, ...)
{
    place where;
    size_t used = 0;
    va_list arguments;
    va_start(arguments, format);
    for (; *format; format++) {
        if (*format != '%')
            used = put_text(&where, used, (char[]){*format, '\0'});
        else if (*++format == 'd')
            used = put_index(&where, used, va_arg(arguments, int));
        else
            used = put_text(&where, used, va_arg(arguments, const char *));
    }
    va_end(arguments);
    where.text[used] = '\0';
    return where;
}

place place_key(place parent, const char *key)
{
    return *parent.text ? place_of("%s.%s", parent.text, key) : place_of("%s", key);
}

static void report(compiler *c, ph_severity severity, place where, const char *hint, const char *format,
                   va_list arguments)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, arguments);
    ph_problem problem = {.severity = severity, .path = where.text, .text = text, .hint = hint};
    if (c->spec->locate) {
        c->spec->locate(c->spec->locate_user, where.text, &problem);
    }
    problems_add(c->problems, &problem);
}

void complain(compiler *c, place where, const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(c, PH_ERROR, where, hint, format, arguments);
    va_end(arguments);
    c->errors++;
}

void remark(compiler *c, place where, const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(c, PH_NOTE, where, hint, format, arguments);
    va_end(arguments);
}

// ---- Numbers --------------------------------------------------------------------------------------------------------

bool check_finite(compiler *c, place parent, const char *key, double value)
{
    if (isfinite(value)) {
        return true;
    }
    complain(c, place_key(parent, key), NULL, "%s is not a finite number", key);
    return false;
}

bool check_finite3(compiler *c, place parent, const char *key, ph_vec3 value)
{
    if (isfinite(value.x) && isfinite(value.y) && isfinite(value.z)) {
        return true;
    }
    complain(c, place_key(parent, key), NULL, "%s has an entry that is not a finite number", key);
    return false;
}

bool check_not_negative(compiler *c, place parent, const char *key, double value)
{
    if (!check_finite(c, parent, key, value)) {
        return false;
    }
    if (value < 0.0) {
        complain(c, place_key(parent, key), NULL, "%s is %g, it must not be negative", key, value);
        return false;
    }
    return true;
}

bool check_unit_quat(compiler *c, place parent, const char *key, ph_quat *q)
{
    const place where = place_key(parent, key);
    if (!(isfinite(q->w) && isfinite(q->x) && isfinite(q->y) && isfinite(q->z))) {
        complain(c, where, NULL, "%s has an entry that is not a finite number", key);
        return false;
    }
    const double norm = ph_quat_norm(*q);
    if (norm == 0.0) {
        complain(c, where, "[1, 0, 0, 0] means no rotation", "%s is the zero quaternion", key);
        return false;
    }
    if (fabs(norm - 1.0) > 1e-6) {
        complain(c, where, "quaternions are (w, x, y, z) of length 1", "%s is a quaternion of length %.9g", key, norm);
        return false;
    }
    *q = ph_quat_unit(*q);
    return true;
}

bool check_direction(compiler *c, place parent, const char *key, ph_vec3 v)
{
    if (!check_finite3(c, parent, key, v)) {
        return false;
    }
    if (ph_norm(v) < 1e-100) {
        complain(c, place_key(parent, key), "any length but zero will do", "%s is zero, so it has no direction", key);
        return false;
    }
    return true;
}

// ---- Names ----------------------------------------------------------------------------------------------------------

static bool printable(const char *name)
{
    for (; *name; name++) {
        if ((unsigned char)*name < ' ' || *name == '/' || *name == 127) {
            return false;
        }
    }
    return true;
}

bool check_name(compiler *c, place parent, const char *name, names *table, int index)
{
    if (!name) {
        complain(c, parent, "add name: ...", "the name is missing");
        return false;
    }
    if (!*name) {
        complain(c, place_key(parent, "name"), NULL, "the name is empty");
        return false;
    }
    if (!printable(name)) {
        complain(c, place_key(parent, "name"), "result files use it in paths",
                 "a name may not contain '/' or control characters");
        return false;
    }
    const int owner = names_enter(table, name, index);
    if (owner != index) {
        complain(c, place_key(parent, "name"), "names must differ", "the name '%s' is taken by number %d", name,
                 owner + 1);
        return false;
    }
    return true;
}

hint_text hint_for(const char *word, const char *const *known, int count)
{
    hint_text hint;
    const char *near = suggest(word, known, count);
    if (near) {
        snprintf(hint.text, sizeof hint.text, "did you mean '%s'?", near);
        return hint;
    }
    size_t used = (size_t)snprintf(hint.text, sizeof hint.text, "known are");
    for (int i = 0; i < count && used < sizeof hint.text; i++) {
        used += (size_t)snprintf(hint.text + used, sizeof hint.text - used, " %s", known[i]);
    }
    return hint;
}

const char *keep_string(compiler *c, const char *text)
{
    const char *copy = arena_copy_string(c->model->memory, text);
    c->out_of_memory |= text && !copy;
    return copy;
}

void *keep_array(compiler *c, const void *array, int count, size_t size)
{
    void *copy = array && count > 0 ? arena_alloc_array(c->model->memory, (size_t)count, size) : NULL;
    c->out_of_memory |= array && count > 0 && !copy;
    return copy ? memcpy(copy, array, (size_t)count * size) : NULL;
}
