// Whole runs: times, rows, measures over all steps, and how a run ends that does not reach its end.

#include "test.h"

#include "folder.h"
#include "model/state.h"
#include "scenes.h"

// ---- One run --------------------------------------------------------------------------------------------------------

typedef struct outcome {
    ph_status status;
    ph_summary summary;
    ph_error error;
} outcome;

static outcome run_from(const ph_model *model, ph_state *state, const ph_run_def *def)
{
    outcome o = {.error.text = ""};
    o.status = ph_run(model, state, def, &o.summary, &o.error);
    return o;
}

static outcome run_once(const ph_run_def *def)
{
    ph_model *model = scene_pendulum();
    ph_state *state = ph_state_create(model);
    const outcome o = run_from(model, state, def);
    ph_state_destroy(state);
    ph_model_destroy(model);
    return o;
}

static ph_run_def run_def(double step, double until)
{
    ph_run_def def = ph_default_run();
    def.step = step;
    def.until = until;
    return def;
}

// ---- Times and rows -------------------------------------------------------------------------------------------------

TEST(number_of_steps)
{
    static const struct {
        double step, until;
        long long steps;
    } cases[] = {
        {0.1, 1.0, 10}, {0.1, 0.3, 3}, {0.3, 1.0, 4}, {0.25, 0.1, 1}, {1e-3, 0.05, 50}, {0.01, 0.0300001, 4},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
        const ph_run_def def = run_def(cases[i].step / 10, cases[i].until / 10);
        const outcome o = run_once(&def);
        CHECK_EQ_INT(o.status, PH_OK);
        CHECK_EQ_INT(o.summary.steps, cases[i].steps);
        CHECK(o.summary.step == cases[i].step / 10);
    }
}

// An end that is no multiple of the step is met exactly, by a shorter last step.
TEST(the_end_is_met)
{
    static const struct {
        double step, until, last; // last 0: as long as the others
    } cases[] = {
        {0.01, 0.03, 0.0}, {0.01, 0.035, 0.005}, {0.03, 0.1, 0.01}, {0.025, 0.01, 0.01}, {1e-3, 0.0500001, 1e-7}};
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); i++) {
        const ph_run_def def = run_def(cases[i].step, cases[i].until);
        const outcome o = run_once(&def);
        CHECK_EQ_INT(o.status, PH_OK);
        CHECK_NEAR(o.summary.time, cases[i].until, 1e-17);
        CHECK_NEAR(o.summary.last_step, cases[i].last, 1e-15);
    }
}

// Steps in between that nobody measures or records are made in one go, and the end is the same to round-off.
TEST(measuring_less_often)
{
    ph_run_def def = run_def(1e-3, 0.2);
    ph_model *model = scene_pendulum();
    ph_state *all = ph_state_create(model), *few = ph_state_create(model);
    const outcome every = run_from(model, all, &def);
    def.measure_every = 7;
    def.every = 30;
    const outcome seventh = run_from(model, few, &def);
    CHECK_EQ_INT(seventh.status, PH_OK);
    CHECK_EQ_INT(seventh.summary.steps, every.summary.steps);
    CHECK(seventh.summary.time == every.summary.time);
    CHECK_NEAR(few->position[2].x, all->position[2].x, 1e-13);
    CHECK(seventh.summary.energy_max_abs_error <= 1.000001 * every.summary.energy_max_abs_error);
    CHECK(seventh.summary.energy_max_abs_error > 0.2 * every.summary.energy_max_abs_error);
    ph_state_destroy(all);
    ph_state_destroy(few);
    ph_model_destroy(model);
}

TEST(settings_come_from_the_model)
{
    ph_run_def def = ph_default_run();
    const outcome o = run_once(&def);
    CHECK_EQ_INT(o.status, PH_OK);
    CHECK_EQ_INT(o.summary.steps, 100);
    CHECK_STR(o.summary.scheme, "rattlie");
}

