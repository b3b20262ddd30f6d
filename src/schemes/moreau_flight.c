// Flight and bounces of trees and of what they meet, as contact/flight.h has them for bodies that no joint holds.
//
// The centre of mass of a free tree that nothing pushes flies exactly: it moves by h v+ - h^2 g/2. Joint coordinates move by
// h q'+, so that their velocities are those of half a step before: u at the beginning is u(-h/2). With a what the contact's velocity changes
// by under weights and springs of joints, and l = h/2 times the part of it that comes from trees that hang on the world,
//
//     phi + tau (u + l) + tau^2 a/2 = 0            when the gap closes
//     u_i = u + l + tau a                          with what speed
//     u+  = -e u_i + (h - tau) a - l               after the step
//     q+  = q + tau q'_free + (h - tau) q'+
//
// What has a potential acts before and after the bounce by where it leads. Servos and dampers do not: their impulses are those of the whole
// step, which may be many times its weights, and meet the contact with the velocity at its beginning, as their work is counted.
//
// Nor do springs that are stiff for the step: what they do is not the same through it. With q+ = q + h q'+ Newmark's rule gives
// T(q'+) + U(q + h q'+/2) the work p . (u + u+)/2 of an impulse and nothing else, whatever h. So trees with such springs bounce with the velocity at the
// beginning, and by u+ = -e u take no energy.
#include "schemes/moreau_trees.h"

#include <math.h>
#include <string.h>

static const double WEAK = 0.05; // springs whose h omega is less act alike all through a step

// What flies or is held as one: a tree, or a body that no joint holds.
typedef struct unit {
    int tree, moving; // -1: not of this kind; both: it cannot move
} unit;

static unit unit_of(const moreau *m, int moving)
{
    if (moving < 0) return (unit){-1, -1};
    const forest *f = &m->trees->forest;
    const int i = f->branch_of[moving];
    return i < 0 ? (unit){-1, moving} : (unit){f->branches[i].tree, -1};
}

static bool *flies_of(const moreau *m, unit u)
{
    return u.tree >= 0 ? &m->trees->flies[u.tree] : u.moving >= 0 ? &m->flight.flies[u.moving] : NULL;
}

static double *tau_of(const moreau *m, unit u)
{
    return u.tree >= 0 ? &m->trees->tau[u.tree] : &m->flight.tau[u.moving];
}

static double inverse_mass(const moreau *m, unit u)
{
    if (u.tree >= 0) return 1.0 / m->trees->forest.trees[u.tree].mass;
    return u.moving < 0 ? 0.0 : 1.0 / m->model->bodies[m->model->moving[u.moving]].kind->mass;
}

static void push(const moreau *m, const contact_rows *c, double impulse)
{
    const unit units[2] = {unit_of(m, c->a), unit_of(m, c->b)};
    for (int s = 0; s < 2; s++) {
        bool *flies = flies_of(m, units[s]);
        if (flies && flight_is_pushed(&m->flight, inverse_mass(m, units[s]), impulse)) *flies = false;
    }
}

static void all_fly(const moreau *m)
{
    const moreau_trees *t = m->trees;
    for (int k = 0; k < t->forest.tree_count; k++) t->flies[k] = true;
    for (int k = 0; k < m->model->moving_count; k++) m->flight.flies[k] = t->forest.branch_of[k] < 0;
}

static double least_bounce(const moreau *m)
{
    return m->bounce * m->now.h * ph_norm(m->model->gravity);
}

void tree_flight_begin(moreau *m, const double *g)
{
    moreau_trees *t = m->trees;
    all_fly(m);
    for (int k = 0; k < t->forest.tree_count; k++) t->tau[k] = 0.0;
    for (int k = 0; k < m->model->moving_count && m->flight.tau; k++) m->flight.tau[k] = 0.0;
    for (int i = 0; i < held_contacts(m)->count; i++) {
        const detected found = contacts_at(held_contacts(m), i);
        const double e = contacts_surface(held_contacts(m), &found).restitution;
        const int row = t->paths.items[i].row;
        t->bounces[i] = false;
        const bool strikes = e * m->rows.raw[row] < -least_bounce(m); // and leaves: it holds nothing
        if (!strikes && flight_is_held(&m->flight, found.gap, e, m->now.h)) push(m, &t->contacts[i], g[row]);
    }
}

