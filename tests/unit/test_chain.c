// Chains of turns and slides: the joints that they can stand for, the same machine with light bodies between, order and energy
// under each scheme, and what acts along their coordinates.
#include "rig.h"

#include "math/vec3.h"

#include <math.h>

static int add_body(ph_spec *spec, const char *name, double mass, ph_vec3 at, ph_vec3 com)
{
    ph_body_def def = ph_default_body();
    def.name = name;
    def.mass = mass;
    def.inertia =
        (ph_mat3){{{0.02 * mass, 0.003 * mass, 0.0}, {0.003 * mass, 0.03 * mass, 0.0}, {0.0, 0.0, 0.025 * mass}}};
    def.position = at;
    def.com = com;
    return ph_spec_add_body(spec, &def);
}

static ph_chain_motion turn(ph_vec3 axis, ph_vec3 point)
{
    return (ph_chain_motion){.axis = axis, .point = point};
}

static ph_chain_motion slide(ph_vec3 axis)
{
    return (ph_chain_motion){.slides = true, .axis = axis};
}

static ph_joint_def chain_of(int count, const ph_chain_motion *motions)
{
    ph_joint_def def = ph_default_joint();
    def.name = "chain";
    def.type = "chain";
    def.body_a = PH_WORLD;
    def.body_b = 0;
    def.motion_count = count;
    for (int k = 0; k < count; k++) {
        def.motions[k] = motions[k];
        def.has_rate[k] = true;
        def.rate[k] = 1.0 - 0.4 * k;
    }
    return def;
}

static ph_joint_def coordinate_of(int index)
{
    ph_joint_def def = ph_default_joint();
    def.name = "axis";
    def.type = "coordinate";
    def.of_joint = 0;
    def.of_coordinate = index;
    return def;
}

static ph_spec *one_body(void)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_spec_set_gravity(spec, ph_vec(0.3, 0.0, -9.81));
    add_body(spec, "body", 1.7, ph_vec(0.2, 0.1, 0.0), ph_vec(0.1, 0.05, -0.2));
    return spec;
}

static rig chain_rig(const char *scheme, int count, const ph_chain_motion *motions)
{
    ph_spec *spec = one_body();
    const ph_joint_def def = chain_of(count, motions);
    ph_spec_add_joint(spec, &def);
    return rig_build(spec, scheme);
}

// ---- Joints that there are ------------------------------------------------------------------------------------------

static rig joint_rig(const char *type, ph_vec3 axis, ph_vec3 axis2, int rates)
{
    ph_spec *spec = one_body();
    ph_joint_def def = ph_default_joint();
    def.name = "joint";
    def.type = type;
    def.body_a = PH_WORLD;
    def.body_b = 0;
    def.has_anchor = def.has_axis = true;
    def.anchor = ph_vec(0.2, 0.1, 0.0);
    def.axis = axis;
    def.has_axis2 = ph_norm(axis2) > 0.0;
    def.axis2 = axis2;
    for (int k = 0; k < rates; k++) def.has_rate[k] = true, def.rate[k] = 1.0 - 0.4 * k;
    ph_spec_add_joint(spec, &def);
    return rig_build(spec, "rattlie");
}

static void check_same(rig *a, rig *b)
{
    if (rig_step(a, 2e-3, 500) && rig_step(b, 2e-3, 500))
        CHECK_NEAR(rig_distance(rig_position(a, 0), rig_position(b, 0)), 0.0, 1e-12);
    rig_close(a), rig_close(b);
}

TEST(a_universal_joint_is_a_chain_of_two_turns)
{
    const ph_vec3 o = ph_zero3(), z = ph_vec(0, 0, 1), x = ph_vec(1, 0, 0);
    rig a = chain_rig("rattlie", 2, (ph_chain_motion[]){turn(z, o), turn(x, o)}), b = joint_rig("universal", z, x, 2);
    check_same(&a, &b);
}

TEST(a_cylindrical_joint_is_a_turn_and_a_slide)
{
    const ph_vec3 o = ph_zero3(), axis = ph_vec(0.2, 1, 0.1);
    rig a = chain_rig("rattlie", 2, (ph_chain_motion[]){turn(axis, o), slide(axis)});
    rig b = joint_rig("cylindrical", axis, o, 2);
    check_same(&a, &b);
}

// ---- Light bodies between -------------------------------------------------------------------------------------------

