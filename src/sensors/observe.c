// Sensors of a state, by way of ph_observer; and the sampler, which reads them at the start of a step.

#include "sensors/observe.h"

#include "dynamics/observer.h"
#include "forces/drive.h"
#include "sensors/eyes.h"
#include "sensors/sensor.h"

#include <math.h>
#include <string.h>

// ---- Tendons and actuators ------------------------------------------------------------------------------------------

double actuator_force(const ph_model *model, int index, const motion *at)
{
    const actuator *a = &model->actuators[index];
    const ph_actuator_def *def = a->def;
    const double value = value_at(a->force, at);
    if (!def->servo) return value;
    const joint *j = &model->joints[def->joint];
    const double rate = at->twists ? joint_rate(j, at, 0) : 0.0;
    const double force = def->gear * (def->kp * (value - joint_coordinate(j, at, 0)) - def->kd * rate);
    return def->max > 0.0 ? fmax(-def->max, fmin(def->max, force)) : force;
}

ph_tendon_motion ph_observer_tendon(ph_observer *o, const ph_state *state, int index)
{
    if (!o || !state || state->model != o->model || index < 0 || index >= o->model->tendon_count)
        return (ph_tendon_motion){0};
    observer_set_motion(o, state);
    const tendon_look look = tendon_at(&o->model->tendons[index], &o->node.motion);
    return (ph_tendon_motion){look.length, look.rate, look.tension};
}

double ph_observer_actuator(ph_observer *o, const ph_state *state, int index)
{
    if (!o || !state || state->model != o->model || index < 0 || index >= o->model->actuator_count) return 0.0;
    observer_set_motion(o, state);
    return actuator_force(o->model, index, &o->node.motion);
}

// ---- Sensors --------------------------------------------------------------------------------------------------------

static void forget_eyes(void *e)
{
    eyes_destroy(e);
}

static unsigned needs_of(const ph_model *model, bool used_only)
{
    unsigned keys = 0;
    for (int k = 0; k < model->sensor_count; k++)
        if (!used_only || model->sensors[k].used) keys |= model->sensors[k].type->keys;
    return keys;
}

static ph_status make_eyes(ph_observer *o)
{
    eyes *e = NULL;
    const ph_status status = o->beside ? PH_OK : eyes_create(o->model, &e, NULL);
    if (e) {
        o->beside = e;
        o->forget_beside = forget_eyes;
    }
    return status;
}

// Accelerations and reactions first: they say what the last motion was, too.
static ph_status prepare(ph_observer *o, const ph_state *state, unsigned keys, sensor_view *v)
{
    const bool reactions = (keys & SENSOR_REACTIONS) != 0, solve = reactions || (keys & SENSOR_ACCELERATIONS);
    ph_status status = PH_OK;
    *v = (sensor_view){.model = o->model, .state = state, .at = &o->node.motion};
    if (solve) {
        status = ph_observer_dynamics(o, state, o->stress.accelerations, reactions ? o->stress.reactions : NULL);
        v->accelerations = o->stress.accelerations;
        v->reactions = o->stress.reactions;
    } else {
        observer_set_motion(o, state);
    }
    if (keys & SENSOR_RANGE && make_eyes(o) == PH_OK) {
        v->look = eyes_look;
        v->eyes = o->beside;
    }
    return status;
}

static void read_sensor(const sensor *s, const sensor_view *v, bool known, double *to)
{
    const bool solved = s->type->keys & (SENSOR_REACTIONS | SENSOR_ACCELERATIONS);
    if (known || !solved) {
        s->type->read(s, v, to);
        return;
    }
    for (int k = 0; k < s->type->count; k++) to[k] = (double)NAN;
}

ph_status ph_observer_sensors(ph_observer *o, const ph_state *state, double *values)
{
    if (!o || !state || !values || state->model != o->model) return PH_BAD_ARGUMENT;
    sensor_view v;
    const bool known = prepare(o, state, needs_of(o->model, false), &v) == PH_OK;
    for (int k = 0; k < o->model->sensor_count; k++)
        read_sensor(&o->model->sensors[k], &v, known, values + o->model->sensors[k].first);
    return PH_OK;
}

// ---- What is held from the start of a step --------------------------------------------------------------------------

