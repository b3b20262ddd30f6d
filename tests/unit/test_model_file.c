// Model files: what is read where, in all its forms.

#include "test.h"

#ifdef PH_WITH_YAML

#include "base/problems.h"
#include "math/quat.h"
#include "model/spec.h"
#include "polhode/io.h"

#include <glob.h>

// The spec of a text that must be right.
static ph_spec *read_with(const char *text, const ph_setting *settings, int count)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    const ph_status status = ph_spec_read_text(text, strlen(text), "test.yaml", settings, count, problems, &spec);
    CHECK_EQ_INT(status, PH_OK);
    for (int i = 0; i < ph_problems_count(problems); i++) {
        char written[1024];
        ph_problem_format(ph_problems_get(problems, i), written, sizeof written);
        printf("  %s\n", written);
    }
    ph_problems_destroy(problems);
    return spec;
}

static ph_spec *read_ok(const char *text)
{
    return read_with(text, NULL, 0);
}

// The first problem of a text that must be wrong: "line:column: text".
static const char *problem_of(const char *text, size_t length)
{
    static char result[512];
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    CHECK_EQ_INT(ph_spec_read_text(text, length, "test.yaml", NULL, 0, problems, &spec), PH_BAD_MODEL);
    CHECK(!spec);
    const ph_problem *first = ph_problems_get(problems, 0);
    snprintf(result, sizeof result, "%d:%d: %s", first ? first->line : 0, first ? first->column : 0,
             first ? first->text : "no problem");
    ph_problems_destroy(problems);
    return result;
}

#define PROBLEM(text, expected) CHECK_STR(problem_of(text, strlen(text)), expected)

static void check_vec(ph_vec3 v, double x, double y, double z)
{
    CHECK_NEAR(v.x, x, 1e-15);
    CHECK_NEAR(v.y, y, 1e-15);
    CHECK_NEAR(v.z, z, 1e-15);
}

static void check_quat(ph_quat q, double w, double x, double y, double z)
{
    CHECK_NEAR(q.w, w, 1e-15);
    CHECK_NEAR(q.x, x, 1e-15);
    CHECK_NEAR(q.y, y, 1e-15);
    CHECK_NEAR(q.z, z, 1e-15);
}

// ---- The examples ---------------------------------------------------------------------------------------------------

TEST(every_example_is_a_good_model)
{
    glob_t found;
    if (!CHECK(glob(TEST_SOURCE_DIR "/examples/*.yaml", 0, NULL, &found) == 0)) {
        return;
    }
    CHECK(found.gl_pathc >= 6);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        ph_problems *problems = ph_problems_create();
        ph_model *model = NULL;
        if (!CHECK(ph_model_read_file(found.gl_pathv[i], NULL, 0, problems, &model) == PH_OK) ||
            !CHECK_EQ_INT(ph_problems_count(problems), 0)) {
            printf("  ... in %s\n", found.gl_pathv[i]);
        }
        ph_model_destroy(model);
        ph_problems_destroy(problems);
    }
    globfree(&found);
}

static ph_model *read_example(const char *path)
{
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_read_file(path, NULL, 0, problems, &model), PH_OK);
    ph_problems_destroy(problems);
    return model;
}

TEST(closed_loops_of_the_examples)
{
    static const char *const paths[] = {TEST_SOURCE_DIR "/examples/slider_crank.yaml",
                                        TEST_SOURCE_DIR "/examples/four_bar.yaml"};
    for (int i = 0; i < 2; i++) {
        ph_model *model = read_example(paths[i]);
        if (CHECK(model != NULL)) {
            CHECK_EQ_INT(ph_model_rows(model), 20);
            CHECK_EQ_INT(ph_model_rank(model), 17);
            CHECK_EQ_INT(ph_model_freedoms(model), 1);
        }
        ph_model_destroy(model);
    }
}

