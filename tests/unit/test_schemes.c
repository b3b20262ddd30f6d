// Everything that a scheme claims in its entry of the registry, measured on several models. A new scheme is found here by
// itself. What a scheme does not claim is not asked of it; that the measurements can tell is shown by `rk4`, which claims
// nothing.

#include "rig.h"

#include "math/quat.h"
#include "math/so3.h"
#include "math/vec3.h"
#include "model/state.h"
#include "scenes.h"
#include "schemes/scheme.h"

// ---- Models ---------------------------------------------------------------------------------------------------------

static ph_model *make_chain(void)
{
    ph_spec *spec = scene_start();
    ph_spec_set_gravity(spec, (ph_vec3){2.0, 1.0, -9.81});
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        const int b = scene_body(spec, name, (ph_vec3){0.3 * i, i + 0.5, 0.0});
        snprintf(name, sizeof name, "j%d", i);
        scene_ball(spec, name, b - 1, b, (ph_vec3){0.3 * i, i, 0.0}); // the first to body -1, the world
    }
    return scene_finish(spec);
}

// More rows than it needs; no bars of equal lengths, which could fold flat.
static ph_model *make_ring(void)
{
    ph_spec *spec = scene_start();
    const ph_vec3 x = {1.0, 0.0, 0.0};
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 3.0, -9.0});
    const int left = scene_body(spec, "left", (ph_vec3){0.0, 0.0, 0.5});
    const int top = scene_body(spec, "top", (ph_vec3){0.0, 0.5, 1.0});
    const int right = scene_body(spec, "right", (ph_vec3){0.0, 1.3, 0.5});
    scene_axial(spec, "A", "revolute", PH_WORLD, left, (ph_vec3){0.0, 0.0, 0.0}, x);
    scene_axial(spec, "B", "revolute", left, top, (ph_vec3){0.0, 0.0, 1.0}, x);
    scene_axial(spec, "C", "revolute", top, right, (ph_vec3){0.0, 1.2, 1.1}, x);
    scene_axial(spec, "D", "revolute", PH_WORLD, right, (ph_vec3){0.0, 1.5, 0.0}, x);
    return scene_finish(spec);
}

static ph_model *make_top(void)
{
    ph_spec *spec = scene_start();
    ph_body_def top = ph_default_body();
    top.name = "top";
    top.mass = 15.0;
    top.inertia = (ph_mat3){{{0.234375, 0.0, 0.0}, {0.0, 0.46875, 0.0}, {0.0, 0.0, 0.234375}}};
    top.position = (ph_vec3){0.0, 1.0, 0.0};
    top.angular_velocity = (ph_vec3){0.0, 15.0, -1.5};
    top.velocity = (ph_vec3){1.5, 0.0, 0.0};
    ph_spec_add_body(spec, &top);
    scene_ball(spec, "tip", PH_WORLD, 0, (ph_vec3){0.0, 0.0, 0.0});
    return scene_finish(spec);
}

static ph_body_def tumbling(void)
{
    ph_body_def body = ph_default_body();
    body.name = "body";
    body.mass = 2.0;
    body.inertia = (ph_mat3){{{1.0, 0.1, 0.0}, {0.1, 2.0, 0.05}, {0.0, 0.05, 2.5}}};
    body.velocity = (ph_vec3){1.0, -0.5, 0.3};
    body.angular_velocity = (ph_vec3){0.7, 3.0, 0.2};
    return body;
}

static ph_model *make_free(void)
{
    ph_spec *spec = scene_start();
    const ph_body_def body = tumbling();
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, 0.0});
    ph_spec_add_body(spec, &body);
    return scene_finish(spec);
}

// A body on a spring that does not pull at its centre of mass.
static ph_model *make_sprung(void)
{
    ph_spec *spec = scene_start();
    const ph_body_def body = tumbling();
    ph_spec_add_body(spec, &body);
    ph_force_def spring = ph_default_force();
    spring.type = "spring";
    spring.body_a = PH_WORLD;
    spring.body_b = 0;
    spring.point_a = (ph_vec3){1.0, 2.0, 1.0};
    spring.point_b = (ph_vec3){0.4, 0.1, -0.2};
    spring.stiffness = 60.0;
    spring.has_length = true;
    spring.length = 0.5;
    ph_spec_add_force(spec, &spring);
    return scene_finish(spec);
}