struct sampler {
    const ph_model *model;
    ph_observer *observer;
    unsigned keys;
};

ph_status sampler_create(const ph_model *model, sampler **to, ph_error *error)
{
    (void)error;
    sampler *s = mem_alloc(&model->allocator, sizeof *s);
    *to = NULL;
    if (!s) return PH_OUT_OF_MEMORY;
    *s = (sampler){.model = model, .keys = needs_of(model, true)};
    const ph_status status = ph_observer_create(model, &s->observer);
    if (status != PH_OK) {
        mem_free(&model->allocator, s);
        return status;
    }
    *to = s;
    return PH_OK;
}

void sampler_destroy(sampler *s)
{
    if (!s) return;
    ph_observer_destroy(s->observer);
    mem_free(&s->model->allocator, s);
}

// The queue of a delay: [out | count | newest | times ... | values ...], a ring. It is as fine as the delay by DELAY_ENTRIES.
typedef struct queue {
    double *out, *count, *newest, *times, *values;
} queue;

static queue queue_at(double *held)
{
    return (queue){held, held + 1, held + 2, held + 3, held + 3 + DELAY_ENTRIES};
}

static int behind(const queue *q, int k) // the k-th newest
{
    return ((int)*q->newest - k + 2 * DELAY_ENTRIES) % DELAY_ENTRIES;
}

static void push(queue *q, double time, double value, double delay)
{
    const int count = (int)*q->count, last = behind(q, 0), before = behind(q, 1);
    const bool again = count > 0 && time <= q->times[last] && time > q->times[last] - delay;
    if (count == 0 || time <= q->times[last] - delay) { // it begins, or begins again
        *q->count = 1.0, *q->newest = 0.0;
        q->times[0] = time, q->values[0] = value;
        return;
    }
    // Close to the last one it takes its place, so that the ring reaches back far enough.
    const bool close = again || (count > 1 && time - q->times[before] < 1.05 * delay / (DELAY_ENTRIES - 3));
    const int at = close ? last : (last + 1) % DELAY_ENTRIES;
    q->times[at] = time, q->values[at] = value;
    *q->newest = at;
    if (!close && count < DELAY_ENTRIES) *q->count = count + 1;
}

static double queue_value(const queue *q, double time)
{
    int k = 0;
    while (k + 1 < (int)*q->count && q->times[behind(q, k)] > time) k++;
    const int early = behind(q, k), late = behind(q, k - 1);
    if (k == 0 || time <= q->times[early]) return q->values[early];
    const double part = (time - q->times[early]) / (q->times[late] - q->times[early]);
    return q->values[early] + part * (q->values[late] - q->values[early]);
}

void sensor_read_kept(const sensor *s, const sensor_view *v, double *to)
{
    const double *held = v->state->inputs + s->held;
    const double after = held[SENSOR_HELD_BEGUN] != 0.0 ? v->state->time - held[SENSOR_HELD_TIME] : 0.0;
    const double now =
        after > 0.0 ? s->type->go_on(s, held, after) : held[0]; // a state that was set back goes on from there
    to[0] = fmax(s->limit_low, fmin(s->limit_high, now));
}

static void remember(const sensor *s, const sensor_view *v, double *held)
{
    held[SENSOR_HELD_INPUT] = value_at(s->value, v->at);
    held[SENSOR_HELD_TIME] = v->state->time;
    held[SENSOR_HELD_BEGUN] = 1.0;
}

ph_status sampler_sample(sampler *s, ph_state *state)
{
    sensor_view v;
    const bool known = prepare(s->observer, state, s->keys, &v) == PH_OK;
    for (int k = 0; k < s->model->sensor_count; k++) {
        const sensor *it = &s->model->sensors[k];
        if (it->used) read_sensor(it, &v, known, state->inputs + it->held);
        if (it->type->go_on) remember(it, &v, state->inputs + it->held);
    }
    for (int k = 0; k < s->model->actuator_count; k++) {
        const actuator *a = &s->model->actuators[k];
        if (a->held < 0) continue;
        queue q = queue_at(state->inputs + a->held);
        push(&q, state->time, value_at(a->control, v.at), a->def->delay);
        *q.out = queue_value(&q, state->time - a->def->delay);
    }
    return known ? PH_OK : PH_SINGULAR;
}
