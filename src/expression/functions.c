// The functions of expressions: a new one is its line in the table, with its first two derivatives.

#include "expression/program.h"

#include "math/trig.h"

#include <math.h>
#include <string.h>

// What stands still has no derivative, also where f' is infinite: sqrt(u) at 0.
expression_jet expression_chain(expression_jet a, double y, slopes d)
{
    if (a.rate == 0.0 && a.second == 0.0) return (expression_jet){y, 0.0, 0.0};
    return (expression_jet){y, d.first * a.rate, d.second * a.rate * a.rate + d.first * a.second};
}

// ---- One argument: derivatives at x, where the value is y -----------------------------------------------------------

static slopes sqrt_slopes(double x, double y)
{
    return (slopes){0.5 / y, -0.25 / (x * y)};
}

static slopes abs_slopes(double x, double y)
{
    (void)y;
    return (slopes){x < 0.0 ? -1.0 : 1.0, 0.0};
}

static slopes sin_slopes(double x, double y)
{
    return (slopes){ph_cos(x), -y};
}

static slopes cos_slopes(double x, double y)
{
    return (slopes){-ph_sin(x), -y};
}

// No double is a pole of the tangent; within a few roundings of one it is taken as infinite, as it was meant to be.
static double tangent(double x)
{
    const double y = ph_tan(x);
    return fabs(y) * fabs(x) * 0x1p-50 > 1.0 ? copysign((double)INFINITY, y) : y;
}

static slopes tan_slopes(double x, double y)
{
    (void)x;
    return (slopes){1.0 + y * y, 2.0 * y * (1.0 + y * y)};
}

static slopes asin_slopes(double x, double y)
{
    (void)y;
    const double c = 1.0 - x * x;
    return (slopes){1.0 / sqrt(c), x / (c * sqrt(c))};
}

static slopes acos_slopes(double x, double y)
{
    const slopes d = asin_slopes(x, y);
    return (slopes){-d.first, -d.second};
}

static slopes atan_slopes(double x, double y)
{
    (void)y;
    const double s = 1.0 + x * x;
    return (slopes){1.0 / s, -2.0 * x / (s * s)};
}

static slopes exp_slopes(double x, double y)
{
    (void)x;
    return (slopes){y, y};
}

static slopes log_slopes(double x, double y)
{
    (void)y;
    return (slopes){1.0 / x, -1.0 / (x * x)};
}

static slopes tanh_slopes(double x, double y)
{
    (void)x;
    return (slopes){1.0 - y * y, -2.0 * y * (1.0 - y * y)};
}

static const double degree = 0.017453292519943295769; // rad

// deg(30): an angle of 30 degrees
static double degrees(double x)
{
    return degree * x;
}

static slopes degrees_slopes(double x, double y)
{
    (void)x, (void)y;
    return (slopes){degree, 0.0};
}

// ---- Two arguments --------------------------------------------------------------------------------------------------

// Unlike fmin and fmax these hand on a value that is not a number.
static double minimum(double a, double b)
{
    return a < b || isnan(a) ? a : b;
}

static double maximum(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

static expression_jet minimum_jet(expression_jet a, expression_jet b)
{
    return a.value < b.value || isnan(a.value) ? a : b;
}

static expression_jet maximum_jet(expression_jet a, expression_jet b)
{
    return a.value > b.value || isnan(a.value) ? a : b;
}

// atan2(a, b)' = (b a' - a b')/N, N = a^2 + b^2
static expression_jet atan2_jet(expression_jet a, expression_jet b)
{
    const double x = b.value, value = ph_atan2(a.value, x);
    const double N = a.value * a.value + x * x, S = x * a.rate - a.value * b.rate;
    const double N1 = 2.0 * (a.value * a.rate + x * b.rate), S1 = x * a.second - a.value * b.second;
    if (a.rate == 0.0 && b.rate == 0.0 && a.second == 0.0 && b.second == 0.0) return (expression_jet){value, 0.0, 0.0};
    return (expression_jet){value, S / N, S1 / N - S * N1 / (N * N)};
}

// By the power rule where b stands still, else through exp(b log a).
static expression_jet power_jet(expression_jet a, expression_jet b)
{
    const double x = a.value, n = b.value, y = ph_pow(x, n);
    if (b.rate == 0.0 && b.second == 0.0)
        return expression_chain(a, y,
                                (slopes){n == 0.0 ? 0.0 : n * ph_pow(x, n - 1.0),
                                         n * (n - 1.0) == 0.0 ? 0.0 : n * (n - 1.0) * ph_pow(x, n - 2.0)});
    const double log_x = ph_log(x);
    const expression_jet l = expression_chain(a, log_x, log_slopes(x, log_x));
    const expression_jet exponent = {n * log_x, b.rate * log_x + n * l.rate,
                                     b.second * log_x + 2.0 * b.rate * l.rate + n * l.second};
    return expression_chain(exponent, y, (slopes){y, y});
}

// ---- The table ------------------------------------------------------------------------------------------------------

const function expression_functions[] = {
    {"sqrt", .one = sqrt, .slopes = sqrt_slopes},
    {"abs", .one = fabs, .slopes = abs_slopes},
    {"sin", .one = ph_sin, .slopes = sin_slopes},
    {"cos", .one = ph_cos, .slopes = cos_slopes},
    {"tan", .one = tangent, .slopes = tan_slopes},
    {"asin", .one = ph_asin, .slopes = asin_slopes},
    {"acos", .one = ph_acos, .slopes = acos_slopes},
    {"atan", .one = ph_atan, .slopes = atan_slopes},
    {"atan2", .two = ph_atan2, .jet = atan2_jet},
    {"exp", .one = ph_exp, .slopes = exp_slopes},
    {"log", .one = ph_log, .slopes = log_slopes},
    {"tanh", .one = ph_tanh, .slopes = tanh_slopes, .shared = true},
    {"deg", .one = degrees, .slopes = degrees_slopes, .shared = true},
    {"min", .two = minimum, .jet = minimum_jet, .fold = true},
    {"max", .two = maximum, .jet = maximum_jet, .fold = true},
    {0},
};

const function expression_power = {"^", .two = ph_pow, .jet = power_jet};

const function *expression_find_function(const char *name)
{
    for (const function *f = expression_functions; f->name; f++) {
        if (strcmp(f->name, name) == 0) {
            return f;
        }
    }
    return NULL;
}