TEST(double_pendulum)
{
    ph_problems *problems = ph_problems_create();
    ph_spec *spec = NULL;
    CHECK_EQ_INT(ph_spec_read_file(TEST_SOURCE_DIR "/examples/double_pendulum.yaml", NULL, 0, problems, &spec), PH_OK);
    ph_problems_destroy(problems);
    if (!CHECK(spec != NULL)) {
        return;
    }
    CHECK_STR(spec->name, "spatial double pendulum");
    check_vec(spec->gravity, 0.0, 0.0, -9.81);
    CHECK_EQ_INT(spec->body_count, 2);
    const ph_body_def *rod1 = &spec->bodies[0].def, *rod2 = &spec->bodies[1].def;
    CHECK_STR(rod1->name, "rod1");
    CHECK_NEAR(rod1->mass, 61.6538, 0);
    CHECK_NEAR(rod1->inertia.m[1][1], 0.0771, 0);
    CHECK_NEAR(rod1->volume, 0.00785, 0);
    check_vec(rod1->position, 0.0, 0.5, 0.0);
    check_vec(rod2->position, -0.5, 1.0, 0.0);
    check_quat(rod2->orientation, sqrt(0.5), 0.0, 0.0, sqrt(0.5));
    CHECK_STR(spec->bodies[1].shapes[0].type, "cylinder");
    check_vec(spec->bodies[1].shapes[0].axis, 0.0, 1.0, 0.0);
    CHECK_EQ_INT(spec->joint_count, 2);
    CHECK_STR(spec->joints[1].name, "A");
    CHECK_STR(spec->joints[1].type, "ball");
    CHECK_EQ_INT(spec->joints[0].body_a, PH_WORLD);
    CHECK_EQ_INT(spec->joints[1].body_b, 1);
    CHECK(spec->joints[1].has_anchor && !spec->joints[1].has_anchor_a);
    check_vec(spec->joints[1].anchor, 0.0, 1.0, 0.0);
    CHECK_EQ_INT(spec->force_count, 0);
    CHECK_STR(spec->inputs[0].name, "u");
    CHECK(!spec->project && !spec->has_contact);
    CHECK(spec->record.stress_all && spec->record.contacts);
    CHECK_STR(spec->run.scheme, "rattlie");
    CHECK_NEAR(spec->run.step, 1e-3, 0);
    CHECK_NEAR(spec->run.until, 50.0, 0);
    CHECK(!spec->run.options);
    CHECK(strstr(spec->text, "polhode: 1") != NULL);
    ph_spec_destroy(spec);
}

// ---- Values ---------------------------------------------------------------------------------------------------------

#define HEAD "polhode: 1\nbodies:\n"
#define BODY(keys) "  - {name: b, mass: 1, inertia: [1, 1, 1], " keys "}\n"

TEST(orientations_have_four_forms)
{
    ph_spec *spec = read_ok(HEAD "  - {name: a, orientation: {quaternion: [sqrt(0.5), 0, 0, sqrt(0.5)]}}\n"
                                 "  - {name: b, orientation: {matrix: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}}\n"
                                 "  - {name: c, orientation: {axis: [0, 0, 3], angle: pi/2}}\n"
                                 "  - {name: d, orientation: {euler: zxz, angles: [pi/2, 0, 0]}}\n"
                                 "  - {name: e, orientation: {axis: z, angle: pi/2}}\n"
                                 "  - {name: f, orientation: {quaternion: [0.70710678, 0, 0, 0.70710678]}}\n");
    for (int i = 0; spec && i < 6; i++) {
        check_quat(spec->bodies[i].def.orientation, sqrt(0.5), 0.0, 0.0, sqrt(0.5));
    }
    ph_spec_destroy(spec);
    spec = read_ok(HEAD "  - {name: a, orientation: {euler: xyz, angles: [0.1, 0.2, 0.3]}}\n");
    if (spec) { // intrinsic: x first, then the new y, then the newest z
        const ph_quat x = ph_quat_from_axis_angle(ph_vec(1, 0, 0), 0.1),
                      y = ph_quat_from_axis_angle(ph_vec(0, 1, 0), 0.2),
                      z = ph_quat_from_axis_angle(ph_vec(0, 0, 1), 0.3), q = ph_quat_mul(ph_quat_mul(x, y), z);
        check_quat(spec->bodies[0].def.orientation, q.w, q.x, q.y, q.z);
    }
    ph_spec_destroy(spec);
}

