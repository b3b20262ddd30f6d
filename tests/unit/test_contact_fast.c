// Fast bodies: thrown by several of their sizes in a step, spinning by radians in a step. None may be lost.
#include "rig.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const char *const shapes[] = {"sphere", "box", "capsule", "cylinder", "ellipsoid"};
static const char *const grounds[] = {"plane", "box", "heightfield", "mesh", "plate"};
enum { SHAPES = 5, GROUNDS = 5, CELLS = 17 };

static const double EXTENT = 40.0; // of the ground, m

static void add_ground(ph_spec *spec, const char *type, double friction)
{
    static double heights[CELLS * CELLS];
    static const double e = 20.0, mesh[18] = {-e, -e, 0, e, -e, 0, e, e, 0, -e, -e, 0, e, e, 0, -e, e, 0};
    ph_body_def ground = ph_default_body();
    ph_shape_def shape = ph_default_shape();
    const bool is_field = strcmp(type, "heightfield") == 0, is_mesh = strcmp(type, "mesh") == 0;
    const double thickness = strcmp(type, "plate") == 0 ? 0.04 : 0.2;
    ground.name = "ground";
    ground.fixed = true;
    shape.type = strcmp(type, "plate") == 0 ? "box" : type;
    shape.friction = friction;
    shape.size = strcmp(type, "plane") == 0 ? ph_vec(0, 0, 1) : ph_vec(EXTENT, EXTENT, is_field ? 1.0 : thickness);
    if (strcmp(shape.type, "box") == 0) shape.position = ph_vec(0, 0, -0.5 * thickness);
    if (is_field) shape.data = heights, shape.data_rows = shape.data_columns = CELLS;
    if (is_mesh) shape.data = mesh, shape.data_rows = 2, shape.data_columns = 9;
    ph_spec_add_shape(spec, ph_spec_add_body(spec, &ground), &shape);
}

typedef struct thrown {
    const char *scheme, *shape, *ground;
    double size, speed, spin, friction, restitution;
} thrown;

static ph_vec3 random_unit(void)
{
    while (true) {
        const ph_vec3 v = ph_vec(test_uniform(-1, 1), test_uniform(-1, 1), test_uniform(-1, 1));
        const double n = ph_norm(v);
        if (n > 0.1 && n < 1.0) return ph_scale(1.0 / n, v);
    }
}

