// The program as people and scripts meet it: help, mistakes on the command line, tables, JSON, exit status.

#include "test.h"

#include "json_reader.h"
#include "program.h"

#include "polhode/model.h"

#include <fcntl.h>
#include <sys/ioctl.h>

#define EXAMPLE TEST_SOURCE_DIR "/examples/double_pendulum.yaml"

// ---- Help and mistakes ----------------------------------------------------------------------------------------------

TEST(help)
{
    check_run("", 0, "usage: polhode COMMAND", "");
    check_run("--help", 0, "usage: polhode COMMAND", "");
    check_run("help", 0, "usage: polhode COMMAND", "");
    check_run("--version", 0, "polhode ", "");
    check_run("help run", 0, "usage: polhode run MODEL", "");
    static const char *const commands[] = {"run", "compare", "order", "check", "info", "schemes", "joints", "bench"};
    for (int i = 0; i < 8; i++) {
        char line[64];
        snprintf(line, sizeof line, "%s --help", commands[i]);
        check_run(line, 0, "examples:", "");
        snprintf(line, sizeof line, "%s -h", commands[i]);
        check_run(line, 0, "options:", "");
    }
}

TEST(mistakes_on_the_command_line)
{
    check_run("rum", 2, "", "did you mean 'run'?");
    check_run("qqqqqq", 2, "", "there is no command 'qqqqqq'");
    check_run("help rum", 2, "", "did you mean 'run'?");
    check_run("run", 2, "", "polhode run MODEL");
    check_run("run a.yaml b.yaml", 2, "", "'b.yaml' is one argument too many");
    check_run("run a.yaml --stpe 1", 2, "", "did you mean '--step'?");
    check_run("run a.yaml --qqqqqq=1", 2, "", "there is no option '--qqqqqq'");
    check_run("run a.yaml -z", 2, "", "there is no option '-z'");
    check_run("run a.yaml --step", 2, "", "--step needs a value: SECONDS");
    check_run("run a.yaml --step --json", 2, "", "--step needs a value: SECONDS");
    check_run("run a.yaml --step=", 2, "", "'' is not a positive number");
    check_run("run a.yaml --step 1x", 2, "", "'1x' is not a positive number");
    check_run("run a.yaml --step -1", 2, "", "'-1' is not a positive number");
    check_run("run a.yaml --step 0", 2, "", "'0' is not a positive number");
    check_run("run a.yaml --until nan", 2, "", "'nan' is not a positive number");
    check_run("run a.yaml --until inf", 2, "", "'inf' is not a positive number");
    check_run("run a.yaml --every 1.5", 2, "", "'1.5' is not a positive whole number");
    check_run("run a.yaml --every 99999999999", 2, "", "is not a positive whole number");
    check_run("run a.yaml --json=yes", 2, "", "--json takes no value");
    check_run("run a.yaml --out=", 2, "", "--out needs a value: FILE");
    check_run("run " EXAMPLE " --set l", 2, "", "'l' is not name=value");
    check_run("run " EXAMPLE " --set =1", 2, "", "'=1' is not name=value");
    check_run("schemes now", 2, "", "one argument too many");
    check_run("bench --only heavytop", 2, "", "did you mean 'heavy-top'?");
}

TEST(mistakes_in_what_is_asked_for)
{
    check_run("run none.yaml", 2, "", "none.yaml");
    check_run("run " EXAMPLE " --scheme ratlie", 2, "", "did you mean 'rattlie'?");
    check_run("run " EXAMPLE " --scheme rattlie:q=1", 2, "", "'q'");
    check_run("run " EXAMPLE " --out a.txt", 2, "", "it must end with .h5 or .csv");
    check_run("run " EXAMPLE " --out /none/a.csv", 2, "", "there is no folder '/none'");
    check_run("run " EXAMPLE " --set nothing=1", 2, "", "nothing");
    check_run("run " EXAMPLE " --step 1e-9 --until 1e9", 2, "", "too many");
}

