// Vallee, Hamdouni, Isnard and Fortune 1999: rotation matrices without parametrisation. The paper's identities, and RATTLE
// on matrices (matrix-rattle) against what it must be. Expected numbers are those of independent programs.

#include "rig.h"

#include "math/so3.h"
#include "paper_top.h"
#include "random_vector.h"
#include "scenes.h"

static ph_quat random_rotation(void)
{
    return ph_quat_exp(random_vector(2.0));
}

static double matrix_distance(ph_mat3 A, ph_mat3 B)
{
    return ph_mat_norm(ph_mat_sub(A, B));
}

static ph_mat3 reference_matrix(const char *at, const char *path)
{
    ph_vec3 rows[3];
    for (int i = 0; i < 3; i++) {
        char row[64];
        snprintf(row, sizeof row, "%s%s%d", path, *path ? "." : "", i);
        rows[i] = reference_vector(at, row);
    }
    return ph_mat_rows(rows[0], rows[1], rows[2]);
}

// K = 1/2 tr(J) I - J
static ph_mat3 euler_tensor(ph_mat3 J)
{
    return ph_mat_sub(ph_mat_scale(0.5 * ph_trace(J), ph_identity()), J);
}

// A free body without weight. `K` about its centre of mass, not diagonal in general.
static ph_model *free_body(double mass, ph_mat3 K, ph_vec3 com, ph_vec3 reference, ph_quat q, ph_vec3 omega, ph_vec3 v)
{
    ph_spec *spec = scene_start();
    ph_spec_set_gravity(spec, ph_zero3());
    ph_body_def body = ph_default_body();
    body.name = "body";
    body.mass = mass;
    body.inertia = ph_mat_sub(ph_mat_scale(ph_trace(K), ph_identity()), K);
    body.com = com;
    body.reference = PH_REFERENCE_POINT;
    body.reference_point = reference;
    body.position = ph_neg(ph_quat_rotate(q, com));
    body.orientation = q;
    body.velocity = v;
    body.angular_velocity = omega;
    ph_spec_add_body(spec, &body);
    return scene_finish(spec);
}

static ph_mat3 random_tensor(void) // positive definite, any axes
{
    const ph_mat3 R = ph_quat_to_mat(random_rotation());
    const ph_mat3 D = ph_diag(ph_vec(test_uniform(0.2, 2.0), test_uniform(0.2, 2.0), test_uniform(0.2, 2.0)));
    return ph_mat_mul(R, ph_mat_mult(D, R));
}

static ph_mat3 lambda_at(rig *r, int body) // -R^T (int sigma dv) R of the acceleration level
{
    ph_mat3 integrals[8];
    CHECK(ph_model_bodies(r->model) <= 8);
    CHECK_EQ_INT(ph_observer_stress(r->observer, r->state, integrals), PH_OK);
    return ph_mat_scale(-1.0, integrals[body]);
}

// ---- Identities of the paper ----------------------------------------------------------------------------------------

// Lemma 1, for a box of mass 1: int b (x) b dm is known without J.
TEST(euler_tensor_from_inertia)
{
    for (int n = 0; n < 100; n++) {
        const ph_vec3 l = ph_vec(test_uniform(0.1, 2.0), test_uniform(0.1, 2.0), test_uniform(0.1, 2.0));
        const ph_vec3 s = ph_scale(1.0 / 12.0, ph_vec(l.x * l.x, l.y * l.y, l.z * l.z));
        const ph_vec3 r = random_vector(1.0);
        const ph_mat3 J = ph_diag(ph_vec(s.y + s.z, s.x + s.z, s.x + s.y));
        const ph_mat3 moved = ph_mat_add(
            J, ph_mat_sub(ph_mat_scale(ph_norm2(r), ph_identity()), ph_outer(r, r))); // parallel axes, from r away
        CHECK(matrix_distance(euler_tensor(moved), ph_mat_add(ph_diag(s), ph_outer(r, r))) <= 1e-13);
        const ph_mat3 R = ph_quat_to_mat(random_rotation());
        const ph_mat3 turned = ph_mat_mul(R, ph_mat_mult(J, R));
        CHECK(matrix_distance(euler_tensor(turned), ph_mat_mul(R, ph_mat_mult(ph_diag(s), R))) <= 1e-13);
    }
}

