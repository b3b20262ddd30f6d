#include "articulated/articulated.h"

#include "math/four.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

// ---- Memory ---------------------------------------------------------------------------------------------------------

bool articulated_create(const forest *f, arena *memory, articulated *a)
{
    const size_t n = (size_t)f->branch_count, z = (size_t)f->freedom_count;
    size_t triangles = 0;
    *a = (articulated){.forest = f};
    a->frames = arena_alloc_array(memory, n, sizeof *a->frames);
    a->relations = arena_alloc_array(memory, n, sizeof *a->relations);
    a->shift = arena_alloc_array(memory, n, sizeof *a->shift);
    a->inertia = arena_alloc_array(memory, n, sizeof *a->inertia);
    a->momentum = arena_alloc_array(memory, n, sizeof *a->momentum);
    a->twist = arena_alloc_array(memory, n, sizeof *a->twist);
    a->drive_column = arena_alloc_array(memory, n, sizeof *a->drive_column);
    a->drive = arena_alloc_array(memory, n, sizeof *a->drive);
    a->triangle = arena_alloc_array(memory, n, sizeof *a->triangle);
    a->S = arena_alloc_array(memory, z, sizeof *a->S);
    a->U = arena_alloc_array(memory, z, sizeof *a->U);
    a->soft = arena_alloc_array(memory, z, sizeof *a->soft);
    a->tau = arena_alloc_array(memory, z, sizeof *a->tau);
    a->rate = arena_alloc_array(memory, z, sizeof *a->rate);
    if (!a->frames || !a->relations || !a->shift || !a->inertia || !a->momentum || !a->twist || !a->drive_column ||
        !a->drive || !a->triangle || !a->S || !a->U || !a->soft || !a->tau || !a->rate)
        return false;
    for (size_t i = 0; i < n; i++) {
        const size_t k = (size_t)f->branches[i].motion.count;
        a->triangle[i] = (int)triangles;
        triangles += k * (k + 1) / 2;
    }
    a->triangles = arena_alloc_array(memory, triangles, sizeof *a->triangles);
    return a->triangles;
}

// ---- Spatial algebra ------------------------------------------------------------------------------------------------

INLINE double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

// I x
INLINE void multiply(const spatial_inertia *inertia, const double *x, double *y)
{
    const double *I = inertia->v;
    y[0] = I[0] * x[0] + I[1] * x[1] + I[2] * x[2] + I[6] * x[3] + I[7] * x[4] + I[8] * x[5];
    y[1] = I[1] * x[0] + I[3] * x[1] + I[4] * x[2] + I[9] * x[3] + I[10] * x[4] + I[11] * x[5];
    y[2] = I[2] * x[0] + I[4] * x[1] + I[5] * x[2] + I[12] * x[3] + I[13] * x[4] + I[14] * x[5];
    y[3] = I[6] * x[0] + I[9] * x[1] + I[12] * x[2] + I[15] * x[3] + I[16] * x[4] + I[17] * x[5];
    y[4] = I[7] * x[0] + I[10] * x[1] + I[13] * x[2] + I[16] * x[3] + I[18] * x[4] + I[19] * x[5];
    y[5] = I[8] * x[0] + I[11] * x[1] + I[14] * x[2] + I[17] * x[3] + I[19] * x[4] + I[20] * x[5];
}

// A force that acts at one point, as a wrench at a point from which that lies at s: torque + s x force.
INLINE void shift_wrench(ph_vec3 s, double *w)
{
    w[0] += s.y * w[5] - s.z * w[4];
    w[1] += s.z * w[3] - s.x * w[5];
    w[2] += s.x * w[4] - s.y * w[3];
}

// The velocity of the point at s: v + w x s.
INLINE void shift_twist(ph_vec3 s, const double *from, double *to)
{
    to[0] = from[0], to[1] = from[1], to[2] = from[2];
    to[3] = from[3] + (from[1] * s.z - from[2] * s.y);
    to[4] = from[4] + (from[2] * s.x - from[0] * s.z);
    to[5] = from[5] + (from[0] * s.y - from[1] * s.x);
}

