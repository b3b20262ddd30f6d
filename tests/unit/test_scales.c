// No tolerance is a number of metres, kilograms or seconds: a model in another unit takes the same decisions.
//
// Lengths times a power of two change no digit of a number, only its exponent. So the same mechanism in such a unit must move
// with the same digits, whatever the scheme; a single absolute tolerance on the way shows.

#include "rig.h"

#include "four_bars.h"
#include "math/quat.h"
#include "math/so3.h"
#include "scenes.h"

#include <string.h>

// After `steps` steps; positions and velocities in units of `size`.
static bool run(double size, const char *scheme, int steps, ph_vec3 *positions, ph_quat *turns)
{
    const four_bars f = {.loops = 2, .axial = 1e-3, .coupler = 0.1, .size = size, .tilted = true};
    rig r = rig_build(four_bars_spec(&f, NULL), scheme);
    bool good = true;
    for (int k = 0; good && k < steps; k++) {
        good = ph_sim_step(r.sim, r.state, 1.0 / 256.0, NULL) == PH_OK;
    }
    for (int b = 0; b < 5; b++) {
        const ph_vec3 x = rig_position(&r, b);
        positions[b] = (ph_vec3){x.x / size, x.y / size, x.z / size};
        turns[b] = ph_state_orientations(r.state)[b];
    }
    rig_close(&r);
    return good;
}

TEST(every_scheme_gives_the_same_digits_in_any_unit)
{
    for (int s = 0; s < ph_scheme_count(); s++) {
        const ph_scheme_info info = ph_scheme_get(s);
        ph_vec3 x[2][5];
        ph_quat q[2][5];
        if (strcmp(info.name, "exact") == 0 || !run(1.0, info.name, 40, x[0], q[0])) {
            CHECK_STR(info.name, "exact"); // for free bodies and tops
            continue;
        }
        for (int power = -20; power <= 20; power += 20) {
            bool same = run(ldexp(1.0, power), info.name, 40, x[1], q[1]);
            same = same && memcmp(x[0], x[1], sizeof x[0]) == 0 && memcmp(q[0], q[1], sizeof q[0]) == 0;
            if (!CHECK(same)) {
                printf("  %s in units of 2^%d m\n", info.name, -power);
            }
        }
    }
}

TEST(every_scheme_runs_from_micrometres_to_megametres)
{
    for (int s = 0; s < ph_scheme_count(); s++) {
        const ph_scheme_info info = ph_scheme_get(s);
        ph_vec3 x[2][5];
        ph_quat q[2][5];
        for (int power = -6; power <= 6 && strcmp(info.name, "exact") != 0; power += 3) {
            CHECK(run(1.0, info.name, 40, x[0], q[0]) && run(pow(10.0, power), info.name, 40, x[1], q[1]));
            for (int b = 0; b < 5; b++) {
                if (!CHECK(rig_distance(x[0][b], x[1][b]) < 1e-11)) {
                    printf("  %s at 1e%d m, body %d: %.2e off\n", info.name, power, b, rig_distance(x[0][b], x[1][b]));
                }
            }
        }
    }
}

// ---- The start ------------------------------------------------------------------------------------------------------

// A pendulum of length `size`, its anchor off by `off` and its speed by `rate`; is it taken?
static bool fits(double size, double far, double off, double rate)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def body = ph_default_body();
    body.name = "rod";
    body.mass = 1.0;
    body.inertia = (ph_mat3){{{0.1 * size * size, 0, 0}, {0, 0.1 * size * size, 0}, {0, 0, 0.1 * size * size}}};
    body.position = (ph_vec3){far, 0.5 * size, 0.0};
    body.angular_velocity = (ph_vec3){1.0, 0.0, 0.0};
    body.velocity = (ph_vec3){0.0, 0.0, 0.5 * size + rate};
    ph_spec_add_body(spec, &body);
    ph_joint_def joint = ph_default_joint();
    joint.name = "distance";
    joint.type = "distance";
    joint.body_a = PH_WORLD;
    joint.body_b = 0;
    joint.has_anchor_a = joint.has_anchor_b = true;
    joint.anchor_a = (ph_vec3){far, -size, 0.0};
    joint.anchor_b = (ph_vec3){0.0, -0.5 * size, 0.0};
    joint.length = size * (1.0 + off);
    ph_spec_add_joint(spec, &joint);
    ph_joint_def ball = scene_joint_def("ball", "ball", PH_WORLD, 0, (ph_vec3){far, 0.0, 0.0});
    ph_spec_add_joint(spec, &ball);
    ph_model *model = NULL;
    ph_model_compile(spec, NULL, &model);
    ph_spec_destroy(spec);
    ph_model_destroy(model);
    return model != NULL;
}

