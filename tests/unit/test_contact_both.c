// Free bodies and bodies on joints in one model: each island goes to the solver that suits it, and what comes out is one step.
#include "rig.h"

#include "math/vec3.h"

#include <math.h>

static const double STEP = 0.004;

typedef struct scene {
    int across, layers;  // of a heap of balls
    double restitution;  // of all of them
    bool pendulum, near; // far from the heap, or with its bob in the middle of it
    bool rolls;          // a ball on a joint that rolls: joints in one matrix
    bool servo;          // the pendulum is driven, by a motor that is too weak, and has a limit
    double rolling;      // friction of every third body in the heap
    double tolerance;    // 0: the default
    bool by_paths;       // a solver is named: all contacts go along paths
    const char *shape;   // of bodies in the heap
} scene;

static int add_body(ph_spec *spec, const char *name, ph_vec3 at, const ph_shape_def *shape)
{
    ph_body_def body = ph_default_body();
    body.name = name;
    body.position = at;
    const int index = ph_spec_add_body(spec, &body);
    ph_spec_add_shape(spec, index, shape);
    return index;
}

static void add_pendulum(ph_spec *spec, const scene *s)
{
    ph_joint_def pivot = ph_default_joint();
    ph_shape_def bob = ph_default_shape();
    const double far = s->near ? 0.3 : 50.0;
    bob.type = "box";
    bob.size = ph_vec(0.12, 0.1, 0.1);
    bob.density = 1000.0;
    pivot.body_b = add_body(spec, "bob", ph_vec(far + (s->near ? 0.0 : 1.0), 0.3, s->near ? 0.35 : 3.0), &bob);
    pivot.name = "pivot";
    pivot.type = "revolute";
    pivot.body_a = PH_WORLD;
    pivot.has_anchor = true;
    pivot.anchor = ph_vec(far, 0.3, 3.0);
    pivot.has_axis = true;
    pivot.axis = ph_vec(0, 1, 0);
    if (s->servo) {
        pivot.motor = PH_MOTOR_SERVO;
        pivot.motor_value.number = 0.4;
        pivot.motor_kp = 1e5;
        pivot.motor_kd = 1e4;
        pivot.motor_max = 300.0;
        pivot.has_limit_high = true;
        pivot.limit_high = 0.02;
    }
    ph_spec_add_joint(spec, &pivot);
}

static void add_rolling_ball(ph_spec *spec)
{
    ph_joint_def on = ph_default_joint();
    ph_shape_def ball = ph_default_shape();
    ball.type = "sphere";
    ball.radius = 0.1;
    ball.density = 1000.0;
    ball.collide = false;
    on.body_b = add_body(spec, "wheel", ph_vec(20, 0, 0.1), &ball);
    on.name = "on";
    on.type = "rolling_sphere";
    on.body_a = PH_WORLD;
    on.radius = 0.1;
    ph_spec_add_joint(spec, &on);
}

static ph_spec *spec_of(const scene *s)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_contact_settings contact = ph_default_contact();
    if (s->tolerance > 0.0) contact.tolerance = s->tolerance;
    if (s->by_paths) contact.solver = "apgd";
    ph_body_def floor = ph_default_body();
    ph_shape_def plane = ph_default_shape(), shape = ph_default_shape();
    ph_spec_set_contact(spec, &contact);
    ph_spec_set_gravity(spec, ph_vec(0, 0, -9.81));
    floor.name = "floor";
    floor.fixed = true;
    plane.type = "plane";
    plane.size = ph_vec(0, 0, 1);
    plane.friction = shape.friction = 0.5;
    ph_spec_add_shape(spec, ph_spec_add_body(spec, &floor), &plane);
    if (s->pendulum) add_pendulum(spec, s);
    if (s->rolls) add_rolling_ball(spec);
    shape.type = s->shape;
    shape.radius = 0.05;
    shape.size = ph_vec(0.1, 0.1, 0.1);
    shape.density = 1000.0;
    shape.restitution = s->restitution;
    for (int k = 0; k < s->across * s->across * s->layers; k++) {
        char name[16];
        const int x = k % s->across, y = k / s->across % s->across, z = k / (s->across * s->across);
        snprintf(name, sizeof name, "b%d", k);
        const ph_vec3 at = ph_vec(0.105 * x + 0.002 * (7 * k % 5), 0.105 * y + 0.002 * (3 * k % 7), 0.06 + 0.11 * z);
        shape.rolling_friction = k % 3 == 0 ? s->rolling : 0.0;
        if (!s->near || ph_norm(ph_sub(at, ph_vec(0.3, 0.3, 0.35))) > 0.16) add_body(spec, name, at, &shape);
    }
    return spec;
}

