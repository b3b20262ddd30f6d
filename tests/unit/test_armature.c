// Armature: the kinetic energy 1/2 a q'^2 of a joint coordinate, under every scheme.
#include "rig.h"

#include "math/quat.h"
#include "math/so3.h"
#include "math/vec3.h"
#include "model/state.h"

#include <math.h>
#include <string.h>

static ph_body_def rod(const char *name, double m, ph_vec3 position)
{
    ph_body_def b = ph_default_body();
    b.name = name;
    b.mass = m;
    b.inertia = (ph_mat3){{{0.02 * m, 0.003 * m, 0.0}, {0.003 * m, 0.03 * m, 0.0}, {0.0, 0.0, 0.025 * m}}};
    b.position = position;
    return b;
}

static ph_joint_def axis_joint(const char *name, const char *type, int a, int b, ph_vec3 anchor, ph_vec3 axis)
{
    ph_joint_def j = ph_default_joint();
    j.name = name;
    j.type = type;
    j.body_a = a;
    j.body_b = b;
    j.has_anchor = j.has_axis = true;
    j.anchor = anchor;
    j.axis = axis;
    return j;
}

// ---- A cart with a pendulum: the equations of motion by hand ---------------------------------------------------------

enum { CART, BOB };

static const double cart_mass = 2.0, bob_mass = 0.7, arm = 0.4, rotor_cart = 0.9, rotor_bob = 0.05, spin = 1.3;

static rig cart_pole(const char *scheme, double a_cart, double a_bob)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def cart = rod("cart", cart_mass, ph_vec(0, 0, 0)), bob = rod("bob", bob_mass, ph_vec(arm, 0, 0));
    bob.angular_velocity = ph_vec(0, 0, spin);
    bob.velocity = ph_vec(0, arm * spin, 0);
    ph_spec_set_gravity(spec, ph_vec(0, -9.81, 0));
    ph_spec_add_body(spec, &cart);
    ph_spec_add_body(spec, &bob);
    ph_joint_def slide = axis_joint("slide", "prismatic", PH_WORLD, CART, ph_vec(0, 0, 0), ph_vec(1, 0, 0));
    ph_joint_def hinge = axis_joint("hinge", "revolute", CART, BOB, ph_vec(0, 0, 0), ph_vec(0, 0, 1));
    slide.armature = a_cart;
    hinge.armature = a_bob;
    ph_spec_add_joint(spec, &slide);
    ph_spec_add_joint(spec, &hinge);
    return rig_build(spec, scheme);
}

// x'' and q'' with the bob at angle q from the x axis: M (x'', q'') = f.
static void by_hand(double q, double w, double out[2])
{
    const double M00 = cart_mass + bob_mass + rotor_cart, M01 = -bob_mass * arm * sin(q);
    const double M11 = bob_mass * (0.025 + arm * arm) + rotor_bob;
    const double f0 = bob_mass * arm * cos(q) * w * w, f1 = -bob_mass * 9.81 * arm * cos(q);
    const double det = M00 * M11 - M01 * M01;
    out[0] = (f0 * M11 - M01 * f1) / det;
    out[1] = (M00 * f1 - M01 * f0) / det;
}

TEST(accelerations_are_those_of_the_equations_of_motion)
{
    rig r = cart_pole("rkmk4", rotor_cart, rotor_bob);
    for (int k = 0; k < 5; k++) {
        double q, w, x1, expected[2];
        ph_twist a[2];
        ph_observer_joint(r.observer, r.state, 0, NULL, &x1);
        ph_observer_joint(r.observer, r.state, 1, &q, &w);
        by_hand(q, w, expected);
        CHECK_EQ_INT(ph_observer_dynamics(r.observer, r.state, a, NULL), PH_OK);
        CHECK_NEAR(a[CART].v.x, expected[0], 1e-12);
        CHECK_NEAR(a[BOB].omega.z, expected[1], 1e-11);
        const double kinetic = 0.5 * ((cart_mass + bob_mass + rotor_cart) * x1 * x1 +
                                      (bob_mass * (0.025 + arm * arm) + rotor_bob) * w * w) -
                               bob_mass * arm * sin(q) * x1 * w;
        CHECK_NEAR(rig_measure(&r).kinetic, kinetic, 1e-12);
        rig_step(&r, 1e-3, 100);
    }
    rig_close(&r);
}

