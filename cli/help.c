// Help in several forms. See help.h.

#include "help.h"

#include "commands.h"

#include "polhode/polhode.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    help_form form;
} forms[] = {{"man", HELP_MAN}, {"bash", HELP_BASH}, {"zsh", HELP_ZSH}, {"fish", HELP_FISH}};

help_form help_asked(const char *argument)
{
    if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) return HELP_TEXT;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strncmp(argument, "--help=", 7) == 0 && strcmp(argument + 7, forms[i].name) == 0) return forms[i].form;
    return strncmp(argument, "--help=", 7) == 0 ? HELP_TEXT : HELP_NONE;
}

static const option help_option = {.name = "help", .letter = 'h', .help = "this text"};

// The name of the command: the first word of its usage.
static int name_length(const command_line *line)
{
    return (int)strcspn(line->usage, " ");
}

// ---- For people -----------------------------------------------------------------------------------------------------

static void print_option(const option *o)
{
    char left[64];
    snprintf(left, sizeof left, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
    char letter[8] = "    ";
    if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
    printf("  %s%-20s %s\n", letter, left, o->help);
}

static void print_text(const command_line *line)
{
    printf("usage: polhode %s\n\n%s\n", line->usage, line->about);
    printf("\noptions:\n");
    for (int i = 0; i < line->option_count; i++) print_option(&line->options[i]);
    print_option(&help_option);
    printf("\nexamples:\n%s", line->examples);
}

// ---- Manual pages ---------------------------------------------------------------------------------------------------

// Text for troff: backslashes, hyphens and what stands first in a line need care.
static void put_troff(const char *text)
{
    bool first = true;
    for (; *text; text++) {
        if (first && (*text == '.' || *text == '\'')) printf("\\&");
        if (*text == '\\')
            printf("\\e");
        else if (*text == '-')
            printf("\\-");
        else
            putchar(*text);
        first = *text == '\n';
    }
}

static void put_capitals(const char *text, int length)
{
    for (int i = 0; i < length; i++) putchar(toupper((unsigned char)text[i]));
}

static const char *title_of(const char *name, int length)
{
    for (int i = 0; i < command_count; i++)
        if ((int)strlen(commands[i].name) == length && strncmp(commands[i].name, name, (size_t)length) == 0)
            return commands[i].title;
    return "";
}

static void print_man_option(const option *o)
{
    printf(".TP\n");
    if (o->letter) printf("\\fB\\-%c\\fR, ", o->letter);
    printf("\\fB\\-\\-");
    put_troff(o->name);
    printf("\\fR");
    if (o->value) {
        printf(" \\fI");
        put_troff(o->value);
        printf("\\fR");
    }
    printf("\n");
    put_troff(o->help);
    printf("\n");
}

static void print_exit_status(void)
{
    printf(".SH EXIT STATUS\n"
           ".TP\n0\ndone\n"
           ".TP\n1\nthe run failed: a solver did not converge, a file could not be written\n"
           ".TP\n2\nthe command line, the model or the result is wrong\n"
           ".TP\n130\ninterrupted\n");
}

static void print_man(const command_line *line)
{
    const int length = name_length(line);
    printf(".TH POLHODE\\-");
    put_capitals(line->usage, length);
    printf(" 1 \"\" \"polhode %s\" \"User Commands\"\n.SH NAME\n", ph_version());
    printf("polhode\\-%.*s \\- ", length, line->usage);
    put_troff(title_of(line->usage, length));
    printf("\n.SH SYNOPSIS\n\\fBpolhode %.*s\\fR", length, line->usage);
    put_troff(line->usage + length);
    printf("\n.SH DESCRIPTION\n");
    put_troff(line->about);
    printf("\n.SH OPTIONS\n");
    for (int i = 0; i < line->option_count; i++) print_man_option(&line->options[i]);
    print_man_option(&help_option);
    printf(".SH EXAMPLES\n.nf\n");
    put_troff(line->examples);
    printf(".fi\n");
    print_exit_status();
    printf(".SH SEE ALSO\n.BR polhode (1)\n");
}

// ---- Completion -----------------------------------------------------------------------------------------------------

static bool is(const option *o, const char *name)
{
    return strcmp(o->name, name) == 0;
}

static void put_schemes(void)
{
    for (int i = 0; i < ph_scheme_count(); i++) printf("%s%s", i ? " " : "", ph_scheme_get(i).name);
}

// Options whose values are words that we know.
static bool takes_words(const option *o)
{
    return is(o, "scheme") || is(o, "schemes") || is(o, "log") || is(o, "law") || is(o, "solver");
}

static void put_words(const option *o)
{
    if (is(o, "log"))
        printf("x y xy");
    else if (is(o, "law"))
        printf("coulomb relaxed");
    else if (is(o, "solver"))
        printf("apgd bb pgs newton");
    else
        put_schemes();
}

static void print_bash(const command_line *line)
{
    printf("    %.*s)\n        options=\"", name_length(line), line->usage);
    for (int i = 0; i < line->option_count; i++) printf("--%s ", line->options[i].name);
    printf("--help\"\n        case $previous in\n");
    for (int i = 0; i < line->option_count; i++) {
        const option *o = &line->options[i];
        if (o->kind == OPTION_FLAG || o->kind == OPTION_ROBOT_FLAG) continue;
        printf("        --%s", o->name);
        if (o->letter) printf("|-%c", o->letter);
        printf(") ");
        if (takes_words(o)) {
            printf("words=\"");
            put_words(o);
            printf("\"; value=words ;;\n");
        } else {
            printf("value=%s ;;\n", strstr(o->value, "FILE") || strstr(o->value, "FOLDER") ? "file" : "free");
        }
    }
    printf("        esac\n        ;;\n");
}

// Quotes, brackets and colons mean something in what zsh reads.
static void put_zsh(const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            printf("'\\''");
        else if (strchr("[]:\\", *text))
            printf("\\%c", *text);
        else
            putchar(*text);
}

static void print_zsh_option(const option *o)
{
    printf("            '");
    printf(o->kind == OPTION_LIST ? "*--%s" : "--%s", o->name);
    printf("[");
    put_zsh(o->help);
    printf("]");
    if (o->kind != OPTION_FLAG && o->kind != OPTION_ROBOT_FLAG && o->value) {
        printf(":");
        put_zsh(o->value);
        printf(":");
        if (takes_words(o)) {
            printf("(");
            put_words(o);
            printf(")");
        } else if (strstr(o->value, "FILE") || strstr(o->value, "FOLDER")) {
            printf("_files");
        }
    }
    printf("' \\\n");
}

static void print_zsh(const command_line *line)
{
    printf("    %.*s)\n        _arguments \\\n", name_length(line), line->usage);
    for (int i = 0; i < line->option_count; i++) print_zsh_option(&line->options[i]);
    print_zsh_option(&help_option);
    printf("            '*:file:_files'\n        ;;\n");
}

static void put_fish(const char *text)
{
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') putchar('\\');
        putchar(*text);
    }
}

