// One part of a tendon (tendon.h): a span between two points, or a joint.
//
// With g the gradient of the part's own length, Q = -T g on its bodies, and
//
//     dQ = -T dg - g (T_L dL + T_L' dL'),      dL = sum g.dq,   dL' = sum (g.dv + v.dg)      over all parts.

#include "forces/tendon.h"

#include "forces/derivative.h"
#include "forces/pull.h"
#include "math/mat3.h"

// ---- Parts ----------------------------------------------------------------------------------------------------------

typedef struct part_look {
    double length, rate;
    ph_wrench g[2]; // gradient by the motion of a and of b
    ph_vec3 r[2], n;
} part_look;

static ph_vec3 velocity_of(const motion *at, int body, ph_vec3 r)
{
    return ph_add(at->twists[body].v, ph_cross(ph_mul(at->frames[body].R, at->twists[body].omega), r));
}

static ph_wrench pull_at(ph_mat3 R, ph_vec3 r, ph_vec3 n)
{
    return (ph_wrench){ph_tmul(R, ph_cross(r, n)), n};
}

static part_look look_at_span(const tendon_part *p, const motion *at)
{
    const frame *a = &at->frames[p->a], *b = &at->frames[p->b];
    part_look l = {.r = {ph_mul(a->R, p->s_a), ph_mul(b->R, p->s_b)}};
    const ph_vec3 d = ph_sub(ph_add(b->x, l.r[1]), ph_add(a->x, l.r[0]));
    l.length = ph_norm(d);
    l.n = l.length > 0.0 ? ph_scale(1.0 / l.length, d) : ph_zero3();
    l.g[0] = pull_at(a->R, l.r[0], ph_neg(l.n));
    l.g[1] = pull_at(b->R, l.r[1], l.n);
    if (at->twists) l.rate = ph_dot(l.n, ph_sub(velocity_of(at, p->b, l.r[1]), velocity_of(at, p->a, l.r[0])));
    return l;
}

static part_look look_at_joint(const tendon_part *p, const motion *at)
{
    joint_line line;
    const double c = p->coefficient;
    part_look l = {.length = 0.0};
    joint_line_at(p->joint, at, 0, &line);
    l.length = c * line.q;
    l.rate = c * line.rate;
    wrench_add(&l.g[0], c, &line.a);
    wrench_add(&l.g[1], c, &line.b);
    return l;
}

static part_look look_at(const tendon_part *p, const motion *at)
{
    return p->joint ? look_at_joint(p, at) : look_at_span(p, at);
}

// ---- The whole ------------------------------------------------------------------------------------------------------

double tendon_length(const tendon *t, const motion *at)
{
    double length = t->fixed;
    for (int k = 0; k < t->part_count; k++) length += look_at(&t->parts[k], at).length;
    return length;
}

// A spring and damper beyond a limit; they push back and never pull further.
static void add_limit(const ph_tendon_def *def, double beyond, double side, tendon_look *l)
{
    const double spring = def->limit_stiffness * beyond, all = spring + def->limit_damping * l->rate;
    if (side * beyond <= 0.0) return;
    l->stored += spring;
    if (side * all <= 0.0) return;
    l->tension += all;
    l->by_length += def->limit_stiffness;
    l->by_rate += def->limit_damping;
}

tendon_look tendon_at(const tendon *t, const motion *at)
{
    const ph_tendon_def *def = t->def;
    tendon_look l = {.length = t->fixed, .by_length = def->stiffness, .by_rate = def->damping};
    for (int k = 0; k < t->part_count; k++) {
        const part_look part = look_at(&t->parts[k], at);
        l.length += part.length;
        l.rate += part.rate;
    }
    const double stretch = l.length - t->rest;
    l.tension = def->stiffness * stretch + def->damping * l.rate;
    if (!def->cable || stretch > 0.0) l.stored = def->stiffness * stretch;
    for (int k = 0; k < t->value_count; k++) l.tension += value_at(&t->values[k], at);
    if (def->has_limit_low) add_limit(def, l.length - def->limit_low, -1.0, &l);
    if (def->has_limit_high) add_limit(def, l.length - def->limit_high, 1.0, &l);
    if (def->cable && l.tension <= 0.0) {
        l.slack = true;
        l.tension = l.by_length = l.by_rate = 0.0;
    }
    return l;
}

