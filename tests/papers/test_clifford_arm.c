// The serial arm of Selig's "Clifford algebra and robot dynamics" (2005), three times: in all 256 coefficients, in typed
// values, and as a tree in joint coordinates.
//
//     s_i = g_{i-1} s_i^0 g_{i-1}*         g_i = g_{i-1} exp(theta_i s_i^0 / 2)         N_i = (g_i g_i~) N_i^0 (g_i g_i~)*
//     q_i = q_{i-1} + theta'_i s_i         q'_i = q'_{i-1} + theta''_i s_i + theta'_i [q_{i-1}, s_i]
//     F_i E = N_i ^ q'_i + {q_i, P_i} E    tau_i = s_i~ v (sum of F_j E over j >= i)
#include "math/mat3.h"
#include "multivector.h"
#include "polhode/tree.h"

enum { JOINTS = 6 };

typedef struct arm {
    ph_link_def links[JOINTS];
    ph_twist s[JOINTS];   // at home
    ph_inertia N[JOINTS]; // at home
    double theta[JOINTS], rate[JOINTS], acceleration[JOINTS];
    ph_vec3 gravity;
} arm;

static ph_vec3 random_vector(double size)
{
    ph_vec3 v;
    fill_uniform(&v, 3);
    return ph_scale(size, v);
}

// Joints 0, 2, 3, 5 turn, 1 and 4 slide.
static arm make_arm(void)
{
    arm a = {.gravity = {0.0, 0.0, -9.81}};
    ph_vec3 at = ph_zero3();
    for (int i = 0; i < JOINTS; i++) {
        ph_link_def *link = &a.links[i];
        *link = ph_default_link();
        link->parent = i > 0 ? i - 1 : PH_WORLD;
        link->joint = i == 1 || i == 4 ? PH_TREE_PRISMATIC : PH_TREE_REVOLUTE;
        link->anchor = at;
        link->axis = ph_unit(random_vector(1.0));
        link->mass = test_uniform(1.0, 2.0);
        link->com = ph_add(at, random_vector(0.3));
        link->inertia = ph_diag((ph_vec3){0.03, 0.04, 0.05});
        at = ph_add(at, random_vector(0.5));
        a.N[i] = ph_inertia_make(link->mass, link->com, link->inertia);
        a.s[i] = i == 1 || i == 4 ? (ph_twist){ph_zero3(), link->axis} : ph_line_make(link->anchor, link->axis);
    }
    fill_uniform(a.theta, JOINTS);
    fill_uniform(a.rate, JOINTS);
    fill_uniform(a.acceleration, JOINTS);
    return a;
}

// In the algebra itself.
static void torques_in_multivectors(const arm *a, double *tau)
{
    const mv A = element_a(), E = element_e();
    mv g = blade(1.0, ""), q = {{0.0}}, s[JOINTS], F[JOINTS];
    mv q_rate = of_twist((ph_twist){ph_zero3(), ph_neg(a->gravity)});
    for (int i = 0; i < JOINTS; i++) {
        s[i] = sandwich(g, of_twist(a->s[i]));
        g = gp(g, exponential(times(0.5 * a->theta[i], of_twist(a->s[i]))));
        const mv N = sandwich_both(g, of_inertia(a->N[i]));
        q_rate = plus(q_rate, plus(times(a->acceleration[i], s[i]), times(a->rate[i], commutator(q, s[i]))));
        q = plus(q, times(a->rate[i], s[i]));
        const mv P = vee(A, wedge(N, q));
        F[i] = plus(wedge(N, q_rate), gp(commutator(bar(q), P), E));
    }
    mv sum = {{0.0}};
    for (int i = JOINTS - 1; i >= 0; i--) {
        sum = plus(sum, F[i]);
        tau[i] = vee(bar(s[i]), sum).c[0];
    }
}

static ph_twist twist_madd(ph_twist x, double c, ph_twist y)
{
    return (ph_twist){ph_madd(x.omega, c, y.omega), ph_madd(x.v, c, y.v)};
}

