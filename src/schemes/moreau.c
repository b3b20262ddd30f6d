// moreau: velocities and impulses in one Euler step, contacts and joints included.
//
// At the configuration q of the beginning of the step, with body angular velocities, so that M is constant:
//
//     k  = M v + h f                              f: forces and the gyroscopic torque                          (1)
//     v+ = M~^-1 (k + D g) - (joint drift)        B v+ = -Phi(q, t + h)/h: joints hold exactly                 (2)
//     u  = D^T v+ + b + E g                       velocities at contacts and stops                             (3)
//     g in K, -(u + shift) in the normal cone     the cone problem, contact/delassus.h and polhode/cone.h      (4)
//     q+ = q (+) h v+                             quaternions by the exponential; bodies that fly: (3) of flight.h
//
//     row                      b                        E
//     normal                   max(phi/h, -v_rec)       0         phi > 0: a contact that may close in this step
//     normal, restitution e    e u_n(v)                 0         when it closes and e u_n(v) < -v_min; bodies that fly: (2)
//     normal, compliance C     phi/h                    C/h^2     phi = -C F at the end of the step
//     tangents, rolling, spin  0                        0
//     limit                    max(C/h, -v_rec)         0
//     dry friction             0                        0         |g| <= h F
//
// Then q+ is moved onto the joints, and v+ onto their velocities there: both are off by O(h^2) (moreau_joints.c). (1) is in moreau_bodies.c,
// rows (3) in moreau_rows.c; free bodies, whose impulses are vectors in the world, need none (moreau_heap.c).
#include "schemes/moreau_trees.h"

#include "dynamics/system.h"
#include "math/so3.h"

#include <math.h>

// ---- (2): velocities -------------------------------------------------------------------------------

screw moreau_free_twist(const moreau *m, int k, ph_mat3 R, const screw *wrench)
{
    const screw p = moreau_momentum_of(m, k);
    const body *b = &m->model->bodies[m->model->moving[k]];
    const ph_vec3 angular = ph_add(p.angular, ph_tmul(R, wrench->angular)), linear = ph_add(p.linear, wrench->linear);
    return (screw){ph_mul(R, ph_mul(b->kind->J_inverse, angular)), ph_scale(1.0 / b->kind->mass, linear)};
}

void moreau_set_velocities(moreau *m, const screw *wrench)
{
    const screw none = {ph_zero3(), ph_zero3()};
    if (has_joints(m)) {
        moreau_set_joined_velocities(m, wrench);
        return;
    }
    for (int k = 0; k < m->model->moving_count; k++)
        m->bodies.after[k] =
            moreau_free_twist(m, k, moreau_rotation(m, m->model->moving[k]), wrench ? &wrench[k] : &none);
}

// ---- b of what bounces ----------------------------------------------------------------------------------------------

// `shift`: what the velocity before the step gets added, so that its mean with that after the step is the mean of those
// before and after the impact, on which the work depends.
bool moreau_rebound(const moreau *m, const flight_contact *c, double e, double u, double u_free, rebound *to)
{
    const double h = m->now.h, v_min = m->bounce * h * ph_norm(m->model->gravity);
    const bounce at = flight_bounce(&m->flight, c->a, c->b, c->normal, c->gap, u, u_free, h);
    const double before = u + at.tau * at.a;
    if (!(at.tau >= 0.0 && e * before < -v_min)) return false;
    *to = (rebound){
        .tau = at.tau, .bias = e * before - (h - at.tau) * at.a, .shift = (2.0 * at.tau - h) * at.a, .pull = at.a};
    return true;
}

// A body bounces once in a step, when the first of its gaps closes. With moments of their own the others would be struck where it is not any
// more, and U would gain what gravity does in between.
void moreau_share_moment(const moreau *m, const flight_contact *c, double e, double u, rebound *to)
{
    const double h = m->now.h, along = ph_dot(m->model->gravity, c->normal);
    const int bodies[2] = {c->a, c->b};
    double hit = u, rest = 0.0;
    if (is_exact(m)) return;
    to->shift = 0.0;
    for (int s = 0; s < 2; s++) {
        const int k = bodies[s];
        if (k < 0 || !m->flight.flies[k]) continue;
        const double a = s ? along : -along, tau = m->flight.tau[k];
        hit += tau * a;
        rest += (h - tau) * a;
        to->shift += (2.0 * tau - h) * a;
    }
    to->bias = fmin(0.0, e * hit) - rest; // what leaves at that moment may stay
}

