// polhode completion: what a shell needs to complete command lines of this program.

#include "commands.h"
#include "help.h"
#include "options.h"
#include "terminal.h"

#include "polhode/base.h"

#include <stdio.h>
#include <string.h>

// Each command prints its own part.
static void print_parts(const char *form)
{
    char argument[32];
    snprintf(argument, sizeof argument, "--help=%s", form);
    for (int i = 0; i < command_count; i++) commands[i].run(1, (char *[]){argument});
}

static void print_names(void)
{
    for (int i = 0; i < command_count; i++) printf("%s ", commands[i].name);
    printf("help");
}

static void print_bash(void)
{
    printf("# bash completion for polhode, made by: polhode completion bash\n"
           "_polhode()\n{\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} options= words= value=\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        COMPREPLY=($(compgen -W \"");
    print_names();
    printf(" --help --version\" -- \"$current\"))\n        return\n    fi\n"
           "    case ${COMP_WORDS[1]} in\n"
           "    help)\n        COMPREPLY=($(compgen -W \"");
    print_names();
    printf(
        "\" -- \"$current\"))\n        return\n        ;;\n"
        "    completion)\n        COMPREPLY=($(compgen -W \"bash zsh fish --help\" -- \"$current\"))\n        return\n        ;;\n");
    print_parts("bash");
    printf("    esac\n"
           "    case $value,$current in\n"
           "    words,*) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n"
           "    free,*) COMPREPLY=() ;;\n"
           "    ,-*) COMPREPLY=($(compgen -W \"$options\" -- \"$current\")) ;;\n"
           "    *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
           "    esac\n}\n"
           "complete -o filenames -F _polhode polhode\n");
}

static void print_zsh(void)
{
    printf("#compdef polhode\n# zsh completion for polhode, made by: polhode completion zsh\n"
           "_polhode()\n{\n    local -a commands\n    commands=(\n");
    for (int i = 0; i < command_count; i++) {
        printf("        '%s:", commands[i].name);
        for (const char *s = commands[i].title; *s; s++) printf(*s == ':' ? "\\:" : *s == '\'' ? "'\\''" : "%c", *s);
        printf("'\n");
    }
    printf("        'help:what a command does and its options'\n    )\n"
           "    if (( CURRENT == 2 )); then\n"
           "        _describe command commands\n"
           "        return\n"
           "    fi\n"
           "    local command=$words[2]\n"
           "    shift words\n    (( CURRENT-- ))\n"
           "    case $command in\n"
           "    help)\n        _describe command commands\n        ;;\n"
           "    completion)\n        _values shell bash zsh fish\n        ;;\n");
    print_parts("zsh");
    printf(
        "    esac\n}\n"
        "if [ \"$funcstack[1]\" = \"_polhode\" ]; then\n    _polhode \"$@\"\nelse\n    compdef _polhode polhode\nfi\n");
}

static void print_fish(void)
{
    printf("# fish completion for polhode, made by: polhode completion fish\n");
    for (int i = 0; i < command_count; i++) {
        printf("complete -c polhode -n __fish_use_subcommand -a %s -d '", commands[i].name);
        for (const char *s = commands[i].title; *s; s++) printf(*s == '\'' ? "\\'" : "%c", *s);
        printf("'\n");
    }
    printf("complete -c polhode -n __fish_use_subcommand -a help -d 'what a command does and its options'\n"
           "complete -c polhode -f -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n"
           "complete -c polhode -f -n '__fish_seen_subcommand_from help' -a '");
    print_names();
    printf("'\n");
    print_parts("fish");
}

static const struct {
    const char *name;
    void (*print)(void);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
enum { SHELLS = sizeof shells / sizeof shells[0] };

int command_completion(int count, char **arguments)
{
    command_line line = {
        .usage = "completion SHELL",
        .about =
            "Prints what a shell (bash, zsh or fish) needs to complete command lines of polhode. Installed copies are\n"
            "found by the shells themselves.",
        .examples = "  . <(polhode completion bash)\n"
                    "  polhode completion zsh >~/.zfunc/_polhode\n"
                    "  polhode completion fish >~/.config/fish/completions/polhode.fish\n",
        .least = 1,
        .most = 1,
    };
    const parse_result parsed = options_parse(&line, count, arguments);
    if (parsed != PARSE_DONE) return parsed == PARSE_HELP ? EXIT_DONE : EXIT_USAGE;
    const char *names[SHELLS], *shell = line.operands.texts[0];
    for (int i = 0; i < SHELLS; i++) {
        names[i] = shells[i].name;
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].print();
            return EXIT_DONE;
        }
    }
    const char *near = ph_suggest(shell, names, SHELLS);
    print_error(near ? "there is no completion for '%s'; did you mean '%s'?"
                     : "there is no completion for '%s', only for bash, zsh and fish",
                shell, near ? near : "");
    return EXIT_USAGE;
}