// P += I as seen from a point from which that of I lies at s: H' = H + s~ M, A' = A - H' s~ + s~ H^T.
INLINE void add_shifted(const double *I, ph_vec3 s, double *P)
{
    const double M[3][3] = {{I[15], I[16], I[17]}, {I[16], I[18], I[19]}, {I[17], I[19], I[20]}};
    const double(*H)[3] = (const double(*)[3])(I + 6);
    double K[3][3];
    for (int c = 0; c < 3; c++) {
        K[0][c] = H[0][c] + (s.y * M[2][c] - s.z * M[1][c]);
        K[1][c] = H[1][c] + (s.z * M[0][c] - s.x * M[2][c]);
        K[2][c] = H[2][c] + (s.x * M[1][c] - s.y * M[0][c]);
    }
    // row r of K s~ is K_r x s; row r of s~ H^T: entry c is (s x H_c)_r
    P[0] += I[0] - (K[0][1] * s.z - K[0][2] * s.y) + (s.y * H[0][2] - s.z * H[0][1]);
    P[1] += I[1] - (K[0][2] * s.x - K[0][0] * s.z) + (s.y * H[1][2] - s.z * H[1][1]);
    P[2] += I[2] - (K[0][0] * s.y - K[0][1] * s.x) + (s.y * H[2][2] - s.z * H[2][1]);
    P[3] += I[3] - (K[1][2] * s.x - K[1][0] * s.z) + (s.z * H[1][0] - s.x * H[1][2]);
    P[4] += I[4] - (K[1][0] * s.y - K[1][1] * s.x) + (s.z * H[2][0] - s.x * H[2][2]);
    P[5] += I[5] - (K[2][0] * s.y - K[2][1] * s.x) + (s.x * H[2][1] - s.y * H[2][0]);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) P[6 + 3 * r + c] += K[r][c];
    for (int k = 15; k < 21; k++) P[k] += I[k];
}

// I -= u u^T
INLINE void subtract_outer(double *I, const double *u)
{
    I[0] -= u[0] * u[0], I[1] -= u[0] * u[1], I[2] -= u[0] * u[2];
    I[3] -= u[1] * u[1], I[4] -= u[1] * u[2], I[5] -= u[2] * u[2];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) I[6 + 3 * r + c] -= u[r] * u[3 + c];
    I[15] -= u[3] * u[3], I[16] -= u[3] * u[4], I[17] -= u[3] * u[5];
    I[18] -= u[4] * u[4], I[19] -= u[4] * u[5], I[20] -= u[5] * u[5];
}

// ---- Configuration --------------------------------------------------------------------------------------------------

// R J R^T and m, at the centre of mass
INLINE void put_own_inertia(const body_kind *kind, const ph_mat3 *R, double *I)
{
    const ph_mat3 T = ph_mat_mul(*R, kind->J);
    const double(*t)[3] = T.m, (*r)[3] = R->m, m = kind->mass;
#define ENTRY(i, k) (t[i][0] * r[k][0] + t[i][1] * r[k][1] + t[i][2] * r[k][2])
    I[0] = ENTRY(0, 0), I[1] = ENTRY(0, 1), I[2] = ENTRY(0, 2);
    I[3] = ENTRY(1, 1), I[4] = ENTRY(1, 2), I[5] = ENTRY(2, 2);
#undef ENTRY
    for (int k = 6; k < 15; k++) I[k] = 0.0;
    I[15] = m, I[16] = 0.0, I[17] = 0.0, I[18] = m, I[19] = 0.0, I[20] = m;
}

static void put_columns(articulated *a, int i, const frame *parent)
{
    const branch *b = &a->forest->branches[i];
    const joint *j = &a->forest->model->joints[b->joint];
    spatial columns[FREEDOMS_MAX];
    const ph_vec3 x = a->frames[i].x;
    const frame own = {a->frames[i].R, ph_zero3()}, other = {parent->R, ph_sub(parent->x, x)};
    freedoms_columns(j, &b->motion, b->turned ? &own : &other, b->turned ? &other : &own, columns[0].v);
    const double sign = b->turned ? -1.0 : 1.0;
    for (int k = 0; k < freedoms_listed(&b->motion); k++) {
        spatial *to = k < b->motion.driven ? &a->drive_column[i] : &a->S[b->first + k - b->motion.driven];
        for (int d = 0; d < 6; d++) to->v[d] = sign * columns[k].v[d];
    }
}