// ---- The element ----------------------------------------------------------------------------------------------------

static const tendon_part *part_of(const force *f)
{
    return &f->tendon->parts[f->part];
}

static void act(const force *f, const motion *at, exertion *out)
{
    const tendon_look l = tendon_at(f->tendon, at);
    const part_look own = look_at(part_of(f), at);
    wrench_add(&out->a, -l.tension, &own.g[0]);
    wrench_add(&out->b, -l.tension, &own.g[1]);
    if (f->does_work) {
        wrench_add(&out->work_a, l.stored - l.tension, &own.g[0]);
        wrench_add(&out->work_b, l.stored - l.tension, &own.g[1]);
    }
}

// The potential of the whole, told by its first part.
static double potential(const force *f, const motion *at)
{
    const tendon *t = f->tendon;
    const ph_tendon_def *def = t->def;
    if (f->part > 0) return 0.0;
    const double length = tendon_length(t, at), stretch = length - t->rest;
    double U = def->cable && stretch < 0.0 ? 0.0 : 0.5 * def->stiffness * stretch * stretch;
    const double below = def->has_limit_low ? fmin(length - def->limit_low, 0.0) : 0.0;
    const double above = def->has_limit_high ? fmax(length - def->limit_high, 0.0) : 0.0;
    U += 0.5 * def->limit_stiffness * (below * below + above * above);
    return U;
}

// ---- Derivatives ----------------------------------------------------------------------------------------------------

static void put_wrench(double x[6], double s, const ph_wrench *w)
{
    x[0] += s * w->torque.x, x[1] += s * w->torque.y, x[2] += s * w->torque.z;
    x[3] += s * w->force.x, x[4] += s * w->force.y, x[5] += s * w->force.z;
}

// How the rate of a span changes with the motion of one end: a = P d', and with the turn of the point n.(w x r)'.
static void span_slope(const tendon_part *p, const motion *at, const part_look *l, int side, double s, double x[6])
{
    const int body = side ? p->b : p->a;
    const double sign = side ? 1.0 : -1.0;
    const ph_mat3 R = at->frames[body].R;
    const ph_vec3 rate = ph_sub(velocity_of(at, p->b, l->r[1]), velocity_of(at, p->a, l->r[0]));
    const ph_vec3 across = ph_scale(l->length > 0.0 ? 1.0 / l->length : 0.0, ph_madd(rate, -l->rate, l->n));
    const ph_vec3 turning = ph_cross(ph_mul(R, at->twists[body].omega), l->r[side]);
    const ph_vec3 turn = ph_add(ph_cross(l->r[side], across), ph_cross(turning, l->n));
    put_wrench(x, s * sign, &(ph_wrench){ph_tmul(R, turn), across});
}

// v.dg of a joint: by the stiffness of its line.
static void joint_slope(const tendon_part *p, const motion *at, int side, double s, double x[6])
{
    double K[2][2][36] = {{{0}}};
    const ph_twist *twists[2] = {&at->twists[p->a], &at->twists[p->b]};
    joint_line_stiffness(p->joint, at->frames, 0, s * p->coefficient, K);
    for (int b = 0; b < 2; b++) {
        const double v[6] = {twists[b]->omega.x, twists[b]->omega.y, twists[b]->omega.z,
                             twists[b]->v.x,     twists[b]->v.y,     twists[b]->v.z};
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++) x[c] += v[r] * K[b][side][6 * r + c];
    }
}

