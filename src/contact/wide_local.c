#include "contact/cone.h"
#include "contact/wide_inside.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum {
    DISTANCE = 1,   // bodies
    ITERATIONS = 60 // sweeps and steps of Newton's method: what is not solved then seldom is
};

static const double AIM = 0.5; // of the tolerance

struct wide_local_contact {
    int contact, place;
    int body[2];        // a, b: moving bodies
    ph_vec3 axes[3];    // normal, tangents
    ph_vec3 turn[2][3]; // by body and axis: torque of a unit impulse on it, and the spin that this gives
    ph_vec3 spin[2][3];
    double bias, softness;
};

static const double side[2] = {-1.0, 1.0}; // of the impulse on a and on b

void wide_local_init(wide *w)
{
    pthread_mutex_init(&w->local.lock, NULL);
}

void wide_local_free(wide *w)
{
    wide_local *l = &w->local;
    void *arrays[] = {l->list, l->group, l->cone, l->q, l->g, l->start, l->near};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) mem_free(&w->model->allocator, arrays[k]);
    ph_cone_workspace_destroy(l->cones);
    pthread_mutex_destroy(&l->lock);
}

static bool grow(wide *w, void *array, int *room, int count, size_t size)
{
    w->growths += count > *room;
    return mem_reserve(&w->model->allocator, array, room, count, size);
}

#define GROW(w, array, count) grow(w, &(w)->local.array, &(w)->local.array##_room, count, sizeof *(w)->local.array)

// ---- Groups ---------------------------------------------------------------------------------------------------------

// While groups are solved the place of a contact is its complement where the contact is in the list and in no group yet; then
// that of its number in the group at hand.
static int *places_of(const wide *w)
{
    return w->place.at;
}

static bool is_in(const wide *w, int contact)
{
    return places_of(w)[contact] < 0;
}

// Adds the contacts of both bodies of contact i that are in, or out, to a list of `most` and turns their places. Returns how
// many it has, most + 1 where there are more.
static int add_neighbours(const wide *w, const wide_problem *d, int i, bool in, int most, int *list, int count)
{
    const wide_pair pair = d->pair(d->user, i);
    const int bodies[2] = {pair.a, pair.b};
    for (int s = 0; s < 2; s++) {
        if (bodies[s] < 0) continue;
        for (int u = d->use_start[bodies[s]]; u < d->use_start[bodies[s] + 1]; u++) {
            const int j = d->uses[u] / 2;
            if (is_in(w, j) != in) continue;
            if (count >= most) return most + 1;
            places_of(w)[j] = ~places_of(w)[j];
            list[count++] = j;
        }
    }
    return count;
}

// Which contact has a place: one of those of its body.
static int contact_at(const wide *w, const wide_problem *d, int place)
{
    const wide_ends *ends = (const wide_ends *)w->ends.at + place / WIDE;
    const int a = ends->a[place % WIDE], body = a < w->body_count ? a : ends->b[place % WIDE];
    int u = d->use_start[((const int *)w->body_at.at)[body]];
    while (places_of(w)[d->uses[u] / 2] != place) u++;
    return d->uses[u] / 2;
}

// The next place that is due, from `place` on; `end` where there is none.
static int next_due(const unsigned char *due, int place, int end)
{
    for (uint64_t eight; place + 8 <= end; place += 8) {
        memcpy(&eight, due + place, sizeof eight);
        if (eight) break;
    }
    while (place < end && !due[place]) place++;
    return place;
}

// The contacts of a node that are due into the list, rising. Returns as add_neighbours does.
static int add_due(const wide *w, const wide_local_task *t, const wide_node *n, int *list, int count)
{
    const int first = count, end = WIDE * n->block_end;
    for (int at = next_due(t->due, WIDE * n->block, end); at < end; at = next_due(t->due, at + 1, end)) {
        if (count >= t->most) return t->most + 1;
        const int i = contact_at(w, t->problem, at);
        int k = count++;
        for (; k > first && list[k - 1] > i; k--) list[k] = list[k - 1];
        list[k] = i;
        places_of(w)[i] = ~at;
    }
    return count;
}

// Contacts beyond the tolerance and their neighbours into the list. Returns how many those are; more than t->most: there
// are more.
static int collect(const wide *w, const wide_local_task *t)
{
    const wide_local *l = &w->local;
    int count = 0;
    for (int k = t->first; k < t->end && count <= t->most; k++)
        count = add_due(w, t, (const wide_node *)w->nodes.at + k, l->list, count);
    for (int ring = 0, from = 0; ring < DISTANCE; ring++)
        for (const int end = count; from < end && count <= t->most; from++)
            count = add_neighbours(w, t->problem, l->list[from], false, t->most, l->list, count);
    return count;
}

// ---- One group ------------------------------------------------------------------------------------------------------

