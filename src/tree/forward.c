// Forward dynamics by articulated inertias (Featherstone), in one inertial frame.
//
// First the forces F that the links would need at u' = 0. What remains is the effect of u' alone, which is linear: from
// the outermost link inwards, with N and Phi the inertia and force of the link and all that hangs on it,
//
//     U = A v (N ^ s)            D = s~ v (U E) + a         f = tau - s~ v (Phi E)
//     N <- N - (U ^ U~)/D        Phi <- Phi + U f/D         what is felt through the joint, added to the parent
//
// then outwards, with a the acceleration due to u',
//
//     u' = (f - U(a_p)) / D      a = a_p + u' s
#include "tree/tree.h"

static inline void sym4_madd(ph_sym4 *K, double s, const ph_sym4 *L)
{
    for (int i = 0; i < 6; i++) {
        K->aa[i] += s * L->aa[i];
        K->bb[i] += s * L->bb[i];
    }
    for (int i = 0; i < 9; i++) {
        K->ab[i] += s * L->ab[i];
    }
}

// False when a joint moves nothing that has mass.
static bool sweep_inwards(ph_tree *tree, const double *tau)
{
    bool good = true;
    for (int i = tree->link_count; i > 0; i--) {
        const int parent = tree->parents[i];
        const ph_twist s = LANE_GET(twist, tree->screws, i);
        ph_sym4 *N = &tree->articulated[i];
        const ph_coscrew U = ph_cl_shuffle_a(ph_cl_wedge_sym4(*N, s));
        const double D = ph_cl_evaluate(U, s) + tree->armature[i], D_inverse = 1.0 / D;
        const double f = tau[i - 1] - ph_cl_evaluate(tree->load[i], s);
        const ph_sym4 dyad = ph_cl_dyad(U);
        sym4_madd(N, -D_inverse, &dyad);
        sym4_madd(&tree->articulated[parent], 1.0, N);
        tree->load[parent] = coscrew_add(tree->load[parent], coscrew_madd(tree->load[i], f * D_inverse, U));
        tree->U[i] = U;
        tree->D_inverse[i] = D_inverse;
        tree->rest[i] = f;
        good = good && D > 0.0;
    }
    return good;
}

static void sweep_outwards(ph_tree *tree, double *u_rate)
{
    LANE_SET(twist, tree->accelerations, 0, twist_zero());
    for (int i = 1; i <= tree->link_count; i++) {
        const ph_twist a = LANE_GET(twist, tree->accelerations, tree->parents[i]);
        u_rate[i - 1] = (tree->rest[i] - ph_cl_evaluate(tree->U[i], a)) * tree->D_inverse[i];
        LANE_SET(twist, tree->accelerations, i, twist_madd(a, u_rate[i - 1], LANE_GET(twist, tree->screws, i)));
    }
}

ph_status ph_tree_forward_dynamics(ph_tree *tree, const double *q, const double *u, const double *tau,
                                   const ph_coscrew *wrenches, double *u_rate)
{
    if (!tree || !q || !u || !tau || !u_rate) return PH_BAD_ARGUMENT;
    tree_place(tree, q);
    tree_velocities(tree, u);
    tree_accelerations(tree, NULL);
    tree_forces(tree, wrenches);
    for (int i = 0; i <= tree->link_count; i++) {
        tree->articulated[i] = ph_cl_inertia_sym4(LANE_GET(inertia, tree->inertias, i));
        tree->load[i] = LANE_GET(coscrew, tree->forces, i);
    }
    if (!sweep_inwards(tree, tau)) {
        return PH_SINGULAR;
    }
    sweep_outwards(tree, u_rate);
    return PH_OK;
}
