// Chain: several turns and slides, one after the other, without bodies between them.
//
// Rows: the locked motions of the chart (chain.h), q = 0 each; of three turns whose axes meet, d = 0. Freedom left: the motions
// that are given, in their order.
//
// The coordinates of a pose come from closed forms, and Newton's method on the chart removes what these miss. With three turns
// A = R_1 R_2 R_3 about e_1, e_2, e_3 the vector x = A e_3 does not depend on q_3, nor e_1 . x on q_1:
//
//     e_1 . x = alpha + beta cos q_2 + gamma sin q_2;
//
// then q_1 turns R_2 e_3 to x, and q_3 is what is left. Of the two q_2 the one that has q_2 = 0 at zero is meant: the middle one
// of three turns stays within the half turn in which the three axes are independent. Slides are the solution of a linear system.
#include "joints/chain.h"
#include "joints/types.h"
#include "math/quat.h"
#include "math/trig.h"

#include <math.h>

static const char *make(joint *j)
{
    const chain *c = j->chain;
    if (!c) return "a chain needs motions: [{turn: [x, y, z], at: [x, y, z]}, {slide: [x, y, z]}, ..]";
    if (c->meets) {
        joint_add_row(j, ROW_POINT, 0, 0);
    } else {
        for (int k = 0; k < CHAIN_MOTIONS - c->free_count; k++) joint_add_row(j, ROW_CHAIN, c->locked[k], 0);
    }
    for (int k = 0; k < c->free_count; k++)
        joint_add_coordinate(j, c->motions[c->free[k]].slides ? COORDINATE_CHAIN_SLIDE : COORDINATE_CHAIN_TURN,
                             c->free[k]);
    return NULL;
}

const joint_type joint_chain = {
    .name = "chain",
    .title = "turns and slides one after the other",
    .keys = JOINT_CHAIN,
    .mark = "ring",
    .synonyms = "compound composite",
    .make = make,
};

// ---- From coordinates to the pose -----------------------------------------------------------------------------------

static ph_vec3 turned(ph_vec3 v, ph_vec3 axis, double angle)
{
    return ph_quat_rotate(ph_quat_from_axis_angle(axis, angle), v);
}

void chain_place(const chain *c, const double *q, chain_look *look)
{
    frame at = {ph_identity(), ph_zero3()};
    ph_vec3 on[CHAIN_MOTIONS];
    for (int i = 0; i < CHAIN_MOTIONS; i++) {
        const chain_motion *m = &c->motions[i];
        look->q[i] = q[i];
        look->u[i] = ph_mul(at.R, m->axis);
        on[i] = frame_point(&at, m->point);
        if (m->slides) {
            at.x = ph_madd(at.x, q[i], look->u[i]);
        } else if (q[i] != 0.0) {
            at.R = ph_mat_mul(at.R, ph_quat_to_mat(ph_quat_from_axis_angle(m->axis, q[i])));
            at.x = ph_sub(on[i], ph_mul(at.R, m->point));
        }
    }
    for (int i = 0; i < CHAIN_MOTIONS; i++) look->arm[i] = ph_sub(at.x, on[i]);
    look->pose = at;
}

void chain_column(const chain *c, const chain_look *look, int i, double V[6])
{
    const ph_vec3 turn = c->motions[i].slides ? ph_zero3() : look->u[i];
    const ph_vec3 move = c->motions[i].slides ? look->u[i] : ph_cross(look->u[i], look->arm[i]);
    V[0] = turn.x, V[1] = turn.y, V[2] = turn.z;
    V[3] = move.x, V[4] = move.y, V[5] = move.z;
}

// ---- J^-1 -----------------------------------------------------------------------------------------------------------

static void swap_rows(double A[6][12], int i, int k)
{
    for (int n = 0; n < 12 && i != k; n++) {
        const double kept = A[i][n];
        A[i][n] = A[k][n];
        A[k][n] = kept;
    }
}

// Gauss and Jordan, with the largest pivot of each column.
static bool reduce(double A[6][12])
{
    for (int k = 0; k < 6; k++) {
        int most = k;
        for (int i = k + 1; i < 6; i++)
            if (fabs(A[i][k]) > fabs(A[most][k])) most = i;
        swap_rows(A, k, most);
        if (!(fabs(A[k][k]) > 1e-14)) return false;
        const double over = 1.0 / A[k][k];
        for (int n = 0; n < 12; n++) A[k][n] *= over;
        for (int i = 0; i < 6; i++) {
            const double f = A[i][k];
            for (int n = k; n < 12 && i != k && f != 0.0; n++) A[i][n] -= f * A[k][n];
        }
    }
    return true;
}

