#include "contact/flight.h"

#include <math.h>
#include <string.h>

bool flight_create(const ph_model *model, bool bounces, double slack, arena *memory, flight *f)
{
    const size_t n = (size_t)model->moving_count;
    *f = (flight){.model = model, .slack = slack};
    f->flies = arena_alloc_array(memory, n, sizeof *f->flies);
    f->tau = bounces ? arena_alloc_array(memory, n, sizeof *f->tau) : NULL;
    return f->flies && (f->tau || !bounces);
}

void flight_destroy(flight *f)
{
    if (f->model) mem_free(&f->model->allocator, f->bounces);
}

// ---- Before the solve -----------------------------------------------------------------------------------------------

bool flight_reserve(flight *f, int contacts)
{
    return mem_reserve_counted(&f->model->allocator, &f->bounces, &f->bounces_room, contacts + 1, sizeof *f->bounces,
                               &f->growths);
}

static void push(flight *f, const delassus *rows, const contact_rows *c, double impulse)
{
    if (c->a >= 0 && flight_is_pushed(f, rows->inverse_mass[c->a], impulse)) f->flies[c->a] = false;
    if (c->b >= 0 && flight_is_pushed(f, rows->inverse_mass[c->b], impulse)) f->flies[c->b] = false;
}

void flight_begin(flight *f, const delassus *rows, const contact_set *found, const double *last, double h)
{
    for (int k = 0; k < f->model->moving_count; k++) {
        f->flies[k] = delassus_group(rows, k) < 0;
        if (f->tau) f->tau[k] = 0.0;
    }
    for (int i = 0; i < rows->contact_count; i++) {
        const contact_rows *c = &rows->contacts[i];
        const detected now = contacts_at(found, i);
        if (flight_is_held(f, now.gap, contacts_surface(found, &now).restitution, h)) push(f, rows, c, last[c->first]);
    }
    for (int i = 0; i < rows->contact_count; i++) f->bounces[i] = false;
}

bounce flight_bounce(const flight *f, int body_a, int body_b, ph_vec3 normal, double gap, double u, double u_free,
                     double h)
{
    const double along = ph_dot(f->model->gravity, normal);
    const double a = (body_b >= 0 && f->flies[body_b] ? along : 0.0) - (body_a >= 0 && f->flies[body_a] ? along : 0.0);
    const double fastest = fmin(u_free, u + fmin(h * a, 0.5 * h * a)); // else its row would brake it before it bounces
    if (!((u < 0.0 || a < 0.0) && gap + h * fastest < 0.0)) return (bounce){-1.0, a};
    const double root = gap > 0.0 ? 2.0 * gap / (sqrt(ph_max(0.0, u * u - 2.0 * a * gap)) - u) : 0.0;
    return (bounce){fmin(root, h), a};
}

void flight_take(flight *f, int a, int b, int contact, double tau)
{
    const int pair[2] = {a, b};
    f->bounces[contact] = true;
    for (int s = 0; s < 2; s++)
        if (pair[s] >= 0) f->tau[pair[s]] = flight_earlier(f->tau[pair[s]], tau);
}

// ---- After it -------------------------------------------------------------------------------------------------------

static ph_vec3 velocity_at(const screw *s, ph_vec3 arm)
{
    return ph_add(s->linear, ph_cross(s->angular, arm));
}

bool flight_would_land(const flight *f, const flight_contact *c, const flight_past *before, const screw *after,
                       double h)
{
    if (!((c->a >= 0 && f->flies[c->a]) || (c->b >= 0 && f->flies[c->b]))) return false;
    const screw still = {ph_zero3(), ph_zero3()};
    const screw b = c->b >= 0 ? flight_mean(f, c->b, before, after, h) : still;
    const screw a = c->a >= 0 ? flight_mean(f, c->a, before, after, h) : still;
    const double rate = ph_dot(c->normal, ph_sub(velocity_at(&b, c->arm_b), velocity_at(&a, c->arm_a)));
    return !(c->gap + h * rate >= fmin(0.0, c->gap) - h * f->slack);
}

bool flight_lands(flight *f, const flight_contact *c, const flight_past *before, const screw *after, double h)
{
    if (!flight_would_land(f, c, before, after, h)) return false;
    if (c->a >= 0) f->flies[c->a] = false;
    if (c->b >= 0) f->flies[c->b] = false;
    return true;
}

void flight_end(flight *f, const delassus *rows, const contact_set *found, const double *g, const flight_past *before,
                const screw *after, double h)
{
    for (int k = 0; k < f->model->moving_count; k++) f->flies[k] = delassus_group(rows, k) < 0;
    for (int i = 0; i < rows->contact_count; i++)
        if (!f->bounces[i]) push(f, rows, &rows->contacts[i], g[rows->contacts[i].first]);
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < rows->contact_count; i++) {
            const contact_rows *c = &rows->contacts[i];
            const flight_contact it = {c->a, c->b, c->axes[0], c->arm_a, c->arm_b, contacts_gap_at(found, i).gap};
            again = flight_lands(f, &it, before, after, h) || again;
        }
    }
}
