// Forces that a program computes itself (polhode/callback.h): L and Q of each body in, wrench out.

#include "forces/callback.h"

#include "math/mat3.h"

// ---- Loads ----------------------------------------------------------------------------------------------------------

void ph_load_add_force(ph_load *load, ph_vec3 force, ph_vec3 arm)
{
    if (!load) return;
    load->L = ph_add(load->L, force);
    load->Q = ph_mat_add(load->Q, ph_outer(force, arm));
}

// Half the skew matrix of the torque: its axial part is the torque, and it has no symmetric part.
void ph_load_add_torque(ph_load *load, ph_vec3 torque)
{
    if (!load) return;
    load->Q = ph_mat_madd(load->Q, 0.5, ph_hat(torque));
}

ph_vec3 ph_load_torque(const ph_load *load)
{
    if (!load) return ph_zero3();
    const double(*Q)[3] = load->Q.m;
    return ph_vec(Q[2][1] - Q[1][2], Q[0][2] - Q[2][0], Q[1][0] - Q[0][1]);
}

// Point k of six, from the centre of mass, world axes.
static ph_vec3 quadrature_point(const ph_body_motion *body, int k)
{
    const ph_vec3 b = ph_mul(body->rotation, ph_mat_col(body->spread, k % 3));
    return k < 3 ? b : ph_neg(b);
}

void ph_load_add_density(ph_load *load, const ph_body_motion *body, ph_density_function density, double time,
                         void *user)
{
    if (!load || !body || !density) return;
    for (int k = 0; k < 6; k++) {
        const ph_vec3 b = quadrature_point(body, k);
        const ph_vec3 f = density(ph_add(body->position, b), time, user);
        ph_load_add_force(load, ph_scale(body->mass / 6.0, f), b);
    }
}

double ph_density_potential(const ph_body_motion *body, ph_density_potential_function potential, double time,
                            void *user)
{
    if (!body || !potential) return 0.0;
    double U = 0.0;
    for (int k = 0; k < 6; k++) {
        U += body->mass / 6.0 * potential(ph_add(body->position, quadrature_point(body, k)), time, user);
    }
    return U;
}

// Columns sqrt(3 K_i/m) along the principal axes of K = 1/2 tr(J) 1 - J. A K_i of a thin body may be round-off below zero.
ph_mat3 callback_spread(double mass, ph_mat3 J)
{
    ph_vec3 K;
    ph_mat3 E;
    if (!(mass > 0.0)) {
        return ph_mat_zero();
    }
    ph_eig3(ph_mat_sub(ph_mat_scale(0.5 * ph_trace(J), ph_identity()), J), &K, &E);
    const ph_vec3 s = {sqrt(3.0 * ph_max(K.x, 0.0) / mass), sqrt(3.0 * ph_max(K.y, 0.0) / mass),
                       sqrt(3.0 * ph_max(K.z, 0.0) / mass)};
    return ph_mat_mul(E, ph_diag(s));
}

// ---- The element ----------------------------------------------------------------------------------------------------

static void look(const force *f, const motion *at, ph_body_motion bodies[2])
{
    const int index[2] = {f->b, f->a};
    for (int k = 0; k < 2; k++) {
        const frame *frame = &at->frames[index[k]];
        bodies[k] = f->callback->bodies[k];
        bodies[k].position = frame->x;
        bodies[k].rotation = frame->R;
        if (at->twists) {
            bodies[k].velocity = at->twists[index[k]].v;
            bodies[k].angular_velocity = at->twists[index[k]].omega;
        }
    }
}

static void ask(const force *f, const motion *at, ph_wrench *on_a, ph_wrench *on_b)
{
    const ph_callback_def *def = &f->callback->def;
    ph_body_motion bodies[2];
    ph_load loads[2] = {0};
    look(f, at, bodies);
    def->force(bodies, at->time, def->user, loads);
    *on_b = (ph_wrench){ph_tmul(bodies[0].rotation, ph_load_torque(&loads[0])), loads[0].L};
    *on_a = (ph_wrench){ph_tmul(bodies[1].rotation, ph_load_torque(&loads[1])), loads[1].L};
}

static void add(ph_wrench *Q, ph_wrench w)
{
    *Q = (ph_wrench){ph_add(Q->torque, w.torque), ph_add(Q->force, w.force)};
}

static void apply(const force *f, const motion *at, ph_wrench *Q)
{
    ph_wrench on_a, on_b;
    ask(f, at, &on_a, &on_b);
    add(&Q[f->a], on_a);
    add(&Q[f->b], on_b);
}

static void moments(const force *f, const motion *at, ph_mat3 *W)
{
    const ph_callback_def *def = &f->callback->def;
    ph_body_motion bodies[2];
    ph_load loads[2] = {0};
    look(f, at, bodies);
    def->force(bodies, at->time, def->user, loads);
    W[f->b] = ph_mat_add(W[f->b], loads[0].Q);
    W[f->a] = ph_mat_add(W[f->a], loads[1].Q);
}

static double potential(const force *f, const motion *at)
{
    const ph_callback_def *def = &f->callback->def;
    ph_body_motion bodies[2];
    look(f, at, bodies);
    return def->potential(bodies, at->time, def->user);
}

static double pair(ph_wrench w, ph_twist v)
{
    return ph_dot(w.torque, v.omega) + ph_dot(w.force, v.v);
}

static double power(const force *f, const motion *at)
{
    ph_wrench on_a, on_b;
    ask(f, at, &on_a, &on_b);
    return pair(on_a, at->twists[f->a]) + pair(on_b, at->twists[f->b]);
}

const force_type force_callback_potential = {
    .name = "callback",
    .title = "a force that has a potential, computed by the program",
    .apply = apply,
    .moments = moments,
    .potential = potential,
};

const force_type force_callback_work = {
    .name = "callback",
    .title = "a force without potential, computed by the program",
    .apply = apply,
    .moments = moments,
    .power = power,
};
