// Every joint type in motion: free-floating bodies, whose joints must keep energy, momentum and themselves.

#include "test.h"

#include "text_model.h"

#include "joints/joint.h"
#include "math/so3.h"
#include "polhode/polhode.h"
#include "random_vector.h"

static void add_bodies(ph_spec *spec, int count)
{
    static const char *const names[] = {"a", "b", "c"};
    for (int i = 0; i < count; i++) {
        ph_body_def def = ph_default_body();
        def.name = names[i];
        def.mass = 1.0 + i;
        def.inertia = (ph_mat3){{{0.2, 0.01, 0.0}, {0.01, 0.3, 0.02}, {0.0, 0.02, 0.4}}};
        def.com = random_vector(0.1);
        def.position = ph_vec(1.0 * i, 0.0, 0.0);
        def.orientation = ph_quat_exp(random_vector(1.0));
        def.velocity = random_vector(0.5);
        def.angular_velocity = random_vector(1.5);
        ph_spec_add_body(spec, &def);
    }
}

static void add_joint(ph_spec *spec, const char *name, const joint_type *type, int a, int b)
{
    ph_joint_def def = ph_default_joint();
    def.name = name;
    def.type = type->name;
    def.body_a = a;
    def.body_b = b;
    if (type->keys & JOINT_APART) {
        def.has_anchor_a = def.has_anchor_b = true;
        def.anchor_a = random_vector(0.2);
        def.anchor_b = random_vector(0.2);
    } else {
        def.has_anchor = true;
        def.anchor = ph_vec(a + 0.5, 0.2, 0.1);
    }
    def.has_axis = (type->keys & (JOINT_AXIS | JOINT_NORMAL | JOINT_AXIS_OPTIONAL)) != 0;
    def.axis = random_vector(1.0);
    def.has_axis2 = (type->keys & (JOINT_AXIS2 | JOINT_HEADING)) != 0;
    def.axis2 = ph_any_perpendicular(def.axis);
    def.pitch = type->keys & JOINT_PITCH ? 0.05 : 0.0;
    def.radius = type->keys & JOINT_RADIUS ? 0.3 : 0.0;
    def.rim = type->keys & JOINT_RIM ? 0.05 : 0.0;
    def.velocity_count = type->keys & JOINT_VELOCITIES ? 2 : 0;
    for (int k = 0; k < def.velocity_count; k++) {
        def.velocities[k].of[k].number = 1.0;
        def.velocities[k].of[5].number = 0.3;
    }
    for (int k = 0; (type->keys & JOINT_LOCK) && k < 6; k++) {
        def.lock[k] = k == 0 || k == 4;
    }
    if (type->keys & JOINT_CHAIN) {
        def.has_anchor = def.has_anchor_a = def.has_anchor_b = def.has_axis = def.has_axis2 = false;
        def.motion_count = 3;
        def.motions[0] = (ph_chain_motion){.axis = random_vector(1.0), .point = random_vector(0.3)};
        def.motions[1] = (ph_chain_motion){.axis = random_vector(1.0), .slides = true};
        def.motions[2] = (ph_chain_motion){.axis = random_vector(1.0), .point = random_vector(0.3)};
    }
    CHECK(ph_spec_add_joint(spec, &def) >= 0);
}

static const joint_type *type_named(const char *name)
{
    int k = 0;
    while (strcmp(joint_types[k]->name, name) != 0) {
        k++;
    }
    return joint_types[k];
}

static void add_gear(ph_spec *spec, const char *type_name, double ratio)
{
    ph_joint_def def = ph_default_joint();
    add_joint(spec, "first", type_named("revolute"), 0, 1);
    add_joint(spec, "second", type_named("revolute"), 0, 2);
    def.name = "pair";
    def.type = type_name;
    def.gear_joint[0] = 0;
    def.gear_joint[1] = 1;
    def.ratio = ratio;
    CHECK_EQ_INT(ph_spec_add_joint(spec, &def), 2);
}

