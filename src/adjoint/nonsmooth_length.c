// The gradient by the length of the stages of `rattlie-ns`, and by when they begin, where expressions of time matter.
//
//     h_bar = psi.T V_+ - beta_R.d(G(-f)/h)/dh - kappa_R.d(G(f)/h)/dh + kappa.Q_n/2 + beta.Q_{n+1}/2
//             + h/2 beta.dQ/dt - nu.dPhi/dt/h - gamma.d2Phi/dt2 - y_N ((g - floor)/h^2 + d floor/h)                          (23)
#include "adjoint/nonsmooth_sweep.h"

#include "math/so3.h"

static double power_of(nonsmooth_sweep *w, node *at, double time, const ph_twist *v)
{
    const ph_model *model = w->s->model;
    const double now = at->motion.time;
    double sum = 0.0;
    at->motion.time = time;
    node_set_forces(model, at);
    at->motion.time = now;
    for (int k = 0; k < model->moving_count; k++) sum += wrench_power(&at->Q[model->moving[k]], &v[model->moving[k]]);
    return sum;
}

// d(v.Q)/dt of what expressions of time give, by differences of fourth order
static double power_slope(nonsmooth_sweep *w, node *at, const ph_twist *v)
{
    const double t = at->motion.time, s = 1e-3 * w->part->h;
    const double near = power_of(w, at, t + s, v) - power_of(w, at, t - s, v);
    const double far = power_of(w, at, t + 2.0 * s, v) - power_of(w, at, t - 2.0 * s, v);
    return (8.0 * near - far) / (12.0 * s);
}

// Of the row of a motor at another time
static double motor_residual(nonsmooth_sweep *w, const joint *j, double time)
{
    node *at = &w->s->there;
    const double now = at->motion.time;
    double phi[JOINT_ROWS_MAX];
    at->motion.time = time;
    joint_residual(j, &at->motion, phi);
    at->motion.time = now;
    return phi[joint_motor_row(j)];
}

// nu.dPhi/dt/h + gamma.d2Phi/dt2 of what prescribed motions give
static double motor_slope(nonsmooth_sweep *w)
{
    const ph_model *model = w->s->model;
    const double t = w->s->there.motion.time, s = 0.1 * w->part->h;
    double sum = 0.0;
    for (int j = 0; j < model->joint_count && model->motor_count > 0; j++) {
        const joint *joint = &model->joints[j];
        if (!joint->motor) continue;
        const int row = joint->first_row + joint_motor_row(joint);
        const double after = motor_residual(w, joint, t + s), before = motor_residual(w, joint, t - s);
        sum += w->s->nu[row] * (after - before) / (2.0 * s * w->part->h);
        sum += w->s->gamma[row] * (after - 2.0 * motor_residual(w, joint, t) + before) / (s * s);
    }
    return sum;
}

// beta.d(-G(-f)/h)/dh - kappa.d(G(f)/h)/dh. With u = Omega x J Omega and w = Omega x u, G(f)/h = J Omega + h/2 u + c h^2 w (rattlie.c):
// nothing cancels, however short the stages are.
static double power_of_momenta(const ph_mat3 *J, ph_vec3 omega, double h, ph_vec3 kappa, ph_vec3 beta)
{
    const ph_so3 k = ph_so3_coefficients_c(ph_scale(h, omega));
    const ph_vec3 u = ph_cross(omega, ph_mul(*J, omega)), w = ph_cross(omega, u);
    return h * (2.0 * k.c + k.d_c * k.x2) * ph_dot(ph_sub(beta, kappa), w) - 0.5 * ph_dot(ph_add(beta, kappa), u);
}

// What contacts and stops of stage 1 add
static double length_of_contacts(const nonsmooth_sweep *w)
{
    const contact_sweep *c = &w->here;
    const nonsmooth_list *list = &w->part->here;
    const double h = w->part->h;
    double sum = 0.0;
    for (int i = 0; i < list->contacts + list->stops && c->row_count > 0; i++) {
        const nonsmooth_item *it = ns_item_at(w, list, i);
        const bool is_stop = i >= list->contacts;
        if (is_stop && it->kind == STOP_FRICTION) continue;
        const double now = is_stop ? ns_distance_of(w->s, &w->s->here, it) : it->contact.at.gap;
        const double then = is_stop ? ns_distance_of(w->s, &w->s->there, it) : it->has_ahead ? it->ahead.gap : now;
        const ns_least floor = ns_least_of(w, now);
        sum -= c->y[c->cones[i].first] * ((then - floor.value) / (h * h) + floor.by_h / h);
    }
    return sum;
}

// (16): by the length, all else being fixed; and by when the stages begin
void ns_take_length(void *user, const tape_record *r)
{
    nonsmooth_sweep *w = user;
    sweep *s = w->s;
    const ph_model *model = s->model;
    const double h = w->part->h;
    const double at_end = power_slope(w, &s->there, s->beta), at_start = power_slope(w, &s->here, s->kappa);
    double sum = 0.5 * power_of(w, &s->here, s->here.motion.time, s->kappa) +
                 0.5 * power_of(w, &s->there, s->there.motion.time, s->beta);
    for (int k = 0; k < model->moving_count; k++) {
        const int b = model->moving[k];
        sum += wrench_power(&s->a_q[b], &r->plus[k]);
        sum += power_of_momenta(&model->bodies[b].kind->J, r->plus[k].omega, h, s->kappa[b].omega, s->beta[b].omega);
    }
    const double end_time = 0.5 * h * at_end - motor_slope(w);
    w->by_length += sum + length_of_contacts(w) + end_time;
    w->by_time = 0.5 * h * at_start + end_time;
}
