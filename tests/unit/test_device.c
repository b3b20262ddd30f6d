// Devices: heaps stepped by the kernels' text of gpu/, here on the processor (device "host").
#include "test.h"

#include "polhode/polhode.h"

#include <math.h>
#include <string.h>

#ifdef PH_WITH_HOST_KERNELS

typedef struct scene {
    const char *shape;
    int count;
    double friction, compliance, spread;
} scene;

static bool add_body(ph_spec *spec, const scene *s, int k)
{
    ph_body_def body = ph_default_body();
    ph_shape_def shape = ph_default_shape();
    char name[16];
    snprintf(name, sizeof name, "b%d", k);
    body.name = name;
    body.position =
        (ph_vec3){s->spread * (k % 3) + 0.01 * test_uniform(-1, 1), s->spread * (k / 3 % 3), 0.1 + s->spread * (k / 9)};
    body.orientation = (ph_quat){1, 0, 0, 0};
    shape.type = s->shape;
    shape.radius = 0.05;
    shape.length = 0.1;
    shape.size = (ph_vec3){0.1, 0.08, 0.12};
    shape.density = 1000;
    shape.friction = s->friction;
    shape.compliance = s->compliance;
    const int at = ph_spec_add_body(spec, &body);
    return at >= 0 && ph_spec_add_shape(spec, at, &shape) >= 0;
}

static ph_model *heap_of(const scene *s)
{
    ph_model *model = NULL;
    ph_spec *spec = ph_spec_create(NULL);
    ph_contact_settings contact = ph_default_contact();
    ph_body_def floor = ph_default_body();
    ph_shape_def plane = ph_default_shape();
    contact.tolerance = 1e-4;
    contact.iterations = 5000;
    floor.name = "floor";
    floor.fixed = true;
    plane.type = "plane";
    plane.size = (ph_vec3){0, 0, 1};
    plane.friction = s->friction;
    ph_spec_set_gravity(spec, (ph_vec3){0, 0, -9.81});
    bool good = ph_spec_set_contact(spec, &contact) == PH_OK &&
                ph_spec_add_shape(spec, ph_spec_add_body(spec, &floor), &plane) >= 0;
    for (int k = 0; k < s->count && good; k++) good = add_body(spec, s, k);
    ph_problems *problems = ph_problems_create();
    if (good) ph_model_compile(spec, problems, &model);
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    return model;
}

static ph_sim *sim_on(const ph_model *model, const char *device, ph_error *error)
{
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    def.scheme = "moreau";
    def.device = device;
    ph_sim_create(model, &def, &sim, error);
    return sim;
}

// Both find the same step to the tolerance: velocities differ by what the residual of either allows.
static void check_one_step(const scene *s, int before)
{
    ph_error error;
    ph_model *model = heap_of(s);
    ph_sim *cpu = sim_on(model, "cpu", &error), *host = sim_on(model, "host", &error);
    ph_state *a = ph_state_create(model), *b = ph_state_create(model);
    ph_step_report ra, rb;
    if (CHECK(cpu && host && a && b)) {
        CHECK(ph_sim_advance(cpu, a, 0.002, before, &ra) == PH_OK);
        ph_state_copy(b, a);
        CHECK(ph_sim_step(cpu, a, 0.002, &ra) == PH_OK && ph_sim_step(host, b, 0.002, &rb) == PH_OK);
        CHECK(rb.contact_residual <= 1e-4 && rb.contact_missed == 0);
        double most = 0.0;
        for (int k = 0; k < s->count; k++) {
            const ph_vec3 v = ph_state_velocities(a)[k + 1], w = ph_state_velocities(b)[k + 1];
            most = fmax(most, fmax(fabs(v.x - w.x), fmax(fabs(v.y - w.y), fabs(v.z - w.z))));
        }
        CHECK_NEAR(most, 0.0, 3e-3);
    }
    ph_state_destroy(a);
    ph_state_destroy(b);
    ph_sim_destroy(cpu);
    ph_sim_destroy(host);
    ph_model_destroy(model);
}