// The same motions, each a joint of its own between bodies of mass m.
static rig light_rig(int count, const ph_chain_motion *motions, double m)
{
    ph_spec *spec = one_body();
    const ph_vec3 at = ph_vec(0.2, 0.1, 0.0);
    for (int k = 0; k < count; k++) {
        char name[2][16];
        snprintf(name[0], sizeof name[0], "light%d", k), snprintf(name[1], sizeof name[1], "j%d", k);
        const int next = k + 1 < count ? add_body(spec, name[0], m, at, ph_zero3()) : 0;
        ph_joint_def def = ph_default_joint();
        def.name = name[1];
        def.type = motions[k].slides ? "prismatic" : "revolute";
        def.body_a = k == 0 ? PH_WORLD : next > 0 ? next - 1 : count - 1;
        def.body_b = next;
        def.has_anchor = def.has_axis = def.has_rate[0] = true;
        def.anchor = ph_add(at, motions[k].point);
        def.axis = motions[k].axis;
        def.rate[0] = 1.0 - 0.4 * k;
        ph_spec_add_joint(spec, &def);
    }
    return rig_build(spec, "dop853");
}

static void check_light(int count, const ph_chain_motion *motions)
{
    const double masses[2] = {1e-4, 1e-6};
    double off[2] = {0.0, 0.0};
    for (int n = 0; n < 2; n++) {
        rig a = chain_rig("dop853", count, motions), b = light_rig(count, motions, masses[n]);
        if (rig_step(&a, 0.01, 30) && rig_step(&b, 0.01, 30))
            off[n] = rig_distance(rig_position(&a, 0), rig_position(&b, 0));
        rig_close(&a), rig_close(&b);
    }
    CHECK(off[0] > 0.0 && off[0] < 1e-2);
    CHECK(off[1] < 2e-2 * off[0]); // in proportion to the mass
}

TEST(light_bodies_between_are_the_limit)
{
    const ph_vec3 p = ph_vec(0.1, 0, 0.2), q = ph_vec(-0.1, 0.2, 0), r = ph_vec(0, 0.1, -0.1);
    check_light(2, (ph_chain_motion[]){turn(ph_vec(0, 0, 1), p), turn(ph_vec(0.3, 1, 0.2), q)});
    check_light(2, (ph_chain_motion[]){turn(ph_vec(0, 0.2, 1), p), turn(ph_vec(0, 0.2, 1), q)});
    check_light(
        3, (ph_chain_motion[]){turn(ph_vec(1, 0, 0.1), p), turn(ph_vec(0, 1, 0.2), q), turn(ph_vec(0.2, 0, 1), r)});
    check_light(3, (ph_chain_motion[]){slide(ph_vec(1, 0.2, 0)), turn(ph_vec(0, 1, 0.1), q), slide(ph_vec(0, 0, 1))});
    check_light(4, (ph_chain_motion[]){slide(ph_vec(1, 0.2, 0)), slide(ph_vec(0, 1, 0.3)), turn(ph_vec(0, 0, 1), q),
                                       turn(ph_vec(0, 1, 0.1), r)});
    check_light(6, (ph_chain_motion[]){slide(ph_vec(1, 0, 0)), slide(ph_vec(0, 1, 0)), slide(ph_vec(0, 0, 1)),
                                       turn(ph_vec(1, 0, 0), p), turn(ph_vec(0, 1, 0), q), turn(ph_vec(0, 0, 1), r)});
}

// ---- Order and energy -----------------------------------------------------------------------------------------------

// A spring, an armature and no damper along the first coordinate.
static rig driven_rig(const char *scheme, double damping)
{
    ph_spec *spec = one_body();
    const ph_joint_def def =
        chain_of(3, (ph_chain_motion[]){turn(ph_vec(0, 0.2, 1), ph_vec(0.1, 0, 0.2)), slide(ph_vec(1, 0, 0.3)),
                                        turn(ph_vec(0.1, 1, 0), ph_vec(0, 0.1, 0))});
    ph_joint_def axis = coordinate_of(0), rail = coordinate_of(1);
    ph_spec_add_joint(spec, &def);
    axis.stiffness = 8.0, axis.armature = 0.3, axis.rest = 0.2, axis.damping = damping;
    rail.name = "rail";
    rail.stiffness = 60.0;
    ph_spec_add_joint(spec, &axis);
    ph_spec_add_joint(spec, &rail);
    return rig_build(spec, scheme);
}

