// Mean stress of rigid bodies.
//
// Balance of momentum, times b and integrated over the body, gives for any stress field that carries the loads
//
//     int sigma dv = sym( sum f (x) b + int f (x) b dv - int rho a (x) b dv )                Vallee et al. 1999, section 1
//
// with all forces (applied ones, joint reactions), b from any one point. From the centre of mass uniform gravity drops
// out, and a = x'' + R (Omega'~ + Omega~^2) b0 gives int rho a (x) b dv = R (Omega'~ + Omega~^2) K R^T with
// K = 1/2 tr(J) I - J. Accelerations and reactions are those of the equations of motion at the state, so the value is
// exact for an exact state, whatever scheme led there.
#include "dynamics/moments.h"
#include "dynamics/observer.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

bool stress_room_create(const ph_model *model, arena *memory, stress_room *room)
{
    const size_t bodies = model_places(model), joints = (size_t)model->joint_count + 1;
    room->accelerations = arena_alloc_array(memory, bodies, sizeof *room->accelerations);
    room->Q = arena_alloc_array(memory, bodies, sizeof *room->Q);
    room->W = arena_alloc_array(memory, bodies, sizeof *room->W);
    room->reactions = arena_alloc_array(memory, joints, sizeof *room->reactions);
    return room->accelerations && room->Q && room->W && room->reactions;
}

// sym(R^T W R - (Omega'~ + Omega~^2) K)
static ph_mat3 integral(const ph_observer *o, int b)
{
    const body *body = &o->model->bodies[b];
    const ph_mat3 R = o->node.frames[b].R;
    const ph_vec3 omega = o->node.twists[b].omega, alpha = o->stress.accelerations[b].omega;
    const ph_mat3 K = ph_mat_sub(ph_mat_scale(0.5 * ph_trace(body->kind->J), ph_identity()), body->kind->J);
    const ph_mat3 turning = ph_mat_add(ph_hat(alpha), ph_hat_mul(omega, ph_hat(omega)));
    const ph_mat3 loads = ph_mat_tmul(R, ph_mat_mul(o->stress.W[b], R));
    return ph_sym(ph_mat_sub(loads, ph_mat_mul(turning, K)));
}

ph_status ph_observer_stress(ph_observer *o, const ph_state *state, ph_mat3 *integrals)
{
    if (!o || !integrals) return PH_BAD_ARGUMENT;
    const ph_model *model = o->model;
    stress_room *room = &o->stress;
    const ph_status status = ph_observer_dynamics(o, state, room->accelerations, room->reactions);
    if (status != PH_OK) return status;
    memset(room->W, 0, sizeof *room->W * model_places(model));
    moments_add_forces(model, &o->node.motion, 0, room->W);
    for (int j = 0; j < model->joint_count; j++)
        moments_add_reactions(model, &o->node.motion, j, o->lambda + model->joints[j].first_row, 1.0, room->W);
    for (int k = 0; k < state_shown_contacts(state); k++) { // f (x) b of both sides
        const ph_contact c = state_contact(state, k);
        ph_mat3 *a = &room->W[c.body_a], *b = &room->W[c.body_b];
        *a = ph_mat_sub(*a, ph_outer(c.force, ph_sub(c.point, o->node.frames[c.body_a].x)));
        *b = ph_mat_add(*b, ph_outer(c.force, ph_sub(c.point, o->node.frames[c.body_b].x)));
    }
    for (int b = 0; b < model->body_count; b++)
        integrals[b] = model->bodies[b].moving < 0 ? ph_mat_zero() : integral(o, b);
    return PH_OK;
}

// ---- What it says of the material -----------------------------------------------------------------------------------

// One rotation of Jacobi's method in the plane (p, q): afterwards A[p][q] = 0.
static void rotate(double A[3][3], int p, int q)
{
    if (A[p][q] == 0.0) return;
    const int r = 3 - p - q;
    const double theta = 0.5 * (A[q][q] - A[p][p]) / A[p][q];
    const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    const double rp = A[r][p], rq = A[r][q];
    A[p][p] -= t * A[p][q];
    A[q][q] += t * A[p][q];
    A[p][q] = A[q][p] = 0.0;
    A[r][p] = A[p][r] = c * rp - s * rq;
    A[r][q] = A[q][r] = s * rp + c * rq;
}

static void sort_descending(double *v)
{
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2 - i; k++)
            if (v[k] < v[k + 1]) {
                const double swap = v[k];
                v[k] = v[k + 1];
                v[k + 1] = swap;
            }
}

static void principal_values(ph_mat3 sigma, double *values)
{
    enum { SWEEPS = 8 }; // converges quadratically: four or five are enough
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        rotate(sigma.m, 0, 1);
        rotate(sigma.m, 0, 2);
        rotate(sigma.m, 1, 2);
    }
    for (int k = 0; k < 3; k++) values[k] = sigma.m[k][k];
    sort_descending(values);
}

bool ph_stress_mean(ph_mat3 stress_integral, double volume, ph_quat orientation, ph_stress *stress)
{
    if (!stress) return false;
    *stress = (ph_stress){.integral = stress_integral, .volume = volume};
    if (!(volume > 0.0)) return false;
    const ph_mat3 R = ph_quat_to_mat(orientation);
    stress->body = ph_mat_scale(1.0 / volume, stress_integral);
    stress->world = ph_mat_mult(ph_mat_mul(R, stress->body), R);
    principal_values(stress->body, stress->principal);
    const double *s = stress->principal;
    const double a = s[0] - s[1], b = s[1] - s[2], c = s[0] - s[2];
    stress->von_mises = sqrt(0.5 * (a * a + b * b + c * c));
    return true;
}
