// Decimal numbers, correctly rounded in every locale.

#include "expression/expression.h"

#include "expression/program.h"

#include <stdio.h>
#include <stdlib.h>

// Digits and exponent go to strtod without the point, "1.25e3" as "125e1": strtod rounds correctly, but which character
// it takes for a point depends on the locale. No double and no midpoint of two has more than 767 digits, so that of
// digits beyond 800 only matters whether one is not zero.
enum { DIGITS_MAX = 800 };

typedef struct decimal {
    char digits[DIGITS_MAX + 32];
    int count;     // digits without leading zeros
    long exponent; // value = digits * 10^exponent
    bool sticky;   // a digit that is not zero was dropped
} decimal;

static void decimal_add(decimal *d, char digit, bool after_point)
{
    if (d->count < DIGITS_MAX) {
        d->digits[d->count] = digit;
        d->count += d->count > 0 || digit != '0';
        d->exponent -= after_point;
    } else {
        d->sticky = d->sticky || digit != '0';
        d->exponent += !after_point;
    }
}

static double decimal_value(decimal *d)
{
    if (d->sticky) {
        d->digits[d->count++] = '1';
        d->exponent--;
    }
    if (d->count == 0) {
        return 0.0;
    }
    snprintf(d->digits + d->count, sizeof d->digits - (size_t)d->count, "e%ld", d->exponent);
    return strtod(d->digits, NULL);
}

double expression_number(const char *text, const char **end)
{
    decimal d = {0};
    const char *s = text;
    bool any = false, after_point = false;
    for (; is_digit(*s) || (*s == '.' && !after_point); s++) {
        if (*s == '.') {
            after_point = true;
        } else {
            any = true;
            decimal_add(&d, *s, after_point);
        }
    }
    *end = any ? s : text;
    const char *e = s + 1 + (s[0] != '\0' && (s[1] == '+' || s[1] == '-'));
    if (any && (*s == 'e' || *s == 'E') && is_digit(*e)) {
        long exponent = 0;
        for (; is_digit(*e); e++) {
            exponent = exponent < 1000000 ? 10 * exponent + (*e - '0') : exponent;
        }
        d.exponent += s[1] == '-' ? -exponent : exponent;
        *end = e;
    }
    return decimal_value(&d);
}

double expression_signed_number(const char *text, const char **end)
{
    const bool sign = *text == '-' || *text == '+';
    const double number = expression_number(text + sign, end);
    if (*end == text + sign) *end = text;
    return *text == '-' ? -number : number;
}
