// Chain: several turns and slides, one after the other, without bodies between them.
//
// Rows: the locked motions of the chart (chain.h), q = 0 each; of three turns whose axes meet, d = 0. Freedom left: the motions
// that are given, in their order.
#include "joints/chain.h"
#include "joints/types.h"
#include "math/columns.h"
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

// R turned about u, in the axes that R leads to.
static ph_mat3 turn_by(const ph_mat3 *R, ph_vec3 u, double cosine, double sine)
{
    const columns A = columns_of(R);
    const four e = four_of(u), C = four_splat(cosine), S = four_splat(sine);
    ph_mat3 turned;
    for (int k = 0; k < 3; k++) {
        const four v = C * A.c[k] + S * four_cross(e, A.c[k]) + four_splat((1.0 - cosine) * four_dot(e, A.c[k])) * e;
        for (int r = 0; r < 3; r++) turned.m[r][k] = v[r];
    }
    return turned;
}

// Points are those of turns: slides have none.
void chain_turn(const chain *c, chain_look *look)
{
    frame at = {ph_identity(), ph_zero3()};
    bool still = true; // nothing has turned yet
    for (int i = 0; i < CHAIN_MOTIONS; i++) {
        const chain_motion *m = &c->motions[i];
        look->u[i] = still ? m->axis : ph_mul(at.R, m->axis);
        if (m->slides) continue;
        look->on[i] = still ? m->point : frame_point(&at, m->point);
        if (look->sine[i] == 0.0 && look->cosine[i] == 1.0) continue;
        at.R = turn_by(&at.R, look->u[i], look->cosine[i], look->sine[i]);
        at.x = ph_sub(look->on[i], ph_mul(at.R, m->point));
        still = false;
    }
    look->pose = at;
}

void chain_slide(const chain *c, chain_look *look)
{
    ph_vec3 shift = ph_zero3();
    for (int i = 0; i < CHAIN_MOTIONS; i++) {
        if (c->motions[i].slides)
            shift = ph_madd(shift, look->q[i], look->u[i]);
        else
            look->on[i] = ph_add(look->on[i], shift);
    }
    look->pose.x = ph_add(look->pose.x, shift);
    for (int i = 0; i < CHAIN_MOTIONS; i++)
        if (!c->motions[i].slides) look->arm[i] = ph_sub(look->pose.x, look->on[i]);
}

void chain_place(const chain *c, const double *q, chain_look *look)
{
    for (int i = 0; i < CHAIN_MOTIONS; i++) {
        look->q[i] = q[i];
        look->cosine[i] = 1.0, look->sine[i] = 0.0;
        if (!c->motions[i].slides) ph_sincos(q[i], &look->sine[i], &look->cosine[i]);
    }
    chain_turn(c, look);
    chain_slide(c, look);
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
FOUR_INLINE bool invert3(const four u[3], four row[3])
{
    const four across = four_cross(u[1], u[2]);
    const double det = four_dot(u[0], across);
    const four over = four_splat(1.0 / det);
    row[0] = over * across;
    row[1] = over * four_cross(u[2], u[0]);
    row[2] = over * four_cross(u[0], u[1]);
    return fabs(det) > 1e-14;
}

static void put_row(double W[6], four turn, four move)
{
    for (int n = 0; n < 3; n++) W[n] = turn[n], W[3 + n] = move[n];
}

// Three turns and three slides: J = [T 0; X S], hence W = [T^-1 0; -S^-1 X T^-1, S^-1].
static bool invert_blocks(const chain *c, chain_look *look)
{
    four T[3], S[3], X[3], t[3], s[3];
    for (int k = 0; k < 3; k++) {
        const int turn = c->turn[k];
        T[k] = four_of(look->u[turn]);
        X[k] = four_cross(T[k], four_of(look->arm[turn]));
        S[k] = four_of(look->u[c->slide[k]]);
    }
    if (!invert3(T, t) || !invert3(S, s)) return false;
    for (int k = 0; k < 3; k++) {
        const four by_turn = four_splat(four_dot(s[k], X[0])) * t[0] + four_splat(four_dot(s[k], X[1])) * t[1] +
                             four_splat(four_dot(s[k], X[2])) * t[2];
        put_row(look->W[c->turn[k]], t[k], four_splat(0.0));
        put_row(look->W[c->slide[k]], -by_turn, s[k]);
    }
    return true;
}

bool chain_invert(const chain *c, chain_look *look)
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
