"""The cone problem of contact, by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._errors import ArgumentError
from ._model import Floats

MEASURES = ("velocity", "natural_map", "both")


class Cone(NamedTuple):
    """A cone of impulses. Made by :meth:`free`, :meth:`half_line`, :meth:`interval` and :meth:`friction_cone`."""

    kind: int
    friction: float = 0.0
    rolling: float | None = None
    spinning: float | None = None
    low: float = 0.0
    high: float = 0.0

    @staticmethod
    def free() -> Cone:
        """One row, any value: a joint."""
        return Cone(0)

    @staticmethod
    def half_line() -> Cone:
        """One row, not negative: a limit, or contact without friction."""
        return Cone(1)

    @staticmethod
    def interval(low: float, high: float) -> Cone:
        """One row, low <= g <= high: a bounded motor, joint friction."""
        return Cone(2, low=float(low), high=float(high))

    @staticmethod
    def friction_cone(friction: float, rolling: float | None = None, spinning: float | None = None) -> Cone:
        """Normal and two tangents; two rows of rolling and one of spinning (m) where asked for."""
        return Cone(3, float(friction), rolling, spinning)


@dataclass
class ConeSolution:
    """Impulses and velocities of a cone problem."""

    impulses: Floats
    """g, shape (rows,)"""
    velocities: Floats
    """u = N g + q, shape (rows,)"""
    converged: bool
    solver: str
    iterations: int
    residual: float
    """m/s"""
    natural_map_error: float
    report: dict[str, Any]
    """all that the solver tells"""


def entries_of(matrix: Any, rows: int) -> tuple[Any, Any, Any]:
    """Row, column and value of every entry of a SciPy sparse matrix or a dense array."""
    if hasattr(matrix, "tocoo"):
        coo = matrix.tocoo()
        shape, row, column, value = coo.shape, coo.row, coo.col, coo.data
    else:
        dense = np.asarray(matrix, dtype=float)
        shape = dense.shape
        if len(shape) != 2:
            raise ArgumentError(f"N is a square matrix, not of shape {shape}")
        row, column = np.nonzero(dense)
        value = dense[row, column]
    if shape != (rows, rows):
        raise ArgumentError(f"N has the shape {shape}, and q has {rows} numbers")
    return tuple(np.ascontiguousarray(i, dtype=np.int32) for i in (row, column)) + (np.ascontiguousarray(value, dtype=float),)


def cone_solve(N: Any, q: Any, cones: Sequence[Cone] | Any, *, solver: str = "newton", law: str = "coulomb", tolerance: float = 1e-8,
               iterations: int = 0, measure: str = "velocity", start: Any = None, finish: bool = True) -> ConeSolution:
    """Solves u = N g + q, g in K, -w in the normal cone of K at g; w = u under the ``"relaxed"`` law, and De Saxcé's correction of it
    under ``"coulomb"``.

    ``N`` (rows, rows) is a symmetric positive semidefinite SciPy sparse matrix or array, ``q`` (rows,) the velocities without impulses (m/s),
    ``cones`` a sequence of :class:`Cone` or an array of friction coefficients, one for every three rows. Where the tolerance is missed the best
    impulses met are returned, and ``converged`` says so; ``finish`` lets the Newton solver take over first.
    """
    q = np.ascontiguousarray(q, dtype=float)
    if q.ndim != 1:
        raise ArgumentError(f"q has the shape {q.shape}, not (rows,)")
    if law not in ("coulomb", "relaxed"):
        raise ArgumentError(f"there is no law '{law}'; there are: coulomb, relaxed")
    if measure not in MEASURES:
        raise ArgumentError(f"there is no measure '{measure}'; there are: {', '.join(MEASURES)}")
    members = tuple(c if isinstance(c, Cone) else Cone.friction_cone(c) for c in cones)
    g = np.zeros(len(q)) if start is None else np.array(start, dtype=float)
    u = np.empty(len(q))
    report = _core.cone_solve(len(q), *entries_of(N, len(q)), q, g, u, tuple(tuple(c) for c in members), solver, law == "relaxed",
                              MEASURES.index(measure), tolerance, iterations, start is not None, finish)
    return ConeSolution(g, u, report["converged"], report["solver"], report["iterations"], report["residual"],
                        report["natural_map_error"], report)