TEST(options_are_written_in_several_ways)
{
    check_run("run " EXAMPLE " --until=0.01 -q", 0, "", "");
    check_run("run --until 0.01 --quiet " EXAMPLE, 0, "", "");
    check_run("run --until 0.01 -s rattlie -q -- " EXAMPLE, 0, "", "");
    check_run("run -- --quiet", 2, "", "--quiet"); // a model of that name
}

// ---- Models with mistakes -------------------------------------------------------------------------------------------

static const char broken_model[] = "polhode: 1\n"
                                   "name: broken\n"
                                   "bodies:\n"
                                   "  - {name: a, mass: -1, inertia: [1, 1, 1]}\n"
                                   "  - {name: b, mas: 1, inertia: [1, 1, 5]}\n"
                                   "run: {step: 1e-3, until: 1}\n";

TEST(all_mistakes_of_a_model_are_reported_and_nothing_is_written)
{
    const folder f = folder_make();
    const file_path model = folder_file(&f, "m.yaml"), result = folder_file(&f, "r.csv");
    write_text_file(model.text, broken_model);
    write_text_file(result.text, "precious");
    static const char *const commands[] = {"run", "check", "info"};
    for (int i = 0; i < 3; i++) {
        output o = run_shell("polhode %s %s %s%s", commands[i], model.text, i ? "" : "--out ", i ? "" : result.text);
        CHECK_EQ_INT(o.status, 2);
        CHECK_STR(o.out, "");
        CHECK(strstr(o.err, "m.yaml:4:") && strstr(o.err, "m.yaml:5:") && strstr(o.err, "error: "));
        CHECK(strstr(o.err, "\n    ") && strchr(o.err, '^'));
        CHECK(strstr(o.err, "did you mean 'mass'") != NULL);
        CHECK(strstr(o.err, " errors\n") != NULL);
        output_free(&o);
    }
    char *text = read_text_file(result.text);
    CHECK_STR(text, "precious");
    free(text);
    CHECK_EQ_INT(folder_count(&f), 2);
    folder_remove(&f);
}

TEST(the_result_is_not_written_over_the_model)
{
    const folder f = folder_make();
    const file_path model = folder_file(&f, "m.csv"), link = folder_file(&f, "link.csv");
    output o = run_shell("cp %s %s && ln -s m.csv %s && polhode run %s --out %s", EXAMPLE, model.text, link.text,
                         model.text, link.text);
    CHECK_EQ_INT(o.status, 2);
    CHECK(strstr(o.err, "is the model itself") != NULL);
    char *before = read_text_file(EXAMPLE), *after = read_text_file(model.text);
    CHECK_STR(after, before);
    free(before);
    free(after);
    output_free(&o);
    folder_remove(&f);
}

TEST(check_takes_many_models)
{
    const folder f = folder_make();
    const file_path model = folder_file(&f, "m.yaml");
    write_text_file(model.text, broken_model);
    output o = run_shell("polhode check %s %s %s", EXAMPLE, model.text, EXAMPLE);
    CHECK_EQ_INT(o.status, 2);
    const char *first = strstr(o.out, "double_pendulum.yaml: ok: 2 bodies, 2 joints, 6 degrees of freedom\n");
    CHECK(first && strstr(first + 1, "double_pendulum.yaml: ok") != NULL);
    CHECK(strstr(o.err, "m.yaml:4:") != NULL);
    output_free(&o);
    check_run("check -q " EXAMPLE, 0, "", "");
    folder_remove(&f);
}

// ---- What a run prints ----------------------------------------------------------------------------------------------

TEST(the_table_of_a_run)
{
    output o = run_shell("polhode run " EXAMPLE " --until 1");
    CHECK_EQ_INT(o.status, 0);
    CHECK_STR(o.err, "");
    static const char *const parts[] = {"spatial double pendulum\n", "rattlie, 1000 steps of 0.001 s", "largest error",
                                        "about the line through (0, 0, 0) along (0, 0, 1)", "Newton iterations"};
    for (int i = 0; i < 5; i++) {
        CHECK(strstr(o.out, parts[i]) != NULL);
    }
    output_free(&o);
}

