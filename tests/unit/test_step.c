// What every scheme promises of a step: a copy of a state continues to the same bits, a failed step changes not one byte
// of the state and says what went wrong, misuse is refused.

#include "rig.h"

#include "model/state.h"
#include "scenes.h"

static ph_model *make_model(void)
{
    return scene_driven(2.0, PH_MOTOR_TORQUE, "u*cos(3*t)");
}

// A ring of four bars, with redundant rows.
static ph_model *make_ring(void)
{
    ph_spec *spec = scene_start();
    const ph_vec3 x = {1.0, 0.0, 0.0};
    const int left = scene_body(spec, "left", (ph_vec3){0.0, 0.0, 0.5});
    const int top = scene_body(spec, "top", (ph_vec3){0.0, 0.5, 1.0});
    const int right = scene_body(spec, "right", (ph_vec3){0.0, 1.0, 0.5});
    scene_axial(spec, "A", "revolute", PH_WORLD, left, (ph_vec3){0.0, 0.0, 0.0}, x);
    scene_axial(spec, "B", "revolute", left, top, (ph_vec3){0.0, 0.0, 1.0}, x);
    scene_axial(spec, "C", "revolute", top, right, (ph_vec3){0.0, 1.0, 1.0}, x);
    scene_axial(spec, "D", "revolute", PH_WORLD, right, (ph_vec3){0.0, 1.0, 0.0}, x);
    ph_force_def push = ph_default_force();
    push.type = "wrench";
    push.body_b = top;
    push.at_com = true;
    push.force[1] = (ph_value){5.0, NULL};
    ph_spec_add_force(spec, &push);
    return scene_finish(spec);
}

typedef ph_model *(*maker)(void);
static const maker makers[] = {make_model, make_ring};
enum { MAKERS = sizeof makers / sizeof *makers };

// Schemes for special models say so.
static bool takes_models(const char *scheme)
{
    ph_model *model = make_model();
    ph_sim *sim = NULL;
    ph_sim_def def = ph_default_sim();
    def.scheme = scheme;
    const ph_status status = ph_sim_create(model, &def, &sim, NULL);
    CHECK(status == PH_OK || status == PH_NOT_SUPPORTED);
    ph_sim_destroy(sim);
    ph_model_destroy(model);
    return status == PH_OK;
}

// The name of the next scheme that takes any model, NULL after the last; *index starts at 0.
static const char *next_scheme(int *index)
{
    while (*index < ph_scheme_count()) {
        const char *name = ph_scheme_get((*index)++).name;
        if (takes_models(name)) {
            return name;
        }
    }
    return NULL;
}

// ---- Copies ---------------------------------------------------------------------------------------------------------

static bool same_motion(const ph_state *a, const ph_state *b)
{
    const size_t bodies = (size_t)a->model->body_count, rows = (size_t)a->model->row_count;
    return a->time == b->time && a->work == b->work &&
           memcmp(a->position, b->position, bodies * sizeof *a->position) == 0 &&
           memcmp(a->orientation, b->orientation, bodies * sizeof *a->orientation) == 0 &&
           memcmp(a->velocity, b->velocity, bodies * sizeof *a->velocity) == 0 &&
           memcmp(a->angular_velocity, b->angular_velocity, bodies * sizeof *a->angular_velocity) == 0 &&
           memcmp(a->multipliers, b->multipliers, rows * sizeof *a->multipliers) == 0;
}

static void check_copy(maker make, const char *scheme)
{
    rig a = rig_open(make(), scheme);
    rig_step(&a, 1e-3, 137);
    ph_sim *fresh = NULL; // knows nothing of the steps before
    ph_sim_def def = ph_default_sim();
    def.scheme = scheme;
    CHECK_EQ_INT(ph_sim_create(a.model, &def, &fresh, NULL), PH_OK);
    ph_state *copy = ph_state_create(a.model);
    CHECK_EQ_INT(ph_state_copy(copy, a.state), PH_OK);
    rig_step(&a, 1e-3, 200);
    for (int k = 0; k < 200; k++) {
        CHECK_EQ_INT(ph_sim_step(fresh, copy, 1e-3, NULL), PH_OK);
    }
    if (!CHECK(same_motion(a.state, copy))) {
        printf("  %s\n", scheme);
    }
    ph_state_destroy(copy);
    ph_sim_destroy(fresh);
    rig_close(&a);
}

TEST(a_state_copied_in_the_middle_of_a_run_continues_bit_for_bit)
{
    for (int m = 0; m < MAKERS; m++) {
        int index = 0;
        for (const char *scheme; (scheme = next_scheme(&index));) {
            check_copy(makers[m], scheme);
        }
    }
}