static double mass_of(const rig *r, int body)
{
    return ph_model_body(r->model, body).mass;
}

// m (v+ - v)/h - m g - contact forces, of free bodies: the worst, by their weight.
static double imbalance(const rig *r, const ph_vec3 *before, int bodies, int first)
{
    ph_vec3 sum[400] = {{0}};
    int count;
    const ph_contact *c = ph_state_contacts(r->state, &count);
    double worst = 0.0;
    for (int i = 0; i < count; i++) {
        if (c[i].body_b >= 0) sum[c[i].body_b] = ph_add(sum[c[i].body_b], c[i].force);
        if (c[i].body_a >= 0) sum[c[i].body_a] = ph_sub(sum[c[i].body_a], c[i].force);
    }
    for (int b = first; b < bodies; b++) {
        const double m = mass_of(r, b);
        const ph_vec3 gain = ph_scale(m / STEP, ph_sub(ph_state_velocities(r->state)[b], before[b]));
        const ph_vec3 rest = ph_sub(ph_sub(gain, sum[b]), ph_vec(0, 0, -9.81 * m));
        worst = fmax(worst, ph_norm(rest) / (9.81 * m));
    }
    return worst;
}

// I (w+ - w)/h - torques about the pivot of the pendulum, of weight and contacts: relative to its weight's.
static double turning_imbalance(const rig *r, double before)
{
    const ph_body_info bob = ph_model_body(r->model, 1);
    const ph_vec3 arm = ph_sub(ph_state_positions(r->state)[1], ph_vec(0.3, 0.3, 3.0));
    const double inertia = bob.inertia.m[1][1] + bob.mass * ph_norm2(arm);
    int count;
    const ph_contact *c = ph_state_contacts(r->state, &count);
    double torque = 9.81 * bob.mass * arm.x;
    for (int i = 0; i < count; i++) {
        const double sign = c[i].body_b == 1 ? 1.0 : c[i].body_a == 1 ? -1.0 : 0.0;
        torque += sign * (ph_cross(ph_sub(c[i].point, ph_vec(0.3, 0.3, 3.0)), c[i].force).y + c[i].torque.y);
    }
    const double gain = inertia / STEP * (ph_state_angular_velocities(r->state)[1].y - before);
    return fabs(gain - torque) / (9.81 * bob.mass * ph_norm(arm));
}

typedef struct outcome {
    int both, heap, trees, missed; // steps
    double imbalance, residual, bob, turning;
    ph_vec3 end; // of the last body
} outcome;

static outcome run(const scene *s, int threads, int steps)
{
    rig r = rig_build(spec_of(s), "moreau");
    ph_sim_def def = ph_default_sim();
    def.scheme = "moreau";
    def.threads = threads;
    ph_sim_destroy(r.sim);
    CHECK_EQ_INT(ph_sim_create(r.model, &def, &r.sim, NULL), PH_OK);
    outcome o = {0};
    const int bodies = ph_model_bodies(r.model), held = 1 + s->pendulum + s->rolls;
    ph_vec3 before[400];
    for (int i = 0; i < steps; i++) {
        ph_step_report report = {0};
        const double spin = s->near ? ph_state_angular_velocities(r.state)[1].y : 0.0;
        memcpy(before, ph_state_velocities(r.state), sizeof *before * (size_t)bodies);
        if (!CHECK_EQ_INT(ph_sim_step(r.sim, r.state, STEP, &report), PH_OK)) break;
        const char *by = report.contact_solver ? report.contact_solver : "none";
        o.both += strcmp(by, "both") == 0;
        o.heap += strcmp(by, "heap") == 0;
        o.trees += strcmp(by, "trees") == 0;
        o.missed += report.contact_missed > 0;
        o.residual = fmax(o.residual, report.contact_residual);
        o.imbalance = fmax(o.imbalance, imbalance(&r, before, bodies, held));
        if (s->near && !s->servo) o.turning = fmax(o.turning, turning_imbalance(&r, spin));
    }
    o.bob = ph_state_positions(r.state)[1].x;
    o.end = ph_state_positions(r.state)[bodies - 1];
    rig_close(&r);
    return o;
}

