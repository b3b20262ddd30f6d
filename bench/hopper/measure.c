// What is measured of the silo and of its outflow.
#include "hopper.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double C = 0.58, K = 1.4; // Beverloo's constants, spheres

static double mass_of(const ph_model *model, int n)
{
    return ph_model_body(model, FIRST_SPHERE + n).mass;
}

// ---- Forces on the vessel -------------------------------------------------------------------------------------------

typedef struct push { // of one contact on the vessel or the lid
    bool on_wall, on_floor;
    double height; // where
    double outward, downward;
} push;

static push push_of(const ph_contact *c)
{
    const bool a_fixed = c->body_a < FIRST_SPHERE;
    const int body = a_fixed ? c->body_a : c->body_b, shape = a_fixed ? c->shape_a : c->shape_b;
    const double sign = a_fixed ? -1.0 : 1.0; // c->force acts on b
    if (body > LID) return (push){0};
    const ph_vec3 f = {sign * c->force.x, sign * c->force.y, sign * c->force.z}; // on the vessel
    const double r = hypot(c->point.x, c->point.y);
    return (push){.on_wall = body == VESSEL && shape == WALL,
                  .on_floor = body == LID || shape == BOTTOM,
                  .height = c->point.z,
                  .outward = r > 0.0 ? (f.x * c->point.x + f.y * c->point.y) / r : 0.0,
                  .downward = -f.z};
}

moment observe(const setup *s, const ph_model *model, ph_state *state, const ph_step_report *report, double step_s)
{
    moment m = {.time = ph_state_time(state),
                .penetration = report->penetration,
                .residual = report->contact_residual,
                .contacts = report->contacts,
                .iterations = report->contact_iterations,
                .missed = report->contact_missed,
                .step_s = step_s};
    const ph_vec3 *x = ph_state_positions(state) + FIRST_SPHERE, *v = ph_state_velocities(state) + FIRST_SPHERE;
    double square = 0.0;
    int inside = 0, count;
    for (int n = 0; n < s->spheres; n++) {
        const bool out = x[n].z < 0.0;
        m.out += out;
        m.mass_out += out ? mass_of(model, n) : 0.0;
        square += out ? 0.0 : v[n].x * v[n].x + v[n].y * v[n].y + v[n].z * v[n].z;
        inside += !out;
    }
    m.speed = inside ? sqrt(square / inside) : 0.0;
    const ph_contact *contacts = ph_state_contacts(state, &count);
    for (int i = 0; i < count; i++) {
        const push p = push_of(&contacts[i]);
        m.floor += p.on_floor ? p.downward : 0.0;
        m.wall_shear += p.on_wall ? p.downward : 0.0;
        m.wall_normal += p.on_wall ? p.outward : 0.0;
    }
    return m;
}

// ---- The silo at rest -----------------------------------------------------------------------------------------------

static void place_bins(profile *p, const setup *s, const ph_vec3 *x)
{
    double top = 0.0;
    for (int n = 0; n < s->spheres; n++) top = fmax(top, x[n].z);
    p->bottom = s->cone < 90.0 ? 0.5 * (s->silo - s->orifice) / tan(s->cone * PI / 180.0) : 0.0;
    p->height = top + s->diameter - p->bottom;
}

static int bin_of(const profile *p, double z)
{
    const int bin = (int)floor((z - p->bottom) / p->height * BINS);
    return bin < 0 ? -1 : bin >= BINS ? BINS - 1 : bin;
}

void profile_add(profile *p, const setup *s, const ph_model *model, ph_state *state)
{
    const ph_vec3 *x = ph_state_positions(state) + FIRST_SPHERE;
    int count;
    if (p->samples++ == 0) place_bins(p, s, x);
    const double old = (p->samples - 1.0) / p->samples, new = 1.0 / p->samples;
    for (int k = 0; k < BINS; k++) p->mass[k] *= old, p->normal[k] *= old, p->shear[k] *= old;
    p->floor *= old;
    for (int n = 0; n < s->spheres; n++) {
        const int bin = bin_of(p, x[n].z);
        if (bin >= 0) p->mass[bin] += new *mass_of(model, n);
    }
    const ph_contact *contacts = ph_state_contacts(state, &count);
    for (int i = 0; i < count; i++) {
        const push q = push_of(&contacts[i]);
        const int bin = bin_of(p, q.height);
        if (q.on_floor) p->floor += new *q.downward;
        if (q.on_wall && bin >= 0) p->normal[bin] += new *q.outward, p->shear[bin] += new *q.downward;
    }
}

