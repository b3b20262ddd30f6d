// One cluster: its cone problem, and what comes out.
#include "cone/cone.h"
#include "heap/internal.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 60 }; // sweeps and steps of Newton's method: what is not solved then seldom is

static const double AIM = 0.5; // of the tolerance

struct cluster_contact {
    int contact, place;
    int body[2];        // a, b: moving bodies
    ph_vec3 axes[3];    // normal, tangents
    ph_vec3 turn[2][3]; // by body and axis: torque of a unit impulse on it, and the spin that this gives
    ph_vec3 spin[2][3];
    double bias, softness;
};

static const double side[2] = {-1.0, 1.0}; // of the impulse on a and on b

// ---- Memory ---------------------------------------------------------------------------------------------------------

void cluster_room_free(cluster_room *w)
{
    void *arrays[] = {w->members, w->cone, w->q, w->g, w->start, w->near};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(w->allocator, arrays[k]);
    ph_cone_workspace_destroy(w->cones);
}

#define GROW(w, array, count)                                                                                          \
    mem_reserve_counted((w)->allocator, &(w)->array, &(w)->array##_room, count, sizeof *(w)->array, &(w)->growths)

static bool make_cones(cluster_room *w)
{
    if (w->cones) return true;
    w->cones = ph_cone_workspace_create(w->allocator);
    w->growths++;
    return w->cones;
}

// ---- The problem ----------------------------------------------------------------------------------------------------

static screw twist_of(const heap *h, int body)
{
    if (body < 0) return (screw){ph_zero3(), ph_zero3()};
    const size_t at = BODY * (size_t)((const int *)h->layout.body_place.at)[body];
    double v[BODY];
    for (size_t k = 0; k < BODY; k++) v[k] = heap_get(h, &h->numbers.bodies, at + k);
    return (screw){.angular = ph_vec(v[BODY_W], v[BODY_W + 1], v[BODY_W + 2]), .linear = ph_vec(v[0], v[1], v[2])};
}

static void add_twist(const heap *h, int body, screw change)
{
    if (body < 0) return;
    const size_t at = BODY * (size_t)((const int *)h->layout.body_place.at)[body];
    const screw now = twist_of(h, body);
    const ph_vec3 v = ph_add(now.linear, change.linear), omega = ph_add(now.angular, change.angular);
    const double numbers[6] = {v.x, v.y, v.z, omega.x, omega.y, omega.z};
    for (size_t k = 0; k < 3; k++) {
        heap_put(h, &h->numbers.bodies, at + k, numbers[k]);
        heap_put(h, &h->numbers.bodies, at + BODY_W + k, numbers[3 + k]);
    }
}

static ph_vec3 impulse_of(const heap *h, void *x, int place)
{
    const heap_array a = {.at = x};
    const size_t at = heap_impulse(place);
    return ph_vec(heap_get(h, &a, at), heap_get(h, &a, at + BLOCK), heap_get(h, &a, at + 2 * BLOCK));
}

// Contact k of the cluster, which is i of all: its axes, its impulse in g and its velocity in q.
static void set_contact(const heap *h, const cluster_task *t, const cluster_room *l, int i, int k)
{
    const heap_problem *d = t->problem;
    const heap_contact c = heap_contact_at(d, i);
    const contact_pair pair = contacts_pair(d->contacts, i);
    const ph_vec3 tangent = ph_any_perpendicular(c.n), arms[2] = {c.arm_a, c.arm_b},
                  x = impulse_of(h, t->x, heap_place_of(h, i));
    cluster_contact *to = &l->members[k];
    *to = (cluster_contact){.contact = i,
                            .place = heap_place_of(h, i),
                            .body = {pair.a, pair.b},
                            .axes = {c.n, tangent, ph_cross(c.n, tangent)},
                            .bias = c.bias,
                            .softness = c.softness};
    ph_vec3 u = ph_zero3();
    for (int s = 0; s < 2; s++) {
        const screw v = twist_of(h, to->body[s]);
        u = ph_madd(u, side[s], ph_add(v.linear, ph_cross(v.angular, arms[s])));
        if (to->body[s] < 0) continue;
        const ph_mat3 J = heap_inverse_inertia(d, to->body[s]);
        for (int r = 0; r < 3; r++) {
            to->turn[s][r] = ph_scale(side[s], ph_cross(arms[s], to->axes[r]));
            to->spin[s][r] = ph_mul(J, to->turn[s][r]);
        }
    }
    l->cone[k] = (ph_cone){.kind = PH_CONE_FRICTION, .friction = c.friction};
    for (int r = 0; r < 3; r++) {
        l->g[3 * k + r] = ph_dot(to->axes[r], x);
        l->q[3 * k + r] = ph_dot(to->axes[r], u);
    }
    l->q[3 * k] += c.bias + c.softness * l->g[3 * k];
}

// The velocity along axis r of contact a that a unit impulse along axis s of contact b gives.
static double entry(const heap_problem *d, const cluster_contact *a, int r, const cluster_contact *b, int s)
{
    double sum = a == b && r == 0 && s == 0 ? a->softness : 0.0;
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++) {
            if (a->body[p] < 0 || a->body[p] != b->body[q]) continue;
            sum += side[p] * side[q] * d->inverse_mass[a->body[p]] * ph_dot(a->axes[r], b->axes[s]) +
                   ph_dot(a->turn[p][r], b->spin[q][s]);
        }
    return sum;
}

