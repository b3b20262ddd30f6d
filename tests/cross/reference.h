// An independent account of rigid bodies with joints and forces, to hold the engine against.
//
// Nothing here is shared with the engine: long doubles, world axes throughout, rows written down as functions of points
// and directions with their first and second time derivatives, accelerations by a pivoted QR factorisation of the
// mass-weighted Jacobian (which takes dependent rows as they come). Time: reference_motion.h. Slow, short, and meant to be checked by reading.
//
//     body       x, q, v, w         centre of mass, quaternion, velocities; all in the world
//     row        J a = gamma        a = (v', w') of the bodies it touches
//     motion     min |M^(1/2) a - M^(-1/2) f|  subject to  J a = gamma               (Gauss's principle)
#ifndef TESTS_CROSS_REFERENCE_H
#define TESTS_CROSS_REFERENCE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef long double real;
typedef struct vec {
    real x, y, z;
} vec;
typedef struct mat {
    vec c[3]; // columns
} mat;

enum { BODIES = 8, JOINTS = 16, FORCES = 16, ROWS = 6 * JOINTS, WIDTH = 6 * BODIES, WORLD = -1, STATE = 13 * BODIES };

// ---- Vectors --------------------------------------------------------------------------------------------------------

static inline vec vadd(vec a, vec b)
{
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline vec vsub(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline vec vmul(real s, vec a)
{
    return (vec){s * a.x, s * a.y, s * a.z};
}
static inline real vdot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline real vlen(vec a)
{
    return sqrtl(vdot(a, a));
}
static inline vec vcross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline vec vunit(vec a)
{
    return vmul(1 / vlen(a), a);
}
static inline vec mvec(mat m, vec a)
{
    return vadd(vmul(a.x, m.c[0]), vadd(vmul(a.y, m.c[1]), vmul(a.z, m.c[2])));
}
static inline vec mtvec(mat m, vec a)
{
    return (vec){vdot(m.c[0], a), vdot(m.c[1], a), vdot(m.c[2], a)};
}
static inline mat mmul(mat a, mat b)
{
    return (mat){{mvec(a, b.c[0]), mvec(a, b.c[1]), mvec(a, b.c[2])}};
}

typedef struct quat {
    real w, x, y, z;
} quat;

static inline mat quat_matrix(quat q)
{
    const real s = 2 / (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (mat){{{1 - s * (q.y * q.y + q.z * q.z), s * (q.x * q.y + q.w * q.z), s * (q.x * q.z - q.w * q.y)},
                  {s * (q.x * q.y - q.w * q.z), 1 - s * (q.x * q.x + q.z * q.z), s * (q.y * q.z + q.w * q.x)},
                  {s * (q.x * q.z + q.w * q.y), s * (q.y * q.z - q.w * q.x), 1 - s * (q.x * q.x + q.y * q.y)}}};
}

// q' = 1/2 (0, w) q
static inline quat quat_rate(quat q, vec w)
{
    return (quat){-(w.x * q.x + w.y * q.y + w.z * q.z) / 2, (w.x * q.w + w.y * q.z - w.z * q.y) / 2,
                  (w.y * q.w + w.z * q.x - w.x * q.z) / 2, (w.z * q.w + w.x * q.y - w.y * q.x) / 2};
}

// ---- The model ------------------------------------------------------------------------------------------------------

typedef struct ref_body {
    real mass;
    mat inertia; // about the centre of mass, in body axes
} ref_body;

// What a row holds (ROW_ROLLS: velocities only): a component of d = P_b - P_a in the world; a_i . d; a_i . b_j; |d|^2/2; the turn or slide coordinate.
typedef enum ref_kind { ROW_D, ROW_A_D, ROW_A_B, ROW_DISTANCE, ROW_SCREW, ROW_GEAR, ROW_MOVES, ROW_ROLLS } ref_kind;

typedef struct ref_row {
    ref_kind kind;
    int i, j;
} ref_row;

typedef enum ref_coordinate { NO_COORDINATE, TURN, SLIDE } ref_coordinate; // about or along a_z

// A smooth torque along the coordinate: -k (q - rest) - c q' - F tanh(q'/speed) + A sin(w t + p) + g q_other.
typedef struct ref_drive {
    real stiffness, rest, damping, friction, speed, amplitude, frequency, phase, gain;
    int other; // joint whose coordinate is fed back, with gain != 0
} ref_drive;

typedef struct ref_joint {
    int a, b;
    vec s_a, s_b; // the points, from the centres of mass in body axes; in the world for WORLD
    mat E_a, E_b; // the frames, in body axes
    int row_count;
    ref_row rows[6];
    ref_coordinate coordinate;
    ref_drive drive;
    real armature;
    real pitch, ratio;     // screw; gear: q_j - ratio q_i
    int gear_i, gear_j;    // joints
    real swing, frequency; // ROW_MOVES: q = swing sin(frequency t)
    struct ref_roll {      // ROW_ROLLS on the world: linear . V_b + angular . w_b = swing sin(frequency t)
        bool turns;        // the directions are fixed in b
        vec linear, angular;
    } rolls[2];
} ref_joint;

typedef enum ref_force_kind { SPRING, PUSH } ref_force_kind;

typedef struct ref_force {
    ref_force_kind kind;
    int a, b;
    vec s_a, s_b;
    real stiffness, damping, length;
    vec force, torque; // PUSH on b at s_b, world axes: force sin(w t) + torque
    real frequency;
} ref_force;

typedef struct ref_model {
    int body_count, joint_count, force_count;
    ref_body bodies[BODIES];
    ref_joint joints[JOINTS];
    ref_force forces[FORCES];
    vec gravity;
} ref_model;

typedef struct ref_state {
    real t;
    vec x[BODIES], v[BODIES], w[BODIES];
    quat q[BODIES];
} ref_state;

// ---- Rows -----------------------------------------------------------------------------------------------------------

typedef struct side {            // one end of a joint at one moment
    vec P, r, V, w, centripetal; // point, arm, its velocity, angular velocity, w x (w x r)
    mat E;
} side;

static inline side side_of(const ref_state *s, int body, vec at, mat E)
{
    if (body == WORLD) return (side){.P = at, .E = E};
    const mat R = quat_matrix(s->q[body]);
    side e = {.r = mvec(R, at), .w = s->w[body], .E = mmul(R, E)};
    e.P = vadd(s->x[body], e.r);
    e.V = vadd(s->v[body], vcross(e.w, e.r));
    e.centripetal = vcross(e.w, vcross(e.w, e.r));
    return e;
}

// Coefficients of accelerations, and what they must give.
typedef struct equation {
    real J[WIDTH], gamma, rate; // rate: what J times velocities must give
} equation;

static inline void put(equation *e, int body, vec linear, vec angular)
{
    if (body == WORLD) return;
    real *J = e->J + 6 * body;
    J[0] += linear.x, J[1] += linear.y, J[2] += linear.z;
    J[3] += angular.x, J[4] += angular.y, J[5] += angular.z;
}

// e . (P_b - P_a) with e fixed in a where `turns`, and the terms of second order of its second derivative.
static inline void put_along(equation *q, const ref_joint *j, const side *a, const side *b, vec e, bool turns,
                             real sign)
{
    const vec d = vsub(b->P, a->P), u = vsub(b->V, a->V);
    put(q, j->b, vmul(sign, e), vmul(sign, vcross(b->r, e)));
    put(q, j->a, vmul(-sign, e), vmul(-sign, vcross(a->r, e)));
    q->gamma -= sign * vdot(e, vsub(b->centripetal, a->centripetal));
    if (turns) { // (alpha x e) . d = alpha . (e x d)
        put(q, j->a, (vec){0}, vmul(sign, vcross(e, d)));
        q->gamma -= sign * (2 * vdot(vcross(a->w, e), u) + vdot(vcross(a->w, vcross(a->w, e)), d));
    }
}

// Rate of the turn about a_z: a_z . (w_b - w_a).
static inline void put_turn(equation *q, const ref_joint *j, const side *a, const side *b, real sign)
{
    const vec z = a->E.c[2];
    put(q, j->b, (vec){0}, vmul(sign, z));
    put(q, j->a, (vec){0}, vmul(-sign, z));
    q->gamma -= sign * vdot(vcross(a->w, z), vsub(b->w, a->w));
}

static inline void put_coordinate(equation *q, const ref_state *s, const ref_joint *j, real sign)
{
    const side a = side_of(s, j->a, j->s_a, j->E_a), b = side_of(s, j->b, j->s_b, j->E_b);
    if (j->coordinate == TURN) put_turn(q, j, &a, &b, sign);
    if (j->coordinate == SLIDE) put_along(q, j, &a, &b, a.E.c[2], true, sign);
}

static inline real coordinate_value(const ref_state *s, const ref_joint *j)
{
    const side a = side_of(s, j->a, j->s_a, j->E_a), b = side_of(s, j->b, j->s_b, j->E_b);
    return j->coordinate == TURN ? atan2l(vdot(a.E.c[1], b.E.c[0]), vdot(a.E.c[0], b.E.c[0]))
                                 : vdot(a.E.c[2], vsub(b.P, a.P));
}

static inline void put_dot(equation *q, const ref_joint *j, const side *a, const side *b, vec e, vec f)
{
    const vec turn = vcross(f, e); // (e . f)' = (w_b - w_a) . (f x e)
    put(q, j->b, (vec){0}, turn);
    put(q, j->a, (vec){0}, vmul(-1, turn));
    q->gamma -= 2 * vdot(vcross(a->w, e), vcross(b->w, f)) + vdot(e, vcross(b->w, vcross(b->w, f))) +
                vdot(f, vcross(a->w, vcross(a->w, e)));
}

static inline void put_distance(equation *q, const ref_joint *j, const side *a, const side *b)
{
    const vec d = vsub(b->P, a->P), u = vsub(b->V, a->V);
    put_along(q, j, a, b, d, false, 1);
    q->gamma -= vdot(u, u);
}

static inline void put_roll(equation *q, const ref_state *s, const ref_joint *j, const side *b,
                            const struct ref_roll *roll)
{
    const mat R = quat_matrix(s->q[j->b]);
    const vec e = roll->turns ? mvec(R, roll->linear) : roll->linear,
              f = roll->turns ? mvec(R, roll->angular) : roll->angular;
    put(q, j->b, e, vadd(vcross(b->r, e), f));
    q->rate = j->swing * sinl(j->frequency * s->t);
    q->gamma += j->swing * j->frequency * cosl(j->frequency * s->t) - vdot(e, b->centripetal);
    if (roll->turns) q->gamma -= vdot(vcross(b->w, e), b->V); // and (w x f) . w = 0
}

static inline equation equation_of(const ref_model *m, const ref_state *s, const ref_joint *j, ref_row row)
{
    equation q = {.gamma = 0};
    const side a = side_of(s, j->a, j->s_a, j->E_a), b = side_of(s, j->b, j->s_b, j->E_b);
    static const vec world[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    switch (row.kind) {
    case ROW_D:
        put_along(&q, j, &a, &b, world[row.i], false, 1);
        break;
    case ROW_A_D:
        put_along(&q, j, &a, &b, a.E.c[row.i], true, 1);
        break;
    case ROW_A_B:
        put_dot(&q, j, &a, &b, a.E.c[row.i], b.E.c[row.j]);
        break;
    case ROW_DISTANCE:
        put_distance(&q, j, &a, &b);
        break;
    case ROW_SCREW:
        put_along(&q, j, &a, &b, a.E.c[2], true, 1);
        put_turn(&q, j, &a, &b, -j->pitch);
        break;
    case ROW_GEAR:
        put_coordinate(&q, s, &m->joints[j->gear_j], 1);
        put_coordinate(&q, s, &m->joints[j->gear_i], -j->ratio);
        break;
    case ROW_MOVES:
        put_coordinate(&q, s, j, 1);
        q.rate = j->swing * j->frequency * cosl(j->frequency * s->t);
        q.gamma -= j->swing * j->frequency * j->frequency * sinl(j->frequency * s->t);
        break;
    case ROW_ROLLS:
        put_roll(&q, s, j, &b, &j->rolls[row.i]);
        break;
    }
    return q;
}

// ---- Forces ---------------------------------------------------------------------------------------------------------

static inline real product(const equation *q, const ref_model *m, const ref_state *s)
{
    real sum = 0;
    for (int i = 0; i < m->body_count; i++) {
        const real *J = q->J + 6 * i;
        sum += J[0] * s->v[i].x + J[1] * s->v[i].y + J[2] * s->v[i].z + J[3] * s->w[i].x + J[4] * s->w[i].y +
               J[5] * s->w[i].z;
    }
    return sum;
}

static inline void push(real *f, int body, vec force, vec torque)
{
    equation *as = (equation *)(void *)f; // the same six places for each body
    put(as, body, force, torque);
}

static inline void add_spring(const ref_state *s, const ref_force *e, real *f)
{
    static const mat one = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const side a = side_of(s, e->a, e->s_a, one), b = side_of(s, e->b, e->s_b, one);
    const vec d = vsub(b.P, a.P), n = vunit(d);
    const real tension = e->stiffness * (vlen(d) - e->length) + e->damping * vdot(n, vsub(b.V, a.V));
    push(f, e->b, vmul(-tension, n), vcross(b.r, vmul(-tension, n)));
    push(f, e->a, vmul(tension, n), vcross(a.r, vmul(tension, n)));
}

static inline void add_push(const ref_state *s, const ref_force *e, real *f)
{
    const vec F = vmul(sinl(e->frequency * s->t), e->force);
    push(f, e->b, F, vadd(e->torque, vcross(mvec(quat_matrix(s->q[e->b]), e->s_b), F)));
}

static inline real drive_torque(const ref_model *m, const ref_state *s, const ref_joint *j, real rate)
{
    const ref_drive *d = &j->drive;
    real torque = -d->stiffness * (coordinate_value(s, j) - d->rest) - d->damping * rate;
    if (d->friction != 0) torque -= d->friction * tanhl(rate / d->speed);
    torque += d->amplitude * sinl(d->frequency * s->t + d->phase);
    if (d->gain != 0) torque += d->gain * coordinate_value(s, &m->joints[d->other]);
    return torque;
}

static inline void add_drives(const ref_model *m, const ref_state *s, real *f)
{
    for (int k = 0; k < m->joint_count; k++) {
        const ref_joint *j = &m->joints[k];
        if (j->coordinate == NO_COORDINATE) continue;
        equation along = {.gamma = 0};
        put_coordinate(&along, s, j, 1);
        const real torque = drive_torque(m, s, j, product(&along, m, s));
        for (int i = 0; i < 6 * m->body_count; i++) f[i] += torque * along.J[i];
    }
}

// All but the joints: gravity, forces, drives, and the gyroscopic torque.
static inline void add_forces(const ref_model *m, const ref_state *s, real *f)
{
    memset(f, 0, WIDTH * sizeof *f);
    for (int i = 0; i < m->body_count; i++) {
        const mat R = quat_matrix(s->q[i]);
        const vec L = mvec(R, mvec(m->bodies[i].inertia, mtvec(R, s->w[i])));
        push(f, i, vmul(m->bodies[i].mass, m->gravity), vmul(-1, vcross(s->w[i], L)));
    }
    for (int k = 0; k < m->force_count; k++) {
        if (m->forces[k].kind == SPRING) add_spring(s, &m->forces[k], f);
        if (m->forces[k].kind == PUSH) add_push(s, &m->forces[k], f);
    }
    add_drives(m, s, f);
}

// ---- Gauss's principle ----------------------------------------------------------------------------------------------

typedef struct ref_solver {
    int rows, width, rank;
    bool nearly;         // a row is neither dependent nor clearly independent: a singular position is near
    real A[ROWS][WIDTH]; // rows times M^(-1/2), each of length 1; then the reflections of the factorisation
    real rhs[ROWS];
    real L[BODIES][6][6]; // M = L L^T of each body
} ref_solver;

// Mass matrix of a body, with no armature: 6 x 6 in the order (linear, angular).
static inline void cholesky(int n, real A[6][6])
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < k; i++) A[k][k] -= A[k][i] * A[k][i];
        A[k][k] = sqrtl(A[k][k]);
        for (int r = k + 1; r < n; r++) {
            for (int i = 0; i < k; i++) A[r][k] -= A[r][i] * A[k][i];
            A[r][k] /= A[k][k];
        }
    }
}

static inline void body_root(const ref_body *b, quat q, real L[6][6])
{
    const mat R = quat_matrix(q), I = mmul(mmul(R, b->inertia), (mat){{{R.c[0].x, R.c[1].x, R.c[2].x},
                                                                       {R.c[0].y, R.c[1].y, R.c[2].y},
                                                                       {R.c[0].z, R.c[1].z, R.c[2].z}}});
    memset(L, 0, 36 * sizeof(real));
    for (int i = 0; i < 3; i++) L[i][i] = b->mass;
    for (int c = 0; c < 3; c++) L[3][3 + c] = I.c[c].x, L[4][3 + c] = I.c[c].y, L[5][3 + c] = I.c[c].z;
    cholesky(6, L);
}

// x = L^-1 x, or x = L^-T x, body by body.
static inline void weigh(const ref_solver *z, real *x, bool transposed)
{
    for (int b = 0; b < z->width / 6; b++) {
        real *y = x + 6 * b;
        for (int k = 0; k < 6; k++) {
            const int i = transposed ? 5 - k : k;
            for (int c = 0; c < 6; c++) {
                if (transposed ? c > i : c < i) y[i] -= (transposed ? z->L[b][c][i] : z->L[b][i][c]) * y[c];
            }
            y[i] /= z->L[b][i][i];
        }
    }
}

static inline void add_row(ref_solver *z, const real *J, real rhs)
{
    real *A = z->A[z->rows], length = 0, plain = 0;
    for (int i = 0; i < z->width; i++) plain += J[i] * J[i];
    if (plain == 0) return;
    memcpy(A, J, (size_t)z->width * sizeof *A);
    weigh(z, A, false);
    for (int i = 0; i < z->width; i++) length += A[i] * A[i];
    length = sqrtl(length);
    for (int i = 0; i < z->width; i++) A[i] /= length;
    z->rhs[z->rows++] = rhs / length;
}

// a += the smallest change with A a = rhs, by Gram-Schmidt with pivoting, twice; `change` is what was added. The basis
// replaces A. Rows whose remainder is below 1e-9 depend on others; `open` is how far these are from being met, beside the
// largest right-hand side.
static inline void meet_rows(ref_solver *z, real *a, real *change, real *open)
{
    bool used[ROWS] = {false};
    real largest = 0;
    for (int r = 0; r < z->rows; r++) largest = fmaxl(largest, fabsl(z->rhs[r]));
    memset(change, 0, (size_t)z->width * sizeof *change);
    z->rank = 0;
    z->nearly = false;
    *open = 0;
    for (int k = 0; k < z->rows; k++) {
        int best = -1;
        real most = 0;
        for (int r = 0; r < z->rows; r++) {
            real n = 0;
            for (int i = 0; !used[r] && i < z->width; i++) n += z->A[r][i] * z->A[r][i];
            if (!used[r] && n > most) most = n, best = r;
        }
        if (best < 0 || sqrtl(most) < 1e-9L) {
            z->nearly = best >= 0 && sqrtl(most) > 1e-13L;
            break;
        }
        for (int r = 0; r < z->rows;
             r++) { // once more against the basis so far, which rounding has left it not normal to
            real dot = 0;
            for (int i = 0; used[r] && i < z->width; i++) dot += z->A[r][i] * z->A[best][i];
            for (int i = 0; used[r] && i < z->width; i++) z->A[best][i] -= dot * z->A[r][i];
            if (used[r]) z->rhs[best] -= dot * z->rhs[r];
        }
        used[best] = true;
        z->rank++;
        real *p = z->A[best], n = sqrtl(most), miss = z->rhs[best] / n;
        for (int i = 0; i < z->width; i++) p[i] /= n, miss -= p[i] * a[i];
        for (int i = 0; i < z->width; i++) a[i] += miss * p[i], change[i] += miss * p[i];
        const real along = z->rhs[best] /= n;
        for (int r = 0; r < z->rows; r++) {
            real dot = 0;
            for (int i = 0; !used[r] && i < z->width; i++) dot += z->A[r][i] * p[i];
            for (int i = 0; !used[r] && i < z->width; i++) z->A[r][i] -= dot * p[i];
            if (!used[r]) z->rhs[r] -= dot * along;
        }
    }
    for (int r = 0; r < z->rows; r++) {
        if (!used[r] && largest > 0) *open = fmaxl(*open, fabsl(z->rhs[r]) / largest);
    }
}

static inline void solver_begin(ref_solver *z, const ref_model *m, const ref_state *s)
{
    z->rows = 0;
    z->width = 6 * m->body_count;
    for (int i = 0; i < m->body_count; i++) body_root(&m->bodies[i], s->q[i], z->L[i]);
}

static inline void add_joint_rows(ref_solver *z, const ref_model *m, const ref_state *s)
{
    for (int k = 0; k < m->joint_count; k++) {
        for (int r = 0; r < m->joints[k].row_count; r++) {
            const equation q = equation_of(m, s, &m->joints[k], m->joints[k].rows[r]);
            add_row(z, q.J, q.gamma);
        }
    }
}

// By how much dependent rows ask for different accelerations, beside those asked for and those the forces make: a position
// at which rows depend on each other only there, and which the velocities leave.
static inline real ref_contradiction(const ref_model *m, const ref_state *s)
{
    ref_solver z;
    real a[WIDTH], change[WIDTH], open, asked = 0, made = 0;
    solver_begin(&z, m, s);
    add_forces(m, s, a);
    weigh(&z, a, false);
    add_joint_rows(&z, m, s);
    for (int i = 0; i < z.width; i++) made = fmaxl(made, fabsl(a[i]));
    for (int r = 0; r < z.rows; r++) asked = fmaxl(asked, fabsl(z.rhs[r]));
    meet_rows(&z, a, change, &open);
    return open * asked / fmaxl(fmaxl(asked, made), LDBL_MIN);
}

// Accelerations; `reaction` (or NULL) is what all joints together do to each body, force and torque about its centre.
static inline int ref_accelerations(const ref_model *m, const ref_state *s, real *a, real *reaction)
{
    ref_solver z;
    real change[WIDTH], open;
    solver_begin(&z, m, s);
    add_forces(m, s, a);
    weigh(&z, a, false);
    add_joint_rows(&z, m, s);
    meet_rows(&z, a, change, &open);
    weigh(&z, a, true);
    for (int b = 0; reaction && b < m->body_count; b++) { // M^(1/2) change
        for (int i = 0; i < 6; i++) {
            reaction[6 * b + i] = 0;
            for (int c = 0; c <= i; c++) reaction[6 * b + i] += z.L[b][i][c] * change[6 * b + c];
        }
    }
    return z.rank;
}

// The velocities nearest to those given that agree with the joints. Returns the rank of all rows, or -1 where rows
// contradict each other or a singular position is near.
static inline int ref_project_velocities(const ref_model *m, ref_state *s)
{
    ref_solver z;
    real u[WIDTH], change[WIDTH], open;
    solver_begin(&z, m, s);
    for (int k = 0; k < m->joint_count; k++) {
        for (int r = 0; r < m->joints[k].row_count; r++) {
            const equation q = equation_of(m, s, &m->joints[k], m->joints[k].rows[r]);
            add_row(&z, q.J, q.rate);
        }
    }
    for (int b = 0; b < m->body_count; b++) { // M^(1/2) u: L^T
        const real v[6] = {s->v[b].x, s->v[b].y, s->v[b].z, s->w[b].x, s->w[b].y, s->w[b].z};
        for (int i = 0; i < 6; i++) {
            u[6 * b + i] = 0;
            for (int c = i; c < 6; c++) u[6 * b + i] += z.L[b][c][i] * v[c];
        }
    }
    meet_rows(&z, u, change, &open);
    weigh(&z, u, true);
    for (int b = 0; b < m->body_count; b++) {
        s->v[b] = (vec){u[6 * b], u[6 * b + 1], u[6 * b + 2]};
        s->w[b] = (vec){u[6 * b + 3], u[6 * b + 4], u[6 * b + 5]};
    }
    return open > 1e-9L || z.nearly ? -1 : z.rank;
}

#endif
