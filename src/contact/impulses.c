#include "contact/impulses.h"

#include <string.h>

static bool spins(const contact_rows *c)
{
    return c->count == 6 || c->count == 4;
}

static void guess_contact(const contact_rows *c, const ph_contact *old, double h, double *g)
{
    for (int r = 0; r < 3; r++) g[r] = h * ph_dot(c->axes[r], old->force);
    if (c->rolls) g[3] = h * ph_dot(c->axes[1], old->torque), g[4] = h * ph_dot(c->axes[2], old->torque);
    if (spins(c)) g[c->count - 1] = h * ph_dot(c->axes[0], old->torque);
}

// Both lists are in the order of the detector.
void impulses_guess(const delassus *rows, const detector *found, const int *of, const ph_state *state, double h,
                    double *g)
{
    int at = 0;
    memset(g, 0, sizeof(double) * (size_t)rows->row_count);
    for (int i = 0; i < rows->contact_count; i++) {
        const detected *now = &found->list[of ? of[i] : i];
        const uint64_t order = detector_order(found, now->shape_a, now->shape_b);
        for (; at < state->contact_count; at++) {
            const ph_contact *old = &state->contacts[at];
            const uint64_t pair = detector_order(found, detector_find(found, old->body_a, old->shape_a),
                                                 detector_find(found, old->body_b, old->shape_b));
            if (pair < order || (pair == order && old->feature < now->feature)) continue;
            if (pair == order && old->feature == now->feature)
                guess_contact(&rows->contacts[i], old, h, g + rows->contacts[i].first);
            break;
        }
    }
    for (int i = 0; i < rows->stop_count; i++)
        g[rows->stops[i].first] = h * state->stops[3 * rows->stops[i].joint + (int)rows->stops[i].kind];
}

static ph_contact force_of(const contact_rows *c, const detector *found, const detected *d, const double *g, double h)
{
    const detector_shape *a = &found->shapes[d->shape_a], *b = &found->shapes[d->shape_b];
    const ph_vec3 tangential = ph_madd(ph_scale(g[1], c->axes[1]), g[2], c->axes[2]);
    ph_vec3 torque = ph_zero3();
    if (c->rolls) torque = ph_madd(ph_scale(g[3], c->axes[1]), g[4], c->axes[2]);
    if (spins(c)) torque = ph_madd(torque, g[c->count - 1], c->axes[0]);
    return (ph_contact){.body_a = a->body,
                        .body_b = b->body,
                        .shape_a = a->index,
                        .shape_b = b->index,
                        .feature = d->feature,
                        .point = d->point,
                        .normal = d->normal,
                        .force = ph_scale(1.0 / h, ph_madd(tangential, g[0], c->axes[0])),
                        .torque = ph_scale(1.0 / h, torque),
                        .gap = d->gap};
}

void impulses_keep(const delassus *rows, const detector *found, const int *of, const double *g, double h,
                   ph_state *state)
{
    for (int i = 0; i < rows->contact_count; i++)
        state->contacts[i] =
            force_of(&rows->contacts[i], found, &found->list[of ? of[i] : i], g + rows->contacts[i].first, h);
    state->contact_count = rows->contact_count;
    memset(state->stops, 0, sizeof(double) * 3 * (size_t)rows->model->joint_count);
    for (int i = 0; i < rows->stop_count; i++)
        state->stops[3 * rows->stops[i].joint + (int)rows->stops[i].kind] = g[rows->stops[i].first] / h;
}