// About an axis that both bodies share, through a point that both share.
static void put_hinge(articulated *a, int i)
{
    const branch *b = &a->forest->branches[i];
    const joint *j = &a->forest->model->joints[b->joint];
    const ph_mat3 *R = &a->frames[i].R;
    const ph_vec3 given = ph_mul(*R, ph_mat_col(b->turned ? j->E_a : j->E_b, b->motion.axis));
    const ph_vec3 arm = ph_mul(*R, b->turned ? j->s_a : j->s_b), axis = b->turned ? ph_neg(given) : given;
    const ph_vec3 move = ph_cross(arm, axis);
    a->S[b->first] = (spatial){{axis.x, axis.y, axis.z, move.x, move.y, move.z}};
}

static pose_pair pair_of(const branch *b, const ph_vec3 *position, const ph_quat *orientation)
{
    const int first = b->turned ? b->body : b->parent_body, second = b->turned ? b->parent_body : b->body;
    return (pose_pair){orientation[first], orientation[second], position[first], position[second]};
}

void articulated_place(articulated *a, int tree, const ph_vec3 *position, const ph_quat *orientation)
{
    const ph_model *model = a->forest->model;
    const tree_range *t = &a->forest->trees[tree];
    for (int i = t->first; i < t->first + t->count; i++) {
        const branch *b = &a->forest->branches[i];
        a->frames[i] = (frame){ph_quat_to_mat(orientation[b->body]), position[b->body]};
        put_own_inertia(model->bodies[b->body].kind, &a->frames[i].R, a->inertia[i].v);
        if (b->joint < 0) continue;
        const pose_pair at = pair_of(b, position, orientation);
        a->relations[i] = relation_between(&model->joints[b->joint], &b->motion, &at);
        if (b->parent >= 0) a->shift[i] = ph_sub(a->frames[i].x, a->frames[b->parent].x);
        if (b->motion.kind == MOTION_REVOLUTE) {
            put_hinge(a, i);
        } else {
            const frame held = {ph_quat_to_mat(orientation[b->parent_body]), position[b->parent_body]};
            put_columns(a, i, b->parent >= 0 ? &a->frames[b->parent] : &held);
        }
    }
}

void articulated_put_momentum(articulated *a, int i, ph_vec3 angular, ph_vec3 linear)
{
    const ph_vec3 turn = ph_mul(a->frames[i].R, angular);
    a->momentum[i] = (spatial){{turn.x, turn.y, turn.z, linear.x, linear.y, linear.z}};
}

// ---- The factor -----------------------------------------------------------------------------------------------------

// A pivot that is lost in the rounding of what it was made of.
#define PIVOT_LEAST (64.0 * DBL_EPSILON)

// X <- L^-1 of the n x n matrix D = L L^T (lower, by rows); `scale`: of what each diagonal entry was made.
static bool invert_triangle(int n, double D[6][6], const double *scale, double *X)
{
    double L[6][6];
    for (int j = 0; j < n; j++) {
        double d = D[j][j];
        for (int c = 0; c < j; c++) d -= L[j][c] * L[j][c];
        if (!(d > PIVOT_LEAST * scale[j])) return false;
        L[j][j] = sqrt(d);
        const double inverse = 1.0 / L[j][j];
        for (int r = j + 1; r < n; r++) {
            double s = D[r][j];
            for (int c = 0; c < j; c++) s -= L[r][c] * L[j][c];
            L[r][j] = s * inverse;
        }
        X[j * (j + 1) / 2 + j] = inverse;
    }
    for (int j = 0; j < n; j++)
        for (int r = j + 1; r < n; r++) {
            double s = 0.0;
            for (int c = j; c < r; c++) s -= L[r][c] * X[c * (c + 1) / 2 + j];
            X[r * (r + 1) / 2 + j] = s * X[r * (r + 1) / 2 + r];
        }
    return true;
}

