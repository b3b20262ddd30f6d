#include "schemes/flight.h"

#include <math.h>
#include <string.h>

bool flight_create(const ph_model *model, double slack, arena *memory, flight *f)
{
    const size_t n = (size_t)model->moving_count;
    *f = (flight){.model = model, .slack = slack};
    f->flies = arena_alloc_array(memory, n, sizeof *f->flies);
    f->tau = arena_alloc_array(memory, n, sizeof *f->tau);
    f->mean = arena_alloc_array(memory, n, sizeof *f->mean);
    return f->flies && f->tau && f->mean;
}

void flight_destroy(flight *f)
{
    if (f->model) mem_free(&f->model->allocator, f->bounces);
}

// ---- Before the solve -----------------------------------------------------------------------------------------------

static bool is_pushed(const flight *f, const delassus *rows, int k, double impulse)
{
    return rows->inverse_mass[k] * impulse > f->slack;
}

// A contact that pushed in the last step and still touches holds its bodies. One with restitution that is open was left in
// a bounce.
static bool holds(const flight *f, const detector *found, const detected *now, double h)
{
    return now->gap <= 10.0 * h * f->slack || detector_surface(found, now).restitution == 0.0;
}

bool flight_reserve(flight *f, int contacts)
{
    return mem_reserve(&f->model->allocator, &f->bounces, &f->bounces_room, contacts + 1, sizeof *f->bounces);
}

void flight_begin(flight *f, const delassus *rows, const detector *found, const double *last, double h)
{
    for (int k = 0; k < f->model->moving_count; k++) {
        f->flies[k] = rows->group[k] < 0;
        f->tau[k] = 0.0;
    }
    for (int i = 0; i < rows->contact_count; i++) {
        const contact_rows *c = &rows->contacts[i];
        if (!holds(f, found, &found->list[i], h)) continue;
        if (c->a >= 0 && is_pushed(f, rows, c->a, last[c->first])) f->flies[c->a] = false;
        if (c->b >= 0 && is_pushed(f, rows, c->b, last[c->first])) f->flies[c->b] = false;
    }
    memset(f->bounces, 0, sizeof *f->bounces * (size_t)rows->contact_count);
}

bounce flight_bounce(const flight *f, const contact_rows *c, double gap, double u, double u_free, double h)
{
    const double along = ph_dot(f->model->gravity, c->axes[0]);
    const double a = (c->b >= 0 && f->flies[c->b] ? along : 0.0) - (c->a >= 0 && f->flies[c->a] ? along : 0.0);
    const double fastest = fmin(u_free, u + fmin(h * a, 0.5 * h * a)); // else its row would brake it before it bounces
    if (!((u < 0.0 || a < 0.0) && gap + h * fastest < 0.0)) return (bounce){-1.0, a};
    const double root = gap > 0.0 ? 2.0 * gap / (sqrt(ph_max(0.0, u * u - 2.0 * a * gap)) - u) : 0.0;
    return (bounce){fmin(root, h), a};
}

void flight_take(flight *f, const delassus *rows, int contact, double tau)
{
    const int pair[2] = {rows->contacts[contact].a, rows->contacts[contact].b};
    f->bounces[contact] = true;
    for (int s = 0; s < 2; s++)
        if (pair[s] >= 0 && (f->tau[pair[s]] == 0.0 || tau < f->tau[pair[s]])) f->tau[pair[s]] = tau;
}

// ---- After it -------------------------------------------------------------------------------------------------------

static void lands(flight *f, int k, const screw *after)
{
    if (k < 0 || !f->flies[k]) return;
    f->flies[k] = false;
    f->mean[k] = after[k];
}

// (3)
static void set_mean(flight *f, int k, const screw *before, const screw *after, double h)
{
    const double part = f->tau[k] / h;
    const ph_vec3 turn = ph_sub(before[k].turn, after[k].turn), move = ph_sub(before[k].move, after[k].move);
    f->mean[k] = after[k];
    if (!f->flies[k]) return;
    f->mean[k].turn = ph_madd(after[k].turn, part, turn);
    f->mean[k].move = ph_madd(ph_madd(after[k].move, part, move), f->tau[k] - 0.5 * h, f->model->gravity);
}

static ph_vec3 velocity_at(const screw *s, ph_vec3 arm)
{
    return ph_add(s->move, ph_cross(s->turn, arm));
}

static double gap_rate(const contact_rows *c, const screw *twist)
{
    const ph_vec3 b = c->b >= 0 ? velocity_at(&twist[c->b], c->arm_b) : ph_zero3();
    const ph_vec3 a = c->a >= 0 ? velocity_at(&twist[c->a], c->arm_a) : ph_zero3();
    return ph_dot(c->axes[0], ph_sub(b, a));
}

void flight_end(flight *f, const delassus *rows, const detector *found, const double *g, const screw *before,
                const screw *after, double h)
{
    for (int k = 0; k < f->model->moving_count; k++) f->flies[k] = rows->group[k] < 0;
    for (int i = 0; i < rows->contact_count; i++) {
        const contact_rows *c = &rows->contacts[i];
        if (f->bounces[i]) continue;
        if (c->a >= 0 && is_pushed(f, rows, c->a, g[c->first])) f->flies[c->a] = false;
        if (c->b >= 0 && is_pushed(f, rows, c->b, g[c->first])) f->flies[c->b] = false;
    }
    for (int k = 0; k < f->model->moving_count; k++) set_mean(f, k, before, after, h);
    // what would fly into something goes there as the solver has seen it
    for (int i = 0; i < rows->contact_count; i++) {
        const contact_rows *c = &rows->contacts[i];
        if (!((c->a >= 0 && f->flies[c->a]) || (c->b >= 0 && f->flies[c->b]))) continue;
        const double gap = found->list[i].gap + h * gap_rate(c, f->mean);
        if (gap >= fmin(0.0, found->list[i].gap) - h * f->slack) continue;
        lands(f, c->a, after);
        lands(f, c->b, after);
    }
}