static screw twist_of(const wide *w, int body)
{
    if (body < 0) return (screw){ph_zero3(), ph_zero3()};
    const size_t at = BODY * (size_t)((const int *)w->body_place.at)[body];
    double v[BODY];
    for (size_t k = 0; k < BODY; k++) v[k] = wide_get(w, &w->bodies, at + k);
    return (screw){.turn = ph_vec(v[BODY_W], v[BODY_W + 1], v[BODY_W + 2]), .move = ph_vec(v[0], v[1], v[2])};
}

static void add_twist(const wide *w, int body, screw change)
{
    if (body < 0) return;
    const size_t at = BODY * (size_t)((const int *)w->body_place.at)[body];
    const screw now = twist_of(w, body);
    const ph_vec3 v = ph_add(now.move, change.move), omega = ph_add(now.turn, change.turn);
    const double numbers[6] = {v.x, v.y, v.z, omega.x, omega.y, omega.z};
    for (size_t k = 0; k < 3; k++) {
        wide_put(w, &w->bodies, at + k, numbers[k]);
        wide_put(w, &w->bodies, at + BODY_W + k, numbers[3 + k]);
    }
}

static ph_vec3 impulse_of(const wide *w, void *x, int place)
{
    const wide_array a = {.at = x};
    const size_t at = wide_impulse(place);
    return ph_vec(wide_get(w, &a, at), wide_get(w, &a, at + WIDE), wide_get(w, &a, at + 2 * WIDE));
}

