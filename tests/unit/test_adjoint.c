// Gradients of whole runs against numbers from an independent program: the same discrete schemes, dense and with complex
// arithmetic, differentiated by complex steps of 1e-30.
#include "adjoint_rig.h"

#include "math/mat3.h"

// J = c.x_p + w.v_p + d.Omega_r + c.(R_r e) at the end
typedef struct functional {
    int p, r;
    ph_vec3 e;
    long long end;
} functional;

static const ph_vec3 c = {1.0, -2.0, 0.5}, w = {0.3, 0.7, -1.1}, d = {0.2, 0.4, -0.6};

static double value_of(const functional *f, const ph_state *s)
{
    const ph_mat3 R = ph_quat_to_mat(s->orientation[f->r]);
    return ph_dot(c, s->position[f->p]) + ph_dot(w, s->velocity[f->p]) + ph_dot(d, s->angular_velocity[f->r]) +
           ph_dot(c, ph_mul(R, f->e));
}

static void source(long long n, const ph_state *s, ph_cotangent *to, double *inputs, void *user)
{
    const functional *f = user;
    (void)inputs;
    if (n != f->end) return;
    const ph_mat3 R = ph_quat_to_mat(s->orientation[f->r]);
    to[f->p].position = ph_add(to[f->p].position, c);
    to[f->p].velocity = ph_add(to[f->p].velocity, w);
    to[f->r].angular_velocity = ph_add(to[f->r].angular_velocity, d);
    to[f->r].rotation = ph_add(to[f->r].rotation, ph_cross(f->e, ph_tmul(R, c)));
}

static ph_adjoint *gradient(ph_model *model, const char *scheme, double h, functional *f, double *J)
{
    ph_adjoint *a = adjoint_of(model, scheme, 0);
    ph_state *state = ph_state_create(model);
    CHECK(ph_adjoint_forward(a, state, h, f->end, NULL, NULL, NULL, NULL) == PH_OK);
    *J = value_of(f, state);
    CHECK(ph_adjoint_reverse(a, source, f, NULL) == PH_OK);
    ph_state_destroy(state);
    return a;
}

static void check_vector(ph_vec3 x, double a, double b, double e, double scale)
{
    CHECK_NEAR(x.x, a, 2e-11 * scale);
    CHECK_NEAR(x.y, b, 2e-11 * scale);
    CHECK_NEAR(x.z, e, 2e-11 * scale);
}

// ---- Double pendulum ------------------------------------------------------------------------------------------------

TEST(double_pendulum)
{
    ph_model *model = read_model(DOUBLE_PENDULUM);
    if (!model) SKIP("no YAML");
    functional f = {1, 1, {0, 1, 0}, 100};
    double J;
    ph_adjoint *a = gradient(model, "rattlie", 1e-3, &f, &J);
    CHECK_NEAR(J, -2.22537515331, 1e-11);
    check_vector(ph_adjoint_gravity(a), 3.92618946874e-2, 1.18089467895e-1, -1.34952154211e-1, 1);
    const ph_mat3 J1 = ph_adjoint_inertia(a, 0), J2 = ph_adjoint_inertia(a, 1);
    check_vector(ph_vec(J1.m[0][0], J1.m[1][1], J1.m[2][2]), -2.40778442583e-2, 0, 1.29408258541e-5, 1);
    check_vector(ph_vec(J2.m[0][0], J2.m[1][1], J2.m[2][2]), -5.6373347874e-4, 0, -1.02100174172e-2, 1);
    const ph_joint_gradient O = ph_adjoint_joint(a, 0), A = ph_adjoint_joint(a, 1);
    check_vector(O.origin_a, -1.0974441089e-1, 2.47133868854, 1.07567821132, 3);
    check_vector(O.origin_b, 1.3039139703e-1, -2.50821546990, -3.9991993653e-1, 3);
    check_vector(A.origin_a, 2.5475119449e-1, 2.83949396445, -7.9268677981e-1, 3);
    check_vector(A.origin_b, 1.90330555570e1, 3.5515161447e-1, -6.22415531572, 20);
    const ph_cotangent *s = ph_adjoint_start(a);
    check_vector(s[0].rotation, -1.96383434445e-1, 0, -6.21060860129e-2, 1);
    check_vector(s[0].position, 3.69866140469e-1, 0, -1.16954050099, 1);
    check_vector(s[0].angular_velocity, -1.08847333554e-1, -1.948472701e-5, -2.51070327897e-2, 1);
    check_vector(s[0].velocity, 1.49522243515e-1, 0, -6.48228631788e-1, 1);
    check_vector(s[1].rotation, 4.92485279457e-1, -2.23561451999e-1, 7.51833009259e-1, 1);
    check_vector(s[1].position, 7.39732280939e-1, -4.47746092636, 5.93862309128e-1, 5);
    check_vector(s[1].angular_velocity, 9.50284566603e-2, 3.77708845106e-1, -1.63658694531e-1, 1);
    check_vector(s[1].velocity, 2.99044487029e-1, 9.74651818950e-1, -7.30525472408e-1, 1);
    CHECK_NEAR(ph_adjoint_mass(a, 0), 3.36266358463e-3, 1e-13);
    CHECK_NEAR(ph_adjoint_mass(a, 1), -4.37696649912e-4, 1e-13);
    ph_adjoint_destroy(a);
    f.end = 1000;
    a = gradient(model, "rattlie", 1e-3, &f, &J);
    CHECK_NEAR(J, 3.62750427415, 2e-11);
    CHECK_NEAR(ph_adjoint_gravity(a).z, -1.65827418429, 2e-11);
    CHECK_NEAR(ph_adjoint_inertia(a, 0).m[0][0], -2.49263835227e-1, 1e-11);
    ph_adjoint_destroy(a);
    f.end = 20;
    a = gradient(model, "rattlie4", 5e-3, &f, &J);
    CHECK_NEAR(J, -2.22537511411, 1e-11);
    CHECK_NEAR(ph_adjoint_mass(a, 0), 3.36266401521e-3, 1e-13);
    ph_adjoint_destroy(a);
    ph_model_destroy(model);
}

