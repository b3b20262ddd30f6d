// Closing loops in joint coordinates: Levenberg-Marquardt on what is open, from the pose as drawn, then from random poses near it.
//
// Loops of robot files may be open by metres and half turns. In joint coordinates the tree stays whole on the way, which Newton's
// method on bodies does not promise.

#include "io/robot/kinematics.h"
#include "math/quat.h"
#include "math/so3.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { TRIES = 24, ITERATIONS = 300, UNKNOWNS_MAX = 600 };

static const double closed = 1e-13, good_enough = 1e-11;

typedef struct assembly {
    robot *r;
    int unknowns, rows;
    int *first;                   // unknown of each joint; -1: none
    double *residual, *J, *A, *b; // rows, rows x unknowns, unknowns squared, unknowns
    double *q, *best_q, *old_q;   // coordinates of joints
    ph_quat *turn, *best_turn, *old_turn;
    uint64_t random;
} assembly;

// ---- What is open -----------------------------------------------------------------------------------------------------------

// The rotation vector of q, the shorter way.
static ph_vec3 rotation_vector(ph_quat q)
{
    const double sign = q.w < 0.0 ? -1.0 : 1.0, s = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    const double k = s > 1e-12 ? 2.0 * atan2(s, fabs(q.w)) / s : 2.0;
    return (ph_vec3){sign * k * q.x, sign * k * q.y, sign * k * q.z};
}

void loop_gap(const robot *r, const robot_loop *loop, ph_vec3 *apart, ph_vec3 *turn)
{
    const pose a = pose_mul(r->bodies[loop->body[0]].world, loop->frame[0]);
    const pose b = pose_mul(r->bodies[loop->body[1]].world, loop->frame[1]);
    *apart = ph_sub(b.p, a.p);
    *turn = rotation_vector(ph_quat_mul(b.q, ph_quat_conj(a.q))); // world axes
    if (loop->kind == LOOP_REVOLUTE || loop->kind == LOOP_CONNECT) *turn = (ph_vec3){0};
    if (loop->kind == LOOP_REVOLUTE) { // only the axes count
        const ph_vec3 x = ph_quat_rotate(a.q, loop->axis), y = ph_quat_rotate(b.q, loop->axis);
        *turn = ph_cross(x, y);
    }
}

double coupling_gap(const robot *r, const robot_loop *loop, double *slope)
{
    const robot_joint *y = &r->joints[loop->joint[0]], *x = loop->joint[1] >= 0 ? &r->joints[loop->joint[1]] : NULL;
    const double d = x ? x->q - x->ref : 0.0, *p = loop->polynomial;
    *slope = p[1] + d * (2.0 * p[2] + d * (3.0 * p[3] + d * 4.0 * p[4]));
    return y->q - y->ref - (p[0] + d * (p[1] + d * (p[2] + d * (p[3] + d * p[4]))));
}

static int rows_of(const robot_loop *loop)
{
    return loop->kind == LOOP_COUPLING ? 1 : loop->kind == LOOP_CONNECT ? 3 : 6;
}

static bool carries(const robot *r, int joint_body, int body)
{
    while (body > 0 && body != joint_body) body = r->bodies[body].parent;
    return body == joint_body;
}

// Adds the columns of a joint for a point that moves with it: sign times (axis x arm, axis).
static void add_columns(assembly *a, int joint, double sign, ph_vec3 point, double *row, int count)
{
    const robot_joint *j = &a->r->joints[joint];
    const int n = j->kind == JOINT_BALL ? 3 : 1;
    for (int k = 0; k < n; k++) {
        const ph_vec3 unit = {k == 0, k == 1, k == 2};
        const ph_vec3 axis = n == 3 ? ph_quat_rotate(j->world_frame, unit) : j->world_axis;
        const bool slides = j->kind == JOINT_SLIDE;
        const ph_vec3 move = slides ? axis : ph_cross(axis, ph_sub(point, j->world_anchor));
        const double v[6] = {
            move.x, move.y, move.z, slides ? 0.0 : axis.x, slides ? 0.0 : axis.y, slides ? 0.0 : axis.z};
        for (int i = 0; i < count; i++)
            row[(size_t)i * (size_t)a->unknowns + (size_t)(a->first[joint] + k)] += sign * v[i];
    }
}