// Checks that the file holds the rows of these steps of 0.01 s, `count` of them.
static void check_times(const char *path, const int *steps, int count)
{
    char *text = read_text_file(path);
    const char *line = text ? strchr(text, '\n') : NULL;
    for (int i = 0; i < count && CHECK(line != NULL && line[1]); i++) {
        CHECK(strtod(line + 1, NULL) == steps[i] * 0.01);
        line = strchr(line + 1, '\n');
    }
    CHECK(line && line[1] == '\0');
    free(text);
}

TEST(first_and_last_are_recorded)
{
    static const struct {
        int every, count, steps[8];
    } cases[] = {{1, 8, {0, 1, 2, 3, 4, 5, 6, 7}}, {3, 4, {0, 3, 6, 7}}, {7, 2, {0, 7}}, {100, 2, {0, 7}}};
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.csv");
    for (int i = 0; i < 4; i++) {
        ph_run_def def = run_def(0.01, 0.07);
        def.out = path.text;
        def.every = cases[i].every;
        CHECK_EQ_INT(run_once(&def).status, PH_OK);
        check_times(path.text, cases[i].steps, cases[i].count);
    }
    folder_remove(&f);
}

TEST(a_run_in_two_parts_meets_the_same_states)
{
    ph_model *model = scene_pendulum();
    ph_state *whole = ph_state_create(model), *parts = ph_state_create(model);
    ph_run_def def = run_def(1e-3, 0.2);
    CHECK_EQ_INT(run_from(model, whole, &def).status, PH_OK);
    def.until = 0.123;
    CHECK_EQ_INT(run_from(model, parts, &def).status, PH_OK);
    def.until = 0.2;
    const outcome o = run_from(model, parts, &def);
    CHECK_EQ_INT(o.status, PH_OK);
    CHECK_EQ_INT(o.summary.steps, 77);
    CHECK(whole->time == 200 * 1e-3 && parts->time == whole->time);
    CHECK(memcmp(whole->position, parts->position, 3 * sizeof whole->position[0]) == 0);
    CHECK(memcmp(whole->velocity, parts->velocity, 3 * sizeof whole->velocity[0]) == 0);
    ph_state_destroy(whole);
    ph_state_destroy(parts);
    ph_model_destroy(model);
}

