#include "clusters.h"

#include "math/mat3.h"
#include "polhode/cone.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40, CHUNK = 8 }; // contacts of a cluster; clusters that one task solves

typedef struct task {
    const card_clusters *c;
    card_member *members;
    int count, clusters;
    double tolerance;
    int *cluster; // by member: its cluster, then members sorted by it
    int *order, *start;
} task;

// ---- Who belongs together ---------------------------------------------------------------------------------------------

static int root_of(int *parent, int k)
{
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

static void join(int *parent, int a, int b)
{
    const int p = root_of(parent, a), q = root_of(parent, b);
    if (p < q) parent[q] = p;
    if (q < p) parent[p] = q;
}

typedef struct body_use {
    int body, member;
} body_use;

static int compare_uses(const void *a, const void *b)
{
    const body_use *p = a, *q = b;
    return p->body != q->body ? (p->body < q->body ? -1 : 1) : (p->member > q->member) - (p->member < q->member);
}

// parent <- members that share a body with a contact beyond the tolerance belong to the same root
static void connect(const task *t, body_use *uses, int *parent)
{
    int n = 0;
    for (int k = 0; k < t->count; k++) {
        const card_member *m = &t->members[k];
        parent[k] = k;
        if (m->a_in) uses[n++] = (body_use){m->a, k};
        if (m->b_in) uses[n++] = (body_use){m->b, k};
    }
    qsort(uses, (size_t)n, sizeof *uses, compare_uses);
    for (int k = 1; k < n; k++)
        if (uses[k].body == uses[k - 1].body) join(parent, uses[k].member, uses[k - 1].member);
}

// Members by cluster. Roots come before the others of their cluster, so that clusters have the order of their roots.
static void sort_members(task *t, int *parent)
{
    t->clusters = 0;
    for (int k = 0; k < t->count; k++)
        t->cluster[k] = root_of(parent, k) == k ? t->clusters++ : t->cluster[root_of(parent, k)];
    memset(t->start, 0, sizeof(int) * ((size_t)t->clusters + 2));
    for (int k = 0; k < t->count; k++) t->start[t->cluster[k] + 2]++;
    for (int c = 2; c < t->clusters + 2; c++) t->start[c] += t->start[c - 1];
    for (int k = 0; k < t->count; k++) t->order[t->start[t->cluster[k] + 1]++] = k;
}

// ---- One cluster ------------------------------------------------------------------------------------------------------

typedef struct problem {
    int count;
    card_member *member[MOST];
    ph_vec3 axes[MOST][3];
    ph_cone cones[MOST];
    double q[3 * MOST], g[3 * MOST], u[3 * MOST], value[9 * MOST * MOST];
    int start[3 * MOST + 1], column[9 * MOST * MOST];
} problem;

static ph_vec3 vec_of(const double *x)
{
    return (ph_vec3){x[0], x[1], x[2]};
}

static ph_vec3 spun(const double *I, ph_vec3 a)
{
    return (ph_vec3){I[0] * a.x + I[5] * a.y + I[4] * a.z, I[5] * a.x + I[1] * a.y + I[3] * a.z,
                     I[4] * a.x + I[3] * a.y + I[2] * a.z};
}

typedef struct side { // of a contact, on one of its bodies
    int body;
    double sign, inverse_mass;
    const double *spin;
    ph_vec3 arm;
} side;

static side side_of(const card_member *m, int b)
{
    if (b) return (side){m->b, 1.0, m->inverse_mass_b, m->spin_b, vec_of(m->arm_b)};
    return (side){m->a, -1.0, m->inverse_mass_a, m->spin_a, vec_of(m->arm_a)};
}

// N_ij x: the velocity at contact i that an impulse x at contact j gives
static ph_vec3 velocity_from(const card_member *i, const card_member *j, ph_vec3 x)
{
    ph_vec3 u = ph_zero3();
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++) {
            const side s = side_of(i, p), t = side_of(j, q);
            if (s.body < 0 || s.body != t.body) continue;
            const ph_vec3 w = spun(s.spin, ph_cross(t.arm, x));
            u = ph_madd(u, s.sign * t.sign, ph_madd(ph_cross(w, s.arm), s.inverse_mass, x));
        }
    return u;
}

static void set_axes(problem *p, int k)
{
    const card_member *m = p->member[k];
    const ph_vec3 n = vec_of(m->n), s = ph_any_perpendicular(n);
    p->axes[k][0] = n;
    p->axes[k][1] = s;
    p->axes[k][2] = ph_cross(n, s);
    p->cones[k] = (ph_cone){.kind = PH_CONE_FRICTION, .friction = m->mu};
    for (int r = 0; r < 3; r++) p->g[3 * k + r] = ph_dot(p->axes[k][r], vec_of(m->x));
}