// Two pendulums that a spring couples: a force between two moving bodies that joints hold.
static ph_model *make_coupled(void)
{
    ph_spec *spec = scene_start();
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 2.0, -9.0});
    const int left = scene_body(spec, "left", (ph_vec3){0.0, 0.5, 0.0});
    const int right = scene_body(spec, "right", (ph_vec3){0.8, 0.5, 0.2});
    scene_ball(spec, "A", PH_WORLD, left, (ph_vec3){0.0, 0.0, 0.0});
    scene_axial(spec, "B", "revolute", PH_WORLD, right, (ph_vec3){0.8, 0.0, 0.2}, (ph_vec3){1.0, 0.0, 0.3});
    ph_force_def spring = ph_default_force();
    spring.type = "spring";
    spring.body_a = left;
    spring.body_b = right;
    spring.point_a = (ph_vec3){0.0, 0.2, 0.1};
    spring.point_b = (ph_vec3){0.05, 0.4, 0.0};
    spring.stiffness = 150.0;
    spring.has_length = true;
    spring.length = 0.4;
    ph_spec_add_force(spec, &spring);
    return scene_finish(spec);
}

typedef ph_model *(*maker)(void);
static const struct {
    const char *name;
    maker make;
} models[] = {{"chain", make_chain}, {"ring", make_ring},     {"top", make_top},
              {"free", make_free},   {"sprung", make_sprung}, {"coupled", make_coupled}};
enum { MODELS = sizeof models / sizeof *models };

// A rig, or one without a sim where the scheme does not take the model.
static rig open_rig(maker make, const char *scheme)
{
    rig r = {.model = make()};
    ph_sim_def def = ph_default_sim();
    def.scheme = scheme;
    r.state = ph_state_create(r.model);
    ph_observer_create(r.model, &r.observer);
    ph_sim_create(r.model, &def, &r.sim, NULL);
    return r;
}

// Calls `check` for every scheme that claims `trait` and every model that it takes; each scheme must take one at least.
static int for_each(uint32_t trait, void (*check)(rig *r, const char *scheme, const char *model))
{
    int schemes_met = 0;
    for (int i = 0; i < ph_scheme_count(); i++) {
        const ph_scheme_info info = ph_scheme_get(i);
        int taken = 0;
        for (int k = 0; k < MODELS && info.traits & trait; k++) {
            rig r = open_rig(models[k].make, info.name);
            if (r.sim) {
                check(&r, info.name, models[k].name);
                taken++;
            }
            rig_close(&r);
        }
        CHECK(taken > 0 || !(info.traits & trait));
        schemes_met += taken > 0;
    }
    return schemes_met;
}

static void blame(bool passed, const char *scheme, const char *model)
{
    if (!passed) {
        printf("  %s, %s\n", scheme, model);
    }
}

// ---- Constraints and momentum ---------------------------------------------------------------------------------------

enum { LONG = 1500 };
static const double STEP = 4e-3;

// Largest violations of position and velocity in a long run.
static ph_measures worst_of(rig *r)
{
    ph_measures worst = {0};
    for (int k = 0; k < LONG; k++) {
        CHECK_EQ_INT(ph_sim_step(r->sim, r->state, STEP, NULL), PH_OK);
        const ph_measures now = rig_measure(r);
        worst.position_violation = fmax(worst.position_violation, now.position_violation);
        worst.velocity_violation = fmax(worst.velocity_violation, now.velocity_violation);
    }
    return worst;
}

static void check_position(rig *r, const char *scheme, const char *model)
{
    blame(CHECK_NEAR(worst_of(r).position_violation, 0.0, 2e-12), scheme, model);
}

TEST(positions_stay_on_the_constraints)
{
    CHECK(for_each(PH_KEEPS_POSITION_CONSTRAINT, check_position) >= 10);
    rig r = open_rig(make_chain, "rk4");
    CHECK(worst_of(&r).position_violation > 1e-9);
    rig_close(&r);
}

static void check_velocity(rig *r, const char *scheme, const char *model)
{
    blame(CHECK_NEAR(worst_of(r).velocity_violation, 0.0, 2e-11), scheme, model);
}

TEST(velocities_stay_on_the_constraints)
{
    CHECK(for_each(PH_KEEPS_VELOCITY_CONSTRAINT, check_velocity) >= 8);
    rig r = open_rig(make_chain, "lie-alpha");
    CHECK(worst_of(&r).velocity_violation > 1e-9);
    rig_close(&r);
}

