#include "forces/pull.h"

#include "forces/callback.h"
#include "forces/derivative.h"
#include "forces/drive.h"
#include "forces/types.h"
#include "math/se3.h"
#include "math/trig.h"

#include <string.h>

// ---- By the motion of the bodies ------------------------------------------------------------------------------------

typedef struct ends { // gradients by the motion of bodies a and b, which points and axes of the element need too
    const ph_twist *w;
    const force *force;
    double scale;
    const force_pull_to *to;
    ph_wrench q[2], v[2];
} ends;

// y += s (B^T x)
static void add_transposed(ph_wrench *y, double s, const double *B, const ph_twist *x)
{
    const double in[6] = {x->omega.x, x->omega.y, x->omega.z, x->v.x, x->v.y, x->v.z};
    double out[6] = {0};
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++) out[c] += B[6 * r + c] * in[r];
    y->torque = ph_madd(y->torque, s, ph_vec(out[0], out[1], out[2]));
    y->force = ph_madd(y->force, s, ph_vec(out[3], out[4], out[5]));
}

static void add_block(void *user, int row, int column, const double *by_position, const double *by_velocity)
{
    ends *e = user;
    const ph_twist *w = &e->w[row];
    const int end = column == e->force->a ? 0 : column == e->force->b ? 1 : -1;
    ph_wrench *q = end >= 0 ? &e->q[end] : e->to->q ? &e->to->q[column] : NULL;
    ph_wrench *v = end >= 0 ? &e->v[end] : e->to->v ? &e->to->v[column] : NULL;
    if (by_position && q) add_transposed(q, e->scale, by_position, w);
    if (by_velocity && v) add_transposed(v, e->scale, by_velocity, w);
}

static void pull_motion(ends *e, const motion *at)
{
    const force *f = e->force;
    derivative to = {.position = true, .velocity = f->needs_velocity, .central = true, .add = add_block, .user = e};
    f->type->derive(f, at, &to);
    for (int k = 0; k < 2; k++) {
        const int body = k ? f->b : f->a;
        if (e->to->q) wrench_add(&e->to->q[body], 1.0, &e->q[k]);
        if (e->to->v) wrench_add(&e->to->v[body], 1.0, &e->v[k]);
    }
}

// ---- By its numbers -------------------------------------------------------------------------------------------------

typedef void (*numbers_function)(const force *f, const motion *at, const ends *e);

// A frame that moves in its body is, to the element, a body that moves while its velocities at the frame, and the wrench
// on it, are taken there as before.
static void pull_frame(const motion *at, const ends *e, int k, const ph_wrench *acting, ph_vec3 *s_bar, ph_vec3 *e_bar)
{
    const int body = k ? e->force->b : e->force->a;
    const ph_vec3 s = k ? e->force->s_b : e->force->s_a;
    const ph_mat3 R = at->frames[body].R;
    const ph_twist *v = &at->twists[body], *w = &e->w[body];
    const ph_wrench *q = &e->q[k], *rate = &e->v[k];
    ph_vec3 moved = ph_add(q->force, ph_cross(rate->force, ph_mul(R, v->omega)));
    moved = ph_tmul(R, ph_madd(moved, e->scale, ph_cross(acting->force, ph_mul(R, w->omega))));
    ph_vec3 turned = ph_sub(q->torque, ph_cross(v->omega, rate->torque));
    turned = ph_madd(turned, e->scale, ph_cross(acting->torque, w->omega));
    *s_bar = ph_add(*s_bar, moved);
    *e_bar = ph_add(*e_bar, ph_sub(turned, ph_cross(s, moved)));
}

static void pull_frames(const force *f, const motion *at, const ends *e)
{
    exertion acting = {0};
    f->type->act(f, at, &acting);
    pull_frame(at, e, 0, &acting.a, &e->to->own->s_a, &e->to->own->e_a);
    pull_frame(at, e, 1, &acting.b, &e->to->own->s_b, &e->to->own->e_b);
}

