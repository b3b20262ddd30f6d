// Impacts of rattlie-ns: velocities jump where a gap closes within a step.
#include "schemes/nonsmooth.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

// Velocities of the state change by M~^-1 W g.
static void jump(nonsmooth *s, ph_state *state, const double *g)
{
    kkt *kkt = s->here.kkt;
    const node *at = &s->stages->here;
    delassus_gather(&s->here.rows, g, s->wrench);
    memset(kkt->x, 0, sizeof(double) * (size_t)kkt->lu.x_count);
    for (int k = 0; k < s->model->moving_count; k++) {
        const ph_mat3 *R = &at->frames[s->model->moving[k]].R;
        node_put_vectors(kkt_body_x(kkt, k), ph_tmul(*R, s->wrench[k].angular), s->wrench[k].linear);
    }
    delassus_solve(&s->here.rows);
    for (int k = 0; k < s->model->moving_count; k++) {
        const int b = s->model->moving[k];
        const double *d = kkt_body_x(kkt, k);
        state->angular_velocity[b] = ph_add(state->angular_velocity[b], ph_vec(d[0], d[1], d[2]));
        state->velocity[b] = ph_add(state->velocity[b], ph_vec(d[3], d[4], d[5]));
    }
}

// Rows of all that touches, and in s->u their velocities; `most`: the largest restitution of those that approach faster than
// `slow`, 0 when none does.
static ph_status enter_impact(nonsmooth *s, const ph_state *state, double h, double slow, double *most)
{
    side *here = &s->here;
    node *at = &s->stages->here;
    const ph_status entered = nonsmooth_enter(s, state, h);
    if (entered != PH_OK) return entered;
    if (here->rows.trees && !node_factor_mass(s->model, here->kkt, at)) return PH_SINGULAR; // for the jump
    bool ok = nonsmooth_begin_rows(s, here);
    for (int i = 0; i < here->detector->found.count && ok; i++)
        if (here->detector->found.list[i].gap <= NONSMOOTH_TOUCH) ok = nonsmooth_add_contact(here, i);
    ok = ok && nonsmooth_add_stops(s, here, at, NONSMOOTH_TOUCH, 0.0) && nonsmooth_end_rows(s, here);
    if (!ok) return PH_OUT_OF_MEMORY;
    nonsmooth_set_twists(s, at, at->twists);
    delassus_velocities(&here->rows, s->twist, s->before_impact);
    *most = 0.0;
    for (int c = 0; c < here->rows.contact_count; c++)
        if (s->before_impact[here->rows.contacts[c].first] < -slow)
            *most = ph_max(*most, nonsmooth_surface(here, here->of[c]).restitution);
    return PH_OK;
}

// Impulses g of an impact, with or without restitution, and the velocities after it in s->u.
static ph_status solve_impact(nonsmooth *s, double slow, bool bounces, double *g)
{
    const delassus *rows = &s->here.rows;
    memcpy(s->q, s->before_impact, sizeof(double) * (size_t)rows->row_count);
    for (int c = 0; c < rows->contact_count && bounces; c++) {
        double *u = &s->q[rows->contacts[c].first];
        if (*u < -slow) *u += nonsmooth_surface(&s->here, s->here.of[c]).restitution * *u;
    }
    const ph_status status = nonsmooth_solve_cones(s, &s->here, g);
    for (int r = 0; r < rows->row_count; r++) s->u[r] += s->before_impact[r] - s->q[r]; // without the rebound
    return status;
}

// Energy that impulses g add, which take the velocities of their rows from `before_impact` to u.
static double energy_of(const nonsmooth *s, const double *g, const double *u)
{
    double sum = 0.0;
    for (int r = 0; r < s->here.rows.row_count; r++) sum += 0.5 * g[r] * (s->before_impact[r] + u[r]);
    return sum;
}

// Newton's law, and what keeps it from creating energy. Where friction couples to normal velocities, u_N+ = -e u_N may need
// more energy than there is. An impact gives back at most e^2 of what one without restitution takes: of the impulses g between
// those without (`plastic`, which add `least` <= 0) and those of Newton's law, which all lie in the cones, the farthest that keep
//
//     E(g) <= (1 - e^2) E(plastic),           E((1 - s) plastic + s g): a parabola in s, which is returned.
static double cap_energy(nonsmooth *s, double e, const double *plastic, const double *u_plastic, double *g)
{
    const int rows = s->here.rows.row_count;
    const double least = energy_of(s, plastic, u_plastic), whole = energy_of(s, g, s->u);
    const double most = (1.0 - e * e) * least;
    if (whole <= most - 1e-9 * least) return 1.0;
    double slope = 0.0;
    for (int r = 0; r < rows; r++)
        slope += 0.5 * (g[r] - plastic[r]) * (s->before_impact[r] + u_plastic[r]) +
                 0.5 * plastic[r] * (s->u[r] - u_plastic[r]);
    const double bend = whole - least - slope, c = least - most; // bend s^2 + slope s + c = 0
    const double root = sqrt(ph_max(0.0, slope * slope - 4.0 * bend * c));
    const double part =
        fmin(1.0, ph_max(0.0, slope >= 0.0 ? -2.0 * c / (slope + root) : (root - slope) / (2.0 * bend)));
    for (int r = 0; r < rows; r++) {
        g[r] = plastic[r] + part * (g[r] - plastic[r]);
        s->u[r] = u_plastic[r] + part * (s->u[r] - u_plastic[r]);
    }
    return part;
}

ph_status nonsmooth_impact(nonsmooth *s, ph_state *state, double h, double slow)
{
    side *here = &s->here;
    double e;
    ph_status status = enter_impact(s, state, h, slow, &e);
    const size_t bytes = sizeof(double) * (size_t)here->rows.row_count;
    if (status != PH_OK) return status;
    memset(s->next, 0, bytes); // from nothing: what stands there is of another step, which a saved state does not know
    status = solve_impact(s, slow, false, s->next);
    if (status != PH_OK) return status;
    memcpy(s->plastic, s->u, bytes);
    memcpy(here->g, s->next, bytes);
    s->part = 1.0;
    if (e > 0.0) {
        status = solve_impact(s, slow, true, here->g);
        if (status != PH_OK) return status;
        s->part = cap_energy(s, e, s->next, s->plastic, here->g);
    }
    nonsmooth_tell(s, NONSMOOTH_STRIKES, state, slow);
    jump(s, state, here->g);
    for (int c = 0; c < here->rows.cone_count; c++) here->closes[c] = true;
    state_add_work(state, nonsmooth_work(here, here->g, here->g, s->before_impact, s->u));
    return PH_OK;
}