// ---- Bounces --------------------------------------------------------------------------------------------------------

typedef struct closing {
    double tau; // negative: the gap does not close in this step
    double a, lead;
} closing;

static bool hangs(const moreau *m, unit it)
{
    return it.tree >= 0 && !m->trees->forest.trees[it.tree].is_free;
}

// ---- Stiff springs --------------------------------------------------------------------------------------------------

static void stop_flight(moreau *m, int moving)
{
    const int i = moving < 0 ? -1 : m->trees->forest.branch_of[moving];
    if (i < 0) return;
    m->trees->flies[m->trees->forest.branches[i].tree] = false;
    m->trees->is_stiff = true;
}

// (h omega)^2 of a spring of a joint in a tree, with all else that is in the pivots.
static double stiffness_of(const moreau *m, const tree_drive *d)
{
    const moreau_trees *t = m->trees;
    const branch *b = &t->forest.branches[d->branch];
    double moves = 0.0;
    const int n = articulated_path_of_freedom(&t->tree, d->branch, d->freedom - b->first, t->path, t->scratch, NULL);
    for (int e = 0; e < n; e++) moves += t->scratch[e] * t->scratch[e];
    return m->now.h * m->now.h * d->law.stiffness * moves;
}

// Trees with springs that are stiff for the step do not fly where they bounce.
static void hold_stiff(moreau *m)
{
    moreau_trees *t = m->trees;
    t->is_stiff = false;
    for (int n = 0; n < t->drive_count; n++) {
        const tree_drive *d = &t->drives[n];
        const joint *j = &m->model->joints[d->joint];
        if (!d->force || !(d->law.stiffness > 0.0)) continue;
        if (d->branch >= 0 && stiffness_of(m, d) < WEAK * WEAK) continue;
        stop_flight(m, m->model->bodies[j->a].moving);
        stop_flight(m, m->model->bodies[j->b].moving);
    }
    for (int n = 0; n < t->spring_count; n++) {
        if (t->springs[n].count == 0) continue;
        stop_flight(m, t->springs[n].a);
        stop_flight(m, t->springs[n].b);
    }
}

// ---- Weights and springs --------------------------------------------------------------------------------------------

// Momenta of weights and springs of joints alone, over the step.
static void put_potential(moreau *m)
{
    moreau_trees *t = m->trees;
    const double h = m->now.h;
    for (int i = 0; i < t->forest.branch_count; i++) {
        const double mass = m->model->bodies[t->forest.branches[i].body].kind->mass;
        articulated_put_momentum(&t->tree, i, ph_zero3(), ph_scale(h * mass, m->model->gravity));
    }
    memset(t->tree.tau, 0, sizeof(double) * (size_t)t->forest.freedom_count);
    for (int n = 0; n < t->drive_count; n++) {
        const tree_drive *d = &t->drives[n];
        if (d->force && d->freedom >= 0) t->tree.tau[d->freedom] -= h * d->law.stiffness * (d->q - d->law.rest);
    }
}

// What these change the velocities by, into free_twist.
void tree_flight_pull(moreau *m)
{
    moreau_trees *t = m->trees;
    hold_stiff(m);
    put_potential(m);
    trees_stop_motors(t);
    for (int k = 0; k < t->forest.tree_count; k++) articulated_down(&t->tree, k, t->scratch);
    for (int g = 0; g < t->forest.group_count; g++) {
        if (!loops_has(&t->loops, g)) continue;
        loops_set_constants(&t->loops, g);
        loops_onto(&t->loops, g, NULL, t->scratch);
    }
    for (int k = 0; k < t->forest.tree_count; k++) articulated_up(&t->tree, k, t->scratch);
    memcpy(t->free_twist, t->tree.twist, sizeof *t->free_twist * (size_t)t->forest.branch_count);
    trees_put_motors(t);
    for (int g = 0; g < t->forest.group_count; g++)
        if (loops_has(&t->loops, g)) loops_set_constants(&t->loops, g);
}

static ph_vec3 velocity_at(ph_vec3 spin, ph_vec3 v, ph_vec3 arm)
{
    return ph_add(v, ph_cross(spin, arm));
}

