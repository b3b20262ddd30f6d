"""Exact gradients of runs: one sweep backwards (docs/adjoint.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from . import _core
from ._rollout import available_threads


class Start(NamedTuple):
    """A gradient by the state at the start, one row for each body."""

    rotation: Any  #: by a small rotation, body axes
    position: Any
    angular_velocity: Any
    velocity: Any


class Gradient(NamedTuple):
    """What :meth:`Sim.gradient` found."""

    value: float
    quantities: Any  #: (steps + 1, quantities)
    start: Start
    inputs: Any  #: (steps, inputs)
    mass: Any  #: by the mass of each body
    gravity: Any
    parameters: dict[str, float]

    def __getitem__(self, name: Any) -> Any:
        return self.parameters[name] if isinstance(name, str) else tuple(self)[name]


class TapedRun:
    """A run of ``steps`` steps from the state of ``sim``, which moves on, or from ``state``; and its derivative.

    ``values`` are the quantities ``of`` at all nodes, (steps + 1, len(of)); :meth:`vjp` takes the derivative of a function by
    them. Names are those of ``polhode sensitivity``.
    """

    def __init__(self, sim: Any, steps: int, of: Sequence[str], inputs: Any = None, memory: int = 0,
                 state: Any = None) -> None:
        scheme, options = sim._def[0], sim._def[1]
        self._adjoint = _core.Adjoint(sim.state if state is None else state, sim.step_size, scheme, options, memory)
        given = None if inputs is None else np.ascontiguousarray(inputs, dtype=np.float64)
        self.values = self._adjoint.forward(steps, list(of), given)

    def vjp(self, weights: Any, by: Sequence[str] = ()) -> tuple[Start, Any, Any, Any, dict[str, float]]:
        """(start, inputs, mass, gravity, parameters): the gradient of ``(weights * values).sum()``."""
        found = self._adjoint.reverse(np.ascontiguousarray(weights, dtype=np.float64))
        return Start(*found[:4]), found[6], found[4], found[5], {name: self._adjoint.by(name) for name in by}


def side_by_side(task: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """Runs leave the interpreter's lock to others, so threads move them at once."""
    if len(items) < 2:
        return [task(item) for item in items]
    with ThreadPoolExecutor(min(available_threads(), len(items))) as pool:
        return list(pool.map(task, items))


def gradient(sim: Any, cost: Callable[[Any], tuple[float, Any]], steps: int, of: Sequence[str], *, inputs: Any = None,
             by: Sequence[str] = (), memory: int = 0) -> Gradient:
    """See :meth:`Sim.gradient`."""
    run = TapedRun(sim, steps, of, inputs, memory)
    value, weights = cost(run.values)
    start, by_inputs, mass, gravity, parameters = run.vjp(np.broadcast_to(weights, run.values.shape), by)
    return Gradient(float(value), run.values, start, by_inputs, mass, gravity, parameters)
