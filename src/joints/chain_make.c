// Which locked motions complete the free ones of a chain, and where they stand among them.
//
// The chart must not break down where the free motions are independent:
//
//     turns    none: about x, y, z. One, e: about p and e x p behind it, p across e. Two: about e_1 x e_2 between them, so that
//              e_1, n, e_2 are independent at any q_2. Three: none to add.
//              Two about parallel axes: about p and e x p at the end.
//     slides   none: along x, y, z before all. One, s: along p and s x p beside it. Two: along the normal, beside the one or the
//              other, whichever is farther from breaking down over a set of poses. Three: none.
//              Two parallel turns: along the axis, and from one axis to the other between them.
#include "joints/chain.h"

#include <math.h>
#include <string.h>

static void insert(chain *c, int *count, int at, bool slides, ph_vec3 axis, ph_vec3 point)
{
    for (int i = *count; i > at; i--) c->motions[i] = c->motions[i - 1];
    c->motions[at] = (chain_motion){.slides = slides, .locked = true, .axis = ph_unit(axis), .point = point};
    *count += 1;
}

static int find_free(const chain *c, int count, bool slides, int n)
{
    for (int i = 0; i < count; i++)
        if (c->motions[i].slides == slides && !c->motions[i].locked && n-- == 0) return i;
    return -1;
}

static void add_two(chain *c, int *count, int at, bool slides, ph_vec3 beside, ph_vec3 point)
{
    const ph_vec3 p = ph_any_perpendicular(beside);
    insert(c, count, at, slides, p, point);
    insert(c, count, at + 1, slides, ph_cross(beside, p), point);
}

static void lock_turns(chain *c, int *count, int turns)
{
    const ph_vec3 none = ph_zero3(), x = ph_vec(1, 0, 0), y = ph_vec(0, 1, 0), z = ph_vec(0, 0, 1);
    const int first = find_free(c, *count, false, 0), second = find_free(c, *count, false, 1);
    if (turns == 0) {
        insert(c, count, *count, false, x, none);
        insert(c, count, *count, false, y, none);
        insert(c, count, *count, false, z, none);
    } else if (turns == 1) {
        add_two(c, count, first + 1, false, c->motions[first].axis, none);
    } else if (turns == 2) {
        insert(c, count, first + 1, false, ph_cross(c->motions[first].axis, c->motions[second].axis), none);
    }
}

// ---- Slides ---------------------------------------------------------------------------------------------------------

// |det J| at q: 1 where six motions are orthonormal.
static double independence(const chain *c, const double *q)
{
    chain_look look;
    double A[6][6], det = 1.0;
    chain_place(c, q, &look);
    for (int i = 0; i < 6; i++) chain_column(c, &look, i, A[i]);
    for (int k = 0; k < 6; k++) {
        int most = k;
        for (int i = k + 1; i < 6; i++)
            if (fabs(A[i][k]) > fabs(A[most][k])) most = i;
        for (int n = 0; n < 6 && most != k; n++) {
            const double kept = A[k][n];
            A[k][n] = A[most][n];
            A[most][n] = kept;
        }
        det *= fabs(A[k][k]);
        for (int i = k + 1; i < 6 && A[k][k] != 0.0; i++) {
            const double f = A[i][k] / A[k][k];
            for (int n = k; n < 6; n++) A[i][n] -= f * A[k][n];
        }
    }
    return det;
}

// The least over poses with each turn at a few angles.
static double least_independence(const chain *c)
{
    double least = 1e300;
    for (int n = 0; n < 125; n++) {
        double q[CHAIN_MOTIONS] = {0};
        const int digit[3] = {n % 5, n / 5 % 5, n / 25};
        for (int i = 0, turn = 0; i < CHAIN_MOTIONS; i++)
            if (!c->motions[i].slides && !c->motions[i].locked && turn < 3) q[i] = 1.3 * (digit[turn++] - 2) + 0.1;
        least = -ph_max(-least, -independence(c, q));
    }
    return least;
}

