// Models written to files: they read back to the same bits, in YAML and in JSON, whatever they are made of.

#include "test.h"

#include "folder.h"
#include "model/fingerprint.h"
#include "model/model.h"
#include "model/state.h"
#include "polhode/polhode.h"

#ifdef PH_WITH_YAML

#include <glob.h>

static ph_spec *read_spec(const char *text, const char *name)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    if (!CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), name, NULL, 0, problems, &spec), PH_OK)) {
        char message[512];
        for (int i = 0; i < ph_problems_count(problems) && i < 3; i++) {
            ph_problem_format(ph_problems_get(problems, i), message, sizeof message);
            printf("  %s\n", message);
        }
    }
    ph_problems_destroy(problems);
    return spec;
}

static ph_model *compile(const ph_spec *spec)
{
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
    return model;
}

// A few steps from the start: what the scheme sees is all that counts.
static void check_same_motion(const ph_model *a, const ph_model *b, const char *name)
{
    const ph_model *models[2] = {a, b};
    ph_state *states[2];
    for (int i = 0; i < 2; i++) {
        ph_sim_def def = ph_default_sim();
        ph_sim *sim = NULL;
        states[i] = ph_state_create(models[i]);
        if (ph_sim_create(models[i], &def, &sim, NULL) == PH_OK) {
            for (int k = 0; k < 5 && ph_sim_step(sim, states[i], 1e-3, NULL) == PH_OK; k++) {}
        }
        ph_sim_destroy(sim);
    }
    const size_t n = (size_t)a->body_count;
    bool same = a->body_count == b->body_count && a->joint_count == b->joint_count && a->force_count == b->force_count;
    same = same && memcmp(states[0]->position, states[1]->position, n * sizeof(ph_vec3)) == 0 &&
           memcmp(states[0]->orientation, states[1]->orientation, n * sizeof(ph_quat)) == 0 &&
           memcmp(states[0]->velocity, states[1]->velocity, n * sizeof(ph_vec3)) == 0 &&
           memcmp(states[0]->angular_velocity, states[1]->angular_velocity, n * sizeof(ph_vec3)) == 0;
    if (!CHECK(same)) {
        printf("  %s\n", name);
    }
    for (int i = 0; i < 2; i++) {
        ph_state_destroy(states[i]);
    }
}

// Writes, reads and writes again: both texts and both models are the same.
static void check_round(ph_spec *spec, ph_model_format format, const char *name)
{
    const char *text = NULL, *again = NULL;
    ph_error error = {.text = ""};
    if (!CHECK_EQ_INT(ph_spec_write_text(spec, format, &text, &error), PH_OK)) {
        printf("  %s: %s\n", name, error.text);
        return;
    }
    ph_spec *back = read_spec(text, name);
    if (!back) {
        printf("%s\n", text);
        return;
    }
    CHECK_EQ_INT(ph_spec_write_text(back, format, &again, &error), PH_OK);
    if (!CHECK(again && strcmp(text, again) == 0)) {
        printf("  %s\n%s\n%s\n", name, text, again);
    }
    ph_model *a = compile(spec), *b = compile(back);
    if (a && b) {
        CHECK_EQ_INT(model_fingerprint(a) == model_fingerprint(b), 1);
        check_same_motion(a, b, name);
    }
    ph_model_destroy(a);
    ph_model_destroy(b);
    ph_spec_destroy(back);
}

TEST(every_example_reads_back_to_the_same_model)
{
    static const char *const patterns[] = {TEST_SOURCE_DIR "/examples/*.yaml", TEST_SOURCE_DIR "/examples/*/*.yaml"};
    int count = 0;
    for (int k = 0; k < 2; k++) {
        glob_t files;
        if (glob(patterns[k], 0, NULL, &files) != 0) continue;
        for (size_t i = 0; i < files.gl_pathc; i++) {
            ph_spec *spec = NULL;
            if (CHECK_EQ_INT(ph_spec_read_file(files.gl_pathv[i], NULL, 0, NULL, &spec), PH_OK)) {
                check_round(spec, PH_MODEL_YAML, files.gl_pathv[i]);
                check_round(spec, PH_MODEL_JSON, files.gl_pathv[i]);
                count++;
            }
            ph_spec_destroy(spec);
        }
        globfree(&files);
    }
    CHECK(count >= 10);
}