// About an axis at rest the armature is as good as so much more inertia: for geodesic schemes to the last bits.
TEST(on_an_axis_at_rest_it_is_inertia_of_the_body)
{
    rig rotor = cart_pole("rattlie", 0.0, rotor_bob), heavy;
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def bob = rod("bob", bob_mass, ph_vec(arm, 0, 0));
    rig_close(&rotor);
    for (int k = 0; k < 2; k++) {
        if (k) spec = ph_spec_create(NULL);
        ph_spec_set_gravity(spec, ph_vec(0, -9.81, 0));
        ph_joint_def hinge = axis_joint("hinge", "revolute", PH_WORLD, 0, ph_vec(0, 0, 0), ph_vec(0, 0, 1));
        hinge.armature = k ? 0.0 : rotor_bob;
        bob.inertia.m[2][2] += k ? rotor_bob : 0.0;
        bob.inertia.m[0][0] += rotor_bob;
        bob.inertia.m[1][1] += rotor_bob;
        ph_spec_add_body(spec, &bob);
        ph_spec_add_joint(spec, &hinge);
        *(k ? &heavy : &rotor) = rig_build(spec, "rattlie");
    }
    rig_step(&rotor, 5e-3, 400);
    rig_step(&heavy, 5e-3, 400);
    CHECK_NEAR(rig_distance(rig_position(&rotor, 0), rig_position(&heavy, 0)), 0.0, 1e-12);
    CHECK_NEAR(rig_measure(&rotor).kinetic, rig_measure(&heavy).kinetic, 1e-11);
    rig_close(&rotor);
    rig_close(&heavy);
}

// ---- Two bodies in space ----------------------------------------------------------------------------------------------

// A pair that floats and tumbles, with a rotor in the hinge between them; and a slide with one on top.
static ph_spec *satellite(bool contact)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def a = rod("a", 1.0, ph_vec(0, 0, 0)), b = rod("b", 0.5, ph_vec(0.3, 0, 0)),
                c = rod("c", 0.4, ph_vec(0.5, 0, 0));
    const ph_vec3 w = {0.5, 0.8, 1.2};
    ph_body_def *all[] = {&a, &b, &c};
    for (int k = 0; k < 3; k++) { // one rigid rotation, and b with c turning about the hinge beside it
        all[k]->angular_velocity = k ? ph_add(w, ph_vec(0, 0, 2.0)) : w;
        all[k]->velocity = ph_cross(w, all[k]->position);
        if (k)
            all[k]->velocity =
                ph_add(all[k]->velocity, ph_cross(ph_vec(0, 0, 2.0), ph_sub(all[k]->position, ph_vec(0.1, 0, 0))));
        ph_spec_add_body(spec, all[k]);
    }
    ph_joint_def hinge = axis_joint("hinge", "revolute", 0, 1, ph_vec(0.1, 0, 0), ph_vec(0, 0, 1));
    ph_joint_def slide = axis_joint("slide", "prismatic", 1, 2, ph_vec(0.4, 0, 0), ph_vec(0, 1, 0));
    hinge.armature = 0.03;
    hinge.has_start = true;
    hinge.start = 7.0; // more than a turn
    slide.armature = 0.6;
    slide.stiffness = 20.0;
    ph_spec_add_joint(spec, &hinge);
    ph_spec_add_joint(spec, &slide);
    if (contact) {
        const ph_contact_settings settings = ph_default_contact();
        ph_spec_set_contact(spec, &settings);
    }
    return spec;
}

static double rotors_off_their_slides(const rig *r)
{
    double off = 0.0;
    for (int k = 0; k < r->model->rotor_count; k++) {
        const int i = r->model->body_count + 1 + k;
        const ph_vec3 x = r->state->position[i], v = r->state->velocity[i], w = r->state->angular_velocity[i];
        off = fmax(off, fmax(fabs(x.y) + fabs(x.z) + fabs(v.y) + fabs(v.z), fabs(w.x) + fabs(w.y) + fabs(w.z)));
        off = fmax(off, fabs(r->state->orientation[i].w - 1.0));
    }
    return off;
}

static bool takes_joints(const char *scheme)
{
    return strcmp(scheme, "exact") != 0;
}

static ph_vec3 satellite_end(const char *scheme, double h, bool contact, double *energy, double *momentum)
{
    rig r = rig_build(satellite(contact), scheme);
    const ph_measures before = rig_measure(&r);
    const ph_vec3 nowhere = {0};
    if (!r.sim) return nowhere;
    rig_step(&r, h, (int)lround(0.5 / h));
    const ph_measures after = rig_measure(&r);
    *energy = fabs(after.total - before.total) / before.total;
    *momentum = fmax(ph_norm(ph_sub(after.linear, before.linear)), ph_norm(ph_sub(after.angular, before.angular)));
    CHECK_NEAR(rotors_off_their_slides(&r), 0.0, 0.0);
    CHECK_NEAR(after.position_violation, 0.0, 1e-6);
    const ph_vec3 end = rig_position(&r, 2);
    rig_close(&r);
    return end;
}