// ---- Four-bar: redundant rows, dampers, a spring, a motor -------------------------------------------------------------

TEST(four_bar)
{
    ph_model *model = read_model(FOUR_BAR);
    if (!model) SKIP("no YAML");
    functional f = {1, 2, {1, 0, 0}, 100};
    double J;
    ph_adjoint *a = gradient(model, "rattlie", 1e-3, &f, &J);
    CHECK_NEAR(J, -0.486035764825, 1e-11);
    CHECK_NEAR(ph_adjoint_mass(a, 0), -2.81956356007e-3, 1e-12);
    CHECK_NEAR(ph_adjoint_mass(a, 1), -1.70069387602e-2, 1e-12);
    CHECK_NEAR(ph_adjoint_mass(a, 2), -2.77369965655e-3, 1e-12);
    CHECK_NEAR(ph_adjoint_inertia(a, 0).m[1][1], -4.75352489120e-1, 1e-11);
    CHECK_NEAR(ph_adjoint_inertia(a, 1).m[1][1], 4.71120473120e-2, 1e-11);
    CHECK_NEAR(ph_adjoint_inertia(a, 2).m[1][1], -2.07538977882e-1, 1e-11);
    check_vector(ph_adjoint_gravity(a), -5.75111958573e-3, 0, -8.84447217327e-4, 1);
    CHECK_NEAR(ph_adjoint_joint(a, 3).stiffness, 3.23437255379e-3, 1e-13);
    CHECK_NEAR(ph_adjoint_joint(a, 3).rest, 2.80053440098e-2, 1e-12);
    CHECK_NEAR(ph_adjoint_joint(a, 0).damping, -4.30110290629e-2, 1e-12);
    const ph_force_gradient spring = ph_adjoint_force(a, 0);
    CHECK_NEAR(spring.stiffness, 9.0734992627e-5, 1e-14);
    CHECK_NEAR(spring.damping, 8.2691575359e-4, 1e-13);
    CHECK_NEAR(spring.length, 4.90246767264e-2, 1e-12);
    check_vector(spring.point_b, 1.45640037036e-2, 2.04740559425e-2, 7.05874446296e-2, 0.1);
    const ph_cotangent *s = ph_adjoint_start(a);
    CHECK_NEAR(s[0].angular_velocity.y, -1.08687203768e-3, 1e-13);
    check_vector(s[0].velocity, -3.90114452824e-2, 0, -1.78538826400e-2, 0.1);
    check_vector(s[1].position, -3.76908985692, 0, -1.75580290103, 4);
    CHECK_NEAR(s[2].rotation.y, -9.59065439885e-2, 1e-11);
    ph_adjoint_destroy(a);
    ph_model_destroy(model);
}

