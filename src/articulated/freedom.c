#include "articulated/freedom.h"

#include "joints/chain.h"
#include "math/so3.h"
#include "math/trig.h"

// ---- Which ----------------------------------------------------------------------------------------------------------

freedoms freedoms_all(void)
{
    return (freedoms){.count = 6, .kind = MOTION_FREE, .turn = TURN_ANY};
}

// From the rows between axes: three, two with the free axis of a in common, or one between those beside the locked one.
static void set_turn(const joint *j, freedoms *m)
{
    int count = 0;
    row last = {0};
    for (int k = 0; k < j->kind_count; k++) {
        if (j->rows[k].kind != ROW_DOT) continue;
        last = j->rows[k];
        count++;
    }
    m->turn = count == 3 ? TURN_NONE : count == 2 ? TURN_ONE : count == 1 ? TURN_TWO : TURN_ANY;
    m->axis = m->turn == TURN_ONE ? last.i : (uint8_t)(3 - last.i - last.j);
}

static void add(freedoms *m, freedom_kind kind, int i)
{
    m->list[m->count++] = (freedom){(uint8_t)kind, (uint8_t)i};
}

static void add_coordinate(freedoms *m, coordinate c)
{
    switch ((coordinate_kind)c.kind) {
    case COORDINATE_SLIDE:
        add(m, FREEDOM_SLIDE, c.i);
        break;
    case COORDINATE_TURN:
        add(m, m->screws ? FREEDOM_SCREW : FREEDOM_TURN, c.i);
        break;
    case COORDINATE_CARDAN_A:
        add(m, FREEDOM_CARDAN_A, c.i);
        break;
    case COORDINATE_CARDAN_B:
        add(m, FREEDOM_CARDAN_B, c.i);
        break;
    case COORDINATE_CHAIN_TURN:
    case COORDINATE_CHAIN_SLIDE:
        add(m, FREEDOM_CHAIN, c.i);
        break;
    }
}

static motion_kind kind_of(const freedoms *m)
{
    const bool point = !m->orbits && !m->driven;
    if (point && m->count == 1 && m->list[0].kind == FREEDOM_TURN) return MOTION_REVOLUTE;
    if (point && m->count == 1 && m->list[0].kind == FREEDOM_SLIDE) return MOTION_PRISMATIC;
    if (point && m->count == 3 && m->list[0].kind == FREEDOM_SPIN) return MOTION_BALL;
    return MOTION_OTHER;
}

freedoms freedoms_of(const joint *j)
{
    freedoms m = {.E_a = ph_quat_from_mat(j->E_a), .E_b = ph_quat_from_mat(j->E_b)};
    set_turn(j, &m);
    for (int k = 0; k < j->kind_count; k++) {
        m.orbits = m.orbits || j->rows[k].kind == ROW_LENGTH;
        m.screws = m.screws || j->rows[k].kind == ROW_SCREW;
    }
    for (int k = 0; k < j->coordinate_count; k++) add_coordinate(&m, j->coordinates[k]);
    for (int i = 0; i < 3 && m.turn == TURN_ANY && !j->chain; i++) add(&m, FREEDOM_SPIN, i);
    for (int k = 0; k < 2 && m.orbits; k++) add(&m, FREEDOM_ORBIT, k);
    m.driven = j->motor != NULL;
    m.count -= m.driven;
    m.kind = kind_of(&m);
    return m;
}

// ---- Where ----------------------------------------------------------------------------------------------------------

static double *part(ph_quat *q, int i) // of its vector
{
    return i == 0 ? &q->x : i == 1 ? &q->y : &q->z;
}

static double *entry(ph_vec3 *v, int i)
{
    return i == 0 ? &v->x : i == 1 ? &v->y : &v->z;
}

// The nearest of 1, i, j, k: which of them makes all three rows of the fixed joint vanish is decided at the start.
static ph_quat nearest_unit(ph_quat r)
{
    const double size[4] = {fabs(r.w), fabs(r.x), fabs(r.y), fabs(r.z)};
    int most = 0;
    for (int k = 1; k < 4; k++)
        if (size[k] > size[most]) most = k;
    ph_quat one = {0};
    if (most == 0)
        one.w = r.w < 0.0 ? -1.0 : 1.0;
    else
        *part(&one, most - 1) = *part(&r, most - 1) < 0.0 ? -1.0 : 1.0;
    return one;
}

