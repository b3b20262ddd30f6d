"""Cl(p,q,r) on bit masks with polynomial coefficients: what is needed to state kernels and to check them."""

from fractions import Fraction


class Poly(dict):
    """A polynomial {sorted tuple of variable names: coefficient}."""

    @staticmethod
    def of(x):
        return x if isinstance(x, Poly) else Poly({(): Fraction(x)} if x else {})

    @staticmethod
    def variable(name):
        return Poly({(name,): Fraction(1)})

    def add(self, monomial, c):
        c += self.get(monomial, 0)
        if c:
            self[monomial] = c
        else:
            self.pop(monomial, None)

    def __add__(self, other):
        r = Poly(self)
        for m, c in other.items():
            r.add(m, c)
        return r

    def __mul__(self, other):
        r = Poly()
        for m, c in self.items():
            for n, d in Poly.of(other).items():
                r.add(tuple(sorted(m + n)), c * d)
        return r


def grade(mask):
    return bin(mask).count("1")


def reorder_sign(a, b):
    """Sign that sorts the generators of a followed by those of b."""
    return -1 if sum(grade((a >> i) & b) for i in range(1, a.bit_length())) & 1 else 1


class Algebra:
    """Products of two basis elements (bit masks over the generators): mask and sign."""

    def __init__(self, names, squares):
        self.names, self.squares, self.full = names, squares, (1 << len(names)) - 1

    def geometric(self, a, b):
        sign = reorder_sign(a, b)
        for i, square in enumerate(self.squares):
            if a & b & 1 << i:
                sign *= square
        return a ^ b, sign

    def outer(self, a, b):
        return a | b, 0 if a & b else reorder_sign(a, b)

    def shuffle(self, a, b):
        missing = self.full & ~b
        return a & b, 0 if missing & ~a else reorder_sign(missing, a & b) * reorder_sign(missing, b)

    def blade(self, text):
        """'e3e1' as mask and sign; of the names that fit, the longest is meant."""
        mask, sign = 0, 1
        while text:
            name = max((n for n in self.names if text.startswith(n)), key=len)
            mask, s = self.geometric(mask, 1 << self.names.index(name))
            sign, text = sign * s, text[len(name):]
        return mask, sign

    def element(self, *terms):
        """Sum of blades, each with its factor: element("e2e3", ("e1e", -1))."""
        r = MV(self, {})
        for term in terms:
            text, factor = term if isinstance(term, tuple) else (term, 1)
            mask, sign = self.blade(text)
            r = r + MV(self, {mask: Poly.of(sign * factor)})
        return r

    def scalar(self, x):
        return MV(self, {0: Poly.of(Fraction(x))})


class MV:
    """A multivector {mask: Poly}. * is the geometric product, ^ the outer, & the shuffle (write the parentheses)."""

    def __init__(self, algebra, terms):
        self.algebra, self.terms = algebra, {m: p for m, p in terms.items() if p}

    def coefficient(self, text):
        mask, sign = self.algebra.blade(text)
        return self.terms.get(mask, Poly()) * sign

    def product(self, other, rule):
        r = {}
        for a, p in self.terms.items():
            for b, q in other.terms.items():
                mask, sign = rule(a, b)
                if sign:
                    r[mask] = r.get(mask, Poly()) + p * q * sign
        return MV(self.algebra, r)

    def __mul__(self, other):
        if isinstance(other, MV):
            return self.product(other, self.algebra.geometric)
        return MV(self.algebra, {m: p * other for m, p in self.terms.items()})

    def __xor__(self, other):
        return self.product(other, self.algebra.outer)

    def __and__(self, other):
        return self.product(other, self.algebra.shuffle)

    def __add__(self, other):
        return MV(self.algebra, {m: self.terms.get(m, Poly()) + other.terms.get(m, Poly())
                                 for m in list(self.terms) + list(other.terms)})

    def __sub__(self, other):
        return self + other * -1

    def conj(self):
        """Clifford conjugation."""
        return MV(self.algebra, {m: p * (-1 if grade(m) % 4 in (1, 2) else 1) for m, p in self.terms.items()})

    def bar(self):
        """Swaps a1 a2 a3 a with e1 e2 e3 e."""
        return MV(self.algebra, {(m & 15) << 4 | m >> 4: p * (-1 if grade(m & 15) * grade(m >> 4) & 1 else 1)
                                 for m, p in self.terms.items()})


CL062 = Algebra(["a1", "a2", "a3", "a", "e1", "e2", "e3", "e"], [-1, -1, -1, 0, -1, -1, -1, 0])
CL031 = Algebra(["e1", "e2", "e3", "e"], [-1, -1, -1, 0])