// Property 1: W = 1/2 (tr R' K0 R'^T + m |a'|^2) + m <a', R' c0>, for any point A.
TEST(kinetic_energy_about_any_point)
{
    for (int n = 0; n < 100; n++) {
        const double m = test_uniform(0.5, 3.0);
        const ph_mat3 K = random_tensor();
        const ph_quat q = random_rotation();
        const ph_vec3 omega = random_vector(3.0), v = random_vector(2.0), c0 = random_vector(1.0);
        rig r = rig_open(free_body(m, K, ph_zero3(), ph_neg(c0), q, omega, v), "matrix-rattle");
        const ph_mat3 R1 = ph_mat_mul(ph_quat_to_mat(q), ph_hat(omega));
        const ph_mat3 K0 = ph_mat_madd(K, m, ph_outer(c0, c0));
        const ph_vec3 a1 = ph_sub(v, ph_mul(R1, c0));
        const double W =
            0.5 * (ph_trace(ph_mat_mul(R1, ph_mat_mult(K0, R1))) + m * ph_norm2(a1)) + m * ph_dot(a1, ph_mul(R1, c0));
        CHECK_REL(rig_measure(&r).kinetic, W, 1e-13);
        rig_close(&r);
    }
}

// Lemma 2: K0^-1 Lambda + Lambda K0^-1 = -2 R'^T R', and Lambda has no positive eigenvalue.
TEST(multiplier_of_free_rotation)
{
    for (int n = 0; n < 200; n++) {
        const ph_mat3 K = random_tensor();
        const ph_vec3 omega = random_vector(3.0);
        rig r = rig_open(free_body(1.0, K, ph_zero3(), ph_zero3(), random_rotation(), omega, ph_zero3()), "rattlie");
        const ph_mat3 Lambda = lambda_at(&r, 0), inverse = ph_inverse(K);
        const ph_mat3 both = ph_mat_add(ph_mat_mul(inverse, Lambda), ph_mat_mul(Lambda, inverse));
        const ph_mat3 spin = ph_mat_mul(ph_hat(omega), ph_hat(omega)); // -R'^T R'
        CHECK(matrix_distance(both, ph_mat_scale(2.0, spin)) <= 1e-13 * ph_mat_norm(spin));
        ph_stress stress;
        CHECK(ph_stress_mean(Lambda, 1.0, ph_quat_identity(), &stress));
        CHECK(stress.principal[0] <= 1e-13 * ph_mat_norm(Lambda));
        rig_close(&r);
    }
}

// A spin about a principal axis leaves one eigenvalue zero: the multiplier is semi-definite, not definite.
TEST(multiplier_is_only_semi_definite)
{
    const ph_mat3 K = ph_diag(ph_vec(0.5, 0.9, 1.6));
    rig r = rig_open(free_body(3.0, K, ph_zero3(), ph_zero3(), random_rotation(), ph_vec(0, 0, 4), ph_zero3()), "lgvi");
    CHECK(matrix_distance(lambda_at(&r, 0), ph_diag(ph_vec(-8.0, -14.4, 0.0))) <= 1e-13);
    rig_close(&r);
}

// R(t) = exp[t (j(w0) + (C/B - 1) <z0, w0> j(z0))] exp[-t (C/B - 1) <z0, w0> j(z0)]: the printed formula corrected.
static ph_mat3 closed_form(double B, double C, ph_vec3 z0, ph_vec3 w0, double t)
{
    const double rate = (C / B - 1.0) * ph_dot(z0, w0);
    const ph_mat3 first = ph_so3_exp(ph_scale(t, ph_madd(w0, rate, z0)));
    return ph_mat_mul(first, ph_so3_exp(ph_scale(-t * rate, z0)));
}

TEST(closed_form_of_the_free_symmetric_body)
{
    static const char *const times[] = {"1.0", "2.0", "5.0"};
    char *text = reference_read("matrix-dae.json");
    const char *at = reference_case(text, "free_symmetric");
    const double B = reference_number(at, "B"), C = reference_number(at, "C");
    const ph_vec3 z0 = reference_vector(at, "z0"), w0 = reference_vector(at, "w0");
    const ph_mat3 K = ph_mat_madd(ph_mat_scale(0.5 * C, ph_identity()), B - C, ph_outer(z0, z0)); // (2.1), corrected
    rig r = rig_open(free_body(1.0, K, ph_zero3(), ph_zero3(), ph_quat_identity(), w0, ph_zero3()), "exact");
    const char *states = json_find(at, "R_t");
    for (int i = 0; i < 3; i++) {
        const double t = strtod(times[i], NULL);
        const ph_mat3 R = reference_matrix(reference_case(states ? states : "", times[i]), "");
        CHECK(matrix_distance(closed_form(B, C, z0, w0, t), R) <= 1e-13);
        rig_step(&r, t - ph_state_time(r.state), 1);
        CHECK(matrix_distance(ph_quat_to_mat(ph_state_orientations(r.state)[0]), R) <= 1e-13);
    }
    rig_close(&r);
    free(text);
}

