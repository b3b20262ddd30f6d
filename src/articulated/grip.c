// Joints of a tree at one configuration: levers, bases, residuals; and what rows do to bodies by them, in world axes and without
// their Jacobian.
#include "articulated/elimination.h"
#include "base/memory.h"
#include "joints/chain.h"
#include "math/trig.h"

bool grips_create(const elimination *e, arena *memory, grips *g)
{
    g->limbs = arena_alloc_array(memory, (size_t)e->limb_count, sizeof *g->limbs);
    g->freedoms = arena_alloc_array(memory, (size_t)e->freedom_count + 1, sizeof *g->freedoms);
    g->rows = arena_alloc_array(memory, (size_t)e->row_count + 1, sizeof *g->rows);
    g->rotors = arena_alloc_array(memory, (size_t)e->model->rotor_count + 1, sizeof *g->rotors);
    return g->limbs && g->freedoms && g->rows && g->rotors;
}

// ---- Placing --------------------------------------------------------------------------------------------------------

FOUR_INLINE void place_ball(const limb *l, grip *own, const columns *parent, const frame *frames, double *phi)
{
    const ph_vec3 x = frames[l->body].x, x_parent = frames[l->parent_body].x;
    own->own = columns_turn(&own->turn, l->s_own);
    own->parents = columns_turn(parent, l->s_parent);
    if (!phi) return;
    const four gap = (four_of(x) + own->own) - (four_of(x_parent) + own->parents);
    for (int c = 0; c < 3; c++) phi[c] = l->sign * gap[c];
}

FOUR_INLINE void place_hinge(const limb *l, const columns *turn, const columns *parent, screw4 *N, screw4 *Y,
                             double *phi)
{
    const bool b_is_child = l->sign > 0.0;
    const columns *R_a = b_is_child ? parent : turn, *R_b = b_is_child ? turn : parent;
    const four axis = columns_turn(R_a, l->axis);
    *(l->rows == 6 ? Y + 5 : N) = (screw4){axis, four_splat(0.0)};
    for (int k = 0; k < 2; k++) {
        const four b = columns_turn(R_b, l->across[k]);
        Y[3 + k] = (screw4){four_cross(b, axis), four_splat(0.0)};
        if (phi) phi[3 + k] = four_dot(axis, b);
    }
}

// The residuals that basis_rows has left.
static void set_special(const limb *l, const joint *j, const motion *at, double *phi)
{
    for (int k = 0; k < l->kinds; k++) {
        if (j->rows[k].kind == ROW_MOTOR) *phi = joint_motor_residual(j, at);
        if (j->rows[k].kind == ROW_SCREW) *phi = joint_screw_residual(j, at);
        phi += j->rows[k].kind == ROW_POINT ? 3 : 1;
    }
}

// `phi`: of the model
static void place_chain(const elimination *e, const limb *l, const motion *at, const columns *R_a, grips *g, grip *own,
                        double *phi)
{
    const joint *j = &e->model->joints[l->joint];
    const columns E = columns_of(&j->E_a), axes = columns_mul(R_a, &E);
    const geometry way = joint_geometry(j, at->frames);
    const four r_a = four_of(ph_add(way.r_a, way.d)), r_b = four_of(way.r_b); // to the origin of frame b
    chain_look look;
    own->own = l->sign > 0.0 ? r_b : r_a;
    own->parents = l->sign > 0.0 ? r_a : r_b;
    const bool known = (phi && l->rotor >= 0 ? chain_at : chain_rows_at)(j, &way, &look);
    basis_of_chain(j, &look, &axes, g->freedoms + l->first, g->rows + l->first_row, g->rows + l->first_pull);
    for (int k = 0; phi && k < l->rows; k++)
        phi[l->model_row + k] = j->chain->meets ? four_of(way.d)[k] : look.q[j->rows[k].i];
    if (l->rotor >= 0) rotors_grip(e, l, at, &look, &axes, g, phi);
    if (!known && l->count > 0) g->freedoms[l->first].turn = four_splat(PH_NAN); // no pivot: singular
}

static void place_other(const elimination *e, int i, const motion *at, const columns *parent, grips *g, double *all)
{
    const limb *l = &e->limbs[i];
    const freedoms *m = &e->forest.branches[i].motion;
    const joint *j = &e->model->joints[l->joint];
    const bool b_is_child = l->sign > 0.0, plain = l->first_pull == l->first_row;
    grip *own = &g->limbs[i];
    const columns *R_a = b_is_child ? parent : &own->turn, *R_b = b_is_child ? &own->turn : parent;
    if (j->chain) {
        place_chain(e, l, at, R_a, g, own, all);
        return;
    }
    double *phi = all ? all + l->model_row : NULL;
    basis_axes axes = {.r_a = columns_turn(R_a, j->s_a), .r_b = columns_turn(R_b, j->s_b)};
    axes.d = (four_of(at->frames[j->b].x) + axes.r_b) - (four_of(at->frames[j->a].x) + axes.r_a);
    basis_turn(j, l->needs, R_a, R_b, &axes);
    const four of_a = l->has_point ? axes.r_a : axes.r_a + axes.d;
    own->own = b_is_child ? axes.r_b : of_a;
    own->parents = b_is_child ? of_a : axes.r_b;
    basis_freedoms(j, m, &axes, g->freedoms + l->first);
    basis_rows(j, m, &axes, g->rows + l->first_row, phi);
    if (plain) return;
    basis_pulls(j, m, at, &axes, g->rows + l->first_row, g->rows + l->first_pull);
    if (phi) set_special(l, j, at, phi);
}

