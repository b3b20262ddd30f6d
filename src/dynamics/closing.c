#include "dynamics/closing.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

// Squared sines above and below which there is no doubt.
static const double CLEARLY_OWN = 1e-3, CLEARLY_DEPENDENT = 1e-12;
static const double NEARLY_DEPENDENT = 1e-5; // then the matrix of all rows is better

// ---- Life -----------------------------------------------------------------------------------------------------------

int closing_rows(const elimination *tree)
{
    const forest *f = &tree->forest;
    int rows = 0;
    for (int k = 0; k < f->closing_count; k++)
        if (!elimination_has_rows(tree, f->closing[k])) rows += tree->model->joints[f->closing[k]].row_count;
    return rows;
}

static void list_joints(closings *c, int *joints)
{
    const forest *f = &c->tree->forest;
    c->joints = joints;
    for (int k = 0; k < f->closing_count; k++)
        if (!elimination_has_rows(c->tree, f->closing[k])) joints[c->joint_count++] = f->closing[k];
}

bool closing_create(elimination *tree, const int *B_of, int x_count, int ties, arena *memory, closings *c)
{
    const size_t rows = (size_t)closing_rows(tree) + (size_t)ties;
    *c = (closings){.model = tree->model, .tree = tree, .B_of = B_of, .tie_count = ties, .x_count = x_count};
    int *joints = arena_alloc_array(memory, (size_t)tree->forest.closing_count + 1, sizeof *joints);
    c->ties = arena_alloc_array(memory, (size_t)ties + 1, sizeof *c->ties);
    c->rows = arena_alloc_array(memory, rows + 1, sizeof *c->rows);
    c->Z = arena_alloc_array(memory, rows * (size_t)x_count + 1, sizeof(double));
    c->S = arena_alloc_array(memory, rows * rows + 1, sizeof(double));
    c->lambda = arena_alloc_array(memory, rows + 1, sizeof(double));
    c->kept = arena_alloc_array(memory, rows + 1, sizeof(int));
    if (!c->rows || !c->ties || !c->Z || !c->S || !c->lambda || !c->kept || !joints) return false;
    list_joints(c, joints);
    for (int k = 0; k < c->joint_count; k++)
        for (int r = 0; r < c->model->joints[c->joints[k]].row_count; r++)
            c->rows[c->row_count++] = (closing_row){.joint = c->joints[k], .row = r};
    return true;
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

static double *column(const closings *c, int row)
{
    return c->Z + (size_t)row * (size_t)c->x_count;
}

void closing_put(closings *c, double weight, const double *here, const double *there, const ph_mat3 *T, size_t stride)
{
    c->weight = weight;
    for (int i = 0; i < c->row_count; i++) {
        closing_row *it = &c->rows[i];
        const joint *j = &c->model->joints[it->joint];
        double *z = column(c, i);
        memset(z, 0, (size_t)c->x_count * sizeof *z);
        for (int k = 0; k < j->body_count; k++) {
            const int at = c->B_of[it->joint] + 6 * (k * j->row_count + it->row);
            const int moving = c->model->bodies[j->bodies[k]].moving;
            double *C = it->trial + 6 * k;
            for (int n = 0; n < 6; n++) z[c->tree->body_x[moving] + n] = weight * here[at + n];
            memcpy(C, there + at, 6 * sizeof *C);
            if (!T) continue;
            const ph_mat3 *own = (const ph_mat3 *)(const void *)((const char *)T + (size_t)moving * stride);
            const ph_vec3 turn = ph_tmul(*own, ph_vec(C[0], C[1], C[2]));
            C[0] = turn.x, C[1] = turn.y, C[2] = turn.z;
        }
    }
}

static double *place_of(const closings *c, int body, double *x)
{
    const int moving = c->model->bodies[body].moving;
    return moving < 0 ? NULL : x + c->tree->body_x[moving];
}

void closing_put_tie(closings *c, int tie, double resistance, const ph_wrench *a, const ph_wrench *b)
{
    closing_tie *it = &c->ties[tie];
    double *z = column(c, c->row_count + tie);
    const ph_wrench *ends[2] = {a, b};
    memset(z, 0, (size_t)c->x_count * sizeof *z);
    it->resistance = resistance;
    for (int k = 0; k < 2; k++) {
        const ph_vec3 turn = ends[k]->torque, move = ends[k]->force;
        const double g[6] = {turn.x, turn.y, turn.z, move.x, move.y, move.z};
        double *to = place_of(c, it->bodies[k], z);
        memcpy(it->g[k], g, sizeof g);
        for (int n = 0; to && n < 6; n++) to[n] = c->weight * g[n];
    }
}

static double tie_product(const closings *c, const closing_tie *it, const double *x)
{
    double sum = 0.0;
    for (int k = 0; k < 2; k++) {
        const int moving = c->model->bodies[it->bodies[k]].moving;
        for (int n = 0; moving >= 0 && n < 6; n++) sum += it->g[k][n] * x[c->tree->body_x[moving] + n];
    }
    return sum;
}

// C x of one row
static double product(const closings *c, int row, const double *x)
{
    if (row >= c->row_count) return tie_product(c, &c->ties[row - c->row_count], x);
    const closing_row *it = &c->rows[row];
    const joint *j = &c->model->joints[it->joint];
    double sum = 0.0;
    for (int k = 0; k < j->body_count; k++) {
        const double *v = x + c->tree->body_x[c->model->bodies[j->bodies[k]].moving], *C = it->trial + 6 * k;
        for (int n = 0; n < 6; n++) sum += C[n] * v[n];
    }
    return sum;
}

static void keep_ties(closings *c)
{
    for (int k = 0; k < c->tie_count; k++)
        if (c->ties[k].resistance != 0.0) c->kept[c->kept_count++] = c->row_count + k;
}

void closing_keep(closings *c, const unsigned char *left_out)
{
    c->kept_count = 0;
    for (int i = 0; i < c->row_count; i++)
        if (!(left_out[c->rows[i].joint] >> c->rows[i].row & 1u)) c->kept[c->kept_count++] = i;
    keep_ties(c);
}

// ---- Factor ---------------------------------------------------------------------------------------------------------

// C M^-1 C^T of one row: its diagonal if no joint held the bodies. Nothing of a tie, which gives way.
static double freely(const closings *c, int row)
{
    if (row >= c->row_count) return 0.0;
    const closing_row *it = &c->rows[row];
    const joint *j = &c->model->joints[it->joint];
    double sum = 0.0;
    for (int k = 0; k < j->body_count; k++) {
        const body_kind *kind = c->model->bodies[j->bodies[k]].kind;
        const double *C = it->trial + 6 * k;
        const ph_vec3 turn = ph_vec(C[0], C[1], C[2]), move = ph_vec(C[3], C[4], C[5]);
        sum += ph_dot(turn, ph_mul(kind->J_inverse, turn)) + ph_norm2(move) / kind->mass;
    }
    return sum;
}

// S = L U in place. S is nearly symmetric and positive, so pivots stay where they are; one that is small beside what its row
// would have if no joint held the bodies means that rows are nearly dependent: false.
static bool factor(const closings *c, double *S)
{
    const int n = c->kept_count;
    for (int p = 0; p < n; p++) {
        const double d = S[p * n + p];
        if (!(d > NEARLY_DEPENDENT * c->weight * freely(c, c->kept[p])) || !isfinite(d)) return false;
        for (int r = p + 1; r < n; r++) {
            const double l = S[r * n + p] /= d;
            for (int k = p + 1; k < n; k++) S[r * n + k] -= l * S[p * n + k];
        }
    }
    return true;
}

static void substitute(const double *S, int n, double *x)
{
    for (int r = 0; r < n; r++)
        for (int k = 0; k < r; k++) x[r] -= S[r * n + k] * x[k];
    for (int r = n - 1; r >= 0; r--) {
        for (int k = r + 1; k < n; k++) x[r] -= S[r * n + k] * x[k];
        x[r] /= S[r * n + r];
    }
}

static bool factor_kept(closings *c)
{
    const int n = c->kept_count;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) c->S[a * n + b] = product(c, c->kept[a], column(c, c->kept[b]));
    for (int a = 0; a < n; a++)
        if (c->kept[a] >= c->row_count) c->S[a * n + a] += c->weight / c->ties[c->kept[a] - c->row_count].resistance;
    return factor(c, c->S);
}