TEST(inertia_has_three_forms)
{
    ph_spec *spec = read_ok(HEAD "  - {name: a, inertia: [1, 2, 3]}\n"
                                 "  - {name: b, inertia: [1, 2, 3, 0.1, 0.2, 0.3]}\n"
                                 "  - {name: c, inertia: [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 3]]}\n");
    if (spec) {
        const ph_mat3 *a = &spec->bodies[0].def.inertia, *b = &spec->bodies[1].def.inertia;
        CHECK(a->m[0][0] == 1 && a->m[1][1] == 2 && a->m[2][2] == 3 && a->m[0][1] == 0);
        CHECK(b->m[0][1] == 0.1 && b->m[0][2] == 0.2 && b->m[1][2] == 0.3 && b->m[2][1] == 0.3);
        CHECK(memcmp(b, &spec->bodies[2].def.inertia, sizeof *b) == 0);
    }
    ph_spec_destroy(spec);
}

TEST(bodies_take_all_their_keys)
{
    ph_spec *spec = read_ok(HEAD "  - {name: a, fixed: true, reference: origin}\n"
                                 "  - {name: b, mass: 2, com: [1, 2, 3], reference: [4, 5, 6], velocity: [7, 8, 9],\n"
                                 "     angular_velocity: [1, 0, -1], volume: 0.5}\n");
    if (spec) {
        const ph_body_def *a = &spec->bodies[0].def, *b = &spec->bodies[1].def;
        CHECK(a->fixed && a->reference == PH_REFERENCE_ORIGIN && !b->fixed && b->mass == 2 && b->volume == 0.5);
        CHECK_EQ_INT(b->reference, PH_REFERENCE_POINT);
        check_vec(b->com, 1, 2, 3);
        check_vec(b->reference_point, 4, 5, 6);
        check_vec(b->velocity, 7, 8, 9);
        check_vec(b->angular_velocity, 1, 0, -1);
    }
    ph_spec_destroy(spec);
}

TEST(parameters_use_earlier_ones)
{
    ph_spec *spec = read_ok("polhode: 1\nparameters: {a: 2, b: a^2 + 1, c: \"max(a, b)\"}\nbodies:\n"
                            "  - {name: x, mass: c, position: [a, b, -c]}\n");
    if (spec) {
        CHECK_NEAR(spec->bodies[0].def.mass, 5.0, 0);
        check_vec(spec->bodies[0].def.position, 2.0, 5.0, -5.0);
    }
    ph_spec_destroy(spec);
}

TEST(settings_replace_parameters_and_inputs)
{
    static const char text[] = "polhode: 1\nparameters: {a: 2, b: 2*a}\ninputs: {u: b}\nbodies: [{name: x, mass: b}]\n";
    ph_spec *spec = read_with(text, (ph_setting[]){{"a", "1.5*2"}, {"u", "a + b"}}, 2);
    if (spec) {
        CHECK_NEAR(spec->bodies[0].def.mass, 6.0, 0); // b follows a
        CHECK_NEAR(spec->inputs[0].value, 9.0, 0);
    }
    ph_spec_destroy(spec);
    spec = read_with(text, (ph_setting[]){{"b", "1"}, {"b", "a/4"}}, 2); // the last counts
    if (spec) {
        CHECK_NEAR(spec->bodies[0].def.mass, 0.5, 0);
    }
    ph_spec_destroy(spec);
}

#define JOINT(keys) "  - {name: h, type: revolute, bodies: [world, b], anchor: [0, 0, 0], axis: z, " keys "}\n"

