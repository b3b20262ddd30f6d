// The quaternion time finite element (Xu and Zhong 2014), for any model: |q| = 1 at the nodes, the action of a step from
// quaternions that run straight from node to node.
//
// The action of one step of length h is, for a body about a fixed point,                                        (29)
//
//     S = (2/h) sum_i I_i (q_0^T G_i q_1)^2 - h U((q_0 + q_1)/2) - lambda_0 g(q_0) - lambda_1 g(q_1),   g = q^T q - 1,
//
// and p_0 = -dS/dq_0, p_1 = dS/dq_1. The three numbers q_0^T G_i q_1 are d = Im(conj(q_0) q_1), and with |q| = 1 at both
// nodes q_1 = q_0 (e, d), e = sqrt(1 - d.d): d is the unknown, lambda and the part of p along q drop out, and in body axes
//
//     G/h = 2/h (e J d + d x J d),     F^T G/h = 2/h (e J d - d x J d)
//
// are the angular momenta before and after the step. The kinetic energy (2/h^2) d^T J d is that of points on chords: it
// does not depend on the point of the body that is taken as reference, so centre of mass and rotation about it separate,
// and joints at the nodes make it the action of a multibody system. The potential of gravity and of springs between points
// is taken at the unnormalised midpoint of the reference point and q (midpoint.h); other forces act at the nodes.
//
// e J d + d x J d reaches no further than |d| = sin(pi/4): there is no solution where |Omega| h exceeds about 1.
#include "dynamics/moments.h"
#include "dynamics/system.h"
#include "math/mat3.h"
#include "schemes/midpoint.h"

#include <string.h>

extern const ph_scheme scheme_quat_fem;

// (e, d) for d = h/2 Omega_+
static ph_quat rotation(ph_vec3 omega, double h)
{
    const ph_vec3 d = ph_scale(0.5 * h, omega);
    return (ph_quat){sqrt(1.0 - ph_norm2(d)), d.x, d.y, d.z};
}

static ph_vec3 momentum_chord(const ph_mat3 *J, ph_vec3 omega, double h, ph_quat *F)
{
    *F = rotation(omega, h);
    const ph_vec3 d = ph_vec(F->x, F->y, F->z), y = ph_mul(*J, d);
    return ph_scale(2.0, ph_madd(ph_cross(d, y), F->w, y));
}

// With w = Omega_+ = 2 d/h and y = h/2 J w = J d:
//
//   G  = 2 (e y + d x y)
//   dG = e J + d~ J - y~ - 1/e y d^T
//   T  = e I + d d^T / e - d~
static void turn_chord(const ph_mat3 *J, ph_vec3 omega, double h, turn *turn, kinetic *out)
{
    const ph_quat F = rotation(omega, h);
    const ph_vec3 d = ph_vec(F.x, F.y, F.z), y = ph_mul(*J, d);
    const double e = F.w, over = 1.0 / e;
    const ph_vec3 s = ph_scale(-over, y), t = ph_scale(over, d);
    turn->F = F;
    turn->T = (ph_mat3){{
        {e + t.x * d.x, t.x * d.y + d.z, t.x * d.z - d.y},
        {t.y * d.x - d.z, e + t.y * d.y, t.y * d.z + d.x},
        {t.z * d.x + d.y, t.z * d.y - d.x, e + t.z * d.z},
    }};
    out->G = ph_scale(2.0, ph_madd(ph_cross(d, y), e, y));
    for (int j = 0; j < 3; j++) { // column by column, without the skew part
        const double J0 = J->m[0][j], J1 = J->m[1][j], J2 = J->m[2][j], dj = j == 0 ? d.x : j == 1 ? d.y : d.z;
        out->dG.m[0][j] = e * J0 + (d.y * J2 - d.z * J1) + s.x * dj;
        out->dG.m[1][j] = e * J1 + (d.z * J0 - d.x * J2) + s.y * dj;
        out->dG.m[2][j] = e * J2 + (d.x * J1 - d.y * J0) + s.z * dj;
    }
    out->dG.m[0][1] += y.z, out->dG.m[0][2] -= y.y;
    out->dG.m[1][0] -= y.z, out->dG.m[1][2] += y.x;
    out->dG.m[2][0] += y.y, out->dG.m[2][1] -= y.x;
}

// L = e I + d~
static ph_vec3 weigh_chord(ph_vec3 omega, double h, ph_vec3 w)
{
    const ph_quat F = rotation(omega, h);
    return ph_sub(ph_scale(F.w, w), ph_cross(ph_vec(F.x, F.y, F.z), w));
}

static const variational_rule rule = {
    .turn = turn_chord,
    .momentum = momentum_chord,
    .weigh = weigh_chord,
    .rotation = rotation,
    .limit = 1.0,
    .prepare = midpoint_prepare,
    .assemble = midpoint_assemble,
    .push = midpoint_push,
};

// ---- Momentum and multiplier of the quaternion ----------------------------------------------------------------------
//
// What the elimination of |q| = 1 has dropped: p = 2 q (0, L), L the angular momentum about the reference point in body axes,
// and lambda_0 = 1/2 q_0.dS/dq_0. With all loads written as forces f at points b from the centre of mass, of degree 2 in q,
//
//     2 lambda_0 / h = 4/h^2 d^T J d + sum f.b                                                                    (a)
//
// where joint reactions are those of the stage and forces at the midpoint count as there. The mean of both stages at a node is
// lambda(t) = 2 T - 1/2 q.dU/dq to O(h^2): the virial, or the trace of the integral of the stress over the body.