// Inverse of the matrix with these columns: its rows. False where they lie in a plane.
static bool invert3(const ph_vec3 u[3], ph_vec3 row[3])
{
    const ph_vec3 across = ph_cross(u[1], u[2]);
    const double det = ph_dot(u[0], across), over = 1.0 / det;
    if (!(fabs(det) > 1e-14)) return false;
    row[0] = ph_scale(over, across);
    row[1] = ph_scale(over, ph_cross(u[2], u[0]));
    row[2] = ph_scale(over, ph_cross(u[0], u[1]));
    return true;
}

static void put_row(double W[6], ph_vec3 turn, ph_vec3 move)
{
    W[0] = turn.x, W[1] = turn.y, W[2] = turn.z;
    W[3] = move.x, W[4] = move.y, W[5] = move.z;
}

// Three turns and three slides: J = [T 0; X S], hence W = [T^-1 0; -S^-1 X T^-1, S^-1].
static bool invert_blocks(const chain *c, chain_look *look)
{
    ph_vec3 T[3], S[3], X[3], t[3], s[3];
    int turn[3], slide[3], turns = 0, slides = 0;
    for (int i = 0; i < CHAIN_MOTIONS; i++) {
        if (c->motions[i].slides)
            slide[slides] = i, S[slides++] = look->u[i];
        else
            turn[turns] = i, X[turns] = ph_cross(look->u[i], look->arm[i]), T[turns++] = look->u[i];
    }
    if (!invert3(T, t) || !invert3(S, s)) return false;
    for (int k = 0; k < 3; k++) {
        ph_vec3 by_turn = ph_zero3();
        for (int n = 0; n < 3; n++) by_turn = ph_madd(by_turn, -ph_dot(s[k], X[n]), t[n]);
        put_row(look->W[turn[k]], t[k], ph_zero3());
        put_row(look->W[slide[k]], by_turn, s[k]);
    }
    return true;
}

static bool set_inverse(const chain *c, chain_look *look)
{
    double A[6][12] = {{0}}, V[6];
    if (!c->parallel && invert_blocks(c, look)) return true;
    for (int i = 0; i < 6; i++) {
        chain_column(c, look, i, V);
        for (int n = 0; n < 6; n++) A[n][i] = V[n];
        A[i][6 + i] = 1.0;
    }
    const bool ok = reduce(A);
    for (int i = 0; i < 6; i++)
        for (int n = 0; n < 6; n++) look->W[i][n] = ok ? A[i][6 + n] : 0.0;
    return ok;
}

// ---- From the pose to coordinates -----------------------------------------------------------------------------------

// The angle about e that brings v to w.
static double angle_about(ph_vec3 e, ph_vec3 v, ph_vec3 w)
{
    return ph_atan2(ph_dot(e, ph_cross(v, w)), ph_dot(v, w) - ph_dot(e, v) * ph_dot(e, w));
}

static double middle_angle(ph_vec3 e1, ph_vec3 e2, ph_vec3 e3, ph_vec3 x)
{
    const double alpha = ph_dot(e2, e3) * ph_dot(e1, e2), beta = ph_dot(e1, e3) - alpha;
    const double gamma = ph_dot(e1, ph_cross(e2, e3)), size = sqrt(beta * beta + gamma * gamma);
    const double zero = ph_atan2(gamma, beta), cosine = (ph_dot(e1, x) - alpha) / size;
    const double sine = sqrt(ph_max(0.0, 1.0 - cosine * cosine));
    return zero + (zero > 0.0 ? -1.0 : 1.0) * ph_atan2(sine, cosine);
}

static void guess_turns(const chain *c, const int *turn, const ph_mat3 *A, double *q)
{
    const ph_vec3 e1 = c->motions[turn[0]].axis, e2 = c->motions[turn[1]].axis, e3 = c->motions[turn[2]].axis;
    const ph_vec3 x = ph_mul(*A, e3), across = ph_any_perpendicular(e3);
    const double q2 = middle_angle(e1, e2, e3, x), q1 = angle_about(e1, turned(e3, e2, q2), x);
    q[turn[0]] = q1;
    q[turn[1]] = q2;
    q[turn[2]] = angle_about(e3, across, turned(turned(ph_mul(*A, across), e1, -q1), e2, -q2));
}

