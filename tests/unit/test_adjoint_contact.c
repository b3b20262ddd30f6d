// Gradients through contact: sliding, sticking, rolling, bouncing, open; free bodies, several bodies, bodies with joints. Against
// differences of whole runs of the same discrete motion, extrapolated; parameters keep every contact well inside its mode.
#include "adjoint_rig.h"

#include "math/mat3.h"

enum { PARAMETERS = 12 };

typedef struct scene {
    const char *name, *text;
    const char *parameters[PARAMETERS];
    double values[PARAMETERS];
    int steps;
    double h, reach; // reach: of the differences, by the size of a parameter
} scene;

#define GROUND                                                                                                         \
    "  - {name: ground, fixed: true, position: [0, 0, z], shapes: [{type: plane, friction: mu, restitution: e}]}\n"

static const scene scenes[] = {
    {"ball that slides and begins to roll",
     "parameters: {mu: 0.2, e: 0, z: 0.01, r: 0.1, m: 2, g: 9.81, v: 3, w: 2}\n"
     "gravity: [0.3, 0.1, -g]\ncontact: {}\nbodies:\n" GROUND
     "  - {name: ball, mass: m, inertia: [0.008, 0.009, 0.0075], position: [0, 0, z + r], velocity: [v, 0.4, 0],"
     " angular_velocity: [0.3, w, 1], shapes: [{type: sphere, radius: r}]}\n",
     {"mu", "z", "r", "m", "g", "v", "w"},
     {0.2, 0.01, 0.1, 2, 9.81, 3, 2},
     40,
     2e-3,
     1e-3},
    {"ball that rolls: it sticks",
     "parameters: {mu: 0.9, e: 0, z: 0.01, r: 0.1, m: 2, g: 9.81, v: 1, w: 10, k: 0.1}\n"
     "gravity: [0.5, 0.1, -g]\ncontact: {}\nbodies:\n" GROUND
     "  - {name: ball, mass: m, inertia: [0.008, 0.008, 0.008], position: [0, 0, z + r], velocity: [v, 0, 0],"
     " angular_velocity: [0, w, 1], shapes: [{type: sphere, radius: r}]}\n",
     {"mu", "r", "m", "g", "v", "w"},
     {0.9, 0.1, 2, 9.81, 1, 10},
     40,
     2e-3,
     1e-3},
    {"ball that bounces",
     "parameters: {mu: 0.3, e: 0.8, z: 0.01, r: 0.1, m: 2, g: 9.81, v: 1, w: 2, z0: 0.3}\n"
     "gravity: [0.5, 0.1, -g]\ncontact: {}\nbodies:\n" GROUND
     "  - {name: ball, mass: m, inertia: [0.008, 0.009, 0.007], position: [0, 0, z0], velocity: [v, 0.2, -0.5],"
     " angular_velocity: [0, w, 1], shapes: [{type: sphere, radius: r, restitution: e}]}\n",
     {"mu", "e", "z", "r", "m", "g", "v", "w", "z0"},
     {0.3, 0.8, 0.01, 0.1, 2, 9.81, 1, 2, 0.3},
     250,
     2e-3,
     1e-4},
    {"box that slides on a slope",
     "parameters: {mu: 0.3, e: 0, z: 0.01, a: 0.2, b: 0.3, c: 0.1, m: 2, g: 9.81, v: 2, y: 0.5}\n"
     "gravity: [1.5, 0.1, -g]\ncontact: {}\nbodies:\n" GROUND
     "  - {name: box, mass: m, inertia: [0.008, 0.009, 0.007], position: [0, 0, z + c/2], velocity: [v, 0.2, 0],"
     " angular_velocity: [0, 0, y], shapes: [{type: box, size: [a, b, c]}]}\n",
     {"mu", "a", "b", "c", "m", "g", "v", "y"},
     {0.3, 0.2, 0.3, 0.1, 2, 9.81, 2, 0.5},
     40,
     2e-3,
     1e-3},
    {"box that falls on a corner and turns",
     "parameters: {mu: 0.6, e: 0.5, z: 0.01, a: 0.2, b: 0.3, c: 0.1, m: 2, g: 9.81, v: 1, y: 3, z0: 0.28}\n"
     "gravity: [0.2, 0.1, -g]\ncontact: {}\nbodies:\n" GROUND
     "  - {name: box, mass: m, inertia: [0.008, 0.012, 0.007], position: [0, 0, z0], velocity: [v, 0.2, -1],"
     " orientation: {axis: [1, 2, 0.3], angle: 0.7}, angular_velocity: [1, -1, y], shapes: [{type: box, size: [a, b, c]}]}\n",
     {"mu", "e", "z", "a", "b", "c", "m", "g", "v", "y", "z0"},
     {0.6, 0.5, 0.01, 0.2, 0.3, 0.1, 2, 9.81, 1, 3, 0.28},
     60,
     2e-3,
     1e-5},
    {"capsule that drops on one end, without restitution",
     "parameters: {mu: 0.3, e: 0, z: 0.01, r: 0.05, l: 0.3, m: 2, g: 9.81, v: 1, y: 3, z0: 0.22}\n"
     "gravity: [0.2, 0.1, -g]\ncontact: {}\nbodies:\n" GROUND
     "  - {name: rod, mass: m, inertia: [0.012, 0.013, 0.003], position: [0, 0, z0], velocity: [v, 0.2, -0.5],"
     " orientation: {axis: [1, 2, 0.3], angle: 0.7}, angular_velocity: [1, -1, y],"
     " shapes: [{type: capsule, radius: r, length: l}]}\n",
     {"mu", "z", "r", "l", "m", "g", "v", "y", "z0"},
     {0.3, 0.01, 0.05, 0.3, 2, 9.81, 1, 3, 0.22},
     80,
     2e-3,
     1e-5},
    {"two balls collide in the air",
     "parameters: {mu: 0.2, e: 0.7, r: 0.1, s: 0.13, m: 2, g: 9.81, v: 2, y: 0.05}\n"
     "gravity: [0, 0, -g]\ncontact: {}\nbodies:\n"
     "  - {name: p, mass: m, inertia: [0.008, 0.009, 0.007], position: [0, 0, 1], velocity: [v, 0, 0.3],"
     " angular_velocity: [1, 2, 3], shapes: [{type: sphere, radius: r, friction: mu, restitution: e}]}\n"
     "  - {name: q, mass: 1.5, inertia: [0.01, 0.01, 0.011], position: [0.4, y, 1.04], velocity: [-1, 0, 0.3],"
     " angular_velocity: [0, -1, 0], shapes: [{type: sphere, radius: s, friction: 0.5}]}\n",
     {"mu", "e", "r", "s", "m", "g", "v", "y"},
     {0.2, 0.7, 0.1, 0.13, 2, 9.81, 2, 0.05},
     100,
     1e-3,
     1e-4},
    {"ball on a box on the ground",
     "parameters: {mu: 0.3, e: 0, z: 0, r: 0.1, a: 0.6, c: 0.1, m: 2, g: 9.81, v: 1.5, w: 2}\n"
     "gravity: [0, 0, -g]\ncontact: {}\nbodies:\n" GROUND
     "  - {name: box, mass: 3, inertia: [0.1, 0.1, 0.15], position: [0, 0, c/2], velocity: [0.6, 0.1, 0],"
     " shapes: [{type: box, size: [a, a, c], friction: 0.25}]}\n"
     "  - {name: ball, mass: m, inertia: [0.008, 0.009, 0.007], position: [0.05, 0.02, c + r], velocity: [v, -0.3, 0],"
     " angular_velocity: [0.5, w, 1], shapes: [{type: sphere, radius: r}]}\n",
     {"mu", "r", "a", "c", "m", "g", "v", "w"},
     {0.3, 0.1, 0.6, 0.1, 2, 9.81, 1.5, 2},
     40,
     2e-3,
     1e-3},
    {"crossed capsules, rolling and spinning friction, compliance",
     "parameters: {mu: 0.3, e: 0, z: 0, r: 0.1, l: 0.5, m: 2, g: 9.81, v: 1.5, w: 3, f: 0.01, s: 0.005, c: 1.0e-5}\n"
     "gravity: [0, 0, -g]\ncontact: {}\nbodies:\n"
     "  - {name: bar, fixed: true, shapes: [{type: capsule, radius: 0.2, length: 3, axis: [0, 1, 0]}]}\n"
     "  - {name: rod, mass: m, inertia: [0.05, 0.05, 0.01], position: [0, 0, r + 0.2], velocity: [0.1, v, 0],"
     " angular_velocity: [w, 0.2, 1], shapes: [{type: capsule, radius: r, length: l, axis: [1, 0.1, 0], friction: mu,"
     " rolling_friction: f, spinning_friction: s, compliance: c}]}\n",
     {"mu", "r", "l", "m", "g", "v", "w", "f", "s", "c"},
     {0.3, 0.1, 0.5, 2, 9.81, 1.5, 3, 0.01, 0.005, 1.0e-5},
     30,
     2e-3,
     1e-3},
    {"egg whose hops become too slow to be resolved",
     "parameters: {mu: 0.4, e: 0.3, z: 0, a: 0.1, b: 0.13, c: 0.16, m: 1.3, g: 9.81, v: 0.5, i: 0.1}\n"
     "gravity: [0, 0, -g]\ncontact: {}\nbodies:\n"
     "  - {name: ground, fixed: true, position: [0, 0, z], orientation: {axis: [1, 0.4, 0], angle: i},"
     " shapes: [{type: plane, friction: mu, restitution: e}]}\n"
     "  - {name: egg, mass: m, inertia: [0.006, 0.005, 0.007], position: [0, 0, 0.2], orientation: {axis: [1, 2, 3], angle: 0.8},"
     " velocity: [v, 0.1, 0], angular_velocity: [1, 2, 0], shapes: [{type: ellipsoid, radii: [a, b, c]}]}\n",
     {"mu", "e", "i", "a", "b", "c", "m", "g", "v"},
     {0.4, 0.3, 0.1, 0.1, 0.13, 0.16, 1.3, 9.81, 0.5},
     110,
     2e-3,
     1e-5},
    {"coin that hops ever lower",
     "parameters: {mu: 0.5, e: 0.3, m: 1.3, g: 9.81, r: 0.1, l: 0.04, w: 8}\n"
     "gravity: [0, 0, -g]\ncontact: {}\nbodies:\n"
     "  - {name: ground, fixed: true, shapes: [{type: plane, friction: mu, restitution: e}]}\n"
     "  - {name: coin, mass: m, inertia: [0.004, 0.004, 0.007], position: [0, 0, 0.13], orientation: {axis: [0, 1, 0.1], angle: 0.8},"
     " velocity: [0.1, 0.2, 0], angular_velocity: [0.3, 0.5, w], shapes: [{type: cylinder, radius: r, length: l, friction: 0.9}]}\n",
     {"mu", "e", "m", "g", "l", "w"},
     {0.5, 0.3, 1.3, 9.81, 0.04, 8},
     210,
     1e-3,
     1e-6},
    {"drum whose cap is nearly flat on the ground",
     "parameters: {mu: 0.5, m: 1.3, g: 9.81, r: 0.1, l: 0.2, i: 2.0e-4, w: 0.3}\n"
     "gravity: [0, 0, -g]\ncontact: {}\nbodies:\n"
     "  - {name: ground, fixed: true, shapes: [{type: plane, friction: mu}]}\n"
     "  - {name: drum, mass: m, inertia: [0.006, 0.006, 0.007], position: [0, 0, l/2 + r*i],"
     " orientation: {axis: [1, 0.3, 0], angle: i}, velocity: [0.4, 0.2, -0.1], angular_velocity: [w, 0.1, 1],"
     " shapes: [{type: cylinder, radius: r, length: l, friction: 0.9}]}\n",
     {"mu", "m", "g", "r", "l", "i", "w"},
     {0.5, 1.3, 9.81, 0.1, 0.2, 2e-4, 0.3},
     4,
     1e-3,
     1e-4},
    {"stiff dampers, for which steps are made in parts",
     "parameters: {mu: 0.5, e: 0.3, m: 1.3, g: 9.81, k: 400, d: 3, r: 0.1}\n"
     "gravity: [0, 0, -g]\ncontact: {}\nbodies:\n"
     "  - {name: ground, fixed: true, shapes: [{type: plane, friction: mu, restitution: e}]}\n"
     "  - {name: a, mass: m, inertia: [0.01, 0.02, 0.01], position: [0, 0, 0.5], velocity: [0.3, 0, 0],"
     " angular_velocity: [1, 0.5, 0.2], shapes: [{type: sphere, radius: r, friction: 0.9}]}\n"
     "  - {name: b, mass: 0.3, inertia: [0.001, 0.002, 0.001], position: [0.2, 0, 0.5], velocity: [0.3, 0, 0]}\n"
     "forces: [{type: bushing, bodies: [a, b], anchor: [0.1, 0, 0.5], stiffness: [k, k, k, 5, 5, 5],"
     " damping: [d, d, d, 0.05, 0.05, 0.05]}]\n",
     {"e", "m", "g", "k", "d", "r"},
     {0.3, 1.3, 9.81, 400, 3, 0.1},
     320,
     1e-3,
     1e-5},
    {"pendulum that hits the ground and slides",
     "parameters: {mu: 0.3, e: 0, z: -0.7, r: 0.1, l: 0.8, m: 2, g: 9.81, w: 1}\n"
     "gravity: [0, 0, -g]\ncontact: {}\nbodies:\n" GROUND
     "  - {name: arm, mass: 1.5, inertia: [0.03, 0.08, 0.07], position: [l/2, 0, 0], angular_velocity: [0, w, 0],"
     " velocity: [0, 0, -w*l/2]}\n"
     "  - {name: bob, mass: m, inertia: [0.01, 0.012, 0.011], position: [l, 0, -0.3], angular_velocity: [0, w, 0],"
     " velocity: [-0.3*w, 0, -l*w], shapes: [{type: sphere, radius: r}]}\n"
     "joints:\n"
     "  - {name: O, type: revolute, bodies: [world, arm], anchor: [0, 0, 0], axis: [0, 1, 0]}\n"
     "  - {name: A, type: ball, bodies: [arm, bob], anchor: [l, 0, 0]}\n",
     {"mu", "z", "r", "l", "m", "g", "w"},
     {0.3, -0.7, 0.1, 0.8, 2, 9.81, 1},
     150,
     2e-3,
     1e-4},
    {"drive, spring, limit and dry friction; a box pushed by an arm",
     "parameters: {mu: 0.3, e: 0, z: 0, r: 0.1, l: 0.8, m: 2, g: 9.81, k: 40, d: 3, f: 0.3, u: 1.2, s: 0.3}\n"
     "gravity: [0, 0, -g]\ncontact: {}\nbodies:\n" GROUND
     "  - {name: arm, mass: 1.5, inertia: [0.03, 0.08, 0.07], position: [l/2, 0, 0.3],"
     " shapes: [{type: capsule, radius: 0.05, length: l, axis: [1, 0, 0]}]}\n"
     "  - {name: hand, mass: 0.5, inertia: [0.01, 0.012, 0.011], position: [l + 0.2, 0, 0.3]}\n"
     "  - {name: ball, mass: m, inertia: [0.01, 0.012, 0.011], position: [l/2, 0.17, r], shapes: [{type: sphere, radius: r}]}\n"
     "joints:\n"
     "  - {name: O, type: revolute, bodies: [world, arm], anchor: [0, 0, 0.3], axis: [0, 0, 1], damping: 0.1,"
     " motor: {position: u*sin(5*t), kp: k, kd: d}}\n"
     "  - {name: A, type: revolute, bodies: [arm, hand], anchor: [l, 0, 0.3], axis: [0, 1, 0], friction: f, limits: [-1, s]}\n"
     "forces: [{type: spring, bodies: [world, hand], point_a: [1, 0, 1], point_b: [0, 0, 0], stiffness: k, damping: 0.5}]\n",
     {"mu", "r", "l", "m", "g", "k", "d", "f", "u", "s"},
     {0.3, 0.1, 0.8, 2, 9.81, 40, 3, 0.3, 1.2, 0.3},
     100,
     2e-3,
     1e-5},
    {"a ball that is heavy on one side, on a cord and in a fluid",
     "parameters: {mu: 0.3, e: 0, z: 0, r: 0.1, k: 30, l: 0.2, c: 0.02, m: 2, q: 0.4}\n"
     "gravity: [0, 0, -9.81]\ncontact: {}\nbodies:\n" GROUND
     "  - {name: ball, mass: m, inertia: [0.01, 0.012, 0.011], com: [c, 0, 0.01], position: [0, 0, r],"
     " velocity: [0.5, 0.2, 0], shapes: [{type: sphere, radius: r}]}\n"
     "sites: [{name: s0, body: world, position: [0.5, 0.3, 0.2]}, {name: s1, body: ball, position: [0, 0, r]}]\n"
     "tendons: [{name: t, path: [s0, s1], stiffness: k, damping: 1, length: l}]\n"
     "forces: [{type: drag, bodies: [world, ball], anchor: [0, 0, r], linear: q}]\n",
     {"mu", "r", "k", "l", "c", "m", "q"},
     {0.3, 0.1, 30, 0.2, 0.02, 2, 0.4},
     60,
     2e-3,
     1e-5},
};
enum { HEAVY_SIDE = sizeof scenes / sizeof *scenes - 1, SCENES = sizeof scenes / sizeof *scenes };

