// Reverse derivatives of the rows of joints.
//
// Rows and coordinates are functions of d, a_i, b_k (geometry.h) and, in B w, of their rates along w:
//
//     a' = w_a x a,     b' = w_b x b,     d' = v_b + w_b x r_b - v_a - w_a x r_a,     w_a = R_a omega_a.
//
// Each row adds its gradients by these vectors; `finish` takes them on to the bodies and to the numbers of the joint.

#include "joints/pull.h"

#include "joints/geometry.h"

typedef struct pulled { // a bar over each
    ph_vec3 d, d1, a[3], a1[3], b[3], b1[3];
    gradient motion; // of coordinates, by the motion of the bodies ...
    gradient line;   // ... and by w
} pulled;

typedef struct look {
    const joint *j;
    geometry g;
    ph_vec3 w_a, w_b;   // world axes
    ph_vec3 d1, v;      // d', v_b - v_a
    ph_vec3 a[3], b[3]; // set where axes are used
    ph_vec3 a1[3], b1[3];
    pulled bar;
    bool axes;
} look;

static void look_at(const joint *j, const frame *frames, const ph_twist *w, look *l)
{
    l->j = j;
    l->g = joint_geometry(j, frames);
    l->w_a = l->w_b = l->d1 = l->v = ph_zero3();
    l->bar = (pulled){0};
    l->axes = false;
    if (w) {
        const rates r = joint_rates(j, &l->g, w);
        l->w_a = r.w_a, l->w_b = r.w_b, l->d1 = r.d1;
        l->v = ph_sub(w[j->b].v, w[j->a].v);
    }
}

static void see_axes(look *l)
{
    for (int i = 0; i < 3 && !l->axes; i++) {
        l->a[i] = axis_a(l->j, &l->g, i);
        l->b[i] = axis_b(l->j, &l->g, i);
        l->a1[i] = ph_cross(l->w_a, l->a[i]);
        l->b1[i] = ph_cross(l->w_b, l->b[i]);
    }
    l->axes = true;
}

