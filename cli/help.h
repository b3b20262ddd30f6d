// Help in the forms people and their tools read, all from the same table of options.
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "options.h"

typedef enum help_form {
    HELP_NONE,
    HELP_TEXT, // --help
    HELP_MAN,  // --help=man: a manual page, as troff
    HELP_BASH, // --help=bash and so on: this command's part of the completion script
    HELP_ZSH,
    HELP_FISH,
} help_form;

// What the argument asks for: "--help", "-h" or "--help=FORM". HELP_NONE when it is neither; a form that there is not is text.
help_form help_asked(const char *argument);

void help_print(const command_line *line, help_form form);
void help_print_program(help_form form); // of the program itself: HELP_TEXT or HELP_MAN

#endif
