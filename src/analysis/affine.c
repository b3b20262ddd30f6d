// The affine body: F'' K = Q - V F S(F), Q = g (x) m c0, with the stress of Saint Venant and Kirchhoff. It is the equation of the
// rotation matrix without parametrisation (schemes/matrix_rattle.c) where V S takes the place of -Lambda.
//
// The step is that of Simo and Tarnow 1992: F_1 = F_0 + h/2 (F'_0 + F'_1) and
//
//     (F'_1 - F'_0) K = h (Q - V (F_0 + F_1)/2 S~),     S~ = S of the strain (E_0 + E_1)/2                        (1)
//
// It keeps energy and momentum exactly, so that no stiffness is too large for it. As the stiffness grows E_1 + E_0 goes to zero and
// V S~ to the multiplier that keeps it there.
#include "polhode/affine.h"
#include "base/error.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

// ---- From a model ---------------------------------------------------------------------------------------------------

// The joint that holds the body, PH_NONE, or one that may not be there: *refused.
static int find_hold(const ph_model *model, int body, const joint **refused)
{
    int hold = PH_NONE;
    for (int j = 0; j < model->joint_count; j++) {
        const joint *it = &model->joints[j];
        if (it->a != body && it->b != body) continue;
        const int other = it->a == body ? it->b : it->a;
        if (hold != PH_NONE || strcmp(it->type->name, "ball") != 0 || model->bodies[other].moving >= 0) *refused = it;
        hold = j;
    }
    return hold;
}

static ph_status check(const ph_model *model, int body, double modulus, double poisson, ph_error *error)
{
    if (body < 0 || body >= model->body_count || model->bodies[body].moving < 0)
        return error_set(error, PH_BAD_ARGUMENT, "an affine body must be one of the model that can move");
    if (!(modulus > 0.0 && isfinite(modulus) && poisson > -1.0 && poisson < 0.5))
        return error_set(error, PH_BAD_ARGUMENT, "an affine body needs a positive modulus and a ratio from -1 to 0.5");
    if (!(model->bodies[body].kind->volume > 0.0))
        return error_set(error, PH_NOT_SUPPORTED, "body '%s' has no volume: give it one, or shapes",
                         model->bodies[body].name);
    if (model->force_count > 0)
        return error_set(error, PH_NOT_SUPPORTED, "an affine body knows gravity only; force '%s' is in the model",
                         model->forces[0].name ? model->forces[0].name : model->forces[0].type->name);
    return PH_OK;
}

ph_status ph_affine_make(const ph_model *model, int body, double modulus, double poisson, ph_affine *affine,
                         ph_error *error)
{
    if (!model || !affine) return error_set(error, PH_BAD_ARGUMENT, "an affine body needs a model and a place");
    const ph_status status = check(model, body, modulus, poisson, error);
    const joint *refused = NULL;
    if (status != PH_OK) return status;
    const int hold = find_hold(model, body, &refused);
    if (refused)
        return error_set(
            error, PH_NOT_SUPPORTED,
            "an affine body moves freely or hangs on one ball joint in the world; joint '%s' is in the way",
            refused->name);
    const body_kind *kind = model->bodies[body].kind;
    ph_vec3 c = ph_zero3();
    if (hold != PH_NONE) c = ph_neg(model->joints[hold].b == body ? model->joints[hold].s_b : model->joints[hold].s_a);
    const ph_mat3 K = ph_mat_sub(ph_mat_scale(0.5 * ph_trace(kind->J), ph_identity()), kind->J);
    *affine = (ph_affine){.K = ph_mat_madd(K, kind->mass, ph_outer(c, c)),
                          .moment = ph_scale(kind->mass, c),
                          .gravity = model->gravity,
                          .volume = kind->volume,
                          .lame = modulus * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
                          .shear = 0.5 * modulus / (1.0 + poisson)};
    return PH_OK;
}

// ---- The rigid body -------------------------------------------------------------------------------------------------

static ph_vec3 rigid_acceleration(const ph_affine *a, ph_mat3 R, ph_vec3 omega)
{
    const ph_mat3 J = ph_mat_sub(ph_mat_scale(ph_trace(a->K), ph_identity()), a->K);
    const ph_vec3 torque = ph_cross(a->moment, ph_tmul(R, a->gravity));
    return ph_mul(ph_inverse(J), ph_add(torque, ph_cross(ph_mul(J, omega), omega)));
}

