// Moving one body of a joint along the joint's coordinates, however far.
//
// With A = E_a^T R_a^T R_b E_b the axes of b seen in a, d the origin of b's joint frame seen from that of a in a's axes:
//
//     SLIDE i       d <- d + change e_i
//     TURN i        A <- R_i(change) A            b turns about its own origin: slides stay what they are
//     CARDAN_A i    A <- R_j(change) A            A = R_j(alpha) R_k(beta), i, j, k cyclic
//     CARDAN_B i    A <- A R_k(change)
//     CHAIN         q <- q + change, and the pose that belongs to it

#include "joints/chain.h"

#include "math/quat.h"

static ph_vec3 unit_vector(int i)
{
    return ph_vec(i == 0, i == 1, i == 2);
}

static ph_mat3 turn_about(int i, double angle)
{
    return ph_quat_to_mat(ph_quat_from_axis_angle(unit_vector(i), angle));
}

static bool is_screw(const joint *j)
{
    for (int k = 0; k < j->kind_count; k++)
        if (j->rows[k].kind == ROW_SCREW) return true;
    return false;
}

static void move_along(const joint *j, coordinate c, double change, ph_mat3 *A, ph_vec3 *d)
{
    const int next = (c.i + 1) % 3, last = (c.i + 2) % 3;
    switch ((coordinate_kind)c.kind) {
    case COORDINATE_SLIDE:
        *d = ph_madd(*d, change, unit_vector(c.i));
        break;
    case COORDINATE_TURN:
        *A = ph_mat_mul(turn_about(c.i, change), *A);
        if (is_screw(j)) *d = ph_madd(*d, j->pitch * change, unit_vector(c.i));
        break;
    case COORDINATE_CARDAN_A:
        *A = ph_mat_mul(turn_about(next, change), *A);
        break;
    case COORDINATE_CARDAN_B:
        *A = ph_mat_mul(*A, turn_about(last, change));
        break;
    case COORDINATE_CHAIN_TURN: // move_chain
    case COORDINATE_CHAIN_SLIDE:
        break;
    }
}

static frame joint_frame(const frame *body, ph_vec3 s, ph_mat3 E)
{
    return (frame){ph_mat_mul(body->R, E), frame_point(body, s)};
}

static frame move_chain(const joint *j, const frame *from, const double *change)
{
    chain_look look;
    double q[CHAIN_MOTIONS];
    if (!chain_find(j->chain, from, &look)) return *from;
    for (int i = 0; i < CHAIN_MOTIONS; i++) q[i] = look.q[i];
    for (int k = 0; k < j->coordinate_count; k++) q[j->coordinates[k].i] += change[k];
    chain_place(j->chain, q, &look);
    return look.pose;
}

// The joint frame of b seen from that of a, after the change.
static frame relative(const joint *j, const frame *a, const frame *b, const double *change)
{
    const frame A = joint_frame(a, j->s_a, j->E_a), B = joint_frame(b, j->s_b, j->E_b);
    frame r = frame_relative(&A, &B);
    if (j->chain) return move_chain(j, &r, change);
    for (int k = 0; k < j->coordinate_count; k++)
        if (change[k] != 0.0) move_along(j, j->coordinates[k], change[k], &r.R, &r.x);
    return r;
}

// The body whose joint frame (s, E) is `at`.
static frame body_of(const frame *at, ph_vec3 s, ph_mat3 E)
{
    const ph_mat3 R = ph_mat_mul(at->R, ph_transpose(E));
    return (frame){R, ph_sub(at->x, ph_mul(R, s))};
}

frame joint_move_b(const joint *j, const frame *a, const frame *b, const double *change)
{
    const frame A = joint_frame(a, j->s_a, j->E_a), r = relative(j, a, b, change), B = frame_mul(&A, &r);
    return body_of(&B, j->s_b, j->E_b);
}

frame joint_move_a(const joint *j, const frame *a, const frame *b, const double *change)
{
    const frame B = joint_frame(b, j->s_b, j->E_b), r = relative(j, a, b, change);
    const ph_mat3 R = ph_mat_mul(B.R, ph_transpose(r.R));
    const frame A = {R, ph_sub(B.x, ph_mul(R, r.x))};
    return body_of(&A, j->s_a, j->E_a);
}

static void chain_velocity(const joint *j, const frame *a, const frame *b, const double *rates, ph_vec3 *turn,
                           ph_vec3 *slide)
{
    const geometry g = joint_geometry_between(j, a, b);
    const ph_mat3 A = ph_mat_mul(a->R, j->E_a);
    chain_look look;
    double V[6];
    chain_at(j, &g, &look);
    for (int k = 0; k < j->coordinate_count; k++) {
        chain_column(j->chain, &look, j->coordinates[k].i, V);
        *turn = ph_madd(*turn, rates[k], ph_mul(A, ph_vec(V[0], V[1], V[2])));
        *slide = ph_madd(*slide, rates[k], ph_mul(A, ph_vec(V[3], V[4], V[5])));
    }
}

void joint_relative_velocity(const joint *j, const frame *a, const frame *b, const double *rates, ph_vec3 *turn,
                             ph_vec3 *slide)
{
    const ph_mat3 A = ph_mat_mul(a->R, j->E_a), B = ph_mat_mul(b->R, j->E_b);
    *turn = *slide = ph_zero3();
    if (j->chain) {
        chain_velocity(j, a, b, rates, turn, slide);
        return;
    }
    for (int k = 0; k < j->coordinate_count; k++) {
        const coordinate c = j->coordinates[k];
        const int next = (c.i + 1) % 3, last = (c.i + 2) % 3;
        switch ((coordinate_kind)c.kind) {
        case COORDINATE_SLIDE:
            *slide = ph_madd(*slide, rates[k], ph_mat_col(A, c.i));
            break;
        case COORDINATE_TURN:
            *turn = ph_madd(*turn, rates[k], ph_mat_col(A, c.i));
            if (is_screw(j)) *slide = ph_madd(*slide, j->pitch * rates[k], ph_mat_col(A, c.i));
            break;
        case COORDINATE_CARDAN_A:
            *turn = ph_madd(*turn, rates[k], ph_mat_col(A, next));
            break;
        case COORDINATE_CARDAN_B:
            *turn = ph_madd(*turn, rates[k], ph_mat_col(B, last));
            break;
        case COORDINATE_CHAIN_TURN: // chain_velocity
        case COORDINATE_CHAIN_SLIDE:
            break;
        }
    }
}
