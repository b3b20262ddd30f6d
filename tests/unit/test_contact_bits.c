// Heaps of spheres, of bricks and of both under moreau, to tolerances that take single and double precision: the same bits for
// every number of threads and every instruction set.
#include "test.h"

#include "polhode/io.h"
#include "polhode/polhode.h"

#include <string.h>

enum { SIDE = 6, LAYERS = 6, WIDE_SIDE = 26, STEPS = 60, HILLS = 9 };

typedef enum heap_kind { SPHERES, BRICKS, BOTH } heap_kind;

// A plane, or for heaps of both kinds hills: contacts with triangles, of which nobody knows how many there will be.
static void add_floor(ph_spec *spec, heap_kind kind)
{
    double heights[HILLS * HILLS];
    for (int k = 0; k < HILLS * HILLS; k++) heights[k] = test_uniform(0.0, 1.0);
    ph_body_def floor = ph_default_body();
    floor.name = "floor";
    floor.fixed = true;
    ph_shape_def plane = ph_default_shape();
    plane.type = "plane";
    plane.size = (ph_vec3){0.0, 0.0, 1.0};
    plane.friction = 0.4;
    if (kind == BOTH) {
        plane.type = "heightfield";
        plane.size = (ph_vec3){4.0, 4.0, 0.1};
        plane.data = heights;
        plane.data_rows = plane.data_columns = HILLS;
    }
    ph_spec_add_shape(spec, ph_spec_add_body(spec, &floor), &plane);
}

// Loose layers above a floor, spheres or bricks (whose inertia differs from axis to axis).
static ph_model *heap_model(heap_kind kind, int side, double tolerance)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_contact_settings contact = ph_default_contact();
    contact.tolerance = tolerance;
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -9.81});
    ph_spec_set_contact(spec, &contact);
    add_floor(spec, kind);
    for (int k = 0; k < side * side * LAYERS; k++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", k);
        ph_body_def body = ph_default_body();
        body.name = name;
        const double jitter = 0.01 * test_uniform(-1.0, 1.0);
        body.position = (ph_vec3){0.22 * (k % side) + jitter, 0.22 * (k / side % side) - jitter,
                                  (kind == BOTH ? 0.22 : 0.12) + 0.22 * (k / side / side)};
        ph_shape_def shape = ph_default_shape();
        shape.type = kind == BRICKS || (kind == BOTH && k % 3 == 0) ? "box" : "sphere";
        shape.size = (ph_vec3){0.2, 0.14, 0.1};
        shape.radius = 0.1;
        shape.density = 1000.0;
        shape.friction = 0.5;
        ph_spec_add_shape(spec, ph_spec_add_body(spec, &body), &shape);
    }
    ph_model *model = NULL;
    ph_model_compile(spec, NULL, &model);
    ph_spec_destroy(spec);
    return model;
}

static uint64_t add_hash(uint64_t hash, const void *bytes, size_t count)
{
    for (size_t k = 0; k < count; k++) hash = (hash ^ ((const unsigned char *)bytes)[k]) * 0x100000001b3u;
    return hash;
}

// Of poses and velocities after the run; `contacts` is how many there were in the end.
static uint64_t run_hash(const ph_model *model, const char *scheme, int threads, int *contacts)
{
    ph_sim *sim = NULL;
    ph_sim_def def = ph_default_sim();
    def.scheme = scheme;
    def.threads = threads;
    uint64_t hash = 0xcbf29ce484222325u;
    ph_state *state = ph_state_create(model);
    if (CHECK(state && ph_sim_create(model, &def, &sim, NULL) == PH_OK)) {
        for (int k = 0; k < STEPS; k++) CHECK_EQ_INT(ph_sim_step(sim, state, 0.005, NULL), PH_OK);
        const size_t bodies = (size_t)ph_model_bodies(model);
        hash = add_hash(hash, ph_state_positions(state), bodies * sizeof(ph_vec3));
        hash = add_hash(hash, ph_state_orientations(state), bodies * sizeof(ph_quat));
        hash = add_hash(hash, ph_state_velocities(state), bodies * sizeof(ph_vec3));
        hash = add_hash(hash, ph_state_angular_velocities(state), bodies * sizeof(ph_vec3));
        ph_state_contacts(state, contacts);
    }
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    return hash;
}

