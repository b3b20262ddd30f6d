// Every function of the public headers, called with nothing where something is needed: everything at once, and each pointer
// in turn while all others are good; with numbers that cannot be; with definitions that are all zero. No call may crash or
// hang. The list of calls is made from the headers (every_call.awk), so that none is forgotten; that misuse is also
// answered with an error is seen in test_misuse.c. Each function has a process of its own.

#include "rig.h"

#include "folder.h"
#include "scenes.h"

#include <signal.h>
#include <sys/wait.h>

// ---- Good things by the name of their type --------------------------------------------------------------------------

static struct {
    ph_model *model;
    ph_state *state;
    ph_spec *spec;
    ph_sim *sim;
    ph_batch *batch;
    ph_live *live;
    ph_observer *observer;
    ph_problems *problems;
    ph_tree *tree;
    ph_recording *recording;
    ph_plot *plot;
    ph_result *result;
    ph_result_writer *writer;
    ph_curves *curves;
    ph_cone_workspace *workspace;
    ph_cone_matrix *matrix;
    ph_fc_problem *fc;
    ph_mode_set *modes;
    ph_comparison *comparison;
    ph_order_study *study;
    ph_adjoint *adjoint;
    ph_parameters *parameters;
    ph_observables *observables;
    ph_algebra algebra;
} good;

static struct {
    ph_run_def run;
    ph_callback_def callback;
    ph_cone_settings cone;
    ph_convert_def convert;
    ph_compare_def compare;
    ph_order_def order;
    ph_page_def page;
    ph_axes_def axes;
    ph_series_def series;
    ph_sim_def sim;
    ph_batch_def batch;
    ph_live_def live;
    ph_page_simulator simulator;
    ph_film_def film;
    ph_body_def body;
    ph_shape_def shape;
    ph_joint_def joint;
    ph_force_def force;
    ph_contact_settings contact;
    ph_statics_def statics;
    ph_link_def link;
    ph_adjoint_def adjoint;
} defs;

static const char *const schemes[] = {"rattlie", "rk4"};
static const double steps[] = {1e-3, 5e-4, 2.5e-4};

static void make_defs(void)
{
    defs.run = ph_default_run();
    defs.callback = ph_default_callback();
    defs.cone = ph_default_cone();
    defs.convert = ph_default_convert();
    defs.compare = ph_default_compare();
    defs.order = ph_default_order();
    defs.page = ph_default_page();
    defs.axes = ph_default_axes();
    defs.series = ph_default_series();
    defs.sim = ph_default_sim();
    defs.batch = ph_default_batch();
    defs.live = ph_default_live();
    defs.simulator = ph_default_simulator();
    defs.film = ph_default_film();
    defs.film.width = defs.film.height = 16;
    defs.film.rate = 1.0;
    defs.body = ph_default_body();
    defs.shape = ph_default_shape();
    defs.joint = ph_default_joint();
    defs.force = ph_default_force();
    defs.contact = ph_default_contact();
    defs.statics = ph_default_statics();
    defs.link = ph_default_link();
    defs.adjoint = ph_default_adjoint();
    defs.run.step = defs.compare.step = 1e-3;
    defs.run.until = defs.compare.until = 4e-3;
    defs.compare.trials = defs.order.trials = schemes;
    defs.compare.trial_count = defs.order.trial_count = 2;
    defs.order.steps = steps;
    defs.order.step_count = 3;
}

static void make_result(const folder *f)
{
    const file_path written = folder_file(f, "a.csv"), open = folder_file(f, "b.csv");
    ph_run_def def = defs.run;
    ph_summary summary;
    def.out = written.text;
    CHECK_EQ_INT(ph_run(good.model, good.state, &def, &summary, NULL), PH_OK);
    CHECK_EQ_INT(ph_result_open(written.text, &good.result, NULL), PH_OK);
    const ph_result_def result = {.path = open.text, .rows = 3, .scheme = "rattlie", .step = 1e-3};
    CHECK_EQ_INT(ph_result_create(good.model, &result, &good.writer, NULL), PH_OK);
    good.curves = good.result ? ph_curves_create(good.result) : NULL;
    CHECK(good.curves);
}

static ph_model *no_model(int parameter, double value, void *user, ph_error *error)
{
    (void)parameter, (void)value, (void)user, (void)error;
    return NULL;
}

