// A closed loop that nothing moves stays where it is, whatever holds it: pins in the world, or the floor it lies on.
#include "rolling_rig.h"

// Four bars in the plane z = 0.02, gravity across it. `ground` closes the loop: the world, or a fourth bar.
static rig four_bar(const char *scheme, bool on_floor)
{
    return rolling_rig(
        scheme,
        "polhode: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "%s"
        "defaults: {shapes: {friction: 0.5, density: 700}, joints: {type: revolute, axis: z}}\n"
        "bodies:\n"
        "  - {name: floor, fixed: true, shapes: [{type: plane, normal: z}]}\n"
        "  - {name: crank, position: [0, 0.15, 0.02], shapes: [{type: box, size: [0.04, 0.34, 0.04]}]}\n"
        "  - {name: coupler, position: [0.35, 0.35, 0.02], orientation: {axis: z, angle: 0.2782996590051114},\n"
        "     shapes: [{type: box, size: [0.768, 0.04, 0.04]}]}\n"
        "  - {name: rocker, position: [0.65, 0.2, 0.02], orientation: {axis: z, angle: -0.24497866312686414},\n"
        "     shapes: [{type: box, size: [0.04, 0.452, 0.04]}]}\n"
        "%s"
        "joints:\n"
        "  - {name: A, bodies: [%s, crank], anchor: [0, 0, 0.02]}\n"
        "  - {name: B, bodies: [crank, coupler], anchor: [0, 0.3, 0.02]}\n"
        "  - {name: C, bodies: [coupler, rocker], anchor: [0.7, 0.4, 0.02]}\n"
        "  - {name: D, bodies: [rocker, %s], anchor: [0.6, 0, 0.02]}\n"
        "run: {step: 2 ms}\n",
        on_floor ? "contact: {tolerance: 1e-12}\n" : "",
        on_floor ? "  - {name: base, position: [0.3, 0, 0.02], shapes: [{type: box, size: [0.64, 0.04, 0.04]}]}\n" : "",
        on_floor ? "base" : "world", on_floor ? "base" : "world");
}

static double farthest(const rig *r, const ph_vec3 *from)
{
    double most = 0.0;
    for (int i = 0; i < ph_model_bodies(r->model); i++)
        most = fmax(most, ph_norm(ph_sub(ph_state_positions(r->state)[i], from[i])));
    return most;
}

// How far it has moved in 10^4 steps of 2 ms.
static double moved(const char *scheme, bool on_floor)
{
    enum { BODIES = 5 };
    rig r = four_bar(scheme, on_floor);
    ph_vec3 from[BODIES];
    double most = 0.0;
    if (!r.sim) return NAN;
    memcpy(from, ph_state_positions(r.state), sizeof *from * (size_t)ph_model_bodies(r.model));
    for (int k = 0; k < 100; k++) {
        if (ph_sim_advance(r.sim, r.state, 0.002, 100, NULL) != PH_OK) most = INFINITY;
        most = fmax(most, farthest(&r, from));
    }
    rig_close(&r);
    return most;
}

TEST(a_four_bar_on_its_side_does_not_move)
{
    NEEDS_YAML;
    static const char *const schemes[] = {"rattlie", "moreau", "rattlie-ns", "lie-alpha-2", "rkmk4", "matrix-rattle"};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
        const double way = moved(schemes[k], false);
        printf("  %s, held by pins: %.1e m in 10000 steps\n", schemes[k], way);
        CHECK(way <= 1e-12);
    }
}

TEST(a_four_bar_that_lies_on_the_floor_does_not_move)
{
    NEEDS_YAML;
    static const char *const schemes[] = {"moreau", "rattlie-ns"};
    for (size_t k = 0; k < 2; k++) {
        const double way = moved(schemes[k], true);
        printf("  %s, on the floor: %.1e m in 10000 steps\n", schemes[k], way);
        CHECK(way <= 1e-12);
    }
}

// A door that hangs still on three hinges along one vertical axis, heights z: the least sum of squares of forces and torques that
// carries it. Each has a third of the weight; its moment M = m g c is held by F_i = mu (z_i - mean) and T_i = mu, with
// mu (3 + sum (z_i - mean)^2) = M.
TEST(three_hinges_share_a_door_by_the_smallest_reactions)
{
    static const double z[3] = {0.9, 0.1, -0.4};
    const double m = 2.0, g = 9.81, c = 0.4, mean = (z[0] + z[1] + z[2]) / 3.0;
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def door = ph_default_body();
    door.name = "door";
    door.mass = m;
    door.inertia = (ph_mat3){{{0.3, 0.0, 0.0}, {0.0, 0.2, 0.0}, {0.0, 0.0, 0.4}}};
    door.position = (ph_vec3){c, 0.0, 0.0};
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, -g});
    ph_spec_add_body(spec, &door);
    double squares = 0.0;
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"upper", "middle", "lower"};
        ph_joint_def j = ph_default_joint();
        j.name = names[i];
        j.type = "revolute";
        j.body_a = PH_WORLD;
        j.body_b = 0;
        j.has_anchor = j.has_axis = true;
        j.anchor = (ph_vec3){0.0, 0.0, z[i]};
        j.axis = (ph_vec3){0.0, 0.0, 1.0};
        ph_spec_add_joint(spec, &j);
        squares += (z[i] - mean) * (z[i] - mean);
    }
    rig r = rig_build(spec, "rattlie");
    ph_wrench w[3];
    const double mu = m * g * c / (3.0 + squares);
    if (!CHECK_EQ_INT(ph_observer_dynamics(r.observer, r.state, NULL, w), PH_OK)) return;
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(w[i].force.z, m * g / 3.0, 1e-12);
        CHECK_NEAR(w[i].force.x, -mu * (z[i] - mean), 1e-12);
        CHECK_NEAR(w[i].force.y, 0.0, 1e-12);
        CHECK_NEAR(w[i].torque.y, -mu, 1e-12);
        CHECK_NEAR(w[i].torque.x, 0.0, 1e-12);
        CHECK_NEAR(w[i].torque.z, 0.0, 1e-12);
    }
    rig_close(&r);
}
