// Constraint rows: value, Jacobian, B v and (dB/dt) v.
//
// The gradients follow from the changes of the vectors in geometry.h; with n = d/|d|:
//
//                alpha_a            u_a     alpha_b       u_b
//     POINT      r_a~               -I      -r_b~         I
//     ALONG      a x (d + r_a)      -a      r_b x a       a
//     DOT        a x b               0      b x a         0
//     LENGTH     n x r_a            -n      r_b x n       n
//     SCREW      ALONG z - pitch TURN z
//     MOTOR      the gradient of the joint coordinate
//     ROTOR      sqrt(a) times that
//     TOUCH, SLIP, VELOCITY, CHAIN: rolling.h, generic_velocity.c, chain.h
//
// B takes rotations in body axes: its rotation part is R^T times what stands in the table.

#include "joints/chain.h"
#include "joints/rolling.h"

#include <string.h>

static inline bool only_point(const joint *j)
{
    return j->kind_count == 1 && j->rows[0].kind == ROW_POINT;
}

static inline void store(double *to, ph_vec3 v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

static inline bool only_chain(const joint *j)
{
    return j->kind_count > 0 && j->rows[0].kind == ROW_CHAIN;
}

static const coordinate turn_z = {.kind = COORDINATE_TURN, .i = 2};

// ---- Value ----------------------------------------------------------------------------------------------------------

// x + R s, reading the frame in place
static inline ph_vec3 point_of(const frame *f, ph_vec3 s)
{
    const ph_vec3 *x = &f->x;
    const double(*R)[3] = f->R.m;
    return ph_vec(x->x + R[0][0] * s.x + R[0][1] * s.y + R[0][2] * s.z,
                  x->y + R[1][0] * s.x + R[1][1] * s.y + R[1][2] * s.z,
                  x->z + R[2][0] * s.x + R[2][1] * s.y + R[2][2] * s.z);
}

// The slide itself tells the number of whole turns: of all angles that the frames allow the nearest to slide / pitch is
// the one, as long as the row is off by less than half a turn.
static double screw_residual(const joint *j, const geometry *g)
{
    const double slide = ph_dot(axis_a(j, g, 2), g->d) - j->slide;
    const double behind = slide / j->pitch - coordinate_value(j, g, turn_z);
    return j->pitch * nearest_turn(behind);
}

static void general_residual(const joint *j, const frame *frames, double *phi)
{
    const geometry g = joint_geometry(j, frames);
    for (int k = 0; k < j->kind_count; k++) {
        const row it = j->rows[k];
        switch ((row_kind)it.kind) {
        case ROW_POINT:
            store(phi, g.d);
            phi += 3;
            break;
        case ROW_ALONG:
            *phi++ = ph_dot(axis_a(j, &g, it.i), g.d);
            break;
        case ROW_DOT:
            *phi++ = ph_dot(axis_a(j, &g, it.i), axis_b(j, &g, it.j));
            break;
        case ROW_LENGTH:
            *phi++ = ph_norm(g.d) - j->length;
            break;
        case ROW_SCREW:
            *phi++ = screw_residual(j, &g);
            break;
        case ROW_ROTOR:
            *phi++ = rotor_residual(j, &g, frames, it);
            break;
        case ROW_TOUCH:
            *phi++ = rolling_gap(j, &g);
            break;
        case ROW_SLIP: // says nothing of positions
        case ROW_VELOCITY:
            *phi++ = 0.0;
            break;
        case ROW_MOTOR: // joint_residual
            phi++;
            break;
        case ROW_CHAIN: // chain_residuals
        case ROW_GEAR:
            break;
        }
    }
}

double joint_screw_residual(const joint *j, const motion *at)
{
    const geometry g = joint_geometry(j, at->frames);
    return screw_residual(j, &g);
}

double joint_motor_residual(const joint *j, const motion *at)
{
    return joint_coordinate(j, at, 0) - joint_motor_target(j, at).value;
}

void joint_residual(const joint *j, const motion *at, double *phi)
{
    const frame *frames = at->frames;
    if (only_point(j)) {
        store(phi, ph_sub(point_of(&frames[j->b], j->s_b), point_of(&frames[j->a], j->s_a)));
    } else if (j->gear) {
        *phi = gear_residual(j, at);
    } else if (only_chain(j)) {
        chain_residuals(j, frames, phi);
    } else {
        general_residual(j, frames, phi);
    }
    if (j->motor) {
        phi[joint_motor_row(j)] = joint_motor_residual(j, at);
    }
}

// ---- Jacobian -------------------------------------------------------------------------------------------------------

gradient along_gradient(const joint *j, const geometry *g, int i)
{
    const ph_vec3 a = axis_a(j, g, i);
    return (gradient){ph_cross(a, ph_add(g->d, g->r_a)), ph_cross(g->r_b, a), a};
}

gradient dot_gradient(const joint *j, const geometry *g, int i, int k)
{
    const ph_vec3 torque = ph_cross(axis_a(j, g, i), axis_b(j, g, k));
    return (gradient){torque, ph_neg(torque), ph_zero3()};
}

static gradient contact_gradient(const joint *j, const geometry *g, row it)
{
    const contact at = rolling_contact(j, g);
    return rolling_gradient(g, &at, it.kind == ROW_TOUCH ? 0 : it.i);
}

gradient row_gradient(const joint *j, const geometry *g, row it, const motion *at)
{
    const ph_vec3 n = it.kind == ROW_LENGTH ? ph_unit(g->d) : ph_zero3();
    switch ((row_kind)it.kind) {
    case ROW_ALONG:
        return along_gradient(j, g, it.i);
    case ROW_DOT:
        return dot_gradient(j, g, it.i, it.j);
    case ROW_SCREW:
        return gradient_madd(along_gradient(j, g, 2), -j->pitch, joint_coordinate_gradient(j, at, g, turn_z));
    case ROW_MOTOR:
        return joint_coordinate_gradient(j, at, g, j->coordinates[it.i]);
    case ROW_ROTOR:
        return gradient_madd((gradient){0}, joint_root(j, it.i),
                             joint_coordinate_gradient(j, at, g, j->coordinates[it.i]));
    case ROW_TOUCH:
    case ROW_SLIP:
        return contact_gradient(j, g, it);
    case ROW_VELOCITY:
        return velocity_gradient(j, g, at, it.i);
    case ROW_CHAIN:
        return chain_gradient(j, g, it.i);
    case ROW_LENGTH:
    case ROW_POINT:
    case ROW_GEAR:
        break;
    }
    return (gradient){ph_cross(n, g->r_a), ph_cross(g->r_b, n), n};
}

static inline void store_row(double *to, ph_vec3 rotation, ph_vec3 translation)
{
    store(to, rotation);
    store(to + 3, translation);
}

// [-R s~ | I] for b: its rotation rows are s x (row of R). The sign is -1 for a. The matrix is read in place: copies of it
// would double the time.
static inline void point_rows(double *restrict B, const ph_mat3 *restrict R, ph_vec3 s, double sign)
{
    for (int k = 0; k < 3; k++, B += 6) {
        const double *r = R->m[k];
        B[0] = sign * (s.y * r[2] - s.z * r[1]);
        B[1] = sign * (s.z * r[0] - s.x * r[2]);
        B[2] = sign * (s.x * r[1] - s.y * r[0]);
        B[3] = B[4] = B[5] = 0.0;
        B[3 + k] = sign;
    }
}

static void general_jacobian(const joint *j, const motion *at_motion, double *B_a, double *B_b)
{
    const geometry g = joint_geometry(j, at_motion->frames);
    int at = 0;
    for (int k = 0; k < j->kind_count; k++) {
        const row it = j->rows[k];
        if (it.kind == ROW_POINT) {
            if (B_a) {
                point_rows(B_a + 6 * at, g.R_a, j->s_a, -1.0);
            }
            if (B_b) {
                point_rows(B_b + 6 * at, g.R_b, j->s_b, 1.0);
            }
            at += 3;
            continue;
        }
        const gradient w = row_gradient(j, &g, it, at_motion);
        if (B_a) {
            store_row(B_a + 6 * at, ph_tmul(*g.R_a, w.alpha_a), ph_neg(w.u_b));
        }
        if (B_b) {
            store_row(B_b + 6 * at, ph_tmul(*g.R_b, w.alpha_b), w.u_b);
        }
        at++;
    }
}

// A joint whose expressions name others acts on its own two bodies alone.
static void clear_others(const joint *j, double *B)
{
    for (int k = 0; k < j->body_count; k++)
        if (k != j->slot_a && k != j->slot_b)
            memset(B + 6 * j->row_count * k, 0, sizeof(double) * 6 * (size_t)j->row_count);
}

// All rows of a contact, from one look at it.
static void rolling_jacobian(const joint *j, const frame *frames, double *B_a, double *B_b)
{
    const geometry g = joint_geometry(j, frames);
    const contact at = rolling_contact(j, &g);
    for (int k = 0; k < j->kind_count; k++) {
        const gradient w = rolling_gradient(&g, &at, j->rows[k].kind == ROW_TOUCH ? 0 : j->rows[k].i);
        if (B_a) store_row(B_a + 6 * k, ph_tmul(*g.R_a, w.alpha_a), ph_neg(w.u_b));
        if (B_b) store_row(B_b + 6 * k, ph_tmul(*g.R_b, w.alpha_b), w.u_b);
    }
}

void joint_jacobian(const joint *j, const motion *at, double *B)
{
    const frame *frames = at->frames;
    double *B_a = j->slot_a < 0 ? NULL : B + 6 * j->row_count * j->slot_a;
    double *B_b = j->slot_b < 0 ? NULL : B + 6 * j->row_count * j->slot_b;
    if (!only_point(j)) {
        if (j->gear) {
            gear_jacobian(j, at, B);
        } else if (j->rolling) {
            rolling_jacobian(j, frames, B_a, B_b);
        } else if (only_chain(j)) {
            chain_jacobians(j, frames, B_a, B_b);
        } else {
            general_jacobian(j, at, B_a, B_b);
        }
        if (j->velocities) clear_others(j, B);
        if (j->rotor_rows) {
            rotor_jacobian(j, B);
        }
        return;
    }
    if (B_a) {
        point_rows(B_a, &frames[j->a].R, j->s_a, -1.0);
    }
    if (B_b) {
        point_rows(B_b, &frames[j->b].R, j->s_b, 1.0);
    }
}

// ---- Time derivatives of a row: the first, and the second at constant omega (body axes) and v ------------------------
//
// A vector c fixed in a body has c' = w x c and c'' = w x (w x c), w = R omega.

// b of a row of velocities; 0 of all others.
static double slip_wanted(const joint *j, const geometry *g, const motion *at, row it)
{
    if (it.kind == ROW_VELOCITY) return velocity_wanted(j, at, it.i);
    if (it.kind != ROW_SLIP || !j->rolling->belt) return 0.0;
    const contact touch = rolling_contact(j, g);
    const belt moving = rolling_belt(j, g, at);
    return rolling_wanted(g, &touch, &moving, it.i);
}

static void rolling_rates(const joint *j, const motion *at, double *rate)
{
    const geometry g = joint_geometry(j, at->frames);
    const rates r = joint_rates(j, &g, at->twists);
    const contact touch = rolling_contact(j, &g);
    const belt moving = rolling_belt(j, &g, at);
    for (int k = 0; k < j->kind_count; k++) {
        const bool slip = j->rows[k].kind == ROW_SLIP;
        const gradient w = rolling_gradient(&g, &touch, slip ? j->rows[k].i : 0);
        rate[k] = gradient_rate(&w, &r, &at->twists[j->a], &at->twists[j->b]);
        if (slip && j->rolling->belt) rate[k] -= rolling_wanted(&g, &touch, &moving, j->rows[k].i);
    }
}

void joint_velocity_residual(const joint *j, const motion *at, double *rate)
{
    if (j->rolling) {
        rolling_rates(j, at, rate);
        return;
    }
    if (j->gear) {
        *rate = gear_rate(j, at);
        return;
    }
    if (only_chain(j)) {
        chain_rates(j, at, rate);
        return;
    }
    const geometry g = joint_geometry(j, at->frames);
    const rates r = joint_rates(j, &g, at->twists);
    for (int k = 0; k < j->kind_count; k++) {
        const row it = j->rows[k];
        if (it.kind == ROW_POINT) {
            store(rate, r.d1);
            rate += 3;
        } else {
            const gradient w = row_gradient(j, &g, it, at);
            *rate = gradient_rate(&w, &r, &at->twists[j->a], &at->twists[j->b]);
            *rate -= it.kind == ROW_MOTOR ? joint_motor_target(j, at).rate : 0.0;
            *rate -= it.kind == ROW_ROTOR ? rotor_rate(j, at, it) : 0.0;
            *rate -= slip_wanted(j, &g, at, it);
            rate++;
        }
    }
}

bool joint_wanted_rates(const joint *j, const motion *at, double *wanted)
{
    if (!j->motor && !j->velocities && !(j->rolling && j->rolling->belt)) return false;
    memset(wanted, 0, sizeof(double) * (size_t)j->row_count);
    if (j->motor) wanted[joint_motor_row(j)] = joint_motor_target(j, at).rate;
    if (!j->slips) return true;
    const geometry g = joint_geometry(j, at->frames);
    for (int r = 0; r < j->kind_count; r++) wanted[r] += slip_wanted(j, &g, at, j->rows[r]);
    return true;
}

double along_bias(const joint *j, const geometry *g, const rates *r, int i)
{
    const ph_vec3 a = axis_a(j, g, i), a1 = ph_cross(r->w_a, a), a2 = ph_cross(r->w_a, a1);
    return ph_dot(a2, g->d) + 2.0 * ph_dot(a1, r->d1) + ph_dot(a, r->d2);
}

double dot_bias(const joint *j, const geometry *g, const rates *r, int i, int k)
{
    const ph_vec3 a = axis_a(j, g, i), a1 = ph_cross(r->w_a, a), a2 = ph_cross(r->w_a, a1);
    const ph_vec3 b = axis_b(j, g, k), b1 = ph_cross(r->w_b, b), b2 = ph_cross(r->w_b, b1);
    return ph_dot(a2, b) + 2.0 * ph_dot(a1, b1) + ph_dot(a, b2);
}

// |d|'' = n . d'' + (|d'|^2 - (n . d')^2) / |d|
static double length_bias(const geometry *g, const rates *r)
{
    const ph_vec3 n = ph_unit(g->d);
    return ph_dot(n, r->d2) + ph_norm2(ph_cross(n, r->d1)) / ph_norm(g->d);
}

void joint_bias(const joint *j, const motion *at, double *bias)
{
    if (only_chain(j)) {
        chain_biases(j, at, bias);
        return;
    }
    const geometry g = joint_geometry(j, at->frames);
    const rates r = joint_rates(j, &g, at->twists);
    for (int k = 0; k < j->kind_count; k++) {
        const row it = j->rows[k];
        switch ((row_kind)it.kind) {
        case ROW_POINT:
            store(bias, r.d2);
            bias += 3;
            break;
        case ROW_ALONG:
            *bias++ = along_bias(j, &g, &r, it.i);
            break;
        case ROW_DOT:
            *bias++ = dot_bias(j, &g, &r, it.i, it.j);
            break;
        case ROW_LENGTH:
            *bias++ = length_bias(&g, &r);
            break;
        case ROW_SCREW:
            *bias++ = along_bias(j, &g, &r, 2) - j->pitch * coordinate_bias(j, &g, &r, turn_z);
            break;
        case ROW_GEAR:
            *bias++ = gear_bias(j, at);
            break;
        case ROW_MOTOR:
            *bias++ = coordinate_bias(j, &g, &r, j->coordinates[0]) - joint_motor_target(j, at).acceleration;
            break;
        case ROW_ROTOR:
            *bias++ = joint_root(j, it.i) * coordinate_bias(j, &g, &r, j->coordinates[it.i]);
            break;
        case ROW_TOUCH:
        case ROW_SLIP:
        case ROW_VELOCITY:
            *bias++ = slip_bias(j, &g, &r, at, it);
            break;
        case ROW_CHAIN:
            break;
        }
    }
}