static void check_between(const char *text, const char *path, double low, double high)
{
    const double value = json_number_at(text, path);
    if (!CHECK(value >= low && value <= high)) {
        printf("  %s: %.17g is not between %g and %g\n", path, value, low, high);
    }
}

TEST(the_json_of_a_run)
{
    output o = run_shell("polhode run " EXAMPLE " --until 1 --json");
    CHECK_EQ_INT(o.status, 0);
    CHECK_STR(o.err, "");
    if (!CHECK(json_is_one_value(o.out))) {
        return;
    }
    CHECK(strchr(o.out, '\n') == o.out + strlen(o.out) - 1);
    CHECK(json_is_at(o.out, "model", "\"spatial double pendulum\""));
    CHECK(json_is_at(o.out, "scheme", "\"rattlie\""));
    CHECK(json_is_at(o.out, "step", "0.001"));
    CHECK(json_is_at(o.out, "steps", "1000"));
    CHECK(json_number_at(o.out, "time") == 1000 * 1e-3);
    check_between(o.out, "wall_s", 1e-6, 100.0);
    check_between(o.out, "energy.initial", -1e-9, 1e-9);
    check_between(o.out, "energy.final", -0.1, 0.1);
    check_between(o.out, "energy.scale", 100.0, 2000.0);
    check_between(o.out, "energy.max_abs_error", 1e-6, 0.1);
    CHECK_REL(json_number_at(o.out, "energy.max_rel_error"),
              json_number_at(o.out, "energy.max_abs_error") / json_number_at(o.out, "energy.scale"), 1e-15);
    CHECK(json_is_at(o.out, "momentum.linear_max_error", "null"));
    check_between(o.out, "momentum.angular_max_error", 0.0, 1e-10);
    check_between(o.out, "orthogonality_max", 0.0, 1e-13);
    check_between(o.out, "position_violation_max", 0.0, 1e-14);
    check_between(o.out, "velocity_violation_max", 0.0, 1e-13);
    check_between(o.out, "newton.iterations_mean", 1.0, 10.0);
    check_between(o.out, "newton.iterations_max", 1.0, 30.0);
    static const char *const contact[] = {"contacts_max", "iterations_mean", "residual_max", "penetration_max",
                                          "missed"};
    for (int i = 0; i < 5; i++) {
        char path[64];
        snprintf(path, sizeof path, "contact.%s", contact[i]);
        CHECK(json_number_at(o.out, path) == 0.0);
    }
    CHECK(json_is_at(o.out, "final.bodies.1.name", "\"rod2\""));
    CHECK(json_find(o.out, "final.bodies.2") == NULL);
    CHECK_NEAR(json_number_at(o.out, "final.bodies.1.position.0"), 0.37953976268, 2e-4); // O2 at t = 1
    CHECK_NEAR(json_number_at(o.out, "final.bodies.1.position.2"), -0.74567596438, 2e-4);
    CHECK_NEAR(json_number_at(o.out, "final.bodies.1.angular_velocity.2"), -5.86178453166, 2e-3);
    check_between(o.out, "final.bodies.0.orientation.3", -1.0, 1.0);
    check_between(o.out, "final.bodies.0.velocity.2", -100.0, 100.0);
    CHECK(json_is_at(o.out, "final.joints.0.name", "\"O\""));
    check_between(o.out, "final.joints.1.force.2", -1e5, 1e5);
    check_between(o.out, "final.joints.1.torque.0", -1e-9, 1e-9);
    CHECK(json_find(o.out, "error") == NULL);
    output_free(&o);
}

// The JSON without the time it took.
static void cut_wall_time(char *text)
{
    char *at = strstr(text, "\"wall_s\":");
    if (CHECK(at != NULL)) {
        const char *rest = at + strcspn(at, ",");
        memmove(at, rest, strlen(rest) + 1);
    }
}