// Solves [u_0 u_1 u_2] s = v.
static void guess_slides(const chain_look *look, const int *slide, ph_vec3 v, double *q)
{
    const ph_vec3 u0 = look->u[slide[0]], u1 = look->u[slide[1]], u2 = look->u[slide[2]];
    const double over = 1.0 / ph_dot(u0, ph_cross(u1, u2));
    q[slide[0]] = over * ph_dot(v, ph_cross(u1, u2));
    q[slide[1]] = over * ph_dot(u0, ph_cross(v, u2));
    q[slide[2]] = over * ph_dot(u0, ph_cross(u1, v));
}

// Parallel axes: the point of the second, fixed in b, goes round the first.
static void split_turn(const chain *c, const frame *pose, double *q)
{
    const int first = c->free[0], second = c->free[1];
    const chain_motion *one = &c->motions[first], *two = &c->motions[second];
    const double part =
        angle_about(one->axis, ph_sub(two->point, one->point), ph_sub(frame_point(pose, two->point), one->point));
    const double sign = ph_dot(one->axis, two->axis) > 0.0 ? 1.0 : -1.0;
    q[second] = nearest_turn(sign * (q[first] - part));
    q[first] = part;
}

static void guess(const chain *c, const frame *pose, chain_look *look)
{
    int turn[CHAIN_MOTIONS], slide[CHAIN_MOTIONS], turns = 0, slides = 0;
    double q[CHAIN_MOTIONS] = {0};
    for (int i = 0; i < CHAIN_MOTIONS; i++) {
        if (c->motions[i].slides) {
            slide[slides++] = i;
        } else if (!(c->parallel && i == c->free[1])) {
            turn[turns++] = i;
        }
    }
    guess_turns(c, turn, &pose->R, q);
    if (c->parallel) {
        split_turn(c, pose, q);
        chain_place(c, q, look);
        return;
    }
    chain_place(c, q, look);
    guess_slides(look, slide, ph_sub(pose->x, look->pose.x), q);
    chain_place(c, q, look);
}

// The turn that brings A to B, for small ones.
static ph_vec3 small_turn(const ph_mat3 *A, const ph_mat3 *B)
{
    const ph_mat3 D = ph_mat_mul(*B, ph_transpose(*A));
    return ph_vec(0.5 * (D.m[2][1] - D.m[1][2]), 0.5 * (D.m[0][2] - D.m[2][0]), 0.5 * (D.m[1][0] - D.m[0][1]));
}

// How far the look is from the pose it is for.
static void miss(const frame *pose, const chain_look *look, double off[6])
{
    put_row(off, small_turn(&look->pose.R, &pose->R), ph_sub(pose->x, look->pose.x));
}

// By no more than rounding?
static bool is_there(const frame *pose, const chain_look *look)
{
    const double eps = 4e-16, size = eps * (1.0 + ph_norm(pose->x));
    double off[6];
    miss(pose, look, off);
    for (int n = 0; n < 6; n++)
        if (!(fabs(off[n]) <= (n < 3 ? eps : size))) return false;
    return true;
}

// One step of Newton's method; returns the largest change.
static double improve(const chain *c, const frame *pose, chain_look *look)
{
    double off[6];
    miss(pose, look, off);
    double q[CHAIN_MOTIONS], most = 0.0;
    for (int i = 0; i < CHAIN_MOTIONS; i++) {
        double change = 0.0;
        for (int n = 0; n < 6; n++) change += look->W[i][n] * off[n];
        q[i] = look->q[i] + change;
        most = ph_max(most, fabs(change));
    }
    chain_place(c, q, look);
    return most;
}

bool chain_find(const chain *c, const frame *pose, chain_look *look)
{
    guess(c, pose, look);
    bool ok = set_inverse(c, look);
    if (is_there(pose, look)) return ok;
    for (int n = 0; n < 12 && ok; n++) {
        const double change = improve(c, pose, look);
        if (change < 1e-14) break;
        ok = set_inverse(c, look);
        if (change < 1e-9) break; // the next would be 1e-18
    }
    return ok;
}

static frame pose_of(const joint *j, const geometry *g)
{
    const ph_mat3 A = ph_mat_mul(*g->R_a, j->E_a), B = ph_mat_mul(*g->R_b, j->E_b);
    return (frame){ph_mat_tmul(A, B), ph_tmul(A, g->d)};
}

void chain_values_at(const joint *j, const geometry *g, chain_look *look)
{
    const frame pose = pose_of(j, g);
    guess(j->chain, &pose, look);
    if (!is_there(&pose, look)) chain_find(j->chain, &pose, look);
}

bool chain_at(const joint *j, const geometry *g, chain_look *look)
{
    const frame pose = pose_of(j, g);
    return chain_find(j->chain, &pose, look);
}
