#include "articulated/elimination.h"

#include "base/memory.h"

#include <math.h>

// ---- Life -----------------------------------------------------------------------------------------------------------

bool elimination_fits(const ph_model *model)
{
    if (model->rotor_count > 0 || model->moving_count == 0 || model->joint_count == 0) return false;
    for (int j = 0; j < model->joint_count; j++) {
        const joint *it = &model->joints[j];
        if (it->gear || it->slips || it->rolling || it->velocities || it->body_count < 1 || !basis_known(it))
            return false;
    }
    return true;
}

static void make_limb(elimination *e, int i)
{
    const branch *b = &e->forest.branches[i];
    limb *l = &e->limbs[i];
    *l = (limb){.parent = b->parent, .moving = b->moving, .joint = b->joint, .first = b->first};
    l->count = b->motion.count;
    l->kind = (int)b->motion.kind;
    l->sign = b->turned ? -1.0 : 1.0;
    l->first_row = e->row_count;
    e->limb_of[b->moving] = i;
    if (b->joint < 0) return;
    e->limb_of_joint[b->joint] = i;
    const joint *j = &e->model->joints[b->joint];
    l->rows = j->row_count;
    l->has_point = basis_has_point(j);
    l->needs = basis_needs_of(j, &b->motion);
    for (int k = 0; k < l->count; k++) {
        const int kind = b->motion.list[b->motion.driven + k].kind;
        e->freedoms[l->first + k].moves = kind == FREEDOM_SLIDE || kind == FREEDOM_ORBIT || kind == FREEDOM_SCREW;
    }
    if (l->kind != MOTION_BALL) e->row_count += l->rows;
}

bool elimination_create(const ph_model *model, const int *body_x, const int *joint_x, arena *memory, elimination *e)
{
    *e = (elimination){.model = model, .body_x = body_x, .joint_x = joint_x};
    if (!forest_create(model, true, memory, &e->forest)) return false;
    const size_t n = (size_t)e->forest.branch_count;
    e->limb_count = e->forest.branch_count;
    e->limbs = arena_alloc_array(memory, n, sizeof *e->limbs);
    e->limb_of = arena_alloc_array(memory, (size_t)model->moving_count, sizeof *e->limb_of);
    e->limb_of_joint = arena_alloc_array(memory, (size_t)model->joint_count, sizeof *e->limb_of_joint);
    e->freedoms = arena_alloc_array(memory, (size_t)e->forest.freedom_count + 1, sizeof *e->freedoms);
    if (!e->limbs || !e->limb_of || !e->limb_of_joint || !e->freedoms) return false;
    for (int i = 0; i < e->limb_count; i++) make_limb(e, i);
    e->dual_here = arena_alloc_array(memory, (size_t)e->row_count + 1, sizeof *e->dual_here);
    e->dual_there = arena_alloc_array(memory, (size_t)e->row_count + 1, sizeof *e->dual_there);
    return e->dual_here && e->dual_there;
}

// ---- Geometry -------------------------------------------------------------------------------------------------------

// Levers of the joint's point in the child and its parent.
FOUR_INLINE void set_levers(const limb *l, const geometry *g, four_stored *own, four_stored *parents)
{
    const ph_vec3 of_b = g->r_b, of_a = l->has_point ? g->r_a : ph_add(g->r_a, g->d);
    *own = four_of(l->sign > 0.0 ? of_b : of_a);
    *parents = four_of(l->sign > 0.0 ? of_a : of_b);
}

// The basis of a limb at one configuration: levers, freedoms, duals.
static void place_limb(elimination *e, int i, const frame *frames, bool end)
{
    limb *l = &e->limbs[i];
    if (l->joint < 0) return;
    const freedoms *m = &e->forest.branches[i].motion;
    const joint *j = &e->model->joints[l->joint];
    const geometry g = joint_geometry(j, frames);
    set_levers(l, &g, end ? &l->lever_there : &l->lever_here, end ? &l->parent_there : &l->parent_here);
    if (l->kind == MOTION_BALL) return;
    basis_axes axes;
    screw4 N[FREEDOMS_MAX];
    basis_turn(j, l->needs, &g, &axes);
    basis_freedoms(j, m, &g, &axes, N);
    for (int k = 0; k < l->count; k++)
        *(end ? &e->freedoms[l->first + k].trial : &e->freedoms[l->first + k].test) = N[k];
    basis_rows(j, m, &g, &axes, (end ? e->dual_there : e->dual_here) + l->first_row);
}