static ph_model *model_at(const scene *of, int parameter, double value)
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

// ---- A function of the end --------------------------------------------------------------------------------------------

static double cost_of(const ph_state *s)
{
    double sum = 0.0;
    for (int b = 0; b < s->model->body_count; b++) {
        sum += ph_norm2(s->position[b]) + 0.1 * ph_dot(ph_vec(1, 2, 3), s->angular_velocity[b]);
        sum += ph_quat_to_mat(s->orientation[b]).m[0][0] + ph_dot(ph_vec(0.3, 0.1, -0.2), s->velocity[b]);
    }
    return sum;
}

static void source(long long n, const ph_state *s, ph_cotangent *to, double *inputs, void *user)
{
    (void)inputs;
    if (n != ((const scene *)user)->steps) return;
    for (int b = 0; b < s->model->body_count; b++) {
        to[b].position = ph_scale(2.0, s->position[b]);
        to[b].angular_velocity = ph_scale(0.1, ph_vec(1, 2, 3));
        to[b].rotation = ph_cross(ph_vec(1, 0, 0), ph_mat_row(ph_quat_to_mat(s->orientation[b]), 0));
        to[b].velocity = ph_vec(0.3, 0.1, -0.2);
    }
}

static void height_at_end(long long n, const ph_state *s, ph_cotangent *to, double *inputs, void *user)
{
    (void)inputs, (void)s;
    if (n == ((const scene *)user)->steps) to[1].position.z = 1.0;
}

