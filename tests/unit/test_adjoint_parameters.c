// Gradients by parameters of model files against differences of whole runs, extrapolated until they stand still; the same
// bits whatever the memory.
#include "adjoint_rig.h"

#include "math/mat3.h"

typedef struct sample {
    const char *name, *text;
    const char *parameters[12];
    double values[12];
} sample;

static const sample samples[] = {
    {"pendulum, length of everything",
     "parameters: {l: 0.8, m: 1.3, g: 9.81, w: 0.7}\n"
     "gravity: [0, 0, -g]\n"
     "bodies:\n"
     "  - {name: a, shapes: [{type: box, size: [l, 0.05, 0.1], density: 1000*m}], position: [l/2, 0, 0],"
     " angular_velocity: [0, w, 0], velocity: [0, 0, -w*l/2]}\n"
     "  - {name: b, mass: m, inertia: [0.1, 0.12*l, 0.08], com: [0.05*l, 0.02, 0], position: [1.5*l, 0.1*l, 0],"
     " orientation: {axis: [0, 0, 1], angle: 0.3*w}, angular_velocity: [0, 0, 0], velocity: [0, 0, -w*l]}\n"
     "joints:\n"
     "  - {name: O, type: revolute, bodies: [world, a], anchor: [0, 0, 0], axis: [0, 1, 0]}\n"
     "  - {name: A, type: ball, bodies: [a, b], anchor: [l, 0, 0]}\n"
     "initial: project\n",
     {"l", "m", "g", "w"},
     {0.8, 1.3, 9.81, 0.7}},
    {"all kinds of forces",
     "parameters: {k: 40, c: 0.6, r: 0.35, f: 0.4, v: 0.2, p: 30, d: 1.5, x: 0.1, s: 2}\n"
     "gravity: [0, 0, -9.81]\n"
     "inputs: {u: 0.3}\n"
     "bodies:\n"
     "  - {name: a, mass: 2, inertia: [0.03, 0.05, 0.04], position: [0.3, 0, 0], angular_velocity: [0, 0.4, 0],"
     " velocity: [0, 0, -0.12]}\n"
     "  - {name: b, mass: 1, inertia: [0.02, 0.03, 0.01], position: [0.6, 0, 0.2], angular_velocity: [0, 0.4, 0],"
     " velocity: [0.08, 0, -0.24]}\n"
     "  - {name: e, mass: 1.5, inertia: [0.02, 0.03, 0.01], position: [0.9, 0.1, 0.4]}\n"
     "joints:\n"
     "  - {name: O, type: revolute, bodies: [world, a], anchor: [0, 0, 0], axis: [0, 1, 0], damping: c, stiffness: k/4,"
     " rest: r, friction: f, friction_speed: v, motor: {position: u*sin(s*t), kp: p, kd: d, max: 900}}\n"
     "  - {name: A, type: revolute, bodies: [a, b], anchor: [0.6, x, 0], axis: [0, 1, 0],"
     " motor: {torque: f*cos(s*t) - c*qd.O - 0.2*k*q.O*q.A}}\n"
     "forces:\n"
     "  - {type: spring, bodies: [a, e], point_a: [x, 0, 0.1], point_b: [0, 0.1, x], stiffness: k, damping: c,"
     " length: r}\n"
     "  - {type: torsion, joint: A, stiffness: k/10, damping: c/5, rest: r/2}\n"
     "  - {type: bushing, bodies: [b, e], anchor: [0.7, x, 0.3], stiffness: [k, 2*k, k, 1, 2, c],"
     " damping: [c, c, 2*c, 0.1, 0.1, c/9]}\n"
     "  - {type: wrench, body: e, point: [x, 0.1, 0], force: [f*sin(s*t), u, c*qd.A], torque: [0, k*x*q.A, f],"
     " frame: body}\n"
     "  - {type: wrench, body: b, point: [0, x, 0], force: [f, 0.3*qd.O, p*x]}\n",
     {"k", "c", "r", "f", "v", "p", "d", "x", "s"},
     {40, 0.6, 0.35, 0.4, 0.2, 30, 1.5, 0.1, 2}},
    {"all kinds of joints",
     "parameters: {x: 0.2, p: 0.03, n: 1.7, j: 0.4, w: 1.3}\n"
     "gravity: [0.5, 0.2, -9.81]\n"
     "bodies:\n"
     "  - {name: a, mass: 2, inertia: [0.03, 0.05, 0.04], position: [0.3, 0, 0]}\n"
     "  - {name: b, mass: 1, inertia: [0.02, 0.03, 0.01], position: [0.6, x, 0]}\n"
     "  - {name: e, mass: 1.5, inertia: [0.02, 0.03, 0.01], position: [0.9, 0.1, 0]}\n"
     "  - {name: i, mass: 1.5, inertia: [0.02, 0.03, 0.01], position: [1.3, 0.1, x]}\n"
     "  - {name: o, mass: 0.5, inertia: [0.02, 0.03, 0.01], position: [0, 1, 0]}\n"
     "  - {name: q, mass: 0.5, inertia: [0.02, 0.03, 0.01], position: [0, 1.5, 0]}\n"
     "  - {name: s, mass: 0.5, inertia: [0.02, 0.03, 0.01], position: [0, -1, 0]}\n"
     "joints:\n"
     "  - {name: A, type: revolute, bodies: [world, a], anchor: [0, x/3, 0], axis: [x, 1, 0], armature: j}\n"
     "  - {name: B, type: universal, bodies: [a, b], anchor: [0.5, 0, 0], axis: [0, 1, 0], axis2: [0, 0, 1]}\n"
     "  - {name: C, type: screw, bodies: [b, e], anchor: [0.7, x, 0], axis: [1, 0, x], pitch: p}\n"
     "  - {name: D, type: distance, bodies: [e, i], anchor_a: [0, 0, x], anchor_b: [-0.1, 0, 0]}\n"
     "  - {name: E, type: prismatic, bodies: [world, o], anchor: [0, 1, 0], axis: [0, x, 1], armature: 2*j}\n"
     "  - {name: F, type: cylindrical, bodies: [o, q], anchor: [0, 1.2, 0], axis: [0, 1, 0.1]}\n"
     "  - {name: G, type: gear, joints: [A, E], ratio: n}\n"
     "  - {name: H, type: revolute, bodies: [world, s], anchor: [x, -1, 0], axis: [0, 0, 1],"
     " motor: {speed: w*sin(3*t)}}\n",
     {"x", "p", "n", "j", "w"},
     {0.2, 0.03, 1.7, 0.4, 1.3}},
    {"motor by position",
     "parameters: {a: 0.4, w: 3, l: 0.5}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  - {name: a, mass: 2, inertia: [0.03, 0.05, 0.04], position: [0.3, 0, 0]}\n"
     "  - {name: b, mass: 1, inertia: [0.02, 0.03, 0.01], position: [0.3+l, 0, 0]}\n"
     "joints:\n"
     "  - {name: O, type: revolute, bodies: [world, a], anchor: [0, 0, 0], axis: [0, 1, 0],"
     " motor: {position: a*(1-cos(w*t))}}\n"
     "  - {name: A, type: revolute, bodies: [a, b], anchor: [l, 0, 0], axis: [0, 1, 0.3]}\n",
     {"a", "w", "l"},
     {0.4, 3, 0.5}},
    {"attraction and drag",
     "parameters: {mu: 4, m: 1.5, c: 0.1, l: 0.7, a: 0.1, q: 0.5, w: 0.3, x: 0.2, o: 0.4}\n"
     "bodies:\n"
     "  - {name: a, mass: 20, inertia: [1, 1.2, 1.1]}\n"
     "  - {name: b, mass: m, inertia: [0.1, 0.2, 0.15], com: [c, 0.02, 0], position: [1, 0, 0], velocity: [2, 2, 2],"
     " angular_velocity: [1, 1, 1]}\n"
     "forces:\n"
     "  - {name: sun, type: gravity_field, bodies: [a, b], centre: [c, 0.1, 0], strength: mu}\n"
     "  - {name: thin.air, type: drag, bodies: [a, b], anchor: [1 + x, 0, 0.1], linear: l, angular: a, quadratic: [q, 2*q, 0.1],"
     " angular_quadratic: [w, 0.1, 0.2], orientation: {axis: [0, 1, 0], angle: o}}\n",
     {"mu", "m", "c", "l", "a", "q", "w", "x", "o"},
     {4, 1.5, 0.1, 0.7, 0.1, 0.5, 0.3, 0.2, 0.4}},
    {"tendons and actuators",
     "parameters: {k: 50, c: 1, l: 0.9, x: 0.2, f: 3, w: 0.3, h: 0.9, s: 80, d: 0.4, m: 1.5, g: 1.2, p: 12}\n"
     "inputs: {u: 0.5}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  - {name: a, mass: m, inertia: [0.1, 0.2, 0.15], com: [0.05, 0.02*x, 0], position: [0.3, 0, 0]}\n"
     "  - {name: b, mass: 1.5, inertia: [0.1, 0.2, 0.15], position: [0.9, 0, 0]}\n"
     "joints:\n"
     "  - {name: A, type: revolute, bodies: [world, a], anchor: [0, 0, 0], axis: [0, 1, 0]}\n"
     "  - {name: B, type: revolute, bodies: [a, b], anchor: [0.6, 0, 0], axis: [0, 1, x]}\n"
     "sites:\n"
     "  - {name: s0, body: world, position: [0, 0.1, 0.5]}\n"
     "  - {name: s1, body: a, position: [x, 0, 0.1]}\n"
     "  - {name: s2, body: b, position: [0.1, 0.3, 0.1]}\n"
     "  - {name: s3, body: b, position: [0.1, x, 0.1]}\n"
     "tendons:\n"
     "  - {name: t, path: [s0, s1, s2, s3], joints: {A: w, B: w/3}, stiffness: k, damping: c, length: l,"
     " tension: f*u*q.A, limits: [0.1, h], limit_stiffness: s, limit_damping: d}\n"
     "  - {name: cable, path: [s0, s2], cable: true, stiffness: 2*k, damping: c/2, length: l/3}\n"
     "actuators:\n"
     "  - {name: pull, tendon: t, control: u, gear: g*w}\n"
     "  - {name: servo, joint: A, position: 0.1*u, kp: p, kd: c/9}\n",
     {"k", "c", "l", "x", "f", "w", "h", "s", "d", "m", "g", "p"},
     {50, 1, 0.9, 0.2, 3, 0.3, 0.9, 80, 0.4, 1.5, 1.2, 12}},
    {"on bodies that stand",
     "parameters: {p: 0.1, q: 0.2, o: 0.3}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  - {name: a, mass: 1.5, inertia: [0.1, 0.2, 0.15], position: [0.3, 0, 0]}\n"
     "  - {name: b, mass: 1.5, inertia: [0.1, 0.2, 0.15], position: [0.9, 0, 0]}\n"
     "  - {name: post, fixed: true, position: [p, 0, 0], orientation: {axis: [1, 2, 0], angle: o}}\n"
     "joints:\n"
     "  - {name: A, type: revolute, bodies: [post, a], anchor: [0, 0, q], axis: [0, 1, o]}\n"
     "  - {name: B, type: point_on_line, bodies: [post, b], anchor: [0.9, 0, p], axis: [1, 0, 0.2]}\n"
     "forces:\n"
     "  - {type: spring, bodies: [post, b], point_a: [q, 0.2, 0.3], point_b: [0, 0, 0.1], stiffness: 100, length: 0.1}\n"
     "  - {type: bushing, bodies: [post, b], anchor: [p, q, 0.3], stiffness: [9, 8, 7, 1, 2, 3],"
     " damping: [1, 0, 1, 0, 1, 0]}\n"
     "sites:\n"
     "  - {name: s0, body: post, position: [q, 0.1, 0.5]}\n"
     "  - {name: s1, body: a, position: [0.2, 0, 0.1]}\n"
     "tendons: [{name: t, path: [s0, s1], stiffness: 30, damping: 1, length: 0.2}]\n",
     {"p", "q", "o"},
     {0.1, 0.2, 0.3}},
};
enum { ATTRACTION = 4, TENDONS, SAMPLES = sizeof samples / sizeof *samples };

