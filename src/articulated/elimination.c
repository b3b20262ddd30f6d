#include "articulated/elimination.h"

#include "base/memory.h"
#include "joints/chain.h"

#include <math.h>

// ---- Life -----------------------------------------------------------------------------------------------------------

bool elimination_fits(const ph_model *model)
{
    if (model->moving_count == 0 || model->joint_count == 0) return false;
    for (int j = 0; j < model->joint_count; j++) {
        const joint *it = &model->joints[j];
        if (it->rotor_rows > 1) return false;
        if (it->gear || it->of) continue; // at the most a row that closes a loop, or is a rotor's
        if (it->slips || it->rolling || it->velocities || it->body_count < 1 || !basis_known(it)) return false;
    }
    return true;
}

static void make_hinge(const joint *j, limb *l)
{
    const bool driven = l->kinds == 4 && j->rows[3].kind == ROW_MOTOR && l->count == 0;
    l->hinge = (l->kinds == 3 || driven) && j->rows[0].kind == ROW_POINT && j->rows[1].kind == ROW_DOT &&
               j->rows[2].kind == ROW_DOT && j->rows[1].i == j->rows[2].i;
    if (!l->hinge) return;
    l->axis = ph_mat_col(j->E_a, j->rows[1].i);
    for (int k = 0; k < 2; k++) l->across[k] = ph_mat_col(j->E_b, j->rows[1 + k].j);
}

static void make_limb(elimination *e, int i)
{
    const branch *b = &e->forest.branches[i];
    limb *l = &e->limbs[i];
    *l = (limb){.parent = b->parent, .moving = b->moving, .joint = b->joint, .first = e->freedom_count};
    l->body = b->body;
    l->parent_body = b->parent_body;
    l->count = b->motion.count;
    l->kind = (int)b->motion.kind;
    l->sign = b->turned ? -1.0 : 1.0;
    l->rotor = -1;
    l->first_row = l->first_pull = e->row_count;
    e->limb_of[b->moving] = i;
    if (b->joint < 0) return;
    e->limb_of_joint[b->joint] = i;
    const joint *j = &e->model->joints[b->joint];
    const bool meets = j->chain && j->chain->meets && !elimination_turns_rotor(e->model, j);
    l->rows = joint_own_rows(j);
    l->kinds = j->kind_count - j->rotor_rows;
    l->screws = b->motion.screws;
    l->model_row = j->first_row;
    l->s_own = b->turned ? j->s_a : j->s_b;
    l->s_parent = b->turned ? j->s_b : j->s_a;
    l->has_point = basis_has_point(j);
    l->needs = basis_needs_of(j, &b->motion);
    make_hinge(j, l);
    l->swivels = b->motion.turn == TURN_ANY && (!j->chain || meets);
    if (meets) l->kind = MOTION_BALL;
    if (l->swivels) l->count -= 3;
    if (l->kind == MOTION_BALL) return;
    e->freedom_count += l->count;
    e->row_count += l->rows;
    if (l->hinge || basis_is_plain(j)) return;
    l->first_pull = e->row_count;
    e->row_count += l->rows;
}

static void mark_slides(elimination *e, int i)
{
    const limb *l = &e->limbs[i];
    const freedoms *m = &e->forest.branches[i].motion;
    for (int k = 0; k < l->count && l->joint >= 0; k++) {
        const int kind = m->list[m->driven + k].kind;
        e->freedoms[l->first + k].moves = kind == FREEDOM_SLIDE || kind == FREEDOM_SCREW || kind == FREEDOM_CHAIN;
    }
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
    if (!e->limbs || !e->limb_of || !e->limb_of_joint) return false;
    for (int j = 0; j < model->joint_count; j++) e->limb_of_joint[j] = -1;
    for (int i = 0; i < e->limb_count; i++) make_limb(e, i);
    e->freedoms = arena_alloc_array(memory, (size_t)e->freedom_count + 1, sizeof *e->freedoms);
    for (int i = 0; i < e->limb_count && e->freedoms; i++) mark_slides(e, i);
    return e->freedoms && several_create(e, memory) && rotors_create(e, memory);
}