void elimination_grip(const elimination *e, const motion *at, grips *g, double *phi)
{
    for (int i = 0; i < e->limb_count; i++) {
        const limb *l = &e->limbs[i];
        columns still;
        const columns *parent = &still;
        g->limbs[i].turn = columns_of(&at->frames[l->body].R);
        if (l->joint < 0) continue;
        if (l->parent >= 0)
            parent = &g->limbs[l->parent].turn;
        else
            still = columns_of(&at->frames[l->parent_body].R);
        double *own = phi ? phi + l->model_row : NULL;
        if (l->kind == MOTION_BALL || l->hinge)
            place_ball(l, &g->limbs[i], parent, at->frames, own);
        else
            place_other(e, i, at, parent, g, phi);
        if (l->hinge) place_hinge(l, &g->limbs[i].turn, parent, g->freedoms + l->first, g->rows + l->first_row, own);
        if (l->hinge && l->rows == 6 && own) own[5] = joint_motor_residual(&e->model->joints[l->joint], at);
        if (l->rotor >= 0 && !e->model->joints[l->joint].chain) rotors_grip(e, l, at, NULL, NULL, g, phi);
    }
}

// ---- Wrenches and rates of rows -------------------------------------------------------------------------------------

void elimination_pull(elimination *e, const grips *g, const double *lambda)
{
    for (int i = 0; i < e->limb_count; i++) {
        limb *l = &e->limbs[i];
        l->z = (screw4){four_splat(0.0), four_splat(0.0)};
        if (l->joint < 0) continue;
        screw4 w = elimination_pull_of(e, l, g, lambda + l->model_row);
        if (l->rotor >= 0) {
            const screw4 more = rotors_pull(e, l, g, lambda);
            screw4_add(&w, 1.0, &more);
        }
        l->z = (screw4){w.turn + four_cross(g->limbs[i].own, w.move), w.move};
        if (l->parent < 0) continue;
        limb *parent = &e->limbs[l->parent];
        parent->z.turn -= w.turn + four_cross(g->limbs[i].parents, w.move);
        parent->z.move -= w.move;
    }
}

FOUR_INLINE screw4 at_point(const columns *turn, four lever, const ph_twist *v)
{
    const four w = columns_turn(turn, v->omega);
    return (screw4){w, four_of(v->v) + four_cross(w, lever)};
}

// Of b relative to a, at P.
FOUR_INLINE screw4 motion_between(const limb *l, const grips *g, const grip *own, const ph_twist *child,
                                  const ph_twist *parent)
{
    const four sign = four_splat(l->sign);
    screw4 w = at_point(&own->turn, own->own, child);
    if (l->parent >= 0) {
        const screw4 other = at_point(&g->limbs[l->parent].turn, own->parents, parent);
        w.turn -= other.turn;
        w.move -= other.move;
    }
    return (screw4){w.turn * sign, w.move * sign};
}

// Of the rows of a limb's own joint
FOUR_INLINE void put_rates(const elimination *e, const limb *l, const grips *g, four turn, four move, double *rates)
{
    const screw4 *W = g->rows + l->first_pull;
    if (l->hinge || l->kind == MOTION_BALL) {
        for (int c = 0; c < 3; c++) rates[c] = move[c];
        for (int k = 3; k < l->rows; k++) rates[k] = four_dot(W[k].turn, turn);
        return;
    }
    const joint *j = &e->model->joints[l->joint];
    for (int k = 0; k < l->kinds; k++) {
        if (j->rows[k].kind == ROW_POINT) {
            for (int c = 0; c < 3; c++) *rates++ = move[c];
            W += 3;
            continue;
        }
        *rates++ = four_dot(W->turn, turn) + four_dot(W->move, move);
        W++;
    }
}

void elimination_rates(const elimination *e, const grips *g, int joint, const ph_twist *child, const ph_twist *parent,
                       double slide, double *rates)
{
    const limb *l = elimination_limb(e, joint);
    const int n = e->rotor_of_joint[joint];
    const screw4 w = motion_between(l, g, &g->limbs[l - e->limbs], child, parent);
    if (l->joint == joint) put_rates(e, l, g, w.turn, w.move, rates);
    if (n >= 0) rates[e->rotors[n].row] = screw4_power(&g->rotors[n], &w) - slide;
}