static ph_model *model_at(const sample *of, int parameter, double value)
{
    char text[8192], number[40];
    snprintf(text, sizeof text, "polhode: 1\n%s", of->text);
    snprintf(number, sizeof number, "%.17g", value);
    return read_model_with(text, &(ph_setting){parameter < 0 ? "" : of->parameters[parameter], number}, parameter >= 0);
}

static ph_model *make(int parameter, double value, void *user, ph_error *error)
{
    (void)error;
    return model_at(user, parameter, value);
}

// ---- A function of all states ---------------------------------------------------------------------------------------

enum { STEPS = 60 };
static const double STEP = 2e-3;

// Sum over nodes of h |x|^2 + Omega.(1, 2, 3), and of R's first entry at the end, for every body
static double cost_of(long long n, const ph_state *s)
{
    double sum = 0.0;
    for (int b = 0; b < s->model->body_count; b++) {
        sum += STEP * ph_norm2(s->position[b]) + 0.1 * STEP * ph_dot(ph_vec(1, 2, 3), s->angular_velocity[b]);
        if (n == STEPS)
            sum += ph_quat_to_mat(s->orientation[b]).m[0][0] + ph_dot(ph_vec(0.3, 0.1, -0.2), s->velocity[b]);
    }
    return sum;
}

static void source(long long n, const ph_state *s, ph_cotangent *to, double *inputs, void *user)
{
    (void)inputs, (void)user;
    for (int b = 0; b < s->model->body_count; b++) {
        to[b].position = ph_scale(2.0 * STEP, s->position[b]);
        to[b].angular_velocity = ph_scale(0.1 * STEP, ph_vec(1, 2, 3));
        if (n != STEPS) continue;
        const ph_vec3 row = ph_mat_row(ph_quat_to_mat(s->orientation[b]), 0);
        to[b].rotation = ph_cross(ph_vec(1, 0, 0), row);
        to[b].velocity = ph_vec(0.3, 0.1, -0.2);
    }
}

