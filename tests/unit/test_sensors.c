// Sensors: what they read where that is known, in files, and acting back.

#include "text_model.h"

#include "polhode/adjoint.h"

#include <math.h>

#ifdef PH_WITH_YAML

typedef struct bench {
    ph_model *model;
    ph_state *state;
    ph_observer *observer;
    double values[64];
} bench;

static bench bench_of(const char *text)
{
    bench b = {.model = text_model(text)};
    if (!b.model) return b;
    b.state = ph_state_create(b.model);
    ph_observer_create(b.model, &b.observer);
    CHECK(ph_model_sensor_values(b.model) <= 64);
    return b;
}

static void bench_end(bench *b)
{
    ph_observer_destroy(b->observer);
    ph_state_destroy(b->state);
    ph_model_destroy(b->model);
}

// The readings of a sensor by name.
static const double *readings(bench *b, const char *name)
{
    const int index = ph_model_find_sensor(b->model, name);
    int at = 0;
    CHECK(index >= 0);
    CHECK_EQ_INT(ph_observer_sensors(b->observer, b->state, b->values), PH_OK);
    for (int k = 0; k < index; k++) at += ph_model_sensor(b->model, k).count;
    return b->values + at;
}

static void check3(const double *x, double a, double b, double c, double tolerance)
{
    CHECK_NEAR(x[0], a, tolerance);
    CHECK_NEAR(x[1], b, tolerance);
    CHECK_NEAR(x[2], c, tolerance);
}

// A rod that turns about z at 3 rad/s, driven; sensors 0.5 m out, turned by 90 degrees about z.
TEST(on_a_turning_arm)
{
    bench b = bench_of(
        "polhode: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: [{name: arm, mass: 2, inertia: [0.1, 0.1, 0.1], angular_velocity: [0, 0, 3]}]\n"
        "sites: [{name: s, body: arm, position: [0.5, 0, 0], orientation: {axis: z, angle: pi/2}}]\n"
        "joints: [{name: shaft, type: revolute, bodies: [world, arm], anchor: [0, 0, 0], axis: z, motor: {speed: 3}}]\n"
        "sensors:\n"
        "  - {name: acc, type: accelerometer, site: s}\n"
        "  - {name: gyro, type: gyro, site: s}\n"
        "  - {name: p, type: position, site: s}\n"
        "  - {name: v, type: velocity, site: s}\n"
        "  - {name: w, type: angular_velocity, site: s}\n"
        "  - {name: o, type: orientation, site: s}\n"
        "  - {name: enc, type: joint, joint: shaft}\n"
        "  - {name: ft, type: force_torque, joint: shaft}\n"
        "  - {name: f, type: value, value: 'qd.shaft^2 + t'}\n");
    if (!b.model) return;
    text_model_run(b.model, "rattlie", b.state, 1e-3, 100);
    const double a = 0.3, c = cos(a), s = sin(a);
    check3(readings(&b, "acc"), 0.0, 4.5, 9.81, 1e-9); // inwards along x of the arm, which is y of the sensor
    check3(readings(&b, "gyro"), 0.0, 0.0, 3.0, 1e-12);
    check3(readings(&b, "p"), 0.5 * c, 0.5 * s, 0.0, 1e-9);
    check3(readings(&b, "v"), -1.5 * s, 1.5 * c, 0.0, 1e-9);
    check3(readings(&b, "w"), 0.0, 0.0, 3.0, 1e-12);
    CHECK_NEAR(readings(&b, "o")[0], cos(0.5 * (a + acos(0.0))), 1e-9);
    CHECK_NEAR(readings(&b, "enc")[0], 0.3, 1e-9);
    CHECK_NEAR(readings(&b, "enc")[1], 3.0, 1e-12);
    check3(readings(&b, "ft"), 0.0, 0.0, 2 * 9.81, 1e-9);
    CHECK_NEAR(readings(&b, "f")[0], 9.1, 1e-9);
    CHECK_STR(ph_model_sensor(b.model, 0).units[1], "m/s^2");
    CHECK_STR(ph_model_sensor(b.model, 6).units[1], "rad/s");
    bench_end(&b);
}

TEST(falling_it_weighs_nothing)
{
    bench b = bench_of("polhode: 1\n"
                       "gravity: [0, 0, -9.81]\n"
                       "bodies: [{name: m, mass: 2, inertia: [1, 2, 3], orientation: {axis: x, angle: 1}}]\n"
                       "sensors: [{name: acc, type: accelerometer, body: m, position: [1, 2, 3]}]\n");
    if (!b.model) return;
    check3(readings(&b, "acc"), 0.0, 0.0, 0.0, 1e-12);
    bench_end(&b);
}

