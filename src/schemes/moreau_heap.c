// Contacts of free bodies of `moreau`: from the detector's list to the solver of heap/heap.h and back, without rows.
#include "schemes/moreau.h"

#include "math/mat3.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static flight_contact contact_at(const moreau *m, int i)
{
    const contact_set *found = free_contacts(m);
    const detected c = contacts_at(found, i);
    return (flight_contact){.a = found->shapes->moving[c.body_a],
                            .b = found->shapes->moving[c.body_b],
                            .normal = c.normal,
                            .arm_a = contacts_arm(found, &c, c.body_a),
                            .arm_b = contacts_arm(found, &c, c.body_b),
                            .gap = c.gap};
}

static double work_of_body(const screw *wrench, ph_twist v, screw next)
{
    return 0.5 *
           (ph_dot(wrench->angular, ph_add(v.omega, next.angular)) + ph_dot(wrench->linear, ph_add(v.v, next.linear)));
}

// What contacts do to a body, and those that are not of the heap.
static screw with_others(const moreau *m, int k, screw wrench)
{
    if (!is_linked(m)) return wrench;
    const screw more = m->both.pushed[k];
    return (screw){ph_add(wrench.angular, more.angular), ph_add(wrench.linear, more.linear)};
}

// v+ <- the velocities with the impulses of the contacts; sums: their work, and that of the normal impulses
static void set_after(void *user, int part, int from, int to)
{
    const moreau *m = user;
    double work = 0.0, of_normals = 0.0;
    for (int k = from; k < to; k++) {
        screw normal;
        if (!is_of_heap(m, k)) continue;
        const screw wrench = plain_wrench(&m->plain, k, &normal), all = with_others(m, k, wrench);
        const ph_mat3 R = moreau_rotation(m, m->model->moving[k]);
        const ph_twist v = flight_before(&m->now.past, m->model->moving[k], R);
        const screw next = m->bodies.after[k] = moreau_free_twist(m, k, R, &all);
        work += work_of_body(&wrench, v, next);
        of_normals += work_of_body(&normal, v, next);
    }
    m->bodies.sums[part] = work;
    m->bodies.normal_sums[part] = of_normals;
}

// ---- Bounces --------------------------------------------------------------------------------------------------------

static bool is_pushed(const moreau *m, int k, int i)
{
    const double impulse = ph_dot(contacts_at(free_contacts(m), i).normal, plain_impulses(&m->plain)[i]);
    return flight_is_pushed(&m->flight, m->delassus.inverse_mass[k], impulse);
}

// As flight_begin.
static void begin_flight(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    const plain *p = &m->plain;
    for (int k = from; k < to; k++) {
        bool flies = true;
        if (!is_of_heap(m, k)) continue;
        for (int u = p->use_start[k]; u < p->use_start[k + 1] && flies; u++) {
            const int i = p->uses[u] >> 1;
            const detected c = contacts_at(p->found, i);
            flies = !is_pushed(m, k, i) ||
                    !flight_is_held(&m->flight, c.gap, contacts_surface(p->found, &c).restitution, m->now.h);
        }
        m->flight.flies[k] = flies;
        m->flight.tau[k] = 0.0;
    }
}

static double normal_velocity(const flight_contact *c, screw a, screw b)
{
    double u = 0.0;
    if (c->b >= 0) u += ph_dot(c->normal, ph_add(b.linear, ph_cross(b.angular, c->arm_b)));
    if (c->a >= 0) u -= ph_dot(c->normal, ph_add(a.linear, ph_cross(a.angular, c->arm_a)));
    return u;
}

static screw before_of(const moreau *m, int k)
{
    const ph_twist none = {ph_zero3(), ph_zero3()},
                   v = k >= 0 ? flight_before_body(&m->now.past, m->model->moving[k]) : none;
    return (screw){v.omega, v.v};
}

static screw after_of(const moreau *m, int k)
{
    return k >= 0 ? m->bodies.after[k] : (screw){ph_zero3(), ph_zero3()};
}

static void share_moment(moreau *m, int i)
{
    const int at = first_free(m) + i;
    const detected it = contacts_at(free_contacts(m), i);
    const flight_contact c = contact_at(m, i);
    const double e = moreau_restitution(m, at, contacts_surface(free_contacts(m), &it).restitution);
    rebound r = {.bias = m->rebounds.bias[at], .shift = m->rebounds.shift[at]};
    moreau_share_moment(m, &c, e, normal_velocity(&c, before_of(m, c.a), before_of(m, c.b)), &r);
    m->rebounds.bias[at] = r.bias;
    m->rebounds.shift[at] = r.shift;
}