// Everything that a model file can say, with names and numbers that need care.
static const char EVERYTHING[] =
    "polhode: 1\nname: 'a \"name\": with # all, of {it}'\nparameters: {l: 1/3, k: 2e-7}\ngravity: [0, -0.0, -9.81]\n"
    "inputs: {u: 0.1, w: -3}\n"
    "bodies:\n"
    "  - {name: ground, fixed: true, shapes: [{type: plane, normal: [0, 0, 2], friction: 0.3},\n"
    "     {type: heightfield, size: [2, 3, 1], values: [[0, 0.1, 0], [0.2, 0, l]], color: red}]}\n"
    "  - {name: 'yes', mass: 61.6538, inertia: [[5, 0.1, 0.01], [0.1, 4, 0.02], [0.01, 0.02, 3]], com: [l, 0, 0],\n"
    "     reference: [1, 2, 3], position: [0, l/2, 0], orientation: {axis: [1, 2, 3], angle: 0.7},\n"
    "     velocity: [1, 2, 3], angular_velocity: [0.1, 0.2, k], volume: 0.1}\n"
    "  - {name: 'b, c', reference: origin, orientation: {euler: zxz, angles: [0.1, 0.2, 0.3]}, position: [5, 0, 0],\n"
    "     shapes: [{type: sphere, radius: 0.1, density: 1000}, {type: box, size: [1, 2, 3], density: 10,\n"
    "     position: [l, 0, 1], orientation: {axis: x, angle: 1}, group: 2, collide: false, restitution: 0.5,\n"
    "     rolling_friction: 0.01, spinning_friction: 0.02, compliance: 1e-6}]}\n"
    "  - {name: \"\\u00e4 \\\\ x\", mass: 1, inertia: [1, 1, 1], position: [5, 5, 0], shapes: [\n"
    "     {type: capsule, radius: 0.1, length: 2, axis: -x}, {type: cylinder, radius: 0.1, length: 2},\n"
    "     {type: ellipsoid, radii: [1, 2, 3]}, {type: hull, points: [[0,0,0],[1,0,0],[0,1,0],[0,0,1]]}]}\n"
    "  - {name: p, mass: 1, inertia: [1, 1, 1], position: [9, 0, 0]}\n"
    "  - {name: q, mass: 1, inertia: [1, 1, 1], position: [9, 3, 0]}\n"
    "joints:\n"
    "  - {name: hinge, type: revolute, bodies: [world, 'b, c'], anchor: [5, 0, 0], axis: [0, 0, 1], limits: [null, 2],\n"
    "     damping: 0.1, stiffness: 3, rest: 0.2, start: 0.5, friction: 0.1, friction_speed: 0.01,\n"
    "     motor: {torque: 2*sin(t*l) + u}}\n"
    "  - {name: rail, type: prismatic, bodies: [world, p], axis: y, motor: {position: 0.1*t^2, kp: 10, kd: 1, max: 7}}\n"
    "  - {name: thread, type: screw, bodies: [world, q], anchor: [9, 3, 0], axis: x, pitch: 0.01}\n"
    "  - {name: wheels, type: gear, joints: [hinge, thread], ratio: 2.5}\n"
    "  - {name: part, type: generic, bodies: [world, \"\\u00e4 \\\\ x\"], anchor: [5, 5, 0], lock: [true, true, false, false,\n"
    "     true, false]}\n"
    "forces:\n"
    "  - {type: spring, bodies: [ground, p], point_a: [0, l, 0], stiffness: 100, damping: 1, length: 2}\n"
    "  - {name: twist, type: torsion, joint: thread, stiffness: 2, rest: 0.1}\n"
    "  - {type: bushing, bodies: [p, q], anchor: [9, 1, 0], stiffness: [1, 2, 3, 4, 5, 6], damping: [0, 0, 0, 1, 1, 1],\n"
    "     orientation: {axis: z, angle: 0.3}}\n"
    "  - {type: wrench, body: q, force: [u, 0, sin(t)], torque: [0, 0, -1], frame: body, point: [0, 0, l]}\n"
    "  - {type: wrench, body: p, force: [1, 0, 0]}\n"
    "initial: project\n"
    "record: {stress: [p, q], contacts: true}\n"
    "run: {scheme: lie-alpha, step: 1e-3, until: 2, options: {rho: 0.8}}\n";

TEST(everything_a_model_can_say_reads_back)
{
    ph_spec *spec = read_spec(EVERYTHING, "everything");
    if (spec) {
        check_round(spec, PH_MODEL_YAML, "YAML");
        check_round(spec, PH_MODEL_JSON, "JSON");
    }
    ph_spec_destroy(spec);
}

TEST(contact_settings_read_back)
{
    static const char text[] =
        "polhode: 1\nbodies:\n  - {name: a, mass: 1, inertia: [1, 1, 1], shapes: [{type: sphere, radius: 1}]}\n"
        "  - {name: b, mass: 1, inertia: [1, 1, 1], position: [3, 0, 0], shapes: [{type: sphere, radius: 1}]}\n"
        "contact: {solver: bb, law: relaxed, tolerance: 1e-9, iterations: 77, missed: 0, recovery_speed: 0.1, margin: 0.01, sleep: 0.002,\n"
        "  pairs: [{bodies: [a, b], friction: 0.9}, {bodies: [world, a], collide: false}]}\n";
    ph_spec *spec = read_spec(text, "contact");
    const char *written = NULL;
    if (!spec) return;
    check_round(spec, PH_MODEL_YAML, "YAML");
    ph_spec_write_text(spec, PH_MODEL_YAML, &written, NULL);
    CHECK(written && strstr(written, "iterations: 77") && strstr(written, "missed: 0") &&
          strstr(written, "law: relaxed") && strstr(written, "sleep: 0.002") && strstr(written, "bodies: [world, a]"));
    ph_spec_destroy(spec);
}