// The schemes, as they are differentiated and as they run.
static const char *const schemes[][2] = {{"moreau", "moreau:exact=1"}, {"rattlie-ns", "rattlie-ns"}};
static int scheme; // the one at hand

static double run(const ph_model *model, const scene *of)
{
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    def.scheme = schemes[scheme][1];
    ph_state *state = ph_state_create(model);
    if (!CHECK(ph_sim_create(model, &def, &sim, NULL) == PH_OK)) return NAN;
    for (int n = 0; n < of->steps; n++) CHECK(ph_sim_step(sim, state, of->h, NULL) == PH_OK);
    const double cost = cost_of(state);
    ph_sim_destroy(sim);
    ph_state_destroy(state);
    return cost;
}

// Central differences at s, s/2, s/4, two powers of s taken away.
static double difference(const scene *of, int parameter)
{
    double D[3];
    for (int k = 0; k < 3; k++) {
        const double s = of->reach * of->values[parameter] / (1 << k);
        ph_model *plus = model_at(of, parameter, of->values[parameter] + s);
        ph_model *minus = model_at(of, parameter, of->values[parameter] - s);
        D[k] = (run(plus, of) - run(minus, of)) / (2.0 * s);
        ph_model_destroy(plus);
        ph_model_destroy(minus);
    }
    double four = 4.0;
    for (int i = 1; i < 3; i++, four *= 4.0)
        for (int k = 2; k >= i; k--) D[k] += (D[k] - D[k - 1]) / (four - 1.0);
    return D[2];
}

