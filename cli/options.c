// Command lines from a table. See options.h.

#include "options.h"

#include "help.h"
#include "terminal.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Values ---------------------------------------------------------------------------------------------------------

static bool set_positive(const option *o, const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value) || value <= 0.0) {
        print_error("--%s: '%s' is not a positive number", o->name, text);
        return false;
    }
    *(double *)o->target = value;
    return true;
}

static bool set_number(const option *o, const char *text)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value)) {
        print_error("--%s: '%s' is not a number", o->name, text);
        return false;
    }
    *(double *)o->target = value;
    return true;
}

static bool set_count(const option *o, const char *text)
{
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    const bool natural = o->kind == OPTION_NATURAL;
    if (end == text || *end || errno || value < !natural || value > INT_MAX) {
        print_error("--%s: '%s' is not a %swhole number", o->name, text, natural ? "" : "positive ");
        return false;
    }
    *(int *)o->target = (int)value;
    return true;
}

static bool add_text(text_list *list, const char *text, const char *what)
{
    if (list->count == TEXT_LIST_MAX) {
        print_error("%s: more than %d are given", what, TEXT_LIST_MAX);
        return false;
    }
    list->texts[list->count++] = text;
    return true;
}

// A setting that no parameter can have the name of.
static bool add_keyframe(text_list *settings, const char *name)
{
    static char text[256];
    if (snprintf(text, sizeof text, ".keyframe=%s", name) >= (int)sizeof text || !*name) {
        print_error("--keyframe: '%.40s' cannot be the name of a keyframe", name);
        return false;
    }
    return add_text(settings, text, "keyframe");
}

// Settings of the same kind, ".without=contact"; they live as long as the program.
static bool add_robot(const option *o, const char *text)
{
    enum { ROOM = 4096 };
    static char block[ROOM];
    static size_t used;
    const size_t left = ROOM - used;
    const int length = snprintf(block + used, left, ".%s=%s", o->name, text);
    if (length < 0 || (size_t)length >= left || !*text) {
        print_error("--%s: '%.40s' is empty or too long", o->name, text);
        return false;
    }
    const char *setting = block + used;
    used += (size_t)length + 1;
    return add_text(o->target, setting, o->name);
}

static bool set_value(const option *o, const char *text)
{
    switch (o->kind) {
    case OPTION_POSITIVE:
        return set_positive(o, text);
    case OPTION_NUMBER:
        return set_number(o, text);
    case OPTION_COUNT:
    case OPTION_NATURAL:
        return set_count(o, text);
    case OPTION_LIST:
        return add_text(o->target, text, o->name);
    case OPTION_KEYFRAME:
        return add_keyframe(o->target, text);
    case OPTION_ROBOT:
        return add_robot(o, text);
    case OPTION_TEXT:
        if (!*text) {
            print_error("--%s needs a value: %s", o->name, o->value);
            return false;
        }
        *(const char **)o->target = text;
        return true;
    case OPTION_FLAG:
    case OPTION_ROBOT_FLAG:
        break;
    }
    print_error("--%s takes no value", o->name);
    return false;
}

// ---- Parsing --------------------------------------------------------------------------------------------------------

static const option *find_option(const command_line *line, const char *name, size_t length)
{
    for (int i = 0; i < line->option_count; i++) {
        const option *o = &line->options[i];
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0) return o;
    }
    return NULL;
}

static const option *find_letter(const command_line *line, char letter)
{
    for (int i = 0; letter && i < line->option_count; i++)
        if (line->options[i].letter == letter) return &line->options[i];
    return NULL;
}

static void report_unknown(const command_line *line, const char *name, size_t length)
{
    enum { MAX_OPTIONS = 64, ROOM = 64 };
    const char *names[MAX_OPTIONS];
    char word[ROOM];
    for (int i = 0; i < line->option_count; i++) names[i] = line->options[i].name;
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    const char *near = ph_suggest(word, names, line->option_count);
    if (near)
        print_error("there is no option '--%s'; did you mean '--%s'?", word, near);
    else
        print_error("there is no option '--%s'; '--help' lists them", word);
}

// Takes the option at arguments[0] and returns how many arguments it used; 0 after a mistake.
static int take_option(const command_line *line, int count, char **arguments)
{
    const bool is_long = arguments[0][1] == '-';
    const char *name = arguments[0] + (is_long ? 2 : 1), *equals = is_long ? strchr(name, '=') : NULL;
    const size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const option *o = is_long ? find_option(line, name, length) : length == 1 ? find_letter(line, *name) : NULL;
    if (!o && is_long) {
        report_unknown(line, name, length);
        return 0;
    }
    if (!o) {
        print_error("there is no option '%s'; '--help' lists them", arguments[0]);
        return 0;
    }
    if (equals) return set_value(o, equals + 1) ? 1 : 0;
    if (o->kind == OPTION_FLAG) {
        *(bool *)o->target = true;
        return 1;
    }
    if (o->kind == OPTION_ROBOT_FLAG) return add_robot(o, "true") ? 1 : 0;
    if (count < 2 || strncmp(arguments[1], "--", 2) == 0) {
        print_error("--%s needs a value: %s", o->name, o->value);
        return 0;
    }
    return set_value(o, arguments[1]) ? 2 : 0;
}

static help_form find_help(int count, char **arguments)
{
    for (int i = 0; i < count && strcmp(arguments[i], "--") != 0; i++) {
        const help_form form = help_asked(arguments[i]);
        if (form != HELP_NONE) return form;
    }
    return HELP_NONE;
}

static bool check_operands(const command_line *line)
{
    const int count = line->operands.count;
    if (count < line->least) {
        print_error("an argument is missing: polhode %s", line->usage);
        return false;
    }
    if (count > line->most) {
        print_error("'%s' is one argument too many: polhode %s", line->operands.texts[line->most], line->usage);
        return false;
    }
    return true;
}

parse_result options_parse(command_line *line, int count, char **arguments)
{
    const help_form help = find_help(count, arguments);
    if (help != HELP_NONE) {
        help_print(line, help);
        return PARSE_HELP;
    }
    bool only_operands = false;
    for (int i = 0; i < count;) {
        const char *text = arguments[i];
        if (!only_operands && strcmp(text, "--") == 0) {
            only_operands = true;
            i++;
        } else if (!only_operands && text[0] == '-' && text[1]) {
            const int used = take_option(line, count - i, arguments + i);
            if (used == 0) return PARSE_WRONG;
            i += used;
        } else if (add_text(&line->operands, text, "arguments")) {
            i++;
        } else {
            return PARSE_WRONG;
        }
    }
    return check_operands(line) ? PARSE_DONE : PARSE_WRONG;
}