// Which contacts bounce; `after` holds the velocities without contacts.
static void find_bounces(moreau *m)
{
    const contact_set *found = free_contacts(m);
    const int first = first_free(m);
    for (int i = 0; i < found->count; i++) {
        const detected it = contacts_at(found, i);
        const pair_surface surface = contacts_surface(found, &it);
        rebound r;
        m->flight.bounces[first + i] = false;
        if (!(surface.restitution > 0.0) || surface.compliance > 0.0) continue;
        const flight_contact c = contact_at(m, i);
        const double u = normal_velocity(&c, before_of(m, c.a), before_of(m, c.b));
        const double u_free = normal_velocity(&c, after_of(m, c.a), after_of(m, c.b));
        if (!moreau_rebound(m, &c, moreau_restitution(m, first + i, surface.restitution), u, u_free, &r)) continue;
        m->rebounds.bias[first + i] = r.bias;
        m->rebounds.shift[first + i] = r.shift;
        flight_take(&m->flight, c.a, c.b, first + i, r.tau);
    }
    for (int i = 0; i < found->count; i++)
        if (m->flight.bounces[first + i]) share_moment(m, i);
}

static bool may_bounce(const moreau *m)
{
    return free_contacts(m)->shapes->may_bounce;
}

static bool set_bounces(moreau *m)
{
    if (!may_bounce(m)) return true;
    if (!flight_reserve(&m->flight, contacts_of(m)->count) || !moreau_reserve_rebounds(m)) return false;
    for_bodies(m, begin_flight);
    find_bounces(m);
    return true;
}

// ---- Flight ---------------------------------------------------------------------------------------------------------

static void end_flight(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    const plain *p = &m->plain;
    const bool *bounces = may_bounce(m) ? m->flight.bounces + first_free(m) : NULL;
    for (int k = from; k < to; k++) {
        bool flies = !is_linked(m) || m->flight.flies[k]; // the others know already
        if (!is_of_heap(m, k)) continue;
        for (int u = p->use_start[k]; u < p->use_start[k + 1] && flies; u++)
            flies = (bounces && bounces[p->uses[u] >> 1]) || !is_pushed(m, k, p->uses[u] >> 1);
        m->flight.flies[k] = flies;
    }
}

static bool may_land(const moreau *m, int i)
{
    const bool *flies = m->flight.flies;
    const contact_pair pair = contacts_pair(free_contacts(m), i);
    return (pair.a >= 0 && flies[pair.a]) || (pair.b >= 0 && flies[pair.b]);
}

// Contacts to be looked at, one bit each, behind the impulses: the solver needed more room than that.
static uint64_t *flags_of(const moreau *m)
{
    return (uint64_t *)(plain_impulses(&m->plain) + free_contacts(m)->count);
}

typedef struct landing {
    const moreau *m;
    atomic_bool lands;
} landing;

static bool would_land(const moreau *m, int i)
{
    if (!may_land(m, i)) return false;
    const flight_contact c = contact_at(m, i);
    return flight_would_land(&m->flight, &c, &m->now.past, m->bodies.after, m->now.h);
}

// Parts begin at multiples of 64.
static void find_landing(void *user, int part, int from, int to)
{
    (void)part;
    landing *l = user;
    uint64_t *flags = flags_of(l->m);
    for (int first = from; first < to; first += 64) {
        uint64_t bits = 0;
        for (int i = first; i < to && i < first + 64; i++) bits |= (uint64_t)would_land(l->m, i) << i % 64;
        flags[first / 64] = bits;
        if (bits) atomic_store_explicit(&l->lands, true, memory_order_relaxed);
    }
}

// What a body that has landed meets is looked at again.
static void flag_contacts(const moreau *m, int k)
{
    uint64_t *flags = flags_of(m);
    const plain *p = &m->plain;
    for (int u = p->use_start[k]; k >= 0 && u < p->use_start[k + 1]; u++)
        flags[p->uses[u] >> 7] |= (uint64_t)1 << (p->uses[u] >> 1 & 63);
}

static void land(moreau *m, int i)
{
    if (!would_land(m, i)) return;
    const contact_pair pair = contacts_pair(free_contacts(m), i);
    const int bodies[2] = {pair.a, pair.b};
    for (int s = 0; s < 2; s++) {
        if (bodies[s] < 0 || !m->flight.flies[bodies[s]]) continue;
        m->flight.flies[bodies[s]] = false;
        flag_contacts(m, bodies[s]);
    }
}

// Nothing lands in most steps; where something does, one thread goes through what it touches, in the order of the contacts.
// Returns whether they must be checked again.
bool moreau_heap_land(moreau *m)
{
    landing l = {.m = m};
    const int count = free_contacts(m)->count;
    pool_run_ranges(m->pool, find_landing, &l, count, PLAIN_CONTACTS);
    if (!atomic_load(&l.lands)) return false;
    for (int w = 0; w < (count + 63) / 64; w++) {
        uint64_t behind = ~(uint64_t)0, bits;
        while ((bits = flags_of(m)[w] & behind) != 0) {
            const int bit = __builtin_ctzll(bits);
            behind = bit < 63 ? ~(uint64_t)0 << (bit + 1) : 0;
            land(m, 64 * w + bit);
        }
    }
    return true;
}

// ---- The path -------------------------------------------------------------------------------------------------------