bool closing_factor(closings *c)
{
    for (int b = 0; b < c->kept_count; b++) elimination_solve_loads(c->tree, column(c, c->kept[b]));
    return factor_kept(c);
}

// ---- Which rows ------------------------------------------------------------------------------------------------------

// Row a against the tree and the rows kept so far: U^T D U in place. What is left of its diagonal, as a part of it.
static double part_left(const closings *c, double *S, int a, int kept)
{
    const int n = c->row_count;
    for (int k = 0; k < kept; k++) {
        const int b = c->kept[k];
        for (int e = 0; e < k; e++) {
            const int o = c->kept[e];
            S[a * n + b] -= S[a * n + o] * S[b * n + o] / S[o * n + o];
        }
    }
    for (int k = 0; k < kept; k++) {
        const int b = c->kept[k];
        S[a * n + a] -= S[a * n + b] * S[a * n + b] / S[b * n + b];
    }
    return S[a * n + a] / freely(c, a);
}

bool closing_choose(closings *c, unsigned char *left_out)
{
    const int n = c->row_count;
    for (int b = 0; b < n; b++) elimination_solve_loads(c->tree, column(c, b));
    for (int a = 0; a < n; a++)
        for (int b = 0; b <= a; b++) c->S[a * n + b] = product(c, a, column(c, b));
    c->kept_count = 0;
    for (int k = 0; k < c->joint_count; k++) left_out[c->joints[k]] = 0;
    for (int a = 0; a < n; a++) {
        const double part = part_left(c, c->S, a, c->kept_count);
        if (part > CLEARLY_OWN)
            c->kept[c->kept_count++] = a;
        else if (part < CLEARLY_DEPENDENT)
            left_out[c->rows[a].joint] |= (unsigned char)(1u << c->rows[a].row);
        else
            return false;
    }
    keep_ties(c);
    for (int b = n; b < n + c->tie_count; b++)
        if (c->ties[b - n].resistance != 0.0) elimination_solve_loads(c->tree, column(c, b));
    return factor_kept(c);
}

// ---- Solve ----------------------------------------------------------------------------------------------------------

void closing_solve(closings *c, double *x)
{
    const int n = c->kept_count;
    for (int a = 0; a < n; a++) {
        const closing_row *it = &c->rows[c->kept[a]];
        c->lambda[a] = product(c, c->kept[a], x);
        if (c->kept[a] < c->row_count) c->lambda[a] -= x[c->tree->joint_x[it->joint] + it->row];
    }
    substitute(c->S, n, c->lambda);
    for (int i = 0; i < c->row_count; i++) x[c->tree->joint_x[c->rows[i].joint] + c->rows[i].row] = 0.0;
    for (int a = 0; a < n; a++) {
        const double *z = column(c, c->kept[a]), l = c->lambda[a];
        for (int i = 0; i < c->x_count; i++) x[i] -= l * z[i];
    }
    for (int a = 0; a < n && c->kept[a] < c->row_count; a++) {
        const closing_row *it = &c->rows[c->kept[a]];
        x[c->tree->joint_x[it->joint] + it->row] = c->lambda[a];
    }
}
