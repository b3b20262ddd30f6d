// The model at other values of its parameters, with or without a spring on a body, and the motion so far in it.

#include "live/live.h"

#include "base/error.h"
#include "polhode/io.h"
#include "polhode/keyframe.h"

#include <math.h>
#include <string.h>

static const double CLOSED = 1e-9; // joints that are open by more are closed

typedef struct parts {
    ph_model *own;
    const ph_model *model;
    ph_state *state;
    ph_sim *sim;
    ph_observer *observer;
} parts;

static void leave(parts *p)
{
    ph_observer_destroy(p->observer);
    ph_sim_destroy(p->sim);
    ph_state_destroy(p->state);
    ph_model_destroy(p->own);
    *p = (parts){0};
}

// ---- The model ------------------------------------------------------------------------------------------------------

static int collect(const ph_live *l, const char **names, double *values)
{
    int count = 0;
    for (int i = 0; i < ph_model_parameters(l->written) && count < LIVE_SETTINGS; i++) {
        if (!isfinite(l->parameters[i])) continue;
        names[count] = ph_model_parameter(l->written, i).name;
        values[count++] = l->parameters[i];
    }
    return count;
}

static bool add_spring(ph_live *l, ph_spec *spec)
{
    ph_callback_def def = ph_default_callback();
    def.body = l->pull.body;
    def.force = live_pull_at;
    def.user = &l->pull;
    return l->pull.body == PH_NONE || ph_spec_add_callback(spec, &def) >= 0;
}

static void say_problem(ph_live *l, const ph_problems *problems, const char *otherwise)
{
    for (int i = 0; i < ph_problems_count(problems); i++) {
        const ph_problem *p = ph_problems_get(problems, i);
        if (p->severity == PH_ERROR) otherwise = p->text;
        if (p->severity == PH_ERROR) break;
    }
    live_say(l, "%s", otherwise);
}

static bool make_model(ph_live *l, parts *p)
{
    const char *names[LIVE_SETTINGS];
    double values[LIVE_SETTINGS];
    const int count = collect(l, names, values);
    ph_spec *spec = NULL;
    ph_error error = {.text = "out of memory"};
    p->model = l->written;
    if (count == 0 && l->pull.body == PH_NONE) return true;
    ph_problems *problems = ph_problems_create();
    const bool made = ph_spec_at(l->written, count, names, values, problems, &spec, &error) == PH_OK &&
                      add_spring(l, spec) && ph_model_compile(spec, problems, &p->own) == PH_OK;
    if (!made) say_problem(l, problems, error.text);
    ph_problems_destroy(problems);
    ph_spec_destroy(spec);
    p->model = p->own;
    return made;
}

bool live_make_sim(ph_live *l, const ph_model *model, const char *scheme, ph_sim **sim)
{
    ph_sim_def def = ph_default_sim();
    ph_error error = {.text = "out of memory"};
    def.scheme = scheme;
    const bool made = ph_sim_create(model, &def, sim, &error) == PH_OK;
    if (!made) live_say(l, "%s", error.text);
    return made;
}

// ---- The motion -----------------------------------------------------------------------------------------------------

static bool same_parts(const ph_model *a, const ph_model *b)
{
    return a->body_count == b->body_count && a->joint_count == b->joint_count && model_places(a) == model_places(b) &&
           a->turn_count == b->turn_count && a->target_count == b->target_count && model_inputs(a) == model_inputs(b);
}

static void copy(void *to, const void *from, size_t count, size_t size)
{
    if (count > 0) memcpy(to, from, count * size);
}

static void carry(ph_state *to, const ph_state *from)
{
    const ph_model *m = to->model;
    const size_t places = model_places(m);
    copy(to->position, from->position, places, sizeof *to->position);
    copy(to->orientation, from->orientation, places, sizeof *to->orientation);
    copy(to->velocity, from->velocity, places, sizeof *to->velocity);
    copy(to->angular_velocity, from->angular_velocity, places, sizeof *to->angular_velocity);
    copy(to->inputs, from->inputs, model_inputs(m), sizeof *to->inputs);
    copy(to->turns, from->turns, (size_t)m->turn_count, sizeof *to->turns);
    copy(to->targets, from->targets, (size_t)m->target_count, sizeof *to->targets);
    to->time = from->time;
    to->origin = from->origin;
    to->target_time = from->target_time;
    to->work = from->work;
    to->contact_work = from->contact_work;
    state_keep_left(to);
    ph_state_touch(to);
}

// Joints that a parameter has moved are closed; where that cannot be done the motion begins again.
static void meet_joints(ph_live *l, parts *p)
{
    ph_measures m;
    ph_observer_measure(p->observer, p->state, &m);
    if (m.position_violation <= CLOSED && m.velocity_violation <= CLOSED) return;
    if (ph_state_project(p->state, NULL, NULL) == PH_OK) return;
    ph_state_reset(p->state);
    l->restarted = true;
    live_say(l, "with these values the joints do not meet where the bodies were: it starts again");
}

static bool make_parts(ph_live *l, parts *p)
{
    if (!make_model(l, p)) return false;
    if (!same_parts(p->model, l->model)) {
        live_say(l, "this would change how many bodies or joints there are: start the program again with --set");
        return false;
    }
    if (!live_make_sim(l, p->model, l->scheme, &p->sim)) return false;
    p->state = ph_state_create(p->model);
    if (p->state && ph_observer_create(p->model, &p->observer) == PH_OK) return true;
    live_say(l, "out of memory");
    return false;
}

// `again`: the values of parameters have changed, else only the spring comes or goes.
bool live_rebuild(ph_live *l, bool again)
{
    parts p = {0};
    if (!make_parts(l, &p)) {
        leave(&p);
        return false;
    }
    parts old = {.own = l->own, .state = l->state, .sim = l->sim, .observer = l->observer};
    carry(p.state, l->state);
    if (again) meet_joints(l, &p);
    l->own = p.own, l->model = p.model, l->state = p.state, l->sim = p.sim, l->observer = p.observer;
    leave(&old);
    l->new_scene = l->new_scene || again;
    l->changed = l->meet = true;
    if (again && l->def.visit) l->def.visit(l->state, l->observer, true, l->def.user);
    return true;
}

void live_restart(ph_live *l, int keyframe)
{
    if (l->pull.body != PH_NONE) live_pull_end(l);
    if (keyframe == PH_NONE)
        ph_state_reset(l->state);
    else
        ph_state_set_keyframe(l->state, keyframe);
    l->message[0] = '\0';
    l->changed = l->restarted = l->meet = true;
    if (l->def.visit) l->def.visit(l->state, l->observer, true, l->def.user);
}