// `weight` times value k: its numbers, and those of the joints whose coordinates it depends on.
static void pull_value(const value *v, const motion *at, double weight, const ends *e, double *numbers)
{
    double slopes[VALUE_VARIABLES_MAX];
    value_pull(v, at, at->time, weight, 0.0, e->to->inputs, e->to->own ? numbers : NULL);
    if (!e->to->joints.numbers || !value_needs_joints(v)) return;
    value_slopes(v, at, slopes);
    for (int k = 0; k < v->variable_count; k++) {
        const variable *of = &v->variables[k];
        if (of->kind == VARIABLE_COORDINATE)
            joint_pull_coordinate(of->joint, at->frames, NULL, 0, weight * slopes[k], 0.0, &e->to->joints);
        if (of->kind == VARIABLE_RATE)
            joint_pull_coordinate(of->joint, at->frames, at->twists, 0, 0.0, weight * slopes[k], &e->to->joints);
    }
}

static double power(const ph_wrench *Q, const ph_twist *w)
{
    return ph_dot(Q->torque, w->omega) + ph_dot(Q->force, w->v);
}

// -(k (L - L0) + c L') n on b: e = L' along w, g = L' as it is.
static void spring_numbers(const force *f, const motion *at, const ends *e)
{
    force_gradient *n = e->to->own;
    const frame *a = &at->frames[f->a], *b = &at->frames[f->b];
    const ph_vec3 r_a = ph_mul(a->R, f->s_a), r_b = ph_mul(b->R, f->s_b);
    const ph_vec3 d = ph_sub(ph_add(b->x, r_b), ph_add(a->x, r_a));
    const double length = ph_norm(d);
    const ph_vec3 on_b = length > 0.0 ? ph_scale(1.0 / length, d) : ph_zero3(), on_a = ph_neg(on_b);
    const ph_wrench line_a = {ph_tmul(a->R, ph_cross(r_a, on_a)), on_a};
    const ph_wrench line_b = {ph_tmul(b->R, ph_cross(r_b, on_b)), on_b};
    if (!n) return;
    const double along = e->scale * (power(&line_a, &e->w[f->a]) + power(&line_b, &e->w[f->b]));
    const double rate = power(&line_a, &at->twists[f->a]) + power(&line_b, &at->twists[f->b]);
    n->stiffness -= along * (length - f->rest);
    n->rest += along * f->stiffness;
    n->damping -= along * rate;
    pull_frames(f, at, e);
}

// f(q, q') along coordinate 0 of a joint; `along`: its rate along w
static void drive_numbers(const force *f, const motion *at, const ends *e)
{
    const drive_law law = drive_law_at(f, at);
    const joint *j = f->joint;
    force_gradient *n = e->to->own;
    joint_line line;
    joint_line_at(j, at, law.coordinate, &line);
    const drive_force force = drive_force_of(&law, line.q, line.rate);
    const double along = e->scale * (power(&line.a, &e->w[j->a]) + power(&line.b, &e->w[j->b]));
    if (f->value_count > 0 && !force.cut)
        pull_value(f->values, at, along * (f->motor == PH_MOTOR_SERVO ? f->kp : 1.0), e, e->to->values);
    if (!n) return;
    const double t = law.friction != 0.0 ? ph_tanh(line.rate / law.friction_speed) : 0.0;
    n->stiffness -= along * (line.q - f->rest);
    n->rest += along * f->stiffness;
    n->damping -= along * line.rate;
    n->friction -= along * (f->friction != 0.0 ? t : 0.0);
    if (law.friction != 0.0)
        n->friction_speed +=
            along * law.friction * line.rate / (law.friction_speed * law.friction_speed) * (1.0 - t * t);
    if (force.cut)
        n->max += along * (law.feed + law.kp * (law.target - line.q) - law.kd * line.rate > 0.0 ? 1.0 : -1.0);
    else if (f->motor == PH_MOTOR_SERVO)
        n->kp += along * (law.target - line.q), n->kd -= along * line.rate;
    joint_pull_coordinate(j, at->frames, e->w, 0, force.by_q * along, e->scale * force.all, &e->to->joints);
    joint_pull_coordinate(j, at->frames, at->twists, 0, 0.0, force.by_rate * along, &e->to->joints);
}

