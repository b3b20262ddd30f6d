"""Parameter studies, on the processes of this machine or of a cluster."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from typing import Any

import numpy as np

from ._errors import ArgumentError, Error
from ._model import Model, Parameters
from ._result import Result
from ._rollout import available_threads
from ._sim import Sim
from ._spec import Spec


class Point:
    """One point of a sweep."""

    def __init__(self, parameters: dict[str, Any], summary: dict[str, Any] | None, arrays: dict[str, Any], value: Any,
                 error: str | None) -> None:
        self.parameters = parameters
        self.summary = summary
        """as ``Result.summary``; None where the run failed"""
        self.arrays = arrays
        """what ``record`` asked for, by name"""
        self.value = value
        """what ``collect`` returned"""
        self.error = error
        """what went wrong, or None"""

    def __repr__(self) -> str:
        return f"<{', '.join(f'{k}={v}' for k, v in self.parameters.items())}: {self.error or 'done'}>"


class Sweep(Sequence[Point]):
    """All points of a sweep, in the order of their parameters."""

    def __init__(self, points: list[Point], shape: tuple[int, ...]) -> None:
        self._points = points
        self.shape = shape
        """of the grid: one dimension for each parameter; or (n,)"""

    def __getitem__(self, index: Any) -> Any:
        return self._points[index]

    def __len__(self) -> int:
        return len(self._points)

    def __iter__(self) -> Iterator[Point]:
        return iter(self._points)

    def summary(self, name: str) -> Any:
        """One number of every summary as an array of the grid's shape: ``sweep.summary("energy/max_rel_error")``. NaN where it is
        not known."""
        def pick(point: Point) -> float:
            value: Any = point.summary
            for part in name.split("/"):
                value = value[part] if isinstance(value, Mapping) else None
            return np.nan if value is None else float(value)

        return np.array([pick(p) for p in self._points]).reshape(self.shape)

    def parameter(self, name: str) -> Any:
        """One parameter of every point as an array of the grid's shape."""
        return np.array([p.parameters[name] for p in self._points]).reshape(self.shape)

    def to_dataframe(self, *names: str) -> Any:
        """A table for pandas, which must be installed: one row for each point, its parameters and the numbers of its summary.

        ``names`` chooses numbers (``"energy/max_rel_error"``); default: all.
        """
        import pandas

        rows = [{**point.parameters, **{k: v for k, v in numbers_of(point.summary or {}) if not names or k in names}} for point in self]
        return pandas.DataFrame(rows)

    def values(self) -> Any:
        """What ``collect`` returned, as an array whose first dimensions are the grid."""
        values = np.array([p.value for p in self._points])
        return values.reshape(*self.shape, *values.shape[1:])

    @property
    def failed(self) -> list[Point]:
        """The points whose run failed."""
        return [p for p in self._points if p.error is not None]


def numbers_of(summary: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The numbers of a summary by their full names."""
    for key, value in summary.items():
        if isinstance(value, Mapping):
            yield from numbers_of(value, f"{prefix}{key}/")
        elif isinstance(value, (int, float)):
            yield prefix + key, value


def run_points(source: tuple[Any, ...], points: list[dict[str, Any]], sim: dict[str, Any], run: dict[str, Any],
               collect: Callable[[Result], Any] | None) -> list[tuple[Any, ...]]:
    """Runs some points: what a worker process does."""
    return [run_point(source, point, sim, run, collect) for point in points]


def run_point(source: tuple[Any, ...], point: dict[str, Any], sim: dict[str, Any], run: dict[str, Any],
              collect: Callable[[Result], Any] | None) -> tuple[Any, ...]:
    path, text, name, settings, forces = source
    try:
        model = Model._make(path, text, name, settings | point, forces)
        result = Sim(model, **sim).run(**run)
    except Error as error:
        return None, {}, None, str(error)
    arrays = {key: np.array(result[key]) for key in result.keys()} if run["record"] is not False and collect is None else {}
    return result.summary, arrays, None if collect is None else collect(result), None


def source_of(model: Model | Spec | str | os.PathLike[str]) -> tuple[Any, ...]:
    """What a model is made from, as something to send: the text goes with it, as a worker may not see the file."""
    if isinstance(model, Spec):
        model = model.compile()
    elif not isinstance(model, Model):
        with open(model, encoding="utf-8") as file:
            return (None, file.read(), os.fspath(model), {}, ())
    path, text, name, settings, forces = model._source
    return (None, text or model.text, name or path, settings, forces)


def sweep(model: Model | Spec | str | os.PathLike[str], parameters: Mapping[str, Sequence[float]] | Sequence[Parameters], *,
          until: float | None = None, step: float | None = None, scheme: str | None = None,
          record: bool | str | Sequence[str] = False, every: int = 1, collect: Callable[[Result], Any] | None = None,
          executor: Executor | None = None, chunk: int | None = None, on_error: str = "raise", **sim: Any) -> Sweep:
    """Runs a model once for every point of ``parameters``: a dict of sequences (their grid, the last varies fastest) or a list of
    dicts.

    ``executor`` is any ``concurrent.futures.Executor``: by default a process pool of this machine that ends with the call; ``client.get_executor()`` of a
    Dask client, or what Ray offers, runs the same on a cluster. ``collect(result)`` is called where the run was and returns what is to be
    kept of it; it must be a function that can be pickled. Without it the arrays that ``record`` names come back. ``scheme``, ``step`` and
    further keywords are those of :class:`Sim`, ``until`` and ``every`` those of ``Sim.run``. ``on_error="keep"`` notes the points that failed and goes on.
    """
    if on_error not in ("raise", "keep"):
        raise ArgumentError("on_error is 'raise' or 'keep'")
    points: list[dict[str, Any]]
    if isinstance(parameters, Mapping):
        columns = {k: list(v) for k, v in parameters.items()}
        points = [dict(zip(columns, row)) for row in itertools.product(*columns.values())]
        shape = tuple(len(v) for v in columns.values())
    else:
        points = [dict(p) for p in parameters]
        shape = (len(points),)
    source = source_of(model)
    run_keys = {"until": until, "record": True if collect and record is False else record, "every": every}
    sim_keys = {"scheme": scheme, "step": step} | sim
    own = ProcessPoolExecutor(max_workers=available_threads()) if executor is None else None
    pool: Any = executor or own
    size = chunk or max(1, min(64, len(points) // (4 * available_threads())))
    try:
        futures = [pool.submit(run_points, source, points[i:i + size], sim_keys, run_keys, collect)
                   for i in range(0, len(points), size)]
        answers = [answer for future in futures for answer in future.result()]
    finally:
        if own:
            own.shutdown(cancel_futures=True)
    done = [Point(point, *answer) for point, answer in zip(points, answers)]
    if on_error == "raise":
        for p in done:
            if p.error is not None:
                raise Error(f"at {p.parameters}: {p.error}")
    return Sweep(done, shape)