// ---- q+ -------------------------------------------------------------------------------------------------------------

// Where v+ leads a body; one that flies, the mean of flight.h.
moreau_end moreau_end_of(const moreau *m, int k)
{
    const int i = m->model->moving[k];
    const ph_state *state = m->now.state;
    const screw after = m->bodies.after[k];
    const ph_mat3 R = moreau_rotation(m, i);
    const screw mean = flight_mean(&m->flight, k, &m->now.past, m->bodies.after, m->now.h);
    const ph_quat turn = ph_quat_exp(ph_tmul(R, ph_scale(m->now.h, mean.angular)));
    return (moreau_end){.velocity = after.linear,
                        .angular_velocity = ph_tmul(R, after.angular),
                        .position = ph_madd(state->position[i], m->now.h, mean.linear),
                        .orientation = ph_quat_unit(ph_quat_mul(state->orientation[i], turn))};
}

moreau_end moreau_final(const moreau *m, int k)
{
    const moreau_bodies *b = &m->bodies;
    const int i = m->model->moving[k];
    return has_joints(m) ? (moreau_end){b->position[i], b->velocity[i], b->angular_velocity[i], b->orientation[i]}
                         : moreau_end_of(m, k);
}

// ---- Work -----------------------------------------------------------------------------------------------------------

// Mean twists of the step into the node. What is not finite makes its sum so.
static void set_means(void *user, int part, int from, int to)
{
    const moreau *m = user;
    double sum = 0.0;
    for (int k = from; k < to; k++) {
        const int i = m->model->moving[k];
        if (is_asleep(m, i)) continue;
        const ph_vec3 v = m->bodies.after[k].linear, w = m->bodies.after[k].angular;
        const ph_vec3 omega = keeps_twists(m) ? ph_tmul(moreau_rotation(m, i), w) : w;
        if (keeps_twists(m))
            m->node.twists[i] = moreau_mean_twist(m->node.twists[i].omega, m->node.twists[i].v, omega, v);
        const ph_vec3 all = ph_add3(ph_madd(moreau_place(m, i), m->now.h, v), v, omega);
        sum += all.x + all.y + all.z;
    }
    m->bodies.sums[part] = sum;
}

// Work of what has no potential: contacts and stops, motors likewise, forces by their power at the mean velocity. Energy
// that T + U - W still gains or loses is the scheme's own error.
static bool work_done(moreau *m, double *work)
{
    const ph_state *state = m->now.state;
    *work = m->now.path->end.work(m) - m->braked;
    m->now.work.impact -= m->braked;
    for_bodies(m, set_means);
    if (!isfinite(moreau_sum_of_parts(m))) return false;
    if (!m->trees) *work += moreau_motor_work(m);
    node_set_time(state, state->time, &m->node);
    *work += m->now.h * (m->trees ? moreau_trees_power(m) : system_power(m->model, &m->node.motion));
    node_set_time(state, state->time + m->now.h, &m->node);
    return true;
}

static double deepest(const void *user, int from, int to)
{
    const moreau *m = user;
    double most = 0.0;
    for (int i = from; i < to; i++) most = ph_max(most, -contacts_gap_at(contacts_of(m), i).gap);
    return most;
}

// ---- The step -------------------------------------------------------------------------------------------------------

ph_status moreau_begin(moreau *m, ph_state *state, double h)
{
    if (m->sleep.speed > 0.0 && !state_reserve_history(state)) return PH_OUT_OF_MEMORY;
    m->now = (moreau_step_data){.h = h, .state = state, .past = {m->bodies.before, state}, .growths = m->now.growths};
    node_set_time(state, state->time, &m->node);
    if (!moreau_set_bodies(m)) return PH_OUT_OF_MEMORY;
    const ph_status status = moreau_detect(m);
    if (status != PH_OK) return status;
    if (!moreau_part_contacts(m)) return PH_OUT_OF_MEMORY;
    node_set_time(state, state->time + h, &m->node); // where motors are to be at the end of the step
    if (!has_joints(m) || m->trees) return PH_OK;
    node_set_jacobian(m->model, &m->kkt, &m->node);
    return !node_factor_mass(m->model, &m->kkt, &m->node) ? PH_SINGULAR : PH_OK;
}

static ph_status solve_again(moreau *m, ph_step_report *report, ph_cone_report *cone_report)
{
    if (!has_joints(m)) moreau_set_free(m);
    return moreau_solve_contacts(m, report, cone_report);
}

