// The variational integrator of motors: in a step every body moves on the screw that leads from node to node.
//
// With g the motor of a body, zeta the twist in body axes for which g_+ = g exp(zeta/2), and N0 its inertia, the action of
// a step is that of the constant velocity zeta/h, <N0 zeta, zeta>/(2h). In Cl(0,6,2), P the momentum seen from the inertial
// frame and W the wrench of forces and joints at a node, making the sum of the actions stationary gives
//
//     P_+ = P + h/2 W_n,     g~* P_+ g~ = dexp^-T(zeta) N0 zeta/h,     g_{n+1} = g exp(zeta/2)                     (1)
//     P_{n+1} = P_+ + h/2 W_{n+1}                                                                                  (2)
//
// Between the nodes the momentum is one and the same co-screw: dexp^-T(-zeta), which the other end sees in its axes, is
// that of (1) moved by the step.
//
// A screw is a turn f about the centre of mass with the shift w = R^T (x_+ - x) of it. The body velocity of that point is
// V^-1(f) w/h, V^-T V^-1 = I - kappa f~^2, so that the action is that of rattlie and a term for the way round the helix:
//
//     S = 1/(2h) (f.Jf + m |w|^2) + m kappa/(2h) |f x w|^2,     kappa = ((x/2)^2 / sin^2(x/2) - 1)/x^2,  x = |f|   (3)
//
// Stages, joints and forces are those of rattlie therefore, with what the derivatives of the last term add to the momenta:
// with s = f x w, t = w x s, r = f x s, e = f.w and D = (1/x) d/dx
//
//     a = m/h (kappa t + 1/2 Dkappa |s|^2 f + 1/2 kappa e s - c kappa e r),   angular, in the body axes of either end  (4)
//     b = -m/h kappa R r,                                                     linear, the same at both                 (5)
//
// S does not change when the point of reference of the body does, as that of rattlie would: about a fixed point the screw is
// the turn about that point. But it knows how fast the frame moves: see docs/schemes/clifford-vi.md.
#include "math/mat3.h"
#include "schemes/rattlie.h"

extern const ph_scheme scheme_clifford_vi;

typedef struct helix { // of one body in a step
    ph_vec3 f, w, s, t, r;
    double e, s2;
    double kappa, d_kappa, d2_kappa, c_kappa, d_c_kappa; // c_kappa: c kappa
} helix;

typedef struct extra { // a and b of (4) and (5), for the end of the step
    ph_vec3 angular, linear;
} extra;

// kappa = 1/4 - 2 c + c^2 x^2 and its derivatives
static void set_coefficients(helix *k)
{
    ph_so3 q;
    ph_so3_second second;
    ph_so3_coefficients_second(k->f, &q, &second);
    const double c = q.c, d = q.d_c, one = 1.0 - c * q.x2;
    k->kappa = 0.25 - c - c * one;
    k->d_kappa = 2.0 * (c * c - d * one);
    k->d2_kappa = 2.0 * (4.0 * c * d + d * d * q.x2 - second.d2_c * one);
    k->c_kappa = c * k->kappa;
    k->d_c_kappa = d * k->kappa + c * k->d_kappa;
}

static helix helix_of(const variational *s, double h, int k)
{
    const body_stage *stage = &s->stage[k];
    helix y = {.f = ph_scale(h, stage->omega),
               .w = ph_scale(h, ph_tmul(s->here.frames[s->model->moving[k]].R, stage->v))};
    y.s = ph_cross(y.f, y.w);
    y.t = ph_cross(y.w, y.s);
    y.r = ph_cross(y.f, y.s);
    y.e = ph_dot(y.f, y.w);
    y.s2 = ph_norm2(y.s);
    set_coefficients(&y);
    return y;
}

// (4), (5)
static extra momenta(const variational *s, double h, int k, const helix *y)
{
    const int b = s->model->moving[k];
    const double rate = s->model->bodies[b].kind->mass / h;
    const ph_vec3 along = ph_madd(ph_scale(y->kappa, y->t), 0.5 * y->d_kappa * y->s2, y->f);
    const ph_vec3 across = ph_madd(ph_scale(0.5 * y->kappa, y->s), -y->c_kappa, y->r);
    return (extra){ph_scale(rate, ph_madd(along, y->e, across)),
                   ph_scale(-rate * y->kappa, ph_mul(s->here.frames[b].R, y->r))};
}

// ---- Derivatives of h/m a and -h/m R^T b by f and w -----------------------------------------------------------------

static ph_mat3 r_by_f(const helix *y)
{
    const ph_mat3 M = ph_mat_madd(ph_outer(y->f, y->w), -2.0, ph_outer(y->w, y->f));
    return ph_mat_madd(M, y->e, ph_identity());
}

static ph_mat3 r_by_w(const helix *y)
{
    return ph_mat_madd(ph_outer(y->f, y->f), -ph_norm2(y->f), ph_identity());
}