// ---- Arm with inputs ------------------------------------------------------------------------------------------------

// |x_2 + R_2 (0.2, 0, 0) - (0.3, 0.1, 0.4)|^2 + 0.01 (|Omega_2|^2 + |v_2|^2) at the end
static ph_vec3 miss(const ph_state *s)
{
    const ph_mat3 R = ph_quat_to_mat(s->orientation[1]);
    return ph_sub(ph_add(s->position[1], ph_mul(R, ph_vec(0.2, 0, 0))), ph_vec(0.3, 0.1, 0.4));
}

static void arm_source(long long n, const ph_state *s, ph_cotangent *to, double *inputs, void *user)
{
    (void)user, (void)inputs;
    if (n != 50) return;
    const ph_vec3 m = ph_scale(2.0, miss(s));
    to[1].position = m;
    to[1].rotation = ph_cross(ph_vec(0.2, 0, 0), ph_tmul(ph_quat_to_mat(s->orientation[1]), m));
    to[1].angular_velocity = ph_scale(0.02, s->angular_velocity[1]);
    to[1].velocity = ph_scale(0.02, s->velocity[1]);
}

TEST(arm)
{
    ph_model *model = read_model(ARM);
    if (!model) SKIP("no YAML");
    double inputs[50][2];
    for (int n = 0; n < 50; n++) inputs[n][0] = 0.5 * sin(0.1 * n), inputs[n][1] = 0.3 * cos(0.2 * n);
    ph_adjoint *a = adjoint_of(model, "rattlie", 0);
    ph_state *state = ph_state_create(model);
    CHECK(ph_adjoint_forward(a, state, 2e-3, 50, inputs[0], NULL, NULL, NULL) == PH_OK);
    const double J =
        ph_norm2(miss(state)) + 0.01 * (ph_norm2(state->angular_velocity[1]) + ph_norm2(state->velocity[1]));
    CHECK_NEAR(J, 0.421071651096, 1e-11);
    CHECK(ph_adjoint_reverse(a, arm_source, NULL, NULL) == PH_OK);
    const ph_joint_gradient base = ph_adjoint_joint(a, 0), elbow = ph_adjoint_joint(a, 1);
    CHECK_NEAR(base.kp, 1.95124917924e-2, 1e-12);
    CHECK_NEAR(base.kd, -1.22366517808e-1, 1e-11);
    CHECK_NEAR(elbow.damping, -1.48311064102e-1, 1e-11);
    CHECK_NEAR(ph_adjoint_mass(a, 1), -1.75993681996e-1, 1e-11);
    CHECK_NEAR(ph_adjoint_inertia(a, 1).m[1][1], -2.74047977183, 1e-10);
    CHECK_NEAR(2.0 * ph_adjoint_inertia(a, 1).m[0][1], -1.10190568203, 1e-10);
    CHECK_NEAR(ph_adjoint_inertia(a, 0).m[2][2], -6.42732040570, 1e-10);
    CHECK_NEAR(elbow.origin_a.x, -1.98037377265, 1e-10);
    CHECK_NEAR(elbow.origin_b.x, 2.07763936442, 1e-10);
    CHECK_NEAR(elbow.turn_a.z, -6.20613971753e-1, 1e-10);
    CHECK_NEAR(elbow.turn_b.z, 5.56588158141e-1, 1e-10);
    check_vector(ph_adjoint_gravity(a), 1.62325337317e-4, -3.18189831832e-3, -1.90127359586e-2, 1);
    const double *u = ph_adjoint_inputs(a);
    CHECK_NEAR(u[0], 1.95420808873e-2, 1e-12);
    CHECK_NEAR(u[2], 1.98033295469e-2, 1e-12);
    CHECK_NEAR(u[50], 7.98406380875e-3, 1e-12);
    CHECK_NEAR(u[98], -1.38308465801e-1, 1e-11);
    CHECK_NEAR(u[1], 1.76635504394e-3, 1e-12);
    CHECK_NEAR(u[3], 1.77289512202e-3, 1e-12);
    CHECK_NEAR(u[51], 1.90625268166e-3, 1e-12);
    CHECK_NEAR(u[99], 2.05124687049e-3, 1e-12);
    ph_state_destroy(state);
    ph_adjoint_destroy(a);
    ph_model_destroy(model);
}
