#include "dynamics/augmented.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

// Ratios of moments of inertia, and of masses, from which on it pays: the error of a solve without it is about the square
// times the rounding error.
static const double THIN = 300.0, LIGHT = 1e3;

static bool is_thin(const body_kind *kind)
{
    return ph_trace(kind->J) * ph_trace(kind->J_inverse) / 6.0 > THIN; // about the ratio of the largest to the smallest
}

bool augmented_needed(const ph_model *model)
{
    for (int j = 0; j < model->joint_count; j++) {
        const joint *joint = &model->joints[j];
        double least = (double)INFINITY, most = 0.0;
        for (int k = 0; k < joint->body_count; k++) {
            const body_kind *kind = model->bodies[joint->bodies[k]].kind;
            if (kind->slides > 0) continue; // a rotor: its mass is one, whatever it stands for
            least = fmin(least, kind->mass);
            most = fmax(most, kind->mass);
            if (is_thin(kind)) return true;
        }
        if (most > LIGHT * least) return true;
    }
    return false;
}

bool augmented_create(kkt *kkt, bool clear, arena *memory)
{
    const ph_model *model = kkt->model;
    const size_t bodies = (size_t)model->moving_count, joints = (size_t)model->joint_count;
    augmented *a = kkt->extra = arena_alloc(memory, sizeof *a);
    if (!a) return false;
    a->clear = clear;
    a->UG = arena_alloc_array(memory, (size_t)kkt->B_count + 1, sizeof(double));
    a->pairs = arena_alloc_array(memory, joints, sizeof *a->pairs);
    a->mass = arena_alloc_array(memory, bodies, sizeof(double));
    a->inertia = arena_alloc_array(memory, bodies, sizeof(double));
    if (!a->UG || !a->pairs || !a->mass || !a->inertia) return false;
    for (int k = 0; k < model->moving_count; k++) {
        a->mass[k] = model->bodies[model->moving[k]].kind->mass;
        a->inertia[k] = ph_trace(model->bodies[model->moving[k]].kind->J) / 3.0;
    }
    for (int j = 0; j < model->joint_count; j++)
        for (int k = 0; k < model->joints[j].body_count; k++)
            for (int l = 0; l < model->joints[j].body_count; l++)
                a->pairs[j][k][l] = block_lu_block(&kkt->lu, model->bodies[model->joints[j].bodies[k]].moving,
                                                   model->bodies[model->joints[j].bodies[l]].moving);
    return true;
}

// How easily the mean body moves along row r of a block of B^T, and of C.
static double mobility(const double *u, const double *c, int rows, double mass, double inertia)
{
    const double turn = u[0] * u[0] + u[1] * u[1] + u[2] * u[2], shift = u[3] * u[3] + u[4] * u[4] + u[5] * u[5];
    double turned = 0.0, shifted = 0.0;
    for (int k = 0; k < 3; k++) turned += c[k * rows] * c[k * rows], shifted += c[(k + 3) * rows] * c[(k + 3) * rows];
    return sqrt((turn / inertia + shift / mass) * (turned / inertia + shifted / mass));
}

// The diagonal of G: along each row the mass between those of the heaviest and the lightest body, their geometric mean.
// The heavier one's own drowns a lighter body a million times lighter; the lighter one's is too little to help.
static void put_G(const kkt *kkt, int j, double *G)
{
    const joint *joint = &kkt->model->joints[j];
    for (int r = 0; r < joint->row_count; r++) {
        double least = (double)INFINITY, most = 0.0;
        for (int k = 0; k < joint->body_count; k++) {
            const int body = kkt->model->bodies[joint->bodies[k]].moving;
            const double *upper = kkt->lu.values + kkt->joints[j].upper[k];
            const double *lower = kkt->lu.values + kkt->joints[j].lower[k];
            const double m =
                mobility(upper + 6 * r, lower + r, joint->row_count, kkt->extra->mass[body], kkt->extra->inertia[body]);
            if (m > 0.0) least = fmin(least, m), most = fmax(most, m);
        }
        G[r] = isfinite(least) && !(kkt_left_out(kkt, j) >> r & 1u) ? 1.0 / sqrt(least * most) : 0.0;
    }
}

static void keep(kkt *kkt)
{
    augmented *a = kkt->extra;
    a->refines = a->kept != NULL;
    if (a->refines) memcpy(a->kept, kkt->lu.values, sizeof(double) * (size_t)kkt->lu.value_count);
}