TEST(motors_take_expressions_of_time)
{
    ph_spec *spec = read_ok(
        "polhode: 1\nparameters: {A: 0.1, n: -2.5, t0: 1e-20}\ninputs: {u: 0}\nbodies:\n" BODY("") "joints:\n" //
        JOINT("motor: {torque: \"A*sin(n*t) + u^2 - 3*qd.h*1e3\"}"));
    if (spec) {
        CHECK_EQ_INT(spec->joints[0].motor, PH_MOTOR_TORQUE);
        CHECK_STR(spec->joints[0].motor_value.expression, "0.1*sin((-2.5)*t) + u^2 - 3*qd.h*1e3");
    }
    ph_spec_destroy(spec);
    spec = read_ok("polhode: 1\nparameters: {w: 2}\nbodies:\n" BODY("") "joints:\n" JOINT("motor: {speed: w*pi}"));
    if (spec) {
        CHECK_EQ_INT(spec->joints[0].motor, PH_MOTOR_SPEED);
        CHECK(!spec->joints[0].motor_value.expression);
        CHECK_NEAR(spec->joints[0].motor_value.number, 6.283185307179586, 0);
    }
    ph_spec_destroy(spec);
    spec = read_ok(HEAD BODY("") "joints:\n" JOINT("motor: {position: t, kp: 10, kd: 1, max: 4}"));
    if (spec) {
        CHECK_EQ_INT(spec->joints[0].motor, PH_MOTOR_SERVO);
        CHECK_STR(spec->joints[0].motor_value.expression, "t");
        CHECK(spec->joints[0].motor_kp == 10 && spec->joints[0].motor_kd == 1 && spec->joints[0].motor_max == 4);
    }
    ph_spec_destroy(spec);
}

TEST(joints_take_their_keys)
{
    ph_spec *spec = read_ok(
        HEAD BODY("") "joints:\n" //
        JOINT("limits: [null, 2], damping: 1, stiffness: 2, rest: 3, friction: 4, friction_speed: 5, start: 6"));
    if (spec) {
        const ph_joint_def *h = &spec->joints[0];
        CHECK(!h->has_limit_low && h->has_limit_high && h->limit_high == 2);
        CHECK(h->damping == 1 && h->stiffness == 2 && h->rest == 3 && h->friction == 4 && h->friction_speed == 5);
        CHECK(h->has_start && h->start == 6 && h->has_axis && h->motor == PH_MOTOR_NONE);
    }
    ph_spec_destroy(spec);
    spec = read_ok(HEAD BODY(
        "") "joints:\n"
            "  - {name: a, type: ball, bodies: [b, world], anchor_a: [1, 0, 0], anchor_b: [0, 1, 0]}\n"
            "  - {name: b, type: universal, bodies: [world, b], anchor: [0, 0, 0], axis: [1, 0, 0], axis2: -y}\n"
            "  - {name: c, type: distance, bodies: [world, b], anchor_a: [0, 0, 0], anchor_b: [0, 0, 0], length: 2}\n"
            "  - {name: d, type: prismatic, bodies: [world, b], axis_a: z}\n");
    if (spec) {
        CHECK(spec->joints[0].has_anchor_a && spec->joints[0].anchor_b.y == 1 && spec->joints[0].body_b == PH_WORLD);
        CHECK(spec->joints[1].has_axis2);
        check_vec(spec->joints[1].axis2, 0.0, -1.0, 0.0);
        CHECK(spec->joints[2].length == 2);
        CHECK(spec->joints[3].has_axis_a && spec->joints[3].axis_a.z == 1);
    }
    ph_spec_destroy(spec);
}

TEST(joints_of_all_types_compile)
{
    static const char *const joints[] = {
        "type: fixed",
        "type: ball, anchor: [0, 0, 1]",
        "type: revolute, anchor: [0, 0, 1], axis: y, limits: [-1, 1]",
        "type: prismatic, axis: [1, 1, 0], damping: 2",
        "type: cylindrical, anchor: [0, 1, 0], axis: z",
        "type: universal, anchor: [0, 1, 0], axis: z, axis2: x",
        "type: distance, anchor_a: [0, 0, 2], anchor_b: [0, 0, 0]",
        "type: planar, normal: z",
        "type: point_on_line, anchor: [0, 0, 0], axis: x",
        "type: point_on_plane, anchor: [0, 0, 0], normal: [0, 0, 1]",
        "type: screw, anchor: [0, 0, 0], axis: z, pitch: 0.01",
        "type: generic, lock: [true, true, true, false, true, true]",
    };
    enum { COUNT = sizeof joints / sizeof joints[0] };
    char text[8192] = "polhode: 1\nbodies:\n", line[256];
    for (int i = 0; i <= COUNT; i++) {
        sprintf(line, "  - {name: b%d, mass: 1, inertia: [1, 1, 1]}\n", i);
        strcat(text, line);
    }
    strcat(text, "joints:\n  - {name: g, type: gear, joints: [j2, h], ratio: -2}\n"
                 "  - {name: h, type: revolute, bodies: [world, b12], anchor: [0, 0, 0], axis: x}\n");
    for (int i = 0; i < COUNT; i++) {
        sprintf(line, "  - {name: j%d, bodies: [world, b%d], %s}\n", i, i, joints[i]);
        strcat(text, line);
    }
    ph_spec *spec = read_ok(text);
    ph_model *model = NULL;
    ph_problems *problems = ph_problems_create();
    if (spec && CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_OK)) {
        CHECK_EQ_INT(ph_model_joints(model), COUNT + 2);
        CHECK_STR(ph_model_joint(model, 0).type, "gear");
        CHECK(spec->joints[0].gear_joint[0] == 4 && spec->joints[0].gear_joint[1] == 1 && spec->joints[0].ratio == -2);
        CHECK(spec->joints[COUNT + 1].lock[0] && !spec->joints[COUNT + 1].lock[3]);
        CHECK(spec->joints[COUNT].pitch == 0.01);
    }
    for (int i = 0; i < ph_problems_count(problems); i++) {
        printf("  %s\n", ph_problems_get(problems, i)->text);
    }
    ph_problems_destroy(problems);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
}