// Largest change of the momentum that the model's symmetry conserves.
static double momentum_error(rig *r)
{
    const ph_symmetry s = ph_model_symmetry(r->model);
    const ph_measures start = rig_measure(r);
    double worst = 0.0;
    for (int k = 0; k < LONG; k++) {
        CHECK_EQ_INT(ph_sim_step(r->sim, r->state, STEP, NULL), PH_OK);
        const ph_measures now = rig_measure(r);
        const ph_vec3 P = ph_sub(now.linear, start.linear), L = ph_sub(now.angular, start.angular);
        const ph_vec3 about = ph_sub(L, ph_cross(s.point, P));
        worst = fmax(worst, s.linear[0] ? fabs(P.x) : 0.0);
        worst = fmax(worst, s.linear[1] ? fabs(P.y) : 0.0);
        worst = fmax(worst, s.linear[2] ? fabs(P.z) : 0.0);
        worst = fmax(worst, s.angular_all ? ph_norm(about) : s.angular ? fabs(ph_dot(s.axis, about)) : 0.0);
    }
    return worst;
}

static void check_momentum(rig *r, const char *scheme, const char *model)
{
    blame(CHECK_NEAR(momentum_error(r), 0.0, 5e-11), scheme, model);
}

TEST(momentum_is_kept)
{
    CHECK(for_each(PH_KEEPS_MOMENTUM, check_momentum) >= 7);
    rig r = open_rig(make_top, "lie-alpha");
    CHECK(momentum_error(&r) > 1e-8);
    rig_close(&r);
}

// ---- Time reversal --------------------------------------------------------------------------------------------------

static double distance(const ph_state *a, const ph_state *b)
{
    double worst = 0.0;
    for (int i = 0; i < a->model->body_count; i++) {
        worst = fmax(worst, ph_norm(ph_sub(a->position[i], b->position[i])));
        worst = fmax(worst, ph_norm(ph_sub(a->velocity[i], b->velocity[i])));
        worst = fmax(worst, ph_norm(ph_sub(a->angular_velocity[i], b->angular_velocity[i])));
    }
    return worst;
}

static double position_error(const ph_state *a, const ph_state *b)
{
    double worst = 0.0;
    for (int i = 0; i < a->model->body_count; i++) {
        worst = fmax(worst, ph_norm(ph_sub(a->position[i], b->position[i])));
    }
    return worst;
}

// There and back again: a reversible scheme comes back to where it was. Velocities that the constraints do not hold have a
// part that means nothing: of schemes without them positions are compared.
static double reversal_error(rig *r)
{
    ph_state *start = ph_state_create(r->model);
    for (int k = 0; k < 100; k++) {
        CHECK_EQ_INT(ph_sim_step(r->sim, r->state, STEP, NULL), PH_OK);
    }
    for (int k = 0; k < 100; k++) {
        CHECK_EQ_INT(ph_sim_step(r->sim, r->state, -STEP, NULL), PH_OK);
    }
    const bool has_velocities = sim_scheme(r->sim)->traits & PH_KEEPS_VELOCITY_CONSTRAINT || r->model->row_count == 0;
    const double error = has_velocities ? distance(start, r->state) : position_error(start, r->state);
    ph_state_destroy(start);
    return error;
}

static void check_reversal(rig *r, const char *scheme, const char *model)
{
    blame(CHECK_NEAR(reversal_error(r), 0.0, 1e-10), scheme, model);
}

TEST(reversible_schemes_come_back)
{
    CHECK(for_each(PH_TIME_REVERSIBLE, check_reversal) >= 7);
    rig r = open_rig(make_chain, "bliedf2");
    CHECK(reversal_error(&r) > 1e-6);
    rig_close(&r);
}

// ---- Symplectic -----------------------------------------------------------------------------------------------------

// Canonical coordinates of one body near orientation R0: q = (theta, x) with R = R0 exp(theta) and p = (T(theta)^T J Omega,
// m v), where Omega = T(theta) theta'. A step is symplectic when its derivative M in them satisfies M^T W M = W with
// W = [0 1; -1 0].
typedef struct canonical {
    double q[6], p[6];
} canonical;

static ph_mat3 tangent(ph_vec3 theta)
{
    return ph_dexp(theta);
}