static void check_scene(const scene *of)
{
    double gradient[PARAMETERS];
    int count = 0;
    while (count < PARAMETERS && of->parameters[count]) count++;
    ph_model *model = model_at(of, -1, 0.0);
    if (!model) SKIP("no YAML");
    ph_adjoint *a = adjoint_of(model, schemes[scheme][0], 0);
    ph_state *state = ph_state_create(model);
    ph_parameters *p = NULL;
    ph_parameter list[PARAMETERS];
    for (int k = 0; k < count; k++) list[k] = (ph_parameter){of->parameters[k], of->values[k], false};
    CHECK(ph_parameters_create(model, count, list, make, (void *)of, &p, NULL) == PH_OK);
    CHECK(ph_adjoint_forward(a, state, of->h, of->steps, NULL, NULL, NULL, NULL) == PH_OK);
    CHECK(ph_adjoint_reverse(a, source, (void *)of, NULL) == PH_OK);
    ph_adjoint_parameters(a, p, gradient);
    // Under rattlie-ns dry friction holds one joint just where its limit has stopped it.
    if (scheme == 0) CHECK_EQ_INT(ph_adjoint_get_report(a).kinks, 0);
    CHECK_EQ_INT(ph_adjoint_get_report(a).held, 0);
    for (int k = 0; k < count; k++) {
        const double other = difference(of, k);
        CHECK(!ph_parameters_problem(p, k));
        if (!CHECK_NEAR(gradient[k], other, 1e-6 * fabs(other) + 2e-8 / fabs(of->values[k])))
            printf("  %s: %s, parameter %s\n", schemes[scheme][0], of->name, of->parameters[k]);
    }
    ph_parameters_destroy(p);
    ph_state_destroy(state);
    ph_adjoint_destroy(a);
    ph_model_destroy(model);
}

