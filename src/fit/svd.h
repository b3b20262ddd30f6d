// Least squares of moderate size: rows folded into a triangle, and its singular values.
#ifndef PH_FIT_SVD_H
#define PH_FIT_SVD_H

// R (n x n, row-major, upper triangular) and b become those of [R; row] x ~ [b; value], by Givens rotations; `row` is
// destroyed. Returns what is left of `value`.
double triangle_add(double *R, double *b, int n, double *row, double value);

// A = U S V^T for A (n x n, row-major) by one-sided Jacobi rotations: A becomes U S by columns, V its right vectors by columns,
// s the singular values; all in falling order.
void svd(double *A, int n, double *s, double *V);

#endif
