// Starting worlds again: from the model's start or a keyframe, with noise that depends on the seed, the number of the world and
// how often it was reset, and on nothing else.

#include "batch/batch.h"

#include "base/error.h"
#include "math/quat.h"
#include "math/so3.h"
#include "math/vec3.h"
#include "polhode/keyframe.h"

#include <math.h>
#include <stdio.h>

// ---- Noise ----------------------------------------------------------------------------------------------------------

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

noise noise_begin(uint64_t seed, uint64_t world, uint64_t count)
{
    return (noise){mix(mix(mix(seed + 0x9e3779b97f4a7c15u) ^ world) + count)};
}

double noise_draw(noise *n, double amount)
{
    n->at += 0x9e3779b97f4a7c15u;
    return amount * ((double)(mix(n->at) >> 11) * 0x1p-52 - 1.0);
}

static ph_vec3 draw_vector(noise *n, double amount)
{
    const double x = noise_draw(n, amount), y = noise_draw(n, amount), z = noise_draw(n, amount);
    return (ph_vec3){x, y, z};
}

static ph_quat draw_turn(noise *n, double amount)
{
    ph_vec3 axis = draw_vector(n, 1.0);
    const double length = ph_norm(axis), angle = noise_draw(n, amount);
    axis = length > 0.0 ? ph_scale(angle / length, axis) : (ph_vec3){angle, 0.0, 0.0};
    return ph_quat_exp(axis);
}

// ---- One world ------------------------------------------------------------------------------------------------------

static bool has_joint(const ph_model *model, int body)
{
    for (int j = 0; j < ph_model_joints(model); j++) {
        const ph_joint_info joint = ph_model_joint(model, j);
        if (joint.body_a == body || joint.body_b == body) return true;
    }
    return false;
}

// A machine that nothing holds, or a body alone, is moved as one piece: turned about its first body and shifted, so that its
// joints stay as they are. Angular velocities are along the axes of that body.
static void shake_machine(ph_state *s, const int *first, int leader, const ph_batch_start *start, noise *n)
{
    const ph_vec3 shift = draw_vector(n, start->position_noise);
    const ph_quat turn = draw_turn(n, start->orientation_noise);
    const ph_vec3 push = draw_vector(n, start->velocity_noise), spin = draw_vector(n, start->angular_velocity_noise);
    const ph_vec3 x = s->position[leader], v = s->velocity[leader];
    const ph_vec3 spin_world = ph_quat_rotate(ph_quat_mul(turn, s->orientation[leader]), spin);
    for (int i = leader; i < ph_model_bodies(s->model); i++) {
        if (first[i] != leader) continue;
        const ph_vec3 arm = ph_quat_rotate(turn, ph_sub(s->position[i], x));
        const ph_vec3 pace = ph_add(ph_quat_rotate(turn, ph_sub(s->velocity[i], v)), ph_cross(spin_world, arm));
        s->orientation[i] = ph_quat_unit(ph_quat_mul(turn, s->orientation[i]));
        s->position[i] = ph_add(ph_add(x, shift), arm);
        s->velocity[i] = ph_add(ph_add(v, push), pace);
        s->angular_velocity[i] = ph_add(
            s->angular_velocity[i], i == leader ? spin : ph_quat_rotate(ph_quat_conj(s->orientation[i]), spin_world));
    }
}

static void shake_machines(ph_state *s, const int *first, const ph_batch_start *start, noise *n)
{
    for (int i = 0; i < ph_model_bodies(s->model); i++)
        if (first[i] == i) shake_machine(s, first, i, start, n);
    ph_state_touch(s);
}

static ph_status shake_joints(ph_batch *b, hand *hand, int world, const ph_batch_start *start, noise *n, double *room,
                              ph_error *error)
{
    ph_state *s = state_of(b, world);
    double *q = room, *qd = room + b->coordinates;
    if (!world_joints(b, hand, world, q, qd)) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    for (int j = 0, at = 0; j < ph_model_joints(s->model); j++) {
        const int count = ph_model_joint(s->model, j).coordinates;
        for (int k = 0; k < count; k++, at++) { // what a motor prescribes refuses to be set, and stays
            const double value = q[at] + noise_draw(n, start->coordinate_noise),
                         rate = qd[at] + noise_draw(n, start->rate_noise);
            (void)ph_state_set_joint(s, j, k, value, rate);
        }
    }
    return ph_state_project(s, NULL, error);
}

