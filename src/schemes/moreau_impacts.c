// Impacts of a step of `moreau` that friction or another impact makes other than Newton's law alone would have them.
//
// Where friction couples to normal velocities, u_n+ = -e u_n- may take more energy than there is: a rod that strikes the ground
// with e = 1 and friction would leave it with 18 % more. Contacts may only take energy out. So of every island, the bodies that
// contacts and joints connect, whose impulses p do work
//
//     E = sum of p . (u + u+)/2 > 0                       u, u+: before and after the impact
//
// the restitution is made smaller by a common factor s, E(s) = 0. Without restitution, s = 0, E cannot be positive.
//
// A body that bounces may close another gap within the same step. The row of that gap, made before anybody knew, would only
// stop it; so the step is made in parts that end before the first impact and before the second (moreau_parts.c).
#include "schemes/moreau_trees.h"

#include <math.h>

enum {
    TRIES = 6,           // to find s
    CHAIN_CONTACTS = 100 // at the most, where impacts follow impacts: in heaps nobody could tell
};

bool moreau_impacts_create(moreau *m)
{
    const size_t n = m->detector->shapes.may_bounce ? (size_t)m->model->moving_count : 0;
    m->impacts.island = arena_alloc_array(m->memory, n, sizeof *m->impacts.island);
    m->impacts.caps = arena_alloc_array(m->memory, n, sizeof *m->impacts.caps);
    return m->impacts.island && m->impacts.caps;
}

// ---- Islands --------------------------------------------------------------------------------------------------------