// Numbers of every size and kind.
TEST(numbers_keep_their_bits)
{
    for (int k = 0; k < 200; k++) {
        ph_spec *spec = ph_spec_create(NULL);
        ph_body_def body = ph_default_body();
        body.name = "b";
        body.mass = exp(test_uniform(-200, 200));
        body.inertia = (ph_mat3){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
        body.position = (ph_vec3){test_uniform(-1, 1), k % 2 ? -0.0 : 0.0, 1e-310 * test_uniform(0, 1)};
        const double angle = test_uniform(-4, 4);
        body.orientation = (ph_quat){cos(angle), sin(angle) * 0.6, 0.0, sin(angle) * 0.8};
        ph_spec_add_body(spec, &body);
        check_round(spec, k % 3 ? PH_MODEL_YAML : PH_MODEL_JSON, "numbers");
        ph_spec_destroy(spec);
    }
}

// ---- Stored with results --------------------------------------------------------------------------------------------

TEST(a_spec_built_by_calls_describes_itself)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def body = ph_default_body();
    ph_shape_def shape = ph_default_shape();
    body.name = "ball";
    shape.type = "sphere";
    shape.radius = 0.25;
    shape.density = 1000.0;
    ph_spec_add_body(spec, &body);
    ph_spec_add_shape(spec, 0, &shape);
    CHECK_EQ_INT(ph_spec_describe(spec, NULL), PH_OK);
    ph_model *model = compile(spec);
    CHECK(model && ph_model_text(model) && strstr(ph_model_text(model), "radius: 0.25"));
    ph_model_destroy(model);
    ph_callback_def callback = ph_default_callback();
    callback.body = 0;
    ph_spec_add_callback(spec, &callback);
    ph_error error;
    CHECK_EQ_INT(ph_spec_describe(spec, &error), PH_NOT_SUPPORTED);
    CHECK(strstr(error.text, "computes itself") != NULL);
    ph_spec_destroy(spec);
}

// ---- Files in the other format --------------------------------------------------------------------------------------

TEST(a_model_file_keeps_its_parameters_in_the_other_format)
{
    const folder f = folder_make();
    const file_path yaml = folder_file(&f, "a.yaml"), json = folder_file(&f, "a.json"),
                    back = folder_file(&f, "b.yaml");
    write_text_file(yaml.text, EVERYTHING);
    ph_problems *problems = ph_problems_create();
    ph_error error = {.text = ""};
    CHECK_EQ_INT(ph_model_file_convert(yaml.text, json.text, problems, &error), PH_OK);
    CHECK_EQ_INT(ph_model_file_convert(json.text, back.text, problems, &error), PH_OK);
    CHECK_STR(error.text, "");
    const char *paths[] = {yaml.text, json.text, back.text};
    const char *texts[3] = {NULL};
    ph_spec *specs[3] = {NULL};
    for (int i = 0; i < 3; i++) {
        const ph_setting longer = {"l", "0.5"};
        if (CHECK_EQ_INT(ph_spec_read_file(paths[i], &longer, 1, NULL, &specs[i]), PH_OK)) {
            ph_spec_write_text(specs[i], PH_MODEL_YAML, &texts[i], NULL);
            CHECK(texts[0] && texts[i] && strcmp(texts[0], texts[i]) == 0);
        }
    }
    char *text = read_text_file(json.text);
    CHECK(text && strstr(text, "\"l\": \"1/3\"") && strstr(text, "\"fixed\": true") && strstr(text, "null, 2]"));
    free(text);
    for (int i = 0; i < 3; i++) {
        ph_spec_destroy(specs[i]);
    }
    write_text_file(yaml.text, "a: [1, 2\n");
    CHECK_EQ_INT(ph_model_file_convert(yaml.text, json.text, problems, &error), PH_BAD_MODEL);
    CHECK(ph_problems_errors(problems) > 0);
    write_text_file(yaml.text, "[1, 2]\n");
    CHECK_EQ_INT(ph_model_file_convert(yaml.text, json.text, problems, &error), PH_BAD_MODEL);
    CHECK_EQ_INT(ph_model_file_convert("/no/such/file", json.text, problems, &error), PH_NOT_FOUND);
    ph_problems_destroy(problems);
    folder_remove(&f);
}

#else

TEST(needs_yaml)
{
    SKIP("built without libyaml");
}

#endif