// In closed loops coordinates depend on each other. There every body is turned a little where it is, and the joints then take
// it to the nearest place and velocity that they allow.
static ph_status shake_loops(ph_state *s, const ph_batch_start *start, noise *n, ph_error *error)
{
    const ph_model *model = s->model;
    for (int i = 0; i < ph_model_bodies(model); i++) {
        if (ph_model_body(model, i).fixed || !has_joint(model, i)) continue;
        const ph_quat turn = draw_turn(n, start->coordinate_noise);
        s->orientation[i] = ph_quat_unit(ph_quat_mul(turn, s->orientation[i]));
        s->angular_velocity[i] = ph_add(s->angular_velocity[i], draw_vector(n, start->rate_noise));
    }
    ph_state_touch(s);
    return ph_state_project(s, NULL, error);
}

static bool has_loops(const ph_model *model, int coordinates)
{
    int moving = 0; // bodies without joints have six freedoms that are no coordinates
    for (int i = 0; i < ph_model_bodies(model); i++) moving += !ph_model_body(model, i).fixed && !has_joint(model, i);
    return ph_model_freedoms(model) - 6 * moving < coordinates;
}

static void go_to_start(ph_state *s, int keyframe)
{
    if (keyframe == PH_NONE)
        ph_state_reset(s);
    else
        ph_state_set_keyframe(s, keyframe);
}

typedef struct restart {
    ph_batch *b;
    const ph_batch_start *start;
    double *room; // by world: coordinates and rates; NULL: joints have no noise
    bool loops;
} restart;

static ph_status shake(const restart *r, hand *hand, int world, noise *n, ph_error *error)
{
    ph_batch *b = r->b;
    shake_machines(state_of(b, world), b->first, r->start, n);
    if (!r->room) return PH_OK;
    if (r->loops) return shake_loops(state_of(b, world), r->start, n, error);
    return shake_joints(b, hand, world, r->start, n, r->room + (size_t)world * 2 * (size_t)b->coordinates, error);
}

static void reset_world(void *user, hand *hand, int world)
{
    const restart *r = user;
    const ph_batch_start *start = r->start;
    ph_batch *b = r->b;
    if (start->mask && !start->mask[world]) return;
    ph_error error = {.status = PH_OK};
    noise n = noise_begin(b->def.seed, b->def.first + (uint64_t)world, b->worlds[world].resets++);
    b->worlds[world].status = PH_OK;
    b->worlds[world].message[0] = '\0';
    go_to_start(state_of(b, world), start->keyframe);
    if (shake(r, hand, world, &n, &error) != PH_OK) {
        go_to_start(state_of(b, world), start->keyframe);
        world_fail(b, world, error.status, error.text);
    }
}

static bool is_amount(double x)
{
    return isfinite(x) && x >= 0.0;
}

static ph_status check_start(const ph_batch *b, const ph_batch_start *s, ph_error *error)
{
    if (!b || !s) return error_set(error, PH_BAD_ARGUMENT, "ph_batch_reset needs a batch and a start");
    if (s->keyframe != PH_NONE && (s->keyframe < 0 || s->keyframe >= ph_model_keyframes(b->model)))
        return error_set(error, PH_NOT_FOUND, "the model has no keyframe %d", s->keyframe);
    if (!is_amount(s->coordinate_noise) || !is_amount(s->rate_noise) || !is_amount(s->position_noise) ||
        !is_amount(s->orientation_noise) || !is_amount(s->velocity_noise) || !is_amount(s->angular_velocity_noise))
        return error_set(error, PH_BAD_ARGUMENT, "amounts of noise must be finite and not negative");
    return PH_OK;
}

ph_status ph_batch_reset(ph_batch *b, const ph_batch_start *start, ph_error *error)
{
    const ph_status status = check_start(b, start, error);
    if (status != PH_OK) return status;
    const bool shaken = start->coordinate_noise > 0.0 || start->rate_noise > 0.0;
    restart r = {.b = b, .start = start, .loops = has_loops(b->model, b->coordinates)};
    if (shaken && b->coordinates > 0) {
        r.room =
            mem_alloc_array(&b->model->allocator, 2 * (size_t)b->coordinates * (size_t)b->def.worlds, sizeof *r.room);
        if (!r.room) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    }
    worlds_run(b, reset_world, &r);
    mem_free(&b->model->allocator, r.room);
    return PH_OK;
}
