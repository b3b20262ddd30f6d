// Elliptic functions and integrals to full double accuracy, for every parameter 0 <= m <= 1.
//
// All depends on m and on m1 = 1 - m. Both are given, so that nothing is lost where either is small: the motion near a
// separatrix (m1 -> 0) is as accurate as the one near a steady rotation (m -> 0).
#ifndef PH_EXACT_ELLIPTIC_H
#define PH_EXACT_ELLIPTIC_H

enum { ELLIPTIC_MEANS_MAX = 12 }; // of the smallest m1 > 0 that a double holds, with room to spare

typedef struct elliptic {
    double m, m1;
    double K; // quarter period; infinite for m1 = 0
    // The arithmetic and geometric means of 1 and sqrt(m1), and their limit:
    double a[ELLIPTIC_MEANS_MAX], b[ELLIPTIC_MEANS_MAX];
    int count;
    double mean; // pi / (2 K)
} elliptic;

// u = quarters K + rest, |rest| <= K/2: the distance from the nearest turning point keeps all its digits.
typedef struct elliptic_point {
    double quarters, rest;
} elliptic_point;

typedef struct jacobi {
    double sn, cn, dn;
} jacobi;

elliptic elliptic_of(double m, double m1);

elliptic_point elliptic_move(const elliptic *e, elliptic_point from, double du);

// Each to full relative accuracy for the given point.
jacobi elliptic_jacobi(const elliptic *e, elliptic_point u);

// The u in [-2K, 2K] with the given sn and cn, of which only the ratio and the signs count.
elliptic_point elliptic_inverse(const elliptic *e, double sn, double cn);

// Integral of the third kind: int_0^u du / (start cn^2 u + turn sn^2 u), start > 0, turn > 0. It is the phase of a motion
// whose distance from a pole is `start` at u = 0 and `turn` at u = K.
double elliptic_third(const elliptic *e, double start, double turn, elliptic_point u);

#endif
