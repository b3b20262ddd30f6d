// What people see. See terminal.h.

#include "terminal.h"

#include "base/system.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool is_terminal(FILE *file)
{
    return system_is_terminal(file);
}

bool has_colours(FILE *file)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return is_terminal(file) && !(no_colour && *no_colour) && !(terminal && strcmp(terminal, "dumb") == 0);
}

colours colours_of(FILE *file)
{
    return has_colours(file) ? (colours){"\033[1m", "\033[2m", "\033[1;31m", "\033[1;33m", "\033[32m", "\033[0m"}
                             : (colours){"", "", "", "", "", ""};
}

void print_error(const char *format, ...)
{
    const colours c = colours_of(stderr);
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%spolhode:%s %serror:%s ", c.bold, c.off, c.red, c.off);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

// Colours the word "error:" or "warning:" of the first line.
static void print_problem(const ph_problem *problem)
{
    const int length = ph_problem_format(problem, NULL, 0);
    char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (!text) {
        fprintf(stderr, "%s\n", problem->text);
        return;
    }
    ph_problem_format(problem, text, (size_t)length + 1);
    const colours c = colours_of(stderr);
    const bool is_error = problem->severity == PH_ERROR;
    const char *word = problem->severity == PH_NOTE ? "note:" : is_error ? "error:" : "warning:";
    const char *at = strstr(text, word);
    if (at) {
        const char *rest = at + strlen(word);
        fprintf(stderr, "%s%.*s%s%s%s%s%s\n", c.bold, (int)(at - text), text, c.off, is_error ? c.red : c.yellow, word,
                c.off, rest);
    } else {
        fprintf(stderr, "%s\n", text);
    }
    free(text);
}

// A mistake that a script has written a hundred times should not push the first one off the screen.
void print_problems(const ph_problems *problems)
{
    enum { MOST = 20 };
    const int count = ph_problems_count(problems), errors = ph_problems_errors(problems);
    for (int i = 0, shown = 0; i < count; i++) {
        const ph_problem *problem = ph_problems_get(problems, i);
        shown += problem->severity == PH_ERROR;
        if (problem->severity != PH_ERROR || shown <= MOST) print_problem(problem);
    }
    if (errors > MOST)
        fprintf(stderr, "%d errors, the first %d are shown; polhode check --json lists all\n", errors, MOST);
    else if (errors > 1)
        fprintf(stderr, "%d errors\n", errors);
}
