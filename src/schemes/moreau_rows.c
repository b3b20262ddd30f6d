// Contacts and stops of `moreau` by rows: u = D^T v+ + b + E g, solved as a cone problem with joints held.
#include "schemes/moreau.h"

#include "contact/impulses.h"

#include <string.h>

// ---- Rows -----------------------------------------------------------------------------------------------------------

static bool add_stops(moreau *m, double h)
{
    bool ok = true;
    for (int j = 0; j < m->model->joint_count && ok; j++) {
        const ph_joint_def *def = m->model->joints[j].def;
        if (def->has_limit_low) ok = delassus_add_stop(&m->delassus, j, STOP_LOW, 0.0);
        if (ok && def->has_limit_high) ok = delassus_add_stop(&m->delassus, j, STOP_HIGH, 0.0);
        if (ok && def->friction > 0.0) ok = delassus_add_stop(&m->delassus, j, STOP_FRICTION, h * def->friction);
    }
    return ok;
}

static double inverse_mass(const moreau *m, int index)
{
    const body *b = &m->model->bodies[index];
    return b->moving < 0 ? 0.0 : 1.0 / b->kind->mass;
}

double moreau_shared_softness(const moreau *m, int a, int b)
{
    return m->share * (inverse_mass(m, a) + inverse_mass(m, b));
}

bool moreau_set_rows(moreau *m, double h)
{
    delassus *d = &m->delassus;
    const contact_set *found = held_contacts(m);
    delassus_begin(d);
    for (int i = 0; i < found->count; i++) {
        const detected it = contacts_at(found, i);
        const pair_surface surface = contacts_surface(found, &it);
        const double softness = surface.compliance / (h * h) + moreau_shared_softness(m, it.body_a, it.body_b);
        if (!delassus_add_contact(d, &it, &surface, softness)) return false;
    }
    if (!add_stops(m, h) || !delassus_end(d)) return false;
    moreau_rows *r = &m->rows;
    const int n = d->row_count;
    return flight_reserve(&m->flight, d->contact_count) && moreau_reserve_rebounds(m) &&
           moreau_reserve(m, &r->g, &r->g_room, n + 1, sizeof(double)) &&
           moreau_reserve(m, &r->u, &r->u_room, n + 1, sizeof(double)) &&
           moreau_reserve(m, &r->q, &r->q_room, n + 1, sizeof(double)) &&
           moreau_reserve(m, &r->raw, &r->raw_room, n + 1, sizeof(double));
}

// ---- Velocities of the rows -----------------------------------------------------------------------------------------

static flight_contact contact_of(const moreau *m, int i, const detected *found)
{
    const contact_rows *rows = &m->delassus.contacts[i];
    return (flight_contact){rows->a, rows->b, found->normal, rows->arm_a, rows->arm_b, found->gap};
}

// b of the normal row of contact i; u is its velocity before the step, u_free after it without contacts.
static double contact_bias(moreau *m, int i, double u, double u_free)
{
    const detected found = contacts_at(held_contacts(m), i);
    const flight_contact c = contact_of(m, i, &found);
    const pair_surface surface = contacts_surface(held_contacts(m), &found);
    const gap_law law = gap_law_of(m);
    rebound it;
    if (!(surface.restitution > 0.0 && surface.compliance == 0.0) ||
        !moreau_rebound(m, &c, moreau_restitution(m, i, surface.restitution), u, u_free, &it))
        return gap_bias(&law, found.gap, surface.compliance);
    flight_take(&m->flight, c.a, c.b, i, it.tau);
    m->delassus.contacts[i].softness = 0.0; // a bounce is as its law says
    m->rebounds.shift[i] = it.shift;
    m->rebounds.pull[i] = it.pull;
    m->rebounds.tau[i] = it.tau;
    return it.bias;
}

// What a contact that bounces has more than contact_bias(), once all moments are known; shifts *u.
static double shared_bias(moreau *m, int i, double bias, double *u)
{
    const detected found = contacts_at(held_contacts(m), i);
    const flight_contact c = contact_of(m, i, &found);
    const double e = moreau_restitution(m, i, contacts_surface(held_contacts(m), &found).restitution);
    rebound it = {.bias = bias, .shift = m->rebounds.shift[i]};
    moreau_share_moment(m, &c, e, *u, &it);
    m->rebounds.shift[i] = it.shift;
    *u += it.shift;
    return it.bias - bias;
}

static double stop_bias(const moreau *m, const stop_row *s)
{
    const joint *j = &m->model->joints[s->joint];
    if (s->kind == STOP_FRICTION) return 0.0;
    const double at = joint_coordinate(j, &m->node.motion, 0);
    const double distance = s->kind == STOP_LOW ? at - j->def->limit_low : j->def->limit_high - at;
    return stop_law(m, distance);
}