TEST(a_start_is_off_relative_to_its_size)
{
    for (int power = -6; power <= 6; power++) {
        const double size = pow(10.0, power);
        CHECK(fits(size, 0.0, 0.0, 0.0));
        CHECK(fits(size, 0.0, 1e-10, 0.0));
        CHECK(!fits(size, 0.0, 1e-8, 0.0));
        CHECK(!fits(size, 0.0, 0.0, 1e-8 * size));
        CHECK(fits(size, 1e4 * size, 0.0, 0.0)); // positions there are rounded
    }
}

// ---- Statics --------------------------------------------------------------------------------------------------------

static void add_bushing(ph_spec *spec, int a, int b, ph_vec3 anchor, double size)
{
    ph_force_def bushing = ph_default_force();
    bushing.type = "bushing";
    bushing.body_a = a;
    bushing.body_b = b;
    bushing.anchor = anchor;
    for (int k = 0; k < 6; k++) bushing.stiffness6[k][k] = 10.0 * (k + 1.0) * (k < 3 ? size * size : 1.0);
    ph_spec_add_force(spec, &bushing);
}

static int add_part(ph_spec *spec, const char *name, ph_vec3 at, ph_vec3 turn, double size)
{
    ph_body_def body = ph_default_body();
    const double s2 = size * size;
    body.name = name;
    body.mass = 1.0;
    body.inertia = (ph_mat3){{{0.1 * s2, 0, 0}, {0, 0.2 * s2, 0}, {0, 0, 0.25 * s2}}};
    body.position = (ph_vec3){size * at.x, size * at.y, size * at.z};
    body.orientation = ph_quat_exp(turn);
    return ph_spec_add_body(spec, &body);
}

// Two bodies on bushings that are relaxed, without gravity: all that acts is rounding.
TEST(what_rests_is_at_rest)
{
    for (int power = -6; power <= 6; power += 3) {
        const double size = pow(10.0, power);
        ph_spec *spec = ph_spec_create(NULL);
        const int a = add_part(spec, "a", (ph_vec3){0.1, 0.2, 0.3}, (ph_vec3){0.19, 0.37, 0.56}, size);
        const int b = add_part(spec, "b", (ph_vec3){0.7, 0.2, 0.9}, (ph_vec3){0.18, 0.36, 0.0}, size);
        add_bushing(spec, PH_WORLD, a, (ph_vec3){0.3 * size, 0.1 * size, 0.2 * size}, size);
        add_bushing(spec, a, b, (ph_vec3){0.3 * size, 0.5 * size, 0.7 * size}, size);
        ph_model *model = scene_finish(spec);
        ph_state *state = ph_state_create(model);
        const ph_statics_def def = ph_default_statics();
        ph_statics_report report;
        ph_error error = {.text = ""};
        CHECK_EQ_INT(ph_statics(model, state, &def, &report, &error), PH_OK);
        CHECK_STR(error.text, "");
        CHECK(report.stable && report.residual < 1e-14);
        ph_state_destroy(state);
        ph_model_destroy(model);
    }
}

// The same double pendulum in any unit hangs straight down.
TEST(statics_in_any_unit)
{
    for (int power = -6; power <= 6; power += 3) {
        const double size = pow(10.0, power);
        ph_spec *spec = ph_spec_create(NULL);
        ph_spec_set_gravity(spec, (ph_vec3){0.0, -9.81 * size, 0.0});
        const int a = add_part(spec, "a", (ph_vec3){0.5, 0.0, 0.0}, (ph_vec3){0}, size);
        const int b = add_part(spec, "b", (ph_vec3){1.5, 0.0, 0.0}, (ph_vec3){0}, size);
        scene_axial(spec, "A", "revolute", PH_WORLD, a, (ph_vec3){0}, (ph_vec3){0.0, 0.0, 1.0});
        scene_ball(spec, "B", a, b, (ph_vec3){size, 0.0, 0.0});
        ph_model *model = scene_finish(spec);
        ph_state *state = ph_state_create(model);
        const ph_statics_def def = ph_default_statics();
        ph_statics_report report;
        ph_error error = {.text = ""};
        CHECK_EQ_INT(ph_statics(model, state, &def, &report, &error), PH_OK);
        CHECK_STR(error.text, "");
        CHECK_NEAR(ph_state_positions(state)[b].y / size, -1.5, 1e-12);
        CHECK_NEAR(ph_state_positions(state)[b].x / size, 0.0, 1e-11);
        ph_state_destroy(state);
        ph_model_destroy(model);
    }
}
