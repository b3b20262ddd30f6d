"""What there is to learn: a model, what is seen of it, and what is good."""

from __future__ import annotations

import functools
import pathlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._batch import Batch
from .._model import Model

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
HERE = pathlib.Path(__file__).parent


@functools.cache
def load(path: str) -> Model:
    return Model.from_file(path)


def joints(batch: Batch) -> Floats:
    """Coordinates and rates of all joints."""
    return np.concatenate(batch.joints(), axis=1)


@dataclass(frozen=True)
class Task:
    """A model and functions over all worlds of a batch.

    Actions lie in [-1, 1]; ``strength`` of them goes to the inputs of the model, for ``every`` steps each.
    """

    model: str | pathlib.Path | Model
    """a file, or a model"""
    judge: Callable[[Batch, Floats], tuple[Floats, Bools]]
    """rewards, and which episodes have ended, from the worlds after the action"""
    observe: Callable[[Batch], Floats] = joints
    """what is seen, shape (worlds, numbers)"""
    strength: float | Floats = 1.0
    every: int = 4
    limit: int = 500
    """actions in an episode"""
    noise: Mapping[str, Any] = field(default_factory=dict)
    """arguments of Batch.reset"""

    def load(self) -> Model:
        return self.model if isinstance(self.model, Model) else load(str(self.model))


# ---- Swing-up: height of the tip, near rest -----------------------------------------------------------------------------


def see_cart_pole(batch: Batch) -> Floats:
    q, qd = batch.joints()
    return np.stack([q[:, 0], np.cos(q[:, 1]), np.sin(q[:, 1]), qd[:, 0], qd[:, 1]], axis=1)


def judge_cart_pole(batch: Batch, actions: Floats) -> tuple[Floats, Bools]:
    q, qd = batch.joints()
    upright = 0.5 * (1.0 - np.cos(q[:, 1]))  # the pole hangs at 0
    reward = upright - 0.05 * q[:, 0] ** 2 - 0.001 * qd[:, 1] ** 2 - 0.001 * (actions**2).sum(axis=1)
    return reward, np.abs(q[:, 0]) > 3.0


def see_double_pendulum(batch: Batch) -> Floats:
    q, qd = batch.joints()
    return np.concatenate([np.cos(q), np.sin(q), qd], axis=1)


def judge_double_pendulum(batch: Batch, actions: Floats) -> tuple[Floats, Bools]:
    q, qd = batch.joints()
    height = -np.cos(q[:, 0]) - np.cos(q[:, 0] + q[:, 1])  # of the tip, in [-2, 2]
    reward = 0.25 * (height + 2.0) - 1e-3 * (qd**2).sum(axis=1) - 1e-3 * (actions**2).sum(axis=1)
    return reward, np.zeros(len(q), dtype=bool)


# ---- Legs -----------------------------------------------------------------------------------------------------------------


def judge_leg(batch: Batch, actions: Floats) -> tuple[Floats, Bools]:
    """The trunk is to be high, and the knee not at its stop."""
    q, _ = batch.joints()
    height = q[:, 0]  # above the start
    return 1.0 + 2.0 * height - 0.01 * (actions**2).sum(axis=1), height < -0.35


def see_quadruped(batch: Batch) -> Floats:
    trunk = batch.model.body_index("trunk")
    q, qd = batch.joints()
    return np.concatenate([batch.position[:, trunk, 2:], batch.orientation[:, trunk], batch.velocity[:, trunk],
                           batch.angular_velocity[:, trunk], q, qd], axis=1)


def judge_quadruped(batch: Batch, actions: Floats) -> tuple[Floats, Bools]:
    """Forward at up to 1 m/s, upright."""
    trunk = batch.model.body_index("trunk")
    speed = batch.velocity[:, trunk, 0]
    x, y = (batch.orientation[:, trunk, k] for k in (1, 2))
    upright = 1.0 - 2.0 * (x * x + y * y)
    reward = np.minimum(speed, 1.0) + 0.5 * upright - 0.02 * (actions**2).sum(axis=1)
    return reward, (batch.position[:, trunk, 2] < 0.15) | (upright < 0.3)


TASKS = {
    "CartPole": Task(HERE / "cart_pole.yaml", judge_cart_pole, see_cart_pole, strength=15.0,
                     noise={"coordinate_noise": 0.1, "rate_noise": 0.1}),
    "DoublePendulum": Task(HERE / "double_pendulum.yaml", judge_double_pendulum, see_double_pendulum, strength=12.0,
                           noise={"coordinate_noise": 0.1, "rate_noise": 0.1}),
    "Leg": Task(HERE / "leg.yaml", judge_leg, strength=12.0, every=5, noise={"rate_noise": 0.05}),
    "Quadruped": Task(HERE / "quadruped.yaml", judge_quadruped, see_quadruped, strength=0.4, every=10,
                      noise={"coordinate_noise": 0.02, "rate_noise": 0.05}),
}
