// Motors and momenta in one inertial frame: the equations of motion as they stand in Cl(0,6,2), with a Lie-group step of
// order 4.
//
// Each body has a motor g, from its axes at the centre of mass to an inertial frame, and a momentum P, a co-screw in that
// frame. With Y0 the inverse inertia in body axes and W the sum of all wrenches on the body, those of joints included:
//
//     g' = 1/2 s g        P' = W        s = E v (Y ^ P),   Y = (g g~) Y0 (g g~)*          (Selig and Bayro-Corrochano)
//
// Momentum in an inertial frame changes by wrenches alone, so there is no gyroscopic term, and a free body keeps linear
// and angular momentum to round-off whatever the step. One inertial frame is as good as another: each body takes, for one
// step, the one in which its centre of mass starts at rest in the origin, so that nothing depends on where the origin of
// the world lies or how fast everything moves. In a step g(t) = exp(z/2) g_n with
//
//     z' = s - 1/2 [z, s] + ...,  the inverse of  s = sum ad^i(z) z' / (i+1)!                         (Munthe-Kaas)
//
// and the classical Runge-Kutta weights on (z, P). Joint wrenches at a stage come from the acceleration-level solve; at
// the end configuration and velocity are projected onto the constraints in the metric of the mass matrix.
#include "math/quat.h"
#include "polhode/clifford_generated.h"
#include "schemes/runge_kutta.h"

extern const ph_scheme scheme_clifford;

typedef struct clifford {
    runge_kutta *rk;
    // By moving body:
    ph_sym4 *Y0;       // inverse inertia, body axes
    ph_motor *g_start; // at the start of the step
    ph_coscrew *P_start;
    ph_motor *g;      // at the stage
    ph_vec3 *surplus; // at the end: spin carried less the spin that orientation and angular velocity say
    ph_coscrew *W[4]; // slopes of P; those of z are rk->rate
} clifford;

// ---- State <-> motor and momentum -----------------------------------------------------------------------------------

// Angular momentum about the centre of mass, world axes.
static ph_vec3 spin(const body *body, ph_quat orientation, ph_vec3 omega)
{
    return ph_quat_rotate(orientation, ph_mul(body->kind->J, omega));
}

// The history holds the spin of each moving body: going through Omega and back at every step would add up, since R of a
// quaternion in floating point is not quite a rotation.
static void read_state(clifford *c, const ph_state *state)
{
    const ph_model *model = c->rk->model;
    const ph_vec3 *past = (const ph_vec3 *)state_past(state, &scheme_clifford);
    for (int i = 0; i < model->moving_count; i++) {
        const int b = model->moving[i];
        const ph_vec3 L = past ? past[i] : spin(&model->bodies[b], state->orientation[b], state->angular_velocity[b]);
        c->g_start[i] = ph_motor_make(state->orientation[b], ph_zero3());
        c->P_start[i] = (ph_coscrew){L, ph_zero3()};
    }
}

// What the projection changed at the end of the step changes the spin as much.
static void write_spins(clifford *c, ph_state *state)
{
    const ph_model *model = c->rk->model;
    ph_vec3 *spins = (ph_vec3 *)state_history(state, &scheme_clifford);
    for (int i = 0; i < model->moving_count; i++) {
        const int b = model->moving[i];
        spins[i] = ph_add(c->surplus[i], spin(&model->bodies[b], state->orientation[b], state->angular_velocity[b]));
    }
}

// Puts body i of the stage, ch after the start, at motor g with momentum P; returns its velocity s.
static ph_twist set_body(clifford *c, const ph_state *state, double ch, int i, ph_motor g, ph_coscrew P)
{
    runge_kutta *rk = c->rk;
    const int b = rk->model->moving[i];
    const ph_pose F = ph_cl_motor_pose(g);
    const ph_twist s_body = ph_cl_inverse_sym4(c->Y0[i], ph_move_coscrew(ph_cl_motor_conj(g), P));
    c->g[i] = g;
    rk->orientation[b] = (ph_quat){g.a[0], g.a[1], g.a[2], g.a[3]};
    rk->angular_velocity[b] = s_body.omega;
    // from the body's inertial frame to the world
    rk->position[b] = ph_add(state->position[b], ph_madd(F.t, ch, state->velocity[b]));
    rk->velocity[b] = ph_add(state->velocity[b], ph_mul(F.R, s_body.v));
    return ph_cl_pose_twist(F, s_body);
}

// ---- Stages ---------------------------------------------------------------------------------------------------------

static ph_coscrew add_scaled(ph_coscrew P, double s, ph_coscrew W)
{
    return (ph_coscrew){ph_madd(P.l, s, W.l), ph_madd(P.p, s, W.p)};
}

// z = ch z', P = P_n + ch W: the stage, and its slope z' = s - 1/2 [z, s] + ...
static void set_stage(clifford *c, const ph_state *state, double ch, int before, int k)
{
    for (int i = 0; i < c->rk->model->moving_count; i++) {
        const ph_twist rate = c->rk->rate[before][i];
        const ph_twist z = {ph_scale(ch, rate.omega), ph_scale(ch, rate.v)};
        const ph_motor g = ph_motor_unit(ph_cl_motor_mul(ph_motor_exp(z), c->g_start[i]));
        const ph_twist s = set_body(c, state, ch, i, g, add_scaled(c->P_start[i], ch, c->W[before][i]));
        c->rk->rate[k][i] = ph_motor_velocity_inverse(z, s);
    }
}

