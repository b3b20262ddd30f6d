// Forces that the program computes: loads, the six-point sum over a body, and every scheme with them.

#include "rig.h"
#include "scenes.h"

#include "forces/callback.h"
#include "math/quat.h"
#include "math/so3.h"
#include "random_vector.h"

#include <string.h>

static void check_vector(ph_vec3 a, ph_vec3 b, double tolerance)
{
    CHECK_NEAR(ph_norm(ph_sub(a, b)), 0.0, tolerance);
}

// A body with any inertia that a distribution of mass may have, anywhere.
static ph_body_motion random_body(void)
{
    const ph_vec3 K = {test_uniform(0.1, 2.0), test_uniform(0.1, 2.0), test_uniform(0.1, 2.0)};
    const ph_mat3 E = ph_so3_exp(random_vector(2.0)), moments = ph_mat_mult(ph_mat_mul(E, ph_diag(K)), E);
    ph_body_motion body = {.mass = test_uniform(1.0, 5.0), .position = random_vector(3.0)};
    body.inertia = ph_mat_sub(ph_mat_scale(ph_trace(moments), ph_identity()), moments);
    body.rotation = ph_so3_exp(random_vector(3.0));
    body.spread = callback_spread(body.mass, body.inertia);
    return body;
}

TEST(torque_is_the_axial_part_of_Q)
{
    const ph_vec3 f = random_vector(2.0), b = random_vector(1.0), torque = random_vector(3.0);
    ph_load load = {0};
    ph_load_add_force(&load, f, b);
    ph_load_add_torque(&load, torque);
    check_vector(load.L, f, 0.0);
    check_vector(ph_load_torque(&load), ph_add(torque, ph_cross(b, f)), 1e-14);
}

// f = g + F x + second-degree terms c (d.x)^2
typedef struct field {
    ph_vec3 g, c, d;
    ph_mat3 F;
} field;

static ph_vec3 field_at(ph_vec3 x, double time, void *user)
{
    const field *f = user;
    const double along = ph_dot(f->d, x);
    return ph_scale(1.0 + time, ph_add3(f->g, ph_mul(f->F, x), ph_scale(along * along, f->c)));
}

TEST(six_points_have_the_moments_of_the_body)
{
    for (int repeat = 0; repeat < 20; repeat++) {
        const ph_body_motion body = random_body();
        field f = {.g = random_vector(1.0), .F = ph_hat(random_vector(1.0))};
        f.F = ph_mat_add(f.F, ph_outer(random_vector(1.0), random_vector(1.0)));
        f.c = repeat % 2 ? random_vector(1.0) : ph_zero3();
        f.d = random_vector(1.0);
        // S = int b b^T dm in world axes
        const ph_mat3 K = ph_mat_sub(ph_mat_scale(0.5 * ph_trace(body.inertia), ph_identity()), body.inertia);
        const ph_mat3 S = ph_mat_mult(ph_mat_mul(body.rotation, K), body.rotation);
        ph_load load = {0};
        ph_load_add_density(&load, &body, field_at, 0.5, &f);
        // L = m f(x) + c d.S d;  Q = int (F b + 2 c (d.x) (d.b)) b^T = (F + 2 (d.x) c d^T) S
        const ph_vec3 L =
            ph_madd(ph_scale(body.mass, field_at(body.position, 0.5, &f)), 1.5 * ph_dot(f.d, ph_mul(S, f.d)), f.c);
        const ph_mat3 gradient = ph_mat_madd(f.F, 2.0 * ph_dot(f.d, body.position), ph_outer(f.c, f.d));
        const ph_mat3 Q = ph_mat_scale(1.5, ph_mat_mul(gradient, S));
        check_vector(load.L, L, 1e-12);
        CHECK_NEAR(ph_mat_norm(ph_mat_sub(load.Q, Q)), 0.0, 1e-12);
    }
}

TEST(a_thin_rod_has_its_points_on_its_line)
{
    const ph_mat3 S = callback_spread(3.0, ph_diag(ph_vec(0.25, 0.0, 0.25)));
    CHECK_REL(ph_mat_norm(S), 0.5, 1e-15); // sqrt(3 K/m), K = m L^2/12, L = 1
    for (int i = 0; i < 3; i++) {
        CHECK_EQ_INT(S.m[0][i] == 0.0 && S.m[2][i] == 0.0, 1);
    }
}