// ---- Reference states -----------------------------------------------------------------------------------------------

// A free body about a point beside its centre of mass, t = 2. The reference is good to about 2e-12: `exact` and `rkmk4` agree
// with each other to 5e-15 there.
TEST(free_body_with_offset)
{
    char *text = reference_read("matrix-dae.json");
    const char *at = reference_case(text, "offset_free");
    const ph_quat q = ph_quat_from_mat(reference_matrix(at, "R0"));
    const ph_vec3 c0 = reference_vector(at, "c0");
    const ph_mat3 K = ph_diag(reference_vector(at, "Kg")), R = reference_matrix(at, "R");
    const ph_mat3 Lambda = reference_matrix(at, "Lambda");
    const char *const schemes[] = {"exact", "rkmk4", "matrix-rattle"};
    const double steps[] = {2.0, 1e-3, 1e-3}, allowed[] = {5e-12, 5e-12, 2e-5};
    for (int i = 0; i < 3; i++) {
        ph_model *model = free_body(reference_number(at, "m"), K, c0, ph_zero3(), q, reference_vector(at, "w0"),
                                    reference_vector(at, "vG"));
        rig r = rig_open(model, schemes[i]);
        rig_step(&r, steps[i], (int)lround(2.0 / steps[i]));
        CHECK(matrix_distance(ph_quat_to_mat(ph_state_orientations(r.state)[0]), R) <= allowed[i]);
        CHECK(rig_distance(ph_state_angular_velocities(r.state)[0], reference_vector(at, "w_body")) <= allowed[i]);
        CHECK(rig_distance(rig_position(&r, 0), reference_vector(at, "xG")) <= 1e-12);
        CHECK(matrix_distance(lambda_at(&r, 0), Lambda) <= 10.0 * allowed[i]);
        if (i == 2) {
            ph_mat3 mean;
            CHECK_EQ_INT(ph_sim_multipliers(r.sim, r.state, 1e-3, &mean), PH_OK);
            CHECK(matrix_distance(mean, Lambda) <= 1e-4);
        }
        rig_close(&r);
    }
    free(text);
}

// The paper-size top is planar: one eigenvalue of K about the centre of mass is zero.
TEST(heavy_top_multiplier_and_reaction)
{
    static const char *const cases[] = {"heavy_top_t0", "heavy_top_t0.05", "heavy_top_t0.1"};
    char *text = reference_read("matrix-dae.json");
    const paper_top top = paper_start_1();
    rig r = rig_open(paper_top_model(&top, PH_REFERENCE_ORIGIN), "exact");
    for (int i = 0; i < 3; i++) {
        const char *at = reference_case(text, cases[i]);
        ph_wrench reaction;
        if (i) rig_step(&r, 0.05, 1);
        const ph_mat3 Lambda = lambda_at(&r, 0), R = ph_quat_to_mat(ph_state_orientations(r.state)[0]);
        CHECK(matrix_distance(Lambda, reference_matrix(at, "Lambda")) <= 1e-10);
        CHECK_EQ_INT(ph_observer_dynamics(r.observer, r.state, NULL, &reaction), PH_OK);
        CHECK(rig_distance(reaction.force, reference_vector(at, "reaction_N")) <= 1e-9);
        if (i == 0) continue;
        const ph_mat3 world = ph_mat_mul(R, ph_mat_mult(ph_mat_scale(-1.0, Lambda), R));
        CHECK(matrix_distance(world, reference_matrix(at, "Sigma_inertial")) <= 1e-10);
    }
    rig_close(&r);
    free(text);
}

// ---- The scheme -----------------------------------------------------------------------------------------------------

// RATTLE on the matrix R itself, for a body that turns about A, written out: Lambda by a fixed-point iteration in the
// principal axes of K0. Nothing here knows of rotations.
typedef struct matrix_body {
    ph_vec3 K; // diagonal of K0
    ph_mat3 Q; // m g (x) c0
    ph_mat3 R, P;
} matrix_body;