TEST(the_same_command_gives_the_same_bits)
{
    output a = run_shell("polhode run " EXAMPLE " --until 2 --json");
    output b = run_shell("polhode run " EXAMPLE " --until 2 --json --threads 2");
    cut_wall_time(a.out);
    cut_wall_time(b.out);
    CHECK_STR(a.out, b.out);
    output_free(&a);
    output_free(&b);
}

TEST(settings_reach_the_model)
{
    output o = run_shell("polhode run " EXAMPLE " --until 0.5 --set g=0 --json");
    CHECK_EQ_INT(o.status, 0);
    check_between(o.out, "energy.scale", 0.0, 1e-20); // nothing moves
    output_free(&o);
}

TEST(a_step_that_fails_ends_with_status_1)
{
    output o = run_shell("polhode run " EXAMPLE " --step 5 --until 500 --json");
    CHECK_EQ_INT(o.status, 1);
    CHECK(json_is_one_value(o.out) && json_find(o.out, "error"));
    CHECK(strstr(o.err, "error: ") && strstr(o.err, "t = ") && strstr(o.err, "step"));
    output_free(&o);
}

// ---- The other commands ---------------------------------------------------------------------------------------------

TEST(info_counts_and_names)
{
    output o = run_shell("polhode info " TEST_SOURCE_DIR "/examples/slider_crank.yaml --json");
    CHECK_EQ_INT(o.status, 0);
    CHECK(json_is_one_value(o.out));
    CHECK(json_is_at(o.out, "freedoms", "1"));
    CHECK(json_is_at(o.out, "velocities", "18"));
    CHECK(json_is_at(o.out, "rows", "20"));
    CHECK(json_is_at(o.out, "rank", "17"));
    CHECK(json_find(o.out, "redundant.2.joint") != NULL && json_find(o.out, "redundant.3") == NULL);
    CHECK(json_is_at(o.out, "joints.0.bodies.0", "\"world\""));
    CHECK(json_number_at(o.out, "mass") > 0.0 && json_number_at(o.out, "energy.kinetic") > 0.0);
    output_free(&o);
    check_run("info " EXAMPLE, 0, "degrees of freedom     6", "");
    check_run("info " EXAMPLE, 0, "angular momentum about the line through (0, 0, 0) along (0, 0, 1)", "");
    check_run("info " TEST_SOURCE_DIR "/examples/slider_crank.yaml", 0, "redundant rows         3", "");
}

TEST(lists_are_json_too)
{
    output o = run_shell("polhode schemes --json");
    CHECK(json_is_one_value(o.out) && json_is_at(o.out, "schemes.0.name", "\"rattlie\""));
    CHECK(json_is_at(o.out, "schemes.0.order", "2") && json_is_at(o.out, "schemes.0.traits.0", "\"symplectic\""));
    output_free(&o);
    o = run_shell("polhode joints --json");
    CHECK(json_is_one_value(o.out) && json_is_at(o.out, "joints.1.name", "\"ball\""));
    CHECK(json_is_at(o.out, "joints.1.rows", "3") && json_is_at(o.out, "joints.1.keys.0", "\"anchor\""));
    output_free(&o);
    check_run("schemes", 0, "rattlie", "");
    check_run("joints", 0, "revolute", "");
}

TEST(bench_times_one_scene)
{
    output o = run_shell("polhode bench --only chain-10 --json");
    CHECK_EQ_INT(o.status, 0);
    CHECK(json_is_one_value(o.out) && json_is_at(o.out, "scenes.0.name", "\"chain-10\""));
    CHECK(json_number_at(o.out, "scenes.0.steps_per_s") > 0.0);
    check_between(o.out, "scenes.0.bytes_per_body", 100.0, 1e5);
    CHECK(json_find(o.out, "scenes.1") == NULL);
    output_free(&o);
}

