"""Many simulations at once, on the threads of this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import ArgumentError, StepError
from ._model import Floats, Model, Parameters, State

SHAPES = {"position": 3, "orientation": 4, "velocity": 3, "angular_velocity": 3}


@dataclass
class Rollout:
    """A batch of motions. The first index of every array counts the members, the second the recorded rows."""

    time: Floats
    """s, shape (n, rows)"""
    position: Floats
    """centres of mass (m, world), shape (n, rows, bodies, 3)"""
    orientation: Floats
    """unit quaternions w, x, y, z, shape (n, rows, bodies, 4)"""
    velocity: Floats
    """m/s, world, shape (n, rows, bodies, 3)"""
    angular_velocity: Floats
    """rad/s, body frame, shape (n, rows, bodies, 3)"""
    energy: Floats | None
    """kinetic + potential - work (J), shape (n, rows), where it was asked for"""
    steps: NDArray[np.int64]
    """steps that each member has made, shape (n,)"""
    messages: list[str | None]
    """what went wrong with each member, or None"""

    @property
    def failed(self) -> NDArray[np.bool_]:
        """Which members failed; they stay where they came to. Shape (n,)."""
        return np.array([m is not None for m in self.messages], dtype=bool)

    @property
    def final(self) -> dict[str, Floats]:
        """The last row of poses and velocities, by name: states to start another rollout from."""
        return {name: np.ascontiguousarray(getattr(self, name)[:, -1]) for name in SHAPES}

    def __len__(self) -> int:
        return len(self.messages)


def available_threads() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def members_of(parameters: Mapping[str, Sequence[float]] | Sequence[Parameters]) -> list[dict[str, Any]]:
    """One dict of parameters for each member, from a dict of sequences or a sequence of dicts."""
    if isinstance(parameters, Mapping):
        columns = {k: list(v) for k, v in parameters.items()}
        if len({len(v) for v in columns.values()}) > 1:
            raise ArgumentError("parameters of a batch need as many values each")
        return [dict(zip(columns, row)) for row in zip(*columns.values())]
    return [dict(p) for p in parameters]


def starts_of(model: Model, states: Mapping[str, Any], count: int | None) -> tuple[int, tuple[Floats | None, ...]]:
    bodies, inputs = len(model.bodies), model._inputs
    shapes = {name: (bodies, k) for name, k in SHAPES.items()} | {"inputs": (inputs,)}
    if unknown := set(states) - set(shapes):
        raise ArgumentError(f"a state has no '{sorted(unknown)[0]}'; it has: {', '.join(shapes)}")
    given = {name: np.asarray(value, dtype=float) for name, value in states.items()}
    for name, value in given.items():
        if value.ndim > len(shapes[name]):
            if count not in (None, len(value)):
                raise ArgumentError(f"{name}: a batch of {len(value)}, not {count}")
            count = len(value)
    if count is None:
        raise ArgumentError("how many members? give states with a first index that counts them, or a number")
    for name, value in given.items():
        try:
            given[name] = np.ascontiguousarray(np.broadcast_to(value, (count, *shapes[name])))
        except ValueError:
            raise ArgumentError(f"{name}: the shape is {value.shape}, not {(count, *shapes[name])}") from None
    return count, tuple(given.get(name) for name in shapes)


def rollout(model: Model, states: int | Sequence[State] | Mapping[str, Any] | None, steps: int, *, step: float | None = None,
            scheme: str | None = None, parameters: Mapping[str, Sequence[float]] | Sequence[Parameters] | None = None,
            every: int | None = None, threads: int | None = None, energy: bool = False, options: str | None = None,
            tolerance: float = 1e-14, max_iterations: int = 30, on_error: str = "raise") -> Rollout:
    """Moves a batch of states by ``steps`` steps each, on several threads.

    ``states`` is a list of :class:`State`, a dict of arrays (``position`` (n, bodies, 3), ``orientation`` (n, bodies, 4), ``velocity``,
    ``angular_velocity`` (n, bodies, 3), ``inputs`` (n, inputs); what is missing is as the model starts, arrays without the first
    index are the same for all), a number of members, or None where ``parameters`` counts them. ``parameters`` makes a model of its own
    for every member: a list of dicts, or a dict of sequences.

    The start, every ``every``-th step and the last are recorded; by default the start and the end alone. Members do not know of each
    other: the answer has the same bits for any number of ``threads`` (default: all that there are). ``on_error="keep"`` returns also
    where members failed (see ``Rollout.failed``); else :class:`StepError` is raised.
    """
    if on_error not in ("raise", "keep"):
        raise ArgumentError("on_error is 'raise' or 'keep'")
    if not isinstance(model, Model):
        raise TypeError("a rollout needs a Model")
    steps = int(steps)
    models = None
    count = None
    if parameters is not None:
        models = tuple(model.with_parameters(p) for p in members_of(parameters))
        count = len(models)
    whole: tuple[State, ...] | None = None
    starts: tuple[Floats | None, ...] = (None,) * 5
    if isinstance(states, Mapping):
        count, starts = starts_of(model, states, count)
    elif isinstance(states, (int, np.integer)):
        if count not in (None, int(states)) or states < 0:
            raise ArgumentError(f"a batch of {states}, not {count}" if states >= 0 else "a batch cannot be negative")
        count = int(states)
    elif states is not None:
        whole = tuple(states)
        if models is not None:
            raise ArgumentError("whole states belong to one model; give arrays to start other models from")
        count = len(whole)
    if count is None:
        raise ArgumentError("how many members? give states, parameters or a number")
    if models is None:
        models = (model,) * count
    if step is None:
        step = model.run_settings["step"]
    every = max(steps, 1) if every is None else int(every)
    if steps < 0 or every < 1:
        raise ArgumentError("steps must not be negative, and every must be at least 1")
    rows, bodies = 1 + -(-steps // every), len(model.bodies)
    outs = tuple(np.zeros((count, rows, bodies, k)) for k in SHAPES.values())
    time = np.zeros((count, rows))
    total = np.zeros((count, rows)) if energy else None
    done = np.zeros(count)
    messages = _core.rollout(models, whole, starts, (*outs, time, total, done), steps, every, step,
                             available_threads() if threads is None else threads, scheme, options, tolerance, max_iterations)
    result = Rollout(time, outs[0], outs[1], outs[2], outs[3], total, done.astype(np.int64), messages)
    if on_error == "raise" and result.failed.any():
        bad = np.flatnonzero(result.failed)
        raise StepError(f"{len(bad)} of {count} members failed, the first is {bad[0]}: {messages[bad[0]]}")
    return result
