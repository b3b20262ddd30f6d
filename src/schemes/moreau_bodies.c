// Bodies of `moreau` at the beginning of a step: frames, loads, momenta and inertia, as far as the mode keeps them.
#include "schemes/moreau_trees.h"

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

// ---- Momenta --------------------------------------------------------------------------------------------------------

static ph_wrench *momentum_at(const moreau *m, int k)
{
    return m->bodies.momentum ? &m->bodies.momentum[k] : &m->node.Q[m->model->moving[k]];
}

screw moreau_momentum_of(const moreau *m, int k)
{
    const int i = m->model->moving[k];
    const body *b = &m->model->bodies[i];
    if (m->traits->keeps_loads) {
        const ph_wrench *p = momentum_at(m, k);
        return (screw){p->torque, p->force};
    }
    const ph_twist twist = {m->now.state->angular_velocity[i], m->now.state->velocity[i]};
    const ph_wrench weight = {ph_zero3(), ph_scale(b->kind->mass, m->model->gravity)};
    return moreau_momentum(m, b, twist, weight);
}

static void set_momenta(const moreau *m, int from, int to)
{
    for (int k = from; k < to; k++) {
        const int i = m->model->moving[k];
        const ph_twist twist = m->node.twists[i];
        const screw p = moreau_momentum(m, &m->model->bodies[i], twist, m->node.Q[i]);
        *momentum_at(m, k) = (ph_wrench){p.angular, p.linear};
        m->bodies.before[i] = (ph_twist){ph_mul(moreau_rotation(m, i), twist.omega), twist.v};
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
    else
        set_free(m, part, from, to);
    if (m->traits->has_spins) set_inverse(m, part, from, to);
}