static void check_bits(heap_kind kind, int side, double tolerance, int at_least)
{
    static const char *const paths[] = {"moreau:lanes=1", "moreau:lanes=2", "moreau:lanes=3"};
    static const int threads[] = {2, 3, 8};
    ph_model *model = heap_model(kind, side, tolerance);
    int contacts = 0;
    if (!CHECK(model)) return;
    const uint64_t expected = run_hash(model, "moreau", 1, &contacts);
    CHECK(contacts > at_least);
    for (int k = 0; k < 3; k++) CHECK(run_hash(model, paths[k], 1, &contacts) == expected);
    for (int k = 0; k < 3; k++) CHECK(run_hash(model, "moreau", threads[k], &contacts) == expected);
    ph_model_destroy(model);
}

TEST(spheres_have_the_same_bits)
{
    check_bits(SPHERES, SIDE, 1e-3, 300);
}

TEST(bricks_have_the_same_bits)
{
    check_bits(BRICKS, SIDE, 1e-3, 300);
}

TEST(both_on_hills_have_the_same_bits)
{
    check_bits(BOTH, SIDE, 1e-3, 300);
}

TEST(spheres_have_the_same_bits_to_more_digits)
{
    check_bits(SPHERES, SIDE, 3e-5, 300);
}

TEST(bricks_have_the_same_bits_to_more_digits)
{
    check_bits(BRICKS, SIDE, 3e-5, 300);
}

// One island of many thousand contacts, which threads share by domains.
TEST(large_heaps_have_the_same_bits)
{
    check_bits(SPHERES, WIDE_SIDE, 1e-3, 6000);
}

// Four-bars with a servo fall on a floor, forty of them: many small trees with loops.
static const char machines[] =
    "polhode: 1\ngravity: [0, 0, -9.81]\ncontact: {}\n"
    "defaults: {shapes: {type: capsule, radius: 0.03, length: 0.2, density: 800, friction: 0.5}}\n"
    "models:\n"
    "  bars:\n"
    "    parameters: {x: 0, lean: 0}\n"
    "    bodies:\n"
    "      - {name: base, position: [x, 0, 0.35], orientation: {axis: y, angle: 90 deg + lean}, shapes: [{density: 800}]}\n"
    "      - {name: left, position: [x - 0.1, 0.08, 0.2], shapes: [{density: 500}]}\n"
    "      - {name: right, position: [x + 0.1, 0.08, 0.2], shapes: [{density: 500}]}\n"
    "      - {name: foot, position: [x, 0.16, 0.1], orientation: {axis: y, angle: 90 deg}, shapes: [{density: 900}]}\n"
    "    joints:\n"
    "      - {name: a, type: revolute, axis: y, bodies: [base, left], anchor: [x - 0.1, 0, 0.3],\n"
    "         motor: {position: 0.3*sin(9*t), kp: 20, kd: 1}}\n"
    "      - {name: b, type: revolute, axis: y, bodies: [base, right], anchor: [x + 0.1, 0, 0.3]}\n"
    "      - {name: c, type: revolute, axis: y, bodies: [left, foot], anchor: [x - 0.1, 0, 0.1]}\n"
    "      - {name: d, type: revolute, axis: y, bodies: [right, foot], anchor: [x + 0.1, 0, 0.1]}\n"
    "bodies:\n"
    "  - {name: floor, fixed: true, shapes: [{type: plane, normal: z}]}\n"
    "parts:\n"
    "  - {repeat: {i: 40}, model: bars, prefix: m$(i)_, parameters: {x: 0.7*i, lean: 0.01*sin(i)}}\n"
    "run: {scheme: moreau, step: 5 ms, until: 1}\n";

TEST(many_machines_have_the_same_bits)
{
    static const int threads[] = {2, 3, 8};
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    int contacts = 0;
    CHECK_EQ_INT(ph_spec_read_text(machines, strlen(machines), "machines", NULL, 0, problems, &spec), PH_OK);
    if (!CHECK(spec) || !CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_OK)) {
        for (int k = 0; k < ph_problems_count(problems); k++) printf("  %s\n", ph_problems_get(problems, k)->text);
        return;
    }
    const uint64_t expected = run_hash(model, "moreau", 1, &contacts);
    CHECK(contacts > 60);
    for (int k = 0; k < 3; k++) CHECK(run_hash(model, "moreau", threads[k], &contacts) == expected);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
    ph_problems_destroy(problems);
}
