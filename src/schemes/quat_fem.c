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
#include "dynamics/system.h"
#include "math/mat3.h"
#include "schemes/midpoint.h"

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

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    const ph_status status = variational_create(model, &scheme_quat_fem, settings, &rule, self, error);
    variational *s = *self;
    if (status == PH_OK) s->here.without = s->there.without = WITHOUT_PULLS;
    return status;
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
    .advance = variational_advance,
    .stages = variational_stages,
    .destroy = variational_destroy,
};
