// Elementary functions from + - * / and square root alone, so that the same bits come out on every machine, compiler
// and instruction set. Errors are about one unit in the last place; special values are those of C17 Annex F.
#ifndef PH_MATH_TRIG_H
#define PH_MATH_TRIG_H

#include <math.h>

// As doubles: the macros of <math.h> are floats.
#define PH_INF ((double)INFINITY)
#define PH_NAN ((double)NAN)

void ph_sincos(double x, double *s, double *c);
double ph_sin(double x);
double ph_cos(double x);
double ph_tan(double x);
double ph_asin(double x);
double ph_acos(double x);
double ph_atan(double x);
double ph_atan2(double y, double x);
double ph_exp(double x);
double ph_log(double x);
double ph_pow(double x, double y);
double ph_tanh(double x);

#endif