static void loop_rows(assembly *a, const robot_loop *loop, double *residual, double *row, int count)
{
    robot *r = a->r;
    ph_vec3 apart, turn;
    loop_gap(r, loop, &apart, &turn);
    const double v[6] = {apart.x, apart.y, apart.z, turn.x, turn.y, turn.z};
    memcpy(residual, v, (size_t)count * sizeof *v);
    for (int end = 0; end < 2; end++) {
        const ph_vec3 point = pose_apply(r->bodies[loop->body[end]].world, loop->frame[end].p);
        for (int j = 0; j < r->joints_count; j++) {
            if (a->first[j] >= 0 && carries(r, r->joints[j].body, loop->body[end])) {
                add_columns(a, j, end ? 1.0 : -1.0, point, row, count);
            }
        }
    }
}

static double measure(assembly *a)
{
    robot *r = a->r;
    double sum = 0.0;
    int at = 0;
    robot_place(r);
    memset(a->J, 0, (size_t)a->rows * (size_t)a->unknowns * sizeof *a->J);
    for (int i = 0; i < r->loops_count; i++) {
        const robot_loop *loop = &r->loops[i];
        double *row = a->J + (size_t)at * (size_t)a->unknowns, slope;
        if (loop->kind == LOOP_COUPLING) {
            a->residual[at] = coupling_gap(r, loop, &slope);
            if (a->first[loop->joint[0]] >= 0) row[a->first[loop->joint[0]]] += 1.0;
            if (loop->joint[1] >= 0 && a->first[loop->joint[1]] >= 0) row[a->first[loop->joint[1]]] -= slope;
        } else {
            loop_rows(a, loop, a->residual + at, row, rows_of(loop));
        }
        at += rows_of(loop);
    }
    for (int i = 0; i < a->rows; i++) sum += a->residual[i] * a->residual[i];
    return sum;
}

static double worst_of(const assembly *a)
{
    double worst = 0.0;
    for (int i = 0; i < a->rows; i++) worst = fmax(worst, fabs(a->residual[i]));
    return worst;
}

// ---- One step ---------------------------------------------------------------------------------------------------------------

// (J^T J + damp) x = -J^T residual, by Cholesky; x in a->b. False when the factor breaks down.
static bool solve(assembly *a, double damp)
{
    const size_t n = (size_t)a->unknowns;
    for (size_t i = 0; i < n; i++) {
        double rhs = 0.0;
        for (int k = 0; k < a->rows; k++) rhs -= a->J[(size_t)k * n + i] * a->residual[k];
        a->b[i] = rhs;
        for (size_t j = 0; j <= i; j++) {
            double sum = i == j ? damp : 0.0;
            for (int k = 0; k < a->rows; k++) sum += a->J[(size_t)k * n + i] * a->J[(size_t)k * n + j];
            a->A[i * n + j] = sum;
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = a->A[i * n + j];
            for (size_t k = 0; k < j; k++) sum -= a->A[i * n + k] * a->A[j * n + k];
            if (i == j && !(sum > 0.0)) return false;
            a->A[i * n + j] = i == j ? sqrt(sum) : sum / a->A[j * n + j];
        }
        for (size_t k = 0; k < i; k++) a->b[i] -= a->A[i * n + k] * a->b[k];
        a->b[i] /= a->A[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) a->b[i] -= a->A[k * n + i] * a->b[k];
        a->b[i] /= a->A[i * n + i];
    }
    return true;
}

static void move(assembly *a, const double *x, double scale)
{
    for (int j = 0; j < a->r->joints_count; j++) {
        robot_joint *joint = &a->r->joints[j];
        const double *d = x + a->first[j];
        if (a->first[j] < 0) {
            continue;
        }
        if (joint->kind == JOINT_BALL) {
            const ph_vec3 turn = {scale * d[0], scale * d[1], scale * d[2]};
            joint->turn = ph_quat_unit(ph_quat_mul(ph_quat_exp(turn), joint->turn));
        } else {
            joint->q += scale * d[0];
        }
    }
}

static void save(const assembly *a, double *q, ph_quat *turn)
{
    for (int j = 0; j < a->r->joints_count; j++) q[j] = a->r->joints[j].q, turn[j] = a->r->joints[j].turn;
}

static void restore(const assembly *a, const double *q, const ph_quat *turn)
{
    for (int j = 0; j < a->r->joints_count; j++) a->r->joints[j].q = q[j], a->r->joints[j].turn = turn[j];
}

static double descend(assembly *a)
{
    double damp = 1e-3, sum = measure(a), worst = worst_of(a);
    for (int k = 0; k < ITERATIONS && worst > closed && damp < 1e6; k++) {
        double longest = 0.0;
        save(a, a->old_q, a->old_turn);
        if (!solve(a, damp)) {
            damp *= 4.0;
            continue;
        }
        for (int i = 0; i < a->unknowns; i++) longest = fmax(longest, fabs(a->b[i]));
        move(a, a->b, longest > 0.5 ? 0.5 / longest : 1.0);
        const double further = measure(a);
        if (further < sum) {
            sum = further;
            worst = worst_of(a);
            damp = fmax(damp / 5.0, 1e-20);
        } else {
            restore(a, a->old_q, a->old_turn);
            measure(a);
            damp *= 4.0;
        }
    }
    return worst;
}

