// Argument reduction for sine and cosine with as many bits of pi as it takes.
#ifndef PH_MATH_TRIG_REDUCE_H
#define PH_MATH_TRIG_REDUCE_H

// x = n pi/2 + y, |y| <= pi/4, y as an unevaluated sum with relative error below 2^-70 for every finite x with
// |x| >= 2^-20. Returns n mod 4. For x not finite y is not a number.
int ph_reduce_half_pi(double x, double *y_hi, double *y_lo);

#endif
