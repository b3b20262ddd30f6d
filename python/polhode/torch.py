"""Runs as functions of PyTorch: ``rollout(sim, inputs, of)`` can stand in a network. Needs torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ._gradient import TapedRun


class _Run(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, inputs: Any, sim: Any, of: Sequence[str]) -> Any:
        run = TapedRun(sim, inputs.shape[0], of, inputs.detach().cpu().double().numpy(), state=sim.state.copy())
        ctx.run = run
        return torch.as_tensor(run.values, dtype=inputs.dtype)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, weights: Any) -> Any:
        by_inputs = ctx.run.vjp(weights.detach().cpu().double().numpy())[1]
        return torch.as_tensor(by_inputs, dtype=weights.dtype), None, None


def rollout(sim: Any, inputs: Any, of: Sequence[str]) -> Any:
    """Quantities ``of`` at all nodes (steps + 1, len(of)) of a run with ``inputs`` (steps, inputs), a float64 tensor, from the state of ``sim``,
    which stays."""
    return _Run.apply(inputs, sim, tuple(of))