typedef struct quat_fem {
    variational *stages;
    ph_state *next; // for looking one step ahead and back
    ph_mat3 *W;     // moments of loads, model_places
    double *after;  // 2 lambda_0 / h, by moving body
} quat_fem;

static void destroy(void *self)
{
    quat_fem *s = self;
    ph_state_destroy(s->next);
    variational_destroy(s->stages); // and all the rest, which lives in its memory
}

static ph_status advance(void *self, ph_state *state, double h, long long count, ph_step_report *report)
{
    return variational_advance(((quat_fem *)self)->stages, state, h, count, report);
}

static variational *stages(void *self)
{
    return ((quat_fem *)self)->stages;
}

// (a) at the node that the step before has left: the nodes have changed places since.
static void find_leaving(quat_fem *s, double h)
{
    const ph_model *model = s->stages->model;
    const node *at = &s->stages->there;
    memset(s->W, 0, sizeof *s->W * model_places(model));
    moments_add_forces(model, &at->motion, WITHOUT_PULLS, s->W);
    for (int j = 0; j < model->joint_count; j++)
        moments_add_reactions(model, &at->motion, j, s->stages->lambda + model->joints[j].first_row, 1.0 / h, s->W);
    for (int k = 0; k < model->moving_count; k++) {
        const ph_quat F = s->stages->stage[k].turn.F;
        const ph_vec3 d = ph_vec(F.x, F.y, F.z);
        const body *body = &model->bodies[model->moving[k]];
        s->after[k] = 4.0 / (h * h) * ph_dot(d, ph_mul(body->kind->J, d)) + ph_trace(s->W[model->moving[k]]);
    }
    midpoint_add_virials(s->stages, s->after);
}

// The stage that arrives at a node is the one that leaves it backwards.
static ph_status look(quat_fem *s, const ph_state *state, double h, ph_quaternion *out)
{
    const ph_model *model = s->stages->model;
    ph_step_report report;
    ph_state_copy(s->next, state);
    const ph_status status = variational_advance(s->stages, s->next, h, 1, &report);
    s->stages->here_valid = false;
    if (status != PH_OK) return status;
    find_leaving(s, h);
    for (int k = 0; k < model->moving_count; k++) out[model->moving[k]].lambda += 0.5 * s->after[k];
    return PH_OK;
}

static ph_quat momentum_of(const body *body, ph_quat q, ph_vec3 omega, ph_vec3 v)
{
    const ph_vec3 c = ph_sub(body->kind->com, body->kind->reference);
    const ph_vec3 p = ph_scale(body->kind->mass, ph_quat_rotate(ph_quat_conj(q), v));
    const ph_vec3 L = ph_scale(2.0, ph_add(ph_mul(body->kind->J, omega), ph_cross(c, p)));
    return ph_quat_mul(q, (ph_quat){0.0, L.x, L.y, L.z});
}

static ph_status quaternions(void *self, const ph_state *state, double h, ph_quaternion *out)
{
    quat_fem *s = self;
    const ph_model *model = s->stages->model;
    for (int b = 0; b < model->body_count; b++) {
        out[b] = (ph_quaternion){{0.0, 0.0, 0.0, 0.0}, 0.0};
        if (model->bodies[b].moving >= 0)
            out[b].p =
                momentum_of(&model->bodies[b], state->orientation[b], state->angular_velocity[b], state->velocity[b]);
    }
    const ph_status status = look(s, state, -h, out);
    return status == PH_OK ? look(s, state, h, out) : status;
}

static bool make_room(const ph_model *model, quat_fem *s)
{
    const size_t bodies = model_places(model);
    s->next = ph_state_create(model);
    s->W = arena_alloc_array(s->stages->memory, bodies, sizeof *s->W);
    s->after = arena_alloc_array(s->stages->memory, bodies, sizeof *s->after);
    return s->next && s->W && s->after;
}

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    void *made = NULL;
    const ph_status status = variational_create(model, &scheme_quat_fem, settings, &rule, &made, error);
    if (status != PH_OK) return status;
    variational *stages = made;
    stages->here.without = stages->there.without = WITHOUT_PULLS;
    quat_fem *s = arena_alloc(stages->memory, sizeof *s);
    if (s) *s = (quat_fem){.stages = stages};
    if (!s || !make_room(model, s)) {
        if (s) ph_state_destroy(s->next);
        variational_destroy(stages);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    *self = s;
    return PH_OK;
}

const ph_scheme scheme_quat_fem = {
    .name = "quat-fem",
    .title = "Quaternion time finite element, potential at the midpoint",
    .reference = "Xu and Zhong 2014, (29)-(32)",
    .aliases = "quaternion-fem",
    .order = 2,
    .traits = PH_SYMPLECTIC | PH_TIME_REVERSIBLE | PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT |
              PH_KEEPS_MOMENTUM | PH_ROLLS_REVERSIBLY,
    .create = create,
    .advance = advance,
    .quaternions = quaternions,
    .stages = stages,
    .destroy = destroy,
};
