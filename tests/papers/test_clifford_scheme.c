// The scheme `clifford`: against closed-form motions of the classical equations, its order, what it keeps.
#include "math/quat.h"
#include "rig.h"
#include "scenes.h"

static const double GRAVITY = 9.81;

static ph_body_def body_def(ph_vec3 moments)
{
    ph_body_def body = ph_default_body();
    body.name = "body";
    body.mass = 2.0;
    body.inertia = ph_diag(moments);
    body.orientation = ph_quat_unit((ph_quat){0.9, 0.2, -0.3, 0.1});
    body.position = (ph_vec3){0.3, -0.2, 0.5};
    body.velocity = (ph_vec3){1.0, 0.5, 3.0};
    body.angular_velocity = (ph_vec3){0.5, 1.0, 0.8};
    return body;
}

static ph_model *free_body(double gravity)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def body = body_def((ph_vec3){1.0, 2.0, 3.0});
    ph_spec_add_body(spec, &body);
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -gravity});
    return scene_finish(spec);
}

// A symmetric top of 2 kg, 0.3 m above its tip, that spins at 6 rad/s.
static ph_model *heavy_top(void)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def body = body_def((ph_vec3){0.15, 0.15, 0.2});
    const ph_vec3 arm = {0.0, 0.0, 0.3};
    body.position = ph_quat_rotate(body.orientation, arm);
    body.angular_velocity = (ph_vec3){0.4, -0.3, 6.0};
    body.velocity = ph_quat_rotate(body.orientation, ph_cross(body.angular_velocity, arm));
    const int top = ph_spec_add_body(spec, &body);
    scene_ball(spec, "tip", PH_WORLD, top, (ph_vec3){0.0, 0.0, 0.0});
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -GRAVITY});
    return scene_finish(spec);
}

// Largest difference of the first body's state: position, orientation, both velocities.
static double difference(const rig *a, const rig *b)
{
    const ph_quat p = ph_state_orientations(a->state)[0], q = ph_state_orientations(b->state)[0];
    const double sign = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z < 0.0 ? -1.0 : 1.0;
    double most = fmax(fabs(p.w - sign * q.w), fmax(fabs(p.x - sign * q.x), fabs(p.y - sign * q.y)));
    most = fmax(most, fabs(p.z - sign * q.z));
    most = fmax(most, rig_distance(rig_position(a, 0), rig_position(b, 0)));
    most = fmax(most, rig_distance(ph_state_velocities(a->state)[0], ph_state_velocities(b->state)[0]));
    return fmax(most, rig_distance(ph_state_angular_velocities(a->state)[0], ph_state_angular_velocities(b->state)[0]));
}

// Error at t = 1 against the closed form.
static double error_at_1(ph_model *model, ph_model *same, double h)
{
    rig exact = rig_open(same, "exact"), run = rig_open(model, "clifford");
    rig_step(&exact, 1.0, 1);
    rig_step(&run, h, (int)lround(1.0 / h));
    const double error = difference(&exact, &run);
    rig_close(&exact);
    rig_close(&run);
    return error;
}

TEST(free_asymmetric_body_is_the_closed_form)
{
    CHECK_NEAR(error_at_1(free_body(0.0), free_body(0.0), 1e-3), 0.0, 1e-12);
}

TEST(ballistic_body_is_the_closed_form)
{
    CHECK_NEAR(error_at_1(free_body(GRAVITY), free_body(GRAVITY), 5e-4), 0.0, 1e-12);
}

TEST(heavy_top_is_the_closed_form)
{
    CHECK_NEAR(error_at_1(heavy_top(), heavy_top(), 2.5e-4), 0.0, 1e-12);
}

// Momentum changes by wrenches only: a free body keeps it however long the step.
TEST(free_body_keeps_its_momentum)
{
    rig r = rig_open(free_body(0.0), "clifford");
    ph_state_velocities(r.state)[0] = ph_zero3(); // else round-off of the position is seen in the angular momentum
    ph_state_touch(r.state);
    const ph_measures start = rig_measure(&r);
    rig_step(&r, 0.1, 1000);
    const ph_measures end = rig_measure(&r);
    CHECK_NEAR(rig_distance(start.linear, end.linear), 0.0, 1e-15);
    CHECK_NEAR(rig_distance(start.angular, end.angular), 0.0, 1e-14);
    rig_close(&r);
}

// Centre of the second rod: converged, by two independent formulations that agree to 3e-12.
static const struct {
    double time;
    ph_vec3 position;
} pendulum[] = {
    {0.5, {-0.38349029669, 0.69452277377, -1.15254631624}},
    {1.0, {0.37953976268, -1.13528321023, -0.74567596438}},
    {2.0, {-0.11581561923, 0.38656437589, -0.99905601577}},
};

static double pendulum_error(double h)
{
    rig r = rig_open(rig_example("double_pendulum.yaml"), "clifford");
    double most = 0.0;
    for (int i = 0; i < 3; i++) {
        const double ahead = pendulum[i].time - ph_state_time(r.state);
        rig_step(&r, h, (int)lround(ahead / h));
        most = fmax(most, rig_distance(rig_position(&r, 1), pendulum[i].position));
        const ph_measures m = rig_measure(&r);
        CHECK(m.position_violation <= 1e-14 && m.velocity_violation <= 1e-13 && m.orthogonality <= 1e-14);
    }
    rig_close(&r);
    return most;
}

TEST(double_pendulum_at_order_4)
{
    double before = pendulum_error(2e-3);
    for (double h = 1e-3; h > 0.4e-3; h *= 0.5) {
        const double error = pendulum_error(h);
        CHECK(log2(before / error) >= 3.95);
        before = error;
    }
}
