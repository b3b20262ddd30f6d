"""Sim: a scheme at work."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from . import _core
from ._errors import ArgumentError
from ._gradient import Gradient, gradient
from ._model import Model, State
from ._result import Result, check_memory


class Sim(_core.Sim):
    """One scheme, its settings and its scratch memory, moving one state.

    ``scheme`` is a name of :func:`schemes`, with options as in ``"lie-alpha:rho=0.8"``; ``step`` is the length of a step (s).
    Both default to what the model says. ``state`` defaults to a new one at the start of the model.
    """

    __slots__ = ("_def", "model", "scheme")
    model: Model
    scheme: str
    _def: tuple[Any, ...]

    def __new__(cls, model: Model, scheme: str | None = None, step: float | None = None, *, state: State | None = None,
                options: str | None = None, tolerance: float = 1e-14, max_iterations: int = 30, threads: int = 1) -> Sim:
        if not isinstance(model, Model):
            raise TypeError("a Sim needs a Model")
        if state is None:
            state = State(model)
        elif state.model is not model:
            raise ArgumentError("the state is one of another model")
        if step is None:
            step = model.run_settings["step"]
            if step == 0:
                raise ArgumentError("no step is given, neither for the simulation nor by the model")
        sim: Sim = super().__new__(cls, state, step, scheme, options, tolerance, max_iterations, threads)
        sim.model = model
        sim.scheme = scheme or model.run_settings["scheme"] or "rattlie"
        sim._def = (scheme, options, tolerance, max_iterations, threads)
        return sim

    def __repr__(self) -> str:
        return f"<polhode.Sim {self.scheme} of {self.model.name!r} at t = {self.time:g} s>"

    def run(self, until: float | None = None, *, record: bool | str | Sequence[str] | None = True, every: int = 1,
            out: str | os.PathLike[str] | None = None, progress: Callable[..., Any] | None = None,
            stop_when: str | None = None) -> Result:
        """Moves the state to the time ``until`` (s; default: what the model says), measuring every step.

        ``record`` chooses what the result holds: ``True`` for everything, names or groups as in a result file
        (``"position"``, ``["energy", "joints/A"]``), or ``False`` for the summary alone. Every ``every``-th step is recorded,
        and the first and the last always. ``out`` names a file (``.h5``, ``.csv``) that is written while the run goes on, in
        place of memory. ``progress(step, steps, time, until, wall_s, energy_error)`` is called about ten times a second; a
        return value of ``False`` stops the run, and Ctrl-C raises ``KeyboardInterrupt``. ``stop_when`` is an expression of ``t``,
        inputs, ``q.<joint>`` and ``qd.<joint>``: the run ends where it crosses zero (``summary["event"]``).
        """
        names = (record,) if isinstance(record, str) else None if isinstance(record, bool) or record is None else tuple(record)
        keep = out is None and record is not False
        until = 0.0 if until is None else float(until)
        if keep:
            check_memory(self.model, names, until or self.model.run_settings["until"], self.time, self.step_size, every)
        scheme, options, tolerance, iterations, threads = self._def
        summary, recording, stopped = _core.run(
            self.state, scheme, options, tolerance, iterations, threads, self.step_size, until, every, names, keep,
            os.fspath(out) if out is not None else "", progress, stop_when)
        return Result(self.model, summary, recording, stopped, None if out is None else os.fspath(out))

    def gradient(self, cost: Callable[[Any], tuple[float, Any]], steps: int, of: Sequence[str], *, inputs: Any = None,
                 by: Sequence[str] = (), memory: int = 0) -> Gradient:
        """The value of a function of a run, and its exact gradient, by one sweep backwards.

        Makes ``steps`` steps with ``inputs`` (steps, inputs) or as the state has them. ``cost(values)`` gets the quantities
        ``of``, names as in ``polhode sensitivity``, at all nodes, an array (steps + 1, len(of)), and returns the value and
        its derivative by that array. ``by`` names parameters of the model file, inputs and numbers (``"rod1.mass"``).
        ``memory`` in bytes: longer runs are made again from states in between.
        """
        return gradient(self, cost, steps, of, inputs=inputs, by=by, memory=memory)
