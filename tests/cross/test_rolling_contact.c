// Every kind of rolling joint under every scheme, and beside contact with friction: elsewhere in the model, on the bodies that roll, and where
// they roll. Expected: the motion of each part alone, closed forms, and rows that hold.
#include "rolling_rig.h"

#include "joints/joint.h"
#include "model/model.h"

// ---- Machines that roll ---------------------------------------------------------------------------------------------

typedef struct machine {
    const char *name, *bodies, *joints;
} machine;

static const machine machines[] = {
    {"ball on a plane",
     "  - {name: a, mass: 1, inertia: [0.004, 0.005, 0.006], position: [0, 0, 0.1], velocity: [0.3, 0.2, 0], angular_velocity: [-2, 3, 1]}\n",
     "  - {name: r, type: rolling_sphere, bodies: [world, a], radius: 0.1}\n"},
    {"ball in a bowl",
     "  - {name: a, mass: 1, inertia: [0.001, 0.001, 0.001], position: [0, 0, 0.05], velocity: [0.8, 0, 0], angular_velocity: [0, 16, 0.5]}\n",
     "  - {name: r, type: rolling_sphere, bodies: [world, a], radius: 0.05, surface: sphere, surface_radius: 0.5, inside: true, anchor_a: [0, 0, 0.5]}\n"},
    {"ball in a cylinder",
     "  - {name: a, mass: 1, inertia: [1.6e-4, 1.6e-4, 1.6e-4], position: [0.1, 0, 0.5], velocity: [0, 0.9, 0], angular_velocity: [0, 0, -45]}\n",
     "  - {name: r, type: rolling_sphere, bodies: [world, a], radius: 0.02, surface: cylinder, surface_radius: 0.12, inside: true, anchor_a: [0, 0, 0.5]}\n"},
    {"ball on a turntable",
     "  - {name: a, mass: 1, inertia: [0.001, 0.001, 0.001], position: [0.4, 0, 0.05], velocity: [0, 0.2, 0], angular_velocity: [20, 0, 0]}\n",
     "  - {name: r, type: rolling_sphere, bodies: [world, a], radius: 0.05, anchor_a: [0, 0, 0], spin: 3}\n"},
    {"ball on a conveyor", "  - {name: a, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.1]}\n",
     "  - {name: r, type: rolling_sphere, bodies: [world, a], radius: 0.1, slide: [0.7*sin(3*t), 0, 0]}\n"},
    {"ball on a ball",
     "  - {name: a, mass: 5, inertia: [0.5, 0.5, 0.5], position: [0, 0, 0.5], velocity: [0.05, 0, 0], angular_velocity: [0, 0.1, 0]}\n"
     "  - {name: b, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 1.1], velocity: [0.2, 0.1, 0]}\n",
     "  - {name: f, type: rolling_sphere, bodies: [world, a], radius: 0.5}\n"
     "  - {name: r, type: rolling_sphere, bodies: [a, b], radius: 0.1, surface: sphere, surface_radius: 0.5, anchor_a: [0, 0, 0]}\n"},
    {"coin",
     "  - {name: a, mass: 1, inertia: [0.0225, 0.0225, 0.045], position: [0, 0, 0.3*sin(1.1)], orientation: {axis: x, angle: 1.1}, velocity: [-2.4, 0, 0], angular_velocity: [0, 2, 8]}\n",
     "  - {name: r, type: rolling_disc, bodies: [world, a], radius: 0.3, axis_b: z}\n"},
    {"torus",
     "  - {name: a, mass: 1, inertia: [0.0225, 0.0225, 0.045], position: [0, 0, 0.3*sin(1.1) + 0.05], orientation: {axis: x, angle: 1.1}, velocity: [-2.4, 0, 0], angular_velocity: [0, 2, 8]}\n",
     "  - {name: r, type: rolling_disc, bodies: [world, a], radius: 0.3, rim: 0.05, axis_b: z}\n"},
    {"ellipsoid",
     "  - {name: a, mass: 1, inertia: [0.02, 0.05, 0.06, 0.004, 0, 0], position: [0, 0, 0.2], com: [0, 0, -0.03], angular_velocity: [0.3, 0.2, 4]}\n",
     "  - {name: r, type: no_slip, bodies: [world, a], semi_axes: [0.4, 0.25, 0.2], anchor_b: [0, 0, 0]}\n"},
    {"two wheels without teeth",
     "  - {name: a, mass: 1, inertia: [0.01, 0.01, 0.02], position: [0, 0, 1], angular_velocity: [0, 0, 3]}\n"
     "  - {name: b, mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.3, 0, 1], angular_velocity: [0, 0, -6]}\n",
     "  - {name: p, type: revolute, bodies: [world, a], anchor: [0, 0, 1], axis: z, damping: 0.01}\n"
     "  - {name: q, type: revolute, bodies: [world, b], anchor: [0.3, 0, 1], axis: z, motor: {torque: 0.1*sin(5*t)}}\n"
     "  - {name: r, type: no_slip, bodies: [a, b], radius: 0.1, surface: cylinder, surface_radius: 0.2, anchor_a: [0, 0, 0], axis: z}\n"},
    {"skate",
     "  - {name: a, mass: 6, inertia: [0.8, 0.8, 0.2], position: [0.1, 0, 0], velocity: [1, 0.07, 0], angular_velocity: [0, 0, 0.7]}\n",
     "  - {name: p, type: planar, bodies: [world, a], normal: z}\n"
     "  - {name: r, type: knife_edge, bodies: [world, a], anchor: [0, 0, 0], axis2: x}\n"},
    {"rows of their own",
     "  - {name: a, mass: 3, inertia: [0.1, 0.2, 0.25], position: [0.2, 0, 0.1], velocity: [0.5, 0.16, 0], angular_velocity: [0, 0, 0.8]}\n",
     "  - {name: p, type: planar, bodies: [world, a], normal: z}\n"
     "  - {name: r, type: generic_velocity, bodies: [world, a], anchor: [0, 0, 0.1], frame: b, rows: [{y: 1, equals: 0.1*sin(t)}]}\n"},
};
enum { MACHINES = sizeof machines / sizeof *machines };

