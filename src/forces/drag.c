// Drag: what slows b against a, or against a fluid at rest in a.
//
// With u and w the velocity of a point of b and the angular velocity of b, both relative to a, along axes fixed in b:
//
//     f_i = -(linear + quadratic_i |u_i|) u_i,        t_i = -(angular + angular_quadratic_i |w_i|) w_i
//
// act on b at the point; a gets the opposite there. Numbers: linear N s/m, angular N m s/rad, quadratic N s^2/m^2 and N m s^2/rad^2.

#include "forces/derivative.h"
#include "forces/pull.h"
#include "forces/types.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <math.h>

typedef struct look {
    ph_mat3 W;          // axes of the element
    ph_vec3 r_a, r_b;   // from the centres of mass to the point
    ph_vec3 u, w;       // in the world
    ph_vec3 f, t;       // on b, in the world
    ph_mat3 by_u, by_w; // df/du, dt/dw in the world, at fixed axes
} look;

static double along(double linear, double quadratic, double x, double *slope)
{
    *slope = -(linear + 2.0 * quadratic * fabs(x));
    return -(linear + quadratic * fabs(x)) * x;
}

// The law along the axes W, and its slope in the world.
static ph_vec3 law(ph_mat3 W, double linear, const double *quadratic, ph_vec3 x, ph_mat3 *by_x)
{
    const ph_vec3 own = ph_tmul(W, x);
    ph_vec3 slope, y;
    y.x = along(linear, quadratic[0], own.x, &slope.x);
    y.y = along(linear, quadratic[1], own.y, &slope.y);
    y.z = along(linear, quadratic[2], own.z, &slope.z);
    *by_x = ph_mat_mult(ph_mat_mul(W, ph_diag(slope)), W);
    return ph_mul(W, y);
}

static look look_at(const force *f, const motion *at)
{
    const frame *a = &at->frames[f->a], *b = &at->frames[f->b];
    const ph_twist *va = &at->twists[f->a], *vb = &at->twists[f->b];
    const ph_vec3 w_a = ph_mul(a->R, va->omega), w_b = ph_mul(b->R, vb->omega);
    const double *n = f->def->number;
    look l = {.W = ph_mat_mul(b->R, f->E_b), .r_b = ph_mul(b->R, f->s_b)};
    l.r_a = ph_sub(ph_add(b->x, l.r_b), a->x);
    l.u = ph_sub(ph_add(vb->v, ph_cross(w_b, l.r_b)), ph_add(va->v, ph_cross(w_a, l.r_a)));
    l.w = ph_sub(w_b, w_a);
    l.f = law(l.W, n[0], n + 2, l.u, &l.by_u);
    l.t = law(l.W, n[1], n + 5, l.w, &l.by_w);
    return l;
}

static ph_wrench on(ph_mat3 R, ph_vec3 r, double sign, ph_vec3 f, ph_vec3 t)
{
    return (ph_wrench){ph_tmul(R, ph_scale(sign, ph_add(t, ph_cross(r, f)))), ph_scale(sign, f)};
}

static void act(const force *f, const motion *at, exertion *out)
{
    const look l = look_at(f, at);
    out->b = out->work_b = on(at->frames[f->b].R, l.r_b, 1.0, l.f, l.t);
    out->a = out->work_a = on(at->frames[f->a].R, l.r_a, -1.0, l.f, l.t);
}

// ---- Derivatives: along one small motion or velocity after the other ---------------------------------------------------------

typedef struct change {
    ph_vec3 turn[2], move[2], omega[2], v[2]; // of a and b in the world; turns and omega as vectors there
} change;

// Q of body `side` changes by this.
static ph_wrench change_of(const force *f, const motion *at, const look *l, const change *c, int side)
{
    const ph_mat3 R = at->frames[side ? f->b : f->a].R;
    const ph_vec3 w_a = ph_mul(at->frames[f->a].R, at->twists[f->a].omega);
    const ph_vec3 w_b = ph_mul(at->frames[f->b].R, at->twists[f->b].omega);
    const ph_vec3 dr_b = ph_cross(c->turn[1], l->r_b), dr_a = ph_sub(ph_add(c->move[1], dr_b), c->move[0]);
    // omega is given in the body: it turns with it
    const ph_vec3 dw_a = ph_add(c->omega[0], ph_cross(c->turn[0], w_a));
    const ph_vec3 dw_b = ph_add(c->omega[1], ph_cross(c->turn[1], w_b)), dw = ph_sub(dw_b, dw_a);
    const ph_vec3 at_b = ph_add(ph_add(c->v[1], ph_cross(dw_b, l->r_b)), ph_cross(w_b, dr_b));
    const ph_vec3 at_a = ph_add(ph_add(c->v[0], ph_cross(dw_a, l->r_a)), ph_cross(w_a, dr_a));
    const ph_vec3 du = ph_sub(at_b, at_a), turn = c->turn[1]; // of the axes, too
    const ph_vec3 df = ph_add(ph_mul(l->by_u, ph_sub(du, ph_cross(turn, l->u))), ph_cross(turn, l->f));
    const ph_vec3 dt = ph_add(ph_mul(l->by_w, ph_sub(dw, ph_cross(turn, l->w))), ph_cross(turn, l->t));
    const ph_vec3 r = side ? l->r_b : l->r_a, dr = side ? dr_b : dr_a;
    const ph_vec3 torque = ph_add(l->t, ph_cross(r, l->f));
    const ph_vec3 dtorque = ph_add(dt, ph_add(ph_cross(dr, l->f), ph_cross(r, df)));
    const double sign = side ? 1.0 : -1.0;
    return (ph_wrench){ph_tmul(R, ph_scale(sign, ph_sub(dtorque, ph_cross(c->turn[side], torque)))),
                       ph_scale(sign, df)};
}