static bool visit(long long n, const ph_state *s, void *user)
{
    *(double *)user += cost_of(n, s);
    return true;
}

static double run(const ph_model *model, const char *scheme)
{
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    double sum = 0.0;
    def.scheme = scheme;
    ph_state *state = ph_state_create(model);
    if (!CHECK(ph_sim_create(model, &def, &sim, NULL) == PH_OK)) return NAN;
    visit(0, state, &sum);
    for (int n = 0; n < STEPS; n++) {
        CHECK(ph_sim_step(sim, state, STEP, NULL) == PH_OK);
        visit(n + 1, state, &sum);
    }
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    return sum;
}

// Central differences at s, s/2, s/4, s/8, three powers of s taken away.
static double difference(const sample *of, const char *scheme, int parameter)
{
    double D[4];
    for (int k = 0; k < 4; k++) {
        const double s = 0.04 * of->values[parameter] / (1 << k);
        ph_model *plus = model_at(of, parameter, of->values[parameter] + s);
        ph_model *minus = model_at(of, parameter, of->values[parameter] - s);
        D[k] = (run(plus, scheme) - run(minus, scheme)) / (2.0 * s);
        ph_model_destroy(plus);
        ph_model_destroy(minus);
    }
    double four = 4.0;
    for (int i = 1; i < 4; i++, four *= 4.0)
        for (int k = 3; k >= i; k--) D[k] += (D[k] - D[k - 1]) / (four - 1.0);
    return D[3];
}