// The same lines in typed values.
static void torques_in_typed_values(const arm *a, double *tau)
{
    ph_motor g = ph_motor_identity();
    ph_twist q = {ph_zero3(), ph_zero3()}, q_rate = {ph_zero3(), ph_neg(a->gravity)}, s[JOINTS];
    ph_hexavector F[JOINTS], sum = {ph_zero3(), ph_zero3()};
    for (int i = 0; i < JOINTS; i++) {
        s[i] = ph_move_twist(g, a->s[i]);
        g = ph_motor_mul(g, ph_motor_exp(twist_madd((ph_twist){ph_zero3(), ph_zero3()}, a->theta[i], a->s[i])));
        const ph_inertia N = ph_move_inertia(g, a->N[i]);
        q_rate = twist_madd(twist_madd(q_rate, a->acceleration[i], s[i]), a->rate[i], ph_bracket(q, s[i]));
        q = twist_madd(q, a->rate[i], s[i]);
        const ph_coscrew none = {ph_zero3(), ph_zero3()};
        F[i] = ph_motion_defect_coadjoint(N, q, q_rate, none);
    }
    for (int i = JOINTS - 1; i >= 0; i--) {
        sum = (ph_hexavector){ph_add(sum.l, F[i].l), ph_add(sum.p, F[i].p)};
        tau[i] = ph_shuffle(ph_bar_twist(s[i]), sum);
    }
}

TEST(serial_arm_three_times)
{
    for (int round = 0; round < 10; round++) {
        const arm a = make_arm();
        double in_algebra[JOINTS], typed_tau[JOINTS], tau[JOINTS], acceleration[JOINTS];
        ph_tree *tree = NULL;
        if (!CHECK_EQ_INT(ph_tree_create(a.links, JOINTS, a.gravity, NULL, &tree, NULL), PH_OK)) {
            return;
        }
        torques_in_multivectors(&a, in_algebra);
        torques_in_typed_values(&a, typed_tau);
        ph_tree_inverse_dynamics(tree, a.theta, a.rate, a.acceleration, NULL, tau);
        CHECK_EQ_INT(ph_tree_forward_dynamics(tree, a.theta, a.rate, in_algebra, NULL, acceleration), PH_OK);
        for (int i = 0; i < JOINTS; i++) {
            CHECK_NEAR(typed_tau[i], in_algebra[i], 1e-12);
            CHECK_NEAR(tau[i], in_algebra[i], 1e-12);
            CHECK_NEAR(acceleration[i], a.acceleration[i], 1e-11);
        }
        ph_tree_destroy(tree);
    }
}

// M_ij = s_i~ v (N^c ^ s_j), N^c the sum of the inertias from the outer of both joints on
TEST(mass_matrix_of_the_serial_arm)
{
    const arm a = make_arm();
    ph_tree *tree = NULL;
    double M[JOINTS * JOINTS];
    mv g = blade(1.0, ""), s[JOINTS], N[JOINTS];
    if (!CHECK_EQ_INT(ph_tree_create(a.links, JOINTS, a.gravity, NULL, &tree, NULL), PH_OK)) {
        return;
    }
    ph_tree_mass_matrix(tree, a.theta, M);
    for (int i = 0; i < JOINTS; i++) {
        s[i] = sandwich(g, of_twist(a.s[i]));
        g = gp(g, exponential(times(0.5 * a.theta[i], of_twist(a.s[i]))));
        N[i] = sandwich_both(g, of_inertia(a.N[i]));
    }
    for (int i = 0; i < JOINTS; i++) {
        for (int j = 0; j < JOINTS; j++) {
            mv outer = {{0.0}};
            for (int m = i > j ? i : j; m < JOINTS; m++) {
                outer = plus(outer, N[m]);
            }
            CHECK_NEAR(M[i * JOINTS + j], vee(bar(s[i]), wedge(outer, s[j])).c[0], 1e-12);
        }
    }
    ph_tree_destroy(tree);
}
