"""Runs as functions of JAX: ``rollout(sim, of, steps)`` returns a function of inputs with its derivative. Needs jax, 64 bit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from ._gradient import TapedRun


def rollout(sim: Any, of: Sequence[str], steps: int) -> Callable[[Any], Any]:
    """``f(inputs)`` with inputs (steps, inputs) gives the quantities ``of`` at all nodes, from the state that ``sim`` has now."""
    start, width = sim.state.copy(), sim.state.inputs.shape[0]

    def run(inputs: Any) -> TapedRun:
        return TapedRun(sim, steps, of, np.asarray(inputs, dtype=np.float64), state=start.copy())

    def values(inputs: Any) -> Any:
        shape = jax.ShapeDtypeStruct((steps + 1, len(of)), np.float64)
        return jax.pure_callback(lambda u: run(u).values, shape, inputs)

    @jax.custom_vjp
    def f(inputs: Any) -> Any:
        return values(inputs)

    def forward(inputs: Any) -> tuple[Any, Any]:
        return values(inputs), inputs

    def backward(inputs: Any, weights: Any) -> tuple[Any]:
        shape = jax.ShapeDtypeStruct((steps, width), np.float64)
        return (jax.pure_callback(lambda u, w: run(u).vjp(np.asarray(w))[1], shape, inputs, weights),)

    f.defvjp(forward, backward)
    return f