static ph_body_def random_body(const thrown *t)
{
    ph_body_def body = ph_default_body();
    const ph_vec3 axis = random_unit(), aim = random_unit();
    const double angle = test_uniform(0, 3), s = sin(0.5 * angle);
    body.name = "thrown";
    body.orientation = (ph_quat){cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
    body.velocity =
        ph_scale(t->speed, ph_vec(0.7 * aim.x, 0.7 * aim.y, -sqrt(1.0 - 0.49 * (aim.x * aim.x + aim.y * aim.y))));
    body.angular_velocity = ph_scale(t->spin, random_unit());
    body.position = ph_vec(0, 0, 3.0 * t->size + test_uniform(0, 1) * t->size);
    return body;
}

static rig throw(const thrown *t)
{
    ph_spec *spec = ph_spec_create(NULL);
    const ph_contact_settings contact = ph_default_contact();
    ph_spec_set_contact(spec, &contact);
    ph_spec_set_gravity(spec, ph_vec(0, 0, -9.81));
    add_ground(spec, t->ground, t->friction);
    const ph_body_def body = random_body(t);
    ph_shape_def shape = ph_default_shape();
    shape.type = t->shape;
    shape.size = strcmp(t->shape, "ellipsoid") == 0 ? ph_vec(t->size, 0.7 * t->size, 0.5 * t->size)
                                                    : ph_vec(2 * t->size, t->size, t->size);
    shape.radius = 0.5 * t->size;
    shape.length = 2.0 * t->size;
    shape.density = 1000.0;
    shape.friction = t->friction;
    shape.restitution = t->restitution;
    ph_spec_add_shape(spec, ph_spec_add_body(spec, &body), &shape);
    return rig_build(spec, t->scheme);
}

// Its centre has gone below the ground, or the step has failed.
static bool is_lost(const thrown *t, double h, int steps)
{
    rig r = throw(t);
    bool lost = false;
    for (int k = 0; k < steps && !lost; k++) {
        ph_step_report report;
        lost = ph_sim_step(r.sim, r.state, h, &report) != PH_OK;
        const ph_vec3 x = ph_state_positions(r.state)[1];
        if (fabs(x.x) > 0.49 * EXTENT || fabs(x.y) > 0.49 * EXTENT) break; // over its rim
        lost = lost || x.z < 0.0;
    }
    rig_close(&r);
    return lost;
}

// Of bodies that go by up to `travel` sizes and `turn` radians in a step.
static int count_lost(const char *scheme, double travel, double turn, int tries)
{
    const double h = 0.005, size = 0.1;
    int lost = 0;
    for (int n = 0; n < GROUNDS * SHAPES * tries; n++) {
        const int k = n / (GROUNDS * SHAPES);
        const thrown t = {.scheme = scheme,
                          .shape = shapes[n % SHAPES],
                          .ground = grounds[n / SHAPES % GROUNDS],
                          .size = size,
                          .speed = travel * test_uniform(0.2, 1.0) * size / h,
                          .spin = turn * test_uniform(0.0, 1.0) / h,
                          .friction = 0.2 * (k % 4),
                          .restitution = k % 3 == 2 ? 0.5 : 0.0};
        if (!is_lost(&t, h, 60)) continue;
        printf("  %s: %s on %s at %g m/s, %g rad/s is lost\n", scheme, t.shape, t.ground, t.speed, t.spin);
        lost++;
    }
    return lost;
}

TEST(thrown_bodies_are_not_lost)
{
    CHECK_EQ_INT(count_lost("moreau", 5.0, 2.0, 25), 0);
    CHECK_EQ_INT(count_lost("rattlie-ns", 5.0, 2.0, 10), 0);
}

TEST(spinning_bodies_do_not_sink)
{
    CHECK_EQ_INT(count_lost("moreau", 0.2, 6.0, 25), 0);
    CHECK_EQ_INT(count_lost("rattlie-ns", 0.2, 6.0, 10), 0);
}

// ---- Cubes ----------------------------------------------------------------------------------------------------------

static void add_cube(ph_spec *spec, int k)
{
    ph_body_def body = ph_default_body();
    ph_shape_def cube = ph_default_shape();
    char name[16];
    snprintf(name, sizeof name, "cube%d", k);
    const ph_vec3 axis = random_unit();
    const double angle = test_uniform(0.0, 3.0), s = sin(0.5 * angle);
    body.name = name;
    body.position = ph_vec(0.2 * (k % 4), 0.2 * (k / 4 % 4), 0.1 + 0.2 * (k / 16));
    body.orientation = (ph_quat){cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
    cube.type = "box";
    cube.size = ph_vec(0.1, 0.1, 0.1);
    cube.density = 1000.0;
    cube.friction = 0.5;
    ph_spec_add_shape(spec, ph_spec_add_body(spec, &body), &cube);
}

// Far away: a model with joints is watched as any other.
static void add_pendulum(ph_spec *spec)
{
    ph_body_def bob = ph_default_body();
    ph_joint_def pivot = ph_default_joint();
    bob.name = "bob";
    bob.mass = 1.0;
    bob.inertia.m[0][0] = bob.inertia.m[1][1] = bob.inertia.m[2][2] = 0.01;
    bob.position = ph_vec(51, 0, 3);
    pivot.name = "pivot";
    pivot.type = "revolute";
    pivot.body_a = PH_WORLD;
    pivot.body_b = ph_spec_add_body(spec, &bob);
    pivot.has_anchor = pivot.has_axis = true;
    pivot.anchor = ph_vec(50, 0, 3);
    pivot.axis = ph_vec(0, 1, 0);
    CHECK(ph_spec_add_joint(spec, &pivot) >= 0);
}

// Ten layers of cubes of 10 cm fall onto each other at 2 to 6 m/s. Corners that close behind the edge that met first, or
// behind the face that turned, would overlap by more than a centimetre.
static void drop_cubes(bool beside_a_joint)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_contact_settings contact = ph_default_contact();
    contact.tolerance = 1e-3;
    ph_spec_set_contact(spec, &contact);
    ph_spec_set_gravity(spec, ph_vec(0, 0, -9.81));
    add_ground(spec, "plane", 0.5);
    for (int k = 0; k < 160; k++) add_cube(spec, k);
    if (beside_a_joint) add_pendulum(spec);
    rig r = rig_build(spec, "moreau");
    double deepest = 0.0;
    for (int k = 0; k < 200; k++) {
        ph_step_report report;
        CHECK_EQ_INT(ph_sim_step(r.sim, r.state, 0.005, &report), PH_OK);
        deepest = fmax(deepest, report.penetration);
    }
    CHECK(deepest <= 1e-3);
    printf("  deepest overlap %.2g m\n", deepest);
    rig_close(&r);
}

TEST(falling_cubes_do_not_enter_each_other)
{
    drop_cubes(false);
}

TEST(nor_do_they_beside_a_joint)
{
    drop_cubes(true);
}