// Pieces of a long run are made again: the same bits.
static void check_memory(const scene *of)
{
    ph_model *model = model_at(of, -1, 0.0);
    if (!model) SKIP("no YAML");
    ph_cotangent found[2] = {0};
    for (int k = 0; k < 2; k++) {
        ph_adjoint *a = adjoint_of(model, schemes[scheme][0], k ? 6000 : 0);
        ph_state *state = ph_state_create(model);
        CHECK(ph_adjoint_forward(a, state, of->h, of->steps, NULL, NULL, NULL, NULL) == PH_OK);
        CHECK(ph_adjoint_reverse(a, source, (void *)of, NULL) == PH_OK);
        const long long repeated = ph_adjoint_get_report(a).repeated;
        CHECK((repeated > 0) == (k == 1) && repeated <= 2 * of->steps); // few pieces: each is made again once or twice
        found[k] = ph_adjoint_start(a)[1];
        ph_state_destroy(state);
        ph_adjoint_destroy(a);
    }
    CHECK(memcmp(&found[0], &found[1], sizeof found[0]) == 0);
    CHECK(ph_norm(found[0].velocity) > 0.0);
    ph_model_destroy(model);
}

TEST(same_bits_whatever_the_memory)
{
    for (scheme = 0; scheme < 2; scheme++) check_memory(&scenes[4]);
    scheme = 0;
}