// -g (T_L dL + T_L' dL') by the motion of one part, for both bodies of the element.
static void derive_by_part(const force *f, const motion *at, const tendon_look *l, const part_look *own,
                           const tendon_part *p, derivative *to)
{
    const part_look part = look_at(p, at);
    for (int y = 0; y < 2; y++) {
        double by_q[6] = {0}, by_v[6] = {0};
        put_wrench(by_q, -l->by_length, &part.g[y]);
        put_wrench(by_v, -l->by_rate, &part.g[y]);
        if (to->position && at->twists && l->by_rate != 0.0) {
            if (p->joint)
                joint_slope(p, at, y, -l->by_rate, by_q);
            else
                span_slope(p, at, &part, y, -l->by_rate, by_q);
        }
        for (int x = 0; x < 2; x++) {
            double by_position[36] = {0}, by_velocity[36] = {0};
            block_add_product(by_position, &own->g[x], by_q);
            block_add_product(by_velocity, &own->g[x], by_v);
            to->add(to->user, x ? f->b : f->a, y ? p->b : p->a, by_position, by_velocity);
        }
    }
}

// -T dg of the element's own part.
static void derive_own(const force *f, const motion *at, const part_look *own, double T, derivative *to)
{
    const tendon_part *p = part_of(f);
    if (p->joint) {
        joint_line line;
        joint_line_at(p->joint, at, 0, &line);
        derive_along_joint(p->joint, at, 0, &line, -T * p->coefficient, 0.0, 0.0, to);
        return;
    }
    const double s = own->length > 0.0 ? -T / own->length : 0.0;
    const point_force at_points = {.force = ph_scale(-T, own->n),
                                   .by_d = ph_mat_madd(ph_mat_scale(s, ph_identity()), -s, ph_outer(own->n, own->n))};
    derive_between_points(f, at, &at_points, to);
}

static void derive(const force *f, const motion *at, derivative *to)
{
    const tendon *t = f->tendon;
    const tendon_look l = tendon_at(t, at);
    if (l.slack) return;
    const part_look own = look_at(part_of(f), at);
    if (to->position) derive_own(f, at, &own, l.tension, to);
    for (int k = 0; k < t->part_count; k++) derive_by_part(f, at, &l, &own, &t->parts[k], to);
    for (int k = 0; k < t->value_count; k++) {
        for (int x = 0; x < 2; x++) {
            ph_wrench minus = {ph_zero3(), ph_zero3()};
            wrench_add(&minus, -1.0, &own.g[x]);
            derive_by_value(&t->values[k], at, x ? f->b : f->a, &minus, to);
        }
    }
}

// ---- Numbers --------------------------------------------------------------------------------------------------------

// nu L + lambda L', L' along the twists w: by the points of a span, and by the numbers of a joint and its coefficient.
static void pull_part(const tendon_part *p, const motion *at, const ph_twist *w, double nu, double lambda,
                      const force_ends *e, force_gradient *n)
{
    motion along = *at;
    along.twists = w;
    const part_look l = look_at(p, &along);
    if (p->joint) {
        const double c = p->coefficient;
        n->number[TENDON_COEFFICIENT] += c != 0.0 ? (nu * l.length + lambda * l.rate) / c : 0.0;
        joint_pull_coordinate(p->joint, at->frames, w, 0, nu * c, lambda * c, &e->to->joints);
        return;
    }
    const ph_vec3 d1 = ph_sub(velocity_of(&along, p->b, l.r[1]), velocity_of(&along, p->a, l.r[0]));
    const ph_vec3 across = ph_scale(l.length > 0.0 ? 1.0 / l.length : 0.0, ph_madd(d1, -l.rate, l.n));
    for (int k = 0; k < 2; k++) {
        const int body = k ? p->b : p->a;
        const ph_mat3 R = at->frames[body].R;
        const ph_vec3 by_rate = ph_add(across, ph_cross(l.n, ph_mul(R, w[body].omega)));
        const ph_vec3 by = ph_tmul(R, ph_madd(ph_scale(nu, l.n), lambda, by_rate));
        ph_vec3 *s = k ? &n->s_b : &n->s_a;
        *s = ph_madd(*s, k ? 1.0 : -1.0, by);
    }
}

