// The laboratory: sample times, references, orders, histories, and trials that fail.

#include "test.h"

#include "lab/lab.h"
#include "polhode/polhode.h"
#include "scenes.h"

// The spatial double pendulum of Huang et al. 2022 (Table 1, with gravity 9.81 along -z).
static ph_model *double_pendulum(void)
{
    ph_spec *spec = scene_start();
    ph_body_def rod = ph_default_body();
    rod.name = "rod1";
    rod.mass = 61.6538;
    rod.inertia = (ph_mat3){{{5.1763, 0, 0}, {0, 0.0771, 0}, {0, 0, 5.1763}}};
    rod.position = (ph_vec3){0, 0.5, 0};
    const int first = ph_spec_add_body(spec, &rod);
    rod.name = "rod2";
    rod.position = (ph_vec3){-0.5, 1, 0};
    rod.orientation = (ph_quat){sqrt(0.5), 0, 0, sqrt(0.5)};
    const int second = ph_spec_add_body(spec, &rod);
    scene_ball(spec, "O", PH_WORLD, first, (ph_vec3){0, 0, 0});
    scene_ball(spec, "A", first, second, (ph_vec3){0, 1, 0});
    return scene_finish(spec);
}

static const double QUARTERS[] = {0.5, 1.0, 2.0};

// ---- Names and times ------------------------------------------------------------------------------------------------

