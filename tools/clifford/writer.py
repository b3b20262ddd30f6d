"""Runs the body of a kernel and writes it as C."""

import re

from algebra import Poly
from values import SYMMETRIC, TYPES, Value, components, symbol


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


class Run:
    """One run of a kernel's body. With `lines`, intermediate values become locals; without, numbers stay as they are."""

    def __init__(self, lines=None):
        self.lines, self.counts = lines, {}

    def name(self, prefix):
        self.counts[prefix] = self.counts.get(prefix, -1) + 1
        return f"{prefix}{self.counts[prefix]}"

    def local(self, prefix, polys):
        """Locals for the polynomials that are more than a variable or a number."""
        if self.lines is None:
            return polys
        named = [p if is_simple(p) else Poly.variable(self.name(prefix)) for p in polys]
        self.lines += statements([(f"const double {next(iter(n))[0]}", p) for n, p in zip(named, polys) if n is not p], self)
        return named

    def let(self, kind, mv, prefix):
        """An intermediate value of a type."""
        return Value(kind, self.local(prefix, components(kind, mv))).mv()

    def matrix(self, M):
        flat = self.local("m", [M[i][j] for i in range(3) for j in range(3)])
        return [flat[0:3], flat[3:6], flat[6:9]]

    def turn(self, R, kind, mv):
        """Turns the vectors x -> R x and matrices S -> R S R^T of a value: what conjugation with a rotor does to them."""
        c, groups = components(kind, mv), TYPES[kind]
        for group in groups.vectors:
            x = [c[i] for i in group]
            for i, row in zip(group, R):
                c[i] = dot(row, x)
        for group in groups.symmetric:
            S = {(i, j): c[k] for k, ij in zip(group, SYMMETRIC) for i, j in (ij, ij[::-1])}
            M = self.matrix([[dot(R[i], [S[k, j] for k in range(3)]) for j in range(3)] for i in range(3)])
            for k, (i, j) in zip(group, SYMMETRIC):
                c[k] = dot(M[i], R[j])
        for group in groups.matrices:
            S = [[c[group[3 * i + j]] for i in range(3)] for j in range(3)]  # columns
            M = self.matrix([[dot(R[i], S[j]) for j in range(3)] for i in range(3)])
            for i in range(3):
                for j in range(3):
                    c[group[3 * i + j]] = dot(M[i], R[j])
        return Value(kind, c).mv()


# ---- Expressions ------------------------------------------------------------------------------------------------------


def is_simple(p):
    """Zero, a number, or one variable: needs no local of its own."""
    return len(p) == 0 or len(p) == 1 and all(m == () or len(m) == 1 and c == 1 for m, c in p.items())


def word(monomial, factor, shared):
    """One term without its sign."""
    product = shared.get(monomial) or " * ".join(monomial)
    number = [] if factor == 1 and monomial else [str(float(factor))]
    return " * ".join(number + ([product] if product else []))


def total(terms):
    """A sum of (sign, word). From four terms on it is a sum of two sums, so that no chain of additions gets long."""
    if len(terms) < 4:
        text = "".join((" - " if sign < 0 else " + ") + w for sign, w in terms)
        return text[3:] if terms[0][0] > 0 else "-" + text[3:]
    first, second = terms[:(len(terms) + 1) // 2], terms[(len(terms) + 1) // 2:]
    sign = second[0][0]
    return f"({total(first)}) {'-' if sign < 0 else '+'} ({total([(s * sign, w) for s, w in second])})"


def expression(p, shared):
    """The polynomial as C. A factor that several terms have in common is taken out."""
    terms = []
    for size in sorted({abs(c) for c in p.values()}, key=lambda c: c != 1):
        equal = [(1 if c > 0 else -1, m) for m, c in p.items() if abs(c) == size]
        equal.sort(key=lambda term: term[0] < 0)  # stable: a positive term first
        if size == 1 or len(equal) == 1:
            terms += [(sign, word(m, size, shared)) for sign, m in equal]
        else:
            terms.append((1, f"{float(size)} * ({total([(sign, word(m, 1, shared)) for sign, m in equal])})"))
    return total(sorted(terms, key=lambda term: term[0] < 0)) if terms else "0.0"


def statements(assignments, run):
    """C lines for (target, Poly) pairs; products that occur in more than one of them are computed once."""
    uses = {}
    for _, p in assignments:
        for m in p:
            uses[m] = uses.get(m, 0) + (len(m) > 1)
    shared = {m: run.name("p") for m in uses if uses[m] > 1}
    lines = [f"const double {name} = {' * '.join(m)};" for m, name in shared.items()]
    return lines + [f"{target} = {expression(p, shared)};" for target, p in assignments]


def without_unused(lines):
    """Drops locals that nothing reads, the last ones first."""
    kept = []
    for line in reversed(lines):
        local = re.match(r"const double (\w+) =", line)
        if not local or any(re.search(rf"\b{local[1]}\b", later) for later in kept):
            kept.insert(0, line)
    return kept


def wrap(line, width=116):
    """Breaks a long statement behind an operator."""
    parts = []
    while len(line) > width:
        cut = max(line.rfind(" + ", 0, width), line.rfind(" - ", 0, width)) + 2
        parts.append(line[:cut])
        line = "    " + line[cut + 1:]
    return parts + [line]


# ---- One kernel -------------------------------------------------------------------------------------------------------


def c_type(kind):
    return "ph_pose" if kind == "pose" else TYPES[kind].c_type


def targets(result, value):
    if result == "pose":
        return ([(f"r.R.m[{i}][{j}]", value.R[i][j]) for i in range(3) for j in range(3)] +
                [(f"r.t.{x}", p) for x, p in zip("xyz", value.t)])
    return [("r" + s, p) for s, p in zip(TYPES[result].suffixes, components(result, value))]


def function(kernel):
    """The kernel as a static inline C function."""
    lines = []
    run = Run(lines)
    value = kernel.body(run, *[symbol(kind, name) for name, kind in kernel.inputs.items()])
    lines += statements(targets(kernel.result, value), run)
    lines = without_unused(lines)
    products = sum(line.count(" * ") for line in lines)
    if kernel.result in ("scalar", "incidence"):
        lines[-1] = lines[-1].replace("r = ", "return ", 1)
    else:
        lines = [f"{c_type(kernel.result)} r;"] + lines + ["return r;"]
    arguments = ", ".join(f"{c_type(kind)} {name}" for name, kind in kernel.inputs.items())
    title = f"// {kernel.doc}" + (f" -- {products} multiplications" if products else "")
    return [title, f"static inline {c_type(kernel.result)} ph_cl_{kernel.name}({arguments})", "{"] + \
        ["    " + part for line in lines for part in wrap(line)] + ["}"]