TEST(a_reset_state_repeats_the_run_bit_for_bit)
{
    int index = 0;
    for (const char *scheme; (scheme = next_scheme(&index));) {
        rig r = rig_open(make_model(), scheme);
        ph_state *first = ph_state_create(r.model);
        rig_step(&r, 2e-3, 100);
        ph_state_copy(first, r.state);
        ph_state_reset(r.state);
        rig_step(&r, 2e-3, 100);
        CHECK(same_motion(r.state, first));
        ph_state_destroy(first);
        rig_close(&r);
    }
}

TEST(an_edited_state_starts_anew)
{
    int index = 0;
    for (const char *scheme; (scheme = next_scheme(&index));) {
        rig a = rig_open(make_model(), scheme), b = rig_open(make_model(), scheme);
        rig_step(&a, 1e-3, 50); // then as if nothing had been
        for (int k = 0; k < 2; k++) {
            ph_state_positions(a.state)[k] = rig_position(&b, k);
            ph_state_orientations(a.state)[k] = ph_state_orientations(b.state)[k];
            ph_state_velocities(a.state)[k] = ph_state_velocities(b.state)[k];
            ph_state_angular_velocities(a.state)[k] = ph_state_angular_velocities(b.state)[k];
        }
        ph_state_set_time(a.state, 0.0);
        ph_state_touch(a.state);
        rig_step(&a, 1e-3, 50);
        rig_step(&b, 1e-3, 50);
        CHECK(rig_distance(rig_position(&a, 1), rig_position(&b, 1)) < 1e-12); // another first guess, the same solution
        CHECK(rig_distance(ph_state_angular_velocities(a.state)[1], ph_state_angular_velocities(b.state)[1]) < 1e-10);
        rig_close(&a);
        rig_close(&b);
    }
}

// ---- Failures -------------------------------------------------------------------------------------------------------

// Steps of absurd length until one fails; the bytes before and after it must be the same. Returns whether one failed.
static bool check_failure(rig *r, const char *scheme, ph_step_report *report)
{
    ph_state *probe = ph_state_create(r->model);
    unsigned char *before = malloc(probe->bytes);
    bool failed = false;
    const double first =
        strcmp(scheme, "dop853") == 0 ? 1e200 : 0.5; // it takes steps of its own: a long one is only slow
    for (double h = first; h < 1e250 && !failed; h *= 7.3) {
        ph_state_copy(probe, r->state);
        memcpy(before, probe, probe->bytes);
        failed = ph_sim_step(r->sim, probe, h, report) != PH_OK;
        if (failed && !CHECK(memcmp(before, probe, probe->bytes) == 0)) {
            printf("  %s, step %g\n", scheme, h);
        }
        CHECK(!failed || report->step == h);
    }
    free(before);
    ph_state_destroy(probe);
    return failed;
}

TEST(a_failed_step_leaves_every_byte_of_the_state)
{
    int index = 0;
    for (const char *scheme; (scheme = next_scheme(&index));) {
        ph_step_report report;
        rig r = rig_open(make_model(), scheme);
        CHECK(check_failure(&r, scheme, &report)); // at the start ...
        rig_step(&r, 1e-3, 20);
        CHECK(check_failure(&r, scheme, &report)); // ... on the way ...
        rig_close(&r);
        r = rig_open(make_model(), "rattlie");
        rig_step(&r, 1e-3, 20);
        ph_sim_destroy(r.sim);
        ph_sim_def def = ph_default_sim();
        def.scheme = scheme;
        ph_sim_create(r.model, &def, &r.sim, NULL);
        CHECK(check_failure(&r, scheme, &report)); // ... and with the history of another scheme
        rig_close(&r);
    }
}

TEST(a_failed_step_of_rattlie_says_when_where_how_large_and_what_to_try)
{
    rig r = rig_open(make_model(), "rattlie");
    ph_step_report report;
    char text[512];
    rig_step(&r, 1e-3, 250);
    if (CHECK(check_failure(&r, "rattlie", &report))) {
        CHECK_EQ_INT(report.status, PH_NO_CONVERGENCE);
        CHECK_NEAR(report.time, 0.25, 1e-12);
        CHECK(report.iterations > 0);
        CHECK(report.residual > 0.0);
        CHECK(report.worst_joint >= 0 && report.worst_joint < ph_model_joints(r.model));
        CHECK(report.worst_row > 0.0);
        CHECK(report.advice && strstr(report.advice, "smaller step"));
        CHECK(ph_step_report_format(&report, r.model, text, sizeof text) < (int)sizeof text);
        CHECK(strstr(text, "did not converge") && strstr(text, "t = 0.25") && strstr(text, "worst joint '"));
        CHECK(strstr(text, ph_model_joint(r.model, report.worst_joint).name) && strstr(text, "smaller step"));
    }
    CHECK(rig_step(&r, 1e-3, 1)); // and the run may go on
    rig_close(&r);
}

