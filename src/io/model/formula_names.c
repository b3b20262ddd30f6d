// What names mean in expressions, and what to say of those that mean nothing.

#include "io/model/formula_view.h"

#include "base/suggest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool view_complain(view *v, int position, const char *hint, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (v->quiet) {
        return false;
    }
    return v->node ? fail_in(v->reader, v->node, position, hint, "%s", text)
                   : fail(v->reader, NULL, hint, "%s: %s", v->where, text);
}

// ---- Names ----------------------------------------------------------------------------------------------------------

// The joint of q.<joint> and qd.<joint>, NULL for other names.
static const char *joint_part(const char *name)
{
    return strncmp(name, "q.", 2) == 0 ? name + 2 : strncmp(name, "qd.", 3) == 0 ? name + 3 : NULL;
}

const char *view_name_in_time(const view *v, const char *name, char room[SCOPE_NAME_MAX + 8])
{
    const reader *r = v->reader;
    const char *joint = joint_part(name);
    char inner[SCOPE_NAME_MAX + 1];
    if (strcmp(name, "t") == 0) {
        return name;
    }
    if (strncmp(name, "sensor.", 7) == 0) {
        return sensor_name_in_model(r, v->scope, name + 7, room);
    }
    const char *full = scope_resolve(v->scope, joint ? joint : name, inner);
    if (names_find(joint ? &r->joint_names : &r->inputs.names, full) < 0) {
        return NULL;
    }
    snprintf(room, SCOPE_NAME_MAX + 8, "%.*s%s", joint ? (int)(joint - name) : 0, name, full);
    return room;
}

const constant *view_find(const view *v, const char *name, constant *room)
{
    if (name[0] == '_' && is_digit(name[1])) {
        const int extra = name[1] - '0' + (is_digit(name[2]) ? 9 * (name[1] - '0') + name[2] - '0' : 0);
        return extra < v->extra_count ? &v->extra[extra] : NULL;
    }
    const constant *found = scope_find(v->scope, &v->reader->parameters, name, room);
    v->reader->touched += found && found->varies;
    return found;
}

int view_look_up(const char *name, double *number, void *user)
{
    view *v = user;
    constant room;
    const constant *c = view_find(v, name, &room);
    if (c && c->kind == CONSTANT_LIST) {
        v->lists_differ |= v->list_count > 0 && v->list_count != c->count;
        v->list_count = c->count;
        const bool entry = v->component >= 0 && v->component < c->count;
        if (entry && c->items[v->component].kind != CONSTANT_NUMBER) {
            return -1;
        }
        *number = entry ? c->items[v->component].number : 1.0;
        return -2;
    }
    if (c && c->kind == CONSTANT_NUMBER) {
        *number = c->number;
        return -2;
    }
    char full[SCOPE_NAME_MAX + 8];
    return v->in_time && view_name_in_time(v, name, full) ? 0 : -1;
}

// Names of parameters that can be seen, for suggestions.
static int list_names(const view *v, const char **names, int room)
{
    int count = 0;
    const scope *s = v->scope;
    for (; s; s = s->outer) {
        for (int i = 0; i < s->values.count && count < room; i++) {
            names[count++] = s->values.names.names[i];
        }
        if (s->sealed) {
            return count;
        }
    }
    for (int i = 0; i < v->reader->parameters.count && count < room; i++) {
        names[count++] = v->reader->parameters.names.names[i];
    }
    return count;
}