// dz/dz0 of a ball that bounces once is that of the parabolas, under rattlie-ns also on a slide. There a step of moreau does not resolve the
// impact: the derivative is that of the discrete motion, and the report says so.
TEST(impacts)
{
    static const char text[] =
        "polhode: 1\ngravity: [0, 0, -9.81]\ncontact: {}\nbodies:\n"
        "  - {name: ground, fixed: true, shapes: [{type: plane, restitution: 0.8}]}\n"
        "  - {name: ball, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 1], shapes: [{type: sphere, radius: 0.1}]}\n";
    static const char slide[] =
        "joints: [{name: S, type: prismatic, bodies: [world, ball], anchor: [0, 0, 0], axis: [0, 0, 1]}]\n";
    const double g = 9.81, t = 0.6, e = 0.8, H = 0.9, t1 = sqrt(2 * H / g), v1 = sqrt(2 * g * H);
    const double dt1 = t1 / (2 * H), dv1 = v1 / (2 * H); // by H; z = 0.1 + e v1 (t - t1) - g (t - t1)^2/2
    const double right = e * dv1 * (t - t1) - (e * v1 - g * (t - t1)) * dt1;
    for (int k = 0; k < 4; k++) {
        const bool unresolved = k == 1;
        char whole[1024];
        const scene of = {.steps = 150};
        snprintf(whole, sizeof whole, "%s%s", text, k % 2 ? slide : "");
        ph_model *model = read_model(whole);
        if (!model) SKIP("no YAML");
        ph_adjoint *a = adjoint_of(model, schemes[k / 2][0], 0);
        ph_state *state = ph_state_create(model);
        CHECK(ph_adjoint_forward(a, state, 4e-3, of.steps, NULL, NULL, NULL, NULL) == PH_OK);
        CHECK(ph_adjoint_reverse(a, height_at_end, (void *)&of, NULL) == PH_OK);
        const double dz = ph_adjoint_start(a)[1].position.z;
        CHECK_NEAR(dz, unresolved ? 1.0 : right, 1e-9); // 1 is not right
        CHECK((ph_adjoint_get_report(a).impacts > 0) == unresolved);
        ph_state_destroy(state);
        ph_adjoint_destroy(a);
        ph_model_destroy(model);
    }
}

