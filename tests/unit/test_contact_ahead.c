// Which contacts are listed before they close: all that do in the step, and little else.
#include "contact_case.h"

#include <math.h>

static const double RADIUS = 0.05, STEP = 0.005;

typedef struct column {
    int count;
    double height, gap; // above the plane z = 0, between the spheres
    double speed;       // down
    double gravity;
    double force; // on the uppermost, down
} column;

static rig open_column(column c)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def floor = ph_default_body(), ball = ph_default_body();
    ph_shape_def plane = ph_default_shape(), sphere = ph_default_shape();
    const ph_contact_settings contact = ph_default_contact();
    floor.name = "floor";
    floor.fixed = true;
    plane.type = "plane";
    plane.size = ph_vec(0.0, 0.0, 1.0);
    sphere.type = "sphere";
    sphere.radius = RADIUS;
    sphere.density = 1000.0;
    ph_spec_set_contact(spec, &contact);
    ph_spec_set_gravity(spec, ph_vec(0.0, 0.0, -c.gravity));
    ph_spec_add_body(spec, &floor);
    ph_spec_add_shape(spec, 0, &plane);
    for (int k = 0; k < c.count; k++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", k);
        ball.name = name;
        ball.position = ph_vec(0.0, 0.0, c.height + RADIUS + k * (2.0 * RADIUS + c.gap));
        ball.velocity = ph_vec(0.0, 0.0, -c.speed);
        ph_spec_add_shape(spec, ph_spec_add_body(spec, &ball), &sphere);
    }
    ph_force_def push = ph_default_force();
    push.type = "wrench";
    push.body_b = c.count;
    push.at_com = true;
    push.force[2].number = -c.force;
    if (c.force > 0.0) CHECK(ph_spec_add_force(spec, &push) >= 0);
    return rig_build(spec, "moreau");
}

static ph_step_report step(rig *r)
{
    ph_step_report report;
    CHECK_EQ_INT(ph_sim_step(r->sim, r->state, STEP, &report), PH_OK);
    return report;
}

// The smallest gap of the column, and to the plane.
static double least_gap(const rig *r)
{
    const ph_vec3 *x = ph_state_positions(r->state);
    double least = x[1].z - RADIUS;
    for (int k = 2; k < ph_model_bodies(r->model); k++) least = fmin(least, x[k].z - x[k - 1].z - 2.0 * RADIUS);
    return least;
}

TEST(what_falls_together_is_not_listed)
{
    rig r = open_column((column){.count = 20, .height = 1.0, .gap = 0.002, .speed = 3.0, .gravity = 9.81});
    CHECK_EQ_INT(step(&r).contacts, 0);
    rig_close(&r);
}

// The first is stopped by the plane, the second by the first, ... as far as the gaps between them let it: v h = 15 mm of gaps.
TEST(what_is_stopped_stops_what_comes_behind)
{
    for (double gap = 1.5e-3; gap < 0.02; gap *= 1.3) {
        rig r = open_column((column){.count = 30, .height = 0.5 * gap, .gap = gap, .speed = 3.0, .gravity = 9.81});
        const int contacts = step(&r).contacts, stopped = (int)(3.0 * STEP / gap);
        CHECK(contacts >= (stopped < 30 ? stopped : 30));
        CHECK(contacts <= stopped + 3);
        CHECK(least_gap(&r) > -1e-6);
        rig_close(&r);
    }
}

// The upper one of two falls on the lower one, which rests farther above the plane than is always watched.
TEST(what_is_hit_is_watched_as_far_as_it_is_pushed)
{
    for (double height = 1e-3; height < 0.01; height *= 1.3) {
        rig r = open_column((column){.count = 2, .height = height, .gap = 1e-3});
        ph_state_velocities(r.state)[2] = ph_vec(0.0, 0.0, -6.0);
        ph_state_touch(r.state);
        step(&r);
        CHECK(least_gap(&r) > -1e-6);
        rig_close(&r);
    }
}

// 400 m/s^2 go 10 mm in the step, from rest.
TEST(forces_count)
{
    const double mass = 1000.0 * 4.0 / 3.0 * 3.14159265358979 * RADIUS * RADIUS * RADIUS;
    rig r = open_column((column){.count = 2, .gap = 0.003, .force = 400.0 * mass});
    step(&r);
    CHECK(least_gap(&r) > -1e-6);
    rig_close(&r);
}