static void pull_limit(const tendon *t, const tendon_look *l, bool high, double by_tension, force_gradient *n)
{
    const ph_tendon_def *def = t->def;
    tendon_look only = {.rate = l->rate};
    const double beyond = l->length - (high ? def->limit_high : def->limit_low);
    if (!(high ? def->has_limit_high : def->has_limit_low)) return;
    add_limit(def, beyond, high ? 1.0 : -1.0, &only);
    if (only.tension == 0.0) return;
    n->number[high ? TENDON_LIMIT_HIGH : TENDON_LIMIT_LOW] -= by_tension * def->limit_stiffness;
    n->number[TENDON_LIMIT_STIFFNESS] += by_tension * beyond;
    n->number[TENDON_LIMIT_DAMPING] += by_tension * l->rate;
}

// The power of this part along w is -T times the rate of its length. Numbers of the whole are those of its first part.
static void numbers(const force *f, const motion *at, const force_ends *e)
{
    const tendon *t = f->tendon;
    const tendon_look l = tendon_at(t, at);
    const part_look own = look_at(part_of(f), at);
    const double along = wrench_power(&own.g[0], &e->w[f->a]) + wrench_power(&own.g[1], &e->w[f->b]);
    const double by_tension = -e->scale * along;
    double *places = e->to->values;
    if (l.slack) return;
    for (int k = 0; k < t->value_count; k++) {
        force_pull_value(&t->values[k], at, by_tension, e, places);
        if (places) places += value_numbers(&t->values[k], NULL);
    }
    if (!e->to->own) return;
    force_gradient *n = e->to->own - f->part;
    n->stiffness += by_tension * (l.length - t->rest);
    n->damping += by_tension * l.rate;
    n->rest -= by_tension * t->def->stiffness;
    n->number[TENDON_FIXED] += by_tension * l.by_length;
    pull_limit(t, &l, false, by_tension, n);
    pull_limit(t, &l, true, by_tension, n);
    for (int k = 0; k < t->part_count; k++)
        pull_part(&t->parts[k], at, at->twists, by_tension * l.by_length, by_tension * l.by_rate, e, n + k);
    pull_part(part_of(f), at, e->w, 0.0, -e->scale * l.tension, e, e->to->own);
}

// ---------------------------------------------------------------------------------------------------------------------

// A span pulls at its two points; a joint puts its force on both bodies at one place.
static void moments(const force *f, const motion *at, ph_mat3 *W)
{
    const tendon_part *p = part_of(f);
    exertion e = {0};
    act(f, at, &e);
    const ph_vec3 r_b = ph_mul(at->frames[f->b].R, p->joint ? p->joint->s_b : f->s_b);
    const ph_vec3 at_b = ph_add(at->frames[f->b].x, r_b);
    const ph_vec3 at_a = ph_add(at->frames[f->a].x, ph_mul(at->frames[f->a].R, f->s_a));
    W[f->b] = ph_mat_add(W[f->b], ph_outer(e.b.force, r_b));
    W[f->a] = ph_mat_add(W[f->a], ph_outer(e.a.force, ph_sub(p->joint ? at_b : at_a, at->frames[f->a].x)));
}

static bool needs_velocity(const force *f)
{
    const ph_tendon_def *def = f->tendon->def;
    return def->damping != 0.0 || def->limit_damping != 0.0 ||
           values_need_rates(f->tendon->values, f->tendon->value_count);
}

static bool does_work(const force *f)
{
    return needs_velocity(f) || f->tendon->value_count > 0;
}

const force_type force_tendon = {
    .name = "tendon",
    .title = "a length over points and joints",
    .symmetry = FORCE_RELATIVE,
    .mark = "cord",
    .needs_velocity = needs_velocity,
    .does_work = does_work,
    .act = act,
    .derive = derive,
    .numbers = numbers,
    .moments = moments,
    .potential = potential,
};