static bool factor_free(articulated *a, int i)
{
    static const unsigned char at[6][6] = {{0, 1, 2, 6, 7, 8},     {1, 3, 4, 9, 10, 11},    {2, 4, 5, 12, 13, 14},
                                           {6, 9, 12, 15, 16, 17}, {7, 10, 13, 16, 18, 19}, {8, 11, 14, 17, 19, 20}};
    double D[6][6], scale[6];
    for (int r = 0; r < 6; r++) {
        for (int c = 0; c <= r; c++) D[r][c] = a->inertia[i].v[at[r][c]];
        scale[r] = D[r][r];
    }
    return invert_triangle(6, D, scale, a->triangles + a->triangle[i]);
}

static bool factor_one(articulated *a, int i)
{
    const int z = a->forest->branches[i].first;
    const double *S = a->S[z].v;
    double *U = a->U[z].v, scale = a->soft[z];
    multiply(&a->inertia[i], S, U);
    const double D = dot(S, U) + a->soft[z];
    for (int d = 0; d < 6; d++) scale += fabs(S[d] * U[d]);
    if (!(D > PIVOT_LEAST * scale)) return false;
    const double X = 1.0 / sqrt(D);
    a->triangles[a->triangle[i]] = X;
    for (int d = 0; d < 6; d++) U[d] *= X;
    return true;
}

static bool factor_many(articulated *a, int i)
{
    const branch *b = &a->forest->branches[i];
    const int n = b->motion.count, z = b->first;
    double D[6][6], scale[6] = {0}, *X = a->triangles + a->triangle[i];
    spatial *S = a->S + z, *U = a->U + z, product[6];
    for (int k = 0; k < n; k++) multiply(&a->inertia[i], S[k].v, product[k].v);
    for (int r = 0; r < n; r++) {
        for (int c = 0; c <= r; c++) D[r][c] = dot(S[r].v, product[c].v);
        D[r][r] += a->soft[z + r];
        scale[r] = a->soft[z + r];
        for (int d = 0; d < 6; d++) scale[r] += fabs(S[r].v[d] * product[r].v[d]);
    }
    if (!invert_triangle(n, D, scale, X)) return false;
    for (int r = 0; r < n; r++)
        for (int d = 0; d < 6; d++) {
            double sum = 0.0;
            for (int c = 0; c <= r; c++) sum += X[r * (r + 1) / 2 + c] * product[c].v[d];
            U[r].v[d] = sum;
        }
    return true;
}

static bool factor_branch(articulated *a, int i)
{
    const branch *b = &a->forest->branches[i];
    if (b->joint < 0) return factor_free(a, i);
    if (!(b->motion.count == 1 ? factor_one(a, i) : factor_many(a, i))) return false;
    if (b->parent < 0) return true;
    spatial_inertia rest = a->inertia[i];
    for (int k = 0; k < b->motion.count; k++) subtract_outer(rest.v, a->U[b->first + k].v);
    add_shifted(rest.v, a->shift[i], a->inertia[b->parent].v);
    return true;
}

bool articulated_factor(articulated *a, int tree)
{
    const tree_range *t = &a->forest->trees[tree];
    bool ok = true;
    for (int i = t->first + t->count - 1; i >= t->first && ok; i--) ok = factor_branch(a, i);
    return ok;
}

// ---- Down and up ----------------------------------------------------------------------------------------------------

// z <- X w, of the n rows of a lower triangle; may be the same array
INLINE void apply_lower(int n, const double *X, const double *w, double *z)
{
    for (int r = n - 1; r >= 0; r--) {
        double sum = 0.0;
        for (int c = 0; c <= r; c++) sum += X[r * (r + 1) / 2 + c] * w[c];
        z[r] = sum;
    }
}

// q <- X^T w
INLINE void apply_transposed(int n, const double *X, const double *w, double *q)
{
    for (int c = 0; c < n; c++) {
        double sum = 0.0;
        for (int r = c; r < n; r++) sum += X[r * (r + 1) / 2 + c] * w[r];
        q[c] = sum;
    }
}