static void check_sample(const sample *of, const char *scheme)
{
    double gradient[12], sum = 0.0;
    int count = 0;
    while (count < 12 && of->parameters[count]) count++;
    ph_model *model = model_at(of, -1, 0.0);
    if (!model) SKIP("no YAML");
    ph_adjoint *a = adjoint_of(model, scheme, 0);
    ph_state *state = ph_state_create(model);
    ph_parameters *p = NULL;
    ph_parameter list[12];
    for (int k = 0; k < count; k++) list[k] = (ph_parameter){of->parameters[k], of->values[k], false};
    CHECK(ph_parameters_create(model, count, list, make, (void *)of, &p, NULL) == PH_OK);
    CHECK(ph_adjoint_forward(a, state, STEP, STEPS, NULL, visit, &sum, NULL) == PH_OK);
    CHECK(ph_adjoint_reverse(a, source, NULL, NULL) == PH_OK);
    ph_adjoint_parameters(a, p, gradient);
    for (int k = 0; k < count; k++) {
        const double other = difference(of, scheme, k);
        CHECK(!ph_parameters_problem(p, k));
        CHECK(ph_parameters_error(p, k) < 1e-11);
        if (!CHECK_NEAR(gradient[k], other, 2e-9 * fabs(other) + 1e-10 * fabs(sum / of->values[k])))
            printf("  %s, %s, parameter %s\n", of->name, scheme, of->parameters[k]);
    }
    ph_parameters_destroy(p);
    ph_state_destroy(state);
    ph_adjoint_destroy(a);
    ph_model_destroy(model);
}

