// Bodies of `moreau` at the beginning of a step: frames, loads, momenta and inertia, as far as the mode keeps them.
#include "schemes/moreau_trees.h"

#include "math/so3.h"
#include "model/inertia.h"

#include <string.h>

double moreau_sum_of_parts(const moreau *m)
{
    double sum = 0.0;
    for (int k = 0; k < pool_parts(m->model->moving_count, PLAIN_BODIES); k++) sum += m->bodies.sums[k];
    return sum;
}

// ---- Configuration --------------------------------------------------------------------------------------------------

// Bodies that cannot move are where the model has them, whatever the state says.
bool moreau_make_frames(moreau *m)
{
    const ph_model *model = m->model;
    if (m->node.frames) return true;
    const int places = (int)model_places(model);
    frame *frames = arena_alloc_array(m->memory, (size_t)places, sizeof *frames);
    m->now.growths++;
    for (int i = 0; frames && i < places; i++)
        frames[i] = model->bodies[i].moving >= 0 ? (frame){moreau_rotation(m, i), moreau_place(m, i)}
                                                 : body_frame(&model->bodies[i]);
    m->node.frames = frames;
    m->node.motion.frames = frames;
    return frames;
}

// The user has moved what cannot move: the state does not tell where it is.
static bool needs_frames(const moreau *m)
{
    const ph_state *state = m->now.state;
    for (int i = 0; i < m->model->body_count; i++) {
        const body *b = &m->model->bodies[i];
        if (b->moving < 0 && (memcmp(&b->position, &state->position[i], sizeof b->position) != 0 ||
                              memcmp(&b->start->orientation, &state->orientation[i], sizeof(ph_quat)) != 0))
            return true;
    }
    return false;
}

static void set_node(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    const ph_state *state = m->now.state;
    for (int k = from; k < to; k++) {
        const int i = m->model->moving[k];
        if (m->node.frames) m->node.frames[i] = (frame){ph_quat_to_mat(state->orientation[i]), state->position[i]};
        if (m->node.twists) m->node.twists[i] = (ph_twist){state->angular_velocity[i], state->velocity[i]};
    }
}

bool moreau_set_bodies(moreau *m)
{
    if (!m->node.frames && needs_frames(m) && !moreau_make_frames(m)) return false;
    if (m->node.frames || m->node.twists) for_bodies(m, set_node);
    if (m->trees)
        moreau_trees_set_forces(m);
    else if (m->traits->keeps_loads)
        node_set_forces(m->model, &m->node);
    return true;
}

// ---- (1): momenta --------------------------------------------------------------------------------------------------------

// The gyroscopic impulse is that of the implicit midpoint rule for the free body, J (w' - w) = -h m x J m with
// m = (w + w')/2, which keeps its energy and its momentum whatever the step; the explicit -h w x J w of Euler's method
// gains energy in every step.

static bool is_midpoint(double h, ph_vec3 r, ph_vec3 Jm)
{
    return ph_norm2(ph_scale(h, r)) <= 1e-32 * ph_norm2(Jm);
}

// m with 2 J (m - w) + h m x J m = 0. Where the body turns little in a step, m = w - h/2 J^-1 (m x J m) again and again; else by
// Newton's method. Both until a step would be lost in rounding.
ph_vec3 moreau_midpoint_spin(const body *b, ph_vec3 w, double h)
{
    enum { SLOW_MOST = 6, MOST = 12 };
    const ph_mat3 *J = &b->kind->J, *inverse = &b->kind->J_inverse;
    ph_vec3 m = w;
    const double scale = ph_norm2(w);
    for (int k = 0; k < SLOW_MOST && h * h * scale < 1e-5; k++) {
        const ph_vec3 next = ph_madd(w, -0.5 * h, ph_mul(*inverse, ph_cross(m, ph_mul(*J, m))));
        const double change = ph_norm2(ph_sub(next, m));
        m = next;
        if (change <= 1e-32 * scale) return m;
    }
    for (int k = 0; k < MOST; k++) {
        const ph_vec3 Jm = ph_mul(*J, m);
        const ph_vec3 r = ph_madd(ph_scale(2.0, ph_mul(*J, ph_sub(m, w))), h, ph_cross(m, Jm));
        const ph_mat3 by_m = ph_mat_sub(ph_hat_mul(m, *J), ph_hat(Jm));
        const ph_vec3 step = ph_mul(ph_inverse(ph_mat_madd(ph_mat_scale(2.0, *J), h, by_m)), r);
        m = ph_sub(m, step);
        if (!(ph_norm2(step) > 1e-18 * scale)) break; // the next one is the square of this
    }
    return m;
}

