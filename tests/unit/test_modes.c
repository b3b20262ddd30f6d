// Linear modes against closed forms: every way in which springs, dampers and motors enter, at any size.

#include "test.h"

#include "polhode/polhode.h"

static const double scales[] = {1.0, 1e-6, 1e3};

// Bodies of mass 1 and moments L^2 about every axis, one at the origin, one at (0, 5L, 0); no gravity.
static ph_spec *two_bodies(double L)
{
    static const char *const names[] = {"a", "b"};
    ph_spec *spec = ph_spec_create(NULL);
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, 0.0});
    for (int i = 0; i < 2; i++) {
        ph_body_def def = ph_default_body();
        def.name = names[i];
        def.mass = 1.0;
        def.inertia = (ph_mat3){{{L * L, 0.0, 0.0}, {0.0, L * L, 0.0}, {0.0, 0.0, L * L}}};
        def.position = (ph_vec3){0.0, 5.0 * L * i, 0.0};
        ph_spec_add_body(spec, &def);
    }
    return spec;
}

// About x through the body's centre of mass, or along x.
static ph_joint_def own_joint(const char *name, const char *type, int body, double L)
{
    ph_joint_def def = ph_default_joint();
    def.name = name;
    def.type = type;
    def.body_a = PH_WORLD;
    def.body_b = body;
    def.has_anchor = def.has_axis = true;
    def.anchor = (ph_vec3){0.0, 5.0 * L * body, 0.0};
    def.axis = (ph_vec3){1.0, 0.0, 0.0};
    return def;
}

// Takes the spec over.
static ph_mode_set *modes_of(ph_spec *spec, ph_model **model)
{
    ph_problems *problems = ph_problems_create();
    ph_mode_set *set = NULL;
    *model = NULL;
    if (ph_model_compile(spec, problems, model) != PH_OK && ph_problems_count(problems) > 0) {
        printf("  %s\n", ph_problems_get(problems, 0)->text);
    }
    ph_state *state = *model ? ph_state_create(*model) : NULL;
    ph_error error = {.text = ""};
    if (CHECK(state)) CHECK_EQ_INT(ph_modes(*model, state, &set, &error), PH_OK);
    ph_state_destroy(state);
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    return set;
}

// Frequencies in rad/s and decays in 1/s that the modes must have.
static void check_modes(ph_spec *spec, int count, const double *omega, const double *decay, double L)
{
    ph_model *model;
    ph_mode_set *set = modes_of(spec, &model);
    if (CHECK(set && set->count == count)) {
        for (int k = 0; k < count; k++) {
            const bool good =
                CHECK_NEAR(2.0 * acos(-1.0) * set->modes[k].frequency, omega[k], 1e-11 * omega[count - 1]) &&
                CHECK_NEAR(set->modes[k].decay, decay[k], 1e-11 * fmax(decay[k], omega[k]));
            if (!good) printf("  mode %d, size %g m\n", k, L);
        }
    }
    ph_modes_destroy(set);
    ph_model_destroy(model);
}

TEST(torsion_springs_have_modes)
{
    for (int s = 0; s < 3; s++) {
        const double L = scales[s];
        ph_spec *spec = two_bodies(L);
        const ph_joint_def a = own_joint("A", "revolute", 0, L), b = own_joint("B", "prismatic", 1, L);
        ph_spec_add_joint(spec, &a);
        ph_spec_add_joint(spec, &b);
        ph_force_def torsion = ph_default_force();
        torsion.type = "torsion";
        torsion.joint = 0;
        torsion.stiffness = 100.0 * L * L;
        torsion.damping = 2.0 * L * L;
        ph_spec_add_force(spec, &torsion);
        torsion.joint = 1;
        torsion.stiffness = 400.0;
        torsion.damping = 6.0;
        ph_spec_add_force(spec, &torsion);
        check_modes(spec, 2, (double[]){10.0, 20.0}, (double[]){1.0, 3.0}, L);
    }
}

// What a motor does may depend on any joint: two hinges that see each other alone, as if a spring were between them.
TEST(expressions_of_joints_elsewhere_couple_bodies)
{
    for (int s = 0; s < 3; s++) {
        const double L = scales[s];
        char text[2][128];
        ph_spec *spec = two_bodies(L);
        for (int i = 0; i < 2; i++) {
            ph_joint_def def = own_joint(i ? "B" : "A", "revolute", i, L);
            def.motor = PH_MOTOR_TORQUE;
            snprintf(text[i], sizeof text[i], "%.17g*(100*sin(q.%c - q.%c) + 2*(qd.%c - qd.%c))", L * L, i ? 'A' : 'B',
                     i ? 'B' : 'A', i ? 'A' : 'B', i ? 'B' : 'A');
            def.motor_value.expression = text[i];
            ph_spec_add_joint(spec, &def);
        }
        check_modes(spec, 2, (double[]){0.0, sqrt(200.0)}, (double[]){0.0, 2.0}, L);
    }
}

