"""Batch: many worlds of one model, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._errors import ArgumentError
from ._model import Floats, Model, Parameters
from ._rollout import available_threads, members_of

Mask = NDArray[np.bool_]


def as_array(given: Any, dtype: Any = None) -> NDArray[Any]:
    """What was given as a NumPy array: tensors of other libraries by DLPack, without a copy where they lie in this machine's memory."""
    if not isinstance(given, np.ndarray) and hasattr(given, "__dlpack__"):
        given = np.from_dlpack(given)
    return np.asarray(given, dtype=dtype)


class Batch(_core.Batch):
    """``worlds`` worlds of one model, moved together on all cores.

    Every world is moved as if it were alone: it has the bits of :meth:`Sim.advance`, whatever the number of threads. Arrays over all
    worlds (``position``, ``orientation``, ``velocity``, ``angular_velocity``, ``inputs``) are views of the engine's memory and never
    copied; ``inputs`` is there to be written to. A world that fails stays where it came to and does not disturb the others::

        batch = polhode.Batch(model, 4096)
        batch.reset(coordinate_noise=0.05)
        for _ in range(1000):
            batch.inputs[:] = policy(*batch.joints())
            batch.step(10)
            batch.reset(batch.failed)
    """

    __slots__ = ("_q", "_qd", "model", "step_size")
    model: Model
    step_size: float
    _q: Floats
    _qd: Floats

    def __new__(cls, model: Model, worlds: int | None = None, *, step: float | None = None, scheme: str | None = None,
                options: str | None = None, threads: int | None = None, seed: int = 0, first_world: int = 0,
                parameters: Mapping[str, Sequence[float]] | Sequence[Parameters] | None = None, tolerance: float = 1e-14,
                max_iterations: int = 30) -> Batch:
        if not isinstance(model, Model):
            raise TypeError("a Batch needs a Model")
        own = members_of(parameters) if parameters is not None else None
        if own is not None and worlds not in (None, len(own)):
            raise ArgumentError(f"a batch of {worlds}, but parameters of {len(own)}")
        worlds = len(own) if own is not None else worlds
        if worlds is None:
            raise ArgumentError("how many worlds? give a number, or parameters of each")
        if step is None:
            step = model.run_settings["step"]
            if step == 0:
                raise ArgumentError("no step is given, neither for the batch nor by the model")
        batch: Batch = super().__new__(cls, model, int(worlds), available_threads() if threads is None else int(threads),
                                       int(seed) & (1 << 64) - 1, int(first_world), scheme, options, tolerance, max_iterations)
        batch.model = model
        batch.step_size = float(step)
        batch._q = np.zeros((worlds, batch.coordinates))
        batch._qd = np.zeros((worlds, batch.coordinates))
        for world, values in enumerate(own or ()):
            batch.set_parameters(world, values)
        return batch

    def __len__(self) -> int:
        return self.worlds

    def __repr__(self) -> str:
        return f"<polhode.Batch of {self.worlds} worlds of {self.model.name!r}>"

    def _mask(self, which: ArrayLike | None) -> Mask | None:
        if which is None:
            return None
        given = as_array(which)
        if given.dtype == bool:
            if given.shape != (self.worlds,):
                raise ArgumentError(f"a mask needs the shape ({self.worlds},), not {given.shape}")
            return np.ascontiguousarray(given)
        mask = np.zeros(self.worlds, dtype=bool)
        mask[given.astype(int)] = True
        return mask

    def step(self, n: int = 1, h: float | None = None, *, worlds: ArrayLike | None = None) -> int:
        """``n`` steps in every world that has not failed, or in those chosen by a mask or by numbers. How many have failed."""
        return self._step(self._mask(worlds), self.step_size if h is None else float(h), int(n))

    def joints(self) -> tuple[Floats, Floats]:
        """Coordinates and rates of all joints, each of shape (worlds, coordinates). The arrays are filled again by the next call."""
        self._joints(self._q, self._qd)
        return self._q, self._qd

    def reset(self, worlds: ArrayLike | None = None, *, keyframe: str | None = None, coordinate_noise: float = 0.0,
              rate_noise: float = 0.0, position_noise: float = 0.0, orientation_noise: float = 0.0, velocity_noise: float = 0.0,
              angular_velocity_noise: float = 0.0) -> int:
        """Starts worlds again, from the start of the model or a keyframe, with uniform noise. How many have failed.

        Noise goes to the coordinates and rates of joints, and to bodies without joints. It depends on the seed, the number of the world
        and how often it was reset.
        """
        index = -1
        if keyframe is not None:
            if keyframe not in self.model.keyframes:
                raise ArgumentError(f"the model has no keyframe '{keyframe}'; it has: {', '.join(self.model.keyframes) or 'none'}")
            index = self.model.keyframes.index(keyframe)
        return self._reset(self._mask(worlds), index, coordinate_noise, rate_noise, position_noise, orientation_noise, velocity_noise,
                           angular_velocity_noise)

    def assign(self, world: int, **arrays: ArrayLike) -> None:
        """Writes ``position``, ``orientation``, ``velocity``, ``angular_velocity`` or ``inputs`` of one world."""
        names = ("position", "orientation", "velocity", "angular_velocity", "inputs")
        if unknown := set(arrays) - set(names):
            raise ArgumentError(f"a state has no '{sorted(unknown)[0]}'; it has: {', '.join(names)}")
        given = tuple(np.ascontiguousarray(as_array(arrays[n], float)) if n in arrays else None for n in names)
        for array in given:
            if array is not None and not np.isfinite(array).all():
                raise ValueError("the state is not finite")
        self._assign(int(world), given)

    def set_parameters(self, world: int, values: Parameters) -> None:
        """This world gets other parameters, and is at their start."""
        self._set_model(int(world), self.model.with_parameters(values))

    def randomise(self, ranges: Mapping[str, tuple[float, float]], worlds: ArrayLike | None = None) -> dict[str, Floats]:
        """Domain randomisation: worlds get other values of named parameters, uniform between two numbers each, and are at the start again.

        ``batch.randomise({"mass": (0.8, 1.2), "kp": (60, 100)}, batch.failed)``. Whatever the model's text computes from them follows, and
        nothing else is read again; all threads share the worlds. The values depend on the seed, the number of the world and how often it was
        varied; those drawn by this call come back by name, shape (worlds,), NaN where none was.
        """
        pairs = tuple((str(name), float(low), float(high)) for name, (low, high) in ranges.items())
        drawn = np.full((self.worlds, len(pairs)), np.nan)
        self._randomise(self._mask(worlds), pairs, drawn)
        return {pair[0]: drawn[:, k] for k, pair in enumerate(pairs)}

    def rollout(self, inputs: ArrayLike | None = None, rows: int | None = None, *, every: int = 1,
                record: Sequence[str] = ("coordinates", "rates")) -> dict[str, Floats]:
        """Moves all worlds by whole control sequences in one call.

        ``inputs`` has the shape (worlds, rows, inputs), or (rows, inputs) for all worlds alike: row by row they act for ``every``
        steps, after which the arrays named by ``record`` are noted: ``coordinates``, ``rates``, ``position``, ``orientation``,
        ``velocity``, ``angular_velocity``. Their first two indices count worlds and rows.
        """
        bodies, joints = len(self.model.bodies), self.coordinates
        shapes = {"position": (bodies, 3), "orientation": (bodies, 4), "velocity": (bodies, 3), "angular_velocity": (bodies, 3),
                  "coordinates": (joints,), "rates": (joints,)}
        if unknown := set(record) - set(shapes):
            raise ArgumentError(f"'{sorted(unknown)[0]}' cannot be recorded; these can: {', '.join(shapes)}")
        given = None
        if inputs is not None:
            given = as_array(inputs, float)
            rows = given.shape[-2] if given.ndim >= 2 else 0
            try:
                given = np.ascontiguousarray(np.broadcast_to(given, (self.worlds, rows, self.model._inputs)))
            except ValueError:
                raise ArgumentError(f"inputs: the shape is {given.shape}, not {(self.worlds, rows, self.model._inputs)}") from None
            if not np.isfinite(given).all():
                raise ValueError("the inputs are not finite")
        if rows is None:
            raise ArgumentError("how many rows? give inputs or a number")
        out = {name: np.zeros((self.worlds, int(rows), *shapes[name])) for name in record}
        self._roll(self.step_size, int(rows), int(every), (given, *(out.get(name) for name in shapes)))
        return out

    @property
    def failed(self) -> Mask:
        """Which worlds have failed, shape (worlds,). ``messages`` says why."""
        return np.array([m is not None for m in self.messages], dtype=bool)