// ---- Inverse-square gravity -----------------------------------------------------------------------------------------

static const double GM = 8.0;

static ph_vec3 pull(ph_vec3 x, double time, void *user)
{
    (void)time, (void)user;
    const double r = ph_norm(x);
    return ph_scale(-GM / (r * r * r), x);
}

static double well(ph_vec3 x, double time, void *user)
{
    (void)time, (void)user;
    return -GM / ph_norm(x);
}

static void act(const ph_body_motion *bodies, double time, void *user, ph_load *loads)
{
    ph_load_add_density(&loads[0], &bodies[0], pull, time, user);
}

static double energy(const ph_body_motion *bodies, double time, void *user)
{
    return ph_density_potential(&bodies[0], well, time, user);
}

// tau = 3 GM/r^3 n x J n, up to (size/r)^2
TEST(gravity_gradient_torque)
{
    for (int repeat = 0; repeat < 10; repeat++) {
        ph_body_motion body = random_body();
        const double r = 2e4;
        const ph_vec3 n = ph_unit(random_vector(1.0));
        body.position = ph_scale(r, n);
        ph_load load = {0};
        ph_load_add_density(&load, &body, pull, 0.0, NULL);
        const ph_mat3 J = ph_mat_mult(ph_mat_mul(body.rotation, body.inertia), body.rotation);
        const ph_vec3 closed = ph_scale(3.0 * GM / (r * r * r), ph_cross(n, ph_mul(J, n)));
        check_vector(ph_load_torque(&load), closed, 1e-7 * ph_norm(closed));
    }
}

// In orbit at distance 2, rate 1, tilted by a little about the orbit's normal z, long axis along x.
static ph_model *satellite(bool with_potential, double tilt)
{
    ph_spec *spec = ph_spec_create(NULL);
    ph_body_def body = ph_default_body();
    ph_callback_def def = ph_default_callback();
    body.name = "satellite";
    body.mass = 5.0;
    body.inertia = ph_diag(ph_vec(2e-10, 4e-9, 4e-9));
    body.position.x = 2.0;
    body.velocity.y = 2.0;
    body.angular_velocity.z = 1.0;
    body.orientation = ph_quat_exp(ph_vec(0.0, 0.0, tilt));
    def.body = ph_spec_add_body(spec, &body);
    def.force = act;
    def.potential = with_potential ? energy : NULL;
    CHECK_EQ_INT(ph_spec_add_callback(spec, &def), 0);
    return scene_finish(spec);
}

static double pitch(const rig *r)
{
    const ph_vec3 x = rig_position(r, 0);
    const ph_quat q = *ph_state_orientations(r->state);
    return remainder(2.0 * atan2(q.z, q.w) - atan2(x.y, x.x), 2.0 * acos(-1.0));
}

// Small swings: n sqrt(3 (B - A)/C), less by (2 tilt)^2/16.
TEST(libration_has_the_known_frequency)
{
    const double tilt = 1e-3, expected = sqrt(3.0 * 0.95) * (1.0 - 0.25 * tilt * tilt), h = 2e-3;
    rig r = rig_open(satellite(true, tilt), "rattlie4");
    double before = tilt, first = 0.0, last = 0.0;
    int crossings = 0;
    for (int step = 0; step < 20000 && crossings < 11; step++) {
        if (!rig_step(&r, h, 1)) break;
        const double now = pitch(&r);
        if (now * before < 0.0) {
            last = ph_state_time(r.state) - h * now / (now - before);
            first = crossings++ ? first : last;
        }
        before = now;
    }
    CHECK_EQ_INT(crossings, 11);
    CHECK_REL(5.0 * 2.0 * acos(-1.0) / (last - first), expected, 1e-6);
    rig_close(&r);
}

// Not the closed forms, nor schemes of many nodes, which ask for forces by places and time alone.
static bool takes_callbacks(ph_scheme_info info)
{
    return info.order > 0 && strncmp(info.name, "multistep", 9) != 0;
}