TEST(a_start_off_the_time_grid)
{
    ph_model *model = scene_pendulum();
    ph_state *state = ph_state_create(model);
    ph_state_set_time(state, 0.12345);
    const ph_run_def def = run_def(0.01, 0.2);
    const outcome o = run_from(model, state, &def);
    CHECK_EQ_INT(o.summary.steps, 8); // 0.07655 s
    CHECK(o.summary.time == 0.2);
    CHECK_NEAR(o.summary.last_step, 0.00655, 1e-16);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

// ---- Measures -------------------------------------------------------------------------------------------------------

TEST(measures_cover_all_steps)
{
    ph_model *model = scene_chain(2);
    ph_state *state = ph_state_create(model);
    const ph_run_def def = run_def(1e-3, 1.0);
    const outcome o = run_from(model, state, &def);
    CHECK_EQ_INT(o.status, PH_OK);

    ph_state_reset(state);
    ph_observer *observer;
    ph_sim *sim;
    ph_measures start, now;
    double scale = 0.0, error = 0.0, turn = 0.0, position = 0.0, velocity = 0.0;
    long long iterations = 0;
    CHECK_EQ_INT(ph_observer_create(model, &observer), PH_OK);
    CHECK_EQ_INT(ph_sim_create(model, &def.sim, &sim, NULL), PH_OK);
    ph_observer_measure(observer, state, &start);
    for (int k = 1; k <= 1000; k++) {
        ph_step_report report;
        CHECK_EQ_INT(ph_sim_step(sim, state, 1e-3, &report), PH_OK);
        state->time = k * 1e-3;
        ph_observer_measure(observer, state, &now);
        scale = fmax(scale, now.kinetic);
        error = fmax(error, fabs(now.total - start.total));
        turn = fmax(turn, fabs(now.angular.z - start.angular.z));
        position = fmax(position, now.position_violation);
        velocity = fmax(velocity, now.velocity_violation);
        iterations += report.iterations;
    }
    CHECK(o.summary.energy_initial == start.total && o.summary.energy_final == now.total);
    CHECK(o.summary.energy_scale == scale && scale > 10.0);
    CHECK(o.summary.energy_max_abs_error == error && error > 0.0 && error < 1e-3 * scale);
    CHECK(o.summary.has_angular && !o.summary.has_linear);
    CHECK_NEAR(o.summary.angular_max_error, turn, 1e-18);
    CHECK(o.summary.position_violation_max >= position && o.summary.velocity_violation_max >= velocity);
    CHECK_REL(o.summary.iterations_mean, (double)iterations / 1000.0, 1e-15);
    CHECK(o.summary.iterations_max >= o.summary.iterations_mean);
    CHECK(o.summary.wall_s > 0.0);
    ph_sim_destroy(sim);
    ph_observer_destroy(observer);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

TEST(a_free_body_keeps_linear_momentum)
{
    ph_spec *spec = scene_start();
    ph_body_def body = ph_default_body();
    body.name = "body";
    body.mass = 3.0;
    body.inertia = (ph_mat3){{{0.1, 0.0, 0.0}, {0.0, 0.2, 0.0}, {0.0, 0.0, 0.25}}};
    body.velocity = (ph_vec3){1.0, 2.0, 3.0};
    body.angular_velocity = (ph_vec3){0.1, 5.0, 0.2};
    ph_spec_add_body(spec, &body);
    ph_model *model = scene_finish(spec);
    ph_state *state = ph_state_create(model);
    const ph_run_def def = run_def(1e-3, 1.0);
    const outcome o = run_from(model, state, &def);
    CHECK(o.summary.has_linear && o.summary.has_angular);
    CHECK(o.summary.linear_max_error < 1e-12); // along x and y; that along z grows by 29 kg m/s
    CHECK(o.summary.angular_max_error < 1e-11);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

// ---- Ends that are not the end --------------------------------------------------------------------------------------

typedef struct stopper {
    int calls, last_call;
    ph_progress last;
} stopper;

static bool stop_after(const ph_progress *progress, void *user)
{
    stopper *s = user;
    s->calls++;
    s->last = *progress;
    return s->calls < s->last_call;
}

TEST(progress_may_stop_a_run)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.csv");
    stopper s = {.last_call = 2};
    ph_run_def def = run_def(0.01, 1e6);
    def.every = 1 << 30;
    def.out = path.text;
    def.progress = stop_after;
    def.user = &s;
    const outcome o = run_once(&def);
    CHECK_EQ_INT(o.status, PH_INTERRUPTED);
    CHECK_EQ_INT(o.error.status, PH_INTERRUPTED);
    CHECK_EQ_INT(s.calls, 2);
    CHECK_EQ_INT(s.last.steps, 100000000);
    CHECK_EQ_INT(o.summary.steps, s.last.step);
    CHECK(s.last.until == 1e6 && s.last.wall_s > 0.05 && s.last.wall_s < 5.0);
    CHECK(o.summary.time == s.last.time && s.last.time == 0.01 * (double)s.last.step);
    check_times(path.text, (const int[]){0, (int)o.summary.steps}, 2); // the first and the last
    folder_remove(&f);
}

TEST(progress_is_rare)
{
    stopper s = {.last_call = 1 << 30};
    ph_run_def def = run_def(1e-3, 20.0);
    def.progress = stop_after;
    def.user = &s;
    const outcome o = run_once(&def);
    CHECK_EQ_INT(o.status, PH_OK);
    CHECK(s.calls >= 1 && s.calls <= 2 + (int)(10.0 * o.summary.wall_s));
}

TEST(a_step_that_fails_is_reported_and_recorded)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.csv");
    ph_run_def def = run_def(3.0, 300.0); // far beyond what the motion allows
    def.out = path.text;
    const outcome o = run_once(&def);
    CHECK(o.status == PH_NO_CONVERGENCE || o.status == PH_SINGULAR || o.status == PH_NOT_FINITE);
    CHECK_EQ_INT(o.error.status, o.status);
    CHECK(strstr(o.error.text, "t = ") != NULL);
    CHECK(o.summary.steps < 100);
    char *text = read_text_file(path.text);
    CHECK(text && strstr(text, "\n0,") != NULL && text[strlen(text) - 1] == '\n');
    free(text);
    folder_remove(&f);
}

static void check_refused(const ph_run_def *def, ph_status status, const char *part)
{
    const outcome o = run_once(def);
    CHECK_EQ_INT(o.status, status);
    CHECK_EQ_INT(o.summary.steps, 0);
    if (!CHECK(strstr(o.error.text, part) != NULL)) {
        printf("  %s\n", o.error.text);
    }
}

TEST(bad_settings_touch_no_file)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "a.csv"), nowhere = folder_file(&f, "b/a.csv");
    ph_run_def def = run_def(-1.0, 1.0);
    def.out = path.text;
    check_refused(&def, PH_BAD_ARGUMENT, "the step is -1");
    def = run_def((double)NAN, 1.0);
    def.out = path.text;
    check_refused(&def, PH_BAD_ARGUMENT, "the step is nan");
    def = run_def(1.0, (double)INFINITY);
    check_refused(&def, PH_BAD_ARGUMENT, "the end time is inf");
    def = run_def(1e-300, 1e300);
    check_refused(&def, PH_BAD_ARGUMENT, "too many");
    def = run_def(0.1, 1.0);
    def.out = path.text;
    def.every = 0;
    check_refused(&def, PH_BAD_ARGUMENT, "every");
    def.every = 1;
    def.sim.scheme = "ratlie";
    check_refused(&def, PH_NOT_FOUND, "rattlie");
    def.sim.scheme = NULL;
    def.cookie = 0;
    check_refused(&def, PH_BAD_ARGUMENT, "ph_default_run");
    def = run_def(0.1, 1.0);
    def.out = nowhere.text;
    check_refused(&def, PH_IO, "there is no folder");
    CHECK_EQ_INT(folder_count(&f), 0);
    folder_remove(&f);
}