static void to_state(const canonical *c, ph_quat R0, ph_state *state)
{
    const ph_model *model = state->model;
    const ph_vec3 theta = {c->q[0], c->q[1], c->q[2]}, p = {c->p[0], c->p[1], c->p[2]};
    const ph_mat3 inverse = ph_inverse(ph_transpose(tangent(theta)));
    state->orientation[0] = ph_quat_mul(R0, ph_quat_exp(theta));
    state->position[0] = (ph_vec3){c->q[3], c->q[4], c->q[5]};
    state->angular_velocity[0] = ph_mul(model->bodies[0].kind->J_inverse, ph_mul(inverse, p));
    state->velocity[0] = ph_scale(1.0 / model->bodies[0].kind->mass, (ph_vec3){c->p[3], c->p[4], c->p[5]});
    ph_state_touch(state);
}

static canonical from_state(const ph_state *state, ph_quat R0)
{
    const ph_vec3 theta = ph_quat_log(ph_quat_mul(ph_quat_conj(R0), state->orientation[0]));
    const ph_vec3 l = ph_mul(state->model->bodies[0].kind->J, state->angular_velocity[0]);
    const ph_vec3 p = ph_mul(ph_transpose(tangent(theta)), l), x = state->position[0];
    const ph_vec3 v = ph_scale(state->model->bodies[0].kind->mass, state->velocity[0]);
    return (canonical){{theta.x, theta.y, theta.z, x.x, x.y, x.z}, {p.x, p.y, p.z, v.x, v.y, v.z}};
}

// Largest entry of M^T W M - W after a few steps of h, by central differences; -1 where the scheme does not take the model.
static double symplectic_error(const char *scheme, double h)
{
    rig r = open_rig(make_sprung, scheme);
    const double d = 1e-5;
    double M[12][12], worst = 0.0;
    const ph_quat R0 = r.state->orientation[0];
    const canonical start = from_state(r.state, R0);
    for (int k = 0; k < 12 && r.sim; k++) {
        canonical ends[2];
        for (int side = 0; side < 2; side++) {
            canonical moved = start;
            (k < 6 ? moved.q : moved.p)[k % 6] += side ? d : -d;
            ph_state_reset(r.state);
            to_state(&moved, R0, r.state);
            rig_step(&r, h, 3);
            ends[side] = from_state(r.state, R0);
        }
        for (int i = 0; i < 6; i++) {
            M[i][k] = (ends[1].q[i] - ends[0].q[i]) / (2 * d);
            M[6 + i][k] = (ends[1].p[i] - ends[0].p[i]) / (2 * d);
        }
    }
    for (int a = 0; a < 12 && r.sim; a++) {
        for (int b = 0; b < 12; b++) {
            double sum = 0.0;
            for (int i = 0; i < 6; i++) {
                sum += M[i][a] * M[6 + i][b] - M[6 + i][a] * M[i][b];
            }
            worst = fmax(worst, fabs(sum - (b == a + 6 ? 1.0 : a == b + 6 ? -1.0 : 0.0)));
        }
    }
    const bool taken = r.sim;
    rig_close(&r);
    return taken ? worst : -1.0;
}

// Schemes without velocities on the constraints work with pairs of positions: their velocities are not their momenta.
TEST(symplectic_schemes_keep_the_symplectic_form)
{
    int met = 0;
    for (int i = 0; i < ph_scheme_count(); i++) {
        const ph_scheme_info info = ph_scheme_get(i);
        if (info.traits & PH_SYMPLECTIC && info.traits & PH_KEEPS_VELOCITY_CONSTRAINT) {
            const double error = symplectic_error(info.name, 0.05);
            blame(CHECK(error < 1e-8), info.name, "sprung");
            met += error >= 0.0;
        }
    }
    CHECK(met >= 6);
    CHECK(symplectic_error("lie-alpha", 0.05) > 1e-5); // the measurement can tell
}

// The energy error of a symplectic scheme swings and does not grow: the mean of its last quarter is that of its first.
static void check_energy(rig *r, const char *scheme, const char *model)
{
    enum { QUARTER = 2000 };
    const double start = rig_measure(r).total, h = 2e-3;
    double mean[4] = {0}, swing = 0.0, kinetic = 0.0;
    for (int q = 0; q < 4; q++) {
        for (int k = 0; k < QUARTER; k++) {
            CHECK_EQ_INT(ph_sim_step(r->sim, r->state, h, NULL), PH_OK);
            const ph_measures m = rig_measure(r);
            mean[q] += (m.total - start) / QUARTER;
            swing = fmax(swing, fabs(m.total - start));
            kinetic = fmax(kinetic, m.kinetic);
        }
    }
    blame(CHECK_NEAR(mean[3], mean[0], 0.35 * swing + 1e-11 * kinetic), scheme, model);
    blame(CHECK(swing < 2e-3 * kinetic), scheme, model);
}