static void add(ph_vec3 *to, double s, ph_vec3 x, double t, ph_vec3 y)
{
    *to = ph_madd(ph_madd(*to, s, x), t, y);
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

// nu a_i.d + lambda (a_i.d)'
static void pull_along(look *l, int i, double nu, double lambda)
{
    see_axes(l);
    add(&l->bar.d, nu, l->a[i], lambda, l->a1[i]);
    add(&l->bar.a[i], nu, l->g.d, lambda, l->d1);
    l->bar.d1 = ph_madd(l->bar.d1, lambda, l->a[i]);
    l->bar.a1[i] = ph_madd(l->bar.a1[i], lambda, l->g.d);
}

// nu a_i.b_k + lambda (a_i.b_k)'
static void pull_dot(look *l, int i, int k, double nu, double lambda)
{
    see_axes(l);
    add(&l->bar.a[i], nu, l->b[k], lambda, l->b1[k]);
    add(&l->bar.b[k], nu, l->a[i], lambda, l->a1[i]);
    l->bar.a1[i] = ph_madd(l->bar.a1[i], lambda, l->b[k]);
    l->bar.b1[k] = ph_madd(l->bar.b1[k], lambda, l->a[i]);
}

// nu |d| + lambda n.d'
static void pull_length(look *l, double nu, double lambda)
{
    const double length = ph_norm(l->g.d);
    const ph_vec3 n = ph_scale(1.0 / length, l->g.d), across = ph_madd(l->d1, -ph_dot(n, l->d1), n);
    add(&l->bar.d, nu, n, lambda / length, across);
    l->bar.d1 = ph_madd(l->bar.d1, lambda, n);
}

// (H^T W) by the rotation of a, that of b and the translation of b
static gradient times_transposed(const hessian *H, ph_vec3 w_a, ph_vec3 w_b, ph_vec3 v)
{
    return (gradient){ph_add3(ph_tmul(H->aa, w_a), ph_tmul(H->ba, w_b), ph_tmul(H->ua, v)),
                      ph_add3(ph_tmul(H->ab, w_a), ph_tmul(H->bb, w_b), ph_tmul(H->ub, v)),
                      ph_add3(ph_tmul(H->au, w_a), ph_tmul(H->bu, w_b), ph_tmul(H->uu, v))};
}

// nu q + lambda q', q' = g . W with the gradient g of q, W = (w_a, w_b, v_b - v_a) and dw = alpha x w.
static void pull_coordinate(look *l, coordinate c, double nu, double lambda)
{
    const gradient g = coordinate_gradient(l->j, &l->g, c);
    l->bar.motion = gradient_madd(l->bar.motion, nu, g);
    if (lambda == 0.0) return;
    hessian H = {0};
    coordinate_hessian(l->j, &l->g, c, lambda, &H);
    l->bar.motion = gradient_madd(l->bar.motion, 1.0, times_transposed(&H, l->w_a, l->w_b, l->v));
    l->bar.motion.alpha_a = ph_madd(l->bar.motion.alpha_a, lambda, ph_cross(l->w_a, g.alpha_a));
    l->bar.motion.alpha_b = ph_madd(l->bar.motion.alpha_b, lambda, ph_cross(l->w_b, g.alpha_b));
    l->bar.line = gradient_madd(l->bar.line, lambda, g);
}

// ---- To bodies and numbers ------------------------------------------------------------------------------------------

typedef struct side {
    const ph_mat3 *R;
    ph_vec3 r, w;                  // arm, angular velocity, world axes
    const ph_vec3 *c, *bar, *rate; // axes, their gradients and those of their rates
    double sign;                   // of d
    ph_vec3 turn, line;            // of coordinates: by the rotation of the body and by w
} side;

// rotation: of the body, its own axes; s and e: of the joint frame in it. To a coordinate it is the same whether the frame
// moves in the body, or the body moves and its velocity at the frame stays.
static void finish_side(const look *l, const side *x, ph_vec3 *rotation, ph_vec3 *s, ph_vec3 *e)
{
    const ph_vec3 d = ph_scale(x->sign, l->bar.d), d1 = ph_scale(x->sign, l->bar.d1);
    const ph_vec3 arm = ph_add(d, ph_cross(d1, x->w));
    const ph_vec3 moved = ph_scale(x->sign, ph_add(l->bar.motion.u_b, ph_cross(l->bar.line.u_b, x->w)));
    ph_vec3 turn = ph_zero3(), spin = ph_cross(x->r, d1);
    for (int k = 0; k < 3 && l->axes; k++) {
        turn = ph_add(turn, ph_cross(x->c[k], ph_add(x->bar[k], ph_cross(x->rate[k], x->w))));
        spin = ph_add(spin, ph_cross(x->c[k], x->rate[k]));
    }
    const ph_vec3 own = ph_sub(ph_sub(x->turn, ph_cross(x->w, x->line)), ph_cross(x->r, moved));
    *rotation = ph_tmul(*x->R, ph_add3(ph_cross(x->r, arm), turn, ph_add(ph_cross(x->w, spin), x->turn)));
    *s = ph_tmul(*x->R, ph_add(arm, moved));
    *e = ph_tmul(*x->R, ph_add(turn, own));
}

static void add_vector(ph_vec3 *to, ph_vec3 v)
{
    *to = ph_add(*to, v);
}

static void finish(const look *l, const pull_to *to)
{
    const side a = {l->g.R_a,           l->g.r_a, l->w_a, l->a, l->bar.a, l->bar.a1, -1.0, l->bar.motion.alpha_a,
                    l->bar.line.alpha_a};
    const side b = {l->g.R_b,           l->g.r_b, l->w_b, l->b, l->bar.b, l->bar.b1, 1.0, l->bar.motion.alpha_b,
                    l->bar.line.alpha_b};
    ph_vec3 turn[2], s[2], e[2];
    finish_side(l, &a, &turn[0], &s[0], &e[0]);
    finish_side(l, &b, &turn[1], &s[1], &e[1]);
    const ph_vec3 u = ph_add(l->bar.d, l->bar.motion.u_b);
    if (to->bodies) {
        ph_wrench *at_a = &to->bodies[l->j->a], *at_b = &to->bodies[l->j->b];
        *at_a = (ph_wrench){ph_add(at_a->torque, turn[0]), ph_sub(at_a->force, u)};
        *at_b = (ph_wrench){ph_add(at_b->torque, turn[1]), ph_add(at_b->force, u)};
    }
    if (to->numbers) {
        joint_gradient *n = &to->numbers[l->j - to->joints];
        add_vector(&n->s_a, s[0]), add_vector(&n->s_b, s[1]);
        add_vector(&n->e_a, e[0]), add_vector(&n->e_b, e[1]);
    }
}

// ---- Joints ---------------------------------------------------------------------------------------------------------

static const coordinate turn_z = {.kind = COORDINATE_TURN, .i = 2};

static double rate_along(const look *l, const ph_twist *w, coordinate c)
{
    const gradient g = coordinate_gradient(l->j, &l->g, c);
    const rates r = {.w_a = l->w_a, .w_b = l->w_b, .d1 = l->d1};
    return w ? gradient_rate(&g, &r, &w[l->j->a], &w[l->j->b]) : 0.0;
}

// slide - pitch turn: the row itself tells how often it has turned.
static void pull_screw(look *l, const ph_twist *w, double nu, double lambda, joint_gradient *n)
{
    const joint *j = l->j;
    pull_along(l, 2, nu, lambda);
    pull_coordinate(l, turn_z, -j->pitch * nu, -j->pitch * lambda);
    if (!n) return;
    const double turns = (ph_dot(l->a[2], l->g.d) - j->slide) / j->pitch;
    const double turned = turns - nearest_turn(turns - coordinate_value(j, &l->g, turn_z));
    n->pitch -= nu * turned + lambda * rate_along(l, w, turn_z);
    n->slide -= nu;
}

// sqrt(a) q - x
static void pull_rotor(look *l, const motion *at, const ph_twist *w, row it, double nu, double lambda,
                       const pull_to *to)
{
    const joint *j = l->j;
    const int rotor = j->bodies[j->slot_rotor + it.j / 3];
    const ph_vec3 along = ph_vec(it.j % 3 == 0, it.j % 3 == 1, it.j % 3 == 2);
    const double root = joint_root(j, it.i);
    pull_coordinate(l, j->coordinates[it.i], root * nu, root * lambda);
    if (to->bodies) to->bodies[rotor].force = ph_madd(to->bodies[rotor].force, -nu, along);
    if (!to->numbers) return;
    joint_gradient *n = &to->numbers[j - to->joints];
    const double q = (ph_dot(at->frames[rotor].x, along) + rotor_residual(j, &l->g, at->frames, it)) / root;
    n->offset[it.i] += root * nu;
    n->root[it.i] += nu * q + lambda * rate_along(l, w, j->coordinates[it.i]);
}

static void pull_gear(const joint *j, const motion *at, double nu, double lambda, const ph_twist *w, const pull_to *to)
{
    const gear *pair = j->gear;
    const double weights[2] = {-pair->ratio, 1.0};
    for (int n = 0; n < 2; n++)
        joint_pull_coordinate(pair->joints[n], at->frames, w, 0, weights[n] * nu, weights[n] * lambda, to);
    if (!to->numbers) return;
    joint_gradient *n = &to->numbers[j - to->joints];
    look first;
    look_at(pair->joints[0], at->frames, w, &first);
    n->ratio -=
        nu * joint_coordinate(pair->joints[0], at, 0) + lambda * rate_along(&first, w, pair->joints[0]->coordinates[0]);
    n->phase -= nu;
}

static void pull_row(look *l, const motion *at, row it, double nu, double lambda, const ph_twist *w, const pull_to *to)
{
    joint_gradient *n = to->numbers ? &to->numbers[l->j - to->joints] : NULL;
    switch ((row_kind)it.kind) {
    case ROW_ALONG:
        pull_along(l, it.i, nu, lambda);
        break;
    case ROW_DOT:
        pull_dot(l, it.i, it.j, nu, lambda);
        break;
    case ROW_LENGTH:
        pull_length(l, nu, lambda);
        if (n) n->length -= nu;
        break;
    case ROW_SCREW:
        pull_screw(l, w, nu, lambda, n);
        break;
    case ROW_MOTOR:
        pull_coordinate(l, l->j->coordinates[it.i], nu, lambda);
        if (n) n->offset[it.i] += nu;
        break;
    case ROW_ROTOR:
        pull_rotor(l, at, w, it, nu, lambda, to);
        break;
    case ROW_CHAIN:
        pull_coordinate(l, (coordinate){.kind = COORDINATE_CHAIN_TURN, .i = it.i}, nu, lambda);
        break;
    case ROW_POINT:
    case ROW_GEAR:
    case ROW_TOUCH:
    case ROW_SLIP:
    case ROW_VELOCITY:
        break;
    }
}

// Of nu.d + lambda.d' alone by one end of d: what `finish` would find without axes and coordinates.
static void pull_end(const ph_mat3 *R, ph_vec3 r, ph_vec3 nu, ph_vec3 lambda, const ph_twist *w, int body,
                     const pull_to *to, ph_vec3 *s)
{
    const ph_vec3 turn = w ? ph_mul(*R, w[body].omega) : ph_zero3(), arm = ph_add(nu, ph_cross(lambda, turn));
    if (to->bodies) {
        ph_wrench *at = &to->bodies[body];
        at->torque = ph_add(at->torque, ph_tmul(*R, ph_add(ph_cross(r, arm), ph_cross(turn, ph_cross(r, lambda)))));
        at->force = ph_add(at->force, nu);
    }
    if (s) *s = ph_add(*s, ph_tmul(*R, arm));
}

static void pull_point(const joint *j, const frame *frames, ph_vec3 nu, ph_vec3 lambda, const ph_twist *w,
                       const pull_to *to)
{
    const geometry g = joint_geometry(j, frames);
    joint_gradient *n = to->numbers ? &to->numbers[j - to->joints] : NULL;
    pull_end(g.R_a, g.r_a, ph_neg(nu), ph_neg(lambda), w, j->a, to, n ? &n->s_a : NULL);
    pull_end(g.R_b, g.r_b, nu, lambda, w, j->b, to, n ? &n->s_b : NULL);
}

bool joint_can_pull(const joint *j)
{
    bool can = true;
    for (int k = 0; k < j->kind_count; k++)
        can = can && j->rows[k].kind != ROW_TOUCH && j->rows[k].kind != ROW_SLIP && j->rows[k].kind != ROW_VELOCITY;
    return can;
}

void joint_pull(const joint *j, const motion *at, const double *nu, const double *lambda, const ph_twist *w,
                const pull_to *to)
{
    static const double zero[JOINT_ROWS_MAX] = {0};
    const double *n = nu ? nu : zero, *m = lambda ? lambda : zero;
    if (j->gear) {
        pull_gear(j, at, *n, *m, w, to);
        return;
    }
    look l;
    if (j->kind_count == 1 && j->rows[0].kind == ROW_POINT) {
        pull_point(j, at->frames, ph_vec(n[0], n[1], n[2]), ph_vec(m[0], m[1], m[2]), w, to);
        return;
    }
    look_at(j, at->frames, w, &l);
    for (int k = 0; k < j->kind_count; k++) {
        if (j->rows[k].kind == ROW_POINT) {
            l.bar.d = ph_add(l.bar.d, ph_vec(n[0], n[1], n[2]));
            l.bar.d1 = ph_add(l.bar.d1, ph_vec(m[0], m[1], m[2]));
            n += 3, m += 3;
        } else {
            pull_row(&l, at, j->rows[k], *n++, *m++, w, to);
        }
    }
    finish(&l, to);
}

void joint_pull_coordinate(const joint *j, const frame *frames, const ph_twist *w, int k, double nu, double lambda,
                           const pull_to *to)
{
    look l;
    look_at(j, frames, w, &l);
    pull_coordinate(&l, j->coordinates[k], nu, lambda);
    finish(&l, to);
    if (to->numbers) to->numbers[j - to->joints].offset[k] += nu;
}