TEST(every_joint_type_has_cells_in_the_map)
{
    for (int t = 0; t < ph_joint_type_count(); t++) {
        const ph_joint_type_info type = ph_joint_type(t);
        char line[160];
        if (strncmp(type.keys, "of ", 3) == 0) continue; // of another joint
        snprintf(line, sizeof line, "bench --cell %s/bare/chain/rattlie --steps 3", type.name);
        check_run(line, 0, "", "");
    }
}

TEST(bench_times_one_calculation)
{
    output o = run_shell("polhode bench --only wedge-inertia --json");
    CHECK_EQ_INT(o.status, 0);
    CHECK(json_is_one_value(o.out) && json_is_at(o.out, "calculations.0.name", "\"wedge-inertia\""));
    CHECK(json_number_at(o.out, "calculations.0.ns") > 0.0);
    CHECK(json_number_at(o.out, "calculations.0.ratio") > 0.0);
    CHECK(json_find(o.out, "scenes.0") == NULL && json_find(o.out, "calculations.1") == NULL);
    output_free(&o);
    check_run("bench --only arm-7-invers", 2, "", "did you mean 'arm-7-inverse'?");
}

TEST(a_standard_output_that_is_full)
{
    output o = run_shell("polhode schemes >/dev/full");
    CHECK_EQ_INT(o.status, 1);
    CHECK(strstr(o.err, "cannot write to the standard output") != NULL);
    output_free(&o);
}

// ---- On a terminal --------------------------------------------------------------------------------------------------

// What a run prints on stderr when that is a terminal, to be freed.
typedef struct terminal {
    const char *kind, *no_color;
    unsigned short width; // 0: it does not know
} terminal;

static char *run_on(terminal t, const char *const *arguments)
{
    enum { ROOM = 1 << 16 };
    const int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
        return NULL;
    }
    const int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    ioctl(slave, TIOCSWINSZ, &(struct winsize){.ws_col = t.width, .ws_row = 24});
    const pid_t child = fork();
    if (child == 0) {
        setenv("TERM", t.kind, 1);
        setenv("NO_COLOR", t.no_color, 1);
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        dup2(slave, STDERR_FILENO);
        close(master);
        close(slave);
        execv(TEST_PROGRAM, (char *const *)arguments);
        _exit(127);
    }
    close(slave);
    char *text = calloc(ROOM, 1);
    size_t length = 0;
    for (ssize_t got; length < ROOM - 1 && (got = read(master, text + length, ROOM - 1 - length)) > 0;) {
        length += (size_t)got;
    }
    close(master);
    waitpid(child, NULL, 0);
    return text;
}

static char *run_on_terminal(const char *const *arguments, const char *no_color)
{
    return run_on((terminal){"xterm", no_color, 0}, arguments);
}

TEST(progress_on_a_terminal)
{
    char *text = run_on_terminal((const char *const[]){"polhode", "run", EXAMPLE, "--until", "100", NULL}, "");
    if (!text) {
        SKIP("no pseudo-terminal");
    }
    CHECK(strstr(text, "of 100 s") && strstr(text, "energy error"));
    CHECK(strlen(text) >= 4 && strcmp(text + strlen(text) - 4, "\r\033[K") == 0); // it is wiped out at the end
    free(text);
    text = run_on_terminal((const char *const[]){"polhode", "run", EXAMPLE, "--until", "100", "--quiet", NULL}, "");
    CHECK_STR(text, "");
    free(text);
}

// The longest stretch of letters without a move of the pen.
static int longest_line(const char *text)
{
    int longest = 0, length = 0;
    for (; *text; text++) {
        length = *text == '\r' || *text == '\n' || *text == '\033' ? 0 : length + 1;
        longest = length > longest ? length : longest;
    }
    return longest;
}