TEST(a_model_without_run_settings_needs_them)
{
    ph_spec *spec = scene_start();
    ph_spec_set_run(spec, &(ph_run_settings){.scheme = "rattlie"});
    scene_body(spec, "a", (ph_vec3){0.0, 0.0, 0.0});
    ph_model *model = scene_finish(spec);
    ph_state *state = ph_state_create(model);
    ph_run_def def = run_def(0.0, 1.0);
    CHECK(strstr(run_from(model, state, &def).error.text, "no step is given") != NULL);
    def = run_def(0.1, 0.0);
    CHECK(strstr(run_from(model, state, &def).error.text, "no end time is given") != NULL);
    ph_state_destroy(state);
    ph_model_destroy(model);
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

// Gives memory `left` times, then none.
static void *allocate_some(size_t bytes, void *user)
{
    int *left = user;
    return (*left)-- > 0 ? malloc(bytes) : NULL;
}

static void release(void *block, void *user)
{
    (void)user;
    free(block);
}

TEST(every_allocation_may_fail)
{
    static const char *const names[] = {"a.csv", "a.h5"};
    const folder f = folder_make();
    for (int i = 0; i < 2; i++) {
        const file_path path = folder_file(&f, names[i]);
        ph_model *model = scene_pendulum();
        ph_state *state = ph_state_create(model);
        const ph_allocator before = model->allocator;
        ph_run_def def = run_def(1e-3, 1e-2);
        def.out = path.text;
        ph_status status = PH_OUT_OF_MEMORY;
        int allowed = 0;
        for (; status == PH_OUT_OF_MEMORY && allowed < 1000; allowed++) {
            int left = allowed;
            model->allocator = (ph_allocator){allocate_some, release, &left};
            ph_state_reset(state);
            const outcome o = run_from(model, state, &def);
            status = o.status;
            CHECK(status != PH_OUT_OF_MEMORY || o.error.status == PH_OUT_OF_MEMORY);
        }
        model->allocator = before;
        ph_state_destroy(state);
        ph_model_destroy(model);
        CHECK(status == PH_OK || status == PH_NOT_SUPPORTED);
        CHECK(allowed > 5 && allowed < 1000);
    }
    folder_remove(&f);
}