TEST(every_scheme_finds_the_same_motion)
{
    double energy, momentum;
    const ph_vec3 reference = satellite_end("rkmk4", 2.5e-4, false, &energy, &momentum);
    CHECK_NEAR(energy, 0.0, 1e-10);
    for (int k = 0; k < ph_scheme_count(); k++) {
        const ph_scheme_info scheme = ph_scheme_get(k);
        if (!takes_joints(scheme.name)) continue;
        const bool contact = scheme.traits & PH_HAS_CONTACT;
        const ph_vec3 coarse = satellite_end(scheme.name, 2e-3, contact, &energy, &momentum);
        const ph_vec3 fine = satellite_end(scheme.name, 1e-3, contact, &energy, &momentum);
        const double e2 = rig_distance(coarse, reference), e1 = rig_distance(fine, reference);
        const int order = strcmp(scheme.name, "moreau") == 0 ? 1 : scheme.order;
        printf("  %-14s off by %.2e, %.2e; energy %.1e momentum %.1e\n", scheme.name, e2, e1, energy, momentum);
        CHECK(e1 < (order == 1 ? 2e-2 : 1e-4));
        CHECK(e1 < 1e-9 || log2(e2 / e1) > order - 0.3);
        if (scheme.traits & PH_KEEPS_MOMENTUM) CHECK_NEAR(momentum, 0.0, 1e-12);
    }
}

// ---- The state --------------------------------------------------------------------------------------------------------

// Rotors follow what the user writes into the arrays of the bodies: energy at once, the motion with the next step.
// Two slides on a gear, upwards: q'' = -g (m1 + r m2) / (m1 + a + r^2 m2) for ever, which schemes of order 2 follow exactly.
TEST(a_geared_slide_with_a_rotor_falls_evenly_under_every_scheme)
{
    const double m1 = 0.4, m2 = 1.5, r = -1.5, a = 0.6, g = 9.81, t = 0.1;
    const double expected = -0.5 * g * (m1 + r * m2) / (m1 + a + r * r * m2) * t * t;
    for (int s = 0; s < ph_scheme_count(); s++) {
        const ph_scheme_info info = ph_scheme_get(s);
        if (strcmp(info.name, "exact") == 0) continue;
        ph_spec *spec = ph_spec_create(NULL);
        const ph_body_def one = rod("one", m1, ph_vec(0, 0, 0)), two = rod("two", m2, ph_vec(1, 0, 0));
        ph_spec_set_gravity(spec, ph_vec(0, 0, -g));
        ph_spec_add_body(spec, &one);
        ph_spec_add_body(spec, &two);
        ph_joint_def first = axis_joint("first", "prismatic", PH_WORLD, 0, ph_vec(0, 0, 0), ph_vec(0, 0, 1));
        ph_joint_def second = axis_joint("second", "prismatic", PH_WORLD, 1, ph_vec(1, 0, 0), ph_vec(0, 0, 1));
        ph_joint_def pair = ph_default_joint();
        first.armature = a;
        pair.name = "pair", pair.type = "gear", pair.gear_joint[0] = 0, pair.gear_joint[1] = 1, pair.ratio = r;
        ph_spec_add_joint(spec, &first);
        ph_spec_add_joint(spec, &second);
        ph_spec_add_joint(spec, &pair);
        rig it = rig_build(spec, info.name);
        const double tolerance = info.order == 1 ? 1e-3 : strcmp(info.name, "bliedf2") == 0 ? 1e-5 : 1e-10;
        if (rig_step(&it, 2e-3, 50) && !CHECK_NEAR(rig_position(&it, 0).z, expected, tolerance))
            printf("  %s\n", info.name);
        rig_close(&it);
    }
}

TEST(rotors_follow_an_edited_state)
{
    rig r = cart_pole("rattlie", rotor_cart, rotor_bob), s = cart_pole("rattlie", rotor_cart, rotor_bob);
    ph_state_velocities(r.state)[CART] = ph_vec(2, 0, 0);
    ph_state_velocities(r.state)[BOB].x = 2.0;
    ph_state_touch(r.state);
    ph_state_velocities(s.state)[CART] = ph_vec(2, 0, 0);
    ph_state_velocities(s.state)[BOB].x = 2.0;
    s.state->velocity[s.model->body_count + 1].x = sqrt(rotor_cart) * 2.0;
    CHECK_NEAR(rig_measure(&r).kinetic, rig_measure(&s).kinetic, 0.0);
    rig_step(&r, 1e-3, 10);
    rig_step(&s, 1e-3, 10);
    CHECK_NEAR(rig_measure(&r).total, rig_measure(&s).total, 1e-12);
    CHECK_NEAR(rig_distance(rig_position(&r, BOB), rig_position(&s, BOB)), 0.0, 1e-13);
    rig_close(&r);
    rig_close(&s);
}

