// Linear modes about a state at rest.
//
// With S = M^-1/2 (block by block) and Z an orthonormal basis of the null space of B S, motions that the joints allow are
// dq = S Z y, and small ones obey y'' + C_z y' + K_z y = 0 with K_z = Z^T S K S Z, C_z alike. Eigenvectors of the symmetric
// part of K_z are the modes; a mode u has the damping u^T C_z u.

#include "analysis/rest.h"
#include "base/error.h"
#include "dynamics/system.h"
#include "linalg/dense.h"
#include "math/mat3.h"
#include "polhode/statics.h"

#include <math.h>
#include <string.h>

typedef struct work {
    const ph_model *model;
    rest rest;
    int n, f;        // velocities, freedoms
    ph_mat3 *S;      // by moving body: J^-1/2
    double *Z;       // n x f, columns; then S Z
    double *KZ, *CZ; // n x f: K S Z, C S Z
    double *K, *C;   // f x f
    double *values;
} work;

// ---- Freedoms -------------------------------------------------------------------------------------------------------

static ph_mat3 inverse_root(ph_mat3 J)
{
    ph_vec3 d;
    ph_mat3 E;
    ph_eig3(J, &d, &E);
    const ph_vec3 root = {1.0 / sqrt(d.x), 1.0 / sqrt(d.y), 1.0 / sqrt(d.z)};
    return ph_mat_mult(ph_mat_mul(E, ph_diag(root)), E);
}

// x <- S x, six entries of one body
static void weigh(const work *w, int moving, double *x)
{
    const ph_vec3 turned = ph_mul(w->S[moving], ph_vec(x[0], x[1], x[2]));
    const double root = 1.0 / sqrt(w->model->bodies[w->model->moving[moving]].kind->mass);
    x[0] = turned.x, x[1] = turned.y, x[2] = turned.z;
    for (int c = 3; c < 6; c++) x[c] *= root;
}

// What a rotor does not use (joints/rotor.c) is no freedom of the model.
static int put_idle(const work *w, double *A)
{
    int count = 0;
    for (int k = 0; k < w->model->moving_count; k++) {
        const body *body = &w->model->bodies[w->model->moving[k]];
        for (int d = 0; body_is_rotor(body) && d < 6; d++)
            if (d < 3 || d - 3 >= body->kind->slides)
                A[(size_t)count++ * (size_t)w->n + (size_t)(body->velocity + d)] = 1.0;
    }
    return count;
}

// Column of row r of a joint in (B S)^T, of length one: rows have many units.
static void put_row(const work *w, int j, int r, double *column)
{
    const joint *joint = &w->model->joints[j];
    const double *B = w->rest.at.B + w->rest.mass.joints[j].B;
    double size = 0.0;
    for (int k = 0; k < joint->body_count; k++) {
        const body *body = &w->model->bodies[joint->bodies[k]];
        double *x = column + body->velocity;
        memcpy(x, B + 6 * (k * joint->row_count + r), 6 * sizeof(double));
        weigh(w, body->moving, x);
        for (int c = 0; c < 6; c++) size += x[c] * x[c];
    }
    for (int i = 0; i < w->n && size > 0.0; i++) column[i] /= sqrt(size);
}

// (B S)^T without the rows that depend on others. Returns how many there are.
static int put_rows(const work *w, double *A)
{
    int count = 0;
    for (int j = 0; j < w->model->joint_count; j++)
        for (int r = 0; r < w->model->joints[j].row_count; r++)
            if (!(kkt_left_out(&w->rest.mass, j) >> r & 1u)) put_row(w, j, r, A + (size_t)count++ * (size_t)w->n);
    return count;
}

static bool find_freedoms(work *w, arena *memory)
{
    const ph_model *model = w->model;
    const size_t n = (size_t)w->n, m = (size_t)model->row_count + 6 * (size_t)model->rotor_count;
    double *A = mem_alloc_array(&model->allocator, n * m + 1, sizeof(double));
    double *scratch = mem_alloc_array(&model->allocator, 2 * m + 1, sizeof(double));
    w->Z = arena_alloc_array(memory, n * n + 1, sizeof(double));
    w->S = arena_alloc_array(memory, (size_t)model->moving_count + 1, sizeof *w->S);
    const bool ok = A && scratch && w->Z && w->S;
    if (ok) {
        for (int k = 0; k < model->moving_count; k++) w->S[k] = inverse_root(model->bodies[model->moving[k]].kind->J);
        const int rows = put_rows(w, A), idle = put_idle(w, A + (size_t)rows * n);
        w->f = dense_complement(A, w->n, rows + idle, 0.0, w->Z, scratch);
        for (int c = 0; c < w->f; c++)
            for (int k = 0; k < model->moving_count; k++)
                weigh(w, k, w->Z + (size_t)c * n + model->bodies[model->moving[k]].velocity);
    }
    mem_free(&model->allocator, A);
    mem_free(&model->allocator, scratch);
    return ok;
}

