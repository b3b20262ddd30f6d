// Motors that prescribe a joint coordinate, by position and by speed.
#include "expression/expression.h"
#include "math/trig.h"
#include "polhode/polhode.h"
#include "test.h"

#include <math.h>

// A rod on a driven hinge with a second rod hanging from it by a ball joint: the motor has to work.
static ph_model *driven_pendulum(ph_drive kind, const char *expression, double rate)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_spec_set_gravity(spec, (ph_vec3){0.0, -9.81, 0.0});
    ph_body_def arm = ph_default_body();
    arm.name = "arm";
    arm.mass = 2.0;
    arm.inertia = (ph_mat3){{{0.2, 0.0, 0.0}, {0.0, 0.01, 0.0}, {0.0, 0.0, 0.2}}};
    arm.position = (ph_vec3){0.0, 0.5, 0.0};
    arm.angular_velocity = (ph_vec3){0.0, 0.0, rate};
    arm.velocity = (ph_vec3){-0.5 * rate, 0.0, 0.0};
    ph_body_def bob = arm;
    bob.name = "bob";
    bob.position = (ph_vec3){0.0, 1.5, 0.0};
    bob.angular_velocity = (ph_vec3){0.0, 0.0, 0.0};
    bob.velocity = (ph_vec3){-rate, 0.0, 0.0};
    const int a = ph_spec_add_body(spec, &arm), b = ph_spec_add_body(spec, &bob);
    ph_joint_def hinge = ph_default_joint();
    hinge.name = "hinge";
    hinge.type = "revolute";
    hinge.body_a = PH_WORLD;
    hinge.body_b = a;
    hinge.has_anchor = hinge.has_axis = true;
    hinge.axis = (ph_vec3){0.0, 0.0, 1.0};
    hinge.motor = kind;
    hinge.motor_value.expression = expression;
    ph_spec_add_joint(spec, &hinge);
    ph_joint_def ball = ph_default_joint();
    ball.name = "ball";
    ball.type = "ball";
    ball.body_a = a;
    ball.body_b = b;
    ball.has_anchor = true;
    ball.anchor = (ph_vec3){0.0, 1.0, 0.0};
    ph_spec_add_joint(spec, &ball);
    ph_model *model = NULL;
    ph_model_compile(spec, NULL, &model);
    ph_spec_destroy(spec);
    return model;
}

static ph_summary run(const ph_model *model, ph_state *state, const char *scheme, double step, double until)
{
    ph_run_def def = ph_default_run();
    ph_summary summary = {0};
    def.sim.scheme = scheme;
    def.step = step;
    def.until = until;
    CHECK_EQ_INT(ph_run(model, state, &def, &summary, NULL), PH_OK);
    return summary;
}

// Every scheme follows the motor; those that keep velocity constraints follow its speed too; the energy balance with the
// motor's work closes with the order of the scheme.
static void check_all_schemes(ph_drive kind, const char *expression)
{
    ph_model *model = driven_pendulum(kind, expression, 1.5);
    if (!CHECK(model != NULL)) return;
    for (int k = 0; k < ph_scheme_count(); k++) {
        const ph_scheme_info info = ph_scheme_get(k);
        ph_sim *sim = NULL;
        ph_sim_def def = ph_default_sim();
        def.scheme = info.name;
        if (ph_sim_create(model, &def, &sim, NULL) != PH_OK) continue; // a scheme that refuses the model
        ph_sim_destroy(sim);
        ph_state *state = ph_state_create(model);
        const ph_summary coarse = run(model, state, info.name, 2e-3, 1.0);
        ph_state_reset(state);
        const ph_summary fine = run(model, state, info.name, 1e-3, 1.0);
        if (info.traits & PH_KEEPS_POSITION_CONSTRAINT) CHECK(fine.position_violation_max < 1e-13);
        if (info.traits & PH_KEEPS_VELOCITY_CONSTRAINT) CHECK(fine.velocity_violation_max < 1e-12);
        const bool first = info.order == 1;
        CHECK(fine.energy_max_abs_error < (first ? 1e-2 : 1e-3) * fine.energy_scale);
        CHECK(fine.energy_max_abs_error < (first ? 0.55 : 0.3) * coarse.energy_max_abs_error ||
              fine.energy_max_abs_error < (info.traits & PH_OWN_STEPS ? 1e-7 : 1e-10));
        double q, rate;
        ph_observer *observer = NULL;
        ph_observer_create(model, &observer);
        ph_observer_joint(observer, state, 0, &q, &rate);
        CHECK_NEAR(q, 0.5 * sin(3.0), 1e-4);
        CHECK_NEAR(rate, 1.5 * cos(3.0), 1e-3);
        ph_observer_destroy(observer);
        ph_state_destroy(state);
    }
    ph_model_destroy(model);
}

TEST(a_motor_by_position_is_followed_by_every_scheme)
{
    check_all_schemes(PH_MOTOR_POSITION, "0.5*sin(3*t)");
}

TEST(a_motor_by_speed_is_followed_by_every_scheme)
{
    check_all_schemes(PH_MOTOR_SPEED, "1.5*cos(3*t)");
}

TEST(a_motor_that_would_jump_at_the_start_is_refused)
{
    CHECK(driven_pendulum(PH_MOTOR_POSITION, "0.1 + 0.5*sin(3*t)", 1.5) == NULL);
    CHECK(driven_pendulum(PH_MOTOR_POSITION, "0.5*sin(3*t)", 1.0) == NULL);
    CHECK(driven_pendulum(PH_MOTOR_SPEED, "qd.ball", 0.0) == NULL);
    CHECK(driven_pendulum(PH_MOTOR_POSITION, "q.hinge", 0.0) == NULL);
}

// ---- Time derivatives of expressions --------------------------------------------------------------------------------

static int look_up(const char *name, double *constant, void *user)
{
    (void)constant, (void)user;
    return name[0] == 't' && !name[1] ? 0 : -1;
}

TEST(time_derivatives_of_expressions_agree_with_differences)
{
    static const char *const texts[] = {
        "3",          "t",          "2*t - t^2", "t^3/(1+t)", "sin(2*t)*cos(t)", "tan(t/2)", "exp(-t)*t", "sqrt(1+t^2)",
        "log(2+t)",   "asin(t/3)",  "acos(t/3)", "atan(t*t)", "atan2(t, 2)",     "2^t",      "(1+t)^t",   "abs(t - 3)",
        "min(t, 10)", "max(t, -1)", "-t^2",      "1/t",       "t^0.5",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        expression_error error;
        arena *memory = arena_create(NULL);
        const expression *e = expression_compile(texts[k], look_up, NULL, memory, &error);
        const double t = 0.7, h = 1e-3;
        double f[5];
        for (int i = 0; i < 5; i++) {
            const double at = t + (i - 2) * h;
            f[i] = expression_value(e, &at);
        }
        const expression_jet jet = expression_derivatives(e, &t, 0);
        CHECK_NEAR(jet.value, f[2], 1e-15);
        CHECK_NEAR(jet.rate, (f[0] - 8.0 * f[1] + 8.0 * f[3] - f[4]) / (12.0 * h), 1e-9);
        CHECK_NEAR(jet.second, (-f[0] + 16.0 * f[1] - 30.0 * f[2] + 16.0 * f[3] - f[4]) / (12.0 * h * h), 1e-7);
        arena_destroy(memory);
    }
}