// -Lambda = R^T Q - (Omega'~ + Omega~^2) K
static ph_mat3 rigid_stress(const ph_affine *a, ph_mat3 R, ph_vec3 omega)
{
    const ph_mat3 turn = ph_mat_add(ph_hat(rigid_acceleration(a, R, omega)), ph_hat_mul(omega, ph_hat(omega)));
    return ph_sym(ph_mat_sub(ph_outer(ph_tmul(R, a->gravity), a->moment), ph_mat_mul(turn, a->K)));
}

ph_status ph_affine_rigid_stress(const ph_affine *affine, ph_quat orientation, ph_vec3 angular_velocity,
                                 ph_mat3 *stress)
{
    if (!affine || !stress) return PH_BAD_ARGUMENT;
    *stress = rigid_stress(affine, ph_quat_to_mat(orientation), angular_velocity);
    return PH_OK;
}

// Its rate, by a central difference along the motion.
static ph_mat3 rigid_stress_rate(const ph_affine *a, ph_quat q, ph_vec3 omega)
{
    const double d = 1e-4 / (1e-3 + ph_norm(omega));
    const ph_vec3 rate = rigid_acceleration(a, ph_quat_to_mat(q), omega);
    ph_mat3 sides[2];
    for (int k = 0; k < 2; k++) {
        const double t = k ? d : -d;
        const ph_vec3 turn = ph_madd(ph_scale(t, omega), 0.5 * t * t, rate);
        const ph_quat moved = ph_quat_mul(q, (ph_quat){1.0, 0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z});
        sides[k] = rigid_stress(a, ph_quat_to_mat(ph_quat_unit(moved)), ph_madd(omega, t, rate));
    }
    return ph_mat_scale(0.5 / d, ph_mat_sub(sides[1], sides[0]));
}

// ---- Material -------------------------------------------------------------------------------------------------------

static ph_mat3 strain(ph_mat3 F)
{
    return ph_mat_scale(0.5, ph_mat_sub(ph_mat_tmul(F, F), ph_identity()));
}

static ph_mat3 stress_of(const ph_affine *a, ph_mat3 E) // V S
{
    const ph_mat3 S = ph_mat_madd(ph_mat_scale(2.0 * a->shear, E), a->lame * ph_trace(E), ph_identity());
    return ph_mat_scale(a->volume, S);
}

static ph_mat3 strain_of(const ph_affine *a, ph_mat3 VS)
{
    const double k = a->lame / (3.0 * a->lame + 2.0 * a->shear);
    const ph_mat3 D = ph_mat_madd(VS, -k * ph_trace(VS), ph_identity());
    return ph_mat_scale(0.5 / (a->shear * a->volume), D);
}

// ---- The motion -----------------------------------------------------------------------------------------------------

// F = R U with U^2 = I + 2 E
ph_status ph_affine_start(const ph_affine *affine, ph_quat orientation, ph_vec3 angular_velocity,
                          ph_affine_state *state)
{
    if (!affine || !state) return PH_BAD_ARGUMENT;
    const ph_mat3 R = ph_quat_to_mat(orientation), stress = rigid_stress(affine, R, angular_velocity);
    const ph_mat3 E = strain_of(affine, stress), E2 = ph_mat_mul(E, E);
    const ph_mat3 rate = strain_of(affine, rigid_stress_rate(affine, orientation, angular_velocity));
    ph_mat3 U = ph_mat_add(ph_identity(), ph_mat_madd(E, -0.5, E2));
    U = ph_mat_madd(U, 0.5, ph_mat_mul(E2, E));
    const ph_mat3 U_rate = ph_mat_sub(rate, ph_sym(ph_mat_mul(E, rate)));
    *state = (ph_affine_state){
        .F = ph_mat_mul(R, U),
        .F_rate = ph_mat_mul(R, ph_mat_add(ph_hat_mul(angular_velocity, U), U_rate)),
        .stress = stress,
    };
    return PH_OK;
}

enum { N = 9 };

