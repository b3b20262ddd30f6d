// Contacts of `moreau` that would put energy into a body that spins.
//
// A body that rolls about one axis and turns about another, as a cylinder that lies on a floor, is held by contacts against its gyroscopic torque. That
// does no work; but in a step the body turns as both spins together do, by which one end sinks and is lifted again, and the work of that is of the
// size T (h w)^2, always positive: the error of a step of first order, and a cylinder would spin up for ever. So what contacts with
// things that cannot move would put into such a body, up to that size, is taken out of its spin.
#include "schemes/moreau.h"

#include <math.h>

enum { CONTACTS_MOST = 100 }; // as for impacts that follow from others

// Of its energy in a step: less is rounding, or an error that nobody sees, and recorded forces balance.
static const double LEAST = 1e-5;

static screw twist_before(const moreau *m, int body)
{
    const ph_twist v = flight_before_body(&m->now.past, body);
    return (screw){v.omega, v.v};
}

static ph_vec3 velocity_at(screw v, ph_vec3 arm)
{
    return ph_add(v.linear, ph_cross(v.angular, arm));
}

// Adds the work of contact i to what its body gets; none counts where both sides move, or one bounces.
static void add_work(const moreau *m, int i)
{
    const contact_set *found = contacts_of(m);
    const contact_pair pair = contacts_pair(found, i);
    const int a = pair.a, b = pair.b, k = b >= 0 ? b : a, body = m->model->moving[k];
    double *gain = m->spin_gain;
    if (a >= 0 && b >= 0) gain[a] = gain[b] = -HUGE_VAL;
    if ((a >= 0 && b >= 0) || m->ahead.held[body]) return;
    if (m->flight.tau && m->flight.tau[k] > 0.0) gain[k] = -HUGE_VAL;
    const detected c = contacts_at(found, i);
    const ph_vec3 arm = contacts_arm(found, &c, body), impulse = m->now.path->end.impulse(m, i);
    const ph_vec3 sum = ph_add(velocity_at(twist_before(m, body), arm), velocity_at(m->bodies.after[k], arm));
    gain[k] += (b >= 0 ? 0.5 : -0.5) * ph_dot(impulse, sum);
}

// What is taken out of a body's spin.
static double brake(moreau *m, int k)
{
    const int i = m->model->moving[k];
    const body_kind *kind = m->model->bodies[i].kind;
    const ph_vec3 w = ph_tmul(moreau_rotation(m, i), m->bodies.after[k].angular), Jw = ph_mul(kind->J, w);
    const double energy = 0.5 * ph_dot(w, Jw), part = fmin(1.0, m->now.h * m->now.h * ph_norm2(w));
    const bool turns = ph_norm2(ph_cross(w, Jw)) > 1e-24 * ph_norm2(w) * ph_norm2(Jw);
    const double taken = fmin(m->spin_gain[k], part * energy);
    if (!turns || is_asleep(m, i) || m->ahead.held[i] || !(taken > LEAST * energy)) return 0.0;
    m->bodies.after[k].angular = ph_scale(sqrt(1.0 - taken / energy), m->bodies.after[k].angular);
    return taken;
}

double moreau_brake_spins(moreau *m)
{
    const int count = contacts_of(m)->count;
    double taken = 0.0;
    if (count == 0 || count > CONTACTS_MOST || !(m->now.h > 0.0) || is_exact(m)) return 0.0;
    for (int k = 0; k < m->model->moving_count; k++) m->spin_gain[k] = 0.0;
    for (int i = 0; i < count; i++) add_work(m, i);
    for (int k = 0; k < m->model->moving_count; k++)
        if (m->spin_gain[k] > 0.0) taken += brake(m, k);
    return taken;
}
