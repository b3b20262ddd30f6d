// Forces that a program computes itself (polhode/callback.h): L and Q of each body in, wrench out.

#include "forces/callback.h"

#include "forces/derivative.h"
#include "math/mat3.h"
#include "math/so3.h"

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

typedef struct pair_load { // on `body` and on `other`
    ph_wrench on[2];
} pair_load;

static pair_load ask(const force *f, const ph_body_motion bodies[2], double time)
{
    const ph_callback_def *def = &f->callback->def;
    ph_load loads[2] = {0};
    def->force(bodies, time, def->user, loads);
    return (pair_load){{{ph_tmul(bodies[0].rotation, ph_load_torque(&loads[0])), loads[0].L},
                        {ph_tmul(bodies[1].rotation, ph_load_torque(&loads[1])), loads[1].L}}};
}

static void act(const force *f, const motion *at, exertion *out)
{
    ph_body_motion bodies[2];
    look(f, at, bodies);
    const pair_load w = ask(f, bodies, at->time);
    out->b = w.on[0];
    out->a = w.on[1];
    if (f->does_work) {
        out->work_b = w.on[0];
        out->work_a = w.on[1];
    }
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

// ---- Its derivative -------------------------------------------------------------------------------------------------

// As told: rows and rotations from world axes to body axes, alpha = R theta and d(R^T tau) = R^T (d tau + tau~ R theta).
static void derive_as_told(const force *f, const motion *at, const ph_body_motion bodies[2], derivative *to)
{
    const ph_callback_def *def = &f->callback->def;
    const int index[2] = {f->b, f->a};
    const pair_load load = ask(f, bodies, at->time);
    ph_load_derivative told = {0};
    def->derivative(bodies, at->time, def->user, &told);
    for (int x = 0; x < 2; x++) {
        for (int y = 0; y < 2; y++) {
            double by[2][36] = {{0}};
            for (int e = 0; e < 8; e++) { // 3x3 parts: of positions, then of velocities
                const int row = e / 2 % 2, column = e % 2;
                double(*from)[6] = e < 4 ? told.position[x][y] : told.velocity[x][y];
                ph_mat3 M;
                for (int k = 0; k < 9; k++) M.m[k / 3][k % 3] = from[3 * row + k / 3][3 * column + k % 3];
                if (row == 0) M = ph_mat_tmul(bodies[x].rotation, M);
                if (column == 0 && e < 4) M = ph_mat_mul(M, bodies[y].rotation);
                block_add(by[e / 4], 3 * row, 3 * column, 1.0, M);
            }
            if (x == y) block_add(by[0], 0, 0, 1.0, ph_hat(load.on[x].torque));
            to->add(to->user, index[x], index[y], by[0], by[1]);
        }
    }
}

static double *entry(ph_vec3 *v, int k)
{
    return k == 0 ? &v->x : k == 1 ? &v->y : &v->z;
}

// Moves a body along direction k, 0 to 5 its position and 6 to 11 its velocity, and returns by how much.
static double nudge(ph_body_motion *body, int k, double step)
{
    ph_vec3 angle = ph_zero3();
    if (k < 3) {
        *entry(&angle, k) = step;
        body->rotation = ph_mat_mul(body->rotation, ph_so3_exp(angle));
        return step;
    }
    double *x = entry(k < 6 ? &body->position : k < 9 ? &body->angular_velocity : &body->velocity, k % 3);
    const double before = *x;
    *x += step;
    return *x - before; // what rounding left of it
}

// How far to go in each kind of direction: a small part of the size of the bodies, of their distance and of their speed.
static double step_of(const force *f, const ph_body_motion bodies[2], int k, bool central)
{
    const ph_body_motion *b = &bodies[0], *a = &bodies[1];
    double length = sqrt(ph_trace(b->inertia) / b->mass);
    double speed = ph_norm(b->velocity) + ph_norm(b->angular_velocity) * length;
    if (f->callback->def.other != PH_NONE) {
        length += ph_norm(ph_sub(a->position, b->position));
        speed += ph_norm(a->velocity) + ph_norm(a->angular_velocity) * length;
    }
    speed += length; // in a second, for what is at rest
    const double part = central ? 1e-5 : 1e-7;
    return part * (k < 3 ? 1.0 : k < 6 ? length : k < 9 ? speed / length : speed);
}

static void derive_along(const force *f, const motion *at, const ph_body_motion bodies[2], const pair_load *here, int y,
                         int k, bool central, double by[2][2][36])
{
    ph_body_motion moved[2] = {bodies[0], bodies[1]};
    double way = nudge(&moved[y], k, step_of(f, bodies, k, central));
    const pair_load there = ask(f, moved, at->time);
    pair_load back = *here;
    if (central) {
        moved[y] = bodies[y];
        way -= nudge(&moved[y], k, -way);
        back = ask(f, moved, at->time);
    }
    for (int x = 0; x < 2; x++) {
        const ph_vec3 torque = ph_sub(there.on[x].torque, back.on[x].torque);
        const ph_vec3 force = ph_sub(there.on[x].force, back.on[x].force);
        const double column[6] = {torque.x, torque.y, torque.z, force.x, force.y, force.z};
        for (int r = 0; r < 6; r++) by[x][k / 6][6 * r + k % 6] = column[r] / way;
    }
}

static void derive_by_differences(const force *f, const motion *at, const ph_body_motion bodies[2], derivative *to)
{
    const int index[2] = {f->b, f->a};
    const int first = to->position ? 0 : 6, last = to->velocity && f->needs_velocity ? 12 : 6;
    const pair_load here = ask(f, bodies, at->time);
    for (int y = 0; y < (f->callback->def.other == PH_NONE ? 1 : 2); y++) {
        double by[2][2][36] = {{{0}}};
        for (int k = first; k < last; k++) derive_along(f, at, bodies, &here, y, k, to->central, by);
        for (int x = 0; x < 2; x++) to->add(to->user, index[x], index[y], by[x][0], by[x][1]);
    }
}

static void derive(const force *f, const motion *at, derivative *to)
{
    ph_body_motion bodies[2];
    look(f, at, bodies);
    if (f->callback->def.derivative)
        derive_as_told(f, at, bodies, to);
    else
        derive_by_differences(f, at, bodies, to);
}

static bool yes(const force *f)
{
    (void)f;
    return true;
}

const force_type force_callback_potential = {
    .name = "callback",
    .title = "a force that has a potential, computed by the program",
    .act = act,
    .derive = derive,
    .moments = moments,
    .potential = potential,
};

const force_type force_callback_work = {
    .name = "callback",
    .title = "a force without potential, computed by the program",
    .needs_velocity = yes,
    .does_work = yes,
    .act = act,
    .derive = derive,
    .moments = moments,
};
