#include "cone/cone.h"
#include "heap/internal.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum {
    DISTANCE = 1,   // bodies
    ITERATIONS = 60 // sweeps and steps of Newton's method: what is not solved then seldom is
};

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

void clusters_init(heap *h)
{
    lock_init(&h->clusters.lock);
}

void clusters_free(heap *h)
{
    clusters *l = &h->clusters;
    void *arrays[] = {l->list, l->mark, l->members, l->cone, l->q, l->g, l->start, l->near};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(&h->model->allocator, arrays[k]);
    ph_cone_workspace_destroy(l->cones);
    lock_destroy(&l->lock);
}

static bool grow(heap *h, void *array, int *room, int count, size_t size)
{
    h->growths += count > *room;
    return mem_reserve(&h->model->allocator, array, room, count, size);
}

#define GROW(h, array, count)                                                                                          \
    grow(h, &(h)->clusters.array, &(h)->clusters.array##_room, count, sizeof *(h)->clusters.array)

// ---- Clusters ---------------------------------------------------------------------------------------------------------

// What a contact is to the clusters, in clusters.mark; from 0 on it is the number in the cluster at hand, plus 1. All are
// MARK_NONE between two calls of clusters_solve.
enum { MARK_LISTED = -1, MARK_NONE = 0 };

static bool is_listed(const heap *h, int contact)
{
    return h->clusters.mark[contact] == MARK_LISTED;
}

static int place_of(const heap *h, int contact)
{
    return ((const int *)h->layout.place.at)[contact];
}

// Adds the contacts of both bodies of contact i that have the mark `from` to a list of `most`, and marks them: those without
// a mark as listed, listed ones by their number. Returns how many the list has, most + 1 where there are more.
static int add_neighbours(const heap *h, const heap_problem *d, int i, int from, int most, int *list, int count)
{
    int *mark = h->clusters.mark;
    const contact_pair pair = contacts_pair(d->contacts, i);
    const int bodies[2] = {pair.a, pair.b};
    for (int s = 0; s < 2; s++) {
        if (bodies[s] < 0) continue;
        for (int u = d->use_start[bodies[s]]; u < d->use_start[bodies[s] + 1]; u++) {
            const int j = d->uses[u] / 2;
            if (mark[j] != from) continue;
            if (count >= most) return most + 1;
            list[count++] = j;
            mark[j] = from == MARK_NONE ? MARK_LISTED : count;
        }
    }
    return count;
}

// Which contact has a place: one of those of its body.
static int contact_at(const heap *h, const heap_problem *d, int place)
{
    const heap_ends *ends = (const heap_ends *)h->numbers.ends.at + place / BLOCK;
    const int a = ends->a[place % BLOCK], body = a < h->layout.body_count ? a : ends->b[place % BLOCK];
    int u = d->use_start[((const int *)h->layout.body_at.at)[body]];
    while (place_of(h, d->uses[u] / 2) != place) u++;
    return d->uses[u] / 2;
}

// The next place that is active, from `place` on; `end` where there is none.
static int next_active(const unsigned char *active, int place, int end)
{
    for (uint64_t eight; place + 8 <= end; place += 8) {
        memcpy(&eight, active + place, sizeof eight);
        if (eight) break;
    }
    while (place < end && !active[place]) place++;
    return place;
}

// The contacts of a region that are active into the list, rising. Returns as add_neighbours does.
static int add_active(const heap *h, const cluster_task *t, const heap_region *n, int *list, int count)
{
    const int first = count, end = BLOCK * n->block_end;
    for (int at = next_active(t->active, BLOCK * n->block, end); at < end; at = next_active(t->active, at + 1, end)) {
        if (count >= t->most) return t->most + 1;
        const int i = contact_at(h, t->problem, at);
        int k = count++;
        for (; k > first && list[k - 1] > i; k--) list[k] = list[k - 1];
        list[k] = i;
        h->clusters.mark[i] = MARK_LISTED;
    }
    return count;
}

// Contacts beyond the tolerance and their neighbours into the list. Returns how many those are; more than t->most: there
// are more.
static int collect(const heap *h, const cluster_task *t)
{
    const clusters *l = &h->clusters;
    int count = 0;
    for (int k = t->first; k < t->end && count <= t->most; k++)
        count = add_active(h, t, (const heap_region *)h->layout.regions.at + k, l->list, count);
    for (int ring = 0, from = 0; ring < DISTANCE; ring++)
        for (const int end = count; from < end && count <= t->most; from++)
            count = add_neighbours(h, t->problem, l->list[from], MARK_NONE, t->most, l->list, count);
    return count;
}

// ---- One cluster ------------------------------------------------------------------------------------------------------

static void add_twist(const heap *h, int body, screw change)
{
    const screw now = heap_twist(h, body);
    heap_put_twist(h, body, (screw){ph_add(now.angular, change.angular), ph_add(now.linear, change.linear)});
}

static ph_vec3 impulse_of(const heap *h, void *x, int place)
{
    const heap_array a = {.at = x};
    const size_t at = heap_impulse(place);
    return ph_vec(heap_get(h, &a, at), heap_get(h, &a, at + BLOCK), heap_get(h, &a, at + 2 * BLOCK));
}

// Contact k of the cluster, which is i of all: its axes, its impulse in g and its velocity in q.
static void set_contact(const heap *h, const cluster_task *t, int i, int k)
{
    const clusters *l = &h->clusters;
    const heap_problem *d = t->problem;
    const heap_contact c = heap_contact_at(d, i);
    const contact_pair pair = contacts_pair(d->contacts, i);
    const ph_vec3 tangent = ph_any_perpendicular(c.n), arms[2] = {c.arm_a, c.arm_b},
                  x = impulse_of(h, t->x, place_of(h, i));
    cluster_contact *to = &l->members[k];
    *to = (cluster_contact){.contact = i,
                            .place = place_of(h, i),
                            .body = {pair.a, pair.b},
                            .axes = {c.n, tangent, ph_cross(c.n, tangent)},
                            .bias = c.bias,
                            .softness = c.softness};
    ph_vec3 u = ph_zero3();
    for (int s = 0; s < 2; s++) {
        const screw v = heap_twist(h, to->body[s]);
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
static int neighbours_of(const heap *h, const heap_problem *d, int k, int *near)
{
    const clusters *l = &h->clusters;
    const cluster_contact *c = &l->members[k];
    int count = 0;
    for (int s = 0; s < 2; s++) {
        if (c->body[s] < 0) continue;
        for (int u = d->use_start[c->body[s]]; u < d->use_start[c->body[s] + 1]; u++) {
            const int other = l->mark[d->uses[u] / 2] - 1;
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
static bool grow_near(heap *h, const heap_problem *d, int k)
{
    const cluster_contact *c = &h->clusters.members[k];
    int near = 0;
    for (int s = 0; s < 2; s++)
        if (c->body[s] >= 0) near += d->use_start[c->body[s] + 1] - d->use_start[c->body[s]];
    return GROW(h, near, near);
}

// Where the rows of the matrix begin, and room for them.
static bool make_rows(heap *h, const heap_problem *d, int count)
{
    clusters *l = &h->clusters;
    size_t filled = 0;
    for (int k = 0; k < count; k++) {
        if (!grow_near(h, d, k)) return false;
        const int near = neighbours_of(h, d, k, l->near);
        for (int r = 0; r < 3; r++, filled += 3 * (size_t)near) l->start[3 * k + r] = (int)filled;
        if (filled > INT32_MAX / 2) return false;
    }
    l->start[3 * count] = (int)filled;
    const int room = l->cones->vectors_room;
    l->value = cone_workspace_lend(l->cones, filled * (sizeof *l->value + sizeof *l->column));
    h->growths += l->cones->vectors_room > room;
    void *behind = l->value ? l->value + filled : NULL;
    l->column = behind;
    return l->value;
}

// N between the contacts of the cluster; what its impulses give is taken out of q.
static bool set_matrix(heap *h, const heap_problem *d, int count)
{
    const clusters *l = &h->clusters;
    if (!make_rows(h, d, count)) return false;
    for (int k = 0, filled = 0; k < count; k++) {
        const int near = neighbours_of(h, d, k, l->near);
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
static void put_cluster(const heap *h, const cluster_task *t, int count)
{
    const clusters *l = &h->clusters;
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

// false when out of memory; where the cluster is not solved nothing changes.
static bool solve_cluster(heap *h, const cluster_task *t, const int *contacts, int count)
{
    const clusters *l = &h->clusters;
    if (!GROW(h, members, count) || !GROW(h, cone, count) || !GROW(h, q, 3 * count) || !GROW(h, g, 3 * count) ||
        !GROW(h, start, 3 * count + 1))
        return false;
    for (int k = 0; k < count; k++) set_contact(h, t, contacts[k], k);
    if (!set_matrix(h, t->problem, count)) return false;
    const ph_cone_matrix matrix = {3 * count, l->start, l->column, l->value};
    const ph_cone_problem problem = {count, l->cone, l->q, ph_cone_matrix_operator(&matrix)};
    ph_cone_settings settings = ph_default_cone();
    ph_cone_report report;
    settings.solver = "newton";
    settings.law = PH_LAW_COULOMB;
    settings.tolerance = AIM * t->tolerance;
    settings.iterations = ITERATIONS;
    settings.start = true;
    if (ph_cone_solve(l->cones, &problem, &settings, l->g, NULL, &report, NULL) != PH_OK) return false;
    h->growths += report.growths;
    if (report.converged) put_cluster(h, t, count);
    return true;
}

// ---- All of them ----------------------------------------------------------------------------------------------------

// Whatever shares a body with contact i, and that itself.
static void set_active(const heap *h, const cluster_task *t, int i)
{
    const heap_problem *d = t->problem;
    const contact_pair pair = contacts_pair(d->contacts, i);
    const int bodies[2] = {pair.a, pair.b};
    for (int s = 0; s < 2; s++) {
        if (bodies[s] < 0) continue;
        for (int u = d->use_start[bodies[s]]; u < d->use_start[bodies[s] + 1]; u++)
            t->active[place_of(h, d->uses[u] / 2)] = 255;
    }
}

// Clusters are connected: contacts that a chain of others in the list leads to. What is larger than t->cluster is cut.
static bool solve_clusters(heap *h, const cluster_task *t, int count, int *solved)
{
    const clusters *l = &h->clusters;
    int *cluster = l->list + count; // a second list behind the first
    for (int k = 0; k < count; k++) {
        if (!is_listed(h, l->list[k])) continue;
        int size = 0;
        cluster[size++] = l->list[k];
        l->mark[l->list[k]] = size;
        for (int m = 0; m < size && size <= t->cluster; m++)
            size = add_neighbours(h, t->problem, cluster[m], MARK_LISTED, t->cluster, cluster, size);
        size = size > t->cluster ? t->cluster : size;
        const bool ok = solve_cluster(h, t, cluster, size);
        for (int m = 0; m < size; m++) l->mark[cluster[m]] = MARK_NONE;
        for (int m = 0; m < size; m++) set_active(h, t, cluster[m]);
        if (!ok) return false;
        *solved += size;
    }
    return true;
}

static int solve_alone(heap *h, const cluster_task *t)
{
    clusters *l = &h->clusters;
    if (!l->cones) {
        l->cones = ph_cone_workspace_create(&h->model->allocator);
        h->growths++;
    }
    if (!l->cones || !GROW(h, list, 2 * t->most) || !GROW(h, mark, t->problem->contacts->count)) return -1;
    const int count = collect(h, t);
    int solved = 0;
    const bool ok = count > t->most || solve_clusters(h, t, count, &solved);
    for (int k = 0; k < count && k < t->most; k++) l->mark[l->list[k]] = MARK_NONE; // what is in no cluster
    return ok ? solved : -1;
}

int clusters_solve(heap *h, const cluster_task *t)
{
    lock_take(&h->clusters.lock);
    const int solved = solve_alone(h, t);
    lock_leave(&h->clusters.lock);
    return solved;
}