// From the momentum p of a branch, as it is handed down: its own z, and p <- what is left for the parent.
INLINE void reduce(const articulated *a, const branch *b, int i, const double *tau, double *p, double *z)
{
    const double *X = a->triangles + a->triangle[i];
    const int n = b->motion.count;
    if (b->joint < 0) {
        apply_lower(6, X, p, z);
    } else if (n == 1) {
        z[0] = X[0] * (dot(a->S[b->first].v, p) + (tau ? tau[0] : 0.0));
        for (int d = 0; d < 6; d++) p[d] -= a->U[b->first].v[d] * z[0];
    } else {
        double w[6];
        for (int k = 0; k < n; k++) w[k] = dot(a->S[b->first + k].v, p) + (tau ? tau[k] : 0.0);
        apply_lower(n, X, w, z);
        for (int k = 0; k < n; k++)
            for (int d = 0; d < 6; d++) p[d] -= a->U[b->first + k].v[d] * z[k];
    }
}

void articulated_down(articulated *a, int tree, double *z)
{
    const tree_range *t = &a->forest->trees[tree];
    for (int i = t->first + t->count - 1; i >= t->first; i--) {
        const branch *b = &a->forest->branches[i];
        spatial rest = a->momentum[i];
        if (b->motion.driven) {
            double held[6];
            multiply(&a->inertia[i], a->drive[i].v, held);
            for (int d = 0; d < 6; d++) rest.v[d] -= held[d];
        }
        reduce(a, b, i, a->tau + b->first, rest.v, z + b->first);
        if (b->parent < 0) continue;
        shift_wrench(a->shift[i], rest.v);
        for (int d = 0; d < 6; d++) a->momentum[b->parent].v[d] += rest.v[d];
    }
}

void articulated_up(articulated *a, int tree, const double *z)
{
    static const double none[6];
    const tree_range *t = &a->forest->trees[tree];
    for (int i = t->first; i < t->first + t->count; i++) {
        const branch *b = &a->forest->branches[i];
        const double *X = a->triangles + a->triangle[i];
        const int n = b->motion.count;
        double *V = a->twist[i].v, *rate = a->rate + b->first, w[6];
        if (b->joint < 0) {
            apply_transposed(6, X, z ? z + b->first : none, V);
            memcpy(rate, V, sizeof a->twist[i].v);
            continue;
        }
        memset(V, 0, sizeof a->twist[i].v);
        if (b->parent >= 0) shift_twist(a->shift[i], a->twist[b->parent].v, V);
        for (int k = 0; k < n; k++) w[k] = (z ? z[b->first + k] : 0.0) - dot(a->U[b->first + k].v, V);
        if (n == 1)
            rate[0] = X[0] * w[0];
        else
            apply_transposed(n, X, w, rate);
        for (int k = 0; k < n; k++)
            for (int d = 0; d < 6; d++) V[d] += a->S[b->first + k].v[d] * rate[k];
        for (int d = 0; d < 6 && b->motion.driven; d++) V[d] += a->drive[i].v[d];
    }
}

double articulated_transmitted(const articulated *a, int i, const spatial *column)
{
    double momentum[6];
    multiply(&a->inertia[i], a->twist[i].v, momentum);
    for (int d = 0; d < 6; d++) momentum[d] -= a->momentum[i].v[d];
    return dot(column->v, momentum);
}

// ---- Path vectors ---------------------------------------------------------------------------------------------------

int articulated_path_length(const articulated *a, int branch)
{
    int length = 0;
    for (int i = branch; i >= 0; i = a->forest->branches[i].parent) length += a->forest->branches[i].motion.count;
    return length;
}

typedef struct lanes { // wrenches, a component each
    four k[6];
} lanes;

INLINE void shift_lanes(ph_vec3 s, lanes *w)
{
    const four x = four_splat(s.x), y = four_splat(s.y), z = four_splat(s.z);
    w->k[0] += y * w->k[5] - z * w->k[4];
    w->k[1] += z * w->k[3] - x * w->k[5];
    w->k[2] += x * w->k[4] - y * w->k[3];
}

// S . K
INLINE four dot_lanes(const double *S, const lanes *K)
{
    return four_splat(S[0]) * K->k[0] + four_splat(S[1]) * K->k[1] + four_splat(S[2]) * K->k[2] +
           four_splat(S[3]) * K->k[3] + four_splat(S[4]) * K->k[4] + four_splat(S[5]) * K->k[5];
}

// K -= U z
INLINE void subtract_lanes(const double *U, four z, lanes *K)
{
    for (int d = 0; d < 6; d++) K->k[d] -= four_splat(U[d]) * z;
}