static ph_mat3 a_by_f(const helix *y)
{
    ph_mat3 M = ph_mat_scale(y->kappa * ph_norm2(y->w) + 0.5 * y->d_kappa * y->s2, ph_identity());
    M = ph_mat_madd(M, -y->kappa, ph_outer(y->w, y->w));
    M = ph_mat_madd(M, y->d_kappa, ph_outer(y->f, y->t));
    M = ph_mat_madd(M, -0.5 * y->kappa * y->e, ph_hat(y->w));
    M = ph_mat_madd(M, -y->c_kappa * y->e, r_by_f(y));
    const ph_vec3 by_w = ph_madd(ph_scale(0.5 * y->kappa, y->s), -y->c_kappa, y->r);
    ph_vec3 by_x = ph_madd(ph_scale(y->d_kappa, y->t), 0.5 * y->d2_kappa * y->s2, y->f);
    by_x = ph_madd(ph_madd(by_x, 0.5 * y->e * y->d_kappa, y->s), -y->d_c_kappa * y->e, y->r);
    return ph_mat_add(M, ph_mat_add(ph_outer(by_w, y->w), ph_outer(by_x, y->f)));
}

static ph_mat3 a_by_w(const helix *y)
{
    ph_mat3 M = ph_mat_scale(2.0 * y->kappa, ph_outer(y->f, y->w));
    M = ph_mat_madd(M, -y->kappa * y->e, ph_identity());
    M = ph_mat_madd(M, -y->kappa, ph_outer(y->w, y->f));
    M = ph_mat_madd(M, -y->d_kappa, ph_outer(y->f, y->r));
    M = ph_mat_madd(M, 0.5 * y->kappa * y->e, ph_hat(y->f));
    M = ph_mat_madd(M, -y->c_kappa * y->e, r_by_w(y));
    const ph_vec3 by_e = ph_madd(ph_scale(0.5 * y->kappa, y->s), -y->c_kappa, y->r);
    return ph_mat_add(M, ph_outer(by_e, y->f));
}

// Adds scale * K to rows `row` on and columns `column` on of a column-major 6x6 block.
static void add_block(double *block, int row, int column, double scale, ph_mat3 K)
{
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) block[6 * (column + c) + row + r] += scale * K.m[r][c];
}

// df = h dOmega_+, dw = h R^T dv_+
static void add_derivatives(const variational *s, int k, const helix *y, double *block)
{
    const int b = s->model->moving[k];
    const double m = s->model->bodies[b].kind->mass;
    const ph_mat3 R = s->here.frames[b].R;
    const ph_mat3 by_f = ph_mat_madd(ph_mat_scale(y->d_kappa, ph_outer(y->r, y->f)), y->kappa, r_by_f(y));
    add_block(block, 0, 0, m, a_by_f(y));
    add_block(block, 0, 3, m, ph_mat_mult(a_by_w(y), R));
    add_block(block, 3, 0, -m, ph_mat_mul(R, by_f));
    add_block(block, 3, 3, -m * y->kappa, ph_mat_mul(R, ph_mat_mult(r_by_w(y), R)));
}

// ---- In the stages of rattlie ---------------------------------------------------------------------------------------

static bool prepare(variational *s)
{
    s->kind = KKT_FULL;
    s->extra = arena_alloc_array(s->memory, (size_t)s->model->moving_count + 1, sizeof(extra));
    return s->extra != NULL;
}

static void assemble(variational *s, double h, bool blocks)
{
    for (int k = 0; k < s->model->moving_count; k++) {
        const helix y = helix_of(s, h, k);
        const extra p = momenta(s, h, k, &y);
        double *x = kkt_body_x(&s->kkt, k);
        x[0] -= p.angular.x, x[1] -= p.angular.y, x[2] -= p.angular.z;
        x[3] -= p.linear.x, x[4] -= p.linear.y, x[5] -= p.linear.z;
        if (blocks) add_derivatives(s, k, &y, kkt_body(&s->kkt, k));
    }
}

// What the helix has of the momenta is put aside at the start of the step and given back at its end.
static void push(variational *s, double h, bool at_end)
{
    extra *p = s->extra;
    const double sign = at_end ? 1.0 : -1.0;
    for (int k = 0; k < s->model->moving_count; k++) {
        if (!at_end) {
            const helix y = helix_of(s, h, k);
            p[k] = momenta(s, h, k, &y);
        }
        s->stage[k].momentum = ph_madd(s->stage[k].momentum, sign, p[k].angular);
        s->stage[k].impulse = ph_madd(s->stage[k].impulse, sign, p[k].linear);
    }
}

static const variational_rule rule = {
    .turn = turn_rattlie,
    .momentum = momentum_rattlie,
    .weigh = weigh_rattlie,
    .rotation = rotation_geodesic,
    .limit = half_turn,
    .prepare = prepare,
    .assemble = assemble,
    .push = push,
};

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    return variational_create(model, &scheme_clifford_vi, settings, &rule, self, error);
}

const ph_scheme scheme_clifford_vi = {
    .name = "clifford-vi",
    .title = "Variational integrator of motors in Cl(0,6,2): screws from node to node",
    .reference = "Selig and Bayro-Corrochano 2010; Hante and Arnold 2021, on SE(3)",
    .order = 2,
    .traits = PH_SYMPLECTIC | PH_TIME_REVERSIBLE | PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT |
              PH_KEEPS_MOMENTUM | PH_ROLLS_REVERSIBLY,
    .create = create,
    .advance = variational_advance,
    .destroy = variational_destroy,
};