static ph_vec3 end_of(const char *scheme, double h, double *energy)
{
    rig r = driven_rig(scheme, 0.0);
    const double start = rig_measure(&r).total;
    *energy = 0.0;
    ph_vec3 at = ph_zero3();
    if (rig_step(&r, h, (int)lrint(0.4 / h))) at = rig_position(&r, 0), *energy = fabs(rig_measure(&r).total - start);
    rig_close(&r);
    return at;
}

TEST(schemes_have_their_order)
{
    static const struct {
        const char *name;
        double order;
    } schemes[] = {{"rattlie", 2.0},     {"lgvi", 2.0},     {"lie-alpha", 2.0},
                   {"lie-alpha-2", 2.0}, {"rattlie4", 4.0}, {"matrix-rattle", 2.0}};
    double energy[2];
    const ph_vec3 exact = end_of("dop853", 0.01, energy);
    CHECK(energy[0] < 1e-8);
    for (size_t s = 0; s < sizeof schemes / sizeof schemes[0]; s++) {
        const double h = schemes[s].order > 2.0 ? 0.02 : 0.005;
        const double e1 = rig_distance(end_of(schemes[s].name, h, &energy[0]), exact);
        const double e2 = rig_distance(end_of(schemes[s].name, h / 2, &energy[1]), exact);
        if (!CHECK(fabs(log2(e1 / e2) - schemes[s].order) < 0.2)) printf("  %s: %g %g\n", schemes[s].name, e1, e2);
        CHECK(energy[1] < 0.02);
    }
}

// ---- Along coordinates ----------------------------------------------------------------------------------------------

TEST(trees_and_rows_agree_under_moreau)
{
    rig a = driven_rig("moreau", 0.5), b = driven_rig("rattlie", 0.5);
    if (rig_step(&a, 1e-4, 4000) && rig_step(&b, 1e-4, 4000))
        CHECK_NEAR(rig_distance(rig_position(&a, 0), rig_position(&b, 0)), 0.0, 2e-4);
    rig_close(&a), rig_close(&b);
}

TEST(limits_hold_a_coordinate_of_several)
{
    ph_spec *spec = one_body();
    const ph_joint_def def =
        chain_of(2, (ph_chain_motion[]){turn(ph_vec(0, 1, 0), ph_vec(0, 0, 0.2)), slide(ph_vec(0, 0, 1))});
    ph_joint_def rail = coordinate_of(1);
    double q = 0.0, rate = 0.0;
    ph_spec_add_joint(spec, &def);
    rail.has_limit_low = true;
    rail.limit_low = -0.1;
    ph_spec_add_joint(spec, &rail);
    rig r = rig_build(spec, "moreau");
    if (rig_step(&r, 1e-3, 1000)) {
        ph_observer_joint(r.observer, r.state, 1, &q, &rate);
        CHECK_NEAR(q, -0.1, 1e-4);
        CHECK_NEAR(rate, 0.0, 1e-3); // of order h
    }
    rig_close(&r);
}

TEST(a_motor_prescribes_a_coordinate_of_several)
{
    static const char *const schemes[] = {"rattlie", "moreau", "lie-alpha", "rattlie4", "dop853"};
    for (size_t s = 0; s < sizeof schemes / sizeof schemes[0]; s++) {
        ph_spec *spec = one_body();
        ph_joint_def def = chain_of(3, (ph_chain_motion[]){turn(ph_vec(0, 0, 1), ph_vec(0, 0, 0.2)),
                                                           turn(ph_vec(0, 1, 0), ph_vec(0, 0, 0.2)),
                                                           turn(ph_vec(1, 0, 0), ph_vec(0, 0, 0.2))});
        ph_joint_def axis = coordinate_of(1);
        for (int k = 0; k < 3; k++) def.has_rate[k] = false;
        ph_spec_add_joint(spec, &def);
        axis.motor = PH_MOTOR_POSITION;
        axis.motor_value.expression = "0.3*(1 - cos(2*t))";
        ph_spec_add_joint(spec, &axis);
        rig r = rig_build(spec, schemes[s]);
        double q = 0.0;
        if (rig_step(&r, 1e-3, 500)) ph_observer_joint(r.observer, r.state, 1, &q, NULL);
        CHECK_NEAR(q, 0.3 * (1 - cos(1.0)), 1e-6);
        rig_close(&r);
    }
}

