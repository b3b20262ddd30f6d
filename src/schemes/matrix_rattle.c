// Rotation matrices without parametrisation: R is a free 3x3 matrix, held to R^T R = I by a symmetric multiplier Lambda.
//
// Each body is (R, a), a the position of any of its points A (`reference` of the model). With K0 = int b (x) b dm and
// c0 = G - A, both from A in body axes, the mass matrix is constant:                       Vallee et al. 1999, (1.3)
//
//     R'' K0 + m a'' (x) c0 = Q + R Lambda,     m (a'' + R'' c0) = L,     R^T R = I
//
// RATTLE for it, with the momenta P = R' K0 + m a' (x) c0 and p = m (a' + R' c0):
//
//     (R_+ - R) K0/h + m (a_+ - a)/h (x) c0 = P_n + h/2 (Q_n + R_n Lambda_n^+),   R_+ and the joints on their constraints
//     P_{n+1} = (the same left side)        + h/2 (Q_{n+1} + R_{n+1} Lambda_{n+1}^-),   R^T R' skew, B v = 0
//
// It is the discrete action of lgvi: each mass point moves on a chord. The skew part of R^T times these equations is
// lgvi's step for any A, so the motion is found by its stages, where a planar body (K0 singular) is like any other. The
// symmetric parts then give Lambda. With D = R^T (R_+ - R)/h - Omega~ and u = R^T (v_+ - v) - D c0, the jump of a':
//
//     Lambda_n^+     =  2/h sym(D K0 + m u (x) c0) - sym(R^T Q_n)                                                 (1)
//     Lambda_{n+1}^- = the same with -h at the other end of the step, seen backwards                              (2)
//
// Q holds all loads and joint reactions: Q = (sum f (x) b) R, b from A to where f acts; couples as skew parts. Then
// int sigma dv = -R Lambda R^T. One stage alone is off by O(h); the mean of both at a node by O(h^2).
#include "dynamics/moments.h"
#include "math/mat3.h"
#include "schemes/kinetic_chord.h"

#include <string.h>

extern const ph_scheme scheme_matrix_rattle;

typedef struct point_inertia { // about the point A, body axes
    ph_mat3 K;
    ph_vec3 c; // from A to the centre of mass
} point_inertia;

typedef struct matrix_rattle {
    variational *stages;
    ph_state *next;          // for looking one step ahead
    point_inertia *inertia;  // by moving body
    ph_mat3 *W;              // moments of loads about the centres of mass, model_places
    ph_mat3 *before, *after; // Lambda^- and Lambda^+ at a node, by moving body
    ph_wrench *Q;            // scratch
} matrix_rattle;

// ---- Life -----------------------------------------------------------------------------------------------------------

static void destroy(void *self)
{
    matrix_rattle *s = self;
    ph_state_destroy(s->next);
    if (s->stages) variational_destroy(s->stages); // and all the rest, which lives in its memory
}

// K = 1/2 tr(J) I - J about the centre of mass, moved to A
static point_inertia inertia_about_reference(const body *body)
{
    const ph_vec3 c = ph_sub(body->kind->com, body->kind->reference);
    const ph_mat3 K = ph_mat_sub(ph_mat_scale(0.5 * ph_trace(body->kind->J), ph_identity()), body->kind->J);
    return (point_inertia){ph_mat_madd(K, body->kind->mass, ph_outer(c, c)), c};
}

static bool make_room(const ph_model *model, matrix_rattle *s)
{
    arena *memory = s->stages->memory;
    const size_t bodies = model_places(model);
    s->next = ph_state_create(model);
    s->inertia = arena_alloc_array(memory, bodies, sizeof *s->inertia);
    s->W = arena_alloc_array(memory, bodies, sizeof *s->W);
    s->before = arena_alloc_array(memory, bodies, sizeof *s->before);
    s->after = arena_alloc_array(memory, bodies, sizeof *s->after);
    s->Q = arena_alloc_array(memory, bodies, sizeof *s->Q);
    return s->next && s->inertia && s->W && s->before && s->after && s->Q;
}

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    void *stages = NULL;
    const ph_status status = variational_create(model, &scheme_matrix_rattle, settings, &rule_chord, &stages, error);
    if (status != PH_OK) return status;
    matrix_rattle *s = arena_alloc(((variational *)stages)->memory, sizeof *s);
    if (s) *s = (matrix_rattle){.stages = stages};
    if (!s || !make_room(model, s)) {
        if (s) ph_state_destroy(s->next);
        variational_destroy(stages);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    for (int k = 0; k < model->moving_count; k++)
        s->inertia[k] = inertia_about_reference(&model->bodies[model->moving[k]]);
    *self = s;
    return PH_OK;
}

// ---- The multipliers ------------------------------------------------------------------------------------------------

// W = sum f (x) b at a node, from the centres of mass; lambda = scale * `multipliers`
static void set_moments(matrix_rattle *s, const node *at, const double *(*multipliers)(variational *, int),
                        double scale)
{
    const ph_model *model = s->stages->model;
    memset(s->W, 0, sizeof *s->W * model_places(model));
    moments_add_forces(model, &at->motion, 0, s->W);
    for (int j = 0; j < model->joint_count; j++)
        moments_add_reactions(model, &at->motion, j, multipliers(s->stages, j), scale, s->W);
}

static const double *leaving(variational *s, int j) // h lambda
{
    return s->lambda + s->model->joints[j].first_row;
}

