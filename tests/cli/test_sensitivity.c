// polhode sensitivity: derivatives against closed forms and differences of runs, and what it says where there are none.

#include "test.h"

#include "program.h"

#define PENDULUM TEST_SOURCE_DIR "/examples/double_pendulum.yaml"
#define FOUR_BAR TEST_SOURCE_DIR "/examples/four_bar.yaml"

// The number behind "name": in the JSON that a command prints.
static double number_in(const char *text, const char *name)
{
    char key[80];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(text, key);
    return at ? strtod(at + strlen(key), NULL) : (double)NAN;
}

static double gradient(const char *arguments, const char *name)
{
    output o = run_shell("polhode sensitivity %s --json", arguments);
    const char *at = strstr(o.out, "\"gradient\":");
    const double value = at ? number_in(at, name) : (double)NAN;
    if (!CHECK_EQ_INT(o.status, 0)) printf("  %s\n  %s\n", arguments, o.err);
    output_free(&o);
    return value;
}

static double value(const char *arguments)
{
    output o = run_shell("polhode sensitivity %s --json", arguments);
    const double found = number_in(o.out, "value");
    output_free(&o);
    return found;
}

// Central differences of the values that the command itself prints, twice, one power of the step taken away.
static double difference(const char *model, const char *name, double at, double s)
{
    double D[2];
    for (int k = 0; k < 2; k++, s *= 0.5) {
        char line[2][400];
        snprintf(line[0], sizeof line[0], "%s --set %s=%.17g", model, name, at + s);
        snprintf(line[1], sizeof line[1], "%s --set %s=%.17g", model, name, at - s);
        D[k] = (value(line[0]) - value(line[1])) / (2.0 * s);
    }
    return D[1] + (D[1] - D[0]) / 3.0;
}

TEST(derivatives_of_runs)
{
    static const char pendulum[] = PENDULUM " --of rod2.position.z --by l --at 0.2 --step 2e-3";
    CHECK_NEAR(gradient(pendulum, "l"), difference(pendulum, "l", 1.0, 1e-2), 1e-7);
    static const char loop[] = FOUR_BAR " --of joints.D.angle --by b --at 0.2 --step 2e-3";
    CHECK_NEAR(gradient(loop, "b"), difference(loop, "b", 0.45, 1e-3), 1e-6);
}

// The density of all bars changes nothing, nor does gravity across the plane of the linkage.
TEST(what_must_hold)
{
    CHECK_NEAR(gradient(FOUR_BAR " --of joints.D.angle --by steel --at 0.5", "steel"), 0.0, 1e-15);
    CHECK_NEAR(gradient(FOUR_BAR " --of joints.D.angle --by gravity.y --at 0.5", "gravity.y"), 0.0, 1e-12);
}

TEST(many_quantities_and_times)
{
    output o = run_shell(
        "polhode sensitivity %s --of rod2.position.z,rod1.speed --by l,g --every 0.1 --until 0.3 --json", PENDULUM);
    CHECK_EQ_INT(o.status, 0);
    CHECK(strstr(o.out, "\"method\":\"tangents\""));
    CHECK(strstr(o.out, "\"gradient\":{\"rod2.position.z\":{\"l\":[0,"));
    output_free(&o);
    o = run_shell("polhode sensitivity %s --of rod2.position.z --by l,g --at 0.3", PENDULUM);
    CHECK_EQ_INT(o.status, 0);
    CHECK(strstr(o.out, "elasticity"));
    output_free(&o);
}

static void check_said(const char *arguments, int status, const char *said)
{
    output o = run_shell("polhode sensitivity %s", arguments);
    if (!CHECK_EQ_INT(o.status, status) || !CHECK(strstr(o.err, said))) printf("  %s\n  %s\n", arguments, o.err);
    output_free(&o);
}

TEST(what_cannot_be)
{
    check_said(PENDULUM, 2, "--of is missing");
    check_said(PENDULUM " --of rod3.position.z --by l", 2, "there is no body 'rod3'; did you mean");
    check_said(PENDULUM " --of rod2.position --by l", 2, "say which part");
    check_said(PENDULUM " --of joints.A.angle --by l", 2, "has 0 coordinates");
    check_said(PENDULUM " --of energy.total --by l", 2, "cannot be differentiated");
    check_said(PENDULUM " --of rod2.speed --by q", 2, "neither a parameter");
    check_said(PENDULUM " --of rod2.speed --by u --at 0.01", 0, "");
    check_said(FOUR_BAR " --of joints.D.angle --by a,Cx --at 0.1", 1, "'Cx', which cannot change alone");
    check_said(PENDULUM " --of rod2.speed --by l --step 2e-3", 0, "chaotic");
    check_said(PENDULUM " --of rod2.speed --by l,rod1.mass --at 0.01 --scheme rk4", 0, "differences of whole runs");
}