static void divide_columns(ph_mat3 *A, ph_vec3 K)
{
    for (int i = 0; i < 3; i++) {
        A->m[i][0] /= K.x;
        A->m[i][1] /= K.y;
        A->m[i][2] /= K.z;
    }
}

static ph_mat3 stage_1(const matrix_body *b, double h, ph_mat3 Lambda) // R_+
{
    ph_mat3 step = ph_mat_add(b->P, ph_mat_scale(0.5 * h, ph_mat_add(b->Q, ph_mat_mul(b->R, Lambda))));
    divide_columns(&step, b->K);
    return ph_mat_madd(b->R, h, step);
}

// X with X_ij (1/K_i + 1/K_j) = A_ij
static ph_mat3 sylvester(ph_mat3 A, ph_vec3 K)
{
    const double k[3] = {K.x, K.y, K.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A.m[i][j] *= k[i] * k[j] / (k[i] + k[j]);
    return A;
}

static void matrix_step(matrix_body *b, double h, ph_mat3 *Lambda)
{
    for (int n = 0; n < 60; n++) {
        const ph_mat3 next = stage_1(b, h, *Lambda), E = ph_mat_sub(ph_identity(), ph_mat_tmul(next, next));
        *Lambda = ph_mat_madd(*Lambda, 2.0 / (h * h), sylvester(E, b->K));
    }
    const ph_mat3 next = stage_1(b, h, *Lambda);
    ph_mat3 P = ph_mat_madd(ph_mat_add(b->P, ph_mat_scale(0.5 * h, ph_mat_mul(b->R, *Lambda))), h, b->Q);
    b->R = next;
    ph_mat3 rate = P; // stage 2: R^T R' becomes skew
    divide_columns(&rate, b->K);
    const ph_mat3 S = ph_mat_tmul(next, rate);
    const ph_mat3 correction = sylvester(ph_mat_scale(-1.0, ph_mat_add(S, ph_transpose(S))), b->K);
    b->P = ph_mat_add(P, ph_mat_mul(next, correction));
}

TEST(is_rattle_on_matrices)
{
    const double h = 2e-4;
    const paper_top top = paper_start_1();
    rig r = rig_open(paper_top_model(&top, PH_REFERENCE_ORIGIN), "matrix-rattle");
    const ph_mat3 R0 = ph_quat_to_mat(top.q), K0 = ph_diag(ph_vec(0.0004, 0.0004, 0.0016));
    matrix_body b = {.K = ph_vec(0.0004, 0.0004, 0.0016), .R = R0};
    b.Q = ph_outer(ph_vec(0.0, 0.0, -TOP_GRAVITY), ph_vec(0.0, 0.0, TOP_ARM));
    b.P = ph_mat_mul(R0, ph_mat_mul(ph_hat(top.omega), K0));
    ph_mat3 Lambda = ph_mat_zero();
    for (int n = 0; n < 500; n++) {
        matrix_step(&b, h, &Lambda);
        rig_step(&r, h, 1);
    }
    const ph_mat3 R = ph_quat_to_mat(ph_state_orientations(r.state)[0]);
    const ph_mat3 rate = ph_mat_mul(R, ph_hat(ph_state_angular_velocities(r.state)[0]));
    ph_mat3 R1 = b.P;
    divide_columns(&R1, b.K);
    CHECK(matrix_distance(b.R, R) <= 1e-10);
    CHECK(matrix_distance(R1, rate) <= 1e-8);
    rig_close(&r);
}

static double largest_distance(const rig *a, const rig *b)
{
    double largest = 0.0;
    for (int i = 0; i < ph_model_bodies(a->model); i++) {
        largest = fmax(largest, rig_distance(rig_position(a, i), rig_position(b, i)));
        largest = fmax(largest, rig_distance(ph_state_velocities(a->state)[i], ph_state_velocities(b->state)[i]));
        largest = fmax(largest, matrix_distance(ph_quat_to_mat(ph_state_orientations(a->state)[i]),
                                                ph_quat_to_mat(ph_state_orientations(b->state)[i])));
    }
    return largest;
}

TEST(same_motion_as_lgvi)
{
    NEEDS_YAML;
    static const char *const models[] = {"double_pendulum.yaml", "heavy_top.yaml",   "hanging_chain.yaml",
                                         "slider_crank.yaml",    "dzhanibekov.yaml", "four_bar.yaml"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        rig a = rig_open(rig_example(models[i]), "matrix-rattle"), b = rig_open(rig_example(models[i]), "lgvi");
        const double h = ph_model_run_settings(a.model)->step;
        double orthogonality = 0.0;
        for (int n = 0; n < 1000; n++) {
            rig_step(&a, h, 1);
            rig_step(&b, h, 1);
            orthogonality = fmax(orthogonality, rig_measure(&a).orthogonality);
        }
        const ph_measures m = rig_measure(&a);
        CHECK(largest_distance(&a, &b) <= 1e-10);
        CHECK(orthogonality <= 1e-14);
        CHECK(m.position_violation <= 1e-13 && m.velocity_violation <= 1e-12);
        rig_close(&a);
        rig_close(&b);
    }
}

// Looking at the multipliers changes nothing, and the reference point does not enter the motion.
TEST(multipliers_leave_the_state_alone)
{
    const paper_top top = paper_start_1();
    rig a = rig_open(paper_top_model(&top, PH_REFERENCE_ORIGIN), "matrix-rattle");
    rig b = rig_open(paper_top_model(&top, PH_REFERENCE_COM), "matrix-rattle");
    for (int n = 0; n < 200; n++) {
        ph_mat3 first, second;
        CHECK_EQ_INT(ph_sim_multipliers(a.sim, a.state, 1e-4, &first), PH_OK);
        if (n % 20 == 0) {
            CHECK_EQ_INT(ph_sim_multipliers(b.sim, b.state, 1e-4, &second), PH_OK);
            CHECK(matrix_distance(first, second) <= 1e-9 * ph_mat_norm(first));
        }
        rig_step(&a, 1e-4, 1);
        rig_step(&b, 1e-4, 1);
    }
    CHECK(largest_distance(&a, &b) == 0.0);
    rig_close(&a);
    rig_close(&b);
}

TEST(other_schemes_have_no_multipliers)
{
    rig r = rig_open(scene_pendulum(), "rattlie");
    ph_mat3 Lambda[3];
    CHECK_EQ_INT(ph_sim_multipliers(r.sim, r.state, 1e-3, Lambda), PH_NOT_SUPPORTED);
    CHECK_EQ_INT(ph_sim_multipliers(r.sim, r.state, 0.0, Lambda), PH_BAD_ARGUMENT);
    rig_close(&r);
}

// R Lambda = [(R_+ - 2R + R_-) K0 + m (a_+ - 2a + a_-) (x) c0]/h^2 - Q at a node, Q with the mean reaction of both sides: a
// chain of two rods on ball joints, whose loads are forces at points, for a reference point that is neither the centre of
// mass nor an anchor.
typedef struct pose {
    ph_mat3 R;
    ph_vec3 x;
} pose;

static pose pose_of(const rig *r, int body)
{
    return (pose){ph_quat_to_mat(ph_state_orientations(r->state)[body]), rig_position(r, body)};
}

static ph_model *offset_pendulum(ph_vec3 reference)
{
    ph_spec *spec = scene_start();
    for (int i = 0; i < 2; i++) {
        ph_body_def body = ph_default_body();
        body.name = i ? "rod2" : "rod1";
        body.mass = 2.0;
        body.inertia = ph_diag(ph_vec(0.17, 0.01, 0.17));
        body.position = ph_vec(0.0, i + 0.5, 0.0);
        body.reference = PH_REFERENCE_POINT;
        body.reference_point = reference;
        ph_spec_add_body(spec, &body);
        scene_ball(spec, i ? "A" : "O", i ? 0 : PH_WORLD, i, ph_vec(0.0, i, 0.0));
    }
    return scene_finish(spec);
}

TEST(discrete_identity_of_the_multiplier)
{
    const double h = 1e-3, m = 2.0;
    const ph_vec3 A = ph_vec(0.1, 0.3, -0.2), c0 = ph_neg(A), g = ph_vec(0.0, 0.0, -9.81);
    const ph_mat3 K0 = ph_mat_madd(euler_tensor(ph_diag(ph_vec(0.17, 0.01, 0.17))), m, ph_outer(c0, c0));
    rig r = rig_open(offset_pendulum(A), "matrix-rattle");
    rig_step(&r, h, 700);
    const pose before = pose_of(&r, 1);
    rig_step(&r, h, 1);
    const pose now = pose_of(&r, 1);
    ph_mat3 Lambda[2];
    CHECK_EQ_INT(ph_sim_multipliers(r.sim, r.state, h, Lambda), PH_OK);
    rig_step(&r, h, 1);
    const pose after = pose_of(&r, 1);

    // The reaction at the one joint follows from the discrete motion of the centre of mass.
    const ph_vec3 x2 = ph_scale(1.0 / (h * h), ph_add(ph_sub(after.x, now.x), ph_sub(before.x, now.x)));
    const ph_vec3 force = ph_scale(m, ph_sub(x2, g)), arm = ph_sub(ph_vec(0.0, -0.5, 0.0), A);
    const ph_mat3 Q = ph_mat_add(ph_outer(force, arm), ph_outer(ph_scale(m, g), c0));
    const ph_mat3 R2 = ph_mat_scale(1.0 / (h * h), ph_mat_add(ph_mat_sub(after.R, now.R), ph_mat_sub(before.R, now.R)));
    const ph_vec3 a2 = ph_sub(x2, ph_mul(R2, c0));
    const ph_mat3 right = ph_mat_sub(ph_mat_madd(ph_mat_mul(R2, K0), m, ph_outer(a2, c0)), Q);
    const ph_mat3 left = ph_mat_mul(now.R, Lambda[1]);
    CHECK(matrix_distance(left, right) <= 1e-9 * ph_mat_norm(left));
    rig_close(&r);
}

TEST(order_two_on_the_double_pendulum)
{
    NEEDS_YAML;
    static const char *const trials[] = {"matrix-rattle"};
    static const double steps[] = {4e-3, 2e-3, 1e-3}, times[] = {0.5, 1.0};
    ph_model *model = rig_example("double_pendulum.yaml");
    ph_order_def def = ph_default_order();
    def.trials = trials;
    def.trial_count = 1;
    def.steps = steps;
    def.step_count = 3;
    def.times = times;
    def.time_count = 2;
    ph_order_study *study = NULL;
    ph_error error = {.text = ""};
    if (CHECK_EQ_INT(ph_measure_order(model, &def, &study, &error), PH_OK))
        CHECK_NEAR(study->rows[0].fits[PH_POSITION].slope, 2.0, 0.05);
    ph_order_study_destroy(study);
    ph_model_destroy(model);
}

// A step of 1 ms for 1000 s: the energy of the double pendulum wanders but does not drift.
TEST(energy_stays_bounded_over_a_million_steps)
{
    NEEDS_YAML;
    rig r = rig_open(rig_example("double_pendulum.yaml"), "matrix-rattle");
    const double start = rig_measure(&r).total;
    double early = 0.0, late = 0.0, orthogonality = 0.0;
    for (int n = 1; n <= 1000000; n++) {
        if (!rig_step(&r, 1e-3, 1)) break;
        if (n % 10) continue;
        const ph_measures m = rig_measure(&r);
        const double error = fabs(m.total - start);
        if (n <= 200000) early = fmax(early, error);
        if (n > 800000) late = fmax(late, error);
        orthogonality = fmax(orthogonality, m.orthogonality);
    }
    CHECK(early < 0.5 && late < 0.5);
    CHECK(late <= 3.0 * early);
    CHECK(orthogonality <= 1e-14);
    printf("  energy error: %.3g J in the first fifth, %.3g J in the last; orthogonality %.2g\n", early, late,
           orthogonality);
    rig_close(&r);
}

// A chain of 100 rods: at most 2.5 times the time of rattlie. The best of three, since other programs run beside this one.
TEST(costs_little_more_than_rattlie)
{
    static const char *const trials[] = {"rattlie", "matrix-rattle"};
    ph_model *model = scene_chain(100);
    ph_compare_def def = ph_default_compare();
    def.trials = trials;
    def.trial_count = 2;
    def.step = 1e-3;
    def.until = 0.1;
    def.reference = "none";
    double ratio = INFINITY;
    for (int n = 0; n < 3; n++) {
        ph_comparison *c = NULL;
        if (CHECK_EQ_INT(ph_compare(model, &def, &c, NULL), PH_OK))
            ratio = fmin(ratio, c->trials[1].step_s / c->trials[0].step_s);
        ph_comparison_destroy(c);
    }
    CHECK(ratio <= 2.5);
    ph_model_destroy(model);
}