// q = D^T v_free + b; raw keeps D^T v, the velocities before the step.
void moreau_set_q(moreau *m)
{
    delassus *d = &m->delassus;
    moreau_rows *r = &m->rows;
    for (int k = 0; k < m->model->moving_count; k++) {
        const ph_twist v = flight_before_body(&m->now.past, m->model->moving[k]);
        d->twist[k] = (screw){v.omega, v.v};
    }
    delassus_velocities(d, d->twist, r->raw);
    delassus_velocities(d, m->bodies.after, r->q);
    for (int i = 0; i < d->contact_count; i++) {
        const int row = d->contacts[i].first;
        const double bias = contact_bias(m, i, r->raw[row], r->q[row]);
        r->q[row] += bias;
        if (m->flight.bounces[i]) m->rebounds.bias[i] = bias;
    }
    for (int i = 0; i < d->contact_count; i++) {
        const int row = d->contacts[i].first;
        if (m->flight.bounces[i]) r->q[row] += shared_bias(m, i, m->rebounds.bias[i], &r->raw[row]);
    }
    for (int i = 0; i < d->stop_count; i++) r->q[d->stops[i].first] += stop_bias(m, &d->stops[i]);
}

// ---- The path -------------------------------------------------------------------------------------------------------

// Where nothing touches anything there are no rows, nor memory for them.
static ph_status begin(moreau *m)
{
    delassus *d = &m->delassus;
    m->rows.solved = false;
    moreau_set_velocities(m, NULL);
    if (!has_joints(m) && held_contacts(m)->count == 0) {
        delassus_begin(d);
        flight_begin(&m->flight, d, held_contacts(m), NULL, m->now.h);
        return PH_OK;
    }
    if (!moreau_make_frames(m) || !moreau_set_rows(m, m->now.h)) return PH_OUT_OF_MEMORY;
    impulses_guess(d, held_contacts(m), NULL, m->now.state, m->now.h, m->rows.g);
    flight_begin(&m->flight, d, held_contacts(m), m->rows.g, m->now.h);
    return d->cone_count > 0 && m->now.h < 0.0 ? PH_NOT_SUPPORTED : PH_OK;
}

static void guess_from(moreau *m, const ph_vec3 *impulses)
{
    const delassus *d = &m->delassus;
    for (int i = 0; i < d->contact_count; i++)
        for (int r = 0; r < 3; r++) m->rows.g[d->contacts[i].first + r] = ph_dot(d->contacts[i].axes[r], impulses[i]);
}

static ph_status solve_cones(moreau *m, const ph_cone_settings *given, ph_cone_report *report)
{
    delassus *d = &m->delassus;
    moreau_rows *r = &m->rows;
    ph_cone_settings settings = *given;
    settings.start = true;
    settings.lipschitz = m->now.state->contact_bound;
    r->solved = true;
    moreau_set_q(m);
    if (r->start_from_heap)
        guess_from(m, plain_impulses(&m->plain));
    else if (moreau_last_impulses(m))
        guess_from(m, moreau_last_impulses(m));
    const ph_cone_problem problem = {d->cone_count, d->cones, r->q, delassus_operator(d)};
    const ph_status status = ph_cone_solve(m->cones, &problem, &settings, r->g, r->u, report, NULL);
    m->now.growths += report->growths;
    if (!report->solver) report->solver = settings.solver; // the first guess was good enough for it
    if (status != PH_OK) return status;
    delassus_gather(d, r->g, d->wrench);
    moreau_set_velocities(m, d->wrench);
    return PH_OK;
}

static ph_status solve(moreau *m, const ph_cone_settings *settings, ph_cone_report *report)
{
    const ph_status status = m->delassus.cone_count > 0 ? solve_cones(m, settings, report) : PH_OK;
    if (status == PH_OK)
        flight_end(&m->flight, &m->delassus, held_contacts(m), m->rows.g, &m->now.past, m->bodies.after, m->now.h);
    return status;
}

// g . (u + u+)/2
static double work_of(moreau *m)
{
    const delassus *d = &m->delassus;
    moreau_rows *r = &m->rows;
    double work = 0.0, normal = 0.0;
    if (!r->solved) return 0.0;
    delassus_velocities(d, m->bodies.after, r->u);
    for (int k = 0; k < d->row_count; k++) work += 0.5 * r->g[k] * (r->raw[k] + r->u[k]);
    for (int c = 0, k = 0; c < d->cone_count; k += ph_cone_rows(&d->cones[c++]))
        if (d->cones[c].kind != PH_CONE_INTERVAL) normal += 0.5 * r->g[k] * (r->raw[k] + r->u[k]);
    m->now.work = (contact_work){work - normal, normal};
    return work;
}

static ph_vec3 impulse_of(const moreau *m, int contact)
{
    const contact_rows *c = &m->delassus.contacts[contact];
    const double *g = m->rows.g + c->first;
    return ph_madd(ph_madd(ph_scale(g[0], c->axes[0]), g[1], c->axes[1]), g[2], c->axes[2]);
}

static bool reserve(const moreau *m, ph_state *state, int more)
{
    return state_reserve_contacts(state, held_contacts(m)->count + more);
}

static void keep(const moreau *m, ph_state *state, int at)
{
    impulses_keep(&m->delassus, held_contacts(m), NULL, m->rows.g, m->now.h, at, state);
}

const moreau_path moreau_path_rows = {"rows", begin, solve, {work_of, impulse_of, reserve, keep}};