TEST(forces_take_their_keys)
{
    ph_spec *spec = read_ok(
        "polhode: 1\nparameters: {k: 3}\nforces:\n"
        "  - {type: spring, name: s, bodies: [world, b], point_a: [1, 0, 0], point_b: [0, 1, 0], stiffness: k, damping: 2, length: 1}\n"
        "  - {type: torsion, joint: h, stiffness: 4, damping: 5, rest: 6}\n"
        "  - {type: bushing, bodies: [world, b], anchor: [0, 0, 1], orientation: {axis: x, angle: 1}, stiffness: [1, 2, 3, 4, 5, 6],\n"
        "     damping: [[1, 0, 0, 0, 0, 9], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [9, 0, 0, 0, 0, 1]]}\n"
        "  - {type: wrench, body: b, force: [1, cos(t), k], torque: [0, 0, k*t], frame: body}\n"
        "  - {type: wrench, body: b, force: [0, 0, 1], point: [0, 2, 0]}\n"
        "bodies:\n" BODY("") "joints:\n" JOINT("start: 0"));
    if (!spec || !CHECK_EQ_INT(spec->force_count, 5)) {
        ph_spec_destroy(spec);
        return;
    }
    const ph_force_def *f = spec->forces;
    CHECK(f[0].stiffness == 3 && f[0].damping == 2 && f[0].has_length && f[0].length == 1 && f[0].point_b.y == 1);
    CHECK(f[0].body_a == PH_WORLD && f[0].body_b == 0 && !f[0].at_com);
    CHECK(f[1].joint == 0 && f[1].stiffness == 4 && f[1].has_length && f[1].length == 6);
    CHECK(f[2].stiffness6[5][5] == 6 && f[2].stiffness6[0][5] == 0 && f[2].damping6[0][5] == 9 && f[2].anchor.z == 1);
    CHECK(f[3].body_b == 0 && f[3].body_frame && f[3].at_com && f[3].force[0].number == 1 && f[3].force[2].number == 3);
    CHECK_STR(f[3].force[1].expression, "cos(t)");
    CHECK_STR(f[3].torque[2].expression, "3*t");
    CHECK(!f[4].at_com && f[4].point_b.y == 2 && !f[4].body_frame);
    ph_spec_destroy(spec);
}