static void make_adjoint(void)
{
    static const ph_parameter gravity = {"gravity.z", -9.81, true};
    char name[80];
    const char *names[] = {name};
    snprintf(name, sizeof name, "%s.position.x", ph_model_body(good.model, 0).name);
    CHECK_EQ_INT(ph_adjoint_create(good.model, &defs.adjoint, &good.adjoint, NULL), PH_OK);
    CHECK_EQ_INT(ph_parameters_create(good.model, 1, &gravity, no_model, NULL, &good.parameters, NULL), PH_OK);
    CHECK_EQ_INT(ph_observables_create(good.model, 1, names, &good.observables, NULL), PH_OK);
}

static void make_good(const folder *f)
{
    static const int zero = 0;
    static const double one = 1.0;
    make_defs();
    good.model = scene_pendulum();
    good.state = ph_state_create(good.model);
    good.spec = scene_start();
    good.problems = ph_problems_create();
    good.recording = ph_recording_create(good.model);
    good.plot = ph_plot_create("title");
    good.workspace = ph_cone_workspace_create(NULL);
    good.algebra = ph_algebra_cl062();
    CHECK_EQ_INT(ph_sim_create(good.model, &defs.sim, &good.sim, NULL), PH_OK);
    CHECK_EQ_INT(ph_batch_create(good.model, &defs.batch, &good.batch, NULL), PH_OK);
    defs.live.step = 1e-3;
    CHECK_EQ_INT(ph_live_create(good.model, &defs.live, &good.live, NULL), PH_OK);
    CHECK_EQ_INT(ph_observer_create(good.model, &good.observer), PH_OK);
    CHECK_EQ_INT(ph_tree_from_model(good.model, &good.tree, NULL, NULL), PH_OK);
    CHECK_EQ_INT(ph_cone_matrix_create(1, 1, &zero, &zero, &one, &good.matrix, NULL), PH_OK);
    CHECK_EQ_INT(ph_compare(good.model, &defs.compare, &good.comparison, NULL), PH_OK);
    CHECK_EQ_INT(ph_measure_order(good.model, &defs.order, &good.study, NULL), PH_OK);
    make_adjoint();
    make_result(f);
}

static void free_good(void)
{
    ph_observables_destroy(good.observables);
    ph_parameters_destroy(good.parameters);
    ph_adjoint_destroy(good.adjoint);
    ph_order_study_destroy(good.study);
    ph_comparison_destroy(good.comparison);
    ph_cone_matrix_destroy(good.matrix);
    ph_cone_workspace_destroy(good.workspace);
    ph_curves_destroy(good.curves);
    ph_result_close(good.writer, NULL);
    ph_result_destroy(good.result);
    ph_plot_destroy(good.plot);
    ph_recording_destroy(good.recording);
    ph_tree_destroy(good.tree);
    ph_observer_destroy(good.observer);
    ph_live_destroy(good.live);
    ph_batch_destroy(good.batch);
    ph_sim_destroy(good.sim);
    ph_state_destroy(good.state);
    ph_problems_destroy(good.problems);
    ph_spec_destroy(good.spec);
    ph_model_destroy(good.model);
}

typedef struct named {
    const char *type;
    const void *object;
} named;

static const named *find_named(const named *list, size_t count, const char *type)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(type, list[i].type) == 0) return &list[i];
    return NULL;
}

static const named *find_object(const char *type)
{
    static named found;
    const named objects[] = {
        {"ph_model", good.model},
        {"ph_state", good.state},
        {"ph_spec", good.spec},
        {"ph_sim", good.sim},
        {"ph_batch", good.batch},
        {"ph_live", good.live},
        {"ph_observer", good.observer},
        {"ph_problems", good.problems},
        {"ph_tree", good.tree},
        {"ph_recording", good.recording},
        {"ph_plot", good.plot},
        {"ph_result", good.result},
        {"ph_result_writer", good.writer},
        {"ph_curves", good.curves},
        {"ph_cone_workspace", good.workspace},
        {"ph_cone_matrix", good.matrix},
        {"ph_fc_problem", good.fc},
        {"ph_mode_set", good.modes},
        {"ph_comparison", good.comparison},
        {"ph_order_study", good.study},
        {"ph_adjoint", good.adjoint},
        {"ph_parameters", good.parameters},
        {"ph_observables", good.observables},
        {"ph_algebra", &good.algebra},
        {"ph_allocator", NULL},
    };
    const named *at = find_named(objects, sizeof objects / sizeof *objects, type);
    if (at) found = *at;
    return at ? &found : NULL;
}

