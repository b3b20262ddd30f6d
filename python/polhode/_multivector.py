"""Clifford algebras of any signature and their multivectors; :mod:`polhode.clifford` shows them to users."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._errors import ArgumentError
from ._model import Floats

GEOMETRIC, OUTER, SHUFFLE, REVERSE, INVOLUTE, CONJUGATE, GRADE, BAR, EXP = range(9)


class Algebra(_core.Algebra):
    """Cl(p, q, r): p generators of square +1, then q of -1, then r of 0; or ``squares=`` in any order. At most ten."""

    squares: tuple[int, ...]

    def __new__(cls, p: int = 0, q: int = 0, r: int = 0, *, squares: Sequence[int] | None = None,
                names: Sequence[str] | None = None) -> Algebra:
        if min(p, q, r) < 0 or p + q + r > 10:
            raise ArgumentError("an algebra has from 0 to 10 generators")
        if names is not None and len(set(names)) < len(names):
            raise ArgumentError("the names of generators must differ")
        values = (1,) * p + (-1,) * q + (0,) * r if squares is None else tuple(int(s) for s in squares)
        algebra: Algebra = super().__new__(cls, values, None if names is None else tuple(names))
        algebra.squares = values
        return algebra

    def __reduce__(self) -> tuple[Any, ...]:
        return (_algebra, (self.squares, tuple(self.names)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Algebra) and self.squares == other.squares

    def __hash__(self) -> int:
        return hash(self.squares)

    @property
    def generators(self) -> tuple[Multivector, ...]:
        """The generators as multivectors."""
        return tuple(self[name] for name in self.names)

    def __getitem__(self, text: str) -> Multivector:
        """A product of generators by name: ``algebra["e1e2"]``; ``algebra[""]`` is 1."""
        mask, sign = self.blade(text)
        coefficients = np.zeros(1 << len(self.squares))
        coefficients[mask] = sign
        return Multivector(self, coefficients)

    def scalar(self, value: float) -> Multivector:
        """A number."""
        coefficients = np.zeros(1 << len(self.squares))
        coefficients[0] = value
        return Multivector(self, coefficients)

    def multivector(self, coefficients: Any) -> Multivector:
        """From all 2^n coefficients; number k belongs to the product of the generators whose bits are set in k."""
        return Multivector(self, coefficients)

    def __repr__(self) -> str:
        return f"<algebra of {', '.join(f'{n}^2 = {s}' for n, s in zip(self.names, self.squares))}>"


def _algebra(squares: tuple[int, ...], names: tuple[str, ...]) -> Algebra:
    return Algebra(squares=squares, names=names)


def cl062() -> Algebra:
    """Cl(0,6,2) with the generators a1 a2 a3 a e1 e2 e3 e, in which rigid-body dynamics is written."""
    return Algebra(squares=(-1, -1, -1, 0, -1, -1, -1, 0), names=("a1", "a2", "a3", "a", "e1", "e2", "e3", "e"))


class Multivector:
    """An element of an algebra."""

    __slots__ = ("algebra", "coefficients")
    __array_ufunc__ = None  # number * multivector is ours, also for NumPy numbers

    def __init__(self, algebra: Algebra, coefficients: Any) -> None:
        if not isinstance(algebra, Algebra):
            raise TypeError("a multivector needs an Algebra")
        array = np.array(coefficients, dtype=float)
        if array.shape != (1 << len(algebra.squares),):
            raise ArgumentError(f"a multivector of this algebra has {1 << len(algebra.squares)} coefficients, not {array.shape}")
        self.algebra = algebra
        self.coefficients: Floats = array
        """shape (2^n,)"""

    def _apply(self, kind: int, other: Multivector | None = None, grade: int = 0) -> Multivector:
        second = None if other is None else other.coefficients
        return Multivector(self.algebra, self.algebra.apply(kind, self.coefficients, second, grade))

    def _meet(self, other: Any) -> Multivector | None:
        if isinstance(other, Multivector):
            if other.algebra != self.algebra:
                raise ArgumentError("the multivectors are of different algebras")
            return other
        return self.algebra.scalar(float(other)) if isinstance(other, numbers.Real) else None

    def _binary(self, kind: int, other: Any, swap: bool = False) -> Any:
        second = self._meet(other)
        if second is None:
            return NotImplemented
        return second._apply(kind, self) if swap else self._apply(kind, second)

    def __mul__(self, other: Any) -> Any:
        return self._binary(GEOMETRIC, other)

    def __rmul__(self, other: Any) -> Any:
        return self._binary(GEOMETRIC, other, True)

    def __xor__(self, other: Any) -> Any:
        return self._binary(OUTER, other)

    def __rxor__(self, other: Any) -> Any:
        return self._binary(OUTER, other, True)

    def __and__(self, other: Any) -> Any:
        return self._binary(SHUFFLE, other)

    def __rand__(self, other: Any) -> Any:
        return self._binary(SHUFFLE, other, True)

    def __invert__(self) -> Multivector:
        return self._apply(REVERSE)

    def __add__(self, other: Any) -> Any:
        second = self._meet(other)
        return NotImplemented if second is None else Multivector(self.algebra, self.coefficients + second.coefficients)

    __radd__ = __add__

    def __neg__(self) -> Multivector:
        return Multivector(self.algebra, -self.coefficients)

    def __sub__(self, other: Any) -> Any:
        second = self._meet(other)
        return NotImplemented if second is None else self + -second

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __truediv__(self, number: float) -> Multivector:
        return Multivector(self.algebra, self.coefficients / float(number))

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Multivector) and other.algebra == self.algebra
                and bool(np.array_equal(self.coefficients, other.coefficients)))

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, blade: str) -> float:
        """The coefficient of a product of generators: ``x["e1e2"]``."""
        mask, sign = self.algebra.blade(blade)
        return float(sign * self.coefficients[mask])

    def conjugate(self) -> Multivector:
        """Clifford conjugation: reverse and involution."""
        return self._apply(CONJUGATE)

    def involute(self) -> Multivector:
        """(-1)^grade."""
        return self._apply(INVOLUTE)

    def grade(self, k: int) -> Multivector:
        """The part of grade k."""
        return self._apply(GRADE, grade=k)

    def bar(self) -> Multivector:
        """Swaps the first half of the generators with the second; both must have the same squares."""
        return self._apply(BAR)

    def exp(self) -> Multivector:
        """1 + x + x x / 2 + ..."""
        return self._apply(EXP)

    def close_to(self, other: Multivector, tolerance: float = 1e-12) -> bool:
        """Are all coefficients within the tolerance?"""
        return bool(np.abs(self.coefficients - other.coefficients).max(initial=0.0) <= tolerance)

    def __repr__(self) -> str:
        return self.algebra.format(self.coefficients)