// ---- Many starts --------------------------------------------------------------------------------------------------------------

static double random_number(assembly *a) // -1 ... 1
{
    a->random = a->random * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(a->random >> 11) * 0x1p-52 - 1.0;
}

static void shake(assembly *a, double size)
{
    for (int i = 0; i < a->unknowns; i++) a->b[i] = random_number(a);
    move(a, a->b, size);
}

static bool make(assembly *a)
{
    robot *r = a->r;
    a->first = robot_alloc(r, (size_t)r->joints_count + 1, sizeof *a->first);
    for (int j = 0; a->first && j < r->joints_count; j++) {
        const joint_kind kind = r->joints[j].kind;
        a->first[j] = kind == JOINT_FREE ? -1 : a->unknowns;
        a->unknowns += kind == JOINT_FREE ? 0 : kind == JOINT_BALL ? 3 : 1;
    }
    for (int i = 0; i < r->loops_count; i++) a->rows += rows_of(&r->loops[i]);
    const size_t n = (size_t)a->unknowns, m = (size_t)a->rows, joints = (size_t)r->joints_count;
    a->residual = robot_alloc(r, m, sizeof(double));
    a->J = robot_alloc(r, m * n, sizeof(double));
    a->A = robot_alloc(r, n * n, sizeof(double));
    a->b = robot_alloc(r, n, sizeof(double));
    a->q = robot_alloc(r, 3 * joints, sizeof(double));
    a->turn = robot_alloc(r, 3 * joints, sizeof(ph_quat));
    if (r->out_of_memory) {
        return false;
    }
    a->best_q = a->q + joints, a->old_q = a->q + 2 * joints;
    a->best_turn = a->turn + joints, a->old_turn = a->turn + 2 * joints;
    return true;
}

static bool touches_free(const robot *r, const robot_loop *loop)
{
    for (int end = 0; end < 2 && loop->kind != LOOP_COUPLING; end++) {
        for (int i = loop->body[end]; i > 0; i = r->bodies[i].parent) {
            if (r->bodies[i].joint_count == 1 && r->joints[r->bodies[i].first_joint].kind == JOINT_FREE) return true;
        }
    }
    return false;
}

static void report_open(robot *r, double tolerance)
{
    for (int i = 0; i < r->loops_count; i++) {
        const robot_loop *loop = &r->loops[i];
        ph_vec3 apart = {0}, turn = {0};
        double slope;
        if (loop->kind == LOOP_COUPLING) {
            apart.x = coupling_gap(r, loop, &slope);
        } else {
            loop_gap(r, loop, &apart, &turn);
        }
        const bool floating = touches_free(r, loop);
        if (floating && ph_norm(turn) <= tolerance && ph_norm(apart) > tolerance) {
            r->project = true; // bodies move, not only joints
        } else if (ph_norm(apart) > tolerance || (rows_of(loop) == 6 && ph_norm(turn) > tolerance)) {
            robot_fail(r, loop->node, NULL, "--without equality leaves loops open",
                       "the loop '%.60s' cannot be closed: it stays open by %.3g m and %.3g rad",
                       loop->name ? loop->name : "", ph_norm(apart), ph_norm(turn));
        }
    }
}

void robot_assemble(robot *r)
{
    assembly a = {.r = r, .random = 1};
    robot_place_at_start(r);
    if (r->loops_count == 0 || r->options.no_equality || !make(&a) || a.unknowns > UNKNOWNS_MAX) {
        return;
    }
    measure(&a);
    double least = worst_of(&a);
    if (least <= good_enough) {
        return;
    }
    save(&a, a.best_q, a.best_turn);
    for (int k = 0; k < TRIES && least > good_enough && a.unknowns > 0; k++) {
        robot_place_at_start(r);
        if (k > 0) shake(&a, fmin(1.5, 0.2 * k));
        const double worst = descend(&a);
        if (worst < least) {
            least = worst;
            save(&a, a.best_q, a.best_turn);
        }
    }
    restore(&a, a.best_q, a.best_turn);
    robot_place(r);
    robot_note(r, r->loops[0].node,
               robot_printf(r, "loops that are open as drawn are closed to %.1e by moving the joints", least));
    report_open(r, 1e-9);
}