TEST(misuse_of_a_step_is_refused)
{
    rig a = rig_open(make_model(), "rattlie"), b = rig_open(make_ring(), "rattlie");
    ph_step_report report;
    CHECK_EQ_INT(ph_sim_step(a.sim, b.state, 1e-3, &report), PH_BAD_ARGUMENT);
    CHECK(report.advice != NULL);
    CHECK_EQ_INT(ph_sim_step(a.sim, a.state, 0.0, NULL), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_sim_step(a.sim, a.state, (double)NAN, NULL), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_sim_step(NULL, a.state, 1e-3, NULL), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_state_copy(a.state, b.state), PH_BAD_ARGUMENT);
    CHECK_NEAR(ph_state_time(a.state), 0.0, 0.0);
    rig_close(&a);
    rig_close(&b);
}

// ---- Models that a scheme cannot move -------------------------------------------------------------------------------

static ph_status try_scheme(ph_spec *spec, const char *scheme, ph_error *error)
{
    ph_model *model = scene_finish(spec);
    ph_sim *sim = NULL;
    ph_sim_def def = ph_default_sim();
    def.scheme = scheme;
    const ph_status status = ph_sim_create(model, &def, &sim, error);
    ph_sim_destroy(sim);
    ph_model_destroy(model);
    return status;
}

TEST(schemes_without_contact_refuse_contact_and_joint_limits)
{
    for (int s = 0; s < ph_scheme_count(); s++) {
        const ph_scheme_info scheme = ph_scheme_get(s);
        ph_error error = {.text = ""};
        ph_spec *colliding = scene_start(), *limited = scene_start();
        const ph_contact_settings contact = ph_default_contact();
        scene_body(colliding, "stone", (ph_vec3){0.0, 0.0, 1.0});
        ph_spec_set_contact(colliding, &contact);
        ph_joint_def door = scene_joint_def("door", "revolute", PH_WORLD, 0, (ph_vec3){0.0, 0.0, 0.0});
        scene_body(limited, "leaf", (ph_vec3){0.5, 0.0, 0.0});
        door.has_axis = door.has_limit_high = true;
        door.axis = (ph_vec3){0.0, 0.0, 1.0};
        door.limit_high = 1.0;
        ph_spec_add_joint(limited, &door);
        const bool has_contact = (scheme.traits & PH_HAS_CONTACT) != 0;
        CHECK_EQ_INT(try_scheme(colliding, scheme.name, &error), has_contact ? PH_OK : PH_NOT_SUPPORTED);
        CHECK(has_contact || (strstr(error.text, scheme.name) && strstr(error.text, "collide")));
        CHECK_EQ_INT(try_scheme(limited, scheme.name, &error), has_contact ? PH_OK : PH_NOT_SUPPORTED);
        CHECK(has_contact || strstr(error.text, "'door' has limits"));
    }
}

// What a tiny step changes is mostly rounding; the next step must not take its first guess from it.
TEST(a_normal_step_follows_a_tiny_one)
{
    static const char *const names[] = {"rattlie", "lgvi", "rattlie4"};
    for (int k = 0; k < 3; k++) {
        rig r = rig_open(rig_example("double_pendulum.yaml"), names[k]);
        rig_step(&r, 5e-3, 100);
        rig_step(&r, 1e-11, 1);
        rig_step(&r, 5e-3, 1);
        rig_step(&r, 1e-15, 1);
        rig_step(&r, 5e-3, 1);
        CHECK(rig_measure(&r).position_violation < 1e-13);
        rig_close(&r);
    }
}

// Half a turn in a step is refused by every scheme that would go on with another motion.
TEST(too_far_a_turn_is_refused)
{
    static const char *const schemes[] = {"lie-alpha", "lie-alpha-2", "bliedf2", "clifford", "rattlie"};
    for (int k = 0; k < 5; k++) {
        ph_model *model = scene_chain(1);
        ph_state *state = ph_state_create(model);
        ph_sim *sim = NULL;
        ph_sim_def def = ph_default_sim();
        ph_step_report report;
        def.scheme = schemes[k];
        CHECK_EQ_INT(ph_sim_create(model, &def, &sim, NULL), PH_OK);
        ph_state_angular_velocities(state)[0] = (ph_vec3){0.0, 100.0, 0.0}; // about the axis of the rod
        ph_state_touch(state);
        CHECK_EQ_INT(ph_sim_step(sim, state, 0.1, &report), PH_NO_CONVERGENCE);
        CHECK(report.advice && ph_state_time(state) == 0.0);
        CHECK_EQ_INT(ph_sim_step(sim, state, 1e-3, NULL), PH_OK);
        ph_sim_destroy(sim);
        ph_state_destroy(state);
        ph_model_destroy(model);
    }
}
