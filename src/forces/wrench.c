// Applied wrench: a force at a point of a body and a torque, constant or expressions of time.
//
// With r = R s from the centre of mass to the point: Q = (R^T torque + s x R^T force | force), world or body axes as
// given. All its work counts as work done on the system; it has no potential.

#include "forces/derivative.h"
#include "forces/pull.h"
#include "forces/types.h"

#include "math/mat3.h"

typedef struct given {
    ph_vec3 force, torque; // as given: world or body axes
} given;

static given given_at(const force *f, const motion *at)
{
    const value *v = f->values;
    return (given){ph_vec(value_at(&v[0], at), value_at(&v[1], at), value_at(&v[2], at)),
                   ph_vec(value_at(&v[3], at), value_at(&v[4], at), value_at(&v[5], at))};
}

// Torque about the centre of mass in body axes, force in world axes.
static ph_wrench acting(const force *f, ph_mat3 R, given g)
{
    const bool in_body = f->def->body_frame;
    const ph_vec3 force_body = in_body ? g.force : ph_tmul(R, g.force);
    const ph_vec3 torque_body = in_body ? g.torque : ph_tmul(R, g.torque);
    return (ph_wrench){ph_add(torque_body, ph_cross(f->s_b, force_body)), in_body ? ph_mul(R, g.force) : g.force};
}

static void act(const force *f, const motion *at, exertion *out)
{
    out->b = out->work_b = acting(f, at->frames[f->b].R, given_at(f, at));
}

// World axes: d(R^T x) = (R^T x)~ theta. Body axes: d(R x) = -R x~ theta.
static void derive_by_turn(const force *f, const motion *at, derivative *to)
{
    const ph_mat3 R = at->frames[f->b].R;
    const given g = given_at(f, at);
    double by_position[36] = {0};
    if (f->def->body_frame) {
        block_add(by_position, 3, 0, -1.0, ph_mul_hat(R, g.force));
    } else {
        const ph_vec3 turned = ph_tmul(R, g.force);
        block_add(by_position, 0, 0, 1.0, ph_hat(ph_tmul(R, g.torque)));
        block_add(by_position, 0, 0, 1.0, ph_hat_mul(f->s_b, ph_hat(turned)));
    }
    const double by_velocity[36] = {0};
    to->add(to->user, f->b, f->b, by_position, by_velocity);
}

static void derive(const force *f, const motion *at, derivative *to)
{
    if (to->position) derive_by_turn(f, at, to);
    for (int k = 0; k < 6; k++) {
        const ph_vec3 unit = ph_vec(k % 3 == 0, k % 3 == 1, k % 3 == 2);
        const given one = {k < 3 ? unit : ph_zero3(), k < 3 ? ph_zero3() : unit};
        const ph_wrench w = acting(f, at->frames[f->b].R, one);
        derive_by_value(&f->values[k], at, f->b, &w, to);
    }
}

static bool needs_velocity(const force *f)
{
    return values_need_rates(f->values, f->value_count);
}

static bool does_work(const force *f)
{
    (void)f;
    return true;
}

static const element_key keys[] = {
    {"body", KEY_BODY, FORCE_KEY(body_b), .needed = true},
    {"site", KEY_SITE, KEY_WHOLE},
    {"force", KEY_VALUES3, FORCE_KEY(force)},
    {"torque", KEY_VALUES3, FORCE_KEY(torque)},
    {"frame", KEY_FRAME, FORCE_KEY(body_frame)},
    {"point", KEY_POINT_OR_COM, FORCE_KEY(point_b)},
    {0},
};

static void numbers(const force *f, const motion *at, const force_ends *e)
{
    const ph_mat3 R = at->frames[f->b].R;
    const ph_twist *w = &e->w[f->b];
    const bool in_body = f->def->body_frame;
    const ph_vec3 turn = w->omega, move = ph_tmul(R, w->v);
    // power = torque . turn + force . (move + turn x s), all in body axes
    const ph_vec3 at_point = ph_add(move, ph_cross(turn, f->s_b));
    const ph_vec3 by_force = in_body ? at_point : ph_mul(R, at_point), by_torque = in_body ? turn : ph_mul(R, turn);
    const double by[6] = {by_force.x, by_force.y, by_force.z, by_torque.x, by_torque.y, by_torque.z};
    double given[6], *places = e->to->values;
    for (int k = 0; k < 6; k++) {
        force_pull_value(&f->values[k], at, e->scale * by[k], e, places);
        if (places) places += value_numbers(&f->values[k], NULL);
        given[k] = value_at(&f->values[k], at);
    }
    if (!e->to->own) return;
    const ph_vec3 acting = ph_vec(given[0], given[1], given[2]), own = in_body ? acting : ph_tmul(R, acting);
    e->to->own->s_b = ph_madd(e->to->own->s_b, e->scale, ph_cross(own, turn));
}

const force_type force_wrench = {
    .name = "wrench",
    .title = "a given force and torque on a body",
    .keys = keys,
    .needs_velocity = needs_velocity,
    .does_work = does_work,
    .act = act,
    .derive = derive,
    .numbers = numbers,
};