// k = M v + h f of a body, from its twist and load; *turned: the spin that the gyroscopic impulse alone leaves.
static screw momentum(const moreau *m, const body *b, ph_twist twist, ph_wrench Q, ph_vec3 *turned)
{
    const double h = m->now.h;
    const ph_vec3 w = twist.omega, Jw = ph_mul(b->kind->J, w);
    const bool round = is_midpoint(h, ph_cross(w, Jw), Jw); // w is its own midpoint: that of balls
    const ph_vec3 mid = round ? w : moreau_midpoint_spin(b, w, h), Jm = round ? Jw : ph_mul(b->kind->J, mid);
    *turned = round ? w : ph_sub(ph_scale(2.0, mid), w);
    return (screw){.angular = ph_madd(Jw, h, ph_add(Q.torque, ph_cross(Jm, mid))),
                   .linear = ph_madd(ph_scale(b->kind->mass, twist.v), h, Q.force)};
}

static ph_wrench *momentum_at(const moreau *m, int k)
{
    return m->bodies.momentum ? &m->bodies.momentum[k] : &m->node.Q[m->model->moving[k]];
}

// Where loads are not kept: under gravity alone.
static screw lean_momentum(const moreau *m, int i, ph_vec3 *turned)
{
    const body *b = &m->model->bodies[i];
    const ph_twist twist = {m->now.state->angular_velocity[i], m->now.state->velocity[i]};
    const ph_wrench weight = {ph_zero3(), ph_scale(b->kind->mass, m->model->gravity)};
    return momentum(m, b, twist, weight, turned);
}

screw moreau_momentum_of(const moreau *m, int k)
{
    const int i = m->model->moving[k];
    if (m->traits->keeps_loads) {
        const ph_wrench *p = momentum_at(m, k);
        return (screw){p->torque, p->force};
    }
    ph_vec3 turned;
    return lean_momentum(m, i, &turned);
}

// Impulses meet a body that its gyroscopic impulse has turned: with spins of before, a body that turns fast would bounce with another energy. Not
// so of bodies on joints, whose coordinates begin with these rates.
static void set_before(const moreau *m, int i, ph_vec3 turned)
{
    const ph_state *state = m->now.state;
    const ph_vec3 w = m->ahead.held[i] || is_exact(m) ? state->angular_velocity[i] : turned;
    m->bodies.before[i] = (ph_twist){ph_mul(moreau_rotation(m, i), w), state->velocity[i]};
}

static void set_momenta(const moreau *m, int from, int to)
{
    for (int k = from; k < to; k++) {
        const int i = m->model->moving[k];
        const ph_twist twist = m->node.twists[i];
        ph_vec3 turned;
        const screw p = momentum(m, &m->model->bodies[i], twist, m->node.Q[i], &turned);
        *momentum_at(m, k) = (ph_wrench){p.angular, p.linear};
        set_before(m, i, turned);
    }
}

static void set_free(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    const screw none = {ph_zero3(), ph_zero3()};
    for (int k = from; k < to; k++)
        m->bodies.after[k] = moreau_free_twist(m, k, moreau_rotation(m, m->model->moving[k]), &none);
}

// Likewise where loads are not kept, and spins before the step.
static void set_lean(const moreau *m, int from, int to)
{
    for (int k = from; k < to; k++) {
        const int i = m->model->moving[k];
        const body_kind *kind = m->model->bodies[i].kind;
        ph_vec3 turned;
        const screw p = lean_momentum(m, i, &turned);
        m->bodies.after[k] = (screw){ph_mul(moreau_rotation(m, i), ph_mul(kind->J_inverse, p.angular)),
                                     ph_scale(1.0 / kind->mass, p.linear)};
        set_before(m, i, turned);
    }
}

void moreau_set_free(moreau *m)
{
    for_bodies(m, set_free);
}

// ---- Inertia --------------------------------------------------------------------------------------------------------

static void set_inverse(void *user, int part, int from, int to)
{
    (void)part;
    moreau *m = user;
    delassus_set_bodies(&m->delassus, from, to);
    for (int k = from; k < to && m->traits->has_spins; k++) {
        const int i = m->model->moving[k];
        m->bodies.inverse_spin[k] = body_inverse_spin(&m->model->bodies[i], moreau_rotation(m, i));
    }
}

bool moreau_set_inverse(moreau *m)
{
    if (m->traits->has_spins) return true;
    if (!delassus_reserve_bodies(&m->delassus)) return false;
    for_bodies(m, set_inverse);
    return true;
}

// ---- Beside detection -----------------------------------------------------------------------------------------------

int moreau_prepare_parts(const moreau *m)
{
    return pool_parts(m->model->moving_count, PLAIN_BODIES);
}

void moreau_prepare(moreau *m, int part)
{
    const int from = part * PLAIN_BODIES, all = m->model->moving_count;
    const int to = all - from > PLAIN_BODIES ? from + PLAIN_BODIES : all;
    if (m->traits->keeps_loads)
        set_momenta(m, from, to);
    else if (m->bodies.before)
        set_lean(m, from, to);
    else
        set_free(m, part, from, to);
    if (m->traits->has_spins) set_inverse(m, part, from, to);
}