static const named *find_definition(const char *type)
{
    static const char *const texts[] = {"/dev/null/nowhere.csv"};
    static named found;
    const named definitions[] = {
        {"ph_run_def", &defs.run},
        {"ph_callback_def", &defs.callback},
        {"ph_cone_settings", &defs.cone},
        {"ph_convert_def", &defs.convert},
        {"ph_compare_def", &defs.compare},
        {"ph_order_def", &defs.order},
        {"ph_page_def", &defs.page},
        {"ph_axes_def", &defs.axes},
        {"ph_series_def", &defs.series},
        {"ph_sim_def", &defs.sim},
        {"ph_batch_def", &defs.batch},
        {"ph_live_def", &defs.live},
        {"ph_page_simulator", &defs.simulator},
        {"ph_film_def", &defs.film},
        {"ph_body_def", &defs.body},
        {"ph_shape_def", &defs.shape},
        {"ph_joint_def", &defs.joint},
        {"ph_force_def", &defs.force},
        {"ph_statics_def", &defs.statics},
        {"ph_adjoint_def", &defs.adjoint},
        {"ph_contact_settings", &defs.contact},
        {"ph_link_def", &defs.link},
        {"char", texts[0]},
        {"char *const", texts},
    };
    const named *at = find_named(definitions, sizeof definitions / sizeof *definitions, type);
    if (at) found = *at;
    return at ? &found : NULL;
}

// Whatever is not listed is a large block of zeros: enough for what is filled, wrong for what is read.
static void *find_good(const char *type, bool zeros)
{
    static double room[1 << 14];
    const bool constant = strncmp(type, "const ", 6) == 0;
    type += constant ? 6 : 0;
    const named *at = find_object(type);
    if (!at && !zeros && constant) at = find_definition(type);
    if (at) return (void *)at->object;
    if (strcmp(type, "char") == 0) return calloc(1, 1 << 16); // it may be freed; if not, it goes with the process
    memset(room, 0, sizeof room);
    return room;
}

// ---- Calls ----------------------------------------------------------------------------------------------------------

enum { NOTHING = -1, EVERYTHING = -2, ZEROS = -3 }; // which argument is left out; ZEROS: none, but definitions are zero

typedef struct how {
    int without;
    int number;
} how;

#define POINTER(index, type)                                                                                           \
    (h.without == (index) || h.without == EVERYTHING ? NULL : find_good(type, h.without == ZEROS))
#define NUMBER h.number
#define EVERY(name, pointers, numbers, call)                                                                           \
    static void call_##name(how h)                                                                                     \
    {                                                                                                                  \
        (void)h;                                                                                                       \
        (void)call;                                                                                                    \
    }
#include "every_call.h"
#undef EVERY

static const struct {
    const char *name;
    int pointers, numbers;
    void (*call)(how);
} calls[] = {
#define EVERY(name, pointers, numbers, call) {#name, pointers, numbers, call_##name},
#include "every_call.h"
};
enum { CALLS = sizeof calls / sizeof *calls };

// Returns whether a process that makes the call ends by itself.
static bool survives(int index, how h)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        signal(SIGABRT, SIG_DFL);
        alarm(600);
        calls[index].call(h);
        _exit(0);
    }
    int code = -1;
    waitpid(child, &code, 0);
    return WIFEXITED(code) && WEXITSTATUS(code) == 0;
}

static void check_call(int index, how h)
{
    if (!CHECK(survives(index, h))) {
        printf("  %s does not survive", calls[index].name);
        if (h.without >= 0) {
            printf(" without its pointer %d", h.without + 1);
        } else {
            printf("%s", h.without == EVERYTHING ? " nothing" : h.without == ZEROS ? " zeros" : " good pointers");
        }
        printf(", numbers %d\n", h.number);
    }
}

// No function can tell that an array is shorter than the caller says.
static bool counts_array(const char *name)
{
    return strcmp(name, "ph_suggest") == 0 || strcmp(name, "ph_cone_matrix_create") == 0 ||
           strcmp(name, "ph_tree_create") == 0;
}

TEST(no_public_call_crashes_without_what_it_needs)
{
    const folder f = folder_make();
    make_good(&f);
    CHECK(CALLS > 250);
    for (int i = 0; i < CALLS; i++) {
        for (int without = ZEROS; without < calls[i].pointers; without++) {
            if (calls[i].pointers > 0 || without == NOTHING) {
                check_call(i, (how){without, 0});
            }
        }
        if (calls[i].numbers > 0) {
            check_call(i, (how){NOTHING, -1});
            check_call(i, (how){NOTHING, counts_array(calls[i].name) ? 0 : 1 << 30});
        }
    }
    free_good();
    folder_remove(&f);
}
