// Dampers along one line between a body and its parent, in the elimination of trees, where the matrix is symmetric.
//
// Such a damper is a matrix of rank one, c k k^T, beside the inertia of the freedoms (several.c). With D of the freedoms without it,
// m = N D^-1 N^T k the motion that the line alone makes while the parent stands still, and q = H' m:
//
//     s = c/(1 + c k.m),   sigma = s (m . (r' - H' (z_parent + Y r_phi)) + k . Y r_phi) = s (m . r' + t . Y r_phi - q . z_parent)
//     motion      what it were without the damper, - m sigma
//     to parent   H'' + s q q^T,   r'' + q s (m . r' + t . Y r_phi),       t = k - q
//
// A second one begins with the motion that the first leaves: m_2 - s_1 m_1 (k_1 . m_2), and likewise q_2; what is given moves the first,
// too, so t_2 = k_2 - q_2 - c_1 (k_1 . m_2) k_1.
#include "articulated/elimination.h"

bool brace_add(limb *l, double c, const screw4 *k)
{
    if (l->damped || l->braces == BRACES_MAX) return false;
    brace *b = &l->several->braces[l->braces++];
    b->c = c;
    b->k = *k;
    return true;
}

// ---- Factor ---------------------------------------------------------------------------------------------------------

// What may move beside free turns follows the force that is left of the line.
static void move_swivel(const elimination *e, const limb *l, const screw4 *k, screw4 *m, screw4 *q)
{
    const limb_freedom *f = &e->freedoms[l->first];
    const screw4 *N = e->test.freedoms + l->first;
    const four free = columns_apply(&l->D, k->turn), move = k->move - columns_apply(&l->C, free);
    four moved = four_splat(0.0), rest = move;
    for (int i = 0; i < l->count; i++) {
        double u = f[i].over[0] * four_dot(N[0].move, move);
        if (l->count > 1) u += f[i].over[1] * four_dot(N[1].move, move);
        moved += N[i].move * four_splat(u);
        rest -= f[i].h.move * four_splat(u);
    }
    *m = (screw4){free - columns_apply(&l->E, moved), moved};
    *q = (screw4){k->turn, k->move - rest};
}

static void move_freedoms(const elimination *e, const limb *l, const screw4 *k, screw4 *m, screw4 *q)
{
    double u[6];
    screw4 rest = *k;
    *m = (screw4){four_splat(0.0), four_splat(0.0)};
    for (int i = 0; i < l->count; i++) {
        const limb_freedom *f = &e->freedoms[l->first + i];
        u[i] = screw4_power(&e->test.freedoms[l->first + i], &rest) * f->over[0];
        screw4_add(&rest, -u[i], &f->h);
    }
    for (int i = l->count - 1; i >= 0; i--) {
        const limb_freedom *f = &e->freedoms[l->first + i];
        screw4_add(m, u[i] - screw4_power(&f->g, m), &e->test.freedoms[l->first + i]);
    }
    *q = (screw4){k->turn - rest.turn, k->move - rest.move};
}

void braces_factor(elimination *e, limb *l, limb *parent, const grip *here)
{
    for (int i = 0; i < l->braces; i++) {
        brace *b = &l->several->braces[i];
        (l->swivels ? move_swivel : move_freedoms)(e, l, &b->k, &b->m, &b->q);
        for (int n = 0; n < i; n++) {
            const brace *one = &l->several->braces[n];
            const double along = one->s * screw4_power(&one->k, &b->m);
            screw4_add(&b->m, -along, &one->m);
            screw4_add(&b->q, -along, &one->q);
        }
        b->t = (screw4){b->k.turn - b->q.turn, b->k.move - b->q.move};
        for (int n = 0; n < i; n++) {
            const brace *one = &l->several->braces[n];
            screw4_add(&b->t, -one->c * screw4_power(&one->k, &b->m), &one->k);
        }
        b->s = b->c / (1.0 + b->c * screw4_power(&b->k, &b->m));
        if (!parent) continue;
        const four move = b->q.move, turn = b->q.turn + four_cross(here->parents, move);
        const four s_turn = four_splat(-b->s) * turn, s_move = four_splat(-b->s) * move;
        parent->A = columns_sub_outer(&parent->A, s_turn, turn);
        parent->B = columns_sub_outer(&parent->B, s_turn, move);
        parent->C = columns_sub_outer(&parent->C, s_move, turn);
        parent->M = columns_sub_outer(&parent->M, s_move, move);
    }
}

// ---- Solve ----------------------------------------------------------------------------------------------------------

void braces_inwards(limb *l, const screw4 *r, screw4 *load)
{
    for (int i = 0; i < l->braces; i++) {
        brace *b = &l->several->braces[i];
        b->sigma = b->s * (screw4_power(&b->m, r) + screw4_power(&b->t, &l->given));
        screw4_add(load, b->sigma, &b->q);
    }
}

void braces_outwards(limb *l, const screw4 *parent, screw4 *z, screw4 *pull)
{
    for (int i = 0; i < l->braces; i++) {
        brace *b = &l->several->braces[i];
        b->sigma -= b->s * screw4_power(&b->q, parent);
        screw4_add(z, -b->sigma, &b->m);
    }
    *pull = (screw4){four_splat(0.0), four_splat(0.0)};
    const screw4 w = {z->turn - parent->turn, z->move - parent->move};
    for (int i = 0; i < l->braces; i++) {
        const brace *b = &l->several->braces[i];
        screw4_add(pull, b->c * screw4_power(&b->k, &w), &b->k);
    }
}