TEST(trials_are_read)
{
    arena *memory = arena_create(NULL);
    trial_name t;
    CHECK_EQ_INT(trial_read(memory, "rattlie", &t, NULL), PH_OK);
    CHECK_STR(t.scheme, "rattlie");
    CHECK(t.step == 0.0 && t.index == ph_scheme_find("rattlie"));
    CHECK_EQ_INT(trial_read(memory, "rattlie:a=1,b=2@2.5e-3", &t, NULL), PH_OK);
    CHECK_STR(t.scheme, "rattlie:a=1,b=2");
    CHECK(t.step == 2.5e-3 && t.index == ph_scheme_find("rattlie"));
    CHECK_EQ_INT(trial_read(memory, "nothing", &t, NULL), PH_OK);
    CHECK_EQ_INT(t.index, PH_NONE);
    static const char *const wrong[] = {"",           "@1e-3",     "rattlie@",    "rattlie@x",  "rattlie@1e-3s",
                                        "rattlie@-1", "rattlie@0", "rattlie@inf", "rattlie@nan"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_EQ_INT(trial_read(memory, wrong[i], &t, NULL), PH_BAD_ARGUMENT);
    arena_destroy(memory);
}

TEST(sample_times_are_multiples)
{
    CHECK_EQ_INT(steps_to(50.0, 1e-3), 50000);
    CHECK_EQ_INT(steps_to(0.3, 0.1), 3); // 0.1 * 3 is not 0.3 in binary
    CHECK_EQ_INT(steps_to(1.0, 1.0 / 3.0), 3);
    CHECK_EQ_INT(steps_to(1.0, 0.3), 0);
    CHECK_EQ_INT(steps_to(1.0, 0.3333333), 0);
    CHECK_EQ_INT(steps_to(1e-3, 2e-3), 0);
    CHECK_NEAR(common_multiple((double[]){4e-3, 2e-3, 1e-3}, 3), 4e-3, 1e-15);
    CHECK_NEAR(common_multiple((double[]){2e-3, 3e-3}, 2), 6e-3, 1e-15);
    CHECK_NEAR(common_multiple((double[]){0.1, 0.25, 1.0 / 3.0}, 3), 1.0, 1e-12);
    CHECK(common_multiple((double[]){1e-3, 1e-3 * sqrt(2.0)}, 2) == 0.0);
}

// ---- The reference --------------------------------------------------------------------------------------------------

// Centre of the second rod and its angular velocity, computed by two independent formulations that agree to 3e-12.
static const double CENTRE[3][3] = {{-0.38349029669, 0.69452277377, -1.15254631624},
                                    {0.37953976268, -1.13528321023, -0.74567596438},
                                    {-0.11581561923, 0.38656437589, -0.99905601577}};
static const double OMEGA[3][2] = {
    {-7.76261558618, -6.41265741878}, {2.99912846225, -5.86178453166}, {-7.23487955676, -4.19241951630}}; // x, z

static void check_truth(const ph_comparison *c)
{
    const ph_history *h = &c->reference_history;
    int met = 0;
    for (int i = 0; i < h->count; i++)
        for (int k = 0; k < 3; k++) {
            if (fabs(h->time[i] - QUARTERS[k]) > 1e-9) continue;
            met++;
            CHECK_NEAR(h->position[i].x, CENTRE[k][0], 2e-11);
            CHECK_NEAR(h->position[i].y, CENTRE[k][1], 2e-11);
            CHECK_NEAR(h->position[i].z, CENTRE[k][2], 2e-11);
            CHECK_NEAR(h->angular_velocity[i].x, OMEGA[k][0], 2e-10);
            CHECK_NEAR(h->angular_velocity[i].y, 0.0, 2e-10);
            CHECK_NEAR(h->angular_velocity[i].z, OMEGA[k][1], 2e-10);
        }
    CHECK_EQ_INT(met, 3);
}

TEST(the_chosen_reference_is_the_true_motion)
{
    static const char *const trials[] = {"rattlie"};
    ph_model *model = double_pendulum();
    ph_compare_def def = ph_default_compare();
    def.trials = trials;
    def.trial_count = 1;
    def.step = 1e-3;
    def.until = 2.0;
    def.samples = 100;
    ph_comparison *c = NULL;
    ph_error error;
    if (CHECK_EQ_INT(ph_compare(model, &def, &c, &error), PH_OK)) {
        check_truth(c);
        CHECK(c->reference.uncertainty.of[PH_POSITION] < 1e-9);
        CHECK_STR(c->body, "rod2");
    }
    ph_comparison_destroy(c);
    ph_model_destroy(model);
}

// A free body has a closed form, which is preferred: nothing is extrapolated.
TEST(the_exact_motion_is_the_reference_where_it_is_known)
{
    static const char *const trials[] = {"rattlie"};
    ph_spec *spec = scene_start();
    ph_body_def stone = ph_default_body();
    stone.name = "stone";
    stone.mass = 1.0;
    stone.inertia = (ph_mat3){{{1, 0, 0}, {0, 2, 0}, {0, 0, 2.5}}};
    stone.angular_velocity = (ph_vec3){1, 2, 3};
    stone.velocity = (ph_vec3){1, 0, 2};
    ph_spec_add_body(spec, &stone);
    ph_model *model = scene_finish(spec);
    ph_compare_def def = ph_default_compare();
    def.trials = trials;
    def.trial_count = 1;
    ph_comparison *c = NULL;
    if (CHECK_EQ_INT(ph_compare(model, &def, &c, NULL), PH_OK)) {
        CHECK_STR(c->reference.scheme, "exact");
        CHECK_EQ_INT(c->reference.runs, 1);
        CHECK(c->trials[0].error.of[PH_ORIENTATION] > 1e-9 && c->trials[0].error.of[PH_ORIENTATION] < 1e-5);
        const ph_history *h = &c->reference_history;
        const double t = h->time[h->count - 1];
        CHECK_NEAR(h->position[h->count - 1].z, 2.0 * t - 0.5 * 9.81 * t * t, 1e-14); // it falls as stones do
    }
    ph_comparison_destroy(c);
    ph_model_destroy(model);
}

// Extrapolation alone: second-order runs at 1 ms reach what takes steps of a few microseconds without it.
TEST(extrapolation_of_a_second_order_scheme)
{
    ph_model *model = double_pendulum();
    arena *memory = arena_create(NULL);
    lab l = {.model = model, .sim = ph_default_sim(), .times = QUARTERS, .samples = 3, .measured = PH_NONE};
    track truth, own;
    ph_reference_info info;
    CHECK_EQ_INT(lab_reference(&l, memory, NULL, 1e-3, 3, &truth, &info, NULL), PH_OK);
    CHECK_EQ_INT(lab_reference(&l, memory, "rattlie@1e-3", 0, 0, &own, &info, NULL), PH_OK);
    CHECK_EQ_INT(info.runs, 1);
    CHECK(isnan(info.uncertainty.of[PH_POSITION]));
    const ph_motion_error e = track_difference(&own, &truth, PH_NONE);
    // The second rod's centre is off by 3.98e-5 in one component (an independent program).
    CHECK(e.of[PH_POSITION] > 3.9e-5 && e.of[PH_POSITION] < 4.2e-5);
    CHECK_EQ_INT(lab_reference(&l, memory, "rattlie", 0, 0, &own, &info, NULL), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(lab_reference(&l, memory, "rattlie@0.3", 0, 0, &own, &info, NULL), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(lab_reference(&l, memory, "nothing@0.1", 0, 0, &own, &info, NULL), PH_NOT_FOUND);
    arena_destroy(memory);
    ph_model_destroy(model);
}

// ---- Orders ---------------------------------------------------------------------------------------------------------

static ph_order_study *study(const ph_model *model, const char *const *trials, int count, const double *steps,
                             int steps_count)
{
    ph_order_def def = ph_default_order();
    def.trials = trials;
    def.trial_count = count;
    def.steps = steps;
    def.step_count = steps_count;
    def.times = QUARTERS;
    def.time_count = 3;
    def.body = ph_model_find_body(model, "rod2");
    ph_order_study *s = NULL;
    ph_error error = {.text = ""};
    if (ph_measure_order(model, &def, &s, &error) != PH_OK) printf("  %s\n", error.text);
    return s;
}

TEST(second_order_is_measured)
{
    static const char *const trials[] = {"rattlie", "DH"};
    static const double steps[] = {5e-4, 2e-3, 1e-3}; // in any order
    ph_model *model = double_pendulum();
    ph_order_study *s = study(model, trials, 2, steps, 3);
    if (CHECK(s != NULL)) {
        // Largest component of the error of the second rod's centre at 1 ms and t = 0.5, 1, 2, from an independent
        // program: 3.98e-5 (RATTLie), 5.77e-5 (DH). The other components add a few per cent to its length.
        CHECK_REL(s->rows[0].points[1].error.of[PH_POSITION], 1.02 * 3.98e-5, 0.02);
        CHECK_REL(s->rows[1].points[1].error.of[PH_POSITION], 1.02 * 5.77e-5, 0.02);
        for (int i = 0; i < 2; i++)
            for (int q = 0; q < PH_QUANTITIES; q++) {
                const ph_order_fit *fit = &s->rows[i].fits[q];
                CHECK_NEAR(fit->slope, 2.0, 0.03);
                CHECK_NEAR(fit->orders[0], 2.0, 0.03);
                CHECK_NEAR(fit->orders[1], 2.0, 0.03);
                CHECK_EQ_INT(fit->used, 2);
            }
        CHECK(s->steps[0] == 2e-3 && s->steps[2] == 5e-4);
        CHECK_EQ_INT(s->rows[0].points[0].steps, 1000);
        CHECK(s->rows[0].points[0].cpu_s > 0.0);
        CHECK_STR(s->body, "rod2");
    }
    ph_order_study_destroy(s);
    ph_model_destroy(model);
}

TEST(pairs_of_rounding_are_dropped_and_counted)
{
    static const char *const trials[] = {"rattlie6"};
    static const double steps[] = {1e-2, 5e-3, 2.5e-3, 1.25e-3};
    static const double times[] = {1.0, 2.0};
    ph_model *model = double_pendulum();
    ph_order_def def = ph_default_order();
    def.trials = trials;
    def.trial_count = 1;
    def.steps = steps;
    def.step_count = 4;
    def.times = times;
    def.time_count = 2;
    def.round_off = 1e-11;
    ph_order_study *s = NULL;
    if (CHECK_EQ_INT(ph_measure_order(model, &def, &s, NULL), PH_OK)) {
        const ph_order_fit *fit = &s->rows[0].fits[PH_POSITION];
        CHECK(s->floor[PH_POSITION] >= 1e-11);
        CHECK(s->rows[0].points[3].error.of[PH_POSITION] < 1e-11); // at most 1e-8 / 8^6
        CHECK(isnan(fit->orders[2]));
        CHECK(fit->dropped >= 1);
        CHECK_EQ_INT(fit->used + fit->dropped, 3);
        CHECK(fit->slope > 5.8 && fit->slope < 6.3);
    }
    ph_order_study_destroy(s);
    ph_model_destroy(model);
}

static void check_order_refused(const ph_model *model, const double *steps, int step_count, const double *times,
                                int time_count, const char *part)
{
    static const char *const trials[] = {"rattlie"};
    ph_order_def def = ph_default_order();
    def.trials = trials;
    def.trial_count = 1;
    def.steps = steps;
    def.step_count = step_count;
    def.times = times;
    def.time_count = time_count;
    ph_order_study *s = NULL;
    ph_error error = {.text = ""};
    CHECK_EQ_INT(ph_measure_order(model, &def, &s, &error), PH_BAD_ARGUMENT);
    CHECK(strstr(error.text, part) != NULL);
    CHECK(s == NULL);
}

TEST(order_studies_that_make_no_sense_are_refused)
{
    ph_model *model = double_pendulum();
    check_order_refused(model, (double[]){1e-3}, 1, NULL, 0, "two steps");
    check_order_refused(model, (double[]){1e-3, 1e-3}, 2, NULL, 0, "twice");
    check_order_refused(model, (double[]){1e-3, -1e-3}, 2, NULL, 0, "positive");
    check_order_refused(model, (double[]){1e-3, (double)NAN}, 2, NULL, 0, "positive");
    check_order_refused(model, (double[]){1e-3, 7.1e-4 * sqrt(2.0)}, 2, NULL, 0, "common multiple");
    check_order_refused(model, (double[]){2e-3, 1e-3}, 2, (double[]){0.1, 0.0015}, 2, "no multiple");
    ph_model_destroy(model);
}

TEST(chosen_sample_times_suit_every_step)
{
    static const char *const trials[] = {"rattlie", "nothing", "rattlie@1e-3"};
    static const double steps[] = {2e-3, 3e-3};
    ph_model *model = double_pendulum(); // until 0.1 s
    ph_order_def def = ph_default_order();
    def.trials = trials;
    def.trial_count = 3;
    def.steps = steps;
    def.step_count = 2;
    ph_order_study *s = NULL;
    if (CHECK_EQ_INT(ph_measure_order(model, &def, &s, NULL), PH_OK)) {
        CHECK_EQ_INT(s->time_count, 2);
        CHECK_NEAR(s->times[0], 0.048, 1e-12);
        CHECK_NEAR(s->times[1], 0.096, 1e-12);
        CHECK_EQ_INT(s->failed, 2);
        CHECK_EQ_INT(s->rows[0].failed, 0);
        CHECK_EQ_INT(s->rows[1].failed, 2);
        CHECK(strstr(s->rows[1].points[0].message, "nothing") != NULL);
        CHECK_EQ_INT(s->rows[2].points[1].status, PH_BAD_ARGUMENT);
        CHECK(isnan(s->rows[1].fits[PH_POSITION].slope));
    }
    ph_order_study_destroy(s);
    ph_model_destroy(model);
}

// ---- Comparisons ----------------------------------------------------------------------------------------------------

static double largest(const double *values, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(values[i]));
    return most;
}

TEST(histories_hold_the_extremes_of_all_steps)
{
    static const char *const trials[] = {"rattlie", "nothing", "rattlie@2e-3", "lgvi:none=1"};
    ph_model *model = double_pendulum();
    ph_compare_def def = ph_default_compare();
    def.trials = trials;
    def.trial_count = 4;
    def.step = 1e-3;
    def.until = 1.0035; // no multiple of the common step
    def.samples = 50;
    ph_comparison *c = NULL;
    if (!CHECK_EQ_INT(ph_compare(model, &def, &c, NULL), PH_OK)) return;
    CHECK_EQ_INT(c->trial_count, 4);
    CHECK_EQ_INT(c->failed, 2);
    CHECK_EQ_INT(c->trials[1].status, PH_NOT_FOUND);
    CHECK(c->trials[1].message && c->trials[3].message && !c->trials[0].message);
    CHECK(isnan(c->trials[1].error.of[PH_POSITION]));
    for (int i = 0; i < 4; i += 2) {
        const ph_trial *t = &c->trials[i];
        const ph_history *h = &t->history;
        CHECK(h->count <= 52 && h->count > 45);
        CHECK_NEAR(h->time[h->count - 1], t->summary.time, 1e-12);
        CHECK_NEAR(h->time[1], c->trials[0].history.time[1], 1e-12);
        CHECK_NEAR(h->time[1], c->reference_history.time[1], 1e-12);
        const double low = largest(h->energy_low, h->count), high = largest(h->energy_high, h->count);
        CHECK(fmax(low, high) == t->summary.energy_max_abs_error);
        CHECK(largest(h->angular_max, h->count) == t->summary.angular_max_error);
        CHECK(largest(h->orthogonality_max, h->count) == t->summary.orthogonality_max);
        CHECK(largest(h->position_violation_max, h->count) == t->summary.position_violation_max);
        CHECK(largest(h->velocity_violation_max, h->count) == t->summary.velocity_violation_max);
        CHECK(t->step_s > 0.0);
    }
    CHECK_REL(c->trials[2].error.of[PH_POSITION], 4.0 * c->trials[0].error.of[PH_POSITION], 0.05); // second order
    ph_comparison_destroy(c);
    ph_model_destroy(model);
}

// Schemes with contact; no joint and no conserved momentum, so that neither has a figure.
TEST(contacts_have_a_figure_and_extremes)
{
    static const char *const trials[] = {"moreau", "rattlie-ns"};
    ph_model *model = NULL;
    if (!CHECK_EQ_INT(ph_model_read_file(TEST_SOURCE_DIR "/examples/contact/bowl.yaml", NULL, 0, NULL, &model), PH_OK))
        return;
    ph_compare_def def = ph_default_compare();
    def.trials = trials;
    def.trial_count = 2;
    def.until = 0.5;
    def.samples = 20;
    ph_comparison *c = NULL;
    if (!CHECK_EQ_INT(ph_compare(model, &def, &c, NULL), PH_OK)) return;
    for (int i = 0; i < 2; i++) {
        const ph_history *h = &c->trials[i].history;
        CHECK(c->trials[i].summary.contacts_max == 1);
        CHECK(largest(h->penetration_max, h->count) == c->trials[i].summary.penetration_max);
        CHECK(largest(h->contact_residual_max, h->count) == c->trials[i].summary.contact_residual_max);
    }
    CHECK(c->trials[0].summary.penetration_max > 1e6 * c->trials[1].summary.penetration_max);
    for (int k = 0; k < PH_COMPARISON_FIGURES; k++) {
        ph_plot *plot = ph_comparison_plot(c, (ph_comparison_figure)k);
        CHECK(!plot == (k == PH_FIGURE_VIOLATION || k == PH_FIGURE_MOMENTUM));
        ph_plot_destroy(plot);
    }
    ph_comparison_destroy(c);
    ph_model_destroy(model);
}

TEST(every_figure_is_drawn)
{
    static const char *const trials[] = {"rattlie", "lgvi", "nothing"};
    static const double steps[] = {4e-3, 2e-3};
    ph_model *model = double_pendulum();
    ph_compare_def def = ph_default_compare();
    def.trials = trials;
    def.trial_count = 3;
    ph_comparison *c = NULL;
    CHECK_EQ_INT(ph_compare(model, &def, &c, NULL), PH_OK);
    for (int i = 0; i < PH_COMPARISON_FIGURES; i++) {
        ph_plot *plot = ph_comparison_plot(c, (ph_comparison_figure)i);
        const bool shows = plot && ph_plot_text(plot, NULL) && strstr(ph_plot_text(plot, NULL), "rattlie");
        CHECK(i == PH_FIGURE_CONTACT ? !plot : shows); // the pendulum has no contacts
        ph_plot_destroy(plot);
    }
    ph_comparison_destroy(c);
    ph_order_study *s = study(model, trials, 3, steps, 2);
    for (int i = 0; i < PH_ORDER_FIGURES; i++) {
        ph_plot *plot = ph_order_study_plot(s, (ph_order_figure)i);
        CHECK(plot && ph_plot_text(plot, NULL) && strstr(ph_plot_text(plot, NULL), "rattlie"));
        ph_plot_destroy(plot);
    }
    ph_order_study_destroy(s);
    ph_model_destroy(model);
}

TEST(comparisons_without_reference)
{
    static const char *const trials[] = {"rattlie"};
    ph_model *model = double_pendulum();
    ph_compare_def def = ph_default_compare();
    ph_comparison *c = NULL;
    ph_error error;
    def.trials = trials;
    def.trial_count = 1;
    def.reference = "none";
    if (CHECK_EQ_INT(ph_compare(model, &def, &c, &error), PH_OK)) {
        CHECK(!c->reference.scheme && !c->reference.message && isnan(c->trials[0].error.of[PH_POSITION]));
        CHECK_EQ_INT(c->reference_history.count, 0);
        CHECK_EQ_INT(c->failed, 0);
    }
    ph_comparison_destroy(c);
    def.reference = "nothing@1e-3"; // fails; the trials go on
    if (CHECK_EQ_INT(ph_compare(model, &def, &c, &error), PH_OK)) {
        CHECK(!c->reference.scheme && c->reference.message && c->trials[0].status == PH_OK);
    }
    ph_comparison_destroy(c);
    def.step = 1.0;
    CHECK_EQ_INT(ph_compare(model, &def, &c, &error), PH_BAD_ARGUMENT); // longer than the run
    def.trial_count = 0;
    CHECK_EQ_INT(ph_compare(model, &def, &c, &error), PH_BAD_ARGUMENT);
    def.cookie = 0;
    CHECK_EQ_INT(ph_compare(model, &def, &c, &error), PH_BAD_ARGUMENT);
    CHECK(c == NULL);
    ph_model_destroy(model);
}

static bool stop(const ph_lab_progress *progress, void *user)
{
    (void)user;
    return progress->run < 1; // in the second run
}

TEST(an_interrupted_comparison_keeps_what_was_done)
{
    static const char *const trials[] = {"rattlie@0.05", "rattlie@1e-5", "lgvi"};
    ph_model *model = double_pendulum();
    ph_compare_def def = ph_default_compare();
    ph_comparison *c = NULL;
    ph_error error;
    def.trials = trials;
    def.trial_count = 3;
    def.reference = "none";
    def.step = 0.05;
    def.until = 1000.0; // the second would take minutes
    def.samples = 10;
    def.progress = stop;
    if (CHECK_EQ_INT(ph_compare(model, &def, &c, &error), PH_INTERRUPTED) && CHECK(c != NULL)) {
        CHECK_EQ_INT(c->trial_count, 2);
        CHECK_EQ_INT(c->trials[1].status, PH_INTERRUPTED);
        CHECK(c->trials[1].summary.steps > 0);
    }
    ph_comparison_destroy(c);
    ph_model_destroy(model);
}