TEST(what_users_count_has_no_rotors)
{
    rig r = cart_pole("rattlie", rotor_cart, rotor_bob);
    CHECK_EQ_INT(ph_model_bodies(r.model), 2);
    CHECK_EQ_INT(ph_model_rows(r.model), 10);
    CHECK_EQ_INT(ph_model_velocities(r.model), 12);
    CHECK_EQ_INT(ph_model_rank(r.model), 10);
    CHECK_EQ_INT(ph_model_freedoms(r.model), 2);
    CHECK_EQ_INT(ph_model_joint(r.model, 1).rows, 5);
    CHECK_EQ_INT(ph_model_joint(r.model, 1).first_row, 5);
    rig_close(&r);
}

// ---- Modes and statics ------------------------------------------------------------------------------------------------

TEST(modes_and_statics_know_it)
{
    rig r = rig_build(satellite(false), "rattlie");
    rig_close(&r);
    r = cart_pole("rattlie", rotor_cart, rotor_bob);
    ph_quat *turn = ph_state_orientations(r.state);
    turn[BOB] = ph_quat_exp(ph_vec(0, 0, -1.57079632679489661923));
    ph_state_positions(r.state)[BOB] = ph_vec(0, -arm, 0);
    ph_state_touch(r.state);
    ph_mode_set *modes = NULL;
    ph_error error = {.text = ""};
    CHECK_EQ_INT(ph_modes(r.model, r.state, &modes, &error), PH_OK);
    CHECK_STR(error.text, "");
    if (!CHECK(modes && modes->count == 2)) return;
    // M = [A B; B C], K = [0 0; 0 m g l]: omega^2 = m g l A / (A C - B^2)
    const double A = cart_mass + bob_mass + rotor_cart, B = bob_mass * arm;
    const double C = bob_mass * (0.025 + arm * arm) + rotor_bob;
    CHECK_NEAR(modes->modes[0].eigenvalue, 0.0, 1e-7);
    CHECK_REL(modes->modes[1].eigenvalue, bob_mass * 9.81 * arm * A / (A * C - B * B), 1e-7);
    ph_modes_destroy(modes);
    rig_close(&r);
}

TEST(statics_do_not_depend_on_it)
{
    double height[2];
    for (int k = 0; k < 2; k++) {
        rig r = cart_pole("rattlie", k * rotor_cart, k * rotor_bob);
        const ph_statics_def def = ph_default_statics();
        ph_statics_report report;
        ph_error error = {.text = ""};
        CHECK_EQ_INT(ph_statics(r.model, r.state, &def, &report, &error), PH_OK);
        CHECK_STR(error.text, "");
        height[k] = rig_position(&r, BOB).y;
        rig_close(&r);
    }
    CHECK_NEAR(height[0], -arm, 1e-9);
    CHECK_NEAR(height[1], -arm, 1e-9);
}

// ---- Trees ------------------------------------------------------------------------------------------------------------

// A rod that stands on its hinge falls, whatever its rotor; its size and unit do not matter. One freedom: there is one mode.
static double rest_of_standing_rod(double unit, double armature)
{
    ph_spec *spec = ph_spec_create(NULL);
    const double m = unit * unit * unit, inertia = m * unit * unit;
    ph_body_def b = rod("rod", m, ph_vec(0, 0.5 * unit, 0));
    b.inertia = ph_mat_scale(inertia, ph_diag(ph_vec(0.09, 0.02, 0.08)));
    ph_spec_set_gravity(spec, ph_vec(0, -9.81, 0));
    ph_spec_add_body(spec, &b);
    ph_joint_def hinge = axis_joint("hinge", "revolute", PH_WORLD, 0, ph_vec(0, 0, 0), ph_vec(0, 0, 1));
    hinge.armature = armature * inertia;
    ph_spec_add_joint(spec, &hinge);
    rig r = rig_build(spec, "rattlie");
    const ph_statics_def def = ph_default_statics();
    ph_statics_report report;
    CHECK_EQ_INT(ph_statics(r.model, r.state, &def, &report, NULL), PH_OK);
    CHECK(report.stable);
    const double height = rig_position(&r, 0).y / unit;
    rig_close(&r);
    return height;
}

