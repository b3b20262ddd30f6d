#!/usr/bin/env python3
"""Writes the straight-line kernels of Cl(0,6,2) and Cl(0,3,1).

    tools/clifford/generate.py [FOLDER]        default: the root of the repository

writes, below FOLDER, include/polhode/clifford_generated.h (the products between typed values as static inline C),
src/clifford/generated_lanes.h (typed values of several bodies side by side) and src/clifford/generated_layout.h (the
basis elements on which typed values live). The output is committed: the build does not need this program.

A kernel is a formula between values of given types (kernels.py, values.py). Products of basis elements come from bit
masks (algebra.py); a value is a sum of basis elements with polynomial coefficients, so that the formula turns into one
polynomial for each component of the result, and what the sparsity of the types makes zero is never written (writer.py).

Before anything is written every kernel is run on random rational values and must equal its formula exactly.
"""

import os
import random
import sys
from fractions import Fraction

sys.dont_write_bytecode = True

from algebra import CL031, Poly
from kernels import KERNELS, motor_pose, translator
from values import TYPES, Value, components
from writer import Run, function

# ---- Checking ---------------------------------------------------------------------------------------------------------


def rational():
    return Fraction(random.randint(-9, 9), random.randint(1, 7))


def random_motor():
    """t r with r = p^2 / |p|^2, a unit quaternion with rational components."""
    w, x, y, z = 1 + abs(rational()), rational(), rational(), rational()
    n = w * w + x * x + y * y + z * z
    r = [Poly.of(c / n) for c in (2 * w * w - n, 2 * w * x, 2 * w * y, 2 * w * z)]
    return translator([Poly.of(rational()) for _ in range(3)]) * Value("motor", r + [Poly()] * 4).mv()


def sample(kind):
    """A random value, as the kernel takes it and as its formula takes it."""
    if kind in ("motor", "pose"):
        g = random_motor()
        return (motor_pose(Run(), g) if kind == "pose" else g), g
    x = Value(kind, [Poly.of(rational()) for _ in TYPES[kind].suffixes]).mv()
    return x, x


def check(kernel):
    values = [sample(kind) for kind in kernel.inputs.values()]
    result = kernel.body(Run(), *[v for v, _ in values])
    if kernel.result == "pose":
        rotor = Value("motor", components("motor", values[0][1])[:4] + [Poly()] * 4).mv()
        result, expected = translator(result.t) * rotor, values[0][1]
    else:
        expected = kernel.formula(*[v for _, v in values]) if kernel.formula else result
        result = Value(kernel.result, components(kernel.result, result)).mv()  # and lies in its type
    if (result - expected).terms:
        sys.exit(f"generate: {kernel.name} is not its formula")


# ---- Writing ----------------------------------------------------------------------------------------------------------

OPENING = """\
// Written by tools/clifford/generate.py: {what}.
// Do not edit: change the generator and run it; a test compares.
// clang-format off
#ifndef {guard}_H
#define {guard}_H
"""


def kernels_text():
    text = [OPENING.format(what="products between typed values of Cl(0,6,2) and Cl(0,3,1)", guard="POLHODE_CLIFFORD_GENERATED"),
            "// The products of clifford.h without a call, for inner loops. ^ is the outer product, v the shuffle product, ~ behind",
            "// a name the bar, g* Clifford conjugation.",
            '#include "polhode/clifford.h"', ""]
    for kernel in KERNELS:
        text += function(kernel) + [""]
    return "\n".join(text + ["#endif", ""])


def lanes_text():
    text = [OPENING.format(what="typed values of LANES bodies side by side", guard="PH_CLIFFORD_GENERATED_LANES"),
            '#include "polhode/clifford.h"', "",
            "// Component c of body k is c[c][k], so that a loop over the bodies turns into vector instructions.",
            "enum { LANES = 4 };", ""]
    for kind in ("motor", "twist", "coscrew", "inertia"):
        c_type, suffixes = TYPES[kind].c_type, TYPES[kind].suffixes
        text += [f"typedef struct lane_{kind} {{", f"    double c[{len(suffixes)}][LANES];", f"}} lane_{kind};", "",
                 f"static inline {c_type} lane_{kind}_get(const lane_{kind} *x, int k)", "{", f"    {c_type} r;"]
        text += [f"    r{suffix} = x->c[{c}][k];" for c, suffix in enumerate(suffixes)] + ["    return r;", "}", "",
                 f"static inline void lane_{kind}_set(lane_{kind} *x, int k, {c_type} r)", "{"]
        text += [f"    x->c[{c}][k] = r{suffix};" for c, suffix in enumerate(suffixes)] + ["}", ""]
    return "\n".join(text + ["#endif", ""])


def layout_text():
    text = [OPENING.format(what="the basis elements on which typed values live", guard="PH_CLIFFORD_GENERATED_LAYOUT"),
            "typedef struct layout_term {", "    unsigned char component, mask;", "    signed char sign;",
            "} layout_term;", ""]
    for kind in ("twist", "coscrew", "hexavector", "motor", "inertia", "sym4", "point", "plane"):
        shift = 4 if TYPES[kind].algebra is CL031 else 0
        rows = [f"{{{i}, {mask << shift}, {factor[()]}}}" for i, basis in enumerate(TYPES[kind].basis)
                for mask, factor in basis.terms.items()]
        text.append(f"static const layout_term {kind}_terms[] = {{")
        text += ["    " + ", ".join(rows[i:i + 8]) + "," for i in range(0, len(rows), 8)] + ["};", ""]
    return "\n".join(text + ["#endif", ""])


FILES = {"include/polhode/clifford_generated.h": kernels_text, "src/clifford/generated_lanes.h": lanes_text,
         "src/clifford/generated_layout.h": layout_text}


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    folder = sys.argv[1] if len(sys.argv) > 1 else root
    random.seed(1)
    for kernel in KERNELS:
        check(kernel)
    for name, text in FILES.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text())


if __name__ == "__main__":
    main()