static ph_status begin(moreau *m)
{
    m->plain.found = free_contacts(m);
    if (!plain_set(&m->plain) || !moreau_set_inverse(m)) return PH_OUT_OF_MEMORY;
    // Else that was done beside detection, or by the path of those that joints hold
    if (m->traits->keeps_loads && !m->both.parted) moreau_set_free(m);
    return PH_OK;
}

static bool guess(moreau *m)
{
    if (!plain_guess(&m->plain, m->now.state, m->now.h)) return false;
    const ph_vec3 *last = moreau_last_impulses(m);
    if (last) memcpy(plain_impulses(&m->plain), last + first_free(m), sizeof *last * (size_t)free_contacts(m)->count);
    return true;
}

// From the impulses in the state. In double precision, too, where single does not do.
static heap_outcome run_heap(moreau *m, const heap_problem *problem, const ph_cone_settings *settings,
                             ph_cone_report *report)
{
    m->now.precision = heap_precision_for(settings->tolerance);
    const heap_outcome outcome = heap_solve(m->heap, problem, m->now.precision, settings, report);
    m->now.growths += report->growths;
    if (outcome != HEAP_NEEDS_DOUBLE) return outcome;
    const int before = report->iterations;
    m->now.precision = HEAP_DOUBLE;
    if (!guess(m)) return HEAP_OUT_OF_MEMORY;
    const heap_outcome again = heap_solve(m->heap, problem, HEAP_DOUBLE, settings, report);
    m->now.growths += report->growths;
    if (report->iterations < before) report->iterations = before;
    return again;
}

// Contacts of balls and planes alone, whatever else there is in the model.
static bool are_balls(const moreau *m)
{
    const contact_set *found = free_contacts(m);
    const detector_shape *shapes = found->shapes->shapes;
    bool balls = true;
    for (int i = 0; i < found->count && balls && !found->shapes->all_balls; i++) {
        const detector_kind *a = shapes[found->list[i].shape_a].kind, *b = shapes[found->list[i].shape_b].kind;
        balls = (a->is_ball || isinf(a->radius)) && (b->is_ball || isinf(b->radius));
    }
    return balls;
}

ph_status moreau_heap_begin(moreau *m)
{
    return guess(m) && set_bounces(m) ? PH_OK : PH_OUT_OF_MEMORY;
}

ph_status moreau_heap_solve(moreau *m, const heap_beside *beside, const ph_cone_settings *settings,
                            ph_cone_report *report)
{
    const heap_problem problem = {.contacts = free_contacts(m),
                                  .balls = are_balls(m),
                                  .gaps = gap_law_of(m),
                                  .bounces = may_bounce(m) ? m->flight.bounces + first_free(m) : NULL,
                                  .rebound = may_bounce(m) ? m->rebounds.bias + first_free(m) : NULL,
                                  .use_start = m->plain.use_start,
                                  .uses = m->plain.uses,
                                  .inverse_mass = m->delassus.inverse_mass,
                                  .inverse_inertia = m->delassus.inverse_inertia,
                                  .inverse_spin = m->traits->has_spins ? m->bodies.inverse_spin : NULL,
                                  .twists = m->bodies.after,
                                  .beside = beside};
    return run_heap(m, &problem, settings, report) == HEAP_DONE ? PH_OK : PH_OUT_OF_MEMORY;
}

void moreau_heap_set_after(moreau *m)
{
    for_bodies(m, set_after);
}

void moreau_heap_fly(moreau *m)
{
    for_bodies(m, end_flight);
}

static ph_status solve(moreau *m, const ph_cone_settings *settings, ph_cone_report *report)
{
    ph_status status = moreau_heap_begin(m);
    if (status == PH_OK) status = moreau_heap_solve(m, NULL, settings, report);
    if (status != PH_OK) return status;
    moreau_heap_set_after(m);
    moreau_heap_fly(m);
    while (moreau_heap_land(m)) continue;
    return PH_OK;
}

static double work_of(moreau *m)
{
    double work = moreau_sum_of_parts(m);
    const contact_set *found = free_contacts(m);
    double normal = 0.0;
    for (int k = 0; k < moreau_prepare_parts(m); k++) normal += m->bodies.normal_sums[k];
    m->now.work.friction = work - normal;
    const int first = first_free(m);
    for (int i = 0; i < found->count && may_bounce(m); i++)
        if (m->flight.bounces[first + i])
            work +=
                0.5 * ph_dot(contacts_at(found, i).normal, plain_impulses(&m->plain)[i]) * m->rebounds.shift[first + i];
    m->now.work.impact = work - m->now.work.friction;
    return work;
}

static ph_vec3 impulse_of(const moreau *m, int contact)
{
    return plain_impulses(&m->plain)[contact - first_free(m)];
}

static bool reserve(const moreau *m, ph_state *state, int more)
{
    return plain_reserve(&m->plain, state, more, m->now.precision == HEAP_SINGLE);
}

static void keep(const moreau *m, ph_state *state, int at)
{
    plain_keep(&m->plain, state, at, m->now.h, m->now.precision == HEAP_SINGLE);
}

const moreau_path moreau_path_heap = {"heap", begin, solve, {work_of, impulse_of, reserve, keep}};