TEST(heap_beside_a_pendulum)
{
    const scene with = {6, 6, 0.0, .pendulum = true, .shape = "sphere"},
                alone = {0, 0, 0.0, .pendulum = true, .shape = "sphere"};
    const outcome both = run(&with, 1, 100), one = run(&alone, 1, 100);
    printf("  heap %d, both %d, trees %d steps; balance %.1e\n", both.heap, both.both, both.trees, both.imbalance);
    CHECK(both.heap + both.both > 80);
    CHECK_EQ_INT(both.missed, 0);
    CHECK(both.imbalance < 1e-8);
    CHECK(both.bob == one.bob); // the bits of a pendulum without heap
}

TEST(heap_of_boxes_beside_a_pendulum)
{
    const scene with = {4, 5, 0.0, .pendulum = true, .shape = "box"};
    const outcome o = run(&with, 1, 100);
    CHECK(o.heap + o.both > 80);
    CHECK_EQ_INT(o.missed, 0);
    CHECK(o.imbalance < 1e-8);
}

TEST(heap_that_bounces_beside_a_pendulum)
{
    const scene with = {5, 4, 0.6, .pendulum = true, .shape = "sphere"};
    const outcome o = run(&with, 1, 100);
    CHECK(o.heap + o.both > 20);
    CHECK(o.imbalance < 1e-8);
}

// A bob in the heap is one island with it: both solvers at once.
TEST(heap_that_a_pendulum_stands_in)
{
    const scene with = {6, 6, 0.0, .pendulum = true, .near = true, .shape = "sphere"};
    const outcome o = run(&with, 1, 100), three = run(&with, 3, 100);
    printf("  heap %d, both %d, trees %d steps; balance %.1e, of the pendulum %.1e\n", o.heap, o.both, o.trees,
           o.imbalance, o.turning);
    CHECK(o.both > 60);
    CHECK_EQ_INT(o.missed, 0);
    CHECK(o.imbalance < 1e-8);
    CHECK(o.turning < 1e-3); // positions are those of the end
    CHECK(memcmp(&o.end, &three.end, sizeof o.end) == 0);
    CHECK(o.bob == three.bob);
}

// A motor at its largest force presses boxes against each other, which neither solver gets to the tolerance in all steps.
TEST(heap_of_boxes_that_a_driven_pendulum_stands_in)
{
    const scene with = {5, 5, 0.0, .pendulum = true, .near = true, .servo = true, .shape = "box"};
    const outcome o = run(&with, 1, 100);
    printf("  both %d steps; balance %.1e, missed %d, residual %.1e\n", o.both, o.imbalance, o.missed, o.residual);
    CHECK(o.both > 40);
    CHECK(o.missed <= 5);
    CHECK(o.residual < 1e-3);
    CHECK(o.imbalance < 1e-8);
}

// In double precision, and with contacts that roll, which go along paths.
TEST(heap_in_which_some_balls_roll)
{
    const scene with = {
        6, 6, 0.0, .pendulum = true, .near = true, .rolling = 1e-3, .tolerance = 2e-5, .shape = "sphere"};
    const outcome o = run(&with, 1, 100);
    printf("  both %d, trees %d steps; balance %.1e, %.1e, missed %d\n", o.both, o.trees, o.imbalance, o.turning,
           o.missed);
    CHECK_EQ_INT(o.missed, 0);
    CHECK(o.imbalance < 1e-8);
    CHECK(o.turning < 1e-3);
}

// What both find together is what paths alone find, as far as the tolerance goes.
TEST(both_solvers_agree_with_one)
{
    const scene with = {6, 6, 0.0, .pendulum = true, .near = true, .tolerance = 2e-5, .shape = "sphere"};
    scene alone = with;
    alone.by_paths = true;
    const outcome two = run(&with, 1, 40), one = run(&alone, 1, 40);
    printf("  both %d, trees %d steps; bob differs by %.1e m\n", two.both, one.trees, fabs(two.bob - one.bob));
    CHECK(two.both > 0);
    CHECK_EQ_INT(one.both, 0);
    CHECK_NEAR(two.bob, one.bob, 1e-5);
}

TEST(heap_beside_a_joint_that_rolls)
{
    const scene with = {6, 6, 0.0, .rolls = true, .shape = "sphere"};
    const outcome o = run(&with, 1, 60);
    CHECK(o.heap + o.both > 40);
    CHECK_EQ_INT(o.missed, 0);
    CHECK(o.imbalance < 1e-8);
}

TEST(same_bits_for_any_number_of_threads)
{
    const scene with = {6, 6, 0.2, .pendulum = true, .shape = "sphere"};
    const outcome one = run(&with, 1, 60), three = run(&with, 3, 60);
    CHECK(memcmp(&one.end, &three.end, sizeof one.end) == 0);
    CHECK(one.bob == three.bob);
}
