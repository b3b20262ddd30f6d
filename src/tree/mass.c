// Mass matrix, energies and centre of mass, from the inertias of each link with all further out:
//
//     N_i^c = N_i + sum over children,        M_jk = s_j~ v (N^c ^ s_k), N^c of the outer of both links, 0 across branches

#include "math/vec3.h"
#include "tree/tree.h"

#include <string.h>

static inline void add_inertia(ph_inertia *M, const ph_inertia *N)
{
    M->mass += N->mass;
    M->moment = ph_add(M->moment, N->moment);
    for (int i = 0; i < 6; i++) {
        M->I[i] += N->I[i];
    }
}

// Inertia of each link with all further out; entry 0 is that of the whole tree.
static void gather_inertias(ph_tree *tree)
{
    for (int i = 0; i <= tree->link_count; i++) {
        tree->gathered[i] = LANE_GET(inertia, tree->inertias, i);
    }
    for (int i = tree->link_count; i > 0; i--) {
        add_inertia(&tree->gathered[tree->parents[i]], &tree->gathered[i]);
    }
}

void ph_tree_mass_matrix(ph_tree *tree, const double *q, double *M)
{
    if (!tree || !q || !M) return;
    const int n = tree->link_count;
    tree_place(tree, q);
    gather_inertias(tree);
    memset(M, 0, sizeof *M * (size_t)n * (size_t)n);
    for (int k = 1; k <= n; k++) {
        const ph_coscrew U = ph_cl_shuffle_a(ph_cl_wedge_inertia(tree->gathered[k], LANE_GET(twist, tree->screws, k)));
        for (int j = k; j > 0; j = tree->parents[j]) {
            M[(j - 1) * n + k - 1] = M[(k - 1) * n + j - 1] = ph_cl_evaluate(U, LANE_GET(twist, tree->screws, j));
        }
        M[(k - 1) * n + k - 1] += tree->armature[k];
    }
}

ph_vec3 ph_tree_center_of_mass(ph_tree *tree, const double *q, double *mass)
{
    if (!tree || !q) return ph_zero3();
    tree_place(tree, q);
    gather_inertias(tree);
    if (mass) {
        *mass = tree->gathered[0].mass;
    }
    return ph_scale(1.0 / tree->gathered[0].mass, tree->gathered[0].moment);
}

void ph_tree_energy(ph_tree *tree, const double *q, const double *u, double *kinetic, double *potential)
{
    if (!tree || !q || !u) return;
    double T = 0.0, V = 0.0;
    tree_place(tree, q);
    tree_velocities(tree, u);
    for (int i = 1; i <= tree->link_count; i++) {
        const ph_inertia N = LANE_GET(inertia, tree->inertias, i);
        T += ph_kinetic_energy(N, LANE_GET(twist, tree->velocities, i));
        T += 0.5 * tree->armature[i] * u[i - 1] * u[i - 1];
        V -= ph_dot(tree->gravity, N.moment);
    }
    if (kinetic) *kinetic = T;
    if (potential) *potential = V;
}
