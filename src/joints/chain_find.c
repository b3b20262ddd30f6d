// The coordinates of a pose of a chain, in closed form; Newton's method on the chart removes what that misses.
//
// With three turns A = R_1 R_2 R_3 about e_1, e_2, e_3 the vector x = A e_3 does not depend on q_3, nor e_1 . x on q_1:
//
//     e_1 . x = alpha + beta cos q_2 + gamma sin q_2 = alpha + size cos(q_2 - zero);
//
// then q_1 turns R_2 e_3 to x, and q_3 is what is left. Of the two q_2 the one that has q_2 = 0 at zero is meant: the middle one
// of three turns stays within the half turn in which the three axes are independent. Slides are the solution of a linear system.
//
// Turns are found as cosine and sine. Their angles are asked for of those that are locked, which are rows, more often than of those that
// are free.
#include "joints/chain.h"
#include "math/columns.h"
#include "math/trig.h"

#include <math.h>

// Larger misses change more than the coordinates.
static const double NEAR = 1e-10, ROUNDING = 1e-15;

// ---- What does not depend on the pose -------------------------------------------------------------------------------

static void prepare_middle(chain *c)
{
    const ph_vec3 e1 = c->motions[c->turn[0]].axis, e2 = c->motions[c->turn[1]].axis, e3 = c->motions[c->turn[2]].axis;
    const double alpha = ph_dot(e2, e3) * ph_dot(e1, e2), beta = ph_dot(e1, e3) - alpha;
    const double gamma = ph_dot(e1, ph_cross(e2, e3)), size = sqrt(beta * beta + gamma * gamma);
    c->alpha = alpha;
    c->over_size = 1.0 / size;
    c->cos_zero = beta / size;
    c->sin_zero = gamma / size;
    c->side = gamma > 0.0 || (gamma == 0.0 && beta < 0.0) ? -1.0 : 1.0;
    c->across = ph_any_perpendicular(e3);
    c->beside = ph_cross(e3, c->across);
}

void chain_prepare(chain *c)
{
    int turns = 0, slides = 0;
    for (int i = 0; i < CHAIN_MOTIONS; i++) {
        if (c->motions[i].slides) {
            c->slide[slides++] = (uint8_t)i;
        } else if (!(c->parallel && i == c->free[1])) {
            c->turn[turns++] = (uint8_t)i;
        }
    }
    prepare_middle(c);
}

// ---- Closed forms ---------------------------------------------------------------------------------------------------

static void set_turn(chain_look *look, int i, double cosine, double sine)
{
    const double size = sqrt(cosine * cosine + sine * sine), over = size > 0.0 ? 1.0 / size : 0.0;
    look->cosine[i] = size > 0.0 ? cosine * over : 1.0;
    look->sine[i] = sine * over;
}

// The turn about e that brings v to w.
static void find_turn(chain_look *look, int i, ph_vec3 e, ph_vec3 v, ph_vec3 w)
{
    set_turn(look, i, ph_dot(v, w) - ph_dot(e, v) * ph_dot(e, w), ph_dot(e, ph_cross(v, w)));
}

static ph_vec3 turned(const chain_look *look, int i, ph_vec3 axis, ph_vec3 v, double sign)
{
    return chain_turned(v, axis, look->cosine[i], sign * look->sine[i]);
}

static void find_turns(const chain *c, const ph_mat3 *A, chain_look *look)
{
    const int one = c->turn[0], two = c->turn[1], three = c->turn[2];
    const ph_vec3 e1 = c->motions[one].axis, e2 = c->motions[two].axis, e3 = c->motions[three].axis, x = ph_mul(*A, e3);
    const double wanted = (ph_dot(e1, x) - c->alpha) * c->over_size;
    const double p = ph_max(-1.0, -ph_max(-1.0, -wanted)), r = c->side * sqrt(1.0 - p * p);
    set_turn(look, two, c->cos_zero * p - c->sin_zero * r, c->sin_zero * p + c->cos_zero * r);
    find_turn(look, one, e1, turned(look, two, e2, e3, 1.0), x);
    const ph_vec3 w = turned(look, two, e2, turned(look, one, e1, ph_mul(*A, c->across), -1.0), -1.0);
    set_turn(look, three, ph_dot(c->across, w), ph_dot(c->beside, w));
}

// Parallel axes: the point of the second, fixed in b, goes round the first.
static void split_turn(const chain *c, const frame *pose, chain_look *look)
{
    const int first = c->free[0], second = c->free[1];
    const chain_motion *one = &c->motions[first], *two = &c->motions[second];
    const double all = look->cosine[first], sine = look->sine[first];
    const double sign = ph_dot(one->axis, two->axis) > 0.0 ? 1.0 : -1.0;
    find_turn(look, first, one->axis, ph_sub(two->point, one->point),
              ph_sub(frame_point(pose, two->point), one->point));
    const double cosine_1 = look->cosine[first], sine_1 = look->sine[first];
    set_turn(look, second, all * cosine_1 + sine * sine_1, sign * (sine * cosine_1 - all * sine_1));
}