// ---- Stiffness and damping ------------------------------------------------------------------------------------------

// Y(row) += X Z(column) for a 6x6 block X of bodies
static void multiply(const work *w, double *Y, const double *X, int row, int column)
{
    for (int c = 0; c < w->f; c++) {
        double *y = Y + (size_t)c * (size_t)w->n + row;
        const double *z = w->Z + (size_t)c * (size_t)w->n + column;
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < 6; k++) y[i] += X[6 * i + k] * z[k];
    }
}

static void add_blocks(void *user, int row, int column, const double *K, const double *C)
{
    const work *w = user;
    const ph_model *model = w->model;
    const int at = model->bodies[model->moving[row]].velocity, by = model->bodies[model->moving[column]].velocity;
    multiply(w, w->KZ, K, at, by);
    if (C) multiply(w, w->CZ, C, at, by);
}

// X = Z^T Y, symmetric part. Returns the largest skew entry relative to the largest entry.
static double reduce(const work *w, const double *Y, double *X)
{
    const size_t f = (size_t)w->f, n = (size_t)w->n;
    double size = 0.0, skew = 0.0;
    for (size_t c = 0; c < f; c++)
        for (size_t r = 0; r < f; r++) {
            double sum = 0.0;
            for (size_t i = 0; i < n; i++) sum += w->Z[r * n + i] * Y[c * n + i];
            X[c * f + r] = sum;
        }
    for (size_t c = 0; c < f; c++)
        for (size_t r = 0; r <= c; r++) {
            const double a = X[c * f + r], b = X[r * f + c];
            size = fmax(size, fmax(fabs(a), fabs(b)));
            skew = fmax(skew, 0.5 * fabs(a - b));
            X[c * f + r] = X[r * f + c] = 0.5 * (a + b);
        }
    return size > 0.0 ? skew / size : 0.0;
}

static bool reduce_all(work *w, arena *memory, double *asymmetry)
{
    const size_t room = (size_t)w->n * (size_t)w->f + 1, f = (size_t)w->f;
    w->KZ = arena_alloc_array(memory, room, sizeof(double));
    w->CZ = arena_alloc_array(memory, room, sizeof(double));
    w->K = arena_alloc_array(memory, f * f + 1, sizeof(double));
    w->C = arena_alloc_array(memory, f * f + 1, sizeof(double));
    w->values = arena_alloc_array(memory, f + 1, sizeof(double));
    if (!w->KZ || !w->CZ || !w->K || !w->C || !w->values) return false;
    rest_linearise(&w->rest, add_blocks, w);
    *asymmetry = reduce(w, w->KZ, w->K);
    reduce(w, w->CZ, w->C);
    return true;
}

// ---- Modes ----------------------------------------------------------------------------------------------------------

// Y = C U for the eigenvectors U, which stand in place of K, over KZ, which is no longer needed and has more room.
static const double *damp_modes(const work *w)
{
    const size_t f = (size_t)w->f;
    memset(w->KZ, 0, sizeof(double) * f * f);
    for (size_t k = 0; k < f; k++)
        for (size_t c = 0; c < f; c++)
            for (size_t r = 0; r < f; r++) w->KZ[k * f + r] += w->C[c * f + r] * w->K[k * f + c];
    return w->KZ;
}

// u_a^T C u_b
static double damping_between(const work *w, const double *CU, int a, int b)
{
    const size_t f = (size_t)w->f;
    double sum = 0.0;
    for (size_t r = 0; r < f; r++) sum += w->K[(size_t)a * f + r] * CU[(size_t)b * f + r];
    return sum;
}

// dq = S Z u, body by body
static void put_shape(const work *w, const double *u, ph_twist *shape)
{
    const ph_model *model = w->model;
    for (int k = 0; k < model->moving_count - model->rotor_count; k++) {
        double x[6] = {0};
        for (int c = 0; c < w->f; c++)
            for (int i = 0; i < 6; i++)
                x[i] += u[c] * w->Z[(size_t)c * (size_t)w->n + (size_t)(model->bodies[model->moving[k]].velocity + i)];
        shape[model->moving[k]] = (ph_twist){ph_vec(x[0], x[1], x[2]), ph_vec(x[3], x[4], x[5])};
    }
}