static void check_progress(const char *const *arguments, const char *words)
{
    char *wide = run_on((terminal){"xterm", "", 120}, arguments),
         *narrow = run_on((terminal){"xterm", "", 40}, arguments);
    if (!wide || !narrow) SKIP("no pseudo-terminal");
    if (!CHECK(strstr(wide, words))) fprintf(stderr, "%s: %s\n", arguments[1], wide);
    CHECK(longest_line(narrow) > 20 && longest_line(narrow) < 40);
    free(wide);
    free(narrow);
}

TEST(progress_of_every_command_that_takes_long)
{
    check_progress((const char *const[]){"polhode", "run", EXAMPLE, "--until", "600", NULL}, " left  ");
    check_progress(
        (const char *const[]){"polhode", "compare", EXAMPLE, "--schemes", "rattlie,rk4", "--until", "40", NULL},
        " left  run ");
    check_progress((const char *const[]){"polhode", "order", EXAMPLE, "--schemes", "rattlie", "--steps",
                                         "2e-3,1e-3,5e-4,2.5e-4", "--times", "8", NULL},
                   " left  run ");
    check_progress((const char *const[]){"polhode", "bench", "--only", "double-pendulum", NULL},
                   "double-pendulum (1 of 1)");
}

TEST(a_dumb_terminal_gets_no_signs_it_does_not_know)
{
    char *text =
        run_on((terminal){"dumb", "", 0}, (const char *const[]){"polhode", "run", EXAMPLE, "--until", "50", NULL});
    if (!text) SKIP("no pseudo-terminal");
    CHECK(!strchr(text, '\033') && !strchr(text, '\r'));
    free(text);
}

TEST(colours_on_a_terminal)
{
    char *text = run_on_terminal((const char *const[]){"polhode", "rum", NULL}, "");
    if (!text) {
        SKIP("no pseudo-terminal");
    }
    CHECK(strstr(text, "\033[1;31merror:\033[0m") != NULL);
    free(text);
    text = run_on_terminal((const char *const[]){"polhode", "rum", NULL}, "1");
    CHECK(strstr(text, "error: ") && !strchr(text, '\033'));
    free(text);
}

// A motion that has more energy than it ever moved with is none of the model.
TEST(a_run_with_wrong_energy_says_so)
{
    check_run("run " EXAMPLE " --scheme rk4 --step 0.2 --until 20 -q", 1, "", "exceeds the largest kinetic energy");
    check_run("run " EXAMPLE " --scheme rk4 --step 0.2 --until 20 -q --allow-energy-error", 0, "", "");
    check_run("run " EXAMPLE " --scheme rk4 --step 0.2 --until 20 --json", 1, "\"wrong\":true", "smaller step");
    check_run("run " EXAMPLE " --until 1 --json", 0, "\"wrong\":false", "");
}

// What creeps against a damper has next to no kinetic energy; its energy error counts beside the work.
TEST(creeping_is_not_wrong)
{
    const folder f = folder_make();
    const file_path model = folder_file(&f, "m.yaml");
    write_text_file(model.text, "polhode: 1\ngravity: [0, 0, -9.81]\n"
                                "bodies: [{name: rod, mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.1, 0, 0]}]\n"
                                "joints: [{name: j, type: revolute, bodies: [world, rod], anchor: [0, 0, 0], axis: y, "
                                "damping: 1000}]\nrun: {step: 0.002, until: 2}\n");
    static const char *const schemes[] = {"moreau", "rattlie", "lie-alpha", "rattlie-ns"};
    for (int i = 0; i < 4; i++) {
        output o = run_shell("polhode run %s --scheme %s --json", model.text, schemes[i]);
        CHECK_EQ_INT(o.status, 0);
        CHECK(strstr(o.out, "\"wrong\":false") != NULL);
        output_free(&o);
    }
    folder_remove(&f);
}