// W of each body: forces and joint wrenches, (torque in body axes | force) at the centre of mass, moved into the frame.
static void set_wrenches(clifford *c, int k)
{
    const ph_model *model = c->rk->model;
    const kkt *kkt = &c->rk->kkt;
    ph_wrench *Q = c->rk->node.Q;
    node_set_jacobian(model, kkt, &c->rk->node);
    for (int j = 0; j < model->joint_count; j++) {
        const joint *joint = &model->joints[j];
        const double *lambda = kkt->x + kkt->joints[j].x, *B = c->rk->node.B + kkt->joints[j].B;
        for (int slot = 0; slot < joint->body_count; slot++) {
            double y[6] = {0};
            node_add_transposed(B + 6 * slot * joint->row_count, joint->row_count, -1.0, lambda, y);
            ph_wrench *on_body = &Q[joint->bodies[slot]];
            on_body->torque = ph_add(on_body->torque, ph_vec(y[0], y[1], y[2]));
            on_body->force = ph_add(on_body->force, ph_vec(y[3], y[4], y[5]));
        }
    }
    for (int i = 0; i < model->moving_count; i++) {
        const ph_wrench on_body = Q[model->moving[i]];
        const ph_pose F = ph_cl_motor_pose(c->g[i]);
        c->W[k][i] = ph_cl_pose_coscrew(F, (ph_coscrew){on_body.torque, ph_tmul(F.R, on_body.force)});
    }
}

static void set_end(clifford *c, const ph_state *state, double h)
{
    runge_kutta *rk = c->rk;
    for (int i = 0; i < rk->model->moving_count; i++) {
        const int b = rk->model->moving[i];
        const ph_twist rate = runge_kutta_mean(rk->rate, i);
        const ph_twist z = {ph_scale(h, rate.omega), ph_scale(h, rate.v)};
        ph_coscrew P = c->P_start[i];
        P = add_scaled(P, h / 6.0, c->W[0][i]);
        P = add_scaled(P, h / 3.0, c->W[1][i]);
        P = add_scaled(P, h / 3.0, c->W[2][i]);
        P = add_scaled(P, h / 6.0, c->W[3][i]);
        set_body(c, state, h, i, ph_motor_unit(ph_cl_motor_mul(ph_motor_exp(z), c->g_start[i])), P);
        // angular momentum about the new centre of mass
        const ph_vec3 carried = ph_sub(P.l, ph_cross(ph_cl_motor_pose(c->g[i]).t, P.p));
        c->surplus[i] = ph_sub(carried, spin(&rk->model->bodies[b], rk->orientation[b], rk->angular_velocity[b]));
    }
}

static ph_status step(void *self, ph_state *state, double h, ph_step_report *report)
{
    static const double at[4] = {0.0, 0.5, 0.5, 1.0};
    clifford *c = self;
    if (scheme_turns_too_far(state, h, report)) return PH_NO_CONVERGENCE;
    read_state(c, state);
    for (int k = 0; k < 4; k++) {
        set_stage(c, state, at[k] * h, k ? k - 1 : 0, k);
        if (!runge_kutta_accelerate(c->rk, state, state->time + at[k] * h, k)) {
            return runge_kutta_fail(report);
        }
        set_wrenches(c, k);
    }
    set_end(c, state, h);
    const ph_status status = runge_kutta_finish(c->rk, state, h, report);
    if (!status) {
        write_spins(c, state);
    }
    return status;
}

// ---- The scheme -----------------------------------------------------------------------------------------------------

// At the centre of mass, in body axes: 1/m and J^-1 (see ph_inertia_inverse for where they stand).
static ph_sym4 inverse_inertia(const body *body)
{
    const double w = 1.0 / body->kind->mass;
    const ph_mat3 J = body->kind->J_inverse;
    return (ph_sym4){
        {w, w, w, 0.0, 0.0, 0.0}, {0.0}, {J.m[0][0], J.m[1][1], J.m[2][2], J.m[0][1], J.m[0][2], J.m[1][2]}};
}

static void destroy(void *self)
{
    runge_kutta_destroy(((clifford *)self)->rk);
}

static ph_status create(const ph_model *model, const scheme_settings *settings, void **self, ph_error *error)
{
    (void)settings;
    void *rk;
    const ph_status status = runge_kutta_create(model, true, &rk, error);
    if (status) {
        return status;
    }
    arena *memory = ((runge_kutta *)rk)->memory;
    const size_t bodies = (size_t)model->moving_count;
    clifford *c = arena_alloc(memory, sizeof *c);
    bool good = c != NULL;
    if (good) {
        c->rk = rk;
        c->Y0 = arena_alloc_array(memory, bodies, sizeof *c->Y0);
        c->g_start = arena_alloc_array(memory, bodies, sizeof *c->g_start);
        c->P_start = arena_alloc_array(memory, bodies, sizeof *c->P_start);
        c->g = arena_alloc_array(memory, bodies, sizeof *c->g);
        c->surplus = arena_alloc_array(memory, bodies, sizeof *c->surplus);
        good = c->Y0 && c->g_start && c->P_start && c->g && c->surplus;
    }
    for (int k = 0; good && k < 4; k++) {
        good = (c->W[k] = arena_alloc_array(memory, bodies, sizeof *c->W[k])) != NULL;
    }
    if (!good) {
        runge_kutta_destroy(rk);
        return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    for (int i = 0; i < model->moving_count; i++) {
        c->Y0[i] = inverse_inertia(&model->bodies[model->moving[i]]);
    }
    *self = c;
    return PH_OK;
}

const ph_scheme scheme_clifford = {
    .name = "clifford",
    .title = "Motors and momenta in Cl(0,6,2), Lie-group Runge-Kutta of order 4, projected onto the constraints",
    .reference = "Selig and Bayro-Corrochano 2010; Munthe-Kaas 1998",
    .order = 4,
    .traits = PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT,
    .create = create,
    .step = step,
    .destroy = destroy,
};
