// polhode run --statics, polhode info --modes, and models that cannot move.

#include "test.h"

#include "json_reader.h"
#include "program.h"

#define EXAMPLE TEST_SOURCE_DIR "/examples/double_pendulum.yaml"

#define HEAD "polhode: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
#define ROD "  - {name: rod, mass: 2, inertia: [0.2, 0.1, 0.2], position: [0, 0.5, 0]}\n"
#define RUN "run: {step: 1e-3, until: 0.1}\n"

// Runs `polhode COMMAND FILE OPTIONS` on a file with this text.
static output run_on(const char *text, const char *command, const char *options)
{
    const folder f = folder_make();
    const file_path path = folder_file(&f, "model.yaml");
    write_text_file(path.text, text);
    const output o = run_shell("polhode %s '%s' %s", command, path.text, options);
    folder_remove(&f);
    return o;
}

TEST(statics_as_a_table)
{
    output o = run_shell("polhode run %s --statics", EXAMPLE);
    CHECK_EQ_INT(o.status, 0);
    CHECK(strstr(o.out, "stable") && strstr(o.out, "-1209.65 J at rest") && strstr(o.out, "force on its second body"));
    CHECK_STR(o.err, "");
    output_free(&o);
    o = run_shell("polhode run %s --statics --quiet", EXAMPLE);
    CHECK_STR(o.out, "");
    output_free(&o);
    o = run_shell("polhode run %s --statics --out x.h5", EXAMPLE);
    CHECK_EQ_INT(o.status, 2);
    CHECK(strstr(o.err, "no motion to record") != NULL);
    output_free(&o);
}

TEST(statics_as_json)
{
    output o = run_shell("polhode run %s --statics --json", EXAMPLE);
    CHECK_EQ_INT(o.status, 0);
    if (CHECK(json_is_one_value(o.out))) {
        CHECK(json_is_at(o.out, "statics.stable", "true"));
        CHECK_NEAR(json_number_at(o.out, "final.bodies.0.position.2"), -0.5, 1e-12);
        CHECK_NEAR(json_number_at(o.out, "final.bodies.1.position.2"), -1.5, 1e-12);
        CHECK_NEAR(json_number_at(o.out, "final.joints.0.force.2"), 2 * 61.6538 * 9.81, 1e-9);
        CHECK_NEAR(json_number_at(o.out, "final.joints.1.force.2"), 61.6538 * 9.81, 1e-9);
        CHECK(json_number_at(o.out, "statics.residual") < 1e-10);
    }
    output_free(&o);
}

TEST(what_falls_is_said_to_fall)
{
    output o = run_on(HEAD ROD RUN, "run", "--statics");
    CHECK_EQ_INT(o.status, 1);
    CHECK(strstr(o.err, "no static equilibrium") && strstr(o.err, "'rod'") && !*o.out);
    output_free(&o);
    o = run_on(HEAD ROD RUN, "info", "--modes");
    CHECK_EQ_INT(o.status, 1);
    output_free(&o);
}

// A physical pendulum: sqrt(m g l/(J + m l^2))
TEST(modes_as_table_and_json)
{
    const char *model = HEAD ROD
        "joints: [{name: hinge, type: revolute, bodies: [world, rod], anchor: [0, 0, 0], axis: x, damping: 0.3}]\n";
    output o = run_on(model, "info", "--modes");
    CHECK_EQ_INT(o.status, 0);
    CHECK(strstr(o.out, "linear modes about the static equilibrium (stable)") && strstr(o.out, "rod"));
    output_free(&o);
    o = run_on(model, "info", "--modes --json");
    if (CHECK(json_is_one_value(o.out))) {
        const double omega = sqrt(2.0 * 9.81 * 0.5 / 0.7);
        CHECK_REL(json_number_at(o.out, "modes.0.frequency"), omega / (2.0 * acos(-1.0)), 1e-9);
        CHECK_REL(json_number_at(o.out, "modes.0.damping"), 0.3 / (2.0 * 0.7 * omega), 1e-8);
        CHECK_NEAR(json_number_at(o.out, "equilibrium.bodies.0.position.2"), -0.5, 1e-12);
    }
    output_free(&o);
}

// One hinge too many: info tells, check and run refuse.
TEST(a_model_that_cannot_move)
{
    const char *model =
        HEAD ROD "joints:\n"
                 "  - {name: left, type: revolute, bodies: [world, rod], anchor: [0, 0, 0], axis: x}\n"
                 "  - {name: right, type: revolute, bodies: [world, rod], anchor: [0, 1, 0], axis: z}\n" RUN;
    output o = run_on(model, "info", "");
    CHECK_EQ_INT(o.status, 0);
    CHECK(strstr(o.out, "the joints leave no freedom") != NULL);
    output_free(&o);
    static const char *const commands[] = {"check", "run"};
    for (int i = 0; i < 2; i++) {
        o = run_on(model, commands[i], "");
        CHECK_EQ_INT(o.status, 2);
        CHECK(strstr(o.err, "cannot move: joints 'left', 'right': 10 rows for 6 freedoms") != NULL);
        output_free(&o);
    }
    o = run_on(model, "run", "--statics"); // carries loads all the same
    CHECK_EQ_INT(o.status, 0);
    output_free(&o);
}

TEST(limits_need_contact)
{
    output o =
        run_on(HEAD ROD "joints: [{name: knee, type: revolute, bodies: [world, rod], anchor: [0, 0, 0], axis: x, "
                        "limits: [-1, 1]}]\n" RUN,
               "run", "--scheme rattlie");
    CHECK_EQ_INT(o.status, 2);
    CHECK(strstr(o.err, "joint 'knee' has limits") && strstr(o.err, "rattlie"));
    output_free(&o);
}