TEST(what_stands_falls_whatever_its_rotor_and_size)
{
    static const double units[] = {1e-6, 1e-3, 1.0, 1e4}, armatures[] = {0.0, 1e-3, 1.0};
    for (int u = 0; u < 4; u++)
        for (int a = 0; a < 3; a++)
            if (!CHECK_NEAR(rest_of_standing_rod(units[u], armatures[a]), -0.5, 1e-9))
                printf("  unit %g, armature %g\n", units[u], armatures[a]);
}

// A machine ten kilometres long and its rotors start like any other.
TEST(rotors_of_large_machines_meet_their_joints)
{
    const double L = 1e4, M = 1e9;
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def one = rod("one", M, ph_vec(0.3 * L, 0, 0)), two = rod("two", M, ph_vec(0.9 * L, 0.1 * L, 0));
    one.inertia = two.inertia = ph_mat_scale(M * L * L, ph_diag(ph_vec(0.02, 0.03, 0.025)));
    ph_spec_set_gravity(spec, ph_vec(0, -9.81, 0));
    ph_spec_set_project(spec, true);
    one.angular_velocity = ph_vec(0.01, 0.02, 0.3), two.velocity = ph_vec(100, -300, 40);
    ph_spec_add_body(spec, &one);
    ph_spec_add_body(spec, &two);
    ph_joint_def first = axis_joint("first", "revolute", PH_WORLD, 0, ph_vec(0, 0, 0), ph_vec(0.1, 0.3, 1));
    ph_joint_def second = axis_joint("second", "revolute", 0, 1, ph_vec(0.6 * L, 0, 0), ph_vec(0.2, 0.5, 1));
    first.armature = 3.0 * M * L * L, second.armature = 0.3 * M * L * L;
    ph_spec_add_joint(spec, &first);
    ph_spec_add_joint(spec, &second);
    rig r = rig_build(spec, "rkmk4");
    if (!r.sim) return;
    ph_state_touch(r.state);
    const double start = rig_measure(&r).total;
    if (rig_step(&r, 0.01, 100)) CHECK_REL(rig_measure(&r).total, start, 1e-9);
    rig_close(&r);
}

TEST(trees_have_it_on_the_diagonal)
{
    rig r = cart_pole("rattlie", rotor_cart, rotor_bob);
    ph_tree *tree = NULL;
    ph_error error;
    CHECK_EQ_INT(ph_tree_from_model(r.model, &tree, NULL, &error), PH_OK);
    for (int k = 0; k < 5; k++) {
        const double q[2] = {test_uniform(-1, 1), test_uniform(-3, 3)},
                     u[2] = {test_uniform(-1, 1), test_uniform(-3, 3)};
        const double none[2] = {0};
        double M[4], rate[2], expected[2], tau[2], kinetic, potential;
        ph_tree_mass_matrix(tree, q, M);
        CHECK_NEAR(M[0], cart_mass + bob_mass + rotor_cart, 1e-14);
        CHECK_NEAR(M[1], -bob_mass * arm * sin(q[1]), 1e-14);
        CHECK_NEAR(M[3], bob_mass * (0.025 + arm * arm) + rotor_bob, 1e-14);
        CHECK_EQ_INT(ph_tree_forward_dynamics(tree, q, u, none, NULL, rate), PH_OK);
        by_hand(q[1], u[1], expected);
        CHECK_NEAR(rate[0], expected[0], 1e-12);
        CHECK_NEAR(rate[1], expected[1], 1e-12);
        ph_tree_inverse_dynamics(tree, q, u, rate, NULL, tau);
        CHECK_NEAR(fabs(tau[0]) + fabs(tau[1]), 0.0, 1e-12);
        ph_tree_energy(tree, q, u, &kinetic, &potential);
        CHECK_NEAR(kinetic, 0.5 * (M[0] * u[0] * u[0] + M[3] * u[1] * u[1]) + M[1] * u[0] * u[1], 1e-13);
    }
    ph_tree_destroy(tree);
    rig_close(&r);
}

TEST(a_prescribed_coordinate_has_no_rotor)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def b = rod("b", 1.0, ph_vec(0.1, 0, 0));
    ph_spec_add_body(spec, &b);
    ph_joint_def hinge = axis_joint("hinge", "revolute", PH_WORLD, 0, ph_vec(0, 0, 0), ph_vec(0, 0, 1));
    hinge.armature = 0.5;
    hinge.motor = PH_MOTOR_POSITION;
    ph_spec_add_joint(spec, &hinge);
    rig r = rig_build(spec, "rattlie");
    CHECK_EQ_INT(r.model->rotor_count, 0);
    rig_step(&r, 1e-3, 3);
    rig_close(&r);
}
