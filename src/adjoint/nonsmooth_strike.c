// An impact of `rattlie-ns` backwards. At fixed q, with N = W^T M~^-1 W and u = W^T V:
//
//     u_0 = u + N g_0,   u_1 = u + e u_N + N g_1                  each in its cones, as (18)
//     g = g_0 + s (g_1 - g_0),   V' = V + M~^-1 W g               s = 1, or where that would give back too much energy
//     R = E(g) - (1 - e^2) E(g_0) = 0,   E(g) = g.u + g.N g/2     (nonsmooth_impact.c)
//
// With g_bar by g and r = -g_bar.(g_1 - g_0)/((u + N g).(g_1 - g_0)), what R says of s,
//
//     g_bar_1 = s (g_bar + r (u + N g)),   g_bar_0 = (1 - s)(g_bar + r (u + N g)) - r (1 - e^2)(u + N g_0)
//
// and r R is a part of what is differentiated. All of it is sums of p.u and of p.N g, pulled with p and g fixed.
#include "adjoint/nonsmooth_sweep.h"

#include <string.h>

typedef struct strike {
    nonsmooth_sweep *w;
    contact_sweep *c;
    const nonsmooth_part *part;
    const ph_twist *before; // V
    double *along;          // p of all p.u
    double e;               // of the law of energy, and the contact that has it
    int most;
} strike;

