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
    randomise: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """parameters of the model that are drawn anew at the start of every episode"""

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


def clock(batch: Batch, pace: float) -> Floats:
    """Where a gait of so many cycles in a second has come to."""
    angle = 2.0 * np.pi * pace * batch.time[:, None]
    return np.concatenate([np.sin(angle), np.cos(angle)], axis=1)


def uprightness(batch: Batch, body: int) -> Floats:
    """Cosine of how far it leans."""
    x, y = (batch.orientation[:, body, k] for k in (1, 2))
    return 1.0 - 2.0 * (x * x + y * y)


PACE, SPEED = 2.5, 0.6  # of a trot: cycles in a second, m/s


def see_trot(batch: Batch) -> Floats:
    trunk = batch.model.body_index("trunk")
    q, _ = batch.joints()
    return np.concatenate([clock(batch, PACE), batch.orientation[:, trunk, 1:], batch.velocity[:, trunk],
                           0.2 * batch.angular_velocity[:, trunk], q], axis=1)


def judge_trot(batch: Batch, actions: Floats) -> tuple[Floats, Bools]:
    """Forward at the speed of a trot, straight on, level; diagonal legs move alike, and against the other two."""
    trunk = batch.model.body_index("trunk")
    v, spin, lean = batch.velocity[:, trunk], batch.angular_velocity[:, trunk], uprightness(batch, trunk)
    legs = batch.joints()[0].reshape(-1, 4, 3)[:, :, 1:]  # swing and lift; front left, front right, rear left, rear right
    unlike = ((legs[:, 0] - legs[:, 3]) ** 2 + (legs[:, 1] - legs[:, 2]) ** 2).sum(axis=1)
    reward = (1.5 - np.minimum(np.abs(v[:, 0] - SPEED) / SPEED, 2.0) - 0.5 * np.abs(v[:, 1]) - 0.2 * np.abs(spin[:, 2])
              - 2.0 * (1.0 - lean) - 2.0 * unlike - 0.01 * (actions**2).sum(axis=1))
    return reward, (batch.position[:, trunk, 2] < 0.17) | (lean < 0.5)


# ---- A biped of linkages: twelve servos, six loops, pushed when it begins ---------------------------------------------------

DRIVES = ("yaw", "roll", "pitch", "knee_crank", "crank0", "crank1")


@functools.cache
def drive_coordinates(model: Model) -> NDArray[np.intp]:
    """Where the coordinates of the servos are among those of all joints."""
    first, found = 0, dict[str, int]()
    for name, joint in model.joints.items():
        found[name] = first
        first += joint.coordinates
    return np.array([found[f"s{side}_{name}"] for side in (0, 1) for name in DRIVES])


def see_biped(batch: Batch) -> Floats:
    pelvis, at = batch.model.body_index("pelvis"), drive_coordinates(batch.model)
    q, qd = batch.joints()
    return np.concatenate([batch.position[:, pelvis, :2], batch.orientation[:, pelvis, 1:], batch.velocity[:, pelvis],
                           0.3 * batch.angular_velocity[:, pelvis], q[:, at], 0.1 * qd[:, at]], axis=1)


def judge_biped(batch: Batch, actions: Floats) -> tuple[Floats, Bools]:
    """Upright, where it stood."""
    pelvis = batch.model.body_index("pelvis")
    lean, x = uprightness(batch, pelvis), batch.position[:, pelvis]
    reward = 1.0 - 2.0 * (1.0 - lean) - 0.3 * np.hypot(x[:, 0], x[:, 1]) - 0.02 * (actions**2).sum(axis=1)
    return reward, (x[:, 2] < 0.7) | (lean < 0.6)


TASKS = {
    "CartPole": Task(HERE / "cart_pole.yaml", judge_cart_pole, see_cart_pole, strength=15.0,
                     noise={"coordinate_noise": 0.1, "rate_noise": 0.1}),
    "DoublePendulum": Task(HERE / "double_pendulum.yaml", judge_double_pendulum, see_double_pendulum, strength=12.0,
                           noise={"coordinate_noise": 0.1, "rate_noise": 0.1}),
    "Leg": Task(HERE / "leg.yaml", judge_leg, strength=12.0, every=5, noise={"rate_noise": 0.05}),
    "Quadruped": Task(HERE / "quadruped.yaml", judge_quadruped, see_quadruped, strength=0.4, every=10,
                      noise={"coordinate_noise": 0.02, "rate_noise": 0.05}),
    "Trot": Task(HERE / "quadruped.yaml", judge_trot, see_trot, strength=0.5, every=10, limit=200,
                 noise={"coordinate_noise": 0.02, "rate_noise": 0.05}),
    "Biped": Task(HERE / "biped.yaml", judge_biped, see_biped, strength=0.4, every=10, limit=200,
                  noise={"velocity_noise": 0.5, "angular_velocity_noise": 0.2}),
}