// ---- The matrix -----------------------------------------------------------------------------------------------------

void elimination_place(elimination *e, const grips *here, const grips *there, double weight)
{
    e->test = *here;
    e->trial = *there;
    e->weight = weight;
    for (int i = 0; i < e->freedom_count; i++) e->freedoms[i].soft = 0.0;
    for (int i = 0; i < e->limb_count; i++) e->limbs[i].damped = false, e->limbs[i].braces = 0;
}

void elimination_put_body(elimination *e, int moving, const ph_mat3 *A, double mass, const ph_mat3 *T,
                          const frame *there)
{
    if (moving >= e->first_rotor) {
        rotors_put(e, moving, mass);
        return;
    }
    const int i = e->limb_of[moving];
    limb *l = &e->limbs[i];
    const columns block = columns_of(A), back = columns_transposed(&there->R);
    l->out = back;
    if (T) {
        columns inverse;
        const columns turn = columns_of(T);
        columns_invert(&turn, &inverse);
        l->out = columns_mul(&inverse, &back);
    }
    l->A = columns_mul(&block, &l->out);
    l->A = columns_mul(&e->test.limbs[i].turn, &l->A);
    l->B = l->C = columns_diagonal(0.0);
    l->M = columns_diagonal(mass);
}

bool elimination_leaves(const elimination *e, int joint, int coordinate)
{
    const int i = e->limb_of_joint[joint];
    return i >= 0 && e->limbs[i].kind != MOTION_BALL && coordinate < e->model->joints[joint].coordinate_count;
}

void elimination_soften(elimination *e, int joint, int coordinate, double soft)
{
    const int i = e->limb_of_joint[joint], k = coordinate - e->forest.branches[i].motion.driven;
    if (k >= 0) e->freedoms[e->limbs[i].first + k].soft += soft;
}

// ---- Factor ---------------------------------------------------------------------------------------------------------

// The matrix of the body at the joint's point.
FOUR_INLINE void move_to_joint(limb *l, const grip *here, const grip *there)
{
    const columns Ml = columns_mul_hat(&l->M, there->own), Bl = columns_mul_hat(&l->B, there->own);
    const columns lM = columns_hat_mul(here->own, &l->M);
    l->C = columns_add(&l->C, &Ml);
    const columns lC = columns_hat_mul(here->own, &l->C);
    l->A = columns_add(&l->A, &Bl);
    l->A = columns_sub(&l->A, &lC);
    l->B = columns_sub(&l->B, &lM);
}

// What may move beside free turns, one or two directions.
static bool factor_slides(elimination *e, const limb *l, columns *F)
{
    limb_freedom *f = &e->freedoms[l->first];
    const screw4 *N = e->test.freedoms + l->first, *S = e->trial.freedoms + l->first;
    four left[2];
    for (int k = 0; k < l->count; k++) {
        f[k].h.move = columns_apply(F, S[k].move);
        left[k] = columns_apply_left(N[k].move, F);
    }
    const double a = four_dot(N[0].move, f[0].h.move) + f[0].soft;
    if (l->count == 1) {
        f[0].over[0] = 1.0 / a;
        f[0].g.move = left[0] * four_splat(f[0].over[0]);
        *F = columns_sub_outer(F, f[0].h.move, f[0].g.move);
        return a != 0.0 && a - a == 0.0;
    }
    const double b = four_dot(N[0].move, f[1].h.move), c = four_dot(N[1].move, f[0].h.move);
    const double d = four_dot(N[1].move, f[1].h.move) + f[1].soft, det = a * d - b * c, over = 1.0 / det;
    f[0].over[0] = over * d, f[0].over[1] = -over * b;
    f[1].over[0] = -over * c, f[1].over[1] = over * a;
    for (int k = 0; k < 2; k++) {
        f[k].g.move = left[0] * four_splat(f[k].over[0]) + left[1] * four_splat(f[k].over[1]);
        *F = columns_sub_outer(F, f[k].h.move, f[k].g.move);
    }
    return det != 0.0 && det - det == 0.0; // nor infinite, nor no number
}

