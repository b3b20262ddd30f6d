// Inertias that no body has: a moment that is not positive, or larger than the sum of the others.
//
// What can be mended without a change of the motion is: see below. Else a tensor of positive moments is taken as it is, as the
// equations of motion need no more, and others are approximated.
//
// In second moments S = tr(I)/2 - I a body has none below zero, and at the most one of zero. Moments d a a^T along the axis a of a
// hinge may lie on either of the bodies that it joins: both turn alike but about a, and these moments only feel other turns. So
// a body borrows them from its neighbours, or from the world, and the motion stays the same.

#include "io/robot/build.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <math.h>

typedef struct moments {
    double s[3]; // second moments, the smallest last
    ph_mat3 axes;
    double largest; // moment of inertia
} moments;

static moments moments_of(const robot_body *b)
{
    ph_vec3 k;
    moments m;
    ph_eig3(b->inertia, &k, &m.axes);
    const double half = 0.5 * (k.x + k.y + k.z);
    m.s[0] = half - k.x, m.s[1] = half - k.y, m.s[2] = half - k.z;
    m.largest = k.z;
    return m;
}

static bool is_possible(const moments *m)
{
    return m->largest > 0.0 && m->s[2] >= -1e-12 * m->largest && m->s[1] + m->s[2] > 1e-9 * m->largest;
}

static ph_mat3 rod(double d, ph_vec3 axis)
{
    return ph_mat_add(ph_diag((ph_vec3){d, d, d}), ph_mat_scale(-d, ph_outer(axis, axis)));
}

// ---- Borrowing ------------------------------------------------------------------------------------------------------

// The hinge by which a body hangs on what carries it; NULL: it hangs in another way.
static const robot_joint *hinge_of(const robot *r, int i)
{
    const robot_body *b = &r->bodies[i];
    const robot_joint *j = &r->joints[b->first_joint];
    return b->carrier == i && b->joint_count == 1 && j->kind == JOINT_HINGE ? j : NULL;
}

// How much it may give along a unit axis of the world and still be a body: 1/(a^T S^-1 a).
static double can_give(const robot_body *b, ph_vec3 axis)
{
    const moments m = moments_of(b);
    const ph_vec3 a = ph_tmul(m.axes, ph_quat_rotate(ph_quat_conj(b->world.q), axis));
    const double c[3] = {a.x, a.y, a.z};
    double sum = 0.0;
    if (b->mass <= 0.0 || m.s[2] <= 0.0) return 0.0;
    for (int k = 0; k < 3; k++) sum += c[k] * c[k] / m.s[k];
    return 1.0 / sum;
}

static void move_rod(robot_body *b, double d, ph_vec3 axis)
{
    b->inertia = ph_sym(ph_mat_add(b->inertia, rod(d, ph_quat_rotate(ph_quat_conj(b->world.q), axis))));
}

// From a neighbour, which keeps half of what it has.
static void borrow(robot *r, int to, int from, const robot_joint *hinge)
{
    robot_body *b = &r->bodies[to];
    const moments m = moments_of(b);
    const ph_vec3 axis = ph_quat_rotate(r->bodies[hinge->body].world.q, hinge->axis);
    const double most = from == ROBOT_WORLD ? HUGE_VAL : 0.5 * can_give(&r->bodies[from], axis);
    const double d = fmin(most, fmax(-2.0 * m.s[2], 0.1 * m.largest));
    if (!(d > 0.0)) return;
    move_rod(b, d, axis);
    if (from != ROBOT_WORLD) move_rod(&r->bodies[from], -d, axis);
}

static void borrow_of_all(robot *r, int i)
{
    const robot_joint *own = hinge_of(r, i);
    if (own) borrow(r, i, r->bodies[r->bodies[i].parent].carrier, own);
    for (int k = i + 1; k < r->bodies_count; k++) {
        const robot_joint *hinge = r->bodies[r->bodies[k].parent].carrier == i ? hinge_of(r, k) : NULL;
        if (hinge) borrow(r, i, k, hinge);
    }
}

static bool mend_by_neighbours(robot *r, int i)
{
    ph_mat3 *kept = robot_alloc(r, (size_t)r->bodies_count, sizeof *kept);
    for (int k = 0; kept && k < r->bodies_count; k++) kept[k] = r->bodies[k].inertia;
    borrow_of_all(r, i);
    const moments m = moments_of(&r->bodies[i]);
    if (is_possible(&m)) return true;
    for (int k = 0; kept && k < r->bodies_count; k++) r->bodies[k].inertia = kept[k];
    return false;
}

// ---- Approximating --------------------------------------------------------------------------------------------------

// Second moments of a small ball: a tenth of the way to the joint across, or a centimetre.
static double small_moment(const robot *r, const robot_body *b)
{
    const double arm = b->joint_count > 0 ? ph_norm(ph_sub(b->com, r->joints[b->first_joint].anchor)) : 0.0;
    const double radius = arm > 0.0 ? 0.1 * arm : 0.01;
    return 0.2 * b->mass * radius * radius;
}

static void approximate(robot *r, robot_body *b)
{
    moments m = moments_of(b);
    const double least = m.s[1] > 1e-9 * m.largest ? 0.0 : small_moment(r, b);
    for (int k = 0; k < 3; k++) m.s[k] = fmax(m.s[k], least);
    const ph_vec3 moments = {m.s[1] + m.s[2], m.s[0] + m.s[2], m.s[0] + m.s[1]};
    b->inertia = ph_sym(ph_mat_mult(ph_mat_mul(m.axes, ph_diag(moments)), m.axes));
}

// By rounding of the digits in the file: the plate that they mean.
static bool is_plate(const moments *m)
{
    return m->s[1] > 1e-9 * m->largest && -m->s[2] < 0.5e-6 * m->largest;
}

static bool is_positive(const robot_body *b)
{
    ph_vec3 k;
    ph_mat3 axes;
    ph_eig3(b->inertia, &k, &axes);
    return k.x > 1e-9 * k.z;
}

static void mend(robot *r, int i)
{
    robot_body *b = &r->bodies[i];
    const moments m = moments_of(b);
    if (is_plate(&m)) {
        robot_note(r, b->node, "an inertia that misses the triangle inequality by rounding is taken as a plate");
        approximate(r, b);
    } else if (mend_by_neighbours(r, i)) {
        robot_note(r, b->node, "an impossible inertia borrows from the bodies at its hinges, which moves all alike");
    } else if (is_positive(b)) {
        robot_note(r, b->node, "an inertia that no body has, of positive moments, is taken as it is");
        b->any_inertia = true;
    } else {
        robot_approximate(r, b->node, NULL, "an impossible inertia is replaced by the nearest one of a body");
        approximate(r, b);
    }
}

void build_inertias(builder *b)
{
    robot *r = b->r;
    for (int i = 1; i < r->bodies_count; i++) {
        const moments m = moments_of(&r->bodies[i]);
        if (r->bodies[i].carrier == i && r->bodies[i].mass > 0.0 && !is_possible(&m)) mend(r, i);
    }
}