// Turns about axis i, of an axis of b along that of a or against it.
static ph_quat nearest_turn_about(ph_quat r, int i)
{
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double along = r.w * r.w + *part(&r, i) * *part(&r, i);
    const double across = *part(&r, j) * *part(&r, j) + *part(&r, k) * *part(&r, k);
    if (along >= across)
        *part(&r, j) = *part(&r, k) = 0.0;
    else
        r.w = *part(&r, i) = 0.0;
    return ph_quat_unit(r);
}

// a_j . b_k = 2 (r_j r_k - w r_i): its gradient in r has the length 2, as r has 1. Newton's method along it.
static ph_quat nearest_cardan(ph_quat r, int i)
{
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    for (int n = 0; n < 2; n++) {
        const ph_quat s = r = ph_quat_unit(r);
        const double w = s.w, x = *part(&r, i), y = *part(&r, j), z = *part(&r, k), off = w * x - y * z;
        r.w -= off * x;
        *part(&r, i) -= off * w;
        *part(&r, j) += off * z;
        *part(&r, k) += off * y;
    }
    return ph_quat_unit(r);
}

static ph_quat nearest_allowed(const freedoms *m, ph_quat r)
{
    switch (m->turn) {
    case TURN_NONE:
        return nearest_unit(r);
    case TURN_ONE:
        return nearest_turn_about(r, m->axis);
    case TURN_TWO:
        return nearest_cardan(r, m->axis);
    case TURN_ANY:
        break;
    }
    return ph_quat_unit(r);
}

static double turn_about(const relation *r, int i)
{
    ph_quat q = r->turn;
    const double s = *part(&q, i);
    return q.w < 0.0 ? 2.0 * ph_atan2(-s, -q.w) : 2.0 * ph_atan2(s, q.w);
}

// The shift without what is locked.
static ph_vec3 nearest_shift(const joint *j, const freedoms *m, const relation *r)
{
    if (m->orbits) return ph_scale(j->length / ph_norm(r->shift), r->shift);
    ph_vec3 given = r->shift, shift = ph_zero3();
    for (int k = 0; k < freedoms_listed(m); k++) {
        const int i = m->list[k].i;
        if (m->list[k].kind == FREEDOM_SLIDE) *entry(&shift, i) = *entry(&given, i);
    }
    if (m->screws) shift.z = given.z - j->pitch * nearest_turn((given.z - j->slide) / j->pitch - turn_about(r, 2));
    return shift;
}

// ---- Chains ---------------------------------------------------------------------------------------------------------

// The relation after steps, with what is locked at zero.
static relation chain_relation(const joint *j, const frame *at, const double *steps)
{
    const chain *c = j->chain;
    double q[CHAIN_MOTIONS] = {0};
    chain_look look;
    if (!chain_find(c, at, &look)) return (relation){ph_quat_from_mat(at->R), at->x};
    for (int k = 0; k < c->free_count; k++) q[c->free[k]] = look.q[c->free[k]] + (steps ? steps[k] : 0.0);
    chain_place(c, q, &look);
    return (relation){ph_quat_unit(ph_quat_from_mat(look.pose.R)), look.pose.x};
}

static frame relation_frame(const relation *r)
{
    return (frame){ph_quat_to_mat(r->turn), r->shift};
}

static double chain_coordinate(const joint *j, const relation *r, int i)
{
    const frame at = relation_frame(r);
    chain_look look;
    chain_find(j->chain, &at, &look);
    return look.q[i];
}

relation relation_between(const joint *j, const freedoms *m, const pose_pair *at)
{
    const ph_quat a = ph_quat_mul(at->q_a, m->E_a);
    relation r = {.turn = ph_quat_mul(ph_quat_conj(a), ph_quat_mul(at->q_b, m->E_b))};
    r.turn = j->chain ? ph_quat_unit(r.turn) : nearest_allowed(m, r.turn);
    if (m->kind == MOTION_REVOLUTE || m->kind == MOTION_BALL) return r;
    const ph_vec3 from = ph_add(at->x_a, ph_quat_rotate(at->q_a, j->s_a));
    const ph_vec3 to = ph_add(at->x_b, ph_quat_rotate(at->q_b, j->s_b));
    r.shift = ph_quat_rotate(ph_quat_conj(a), ph_sub(to, from));
    if (j->chain) {
        const frame at_b = relation_frame(&r);
        return chain_relation(j, &at_b, NULL);
    }
    r.shift = nearest_shift(j, m, &r);
    return r;
}