// As `reduce`, for four wrenches.
INLINE void reduce_lanes(const articulated *a, const branch *b, int i, lanes *K, double *y, int stride)
{
    const double *X = a->triangles + a->triangle[i];
    const int n = b->motion.count;
    four w[6];
    for (int k = 0; k < n; k++) w[k] = b->joint < 0 ? K->k[k] : dot_lanes(a->S[b->first + k].v, K);
    for (int r = 0; r < n; r++) {
        four z = four_splat(X[r * (r + 1) / 2]) * w[0];
        for (int k = 1; k <= r; k++) z += four_splat(X[r * (r + 1) / 2 + k]) * w[k];
        four_store(y + r * stride, z);
        if (b->joint >= 0) subtract_lanes(a->U[b->first + r].v, z, K);
    }
}

INLINE void root_lanes(const double *X, const lanes *K, double *y, int stride)
{
    for (int r = 0; r < 6; r++) {
        four z = four_splat(X[r * (r + 1) / 2]) * K->k[0];
        for (int k = 1; k <= r; k++) z += four_splat(X[r * (r + 1) / 2 + k]) * K->k[k];
        four_store(y + r * stride, z);
    }
}

INLINE int path_step(const articulated *a, int i, lanes *K, double *y, int stride)
{
    const branch *b = &a->forest->branches[i];
    const double *X = a->triangles + a->triangle[i];
    if (b->joint < 0) {
        root_lanes(X, K, y, stride);
    } else if (b->motion.count == 1) {
        const four z = four_splat(X[0]) * dot_lanes(a->S[b->first].v, K);
        four_store(y, z);
        subtract_lanes(a->U[b->first].v, z, K);
    } else {
        reduce_lanes(a, b, i, K, y, stride);
    }
    if (b->parent >= 0) shift_lanes(a->shift[i], K);
    return b->motion.count;
}

INLINE lanes load_lanes(const wrenches *K)
{
    lanes l;
    for (int d = 0; d < 6; d++) l.k[d] = four_load(K->v[d]);
    return l;
}

int articulated_path_step(const articulated *a, int branch, wrenches *K, double *y, int stride)
{
    lanes l = load_lanes(K);
    const int n = path_step(a, branch, &l, y, stride);
    for (int d = 0; d < 6; d++) four_store(K->v[d], l.k[d]);
    return n;
}

int articulated_path(const articulated *a, int i, const wrenches *K, int *index, double *y, int stride,
                     double *constant)
{
    lanes l = load_lanes(K);
    four driven = four_splat(0.0);
    int e = 0;
    for (; i >= 0; i = a->forest->branches[i].parent) {
        const branch *b = &a->forest->branches[i];
        for (int k = 0; k < b->motion.count; k++) index[e + k] = b->first + k;
        if (b->motion.driven) driven += dot_lanes(a->drive[i].v, &l);
        e += path_step(a, i, &l, y + e * stride, stride);
    }
    if (constant) four_store(constant, driven);
    return e;
}

// L^-1 e of its own freedoms, and -U^T of that goes on.
int articulated_path_of_freedom(const articulated *a, int i, int freedom, int *index, double *y, double *constant)
{
    const branch *b = &a->forest->branches[i];
    const double *X = a->triangles + a->triangle[i];
    const int n = b->motion.count;
    spatial K = {{0}};
    for (int k = 0; k < n; k++) {
        index[k] = b->first + k;
        y[k] = k < freedom ? 0.0 : X[k * (k + 1) / 2 + freedom];
        for (int d = 0; d < 6 && b->joint >= 0; d++) K.v[d] -= a->U[b->first + k].v[d] * y[k];
    }
    int e = n;
    if (constant) *constant = 0.0;
    if (b->parent >= 0) shift_wrench(a->shift[i], K.v);
    for (i = b->parent; i >= 0; i = a->forest->branches[i].parent) {
        const branch *at = &a->forest->branches[i];
        for (int k = 0; k < at->motion.count; k++) index[e + k] = at->first + k;
        if (at->motion.driven && constant) *constant += dot(K.v, a->drive[i].v);
        reduce(a, at, i, NULL, K.v, y + e);
        if (at->parent >= 0) shift_wrench(a->shift[i], K.v);
        e += at->motion.count;
    }
    return e;
}
