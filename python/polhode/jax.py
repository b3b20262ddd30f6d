"""Runs as functions of JAX: ``rollout(sim, of, steps)`` returns a function of inputs with its derivative. Needs jax."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ._gradient import TapedRun, side_by_side


def _for_each_run(task: Callable[..., Any], *arrays: Any) -> Any:
    """``task`` of matrices; axes before the last two are those of ``jax.vmap``, whose runs are made on all threads."""
    kind = arrays[0].dtype
    lists = [np.asarray(a, dtype=np.float64).reshape(-1, *a.shape[-2:]) for a in arrays]
    found = np.stack(side_by_side(lambda matrices: task(*matrices), list(zip(*lists))))
    return found.reshape(*arrays[0].shape[:-2], *found.shape[1:]).astype(kind)


def rollout(sim: Any, of: Sequence[str], steps: int) -> Callable[[Any], Any]:
    """``f(inputs)`` with inputs (steps, inputs) gives the quantities ``of`` at all nodes, from the state that ``sim`` has now.

    For ``jax.jit``, ``jax.grad``, ``jax.jacrev`` and ``jax.vmap``, under which runs are made side by side on all threads. Values have the type of the
    inputs; the run itself is made in 64 bits. It can be differentiated once, backwards.
    """
    start, width = sim.state.copy(), sim.state.inputs.shape[0]

    def run(inputs: Any) -> TapedRun:
        return TapedRun(sim, steps, of, inputs, state=start.copy())

    def call(task: Callable[..., Any], rows: int, columns: int, *arrays: Any) -> Any:
        shape = jax.ShapeDtypeStruct((rows, columns), arrays[0].dtype)
        each = lambda *given: _for_each_run(task, *(np.asarray(a) for a in given))  # noqa: E731
        return jax.pure_callback(each, shape, *arrays, vmap_method="broadcast_all")

    def values(inputs: Any) -> Any:
        return call(lambda u: run(u).values, steps + 1, len(of), inputs)

    @jax.custom_vjp
    def f(inputs: Any) -> Any:
        return values(inputs)

    def forward(inputs: Any) -> tuple[Any, Any]:
        return values(inputs), inputs

    def backward(inputs: Any, weights: Any) -> tuple[Any]:
        return (call(lambda u, w: run(u).vjp(w)[1], steps, width, inputs, weights),)

    f.defvjp(forward, backward)
    return lambda inputs: f(jnp.asarray(inputs, dtype=jnp.result_type(inputs, float)))