static int island_of(const moreau *m, int k)
{
    int *parent = m->impacts.island;
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

static void connect(const moreau *m, int a, int b)
{
    if (a < 0 || b < 0) return;
    const int p = island_of(m, a), q = island_of(m, b);
    m->impacts.island[p > q ? p : q] = p > q ? q : p;
}

static void set_islands(const moreau *m)
{
    const ph_model *model = m->model;
    for (int k = 0; k < model->moving_count; k++) m->impacts.island[k] = k;
    for (int j = 0; j < model->joint_count; j++)
        connect(m, model->bodies[model->joints[j].a].moving, model->bodies[model->joints[j].b].moving);
    for (int i = 0; i < contacts_of(m)->count; i++) {
        const contact_pair pair = contacts_pair(contacts_of(m), i);
        connect(m, pair.a, pair.b);
    }
}

static int island_at(const moreau *m, int contact)
{
    const contact_pair pair = contacts_pair(contacts_of(m), contact);
    return island_of(m, pair.a >= 0 ? pair.a : pair.b);
}

// ---- Energy ---------------------------------------------------------------------------------------------------------

static bool bounces(const moreau *m, int contact)
{
    const bool in_tree = m->trees && contact < held_contacts(m)->count;
    return in_tree ? m->trees->bounces[contact] : m->flight.bounces[contact];
}

static bool any_bounces(const moreau *m)
{
    bool any = false;
    for (int i = 0; i < contacts_of(m)->count && !any; i++) any = bounces(m, i);
    return any;
}

typedef struct contact_motion {
    ph_vec3 normal, impulse; // on b
    ph_vec3 before, after;   // velocities of b against a
    double gap;
} contact_motion;

static ph_vec3 velocity_at(ph_vec3 v, ph_vec3 w, ph_vec3 arm)
{
    return ph_add(v, ph_cross(w, arm));
}

static void add_motion(const moreau *m, const detected *c, int body, double sign, contact_motion *to)
{
    const int k = m->detector->shapes.moving[body];
    if (k < 0) return;
    const ph_vec3 arm = contacts_arm(contacts_of(m), c, body);
    const ph_twist v = flight_before_body(&m->now.past, body);
    const screw next = m->bodies.after[k];
    to->before = ph_madd(to->before, sign, velocity_at(v.v, v.omega, arm));
    to->after = ph_madd(to->after, sign, velocity_at(next.linear, next.angular, arm));
}

static contact_motion motion_of(const moreau *m, int contact)
{
    const detected c = contacts_at(contacts_of(m), contact);
    contact_motion it = {.normal = c.normal, .impulse = m->now.path->end.impulse(m, contact), .gap = c.gap};
    add_motion(m, &c, c.body_b, 1.0, &it);
    add_motion(m, &c, c.body_a, -1.0, &it);
    return it;
}

// The work of a contact, without what lifts bodies out of others.
static double work_of(const moreau *m, int contact, const contact_motion *it)
{
    const double push = ph_dot(it->normal, it->impulse),
                 work = 0.5 * ph_dot(it->impulse, ph_add(it->before, it->after));
    if (bounces(m, contact)) return work + 0.5 * push * m->rebounds.shift[contact];
    return it->gap < 0.0 ? work - 0.5 * push * ph_max(0.0, ph_dot(it->normal, it->after)) : work;
}

// Sums by island, and what of them may be the solver's error.
static void set_energies(const moreau *m)
{
    impact_cap *caps = m->impacts.caps;
    for (int k = 0; k < m->model->moving_count; k++) caps[k].energy = caps[k].error = 0.0;
    for (int i = 0; i < contacts_of(m)->count; i++) {
        const contact_motion it = motion_of(m, i);
        impact_cap *cap = &caps[island_at(m, i)];
        const double work = work_of(m, i, &it);
        cap->energy += work;
        cap->error += 2.0 * m->contact.tolerance * ph_norm(it.impulse) + 1e-9 * fabs(work);
        cap->bounces = cap->bounces || bounces(m, i);
    }
}

// ---- s --------------------------------------------------------------------------------------------------------------

static void set_scales(const moreau *m)
{
    for (int i = 0; i < contacts_of(m)->count; i++) {
        const impact_cap *cap = &m->impacts.caps[island_at(m, i)];
        m->rebounds.scale[i] = cap->capped ? cap->s : 1.0;
    }
}

// Which islands gain; whether there are any.
static bool begin_caps(const moreau *m)
{
    bool any = false;
    for (int k = 0; k < m->model->moving_count; k++) m->impacts.caps[k] = (impact_cap){.s = 1.0};
    set_energies(m);
    for (int k = 0; k < m->model->moving_count; k++) {
        impact_cap *cap = &m->impacts.caps[k];
        cap->capped = cap->bounces && cap->energy > cap->error;
        cap->high = 1.0;
        cap->energy_high = cap->energy;
        any = any || cap->capped;
        if (cap->capped) cap->s = 0.0;
    }
    return any;
}

// The next s of each island: where the line between both ends of its bracket is zero; in the last try the lower end.
static void next_caps(const moreau *m, int left)
{
    for (int k = 0; k < m->model->moving_count; k++) {
        impact_cap *cap = &m->impacts.caps[k];
        if (!cap->capped) continue;
        const bool low = cap->energy <= cap->error;
        *(low ? &cap->low : &cap->high) = cap->s;
        *(low ? &cap->energy_low : &cap->energy_high) = cap->energy;
        const double slope = cap->energy_high - cap->energy_low;
        const double part = slope > 0.0 ? -cap->energy_low / slope : 0.5;
        cap->s = left > 1 ? cap->low + fmin(0.95, ph_max(0.05, part)) * (cap->high - cap->low) : cap->low;
    }
}

ph_status moreau_cap_impacts(moreau *m, moreau_solve *solve, ph_step_report *report, ph_cone_report *cone_report)
{
    ph_status status = PH_OK;
    if (!m->detector->shapes.may_bounce || m->now.h < 0.0 || !any_bounces(m)) return PH_OK;
    set_islands(m);
    if (!begin_caps(m)) return PH_OK;
    for (int left = TRIES; left > 0 && status == PH_OK; left--) {
        set_scales(m);
        m->rebounds.scaled = true;
        status = solve(m, report, cone_report);
        if (status != PH_OK || left == 1) break;
        set_energies(m);
        next_caps(m, left - 1);
    }
    return status;
}

// ---- Impacts that follow impacts ------------------------------------------------------------------------------------

// What a unit impulse along the normal adds to the normal velocity of its own body there; joints make it less.
static double give(const moreau *m, const detected *c, int body)
{
    if (m->detector->shapes.moving[body] < 0) return 0.0;
    const body_kind *kind = m->model->bodies[body].kind;
    const ph_vec3 turn = ph_tmul(moreau_rotation(m, body), ph_cross(contacts_arm(contacts_of(m), c, body), c->normal));
    return 1.0 / kind->mass + ph_dot(turn, ph_mul(kind->J_inverse, turn));
}

static double bounce_time(const moreau *m, int k)
{
    return k >= 0 && m->flight.tau ? m->flight.tau[k] : 0.0;
}

// Where the part must end so that the row of a contact does not stop what should bounce there: before the gap closes, at the speed
// that the first impact gives; and before that impact, where it is late in the part. h: it does not.
static double would_bounce(const moreau *m, int i)
{
    const double h = m->now.h;
    const detected c = contacts_at(contacts_of(m), i);
    const double e = contacts_surface(contacts_of(m), &c).restitution;
    if (!(e > 0.0) || !(c.gap > 0.0) || bounces(m, i)) return h;
    const contact_motion it = motion_of(m, i);
    const contact_pair pair = contacts_pair(contacts_of(m), i);
    const double push = ph_dot(it.normal, it.impulse);
    const double hit = ph_dot(it.normal, it.after) - push * (give(m, &c, c.body_a) + give(m, &c, c.body_b));
    const double least = m->bounce * h * ph_norm(m->model->gravity);
    if (!(push > 0.0) || !(-e * hit > ph_max(least, 10.0 * m->contact.tolerance))) return h;
    const double tau = ph_max(bounce_time(m, pair.a), bounce_time(m, pair.b)), closes = c.gap / -hit;
    if (!(closes > 1e-3 * h)) return h; // it touches: both are one impact
    return tau > 0.5 * closes ? (1.0 - 1e-6) * tau : closes;
}

double moreau_next_impact(const moreau *m)
{
    const int count = contacts_of(m)->count;
    double next = m->now.h;
    if (!m->detector->shapes.may_bounce || count > CHAIN_CONTACTS || !any_bounces(m)) return next;
    if (m->trees && m->trees->is_stiff) return next; // steps that change in length feed stiff springs
    for (int i = 0; i < count; i++) next = fmin(next, would_bounce(m, i));
    return next;
}