TEST(energy_of_symplectic_schemes_does_not_drift)
{
    CHECK(for_each(PH_SYMPLECTIC, check_energy) >= 7);
}

// ---- Order ----------------------------------------------------------------------------------------------------------

static ph_state *run_to(const ph_model *model, const char *scheme, double until, int steps)
{
    ph_sim_def def = ph_default_sim();
    ph_sim *sim = NULL;
    def.scheme = scheme;
    ph_state *state = ph_state_create(model);
    if (ph_sim_create(model, &def, &sim, NULL) != PH_OK) {
        ph_state_destroy(state);
        return NULL;
    }
    for (int k = 0; k < steps; k++) {
        CHECK_EQ_INT(ph_sim_step(sim, state, until / steps, NULL), PH_OK);
    }
    ph_sim_destroy(sim);
    return state;
}

static void check_order(const ph_scheme_info *info, maker make, const char *name)
{
    ph_model *model = make();
    const double until = 0.32;
    int steps = info->order >= 6 ? 3 : info->order >= 4 ? 32 : 64;
    const bool many = strncmp(info->name, "multistep", 9) == 0; // first steps, and fast turns, are of another scheme
    if (many) steps = 48;
    ph_state *reference = run_to(model, "rattlie6", until, 320);
    ph_state *coarse = run_to(model, info->name, until, steps), *fine = run_to(model, info->name, until, 2 * steps);
    while (info->order >= 6 && fine && position_error(fine, reference) > 1e-10) { // not yet where the order shows
        ph_state_destroy(coarse);
        coarse = fine;
        steps *= 2;
        fine = run_to(model, info->name, until, 2 * steps);
    }
    if (coarse && fine && !(many && position_error(coarse, reference) < 1e-11)) { // else round-off
        const double order = log2(position_error(coarse, reference) / position_error(fine, reference));
        blame(CHECK(order > info->order - (info->order >= 8 ? 0.6 : 0.35)), info->name, name);
        if (order <= info->order - (info->order >= 8 ? 0.6 : 0.35)) {
            printf("  order %.2f, %d steps, errors %.3g %.3g\n", order, steps, position_error(coarse, reference),
                   position_error(fine, reference));
        }
    }
    ph_state_destroy(reference);
    ph_state_destroy(coarse);
    ph_state_destroy(fine);
    ph_model_destroy(model);
}

TEST(every_scheme_has_its_order)
{
    for (int i = 0; i < ph_scheme_count(); i++) {
        const ph_scheme_info info = ph_scheme_get(i);
        for (int k = 0; k < MODELS && info.order > 0 && !(info.traits & (PH_HAS_CONTACT | PH_OWN_STEPS)); k++) {
            if (models[k].make != make_free) { // some schemes are exact in part of it
                check_order(&info, models[k].make, models[k].name);
            }
        }
    }
}

// Schemes with tolerances: the error follows them.
static void check_tolerance(const char *scheme, maker make, const char *name)
{
    ph_model *model = make();
    ph_state *reference = run_to(model, "rattlie6", 0.32, 320);
    for (double rtol = 1e-4; rtol > 1e-11; rtol *= 1e-3) {
        char text[64];
        snprintf(text, sizeof text, "%s:rtol=%g", scheme, rtol);
        ph_state *one = run_to(model, text, 0.32, 1), *many = run_to(model, text, 0.32, 64);
        if (one && many) {
            blame(CHECK(position_error(one, reference) < 30.0 * rtol), text, name);
            blame(CHECK(position_error(many, reference) < 30.0 * rtol), text, name);
        }
        ph_state_destroy(one);
        ph_state_destroy(many);
    }
    ph_state_destroy(reference);
    ph_model_destroy(model);
}

TEST(errors_follow_the_tolerance)
{
    int met = 0;
    for (int i = 0; i < ph_scheme_count(); i++) {
        const ph_scheme_info info = ph_scheme_get(i);
        for (int k = 0; k < MODELS && info.traits & PH_OWN_STEPS; k++, met++) {
            check_tolerance(info.name, models[k].make, models[k].name);
        }
    }
    CHECK(met > 0);
    const ph_scheme_info fixed = {.name = "dop853:adaptive=0", .order = 8};
    check_order(&fixed, make_chain, "chain");
    check_order(&fixed, make_sprung, "sprung");
}

