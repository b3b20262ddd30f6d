// M = sum over bodies of J^T (m, I) J, and armatures. See mass_matrix.h.

#include "io/robot/mass_matrix.h"

#include "io/robot/kinematics.h"
#include "io/robot/mesh.h"
#include "math/mat3.h"
#include "math/quat.h"

#include <math.h>

enum { VELOCITIES_MAX = 600 };

static int velocities(const robot_joint *j)
{
    return j->kind == JOINT_FREE ? 6 : j->kind == JOINT_BALL ? 3 : 1;
}

typedef struct column {
    ph_vec3 omega, v; // of the body's centre of mass
} column;

static ph_vec3 unit(int k)
{
    return (ph_vec3){k == 0, k == 1, k == 2};
}

// The k-th motion of a joint, of a point that moves with it.
static column motion(const robot *r, const robot_joint *j, int k, ph_vec3 at)
{
    const pose *body = &r->bodies[j->body].world;
    if (j->kind == JOINT_SLIDE) return (column){ph_zero3(), j->world_axis};
    if (j->kind == JOINT_FREE && k < 3) return (column){ph_zero3(), unit(k)};
    const ph_vec3 axis = j->kind == JOINT_BALL   ? ph_quat_rotate(body->q, unit(k))
                         : j->kind == JOINT_FREE ? ph_quat_rotate(body->q, unit(k - 3))
                                                 : j->world_axis;
    const ph_vec3 point = j->kind == JOINT_FREE ? body->p : j->world_anchor;
    ph_vec3 v = ph_cross(axis, ph_sub(at, point));
    if (j->kind == JOINT_SCREW) v = ph_madd(v, j->pitch, axis);
    return (column){axis, v};
}

static int gather(const robot *r, const mass_matrix *m, int body, ph_vec3 at, column *to, int *index)
{
    int count = 0;
    for (int i = body; i > 0; i = r->bodies[i].parent) {
        for (int k = 0; k < r->bodies[i].joint_count; k++) {
            const int joint = r->bodies[i].first_joint + k;
            for (int d = 0; d < velocities(&r->joints[joint]); d++) {
                to[count] = motion(r, &r->joints[joint], d, at);
                index[count++] = m->first[joint] + d;
            }
        }
    }
    return count;
}

static void add_body(const robot *r, const mass_matrix *m, int body, column *columns, int *index)
{
    const robot_body *b = &r->bodies[body];
    const ph_mat3 I = inertia_turned(b->inertia, b->world.q);
    const int count = gather(r, m, body, pose_apply(b->world, b->com), columns, index);
    for (int i = 0; i < count; i++) {
        const ph_vec3 turning = ph_mul(I, columns[i].omega);
        for (int j = 0; j < count; j++) {
            m->L[(size_t)index[i] * (size_t)m->n + (size_t)index[j]] +=
                b->mass * ph_dot(columns[i].v, columns[j].v) + ph_dot(turning, columns[j].omega);
        }
    }
}

static bool factor(const mass_matrix *m)
{
    const size_t n = (size_t)m->n;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = m->L[i * n + j];
            for (size_t k = 0; k < j; k++) sum -= m->L[i * n + k] * m->L[j * n + k];
            if (i == j && !(sum > 0.0)) return false;
            m->L[i * n + j] = i == j ? sqrt(sum) : sum / m->L[j * n + j];
        }
    }
    return true;
}

bool mass_matrix_make(robot *r, mass_matrix *m)
{
    *m = (mass_matrix){.first = robot_alloc(r, (size_t)r->joints_count + 1, sizeof *m->first)};
    for (int i = 0; m->first && i < r->joints_count; i++) {
        m->first[i] = m->n;
        m->n += velocities(&r->joints[i]);
    }
    if (m->n > VELOCITIES_MAX) return false;
    const size_t n = (size_t)m->n;
    column *columns = robot_alloc(r, n + 1, sizeof *columns);
    int *index = robot_alloc(r, n + 1, sizeof *index);
    m->L = robot_alloc(r, n * n + 1, sizeof *m->L);
    if (r->out_of_memory) return false;
    robot_place_as_drawn(r);
    for (int i = 1; i < r->bodies_count; i++) add_body(r, m, i, columns, index);
    for (int i = 0; i < r->joints_count; i++) {
        for (int d = 0; d < velocities(&r->joints[i]); d++) {
            m->L[(size_t)(m->first[i] + d) * (n + 1)] += r->joints[i].armature;
        }
    }
    return factor(m);
}

double mass_matrix_felt(const mass_matrix *m, double *J)
{
    const size_t n = (size_t)m->n;
    double sum = 0.0; // |L^-1 J^T|^2
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) J[i] -= m->L[i * n + k] * J[k];
        J[i] /= m->L[i * (n + 1)];
        sum += J[i] * J[i];
    }
    return sum > 0.0 ? 1.0 / sum : 0.0;
}