// A linkage that lies still where potentials are zero has neither kinetic energy nor potential: what is left is rounding.
TEST(resting_is_not_wrong)
{
    const folder f = folder_make();
    const file_path model = folder_file(&f, "m.yaml");
    write_text_file(model.text, "polhode: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                                "  - {name: a, mass: 1, inertia: [0.01, 0.08, 0.08], position: [0.5, 0, 0]}\n"
                                "  - {name: b, mass: 1, inertia: [0.08, 0.01, 0.08], position: [1, 0.5, 0]}\n"
                                "  - {name: c, mass: 1, inertia: [0.01, 0.08, 0.08], position: [0.5, 1, 0]}\n"
                                "  - {name: d, mass: 1, inertia: [0.08, 0.01, 0.08], position: [0, 0.5, 0]}\njoints:\n"
                                "  - {name: A, type: revolute, bodies: [world, a], anchor: [0, 0, 0], axis: z}\n"
                                "  - {name: B, type: revolute, bodies: [a, b], anchor: [1, 0, 0], axis: z}\n"
                                "  - {name: C, type: revolute, bodies: [b, c], anchor: [1, 1, 0], axis: z}\n"
                                "  - {name: D, type: revolute, bodies: [c, d], anchor: [0, 1, 0], axis: z}\n"
                                "  - {name: E, type: revolute, bodies: [d, world], anchor: [0, 0, 0], axis: z}\n"
                                "run: {step: 0.001, until: 0.1}\n");
    static const char *const schemes[] = {"rattlie", "rkmk4", "rattlie4", "lgvi", "bliedf2"};
    for (int i = 0; i < 5; i++) {
        output o = run_shell("polhode run %s --scheme %s --json", model.text, schemes[i]);
        CHECK_EQ_INT(o.status, 0);
        CHECK(strstr(o.out, "\"wrong\":false") != NULL);
        output_free(&o);
    }
    folder_remove(&f);
}

// Shorter last steps are named.
TEST(an_end_between_steps)
{
    check_run("run " EXAMPLE " --step 0.01 --until 0.105", 0,
              "11 steps of 0.01 s, the last one of 0.005 s to end in time", "");
}

TEST(models_come_from_the_standard_input)
{
    output o = run_shell("polhode run - --until 0.01 --json < '%s'", TEST_SOURCE_DIR "/examples/double_pendulum.yaml");
    CHECK_EQ_INT(o.status, 0);
    output_free(&o);
    o = run_shell("polhode check - < '%s'", TEST_SOURCE_DIR "/examples/four_bar.yaml");
    CHECK_EQ_INT(o.status, 0);
    output_free(&o);
    o = run_shell("echo 'polhode: 1\nbody: 3' | polhode info -");
    CHECK_EQ_INT(o.status, 2);
    CHECK(strstr(o.err, "<standard input>:2:1: error") != NULL);
    output_free(&o);
}

TEST(json_tells_coordinates_of_joints)
{
    output o = run_shell("polhode run '%s' --until 0.01 --json", TEST_SOURCE_DIR "/examples/four_bar.yaml");
    CHECK_EQ_INT(o.status, 0);
    CHECK(strstr(o.out, "\"coordinates\":[") != NULL && strstr(o.out, "\"rates\":[") != NULL);
    output_free(&o);
}

TEST(version_has_a_short_name)
{
    output o = run_shell("polhode -V");
    CHECK_EQ_INT(o.status, 0);
    CHECK(strncmp(o.out, "polhode ", 8) == 0);
    output_free(&o);
}

#ifdef PH_WITH_HDF5
TEST(a_result_in_place_of_a_model_is_recognised)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.h5");
    output o = run_shell("polhode run '%s' --until 0.01 -q --out '%s'",
                         TEST_SOURCE_DIR "/examples/double_pendulum.yaml", path.text);
    CHECK_EQ_INT(o.status, 0);
    output_free(&o);
    o = run_shell("polhode run '%s'", path.text);
    CHECK_EQ_INT(o.status, 2);
    CHECK(strstr(o.err, "is a result, not a model: 'polhode view") != NULL);
    output_free(&o);
    folder_remove(&f);
}
#endif
