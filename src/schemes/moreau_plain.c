// Contacts of free bodies: from the detector's list to the solver of contact/wide.h and back, without rows.
#include "schemes/moreau.h"

#include "math/mat3.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

static screw free_twist(const moreau *m, int k, ph_mat3 R, const screw *wrench)
{
    const screw momentum = moreau_momentum(m, k);
    const body *b = &m->model->bodies[m->model->moving[k]];
    const ph_vec3 turn = ph_add(momentum.turn, ph_tmul(R, wrench->turn)), move = ph_add(momentum.move, wrench->move);
    return (screw){ph_mul(R, ph_mul(b->kind->J_inverse, turn)), ph_scale(1.0 / b->kind->mass, move)};
}

screw moreau_free_twist(const moreau *m, int k, const screw *wrench)
{
    return free_twist(m, k, moreau_turn(m, m->model->moving[k]), wrench);
}

static flight_contact contact_at(const moreau *m, int i)
{
    const plain *p = &m->plain;
    const detected c = detector_at(p->found, i);
    return (flight_contact){.a = p->found->moving[c.body_a],
                            .b = p->found->moving[c.body_b],
                            .normal = c.normal,
                            .arm_a = plain_arm(p, &c, c.body_a),
                            .arm_b = plain_arm(p, &c, c.body_b),
                            .gap = c.gap};
}

// ---- Bodies ---------------------------------------------------------------------------------------------------------

static ph_mat3 inertia_at(const void *user, int k)
{
    const moreau *m = user;
    const int i = m->model->moving[k];
    return delassus_inverse_inertia(&m->model->bodies[i], moreau_turn(m, i));
}

static double spin_at(const moreau *m, int k)
{
    const int i = m->model->moving[k];
    return delassus_inverse_spin(&m->model->bodies[i], moreau_turn(m, i));
}

void moreau_set_inverse(void *user, int part, int from, int to)
{
    (void)part;
    moreau *m = user;
    delassus_set_bodies(&m->delassus, from, to);
    for (int k = from; k < to && m->balls; k++) m->inverse_spin[k] = spin_at(m, k);
}

static void set_free(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    const screw none = {ph_zero3(), ph_zero3()};
    for (int k = from; k < to; k++) m->after[k] = moreau_free_twist(m, k, &none);
}

// after <- the velocities with the impulses of the contacts; sums: their work
static void set_after(void *user, int part, int from, int to)
{
    const moreau *m = user;
    double work = 0.0;
    for (int k = from; k < to; k++) {
        const screw wrench = plain_wrench(&m->plain, k);
        const ph_mat3 R = moreau_turn(m, m->model->moving[k]);
        const ph_twist v = flight_before(&m->past, m->model->moving[k], R);
        const screw next = m->after[k] = free_twist(m, k, R, &wrench);
        work += 0.5 * (ph_dot(wrench.turn, ph_add(v.omega, next.turn)) + ph_dot(wrench.move, ph_add(v.v, next.move)));
    }
    m->sums[part] = work;
}

// ---- Flight and bounces ---------------------------------------------------------------------------------------------

static bool is_pushed(const moreau *m, int k, int i)
{
    const double impulse = ph_dot(detector_at(m->detector, i).normal, plain_impulses(&m->plain)[i]);
    return flight_is_pushed(&m->flight, m->delassus.inverse_mass[k], impulse);
}

// As flight_begin, where contacts may bounce.
static void begin_flight(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    const plain *p = &m->plain;
    for (int k = from; k < to; k++) {
        bool flies = true;
        for (int u = p->use_start[k]; u < p->use_start[k + 1] && flies; u++) {
            const int i = p->uses[u] >> 1;
            const detected c = detector_at(p->found, i);
            flies = !is_pushed(m, k, i) ||
                    !flight_is_held(&m->flight, c.gap, detector_surface(p->found, &c).restitution, m->h);
        }
        m->flight.flies[k] = flies;
        m->flight.tau[k] = 0.0;
    }
}

static double normal_velocity(const flight_contact *c, screw a, screw b)
{
    double u = 0.0;
    if (c->b >= 0) u += ph_dot(c->normal, ph_add(b.move, ph_cross(b.turn, c->arm_b)));
    if (c->a >= 0) u -= ph_dot(c->normal, ph_add(a.move, ph_cross(a.turn, c->arm_a)));
    return u;
}

static screw before_of(const moreau *m, int k)
{
    const ph_twist none = {ph_zero3(), ph_zero3()},
                   v = k >= 0 ? flight_before_body(&m->past, m->model->moving[k]) : none;
    return (screw){v.omega, v.v};
}

static screw after_of(const moreau *m, int k)
{
    return k >= 0 ? m->after[k] : (screw){ph_zero3(), ph_zero3()};
}

// Which contacts bounce; `after` holds the velocities without contacts.
static void find_bounces(moreau *m)
{
    for (int i = 0; i < m->plain.count; i++) {
        const detected found = detector_at(m->detector, i);
        const pair_surface surface = detector_surface(m->detector, &found);
        double tau;
        m->flight.bounces[i] = false;
        if (!(surface.restitution > 0.0) || surface.compliance > 0.0) continue;
        const flight_contact c = contact_at(m, i);
        const double u = normal_velocity(&c, before_of(m, c.a), before_of(m, c.b));
        const double u_free = normal_velocity(&c, after_of(m, c.a), after_of(m, c.b));
        if (moreau_rebound(m, &c, surface.restitution, u, u_free, m->h, &tau, &m->rebounds[i]))
            flight_take(&m->flight, c.a, c.b, i, tau);
    }
}