// The same from wrenches on free bodies: torques about x by the hinge of the other.
TEST(wrenches_by_expressions_have_modes)
{
    for (int s = 0; s < 3; s++) {
        const double L = scales[s];
        char text[128];
        ph_spec *spec = two_bodies(L);
        const ph_joint_def a = own_joint("A", "revolute", 0, L), b = own_joint("B", "revolute", 1, L);
        ph_spec_add_joint(spec, &a);
        ph_spec_add_joint(spec, &b);
        for (int i = 0; i < 2; i++) {
            ph_force_def wrench = ph_default_force();
            wrench.type = "wrench";
            wrench.body_b = i;
            wrench.at_com = true;
            snprintf(text, sizeof text, "%.17g*(-300*q.%c + 100*q.%c - 4*qd.%c)", L * L, i ? 'B' : 'A', i ? 'A' : 'B',
                     i ? 'B' : 'A');
            wrench.torque[0].expression = text;
            ph_spec_add_force(spec, &wrench);
        }
        check_modes(spec, 2, (double[]){sqrt(200.0), 20.0}, (double[]){2.0, 2.0}, L);
    }
}

// A spring along x from the world to a body on a rail along x, two more across it that are stretched: k + 2 T/l.
TEST(springs_of_any_size_have_modes)
{
    for (int s = 0; s < 3; s++) {
        const double L = scales[s];
        ph_spec *spec = two_bodies(L);
        ph_joint_def rail = own_joint("rail", "prismatic", 0, L), still = own_joint("still", "fixed", 1, L);
        still.has_axis = false;
        ph_spec_add_joint(spec, &rail);
        ph_spec_add_joint(spec, &still);
        for (int i = 0; i < 3; i++) {
            ph_force_def spring = ph_default_force();
            spring.type = "spring";
            spring.body_a = PH_WORLD;
            spring.body_b = 0;
            spring.point_a = i == 0 ? (ph_vec3){-2.0 * L, 0.0, 0.0} : (ph_vec3){0.0, 0.0, i == 1 ? L : -L};
            spring.stiffness = i == 0 ? 300.0 : 100.0;
            spring.damping = 8.0;
            spring.has_length = i > 0;
            spring.length = 0.5 * L; // tension 50 L over a length of L
            ph_spec_add_force(spec, &spring);
        }
        check_modes(spec, 1, (double[]){20.0}, (double[]){4.0}, L);
    }
}

// A free body in a bushing about its centre of mass.
TEST(bushings_have_six_modes)
{
    for (int s = 0; s < 3; s++) {
        const double L = scales[s], omega[6] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0},
                     decay[6] = {0.5, 0.4, 0.3, 0.2, 0.1, 0.6};
        ph_spec *spec = two_bodies(L);
        ph_joint_def still = own_joint("still", "fixed", 1, L);
        still.has_axis = false;
        ph_spec_add_joint(spec, &still);
        ph_force_def bushing = ph_default_force();
        bushing.type = "bushing";
        bushing.body_a = PH_WORLD;
        bushing.body_b = 0;
        for (int k = 0; k < 6; k++) {
            const double unit = k < 3 ? L * L : 1.0;
            bushing.stiffness6[k][k] = unit * omega[k] * omega[k];
            bushing.damping6[k][k] = unit * 2.0 * decay[k];
        }
        ph_spec_add_force(spec, &bushing);
        check_modes(spec, 6, omega, decay, L);
    }
}

// Spring, damper and servo of a joint, each alone: kp and stiffness, kd and damping do the same.
TEST(joint_springs_and_servos_have_modes)
{
    for (int s = 0; s < 3; s++) {
        const double L = scales[s];
        ph_spec *spec = two_bodies(L);
        ph_joint_def a = own_joint("A", "revolute", 0, L), b = own_joint("B", "prismatic", 1, L);
        a.stiffness = 100.0 * L * L;
        a.damping = 2.0 * L * L;
        b.motor = PH_MOTOR_SERVO;
        b.motor_kp = 400.0;
        b.motor_kd = 6.0;
        ph_spec_add_joint(spec, &a);
        ph_spec_add_joint(spec, &b);
        check_modes(spec, 2, (double[]){10.0, 20.0}, (double[]){1.0, 3.0}, L);
    }
}

// A callback that pulls a free body to the origin with k x; its derivative by differences, as it tells none.
static void pull(const ph_body_motion *bodies, double time, void *user, ph_load *loads)
{
    (void)time, (void)user;
    const ph_vec3 x = bodies[0].position;
    ph_load_add_force(&loads[0], (ph_vec3){-100.0 * x.x, -100.0 * x.y, -100.0 * x.z}, (ph_vec3){0.0, 0.0, 0.0});
}

TEST(callbacks_have_modes)
{
    for (int s = 0; s < 3; s++) {
        const double L = scales[s];
        ph_model *model;
        ph_spec *spec = two_bodies(L);
        ph_joint_def still = own_joint("still", "fixed", 1, L), rail = own_joint("rail", "prismatic", 0, L);
        still.has_axis = false;
        ph_spec_add_joint(spec, &still);
        ph_spec_add_joint(spec, &rail);
        ph_callback_def def = ph_default_callback();
        def.body = 0;
        def.force = pull;
        ph_spec_add_callback(spec, &def);
        ph_mode_set *set = modes_of(spec, &model);
        if (CHECK(set && set->count == 1)) CHECK_REL(2.0 * acos(-1.0) * set->modes[0].frequency, 10.0, 1e-9);
        ph_modes_destroy(set);
        ph_model_destroy(model);
    }
}