static const char *const head = "polhode: 1\ngravity: [0, 0, -9.81]\ninitial: project\n";

static rig alone(const machine *m, const char *scheme)
{
    return rolling_rig(scheme, "%sbodies:\n%sjoints:\n%s", head, m->bodies, m->joints);
}

// How far the rows of velocities themselves are missed; those of positions may have open rates.
static double slip_of(const rig *r)
{
    frame frames[16];
    ph_twist twists[16] = {0};
    const int count = ph_model_bodies(r->model);
    frames[count] = (frame){.R = ph_identity()}; // the world
    for (int i = 0; i < count; i++) {
        frames[i] = (frame){.R = rig_rotation(r, i), .x = rig_position(r, i)};
        twists[i] = (ph_twist){ph_state_angular_velocities(r->state)[i], rig_velocity(r, i)};
    }
    const motion at = {.time = ph_state_time(r->state), .frames = frames, .twists = twists};
    double most = 0.0;
    for (int j = 0; j < r->model->joint_count; j++) {
        double rate[JOINT_ROWS_MAX];
        joint_velocity_residual(&r->model->joints[j], &at, rate);
        for (int k = 0; k < r->model->joints[j].row_count; k++)
            if (r->model->joints[j].slips >> k & 1) most = fmax(most, fabs(rate[k]));
    }
    return most;
}

static double apart(const rig *a, const rig *b, int bodies)
{
    double most = 0.0;
    for (int i = 0; i < bodies; i++) {
        most = fmax(most, rig_distance(rig_position(a, i), rig_position(b, i)));
        most = fmax(most, rig_distance(rig_velocity(a, i), rig_velocity(b, i)));
        most = fmax(most, rig_distance(rig_spin(a, i), rig_spin(b, i)));
    }
    return most;
}

// ---- Every scheme ---------------------------------------------------------------------------------------------------

static double step_alone(const machine *m, const char *scheme, double h, int steps, const rig *right, double *slip)
{
    rig r = alone(m, scheme);
    if (!r.sim || !rig_step(&r, h, steps)) return NAN;
    *slip = fmax(*slip, slip_of(&r));
    const double off = apart(&r, right, ph_model_bodies(r.model));
    CHECK(rig_measure(&r).position_violation <= (strcmp(scheme, "rk4") == 0 ? 1e-3 : 1e-13));
    rig_close(&r);
    return off;
}

// quat-fem-4 says that it has no rows of velocities, and which joint has.
static bool is_refused(const ph_model *model, const char *scheme)
{
    if (strcmp(scheme, "quat-fem-4") != 0 && strncmp(scheme, "multistep", 9) != 0) return false;
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    ph_error error = {.text = ""};
    def.scheme = scheme;
    CHECK_EQ_INT(ph_sim_create(model, &def, &sim, &error), PH_NOT_SUPPORTED);
    CHECK(strstr(error.text, "knows no rows of velocities"));
    ph_sim_destroy(sim);
    return true;
}