static void add_coordinate(ph_spec *spec, const char *type_name)
{
    ph_joint_def def = ph_default_joint();
    add_joint(spec, "owner", type_named("chain"), 0, 1);
    def.name = "second";
    def.type = type_name;
    def.of_joint = 0;
    def.of_coordinate = 1;
    CHECK_EQ_INT(ph_spec_add_joint(spec, &def), 1);
}

static ph_model *model_with(const joint_type *type)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    add_bodies(spec, type->keys & JOINT_GEAR ? 3 : 2);
    if (type->keys & JOINT_GEAR) {
        add_gear(spec, type->name, -2.5);
    } else if (type->keys & JOINT_OF) {
        add_coordinate(spec, type->name);
    } else {
        add_joint(spec, "joint", type, 0, 1);
    }
    ph_spec_set_project(spec, true); // velocities that the joint allows
    ph_model_compile(spec, problems, &model);
    for (int i = 0; i < ph_problems_errors(problems); i++) {
        printf("  %s\n", ph_problems_get(problems, i)->text);
    }
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    CHECK(model);
    return model;
}

typedef struct rig {
    ph_model *model;
    ph_state *state;
    ph_sim *sim;
    ph_observer *observer;
} rig;

static bool rig_create(rig *r, const joint_type *type)
{
    const ph_sim_def def = ph_default_sim();
    *r = (rig){.model = model_with(type)};
    r->state = r->model ? ph_state_create(r->model) : NULL;
    return r->state && CHECK_EQ_INT(ph_sim_create(r->model, &def, &r->sim, NULL), PH_OK) &&
           CHECK_EQ_INT(ph_observer_create(r->model, &r->observer), PH_OK);
}

static void rig_destroy(rig *r)
{
    ph_observer_destroy(r->observer);
    ph_sim_destroy(r->sim);
    ph_state_destroy(r->state);
    ph_model_destroy(r->model);
}

static void check_motion(rig *r)
{
    ph_measures start, now;
    ph_observer_measure(r->observer, r->state, &start);
    for (int step = 0; step < 500; step++) {
        if (!CHECK_EQ_INT(ph_sim_step(r->sim, r->state, 4e-3, NULL), PH_OK)) {
            return;
        }
        ph_observer_measure(r->observer, r->state, &now);
        CHECK(now.position_violation < 1e-13);
        CHECK(now.velocity_violation < 1e-12);
        CHECK_NEAR(ph_norm(ph_sub(now.linear, start.linear)), 0.0, 1e-12);
        CHECK_NEAR(ph_norm(ph_sub(now.angular, start.angular)), 0.0, 1e-12);
        CHECK_REL(now.total, start.total, 1e-3);
    }
}

TEST(floating_bodies_keep_joint_energy_and_momentum)
{
    for (int t = 0; joint_types[t]; t++) {
        rig r;
        if (rig_create(&r, joint_types[t])) {
            check_motion(&r);
        } else {
            printf("  %s\n", joint_types[t]->name);
        }
        rig_destroy(&r);
    }
}

static void add_disc(ph_spec *spec, const char *name, ph_vec3 position, double spin)
{
    ph_body_def def = ph_default_body();
    def.name = name;
    def.mass = 1.0;
    def.inertia = (ph_mat3){{{0.1, 0.0, 0.0}, {0.0, 0.1, 0.0}, {0.0, 0.0, 0.2}}};
    def.position = position;
    def.angular_velocity.z = spin;
    ph_spec_add_body(spec, &def);
}