// Those of the tendon itself, and of what hangs on it.
TEST(numbers_of_tendons)
{
    output o = run_shell(
        "printf 'polhode: 1\\nparameters: {k: 40, m: 1}\\ngravity: [0, 0, -9.81]\\nbodies: [{name: b, mass: m, "
        "inertia: [1, 1, 1]}]\\nsites: [{name: p, body: b, position: [0, 0, 0.1]}, {name: q, body: world, "
        "position: [0, 0, 1]}]\\ntendons: [{name: rope, path: [p, q], stiffness: k, length: 0.8}]\\nrun: "
        "{step: 0.01, until: 0.2}\\n' > sensitivity_rope.yaml");
    output_free(&o);
    check_said("sensitivity_rope.yaml --of b.position.z --by k", 0, "");
    check_said("sensitivity_rope.yaml --of b.position.z --by tendons.rope.length", 0, "");
    check_said("sensitivity_rope.yaml --of b.position.z --by m", 0, "");
}

// What an input asks of a motor at the start, the start follows: by u and by p it is the same derivative.
TEST(inputs_that_the_start_depends_on)
{
    output o = run_shell(
        "printf 'polhode: 1\\nparameters: {p: 0.6}\\ninputs: {u: 0.6}\\ngravity: [0, 0, -9.81]\\ninitial: project\\n"
        "bodies: [{name: a, mass: 2, inertia: [0.03, 0.03, 0.05], position: [0.6, 0, 0]}, "
        "{name: b, mass: 1, inertia: [0.03, 0.03, 0.04], position: [1.1, 0, 0]}]\\njoints:\\n"
        "  - {name: A, type: revolute, bodies: [world, a], anchor: [0.3, 0, 0], axis: z, motor: {speed: u*p}}\\n"
        "  - {name: B, type: prismatic, bodies: [a, b], anchor: [0.8, 0, 0], axis: [0.1, 0.2, 1]}\\n"
        "run: {step: 0.002, until: 0.06}\\n' > sensitivity_speed.yaml");
    output_free(&o);
    const double by_u = gradient("sensitivity_speed.yaml --of b.position.z --by u", "u");
    CHECK_REL(by_u, gradient("sensitivity_speed.yaml --of b.position.z --by p", "p"), 1e-9);
}

// A damping or friction that is zero, a restitution of one: there are models on one side only, and the derivative is that of this side.
// Where a model gets one force more there, it is that of whole runs.
TEST(numbers_at_a_bound)
{
    output o = run_shell(
        "printf 'polhode: 1\\nparameters: {c: 0, d: 0, e: 1, mu: 0, l: 0.3}\\ngravity: [0.2, 0, -9.81]\\nbodies:\\n"
        "  - {name: floor, fixed: true, shapes: [{type: plane, restitution: e, friction: mu}]}\\n"
        "  - {name: ball, position: [2, 0, 0.3], shapes: [{type: sphere, radius: 0.1, density: 900, restitution: e, friction: mu}]}\\n"
        "  - {name: a, mass: 1, inertia: [0.01, 0.01, 0.01], position: [l, 0, 1]}\\n"
        "joints: [{name: j, type: revolute, bodies: [world, a], anchor: [0, 0, 1], axis: y, damping: d, "
        "motor: {position: 0.5, kp: 4, kd: c}}]\\ncontact: {}\\nrun: {step: 0.002, until: 0.3}\\n' > sensitivity_bound.yaml");
    output_free(&o);
    static const char *const of[] = {"joints.j.angle", "joints.j.angle", "ball.position.z", "ball.velocity.x"};
    static const char *const by[] = {"c", "d", "e", "mu"};
    static const char *const schemes[] = {"moreau", "rattlie-ns"};
    for (int k = 0; k < 4; k++) {
        double found[2];
        for (int s = 0; s < 2; s++) {
            char arguments[200];
            snprintf(arguments, sizeof arguments, "sensitivity_bound.yaml --of %s --by %s -s %s", of[k], by[k],
                     schemes[s]);
            found[s] = gradient(arguments, by[k]);
        }
        if (!CHECK_REL(found[0], found[1], 0.05) || !CHECK(fabs(found[0]) > 1e-3)) printf("  by %s\n", by[k]);
    }
}

// The axes of a chain have no exact derivative: beside that of others, by differences of whole runs.
TEST(numbers_without_exact_derivative)
{
    output o = run_shell(
        "printf 'polhode: 1\\nparameters: {p: 0.1, m: 2}\\ngravity: [0.3, 0, -9.81]\\nbodies: [{name: b, mass: m, "
        "inertia: [0.02, 0.03, 0.025], position: [0.3, 0.1, 0.2]}]\\njoints: [{name: j, type: chain, bodies: [world, b], "
        "motions: [{turn: y}, {turn: [0, 0, 1], at: [p, 0, p]}]}]\\nrun: {step: 0.002, until: 0.2}\\n' > "
        "sensitivity_chain.yaml");
    output_free(&o);
    static const char chain[] = "sensitivity_chain.yaml --of b.position.z --by p,m";
    check_said(chain, 0, "p: by differences of whole runs");
    CHECK_NEAR(gradient(chain, "p"), difference(chain, "p", 0.1, 1e-3), 1e-7);
    CHECK_NEAR(gradient(chain, "m"), difference(chain, "m", 2.0, 1e-2), 1e-7);
}