// A x = b by elimination with row exchanges; x in place of b. false when singular.
static bool solve(double A[N][N], double *b)
{
    for (int k = 0; k < N; k++) {
        int p = k;
        for (int i = k + 1; i < N; i++)
            if (fabs(A[i][k]) > fabs(A[p][k])) p = i;
        if (!(fabs(A[p][k]) > 0.0)) return false;
        for (int j = 0; j < N; j++) {
            const double t = A[k][j];
            A[k][j] = A[p][j], A[p][j] = t;
        }
        const double t = b[k];
        b[k] = b[p], b[p] = t;
        for (int i = k + 1; i < N; i++) {
            const double f = A[i][k] / A[k][k];
            for (int j = k; j < N; j++) A[i][j] -= f * A[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int k = N - 1; k >= 0; k--) {
        for (int j = k + 1; j < N; j++) b[k] -= A[k][j] * b[j];
        b[k] /= A[k][k];
    }
    return true;
}

// (1) over h: 2/h ((F_1 - F_0)/h - F'_0) K + V F S~ - Q
static ph_mat3 residual(const ph_affine *a, const ph_affine_state *s, ph_mat3 F, double h, ph_mat3 *mean)
{
    const ph_mat3 middle = ph_mat_scale(0.5, ph_mat_add(s->F, F));
    *mean = stress_of(a, ph_mat_scale(0.5, ph_mat_add(strain(s->F), strain(F))));
    const ph_mat3 change = ph_mat_sub(ph_mat_scale(1.0 / h, ph_mat_sub(F, s->F)), s->F_rate);
    const ph_mat3 inertia = ph_mat_scale(2.0 / h, ph_mat_mul(change, a->K));
    return ph_mat_sub(ph_mat_add(inertia, ph_mat_mul(middle, *mean)), ph_outer(a->gravity, a->moment));
}

// Its derivative along D: 2/h^2 D K + 1/2 D V S~ + 1/2 F V S(sym F_1^T D)
static ph_mat3 residual_along(const ph_affine *a, const ph_affine_state *s, ph_mat3 F, double h, ph_mat3 mean,
                              ph_mat3 D)
{
    const ph_mat3 middle = ph_mat_scale(0.5, ph_mat_add(s->F, F));
    const ph_mat3 stiff = stress_of(a, ph_sym(ph_mat_tmul(F, D)));
    ph_mat3 G = ph_mat_scale(2.0 / (h * h), ph_mat_mul(D, a->K));
    G = ph_mat_madd(G, 0.5, ph_mat_mul(D, mean));
    return ph_mat_madd(G, 0.5, ph_mat_mul(middle, stiff));
}

// An update of F_1 by Newton's method; its size, or a negative number.
static double improve(const ph_affine *a, const ph_affine_state *s, ph_mat3 *F, double h)
{
    double A[N][N], b[N], size = 0.0;
    ph_mat3 mean;
    const ph_mat3 G = residual(a, s, *F, h, &mean);
    for (int k = 0; k < N; k++) {
        ph_mat3 D = ph_mat_zero();
        D.m[k / 3][k % 3] = 1.0;
        const ph_mat3 column = residual_along(a, s, *F, h, mean, D);
        for (int i = 0; i < N; i++) A[i][k] = column.m[i / 3][i % 3];
        b[k] = -G.m[k / 3][k % 3];
    }
    if (!solve(A, b)) return -1.0;
    for (int k = 0; k < N; k++) {
        F->m[k / 3][k % 3] += b[k];
        size = fmax(size, fabs(b[k]));
    }
    return size;
}

ph_status ph_affine_step(const ph_affine *affine, ph_affine_state *state, double h)
{
    if (!affine || !state || !isfinite(h) || h == 0.0) return PH_BAD_ARGUMENT;
    enum { MOST = 30 };
    ph_mat3 F = ph_mat_madd(state->F, h, state->F_rate);
    double size = 1.0, before = 2.0;
    for (int k = 0; k < MOST && size > 1e-15 && !(size < 1e-12 && size >= 0.5 * before); k++) {
        before = size;
        size = improve(affine, state, &F, h);
        if (size < 0.0) return PH_SINGULAR;
    }
    if (!(size < 1e-12)) return PH_NO_CONVERGENCE;
    residual(affine, state, F, h, &state->stress);
    const ph_mat3 chord = ph_mat_scale(2.0 / h, ph_mat_sub(F, state->F));
    state->F_rate = ph_mat_sub(chord, state->F_rate);
    state->F = F;
    state->time += h;
    return PH_OK;
}

static double product(ph_mat3 A, ph_mat3 B)
{
    return ph_trace(ph_mat_tmul(A, B));
}

double ph_affine_energy(const ph_affine *affine, const ph_affine_state *state)
{
    if (!affine || !state) return 0.0;
    const ph_mat3 E = strain(state->F);
    return 0.5 * product(state->F_rate, ph_mat_mul(state->F_rate, affine->K)) + 0.5 * product(E, stress_of(affine, E)) -
           ph_dot(affine->gravity, ph_mul(state->F, affine->moment));
}

// sum x x m x' = the axial vector of F' K F^T - F K F'^T
ph_vec3 ph_affine_momentum(const ph_affine *affine, const ph_affine_state *state)
{
    if (!affine || !state) return ph_zero3();
    const ph_mat3 A = ph_mat_mult(ph_mat_mul(state->F_rate, affine->K), state->F);
    return ph_vec(A.m[2][1] - A.m[1][2], A.m[0][2] - A.m[2][0], A.m[1][0] - A.m[0][1]);
}
