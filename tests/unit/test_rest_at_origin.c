// Mechanisms that hang at rest about the origin: energies and velocities are nought but for rounding, which must not be taken
// for energy that contacts put in, nor for velocities that are not found.
#include "rig.h"

#include <math.h>
#include <string.h>

enum { BODIES = 12 };

static void add_body(ph_spec *spec, int i)
{
    char name[16];
    ph_body_def body = ph_default_body();
    snprintf(name, sizeof name, "b%d", i);
    body.name = name;
    body.mass = 1.0;
    body.inertia = (ph_mat3){{{0.03, 0.0, 0.0}, {0.0, 0.02, 0.0}, {0.0, 0.0, 0.04}}};
    body.position = (ph_vec3){0.0, 0.5 * (i + 1), 0.0};
    CHECK_EQ_INT(ph_spec_add_body(spec, &body), i);
}

// Two turns about axes that are apart and above the body.
static void add_joint(ph_spec *spec, int i)
{
    char name[16];
    ph_joint_def joint = ph_default_joint();
    snprintf(name, sizeof name, "j%d", i);
    joint.name = name;
    joint.type = "chain";
    joint.body_a = i == 0 ? PH_WORLD : i - 1;
    joint.body_b = i;
    joint.motion_count = 2;
    joint.motions[0] = (ph_chain_motion){.axis = {0.0, 0.28, 0.96}, .point = {0.0, 0.0, 0.25}};
    joint.motions[1] = (ph_chain_motion){.axis = {0.0, 1.0, 0.0}, .point = {0.0, 0.0, 0.2}};
    CHECK(ph_spec_add_joint(spec, &joint) >= 0);
}

static void add_damper(ph_spec *spec, int i)
{
    ph_force_def damper = ph_default_force();
    damper.type = "spring";
    damper.body_a = i == 0 ? PH_WORLD : i - 1;
    damper.body_b = i;
    damper.point_a = damper.point_b = (ph_vec3){0.0, 0.0, 0.3};
    damper.damping = 0.5;
    CHECK(ph_spec_add_force(spec, &damper) >= 0);
}

static rig hanging(const char *scheme, double aside, bool damped)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_spec_set_gravity(spec, (ph_vec3){aside, 0.0, -9.81});
    for (int i = 0; i < BODIES; i++) {
        add_body(spec, i);
        add_joint(spec, i);
        if (damped) add_damper(spec, i);
    }
    return rig_build(spec, scheme);
}

static double farthest(const rig *r, const ph_vec3 *from)
{
    double most = 0.0;
    for (int i = 0; i < BODIES; i++) most = fmax(most, rig_distance(rig_position(r, i), from[i]));
    return most;
}

// Steps are not divided: Newton's method takes a few iterations, not those of 64 parts.
TEST(a_step_at_rest_is_one_step)
{
    for (int damped = 0; damped < 2; damped++) {
        rig r = hanging("rattlie-ns", 0.0, damped != 0);
        ph_step_report report = {.status = PH_OK};
        ph_vec3 from[BODIES];
        memcpy(from, ph_state_positions(r.state), sizeof from);
        for (int k = 0; k < 20; k++) {
            if (!CHECK_EQ_INT(ph_sim_step(r.sim, r.state, 1e-3, &report), PH_OK)) break;
            CHECK(report.iterations <= 8);
        }
        CHECK(farthest(&r, from) <= 1e-12);
        rig_close(&r);
    }
}

// And where it moves, without contact, the motion is that of rattlie.
TEST(it_moves_as_under_rattlie)
{
    rig smooth = hanging("rattlie", 1.0, false), nonsmooth = hanging("rattlie-ns", 1.0, false);
    ph_vec3 from[BODIES];
    memcpy(from, ph_state_positions(smooth.state), sizeof from);
    CHECK(rig_step(&smooth, 1e-3, 200) && rig_step(&nonsmooth, 1e-3, 200));
    CHECK(farthest(&smooth, from) > 1e-3);
    CHECK(farthest(&nonsmooth, ph_state_positions(smooth.state)) <= 1e-10);
    rig_close(&smooth);
    rig_close(&nonsmooth);
}

TEST(dampers_at_rest_find_their_velocities)
{
    static const char *const schemes[] = {"quat-fem-4", "quat-fem", "rattlie", "rattlie8"};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        rig r = hanging(schemes[k], 0.0, true);
        ph_vec3 from[BODIES];
        memcpy(from, ph_state_positions(r.state), sizeof from);
        CHECK(rig_step(&r, 1e-3, 20));
        CHECK(farthest(&r, from) <= 1e-12);
        rig_close(&r);
    }
}

// Three gears that block each other under a torque: what rounding turns them by is work of 1e-21 J against no motion at all.
TEST(what_cannot_move_has_no_wrong_energy)
{
    NEEDS_YAML;
    static const char text[] =
        "polhode: 1\nbodies:\n- {repeat: {i: 3}, name: b$i, mass: 1, inertia: [1, 1, 1], position: [i, 0, 0]}\njoints:\n"
        "- {repeat: {i: 3}, name: j$i, type: revolute, bodies: [world, b$i], anchor: [i, 0, 0], axis: z, motor: {torque: 1 - i/3}}\n"
        "- {name: g0, type: gear, joints: [j0, j1], ratio: 2}\n- {name: g1, type: gear, joints: [j1, j2], ratio: 2}\n"
        "- {name: g2, type: gear, joints: [j2, j0], ratio: 2}\n";
    static const char *const schemes[] = {"rattlie", "lgvi-del", "quat-fem-4", "rk4", "dop853", "multistep6", "moreau"};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        ph_spec *spec = NULL;
        ph_summary summary;
        CHECK_EQ_INT(ph_spec_read_text(text, strlen(text), "gears", NULL, 0, NULL, &spec), PH_OK);
        rig r = rig_build(spec, schemes[k]);
        ph_run_def def = ph_default_run();
        def.sim.scheme = schemes[k];
        def.step = 1e-2;
        def.until = 1.0;
        CHECK_EQ_INT(ph_run(r.model, r.state, &def, &summary, NULL), PH_OK);
        CHECK(!summary.energy_wrong);
        rig_close(&r);
    }
}