TEST(a_scheme_of_order_0_is_exact_for_every_step)
{
    for (int i = 0; i < ph_scheme_count(); i++) {
        const ph_scheme_info info = ph_scheme_get(i);
        for (int k = 0; k < MODELS && info.order == 0; k++) {
            ph_model *model = models[k].make();
            ph_state *one = run_to(model, info.name, 0.4, 1), *many = run_to(model, info.name, 0.4, 50);
            if (one && many) {
                CHECK_NEAR(distance(one, many), 0.0, 1e-11);
            }
            ph_state_destroy(one);
            ph_state_destroy(many);
            ph_model_destroy(model);
        }
    }
}

// ---- Damping --------------------------------------------------------------------------------------------------------

// A mass on a spring that the step cannot follow (omega h = 30): what is left of its energy after 300 steps.
static double energy_left(const char *scheme)
{
    ph_spec *spec = scene_start();
    ph_spec_set_gravity(spec, (ph_vec3){0.0, 0.0, 0.0});
    ph_body_def body = tumbling();
    body.velocity = body.angular_velocity = (ph_vec3){0.0, 0.0, 0.0};
    body.position = (ph_vec3){1.001, 0.0, 0.0};
    ph_spec_add_body(spec, &body);
    ph_force_def spring = ph_default_force();
    spring.type = "spring";
    spring.body_a = PH_WORLD;
    spring.body_b = 0;
    spring.stiffness = 1.8e7; // omega = 3000 / s
    spring.has_length = true;
    spring.length = 1.0;
    ph_spec_add_force(spec, &spring);
    rig r = {.model = scene_finish(spec)};
    ph_sim_def def = ph_default_sim();
    def.scheme = scheme;
    r.state = ph_state_create(r.model);
    ph_observer_create(r.model, &r.observer);
    CHECK_EQ_INT(ph_sim_create(r.model, &def, &r.sim, NULL), PH_OK);
    const double start = rig_measure(&r).total;
    rig_step(&r, 0.01, 300);
    const double left = rig_measure(&r).total / start;
    rig_close(&r);
    return left;
}

TEST(schemes_that_damp_damp_what_they_cannot_follow)
{
    int met = 0;
    for (int i = 0; i < ph_scheme_count(); i++) {
        const ph_scheme_info info = ph_scheme_get(i);
        if (info.traits & PH_NUMERICAL_DAMPING) {
            blame(CHECK(energy_left(info.name) < 1e-3), info.name, "stiff spring");
            met++;
        }
    }
    CHECK(met >= 3);
}

// ---- Contact --------------------------------------------------------------------------------------------------------

static ph_model *make_drop(void)
{
    ph_spec *spec = scene_start();
    const int floor = scene_fixed(spec, "floor", (ph_vec3){0.0, 0.0, 0.0});
    const int ball = scene_body(spec, "ball", (ph_vec3){0.0, 0.0, 0.3});
    ph_shape_def plane = ph_default_shape(), sphere = ph_default_shape();
    plane.type = "plane";
    plane.size = (ph_vec3){0.0, 0.0, 1.0};
    sphere.type = "sphere";
    sphere.radius = 0.25;
    ph_spec_add_shape(spec, floor, &plane);
    ph_spec_add_shape(spec, ball, &sphere);
    const ph_contact_settings contact = ph_default_contact();
    ph_spec_set_contact(spec, &contact);
    return scene_finish(spec);
}

TEST(schemes_with_contact_stop_at_the_floor_and_others_refuse)
{
    for (int i = 0; i < ph_scheme_count(); i++) {
        const ph_scheme_info info = ph_scheme_get(i);
        rig r = open_rig(make_drop, info.name);
        CHECK_EQ_INT(r.sim != NULL, (info.traits & PH_HAS_CONTACT) != 0);
        if (r.sim) {
            rig_step(&r, 2e-3, 500);
            blame(CHECK_NEAR(rig_position(&r, 1).z, 0.25, 2e-3), info.name, "drop");
            blame(CHECK_NEAR(rig_measure(&r).kinetic, 0.0, 1e-6), info.name, "drop");
        }
        rig_close(&r);
    }
}