// Why a name is unknown: it means something elsewhere, or is near to one that is known.
hint_text view_hint(const view *v, const char *name)
{
    enum { NAMES = 256 };
    const reader *r = v->reader;
    hint_text h = {{0}};
    char full[SCOPE_NAME_MAX + 8];
    const char *known[NAMES];
    if (!*name) {
        return h;
    }
    const node *declared = v->scope ? NULL : node_find(node_find(r->document->root, "parameters"), name);
    const char *joint = joint_part(name);
    constant room;
    const constant *c = view_find(v, name, &room);
    if (c) {
        snprintf(h.text, sizeof h.text,
                 c->kind == CONSTANT_TEXT ? "it is a text: write $%.60s in names"
                                          : "it is a list of lists: choose an entry, %.60s[0]",
                 name);
    } else if (declared) {
        snprintf(h.text, sizeof h.text, "a parameter may use only those that stand before it");
    } else if (!v->in_time && view_name_in_time(v, name, full)) {
        snprintf(h.text, sizeof h.text, "it may change in time, a constant is needed here");
    } else if (v->in_time && strncmp(name, "sensor.", 7) == 0) {
        h = hint_words(name + 7, r->sensor_names.names, r->sensor_count, "the sensors are");
    } else if (v->in_time && joint) {
        const char *near = suggest(joint, r->joint_names.names, r->joint_count);
        h = hint_words("", r->joint_names.names, r->joint_count, "the joints are");
        if (near) {
            snprintf(h.text, sizeof h.text, "did you mean '%.*s%.100s'?", (int)(joint - name), name, near);
        }
    } else {
        const int count = list_names(v, known, NAMES);
        h = hint_words(name, known, count, "the parameters are");
        if (count == 0) {
            snprintf(h.text, sizeof h.text, "named constants stand under 'parameters:'");
        }
    }
    return h;
}

// ---- Names with $i ----------------------------------------------------------------------------------------------------

static bool put_value(view *v, const constant *c, int position, char *to, size_t room, size_t *used)
{
    char digits[32];
    const char *text = c->text;
    if (c->kind == CONSTANT_LIST) {
        return view_complain(v, position, NULL, "a list cannot be part of a name");
    }
    if (c->kind == CONSTANT_NUMBER) {
        number_text(c->number, digits);
        text = digits;
    }
    const int length = snprintf(to + *used, room - *used, "%s", text);
    *used += (size_t)length;
    return *used < room || view_complain(v, position, NULL, "the text is too long");
}

// The longest word at `text` that is a known name, so that leg$i_hip finds i; its length, 0: there is none.
static int longest_name(const view *v, const char *text, const constant **found, constant *room)
{
    int length = 0;
    while (is_letter(text[length]) || is_digit(text[length]) || (text[length] == '.' && is_letter(text[length + 1]))) {
        length++;
    }
    for (; length > 0; length--) {
        char name[EXPRESSION_NAME_MAX + 1];
        if (length <= EXPRESSION_NAME_MAX && (text[length] == '_' || text[length] == '.' || !is_letter(text[length]))) {
            snprintf(name, sizeof name, "%.*s", length, text);
            *found = view_find(v, name, room);
            if (*found) {
                return length;
            }
        }
    }
    return 0;
}

const char *formula_substitute(reader *r, const node *n, const scope *s, const char *text)
{
    enum { ROOM = 4096 };
    view v = {.reader = r, .node = n, .scope = s, .component = -1};
    char out[ROOM];
    size_t used = 0;
    for (const char *at = text; *at;) {
        const int position = (int)(at - text);
        const constant *found = NULL;
        constant room, value;
        if (*at != '$' || at[1] == '$') {
            out[used++] = *at;
            at += *at == '$' ? 2 : 1;
        } else if (at[1] == '(') {
            const int close = close_of(at, 1, (int)strlen(at));
            rewriter w = {.view = &v, .text = text};
            if (close < 0 || !evaluate_piece(&w, position + 2, position + close - 1, &value)) {
                return close < 0 && view_complain(&v, position, NULL, "a bracket that is not closed") ? text : NULL;
            }
            if (!put_value(&v, &value, position, out, ROOM, &used)) {
                return NULL;
            }
            at += close;
        } else {
            const int length = longest_name(&v, at + 1, &found, &room);
            if (length == 0) {
                const char *known[64];
                view_complain(&v, position, hint_words("", known, list_names(&v, known, 64), "known are").text,
                              "'$' is not followed by a known name");
                return NULL;
            }
            if (!put_value(&v, found, position, out, ROOM, &used)) {
                return NULL;
            }
            at += 1 + length;
        }
        if (used + 1 >= ROOM) {
            view_complain(&v, position, NULL, "the text is too long");
            return NULL;
        }
    }
    out[used] = '\0';
    const char *copy = arena_copy_string(r->document->memory, out);
    r->out_of_memory = r->out_of_memory || !copy;
    return copy;
}
