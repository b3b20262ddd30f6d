"""Runs as functions of PyTorch: ``rollout(sim, inputs, of)`` can stand in a network. Needs torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ._gradient import TapedRun, side_by_side


class _Run(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, inputs: Any, sim: Any, of: Sequence[str]) -> Any:
        given = inputs.detach().cpu().double().numpy()
        rows = given if given.ndim == 3 else given[None]
        ctx.runs = side_by_side(lambda u: TapedRun(sim, u.shape[0], of, u, state=sim.state.copy()), list(rows))
        values = np.stack([run.values for run in ctx.runs])
        return torch.as_tensor(values if given.ndim == 3 else values[0], dtype=inputs.dtype)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, weights: Any) -> Any:
        given = weights.detach().cpu().double().numpy()
        rows = given if given.ndim == 3 else given[None]
        found = np.stack(side_by_side(lambda pair: pair[0].vjp(pair[1])[1], list(zip(ctx.runs, rows))))
        return torch.as_tensor(found if given.ndim == 3 else found[0], dtype=weights.dtype), None, None


def rollout(sim: Any, inputs: Any, of: Sequence[str]) -> Any:
    """Quantities ``of`` at all nodes, (steps + 1, len(of)), of a run with ``inputs`` (steps, inputs) from the state of ``sim``, which stays.

    Inputs of many runs, (runs, steps, inputs), give (runs, steps + 1, len(of)): they are made side by side on all threads. Values have the
    type of ``inputs``; the run itself is made in 64 bits. It can be differentiated once.
    """
    return _Run.apply(inputs, sim, tuple(of))