TEST(shapes_of_all_kinds)
{
    ph_spec *spec = read_ok(
        HEAD "  - name: b\n    shapes:\n"
             "      - {type: sphere, radius: 1, friction: 0.1, restitution: 0.2, rolling_friction: 0.3,\n"
             "         spinning_friction: 0.4, compliance: 0.5, density: 6, group: -7, collide: false, color: red}\n"
             "      - {type: box, size: [1, 2, 3], position: [4, 5, 6], orientation: {axis: x, angle: 0}}\n"
             "      - {type: capsule, radius: 1, length: 2, axis: [1, 1, 0], color: \"#0Fa000\"}\n"
             "      - {type: cylinder, radius: 1, length: 2, axis: x}\n"
             "      - {type: ellipsoid, radii: [1, 2, 3]}\n"
             "      - {type: plane}\n"
             "      - {type: plane, normal: [0, 1, 1]}\n"
             "      - {type: hull, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}\n"
             "      - {type: hull, file: rock.obj}\n"
             "      - {type: mesh, file: parts/gear.obj}\n"
             "      - {type: heightfield, size: [1, 1, 1], values: [[0, 1, 2], [3, 4, 5]]}\n"
             "      - {type: heightfield, size: [1, 1, 1], file: hills.csv}\n");
    if (!spec || !CHECK_EQ_INT(spec->bodies[0].shape_count, 12)) {
        ph_spec_destroy(spec);
        return;
    }
    const ph_shape_def *s = spec->bodies[0].shapes;
    CHECK(s[0].radius == 1 && s[0].friction == 0.1 && s[0].restitution == 0.2 && s[0].rolling_friction == 0.3);
    CHECK(s[0].spinning_friction == 0.4 && s[0].compliance == 0.5 && s[0].density == 6 && s[0].group == -7);
    CHECK(!s[0].collide && s[1].collide);
    CHECK_STR(s[0].color, "#d62728");
    CHECK_STR(s[2].color, "#0Fa000");
    check_vec(s[1].size, 1, 2, 3);
    check_vec(s[1].position, 4, 5, 6);
    check_vec(s[3].axis, 1, 0, 0);
    check_vec(s[4].size, 1, 2, 3);
    check_vec(s[5].size, 0, 0, 1);
    check_vec(s[6].size, 0, 1, 1);
    CHECK(s[7].data_rows == 4 && s[7].data_columns == 3 && s[7].data[11] == 1 && !s[7].file);
    CHECK_STR(s[8].file, "rock.obj");
    CHECK_STR(s[9].file, "parts/gear.obj");
    CHECK(s[10].data_rows == 2 && s[10].data_columns == 3 && s[10].data[5] == 5);
    CHECK(!s[11].data);
    ph_spec_destroy(spec);
}

TEST(settings_of_contact_record_and_run)
{
    ph_spec *spec = read_ok(HEAD BODY(
        "") "contact: {solver: pgs, law: relaxed, tolerance: 1e-6, iterations: 50, missed: 3, recovery_speed: 1, margin: 0.01, sleep: 2e-3,\n"
            "  pairs: [{bodies: [world, b], friction: 0.9}, {bodies: [b, world], collide: false}]}\n"
            "record: {stress: [b]}\ninitial: project\n"
            "run: {scheme: lie-alpha, options: {rho: 8/10, variant: fast}}\n");
    if (spec) {
        const ph_contact_settings *c = &spec->contact;
        CHECK(spec->has_contact && c->law == PH_LAW_RELAXED && c->tolerance == 1e-6 && c->iterations == 50 &&
              c->missed == 3);
        CHECK(c->recovery_speed == 1 && c->margin == 0.01 && c->sleep == 2e-3 && c->pair_count == 2);
        CHECK_STR(c->solver, "pgs");
        CHECK(c->pairs[0].friction == 0.9 && c->pairs[0].restitution < 0 && c->pairs[0].body_a == PH_WORLD);
        CHECK(c->pairs[0].collide && !c->pairs[1].collide);
        CHECK(spec->record.stress_count == 1 && spec->record.stress[0] == 0 && !spec->record.stress_all);
        CHECK(spec->project && spec->run.step == 0);
        CHECK_STR(spec->run.scheme, "lie-alpha");
        CHECK_STR(spec->run.options, "rho=0.8,variant=fast");
    }
    ph_spec_destroy(spec);
}

TEST(contact_is_on_when_the_key_is_there)
{
    ph_spec *spec = read_ok(HEAD BODY("") "contact:\n");
    CHECK(spec && spec->has_contact && spec->contact.law == PH_LAW_COULOMB && spec->contact.iterations == 500);
    ph_spec_destroy(spec);
    spec = read_ok(HEAD BODY("") "contact: {}\n");
    CHECK(spec && spec->has_contact);
    ph_spec_destroy(spec);
    spec = read_ok(HEAD BODY(""));
    CHECK(spec && !spec->has_contact && !spec->record.contacts);
    ph_spec_destroy(spec);
}

