// Eigenvalues of symmetric 3x3 matrices by cyclic Jacobi rotations: backward stable, and small eigenvalues of scaled
// diagonally dominant matrices (inertia tensors of thin rods) keep their relative accuracy.
#include "math/mat3.h"

// One rotation in the plane (p, q) that makes S[p][q] zero (Golub & Van Loan, Matrix Computations, 8.5.2).
static void rotate(ph_mat3 *S, ph_mat3 *V, int p, int q)
{
    const double apq = S->m[p][q];
    if (apq == 0.0) {
        return;
    }
    const double theta = 0.5 * (S->m[q][q] - S->m[p][p]) / apq;
    const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(1.0 + theta * theta));
    const double c = 1.0 / sqrt(1.0 + t * t);
    const double s = t * c;
    const int r = 3 - p - q;
    const double arp = S->m[r][p], arq = S->m[r][q];
    S->m[p][p] -= t * apq;
    S->m[q][q] += t * apq;
    S->m[p][q] = S->m[q][p] = 0.0;
    S->m[r][p] = S->m[p][r] = c * arp - s * arq;
    S->m[r][q] = S->m[q][r] = s * arp + c * arq;
    for (int i = 0; i < 3; i++) {
        const double vp = V->m[i][p], vq = V->m[i][q];
        V->m[i][p] = c * vp - s * vq;
        V->m[i][q] = s * vp + c * vq;
    }
}

void ph_eig3(ph_mat3 S, ph_vec3 *values, ph_mat3 *vectors)
{
    S.m[1][0] = S.m[0][1];
    S.m[2][0] = S.m[0][2];
    S.m[2][1] = S.m[1][2];
    ph_mat3 V = ph_identity();
    // Convergence is quadratic: five sweeps reach round-off, the bound only ends the loop for entries not finite.
    for (int sweep = 0; sweep < 20; sweep++) {
        if (S.m[0][1] == 0.0 && S.m[0][2] == 0.0 && S.m[1][2] == 0.0) {
            break;
        }
        rotate(&S, &V, 0, 1);
        rotate(&S, &V, 0, 2);
        rotate(&S, &V, 1, 2);
    }
    int order[3] = {0, 1, 2};
    for (int i = 1; i < 3; i++) {
        for (int j = i; j > 0 && S.m[order[j]][order[j]] < S.m[order[j - 1]][order[j - 1]]; j--) {
            const int swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
    }
    *values = ph_vec(S.m[order[0]][order[0]], S.m[order[1]][order[1]], S.m[order[2]][order[2]]);
    // Some fifteen rotations have left round-off in V: orthonormal again.
    const ph_vec3 v0 = ph_unit(ph_mat_col(V, order[0])), v1 = ph_mat_col(V, order[1]);
    const ph_vec3 e1 = ph_unit(ph_madd(v1, -ph_dot(v0, v1), v0));
    *vectors = ph_mat_cols(v0, e1, ph_cross(v0, e1));
}
