// polhode optimize: goals that are reached, a closed form, and what it says where they are not.

#include "test.h"

#include "program.h"

#include <math.h>
#include <stdlib.h>

#define EXAMPLE(name) TEST_SOURCE_DIR "/examples/" name

static double number_in(const char *text, const char *name)
{
    char key[80];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(text, key);
    return at ? strtod(at + strlen(key), NULL) : (double)NAN;
}

static void reaches(const char *arguments)
{
    output o = run_shell("polhode optimize %s --json", arguments);
    if (!CHECK_EQ_INT(o.status, 0)) printf("  %s\n  %s\n", arguments, o.err);
    CHECK(number_in(o.out, "miss") < 1e-6);
    output_free(&o);
}

TEST(a_pole_swings_up)
{
    reaches(EXAMPLE(
        "cart_pole.yaml") " -u u=-20..20 --reach joints.hinge.angle=3.14159265358979 --reach joints.hinge.rate=0 "
                          "--reach joints.rail.slide=0 --reach joints.rail.rate=0");
}

// Upright it falls over within a second: which controls are at bounds changes to and fro on the way there.
TEST(an_acrobot_swings_up)
{
    reaches(EXAMPLE("acrobot.yaml") " -u u=-2..2:0.1 --reach joints.shoulder.angle=3.14159265358979 "
                                    "--reach joints.shoulder.rate=0 --reach joints.elbow.angle=0 "
                                    "--reach joints.elbow.rate=0 --seed 1");
}

TEST(a_leg_of_closed_loops_pushes_off)
{
    reaches(EXAMPLE("jumping_leg.yaml") " -u u=-60..60 -u v=-60..60 --knots 10 --until 0.15 --reach hip.position.z=0.5 "
                                        "--reach hip.velocity.z=2.5");
}

// A mass m moved by a distance d in time T from rest to rest at the least integral of u^2: u is straight, and the cost is
// 12 m^2 d^2/T^3.
TEST(rest_to_rest_has_a_closed_form)
{
    output o =
        run_shell("printf 'polhode: 1\\ninputs: {u: 0}\\nbodies: [{name: m, mass: 2, inertia: [1, 1, 1]}]\\njoints: "
                  "[{name: J, type: prismatic, bodies: [world, m], anchor: [0, 0, 0], axis: [1, 0, 0], motor: {torque: "
                  "u}}]\\nrun: {step: 0.01, until: 2}\\n' > optimize_mass.yaml; polhode optimize optimize_mass.yaml -u "
                  "u=-50..50 --reach joints.J.slide=3 --reach joints.J.rate=0 --json");
    CHECK_EQ_INT(o.status, 0);
    CHECK_REL(number_in(o.out, "cost"), 12.0 * 4.0 * 9.0 / 8.0, 1e-3);
    output_free(&o);
}

// The length with which a pendulum that starts level is at the bottom after 0.6 s.
TEST(a_design_is_chosen)
{
    output o = run_shell(
        "printf 'polhode: 1\\nparameters: {l: 1}\\ngravity: [0, 0, -10]\\nbodies: [{name: m, mass: 1, inertia: "
        "[1e-3, 1e-3, 1e-3], position: [l, 0, 0]}]\\njoints: [{name: J, type: revolute, bodies: [world, m], "
        "anchor: [0, 0, 0], axis: [0, 1, 0]}]\\nrun: {step: 0.01, until: 0.6}\\n' > optimize_length.yaml; "
        "polhode optimize optimize_length.yaml --vary l=0.3..4 --reach m.position.x=0 --json");
    CHECK_EQ_INT(o.status, 0);
    // quarter swing from level: t = K(1/2) sqrt(l/g), K = 1.8540746773
    CHECK_REL(number_in(o.out, "l"), 10.0 * (0.6 / 1.8540746773) * (0.6 / 1.8540746773), 5e-3);
    output_free(&o);
}

static void fails(const char *arguments, int status, const char *words)
{
    output o = run_shell("polhode optimize %s", arguments);
    CHECK_EQ_INT(o.status, status);
    if (!CHECK(strstr(o.err, words))) printf("  %s\n  %s\n", arguments, o.err);
    output_free(&o);
}

TEST(says_what_is_wrong)
{
    fails(EXAMPLE("cart_pole.yaml") " --reach joints.rail.slide=1", 2, "nothing to choose");
    fails(EXAMPLE("cart_pole.yaml") " -u u=-1..1", 2, "no goal");
    fails(EXAMPLE("cart_pole.yaml") " -u w=-1..1 --reach joints.rail.slide=1", 2, "no input 'w'");
    fails(EXAMPLE("cart_pole.yaml") " -u u=-1..x --reach joints.rail.slide=1", 2, "'x' is not a number");
    fails(EXAMPLE("cart_pole.yaml") " -u u=-1..1 --reach joints.rale.slide=1", 2, "did you mean 'rail'");
    fails(EXAMPLE("cart_pole.yaml") " -u u=-1..1 --scheme rk4 --reach joints.rail.slide=1", 2, "has no adjoint");
    // 1 N moves 1.3 kg by no more than 1.5 m in 2 s
    fails(EXAMPLE("cart_pole.yaml") " -u u=-1..1 --reach joints.rail.slide=50 --iterations 100", 1,
          "may not be reachable");
}