static const double *arriving(variational *s, int j) // h/2 lambda
{
    return s->phi + s->model->joints[j].first_row;
}

// Sum of the forces on a body times h/2 is the jump of its linear momentum, so that about A
// R^T Q = R^T W R + (2/h) m R^T (v_+ - v) (x) c0.
static ph_mat3 multiplier(const matrix_rattle *s, const node *at, int k, double h, ph_vec3 v)
{
    const int b = s->stages->model->moving[k];
    const double m = s->stages->model->bodies[b].kind->mass, rate = 2.0 / h;
    const point_inertia *I = &s->inertia[k];
    const body_stage *stage = &s->stages->stage[k];
    const ph_mat3 R = at->frames[b].R;
    // F - I = alpha f~ + beta f~^2 without the cancellation; backwards f and h change their signs, Omega_+ does not
    const ph_vec3 f = ph_scale(h, stage->omega);
    const ph_so3 c = ph_so3_coefficients(f);
    const ph_vec3 linear = ph_sub(ph_scale(c.alpha, stage->omega), at->twists[b].omega);
    const ph_mat3 square = ph_hat_mul(stage->omega, ph_hat(stage->omega));
    const ph_mat3 D = ph_mat_madd(ph_hat(linear), c.beta * h, square);
    const ph_vec3 jump = ph_tmul(R, ph_sub(v, at->twists[b].v)), u = ph_sub(jump, ph_mul(D, I->c));
    const ph_mat3 inertia = ph_mat_madd(ph_mat_mul(D, I->K), m, ph_outer(u, I->c));
    const ph_mat3 Q = ph_mat_madd(ph_mat_tmul(R, ph_mat_mul(s->W[b], R)), rate * m, ph_outer(jump, I->c));
    return ph_sym(ph_mat_madd(ph_mat_scale(-1.0, Q), rate, inertia));
}

// Lambda of the node that the last step left, (1): the nodes have changed places since.
static void find_leaving(matrix_rattle *s, double h, ph_mat3 *Lambda)
{
    set_moments(s, &s->stages->there, leaving, 1.0 / h);
    for (int k = 0; k < s->stages->model->moving_count; k++)
        Lambda[k] = multiplier(s, &s->stages->there, k, h, s->stages->stage[k].v);
}

// Lambda of the node where it arrived, (2).
static void find_arriving(matrix_rattle *s, const ph_state *state, double h, ph_mat3 *Lambda)
{
    node_set_twists(s->stages->model, state->angular_velocity, state->velocity, &s->stages->here);
    set_moments(s, &s->stages->here, arriving, 2.0 / h);
    for (int k = 0; k < s->stages->model->moving_count; k++)
        Lambda[k] = multiplier(s, &s->stages->here, k, -h, s->stages->stage[k].v);
}

// ---- The step -------------------------------------------------------------------------------------------------------

// In the history of a state, behind what the stages keep there: Lambda^- of the moving bodies.
static ph_mat3 *arrived(const variational *s, const double *history)
{
    return (ph_mat3 *)(history + variational_history(s));
}

static ph_status advance(void *self, ph_state *state, double h, long long count, ph_step_report *report)
{
    matrix_rattle *s = self;
    const ph_status status = variational_advance(s->stages, state, h, count, report);
    if (status == PH_OK) find_arriving(s, state, h, arrived(s->stages, state->history));
    return status;
}

// The stage that leaves is found by looking one step ahead; at a start, the one that arrives by looking back.
static ph_status look(matrix_rattle *s, const ph_state *state, double h, ph_mat3 *Lambda)
{
    ph_step_report report;
    ph_state_copy(s->next, state);
    const ph_status status = variational_advance(s->stages, s->next, h, 1, &report);
    if (status == PH_OK) find_leaving(s, h, Lambda);
    s->stages->here_valid = false;
    return status;
}

// Mean of both stages, for every body.
static ph_status multipliers(void *self, const ph_state *state, double h, ph_mat3 *Lambda)
{
    matrix_rattle *s = self;
    const ph_model *model = s->stages->model;
    const double *past = state_past(state, &scheme_matrix_rattle);
    ph_status status = PH_OK;
    if (past)
        memcpy(s->before, arrived(s->stages, past), sizeof *s->before * (size_t)model->moving_count);
    else
        status = look(s, state, -h, s->before);
    if (status == PH_OK) status = look(s, state, h, s->after);
    for (int b = 0; status == PH_OK && b < model->body_count; b++) {
        const int k = model->bodies[b].moving;
        Lambda[b] = k < 0 ? ph_mat_zero() : ph_mat_scale(0.5, ph_mat_add(s->before[k], s->after[k]));
    }
    return status;
}

static variational *stages(void *self)
{
    return ((matrix_rattle *)self)->stages;
}

const ph_scheme scheme_matrix_rattle = {
    .name = "matrix-rattle",
    .title = "RATTLE on rotation matrices without parametrisation; gives the mean stress",
    .reference = "Vallee, Hamdouni, Isnard and Fortune 1999, (1.3)",
    .order = 2,
    .traits = PH_SYMPLECTIC | PH_TIME_REVERSIBLE | PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT |
              PH_KEEPS_MOMENTUM | PH_ROLLS_REVERSIBLY,
    .create = create,
    .advance = advance,
    .multipliers = multipliers,
    .stages = stages,
    .destroy = destroy,
};
