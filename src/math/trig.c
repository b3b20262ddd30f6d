#include "trig.h"

#include <math.h>

void ph_sincos(double x, double *s, double *c)
{
    *s = sin(x);
    *c = cos(x);
}

double ph_sin(double x)
{
    return sin(x);
}

double ph_cos(double x)
{
    return cos(x);
}

double ph_tan(double x)
{
    return tan(x);
}

double ph_asin(double x)
{
    return asin(x);
}

double ph_acos(double x)
{
    return acos(x);
}

double ph_atan(double x)
{
    return atan(x);
}

double ph_atan2(double y, double x)
{
    return atan2(y, x);
}

double ph_exp(double x)
{
    return exp(x);
}

double ph_log(double x)
{
    return log(x);
}

double ph_pow(double x, double y)
{
    return pow(x, y);
}

double ph_tanh(double x)
{
    return tanh(x);
}