// Two slides with turns between them, or none: the better of the places beside each, along a few directions.
static void lock_third_slide(chain *c, int *count)
{
    const int at[2] = {find_free(c, *count, true, 0), find_free(c, *count, true, 1)};
    const ph_vec3 s0 = c->motions[at[0]].axis, s1 = c->motions[at[1]].axis;
    chain best = *c;
    double most = -1.0;
    for (int side = 0; side < 2; side++) {
        for (int n = 0; n < 4 + CHAIN_MOTIONS; n++) {
            const ph_vec3 e = n > 3 && n - 4 < *count ? c->motions[n - 4].axis : ph_vec(n == 1, n == 2, n == 3);
            const ph_vec3 axis = n == 0 ? ph_cross(s0, s1) : n < 4 ? e : ph_cross(side ? s1 : s0, e);
            chain tried = *c;
            int size = *count;
            if (ph_norm(axis) < 1e-3) continue;
            insert(&tried, &size, at[side] + 1, true, axis, ph_zero3());
            const double least = least_independence(&tried);
            if (least > most * 1.001) most = least, best = tried;
        }
    }
    *c = best;
    *count += 1;
}

static void lock_slides(chain *c, int *count, int slides)
{
    const ph_vec3 none = ph_zero3();
    const int first = find_free(c, *count, true, 0);
    if (slides == 0) {
        for (int i = 0; i < 3; i++) insert(c, count, i, true, ph_vec(i == 0, i == 1, i == 2), none);
    } else if (slides == 1) {
        add_two(c, count, first + 1, true, c->motions[first].axis, none);
    } else if (slides == 2) {
        lock_third_slide(c, count);
    }
}

// ---- The whole ------------------------------------------------------------------------------------------------------

static bool is_parallel(const chain *c)
{
    return ph_norm(ph_cross(c->motions[0].axis, c->motions[1].axis)) < 1e-9;
}

static const char *lock_parallel(chain *c, int *count)
{
    const ph_vec3 e = c->motions[0].axis, from = ph_sub(c->motions[1].point, c->motions[0].point);
    const ph_vec3 apart = ph_madd(from, -ph_dot(from, e), e);
    if (!(ph_norm(apart) > 1e-9)) return "two turns of a chain are about the same line";
    c->parallel = true;
    insert(c, count, 1, true, apart, ph_zero3());
    insert(c, count, 0, true, e, ph_zero3());
    add_two(c, count, *count, false, e, ph_zero3());
    return NULL;
}

static void list_motions(chain *c)
{
    int locked = 0;
    c->free_count = 0;
    for (int i = 0; i < CHAIN_MOTIONS; i++) {
        if (c->motions[i].locked) {
            c->locked[locked++] = (uint8_t)i;
        } else {
            c->free[c->free_count++] = (uint8_t)i;
        }
    }
}

// Axes that meet in the origin of the joint frame.
static bool all_meet(const chain *c)
{
    for (int k = 0; k < c->free_count; k++) {
        const chain_motion *m = &c->motions[c->free[k]];
        if (m->slides || ph_norm(ph_cross(m->point, m->axis)) > 1e-12) return false;
    }
    return c->free_count == 3;
}

// Whether poses give back the coordinates that they were made of.
static const char *check(const chain *c)
{
    const double at[3] = {0.0, 0.11, -0.17};
    for (int n = 0; n < 3; n++) {
        double q[CHAIN_MOTIONS] = {0};
        chain_look made, found;
        for (int k = 0; k < c->free_count; k++) q[c->free[k]] = at[n] * (1.0 + 0.1 * k);
        if (independence(c, q) < 1e-7) return "two motions of a chain are the same, or three turns are in one plane";
        chain_place(c, q, &made);
        if (!chain_find(c, &made.pose, &found)) return "the motions of a chain depend on each other";
        for (int i = 0; i < CHAIN_MOTIONS; i++)
            if (!(fabs(found.q[i] - q[i]) < 1e-8)) return "the pose of b does not tell the coordinates of this chain";
    }
    return NULL;
}

const char *chain_make(const chain_motion *free, int count, chain *c)
{
    int turns = 0, slides = 0, made = count;
    memset(c, 0, sizeof *c);
    for (int k = 0; k < count; k++) {
        c->motions[k] = free[k];
        c->motions[k].axis = ph_unit(free[k].axis);
        c->motions[k].locked = false;
        turns += !free[k].slides;
        slides += free[k].slides;
    }
    if (turns > 3 || slides > 3) return "a chain has at the most three turns and three slides";
    if (turns == 2 && slides == 0 && is_parallel(c)) {
        const char *wrong = lock_parallel(c, &made);
        if (wrong) return wrong;
    } else {
        lock_turns(c, &made, turns);
        lock_slides(c, &made, slides);
    }
    list_motions(c);
    chain_prepare(c);
    c->meets = all_meet(c);
    return check(c);
}