TEST(empty_parts_are_allowed)
{
    ph_spec *spec = read_ok(
        "polhode: 1\nparameters:\ninputs: ~\nbodies: [{name: b, shapes: }]\njoints: null\nforces:\nrun:\nrecord:\n");
    CHECK(spec && spec->body_count == 1 && spec->joint_count == 0);
    ph_spec_destroy(spec);
}

TEST(aliases_stand_for_what_they_name)
{
    ph_spec *spec = read_ok(
        "polhode: 1\nbodies:\n  - {name: a, mass: &m 3, position: &p [1, 2, 3]}\n  - {name: b, mass: *m, position: *p}\n");
    if (spec) {
        CHECK_NEAR(spec->bodies[1].def.mass, 3.0, 0);
        check_vec(spec->bodies[1].def.position, 1, 2, 3);
    }
    ph_spec_destroy(spec);
}

TEST(json_is_accepted)
{
    ph_spec *spec = read_ok(
        "{\"polhode\": 1, \"name\": \"j\\u00f6\",\n\t\"bodies\": [{\"name\": \"b\", \"mass\": 1e0, \"position\": [\"1/4\", 0, -2],\n"
        "\t\t\"fixed\": false}],\n\t\"joints\": []}\n");
    if (spec) {
        CHECK_STR(spec->name, "j\xc3\xb6");
        CHECK_NEAR(spec->bodies[0].def.position.x, 0.25, 0);
    }
    ph_spec_destroy(spec);
}

TEST(the_parts_may_stand_in_any_order)
{
    ph_spec *spec = read_ok("run: {step: h}\njoints: [{name: O, type: ball, bodies: [world, b], anchor: [0, 0, 0]}]\n"
                            "bodies: [{name: b, mass: h}]\nparameters: {h: 2}\npolhode: 1\n");
    CHECK(spec && spec->run.step == 2 && spec->joints[0].body_b == 0);
    ph_spec_destroy(spec);
}

// ---- Places ---------------------------------------------------------------------------------------------------------

static void check_place(const ph_spec *spec, const char *path, int line, int column)
{
    ph_problem problem = {0};
    spec->locate(spec->locate_user, path, &problem);
    if (!CHECK(problem.line == line && problem.column == column)) {
        printf("    %s is at %d:%d\n", path, problem.line, problem.column);
    }
    CHECK_STR(problem.file, "test.yaml");
}

TEST(paths_lead_to_places)
{
    ph_spec *spec = read_ok("# comment\npolhode: 1\ngravity: [0, 0, -1]\nbodies:\n  - name: a\n    mass: 1\n"
                            "  - {name: b, shapes: [{type: sphere, radius: 2}], inertia: [1, 2, 3]}\nrun: {step: 1}\n");
    if (!spec) {
        return;
    }
    check_place(spec, "gravity", 3, 10);
    check_place(spec, "gravity[2]", 3, 17);
    check_place(spec, "bodies", 5, 3);
    check_place(spec, "bodies[0]", 5, 5);
    check_place(spec, "bodies[0].mass", 6, 11);
    check_place(spec, "bodies[0].inertia", 5, 5); // absent: the body
    check_place(spec, "bodies[1].inertia", 7, 61);
    check_place(spec, "bodies[1].shapes[0].radius", 7, 47);
    check_place(spec, "bodies[1].shapes[0].friction", 7, 24);
    check_place(spec, "bodies[7].mass", 5, 3);
    check_place(spec, "run.step", 8, 13);
    check_place(spec, "nowhere", 1, 1);
    check_place(spec, "", 1, 1);
    check_place(spec, NULL, 1, 1);
    check_place(spec, "[", 1, 1);
    check_place(spec, "bodies[0", 5, 5);
    check_place(spec, "bodies..", 5, 3);
    ph_problem problem = {0};
    spec->locate(spec->locate_user, "bodies[0].mass", &problem);
    CHECK_STR(problem.source, "    mass: 1");
    ph_spec_destroy(spec);
}

