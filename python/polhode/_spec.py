"""Spec: a model built by calls, in the words of the model file."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ._core import Motion
from ._errors import ArgumentError
from ._model import Model, Parameters

Vector = Sequence["float | str"]
Load = Any
"""None, a force (3,), ``(force, torque)`` or ``(force, torque, arm)``: world axes, N, N m, m."""

NONE = -2  # in place of a body


def plain(value: Any) -> Any:
    """NumPy arrays and numbers, tuples and paths as JSON knows them."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return value


def named(name: str | None, keys: Mapping[str, Any]) -> dict[str, Any]:
    return ({} if name is None else {"name": name}) | {k: v for k, v in keys.items() if v is not None}


class Spec:
    """An editable model. Every call returns the spec, so that calls can be chained::

        model = (polhode.Spec("pendulum", gravity=[0, 0, -9.81])
                 .body("rod", mass=2, inertia=[0.17, 0.001, 0.17], position=[0, 0.5, 0])
                 .joint("hook", "ball", "world", "rod", anchor=[0, 0, 0])
                 .compile())

    Keywords are the keys of the model file (see the manual); numbers may be expressions of parameters, as in
    ``position=[0, "l/2", 0]``. Nothing is checked before :meth:`compile`, which reports every mistake at once. ``folder`` is where
    relative file names of shapes begin.
    """

    def __init__(self, name: str | None = None, *, gravity: Vector | None = None,
                 folder: str | os.PathLike[str] | None = None) -> None:
        self._top: dict[str, Any] = {"polhode": 1} | named(name, {})
        self._lists: dict[str, list[dict[str, Any]]] = {"bodies": [], "joints": [], "forces": [], "sites": [], "tendons": [],
                                                          "actuators": [], "sensors": [], "keyframes": [],
                                                          "parts": []}
        self._maps: dict[str, dict[str, Any]] = {}
        self._functions: list[tuple[Any, ...]] = []
        self._folder = None if folder is None else os.fspath(folder)
        if gravity is not None:
            self._top["gravity"] = gravity

    # ---- Elements ---------------------------------------------------------------------------------------------------

    def body(self, name: str, *, mass: float | str | None = None, inertia: Any = None, position: Vector | None = None,
             orientation: Mapping[str, Any] | None = None, velocity: Vector | None = None,
             angular_velocity: Vector | None = None, com: Vector | None = None, fixed: bool | None = None,
             shapes: Sequence[Mapping[str, Any]] | None = None, **keys: Any) -> Spec:
        """Adds a body: mass (kg), inertia about the centre of mass (kg m^2; 3 or 6 numbers or 3x3), position of the body frame (m),
        orientation (``{"quaternion": ...}``, ``{"matrix": ...}``, ``{"axis": ..., "angle": ...}``, ``{"euler": "zxz", "angles": ...}``),
        velocity of the centre of mass (m/s, world), angular velocity (rad/s, body frame)."""
        self._lists["bodies"].append(named(name, dict(
            mass=mass, inertia=inertia, position=position, orientation=orientation, velocity=velocity,
            angular_velocity=angular_velocity, com=com, fixed=fixed,
            shapes=None if shapes is None else [dict(s) for s in shapes], **keys)))
        return self

    def shape(self, body: str, type: str, **keys: Any) -> Spec:
        """Adds a shape to a body: ``"sphere"``, ``"box"``, ``"capsule"``, ``"cylinder"``, ..."""
        entry = self._lists["bodies"][self._body(body)]
        entry.setdefault("shapes", []).append({"type": type} | keys)
        return self

    def joint(self, name: str, type: str, body_a: str, body_b: str, **keys: Any) -> Spec:
        """Adds a joint between two bodies or the ``"world"``; :func:`joints` lists the types and their keys. ``coordinate`` and
        ``rate`` say where it starts and how fast: they are held, and the rest of the model follows."""
        self._lists["joints"].append({"name": name, "type": type, "bodies": [body_a, body_b]} | keys)
        return self

    def gear(self, name: str, joint_a: str, joint_b: str, ratio: float | str) -> Spec:
        """Adds a gear between two joints."""
        self._lists["joints"].append({"name": name, "type": "gear", "joints": [joint_a, joint_b], "ratio": ratio})
        return self

    def spring(self, body_a: str, body_b: str, *, stiffness: float | str, name: str | None = None, **keys: Any) -> Spec:
        """Adds a spring (N/m) between ``point_a`` and ``point_b`` (m, body frames), with ``damping`` (N s/m) and free ``length`` (m)."""
        return self._force("spring", name, bodies=[body_a, body_b], stiffness=stiffness, **keys)

    def torsion(self, joint: str, *, stiffness: float | str, name: str | None = None, **keys: Any) -> Spec:
        """Adds a torsion spring (N m/rad) in a joint, with ``damping`` and ``rest`` angle (rad)."""
        return self._force("torsion", name, joint=joint, stiffness=stiffness, **keys)

    def bushing(self, body_a: str, body_b: str, *, stiffness: Any, name: str | None = None, **keys: Any) -> Spec:
        """Adds a bushing: 6x6 ``stiffness`` and ``damping`` in the order rotation | translation."""
        return self._force("bushing", name, bodies=[body_a, body_b], stiffness=stiffness, **keys)

    def wrench(self, body: str, *, force: Vector | None = None, torque: Vector | None = None, name: str | None = None,
               **keys: Any) -> Spec:
        """Adds a force (N) and a torque (N m) on a body, as numbers or expressions of ``t``, inputs and joint coordinates."""
        return self._force("wrench", name, body=body, force=force, torque=torque, **keys)

    def force(self, type: str, name: str | None = None, **keys: Any) -> Spec:
        """Adds a force element of any type, with the keys it has in a model file."""
        return self._force(type, name, **keys)

    def _force(self, type: str, name: str | None, **keys: Any) -> Spec:
        self._lists["forces"].append({"type": type} | named(name, keys))
        return self

    def site(self, name: str, body: str, *, position: Vector | None = None,
             orientation: Mapping[str, Any] | None = None) -> Spec:
        """Adds a named frame on a body, or on the ``"world"``: joints and springs may attach to it (``sites=[a, b]``)."""
        self._lists["sites"].append(named(name, dict(body=body, position=position, orientation=orientation)))
        return self

    def tendon(self, name: str, *, path: Sequence[str] | None = None, joints: Mapping[str, float | str] | None = None,
               **keys: Any) -> Spec:
        """Adds a tendon: a length over sites (``path``) and joints (``{"hip": 0.02}``), with ``stiffness``, ``damping``, ``length``
        at rest, ``cable`` (it never pushes), ``limits`` with ``limit_stiffness``, ``tension`` of a winch."""
        self._lists["tendons"].append(named(name, dict(path=None if path is None else list(path), joints=joints, **keys)))
        return self

    def actuator(self, name: str, *, joint: str | None = None, tendon: str | None = None, **keys: Any) -> Spec:
        """Adds an actuator along a joint or tendon: ``control`` (a number or expression), or ``position`` with ``kp`` and ``kd``;
        ``gear``, ``limits`` of the control, ``max`` of the force, ``delay`` (s)."""
        self._lists["actuators"].append(named(name, dict(joint=joint, tendon=tendon, **keys)))
        return self

    def sensor(self, name: str, type: str, **keys: Any) -> Spec:
        """Adds a sensor: ``"accelerometer"``, ``"gyro"``, ``"position"``, ``"joint"``, ``"force_torque"``, ``"contact"``,
        ``"rangefinder"``, ``"value"``, ... with ``site`` or ``body``, ``joint``, ``tendon``, ``actuator``, ``range``, ``value``."""
        self._lists["sensors"].append({"name": name, "type": type} | keys)
        return self

    def part(self, **keys: Any) -> Spec:
        """Adds a part: ``include="leg.yaml"`` or ``model="leg"``, or lists of ``bodies``, ``joints`` and so on, with ``repeat``,
        ``prefix``, ``parameters``, ``names``, ``position``, ``orientation``."""
        self._lists["parts"].append(dict(keys))
        return self

    def model(self, name: str, **keys: Any) -> Spec:
        """Adds a model that parts may use: ``parameters``, ``bodies``, ``joints``, ``forces`` and so on."""
        self._maps.setdefault("models", {})[name] = dict(keys)
        return self

    def defaults(self, **keys: Mapping[str, Any]) -> Spec:
        """What elements have where they do not say otherwise: ``shapes={"friction": 0.8}, joints={"type": "revolute"}``."""
        self._maps.setdefault("defaults", {}).update(keys)
        return self

    def keyframe(self, name: str, *, joints: Mapping[str, Any] | None = None, bodies: Mapping[str, Any] | None = None,
                 inputs: Mapping[str, float] | None = None, time: float | None = None) -> Spec:
        """Adds a named state: coordinates of joints (``{"hip": 0.3, "knee": {"coordinate": -0.6, "rate": 1}}``), places of bodies
        (``{"trunk": {"position": [0, 0, 1]}}``) and inputs. What is not given is as at the start of the model, at rest."""
        self._lists["keyframes"].append(named(name, dict(joints=joints, bodies=bodies, inputs=inputs, time=time)))
        return self

    # ---- Python functions -------------------------------------------------------------------------------------------

    def callback(self, body: str, function: Callable[..., Load], *, other: str | None = None,
                 potential: Callable[..., float] | None = None, name: str | None = None) -> Spec:
        """Adds a force that a Python function computes.

        ``function(motion)`` gets a :class:`Motion` (time, position, rotation, velocity, angular_velocity of the body) and returns
        None, a force (N), ``(force, torque)`` or ``(force, torque, arm)``, all in world axes: the torque (N m) about the centre
        of mass, the arm (m) from there to where the force acts. With ``other`` it is called as ``function(motion, motion_of_other)``
        and returns two such loads. It must depend on its arguments alone: schemes ask several times in a step.

        ``potential``, a function of the same arguments, says that the force is minus its gradient; its energy (J) then counts as
        potential energy. Without one what the force does is counted as work.
        """
        return self._function(body, other, function, None, potential, name)

    def field(self, body: str, density: Callable[..., Sequence[float]], *, potential: Callable[..., float] | None = None,
              name: str | None = None) -> Spec:
        """Adds a field that acts on all of a body: ``density(x, t)`` is the force per mass (N/kg) at the world point x (m).

        ``potential(x, t)`` is the potential per mass (J/kg), if there is one.
        """
        return self._function(body, None, None, density, potential, name)

    def _function(self, body: str, other: str | None, force: Any, density: Any, potential: Any, name: str | None) -> Spec:
        for function in (density if force is None else force, potential):
            if function is not None and not callable(function):
                raise TypeError("a function is needed")
        index = NONE if other is None else self._body(other)
        self._functions.append((self._body(body), index, force, density, potential, name))
        return self

    # ---- Settings ---------------------------------------------------------------------------------------------------

    def parameter(self, **values: float | str) -> Spec:
        """Sets named constants, which expressions may use."""
        self._maps.setdefault("parameters", {}).update(values)
        return self

    def input(self, **values: float) -> Spec:
        """Adds named values that expressions may use and that ``State.inputs`` changes while the model moves."""
        self._maps.setdefault("inputs", {}).update(values)
        return self

    def gravity(self, x: float | str, y: float | str, z: float | str) -> Spec:
        """Sets the acceleration of gravity (m/s^2)."""
        self._top["gravity"] = [x, y, z]
        return self

    def contact(self, **keys: Any) -> Spec:
        """Lets shapes collide: ``solver``, ``law``, ``tolerance``, ``pairs`` and so on."""
        self._maps.setdefault("contact", {}).update(keys)
        return self

    def record(self, **keys: Any) -> Spec:
        """What is recorded beyond the default: ``stress``, ``contacts``."""
        self._maps.setdefault("record", {}).update(keys)
        return self

    def run(self, **keys: Any) -> Spec:
        """Defaults of a run: ``scheme``, ``step`` (s), ``until`` (s), ``options``."""
        self._maps.setdefault("run", {}).update(keys)
        return self

    def project(self) -> Spec:
        """Moves the start onto the constraints where it is off them, in place of refusing it."""
        self._top["initial"] = "project"
        return self

    def start(self, keyframe: str) -> Spec:
        """Starts the model in a keyframe."""
        before = self._top.get("initial")
        self._top["initial"] = ["project", keyframe] if before == "project" else keyframe
        return self

    # ---- Use --------------------------------------------------------------------------------------------------------

    def _body(self, name: str) -> int:
        for index, entry in enumerate(self._lists["bodies"]):
            if entry.get("name") == name:
                return index
        raise ArgumentError(f"there is no body '{name}' yet")

    def to_dict(self) -> dict[str, Any]:
        """The model as the data of a model file, without Python functions."""
        lists = {k: v for k, v in self._lists.items() if v or k == "bodies"}
        data: dict[str, Any] = plain({**self._top, **self._maps, **lists})
        return data

    def to_text(self) -> str:
        """The model file (JSON, which is YAML), one element on a line."""
        lines = []
        for key, value in self.to_dict().items():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                inner = ",\n".join("    " + json.dumps(v, ensure_ascii=False) for v in value)
                lines.append(f"  {json.dumps(key)}: [\n{inner}\n  ]")
            else:
                lines.append(f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
        return "{\n" + ",\n".join(lines) + "\n}\n"

    def compile(self, parameters: Parameters | None = None) -> Model:
        """Checks everything and compiles. Raises :class:`ModelError` with every mistake."""
        name = "<spec>" if self._folder is None else os.path.join(self._folder, "<spec>")
        return Model._make(None, self.to_text(), name, parameters, tuple(self._functions))

    def __repr__(self) -> str:
        return f"<polhode.Spec {self._top.get('name', '')!r}: {len(self._lists['bodies'])} bodies, {len(self._lists['joints'])} joints>"


__all__ = ["Load", "Motion", "Spec"]
