#!/usr/bin/env python3
"""Writes src/math/trig_tables.h and src/math/so3_poly.h: every fitted coefficient and table of the math folder.

Polynomials interpolate at Chebyshev nodes in 120 digits; the printed error is that of the rounded coefficients,
measured on a dense grid, relative to the function that the code builds from them.  Needs mpmath.

usage: math_tables.py [DIRECTORY]        (default: src/math beside this script's folder)
"""
import pathlib
import sys

from mpmath import (asin, atan, chebyfit, exp, fac, floor, log, mp, mpf, nint, pi, polyval, sin, cos, sqrt, tanh)

mp.dps = 120


def rounded(value, bits=53):
    """The nearest binary floating-point number with that many bits."""
    with mp.workprec(bits):
        return +value


def text(value):
    return float(value).hex().replace("0x1.0000000000000p", "0x1p")


def pair(value):
    hi = mpf(float(value))
    return "{%s, %s}" % (text(hi), text(value - hi))


def array(name, items, comment):
    lines, line = [], "   "
    for item in items:
        if len(line) + len(item) + 2 > 118:
            lines.append(line)
            line = "   "
        line += " " + item + ","
    lines.append(line)
    return "// %s\nstatic const %s = {\n%s\n};\n" % (comment, name, "\n".join(lines))


def polynomial(name, f, interval, terms, comment, weight=lambda z: mpf(1), fixed=()):
    """Coefficients, lowest first; `fixed` are prescribed lowest ones; error relative to f/weight."""
    k = len(fixed)

    def rest(z):
        if abs(z) < mpf(10) ** -25:
            z = mpf(10) ** -25
        return (f(z) - polyval(list(fixed)[::-1] or [0], z)) / z**k

    fitted = chebyfit(rest, list(interval), terms - k)[::-1]
    a = [float(c) for c in list(fixed) + fitted]
    exact = [mpf(c) for c in a]
    exact[:k] = fixed
    lo, hi = interval
    grid = [lo + (hi - lo) * (i + mpf(1) / 3) / 400 for i in range(400)]
    error = max(abs((polyval(exact[::-1], z) - f(z)) * weight(z)) for z in grid)
    note = "%s; error below 2^%d" % (comment, int(floor(log(error, 2))) + 1)
    return array("double %s[%d]" % (name, len(a)), [text(c) for c in a], note)


def stumpff(k, z):
    return sum((-z) ** n / fac(2 * n + k) for n in range(40))


def so3_poly():
    near = mpf(1) / 4

    def c(z):
        return (stumpff(3, z) - 2 * stumpff(4, z)) / (2 * stumpff(2, z))

    def d_c(z):
        return 2 * c(z) ** 2 - (8 * stumpff(6, z) - 5 * stumpff(5, z) + stumpff(4, z)) / (2 * stumpff(2, z))

    def d2_c(z):  # by D c = 2 c^2 - (D^2 beta) / (2 beta), D^3 beta = 48 c8 - 33 c7 + 9 c6 - c5, D beta = -2 beta c
        b, d2b = stumpff(2, z), 8 * stumpff(6, z) - 5 * stumpff(5, z) + stumpff(4, z)
        d3b = 48 * stumpff(8, z) - 33 * stumpff(7, z) + 9 * stumpff(6, z) - stumpff(5, z)
        return 4 * c(z) * d_c(z) - (d3b + 2 * c(z) * d2b) / (2 * b)

    functions = [
        ("half_cos", lambda z: stumpff(0, z / 4), 6, "cos(x/2)"),
        ("half_sinc", lambda z: stumpff(1, z / 4) / 2, 6, "sin(x/2) / x"),
        ("gamma", lambda z: stumpff(3, z), 6, "(x - sin x) / x^3"),
        ("d_gamma", lambda z: 3 * stumpff(5, z) - stumpff(4, z), 6, "D gamma"),
        ("c", c, 7, "(1 - (x/2) cot(x/2)) / x^2"),
        ("d_c", d_c, 8, "D c"),
        ("d2_gamma", lambda z: 15 * stumpff(7, z) - 7 * stumpff(6, z) + stumpff(5, z), 6, "D^2 gamma"),
        ("d2_c", d2_c, 8, "D^2 c"),
    ]
    out = []
    for name, f, terms, comment in functions:
        out.append(polynomial("ph_so3_poly_" + name, f, (mpf(0), near), terms, comment,
                              lambda z, f=f: 1 / f(z), fixed=[f(mpf(0))]))
    return "\n".join(out)


def two_over_pi():
    with mp.workprec(1400):
        value = 2 / (+pi)
        words = []
        for _ in range(38):
            value *= 2**32
            word = int(floor(value))
            value -= word
            words.append("0x%08x" % word)
    return array("uint32_t two_over_pi[38]", words, "Bits of 2/pi, the first word weighs 2^-32")