// A ball with a way along the ground: without restitution the moment at which friction takes hold is that of a step; with it and on a slope,
// what gravity does along the slope is. The report says so; on level ground it has nothing to say.
TEST(impacts_that_steps_do_not_resolve_are_counted)
{
    static const char text[] =
        "polhode: 1\nparameters: {e: 0, slope: 0}\ngravity: [slope, 0, -9.81]\ncontact: {}\nbodies:\n"
        "  - {name: ground, fixed: true, shapes: [{type: plane, friction: 0.9, restitution: e}]}\n"
        "  - {name: ball, mass: 2, inertia: [0.008, 0.008, 0.008], position: [0, 0, 0.3], velocity: [1, 0, 0],"
        " shapes: [{type: sphere, radius: 0.1, friction: 0.9}]}\n";
    static const ph_setting with[3][2] = {
        {{"e", "0"}, {"slope", "0"}}, {{"e", "0.7"}, {"slope", "0"}}, {{"e", "0.7"}, {"slope", "3"}}};
    const scene of = {.steps = 120};
    for (int k = 0; k < 3; k++) {
        ph_model *model = read_model_with(text, with[k], 2);
        if (!model) SKIP("no YAML");
        ph_adjoint *a = adjoint_of(model, "moreau", 0);
        ph_state *state = ph_state_create(model);
        CHECK(ph_adjoint_forward(a, state, 2e-3, of.steps, NULL, NULL, NULL, NULL) == PH_OK);
        CHECK(ph_adjoint_reverse(a, height_at_end, (void *)&of, NULL) == PH_OK);
        CHECK((ph_adjoint_get_report(a).impacts > 0) == (k != 1));
        ph_state_destroy(state);
        ph_adjoint_destroy(a);
        ph_model_destroy(model);
    }
}

// A ball that turns flies to a wall without gravity and friction and comes there just at the end of a step: what is left of that step
// is some 1e-16 s. With x = s - e v (t - s/v), s the way to the wall, dx/ds = 1 + e and dx/dv = -e t; its turn knows nothing of the wall.
static void way_and_turn(long long n, const ph_state *s, ph_cotangent *to, double *inputs, void *user)
{
    (void)inputs, (void)s;
    if (n != ((const scene *)user)->steps) return;
    to[1].position.x = 1.0;
    to[1].angular_velocity = ph_vec(3, 1, 2);
}

TEST(impact_at_the_end_of_a_step)
{
    const scene of = {.text =
                          "parameters: {x: 0.6, v: 3}\ngravity: [0, 0, 0]\ncontact: {}\nbodies:\n"
                          "  - {name: wall, fixed: true, position: [x, 0, 0],"
                          " shapes: [{type: plane, normal: [-1, 0, 0], friction: 0, restitution: 0.5}]}\n"
                          "  - {name: ball, mass: 1.3, inertia: [0.006, 0.004, 0.007], position: [-0.1, 0, 0],"
                          " velocity: [v, 0, 0], angular_velocity: [1, 2, 3], shapes: [{type: sphere, radius: 0.1}]}\n",
                      .parameters = {"x", "v"},
                      .values = {0.6, 3},
                      .steps = 150};
    const ph_parameter list[2] = {{"x", 0.6, false}, {"v", 3, false}};
    for (int k = 0; k < 2; k++) {
        double gradient[2];
        ph_parameters *p = NULL;
        ph_model *model = model_at(&of, -1, 0.0);
        if (!model) SKIP("no YAML");
        ph_adjoint *a = adjoint_of(model, schemes[k][0], 0);
        ph_state *state = ph_state_create(model);
        CHECK(ph_parameters_create(model, 2, list, make, (void *)&of, &p, NULL) == PH_OK);
        CHECK(ph_adjoint_forward(a, state, 2e-3, of.steps, NULL, NULL, NULL, NULL) == PH_OK);
        CHECK(ph_adjoint_reverse(a, way_and_turn, (void *)&of, NULL) == PH_OK);
        ph_adjoint_parameters(a, p, gradient);
        CHECK_NEAR(gradient[0], 1.5, 1e-4);
        CHECK_NEAR(gradient[1], -0.5 * 0.3, 1e-4);
        ph_parameters_destroy(p);
        ph_state_destroy(state);
        ph_adjoint_destroy(a);
        ph_model_destroy(model);
    }
}

