// ph_sim_advance: several steps in one call end where single steps do, and times are those of everybody else.

#include "rig.h"

#include "math/vec3.h"
#include "model/state.h"
#include "scenes.h"
#include "schemes/scheme.h"

static double distance(const ph_state *a, const ph_state *b, bool velocities)
{
    double worst = 0.0;
    for (int i = 0; i < a->model->body_count; i++) {
        worst = fmax(worst, ph_norm(ph_sub(a->position[i], b->position[i])));
        if (velocities) {
            worst = fmax(worst, ph_norm(ph_sub(a->velocity[i], b->velocity[i])));
            worst = fmax(worst, ph_norm(ph_sub(a->angular_velocity[i], b->angular_velocity[i])));
        }
    }
    return worst;
}

// ---- Steps in one call ----------------------------------------------------------------------------------------------

static ph_model *make_chain(void)
{
    return scene_chain(4);
}

static ph_model *make_motor(void) // prescribed: its work is counted at every node
{
    return scene_driven(1.0, PH_MOTOR_POSITION, "0.3 * (1 - cos(u * t))");
}

static ph_model *make_speed(void)
{
    return scene_driven(1.0, PH_MOTOR_SPEED, "sin(u * t)");
}

static ph_model *make_torque(void) // with a damper: velocities are asked for at every node
{
    return scene_driven(1.0, PH_MOTOR_TORQUE, "u * cos(3 * t)");
}

typedef ph_model *(*maker)(void);
static const maker makers[] = {make_chain, make_motor, make_speed, make_torque, scene_pendulum};
enum { MAKERS = sizeof makers / sizeof *makers };

static rig open(maker make, const char *scheme)
{
    rig r = {.model = make()};
    ph_sim_def def = ph_default_sim();
    def.scheme = scheme;
    r.state = ph_state_create(r.model);
    ph_observer_create(r.model, &r.observer);
    ph_sim_create(r.model, &def, &r.sim, NULL);
    return r;
}

TEST(steps_in_one_call_end_where_single_steps_do)
{
    const int count = 100;
    for (int i = 0; i < ph_scheme_count(); i++) {
        const char *scheme = ph_scheme_get(i).name;
        const double free = ph_scheme_get(i).traits & PH_OWN_STEPS ? 1e4 : 1.0; // to its tolerance
        for (int k = 0; k < MAKERS; k++) {
            rig one = open(makers[k], scheme), many = open(makers[k], scheme);
            if (one.sim) {
                ph_step_report report;
                rig_step(&one, 2e-3, count);
                CHECK_EQ_INT(ph_sim_advance(many.sim, many.state, 2e-3, count, &report), PH_OK);
                CHECK_EQ_INT(report.steps, count);
                const bool good = CHECK_NEAR(distance(one.state, many.state, true), 0.0, free * 2e-11) &
                                  CHECK_NEAR(one.state->work, many.state->work, free * 1e-10) &
                                  CHECK(one.state->time == many.state->time);
                if (!good) printf("  %s, model %d\n", scheme, k);
                CHECK_NEAR(rig_measure(&many).velocity_violation, rig_measure(&one).velocity_violation, 1e-12);
            }
            rig_close(&one);
            rig_close(&many);
        }
    }
}

// Impulses act in pairs in merged steps too.
TEST(momentum_is_kept_over_many_steps_in_one_call)
{
    static const char *const schemes[] = {"rattlie", "lgvi", "quat-fem", "matrix-rattle", "clifford-vi", "quat-fem-4"};
    for (int k = 0; k < 4; k++) {
        rig r = rig_open(scene_chain(3), schemes[k]);
        ph_state_angular_velocities(r.state)[2] = (ph_vec3){0.0, 3.0, 0.0}; // about its own axis
        ph_state_touch(r.state);
        const double start = rig_measure(&r).angular.z;
        CHECK_EQ_INT(ph_sim_advance(r.sim, r.state, 1e-3, 20000, NULL), PH_OK);
        CHECK_NEAR(rig_measure(&r).angular.z, start, 1e-11);
        CHECK(rig_measure(&r).position_violation < 1e-13 && rig_measure(&r).velocity_violation < 1e-12);
        rig_close(&r);
    }
}