static void put_column(double block[36], int column, const ph_wrench *w)
{
    const double x[6] = {w->torque.x, w->torque.y, w->torque.z, w->force.x, w->force.y, w->force.z};
    for (int r = 0; r < 6; r++) block[6 * r + column] = x[r];
}

static void derive(const force *f, const motion *at, derivative *to)
{
    const look l = look_at(f, at);
    for (int y = 0; y < 2; y++) {
        const ph_mat3 R = at->frames[y ? f->b : f->a].R;
        double by_position[2][36] = {{0}}, by_velocity[2][36] = {{0}};
        for (int k = 0; k < 6; k++) {
            const ph_vec3 unit = ph_vec(k % 3 == 0, k % 3 == 1, k % 3 == 2);
            change moved = {0}, faster = {0};
            *(k < 3 ? &moved.turn[y] : &moved.move[y]) = k < 3 ? ph_mul(R, unit) : unit;
            *(k < 3 ? &faster.omega[y] : &faster.v[y]) = k < 3 ? ph_mul(R, unit) : unit;
            for (int x = 0; x < 2; x++) {
                const ph_wrench by_q = change_of(f, at, &l, &moved, x), by_v = change_of(f, at, &l, &faster, x);
                put_column(by_position[x], k, &by_q);
                put_column(by_velocity[x], k, &by_v);
            }
        }
        for (int x = 0; x < 2; x++) to->add(to->user, x ? f->b : f->a, y ? f->b : f->a, by_position[x], by_velocity[x]);
    }
}

// ------------------------------------------------------------------------------------------------------------------------------

static void moments(const force *f, const motion *at, ph_mat3 *W)
{
    const look l = look_at(f, at);
    W[f->b] = ph_mat_add(W[f->b], ph_outer(l.f, l.r_b));
    W[f->a] = ph_mat_add(W[f->a], ph_outer(ph_neg(l.f), l.r_a));
}

// Along the axes of the element, with what each law gives for its speed there.
static void lines(const force *f, const motion *at, force_lines *to)
{
    const look l = look_at(f, at);
    const ph_vec3 u = ph_tmul(l.W, l.u), w = ph_tmul(l.W, l.w);
    const double speed[6] = {w.x, w.y, w.z, u.x, u.y, u.z}, *n = f->def->number;
    double C[6];
    to->count = 0;
    for (int k = 0; k < 6; k++) {
        const double c = k < 3 ? n[1] + n[5 + k] * fabs(speed[k]) : n[0] + n[k - 1] * fabs(speed[k]);
        const ph_vec3 axis = ph_mat_col(l.W, k % 3), none = ph_zero3();
        if (c == 0.0) continue;
        to->b[to->count] = on(at->frames[f->b].R, l.r_b, 1.0, k < 3 ? none : axis, k < 3 ? axis : none);
        to->a[to->count] = on(at->frames[f->a].R, l.r_a, -1.0, k < 3 ? none : axis, k < 3 ? axis : none);
        to->pull[to->count] = 0.0;
        C[to->count++] = c;
    }
    for (int k = 0; k < to->count * to->count; k++) to->K[k] = to->C[k] = 0.0;
    for (int k = 0; k < to->count; k++) to->C[k * (to->count + 1)] = C[k];
}

static const char *make(force *f, const motion *start)
{
    const frame *b = &start->frames[f->b];
    f->E_b = ph_mat_tmul(b->R, ph_quat_to_mat(f->def->orientation));
    f->s_b = ph_tmul(b->R, ph_sub(f->def->anchor, b->x));
    return NULL;
}

static bool always(const force *f)
{
    (void)f;
    return true;
}

// The power along w is f . u(w) + t . w(w), and each law is linear in its two numbers.
static void numbers(const force *f, const motion *at, const force_ends *e)
{
    motion along = *at;
    if (!e->to->own) return;
    along.twists = e->w;
    const look l = look_at(f, at), by = look_at(f, &along);
    const ph_vec3 u = ph_tmul(l.W, l.u), w = ph_tmul(l.W, l.w), u1 = ph_tmul(l.W, by.u), w1 = ph_tmul(l.W, by.w);
    const double x[6] = {u.x, u.y, u.z, w.x, w.y, w.z}, y[6] = {u1.x, u1.y, u1.z, w1.x, w1.y, w1.z};
    double *n = e->to->own->number;
    for (int k = 0; k < 6; k++) {
        n[k / 3] -= e->scale * x[k] * y[k];
        n[2 + k] -= e->scale * fabs(x[k]) * x[k] * y[k];
    }
    force_pull_frame_b(f, at, e);
}

static const element_key keys[] = {
    {"bodies", KEY_BODIES, FORCE_KEY(body_a), .needed = true},
    {"anchor", KEY_PLACE, FORCE_KEY(anchor), .needed = true},
    {"orientation", KEY_ORIENTATION, FORCE_KEY(orientation)},
    {"linear", KEY_NUMBER, FORCE_KEY(number[0]), .rule = NOT_NEGATIVE},
    {"angular", KEY_NUMBER, FORCE_KEY(number[1]), .rule = NOT_NEGATIVE},
    {"quadratic", KEY_VECTOR, FORCE_KEY(number[2])},
    {"angular_quadratic", KEY_VECTOR, FORCE_KEY(number[5])},
    {0},
};

const force_type force_drag = {
    .name = "drag",
    .title = "resistance against motion, linear and quadratic",
    .keys = keys,
    .symmetry = FORCE_RELATIVE,
    .make = make,
    .needs_velocity = always,
    .does_work = always,
    .act = act,
    .derive = derive,
    .numbers = numbers,
    .moments = moments,
    .lines = lines,
};