TEST(every_joint_under_every_scheme)
{
    NEEDS_YAML;
    double slip = 0.0, first = 0.0, second = 0.0, high = 0.0;
    for (int k = 0; k < MACHINES; k++) {
        rig right = alone(&machines[k], "rattlie8");
        if (!CHECK(right.sim && rig_step(&right, 1e-3, 100))) continue;
        for (int i = 0; i < ph_scheme_count(); i++) {
            const ph_scheme_info scheme = ph_scheme_get(i);
            if (strcmp(scheme.name, "exact") == 0 || is_refused(right.model, scheme.name)) continue;
            double missed = 0.0;
            const double off = step_alone(&machines[k], scheme.name, 1e-3, 100, &right, &missed);
            const bool drifts = strcmp(scheme.name, "rk4") == 0;
            if (!CHECK(missed <= (drifts ? 1e-6 : 1e-12)) || !CHECK(off <= (scheme.order > 2   ? 1e-6
                                                                            : scheme.order > 1 ? 5e-2
                                                                                               : 0.3)))
                printf("  %s, %s: off by %.1e, slip %.1e\n", machines[k].name, scheme.name, off, missed);
            if (!drifts) slip = fmax(slip, missed);
            double *most = scheme.order > 2 ? &high : scheme.order > 1 ? &second : &first;
            *most = fmax(*most, off);
            if (scheme.order > 2 || off < 1e-8) continue;
            const double half = step_alone(&machines[k], scheme.name, 5e-4, 200, &right, &missed),
                         order = log2(off / half);
            if (!CHECK(order > scheme.order - 0.4))
                printf("  %s, %s: order %.2f\n", machines[k].name, scheme.name, order);
        }
        rig_close(&right);
    }
    printf("  %d machines: slip %.1e; off by %.1e (order 1), %.1e (order 2), %.1e (above)\n", MACHINES, slip, first,
           second, high);
}

// ---- Beside contact -------------------------------------------------------------------------------------------------

static const char *const with_contact[] = {"moreau", "rattlie-ns"};

static const char *const elsewhere =
    "  - {name: ground, fixed: true, shapes: [{type: plane, normal: [0, 0, 1], friction: 0.4}]}\n"
    "  - {name: slider, position: [50, 0, 0.1], velocity: [2, 0, 0], shapes: [{type: box, size: [0.4, 0.3, 0.2], density: 500, friction: 0.4}]}\n"
    "  - {name: drop, position: [55, 0, 0.3], velocity: [0.3, 0, 0], shapes: [{type: sphere, radius: 0.1, density: 500, restitution: 0.5}]}\n"
    "  - {name: low, position: [60, 0, 0.1], shapes: [{type: box, size: [0.4, 0.4, 0.2], density: 500}]}\n"
    "  - {name: high, position: [60.05, 0, 0.31], shapes: [{type: box, size: [0.3, 0.3, 0.2], density: 500}]}\n";

// rattlie-ns ends its steps where something hits: the machine then moves in other steps, and agrees to order 2.
TEST(contact_elsewhere_changes_nothing)
{
    NEEDS_YAML;
    for (int s = 0; s < 2; s++) {
        double most = 0.0, slip = 0.0;
        for (int k = 0; k < MACHINES; k++) {
            rig r = rolling_rig(with_contact[s], "%sbodies:\n%s%sjoints:\n%scontact: {}\n", head, machines[k].bodies,
                                elsewhere, machines[k].joints);
            rig right = alone(&machines[k], with_contact[s]);
            if (!CHECK(r.sim && right.sim && rig_step(&r, 1e-3, 300) && rig_step(&right, 1e-3, 300))) continue;
            const int own = ph_model_bodies(right.model);
            const double off = apart(&r, &right, own), missed = slip_of(&r);
            if (!CHECK(off <= (s ? 1e-5 : 0.0)) || !CHECK(missed <= 1e-12))
                printf("  %s, %s: %.1e, slip %.1e\n", machines[k].name, with_contact[s], off, missed);
            CHECK(rig_measure(&r).position_violation <= 1e-13);
            CHECK_NEAR(rig_velocity(&r, own + 1).x, 2.0 - 0.4 * 9.81 * 0.3, 1e-8); // the box slides to Coulomb's law
            most = fmax(most, off), slip = fmax(slip, missed);
            rig_close(&r);
            rig_close(&right);
        }
        printf("  %-10s off by %.1e beside the machine alone, slip %.1e\n", with_contact[s], most, slip);
    }
}

