// Dense matrices of moderate size, column-major.
#ifndef PH_LINALG_DENSE_H
#define PH_LINALG_DENSE_H

#include <stdbool.h>

// The orthonormal complement of the columns of A (n x m, destroyed): QR with column pivoting, in which columns whose rest
// is below `tolerance` times the largest are taken as dependent. Z has room for n x n. work: 2 m. Returns how many columns
// Z has, n - rank.
int dense_complement(double *A, int n, int m, double tolerance, double *Z, double *work);

// Eigenvalues of the symmetric A (n x n) in rising order, and orthonormal eigenvectors as columns in place of A.
// Householder's tridiagonal form, then implicit QR. work: 2 n. false when it does not converge (A is not finite).
bool dense_eigen(double *A, int n, double *values, double *work);

#endif