// A box on the ground: the scale reads its weight; lasers from above and beside see it, every shape alike.
TEST(contact_and_range)
{
    static const char *const shapes[] = {"{type: box, size: [0.4, 0.4, 0.4]}", "{type: sphere, radius: 0.2}",
                                         "{type: cylinder, radius: 0.2, length: 0.4}"};
    for (int k = 0; k < 3; k++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "polhode: 1\n"
            "gravity: [0, 0, -9.81]\n"
            "contact: {}\n"
            "bodies:\n"
            "  - {name: ground, fixed: true, shapes: [{type: plane, normal: z}]}\n"
            "  - {name: m, mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.2], shapes: [%s]}\n"
            "sensors:\n"
            "  - {name: scale, type: contact, body: ground}\n"
            "  - {name: other, type: contact, body: m, other: ground}\n"
            "  - {name: down, type: rangefinder, body: world, position: [0, 0, 3], orientation: {axis: x, angle: pi}}\n"
            "  - {name: past, type: rangefinder, body: world, position: [0.3, 0, 3], orientation: {axis: x, angle: pi}}\n"
            "  - {name: up, type: rangefinder, body: m, range: 5}\n",
            shapes[k]);
        bench b = bench_of(text);
        if (!b.model) return;
        text_model_run(b.model, "moreau", b.state, 1e-3, 200);
        CHECK_NEAR(readings(&b, "scale")[0], 2 * 9.81, 1e-4);
        CHECK_NEAR(readings(&b, "other")[0], 2 * 9.81, 1e-4);
        CHECK_NEAR(readings(&b, "down")[0], 2.6, 1e-5);
        CHECK_NEAR(readings(&b, "past")[0], 3.0, 1e-5);
        CHECK_NEAR(readings(&b, "up")[0], 5.0, 0.0);
        bench_end(&b);
    }
}

// ---- Acting back ----------------------------------------------------------------------------------------------------

static const char *const controlled =
    "polhode: 1\n"
    "bodies: [{name: m, mass: 1, inertia: [1, 1, 1]}]\n"
    "joints: [{name: rail, type: prismatic, bodies: [world, m], axis: x, coordinate: 0.2, motor: {torque: %s}}]\n"
    "sensors:\n"
    "  - {name: enc, type: joint, joint: rail}\n"
    "  - {name: acc, type: accelerometer, body: m}\n";

static double end_of(const char *law, const char *scheme, double h)
{
    char text[1024];
    snprintf(text, sizeof text, controlled, law);
    ph_model *model = text_model(text);
    if (!model) return (double)NAN;
    ph_state *state = ph_state_create(model);
    text_model_run(model, scheme, state, h, (int)(1.0 / h + 0.5));
    const double x = ph_state_positions(state)[0].x;
    ph_state_destroy(state);
    ph_model_destroy(model);
    return x;
}

// What is sampled once a step comes to what is always known as steps become short, to first order, under every scheme.
TEST(sampled_feedback)
{
    static const char *const schemes[] = {"rattlie", "rk4", "lie-alpha", "dop853", "moreau", "lgvi", "rkmk4"};
    const double known = end_of("'-30*q.rail - 4*qd.rail'", "dop853", 1e-3);
    for (int k = 0; k < 7; k++) {
        const double far = end_of("'-30*sensor.enc.coordinate - 4*sensor.enc.rate'", schemes[k], 2e-3) - known;
        const double near = end_of("'-30*sensor.enc.coordinate - 4*sensor.enc.rate'", schemes[k], 1e-3) - known;
        CHECK(fabs(near) < 2e-3);
        if (strcmp(schemes[k], "moreau") != 0) CHECK_NEAR(far / near, 2.0, 0.1);
    }
}

// A controller that does by samples what an exact discrete formula says: x'' = u held, u = -k x_n - c v_n.
TEST(sampled_feedback_is_exact)
{
    double x = 0.2, v = 0.0;
    const double h = 0.05;
    for (int n = 0; n < 20; n++) {
        const double u = -30 * x - 4 * v;
        x += h * v + 0.5 * h * h * u;
        v += h * u;
    }
    CHECK_NEAR(end_of("'-30*sensor.enc.coordinate - 4*sensor.enc.rate'", "rk4", h), x, 1e-12);
    CHECK_NEAR(end_of("'-30*sensor.enc.coordinate - 4*sensor.enc.rate'", "dop853", h), x, 1e-8);
}

TEST(gradients_are_refused_where_something_is_held)
{
    char text[1024];
    ph_adjoint *adjoint = NULL;
    ph_adjoint_def def = ph_default_adjoint();
    ph_error error = {.text = ""};
    snprintf(text, sizeof text, controlled, "sensor.acc.x");
    ph_model *model = text_model(text);
    if (!model) return;
    CHECK_EQ_INT(ph_adjoint_create(model, &def, &adjoint, &error), PH_NOT_SUPPORTED);
    CHECK(strstr(error.text, "sensors"));
    ph_model_destroy(model);
}

// ---- Files ----------------------------------------------------------------------------------------------------------