static bool set_bounces(moreau *m)
{
    const int count = m->plain.count;
    if (!m->detector->may_bounce) return true;
    if (!flight_reserve(&m->flight, count) ||
        !mem_reserve(&m->model->allocator, &m->rebounds, &m->rebounds_room, count + 1, sizeof *m->rebounds))
        return false;
    for_bodies(m, begin_flight);
    find_bounces(m);
    return true;
}

static bool bounces(const moreau *m, int i)
{
    return m->detector->may_bounce && m->flight.bounces[i];
}

static void end_flight(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    const plain *p = &m->plain;
    for (int k = from; k < to; k++) {
        bool flies = true;
        for (int u = p->use_start[k]; u < p->use_start[k + 1] && flies; u++)
            flies = bounces(m, p->uses[u] >> 1) || !is_pushed(m, k, p->uses[u] >> 1);
        m->flight.flies[k] = flies;
    }
}

static bool may_land(const moreau *m, int i)
{
    const bool *flies = m->flight.flies;
    const wide_pair pair = plain_pair(&m->plain, i);
    return (pair.a >= 0 && flies[pair.a]) || (pair.b >= 0 && flies[pair.b]);
}

typedef struct landing {
    const moreau *m;
    atomic_bool lands;
} landing;

static void find_landing(void *user, int part, int from, int to)
{
    (void)part;
    landing *l = user;
    const moreau *m = l->m;
    for (int i = from; i < to && !atomic_load_explicit(&l->lands, memory_order_relaxed); i++) {
        if (!may_land(m, i)) continue;
        const flight_contact c = contact_at(m, i);
        if (flight_would_land(&m->flight, &c, &m->past, m->after, m->h)) atomic_store(&l->lands, true);
    }
}

// Nothing lands in most steps; where something does, one thread goes through the contacts in their order. Returns whether
// they must be looked at again.
static bool check_flight(moreau *m)
{
    landing l = {.m = m};
    pool_run_ranges(m->pool, find_landing, &l, m->plain.count, PLAIN_CONTACTS);
    if (!atomic_load(&l.lands)) return false;
    for (int i = 0; i < m->plain.count; i++) {
        if (!may_land(m, i)) continue;
        const flight_contact c = contact_at(m, i);
        flight_lands(&m->flight, &c, &m->past, m->after, m->h);
    }
    return true;
}

// ---- The solve ------------------------------------------------------------------------------------------------------

static wide_contact wide_contact_at(const void *user, int i)
{
    const moreau *m = user;
    const detected c = detector_at(m->detector, i);
    const pair_surface surface = detector_surface(m->detector, &c);
    return (wide_contact){.n = c.normal,
                          .arm_a = plain_arm(&m->plain, &c, c.body_a),
                          .arm_b = plain_arm(&m->plain, &c, c.body_b),
                          .bias = bounces(m, i) ? m->rebounds[i].bias : moreau_bias(m, &c, &surface, m->h),
                          .friction = surface.friction,
                          .softness = surface.compliance / (m->h * m->h)};
}

static wide_pair pair_at(const void *user, int i)
{
    return plain_pair(&((const moreau *)user)->plain, i);
}

static ph_vec3 position_of(const void *user, int k)
{
    const moreau *m = user;
    return moreau_place(m, m->model->moving[k]);
}

static bool guess_again(const void *user)
{
    const moreau *m = user;
    return plain_guess(&m->plain, m->state, m->h);
}

ph_status moreau_solve_plain(moreau *m, const ph_state *state, double h, const ph_cone_settings *settings,
                             ph_cone_report *report)
{
    plain *p = &m->plain;
    if (!m->balls && !delassus_reserve_bodies(&m->delassus)) return PH_OUT_OF_MEMORY;
    if (!plain_guess(p, state, h)) return PH_OUT_OF_MEMORY;
    if (!m->balls) for_bodies(m, moreau_set_inverse);
    if (!m->is_free) for_bodies(m, set_free);
    m->is_free = false;
    if (!set_bounces(m)) return PH_OUT_OF_MEMORY;
    const wide_problem problem = {.contact_count = p->count,
                                  .use_start = p->use_start,
                                  .uses = p->uses,
                                  .contact = wide_contact_at,
                                  .pair = pair_at,
                                  .position = position_of,
                                  .user = m,
                                  .inverse_mass = m->delassus.inverse_mass,
                                  .inverse_inertia = m->delassus.inverse_inertia,
                                  .inverse_spin = m->balls ? m->inverse_spin : NULL,
                                  .inertia = inertia_at,
                                  .twists = m->after,
                                  .balls = !m->detector->not_balls,
                                  .guess = guess_again};
    if (!wide_solve(m->wide, &problem, settings, report)) return PH_OUT_OF_MEMORY;
    for_bodies(m, set_after);
    for_bodies(m, end_flight);
    while (check_flight(m)) continue;
    return PH_OK;
}

double moreau_plain_work(const moreau *m)
{
    double work = sum_of_parts(m);
    for (int i = 0; i < m->plain.count && m->detector->may_bounce; i++)
        if (m->flight.bounces[i])
            work +=
                0.5 * ph_dot(detector_at(m->detector, i).normal, plain_impulses(&m->plain)[i]) * m->rebounds[i].shift;
    return work;
}