static ph_quat turn_by(int i, double angle)
{
    ph_vec3 f = ph_zero3();
    *entry(&f, i) = angle;
    return ph_quat_exp(f);
}

// Directions across the shift, in the axes of frame a.
static void tangents(ph_vec3 shift, ph_vec3 t[2])
{
    t[0] = ph_any_perpendicular(shift);
    t[1] = ph_cross(ph_unit(shift), t[0]);
}

relation relation_step(const joint *j, const freedoms *m, const relation *from, const double *steps)
{
    if (j->chain) {
        const frame at = relation_frame(from);
        return chain_relation(j, &at, steps);
    }
    relation r = *from;
    ph_vec3 spin = ph_zero3(), t[2] = {ph_zero3(), ph_zero3()};
    if (m->orbits) tangents(from->shift, t);
    for (int k = 0; k < freedoms_listed(m); k++) {
        const int i = m->list[k].i;
        switch ((freedom_kind)m->list[k].kind) {
        case FREEDOM_SLIDE:
            *entry(&r.shift, i) += steps[k];
            break;
        case FREEDOM_SCREW:
            r.shift.z += j->pitch * steps[k];
            r.turn = ph_quat_mul(turn_by(i, steps[k]), r.turn);
            break;
        case FREEDOM_TURN:
            r.turn = ph_quat_mul(turn_by(i, steps[k]), r.turn);
            break;
        case FREEDOM_CARDAN_A:
            r.turn = ph_quat_mul(turn_by((i + 1) % 3, steps[k]), r.turn);
            break;
        case FREEDOM_CARDAN_B:
            r.turn = ph_quat_mul(r.turn, turn_by((i + 2) % 3, steps[k]));
            break;
        case FREEDOM_SPIN:
            *entry(&spin, i) = steps[k];
            break;
        case FREEDOM_ORBIT:
            r.shift = ph_madd(r.shift, steps[k], t[i]);
            break;
        case FREEDOM_CHAIN:
            break;
        }
    }
    if (m->turn == TURN_ANY) r.turn = ph_quat_mul(r.turn, ph_quat_exp(spin));
    if (m->orbits) r.shift = ph_scale(j->length / ph_norm(r.shift), r.shift);
    return r;
}

void relation_put_b(const joint *j, const relation *r, const freedoms *m, pose_pair *at)
{
    const ph_quat a = ph_quat_mul(at->q_a, m->E_a);
    at->q_b = ph_quat_unit(ph_quat_mul(ph_quat_mul(a, r->turn), ph_quat_conj(m->E_b)));
    const ph_vec3 from = ph_add(at->x_a, ph_quat_rotate(at->q_a, j->s_a));
    at->x_b = ph_sub(ph_add(from, ph_quat_rotate(a, r->shift)), ph_quat_rotate(at->q_b, j->s_b));
}

void relation_put_a(const joint *j, const relation *r, const freedoms *m, pose_pair *at)
{
    const ph_quat b = ph_quat_mul(at->q_b, m->E_b), a = ph_quat_mul(b, ph_quat_conj(r->turn));
    at->q_a = ph_quat_unit(ph_quat_mul(a, ph_quat_conj(m->E_a)));
    const ph_vec3 to = ph_add(at->x_b, ph_quat_rotate(at->q_b, j->s_b));
    at->x_a = ph_sub(ph_sub(to, ph_quat_rotate(a, r->shift)), ph_quat_rotate(at->q_a, j->s_a));
}

// ---- Columns --------------------------------------------------------------------------------------------------------

static void put(double *column, ph_vec3 turn, ph_vec3 move)
{
    column[0] = turn.x, column[1] = turn.y, column[2] = turn.z;
    column[3] = move.x, column[4] = move.y, column[5] = move.z;
}