static double dot(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static double restitution_of(const strike *s, int i)
{
    const contact_item *it = &ns_item_at(s->w, &s->part->here, i)->contact;
    return it->bounces ? shapes_surface(s->c->shapes, it->at.shape_a, it->at.shape_b).restitution : 0.0;
}

// Gradients of weighted rows along w
static void pull_rows(const strike *s, const double *weights, const ph_twist *w)
{
    const nonsmooth_list *list = &s->part->here;
    for (int i = 0; i < list->contacts; i++) contact_rows_field(s->c, i, weights + s->c->contacts[i].first, w);
    for (int i = 0; i < list->stops; i++)
        ns_pull_stop(s->c, ns_item_at(s->w, list, list->contacts + i), 0.0, NULL,
                     weights[s->c->cones[list->contacts + i].first], w, 0.0);
}

// The gradient of p.N g + a.M~^-1 W g
static void pull_response(strike *s, const double *p, const ph_wrench *a, const double *g)
{
    nonsmooth_sweep *w = s->w;
    sweep *to = w->s;
    const ph_model *model = to->model;
    const size_t bytes = sizeof *w->scratch * model_places(model);
    memset(w->scratch, 0, bytes);
    for (int i = 0; i < s->c->row_count; i++) ns_add_row(&s->c->rows[i], g[i], w->scratch);
    ns_solve(w, &to->kkt, w->scratch, w->change, to->nu);
    memset(w->scratch, 0, bytes);
    if (a) memcpy(w->scratch, a, bytes);
    for (int i = 0; i < s->c->row_count; i++) ns_add_row(&s->c->rows[i], p[i], w->scratch);
    ns_solve(w, &to->kkt, w->scratch, to->beta, to->gamma);
    sweep_pull_joints(to, &to->here, -1.0, NULL, to->gamma, w->change, to->a_q);
    sweep_pull_joints(to, &to->here, -1.0, NULL, to->nu, to->beta, to->a_q);
    for (int k = 0; k < model->moving_count; k++) {
        const ph_twist *beta = &to->beta[model->moving[k]], *change = &w->change[model->moving[k]];
        sweep_pull_mass(to, k, -1.0, beta->omega, change->omega, ph_dot(beta->v, change->v));
    }
    pull_rows(s, g, to->beta);
    pull_rows(s, p, w->change);
}

// (18) of impulses g with `back` of the restitution; g_bar stands in the rows. Adds what it gives.
static void pull_cones(strike *s, double *g, double back)
{
    contact_sweep *c = s->c;
    const nonsmooth_list *list = &s->part->here;
    const int n = c->row_count;
    double *own = c->g;
    c->g = g;
    for (int i = 0; i < n; i++) c->u[i] = ns_along_row(&c->rows[i], s->before) + dot(c->N + i * n, g, n);
    for (int i = 0; i < list->contacts; i++) {
        const int row = c->contacts[i].first;
        c->u[row] += back * restitution_of(s, i) * ns_along_row(&c->rows[row], s->before);
    }
    ns_add_shifts(s->w, c);
    ns_solve_cones(s->w, c);
    c->g = own;
    pull_response(s, c->y, NULL, g);
    for (int i = 0; i < n; i++) s->along[i] += c->y[i];
    for (int i = 0; i < list->contacts; i++) {
        const nonsmooth_item *it = ns_item_at(s->w, list, i);
        const int row = c->contacts[i].first;
        const double speed = ns_along_row(&c->rows[row], s->before);
        s->along[row] += back * restitution_of(s, i) * c->y[row];
        ns_pull_surface(c, it, i, it->contact.bounces ? back * c->y[row] * speed : 0.0);
    }
}

// Of the capped law: g_bar_0 and g_bar_1, and what r R adds.
static void pull_cap(strike *s, const double *g_0, const double *g_1, double *by_0, double *by_1)
{
    contact_sweep *c = s->c;
    const int n = c->row_count;
    const double part = s->part->newton, left = 1.0 - s->e * s->e;
    double by_part = 0.0, slope = 0.0, energy = 0.0;
    for (int i = 0; i < n; i++) {
        const double u = ns_along_row(&c->rows[i], s->before), Ng = dot(c->N + i * n, c->g, n);
        by_part += c->g_bar[i] * (g_1[i] - g_0[i]);
        slope += (u + Ng) * (g_1[i] - g_0[i]);
        energy += g_0[i] * (u + 0.5 * dot(c->N + i * n, g_0, n));
    }
    const double r = -by_part / slope;
    double *p = by_1; // for a while
    for (int i = 0; i < n; i++) p[i] = 0.5 * r * c->g[i];
    pull_response(s, p, NULL, c->g);
    for (int i = 0; i < n; i++) p[i] = -0.5 * r * left * g_0[i];
    pull_response(s, p, NULL, g_0);
    for (int i = 0; i < n; i++) {
        const double u = ns_along_row(&c->rows[i], s->before);
        const double by = c->g_bar[i] + r * (u + dot(c->N + i * n, c->g, n));
        s->along[i] += r * (c->g[i] - left * g_0[i]);
        by_1[i] = part * by;
        by_0[i] = (1.0 - part) * by - r * left * (u + dot(c->N + i * n, g_0, n));
    }
    const nonsmooth_item *it = ns_item_at(s->w, &s->part->here, s->most);
    const pair_gradient by = {.restitution = 2.0 * r * s->e * energy};
    contact_rows_surface(c, &it->contact.at, &by);
}

static void find_most(strike *s)
{
    for (int i = 0; i < s->part->here.contacts; i++)
        if (restitution_of(s, i) > s->e) s->e = restitution_of(s, i), s->most = i;
}

// `room`: five numbers for each row
static void pull_all(strike *s, double *room)
{
    nonsmooth_sweep *w = s->w;
    contact_sweep *c = s->c;
    const nonsmooth_list *list = &s->part->here;
    const int n = c->row_count;
    double *g_0 = room + n, *g_1 = room + 2 * n, *by_0 = room + 3 * n, *by_1 = room + 4 * n;
    const double part = s->part->newton;
    s->along = room;
    memset(room, 0, 5 * sizeof *room * (size_t)n);
    ns_find_operator(w, c, &w->s->kkt, w->s->a_v);
    pull_response(s, s->along, w->s->a_v, c->g);
    find_most(s);
    for (int i = 0; i < c->cone_count; i++)
        for (int k = 0; k < c->cones[i].rows; k++) g_0[c->cones[i].first + k] = ns_item_at(w, list, i)->extra[k];
    if (s->e == 0.0 || part == 0.0) { // without restitution
        pull_cones(s, g_0, 0.0);
    } else if (part == 1.0) {
        pull_cones(s, c->g, 1.0);
    } else {
        for (int i = 0; i < n; i++) g_1[i] = g_0[i] + (c->g[i] - g_0[i]) / part;
        pull_cap(s, g_0, g_1, by_0, by_1);
        memcpy(c->g_bar, by_0, sizeof(double) * (size_t)n);
        pull_cones(s, g_0, 0.0);
        memcpy(c->g_bar, by_1, sizeof(double) * (size_t)n);
        pull_cones(s, g_1, 1.0);
    }
    pull_rows(s, s->along, s->before);
    for (int i = 0; i < n; i++) ns_add_row(&c->rows[i], s->along[i], w->s->a_v);
}

bool strike_back(nonsmooth_sweep *w, const nonsmooth_part *p, const tape_record *r)
{
    sweep *s = w->s;
    contact_sweep *c = &w->here;
    tape_head head;
    if (!ns_begin_part(w, w->tape, p)) return false;
    const tape_record at = ns_record_of(w, p, r, &head, NULL);
    sweep_place(s, &at, &s->here);
    if (!ns_make_rows(w, c, &p->here, false) || !node_factor_mass(s->model, &s->kkt, &s->here)) return false;
    double *room = mem_alloc_array(&s->model->allocator, 5 * (size_t)c->row_count + 1, sizeof *room);
    if (!room) return false;
    if (c->row_count > 0) pull_all(&(strike){.w = w, .c = c, .part = p, .before = s->here.twists}, room);
    mem_free(&s->model->allocator, room);
    contact_rows_pairs(c, &w->tape->items[p->here.first].contact, p->here.contacts, sizeof(nonsmooth_item));
    sweep_cut_small(s);
    return true;
}
