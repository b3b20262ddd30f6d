"""Parameters from measured motion (docs/fit.md)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._errors import ArgumentError
from ._model import Floats, Model
from ._result import Result

NUMBERS_OF_INERTIA = ("alpha", "d1", "d2", "d3", "s12", "s23", "s13", "t1", "t2", "t3")


class Direction(NamedTuple):
    """How well the data determine one combination of the unknowns."""

    singular_value: float
    """of the derivatives by the scaled unknowns, over the largest"""
    half_step: float
    """the same with half the step; nan: not looked at"""
    determined: bool
    of_the_step: bool
    """not determined: what there is comes from the step and vanishes with it"""
    weights: dict[str, float]
    """unit vector of the unknowns over their ``scales``"""


class Fit:
    """What :func:`fit` found: ``fit["m"]`` is the estimate of ``m``, ``fit.errors["m"]`` its standard error."""

    values: dict[str, float]
    """estimates"""
    errors: dict[str, float]
    """standard errors; inf: the data do not determine it"""
    scales: dict[str, float]
    """sizes that the directions are measured in"""
    at_bound: list[str]
    """unknowns that a bound holds"""
    idle: list[str]
    """unknowns on which nothing measured depends"""
    directions: list[Direction]
    """in falling order of their singular values"""
    determined: int
    """how many of them the data determine"""
    cost: float
    """half the sum of squares"""
    first_cost: float
    sigma: float
    """standard deviation of a residual"""
    residuals: int
    gaps: int
    outliers: int
    iterations: int
    evaluations: int
    end: str
    """converged, iterations (no more were allowed), stopped or stuck"""
    exact: bool
    """derivatives are exact; else ``why`` not"""
    why: str | None
    growth: float
    """of the derivatives over the run: beyond 1e6 the motion is chaotic"""
    simulated: list[Floats]
    """of each run: its quantities at the times of the data, (rows, quantities)"""
    quantities: list[tuple[str, ...]]
    """of each run: what its columns are"""
    ignored: list[str]
    """names in the data that the model does not know"""

    def __init__(self, found: dict[str, Any], names: Sequence[str]) -> None:
        per_unknown = ("values", "errors", "scales")
        for key in found:
            if key in per_unknown:
                setattr(self, key, dict(zip(names, found[key].tolist())))
            elif key in ("at_bound", "idle"):
                setattr(self, key, [name for name, flag in zip(names, found[key]) if flag])
            elif key != "directions":
                setattr(self, key, found[key])
        self.directions = [Direction(*d[:4], dict(zip(names, d[4].tolist()))) for d in found["directions"]]
        self.text: str | None = found["text"]

    def __getitem__(self, name: str) -> float:
        return self.values[name]

    @property
    def converged(self) -> bool:
        """The search ended by itself."""
        return self.end == "converged"

    @property
    def model(self) -> Model:
        """The model at what was found."""
        if self.text is None:
            raise ArgumentError("a model with forces of the program has no file: set the values in its Spec")
        return Model.from_string(self.text)

    def __repr__(self) -> str:
        lines = [f"<polhode.Fit: {self.end} after {self.iterations} iterations, {self.determined} of "
                 f"{len(self.values)} combinations determined, cost {self.first_cost:.6g} -> {self.cost:.6g}"]
        lines += [f"  {name} = {value:.9g} +- {self.errors[name]:.2g}" for name, value in self.values.items()]
        return "\n".join(lines) + ">"


def _table(data: Any, of: Sequence[str] | None) -> tuple[Floats, dict[str, Any]]:
    """Times, and columns by name."""
    if isinstance(data, Result):
        return _of_result(data, of)
    if isinstance(data, (str, os.PathLike)):
        table = np.genfromtxt(data, delimiter=",", names=True, deletechars="", replace_space="", dtype=np.float64, encoding="utf-8")
        columns: dict[str, Any] = {name: np.atleast_1d(table[name]) for name in table.dtype.names or ()}
    else:
        columns = {str(name): np.asarray(data[name], dtype=np.float64) for name in data}
    for name in ("t", "time"):
        if name in columns:
            times = columns.pop(name)
            break
    else:
        raise ArgumentError("the data have no times: a column is called 't', seconds from the start of the model")
    for name, column in columns.items():
        if column.shape != times.shape:
            raise ArgumentError(f"'{name}' has {column.size} values where there are {times.size} times")
    return times, columns if of is None else {name: columns[name] for name in of}


def _of_result(result: Result, of: Sequence[str] | None) -> tuple[Floats, dict[str, Any]]:
    if not of:
        raise ArgumentError("of a result say what was measured: of=['rod2.position.z', 'joints.A.angle', ...]")
    return np.asarray(result["time"]), {name: _quantity(result, name) for name in of}


def _quantity(result: Result, name: str) -> Any:
    parts = name.split(".")
    try:
        if parts[0] == "joints":
            key = "coordinate" if parts[2] in ("angle", "slide") else parts[2]
            array = np.asarray(result[f"joints/{parts[1]}/{key}"])
            return array if array.ndim == 1 else array[:, int(parts[3]) - 1 if len(parts) > 3 else 0]
        of_body = np.asarray(result[parts[1]])[:, result.model.body_index(parts[0])]
        return of_body[:, ("wxyz" if parts[1] == "orientation" else "xyz").index(parts[2])]
    except (IndexError, KeyError, ValueError) as error:
        raise ArgumentError(f"the result has no quantity '{name}'") from error


def _unknowns(model: Model, by: Any) -> list[tuple[str, float, float]]:
    """(name, low, high); BODY.inertial stands for ten, '*.inertial' for those of all bodies."""
    given: Mapping[str, Any] = {by: None} if isinstance(by, str) else by if isinstance(by, Mapping) else dict.fromkeys(by)
    found: list[tuple[str, float, float]] = []
    for name, bounds in given.items():
        low, high = bounds or (None, None)
        names = [name]
        if name.endswith(".inertial"):
            body = name[:-len(".inertial")]
            bodies = [b.name for b in model.bodies.values() if not b.fixed] if body == "*" else [body]
            names = [f"{each}.log_cholesky.{number}" for each in bodies for number in NUMBERS_OF_INERTIA]
        found += [(each, -np.inf if low is None else float(low), np.inf if high is None else float(high)) for each in names]
    return found


def _run(model: Model, data: Any, of: Sequence[str] | None, sigma: Any, ignored: list[str]) -> tuple[Any, ...]:
    times, columns = _table(data, of)
    inputs, names = [], []
    for name in columns:
        if model._find_input(name) >= 0:
            inputs.append(name)
        elif of is not None or _core.is_quantity(model, name):
            names.append(name)
        else:
            ignored.append(name)
    if not names:
        raise ArgumentError("no column of the data is a quantity of the model: call them BODY.position.x, sites.SITE.position.x, "
                            "joints.JOINT.angle ...")
    for name in inputs:
        if np.isnan(columns[name]).any():
            raise ArgumentError(f"the input '{name}' has a gap: inputs must be known throughout")
    sigmas = None
    if sigma is not None:
        sigmas = np.array([float(sigma.get(n, 1.0)) if isinstance(sigma, Mapping) else float(sigma) for n in names])
    stack = lambda which: np.ascontiguousarray(np.stack([columns[n] for n in which], axis=1)) if which else np.zeros((times.size, 0))
    return np.ascontiguousarray(times), tuple(names), stack(names), sigmas, tuple(inputs), stack(inputs)


def fit(model: Model, data: Any, by: str | Sequence[str] | Mapping[str, tuple[float | None, float | None] | None], *,
        of: Sequence[str] | None = None, sigma: float | Mapping[str, float] | None = None,
        guess: Mapping[str, float] | None = None, scheme: str | None = None, step: float | None = None, robust: float = 0.0,
        iterations: int = 100, tolerance: float = 1e-9, differences: bool = False, half_step: bool = True,
        progress: Callable[[int, float, float, Floats], Any] | None = None) -> Fit:
    """Numbers of a model with which its motion is nearest to what was measured: ``polhode fit``.

    ``data``: columns by name (a mapping, a DataFrame, the path of a CSV file), one of them ``t``, the others quantities
    (``rod2.position.z``, ``joints.A.angle``) or inputs; nan was not measured. Or a :class:`Result` with ``of``. A list of these:
    several runs. ``by``: parameters of the file, numbers (``rod1.mass``, ``joints.A.damping``, ``*.inertial``), starts (``A.rate``);
    a mapping gives bounds, ``{"l": (0.1, None)}``. ``robust``: residuals beyond so many deviations count linearly.
    ``progress(iteration, cost, change, values)`` is called in each iteration; False stops.
    """
    if not isinstance(model, Model):
        raise TypeError("a fit needs a Model")
    ignored: list[str] = []
    listed = data if isinstance(data, (list, tuple)) else [data]
    runs = tuple(_run(model, each, of, sigma, ignored) for each in listed)
    unknowns = _unknowns(model, by)
    if not unknowns:
        raise ArgumentError("say what to look for: by=['l', 'rod1.mass', ...]")
    names = [name for name, _, _ in unknowns]
    for name in guess or {}:
        if name not in names:
            raise ArgumentError(f"guess: '{name}' is none of the unknowns")
    start = np.array([(guess or {}).get(name, np.nan) for name in names], dtype=np.float64)
    kind, _, options = (scheme or "").partition(":")
    found = _core.fit(model, runs, tuple(unknowns), start, kind or None, options or None, step or model.run_settings["step"], robust,
                      iterations, tolerance, differences, half_step, progress)
    result = Fit(found, names)
    result.quantities = [run[1] for run in runs]
    result.ignored = list(dict.fromkeys(ignored))
    return result
