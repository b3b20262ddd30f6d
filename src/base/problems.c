// The list of problems, and how one of them is written for people to read.

#include "base/problems.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- The list -------------------------------------------------------------------------------------------------------

struct ph_problems {
    ph_allocator allocator;
    ph_problem **items; // each in one block with its strings, so that pointers to it stay valid
    int count, capacity;
    int errors; // lost ones included
    int lost;   // could not be stored
    ph_problem last;
};

ph_problems *problems_create(const ph_allocator *allocator)
{
    ph_problems *problems = mem_alloc(allocator, sizeof *problems);
    if (problems && allocator) {
        problems->allocator = *allocator;
    }
    return problems;
}

ph_problems *ph_problems_create(void)
{
    return problems_create(NULL);
}

void ph_problems_destroy(ph_problems *problems)
{
    if (!problems) {
        return;
    }
    const ph_allocator allocator = problems->allocator;
    for (int i = 0; i < problems->count; i++) {
        mem_free(&allocator, problems->items[i]);
    }
    mem_free(&allocator, problems->items);
    mem_free(&allocator, problems);
}

int ph_problems_count(const ph_problems *problems)
{
    return problems ? problems->count + (problems->lost > 0) : 0;
}

int ph_problems_errors(const ph_problems *problems)
{
    return problems ? problems->errors : 0;
}

const ph_problem *ph_problems_get(const ph_problems *problems, int index)
{
    if (index < 0 || index >= ph_problems_count(problems)) {
        return NULL;
    }
    return index < problems->count ? problems->items[index] : &problems->last;
}

static size_t string_bytes(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

// Copies `text` to *at and moves *at behind it.
static const char *place_string(char **at, const char *text)
{
    if (!text) {
        return NULL;
    }
    const size_t bytes = strlen(text) + 1;
    char *copy = memcpy(*at, text, bytes);
    *at += bytes;
    return copy;
}

static ph_problem *copy_problem(const ph_allocator *allocator, const ph_problem *p)
{
    ph_problem *copy =
        mem_alloc(allocator, sizeof *copy + string_bytes(p->file) + string_bytes(p->path) + string_bytes(p->text) +
                                 string_bytes(p->hint) + string_bytes(p->source));
    if (copy) {
        char *at = (char *)(copy + 1);
        *copy = *p;
        copy->file = place_string(&at, p->file);
        copy->path = place_string(&at, p->path);
        copy->text = place_string(&at, p->text);
        copy->hint = place_string(&at, p->hint);
        copy->source = place_string(&at, p->source);
    }
    return copy;
}

void problems_add(ph_problems *problems, const ph_problem *problem)
{
    if (!problems) {
        return;
    }
    problems->errors += problem->severity == PH_ERROR;
    const bool room = mem_reserve(&problems->allocator, &problems->items, &problems->capacity, problems->count + 1,
                                  sizeof(ph_problem *));
    ph_problem *copy = room ? copy_problem(&problems->allocator, problem) : NULL;
    if (copy) {
        problems->items[problems->count++] = copy;
    } else {
        problems->lost++;
        problems->last = (ph_problem){.severity = PH_ERROR, .text = "there are more problems: out of memory"};
    }
}

void problems_printf(ph_problems *problems, const ph_problem *problem, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    ph_problem written = *problem;
    written.text = text;
    problems_add(problems, &written);
}

// ---- One problem as text --------------------------------------------------------------------------------------------

// Text that may be cut: `length` counts what the whole text needs.
typedef struct writer {
    char *text;
    size_t size, length;
} writer;

static void put_char(writer *w, char c)
{
    if (w->length + 1 < w->size) {
        w->text[w->length] = c;
    }
    w->length++;
}

static void put(writer *w, const char *text)
{
    while (*text) {
        put_char(w, *text++);
    }
}

static void put_number(writer *w, int number)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%d", number);
    put(w, digits);
}

static void put_place(writer *w, const ph_problem *p)
{
    if (p->file) {
        put(w, p->file);
        put(w, ":");
        if (p->line > 0) {
            put_number(w, p->line);
            put(w, ":");
        }
        if (p->line > 0 && p->column > 0) {
            put_number(w, p->column);
            put(w, ":");
        }
        put(w, " ");
    }
    if (p->path && !(p->file && p->line > 0)) {
        put(w, p->path);
        put(w, ": ");
    }
}

// Columns count characters; the source is UTF-8, where the second and later bytes of a character are 10xxxxxx.
static const char *next_character(const char *s)
{
    for (s++; ((unsigned char)*s & 0xc0) == 0x80; s++) {}
    return s;
}

static bool at_end(const char *s)
{
    return *s == '\0' || *s == '\n' || *s == '\r';
}

enum { WINDOW = 100, BEFORE_CARET = 60 }; // characters of a long source line that are shown

// The source line and a caret below it. Of a long line only a window around the caret is shown, cut ends as "...".
static void put_source(writer *w, const char *source, int column)
{
    int characters = 0;
    for (const char *s = source; !at_end(s); s = next_character(s)) {
        characters++;
    }
    const int caret = column <= characters ? column - 1 : characters;
    int first = 0;
    if (characters > WINDOW && caret > BEFORE_CARET) {
        first = caret - BEFORE_CARET < characters - WINDOW ? caret - BEFORE_CARET : characters - WINDOW;
    }
    const char *start = source;
    for (int i = 0; i < first; i++) {
        start = next_character(start);
    }

    put(w, first > 0 ? "\n    ..." : "\n    ");
    const char *s = start;
    for (int i = 0; i < WINDOW && !at_end(s); i++) {
        for (const char *end = next_character(s); s < end; s++) {
            const bool control = (unsigned char)*s < ' ' && *s != '\t';
            put_char(w, control ? ' ' : *s);
        }
    }
    put(w, at_end(s) ? "" : "...");
    if (column < 1) {
        return;
    }
    // Tabs stay tabs, so that the caret lands below the character wherever the terminal puts it.
    put(w, first > 0 ? "\n       " : "\n    ");
    s = start;
    for (int i = first; i < caret; i++, s = next_character(s)) {
        put_char(w, *s == '\t' ? '\t' : ' ');
    }
    put(w, "^");
}

int ph_problem_format(const ph_problem *problem, char *text, size_t size)
{
    if (!problem) return 0;
    static const char *const severities[] = {"note: ", "warning: ", "error: "};
    writer w = {text, size, 0};
    put_place(&w, problem);
    put(&w, (unsigned)problem->severity <= PH_ERROR ? severities[problem->severity] : "");
    put(&w, problem->text ? problem->text : "");
    if (problem->source) {
        put_source(&w, problem->source, problem->column);
    }
    if (problem->hint) {
        put(&w, "\n    ");
        put(&w, problem->hint);
    }
    if (size > 0) {
        text[w.length < size ? w.length : size - 1] = '\0';
    }
    return (int)w.length;
}