// A cart of mass M on four wheels that roll, and a box of mass m that slides on it: friction brakes the box by mu g and pushes the cart by
// mu m g/M', M' = M + 4 (m_w + J_w/r^2), until both move at m v/(m + M').
TEST(friction_on_a_cart_that_rolls)
{
    NEEDS_YAML;
    const double m = 2, v = 2, mu = 0.3, whole = 4 + 4 * (1 + 0.02 / 0.04), brake = mu * 9.81, push = brake * m / whole;
    const double together = m * v / (m + whole), meet = v / (brake + push);
    for (int s = 0; s < 2; s++) {
        rig r = rolling_rig(
            with_contact[s],
            "polhode: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
            "  - {name: cart, mass: 4, inertia: [0.5, 0.5, 0.5], position: [0, 0, 0.4], shapes: [{type: box, size: [4, 1, 0.1], friction: 0.3}]}\n"
            "  - {name: box, mass: 2, inertia: [0.05, 0.05, 0.05], position: [-1, 0, 0.55], velocity: [2, 0, 0], shapes: [{type: box, size: [0.3, 0.3, 0.2], friction: 0.3}]}\n"
            "  - {repeat: {x: [-1, 1], y: [-0.6, 0.6]}, name: w$(x.index)$(y.index), mass: 1, inertia: [0.01, 0.02, 0.01], position: [x, y, 0.2]}\n"
            "joints:\n"
            "  - {repeat: {x: [-1, 1], y: [-0.6, 0.6]}, name: a$(x.index)$(y.index), type: revolute, bodies: [cart, w$(x.index)$(y.index)], anchor: [x, y, 0.2], axis: y}\n"
            "  - {repeat: {x: [-1, 1], y: [-0.6, 0.6]}, name: f$(x.index)$(y.index), type: rolling_disc, bodies: [world, w$(x.index)$(y.index)], radius: 0.2, axis2: y}\n"
            "contact: {}\n");
        if (!CHECK(r.sim && rig_step(&r, 1e-3, 300))) continue;
        CHECK_NEAR(rig_velocity(&r, 1).x, v - 0.3 * brake, 1e-8);
        CHECK_NEAR(rig_velocity(&r, 0).x, 0.3 * push, 1e-8);
        CHECK(rig_step(&r, 1e-3, 400) && 0.7 > meet);
        CHECK_NEAR(rig_velocity(&r, 1).x, together, 1e-8);
        CHECK_NEAR(rig_velocity(&r, 0).x, together, 1e-8);
        const ph_measures now = rig_measure(&r);
        printf("  %-10s friction took %.6f J, closed form %.6f J; slip %.1e\n", with_contact[s], -now.friction_work,
               0.5 * m * v * v - 0.5 * (m + whole) * together * together, slip_of(&r));
        CHECK_NEAR(-now.friction_work, 0.5 * m * v * v - 0.5 * (m + whole) * together * together, 2e-3);
        CHECK(slip_of(&r) <= 1e-13 && now.position_violation <= 1e-14);
        rig_close(&r);
    }
}

// A ball that rolls on the plane it also collides with: that contact can do nothing, and must not. It meets a wall, and another falls on it.
TEST(a_contact_where_it_rolls_does_nothing)
{
    NEEDS_YAML;
    for (int s = 0; s < 2; s++) {
        rig r = rolling_rig(
            with_contact[s],
            "polhode: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
            "  - {name: ball, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.1], velocity: [0.5, 0, 0], angular_velocity: [0, 5, 0],\n"
            "     shapes: [{type: sphere, radius: 0.1, friction: 0.4, restitution: 0.6}]}\n"
            "  - {name: rain, mass: 0.3, inertia: [3e-4, 3e-4, 3e-4], position: [0.05, 0.02, 0.6], shapes: [{type: sphere, radius: 0.05, friction: 0.4, restitution: 0.6}]}\n"
            "  - {name: wall, fixed: true, position: [0.5, 0, 0.5], orientation: {axis: z, angle: 0.3}, shapes: [{type: box, size: [0.1, 2, 1], friction: 0.4, restitution: 0.6}]}\n"
            "  - {name: ground, fixed: true, shapes: [{type: plane, normal: [0, 0, 1], friction: 0.4}]}\n"
            "joints: [{name: r, type: rolling_sphere, bodies: [world, ball], radius: 0.1}]\n"
            "contact: {}\n");
        if (!r.sim) continue;
        const double start = rig_measure(&r).total;
        worst w = {0};
        for (int k = 0; k < 1500 && rig_step(&r, 1e-3, 1); k++) worst_note(&r, &w);
        const ph_measures now = rig_measure(&r);
        printf("  %-10s T + U %.4f -> %.4f J, friction and impacts took %.4f J; gap %.1e, slip %.1e\n", with_contact[s],
               start, now.kinetic + now.potential, -now.friction_work - now.impact_work, w.gap, w.slip);
        CHECK_NEAR(now.total, start, s ? 1e-6 : 2e-3); // less all work
        CHECK(now.friction_work <= 0.0 && now.friction_work > -1.0 && now.impact_work <= 0.0);
        CHECK(w.gap <= 1e-14 && w.slip <= 1e-13);
        rig_close(&r);
    }
}
