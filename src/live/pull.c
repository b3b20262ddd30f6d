// Pulling at a body: a spring and damper between a point of it and a point in the world. Its stiffness gives the whole model
// an acceleration that can be felt, and stays below what the step can resolve for the body alone.
//
// Only while somebody pulls is there a force: the motion before has the bits of a run that nobody watched.

#include "live/live.h"

#include "math/mat3.h"

#include <math.h>

static const double RATE = 5.0;     // rad/s: of the whole model on the spring
static const double RESOLVED = 0.3; // (rate of the body on the spring * step)^2 at the most
static const double DAMPING = 0.4;  // of the critical one

// f = k (target - p) - c p', at the point p
void live_pull_at(const ph_body_motion *b, double time, void *user, ph_load *loads)
{
    const live_pull *p = user;
    (void)time;
    const ph_vec3 arm = ph_mul(b->rotation, p->point);
    const ph_vec3 turn = ph_mul(b->rotation, ph_cross(b->angular_velocity, p->point));
    const ph_vec3 stretch = ph_sub(ph_sub(p->target, b->position), arm);
    const ph_vec3 force = ph_sub(ph_scale(p->stiffness, stretch), ph_scale(p->damping, ph_add(b->velocity, turn)));
    ph_load_add_force(loads, force, arm);
}

static double total_mass(const ph_model *model)
{
    double sum = 0.0;
    for (int i = 0; i < ph_model_bodies(model); i++) {
        const ph_body_info info = ph_model_body(model, i);
        sum += info.fixed ? 0.0 : info.mass;
    }
    return sum;
}

void live_pull_begin(ph_live *l, int body, ph_vec3 point, ph_vec3 target)
{
    const double mass = ph_model_body(l->model, body).mass;
    const double felt = total_mass(l->model) * RATE * RATE;
    const double resolved = RESOLVED * mass / (l->step * l->step);
    const double k = felt < resolved ? felt : resolved;
    const bool same = l->pull.body == body;
    const live_pull before = l->pull;
    l->pull = (live_pull){body, point, target, k, 2.0 * DAMPING * sqrt(k * mass)};
    if (!same && !live_rebuild(l, false)) l->pull = before;
}

void live_pull_end(ph_live *l)
{
    if (l->pull.body == PH_NONE) return;
    l->pull.body = PH_NONE;
    live_rebuild(l, false);
}