// All turns are free: nothing but a mass goes on.
FOUR_INLINE bool factor_swivel(elimination *e, limb *l, limb *parent, const grip *here, const grip *there)
{
    if (!columns_invert(&l->A, &l->D)) return false;
    l->E = columns_mul(&l->D, &l->B);
    const columns CE = columns_mul(&l->C, &l->E);
    l->F = columns_sub(&l->M, &CE);
    columns F = l->F;
    if (l->count > 0 && !factor_slides(e, l, &F)) return false;
    if (!parent) return true;
    const columns Mk = columns_mul_hat(&F, there->parents), kM = columns_hat_mul(here->parents, &F);
    const columns kMk = columns_hat_mul(here->parents, &Mk);
    parent->A = columns_sub(&parent->A, &kMk);
    parent->B = columns_add(&parent->B, &kM);
    parent->C = columns_sub(&parent->C, &Mk);
    parent->M = columns_add(&parent->M, &F);
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

FOUR_INLINE bool factor_freedom(spatial4 *H, limb_freedom *f, const screw4 *test, const screw4 *trial)
{
    const four nt = test->turn, nm = test->move, st = trial->turn, sm = trial->move;
    four ht = columns_apply(&H->A, st), hm = columns_apply(&H->C, st);
    four gt = columns_apply_left(nt, &H->A), gm = columns_apply_left(nt, &H->B);
    if (f->moves) {
        ht += columns_apply(&H->B, sm), hm += columns_apply(&H->M, sm);
        gt += columns_apply_left(nm, &H->C), gm += columns_apply_left(nm, &H->M);
    }
    const double D = four_dot(nt, ht) + (f->moves ? four_dot(nm, hm) : 0.0) + f->soft;
    f->over[0] = 1.0 / D;
    gt *= four_splat(f->over[0]);
    gm *= four_splat(f->over[0]);
    f->h = (screw4){ht, hm};
    f->g = (screw4){gt, gm};
    H->A = columns_sub_outer(&H->A, ht, gt);
    H->B = columns_sub_outer(&H->B, ht, gm);
    H->C = columns_sub_outer(&H->C, hm, gt);
    H->M = columns_sub_outer(&H->M, hm, gm);
    return D != 0.0 && D - D == 0.0; // nor infinite, nor no number
}

FOUR_INLINE void give_to_parent(const spatial4 *H, limb *parent, const grip *here, const grip *there)
{
    const columns Mk = columns_mul_hat(&H->M, there->parents), Bk = columns_mul_hat(&H->B, there->parents);
    const columns kM = columns_hat_mul(here->parents, &H->M), C = columns_sub(&H->C, &Mk);
    const columns kC = columns_hat_mul(here->parents, &C);
    for (int c = 0; c < 3; c++) {
        parent->A.c[c] += H->A.c[c] - Bk.c[c] + kC.c[c];
        parent->B.c[c] += H->B.c[c] + kM.c[c];
        parent->C.c[c] += C.c[c];
        parent->M.c[c] += H->M.c[c];
    }
}

// One after the other.
FOUR_INLINE bool factor_freedoms(elimination *e, limb *l, limb *parent, const grip *here, const grip *there)
{
    spatial4 H = {l->A, l->B, l->C, l->M};
    for (int k = l->first; k < l->first + l->count; k++)
        if (!factor_freedom(&H, &e->freedoms[k], &e->test.freedoms[k], &e->trial.freedoms[k])) return false;
    if (parent) give_to_parent(&H, parent, here, there);
    return true;
}

static bool factor_together(elimination *e, limb *l, limb *parent, const grip *here, const grip *there)
{
    spatial4 H = {l->A, l->B, l->C, l->M};
    if (!several_factor(e, l, &H)) return false;
    if (parent) give_to_parent(&H, parent, here, there);
    return true;
}

// Have freedoms turned away from where they are tested? Then pivots of one alone say nothing.
FOUR_INLINE bool turned_away(const elimination *e, const limb *l)
{
    for (int k = l->first; k < l->first + l->count; k++) {
        const screw4 *n = &e->test.freedoms[k], *s = &e->trial.freedoms[k];
        const double turn = four_dot(n->turn, n->turn);
        if (turn > 0.5 ? four_dot(n->turn, s->turn) < 0.5 * turn : four_dot(n->move, s->move) < 0.5) return true;
    }
    return false;
}

bool elimination_factor(elimination *e)
{
    for (int i = e->limb_count - 1; i >= 0; i--) {
        limb *l = &e->limbs[i], *parent = l->parent < 0 ? NULL : &e->limbs[l->parent];
        const grip *here = &e->test.limbs[i], *there = &e->trial.limbs[i];
        if (l->joint >= 0) move_to_joint(l, here, there);
        l->together = l->damped || (l->count > 1 && !l->swivels && turned_away(e, l));
        if (!(l->joint < 0  ? factor_free(l)
              : l->together ? factor_together(e, l, parent, here, there)
              : l->swivels  ? factor_swivel(e, l, parent, here, there)
                            : factor_freedoms(e, l, parent, here, there)))
            return false;
        if (l->braces > 0) braces_factor(e, l, parent, here);
    }
    return true;
}

// ---- Solve ----------------------------------------------------------------------------------------------------------

// Y+ r_phi, from rows of a joint
FOUR_INLINE screw4 given_motion(const elimination *e, const limb *l, const double *x)
{
    const joint *j = &e->model->joints[l->joint];
    const four sign = four_splat(l->sign);
    if (l->kind == MOTION_BALL) return (screw4){four_splat(0.0), four_three(x) * sign};
    four turn = four_splat(0.0), move = four_splat(0.0);
    const screw4 *Y = e->trial.rows + l->first_row;
    if (l->hinge) return elimination_hinge_sum(l, Y, x);
    for (int k = 0; k < l->kinds; k++) {
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
FOUR_INLINE void put_reactions(const elimination *e, const limb *l, four turn, four move, double *x)
{
    const joint *j = &e->model->joints[l->joint];
    const double scale = l->sign / e->weight;
    const screw4 *Y = e->test.rows + l->first_row;
    if (l->hinge) {
        for (int c = 0; c < 3; c++) x[c] = scale * move[c];
        for (int k = 3; k < 5; k++) x[k] = scale * four_dot(Y[k].turn, turn);
        if (l->rows == 6) x[5] = scale * four_dot(Y[5].turn, turn);
        return;
    }
    for (int k = 0; k < l->kinds; k++) {
        if (j->rows[k].kind == ROW_POINT) {
            for (int c = 0; c < 3; c++) *x++ = scale * move[c];
            Y += 3;
        } else {
            *x++ = scale * (four_dot(Y->turn, turn) + four_dot(Y->move, move));
            Y++;
        }
    }
}

// Free turns, then what may move beside them. What the parent gets is left in *move.
FOUR_INLINE void swivel_inwards(elimination *e, limb *l, four turn, four *move)
{
    const four free = columns_apply(&l->D, turn);
    *move -= columns_apply(&l->C, free) + columns_apply(&l->F, l->given.move);
    l->load = (screw4){free - columns_apply(&l->E, l->given.move), *move};
    const screw4 *N = e->test.freedoms + l->first;
    limb_freedom *f = &e->freedoms[l->first];
    const double along[2] = {l->count > 0 ? four_dot(N[0].move, *move) : 0.0,
                             l->count > 1 ? four_dot(N[1].move, *move) : 0.0};
    for (int k = 0; k < l->count; k++) {
        f[k].u = f[k].over[0] * along[0] + (l->count > 1 ? f[k].over[1] * along[1] : 0.0);
        *move -= f[k].h.move * four_splat(f[k].u);
    }
}

// r of one limb and all that hangs on it, down to what its parent gets. `given`: rows have right-hand sides.
FOUR_INLINE void go_inwards(elimination *e, limb *l, limb *parent, const grip *here, bool given, const double *x)
{
    four turn = l->load.turn, move = l->load.move;
    screw4 push = {four_splat(0.0), four_splat(0.0)};
    if (l->joint < 0) return;
    turn -= four_cross(here->own, move);
    if (l->rotor >= 0) {
        push = rotors_push(e, l, x);
        turn += push.turn, move += push.move;
    }
    const screw4 r = {turn, move};
    if (l->swivels && !l->together) {
        swivel_inwards(e, l, turn, &move);
        turn = four_splat(0.0);
    } else {
        l->load = (screw4){turn, move};
        const four t = l->given.turn, m = l->given.move;
        if (given) turn -= columns_apply(&l->A, t) + columns_apply(&l->B, m);
        if (given) move -= columns_apply(&l->C, t) + columns_apply(&l->M, m);
        if (l->together) {
            screw4 rest = {turn, move};
            several_inwards(e, l, &rest);
            turn = rest.turn, move = rest.move;
        }
        for (int k = l->first; k < l->first + l->count && !l->together; k++) {
            limb_freedom *f = &e->freedoms[k];
            const screw4 *n = &e->test.freedoms[k];
            f->u = (four_dot(n->turn, turn) + (f->moves ? four_dot(n->move, move) : 0.0)) * f->over[0];
            turn -= f->h.turn * four_splat(f->u);
            move -= f->h.move * four_splat(f->u);
        }
    }
    if (l->braces > 0) {
        screw4 load = {turn, move};
        braces_inwards(l, &r, &load);
        turn = load.turn, move = load.move;
    }
    if (!parent) return;
    if (l->rotor >= 0) turn -= push.turn, move -= push.move;
    parent->load.turn += turn + four_cross(here->parents, move);
    parent->load.move += move;
}

// z of a free root
static void solve_free(limb *l)
{
    const four x = columns_apply(&l->D, l->load.move);
    l->z.turn = columns_apply(&l->F, l->load.turn - columns_apply(&l->B, x));
    l->z.move = x - columns_apply(&l->E, l->z.turn);
}

// w lambda = Y^T (r' - H' z), at P
FOUR_INLINE void put_rest(const elimination *e, const limb *l, four turn, four move, double *rows)
{
    put_reactions(e, l, l->load.turn - columns_apply(&l->A, turn) - columns_apply(&l->B, move),
                  l->load.move - columns_apply(&l->C, turn) - columns_apply(&l->M, move), rows);
}

FOUR_INLINE void swivel_outwards(const elimination *e, limb *l, four *turn, four *move, double *rows)
{
    const limb_freedom *f = &e->freedoms[l->first];
    const screw4 parent = {*turn, *move};
    four moved = *move;
    for (int k = 0; k < l->count; k++)
        moved += e->trial.freedoms[l->first + k].move * four_splat(f[k].u - four_dot(f[k].g.move, *move));
    four force = l->load.move - columns_apply(&l->F, moved);
    *turn = l->load.turn - columns_apply(&l->E, moved);
    *move = moved + l->given.move;
    if (l->braces > 0) {
        screw4 z = {*turn, *move}, pull;
        braces_outwards(l, &parent, &z, &pull);
        *turn = z.turn, *move = z.move;
        for (int k = 0; k < l->braces; k++)
            force += four_splat(l->several->braces[k].sigma) * l->several->braces[k].q.move;
        force -= pull.move;
    }
    put_reactions(e, l, four_splat(0.0), force, rows);
}

FOUR_INLINE void go_outwards(elimination *e, limb *l, const limb *parent, const grip *there, const double *lambda,
                             double *x)
{
    double *rows = x + e->joint_x[l->joint];
    four turn = four_splat(0.0), move = four_splat(0.0);
    if (parent) {
        turn = parent->z.turn;
        move = parent->z.move + four_cross(turn, there->parents);
    }
    const screw4 at_parent = {turn, move};
    if (l->together) {
        screw4 z = {turn, move};
        several_outwards(e, l, &z, &l->load);
        turn = z.turn, move = z.move;
        put_rest(e, l, turn, move, rows);
    } else if (l->swivels) {
        swivel_outwards(e, l, &turn, &move, rows);
    } else {
        for (int k = l->first + l->count - 1; k >= l->first; k--) {
            const limb_freedom *f = &e->freedoms[k];
            const four y = four_splat(f->u - four_dot(f->g.turn, turn) - four_dot(f->g.move, move));
            const screw4 *s = &e->trial.freedoms[k];
            turn += s->turn * y;
            if (f->moves) move += s->move * y;
        }
        turn += l->given.turn;
        move += l->given.move;
        if (l->braces > 0) {
            screw4 z = {turn, move}, pull;
            braces_outwards(l, &at_parent, &z, &pull);
            turn = z.turn, move = z.move;
            screw4_add(&l->load, -1.0, &pull);
        }
        put_rest(e, l, turn, move, rows);
    }
    if (l->rotor >= 0) {
        const screw4 w = {turn - at_parent.turn, move - at_parent.move};
        rotors_slide(e, l, &w, lambda, x);
    }
    l->z = (screw4){turn, move + four_cross(there->own, turn)};
}

// Adds the right-hand side of a limb, in world axes, to what hangs on it has given.
FOUR_INLINE void load_limb(elimination *e, limb *l, limb *parent, const grip *here, bool given, const double *lambda,
                           const double *x)
{
    const double *r = x + e->body_x[l->moving];
    l->load.turn += columns_apply(&here->turn, four_three(r));
    l->load.move += four_three(r + 3);
    if (l->joint < 0) return;
    l->given = (screw4){four_splat(0.0), four_splat(0.0)};
    if (given) l->given = given_motion(e, l, x + e->joint_x[l->joint]);
    if (!lambda) return;
    const screw4 pull = elimination_pull_of(e, l, &e->test, lambda + l->model_row);
    const four w = four_splat(e->weight), turn = w * pull.turn, move = w * pull.move;
    l->load.turn -= turn + four_cross(here->own, move);
    l->load.move -= move;
    if (!parent) return;
    parent->load.turn += turn + four_cross(here->parents, move);
    parent->load.move += move;
}

FOUR_INLINE void solve(elimination *e, bool given, const double *lambda, double *x)
{
    rotors_load(e, x);
    for (int i = e->limb_count - 1; i >= 0; i--) {
        limb *l = &e->limbs[i], *parent = l->parent < 0 ? NULL : &e->limbs[l->parent];
        load_limb(e, l, parent, &e->test.limbs[i], given, lambda, x);
        go_inwards(e, l, parent, &e->test.limbs[i], given, x);
    }
    for (int i = 0; i < e->limb_count; i++) {
        limb *l = &e->limbs[i];
        double *to = x + e->body_x[l->moving];
        if (l->joint < 0)
            solve_free(l);
        else
            go_outwards(e, l, l->parent < 0 ? NULL : &e->limbs[l->parent], &e->trial.limbs[i], lambda, x);
        l->load = (screw4){four_splat(0.0), four_splat(0.0)};
        const four turn = columns_apply(&l->out, l->z.turn);
        for (int c = 0; c < 3; c++) to[c] = turn[c], to[3 + c] = l->z.move[c];
    }
}

void elimination_solve(elimination *e, const double *lambda, double *x)
{
    solve(e, true, lambda, x);
}

void elimination_solve_loads(elimination *e, double *x)
{
    solve(e, false, NULL, x);
}