static double pull_along(const moreau *m, unit it, int moving, ph_vec3 normal, ph_vec3 arm)
{
    const moreau_trees *t = m->trees;
    if (it.tree < 0) return ph_dot(m->model->gravity, normal);
    const spatial *change = &t->free_twist[t->forest.branch_of[moving]];
    return ph_dot(normal, velocity_at(spatial_turn(change), spatial_move(change), arm)) / m->now.h;
}

// The change of u that lasts through the step, none of what is held; and by how much u is that of earlier.
static closing pull_of(const moreau *m, const contact_rows *c, const unit units[2], ph_vec3 normal)
{
    const bool *flies[2] = {flies_of(m, units[0]), flies_of(m, units[1])};
    closing sum = {.tau = -1.0};
    for (int s = 0; s < 2; s++) {
        if (!flies[s] || !*flies[s]) continue;
        const double sign = s ? 1.0 : -1.0;
        const double a = sign * pull_along(m, units[s], s ? c->b : c->a, normal, s ? c->arm_b : c->arm_a);
        sum.a += a;
        if (hangs(m, units[s])) sum.lead += 0.5 * m->now.h * a;
    }
    return sum;
}

static closing closing_of(const moreau *m, const contact_rows *rows, const unit units[2], const detected *found,
                          double u, double u_free)
{
    const double h = m->now.h, gap = found->gap;
    closing c = pull_of(m, rows, units, found->normal);
    const double v = u + c.lead, fastest = fmin(u_free, v + fmin(h * c.a, 0.5 * h * c.a));
    if (!((v < 0.0 || c.a < 0.0) && gap + h * fastest < 0.0)) return c;
    const double root = gap > 0.0 ? 2.0 * gap / (sqrt(ph_max(0.0, v * v - 2.0 * c.a * gap)) - v) : 0.0;
    c.tau = fmin(root, h);
    return c;
}

double tree_contact_bias(moreau *m, int i, double *before, double u_free)
{
    moreau_trees *t = m->trees;
    const detected found = contacts_at(held_contacts(m), i);
    const pair_surface surface = contacts_surface(held_contacts(m), &found);
    const gap_law law = gap_law_of(m);
    const double e = moreau_restitution(m, i, surface.restitution),
                 plain = gap_bias(&law, found.gap, surface.compliance);
    if (!(e > 0.0) || surface.compliance > 0.0) return plain;
    const unit units[2] = {unit_of(m, t->contacts[i].a), unit_of(m, t->contacts[i].b)};
    const closing c = closing_of(m, &t->contacts[i], units, &found, *before, u_free);
    const double hit = *before + c.lead + c.tau * c.a;
    if (!(c.tau >= 0.0 && e * hit < -least_bounce(m))) return plain;
    t->bounces[i] = true;
    for (int s = 0; s < 2; s++) {
        const bool *flies = flies_of(m, units[s]);
        if (!flies || (units[s].tree >= 0 && !*flies)) continue;
        double *tau = tau_of(m, units[s]);
        *tau = flight_earlier(*tau, c.tau);
    }
    m->rebounds.shift[i] = 2.0 * c.lead + (2.0 * c.tau - m->now.h) * c.a;
    m->rebounds.pull[i] = c.a;
    *before += m->rebounds.shift[i];
    return e * hit + c.lead - (m->now.h - c.tau) * c.a;
}

double tree_shared_bias(moreau *m, int i, double *before)
{
    const moreau_trees *t = m->trees;
    const detected found = contacts_at(held_contacts(m), i);
    const unit units[2] = {unit_of(m, t->contacts[i].a), unit_of(m, t->contacts[i].b)}, none = {-1, -1};
    const bool one = !flies_of(m, units[0]) || !flies_of(m, units[1]);
    const unit it = flies_of(m, units[0]) ? units[0] : flies_of(m, units[1]) ? units[1] : none;
    const double e = moreau_restitution(m, i, contacts_surface(held_contacts(m), &found).restitution);
    const double h = m->now.h, a = m->rebounds.pull[i], u = *before - m->rebounds.shift[i];
    if (!one || (it.tree < 0 && it.moving < 0)) return m->rows.q[t->paths.items[i].row];
    const double s = hangs(m, it) ? 0.5 * h : 0.0, tau = *tau_of(m, it);
    m->rebounds.shift[i] = (2.0 * (tau + s) - h) * a;
    *before = u + m->rebounds.shift[i];
    return fmin(0.0, e * (u + (tau + s) * a)) - (h - s - tau) * a;
}

