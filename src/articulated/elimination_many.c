// The solve of elimination.h for four right-hand sides at once: the equations there, line by line. Multipliers are not asked for.
#include "articulated/elimination.h"

#include "math/quad.h"

#include <string.h>

typedef struct quad6 {
    quad3 turn, move;
} quad6;

FOUR_INLINE quad3 no_quad3(void)
{
    return (quad3){{quad_splat(0.0), quad_splat(0.0), quad_splat(0.0)}};
}

size_t elimination_many_room(const elimination *e)
{
    return (size_t)e->limb_count * 3 * (sizeof(quad6) / sizeof(quad)) + (size_t)e->freedom_count + 1;
}

bool elimination_can_many(const elimination *e)
{
    bool can = e->model->rotor_count == 0;
    for (int i = 0; i < e->limb_count; i++) {
        const limb *l = &e->limbs[i];
        can = can && !l->together && (!l->swivels || l->kind == MOTION_BALL);
    }
    return can;
}

// Y+ r_phi
static quad6 given_motion(const elimination *e, const limb *l, const quad *x)
{
    const joint *j = &e->model->joints[l->joint];
    const screw4 *Y = e->trial.rows + l->first_row;
    quad6 given = {no_quad3(), no_quad3()};
    for (int k = 0; k < (l->kind == MOTION_BALL ? 1 : j->kind_count); k++) {
        if (j->rows[k].kind == ROW_POINT) {
            const quad3 point = quad3_load(x);
            quad3_add(&given.move, l->sign, &point);
            x += 3, Y += 3;
            continue;
        }
        const quad r = *x++ * quad_splat(l->sign);
        quad3_add_along(&given.turn, Y->turn, r);
        if (!l->hinge) quad3_add_along(&given.move, Y->move, r);
        Y++;
    }
    return given;
}

static void load_limb(const elimination *e, const limb *l, const grip *here, const quad *x, quad6 *load)
{
    const quad3 turn = quad3_load(x + e->body_x[l->moving]), move = quad3_load(x + e->body_x[l->moving] + 3);
    quad3_add_product(&load->turn, 1.0, &here->turn, &turn);
    quad3_add(&load->move, 1.0, &move);
}

// D and E of a ball joint act at once; what is left for the way back stays in `load`.
static void ball_inwards(const limb *l, const quad6 *given, quad6 *load, quad6 *on)
{
    quad3 loose = no_quad3();
    quad3_add_product(&loose, 1.0, &l->D, &load->turn);
    quad3_add_product(&on->move, -1.0, &l->C, &loose);
    quad3_add_product(&on->move, -1.0, &l->F, &given->move);
    quad3_add_product(&loose, -1.0, &l->E, &given->move);
    on->turn = no_quad3();
    load->turn = loose;
}

static void freedoms_inwards(const elimination *e, const limb *l, const quad6 *given, quad6 *on, quad *u)
{
    quad3_add_product(&on->turn, -1.0, &l->A, &given->turn);
    quad3_add_product(&on->turn, -1.0, &l->B, &given->move);
    quad3_add_product(&on->move, -1.0, &l->C, &given->turn);
    quad3_add_product(&on->move, -1.0, &l->M, &given->move);
    for (int k = l->first; k < l->first + l->count; k++) {
        const limb_freedom *f = &e->freedoms[k];
        const screw4 *n = &e->test.freedoms[k];
        quad sum = quad3_dot(n->turn, &on->turn);
        if (f->moves) sum += quad3_dot(n->move, &on->move);
        u[k] = sum * quad_splat(f->over[0]);
        quad3_add_along(&on->turn, -f->h.turn, u[k]);
        quad3_add_along(&on->move, -f->h.move, u[k]);
    }
}

static void go_inwards(const elimination *e, int i, const quad *x, quad6 *loads, quad6 *given, quad *u)
{
    const limb *l = &e->limbs[i];
    const grip *here = &e->test.limbs[i];
    load_limb(e, l, here, x, &loads[i]);
    if (l->joint < 0) return;
    given[i] = given_motion(e, l, x + e->joint_x[l->joint]);
    quad3_add_cross(&loads[i].turn, -1.0, here->own, &loads[i].move);
    quad6 on = {quad3_load(loads[i].turn.c), quad3_load(loads[i].move.c)};
    if (l->kind == MOTION_BALL)
        ball_inwards(l, &given[i], &loads[i], &on);
    else
        freedoms_inwards(e, l, &given[i], &on, u);
    if (l->parent < 0) return;
    quad6 *parent = &loads[l->parent];
    quad3_add(&parent->turn, 1.0, &on.turn);
    quad3_add_cross(&parent->turn, 1.0, here->parents, &on.move);
    quad3_add(&parent->move, 1.0, &on.move);
}

static void solve_free(const limb *l, const quad6 *load, quad6 *z)
{
    quad3 x = no_quad3(), rest = load->turn;
    *z = (quad6){no_quad3(), no_quad3()};
    quad3_add_product(&x, 1.0, &l->D, &load->move);
    quad3_add_product(&rest, -1.0, &l->B, &x);
    quad3_add_product(&z->turn, 1.0, &l->F, &rest);
    z->move = x;
    quad3_add_product(&z->move, -1.0, &l->E, &z->turn);
}

static void go_outwards(const elimination *e, int i, const quad6 *loads, const quad6 *given, const quad *u, quad6 *all)
{
    const limb *l = &e->limbs[i];
    const grip *there = &e->trial.limbs[i];
    quad6 z = {no_quad3(), no_quad3()};
    if (l->parent >= 0) {
        z = (quad6){quad3_load(all[l->parent].turn.c), quad3_load(all[l->parent].move.c)};
        quad3_add_cross(&z.move, -1.0, there->parents, &z.turn);
    }
    if (l->kind == MOTION_BALL) {
        z.turn = loads[i].turn;
        quad3_add_product(&z.turn, -1.0, &l->E, &z.move);
    } else {
        for (int k = l->first + l->count - 1; k >= l->first; k--) {
            const limb_freedom *f = &e->freedoms[k];
            const screw4 *s = &e->trial.freedoms[k];
            const quad y = u[k] - quad3_dot(f->g.turn, &z.turn) - quad3_dot(f->g.move, &z.move);
            quad3_add_along(&z.turn, s->turn, y);
            if (f->moves) quad3_add_along(&z.move, s->move, y);
        }
        quad3_add(&z.turn, 1.0, &given[i].turn);
    }
    quad3_add(&z.move, 1.0, &given[i].move);
    quad3_add_cross(&z.move, 1.0, there->own, &z.turn);
    all[i] = z;
}

void elimination_solve_many(const elimination *e, quad *room, quad *x)
{
    quad6 *loads = (quad6 *)room, *given = loads + e->limb_count, *all = given + e->limb_count;
    quad *u = (quad *)(all + e->limb_count);
    memset(loads, 0, sizeof *loads * (size_t)e->limb_count);
    for (int i = e->limb_count - 1; i >= 0; i--) go_inwards(e, i, x, loads, given, u);
    for (int i = 0; i < e->limb_count; i++) {
        const limb *l = &e->limbs[i];
        quad *to = x + e->body_x[l->moving];
        if (l->joint < 0)
            solve_free(l, &loads[i], &all[i]);
        else
            go_outwards(e, i, loads, given, u, all);
        quad3 turn = no_quad3();
        quad3_add_product(&turn, 1.0, &l->out, &all[i].turn);
        quad3_store(to, &turn);
        quad3_store(to + 3, &all[i].move);
    }
}