// Solves [u_0 u_1 u_2] s = v.
static void find_slides(const chain *c, ph_vec3 v, chain_look *look)
{
    const ph_vec3 u0 = look->u[c->slide[0]], u1 = look->u[c->slide[1]], u2 = look->u[c->slide[2]];
    const ph_vec3 across = ph_cross(u1, u2), beside = ph_cross(v, u0);
    const double over = 1.0 / ph_dot(u0, across);
    look->q[c->slide[0]] = over * ph_dot(v, across);
    look->q[c->slide[1]] = -over * ph_dot(u2, beside);
    look->q[c->slide[2]] = over * ph_dot(u1, beside);
}

// All but the angles of turns.
static void guess(const chain *c, const frame *pose, chain_look *look)
{
    find_turns(c, &pose->R, look);
    for (int k = 0; k < 3; k++) look->q[c->slide[k]] = 0.0;
    if (c->parallel) split_turn(c, pose, look);
    chain_turn(c, look);
    if (!c->parallel) find_slides(c, ph_sub(pose->x, look->pose.x), look);
    chain_slide(c, look);
}

// ---- What they miss -------------------------------------------------------------------------------------------------

// The turn that brings A to B, for small ones: half the sum of the products of their axes.
static ph_vec3 small_turn(const ph_mat3 *A, const ph_mat3 *B)
{
    ph_vec3 sum = ph_cross(ph_mat_col(*A, 0), ph_mat_col(*B, 0));
    for (int k = 1; k < 3; k++) sum = ph_add(sum, ph_cross(ph_mat_col(*A, k), ph_mat_col(*B, k)));
    return ph_scale(0.5, sum);
}

// How far the look is from the pose it is for. Returns its size: turns, and moves as parts of where b is.
static double miss(const frame *pose, const chain_look *look, double off[6])
{
    const ph_vec3 turn = small_turn(&look->pose.R, &pose->R), move = ph_sub(pose->x, look->pose.x);
    off[0] = turn.x, off[1] = turn.y, off[2] = turn.z;
    off[3] = move.x, off[4] = move.y, off[5] = move.z;
    return ph_max(ph_max_abs(turn), ph_max_abs(move) / (1.0 + ph_max_abs(pose->x)));
}

// Angles of turns: `all`, or of those that are locked.
static void set_angles(const chain *c, bool all, chain_look *look)
{
    for (int i = 0; i < CHAIN_MOTIONS; i++)
        if (!c->motions[i].slides && (all || c->motions[i].locked))
            look->q[i] = ph_atan2(look->sine[i], look->cosine[i]);
}

// One step of Newton's method for the coordinates alone; returns the largest change.
static double improve(const double off[6], chain_look *look)
{
    double most = 0.0;
    for (int i = 0; i < CHAIN_MOTIONS; i++) {
        double change = 0.0;
        for (int n = 0; n < 6; n++) change += look->W[i][n] * off[n];
        look->q[i] += change;
        most = ph_max(most, fabs(change));
    }
    return most;
}

// From a guess that has its angles and W.
static bool refine(const chain *c, const frame *pose, chain_look *look)
{
    bool ok = true;
    double off[6];
    for (int n = 0; n < 12 && ok; n++) {
        miss(pose, look, off);
        const double change = improve(off, look);
        chain_place(c, look->q, look);
        if (change < 1e-14) break;
        ok = chain_invert(c, look);
        if (change < 1e-9) break; // the next would be 1e-18
    }
    return ok;
}

// ---------------------------------------------------------------------------------------------------------------------

static bool find(const chain *c, const frame *pose, bool all, chain_look *look)
{
    double off[6];
    guess(c, pose, look);
    const bool ok = chain_invert(c, look), near = miss(pose, look, off) <= NEAR;
    set_angles(c, all || !near, look);
    if (ok && near) improve(off, look);
    return ok && !near ? refine(c, pose, look) : ok;
}

bool chain_find(const chain *c, const frame *pose, chain_look *look)
{
    return find(c, pose, true, look);
}

static columns axes_of(const ph_mat3 *R, const ph_mat3 *E)
{
    const columns r = columns_of(R), e = columns_of(E);
    return columns_mul(&r, &e);
}

static frame pose_of(const joint *j, const geometry *g)
{
    const columns A = axes_of(g->R_a, &j->E_a), B = axes_of(g->R_b, &j->E_b);
    frame pose;
    for (int k = 0; k < 3; k++) {
        const four v = columns_apply_left(B.c[k], &A);
        for (int r = 0; r < 3; r++) pose.R.m[r][k] = v[r];
    }
    pose.x = four_vec(columns_apply_left(four_of(g->d), &A));
    return pose;
}

void chain_angles_at(const joint *j, const geometry *g, chain_look *look)
{
    const frame pose = pose_of(j, g);
    find_turns(j->chain, &pose.R, look);
    if (j->chain->parallel) split_turn(j->chain, &pose, look);
    set_angles(j->chain, true, look);
}

void chain_values_at(const joint *j, const geometry *g, bool all, chain_look *look)
{
    const frame pose = pose_of(j, g);
    double off[6];
    guess(j->chain, &pose, look);
    if (miss(&pose, look, off) <= ROUNDING)
        set_angles(j->chain, all, look);
    else
        find(j->chain, &pose, all, look);
}

bool chain_at(const joint *j, const geometry *g, chain_look *look)
{
    const frame pose = pose_of(j, g);
    return find(j->chain, &pose, true, look);
}

bool chain_rows_at(const joint *j, const geometry *g, chain_look *look)
{
    const frame pose = pose_of(j, g);
    return find(j->chain, &pose, false, look);
}