// Numbers in the cluster of those that share a body with contact k, rising, into `near`; returns how many.
static int neighbours_of(const cluster_room *l, const int *mark, const heap_problem *d, int k)
{
    const cluster_contact *c = &l->members[k];
    int *near = l->near;
    int count = 0;
    for (int s = 0; s < 2; s++) {
        if (c->body[s] < 0) continue;
        for (int u = d->use_start[c->body[s]]; u < d->use_start[c->body[s] + 1]; u++) {
            const int other = mark[d->uses[u] / 2] - 1;
            if (other < 0) continue; // not in the cluster
            int at = count;
            while (at > 0 && near[at - 1] > other) at--;
            if (at > 0 && near[at - 1] == other) continue;
            memmove(near + at + 1, near + at, sizeof *near * (size_t)(count - at));
            near[at] = other;
            count++;
        }
    }
    return count;
}

// Room for the neighbours of contact k: no more than both bodies have contacts.
static bool grow_near(cluster_room *w, const heap_problem *d, int k)
{
    const cluster_contact *c = &w->members[k];
    int near = 0;
    for (int s = 0; s < 2; s++)
        if (c->body[s] >= 0) near += d->use_start[c->body[s] + 1] - d->use_start[c->body[s]];
    return GROW(w, near, near);
}

// Where the rows of the matrix begin, and room for them.
static bool make_rows(cluster_room *l, const int *mark, const heap_problem *d, int count)
{
    size_t filled = 0;
    for (int k = 0; k < count; k++) {
        if (!grow_near(l, d, k)) return false;
        const int near = neighbours_of(l, mark, d, k);
        for (int r = 0; r < 3; r++, filled += 3 * (size_t)near) l->start[3 * k + r] = (int)filled;
        if (filled > INT32_MAX / 2) return false;
    }
    l->start[3 * count] = (int)filled;
    const int room = l->cones->vectors_room;
    l->value = cone_workspace_lend(l->cones, filled * (sizeof *l->value + sizeof *l->column));
    l->growths += l->cones->vectors_room > room;
    void *behind = l->value ? l->value + filled : NULL;
    l->column = behind;
    return l->value;
}

// N between the contacts of the cluster; what its impulses give is taken out of q.
static bool set_matrix(cluster_room *l, const int *mark, const heap_problem *d, int count)
{
    if (!make_rows(l, mark, d, count)) return false;
    for (int k = 0, filled = 0; k < count; k++) {
        const int near = neighbours_of(l, mark, d, k);
        for (int r = 0; r < 3; r++)
            for (int m = 0; m < near; m++)
                for (int s = 0; s < 3; s++, filled++) {
                    l->column[filled] = 3 * l->near[m] + s;
                    l->value[filled] = entry(d, &l->members[k], r, &l->members[l->near[m]], s);
                    l->q[3 * k + r] -= l->value[filled] * l->g[l->column[filled]];
                }
    }
    return true;
}

// The impulses of the cluster become g, and its bodies move accordingly.
static void put_cluster(const heap *h, const cluster_task *t, const cluster_room *l, int count)
{
    const heap_array to = {.at = t->x};
    for (int k = 0; k < count; k++) {
        const cluster_contact *c = &l->members[k];
        const ph_vec3 old = impulse_of(h, t->x, c->place);
        ph_vec3 x = ph_zero3();
        for (int r = 0; r < 3; r++) x = ph_madd(x, l->g[3 * k + r], c->axes[r]);
        const size_t at = heap_impulse(c->place);
        heap_put(h, &to, at, x.x);
        heap_put(h, &to, at + BLOCK, x.y);
        heap_put(h, &to, at + 2 * BLOCK, x.z);
        const ph_vec3 change = ph_sub(impulse_of(h, t->x, c->place), old);
        for (int s = 0; s < 2; s++) {
            if (c->body[s] < 0) continue;
            screw v = {.angular = ph_zero3(),
                       .linear = ph_scale(side[s] * t->problem->inverse_mass[c->body[s]], change)};
            for (int r = 0; r < 3; r++) v.angular = ph_madd(v.angular, ph_dot(c->axes[r], change), c->spin[s][r]);
            add_twist(h, c->body[s], v);
        }
    }
}

bool cluster_solve(const heap *h, const cluster_task *t, cluster_room *w, const int *contacts, int count)
{
    if (!make_cones(w) || !GROW(w, members, count) || !GROW(w, cone, count) || !GROW(w, q, 3 * count) ||
        !GROW(w, g, 3 * count) || !GROW(w, start, 3 * count + 1))
        return false;
    for (int k = 0; k < count; k++) set_contact(h, t, w, contacts[k], k);
    if (!set_matrix(w, h->clusters.mark, t->problem, count)) return false;
    const ph_cone_matrix matrix = {3 * count, w->start, w->column, w->value};
    const ph_cone_problem problem = {count, w->cone, w->q, ph_cone_matrix_operator(&matrix)};
    ph_cone_settings settings = ph_default_cone();
    ph_cone_report report;
    settings.solver = "newton";
    settings.law = PH_LAW_COULOMB;
    settings.tolerance = AIM * t->tolerance;
    settings.iterations = ITERATIONS;
    settings.start = true;
    if (ph_cone_solve(w->cones, &problem, &settings, w->g, NULL, &report, NULL) != PH_OK) return false;
    w->growths += report.growths;
    if (report.converged) put_cluster(h, t, w, count);
    return true;
}
