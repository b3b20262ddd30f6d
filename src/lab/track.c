// Trials as they are written, sample times that all steps meet, and motion kept at samples.

#include "lab/lab.h"
#include "math/quat.h"
#include "math/trig.h"
#include "model/state.h"

#include "expression/expression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Trials ---------------------------------------------------------------------------------------------------------

ph_status trial_read(arena *memory, const char *text, trial_name *trial, ph_error *error)
{
    char *scheme = arena_copy_string(memory, text ? text : "");
    if (!scheme) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    *trial = (trial_name){.scheme = scheme, .index = PH_NONE};
    char *at = strchr(scheme, '@');
    if (at) {
        const char *end;
        *at = '\0';
        trial->step = expression_signed_number(at + 1, &end);
        if (end == at + 1 || *end || !(trial->step > 0.0) || !isfinite(trial->step))
            return error_set(error, PH_BAD_ARGUMENT, "'%s': the step behind '@' must be a positive number", text);
    }
    if (!*scheme) return error_set(error, PH_BAD_ARGUMENT, "'%s' names no scheme", text ? text : "");
    char *colon = strchr(scheme, ':');
    if (colon) *colon = '\0';
    trial->index = ph_scheme_find(scheme);
    if (colon) *colon = ':';
    return PH_OK;
}

// ---- Sample times ---------------------------------------------------------------------------------------------------

// A billionth of a step off, or the rounding of the time, is a multiple all the same.
long long steps_to(double time, double step)
{
    const double count = floor(time / step + 0.5);
    if (!(count >= 1.0 && count < 0x1p53)) return 0;
    return fabs(count * step - time) <= 1e-9 * step + 4e-16 * time ? (long long)count : 0;
}

double common_multiple(const double *steps, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; i++) largest = fmax(largest, steps[i]);
    for (int k = 1; k <= 10000 && count > 0; k++) {
        bool common = true;
        for (int i = 0; common && i < count; i++) common = steps_to(k * largest, steps[i]) > 0;
        if (common) return k * largest;
    }
    return 0.0;
}

// ---- Tracks ---------------------------------------------------------------------------------------------------------

bool track_create(arena *memory, int bodies, int samples, track *t)
{
    const size_t count = (size_t)bodies * (size_t)samples;
    *t = (track){.bodies = bodies, .samples = samples};
    t->position = arena_alloc_array(memory, count, sizeof(ph_vec3));
    t->velocity = arena_alloc_array(memory, count, sizeof(ph_vec3));
    t->angular_velocity = arena_alloc_array(memory, count, sizeof(ph_vec3));
    t->orientation = arena_alloc_array(memory, count, sizeof(ph_quat));
    return t->position && t->velocity && t->angular_velocity && t->orientation;
}

void track_store(track *t, int sample, const ph_state *state)
{
    const size_t first = (size_t)sample * (size_t)t->bodies, count = (size_t)t->bodies;
    memcpy(t->position + first, state->position, count * sizeof(ph_vec3));
    memcpy(t->velocity + first, state->velocity, count * sizeof(ph_vec3));
    memcpy(t->angular_velocity + first, state->angular_velocity, count * sizeof(ph_vec3));
    memcpy(t->orientation + first, state->orientation, count * sizeof(ph_quat));
}

ph_motion_error motion_error_unknown(void)
{
    ph_motion_error e;
    for (int k = 0; k < PH_QUANTITIES; k++) e.of[k] = (double)NAN;
    return e;
}

// Angle of a^{-1} b. From the vector part, so that small angles keep their digits.
static double angle_between(ph_quat a, ph_quat b)
{
    const ph_quat d = ph_quat_mul(ph_quat_conj(a), b);
    return 2.0 * ph_atan2(ph_norm(ph_vec(d.x, d.y, d.z)), fabs(d.w));
}

static void keep_largest(double *largest, double value)
{
    if (value > *largest || isnan(value)) *largest = value;
}

typedef struct pose { // of one body at one sample
    ph_vec3 position, velocity, angular_velocity;
    ph_quat orientation;
} pose;

static pose pose_of_track(const track *t, int sample, int b)
{
    const size_t i = (size_t)sample * (size_t)t->bodies + (size_t)b;
    return (pose){t->position[i], t->velocity[i], t->angular_velocity[i], t->orientation[i]};
}

static pose pose_of_state(const ph_state *s, int b)
{
    return (pose){s->position[b], s->velocity[b], s->angular_velocity[b], s->orientation[b]};
}

static void keep_error(const pose *a, const pose *b, ph_motion_error *e)
{
    keep_largest(&e->of[PH_POSITION], ph_norm(ph_sub(a->position, b->position)));
    keep_largest(&e->of[PH_ORIENTATION], angle_between(a->orientation, b->orientation));
    keep_largest(&e->of[PH_VELOCITY], ph_norm(ph_sub(a->velocity, b->velocity)));
    keep_largest(&e->of[PH_ANGULAR_VELOCITY], ph_norm(ph_sub(a->angular_velocity, b->angular_velocity)));
}

void track_error(const track *reference, int sample, const ph_state *state, int measured, ph_motion_error *largest)
{
    for (int b = 0; b < reference->bodies; b++) {
        if (measured != PH_NONE && measured != b) continue;
        const pose truth = pose_of_track(reference, sample, b), now = pose_of_state(state, b);
        keep_error(&truth, &now, largest);
    }
}

ph_motion_error track_difference(const track *a, const track *b, int measured)
{
    ph_motion_error e = {{0}};
    for (int s = 0; s < a->samples; s++)
        for (int k = 0; k < a->bodies; k++) {
            if (measured != PH_NONE && measured != k) continue;
            const pose p = pose_of_track(a, s, k), q = pose_of_track(b, s, k);
            keep_error(&p, &q, &e);
        }
    return e;
}

ph_motion_error track_size(const track *t, int measured)
{
    ph_motion_error e = {{[PH_ORIENTATION] = 1.0}};
    for (int s = 0; s < t->samples; s++)
        for (int k = 0; k < t->bodies; k++) {
            if (measured != PH_NONE && measured != k) continue;
            const pose p = pose_of_track(t, s, k);
            keep_largest(&e.of[PH_POSITION], ph_norm(p.position));
            keep_largest(&e.of[PH_VELOCITY], ph_norm(p.velocity));
            keep_largest(&e.of[PH_ANGULAR_VELOCITY], ph_norm(p.angular_velocity));
        }
    return e;
}