// Contacts and stops, with those contacts that only the end of the step shows.
static ph_status solve_with_foresight(moreau *m, ph_step_report *report, ph_cone_report *cone_report)
{
    ph_status status;
    bool again = false;
    m->ahead.passes = 0;
    do {
        const int before = report->contact_iterations;
        m->rebounds.scaled = false;
        status = again ? solve_again(m, report, cone_report) : moreau_solve_contacts(m, report, cone_report);
        if (status == PH_OK) status = moreau_cap_impacts(m, solve_again, report, cone_report);
        report->contact_iterations += before;
        if (status == PH_OK) m->braked = moreau_brake_spins(m);
        if (status == PH_OK) status = moreau_look_ahead(m, &again);
    } while (status == PH_OK && again);
    return status;
}

// Where limits, servos or motors lead beyond what a loop can reach.
static void tell_open_loop(const moreau *m, ph_step_report *report)
{
    report->advice = "the loop of this joint does not close where limits, servos or motors lead it; "
                     "let it begin where it can reach them, or try a smaller step";
    if (!m->trees) return;
    report->worst_joint = m->trees->open_joint;
    report->worst_row = m->trees->open;
}

static ph_status make_part(moreau *m, ph_state *state, double h, ph_step_report *report)
{
    ph_cone_report cone_report = {0};
    report->advice = "try a smaller step";
    ph_status status = moreau_begin(m, state, h);
    if (status != PH_OK) return status;
    const int asleep = sleep_contacts(&m->sleep, state, &report->penetration);
    status = solve_with_foresight(m, report, &cone_report);
    if (status == PH_NOT_SUPPORTED) report->advice = "contacts, limits and dry friction cannot be undone: go forward";
    if (status != PH_OK) return status;
    if (!m->now.path->end.reserve(m, state, asleep > 0 ? asleep + contacts_of(m)->count : 0)) return PH_OUT_OF_MEMORY;
    report->contacts += asleep;
    report->penetration = ph_max(report->penetration, pool_largest(m->pool, deepest, m, contacts_of(m)->count));
    double work;
    if (!work_done(m, &work)) return PH_NOT_FINITE;
    if (has_joints(m)) status = moreau_project(m, &work);
    if (status == PH_NO_CONVERGENCE) tell_open_loop(m, report);
    if (status != PH_OK) return status;
    m->parts.kept = moreau_is_kept(m);
    if (!m->parts.kept) return PH_OK;
    if (m->watch) m->watch(m->watcher, m);
    moreau_keep(m, work, cone_report.lipschitz, asleep);
    report->advice = NULL;
    return PH_OK;
}

// Of what counts from its beginning, and not from that of the step.
static int growths_so_far(const moreau *m, const ph_state *state)
{
    const int trees = m->trees ? m->trees->paths.growths : 0, start = m->parts.start ? m->parts.start->growths : 0;
    return trees + start + m->ahead.scratch.growths + m->delassus.growths + m->flight.growths + m->plain.growths +
           m->scratch.growths + state->growths;
}

static ph_status moreau_step(void *self, ph_state *state, double h, ph_step_report *report)
{
    moreau *m = self;
    const int before = growths_so_far(m, state);
    m->now.growths = 0;
    const ph_status status = moreau_make_parts(m, state, h, make_part, report);
    report->growths = m->now.growths + growths_so_far(m, state) - before;
    return status;
}

const ph_scheme scheme_moreau = {
    .name = "moreau",
    .title = "velocity-impulse Euler with contact: friction cones, limits and impacts in one problem",
    .reference = "Moreau 1988; Stewart and Trinkle 1996; Mazhar, Heyn, Negrut and Tasora 2015",
    .order = 1,
    .traits = PH_KEEPS_POSITION_CONSTRAINT | PH_KEEPS_VELOCITY_CONSTRAINT | PH_HAS_CONTACT,
    .options = {{"bounce", "steps of gravity below which a bounce is not resolved", 0.5, 0.0, 1e6},
                {"lanes", "instructions: 0 the best, 1 portable, 2 AVX2, 3 AVX-512; same bits", 0.0, 0.0, 3.0},
                {"trees", "joints: 1 by trees of bodies, 0 in one matrix of bodies and rows", 1.0, 0.0, 1.0},
                {"exact", "1: contacts by rows and to round-off, joints in one matrix: what gradients need", 0.0, 0.0,
                 1.0}},
    .create = moreau_create,
    .step = moreau_step,
    .problem = moreau_problem,
    .destroy = moreau_destroy,
};