static void print_fish(const command_line *line)
{
    for (int i = 0; i <= line->option_count; i++) {
        const option *o = i < line->option_count ? &line->options[i] : &help_option;
        printf("complete -c polhode -n '__fish_seen_subcommand_from %.*s' -l %s", name_length(line), line->usage,
               o->name);
        if (o->letter) printf(" -s %c", o->letter);
        if (takes_words(o)) {
            printf(" -x -a '");
            put_words(o);
            printf("'");
        } else if (o->value) {
            printf(strstr(o->value, "FILE") || strstr(o->value, "FOLDER") ? " -r" : " -x");
        }
        printf(" -d '");
        put_fish(o->help);
        printf("'\n");
    }
}

void help_print(const command_line *line, help_form form)
{
    switch (form) {
    case HELP_MAN:
        print_man(line);
        break;
    case HELP_BASH:
        print_bash(line);
        break;
    case HELP_ZSH:
        print_zsh(line);
        break;
    case HELP_FISH:
        print_fish(line);
        break;
    case HELP_TEXT:
    case HELP_NONE:
        print_text(line);
        break;
    }
}

// ---- The program ----------------------------------------------------------------------------------------------------

static void print_program_man(void)
{
    printf(
        ".TH POLHODE 1 \"\" \"polhode %s\" \"User Commands\"\n.SH NAME\n"
        "polhode \\- structure\\-preserving rigid multibody dynamics\n"
        ".SH SYNOPSIS\n\\fBpolhode\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n"
        ".SH DESCRIPTION\n"
        "Simulates systems of rigid bodies with joints, forces and contacts, described in a model file (YAML or JSON), with\n"
        "integration schemes that keep energy, momentum and joints, and measures what each of them keeps.\n"
        "Each command has a manual page of its own, polhode\\-COMMAND(1), and \\fB\\-\\-help\\fR.\n"
        ".SH COMMANDS\n",
        ph_version());
    for (int i = 0; i < command_count; i++) {
        printf(".TP\n\\fB%s\\fR\n", commands[i].name);
        put_troff(commands[i].title);
        printf("\n");
    }
    printf(".SH ENVIRONMENT\n.TP\nNO_COLOR\nwhen set and not empty, nothing is coloured\n");
    print_exit_status();
    printf(".SH SEE ALSO\n");
    for (int i = 0; i < command_count; i++)
        printf(".BR polhode\\-%s (1)%s\n", commands[i].name, i + 1 < command_count ? "," : "");
}

static void print_program_text(void)
{
    printf("polhode %s: structure-preserving rigid multibody dynamics\n\n"
           "usage: polhode COMMAND [ARGUMENTS]\n\n",
           ph_version());
    for (int i = 0; i < command_count; i++) printf("  %-11s %s\n", commands[i].name, commands[i].title);
    printf("\nTry   polhode run examples/double_pendulum.yaml --out out.h5\n"
           "      polhode plot out.h5 energy.error -o energy.svg\n"
           "      polhode COMMAND --help\n");
}

void help_print_program(help_form form)
{
    (form == HELP_MAN ? print_program_man : print_program_text)();
}
