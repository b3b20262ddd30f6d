// First scenes: what `contact: {}` gives without a word about solvers and tolerances.
#include "rig.h"

#include "math/mat3.h"
#include "math/vec3.h"

#include <math.h>

enum { STEPS = 120 };

static ph_spec *heap_of(const char *shape_type, int across, int layers, double rolling)
{
    ph_spec *spec = ph_spec_create(NULL);
    const ph_contact_settings contact = ph_default_contact();
    ph_body_def floor = ph_default_body();
    ph_shape_def plane = ph_default_shape(), shape = ph_default_shape();
    ph_spec_set_contact(spec, &contact);
    ph_spec_set_gravity(spec, ph_vec(0, 0, -9.81));
    floor.name = "floor";
    floor.fixed = true;
    plane.type = "plane";
    plane.size = ph_vec(0, 0, 1);
    ph_spec_add_shape(spec, ph_spec_add_body(spec, &floor), &plane);
    shape.type = shape_type;
    shape.radius = 0.05;
    shape.size = ph_vec(0.1, 0.1, 0.1);
    shape.density = 1000.0;
    shape.rolling_friction = rolling;
    for (int k = 0; k < across * across * layers; k++) {
        char name[16];
        ph_body_def body = ph_default_body();
        snprintf(name, sizeof name, "b%d", k);
        body.name = name;
        body.position =
            ph_vec(0.12 * (k % across) + 0.002 * (7 * k % 5), 0.12 * (k / across % across) + 0.002 * (3 * k % 7),
                   0.06 + 0.11 * (k / (across * across)));
        ph_spec_add_shape(spec, ph_spec_add_body(spec, &body), &shape);
    }
    return spec;
}

static ph_step_report settle(const char *shape, int across, int layers, double rolling)
{
    rig r = rig_build(heap_of(shape, across, layers, rolling), "moreau");
    ph_step_report report;
    CHECK_EQ_INT(ph_sim_advance(r.sim, r.state, 0.005, STEPS, &report), PH_OK);
    printf("  %d x %s: %s, %d points, residual %.2g m/s, %lld missed\n", across * across * layers, shape,
           report.contact_solver, report.contacts, report.contact_residual, report.contact_missed);
    rig_close(&r);
    return report;
}

TEST(heaps_are_solved)
{
    const ph_step_report spheres = settle("sphere", 10, 10, 0.0), cubes = settle("box", 5, 5, 0.0);
    CHECK_EQ_INT(spheres.contact_missed, 0);
    CHECK(spheres.contact_residual <= 1e-3);
    CHECK_EQ_INT(cubes.contact_missed, 0);
    CHECK(cubes.contact_residual <= 1e-4);
}

// A little rolling friction costs a solver that is as quick as that of bodies on joints, not a general one.
TEST(rolling_friction_is_no_other_world)
{
    const ph_step_report report = settle("sphere", 6, 6, 1e-4);
    CHECK_EQ_INT(report.contact_missed, 0);
    CHECK_STR(report.contact_solver, "trees");
    CHECK(report.contact_iterations < 100 * STEPS);
}

// Four tonnes fall at 1.2 m/s on balls of four grams.
static ph_spec *tonnes_on_grams(void)
{
    ph_spec *spec = ph_spec_create(NULL);
    const ph_contact_settings contact = ph_default_contact();
    ph_body_def floor = ph_default_body(), tonnes = ph_default_body();
    ph_shape_def plane = ph_default_shape(), ball = ph_default_shape();
    ph_spec_set_contact(spec, &contact);
    ph_spec_set_gravity(spec, ph_vec(0, 0, -9.81));
    floor.name = "floor";
    floor.fixed = true;
    plane.type = "plane";
    plane.friction = ball.friction = 0.5;
    plane.size = ph_vec(0, 0, 1);
    ph_spec_add_shape(spec, ph_spec_add_body(spec, &floor), &plane);
    ball.type = "sphere";
    ball.density = 1000.0;
    ball.radius = 1.0;
    tonnes.name = "tonnes";
    tonnes.position = ph_vec(0.224, 0.224, 1.0225);
    tonnes.velocity = ph_vec(0, 0, -1.2);
    ph_spec_add_shape(spec, ph_spec_add_body(spec, &tonnes), &ball);
    ball.radius = 0.01;
    for (int k = 0; k < 441; k++) {
        char name[16];
        ph_body_def grams = ph_default_body();
        snprintf(name, sizeof name, "b%d", k);
        grams.name = name;
        grams.position = ph_vec(0.0224 * (k % 21), 0.0224 * (k / 21), 0.01 + 1e-5 * (7 * k % 5));
        ph_spec_add_shape(spec, ph_spec_add_body(spec, &grams), &ball);
    }
    return spec;
}

static void add_pendulum(ph_spec *spec)
{
    ph_body_def rod = ph_default_body();
    ph_joint_def hinge = ph_default_joint();
    rod.name = "rod";
    rod.mass = 1.0;
    rod.inertia = ph_diag(ph_vec(0.1, 0.1, 0.1));
    rod.position = ph_vec(50, 0, 5);
    hinge.name = "hinge";
    hinge.type = "revolute";
    hinge.body_a = PH_WORLD;
    hinge.body_b = ph_spec_add_body(spec, &rod);
    hinge.has_anchor = true;
    hinge.anchor = ph_vec(50, 0, 6);
    hinge.has_axis = true;
    hinge.axis = ph_vec(0, 1, 0);
    ph_spec_add_joint(spec, &hinge);
}

// Sweeps alone would leave the small balls squeezed to half of their size, and they would throw the large one back.
static void check_tonnes(ph_spec *spec)
{
    rig r = rig_build(spec, "moreau");
    ph_step_report report;
    CHECK_EQ_INT(ph_sim_advance(r.sim, r.state, 0.005, 12, &report), PH_OK);
    printf("  %d points, residual %.2g m/s, %lld missed, overlap %.2g m\n", report.contacts, report.contact_residual,
           report.contact_missed, report.penetration);
    CHECK(report.contacts > 300);
    CHECK_EQ_INT(report.contact_missed, 0);
    CHECK(report.penetration < 1e-4);
    CHECK(ph_state_velocities(r.state)[1].z < 0.01);
    rig_close(&r);
}

TEST(tonnes_fall_on_grams)
{
    ph_spec *beside_joints = tonnes_on_grams();
    add_pendulum(beside_joints);
    check_tonnes(tonnes_on_grams());
    check_tonnes(beside_joints);
}

TEST(few_bodies_are_exact)
{
    CHECK(settle("box", 2, 3, 0.0).contact_residual <= 1e-8);
}