void elimination_place(elimination *e, const frame *here, const frame *there, double weight)
{
    e->weight = weight;
    e->same = here == there;
    for (int i = 0; i < e->forest.freedom_count; i++) e->freedoms[i].soft = 0.0;
    for (int i = 0; i < e->limb_count; i++) {
        limb *l = &e->limbs[i];
        place_limb(e, i, here, false);
        if (!e->same) {
            place_limb(e, i, there, true);
            continue;
        }
        l->lever_there = l->lever_here;
        l->parent_there = l->parent_here;
        for (int k = 0; k < l->count && l->kind != MOTION_BALL; k++)
            e->freedoms[l->first + k].trial = e->freedoms[l->first + k].test;
    }
}

void elimination_put_body(elimination *e, int moving, const ph_mat3 *A, double mass, const ph_mat3 *T,
                          const frame *here, const frame *there)
{
    limb *l = &e->limbs[e->limb_of[moving]];
    const columns block = columns_of(A), back = columns_transposed(&there->R);
    l->in = columns_of(&here->R);
    l->out = back;
    if (T) {
        columns inverse;
        const columns turn = columns_of(T);
        columns_invert(&turn, &inverse);
        l->out = columns_mul(&inverse, &back);
    }
    l->A = columns_mul(&block, &l->out);
    l->A = columns_mul(&l->in, &l->A);
    l->B = l->C = columns_diagonal(0.0);
    l->M = columns_diagonal(mass);
}

void elimination_soften(elimination *e, int joint, int coordinate, double soft)
{
    const int i = e->limb_of_joint[joint], k = coordinate - e->forest.branches[i].motion.driven;
    if (k >= 0) e->freedoms[e->limbs[i].first + k].soft += soft;
}

// ---- Factor ---------------------------------------------------------------------------------------------------------

// The matrix of the body at the joint's point.
FOUR_INLINE void move_to_joint(limb *l)
{
    const columns Ml = columns_mul_hat(&l->M, l->lever_there), Bl = columns_mul_hat(&l->B, l->lever_there);
    const columns lM = columns_hat_mul(l->lever_here, &l->M);
    l->C = columns_add(&l->C, &Ml);
    const columns lC = columns_hat_mul(l->lever_here, &l->C);
    l->A = columns_add(&l->A, &Bl);
    l->A = columns_sub(&l->A, &lC);
    l->B = columns_sub(&l->B, &lM);
}

// All turns are free: nothing but a mass goes on.
static bool factor_ball(limb *l, limb *parent)
{
    if (!columns_invert(&l->A, &l->D)) return false;
    l->E = columns_mul(&l->D, &l->B);
    const columns CE = columns_mul(&l->C, &l->E);
    l->F = columns_sub(&l->M, &CE);
    if (!parent) return true;
    const columns Mk = columns_mul_hat(&l->F, l->parent_there), kM = columns_hat_mul(l->parent_here, &l->F);
    const columns kMk = columns_hat_mul(l->parent_here, &Mk);
    parent->A = columns_sub(&parent->A, &kMk);
    parent->B = columns_add(&parent->B, &kM);
    parent->C = columns_sub(&parent->C, &Mk);
    parent->M = columns_add(&parent->M, &l->F);
    return true;
}

// A free root: M and what it leaves of A are inverted.
static bool factor_free(limb *l)
{
    if (!columns_invert(&l->M, &l->D)) return false;
    l->E = columns_mul(&l->D, &l->C);
    const columns BE = columns_mul(&l->B, &l->E), S = columns_sub(&l->A, &BE);
    return columns_invert(&S, &l->F);
}

typedef struct spatial4 {
    columns A, B, C, M;
} spatial4;