static ph_vec3 orbit_direction(const joint *j, const geometry *g, int k)
{
    const ph_vec3 local = ph_tmul(j->E_a, ph_tmul(*g->R_a, g->d));
    ph_vec3 t[2];
    tangents(local, t);
    return ph_mul(*g->R_a, ph_mul(j->E_a, t[k]));
}

// u and arm of a motion in world axes: its axis goes through P - arm.
static void chain_columns(const joint *j, const geometry *g, ph_vec3 P, double *S)
{
    const chain *c = j->chain;
    const ph_mat3 A = ph_mat_mul(*g->R_a, j->E_a);
    chain_look look;
    chain_at(j, g, &look);
    for (int k = 0; k < c->free_count; k++, S += 6) {
        const int i = c->free[k];
        const ph_vec3 u = ph_mul(A, look.u[i]), on = ph_sub(P, ph_mul(A, look.arm[i]));
        if (c->motions[i].slides)
            put(S, ph_zero3(), u);
        else
            put(S, u, ph_cross(on, u));
    }
}

void freedoms_columns(const joint *j, const freedoms *m, const frame *a, const frame *b, double *S)
{
    const geometry g = joint_geometry_between(j, a, b);
    const ph_vec3 P = ph_add(b->x, g.r_b);
    if (j->chain) {
        chain_columns(j, &g, P, S);
        return;
    }
    for (int k = 0; k < freedoms_listed(m); k++, S += 6) {
        const int i = m->list[k].i;
        ph_vec3 axis;
        switch ((freedom_kind)m->list[k].kind) {
        case FREEDOM_SLIDE:
            put(S, ph_zero3(), axis_a(j, &g, i));
            break;
        case FREEDOM_ORBIT:
            put(S, ph_zero3(), orbit_direction(j, &g, i));
            break;
        case FREEDOM_SCREW:
            axis = axis_a(j, &g, i);
            put(S, axis, ph_madd(ph_cross(P, axis), j->pitch, axis));
            break;
        case FREEDOM_TURN:
            axis = axis_a(j, &g, i);
            put(S, axis, ph_cross(P, axis));
            break;
        case FREEDOM_CARDAN_A:
            axis = axis_a(j, &g, (i + 1) % 3);
            put(S, axis, ph_cross(P, axis));
            break;
        case FREEDOM_CARDAN_B:
            axis = axis_b(j, &g, (i + 2) % 3);
            put(S, axis, ph_cross(P, axis));
            break;
        case FREEDOM_SPIN:
            axis = axis_b(j, &g, i);
            put(S, axis, ph_cross(P, axis));
            break;
        case FREEDOM_CHAIN:
            break;
        }
    }
}

// ---- Coordinates ----------------------------------------------------------------------------------------------------

// Products a_p . b_q of the axes, from the quaternion.
static double product(const relation *r, int p, int q)
{
    ph_quat t = r->turn;
    const double cross = (q - p + 3) % 3 == 1 ? -1.0 : 1.0; // of w and the third part
    if (p != q) return 2.0 * (*part(&t, p) * *part(&t, q) + cross * t.w * *part(&t, 3 - p - q));
    return 2.0 * (t.w * t.w + *part(&t, p) * *part(&t, p)) - 1.0;
}

double relation_coordinate(const joint *j, const relation *r, int k, double near)
{
    const coordinate c = j->coordinates[k];
    const int i = c.i, n = (i + 1) % 3, l = (i + 2) % 3;
    ph_vec3 shift = r->shift;
    double q = 0.0;
    switch ((coordinate_kind)c.kind) {
    case COORDINATE_SLIDE:
        return *entry(&shift, i) + j->offset[k];
    case COORDINATE_TURN:
        q = turn_about(r, i);
        break;
    case COORDINATE_CARDAN_A:
        q = ph_atan2(product(r, i, l), product(r, l, l));
        break;
    case COORDINATE_CARDAN_B:
        q = ph_atan2(product(r, n, i), product(r, n, n));
        break;
    case COORDINATE_CHAIN_SLIDE:
        return chain_coordinate(j, r, i) + j->offset[k];
    case COORDINATE_CHAIN_TURN:
        q = chain_coordinate(j, r, i);
        break;
    }
    const double turn = 6.283185307179586476925, angle = q + j->offset[k];
    return angle + turn * rint((near - angle) / turn);
}