// Contact k of the group, which is i of all: its axes, its impulse in g and its velocity in q.
static void set_contact(const wide *w, const wide_local_task *t, int i, int k)
{
    const wide_local *l = &w->local;
    const wide_problem *d = t->problem;
    const wide_contact c = d->contact(d->user, i);
    const wide_pair pair = d->pair(d->user, i);
    const ph_vec3 tangent = ph_any_perpendicular(c.n), arms[2] = {c.arm_a, c.arm_b},
                  x = impulse_of(w, t->x, places_of(w)[i]);
    wide_local_contact *to = &l->group[k];
    *to = (wide_local_contact){.contact = i,
                               .place = places_of(w)[i],
                               .body = {pair.a, pair.b},
                               .axes = {c.n, tangent, ph_cross(c.n, tangent)},
                               .bias = c.bias,
                               .softness = c.softness};
    places_of(w)[i] = ~k;
    ph_vec3 u = ph_zero3();
    for (int s = 0; s < 2; s++) {
        const screw v = twist_of(w, to->body[s]);
        u = ph_madd(u, side[s], ph_add(v.move, ph_cross(v.turn, arms[s])));
        if (to->body[s] < 0) continue;
        const ph_mat3 J = d->inertia(d->user, to->body[s]);
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
static double entry(const wide_problem *d, const wide_local_contact *a, int r, const wide_local_contact *b, int s)
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

// Numbers in the group, of `size` contacts, of those that share a body with contact k, rising, into `near`; returns how many.
static int neighbours_of(const wide *w, const wide_problem *d, int size, int k, int *near)
{
    const wide_local *l = &w->local;
    const wide_local_contact *c = &l->group[k];
    int count = 0;
    for (int s = 0; s < 2; s++) {
        if (c->body[s] < 0) continue;
        for (int u = d->use_start[c->body[s]]; u < d->use_start[c->body[s] + 1]; u++) {
            const int other = ~places_of(w)[d->uses[u] / 2];
            if (other < 0 || other >= size || l->group[other].contact != d->uses[u] / 2) continue;
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
static bool grow_near(wide *w, const wide_problem *d, int k)
{
    const wide_local_contact *c = &w->local.group[k];
    int near = 0;
    for (int s = 0; s < 2; s++)
        if (c->body[s] >= 0) near += d->use_start[c->body[s] + 1] - d->use_start[c->body[s]];
    return GROW(w, near, near);
}

// Where the rows of the matrix begin, and room for them.
static bool make_rows(wide *w, const wide_problem *d, int count)
{
    wide_local *l = &w->local;
    size_t filled = 0;
    for (int k = 0; k < count; k++) {
        if (!grow_near(w, d, k)) return false;
        const int near = neighbours_of(w, d, count, k, l->near);
        for (int r = 0; r < 3; r++, filled += 3 * (size_t)near) l->start[3 * k + r] = (int)filled;
        if (filled > INT32_MAX / 2) return false;
    }
    l->start[3 * count] = (int)filled;
    const int room = l->cones->vectors_room;
    l->value = cone_workspace_lend(l->cones, filled * (sizeof *l->value + sizeof *l->column));
    w->growths += l->cones->vectors_room > room;
    void *behind = l->value ? l->value + filled : NULL;
    l->column = behind;
    return l->value;
}

// N between the contacts of the group; what its impulses give is taken out of q.
static bool set_matrix(wide *w, const wide_problem *d, int count)
{
    const wide_local *l = &w->local;
    if (!make_rows(w, d, count)) return false;
    for (int k = 0, filled = 0; k < count; k++) {
        const int near = neighbours_of(w, d, count, k, l->near);
        for (int r = 0; r < 3; r++)
            for (int m = 0; m < near; m++)
                for (int s = 0; s < 3; s++, filled++) {
                    l->column[filled] = 3 * l->near[m] + s;
                    l->value[filled] = entry(d, &l->group[k], r, &l->group[l->near[m]], s);
                    l->q[3 * k + r] -= l->value[filled] * l->g[l->column[filled]];
                }
    }
    return true;
}

// The impulses of the group become g, and its bodies move accordingly.
static void put_group(const wide *w, const wide_local_task *t, int count)
{
    const wide_local *l = &w->local;
    const wide_array to = {.at = t->x};
    for (int k = 0; k < count; k++) {
        const wide_local_contact *c = &l->group[k];
        const ph_vec3 old = impulse_of(w, t->x, c->place);
        ph_vec3 x = ph_zero3();
        for (int r = 0; r < 3; r++) x = ph_madd(x, l->g[3 * k + r], c->axes[r]);
        const size_t at = wide_impulse(c->place);
        wide_put(w, &to, at, x.x);
        wide_put(w, &to, at + WIDE, x.y);
        wide_put(w, &to, at + 2 * WIDE, x.z);
        const ph_vec3 change = ph_sub(impulse_of(w, t->x, c->place), old);
        for (int s = 0; s < 2; s++) {
            if (c->body[s] < 0) continue;
            screw v = {.turn = ph_zero3(), .move = ph_scale(side[s] * t->problem->inverse_mass[c->body[s]], change)};
            for (int r = 0; r < 3; r++) v.turn = ph_madd(v.turn, ph_dot(c->axes[r], change), c->spin[s][r]);
            add_twist(w, c->body[s], v);
        }
    }
}

// false when out of memory; where the group is not solved nothing changes.
static bool solve_group(wide *w, const wide_local_task *t, const int *contacts, int count)
{
    const wide_local *l = &w->local;
    if (!GROW(w, group, count) || !GROW(w, cone, count) || !GROW(w, q, 3 * count) || !GROW(w, g, 3 * count) ||
        !GROW(w, start, 3 * count + 1))
        return false;
    for (int k = 0; k < count; k++) set_contact(w, t, contacts[k], k);
    if (!set_matrix(w, t->problem, count)) return false;
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
    w->growths += report.growths;
    if (report.converged) put_group(w, t, count);
    return true;
}

// ---- All of them ----------------------------------------------------------------------------------------------------

// Whatever shares a body with contact i, and that itself.
static void set_due(const wide *w, const wide_local_task *t, int i)
{
    const wide_problem *d = t->problem;
    const wide_pair pair = d->pair(d->user, i);
    const int bodies[2] = {pair.a, pair.b};
    for (int s = 0; s < 2; s++) {
        if (bodies[s] < 0) continue;
        for (int u = d->use_start[bodies[s]]; u < d->use_start[bodies[s] + 1]; u++) {
            const int place = places_of(w)[d->uses[u] / 2];
            t->due[place < 0 ? ~place : place] = 255;
        }
    }
}

// Groups are connected: contacts that a chain of others in the list leads to. What is larger than t->group is cut.
static bool solve_groups(wide *w, const wide_local_task *t, int count, int *solved)
{
    const wide_local *l = &w->local;
    int *group = l->list + count, *place = places_of(w); // a second list behind the first
    for (int k = 0; k < count; k++) {
        if (!is_in(w, l->list[k])) continue;
        int size = 0;
        place[l->list[k]] = ~place[l->list[k]];
        group[size++] = l->list[k];
        for (int m = 0; m < size && size <= t->group; m++)
            size = add_neighbours(w, t->problem, group[m], true, t->group, group, size);
        size = size > t->group ? t->group : size;
        const bool ok = solve_group(w, t, group, size);
        for (int m = 0; m < size; m++)
            if (is_in(w, group[m])) place[group[m]] = l->group[m].place;
        for (int m = 0; m < size; m++) set_due(w, t, group[m]);
        if (!ok) return false;
        *solved += size;
    }
    return true;
}

static int solve_alone(wide *w, const wide_local_task *t)
{
    wide_local *l = &w->local;
    if (!l->cones) l->cones = ph_cone_workspace_create(&w->model->allocator);
    if (!l->cones || !GROW(w, list, 2 * t->most)) return -1;
    const int count = collect(w, t);
    int solved = 0;
    const bool ok = count > t->most || solve_groups(w, t, count, &solved);
    for (int k = 0; k < count && k < t->most; k++) // what is in no group
        if (is_in(w, l->list[k])) places_of(w)[l->list[k]] = ~places_of(w)[l->list[k]];
    return ok ? solved : -1;
}

int wide_local_solve(wide *w, const wide_local_task *t)
{
    pthread_mutex_lock(&w->local.lock);
    const int solved = solve_alone(w, t);
    pthread_mutex_unlock(&w->local.lock);
    return solved;
}