static void set_block(problem *p, int i, int j)
{
    const int rows = 3 * p->count;
    for (int c = 0; c < 3; c++) {
        const ph_vec3 u = velocity_from(p->member[i], p->member[j], p->axes[j][c]);
        for (int r = 0; r < 3; r++) p->value[(3 * i + r) * rows + 3 * j + c] = ph_dot(p->axes[i][r], u);
    }
    if (i == j) p->value[3 * i * rows + 3 * i] += p->member[i]->soft;
}

// q = u - N x: velocities without the impulses of the cluster
static void set_problem(problem *p)
{
    const int rows = 3 * p->count;
    for (int k = 0; k < p->count; k++) set_axes(p, k);
    for (int i = 0; i < p->count; i++)
        for (int j = 0; j < p->count; j++) set_block(p, i, j);
    for (int r = 0; r <= rows; r++) p->start[r] = r * rows;
    for (int r = 0; r < rows; r++) {
        const card_member *m = p->member[r / 3];
        double sum = ph_dot(p->axes[r / 3][r % 3], vec_of(m->u)) + (r % 3 ? 0.0 : m->bias + m->soft * p->g[r]);
        for (int c = 0; c < rows; c++) {
            p->column[r * rows + c] = c;
            sum -= p->value[r * rows + c] * p->g[c];
        }
        p->q[r] = sum;
    }
}

static void solve_cluster(problem *p, ph_cone_workspace *cones, double tolerance)
{
    set_problem(p);
    const ph_cone_matrix N = {3 * p->count, p->start, p->column, p->value};
    const ph_cone_problem cone = {p->count, p->cones, p->q, ph_cone_matrix_operator(&N)};
    ph_cone_settings settings = ph_default_cone();
    ph_cone_report report;
    settings.solver = "newton";
    settings.tolerance = 0.1 * tolerance;
    settings.iterations = 60;
    settings.start = true;
    if (ph_cone_solve(cones, &cone, &settings, p->g, p->u, &report, NULL) != PH_OK || !(report.residual <= tolerance))
        return;
    for (int k = 0; k < p->count; k++) {
        ph_vec3 x = ph_zero3();
        for (int r = 0; r < 3; r++) x = ph_madd(x, p->g[3 * k + r], p->axes[k][r]);
        memcpy(p->member[k]->x, &x, sizeof x);
        p->member[k]->solved = 1;
    }
}

// ---- All of them ------------------------------------------------------------------------------------------------------

static void solve_chunk(void *user, int chunk)
{
    const task *t = user;
    ph_cone_workspace *cones = ph_cone_workspace_create(NULL);
    problem *p = malloc(sizeof *p);
    const int end = (chunk + 1) * CHUNK < t->clusters ? (chunk + 1) * CHUNK : t->clusters;
    for (int c = chunk * CHUNK; c < end && cones && p; c++) {
        p->count = 0;
        for (int k = t->start[c]; k < t->start[c + 1] && p->count < MOST; k++)
            p->member[p->count++] = &t->members[t->order[k]];
        solve_cluster(p, cones, t->tolerance);
    }
    free(p);
    ph_cone_workspace_destroy(cones);
}

// By who touches: an order that does not depend on colours and machines.
static int compare_members(const void *a, const void *b)
{
    const card_member *p = a, *q = b;
    if (p->shape_a != q->shape_a) return p->shape_a < q->shape_a ? -1 : 1;
    if (p->shape_b != q->shape_b) return p->shape_b < q->shape_b ? -1 : 1;
    if (p->feature != q->feature) return p->feature < q->feature ? -1 : 1;
    return (p->place > q->place) - (p->place < q->place);
}

void clusters_settle(void *user, card_member *members, int count, double tolerance)
{
    const card_clusters *c = user;
    task t = {.c = c, .members = members, .count = count, .tolerance = tolerance};
    const size_t n = (size_t)count;
    int *memory = malloc((4 * n + 2) * sizeof *memory);
    body_use *uses = malloc((2 * n + 1) * sizeof *uses);
    if (memory && uses) {
        qsort(members, n, sizeof *members, compare_members);
        t.cluster = memory;
        t.order = memory + n;
        t.start = memory + 2 * n;
        connect(&t, uses, memory + 3 * n + 2);
        sort_members(&t, memory + 3 * n + 2);
        pool_run(c->pool, solve_chunk, &t, pool_parts(t.clusters, CHUNK));
    }
    free(memory);
    free(uses);
}
