// Several freedoms of a joint at once, and dampers between a body and its parent, in the elimination of trees.
//
// A damper resists what the joint lets the two bodies do relative to each other, w = z - z_parent = N+ y + Y+ r_phi, by K w on the child
// and -K w on the parent, both at P. So it stands beside the inertia of the freedoms alone, in all of them at once:
//
//     D = N^T (H' + K) N+,   u = D^-1 N^T (r'' - K Y+ r_phi),   y = u - D^-1 N^T H' z_parent
//     to parent   H' - H' N+ D^-1 N^T H',   r'' - H' N+ u       reactions   w lambda = Y^T (r' - H' z - K w)
#include "articulated/elimination.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

// ---- Life -----------------------------------------------------------------------------------------------------------

static bool give_room(elimination *e, bool all, arena *memory)
{
    for (int i = 0; i < e->limb_count; i++) {
        limb *l = &e->limbs[i];
        if (l->joint < 0 || l->several || (!all && (l->count < 2 || l->swivels))) continue;
        l->several = arena_alloc(memory, sizeof *l->several);
        if (!l->several) return false;
    }
    return true;
}

bool several_create(elimination *e, arena *memory)
{
    return give_room(e, false, memory);
}

bool elimination_keep_dampers(elimination *e, arena *memory)
{
    return give_room(e, true, memory);
}

// ---- Dampers --------------------------------------------------------------------------------------------------------

// H += c x y^T
static void add_outer(spatial4 *H, double c, const screw4 *x, const screw4 *y)
{
    const four turn = four_splat(-c) * x->turn, move = four_splat(-c) * x->move;
    H->A = columns_sub_outer(&H->A, turn, y->turn);
    H->B = columns_sub_outer(&H->B, turn, y->move);
    H->C = columns_sub_outer(&H->C, move, y->turn);
    H->M = columns_sub_outer(&H->M, move, y->move);
}

void elimination_damp_body(elimination *e, int limb_index, double c, const screw4 *x, const screw4 *y)
{
    limb *l = &e->limbs[limb_index];
    spatial4 H = {l->A, l->B, l->C, l->M};
    add_outer(&H, c, x, y);
    l->A = H.A, l->B = H.B, l->C = H.C, l->M = H.M;
}

static screw4 to_point(const grip *g, const screw4 *w)
{
    return (screw4){w->turn - four_cross(g->own, w->move), w->move};
}

static void add_matrix(limb *l, double c, const screw4 *x, const screw4 *y)
{
    several *s = l->several;
    if (!l->damped) memset(&s->K, 0, sizeof s->K);
    l->damped = true;
    add_outer(&s->K, c, x, y);
}

void elimination_damp_joint(elimination *e, int limb_index, double c, const screw4 *x, const screw4 *y)
{
    limb *l = &e->limbs[limb_index];
    const screw4 here = to_point(&e->test.limbs[limb_index], x), there = to_point(&e->trial.limbs[limb_index], y);
    if (x == y && e->test.limbs == e->trial.limbs && brace_add(l, c, &here)) return;
    for (int i = 0; i < l->braces; i++) {
        const brace *b = &l->several->braces[i];
        add_matrix(l, b->c, &b->k, &b->k);
    }
    l->braces = 0;
    add_matrix(l, c, &here, &there);
}

// ---- Factor ---------------------------------------------------------------------------------------------------------

static int count_of(const limb *l)
{
    return l->swivels ? 3 + l->count : l->count;
}

// The free turns of a joint come first, about the axes of the world.
static screw4 direction(const grips *g, const limb *l, int k)
{
    if (!l->swivels) return g->freedoms[l->first + k];
    if (k >= 3) return g->freedoms[l->first + k - 3];
    return (screw4){columns_diagonal(1.0).c[k], four_splat(0.0)};
}

// What holds it beside inertia and dampers.
static double soft_of(const elimination *e, const limb *l, int k)
{
    if (!l->swivels) return e->freedoms[l->first + k].soft;
    return k < 3 ? 0.0 : e->freedoms[l->first + k - 3].soft;
}

static screw4 apply(const spatial4 *H, const screw4 *x)
{
    return (screw4){columns_apply(&H->A, x->turn) + columns_apply(&H->B, x->move),
                    columns_apply(&H->C, x->turn) + columns_apply(&H->M, x->move)};
}

static screw4 apply_left(const screw4 *x, const spatial4 *H)
{
    return (screw4){columns_apply_left(x->turn, &H->A) + columns_apply_left(x->move, &H->C),
                    columns_apply_left(x->turn, &H->B) + columns_apply_left(x->move, &H->M)};
}