// The motion begins slowly; after a while so few iterations do not solve a step.
static rig open_hasty(const char *scheme)
{
    rig r = {.model = scene_chain(3)};
    ph_sim_def def = ph_default_sim();
    def.scheme = scheme;
    def.max_iterations = 3;
    r.state = ph_state_create(r.model);
    ph_observer_create(r.model, &r.observer);
    CHECK_EQ_INT(ph_sim_create(r.model, &def, &r.sim, NULL), PH_OK);
    return r;
}

// A step that fails leaves the state where the last good one has led to, with velocities that satisfy the joints.
TEST(a_failed_step_leaves_the_last_good_one)
{
    static const char *const schemes[] = {"rattlie", "lgvi", "rattlie4", "matrix-rattle", "quat-fem", "clifford-vi"};
    for (int k = 0; k < 5; k++) {
        rig r = open_hasty(schemes[k]), single = open_hasty(schemes[k]);
        const double h = k == 2 ? 0.06 : 0.03;
        ph_step_report report;
        int good = 0;
        while (good < 2000 && ph_sim_step(single.sim, single.state, h, NULL) == PH_OK) good++;
        CHECK_EQ_INT(ph_sim_advance(r.sim, r.state, h, 2000, &report), PH_NO_CONVERGENCE);
        CHECK_EQ_INT(report.steps, good);
        CHECK(good > 3 && report.advice);
        CHECK(r.state->time == single.state->time && report.time == r.state->time);
        CHECK_NEAR(distance(r.state, single.state, true), 0.0, 1e-9);
        CHECK(rig_measure(&r).velocity_violation < 1e-10);
        CHECK_EQ_INT(ph_sim_advance(r.sim, r.state, 0.1 * h, 20, NULL), PH_OK); // and goes on from there
        rig_close(&r);
        rig_close(&single);
    }
}

TEST(misuse_is_refused)
{
    rig r = rig_open(scene_chain(1), "rattlie");
    CHECK_EQ_INT(ph_sim_advance(r.sim, r.state, 1e-3, 0, NULL), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_sim_advance(r.sim, r.state, 0.0, 1, NULL), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_sim_advance(NULL, r.state, 1e-3, 1, NULL), PH_BAD_ARGUMENT);
    rig_close(&r);
}

// ---- Times ----------------------------------------------------------------------------------------------------------

TEST(times_are_multiples_of_the_step_and_come_back)
{
    rig r = rig_open(scene_chain(1), "rattlie");
    for (int k = 1; k <= 1000; k++) {
        ph_sim_step(r.sim, r.state, 0.001, NULL);
        CHECK(ph_state_time(r.state) == k * 0.001);
    }
    for (int k = 999; k >= 0; k--) {
        ph_sim_step(r.sim, r.state, -0.001, NULL);
        CHECK(ph_state_time(r.state) == k * 0.001);
    }
    ph_state_set_time(r.state, 0.1234567); // no multiple
    for (int k = 1; k <= 100; k++) {
        ph_sim_step(r.sim, r.state, 0.003, NULL);
        CHECK(ph_state_time(r.state) == 0.1234567 + k * 0.003);
    }
    rig_close(&r);
}

// The model depends on time, so that a last bit of it would be seen.
TEST(runs_and_steps_have_the_same_bits)
{
    for (int i = 0; i < ph_scheme_count(); i++) {
        const char *scheme = ph_scheme_get(i).name;
        rig r = open(make_motor, scheme);
        if (r.sim) {
            ph_state *run = ph_state_create(r.model);
            ph_run_def def = ph_default_run();
            ph_summary summary;
            def.sim.scheme = scheme;
            def.step = 1.1e-3;
            def.until = 0.33;
            CHECK_EQ_INT(ph_run(r.model, run, &def, &summary, NULL), PH_OK);
            rig_step(&r, def.step, (int)summary.steps);
            CHECK_EQ_INT(summary.steps, 300);
            CHECK(run->time == r.state->time && run->work == r.state->work);
            CHECK(distance(run, r.state, true) == 0.0);
            ph_state_destroy(run);
        }
        rig_close(&r);
    }
}