// ---- Means ----------------------------------------------------------------------------------------------------------

// The part of the step that is over when a tree bounces.
static double part_before(const moreau *m, int tree)
{
    const moreau_trees *t = m->trees;
    return t->flies[tree] ? t->tau[tree] / m->now.h : 0.0;
}

static void set_mean(moreau *m, int tree)
{
    moreau_trees *t = m->trees;
    const tree_range *range = &t->forest.trees[tree];
    const double part = part_before(m, tree);
    for (int i = range->first; i < range->first + range->count; i++) {
        const screw *after = &m->bodies.after[t->forest.branches[i].moving];
        const double v[6] = {after->angular.x, after->angular.y, after->angular.z,
                             after->linear.x,  after->linear.y,  after->linear.z};
        for (int d = 0; d < 6; d++) t->mean[i].v[d] = part > 0.0 ? v[d] + part * (t->free_twist[i].v[d] - v[d]) : v[d];
    }
    for (int k = range->freedom; k < range->freedom + range->freedom_count; k++) {
        const double rate = t->next_rate[k];
        t->mean_rate[k] = part > 0.0 ? rate + part * (t->free_rate[k] - rate) : rate;
    }
}

// The velocities without impulses, of trees that bounce. The tree keeps those with them: work is counted by these.
static void set_free(moreau *m, int tree)
{
    moreau_trees *t = m->trees;
    const tree_range *range = &t->forest.trees[tree];
    articulated_up(&t->tree, tree, t->free_z);
    for (int i = range->first; i < range->first + range->count; i++) t->free_twist[i] = t->tree.twist[i];
    for (int k = range->freedom; k < range->freedom + range->freedom_count; k++) t->free_rate[k] = t->tree.rate[k];
    articulated_up(&t->tree, tree, t->paths.z);
}

// Mean velocity of a point of a moving body.
static ph_vec3 mean_at(const moreau *m, int moving, ph_vec3 arm)
{
    const moreau_trees *t = m->trees;
    if (moving < 0) return ph_zero3();
    const int i = t->forest.branch_of[moving];
    if (i < 0) {
        const screw mean = flight_mean(&m->flight, moving, &m->now.past, m->bodies.after, m->now.h);
        return velocity_at(mean.angular, mean.linear, arm);
    }
    const int tree = t->forest.branches[i].tree;
    const ph_vec3 v = velocity_at(spatial_turn(&t->mean[i]), spatial_move(&t->mean[i]), arm);
    return t->flies[tree] && t->forest.trees[tree].is_free ? ph_madd(v, -0.5 * m->now.h, m->model->gravity) : v;
}

// What would fly into something goes there as the solver has seen it.
static bool lands(moreau *m, int i)
{
    const moreau_trees *t = m->trees;
    const contact_rows *c = &t->contacts[i];
    const unit units[2] = {unit_of(m, c->a), unit_of(m, c->b)};
    bool *flies[2] = {flies_of(m, units[0]), flies_of(m, units[1])};
    if (!((flies[0] && *flies[0]) || (flies[1] && *flies[1]))) return false;
    const double gap = contacts_gap_at(held_contacts(m), i).gap;
    const double rate = ph_dot(c->axes[0], ph_sub(mean_at(m, c->b, c->arm_b), mean_at(m, c->a, c->arm_a)));
    if (gap + m->now.h * rate >= fmin(0.0, gap) - m->now.h * m->flight.slack) return false;
    for (int s = 0; s < 2; s++) {
        if (!flies[s] || !*flies[s]) continue;
        *flies[s] = false;
        if (units[s].tree >= 0) set_mean(m, units[s].tree);
    }
    return true;
}

void tree_flight_end(moreau *m, const double *g)
{
    moreau_trees *t = m->trees;
    all_fly(m);
    for (int i = 0; i < held_contacts(m)->count; i++)
        if (!t->bounces[i]) push(m, &t->contacts[i], g[t->paths.items[i].row]);
    for (int k = 0; k < t->forest.tree_count; k++) {
        if (part_before(m, k) > 0.0) set_free(m, k);
        set_mean(m, k);
    }
    if (is_linked(m)) moreau_heap_fly(m);
    for (bool again = true; again;) {
        again = is_linked(m) && moreau_heap_land(m);
        for (int i = 0; i < held_contacts(m)->count; i++) again = lands(m, i) || again;
    }
}
