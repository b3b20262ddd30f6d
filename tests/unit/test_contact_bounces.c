// Bodies that bounce, by the fast path of large and loose contact problems: as the exact path has them.
#include "contact_case.h"

#include <math.h>

static const double RADIUS = 0.05, STEP = 0.005, RESTITUTION = 0.6;

typedef struct shower {
    bool cubes;       // every third body is a cube
    bool wind;        // a force on some of them
    bool pairs;       // every second body has another above itself, which meets it on its way up
    double tolerance; // m/s: 1e-5 and more go the fast path
} shower;

enum { SIDE = 5 };

static double height_of(int k)
{
    return 0.1 + 0.013 * (k % SIDE) + 0.01 * (k / SIDE);
}

static void add_body(ph_spec *spec, const shower *s, int k, double above)
{
    ph_body_def body = ph_default_body();
    ph_shape_def shape = ph_default_shape();
    char name[16];
    snprintf(name, sizeof name, "%c%d", above > 0.0 ? 'u' : 'b', k);
    body.name = name;
    body.position = ph_vec(0.4 * (k % SIDE), 0.4 * (k / SIDE), height_of(k) + RADIUS + above);
    body.velocity = ph_vec(k == 0 ? 0.0 : 0.02 * (k % 3), 0.0, 0.0);
    if (s->cubes && k % 3 == 1) {
        shape.type = "box";
        shape.size = ph_vec(2.0 * RADIUS, 2.0 * RADIUS, 2.0 * RADIUS);
    } else {
        shape.type = "sphere";
        shape.radius = RADIUS;
    }
    shape.density = 1000.0;
    shape.restitution = RESTITUTION;
    shape.friction = 0.3;
    const int index = ph_spec_add_body(spec, &body);
    CHECK(ph_spec_add_shape(spec, index, &shape) >= 0);
    ph_force_def wind = ph_default_force();
    wind.type = "wrench";
    wind.body_b = index;
    wind.at_com = true;
    wind.force[0].number = 0.1;
    if (s->wind && k % 4 == 2) CHECK(ph_spec_add_force(spec, &wind) >= 0);
}

static rig open_shower(shower s)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def floor = ph_default_body();
    ph_shape_def plane = ph_default_shape();
    ph_contact_settings contact = ph_default_contact();
    contact.tolerance = s.tolerance;
    floor.name = "floor";
    floor.fixed = true;
    plane.type = "plane";
    plane.size = ph_vec(0.0, 0.0, 1.0);
    ph_spec_set_contact(spec, &contact);
    ph_spec_set_gravity(spec, ph_vec(0.0, 0.0, -9.81));
    ph_spec_add_shape(spec, ph_spec_add_body(spec, &floor), &plane);
    for (int k = 0; k < SIDE * SIDE; k++) {
        add_body(spec, &s, k, 0.0);
        if (s.pairs && k % 2 == 1) add_body(spec, &s, k, 0.2);
    }
    return rig_build(spec, "moreau");
}

static int step(rig *r)
{
    ph_step_report report;
    CHECK_EQ_INT(ph_sim_step(r->sim, r->state, STEP, &report), PH_OK);
    return report.contacts;
}

// Largest difference of positions after so many seconds; some of them must have had contacts.
static double difference(shower s, double seconds)
{
    rig fast = open_shower(s);
    s.tolerance = 1e-9;
    rig exact = open_shower(s);
    double largest = 0.0;
    int contacts = 0;
    for (int k = 0; k < (int)(seconds / STEP + 0.5); k++) {
        contacts += step(&fast);
        step(&exact);
    }
    for (int k = 1; k < ph_model_bodies(fast.model); k++) {
        const ph_vec3 x = ph_state_positions(fast.state)[k], y = ph_state_positions(exact.state)[k];
        largest = fmax(largest, ph_norm(ph_sub(x, y)));
    }
    CHECK(contacts > 0);
    rig_close(&fast);
    rig_close(&exact);
    return largest;
}

TEST(a_sphere_rises_to_the_square_of_its_restitution)
{
    rig r = open_shower((shower){.tolerance = 1e-5});
    const int body = ph_model_find_body(r.model, "b0");
    const ph_vec3 *v = ph_state_velocities(r.state), *x = ph_state_positions(r.state);
    bool risen = false;
    double top = 0.0;
    for (int k = 0; k < 60; k++) {
        step(&r);
        if (risen && v[body].z < 0.0) break; // the top
        risen = risen || v[body].z > 0.0;
        if (risen) top = fmax(top, x[body].z - RADIUS);
    }
    CHECK_NEAR(top, RESTITUTION * RESTITUTION * height_of(0), 0.02 * height_of(0));
    rig_close(&r);
}

TEST(spheres_bounce_as_on_the_exact_path)
{
    CHECK_NEAR(difference((shower){.tolerance = 1e-5}, 0.6), 0.0, 1e-4);
}

TEST(spheres_that_meet_in_the_air_bounce_as_on_the_exact_path)
{
    CHECK_NEAR(difference((shower){.tolerance = 1e-5, .pairs = true}, 0.4), 0.0, 1e-4);
}

TEST(spheres_in_the_wind_bounce_as_on_the_exact_path)
{
    CHECK_NEAR(difference((shower){.tolerance = 1e-5, .wind = true}, 0.6), 0.0, 1e-4);
}

TEST(spheres_and_cubes_bounce_as_on_the_exact_path)
{
    CHECK_NEAR(difference((shower){.tolerance = 1e-5, .cubes = true}, 0.4), 0.0, 1e-4);
}
