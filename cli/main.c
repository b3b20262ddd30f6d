// polhode: the command-line program.

#include "base/system.h"
#include "commands.h"
#include "help.h"
#include "terminal.h"

#include "polhode/polhode.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const command *find_command(const char *name)
{
    for (int i = 0; i < command_count; i++)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    return NULL;
}

static int unknown_command(const char *name)
{
    enum { MAX_COMMANDS = 64 };
    const char *names[MAX_COMMANDS];
    for (int i = 0; i < command_count; i++) names[i] = commands[i].name;
    const char *near = ph_suggest(name, names, command_count);
    if (near)
        print_error("there is no command '%s'; did you mean '%s'?", name, near);
    else
        print_error("there is no command '%s'; 'polhode --help' lists them", name);
    return EXIT_USAGE;
}

static int dispatch(int count, char **arguments)
{
    const char *first = count > 0 ? arguments[0] : "--help";
    if (help_asked(first) != HELP_NONE) {
        help_print_program(help_asked(first));
        return EXIT_DONE;
    }
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
        printf("polhode %s\n", ph_version());
        return EXIT_DONE;
    }
    if (strcmp(first, "help") == 0 && count > 1) { // polhode help run
        char help[] = "--help";
        const command *asked = find_command(arguments[1]);
        return asked ? asked->run(1, (char *[]){help}) : unknown_command(arguments[1]);
    }
    if (strcmp(first, "help") == 0) {
        help_print_program(HELP_TEXT);
        return EXIT_DONE;
    }
    const command *found = find_command(first);
    return found ? found->run(count - 1, arguments + 1) : unknown_command(first);
}

int main(int count, char **arguments)
{
#ifdef SIGXFSZ
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error like any other
#endif
    system_begin_program(&count, &arguments);
    const int status = dispatch(count - 1, arguments + 1);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        print_error("cannot write to the standard output");
        return status == EXIT_DONE ? EXIT_FAILED : status;
    }
    return status;
}