// A model with everything, written and read again, is the same model.
TEST(written_and_read)
{
    const char *text =
        "polhode: 1\n"
        "bodies: [{name: m, mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}]\n"
        "sites: [{name: a, body: world}, {name: b, body: m, position: [0, 0.1, 0]}]\n"
        "joints: [{name: rail, type: prismatic, bodies: [world, m], axis: x}]\n"
        "tendons: [{name: t, path: [a, b], joints: {rail: 0.5}, stiffness: 3, limits: [0.1, null], limit_stiffness: 9}]\n"
        "actuators:\n"
        "  - {name: n, joint: rail, control: sensor.s.length, gear: 2, limits: [-1, 1], delay: 0.1}\n"
        "  - {name: p, joint: rail, position: 0.2, kp: 3, kd: 1}\n"
        "  - {name: w, tendon: t, control: 2, max: 1}\n"
        "sensors:\n"
        "  - {name: s, type: tendon, tendon: t}\n"
        "  - {name: r, type: rangefinder, site: b, range: 4}\n"
        "  - {name: f, type: force_torque, joint: rail}\n"
        "  - {name: c, type: contact, body: m, other: world}\n"
        "  - {name: u, type: actuator, actuator: p}\n"
        "  - {name: e, type: value, value: 1 + t}\n";
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL, *again = NULL;
    const char *first = NULL, *second = NULL;
    CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "x.yaml", NULL, 0, problems, &spec), PH_OK);
    CHECK_EQ_INT(ph_spec_write_text(spec, PH_MODEL_YAML, &first, NULL), PH_OK);
    CHECK_EQ_INT(ph_spec_read_text(first, strlen(first), "y.yaml", NULL, 0, problems, &again), PH_OK);
    CHECK_EQ_INT(ph_spec_write_text(again, PH_MODEL_YAML, &second, NULL), PH_OK);
    CHECK(first && second && strcmp(first, second) == 0);
    ph_model *a = NULL, *b = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, problems, &a), PH_OK);
    CHECK_EQ_INT(ph_model_compile(again, problems, &b), PH_OK);
    CHECK(ph_model_fingerprint(a) == ph_model_fingerprint(b));
    for (int i = 0; i < ph_problems_count(problems); i++) printf("  %s\n", ph_problems_get(problems, i)->text);
    ph_model_destroy(a);
    ph_model_destroy(b);
    ph_spec_destroy(spec);
    ph_spec_destroy(again);
    ph_problems_destroy(problems);
}

// Sensors of parts have the names of their part, in expressions too.
TEST(in_parts)
{
    bench b = bench_of("polhode: 1\n"
                       "models:\n"
                       "  cart:\n"
                       "    bodies: [{name: m, mass: 1, inertia: [1, 1, 1]}]\n"
                       "    joints: [{name: rail, type: prismatic, bodies: [world, m], axis: x}]\n"
                       "    sensors: [{name: enc, type: joint, joint: rail}]\n"
                       "    actuators: [{name: a, joint: rail, control: 1 - sensor.enc.rate}]\n"
                       "parts: [{model: cart, repeat: {i: 2}, prefix: c$i_}]\n");
    if (!b.model) return;
    CHECK_EQ_INT(ph_model_sensors(b.model), 2);
    CHECK_EQ_INT(ph_model_find_sensor(b.model, "c1_enc"), 1);
    text_model_run(b.model, "rk4", b.state, 1e-3, 1000);
    CHECK_NEAR(readings(&b, "c1_enc")[1], 1.0 - exp(-1.0), 1e-3);
    bench_end(&b);
}

static void check_result(const char *path, const double *last, long long rows)
{
    ph_result *result = NULL;
    ph_error error = {.text = ""};
    if (!CHECK_EQ_INT(ph_result_open(path, &result, &error), PH_OK)) return;
    ph_curves *curves = ph_curves_create(result);
    double values[64];
    CHECK_EQ_INT((int)ph_result_rows(result), (int)rows);
    const int rate = ph_curves_find(curves, "sensors.enc.rate"), acc = ph_curves_find(curves, "sensors.acc.x");
    CHECK(rate >= 0 && acc >= 0);
    ph_curves_read(curves, rate, values, &error);
    CHECK_NEAR(values[rows - 1], last[1], 1e-15);
    ph_curves_read(curves, acc, values, &error);
    CHECK_NEAR(values[rows - 1], last[2], 1e-15);
    ph_curves_destroy(curves);
    ph_result_destroy(result);
}

TEST(in_results)
{
    static const char *const paths[] = {"sensors_test.csv", "sensors_test.h5"};
    char text[1024];
    snprintf(text, sizeof text, controlled, "'-30*sensor.enc.coordinate'");
    bench b = bench_of(text);
#ifdef PH_WITH_HDF5
    const int count = 2;
#else
    const int count = 1;
#endif
    for (int k = 0; b.model && k < count; k++) {
        ph_run_def def = ph_default_run();
        ph_summary summary;
        ph_error error = {.text = ""};
        def.step = 0.01, def.until = 0.5, def.out = paths[k];
        ph_state_reset(b.state);
        CHECK_EQ_INT(ph_run(b.model, b.state, &def, &summary, &error), PH_OK);
        check_result(paths[k], readings(&b, "enc"), 51);
        remove(paths[k]);
    }
    bench_end(&b);
}

#endif