// Bulk density of the middle half of the filling, and the height that all of it would have at that density.
static void find_surface(const profile *p, const setup *s, janssen *j)
{
    const double area = PI / 4.0 * s->silo * s->silo, dz = p->height / BINS;
    const int from = BINS / 5, until = BINS * 7 / 10;
    double all = 0.0, middle = 0.0;
    for (int k = 0; k < BINS; k++) all += p->mass[k], middle += k >= from && k < until ? p->mass[k] : 0.0;
    j->density = middle / (area * dz * (until - from));
    j->surface = p->bottom + all / (area * j->density);
}

static double law(const janssen *j, double height)
{
    const double depth = fmax(0.0, j->surface - height);
    return j->saturation * (1.0 - exp(-depth / j->length));
}

// The medium above a level is carried by the level and by the wall above it. K and the mobilised friction are those of all
// bins away from both ends by half a diameter, or by a fifth of the filling where it is low.
janssen janssen_of(const profile *p, const setup *s)
{
    janssen j = {0};
    const double area = PI / 4.0 * s->silo * s->silo, dz = p->height / BINS, strip = PI * s->silo * dz;
    double carried = 0.0, pressure = 0.0, shear = 0.0, stress = 0.0, lowest = 0.0, lowest_law = 0.0;
    int low_bins = 0;
    find_surface(p, s, &j);
    const double end = fmin(0.5 * s->silo, 0.2 * (j.surface - p->bottom));
    for (int k = BINS - 1; k >= 0; k--) {
        carried += GRAVITY * p->mass[k] - p->shear[k];
        j.stress[k] = carried / area;
        const double z = p->bottom + (k + 0.5) * dz;
        if (z < p->bottom + end || z > j.surface - end) continue;
        pressure += p->normal[k] / strip, shear += p->shear[k] / strip;
        stress += j.stress[k] + 0.5 * (p->shear[k] - GRAVITY * p->mass[k]) / area; // in the middle of the bin
    }
    j.ratio = pressure / stress;
    j.mobilised = shear / pressure;
    j.length = s->silo / (4.0 * j.mobilised * j.ratio);
    j.saturation = j.density * GRAVITY * j.length;
    for (int k = 0; k < BINS / 2; k++) {
        const double z = p->bottom + k * dz;
        if (z < p->bottom + end || z > 0.5 * (p->bottom + j.surface)) continue;
        lowest += j.stress[k], lowest_law += law(&j, z), low_bins++;
    }
    j.lowest = low_bins ? lowest / low_bins : (double)NAN,
    j.lowest_law = low_bins ? lowest_law / low_bins : (double)NAN;
    j.floor = p->floor / area, j.floor_law = law(&j, p->bottom);
    return j;
}

// ---- Outflow --------------------------------------------------------------------------------------------------------

double beverloo_rate(const setup *s, double bulk_density)
{
    return C * bulk_density * sqrt(GRAVITY) * pow(s->orifice - K * s->diameter, 2.5);
}

// Slope of the straight line through the masses that have left, least squares.
static double slope(const moment *m, int from, int until)
{
    const double n = until - from;
    double t = 0.0, y = 0.0, tt = 0.0, ty = 0.0;
    for (int i = from; i < until; i++) t += m[i].time / n, y += m[i].mass_out / n;
    for (int i = from; i < until; i++) {
        tt += (m[i].time - t) * (m[i].time - t);
        ty += (m[i].time - t) * (m[i].mass_out - y);
    }
    return until - from > 1 ? ty / tt : (double)NAN;
}

// Steady from three times sqrt(D/g) after the opening until half of the medium has left.
outflow outflow_of(const setup *s, const moment *m, int count, double total_mass, double bulk_density)
{
    const double start = s->fill + 3.0 * sqrt(s->orifice / GRAVITY);
    int from = 0, until = 0;
    while (from < count && m[from].time < start) from++;
    for (until = from; until < count && m[until].mass_out < 0.5 * total_mass;) until++;
    const int middle = (from + until) / 2;
    return (outflow){.rate = slope(m, from, until),
                     .first_half = slope(m, from, middle),
                     .second_half = slope(m, middle, until),
                     .from = from < count ? m[from].time : (double)NAN,
                     .until = until > 0 ? m[until - 1].time : (double)NAN,
                     .beverloo = beverloo_rate(s, bulk_density)};
}