FOUR_INLINE bool factor_freedom(spatial4 *H, limb_freedom *f)
{
    const four nt = f->test.turn, nm = f->test.move, st = f->trial.turn, sm = f->trial.move;
    four ht = columns_apply(&H->A, st), hm = columns_apply(&H->C, st);
    four gt = columns_apply_left(nt, &H->A), gm = columns_apply_left(nt, &H->B);
    if (f->moves) {
        ht += columns_apply(&H->B, sm), hm += columns_apply(&H->M, sm);
        gt += columns_apply_left(nm, &H->C), gm += columns_apply_left(nm, &H->M);
    }
    const double D = four_dot(nt, ht) + (f->moves ? four_dot(nm, hm) : 0.0) + f->soft;
    f->inverse = 1.0 / D;
    gt *= four_splat(f->inverse);
    gm *= four_splat(f->inverse);
    f->h = (screw4){ht, hm};
    f->g = (screw4){gt, gm};
    H->A = columns_sub_outer(&H->A, ht, gt);
    H->B = columns_sub_outer(&H->B, ht, gm);
    H->C = columns_sub_outer(&H->C, hm, gt);
    H->M = columns_sub_outer(&H->M, hm, gm);
    return D != 0.0 && D - D == 0.0; // nor infinite, nor no number
}

static bool factor_other(elimination *e, limb *l, limb *parent)
{
    spatial4 H = {l->A, l->B, l->C, l->M};
    for (int k = 0; k < l->count; k++)
        if (!factor_freedom(&H, &e->freedoms[l->first + k])) return false;
    if (!parent) return true;
    const columns Mk = columns_mul_hat(&H.M, l->parent_there), Bk = columns_mul_hat(&H.B, l->parent_there);
    const columns kM = columns_hat_mul(l->parent_here, &H.M), C = columns_sub(&H.C, &Mk);
    const columns kC = columns_hat_mul(l->parent_here, &C);
    for (int c = 0; c < 3; c++) {
        parent->A.c[c] += H.A.c[c] - Bk.c[c] + kC.c[c];
        parent->B.c[c] += H.B.c[c] + kM.c[c];
        parent->C.c[c] += C.c[c];
        parent->M.c[c] += H.M.c[c];
    }
    return true;
}

bool elimination_factor(elimination *e)
{
    for (int i = e->limb_count - 1; i >= 0; i--) {
        limb *l = &e->limbs[i], *parent = l->parent < 0 ? NULL : &e->limbs[l->parent];
        if (l->joint >= 0) move_to_joint(l);
        if (!(l->joint < 0             ? factor_free(l)
              : l->kind == MOTION_BALL ? factor_ball(l, parent)
                                       : factor_other(e, l, parent)))
            return false;
    }
    return true;
}

// ---- Solve ----------------------------------------------------------------------------------------------------------

FOUR_INLINE four four_three(const double *x)
{
    return (four){x[0], x[1], x[2], x[2]};
}

// Y+ r_phi, from rows of a joint
static screw4 given_motion(const elimination *e, const limb *l, const double *x)
{
    const joint *j = &e->model->joints[l->joint];
    const four sign = four_splat(l->sign);
    if (l->kind == MOTION_BALL) return (screw4){four_splat(0.0), four_three(x) * sign};
    four turn = four_splat(0.0), move = four_splat(0.0);
    const screw4 *Y = (e->same ? e->dual_here : e->dual_there) + l->first_row;
    for (int k = 0; k < j->kind_count; k++) {
        if (j->rows[k].kind == ROW_POINT) {
            move += four_three(x);
            x += 3, Y += 3;
            continue;
        }
        const four r = four_splat(*x++);
        turn += Y->turn * r;
        move += Y->move * r;
        Y++;
    }
    return (screw4){turn * sign, move * sign};
}

// lambda = Y^T w / weight
static void put_reactions(const elimination *e, const limb *l, four turn, four move, double *x)
{
    const joint *j = &e->model->joints[l->joint];
    const double scale = l->sign / e->weight;
    const screw4 *Y = e->dual_here + l->first_row;
    for (int k = 0; k < j->kind_count; k++) {
        if (j->rows[k].kind == ROW_POINT) {
            for (int c = 0; c < 3; c++) *x++ = scale * move[c];
            Y += 3;
        } else {
            *x++ = scale * (four_dot(Y->turn, turn) + four_dot(Y->move, move));
            Y++;
        }
    }
}