TEST(columns_count_characters_and_lines_end_in_any_way)
{
    PROBLEM("polhode: 1\r\nname: \xc3\xa4\xc3\xb6\r\nbodies: [{name: \"\xe2\x82\xac\", mass: x}]\r\n",
            "3:28: unknown name 'x'");
    PROBLEM("polhode: 1\rbodies: [{name: b, mass: x}]\r", "2:26: unknown name 'x'");
    PROBLEM("\xef\xbb\xbfpolhode: 1\nbodies: [{name: b, mass: x}]\n", "2:26: unknown name 'x'");
    PROBLEM("polhode: 1\nbodies: [{name: b, mass: '1 + x'}]\n", "2:31: unknown name 'x'");
    PROBLEM("polhode: 1\nbodies: [{name: b, mass: \"1 +\\x20x\"}]\n", "2:26: unknown name 'x'"); // not as it stands
    PROBLEM("polhode: 1\nbodies:\n  - name: b\n    mass: 1 +\n      x\n", "4:11: unknown name 'x'");
}

// ---- Not text -------------------------------------------------------------------------------------------------------

TEST(what_is_not_text_is_refused)
{
    PROBLEM("", "1:1: the file is empty");
    PROBLEM("\n\n# nothing\n", "1:1: the file is empty");
    PROBLEM("---\n...\n", "1:1: the file is empty");
    CHECK_STR(problem_of("polhode: 1\nname: a\0b\n", 21), "2:8: a control character (byte 0x00)");
    CHECK_STR(problem_of("\x7f"
                         "ELF\x02\x01\x01\0\0\0",
                         10),
              "1:1: a control character (byte 0x7f)");
    CHECK_STR(problem_of("\xff\xfep\0o\0", 6), "1:1: the file is UTF-16 (byte 0xff)");
    CHECK_STR(problem_of("\xfe\xff\0p\0o", 6), "1:1: the file is UTF-16 (byte 0xfe)");
    PROBLEM("polhode: 1\nname: caf\xe9\n", "2:10: the file is not UTF-8 text (byte 0xe9)");
    PROBLEM("name: \xc0\x80", "1:7: the file is not UTF-8 text (byte 0xc0)");         // overlong
    PROBLEM("name: \xed\xa0\x80", "1:7: the file is not UTF-8 text (byte 0xed)");     // surrogate
    PROBLEM("name: \xf4\x90\x80\x80", "1:7: the file is not UTF-8 text (byte 0xf4)"); // beyond U+10FFFF
    PROBLEM("name: \xe2\x82", "1:7: the file is not UTF-8 text (byte 0xe2)");         // cut
    PROBLEM("polhode: 1\nname: \"a\\0b\"\n", "2:7: a text with a NUL character");
}

static void check_file_problem(const char *path, ph_status expected, const char *text)
{
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    CHECK_EQ_INT(ph_model_read_file(path, NULL, 0, problems, &model), expected);
    CHECK(!model);
    if (CHECK_EQ_INT(ph_problems_count(problems), 1)) {
        CHECK_STR(ph_problems_get(problems, 0)->text, text);
        CHECK_STR(ph_problems_get(problems, 0)->file, path);
    }
    ph_problems_destroy(problems);
}

TEST(files_that_cannot_be_read)
{
    check_file_problem("no/such/model.yaml", PH_NOT_FOUND, "cannot read the file: No such file or directory");
    check_file_problem(TEST_SOURCE_DIR, PH_IO, "this is a folder, not a model file");
    check_file_problem(TEST_SOURCE_DIR "/LICENSE/model.yaml", PH_IO, "cannot read the file: Not a directory");
}

TEST(arguments_are_checked)
{
    ph_spec *spec;
    ph_model *model;
    CHECK_EQ_INT(ph_spec_read_text(NULL, 0, NULL, NULL, 0, NULL, &spec), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_spec_read_text("", 0, NULL, NULL, 0, NULL, NULL), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_spec_read_text("", 0, NULL, NULL, 1, NULL, &spec), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_spec_read_file(NULL, NULL, 0, NULL, &spec), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_model_read_file(NULL, NULL, 0, NULL, &model), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_model_read_file("x", NULL, 0, NULL, NULL), PH_BAD_ARGUMENT);
    CHECK_EQ_INT(ph_spec_read_text("", 0, NULL, NULL, 0, NULL, &spec), PH_BAD_MODEL); // without a list of problems
    CHECK(!spec);
}

#else

TEST(model_files)
{
    SKIP("built without libyaml");
}

#endif