static void swap(double *x, double *y)
{
    const double kept = *x;
    *x = *y;
    *y = kept;
}

// In place, by Gauss and Jordan, with the largest pivot of each column. false: singular.
static bool invert(double *D, int n)
{
    int taken[6];
    for (int p = 0; p < n; p++) {
        int most = p;
        for (int r = p + 1; r < n; r++)
            if (fabs(D[6 * r + p]) > fabs(D[6 * most + p])) most = r;
        taken[p] = most;
        for (int c = 0; c < n && most != p; c++) swap(&D[6 * p + c], &D[6 * most + c]);
        const double pivot = D[6 * p + p], over = 1.0 / pivot;
        if (!(pivot != 0.0) || !isfinite(pivot)) return false;
        D[6 * p + p] = 1.0;
        for (int c = 0; c < n; c++) D[6 * p + c] *= over;
        for (int r = 0; r < n; r++) {
            const double by = D[6 * r + p];
            if (r == p) continue;
            D[6 * r + p] = 0.0;
            for (int c = 0; c < n; c++) D[6 * r + c] -= by * D[6 * p + c];
        }
    }
    for (int p = n - 1; p >= 0; p--)
        for (int r = 0; r < n && taken[p] != p; r++) swap(&D[6 * r + p], &D[6 * r + taken[p]]);
    return true;
}

// N^T (H' + K) N+ + soft
static void put_inertia(const elimination *e, const limb *l, int n)
{
    several *s = l->several;
    for (int c = 0; c < n; c++) {
        screw4 h = s->h[c];
        if (l->damped) {
            const screw4 trial = direction(&e->trial, l, c), resists = apply(&s->K, &trial);
            h.turn += resists.turn, h.move += resists.move;
        }
        for (int r = 0; r < n; r++) {
            const screw4 test = direction(&e->test, l, r);
            s->D[6 * r + c] = screw4_power(&test, &h);
        }
        s->D[6 * c + c] += soft_of(e, l, c);
    }
}

bool several_factor(elimination *e, limb *l, spatial4 *H)
{
    several *s = l->several;
    const int n = count_of(l);
    screw4 left[6];
    for (int k = 0; k < n; k++) {
        const screw4 test = direction(&e->test, l, k), trial = direction(&e->trial, l, k);
        s->h[k] = apply(H, &trial);
        left[k] = apply_left(&test, H);
    }
    put_inertia(e, l, n);
    if (!invert(s->D, n)) return false;
    for (int k = 0; k < n; k++) {
        s->g[k] = (screw4){four_splat(0.0), four_splat(0.0)};
        for (int c = 0; c < n; c++) {
            s->g[k].turn += four_splat(s->D[6 * k + c]) * left[c].turn;
            s->g[k].move += four_splat(s->D[6 * k + c]) * left[c].move;
        }
    }
    for (int k = 0; k < n; k++) add_outer(H, -1.0, &s->h[k], &s->g[k]);
    return true;
}

// ---- Solve ----------------------------------------------------------------------------------------------------------

// `load`: r'' on entry, what the parent gets on return.
void several_inwards(elimination *e, limb *l, screw4 *load)
{
    several *s = l->several;
    const int n = count_of(l);
    screw4 rest = *load;
    double along[6];
    if (l->damped) {
        const screw4 resists = apply(&s->K, &l->given);
        rest.turn -= resists.turn, rest.move -= resists.move;
    }
    for (int k = 0; k < n; k++) {
        const screw4 test = direction(&e->test, l, k);
        along[k] = screw4_power(&test, &rest);
    }
    for (int k = 0; k < n; k++) {
        s->u[k] = 0.0;
        for (int c = 0; c < n; c++) s->u[k] += s->D[6 * k + c] * along[c];
        load->turn -= s->h[k].turn * four_splat(s->u[k]);
        load->move -= s->h[k].move * four_splat(s->u[k]);
    }
}

// `z`: of the parent on entry, of the body on return, both at P. What dampers give to the child is taken from `load`.
void several_outwards(elimination *e, limb *l, screw4 *z, screw4 *load)
{
    const several *s = l->several;
    screw4 w = l->given;
    for (int k = 0; k < count_of(l); k++) {
        const screw4 trial = direction(&e->trial, l, k);
        const four y = four_splat(s->u[k] - screw4_power(&s->g[k], z));
        w.turn += trial.turn * y;
        w.move += trial.move * y;
    }
    z->turn += w.turn, z->move += w.move;
    if (!l->damped) return;
    const screw4 resists = apply(&s->K, &w);
    load->turn -= resists.turn, load->move -= resists.move;
}