TEST(parameters_under_rattlie)
{
    for (int k = 0; k < SAMPLES; k++) check_sample(&samples[k], "rattlie");
}

TEST(parameters_under_lgvi)
{
    for (int k = 0; k < SAMPLES; k++) check_sample(&samples[k], "lgvi");
}

TEST(parameters_under_others)
{
    check_sample(&samples[2], "matrix-rattle");
    check_sample(&samples[3], "quat-fem");
    check_sample(&samples[2], "rattlie4");
    check_sample(&samples[1], "rattlie4");
    check_sample(&samples[3], "rattlie6");
    check_sample(&samples[3], "rattlie8");
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

TEST(same_bits_whatever_the_memory)
{
    static const size_t memories[] = {0, 40000, 20000, 6000};
    ph_model *model = model_at(&samples[1], -1, 0.0);
    if (!model) SKIP("no YAML");
    ph_cotangent first[3];
    for (int k = 0; k < 4; k++) {
        double sum = 0.0;
        ph_adjoint *a = adjoint_of(model, "rattlie", memories[k]);
        ph_state *state = ph_state_create(model);
        CHECK(ph_adjoint_forward(a, state, STEP, STEPS, NULL, visit, &sum, NULL) == PH_OK);
        CHECK(ph_adjoint_reverse(a, source, NULL, NULL) == PH_OK);
        if (k == 0) memcpy(first, ph_adjoint_start(a), sizeof first);
        CHECK((ph_adjoint_get_report(a).repeated > 0) == (k > 0));
        CHECK(memcmp(first, ph_adjoint_start(a), sizeof first) == 0);
        CHECK(ph_adjoint_reverse(a, source, NULL, NULL) == PH_OK); // once more, from what is left
        CHECK(memcmp(first, ph_adjoint_start(a), sizeof first) == 0);
        ph_state_destroy(state);
        ph_adjoint_destroy(a);
    }
    ph_model_destroy(model);
}

// ---- Tangents -------------------------------------------------------------------------------------------------------

typedef struct tangent_case {
    double values[4], jacobian[48];
    int count;
} tangent_case;

static bool keep_last(long long n, const ph_state *s, const double *values, const double *jacobian, void *user)
{
    tangent_case *t = user;
    (void)n, (void)s;
    memcpy(t->values, values, sizeof t->values);
    memcpy(t->jacobian, jacobian, sizeof(double) * 4 * (size_t)t->count);
    return true;
}

static void only_last(long long n, const ph_state *s, double *weights, void *user)
{
    (void)s;
    if (n == STEPS) weights[*(int *)user] = 1.0;
}

// The adjoint of each quantity, and the tangent along each parameter, are the same numbers.
static void check_tangents(const sample *of, const char *scheme, const char *const *names)
{
    tangent_case t = {0};
    while (t.count < 12 && of->parameters[t.count]) t.count++;
    ph_model *model = model_at(of, -1, 0.0);
    if (!model) SKIP("no YAML");
    ph_parameter list[12];
    for (int k = 0; k < t.count; k++) list[k] = (ph_parameter){of->parameters[k], of->values[k], false};
    ph_adjoint *a = adjoint_of(model, scheme, 0);
    ph_state *state = ph_state_create(model);
    ph_parameters *p = NULL;
    ph_observables *o = NULL;
    CHECK(ph_parameters_create(model, t.count, list, make, (void *)of, &p, NULL) == PH_OK);
    CHECK(ph_observables_create(model, 4, names, &o, NULL) == PH_OK);
    CHECK(ph_adjoint_tangents(a, state, STEP, STEPS, NULL, p, o, STEPS, keep_last, &t, NULL) == PH_OK);
    ph_state_reset(state);
    CHECK(ph_adjoint_forward(a, state, STEP, STEPS, NULL, NULL, NULL, NULL) == PH_OK);
    for (int i = 0; i < 4; i++) {
        double gradient[12], size = 1e-3;
        CHECK(ph_adjoint_reverse_of(a, o, only_last, &i, NULL) == PH_OK);
        ph_adjoint_parameters(a, p, gradient);
        for (int k = 0; k < t.count; k++) size = fmax(size, fabs(gradient[k]));
        for (int k = 0; k < t.count; k++)
            if (!CHECK_NEAR(gradient[k], t.jacobian[i * t.count + k], 1e-11 * size))
                printf("  %s, %s, %s by %s\n", of->name, scheme, names[i], of->parameters[k]);
    }
    ph_observables_destroy(o);
    ph_parameters_destroy(p);
    ph_state_destroy(state);
    ph_adjoint_destroy(a);
    ph_model_destroy(model);
}

TEST(tangents_agree_with_the_adjoint)
{
    static const char *const pendulum[] = {"b.position.z", "joints.O.angle", "a.orientation.y", "b.speed"};
    static const char *const forces[] = {"e.velocity.x", "joints.A.rate", "b.axis_z.x", "e.angular_speed"};
    static const char *const joints[] = {"i.position.x", "joints.B.coordinate.2", "joints.C.rate", "q.axis_x.y"};
    static const char *const motor[] = {"b.position.x", "joints.A.angle", "a.velocity.z", "b.angular_velocity.y"};
    static const char *const field[] = {"b.position.x", "a.axis_x.y", "b.angular_velocity.z", "a.speed"};
    static const char *const tendons[] = {"b.position.z", "joints.B.rate", "sites.s3.position.x", "joints.A.angle"};
    static const char *const stands[] = {"a.position.x", "post.axis_x.z", "post.position.x", "sites.s0.position.y"};
    const char *const *names[] = {pendulum, forces, joints, motor, field, tendons, stands};
    for (int k = 0; k < SAMPLES; k++) check_tangents(&samples[k], "rattlie", names[k]);
    check_tangents(&samples[2], "rattlie4", joints);
    check_tangents(&samples[1], "lgvi", forces);
}

// ---- Numbers by name ------------------------------------------------------------------------------------------------

typedef struct alias {
    int sample;
    const char *parameter, *number;
} alias;

// A model at another value has that value.
static void check_set(const ph_model *model, const char *name)
{
    ph_model *other = NULL;
    double value = NAN, read = NAN;
    CHECK(ph_model_number(model, name, &value));
    value *= 1.25;
    if (!CHECK(ph_model_at(model, 1, &name, &value, &other, NULL) == PH_OK)) printf("  %s\n", name);
    CHECK(ph_model_number(other, name, &read));
    CHECK_REL(read, value, 1e-15);
    ph_model_destroy(other);
}

// Where a parameter is one number of the model, its gradient is that of the number.
static void check_alias(const alias *it, const char *scheme)
{
    const sample *of = &samples[it->sample];
    double gradient[2], sum = 0.0;
    int index = 0;
    while (strcmp(of->parameters[index], it->parameter) != 0) index++;
    ph_model *model = model_at(of, -1, 0.0);
    if (!model) SKIP("no YAML");
    const ph_parameter list[2] = {{it->number, 0.0, true}, {it->parameter, of->values[index], false}};
    sample one = *of;
    one.parameters[1] = it->parameter;
    ph_adjoint *a = adjoint_of(model, scheme, 0);
    ph_state *state = ph_state_create(model);
    ph_parameters *p = NULL;
    CHECK(ph_parameters_create(model, 2, list, make, &one, &p, NULL) == PH_OK);
    CHECK(ph_adjoint_forward(a, state, STEP, STEPS, NULL, visit, &sum, NULL) == PH_OK);
    CHECK(ph_adjoint_reverse(a, source, NULL, NULL) == PH_OK);
    ph_adjoint_parameters(a, p, gradient);
    if (!CHECK_REL(gradient[0], gradient[1], 1e-10)) printf("  %s\n", it->number);
    CHECK(gradient[0] != 0.0);
    check_set(model, it->number);
    ph_parameters_destroy(p);
    ph_state_destroy(state);
    ph_adjoint_destroy(a);
    ph_model_destroy(model);
}

TEST(numbers_have_names)
{
    static const alias list[] = {{ATTRACTION, "mu", "forces.sun.strength"},
                                 {ATTRACTION, "m", "b.mass"},
                                 {ATTRACTION, "l", "forces.thin.air.linear"},
                                 {ATTRACTION, "a", "forces.thin.air.angular"},
                                 {ATTRACTION, "w", "forces.thin.air.angular_quadratic.x"},
                                 {TENDONS, "h", "tendons.t.limit_high"},
                                 {TENDONS, "s", "tendons.t.limit_stiffness"},
                                 {TENDONS, "d", "tendons.t.limit_damping"},
                                 {TENDONS, "m", "a.mass"},
                                 {TENDONS, "p", "actuators.servo.kp"}};
    double value;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) check_alias(&list[k], "rattlie");
    ph_model *model = model_at(&samples[TENDONS], -1, 0.0);
    if (!model) SKIP("no YAML");
    CHECK(!ph_model_number(model, "tendons.cable.limit_low", &value)); // it has none
    CHECK(!ph_model_number(model, "joints.B.stiffness", &value));      // that of a tendon along it is another
    ph_model_destroy(model);
}

// ---- What has none --------------------------------------------------------------------------------------------------

TEST(motions_of_chains_have_no_derivative)
{
    const sample of = {
        "chain",
        "parameters: {z: 0.3, m: 1.5}\n"
        "bodies: [{name: a, mass: m, inertia: [0.1, 0.2, 0.15]}]\n"
        "joints: [{name: A, type: chain, bodies: [world, a], motions: [{turn: y}, {slide: [1, 0, z]}]}]\n",
        {"z", "m"},
        {0.3, 1.5}};
    const ph_parameter list[2] = {{"z", 0.3, false}, {"m", 1.5, false}};
    ph_model *model = model_at(&of, -1, 0.0);
    if (!model) SKIP("no YAML");
    ph_parameters *p = NULL;
    CHECK(ph_parameters_create(model, 2, list, make, (void *)&of, &p, NULL) == PH_OK);
    CHECK(ph_parameters_problem(p, 0) && strstr(ph_parameters_problem(p, 0), "type chain change"));
    CHECK(!ph_parameters_problem(p, 1));
    ph_parameters_destroy(p);
    ph_model_destroy(model);
}