TEST(one_step_agrees_with_the_processor)
{
    const scene scenes[] = {{"sphere", 27, 0.5, 0.0, 0.11},
                            {"sphere", 27, 0.0, 0.0, 0.11},
                            {"box", 12, 0.5, 0.0, 0.13},
                            {"capsule", 9, 0.4, 0.0, 0.13},
                            {"sphere", 9, 0.3, 1e-6, 0.11}};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        check_one_step(&scenes[k], 1);
        check_one_step(&scenes[k], 60);
    }
}

// Energy goes into contacts and nowhere else; everything comes to rest on the floor.
static void check_rest(const scene *s)
{
    ph_error error;
    ph_model *model = heap_of(s);
    ph_sim *sim = sim_on(model, "host", &error);
    ph_state *state = ph_state_create(model);
    ph_step_report report;
    if (CHECK(sim && state)) {
        CHECK(ph_sim_advance(sim, state, 0.002, 1500, &report) == PH_OK);
        CHECK(report.contact_missed == 0);
        double lowest = 1.0, fastest = 0.0;
        for (int k = 0; k < s->count; k++) {
            const ph_vec3 x = ph_state_positions(state)[k + 1], v = ph_state_velocities(state)[k + 1];
            lowest = fmin(lowest, x.z);
            if (strcmp(s->shape, "box") == 0) fastest = fmax(fastest, fabs(v.z));
        }
        CHECK(lowest > 0.039);
        CHECK(fastest < 1e-2);
        int contacts;
        ph_vec3 push = {0, 0, 0};
        const ph_contact *list = ph_state_contacts(state, &contacts);
        for (int k = 0; k < contacts; k++)
            if (list[k].body_a == 0) push.z += list[k].force.z;
        if (strcmp(s->shape, "box") == 0)
            CHECK_REL(push.z, s->count * 9.81 * 1000 * 0.1 * 0.08 * 0.12, 2e-2); // their weight
    }
    ph_state_destroy(state);
    ph_sim_destroy(sim);
    ph_model_destroy(model);
}

TEST(heaps_come_to_rest)
{
    const scene boxes = {"box", 12, 0.5, 0.0, 0.13}, balls = {"sphere", 27, 0.5, 0.0, 0.11};
    check_rest(&boxes);
    check_rest(&balls);
}

// Steps one by one and in one call, and from a copy of the state, lead to the same bits.
TEST(calls_in_parts_give_the_same_bits)
{
    const scene s = {"box", 12, 0.5, 0.0, 0.13};
    ph_error error;
    ph_model *model = heap_of(&s);
    ph_sim *one = sim_on(model, "host", &error), *two = sim_on(model, "host", &error);
    ph_state *a = ph_state_create(model), *b = ph_state_create(model);
    if (CHECK(one && two && a && b)) {
        CHECK(ph_sim_advance(one, a, 0.002, 80, NULL) == PH_OK);
        for (int k = 0; k < 50; k++) CHECK(ph_sim_step(one, b, 0.002, NULL) == PH_OK);
        CHECK(ph_sim_advance(two, b, 0.002, 30, NULL) ==
              PH_OK); // another card, which knows the contacts from the state
        for (int k = 0; k <= s.count; k++) {
            const ph_vec3 x = ph_state_positions(a)[k], y = ph_state_positions(b)[k];
            CHECK(memcmp(&x, &y, sizeof x) == 0);
        }
    }
    ph_state_destroy(a);
    ph_state_destroy(b);
    ph_sim_destroy(one);
    ph_sim_destroy(two);
    ph_model_destroy(model);
}

