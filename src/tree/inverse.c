// Inverse dynamics: outwards for the forces F_i, inwards for their sums: Phi_i = F_i + sum over children,
// tau_i = s_i~ v (Phi_i E) + a_i u_i', a the armature.

#include "tree/tree.h"

void ph_tree_inverse_dynamics(ph_tree *tree, const double *q, const double *u, const double *u_rate,
                              const ph_coscrew *wrenches, double *tau)
{
    if (!tree || !q || !u || !tau) return;
    tree_place(tree, q);
    tree_velocities(tree, u);
    tree_accelerations(tree, u_rate);
    tree_forces(tree, wrenches);
    for (int i = tree->link_count; i > 0; i--) {
        const ph_coscrew Phi = LANE_GET(coscrew, tree->forces, i);
        const int parent = tree->parents[i];
        const double rotor = u_rate ? tree->armature[i] * u_rate[i - 1] : 0.0;
        tau[i - 1] = ph_cl_evaluate(Phi, LANE_GET(twist, tree->screws, i)) + rotor;
        LANE_SET(coscrew, tree->forces, parent, coscrew_add(LANE_GET(coscrew, tree->forces, parent), Phi));
    }
}
