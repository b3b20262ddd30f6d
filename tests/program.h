// Running the program and keeping what it prints.
#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

#include "folder.h"
#include "test.h"

#include <stdarg.h>
#include <sys/wait.h>

typedef struct output {
    int status; // exit status; 256 + signal when it was killed
    char *out, *err;
} output;

// Runs a shell command line in which "polhode" stands for the program that was built.
__attribute__((format(printf, 1, 2))) static inline output run_shell(const char *format, ...)
{
    enum { ROOM = 4096 };
    const folder f = folder_make();
    const file_path out = folder_file(&f, "out"), err = folder_file(&f, "err");
    char command[ROOM], line[2 * ROOM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    snprintf(line, sizeof line, "polhode() { '%s' \"$@\"; }; { %s\n} >'%s' 2>'%s' </dev/null", TEST_PROGRAM, command,
             out.text, err.text);
    const int code = system(line);
    output o = {WIFEXITED(code) ? WEXITSTATUS(code) : 256 + WTERMSIG(code), read_text_file(out.text),
                read_text_file(err.text)};
    folder_remove(&f);
    return o;
}

static inline void output_free(output *o)
{
    free(o->out);
    free(o->err);
}

// Runs a command line and checks its exit status and a part of what it prints on either side ("" for nothing at all), without
// colours where nobody looks.
static inline void check_run(const char *arguments, int status, const char *out, const char *err)
{
    output o = run_shell("polhode %s", arguments);
    bool good = CHECK_EQ_INT(o.status, status);
    good = CHECK(*out ? strstr(o.out, out) != NULL : !*o.out) && good;
    good = CHECK(*err ? strstr(o.err, err) != NULL : !*o.err) && good;
    good = CHECK(!strchr(o.out, '\033') && !strchr(o.err, '\033')) && good;
    if (!good) {
        printf("  polhode %s\n  out: %s\n  err: %s\n", arguments, o.out, o.err);
    }
    output_free(&o);
}

#endif
