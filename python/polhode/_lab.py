"""The laboratory: schemes side by side, and orders of convergence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._errors import ArgumentError
from ._model import Floats, Model
from ._plot import Figure

QUANTITIES = ("position", "orientation", "velocity", "angular_velocity")


def short(value: Any) -> str:
    return "-" if value is None or value != value else f"{value:.3g}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(r[i]) for r in [head, *rows]) for i in range(len(head))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in [head, *rows])


def html(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        escaped = (c.replace("&", "&amp;").replace("<", "&lt;") for c in cells)
        return "<tr>" + "".join(f"<{tag}>{c}</{tag}>" for c in escaped) + "</tr>"

    return "<table>" + line(head, "th") + "".join(line(r, "td") for r in rows) + "</table>"


class Study:
    """What both studies share: attributes by name, a table, figures."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data
        self.model: str = data["model"]
        self.reference: dict[str, Any] = data["reference"]
        """the motion that errors are measured against: scheme, step, uncertainty"""

    def _rows(self) -> tuple[list[str], list[list[str]]]:
        raise NotImplementedError

    def plot(self, figure: str | None = None) -> Figure:
        """One of ``figures``; the first by default."""
        name = figure or self.figures[0]
        if name not in self.figures:
            raise ArgumentError(f"there is no figure '{name}'; there are: {', '.join(self.figures)}")
        return Figure(self._data["figures"][name])

    @property
    def figures(self) -> list[str]:
        """Names of the figures that there are."""
        return [k for k, v in self._data["figures"].items() if v is not None]

    def __repr__(self) -> str:
        return table(*self._rows())

    def _repr_html_(self) -> str:
        return html(*self._rows())


class Trial:
    """One scheme of a comparison."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.name: str = data["name"]
        self.message: str | None = data["message"]
        """what went wrong, or None"""
        self.summary: dict[str, Any] = data["summary"]
        """as ``Result.summary``"""
        self.step_s: float = data["step_s"]
        """CPU time of a step (s), without measuring"""
        self.error: dict[str, float] = data["error"]
        """largest errors against the reference: position (m), orientation (rad), velocity (m/s), angular_velocity (rad/s)"""
        self.history: dict[str, Floats] = data["history"]
        """over time: energy_low, energy_high (J), angular_max, position_violation_max, penetration_max, ..., and the motion of one body"""

    def __repr__(self) -> str:
        return f"<{self.name}: {self.message or 'done'}>"


class Comparison(Study):
    """Schemes side by side. ``comparison["rattlie"]`` is a :class:`Trial`."""

    def __init__(self, data: dict[str, Any]) -> None:
        super().__init__(data)
        self.trials = [Trial(t) for t in data["trials"]]
        self.reference_history: dict[str, Floats] = data["reference_history"]

    def __getitem__(self, name: str) -> Trial:
        for trial in self.trials:
            if trial.name == name:
                return trial
        raise KeyError(name)

    def _rows(self) -> tuple[list[str], list[list[str]]]:
        head = ["scheme", "energy error (J)", "momentum error", "joints open", "joints open (velocity)", "orthogonality",
                "position error (m)", "us per step"]
        rows = []
        for t in self.trials:
            s = t.summary
            rows.append([t.name, t.message] + [""] * 6 if t.message else [
                t.name, short(s["energy"]["max_abs_error"]), short(s["momentum"]["angular_max_error"]),
                short(s["position_violation_max"]), short(s["velocity_violation_max"]), short(s["orthogonality_max"]),
                short(t.error["position"]), short(1e6 * t.step_s)])
        return head, rows


class OrderStudy(Study):
    """Measured orders of convergence."""

    def __init__(self, data: dict[str, Any]) -> None:
        super().__init__(data)
        self.steps: Floats = data["steps"]
        """s, from large to small"""
        self.schemes: list[str] = [r["name"] for r in data["rows"]]

    def _row(self, scheme: str) -> dict[str, Any]:
        row: dict[str, Any]
        for row in self._data["rows"]:
            if row["name"] == scheme:
                return row
        raise KeyError(scheme)

    def order(self, scheme: str, quantity: str = "position") -> float:
        """Measured order of one quantity; NaN where no two errors could be told from rounding."""
        return float(self._row(scheme)["fits"][QUANTITIES.index(quantity)]["slope"])

    def errors(self, scheme: str, quantity: str = "position") -> Floats:
        """Errors at all steps, shape (steps,)."""
        return np.array([p["error"][quantity] for p in self._row(scheme)["points"]])

    def cpu(self, scheme: str) -> Floats:
        """CPU time of every run (s), shape (steps,)."""
        return np.array([p["cpu_s"] for p in self._row(scheme)["points"]])

    def _rows(self) -> tuple[list[str], list[list[str]]]:
        head = ["scheme", "order"] + [f"measured, {q}" for q in QUANTITIES]
        return head, [[s, str(self._row(s)["order"])] + [short(self.order(s, q)) for q in QUANTITIES] for s in self.schemes]


def body_of(model: Model, body: str | None) -> int:
    return -2 if body is None else model.body_index(body)


def compare(model: Model, schemes: Sequence[str], *, step: float | None = None, until: float | None = None,
            reference: str | None = None, samples: int = 1000, body: str | None = None) -> Comparison:
    """Runs schemes side by side and measures them in the same way: energy, momentum, joints, error, cost.

    A scheme may have options and a step of its own: ``"lie-alpha:rho=0.8"``, ``"rkmk4@2e-3"``. ``reference`` is such a text too,
    ``"none"``, or None: one is chosen. A scheme that fails says why; the others go on.
    """
    return Comparison(_core.compare(model, tuple(schemes), reference, step or 0.0, until or 0.0, samples, body_of(model, body)))


def order(model: Model, schemes: Sequence[str], steps: Sequence[float], *, times: Sequence[float] | None = None,
          reference: str | None = None, body: str | None = None) -> OrderStudy:
    """Measures orders of convergence: runs every scheme with every step (s) and compares at ``times`` (s; multiples of every step)."""
    return OrderStudy(_core.order(model, tuple(schemes), np.ascontiguousarray(steps, dtype=float).ravel(),
                                  None if times is None else np.ascontiguousarray(times, dtype=float).ravel(), reference,
                                  body_of(model, body)))