// ---- Joints without rows beside unequal bodies ----------------------------------------------------------------------

// A heavy and a light body, thrown, on a joint between them, or held by nothing: six freedoms. With `named` a coordinate of it.
static rig unequal_rig(const char *scheme, bool free, bool named)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_spec_set_gravity(spec, ph_vec(0.3, 0.0, -9.81));
    add_body(spec, "heavy", 5000.0, ph_zero3(), ph_zero3());
    add_body(spec, "light", 0.5, ph_vec(0.6, 0.3, 0.2), ph_zero3());
    const ph_vec3 o = ph_zero3(), x = ph_vec(1, 0, 0), y = ph_vec(0, 1, 0), z = ph_vec(0, 0, 1);
    ph_joint_def def =
        chain_of(6, (ph_chain_motion[]){slide(x), slide(y), slide(z), turn(x, o), turn(y, o), turn(z, o)});
    if (!free) {
        def = ph_default_joint();
        def.name = "joint";
        def.type = "cylindrical";
        def.has_anchor = def.has_axis = true;
        def.anchor = ph_vec(0.3, 0.1, 0.0);
        def.axis = ph_vec(0.0, 0.6, 0.8);
        def.has_rate[0] = def.has_rate[1] = true;
        def.rate[0] = 2.0, def.rate[1] = -0.4;
    }
    def.body_a = 0, def.body_b = 1;
    ph_spec_add_joint(spec, &def);
    const ph_joint_def axis = coordinate_of(1);
    if (named) ph_spec_add_joint(spec, &axis);
    return rig_build(spec, scheme);
}

static const char *const several[] = {"rattlie",   "lgvi",   "quat-fem", "rattlie6",
                                      "lie-alpha", "dop853", "rkmk4",    "moreau"};

TEST(a_coordinate_holds_nothing_beside_a_body_ten_thousand_times_heavier)
{
    for (size_t s = 0; s < sizeof several / sizeof several[0]; s++) {
        rig a = unequal_rig(several[s], false, true), b = unequal_rig(several[s], false, false);
        if (rig_step(&a, 2e-3, 200) && rig_step(&b, 2e-3, 200))
            CHECK_NEAR(rig_distance(rig_position(&a, 1), rig_position(&b, 1)), 0.0, 1e-11);
        rig_close(&a), rig_close(&b);
    }
}

TEST(a_chain_of_six_lets_both_bodies_fall)
{
    for (size_t s = 0; s < sizeof several / sizeof several[0]; s++) {
        rig r = unequal_rig(several[s], true, true);
        const ph_vec3 heavy = ph_state_velocities(r.state)[0], light = ph_state_velocities(r.state)[1];
        const ph_vec3 gained = ph_vec(0.3 * 0.4, 0.0, -9.81 * 0.4);
        if (rig_step(&r, 2e-3, 200)) {
            CHECK_NEAR(rig_distance(ph_state_velocities(r.state)[0], ph_add(heavy, gained)), 0.0, 1e-11);
            CHECK_NEAR(rig_distance(ph_state_velocities(r.state)[1], ph_add(light, gained)), 0.0, 1e-11);
        }
        rig_close(&r);
    }
}

TEST(what_is_wrong_is_said)
{
    const ph_vec3 o = ph_zero3(), x = ph_vec(1, 0, 0), z = ph_vec(0, 0, 1);
    const struct {
        int count;
        ph_chain_motion motions[4];
        const char *text;
    } cases[] = {
        {2, {turn(x, o), turn(x, o)}, "two turns of a chain are about the same line"},
        {3,
         {turn(x, o), turn(z, o), turn(x, o)},
         "two motions of a chain are the same, or three turns are in one plane"},
        {4, {turn(x, o), turn(z, o), turn(x, o), turn(z, o)}, "a chain has at the most three turns and three slides"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        ph_spec *spec = one_body();
        ph_problems *problems = ph_problems_create();
        ph_model *model = NULL;
        const ph_joint_def def = chain_of(cases[n].count, cases[n].motions);
        ph_spec_add_joint(spec, &def);
        CHECK(ph_model_compile(spec, problems, &model) != PH_OK);
        CHECK_STR(ph_problems_get(problems, 0)->text, cases[n].text);
        ph_model_destroy(model);
        ph_problems_destroy(problems);
        ph_spec_destroy(spec);
    }
}
