"""Gymnasium environments: one at a time (:class:`Env`) and thousands side by side (:class:`VectorEnv`).

    import gymnasium
    import polhode.gym                                       # registers the names below

    env = gymnasium.make("polhode/CartPole-v0")
    envs = gymnasium.make_vec("polhode/Quadruped-v0", num_envs=1024)

A task of your own is a :class:`Task`: a model whose inputs are the actions, and functions of a :class:`polhode.Batch`. Both kinds of
environment move the same worlds: environment ``k`` of a vector has the bits of a single one with the same seed stream.

Needs ``gymnasium`` (``pip install polhode[gym]``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from .._batch import Batch
from ._tasks import TASKS, Task

__all__ = ["TASKS", "Env", "Task", "VectorEnv", "register"]

Floats = NDArray[np.float64]
Ranges = Mapping[str, tuple[float, float]]


def find(task: str | Task) -> Task:
    if isinstance(task, Task):
        return task
    if task not in TASKS:
        raise ValueError(f"there is no task '{task}'; there are: {', '.join(TASKS)}")
    return TASKS[task]


def spaces(task: Task, batch: Batch) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Box]:
    size = task.observe(batch).shape[1]
    low, high = -np.ones(batch.inputs.shape[1], np.float32), np.ones(batch.inputs.shape[1], np.float32)
    return gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float64), gymnasium.spaces.Box(low, high, dtype=np.float32)


class Worlds:
    """A task at work: worlds, the steps that each has made, what they look like."""

    def __init__(self, task: Task, worlds: int, threads: int | None, ranges: Ranges | None) -> None:
        self.task, self.threads, self.count = task, threads, worlds
        self.ranges = dict(task.randomise if ranges is None else ranges)
        self.drawn: dict[str, Floats] = {}
        self.steps = np.zeros(worlds, dtype=np.int64)
        self.start(0)

    def start(self, seed: int) -> None:
        self.batch = Batch(self.task.load(), self.count, threads=self.threads, seed=seed)

    def reset(self, which: NDArray[np.bool_] | None) -> None:
        if self.ranges:
            drawn, new = self.batch.randomise(self.ranges, which), ... if which is None else which
            for name, values in drawn.items():
                self.drawn.setdefault(name, values)[new] = values[new]
        self.batch.reset(which, **self.task.noise)
        self.steps[... if which is None else which] = 0

    def act(self, actions: Any, which: NDArray[np.bool_] | None = None) -> tuple[Floats, NDArray[np.bool_], NDArray[np.bool_]]:
        """Rewards, and which episodes have ended or run out of time."""
        actions = np.clip(np.asarray(actions, dtype=float), -1.0, 1.0)
        self.batch.inputs[:] = self.task.strength * actions
        failed = np.zeros(self.count, dtype=bool)
        if self.batch.step(self.task.every, worlds=which) > 0:
            failed = self.batch.failed
        self.steps[... if which is None else which] += 1
        reward, ended = self.task.judge(self.batch, actions)
        return np.where(failed, 0.0, reward), ended | failed, self.steps >= self.task.limit


class VectorEnv(gymnasium.vector.VectorEnv):  # type: ignore[misc, unused-ignore]
    """Many environments of one task, moved by all cores in one call.

    An environment whose episode has ended starts again with the next step, whose action it ignores
    (``AutoresetMode.NEXT_STEP``). ``randomise={"mass": (0.8, 1.2)}`` draws parameters of the model anew at the start of every episode;
    ``envs.worlds.drawn`` holds them.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}

    def __init__(self, task: str | Task, num_envs: int = 1, *, threads: int | None = None, randomise: Ranges | None = None,
                 render_mode: None = None) -> None:
        self.task = find(task)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.worlds = Worlds(self.task, num_envs, threads, randomise)
        self.single_observation_space, self.single_action_space = spaces(self.task, self.worlds.batch)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._over = np.zeros(num_envs, dtype=bool)

    @property
    def batch(self) -> Batch:
        """The worlds themselves."""
        return self.worlds.batch

    def reset(self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        super().reset(seed=seed if not isinstance(seed, list) else None, options=options)
        if seed is not None:
            self.worlds.start(seed if not isinstance(seed, list) else hash(tuple(seed)) & 0xFFFFFFFF)
        self.worlds.reset(None)
        self._over[:] = False
        return self.task.observe(self.batch), {}

    def step(self, actions: Any) -> tuple[Floats, Floats, NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        over = self._over
        if not over.any():
            reward, ended, late = self.worlds.act(actions)
        else:  # these start again, and do no more than that
            self.worlds.reset(over)
            reward, ended, late = self.worlds.act(actions, ~over)
            reward[over], ended[over], late[over] = 0.0, False, False
        self._over = ended | late
        return self.task.observe(self.batch), reward, ended, late & ~ended, {}

    def close_extras(self, **kwargs: Any) -> None:
        pass


class Env(gymnasium.Env[Any, Any]):
    """One environment of a task; ``randomise`` as in :class:`VectorEnv`."""

    metadata = {"render_modes": []}

    def __init__(self, task: str | Task, *, randomise: Ranges | None = None, render_mode: None = None) -> None:
        self.task = find(task)
        self.render_mode = render_mode
        self.worlds = Worlds(self.task, 1, 1, randomise)
        self.observation_space, self.action_space = spaces(self.task, self.worlds.batch)

    @property
    def batch(self) -> Batch:
        """The world itself, as a batch of one."""
        return self.worlds.batch

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None:
            self.worlds.start(seed)
        self.worlds.reset(None)
        return self.task.observe(self.batch)[0], {}

    def step(self, action: Any) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        reward, ended, late = self.worlds.act(np.asarray(action)[None])
        return self.task.observe(self.batch)[0], float(reward[0]), bool(ended[0]), bool(late[0] and not ended[0]), {}


def register() -> None:
    """Makes all tasks known to ``gymnasium.make`` and ``gymnasium.make_vec``. Importing the module does so."""
    for name in TASKS:
        if f"polhode/{name}-v0" not in gymnasium.registry:
            gymnasium.register(f"polhode/{name}-v0", entry_point="polhode.gym:Env", vector_entry_point="polhode.gym:VectorEnv",
                               kwargs={"task": name})


register()