// Eigenvalues that are zero come out as round-off, and where callbacks are differentiated by differences as some 1e-10 of the
// largest.
static double clean(const work *w, int k)
{
    const double largest = fmax(fabs(w->values[0]), fabs(w->values[w->f - 1]));
    return fabs(w->values[k]) > 1e-9 * largest ? w->values[k] : 0.0;
}

static void put_damping(const work *w, ph_mode_set *set)
{
    const double *CU = damp_modes(w);
    double own = 0.0, between = 0.0;
    for (int k = 0; k < w->f; k++) {
        const double c = damping_between(w, CU, k, k), omega = 2.0 * acos(-1.0) * set->modes[k].frequency;
        set->modes[k].decay = 0.5 * c;
        set->modes[k].damping = omega > 0.0 ? 0.5 * c / omega : (double)NAN;
        own = fmax(own, fabs(c));
        for (int l = 0; l < k; l++) between = fmax(between, fabs(damping_between(w, CU, k, l)));
    }
    set->coupling = own > 0.0 ? between / own : 0.0;
}

static ph_mode_set *make_set(const work *w)
{
    const size_t f = (size_t)w->f, bodies = (size_t)w->model->body_count;
    ph_mode_set *set = mem_alloc(NULL, sizeof *set);
    ph_mode *modes = mem_alloc_array(NULL, f + 1, sizeof *modes);
    ph_twist *shapes = mem_alloc_array(NULL, f * bodies + 1, sizeof *shapes);
    if (!set || !modes || !shapes) {
        mem_free(NULL, set);
        mem_free(NULL, modes);
        mem_free(NULL, shapes);
        return NULL;
    }
    *set = (ph_mode_set){.count = w->f, .modes = modes};
    modes[0].shape = shapes; // owns them all, also when there are no modes
    for (int k = 0; k < w->f; k++) {
        modes[k].shape = shapes + (size_t)k * bodies;
        modes[k].eigenvalue = clean(w, k);
        modes[k].frequency = modes[k].eigenvalue > 0.0 ? sqrt(modes[k].eigenvalue) / (2.0 * acos(-1.0)) : 0.0;
        put_shape(w, w->K + (size_t)k * f, modes[k].shape);
    }
    put_damping(w, set);
    return set;
}

static ph_status find_modes(work *w, const ph_state *state, arena *memory, ph_mode_set **modes, ph_error *error)
{
    double asymmetry = 0.0;
    const ph_model *model = w->model;
    const ph_status no_memory = PH_OUT_OF_MEMORY;
    if (!rest_create(model, memory, &w->rest)) return error_set(error, no_memory, "out of memory");
    node_set_time(state, state->time, &w->rest.at);
    node_set_frames(model, state->position, state->orientation, &w->rest.at);
    node_set_jacobian(model, &w->rest.mass, &w->rest.at);
    if (!node_factor_mass(model, &w->rest.mass, &w->rest.at))
        return error_set(error, PH_SINGULAR, "the constraint equations are singular at the state");
    rest_solve(&w->rest);
    if (!find_freedoms(w, memory) || !reduce_all(w, memory, &asymmetry))
        return error_set(error, no_memory, "out of memory for the modes of %d velocities", w->n);
    double *scratch = arena_alloc_array(memory, 2 * (size_t)w->f + 1, sizeof(double));
    if (!scratch) return error_set(error, no_memory, "out of memory");
    if (!dense_eigen(w->K, w->f, w->values, scratch))
        return error_set(error, PH_NOT_FINITE, "the stiffness of the model at the state is not finite");
    *modes = make_set(w);
    if (!*modes) return error_set(error, no_memory, "out of memory");
    (*modes)->asymmetry = asymmetry;
    return PH_OK;
}

ph_status ph_modes(const ph_model *model, const ph_state *state, ph_mode_set **modes, ph_error *error)
{
    if (!model || !state || !modes || state->model != model)
        return error_set(error, PH_BAD_ARGUMENT, "ph_modes needs a model, a state of it and a place for the result");
    *modes = NULL;
    arena *memory = arena_create(&model->allocator);
    if (!memory) return error_set(error, PH_OUT_OF_MEMORY, "out of memory");
    work w = {.model = model, .n = model->velocity_count};
    const ph_status status = find_modes(&w, state, memory, modes, error);
    arena_destroy(memory);
    return status;
}

void ph_modes_destroy(ph_mode_set *modes)
{
    if (!modes) return;
    mem_free(NULL, modes->modes[0].shape);
    mem_free(NULL, modes->modes);
    mem_free(NULL, modes);
}