// Two wheels on fixed axes: both turn evenly, and the ratio holds over a hundred turns.
TEST(gears_keep_their_ratio_over_many_turns)
{
    const double ratio = -0.7, spin = 40.0, pi = 3.14159265358979323846;
    ph_spec *spec = ph_spec_create(NULL);
    add_disc(spec, "driver", ph_vec(0.0, 0.0, 0.0), spin);
    add_disc(spec, "driven", ph_vec(1.0, 0.0, 0.0), ratio * spin);
    for (int i = 0; i < 2; i++) {
        ph_joint_def def = ph_default_joint();
        def.name = i ? "second" : "first";
        def.type = "revolute";
        def.body_a = PH_WORLD;
        def.body_b = i;
        def.has_anchor = def.has_axis = true;
        def.anchor = ph_vec(i, 0.0, 0.0);
        def.axis = ph_vec(0.0, 0.0, 1.0);
        ph_spec_add_joint(spec, &def);
    }
    ph_joint_def gear_def = ph_default_joint();
    gear_def.name = "pair";
    gear_def.type = "gear";
    gear_def.gear_joint[0] = 0;
    gear_def.gear_joint[1] = 1;
    gear_def.ratio = ratio;
    ph_spec_add_joint(spec, &gear_def);
    ph_model *model = NULL;
    const ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_observer *observer = NULL;
    CHECK_EQ_INT(ph_model_compile(spec, NULL, &model), PH_OK);
    ph_state *state = ph_state_create(model);
    CHECK_EQ_INT(ph_sim_create(model, &def, &sim, NULL), PH_OK);
    CHECK_EQ_INT(ph_observer_create(model, &observer), PH_OK);
    const int steps = (int)(100.0 * 2.0 * pi / spin / 0.01);
    for (int k = 0; k < steps; k++) {
        CHECK_EQ_INT(ph_sim_step(sim, state, 0.01, NULL), PH_OK);
    }
    double first, second, rate;
    ph_observer_joint(observer, state, 0, &first, NULL);
    ph_observer_joint(observer, state, 1, &second, &rate);
    CHECK_REL(first, spin * 0.01 * steps, 1e-12);
    CHECK_REL(second, ratio * first, 1e-12);
    CHECK_REL(rate, ratio * spin, 1e-12);
    ph_observer_destroy(observer);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    ph_model_destroy(model);
    ph_spec_destroy(spec);
}

// A wheel u on the world and a wheel w on u, about one axis; q_u = r q_w by a gear between the second joint and the first, so that
// its body b (u) is not the last of its bodies. With a torque T on w: I_u r x = (1 + r) L on u, and I_w (1 + r) x = T - r L on w.
TEST(the_reaction_of_a_gear_is_that_on_its_second_body)
{
    const double r = -0.4, Iu = 0.3, Iw = 0.05, T = 2.0;
    const double x = T / (Iw * (1 + r) + Iu * r * r / (1 + r)); // acceleration of q_w
    ph_model *model =
        text_model("polhode: 1\n"
                   "bodies:\n"
                   "  - {name: u, mass: 1, inertia: [0.2, 0.2, 0.3]}\n"
                   "  - {name: w, mass: 1, inertia: [0.04, 0.04, 0.05]}\n"
                   "joints:\n"
                   "  - {name: A, type: revolute, bodies: [world, u], anchor: [0, 0, 0], axis: [0, 0, 1]}\n"
                   "  - {name: B, type: revolute, bodies: [u, w], anchor: [0, 0, 0], axis: [0, 0, 1]}\n"
                   "  - {name: G, type: gear, joints: [B, A], ratio: -0.4}\n"
                   "forces:\n"
                   "  - {type: wrench, body: w, torque: [0, 0, 2]}\n");
    ph_observer *observer = NULL;
    ph_state *state = model ? ph_state_create(model) : NULL;
    ph_wrench on[3];
    ph_twist a[2];
    if (!CHECK(state && ph_observer_create(model, &observer) == PH_OK)) return;
    CHECK_EQ_INT(ph_observer_dynamics(observer, state, a, on), PH_OK);
    CHECK_REL(a[1].omega.z, (1 + r) * x, 1e-13);
    CHECK_REL(on[2].torque.z, Iu * r * x, 1e-13);
    CHECK_NEAR(ph_norm(on[2].force), 0.0, 1e-13);
    ph_observer_destroy(observer);
    ph_state_destroy(state);
    ph_model_destroy(model);
}