// The friction of both surfaces is the same: half of it is each one's, the mean of both sides where one is changed alone.
TEST(surfaces_alike)
{
    const scene of = {.text = "parameters: {one: 0.3, other: 0.3}\ngravity: [0, 0, -9.81]\ncontact: {}\nbodies:\n"
                              "  - {name: ground, fixed: true, shapes: [{type: plane, friction: one}]}\n"
                              "  - {name: ball, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, 0.1],"
                              " velocity: [3, 0, 0], shapes: [{type: sphere, radius: 0.1, friction: other}]}\n",
                      .parameters = {"one", "other"},
                      .values = {0.3, 0.3},
                      .steps = 50,
                      .h = 2e-3};
    const ph_parameter list[2] = {{"one", 0.3, false}, {"other", 0.3, false}};
    double gradient[2];
    ph_parameters *p = NULL;
    ph_model *model = model_at(&of, -1, 0.0), *more = model_at(&of, 0, 0.3 + 1e-3),
             *less = model_at(&of, 0, 0.3 - 1e-3);
    if (!model) SKIP("no YAML");
    ph_adjoint *a = adjoint_of(model, "moreau", 0);
    ph_state *state = ph_state_create(model);
    CHECK(ph_parameters_create(model, 2, list, make, (void *)&of, &p, NULL) == PH_OK);
    CHECK(ph_adjoint_forward(a, state, of.h, of.steps, NULL, NULL, NULL, NULL) == PH_OK);
    CHECK(ph_adjoint_reverse(a, source, (void *)&of, NULL) == PH_OK);
    ph_adjoint_parameters(a, p, gradient);
    CHECK_REL(gradient[0], gradient[1], 1e-12);
    CHECK_REL(gradient[0], (run(more, &of) - run(less, &of)) / 2e-3, 1e-2); // of either side: of first order
    CHECK(gradient[0] != 0.0);
    ph_parameters_destroy(p);
    ph_state_destroy(state);
    ph_adjoint_destroy(a);
    ph_model_destroy(more);
    ph_model_destroy(less);
    ph_model_destroy(model);
}

// The centre of mass by its name: the shapes of the body stay where they are in it.
TEST(centre_of_mass_of_a_body_with_shapes)
{
    const scene *of = &scenes[HEAVY_SIDE];
    const ph_parameter list[2] = {{"ball.com.x", 0.0, true}, {"c", 0.02, false}};
    scene one = *of;
    double gradient[2];
    one.parameters[1] = "c";
    ph_model *model = model_at(of, -1, 0.0);
    if (!model) SKIP("no YAML");
    ph_adjoint *a = adjoint_of(model, "moreau", 0);
    ph_state *state = ph_state_create(model);
    ph_parameters *p = NULL;
    CHECK(ph_parameters_create(model, 2, list, make, &one, &p, NULL) == PH_OK);
    CHECK(ph_adjoint_forward(a, state, of->h, of->steps, NULL, NULL, NULL, NULL) == PH_OK);
    CHECK(ph_adjoint_reverse(a, source, (void *)of, NULL) == PH_OK);
    ph_adjoint_parameters(a, p, gradient);
    CHECK_REL(gradient[0], gradient[1], 1e-10);
    ph_parameters_destroy(p);
    ph_state_destroy(state);
    ph_adjoint_destroy(a);
    ph_model_destroy(model);
}

// Four corners that slide and turn share the weight of a box in many ways, each with another friction: rattlie-ns, whose contacts are
// rigid, takes one of them, and the report counts such steps.
static bool shares_weight(const scene *of)
{
    return strstr(of->name, "box that slides") || strstr(of->name, "ball on a box");
}

TEST(weight_that_is_shared_in_many_ways)
{
    scheme = 1;
    for (int k = 0; k < SCENES; k++) {
        ph_model *model = shares_weight(&scenes[k]) ? model_at(&scenes[k], -1, 0.0) : NULL;
        if (!model) continue;
        ph_adjoint *a = adjoint_of(model, schemes[scheme][0], 0);
        ph_state *state = ph_state_create(model);
        CHECK(ph_adjoint_forward(a, state, scenes[k].h, scenes[k].steps, NULL, NULL, NULL, NULL) == PH_OK);
        CHECK(ph_adjoint_reverse(a, source, (void *)&scenes[k], NULL) == PH_OK);
        CHECK(ph_adjoint_get_report(a).fixed > 0);
        ph_state_destroy(state);
        ph_adjoint_destroy(a);
        ph_model_destroy(model);
    }
    scheme = 0;
}

// rattlie-ns refuses compliance; dampers that act at the start of a step of moreau must not be stiff.
static bool runs(const scene *of)
{
    if (scheme == 0) return !strstr(of->name, "stiff dampers");
    return !(shares_weight(of) || strstr(of->text, "compliance"));
}

TEST(by_parameters_of_scenes)
{
    for (scheme = 0; scheme < 2; scheme++)
        for (int k = 0; k < SCENES; k++)
            if (runs(&scenes[k])) check_scene(&scenes[k]);
    scheme = 0;
}