// r of one limb and all that hangs on it, down to what its parent gets.
FOUR_INLINE void go_inwards(elimination *e, limb *l, limb *parent)
{
    four turn = l->load.turn, move = l->load.move;
    if (l->joint < 0) return;
    turn -= four_cross(l->lever_here, move);
    if (l->kind == MOTION_BALL) {
        turn -= columns_apply(&l->B, l->given.move);
        move -= columns_apply(&l->M, l->given.move);
        l->load.turn = columns_apply(&l->D, turn);
        move -= columns_apply(&l->C, l->load.turn);
        l->load.move = move;
        turn = four_splat(0.0);
    } else {
        l->load = (screw4){turn, move};
        const four t = l->given.turn, m = l->given.move;
        turn -= columns_apply(&l->A, t) + columns_apply(&l->B, m);
        move -= columns_apply(&l->C, t) + columns_apply(&l->M, m);
        for (int k = 0; k < l->count; k++) {
            limb_freedom *f = &e->freedoms[l->first + k];
            f->u = (four_dot(f->test.turn, turn) + four_dot(f->test.move, move)) * f->inverse;
            turn -= f->h.turn * four_splat(f->u);
            move -= f->h.move * four_splat(f->u);
        }
    }
    if (!parent) return;
    parent->load.turn += turn + four_cross(l->parent_here, move);
    parent->load.move += move;
}

// z of a free root
static void solve_free(limb *l)
{
    const four x = columns_apply(&l->D, l->load.move);
    l->z.turn = columns_apply(&l->F, l->load.turn - columns_apply(&l->B, x));
    l->z.move = x - columns_apply(&l->E, l->z.turn);
}

FOUR_INLINE void go_outwards(elimination *e, limb *l, const limb *parent, double *rows)
{
    four turn = four_splat(0.0), move = four_splat(0.0);
    if (parent) {
        turn = parent->z.turn;
        move = parent->z.move + four_cross(turn, l->parent_there);
    }
    if (l->kind == MOTION_BALL) {
        put_reactions(e, l, turn, l->load.move - columns_apply(&l->F, move), rows);
        turn = l->load.turn - columns_apply(&l->E, move);
        move += l->given.move;
    } else {
        for (int k = l->count - 1; k >= 0; k--) {
            const limb_freedom *f = &e->freedoms[l->first + k];
            const four y = four_splat(f->u - four_dot(f->g.turn, turn) - four_dot(f->g.move, move));
            turn += f->trial.turn * y;
            move += f->trial.move * y;
        }
        turn += l->given.turn;
        move += l->given.move;
        put_reactions(e, l, l->load.turn - columns_apply(&l->A, turn) - columns_apply(&l->B, move),
                      l->load.move - columns_apply(&l->C, turn) - columns_apply(&l->M, move), rows);
    }
    l->z = (screw4){turn, move + four_cross(l->lever_there, turn)};
}

void elimination_solve(elimination *e, double *x)
{
    for (int i = e->limb_count - 1; i >= 0; i--) {
        limb *l = &e->limbs[i];
        const double *r = x + e->body_x[l->moving];
        l->load = (screw4){columns_apply(&l->in, four_three(r)), four_three(r + 3)};
        if (l->joint >= 0) l->given = given_motion(e, l, x + e->joint_x[l->joint]);
    }
    for (int i = e->limb_count - 1; i >= 0; i--)
        go_inwards(e, &e->limbs[i], e->limbs[i].parent < 0 ? NULL : &e->limbs[e->limbs[i].parent]);
    for (int i = 0; i < e->limb_count; i++) {
        limb *l = &e->limbs[i];
        double *to = x + e->body_x[l->moving];
        if (l->joint < 0)
            solve_free(l);
        else
            go_outwards(e, l, l->parent < 0 ? NULL : &e->limbs[l->parent], x + e->joint_x[l->joint]);
        const four turn = columns_apply(&l->out, l->z.turn);
        for (int c = 0; c < 3; c++) to[c] = turn[c], to[3 + c] = l->z.move[c];
    }
}