def trig_tables():
    quarter = (pi / 4) ** 2 * mpf("1.001")
    out = []
    p1 = rounded(pi / 2, 33)
    p2 = rounded(pi / 2 - p1, 33)
    p3 = pi / 2 - p1 - p2
    out.append(array("double half_pi[3]", [text(p1), text(p2), text(p3)], "pi/2 in parts of 33, 33 and 53 bits"))
    out.append(array("double half_pi_dd[2]", pair(pi / 2)[1:-1].split(", "), "pi/2 as an unevaluated sum"))
    out.append(two_over_pi())
    out.append(polynomial("sin_poly", lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, (0, quarter), 6,
                          "(sin x - x) / x^3 in x^2, |x| <= pi/4", lambda z: z))
    out.append(polynomial("cos_poly", lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, (0, quarter), 6,
                          "(cos x - 1 + x^2/2) / x^4 in x^2, |x| <= pi/4", lambda z: z * z))
    atan_rest = lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z
    out.append(polynomial("atan_poly", atan_rest, (0, mpf(1) / 64), 7,
                          "(atan x - x) / x^3 in x^2, |x| <= 1/8", lambda z: z))
    out.append(polynomial("atan_poly_short", atan_rest, (0, mpf(1) / 128**2), 3,
                          "the same, |x| <= 1/128", lambda z: z))
    out.append(array("double atan_table[57][2]", [pair(atan(mpf(k) / 64)) for k in range(8, 65)],
                     "atan(k/64), k = 8 ... 64, as unevaluated sums"))
    out.append(polynomial("asin_poly", lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, (0, mpf(1) / 4), 13,
                          "(asin x - x) / x^3 in x^2, |x| <= 1/2", lambda z: z))
    out.append(polynomial("tanh_poly", lambda z: (tanh(sqrt(z)) / sqrt(z) - 1) / z, (0, mpf(1) / 4), 10,
                          "(tanh x - x) / x^3 in x^2, |x| <= 1/2", lambda z: z))

    step = log(2) / 64
    radius = step / 2 * mpf("1.01")
    l1 = rounded(step, 36)
    out.append(array("double exp_step[3]", [text(1 / step), text(l1), text(step - l1)],
                     "64 / ln 2, and ln 2 / 64 in parts of 36 and 53 bits"))
    out.append(polynomial("exp_poly", lambda x: (exp(x) - 1 - x) / x**2, (-radius, radius), 4,
                          "(e^x - 1 - x) / x^2, |x| <= ln 2 / 128", lambda x: x * x))
    out.append(array("double exp_table[64][2]", [pair(mpf(2) ** (mpf(j) / 64)) for j in range(64)],
                     "2^(j/64) as unevaluated sums"))

    unit = mpf(2) ** -42  # all leading parts are multiples of it, so that their sums are exact
    ln2 = nint(log(2) / unit) * unit
    out.append(array("double ln2_parts[2]", [text(ln2), text(log(2) - ln2)], "ln 2, the first part a multiple of 2^-42"))
    reach = mpf(2) ** -8 / mpf("0.7") + mpf(2) ** -11
    out.append(polynomial("log_poly", lambda x: (log(1 + x) - x + x * x / 2) / x**3, (-reach, reach), 7,
                          "(log(1+x) - x + x^2/2) / x^3, |x| <= 1/168", lambda x: x * x))
    entries = []
    for j in range(91, 182):
        inverse = nint(mpf(1024) * 128 / j) / 1024
        hi = nint(-log(inverse) / unit) * unit
        entries.append("{%s, %s, %s}" % (text(inverse), text(hi), text(-log(inverse) - hi)))
    out.append(array("double log_table[91][3]", entries,
                     "j = 91 ... 181: 128/j rounded to 1/1024, and minus its logarithm in two parts"))
    return "\n".join(out)


HEAD = """// Generated by tools/math_tables.py; do not edit.
// clang-format off
#ifndef %s
#define %s
%s
%s
#endif
"""


def main():
    root = pathlib.Path(__file__).resolve().parent.parent / "src" / "math"
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else root
    so3 = HEAD % ("PH_MATH_SO3_POLY_H", "PH_MATH_SO3_POLY_H",
                  "\n// In z = x^2 on [0, 1/4], lowest coefficient first; errors are relative.\n", so3_poly())
    trig = HEAD % ("PH_MATH_TRIG_TABLES_H", "PH_MATH_TRIG_TABLES_H", "\n#include <stdint.h>\n", trig_tables())
    (folder / "so3_poly.h").write_text(so3)
    (folder / "trig_tables.h").write_text(trig)


main()
