// Public calls with nothing where something is needed, definitions that do not come from their ph_default_...(), indices out
// of range, parts of two models mixed: each is refused, none crashes. Every call is made in a process of its own.

#include "rig.h"

#include "folder.h"
#include "scenes.h"

#include <sys/wait.h>

// `refused` is true when the call gave an error.
#define REFUSES(refused)                                                                                               \
    do {                                                                                                               \
        fflush(stdout);                                                                                                \
        const pid_t child = fork();                                                                                    \
        if (child == 0) {                                                                                              \
            signal(SIGSEGV, SIG_DFL);                                                                                  \
            signal(SIGABRT, SIG_DFL);                                                                                  \
            _exit((refused) ? 0 : 1);                                                                                  \
        }                                                                                                              \
        int code = -1;                                                                                                 \
        waitpid(child, &code, 0);                                                                                      \
        if (!CHECK(WIFEXITED(code) && WEXITSTATUS(code) == 0)) {                                                       \
            printf("  %s: %s\n", WIFEXITED(code) ? "accepted" : "crash", #refused);                                    \
        }                                                                                                              \
    } while (0)

static bool is_error(ph_status status)
{
    return status > PH_OK && status < PH_STATUS_COUNT;
}

typedef struct things {
    ph_model *model, *other;
    ph_state *state, *other_state;
    ph_sim *sim;
    ph_observer *observer;
} things;

static things things_make(void)
{
    things t = {.model = scene_pendulum(), .other = scene_chain(3)};
    const ph_sim_def def = ph_default_sim();
    t.state = ph_state_create(t.model);
    t.other_state = ph_state_create(t.other);
    CHECK_EQ_INT(ph_sim_create(t.model, &def, &t.sim, NULL), PH_OK);
    CHECK_EQ_INT(ph_observer_create(t.model, &t.observer), PH_OK);
    return t;
}

static void things_free(things *t)
{
    ph_observer_destroy(t->observer);
    ph_sim_destroy(t->sim);
    ph_state_destroy(t->state);
    ph_state_destroy(t->other_state);
    ph_model_destroy(t->model);
    ph_model_destroy(t->other);
}

TEST(destroying_nothing_is_nothing)
{
    ph_problems_destroy(NULL);
    ph_spec_destroy(NULL);
    ph_model_destroy(NULL);
    ph_state_destroy(NULL);
    ph_sim_destroy(NULL);
    ph_observer_destroy(NULL);
    ph_tree_destroy(NULL);
    ph_modes_destroy(NULL);
    ph_fc_destroy(NULL);
    ph_cone_matrix_destroy(NULL);
    ph_cone_workspace_destroy(NULL);
    ph_plot_destroy(NULL);
    ph_comparison_destroy(NULL);
    ph_order_study_destroy(NULL);
    ph_result_destroy(NULL);
    CHECK_EQ_INT(ph_result_close(NULL, NULL), PH_OK);
}

TEST(specs)
{
    ph_spec *spec = scene_start();
    ph_model *model = NULL;
    const ph_body_def body = {.name = "b", .mass = 1.0};
    const ph_shape_def shape = {.type = "sphere"};
    const ph_joint_def joint = {.type = "ball"};
    const ph_force_def force = {.type = "spring"};
    const ph_callback_def callback = {.body = 0};
    const ph_contact_settings contact = {.solver = "apgd"};
    const ph_body_def good = ph_default_body();
    REFUSES(ph_spec_add_body(spec, &body) < 0);
    REFUSES(ph_spec_add_body(spec, NULL) < 0);
    REFUSES(ph_spec_add_body(NULL, &good) < 0);
    REFUSES(ph_spec_add_shape(spec, 0, &shape) < 0);
    REFUSES(ph_spec_add_shape(spec, 5, NULL) < 0);
    REFUSES(ph_spec_add_joint(spec, &joint) < 0);
    REFUSES(ph_spec_add_joint(spec, NULL) < 0);
    REFUSES(ph_spec_add_force(spec, &force) < 0);
    REFUSES(ph_spec_add_force(spec, NULL) < 0);
    REFUSES(ph_spec_add_callback(spec, &callback) < 0);
    REFUSES(ph_spec_add_callback(spec, NULL) < 0);
    REFUSES(ph_spec_add_input(NULL, "u", 1.0) < 0);
    REFUSES(is_error(ph_spec_set_contact(spec, &contact)));
    REFUSES(is_error(ph_spec_set_run(spec, NULL)));
    REFUSES(is_error(ph_model_compile(NULL, NULL, &model)));
    REFUSES(is_error(ph_model_compile(spec, NULL, NULL)));
    REFUSES(is_error(ph_spec_set_run(NULL, &(ph_run_settings){.step = 1.0})));
    REFUSES(is_error(ph_spec_set_name(NULL, "a")));
    REFUSES(is_error(ph_spec_set_text(NULL, "a")));
    ph_spec_destroy(spec);
}

TEST(readers)
{
    NEEDS_YAML;
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    ph_fc_problem *fc = NULL;
    ph_result *result = NULL;
    REFUSES(is_error(ph_spec_read_file(NULL, NULL, 0, NULL, &spec)));
    REFUSES(is_error(ph_spec_read_file("/nowhere/at/all.yaml", NULL, 0, NULL, &spec)));
    REFUSES(is_error(ph_spec_read_text(NULL, 0, NULL, NULL, 0, NULL, &spec)));
    REFUSES(is_error(ph_spec_read_text("", 0, NULL, NULL, 0, NULL, &spec)));
    REFUSES(is_error(ph_spec_read_text("polhode: 1", 10, NULL, NULL, 0, NULL, NULL)));
    REFUSES(is_error(ph_model_read_file(NULL, NULL, 0, NULL, &model)));
    REFUSES(is_error(ph_fc_read_file(NULL, NULL, &fc)));
    REFUSES(is_error(ph_fc_read_text(NULL, 0, NULL, NULL, &fc)));
    REFUSES(is_error(ph_result_open(NULL, &result, NULL)));
    REFUSES(is_error(ph_result_open("/nowhere/at/all.h5", &result, NULL)));
    REFUSES(is_error(ph_result_open("/nowhere/at/all.h5", NULL, NULL)));
}

TEST(states_and_simulations)
{
    things t = things_make();
    ph_sim *sim = NULL;
    ph_observer *observer = NULL;
    ph_sim_def def = ph_default_sim();
    const ph_sim_def plain = {.scheme = "rattlie", .tolerance = 1e-12, .max_iterations = 10, .threads = 1};
    REFUSES(ph_state_create(NULL) == NULL);
    REFUSES(is_error(ph_state_copy(NULL, t.state)));
    REFUSES(is_error(ph_state_copy(t.state, NULL)));
    REFUSES(is_error(ph_state_copy(t.state, t.other_state)));
    REFUSES(is_error(ph_sim_create(NULL, &def, &sim, NULL)));
    REFUSES(is_error(ph_sim_create(t.model, NULL, &sim, NULL)));
    REFUSES(is_error(ph_sim_create(t.model, &def, NULL, NULL)));
    REFUSES(is_error(ph_sim_create(t.model, &plain, &sim, NULL)));
    def.scheme = "no such scheme";
    REFUSES(is_error(ph_sim_create(t.model, &def, &sim, NULL)));
    def.scheme = "";
    REFUSES(is_error(ph_sim_create(t.model, &def, &sim, NULL)));
    def = ph_default_sim();
    def.tolerance = (double)NAN;
    REFUSES(is_error(ph_sim_create(t.model, &def, &sim, NULL)));
    REFUSES(is_error(ph_sim_step(NULL, t.state, 1e-3, NULL)));
    REFUSES(is_error(ph_sim_step(t.sim, NULL, 1e-3, NULL)));
    REFUSES(is_error(ph_sim_step(t.sim, t.other_state, 1e-3, NULL)));
    REFUSES(is_error(ph_sim_step(t.sim, t.state, 0.0, NULL)));
    REFUSES(is_error(ph_sim_step(t.sim, t.state, (double)NAN, NULL)));
    REFUSES(is_error(ph_sim_step(t.sim, t.state, (double)INFINITY, NULL)));
    ph_mat3 Lambda;
    REFUSES(is_error(ph_sim_multipliers(t.sim, t.state, 1e-3, NULL)));
    REFUSES(is_error(ph_sim_multipliers(NULL, t.state, 1e-3, &Lambda)));
    REFUSES(is_error(ph_sim_multipliers(t.sim, NULL, 1e-3, &Lambda)));
    REFUSES(is_error(ph_sim_multipliers(t.sim, t.other_state, 1e-3, &Lambda)));
    REFUSES(is_error(ph_sim_multipliers(t.sim, t.state, 0.0, &Lambda)));
    REFUSES(is_error(ph_observer_create(NULL, &observer)));
    REFUSES(is_error(ph_observer_create(t.model, NULL)));
    REFUSES(is_error(ph_observer_dynamics(NULL, t.state, NULL, NULL)));
    REFUSES(is_error(ph_observer_dynamics(t.observer, NULL, NULL, NULL)));
    REFUSES(is_error(ph_observer_dynamics(t.observer, t.other_state, NULL, NULL)));
    REFUSES(is_error(ph_observer_stress(t.observer, t.state, NULL)));
    things_free(&t);
}

TEST(runs_and_results)
{
    things t = things_make();
    ph_summary summary;
    ph_result_writer *writer = NULL;
    ph_run_def def = ph_default_run();
    const ph_run_def plain = {.step = 1e-3, .until = 1.0, .every = 1};
    const ph_result_def result = {.path = "/tmp/no.csv", .scheme = "rattlie", .step = 1e-3, .rows = 1}, none = {0};
    REFUSES(is_error(ph_run(NULL, t.state, &def, &summary, NULL)));
    REFUSES(is_error(ph_run(t.model, NULL, &def, &summary, NULL)));
    REFUSES(is_error(ph_run(t.model, t.state, NULL, &summary, NULL)));
    REFUSES(is_error(ph_run(t.model, t.state, &def, NULL, NULL)));
    REFUSES(is_error(ph_run(t.model, t.state, &plain, &summary, NULL)));
    REFUSES(is_error(ph_run(t.model, t.other_state, &def, &summary, NULL)));
    def.step = -1.0;
    REFUSES(is_error(ph_run(t.model, t.state, &def, &summary, NULL)));
    def.step = (double)NAN;
    REFUSES(is_error(ph_run(t.model, t.state, &def, &summary, NULL)));
    def = ph_default_run();
    def.every = 0;
    REFUSES(is_error(ph_run(t.model, t.state, &def, &summary, NULL)));
    def = ph_default_run();
    def.out = "/tmp/no.format";
    REFUSES(is_error(ph_run(t.model, t.state, &def, &summary, NULL)));
    REFUSES(is_error(ph_result_create(NULL, &result, &writer, NULL)));
    REFUSES(is_error(ph_result_create(t.model, NULL, &writer, NULL)));
    REFUSES(is_error(ph_result_create(t.model, &result, NULL, NULL)));
    REFUSES(is_error(ph_result_create(t.model, &none, &writer, NULL)));
    REFUSES(is_error(ph_result_resume(t.model, &result, 2, &writer, NULL)));
    REFUSES(is_error(ph_result_resume(t.model, &result, -1, &writer, NULL)));
    things_free(&t);
}

TEST(analyses)
{
    things t = things_make();
    ph_mode_set *modes = NULL;
    ph_tree *tree = NULL;
    ph_cone_matrix *matrix = NULL;
    ph_comparison *comparison = NULL;
    ph_order_study *study = NULL;
    const ph_statics_def statics = ph_default_statics(), plain_statics = {.tolerance = 1e-9};
    const ph_link_def link = ph_default_link(), plain_link = {.mass = 1.0};
    const ph_compare_def plain_compare = {.step = 1e-3};
    const ph_order_def plain_order = {.reference = NULL};
    const int index[1] = {7};
    const double value[1] = {1.0};
    const ph_vec3 down = {0.0, 0.0, -9.81};
    REFUSES(is_error(ph_statics(NULL, t.state, &statics, NULL, NULL)));
    REFUSES(is_error(ph_statics(t.model, NULL, &statics, NULL, NULL)));
    REFUSES(is_error(ph_statics(t.model, t.state, NULL, NULL, NULL)));
    REFUSES(is_error(ph_statics(t.model, t.state, &plain_statics, NULL, NULL)));
    REFUSES(is_error(ph_statics(t.model, t.other_state, &statics, NULL, NULL)));
    REFUSES(is_error(ph_modes(NULL, t.state, &modes, NULL)));
    REFUSES(is_error(ph_modes(t.model, NULL, &modes, NULL)));
    REFUSES(is_error(ph_modes(t.model, t.state, NULL, NULL)));
    REFUSES(is_error(ph_tree_create(NULL, 1, down, NULL, &tree, NULL)));
    REFUSES(is_error(ph_tree_create(&link, 1, down, NULL, NULL, NULL)));
    REFUSES(is_error(ph_tree_create(&plain_link, 1, down, NULL, &tree, NULL)));
    REFUSES(is_error(ph_tree_from_model(NULL, &tree, NULL, NULL)));
    REFUSES(is_error(ph_cone_matrix_create(3, 1, index, index, value, &matrix, NULL)));
    REFUSES(is_error(ph_cone_matrix_create(-3, 0, index, index, value, &matrix, NULL)));
    REFUSES(is_error(ph_compare(NULL, NULL, &comparison, NULL)));
    REFUSES(is_error(ph_compare(t.model, &plain_compare, &comparison, NULL)));
    REFUSES(is_error(ph_measure_order(NULL, NULL, &study, NULL)));
    REFUSES(is_error(ph_measure_order(t.model, &plain_order, &study, NULL)));
    things_free(&t);
}

TEST(indices_and_names_out_of_range)
{
    things t = things_make();
    static const int indices[] = {-3, -1, 1000000, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 5; i++) {
        const int k = indices[i];
        REFUSES(ph_model_body(t.model, k).name == NULL);
        REFUSES(ph_model_joint(t.model, k).name == NULL);
        REFUSES(ph_model_shape(t.model, k, 0) == NULL);
        REFUSES(ph_model_shape(t.model, 0, k) == NULL);
        REFUSES(!ph_model_row_redundant(t.model, k, NULL, NULL));
        REFUSES(ph_scheme_get(k).name == NULL);
        REFUSES(ph_joint_type(k).name == NULL);
        REFUSES(ph_cone_solver_get(k).name == NULL);
    }
    REFUSES(ph_model_find_body(t.model, NULL) == PH_NONE);
    REFUSES(ph_model_find_body(t.model, "") == PH_NONE);
    REFUSES(ph_model_find_joint(t.model, NULL) == PH_NONE);
    REFUSES(ph_model_find_input(t.model, NULL) == PH_NONE);
    REFUSES(ph_scheme_find(NULL) == PH_NONE);
    REFUSES(ph_cone_solver_find(NULL) == PH_NONE);
    REFUSES(strcmp(ph_status_name((ph_status)99), "PH_UNKNOWN") == 0);
    REFUSES(ph_problems_get(NULL, 0) == NULL);
    REFUSES(ph_problems_count(NULL) == 0);
    REFUSES(ph_suggest(NULL, NULL, 0) == NULL);
    things_free(&t);
}