static void wrench_numbers(const force *f, const motion *at, const ends *e)
{
    const ph_mat3 R = at->frames[f->b].R;
    const ph_twist *w = &e->w[f->b];
    const bool in_body = f->def->body_frame;
    const ph_vec3 turn = w->omega, move = ph_tmul(R, w->v);
    // power = torque . turn + force . (move + turn x s), all in body axes
    const ph_vec3 at_point = ph_add(move, ph_cross(turn, f->s_b));
    const ph_vec3 by_force = in_body ? at_point : ph_mul(R, at_point), by_torque = in_body ? turn : ph_mul(R, turn);
    const double by[6] = {by_force.x, by_force.y, by_force.z, by_torque.x, by_torque.y, by_torque.z};
    double given[6], *numbers = e->to->values;
    for (int k = 0; k < 6; k++) {
        pull_value(&f->values[k], at, e->scale * by[k], e, numbers);
        if (numbers) numbers += value_numbers(&f->values[k], NULL);
        given[k] = value_at(&f->values[k], at);
    }
    if (!e->to->own) return;
    const ph_vec3 acting = ph_vec(given[0], given[1], given[2]), own = in_body ? acting : ph_tmul(R, acting);
    e->to->own->s_b = ph_madd(e->to->own->s_b, e->scale, ph_cross(own, turn));
}

// delta and its rates along the motion and along w, from what the element exerts: see bushing.c.
typedef struct bushing_look {
    double delta[6], rate[6], along[6];
} bushing_look;

static void put_twist(double x[6], ph_twist t)
{
    x[0] = t.omega.x, x[1] = t.omega.y, x[2] = t.omega.z;
    x[3] = t.v.x, x[4] = t.v.y, x[5] = t.v.z;
}

static ph_twist twist_at(const force *f, const motion *at, const ph_twist *v, ph_mat3 W, ph_vec3 r_a, ph_vec3 r_b)
{
    const ph_vec3 w_a = ph_mul(at->frames[f->a].R, v[f->a].omega), w_b = ph_mul(at->frames[f->b].R, v[f->b].omega);
    const ph_vec3 u = ph_sub(ph_add(v[f->b].v, ph_cross(w_b, r_b)), ph_add(v[f->a].v, ph_cross(w_a, r_a)));
    return (ph_twist){ph_tmul(W, ph_sub(w_b, w_a)), ph_tmul(W, u)};
}

static bushing_look look_at_bushing(const force *f, const motion *at, const ph_twist *w)
{
    const frame *a = &at->frames[f->a], *b = &at->frames[f->b];
    const ph_mat3 W_a = ph_mat_mul(a->R, f->E_a), W = ph_mat_mul(b->R, f->E_b);
    const ph_vec3 r_b = ph_mul(b->R, f->s_b), r_a = ph_sub(ph_add(b->x, r_b), a->x);
    const ph_vec3 apart = ph_sub(r_a, ph_mul(a->R, f->s_a));
    const ph_twist delta = ph_se3_log((ph_pose){ph_quat_from_mat(ph_mat_tmul(W_a, W)), ph_tmul(W_a, apart)});
    bushing_look look;
    put_twist(look.delta, delta);
    put_twist(look.rate, ph_se3_dexp_inv(delta, twist_at(f, at, at->twists, W, r_a, r_b)));
    put_twist(look.along, ph_se3_dexp_inv(delta, twist_at(f, at, w, W, r_a, r_b)));
    return look;
}

static void bushing_numbers(const force *f, const motion *at, const ends *e)
{
    if (!e->to->own) return;
    const bushing_look look = look_at_bushing(f, at, e->w);
    for (int k = 0; k < 36 && e->to->matrices; k++) {
        e->to->matrices[k] -= e->scale * look.along[k / 6] * look.delta[k % 6];
        e->to->matrices[36 + k] -= e->scale * look.along[k / 6] * look.rate[k % 6];
    }
    pull_frames(f, at, e);
}

// ---------------------------------------------------------------------------------------------------------------------

static numbers_function numbers_of(const force *f)
{
    if (f->type == &force_spring) return spring_numbers;
    if (f->type == &force_torsion || f->type == &force_joint_drive) return drive_numbers;
    if (f->type == &force_wrench) return wrench_numbers;
    if (f->type == &force_bushing) return bushing_numbers;
    return NULL;
}

bool force_numbers_known(const force *f)
{
    return numbers_of(f) || f->callback;
}

bool force_derivative_exact(const force *f)
{
    return !f->callback || f->callback->def.derivative;
}

bool force_has_matrices(const force *f)
{
    return f->type == &force_bushing;
}

void force_pull(const force *f, const motion *at, const ph_twist *w, double scale, const force_pull_to *to)
{
    ends e = {.w = w, .force = f, .scale = scale, .to = to};
    pull_motion(&e, at);
    const numbers_function numbers = numbers_of(f);
    if (numbers && (to->own || to->inputs)) numbers(f, at, &e);
}