// Every scheme takes it, agrees on where the satellite goes, and accounts for its energy, as potential or as work.
TEST(every_scheme_takes_callbacks)
{
    for (int with_potential = 0; with_potential < 2; with_potential++) {
        for (int k = 0; k < ph_scheme_count(); k++) {
            const ph_scheme_info info = ph_scheme_get(k);
            if (!takes_callbacks(info)) continue;
            rig r = rig_open(satellite(with_potential, 0.3), info.name);
            const double start = rig_measure(&r).total;
            const double looser = info.order == 1 ? 500.0 : 1.0; // h against h^2
            if (rig_step(&r, 1e-3, 1000)) {
                check_vector(rig_position(&r, 0), ph_vec(2.0 * cos(1.0), 2.0 * sin(1.0), 0.0), 4e-6 * looser);
                CHECK_NEAR(rig_measure(&r).total, start, 1e-6 * looser);
            } else {
                printf("  scheme %s\n", info.name);
            }
            rig_close(&r);
        }
    }
}

// ---- Two bodies, velocity, mistakes ---------------------------------------------------------------------------------

// A damper between two centres of mass, along the line between them.
static void damp(const ph_body_motion *bodies, double time, void *user, ph_load *loads)
{
    (void)time;
    const ph_vec3 n = ph_unit(ph_sub(bodies[0].position, bodies[1].position));
    const double rate = ph_dot(n, ph_sub(bodies[0].velocity, bodies[1].velocity)), c = *(const double *)user;
    ph_load_add_force(&loads[0], ph_scale(-c * rate, n), ph_zero3());
    ph_load_add_force(&loads[1], ph_scale(c * rate, n), ph_zero3());
}

// Two free bodies of 2 kg leave each other at 1 m/s: the relative speed falls as exp(-c t/m_r), m_r = 1 kg.
TEST(a_damper_between_two_bodies)
{
    static double c = 0.7;
    for (int k = 0; k < ph_scheme_count(); k++) {
        if (!takes_callbacks(ph_scheme_get(k))) continue;
        ph_spec *spec = scene_start();
        ph_spec_set_gravity(spec, ph_zero3());
        ph_body_def body = ph_default_body();
        ph_callback_def def = ph_default_callback();
        body.mass = 2.0;
        body.inertia = ph_identity();
        body.name = "a";
        body.position.x = -1.0;
        def.other = ph_spec_add_body(spec, &body);
        body.name = "b";
        body.position.x = 1.0;
        body.velocity.x = 1.0;
        def.body = ph_spec_add_body(spec, &body);
        def.force = damp;
        def.user = &c;
        ph_spec_add_callback(spec, &def);
        rig r = rig_open(scene_finish(spec), ph_scheme_get(k).name);
        const double start = rig_measure(&r).total;
        const double looser = ph_scheme_get(k).order == 1 ? 500.0 : 1.0; // h against h^2
        if (rig_step(&r, 1e-3, 1000)) {
            const ph_vec3 *v = ph_state_velocities(r.state);
            CHECK_NEAR(v[1].x - v[0].x, exp(-c), 1e-6 * looser);
            CHECK_NEAR(v[1].x + v[0].x, 1.0, 1e-12);
            CHECK_NEAR(rig_measure(&r).total, start, 1e-6 * looser);
        }
        rig_close(&r);
    }
}

static void expect_mistake(ph_spec *spec, const ph_callback_def *def, const char *text)
{
    ph_problems *problems = ph_problems_create();
    ph_model *model = NULL;
    ph_spec_add_callback(spec, def);
    CHECK_EQ_INT(ph_model_compile(spec, problems, &model), PH_BAD_MODEL);
    CHECK(ph_problems_count(problems) == 1 && strstr(ph_problems_get(problems, 0)->text, text));
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
}

static ph_spec *one_body(ph_callback_def *def)
{
    ph_spec *spec = scene_start();
    *def = ph_default_callback();
    def->body = scene_body(spec, "rod", ph_zero3());
    def->force = act;
    return spec;
}

TEST(mistakes_are_named)
{
    ph_callback_def def;
    ph_spec *spec = one_body(&def);
    def.force = NULL;
    expect_mistake(spec, &def, "no force function");
    spec = one_body(&def);
    def.body = 7;
    expect_mistake(spec, &def, "index 7");
    spec = one_body(&def);
    def.other = def.body;
    expect_mistake(spec, &def, "itself");
    const ph_callback_def blank = {0};
    CHECK_EQ_INT(ph_spec_add_callback(NULL, &def), PH_NONE);
    spec = ph_spec_create(NULL);
    CHECK_EQ_INT(ph_spec_add_callback(spec, &blank), PH_NONE);
    ph_spec_destroy(spec);
}