void augmented_add(kkt *kkt)
{
    const augmented *a = kkt->extra;
    double G[JOINT_ROWS_MAX];
    if (a->clear) kkt_clear_pairs(kkt);
    keep(kkt);
    for (int j = 0; j < kkt->model->joint_count; j++) {
        const joint *joint = &kkt->model->joints[j];
        const int rows = joint->row_count;
        if (rows == 0) continue; // chains with six freedoms and coordinates: the kernels want a row
        put_G(kkt, j, G);
        for (int k = 0; k < joint->body_count; k++) {
            const double *upper = kkt_upper(kkt, j, k);
            double *UG = a->UG + kkt->joints[j].B + 6 * rows * k, negative[6 * JOINT_ROWS_MAX];
            for (int e = 0; e < 6 * rows; e++) UG[e] = upper[e] * G[e / 6], negative[e] = -UG[e];
            for (int l = 0; l < joint->body_count; l++)
                small_sub_product(kkt->lu.values + a->pairs[j][k][l], negative, kkt_lower(kkt, j, l), 6, rows, 6);
        }
    }
}

void augmented_remove(kkt *kkt)
{
    if (kkt->extra->clear) kkt_clear_pairs(kkt);
    kkt->extra->refines = false;
    memset(kkt->extra->UG, 0, sizeof(double) * (size_t)kkt->B_count);
}

static void put_rows(kkt *kkt)
{
    for (int j = 0; j < kkt->model->joint_count; j++) {
        const joint *joint = &kkt->model->joints[j];
        const double *UG = kkt->extra->UG + kkt->joints[j].B, *x = kkt_joint_x(kkt, j);
        for (int k = 0; k < joint->body_count; k++, UG += 6 * joint->row_count) {
            double *to = kkt_body_x(kkt, kkt->model->bodies[joint->bodies[k]].moving);
            for (int r = 0; r < joint->row_count; r++)
                for (int c = 0; c < 6; c++) to[c] += UG[6 * r + c] * x[r];
        }
    }
}

// ---- Solve ----------------------------------------------------------------------------------------------------------

bool augmented_refine(kkt *kkt)
{
    augmented *a = kkt->extra;
    if (!a || a->kept) return true;
    const size_t n = (size_t)kkt->lu.x_count + 1;
    a->kept = arena_alloc_array(kkt->memory, (size_t)kkt->lu.value_count + 8, sizeof(double));
    a->side = arena_alloc_array(kkt->memory, n, sizeof(double));
    a->sum = arena_alloc_array(kkt->memory, n, sizeof(double));
    return a->kept && a->side && a->sum;
}

// x -= A y, with the blocks kept
static void subtract_product(const block_lu *lu, const double *blocks, const double *y, double *x)
{
    for (int k = 0; k < lu->pivot_count; k++) {
        const block_pivot *pivot = &lu->pivots[k];
        if (pivot->size == 0) continue;
        small_sub_apply(x + pivot->x, blocks + pivot->diagonal, y + pivot->x, pivot->size, pivot->size);
        for (int l = 0; l < pivot->link_count; l++) {
            const block_link *link = &lu->links[pivot->link_start + l];
            small_sub_apply(x + pivot->x, blocks + link->upper, y + link->x, pivot->size, link->size);
            small_sub_apply(x + link->x, blocks + link->lower, y + pivot->x, link->size, pivot->size);
        }
    }
}

static void solve_once(kkt *kkt)
{
    put_rows(kkt);
    block_lu_solve(&kkt->lu, kkt->x);
}

static void solve_finely(kkt *kkt)
{
    enum { REFINED = 2 };
    const augmented *a = kkt->extra;
    const size_t n = (size_t)kkt->lu.x_count, bytes = n * sizeof(double);
    memcpy(a->side, kkt->x, bytes);
    memset(a->sum, 0, bytes);
    for (int pass = 0;; pass++) {
        solve_once(kkt);
        for (size_t i = 0; i < n; i++) a->sum[i] += kkt->x[i];
        if (pass == REFINED) break;
        memcpy(kkt->x, a->side, bytes);
        subtract_product(&kkt->lu, a->kept, a->sum, kkt->x);
    }
    memcpy(kkt->x, a->sum, bytes);
}

void augmented_solve(kkt *kkt)
{
    (kkt->extra->refines ? solve_finely : solve_once)(kkt);
}
