// What people see: errors, problems of a model, colours where a terminal can show them.
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include "polhode/base.h"

#include <stdio.h>

bool is_terminal(FILE *file);
bool has_colours(FILE *file); // a terminal, and NO_COLOR is not set

// Empty where there are no colours.
typedef struct colours {
    const char *bold, *faint, *red, *yellow, *green, *off;
} colours;
colours colours_of(FILE *file);

// "polhode: error: ..." on stderr.
__attribute__((format(printf, 1, 2))) void print_error(const char *format, ...);

// All problems on stderr, and how many errors there are when there is more than one.
void print_problems(const ph_problems *problems);

#endif
