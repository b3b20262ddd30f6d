// From the state to the contacts of a step of `moreau`, and back to the state when it is done.
#include "schemes/moreau.h"

#include "model/solvers.h"

#include <math.h>

// ---- Detection ------------------------------------------------------------------------------------------------------

// What impacts may change is spread by one thread, while others prepare the bodies; all do both where there is much of it.
static void prepare_beside(void *user, int index)
{
    moreau *m = user;
    if (index == 0)
        detector_spread(m->detector);
    else
        moreau_prepare(m, index - 1);
}

static void prepare_part(void *user, int index)
{
    moreau_prepare(user, index);
}

static void spread_and_prepare(moreau *m)
{
    const int parts = moreau_prepare_parts(m);
    if (detector_spreads_alone(m->detector)) {
        pool_run(m->pool, prepare_beside, m, 1 + parts);
        return;
    }
    pool_run(m->pool, prepare_part, m, parts);
    detector_spread(m->detector);
}

// Contacts of all that is awake; what they touch wakes, and detection runs again.
static ph_status detect_awake(moreau *m, const poses *at, const movement *moving)
{
    sleep *s = &m->sleep;
    const ph_state *state = m->now.state;
    ph_status status;
    sleep_begin(s, state, state_past(state, &scheme_moreau), m->node.Q);
    do {
        m->detector->options.asleep = s->count > 0 ? s->asleep : NULL;
        status = detector_run(m->detector, at, moving, fabs(m->now.h));
        m->now.growths += m->detector->growths;
    } while (status == PH_OK && sleep_disturb(s, contacts_of(m), state));
    if (status == PH_OK) pool_run(m->pool, prepare_part, m, moreau_prepare_parts(m));
    return status;
}

ph_status moreau_detect(moreau *m)
{
    const poses at = poses_of(m);
    const movement moving =
        m->traits->keeps_loads ? movement_of_twists(m->node.twists) : movement_of_state(m->now.state);
    if (m->sleep.speed > 0.0) return detect_awake(m, &at, &moving);
    const ph_status status = detector_begin(m->detector, &at, &moving, fabs(m->now.h));
    if (status != PH_OK) return status;
    spread_and_prepare(m);
    const ph_status ended = detector_end(m->detector);
    m->now.growths += m->detector->growths;
    return ended;
}

// ---- The new state --------------------------------------------------------------------------------------------------

static void keep_bodies(void *user, int part, int from, int to)
{
    (void)part;
    const moreau *m = user;
    ph_state *state = m->now.state;
    for (int k = from; k < to; k++) {
        const int i = m->model->moving[k];
        if (is_asleep(m, i)) continue;
        const moreau_end end = moreau_final(m, k);
        state->position[i] = end.position;
        state->orientation[i] = end.orientation;
        state->velocity[i] = end.velocity;
        state->angular_velocity[i] = end.angular_velocity;
    }
}

// What sleeps keeps its contacts: `asleep` of them.
static void keep_contacts(moreau *m, int asleep)
{
    const int count = contacts_of(m)->count, at = asleep > 0 ? asleep + count : 0;
    ph_state *state = m->now.state;
    if (asleep > 0) sleep_keep_contacts(&m->sleep, state);
    m->now.path->end.keep(m, state, at);
    if (asleep > 0) {
        sleep_merge_contacts(contacts_of(m), state, asleep, count);
        state_set_contacts(state, asleep + count, 0);
    }
}

void moreau_keep(moreau *m, double work, double bound, int asleep)
{
    ph_state *state = m->now.state;
    const double h = m->now.h;
    double *history = state_history(state, &scheme_moreau);
    keep_contacts(m, asleep); // while the bodies are where they were found
    for_bodies(m, keep_bodies);
    state->contact_solver = contact_solver_index(m->now.solver);
    state->contact_bound = bound > 0.0 ? bound : state->contact_bound;
    state->work += work - (m->now.work.friction + m->now.work.impact);
    state->time += h;
    if (m->sleep.speed > 0.0)
        m->now.work.friction -= sleep_end(&m->sleep, contacts_of(m), state, m->node.Q, fabs(h), history);
    state_add_work(state, m->now.work);
}
