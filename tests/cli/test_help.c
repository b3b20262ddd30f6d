// Help: for people, as manual pages, and for shells, all from the same tables.

#include "test.h"

#include "json_reader.h"
#include "program.h"

enum { COMMANDS_MAX = 32, NAME_ROOM = 32 };

// The names that `polhode --help` lists.
static int list_commands(char names[COMMANDS_MAX][NAME_ROOM])
{
    output o = run_shell("polhode --help | sed -n 's/^  \\([a-z][a-z]*\\) .*/\\1/p'");
    int count = 0;
    for (char *line = strtok(o.out, "\n"); line && count < COMMANDS_MAX; line = strtok(NULL, "\n")) {
        snprintf(names[count++], NAME_ROOM, "%s", line);
    }
    output_free(&o);
    return count;
}

TEST(every_command_has_help_with_examples)
{
    char names[COMMANDS_MAX][NAME_ROOM], part[128];
    const int count = list_commands(names);
    CHECK(count >= 12);
    for (int i = 0; i < count; i++) {
        output o = run_shell("polhode %s --help", names[i]);
        CHECK_EQ_INT(o.status, 0);
        snprintf(part, sizeof part, "usage: polhode %.*s", NAME_ROOM - 1, names[i]);
        CHECK(strstr(o.out, part) == o.out);
        CHECK(strstr(o.out, "\noptions:\n") && strstr(o.out, "\nexamples:\n  "));
        CHECK(strstr(o.out, "-h, --help"));
        output again = run_shell("polhode help %s", names[i]);
        CHECK_STR(again.out, o.out);
        output_free(&again);
        output_free(&o);
    }
}

TEST(manual_pages_have_their_sections_and_no_faults)
{
    char names[COMMANDS_MAX][NAME_ROOM];
    const int count = list_commands(names);
    output groff = run_shell("command -v groff");
    for (int i = -1; i < count; i++) {
        output o = run_shell("polhode %s --help=man", i < 0 ? "" : names[i]);
        static const char *const sections[] = {".TH POLHODE",     ".SH NAME",        ".SH SYNOPSIS",
                                               ".SH DESCRIPTION", ".SH EXIT STATUS", ".SH SEE ALSO"};
        for (int k = 0; k < 6; k++) {
            CHECK(strstr(o.out, sections[k]) != NULL);
        }
        output_free(&o);
        if (groff.status == 0) {
            o = run_shell("polhode %s --help=man | groff -man -Tutf8 -ww >/dev/null", i < 0 ? "" : names[i]);
            CHECK_STR(o.err, "");
            output_free(&o);
        }
    }
    output_free(&groff);
}

// Asks bash what it would offer for the words, of which the last is not complete.
static void check_completion(const char *words, const char *expected)
{
    const folder f = folder_make();
    const file_path script = folder_file(&f, "c.bash");
    output o = run_shell("polhode completion bash >%s", script.text);
    output_free(&o);
    o = run_shell("cd / && bash -c '. %s; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _polhode;"
                  " echo \" ${COMPREPLY[*]} \"'",
                  script.text, words);
    CHECK_EQ_INT(o.status, 0);
    if (!CHECK(strstr(o.out, expected) != NULL)) {
        printf("  %s: '%s' is not in %s", words, expected, o.out);
    }
    output_free(&o);
    folder_remove(&f);
}

TEST(bash_completes_commands_options_and_values)
{
    output bash = run_shell("command -v bash");
    const bool here = bash.status == 0;
    output_free(&bash);
    if (!here) SKIP("bash is not installed");
    check_completion("polhode pl", " plot ");
    check_completion("polhode help conv", " convert ");
    check_completion("polhode run --sch", " --scheme ");
    check_completion("polhode run --scheme lie", " lie-alpha ");
    check_completion("polhode run -s ratt", " rattlie ");
    check_completion("polhode compare m.yaml --ref", " --reference ");
    check_completion("polhode run etc", " etc ");
    check_completion("polhode run --step \"\"", "  ");
}

TEST(scripts_for_other_shells_are_sound)
{
    output o = run_shell("polhode completion zsh >/dev/null && polhode completion fish");
    CHECK_EQ_INT(o.status, 0);
    CHECK(strstr(o.out, "complete -c polhode -n '__fish_seen_subcommand_from run' -l scheme -s s -x -a 'rattlie ") !=
          NULL);
    output_free(&o);
    static const char *const shells[] = {"zsh", "fish"};
    for (int i = 0; i < 2; i++) {
        o = run_shell("command -v %s >/dev/null || exit 0; t=$(mktemp); polhode completion %s >$t; %s -n $t; s=$?;"
                      " rm $t; exit $s",
                      shells[i], shells[i], shells[i]);
        CHECK_EQ_INT(o.status, 0);
        output_free(&o);
    }
    o = run_shell("polhode completion bahs");
    CHECK_EQ_INT(o.status, 2);
    CHECK(strstr(o.err, "did you mean 'bash'?") != NULL);
    output_free(&o);
}

TEST(schemes_say_their_options)
{
    output o = run_shell("polhode schemes");
    CHECK(strstr(o.out, "option rho: spectral radius at infinity; default 0.9, from 0 to 1") != NULL);
    output_free(&o);
    o = run_shell("polhode schemes --json");
    CHECK(json_is_one_value(o.out));
    CHECK(strstr(o.out, "\"default\":0.90000000000000002") != NULL);
    output_free(&o);
}

TEST(check_tells_programs_all_mistakes)
{
    const folder f = folder_make();
    write_text_file(folder_file(&f, "a.yaml").text,
                    "polhode: 1\nbodies:\n  - {name: a, mas: 1, inertia: [1, 1, 1]}\n  - {name: b, mass: -1}\n");
    output o = run_shell("cd %s && polhode check a.yaml '" TEST_SOURCE_DIR "/examples/four_bar.yaml' --json", f.path);
    CHECK_EQ_INT(o.status, 2);
    CHECK(json_is_one_value(o.out));
    CHECK(strstr(o.out, "\"ok\":false") && strstr(o.out, "\"ok\":true") && strstr(o.out, "\"line\":3"));
    CHECK(strstr(o.out, "\"freedoms\":1") && strstr(o.out, "did you mean"));
    output_free(&o);
    folder_remove(&f);
}

TEST(words_that_are_nearly_right_are_recognised)
{
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"polhode rnu", "did you mean 'run'?"},
        {"polhode help plto", "did you mean 'plot'?"},
        {"polhode check '" TEST_SOURCE_DIR "/examples/four_baar.yaml'", "/examples/four_bar.yaml'?"},
        {"polhode run --setp 1", "did you mean '--step'?"},
        {"polhode run '" TEST_SOURCE_DIR "/examples/four_bar.yaml' --scheme ratlie", "did you mean 'rattlie'?"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        output o = run_shell("%s", cases[i].line);
        CHECK_EQ_INT(o.status, 2);
        if (!CHECK(strstr(o.err, cases[i].message) != NULL)) {
            printf("  %s\n", o.err);
        }
        output_free(&o);
    }
}