// A heavy plate on a carpet of balls: more contacts on one body than there are colours.
TEST(a_body_may_have_more_contacts_than_there_are_colours)
{
    enum { SIDE = 9, BALLS = SIDE * SIDE };
    static const char HEAD[] =
        "polhode: 1\ngravity: [0, 0, -9.81]\ncontact: {tolerance: 1e-4, iterations: 5000}\nbodies:\n"
        "  - {name: floor, fixed: true, shapes: [{type: plane, normal: [0, 0, 1], friction: 0.5}]}\n"
        "  - {name: plate, position: [0.4, 0.4, 0.121], shapes: [{type: box, size: [1.1, 1.1, 0.04], density: 3000, "
        "friction: 0.5}]}\n";
    static char text[sizeof HEAD + 120 * BALLS];
    size_t at = (size_t)snprintf(text, sizeof text, "%s", HEAD);
    for (int k = 0; k < BALLS; k++)
        at += (size_t)snprintf(
            text + at, sizeof text - at,
            "  - {name: b%d, position: [%g, %g, 0.05], shapes: [{type: sphere, radius: 0.05, density: 1000}]}\n", k,
            0.105 * (k % SIDE), 0.105 * (k / SIDE));
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    ph_error error;
    CHECK_EQ_INT(ph_spec_read_text(text, at, "carpet", NULL, 0, NULL, &spec), PH_OK);
    if (spec) CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
    ph_sim *cpu = sim_on(model, "cpu", &error), *host = sim_on(model, "host", &error);
    ph_state *a = ph_state_create(model), *b = ph_state_create(model);
    ph_step_report report;
    if (CHECK(cpu && host && a && b)) {
        CHECK(ph_sim_advance(cpu, a, 0.002, 60, NULL) == PH_OK);
        CHECK(ph_sim_advance(host, b, 0.002, 60, &report) == PH_OK);
        CHECK(report.contacts >= 2 * BALLS && report.contact_missed == 0);
        CHECK_NEAR(ph_state_positions(b)[1].z, ph_state_positions(a)[1].z, 2e-5);
        CHECK_NEAR(ph_state_velocities(b)[1].z, 0.0, 1e-3);
        int contacts;
        double weight = 0.0;
        const ph_contact *list = ph_state_contacts(b, &contacts);
        for (int k = 0; k < contacts; k++)
            if (list[k].body_a == 0) weight += list[k].force.z;
        CHECK_REL(weight, 9.81 * (3000 * 1.1 * 1.1 * 0.04 + BALLS * 1000 * 4.18879 * 0.05 * 0.05 * 0.05), 2e-2);
    }
    ph_state_destroy(a);
    ph_state_destroy(b);
    ph_sim_destroy(cpu);
    ph_sim_destroy(host);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
}

TEST(what_a_device_lacks_is_refused_by_name)
{
    ph_error error;
    const scene s = {"cylinder", 2, 0.5, 0.0, 0.13};
    ph_model *model = heap_of(&s);
    CHECK(!sim_on(model, "host", &error) && strstr(error.text, "'b0'"));
    CHECK(!sim_on(model, "abacus", &error) && strstr(error.text, "no device 'abacus'"));
#ifndef PH_WITH_CUDA
    CHECK(!sim_on(model, "gpu", &error) && strstr(error.text, "POLHODE_CUDA"));
#endif
    ph_model_destroy(model);
}

// Their triangles are flat there: another ground than the one that was asked for.
TEST(smooth_height_fields_are_refused)
{
    static const char text[] =
        "polhode: 1\n"
        "contact: {tolerance: 1e-3}\n"
        "bodies:\n"
        "  - {name: hills, fixed: true, shapes: [{type: heightfield, size: [1, 1, 0.1], values: [[0, 1], [1, 0]], smooth: true}]}\n"
        "  - {name: ball, position: [0, 0, 1], shapes: [{type: sphere, radius: 0.1, density: 1000}]}\n";
    ph_spec *spec = NULL;
    ph_model *model = NULL;
    ph_error error;
    ph_problems *problems = ph_problems_create();
    CHECK_EQ_INT(ph_spec_read_text(text, sizeof text - 1, "hills", NULL, 0, problems, &spec), PH_OK);
    CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_OK);
    CHECK(!sim_on(model, "host", &error) && strstr(error.text, "smooth") && strstr(error.text, "'hills'"));
    ph_model_destroy(model);
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
}

#else
TEST(heaps_on_devices)
{
    SKIP("built without POLHODE_HOST_KERNELS");
}
#endif
